#include "blast/sequence/sequence.h"

#include <assert.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <xxhash.h>

#include "base/array.h"
#include "base/file/line_reader.h"
#include "base/printable.h"
#include "blast/sequence/equal_lines.h"
#include "blast/sequence/letters.h"

/* Classes of the letters of a sequence line that are not codes of enum base. */
enum { LETTER_INVALID = 64, LETTER_SPACE = 65 };

static_assert((int)SEQUENCE_EOPEN == LINE_READER_EOPEN && (int)SEQUENCE_EREAD == LINE_READER_EREAD,
              "errors of the line reader are passed on");

/* Pages of the words are taken from the system before these are packed, a portion at a time. All portions of a stretch
 * may be taken when packing has come to the stretch before it: two threads do so at once. */
enum { WORDS_OF_PORTION = (2 << 20) / BYTES_PER_WORD, WORDS_OF_STRETCH = 2 * WORDS_OF_PORTION };

/* Of fewer words the room is not worth preparing. */
enum { WORDS_TO_PREPARE = 1 << 16 };

/* Number of letters that are joined at a time: few enough to stay in the level-1 cache. */
enum { JOINED_LETTERS = 8 << 10 };

struct reader {
    struct line_reader lines;
    struct sequences out;
    enum cpu_level level;
    size_t records_before; /* number of records of the files before this one */
    size_t record_room;
    XXH3_state_t *hash; /* of the names, then the words */
    uint64_t hashed;    /* number of words in it */
    /* Of the first file: */
    uint64_t *room, *room_end; /* all words that it can hold */
    atomic_size_t packed;      /* number of words that are packed, about */
    atomic_size_t taken;       /* number of words whose pages a thread has taken, or is about to take */
    char joined[JOINED_LETTERS + EQUAL_LINES_SPARE];
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

static int fail_memory(const struct reader *r)
{
    return line_reader_fail_memory(&r->lines);
}

static bool make_word_room(struct reader *r, size_t bases)
{
    struct sequences *s = &r->out;
    return array_reserve_long(&s->words, &s->word_room, s->word_count, bases / BASES_PER_WORD + 1,
                              sizeof *s->words);
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

/* A copy of the rest of a header line, without white space around it; NULL if it is empty or memory is exhausted. */
static char *copy_title(const char *rest)
{
    const char *title = rest + strspn(rest, " \t\r");
    size_t length = strlen(title);
    while (length > 0 && strchr(" \t\r", title[length - 1]))
        length--;
    return length > 0 ? printable_new(title, length, "\t") : NULL;
}

/* Hash the words that change no more while the caches hold them. The names come before them: this serves as long as
 * there is one record. */
static void hash_words(struct reader *r)
{
    enum { AT_A_TIME = 4096 };
    const struct sequences *s = &r->out;
    if (s->record_count > 1 || s->word_count - r->hashed <= AT_A_TIME)
        return;
    const uint64_t whole = s->word_count - 1;
    XXH3_64bits_update(r->hash, s->words + r->hashed, (whole - r->hashed) * sizeof *s->words);
    r->hashed = whole;
}

static void hash_text(struct reader *r, const char *text)
{
    XXH3_64bits_update(r->hash, text, strlen(text) + 1);
}

/* A second name: begin again. */
static void forget_hashed_words(struct reader *r)
{
    XXH3_64bits_reset(r->hash);
    hash_text(r, r->out.records[0].name);
    r->hashed = 0;
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
    const char *name = r->lines.line.s + 1;
    name += strspn(name, " \t");
    size_t length = strcspn(name, " \t\r");
    if (!array_reserve(&s->records, &r->record_room, s->record_count, 1, sizeof *s->records) ||
        !make_word_room(r, 1))
        return fail_memory(r);
    if (s->record_count > 0)
        append_code(s, BASE_SEPARATOR);
    char *copy = length ? printable_new(name, length, "") : NULL;
    if (!length && asprintf(&copy, "record_%zu", s->record_count + 1) < 0)
        copy = NULL;
    if (!copy)
        return fail_memory(r);
    s->records[s->record_count++] =
        (struct sequence_record){.name = copy, .title = copy_title(name + length), .begin = s->positions};
    if (r->hashed > 0)
        forget_hashed_words(r);
    hash_text(r, copy);
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
static size_t append_bases(struct reader *r, const unsigned char *text, size_t length, size_t at)
{
    struct sequences *s = &r->out;
    const unsigned room = BASES_PER_WORD - (unsigned)(s->positions % BASES_PER_WORD);
    if (room == BASES_PER_WORD) {
        size_t count = letters_pack(r->level, text + at, length - at, s->words + s->word_count);
        s->word_count += count;
        s->positions += count * BASES_PER_WORD;
        if (count > 0)
            return count * BASES_PER_WORD;
    }
    uint64_t word;
    unsigned count = letters_pack_next(text, at, length, &word);
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
static int append_letters(struct reader *r, const unsigned char *text, size_t length, size_t *done)
{
    struct sequences *s = &r->out;
    bool noted = true;
    unsigned code;
    *done = 0;
    if (!make_word_room(r, length))
        return fail_memory(r);
    while (noted && *done < length && (code = letter_codes[text[*done]]) != LETTER_INVALID) {
        const uint64_t begin = s->positions;
        const unsigned char first = text[*done];
        size_t count = code <= BASE_T ? append_bases(r, text, length, *done) : 0;
        *done += count > 0 ? count : append_repeated(r, text + *done, length - *done);
        noted = !(first & LETTERS_CASE_BIT) || mask_add(&s->lower_case, begin, s->positions);
    }
    atomic_store_explicit(&r->packed, s->word_count, memory_order_relaxed);
    hash_words(r);
    return noted ? 0 : fail_memory(r);
}

static int append_line(struct reader *r)
{
    const unsigned char *text = (const unsigned char *)r->lines.line.s;
    size_t done;
    int status = append_letters(r, text, r->lines.line.l, &done);
    return status || done == r->lines.line.l ? status : fail_letter(r, done, text[done]);
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
    size_t done, count = equal_lines_join(text, bytes, shape, r->joined, JOINED_LETTERS);
    const unsigned char *letters = (const unsigned char *)(count > 1 ? r->joined : text);
    count = count > 1 ? count : 1;
    int status = append_letters(r, letters, count * shape.letters, &done);
    if (status)
        return status;
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
    const kstring_t *line = &r->lines.line;
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

/* The begin of the page in which a word lies. */
static char *page_of(uint64_t *word)
{
    return (char *)word - (uintptr_t)word % (uintptr_t)sysconf(_SC_PAGESIZE);
}

/* Beside the reading and the packing: take pages of words that come next from the system, so that the thread that packs
 * them does not wait for each. */
static bool take_pages(void *reader)
{
    struct reader *r = reader;
    const size_t all = (size_t)(r->room_end - r->room);
    const size_t stretches = atomic_load(&r->packed) / WORDS_OF_STRETCH + 2,
                 ahead = stretches * WORDS_OF_STRETCH;
    size_t taken = atomic_load(&r->taken);
    do
        if (taken >= (all < ahead ? all : ahead))
            return false;
    while (!atomic_compare_exchange_weak(&r->taken, &taken, taken + WORDS_OF_PORTION));
#ifdef MADV_POPULATE_WRITE
    const size_t left = all - taken;
    char *first = page_of(r->room + taken);
    char *last = page_of(r->room + taken + (left < WORDS_OF_PORTION ? left : WORDS_OF_PORTION));
    madvise(first, (size_t)(last - first), MADV_POPULATE_WRITE);
#endif
    return true;
}

/* Give back the pages of portions that were taken in vain: a part of the file is no bases. */
static void give_back_pages(struct reader *r)
{
    const size_t portions = (r->out.word_count + WORDS_OF_PORTION - 1) / WORDS_OF_PORTION;
    if (portions * WORDS_OF_PORTION >= r->taken)
        return;
    char *first = page_of(r->room + portions * WORDS_OF_PORTION + sysconf(_SC_PAGESIZE) / BYTES_PER_WORD - 1);
    char *last = page_of(r->out.words + r->out.word_room);
    if (first < last)
        madvise(first, (size_t)(last - first), MADV_DONTNEED);
}

/* Read ahead. A thread must know where the words lie: an array that grew would move, as it does for further files. */
static void read_ahead(struct reader *r, bool with_thread)
{
    enum { SEPARATORS = 2 };
    size_t words = line_reader_bytes(&r->lines) / BASES_PER_WORD + SEPARATORS;
    bool has_room = !r->out.words && words > WORDS_TO_PREPARE && make_word_room(r, words * BASES_PER_WORD);
    if (has_room) {
        r->room = r->out.words;
        r->room_end = r->room + words;
    }
    line_reader_read_ahead(&r->lines, with_thread, has_room ? take_pages : NULL, r);
}

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
    if (status == 0)
        read_ahead(r, threads > 1);
    if (status == 0)
        status = read_lines(r);
    if (status == 0)
        status = check_complete(r);
    status = line_reader_close(&r->lines, status);
    give_back_pages(r);
    r->taken = 0;
    return status == SEQUENCE_EOPEN || status == SEQUENCE_EFORMAT ? tell_blast_database(status, path, why)
                                                                  : status;
}

static void complete_digest(struct reader *r)
{
    XXH3_64bits_update(r->hash, r->out.words + r->hashed,
                       (r->out.word_count - r->hashed) * sizeof *r->out.words);
    r->out.digest = XXH3_64bits_digest(r->hash);
}

int sequences_read_files(unsigned threads, const char *const *paths, size_t count, struct sequences *out,
                         struct why *why)
{
    struct reader r = {.hash = XXH3_createState(), .level = cpu_best_level()};
    int status = r.hash ? 0 : why_no_memory(why, SEQUENCE_EMEMORY);
    fill_letter_codes();
    if (r.hash)
        XXH3_64bits_reset(r.hash);
    for (size_t i = 0; i < count && status == 0; i++)
        status = read_file(&r, i == 0 ? threads : 1, paths[i], why); /* the next ones move the words */
    if (status == 0) {
        complete_digest(&r);
        *out = r.out;
    } else {
        sequences_destroy(&r.out);
    }
    XXH3_freeState(r.hash);
    return status;
}

int sequences_read_on(unsigned threads, const char *path, struct sequences *out, struct why *why)
{
    return sequences_read_files(threads, &path, 1, out, why);
}

int sequences_read(const char *path, struct sequences *out, struct why *why)
{
    return sequences_read_on(1, path, out, why);
}

void sequences_forget_words(struct sequences *s)
{
    array_free_long(s->words, s->word_room, sizeof *s->words);
    s->words = NULL;
    s->word_room = 0;
}

void sequences_destroy(struct sequences *s)
{
    for (size_t i = 0; i < s->record_count; i++) {
        free(s->records[i].name);
        free(s->records[i].title);
    }
    free(s->records);
    sequences_forget_words(s);
    mask_destroy(&s->lower_case);
    mask_destroy(&s->masked);
    *s = (struct sequences){0};
}

enum { CODES_AT_A_TIME = 8 };

static const uint64_t every_byte = 0x0101010101010101;

/* The codes of eight positions, a byte each, the first in the lowest byte. */
static inline uint64_t eight_codes(const struct sequences *s, uint64_t position)
{
    const uint64_t *word = &s->words[position / BASES_PER_WORD];
    unsigned shift = 4 * (unsigned)(position % BASES_PER_WORD);
    uint64_t codes = word[0] >> shift;
    if (shift > 32)
        codes |= word[1] << (64 - shift);
    codes &= 0xffffffff;
    codes = (codes | codes << 16) & 0x0000ffff0000ffff;
    codes = (codes | codes << 8) & 0x00ff00ff00ff00ff;
    return (codes | codes << 4) & 0x0f0f0f0f0f0f0f0f;
}

/* Complement eight codes. */
static inline uint64_t complement_eight(uint64_t codes)
{
    if (((codes >> 2 | codes >> 3) & every_byte) == 0)
        return codes ^ every_byte * BASE_T;
    uint64_t complements = 0;
    for (unsigned i = 0; i < CODES_AT_A_TIME; i++)
        complements |= (uint64_t)base_complements[codes >> 8 * i & 15] << 8 * i;
    return complements;
}

static inline void store_eight(uint64_t codes, uint8_t *out)
{
    for (unsigned i = 0; i < CODES_AT_A_TIME; i++)
        out[i] = (uint8_t)(codes >> (8 * i));
}

/* Unpack whole vectors of codes from an even position on. @return the number of codes unpacked */
static inline uint64_t unpack_vectors(const struct sequences *s, uint64_t begin, uint64_t length,
                                      uint8_t *out)
{
    uint64_t i = 0;
#ifdef __SSE2__
    const __m128i low_halves = _mm_set1_epi8(15);
    for (; length - i >= 2 * sizeof low_halves; i += 2 * sizeof low_halves) {
        const uint8_t *bytes = (const uint8_t *)s->words + (begin + i) / 2;
        __m128i pairs = _mm_loadu_si128((const __m128i *)bytes);
        __m128i even = _mm_and_si128(pairs, low_halves);
        __m128i odd = _mm_and_si128(_mm_srli_epi64(pairs, 4), low_halves);
        _mm_storeu_si128((__m128i *)(out + i), _mm_unpacklo_epi8(even, odd));
        _mm_storeu_si128((__m128i *)(out + i + sizeof even), _mm_unpackhi_epi8(even, odd));
    }
#else
    (void)s, (void)begin, (void)length, (void)out;
#endif
    return i;
}

static void unpack_plus(const struct sequences *s, uint64_t begin, uint64_t length, uint8_t *out)
{
    uint64_t i = 0;
    if (begin % 2 == 1 && length > 0)
        out[i++] = (uint8_t)sequences_code(s, begin);
    i += unpack_vectors(s, begin + i, length - i, out + i);
    for (; length - i >= CODES_AT_A_TIME; i += CODES_AT_A_TIME)
        store_eight(eight_codes(s, begin + i), out + i);
    for (; i < length; i++)
        out[i] = (uint8_t)sequences_code(s, begin + i);
}

static void unpack_minus(const struct sequences *s, uint64_t begin, uint64_t length, uint8_t *out)
{
    uint64_t end = s->positions - begin, i = 0; /* plus position after the first base's */
    for (; length - i >= CODES_AT_A_TIME; i += CODES_AT_A_TIME)
        store_eight(__builtin_bswap64(complement_eight(eight_codes(s, end - i - CODES_AT_A_TIME))), out + i);
    for (; i < length; i++) {
        out[i] = base_complements[sequences_code(s, end - i - 1)];
    }
}

void sequences_unpack(const struct sequences *s, enum strand strand, uint64_t begin, uint64_t length,
                      uint8_t *out)
{
    if (strand == STRAND_PLUS)
        unpack_plus(s, begin, length, out);
    else
        unpack_minus(s, begin, length, out);
}

uint8_t *sequences_unpack_strand(const struct sequences *s, enum strand strand)
{
    uint8_t *codes = malloc(s->positions);
    if (codes)
        sequences_unpack(s, strand, 0, s->positions, codes);
    return codes;
}

void sequences_hide_masked(const struct sequences *s, enum strand strand, uint64_t begin, uint64_t length,
                           uint8_t *codes)
{
    bool reversed = strand == STRAND_MINUS;
    uint64_t first = reversed ? s->positions - begin - length : begin;
    mask_overwrite(&s->masked, first, first + length, reversed, BASE_N, codes);
}

size_t sequences_record_at(const struct sequences *s, uint64_t position)
{
    size_t low = 0, high = s->record_count; /* records[low].begin <= position < records[high].begin */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->records[middle].begin <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}
