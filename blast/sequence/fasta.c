#include "blast/sequence/fasta.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <xxhash.h>

#include "base/array.h"
#include "base/file/line_reader.h"
#include "base/memory.h"
#include "base/printable.h"

/* Classes of the letters of a sequence line that are not codes of enum base. */
enum { LETTER_INVALID = 64, LETTER_SPACE = 65, LETTERS_CASE_BIT = 'a' - 'A' };

static_assert((int)SEQUENCE_EOPEN == LINE_READER_EOPEN && (int)SEQUENCE_EREAD == LINE_READER_EREAD,
              "errors of the line reader are passed on");

/* Number of letters that are joined at a time: few enough to stay in the level-1 cache. */
enum { JOINED_LETTERS = 8 << 10, JOINED_SPARE = 16 };

struct reader {
    struct line_reader lines;
    struct sequences out;
    size_t records_before; /* number of records of the files before this one */
    size_t record_room;
    char joined[JOINED_LETTERS + JOINED_SPARE];
};

static uint8_t letter_codes[256];

static void fill_letter_codes(void)
{
    memset(letter_codes, LETTER_INVALID, sizeof letter_codes);
    for (unsigned code = BASE_A; code < BASE_SEPARATOR; code++) {
        const unsigned char letter = (unsigned char)base_letters[code];
        letter_codes[letter] = letter_codes[letter | LETTERS_CASE_BIT] = (uint8_t)code;
    }
    letter_codes['X'] = letter_codes['x'] = BASE_N;
    letter_codes['U'] = letter_codes['u'] = BASE_T;
    letter_codes[' '] = letter_codes['\t'] = letter_codes['\r'] = LETTER_SPACE;
}

/* --- words ----------------------------------------------------------------------------------------------- */

/* The codes of a word's letters, which are any codes if a letter is no base, or not of the case.
 *
 * @param like   a letter of the case that they are to have
 * @param bases  out: bit i tells whether letter i is A, C, G or T of that case
 */
#ifdef __SSE2__

/* In ASCII, bits 1 and 2 of the letters are A 0, C 1, T 2, G 3. Only letters of the case become upper case. */
static inline uint64_t pack_word(const unsigned char *text, unsigned char like, unsigned *bases)
{
    const __m128i ones = _mm_set1_epi8(1), case_bit = _mm_set1_epi8((char)(like & LETTERS_CASE_BIT));
    const __m128i upper = _mm_xor_si128(_mm_loadu_si128((const __m128i *)text), case_bit);
    const __m128i a_or_c =
        _mm_or_si128(_mm_cmpeq_epi8(upper, _mm_set1_epi8('A')), _mm_cmpeq_epi8(upper, _mm_set1_epi8('C')));
    const __m128i g_or_t =
        _mm_or_si128(_mm_cmpeq_epi8(upper, _mm_set1_epi8('G')), _mm_cmpeq_epi8(upper, _mm_set1_epi8('T')));
    *bases = (unsigned)_mm_movemask_epi8(_mm_or_si128(a_or_c, g_or_t));
    __m128i codes = _mm_and_si128(_mm_srli_epi16(upper, 1), _mm_set1_epi8(3));
    codes = _mm_xor_si128(codes, _mm_and_si128(_mm_srli_epi16(codes, 1), ones));
    __m128i pairs = _mm_and_si128(_mm_or_si128(codes, _mm_srli_epi16(codes, 4)), _mm_set1_epi16(0xff));
    uint64_t word;
    _mm_storel_epi64((__m128i *)&word, _mm_packus_epi16(pairs, pairs));
    return word;
}

#else

static inline uint64_t pack_word(const unsigned char *text, unsigned char like, unsigned *bases)
{
    uint64_t word = 0;
    *bases = 0;
    for (unsigned i = 0; i < BASES_PER_WORD; i++) {
        const unsigned code = letter_codes[text[i]] & 3;
        word |= (uint64_t)code << 4 * i;
        *bases |= (unsigned)(text[i] == (base_letters[code] | (like & LETTERS_CASE_BIT))) << i;
    }
    return word;
}

#endif

/* Pack the next letters of a line, one word of them at most, as long as they are bases of the case of the first one.
 * @return number of letters */
static unsigned pack_next(const unsigned char *text, size_t left, uint64_t *word)
{
    unsigned char padded[BASES_PER_WORD] = {0};
    unsigned bases;
    memcpy(padded, text, left < BASES_PER_WORD ? left : BASES_PER_WORD);
    *word = pack_word(padded, text[0], &bases);
    return (unsigned)__builtin_ctz(~bases);
}

/* --- records --------------------------------------------------------------------------------------------- */

static void make_word_room(struct reader *r, size_t bases)
{
    struct sequences *s = &r->out;
    array_reserve_long(&s->words, &s->word_room, s->word_count, bases / BASES_PER_WORD + 1, sizeof *s->words);
}

/* Append a code; there is room for it. A new word is full of separators, which bases then overwrite. */
static inline void append_code(struct sequences *s, unsigned code)
{
    unsigned shift = 4 * (unsigned)(s->positions++ % BASES_PER_WORD);
    if (shift == 0)
        s->words[s->word_count++] = UINT64_MAX;
    s->words[s->word_count - 1] ^= (uint64_t)(code ^ BASE_SEPARATOR) << shift;
}

/* Append a word's first `count` bases, which the last word has room for, or a new one. */
static inline void append_codes(struct sequences *s, uint64_t word, unsigned count)
{
    unsigned shift = 4 * (unsigned)(s->positions % BASES_PER_WORD);
    if (count < BASES_PER_WORD)
        word |= UINT64_MAX << (4 * count);
    if (shift == 0)
        s->words[s->word_count++] = word;
    else
        s->words[s->word_count - 1] &= ~(UINT64_MAX << shift) | word << shift;
    s->positions += count;
}

/* Complete the last record, if there is one; refuse it if it is empty. */
static int finish_record(struct reader *r)
{
    struct sequences *s = &r->out;
    if (s->record_count == r->records_before)
        return 0;
    struct sequence_record *last = &s->records[s->record_count - 1];
    last->bases = s->positions - last->begin;
    if (last->bases == 0)
        return line_reader_refuse_line(&r->lines, SEQUENCE_EEMPTY,
                                       "record '%.80s' ends without a base; give it a sequence or remove it",
                                       last->name);
    s->bases += last->bases;
    return 0;
}

/* A copy of the rest of a header line, without white space around it; NULL if it is empty. */
static char *copy_title(const char *rest)
{
    const char *title = rest + strspn(rest, " \r");
    size_t length = strlen(title);
    while (length > 0 && strchr(" \r", title[length - 1]))
        length--;
    return length > 0 ? printable_new(title, length) : NULL;
}

static int start_record(struct reader *r)
{
    int status = finish_record(r);
    if (status)
        return status;
    struct sequences *s = &r->out;
    if (strlen(r->lines.line.s) < r->lines.line.l)
        return line_reader_refuse_line(&r->lines, SEQUENCE_EFORMAT,
                                       "a header line with a NUL byte; expected FASTA, which is text");
    for (char *tab = r->lines.line.s; (tab = strchr(tab, '\t')) != NULL;)
        *tab = ' '; /* tables have tabs between columns only */
    const char *name = r->lines.line.s + 1, *end = strchr(name, '\r');
    if (end && end[strspn(end, " \r")])
        return line_reader_refuse_line(&r->lines, SEQUENCE_EFORMAT,
                                       "lines end in CR alone; give them ends in LF: tr '\\r' '\\n' <FILE");
    name += strspn(name, " ");
    size_t length = strcspn(name, " \r");
    array_reserve(&s->records, &r->record_room, s->record_count, 1, sizeof *s->records);
    make_word_room(r, 1);
    if (s->record_count > 0)
        append_code(s, BASE_SEPARATOR);
    char *copy = length ? printable_new(name, length) : memory_print("record_%zu", s->record_count + 1);
    s->records[s->record_count++] =
        (struct sequence_record){.name = copy, .title = copy_title(name + length), .begin = s->positions};
    return 0;
}

static int fail_letter(struct reader *r, size_t column, unsigned char letter)
{
    char shown[16];
    snprintf(shown, sizeof shown, letter > 32 && letter < 127 ? "'%c'" : "byte 0x%02x", letter);
    bool protein = strchr("EFILPQZJOefilpqzjo*", letter) != NULL && letter != 0;
    return line_reader_refuse_line(
        &r->lines, SEQUENCE_EFORMAT,
        "column %zu: %s is no DNA base%s; expected A, C, G, T, U or an IUPAC ambiguity code", column + 1,
        shown, protein ? " (is this protein?)" : "");
}

/* Append whole words of bases of one case, or bases up to the end of a word or of the text. @return number of letters,
 * 0 before U, which has no word */
static size_t append_bases(struct sequences *s, const unsigned char *text, size_t length, size_t at)
{
    enum { ALL_BASES = (1 << BASES_PER_WORD) - 1 };
    const unsigned room = BASES_PER_WORD - (unsigned)(s->positions % BASES_PER_WORD);
    const unsigned char like = text[at]; /* here, or it would be read again after each word */
    const size_t begin = at;
    uint64_t word, *next = s->words + s->word_count;
    unsigned bases = ALL_BASES;
    for (; room == BASES_PER_WORD && length - at >= BASES_PER_WORD; at += BASES_PER_WORD) {
        word = pack_word(text + at, like, &bases);
        if (bases != ALL_BASES)
            break;
        *next++ = word;
    }
    s->word_count = (uint64_t)(next - s->words);
    s->positions += at - begin;
    if (at > begin)
        return at - begin;
    unsigned count = pack_next(text + at, length - at, &word);
    count = count < room ? count : room;
    if (count > 0)
        append_codes(s, word, count);
    return count;
}

/* Append a letter as often as it follows. @return number of letters */
static size_t append_repeated(struct reader *r, const unsigned char *text, size_t length)
{
    const unsigned code = letter_codes[text[0]];
    size_t count = 1;
    while (count < length && text[count] == text[0])
        count++;
    for (size_t i = 0; i < count && code != LETTER_SPACE; i++)
        append_code(&r->out, code);
    r->out.ambiguous += base_is_ambiguous(code) ? count : 0;
    return count;
}

/* Append letters up to one that is none. @param done  out: number of letters */
static void append_letters(struct reader *r, const unsigned char *text, size_t length, size_t *done)
{
    struct sequences *s = &r->out;
    unsigned code;
    *done = 0;
    make_word_room(r, length);
    while (*done < length && (code = letter_codes[text[*done]]) != LETTER_INVALID) {
        const uint64_t begin = s->positions;
        const unsigned char first = text[*done];
        size_t count = code <= BASE_T ? append_bases(s, text, length, *done) : 0;
        *done += count > 0 ? count : append_repeated(r, text + *done, length - *done);
        if (first & LETTERS_CASE_BIT)
            mask_add(&s->lower_case, begin, s->positions);
    }
}

static int append_line(struct reader *r)
{
    const unsigned char *text = (const unsigned char *)r->lines.line.s;
    size_t done;
    append_letters(r, text, r->lines.line.l, &done);
    return done == r->lines.line.l ? 0 : fail_letter(r, done, text[done]);
}

static bool is_blank(const kstring_t *line)
{
    return line->l == 0 || ((unsigned char)line->s[0] <= ' ' && strspn(line->s, " \t\r") == line->l);
}

/* What a file may be that does not begin as FASTA does. */
static const char *hint_of(const char *line)
{
    static const struct {
        const char *begin, *hint;
    } others[] = {
        {"@", " (FASTQ? convert it, e.g. seqtk seq -a)"},
        {"BZh", " (compressed by bzip2? unpack it: bzip2 -dc FILE | mercury ... -)"},
        {"\xfd"
         "7zXZ",
         " (compressed by xz? unpack it: xz -dc FILE | mercury ... -)"},
        {"\x28\xb5\x2f\xfd", " (compressed by zstd? unpack it: zstd -dc FILE | mercury ... -)"},
    };
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strncmp(line, others[i].begin, strlen(others[i].begin)) == 0)
            return others[i].hint;
    return "";
}

/* Most of a text of sequences is lines of one length: these are told apart without a search for the end of each, and
 * joined, so that the letters of many are packed at once. A line is known to end where the first one does, not that it
 * does not end before: the letters may still hold a line end. */
struct line_shape {
    size_t letters,
        whole; /* numbers of bytes: without the line's end, which is "\n" or "\r\n", and with it */
};

/* The shape of a text's first line; all zeros if it has no end. */
static struct line_shape line_shape_of(const char *text, size_t bytes)
{
    const char *end = memchr(text, '\n', bytes);
    if (!end)
        return (struct line_shape){0};
    size_t length = (size_t)(end - text);
    return (struct line_shape){length - (length > 0 && end[-1] == '\r'), length + 1};
}

static inline bool has_end(const char *line, struct line_shape shape)
{
    return line[shape.whole - 1] == '\n' && (shape.whole - shape.letters == 1 || line[shape.letters] == '\r');
}

/* Copy letters, and a few bytes after them: copies of a fixed length take less time than those of any length. */
static inline void copy_roughly(char *to, const char *from, size_t count)
{
    for (size_t i = 0; i < count; i += JOINED_SPARE)
        memcpy(to + i, from + i, JOINED_SPARE);
}

/* Join the first lines of a text as long as they have a shape, and room.
 *
 * @param joined  out: their letters; room for JOINED_SPARE more
 * @return number of lines; the last one of the text is never among them
 */
static size_t join_lines(const char *text, size_t bytes, struct line_shape shape, char *joined, size_t room)
{
    size_t in_text = bytes > JOINED_SPARE ? (bytes - JOINED_SPARE) / shape.whole : 0;
    size_t in_room = room / shape.letters, most = in_text < in_room ? in_text : in_room, lines = 0;
    for (; lines < most && has_end(text, shape); lines++, text += shape.whole, joined += shape.letters)
        copy_roughly(joined, text, shape.letters);
    return lines;
}

/* Take lines up to a letter that is none: a line end if a line is shorter than it seemed, or the mark of a header. */
static int take_up_to(struct reader *r, struct line_shape shape, size_t done, unsigned char letter)
{
    const size_t line = done / shape.letters, column = done % shape.letters;
    const bool is_end = letter == '\n', is_header = letter == '>' && column == 0;
    if (is_end || is_header) {
        line_reader_skip(&r->lines, line * shape.whole + (is_end ? column + 1 : 0), line + is_end);
        return 0;
    }
    line_reader_skip(&r->lines, line * shape.whole, line + 1);
    return fail_letter(r, column, letter);
}

static int append_equal_lines(struct reader *r, const char *text, size_t bytes, struct line_shape shape)
{
    size_t done, count = join_lines(text, bytes, shape, r->joined, JOINED_LETTERS);
    const unsigned char *letters = (const unsigned char *)(count > 1 ? r->joined : text);
    count = count > 1 ? count : 1;
    append_letters(r, letters, count * shape.letters, &done);
    if (done < count * shape.letters)
        return take_up_to(r, shape, done, letters[done]);
    line_reader_skip(&r->lines, count * shape.whole, count);
    return 0;
}

/* After a line of letters, append the lines of letters that have been read with it. */
static int append_ready_lines(struct reader *r)
{
    size_t bytes;
    const char *text;
    int status = 0;
    while (status == 0 && (text = line_reader_ready(&r->lines, &bytes)) && bytes > 0 &&
           (unsigned char)*text > ' ' && *text != '>') {
        struct line_shape shape = line_shape_of(text, bytes);
        if (shape.whole == 0)
            break; /* the file's last line */
        status = append_equal_lines(r, text, bytes, shape);
    }
    return status;
}

static int read_line(struct reader *r)
{
    kstring_t *line = &r->lines.line;
    if (is_blank(line))
        return 0;
    if (line->s[0] == '>')
        return start_record(r);
    if (r->out.record_count == r->records_before) {
        return line_reader_refuse_line(&r->lines, SEQUENCE_EFORMAT,
                                       "not FASTA: expected a header line that starts with '>'%s",
                                       hint_of(line->s));
    }
    int status = append_line(r);
    return status ? status : append_ready_lines(r);
}

static int read_lines(struct reader *r)
{
    int status;
    while ((status = line_reader_next(&r->lines)) > 0)
        if ((status = read_line(r)) != 0)
            break;
    return status;
}

static int check_complete(struct reader *r)
{
    struct sequences *s = &r->out;
    if (s->record_count == r->records_before)
        return line_reader_refuse(&r->lines, SEQUENCE_EEMPTY,
                                  "empty: expected FASTA, '>' and a name, then lines of bases");
    int status = finish_record(r);
    if (status)
        return status;
    if (line_reader_is_truncated(&r->lines))
        return line_reader_refuse(&r->lines, SEQUENCE_EREAD,
                                  "bgzip end mark is missing: the file is truncated; get it again");
    return 0;
}

/* --- files ----------------------------------------------------------------------------------------------- */

/* Name a database of makeblastdb, which is several files: their common name, or one of them. */
static int tell_blast_database(int status, const char *path, struct why *why)
{
    static const char *const ends[] = {".nsq", ".nin", ".nhr", ".ndb", ".nal", ".00.nsq"};
    const size_t length = strlen(path);
    bool found = false;
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0] && length < PATH_MAX; i++) {
        char member[PATH_MAX + 8];
        const size_t end = strlen(ends[i]);
        snprintf(member, sizeof member, "%s%s", path, ends[i]);
        found |= status == SEQUENCE_EOPEN ? access(member, F_OK) == 0
                                          : length > end && strcmp(path + length - end, ends[i]) == 0;
    }
    return found
               ? why_say(why, status,
                         "%s: a BLAST database, which makeblastdb has made; expected the FASTA file that it "
                         "was made of, or what blastdbcmd -db NAME -entry all prints",
                         path)
               : status;
}

/* @param threads  that may be used for this file */
static int read_file(struct reader *r, unsigned threads, const char *path, struct why *why)
{
    r->records_before = r->out.record_count;
    int status = line_reader_open(&r->lines, path, "a FASTA file", why);
    if (status == 0) {
        if (threads > 1)
            line_reader_read_ahead(&r->lines);
        status = read_lines(r);
    }
    if (status == 0)
        status = check_complete(r);
    status = line_reader_close(&r->lines, status);
    return status == SEQUENCE_EOPEN || status == SEQUENCE_EFORMAT ? tell_blast_database(status, path, why)
                                                                  : status;
}

static void set_digest(struct sequences *s)
{
    XXH3_state_t *hash = XXH3_createState();
    if (!hash)
        memory_exhausted();
    XXH3_64bits_reset(hash);
    for (size_t i = 0; i < s->record_count; i++)
        XXH3_64bits_update(hash, s->records[i].name, strlen(s->records[i].name) + 1);
    XXH3_64bits_update(hash, s->words, s->word_count * sizeof *s->words);
    s->digest = XXH3_64bits_digest(hash);
    XXH3_freeState(hash);
}

int sequences_read_files(unsigned threads, const char *const *paths, size_t count, struct sequences *out,
                         struct why *why)
{
    struct reader r = {.record_room = 0};
    int status = 0;
    fill_letter_codes();
    for (size_t i = 0; i < count && status == 0; i++)
        status = read_file(&r, threads, paths[i], why);
    if (status == 0) {
        set_digest(&r.out);
        *out = r.out;
    } else {
        sequences_destroy(&r.out);
    }
    return status;
}

int sequences_read(const char *path, struct sequences *out, struct why *why)
{
    return sequences_read_files(1, &path, 1, out, why);
}
