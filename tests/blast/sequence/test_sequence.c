/* test_sequence.c - reading FASTA: what is taken, what it is stored as, and that nothing broken gets
 * through. */
#include <check.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <htslib/bgzf.h>
#include <xxhash.h>

#include "base/why.h"
#include "blast/sequence/fasta.h"
#include "tests/run_suite.h"

enum { DEEP = 200000 };

static char directory[512];
static struct why why;

/* --- files ----------------------------------------------------------------------------------------------- */

static bool make_directory(void)
{
    const char *top = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/test_sequence.XXXXXX", top && *top ? top : "/tmp");
    return mkdtemp(directory) != NULL;
}

static const char *in_directory(const char *name)
{
    static char paths[4][600];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static void remove_directory(void)
{
    static const char *const names[] = {"a.fa", "a.gz", "b.gz", "cut.gz", "sub"};
    for (int i = 0; i < COUNT_OF(names); i++)
        remove(in_directory(names[i]));
    rmdir(directory);
}

/* Read a file by one thread and by two, which has to give the same; standard input can be read only once. */
static int read_both_ways(const char *path, struct sequences *s, struct why *said)
{
    struct sequences ahead = {0};
    struct why said_ahead = {""};
    int status = sequences_read(path, s, said);
    if (strcmp(path, "-") == 0)
        return status;
    ck_assert_int_eq(sequences_read_files(2, &path, 1, &ahead, &said_ahead), status);
    if (status) {
        ck_assert_str_eq(said_ahead.line, said->line);
        return status;
    }
    ck_assert_uint_eq(ahead.digest, s->digest);
    ck_assert_uint_eq(ahead.positions, s->positions);
    ck_assert_uint_eq(ahead.ambiguous, s->ambiguous);
    ck_assert_uint_eq(ahead.record_count, s->record_count);
    ck_assert_uint_eq(ahead.lower_case.count, s->lower_case.count);
    ck_assert_uint_eq(mask_count(&ahead.lower_case), mask_count(&s->lower_case));
    sequences_destroy(&ahead);
    return 0;
}

static const char *write_bytes(const char *name, const void *bytes, size_t length)
{
    const char *path = in_directory(name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
    return path;
}

static const char *write_text(const char *text)
{
    return write_bytes("a.fa", text, strlen(text));
}

/* Mode "w" writes BGZF, "wg" plain gzip. */
static const char *write_compressed(const char *name, const char *mode, const char *text, size_t length)
{
    const char *path = in_directory(name);
    BGZF *file = bgzf_open(path, mode);
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(bgzf_write(file, text, length), (ssize_t)length);
    ck_assert_int_eq(bgzf_close(file), 0);
    return path;
}

static unsigned char *read_bytes(const char *path, size_t *length)
{
    struct stat status;
    ck_assert_int_eq(stat(path, &status), 0);
    *length = (size_t)status.st_size;
    unsigned char *bytes = malloc(*length + 1);
    FILE *file = fopen(path, "rb");
    ck_assert(bytes && file);
    ck_assert_uint_eq(fread(bytes, 1, *length, file), *length);
    fclose(file);
    return bytes;
}

static const char *join_files(const char *name, const char *first, const char *second)
{
    size_t first_length, second_length;
    unsigned char *one = read_bytes(first, &first_length), *other = read_bytes(second, &second_length);
    one = realloc(one, first_length + second_length);
    ck_assert_ptr_nonnull(one);
    memcpy(one + first_length, other, second_length);
    const char *path = write_bytes(name, one, first_length + second_length);
    free(one);
    free(other);
    return path;
}

/* One record of `bases` random bases, 70 a line: too random to compress away, several BGZF blocks long. */
static char *random_fasta(const char *header, size_t bases, uint64_t state, size_t *length)
{
    char *text = malloc(strlen(header) + bases + bases / 70 + 2);
    ck_assert_ptr_nonnull(text);
    size_t n = strlen(header);
    memcpy(text, header, n);
    for (size_t i = 0; i < bases; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        text[n++] = "ACGT"[state >> 62];
        if (i % 70 == 69 || i + 1 == bases)
            text[n++] = '\n';
    }
    *length = n;
    return text;
}

static bool tool_exists(const char *name)
{
    char command[200];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    bool found = system(command) == 0;
    if (!found)
        printf("%s not found: not checked\n", name);
    return found;
}

/* --- reading --------------------------------------------------------------------------------------------- */

static struct sequences must_read(const char *path)
{
    struct sequences s;
    why.line[0] = '\0';
    int status = read_both_ways(path, &s, &why);
    ck_assert_msg(status == 0, "%s refused (%d): %s", path, status, why.line);
    return s;
}

/* Several files are as one that has them one after the other. */
static void check_files(const char *const *texts, size_t count, unsigned threads)
{
    static const char *const names[] = {"a.fa", "a.gz", "b.gz"};
    const char *paths[3];
    char whole[200] = "";
    struct sequences one, all;
    struct why said;
    for (size_t i = 0; i < count; i++) {
        strcat(whole, texts[i]);
        paths[i] = write_bytes(names[i], texts[i], strlen(texts[i]));
    }
    ck_assert_msg(sequences_read_files(threads, paths, count, &all, &said) == 0, "%s", said.line);
    ck_assert_int_eq(sequences_read(write_bytes("a.fa", whole, strlen(whole)), &one, &said), 0);
    ck_assert_uint_eq(all.digest, one.digest);
    ck_assert_uint_eq(all.record_count, one.record_count);
    ck_assert_uint_eq(all.bases, one.bases);
    ck_assert_uint_eq(all.positions, one.positions);
    ck_assert_uint_eq(mask_count(&all.lower_case), mask_count(&one.lower_case));
    for (size_t i = 0; i < one.record_count; i++)
        ck_assert_uint_eq(all.records[i].bases, one.records[i].bases);
    sequences_destroy(&one);
    sequences_destroy(&all);
}

START_TEST(test_several_files_are_as_one)
{
    static const char *const texts[] = {">a\nACGTNacg\n>b\nAC\n", ">c\nttGG\n",
                                        ">d\nA\n>e\nCCCCCCCCCCCCCCCCCCCC\n"};
    for (size_t count = 1; count <= 3; count++)
        for (unsigned threads = 1; threads <= 2; threads++)
            check_files(texts, count, threads);
}
END_TEST

START_TEST(test_the_file_at_fault_is_named)
{
    struct sequences s;
    struct why said;
    const char *paths[] = {write_bytes("a.fa", ">a\nACGT\n", 8), write_bytes("a.gz", "ACGT\n", 5)};
    ck_assert_int_eq(sequences_read_files(1, paths, 2, &s, &said), SEQUENCE_EFORMAT);
    ck_assert_ptr_nonnull(strstr(said.line, "a.gz:1: not FASTA"));
    paths[1] = write_bytes("a.gz", "", 0);
    ck_assert_int_eq(sequences_read_files(1, paths, 2, &s, &said), SEQUENCE_EEMPTY);
    ck_assert_ptr_nonnull(strstr(said.line, "a.gz"));
}
END_TEST

static const char *const archives[][2] = {{"BZh91AY&SY", "bzip2 -dc"},
                                          {"\xfd"
                                           "7zXZ\0",
                                           "xz -dc"},
                                          {"\x28\xb5\x2f\xfd\x04", "zstd -dc"}};

START_TEST(test_other_compression_is_named)
{
    struct sequences s;
    struct why said;
    const char *path = write_bytes("a.fa", archives[_i][0], strlen(archives[_i][0]));
    ck_assert_int_eq(sequences_read(path, &s, &said), SEQUENCE_EFORMAT);
    ck_assert_msg(strstr(said.line, archives[_i][1]) != NULL, "%s", said.line);
}
END_TEST

static struct sequences must_read_text(const char *text)
{
    return must_read(write_text(text));
}

/* Reading fails with this code, one line of text that holds all of `words`, and `out` as it was. */
static void check_refused(const char *path, int code, const char *first_word, const char *second_word)
{
    struct sequences s, before;
    memset(&s, 0x5a, sizeof s);
    memcpy(&before, &s, sizeof s);
    memset(why.line, 0, sizeof why.line);
    int status = read_both_ways(path, &s, &why);
    ck_assert_msg(status != 0, "%s read without complaint; %s expected", path, first_word);
    ck_assert_msg(status == code, "%s: status %d, not %d (%s)", path, status, code, why.line);
    ck_assert_msg(strstr(why.line, first_word) != NULL, "'%s' is not in '%s'", first_word, why.line);
    ck_assert_msg(strstr(why.line, second_word) != NULL, "'%s' is not in '%s'", second_word, why.line);
    ck_assert_ptr_null(strchr(why.line, '\n'));
    ck_assert_int_eq(memcmp(&s, &before, sizeof s), 0);
}

static void check_text_refused(const char *text, size_t length, int code, const char *first,
                               const char *second)
{
    check_refused(write_bytes("a.fa", text, length), code, first, second);
}

/* The stored sequence in letters: | is a separator. */
static void check_codes(const struct sequences *s, const char *expected)
{
    ck_assert_uint_eq(s->positions, strlen(expected));
    ck_assert_uint_eq(s->word_count, (strlen(expected) + BASES_PER_WORD - 1) / BASES_PER_WORD);
    for (uint64_t p = 0; p < s->word_count * BASES_PER_WORD; p++) {
        char letter = "ACGTRYMKWSBDHVN|"[sequences_code(s, p)];
        char wanted = p < s->positions ? expected[p] : '|'; /* the last word is filled up */
        ck_assert_msg(letter == wanted, "position %llu: %c, not %c", (unsigned long long)p, letter, wanted);
    }
}

static void check_record(const struct sequences *s, size_t index, const char *name, uint64_t begin,
                         uint64_t bases)
{
    ck_assert_uint_lt(index, s->record_count);
    ck_assert_str_eq(s->records[index].name, name);
    ck_assert_uint_eq(s->records[index].begin, begin);
    ck_assert_uint_eq(s->records[index].bases, bases);
}

static void check_equal(const struct sequences *a, const struct sequences *b)
{
    ck_assert_uint_eq(a->record_count, b->record_count);
    for (size_t i = 0; i < a->record_count; i++)
        check_record(b, i, a->records[i].name, a->records[i].begin, a->records[i].bases);
    ck_assert_uint_eq(a->positions, b->positions);
    ck_assert_uint_eq(a->bases, b->bases);
    ck_assert_uint_eq(a->ambiguous, b->ambiguous);
    ck_assert_uint_eq(a->word_count, b->word_count);
    ck_assert_int_eq(memcmp(a->words, b->words, a->word_count * sizeof *a->words), 0);
    ck_assert_uint_eq(a->digest, b->digest);
}

/* --- core ------------------------------------------------------------------------------------------------ */

/* The example of sequence.h. */
START_TEST(test_records_follow_each_other_with_one_separator)
{
    struct sequences s = must_read_text(">zero\nACGTN\n>one\nGG\n");
    ck_assert_uint_eq(s.record_count, 2);
    check_record(&s, 0, "zero", 0, 5);
    check_record(&s, 1, "one", 6, 2);
    check_codes(&s, "ACGTN|GG");
    ck_assert_uint_eq(s.positions, 8);
    ck_assert_uint_eq(s.bases, 7);
    ck_assert_uint_eq(s.ambiguous, 1);
    ck_assert_uint_eq(s.word_count, 1);
    ck_assert_uint_eq(s.words[0], UINT64_C(0xffffffff22fe3210)); /* first base in the lowest nibble */
    sequences_destroy(&s);
    ck_assert_ptr_null(s.words);
}
END_TEST

/* All spellings of the same two records. */
static const char *const spellings[] = {
    ">a\nACGTT\n>b\nGNC\n",
    ">a\r\nACGTT\r\n>b\r\nGNC\r\n",
    ">a\nacgtt\n>b\ngnc\n",
    ">a\nACGUu\n>b\nGNc\n",
    ">a\nACGTT\n>b\nGNC",
    ">a\r\nACGTT\r\n>b\r\nGNC\r",
    "\n\n>a\n\nAC\nGTT\n\n \t\n>b\nG\nN\nC\n\n\n",
    ">a\nA C G T T\n>b\n GNC \n",
    ">a\tsome text > and more\nACGTT\n>b the second\nGXC\n",
    ">  a  x\nAC\tGTT\n> b\nG N C\n",
    "\357\273\277>a\nACGTT\n>b\nGNC\n",
};

START_TEST(test_spelling_makes_no_difference)
{
    struct sequences s = must_read_text(spellings[_i]);
    ck_assert_uint_eq(s.record_count, 2);
    check_record(&s, 0, "a", 0, 5);
    check_record(&s, 1, "b", 6, 3);
    check_codes(&s, "ACGTT|GNC");
    ck_assert_uint_eq(s.ambiguous, 1);
    struct sequences first = must_read_text(spellings[0]);
    check_equal(&first, &s);
    sequences_destroy(&first);
    sequences_destroy(&s);
}
END_TEST

START_TEST(test_ambiguity_codes_are_counted_and_stored)
{
    struct sequences s = must_read_text(">iupac\nRYSWKMBDHVNXryswkmbdhvnx\n");
    check_codes(&s, "RYSWKMBDHVNNRYSWKMBDHVNN");
    ck_assert_uint_eq(s.ambiguous, 24);
    ck_assert_uint_eq(s.bases, 24);
    sequences_destroy(&s);
}
END_TEST

START_TEST(test_names_end_at_white_space)
{
    struct sequences s = must_read_text(">gi|5834897|ref|NC_1.1| whole\nA\n>x\ty\nC\n>z,1;[2]\r\nG\n");
    check_record(&s, 0, "gi|5834897|ref|NC_1.1|", 0, 1);
    check_record(&s, 1, "x", 2, 1);
    check_record(&s, 2, "z,1;[2]", 4, 1);
    sequences_destroy(&s);
}
END_TEST

/* Tables have tabs between their columns, and nowhere else. */
START_TEST(test_tabs_of_a_header_become_spaces)
{
    struct sequences s = must_read_text(">x\ty\tz w \t\r\nA\n>\tv\t\nC\n");
    check_record(&s, 0, "x", 0, 1);
    ck_assert_str_eq(s.records[0].title, "y z w");
    check_record(&s, 1, "v", 2, 1);
    ck_assert_ptr_null(s.records[1].title);
    sequences_destroy(&s);
}
END_TEST

START_TEST(test_a_record_without_a_name_gets_one)
{
    struct sequences s = must_read_text(">a\nA\n>\nC\n> \nG\n");
    ck_assert_uint_eq(s.record_count, 3);
    ck_assert_str_ne(s.records[1].name, "");
    ck_assert_str_ne(s.records[1].name, s.records[2].name);
    sequences_destroy(&s);
}
END_TEST

START_TEST(test_digest_tells_contents_apart)
{
    static const char *const texts[] = {
        ">a\nACGTACGT\n",       ">b\nACGTACGT\n",         ">a\nACGTACGA\n",
        ">a\nACGTACG\n",        ">a\nACGTACGN\n",         ">a\nACGT\n>b\nACGT\n",
        ">a\nACG\n>b\nTACGT\n", ">b\nACGT\n>a\nACGT\n",   ">ab\nA\n>c\nA\n",
        ">a\nA\n>bc\nA\n",      ">a\nACGTACGTACGTACGT\n", ">a\nACGTACGTACGTACGTACGTACGTACGTACGT\n",
    };
    uint64_t digests[COUNT_OF(texts)];
    for (int i = 0; i < COUNT_OF(texts); i++) {
        struct sequences s = must_read_text(texts[i]);
        digests[i] = s.digest;
        for (int k = 0; k < i; k++)
            ck_assert_msg(digests[k] != digests[i], "texts %d and %d have one digest", k, i);
        sequences_destroy(&s);
    }
}
END_TEST

/* The digest of all names, then of all words. */
static uint64_t digest_of(const struct sequences *s)
{
    XXH3_state_t *hash = XXH3_createState();
    ck_assert_ptr_nonnull(hash);
    XXH3_64bits_reset(hash);
    for (size_t i = 0; i < s->record_count; i++)
        XXH3_64bits_update(hash, s->records[i].name, strlen(s->records[i].name) + 1);
    XXH3_64bits_update(hash, s->words, s->word_count * sizeof *s->words);
    uint64_t digest = XXH3_64bits_digest(hash);
    XXH3_freeState(hash);
    return digest;
}

/* Records long enough for their words to be hashed before the next name is known. */
START_TEST(test_digest_is_that_of_names_then_words)
{
    const char *paths[3];
    static const char *const files[] = {"a.fa", "a.gz", "b.gz"}, *const headers[] = {">one\n", ">two\n",
                                                                                     ">x\n"};
    for (unsigned i = 0; i < 3; i++) {
        size_t length;
        char *text = random_fasta(headers[i], DEEP - i, i + 1, &length);
        paths[i] = write_bytes(files[i], text, length);
        free(text);
    }
    for (size_t count = 1; count <= 3; count++) {
        struct sequences s;
        ck_assert_int_eq(sequences_read_files(1, paths, count, &s, &why), 0);
        ck_assert_uint_eq(s.record_count, count);
        ck_assert_uint_eq(s.digest, digest_of(&s));
        sequences_destroy(&s);
    }
}
END_TEST

/* Random letters, line lengths and records against codes kept aside. */
START_TEST(test_random_records_are_stored_base_by_base)
{
    static char text[20000], expected[20000];
    unsigned seed = (unsigned)_i + 1;
    size_t n = 0, positions = 0, records = 1 + (size_t)_i % 7, ambiguous = 0, separators = 0;
    for (size_t record = 0; record < records; record++) {
        n += (size_t)sprintf(text + n, ">r%zu\n", record);
        if (record > 0)
            expected[positions++] = '|', separators++;
        size_t length = 1 + (size_t)rand_r(&seed) % 500;
        for (size_t i = 0; i < length; i++) {
            int letter = rand_r(&seed) % 9;
            text[n++] = "ACGTacgtN"[letter];
            expected[positions++] = "ACGTACGTN"[letter];
            ambiguous += letter == 8;
            if (rand_r(&seed) % 20 == 0 || i + 1 == length)
                text[n++] = '\n';
        }
    }
    text[n] = expected[positions] = '\0';
    struct sequences s = must_read_text(text);
    check_codes(&s, expected);
    ck_assert_uint_eq(s.record_count, records);
    ck_assert_uint_eq(s.bases, positions - separators);
    ck_assert_uint_eq(s.ambiguous, ambiguous);
    sequences_destroy(&s);
}
END_TEST

static size_t append_text(char *text, const char *added)
{
    size_t length = strlen(added);
    memcpy(text, added, length);
    return length;
}

/* Runs of capitals, small letters and N, which begin anywhere in a line: most of them fill whole words, which are
 * packed together, and lie across words of the sequence. They are enough for a thread to read ahead, and prepare
 * their room. */
START_TEST(test_runs_of_letters_are_stored_base_by_base)
{
    enum { BASES = 17000000, LINE_MOST = 100, ROOM = BASES + 4 * BASES / 40 + 1000 };
    static const char *const kinds[] = {"ACGT", "acgt", "NNNN"};
    char *text = malloc(ROOM), *codes = malloc(BASES);
    ck_assert(text && codes);
    unsigned seed = 7;
    size_t n = append_text(text, ">x\n"), small = 0, line = 0;
    for (size_t i = 0; i < BASES;) {
        int kind = rand_r(&seed) % 8 < 6 ? rand_r(&seed) % 2 : 2;
        size_t end = i + 1 + (size_t)rand_r(&seed) % 200;
        for (end = end < BASES ? end : BASES; i < end; i++) {
            int letter = rand_r(&seed) % 4;
            text[n++] = kinds[kind][letter];
            codes[i] = kind == 2 ? BASE_N : (char)letter;
            small += kind == 1;
            if (++line == LINE_MOST || rand_r(&seed) % 80 == 0) {
                n += append_text(text + n, line % 2 ? "\n" : "\r\n");
                line = 0;
            }
        }
    }
    ck_assert_uint_lt(n, ROOM);
    struct sequences s = must_read(write_bytes("a.fa", text, n));
    ck_assert_uint_eq(s.positions, BASES);
    for (uint64_t p = 0; p < BASES; p++)
        if (sequences_code(&s, p) != (unsigned)codes[p])
            ck_abort_msg("position %llu: code %u", (unsigned long long)p, sequences_code(&s, p));
    ck_assert_uint_eq(mask_count(&s.lower_case), small);
    sequences_destroy(&s);
    free(text);
    free(codes);
}
END_TEST

/* A letter of any kind at any place of a line, which has letters of one case else: bases are packed by words, of
 * which it is the first, the last or one between, and those that end the line have fewer. */
START_TEST(test_any_letter_at_any_place)
{
    enum { LONGEST = 3 * BASES_PER_WORD + 1 };
    static const char codes[] = "ACGTRYMKWSBDHVN";
    unsigned seed = 3;
    for (unsigned letter = 1; letter < 256; letter++) {
        const size_t length = 1 + letter % LONGEST, odd = (size_t)rand_r(&seed) % length;
        const bool lower = letter % 2;
        char text[LONGEST + 8], expected[LONGEST + 2];
        size_t n = append_text(text, ">x\nA");
        expected[0] = 'A'; /* so that no line of letters begins as a header does */
        for (size_t i = 0; i < length; i++) {
            expected[i + 1] = "ACGT"[rand_r(&seed) % 4];
            text[n++] = (char)(lower ? tolower(expected[i + 1]) : expected[i + 1]);
        }
        text[n - length + odd] = (char)letter;
        text[n++] = '\n';
        expected[length + 1] = '\0';
        const int upper = letter < 128 ? toupper((int)letter) : 0;
        const char *path = write_bytes("a.fa", text, n), *place = upper ? strchr(codes, upper) : NULL;
        if (place || upper == 'U' || upper == 'X') {
            expected[odd + 1] = (char)(upper == 'U' ? 'T' : upper == 'X' ? 'N' : upper);
            struct sequences s = must_read(path);
            check_codes(&s, expected);
            ck_assert_uint_eq(mask_count(&s.lower_case),
                              (lower ? length - 1 : 0) + (size_t)(islower((int)letter) != 0));
            sequences_destroy(&s);
        } else if (!strchr(" \t\r\n", (int)letter)) {
            check_text_refused(text, n, SEQUENCE_EFORMAT, "a.fa:2: ", "is no DNA base");
        }
    }
}
END_TEST

static char complement_of(char letter)
{
    static const char from[] = "ACGTRYMKWSBDHVN|", to[] = "TGCAYRKMWSVHDBN|";
    return to[strchr(from, letter) - from];
}

START_TEST(test_minus_strand_is_the_reverse_complement)
{
    static const char stored[] = "ACGTRACCGT|GG|TTTBDHVNYMKWSACG";
    enum { LENGTH = sizeof stored - 1 };
    struct sequences s = must_read_text(">a\nACGTRACCGT\n>b\nGG\n>c\nTTTBDHVNYMKWSACG\n");
    check_codes(&s, stored);
    for (uint64_t begin = 0; begin <= LENGTH; begin++) {
        for (uint64_t length = 0; begin + length <= LENGTH; length++) {
            uint8_t plus[LENGTH + 1], minus[LENGTH + 1];
            memset(plus, 77, sizeof plus);
            memset(minus, 77, sizeof minus);
            sequences_unpack(&s, STRAND_PLUS, begin, length, plus);
            sequences_unpack(&s, STRAND_MINUS, begin, length, minus);
            for (uint64_t i = 0; i < length; i++) {
                ck_assert_int_eq("ACGTRYMKWSBDHVN|"[plus[i]], stored[begin + i]);
                ck_assert_int_eq("ACGTRYMKWSBDHVN|"[minus[i]], complement_of(stored[LENGTH - 1 - begin - i]));
            }
            ck_assert_uint_eq(plus[length], 77); /* nothing past the end */
            ck_assert_uint_eq(minus[length], 77);
        }
    }
    sequences_destroy(&s);
}
END_TEST

/* Records of 1, 2, .. bases: every position against a walk over all records. */
START_TEST(test_record_at_every_position)
{
    char text[2000] = "";
    size_t n = 0, count = (size_t)_i;
    for (size_t record = 0; record < count; record++)
        n += (size_t)sprintf(text + n, ">r%zu\n%.*s\n", record, (int)(record % 5 + 1), "ACGTA");
    struct sequences s = must_read_text(text);
    ck_assert_uint_eq(s.record_count, count);
    uint64_t position = 0;
    for (size_t record = 0; record < count; record++)
        for (uint64_t i = 0; i <= record % 5 + 1; i++) /* its bases, and the separator after them */
            if (position < s.positions)
                ck_assert_uint_eq(sequences_record_at(&s, position++), record);
    ck_assert_uint_eq(position, s.positions);
    sequences_destroy(&s);
}
END_TEST

/* --- core: compressed files ------------------------------------------------------------------------------ */

START_TEST(test_plain_gzip_and_bgzf_read_alike)
{
    size_t length;
    char *text = random_fasta(">long one\n", DEEP, 3, &length);
    struct sequences plain = must_read(write_bytes("a.fa", text, length));
    struct sequences gzip = must_read(write_compressed("a.gz", "wg", text, length));
    struct sequences bgzf = must_read(write_compressed("b.gz", "w", text, length));
    ck_assert_uint_eq(plain.bases, DEEP);
    check_equal(&plain, &gzip);
    check_equal(&plain, &bgzf);
    sequences_destroy(&plain);
    sequences_destroy(&gzip);
    sequences_destroy(&bgzf);
    free(text);
}
END_TEST

static const char *const member_modes[][2] = {{"wg", "wg"}, {"w", "w"}, {"wg", "w"}, {"w", "wg"}};

/* gzip allows concatenation; a BGZF end mark may then stand in the middle and must not end the reading. */
START_TEST(test_concatenated_members_are_all_read)
{
    size_t first_length, second_length;
    char *first = random_fasta(">first\n", DEEP, 5, &first_length);
    char *second = random_fasta(">second\n", DEEP / 2, 6, &second_length);
    const char *one = write_compressed("a.gz", member_modes[_i][0], first, first_length);
    const char *other = write_compressed("b.gz", member_modes[_i][1], second, second_length);
    struct sequences s = must_read(join_files("cut.gz", one, other));
    ck_assert_uint_eq(s.record_count, 2);
    check_record(&s, 0, "first", 0, DEEP);
    check_record(&s, 1, "second", DEEP + 1, DEEP / 2);
    one = write_bytes("a.gz", first, first_length);
    other = write_bytes("b.gz", second, second_length);
    struct sequences plain = must_read(join_files("a.fa", one, other));
    check_equal(&plain, &s);
    sequences_destroy(&s);
    sequences_destroy(&plain);
    free(first);
    free(second);
}
END_TEST

static const char *const tools[] = {"gzip", "bgzip"};

START_TEST(test_what_the_tools_write_reads_like_plain)
{
    if (!tool_exists(tools[_i]))
        return;
    size_t length;
    char *text = random_fasta(">x\n", DEEP, 8, &length);
    const char *plain_path = write_bytes("a.fa", text, length);
    char command[1400];
    snprintf(command, sizeof command, "%s -c '%s' > '%s'", tools[_i], plain_path, in_directory("a.gz"));
    ck_assert_int_eq(system(command), 0);
    struct sequences plain = must_read(plain_path), packed = must_read(in_directory("a.gz"));
    check_equal(&plain, &packed);
    sequences_destroy(&plain);
    sequences_destroy(&packed);
    free(text);
}
END_TEST

/* --- core: standard input -------------------------------------------------------------------------------- */

static void redirect_standard_input(const char *path)
{
    ck_assert_ptr_nonnull(freopen(path, "rb", stdin));
    ck_assert_int_eq(fileno(stdin), STDIN_FILENO);
}

/* A child writes the bytes into a pipe whose other end becomes standard input. */
static pid_t pipe_to_standard_input(const void *bytes, size_t length)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        close(ends[0]);
        for (size_t done = 0; done < length;) {
            ssize_t n = write(ends[1], (const char *)bytes + done, length - done);
            if (n <= 0)
                break;
            done += (size_t)n;
        }
        _exit(0);
    }
    close(ends[1]);
    ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    return child;
}

static const char *const stream_modes[] = {"wu", "wg", "w"}; /* plain, gzip, BGZF */

START_TEST(test_dash_reads_a_file_on_standard_input)
{
    size_t length;
    char *text = random_fasta(">in\n", DEEP, 9, &length);
    const char *path = write_compressed("a.gz", stream_modes[_i], text, length);
    struct sequences named = must_read(path);
    redirect_standard_input(path);
    struct sequences s = must_read("-");
    check_record(&s, 0, "in", 0, DEEP);
    check_equal(&named, &s);
    sequences_destroy(&named);
    sequences_destroy(&s);
    free(text);
}
END_TEST

START_TEST(test_dash_reads_a_pipe)
{
    size_t length, packed_length;
    char *text = random_fasta(">in\n", DEEP, 9, &length);
    unsigned char *packed =
        read_bytes(write_compressed("a.gz", stream_modes[_i], text, length), &packed_length);
    pid_t writer = pipe_to_standard_input(packed, packed_length);
    struct sequences s = must_read("-");
    ck_assert_int_eq(waitpid(writer, NULL, 0), writer);
    check_record(&s, 0, "in", 0, DEEP);
    sequences_destroy(&s);
    free(packed);
    free(text);
}
END_TEST

/* --- limits ---------------------------------------------------------------------------------------------- */

/* One record of 1 .. 50 bases: the borders of the words. */
START_TEST(test_last_word_is_filled_with_separators)
{
    char text[100], expected[60];
    for (int i = 0; i < _i; i++)
        expected[i] = "ACGT"[i % 4];
    expected[_i] = '\0';
    snprintf(text, sizeof text, ">x\n%s\n", expected);
    struct sequences s = must_read_text(text);
    check_codes(&s, expected);
    sequences_destroy(&s);
}
END_TEST

START_TEST(test_one_line_of_a_million_bases)
{
    enum { MILLION = 1000000 };
    char *text = malloc(MILLION + 10);
    ck_assert_ptr_nonnull(text);
    memcpy(text, ">x\n", 3);
    for (size_t i = 0; i < MILLION; i++)
        text[3 + i] = "ACGTN"[i % 5];
    text[3 + MILLION] = '\n';
    struct sequences s = must_read(write_bytes("a.fa", text, MILLION + 4));
    ck_assert_uint_eq(s.bases, MILLION);
    ck_assert_uint_eq(s.ambiguous, MILLION / 5);
    for (uint64_t p = 0; p < MILLION; p++)
        if (sequences_code(&s, p) != (p % 5 == 4 ? BASE_N : p % 5))
            ck_abort_msg("position %llu: code %u", (unsigned long long)p, sequences_code(&s, p));
    sequences_destroy(&s);
    text[3 + MILLION - 1] = '!';
    check_text_refused(text, MILLION + 4, SEQUENCE_EFORMAT, "a.fa:2: ", "column 1000000:");
    free(text);
}
END_TEST

START_TEST(test_a_name_of_a_hundred_thousand_letters)
{
    enum { LETTERS = 100000 };
    char *text = malloc(LETTERS + 10), *name = malloc(LETTERS + 1);
    ck_assert(text && name);
    memset(name, 'n', LETTERS);
    name[LETTERS] = '\0';
    sprintf(text, ">%s\nAC\n", name);
    struct sequences s = must_read_text(text);
    check_record(&s, 0, name, 0, 2);
    sequences_destroy(&s);
    sprintf(text, ">%s\n", name);
    check_text_refused(text, strlen(text), SEQUENCE_EEMPTY, "a.fa:1: ", "nnn");
    free(text);
    free(name);
}
END_TEST

START_TEST(test_ten_thousand_records)
{
    enum { RECORDS = 10000 };
    char *text = malloc(RECORDS * 12);
    ck_assert_ptr_nonnull(text);
    size_t n = 0;
    for (int i = 0; i < RECORDS; i++)
        n += (size_t)sprintf(text + n, ">%d\nACG\n", i);
    struct sequences s = must_read(write_bytes("a.fa", text, n));
    ck_assert_uint_eq(s.record_count, RECORDS);
    ck_assert_uint_eq(s.positions, 4 * RECORDS - 1);
    for (uint64_t i = 0; i < RECORDS; i++) {
        ck_assert_uint_eq(s.records[i].begin, 4 * i);
        ck_assert_uint_eq(sequences_record_at(&s, 4 * i), i);
        ck_assert_uint_eq(sequences_record_at(&s, 4 * i + 2), i);
    }
    sequences_destroy(&s);
    free(text);
}
END_TEST

START_TEST(test_a_record_may_be_ambiguous_throughout)
{
    struct sequences s = must_read_text(">n\nNNNN\n");
    check_codes(&s, "NNNN");
    ck_assert_uint_eq(s.ambiguous, 4);
    sequences_destroy(&s);
}
END_TEST

/* --- errors ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    int code;
    const char *place; /* file, and line where there is one */
    const char *hint;
} refused[] = {
    {"", SEQUENCE_EEMPTY, "a.fa: ", "empty"},
    {"\n \n\r\n", SEQUENCE_EEMPTY, "a.fa: ", "empty"},
    {">only\n", SEQUENCE_EEMPTY, "a.fa:1: ", "'only'"},
    {">only", SEQUENCE_EEMPTY, "a.fa:1: ", "'only'"},
    {">only\n\n \n", SEQUENCE_EEMPTY, "a.fa:", "'only'"},
    {">a\nAC\n>middle\n\n>c\nA\n", SEQUENCE_EEMPTY, "a.fa:5: ", "'middle'"},
    {">first\n>c\nA\n", SEQUENCE_EEMPTY, "a.fa:2: ", "'first'"},
    {">a\nACGT\n>last\n", SEQUENCE_EEMPTY, "a.fa:3: ", "'last'"},
    {">a\rACGT\r>b\rACGT\r", SEQUENCE_EFORMAT, "a.fa:1: ", "lines end in CR alone"},
    {">a\n\357\273\277ACGT\n", SEQUENCE_EFORMAT, "a.fa:2: ", "byte 0xef"},
    {"ACGTACGT\n", SEQUENCE_EFORMAT, "a.fa:1: ", "'>'"},
    {"\n\nACGTACGT\n>late\nA\n", SEQUENCE_EFORMAT, "a.fa:3: ", "'>'"},
    {";comment\n>a\nA\n", SEQUENCE_EFORMAT, "a.fa:1: ", "'>'"},
    {" >a\nACGT\n", SEQUENCE_EFORMAT, "a.fa:1: ", "'>'"},
    {"@read/1\nACGT\n+\nIIII\n", SEQUENCE_EFORMAT, "a.fa:1: ", "FASTQ"},
    {">p\nACGT\nMKVLEAGR\n", SEQUENCE_EFORMAT, "a.fa:3: ", "column 4: 'L'"},
    {">p\r\nMKVLEAGR\r\n", SEQUENCE_EFORMAT, "a.fa:2: ", "protein"},
    {">p\nACG*\n", SEQUENCE_EFORMAT, "a.fa:2: ", "column 4: '*'"},
    {">g\nAC-GT\n", SEQUENCE_EFORMAT, "a.fa:2: ", "column 3: '-'"},
    {">g\nACGT>x\nACGT\n", SEQUENCE_EFORMAT, "a.fa:2: ", "column 5: '>'"},
    {">g\n1 ACGT\n", SEQUENCE_EFORMAT, "a.fa:2: ", "column 1: '1'"},
    {">g\nAC\303\251\n", SEQUENCE_EFORMAT, "a.fa:2: ", "column 3: byte 0xc3"},
    {">g\nAC\177\n", SEQUENCE_EFORMAT, "a.fa:2: ", "column 3: byte 0x7f"},
};

START_TEST(test_bad_text_is_refused_with_file_and_line)
{
    check_text_refused(refused[_i].text, strlen(refused[_i].text), refused[_i].code, refused[_i].place,
                       refused[_i].hint);
}
END_TEST

enum { ROWS = 1000, ROW = 60, ROOM_OF_ROWS = ROWS * (ROW + 2) + 100 };

/* One record of ROWS lines of ROW bases, of which line 0 is the header. @return its length */
static size_t write_rows(char *text, const char *end)
{
    size_t n = (size_t)sprintf(text, ">x%s", end);
    for (size_t i = 0; i < ROWS * ROW; i++) {
        text[n++] = "ACGT"[i / 3 % 4];
        if (i % ROW == ROW - 1)
            n += (size_t)sprintf(text + n, "%s", end);
    }
    return n;
}

/* Where a row's letter lies in the text. */
static size_t place_of(size_t row, size_t column, const char *end)
{
    return 2 + strlen(end) + row * (ROW + strlen(end)) + column;
}

static const char *const row_ends[] = {"\n", "\r\n"};

/* Lines are read many at once: whichever has a bad letter is named, with its column; also after a shorter line. */
START_TEST(test_a_bad_letter_is_found_among_many_lines)
{
    static char text[ROOM_OF_ROWS];
    static const unsigned char letters[] = {'!', '>', '\0', 'E', 0xff};
    const char *end = row_ends[_i];
    for (unsigned row = 0; row < ROWS; row += 1 + row / 4)
        for (unsigned column = 0; column < ROW; column += column == 0 || column == ROW - 2 ? 1 : ROW - 3) {
            char place[40], where[40];
            const unsigned char letter = letters[(row + column) % COUNT_OF(letters)];
            size_t n = write_rows(text, end);
            text[place_of(row, column, end)] = (char)letter;
            if (letter == '>' && column == 0)
                continue; /* a header */
            snprintf(place, sizeof place, "a.fa:%u: ", row + 2);
            snprintf(where, sizeof where, "column %u: ", column + 1);
            check_text_refused(text, n, SEQUENCE_EFORMAT, place, where);
            if (row == 0)
                continue;
            text[place_of(row - 1, 9, end)] = '\n'; /* the line before becomes two */
            snprintf(place, sizeof place, "a.fa:%u: ", row + 3);
            check_text_refused(text, n, SEQUENCE_EFORMAT, place, where);
        }
}
END_TEST

/* Among lines of one length, one byte more or less, an empty line, white space, or another record. */
START_TEST(test_what_stands_among_many_lines)
{
    static char text[ROOM_OF_ROWS], expected[ROWS * ROW + 1];
    static const struct {
        const char *instead, *bases; /* of the first five letters of a row */
    } changes[] = {{"ACGTA", "ACGTA"}, {"A\nGTA", "AGTA"}, {"\nCGTA", "CGTA"}, {"\n\n\n\n\n", ""},
                   {"\t A A", "AA"},   {"AC\r\nA", "ACA"}, {">y\nAC", "|AC"},  {"nNuaU", "NNTAT"},
                   {"\r\nAC\n", "AC"}, {" \r \nA", "A"}};
    for (size_t row = 1; row < ROWS; row += 1 + row / 3) {
        const char *end = row_ends[row % 2], *bases = changes[_i].bases;
        size_t n = write_rows(text, end), before = row * ROW, after = ROWS * ROW - before - 5;
        for (size_t i = 0; i < before; i++)
            expected[i] = "ACGT"[i / 3 % 4];
        memcpy(expected + before, bases, strlen(bases));
        for (size_t i = 0; i < after; i++)
            expected[before + strlen(bases) + i] = "ACGT"[(before + 5 + i) / 3 % 4];
        expected[before + strlen(bases) + after] = '\0';
        memcpy(text + place_of(row, 0, end), changes[_i].instead, 5);
        struct sequences s = must_read(write_bytes("a.fa", text, n));
        check_codes(&s, expected);
        ck_assert_uint_eq(s.digest, digest_of(&s));
        ck_assert_uint_eq(s.ambiguous, strchr(bases, 'N') ? 2 : 0);
        ck_assert_uint_eq(mask_count(&s.lower_case), strchr(bases, 'N') ? 3 : 0); /* n, u and a */
        sequences_destroy(&s);
    }
}
END_TEST

START_TEST(test_zero_bytes_are_refused)
{
    check_text_refused(">x\nAC\0GT\n", 9, SEQUENCE_EFORMAT, "a.fa:2: ", "column 3: byte 0x00");
    check_text_refused(">x\nACGT\n\0\0\0\n", 12, SEQUENCE_EFORMAT, "a.fa:3: ", "column 1: byte 0x00");
    check_text_refused("\0\0\0\0\n", 5, SEQUENCE_EFORMAT, "a.fa:1: ", "'>'");
}
END_TEST

START_TEST(test_binary_junk_is_refused)
{
    unsigned char junk[4096];
    for (unsigned seed = 1; seed <= 20; seed++) {
        unsigned state = seed;
        for (size_t i = 0; i < sizeof junk; i++)
            junk[i] = (unsigned char)(rand_r(&state) >> 7);
        check_refused(write_bytes("a.fa", junk, sizeof junk), SEQUENCE_EFORMAT, "a.fa:", "");
        memcpy(junk, ">x\n", 3);
        check_refused(write_bytes("a.fa", junk, sizeof junk), SEQUENCE_EFORMAT, "a.fa:", "");
    }
}
END_TEST

START_TEST(test_files_that_cannot_be_opened)
{
    check_refused(in_directory("missing.fa"), SEQUENCE_EOPEN, "missing.fa: ", strerror(ENOENT));
    check_refused(in_directory("missing/a.fa"), SEQUENCE_EOPEN, "missing/a.fa: ", strerror(ENOENT));
    check_refused("", SEQUENCE_EOPEN, ": ", strerror(ENOENT));
    ck_assert_int_eq(mkdir(in_directory("sub"), 0700), 0);
    check_refused(in_directory("sub"), SEQUENCE_EOPEN, "sub: ", "directory");
}
END_TEST

START_TEST(test_file_without_permission)
{
    const char *path = write_text(">a\nA\n");
    if (geteuid() == 0) {
        printf("running as root: permission not checked\n");
        return;
    }
    ck_assert_int_eq(chmod(path, 0), 0);
    check_refused(path, SEQUENCE_EOPEN, "a.fa: ", strerror(EACCES));
    remove(path);
}
END_TEST

START_TEST(test_empty_compressed_files_are_refused)
{
    check_refused(write_compressed("a.gz", "wg", "", 0), SEQUENCE_EEMPTY, "a.gz: ", "empty");
    check_refused(write_compressed("a.gz", "w", "", 0), SEQUENCE_EEMPTY, "a.gz: ", "empty");
}
END_TEST

START_TEST(test_lines_of_compressed_files_are_counted)
{
    static const char text[] = ">a\nACGT\nAC!GT\n";
    check_refused(write_compressed("a.gz", "wg", text, sizeof text - 1), SEQUENCE_EFORMAT,
                  "a.gz:3: ", "column 3:");
    check_refused(write_compressed("a.gz", "w", text, sizeof text - 1), SEQUENCE_EFORMAT,
                  "a.gz:3: ", "column 3:");
}
END_TEST

static void check_cut_refused(const unsigned char *bytes, size_t length)
{
    struct sequences s;
    const char *path = write_bytes("cut.gz", bytes, length);
    why.line[0] = '\0';
    ck_assert_msg(read_both_ways(path, &s, &why) < 0, "cut after %zu bytes, read without complaint", length);
    ck_assert_ptr_nonnull(strstr(why.line, "cut.gz"));
}

/* Cut anywhere: densely at both ends (headers, end mark, check sums), sparsely between. */
static void check_every_cut_refused(const char *mode)
{
    size_t text_length, length;
    char *text = random_fasta(">cut\n", DEEP, 10, &text_length);
    unsigned char *bytes = read_bytes(write_compressed("a.gz", mode, text, text_length), &length);
    for (size_t cut = 0; cut < length; cut += cut < 40 || length - cut < 60 ? 1 : 997)
        check_cut_refused(bytes, cut);
    free(bytes);
    free(text);
}

START_TEST(test_truncated_gzip_is_refused_wherever_it_is_cut)
{
    check_every_cut_refused("wg");
}
END_TEST

START_TEST(test_truncated_bgzf_is_refused_wherever_it_is_cut)
{
    check_every_cut_refused("w");
}
END_TEST

/* A BGZF block's header holds its length - 1 in bytes 16 and 17: where the blocks end. */
static size_t next_block(const unsigned char *bytes, size_t begin)
{
    return begin + bytes[begin + 16] + 256u * bytes[begin + 17] + 1;
}

START_TEST(test_bgzf_cut_between_two_blocks_is_refused)
{
    size_t text_length, length, blocks = 0;
    char *text = random_fasta(">cut\n", DEEP, 11, &text_length);
    unsigned char *bytes = read_bytes(write_compressed("a.gz", "w", text, text_length), &length);
    for (size_t cut = next_block(bytes, 0); cut < length; cut = next_block(bytes, cut), blocks++)
        check_cut_refused(bytes, cut);
    ck_assert_uint_ge(blocks, 3);
    free(bytes);
    free(text);
}
END_TEST

/* Through a pipe, where nobody can look for the end mark beforehand. Loop index = blocks that are
 * left. */
START_TEST(test_bgzf_cut_between_two_blocks_is_refused_from_a_pipe)
{
    size_t text_length, length, cut = 0;
    char *text = random_fasta(">cut\n", DEEP, 11, &text_length);
    unsigned char *bytes = read_bytes(write_compressed("a.gz", "w", text, text_length), &length);
    for (int block = 0; block < _i; block++)
        cut = next_block(bytes, cut);
    ck_assert_uint_lt(cut, length);
    pid_t writer = pipe_to_standard_input(bytes, cut);
    check_refused("-", SEQUENCE_EREAD, "standard input", "truncated");
    ck_assert_int_eq(waitpid(writer, NULL, 0), writer);
    free(bytes);
    free(text);
}
END_TEST

START_TEST(test_truncated_gzip_from_a_pipe_is_refused)
{
    size_t text_length, length;
    char *text = random_fasta(">cut\n", DEEP, 12, &text_length);
    unsigned char *bytes =
        read_bytes(write_compressed("a.gz", _i == 0 ? "wg" : "w", text, text_length), &length);
    pid_t writer = pipe_to_standard_input(bytes, length / 2);
    check_refused("-", SEQUENCE_EREAD, "standard input", "truncated");
    ck_assert_int_eq(waitpid(writer, NULL, 0), writer);
    free(bytes);
    free(text);
}
END_TEST

/* A flipped bit in the deflated data or in a check sum. */
START_TEST(test_damaged_compressed_data_is_refused)
{
    size_t text_length, length;
    char *text = random_fasta(">damaged\n", DEEP, 13, &text_length);
    unsigned char *bytes =
        read_bytes(write_compressed("a.gz", _i == 0 ? "wg" : "w", text, text_length), &length);
    size_t body_end = _i == 0 ? length : length - 28; /* without the BGZF end mark */
    for (size_t at = 100; at < body_end; at += 5003) {
        bytes[at] ^= 0x10;
        check_refused(write_bytes("cut.gz", bytes, length), SEQUENCE_EREAD, "cut.gz:", "damaged");
        bytes[at] ^= 0x10;
    }
    bytes[body_end - 6] ^= 1; /* the check sum is the last but 4 bytes */
    check_refused(write_bytes("cut.gz", bytes, length), SEQUENCE_EREAD, "cut.gz:", "damaged");
    free(bytes);
    free(text);
}
END_TEST

START_TEST(test_bad_line_on_standard_input_is_named)
{
    redirect_standard_input(write_text(">a\nACGT\n!\n"));
    check_refused("-", SEQUENCE_EFORMAT, "standard input:3: ", "column 1:");
}
END_TEST

/* --- suite ----------------------------------------------------------------------------------------------- */

static TCase *new_tcase(Suite *suite, const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, 30);
    suite_add_tcase(suite, tcase);
    return tcase;
}

static void add_core_tests(TCase *core)
{
    tcase_add_test(core, test_several_files_are_as_one);
    tcase_add_test(core, test_records_follow_each_other_with_one_separator);
    tcase_add_loop_test(core, test_spelling_makes_no_difference, 0, COUNT_OF(spellings));
    tcase_add_test(core, test_ambiguity_codes_are_counted_and_stored);
    tcase_add_test(core, test_names_end_at_white_space);
    tcase_add_test(core, test_tabs_of_a_header_become_spaces);
    tcase_add_test(core, test_a_record_without_a_name_gets_one);
    tcase_add_test(core, test_digest_tells_contents_apart);
    tcase_add_test(core, test_digest_is_that_of_names_then_words);
    tcase_add_loop_test(core, test_random_records_are_stored_base_by_base, 0, 20);
    tcase_add_test(core, test_runs_of_letters_are_stored_base_by_base);
    tcase_add_test(core, test_any_letter_at_any_place);
    tcase_add_test(core, test_minus_strand_is_the_reverse_complement);
    tcase_add_loop_test(core, test_record_at_every_position, 1, 12);
    tcase_add_test(core, test_plain_gzip_and_bgzf_read_alike);
    tcase_add_loop_test(core, test_concatenated_members_are_all_read, 0, COUNT_OF(member_modes));
    tcase_add_loop_test(core, test_what_the_tools_write_reads_like_plain, 0, COUNT_OF(tools));
    tcase_add_loop_test(core, test_dash_reads_a_file_on_standard_input, 0, COUNT_OF(stream_modes));
    tcase_add_loop_test(core, test_dash_reads_a_pipe, 0, COUNT_OF(stream_modes));
}

static void add_limit_tests(TCase *limits)
{
    tcase_add_loop_test(limits, test_last_word_is_filled_with_separators, 1, 50);
    tcase_add_test(limits, test_one_line_of_a_million_bases);
    tcase_add_test(limits, test_a_name_of_a_hundred_thousand_letters);
    tcase_add_test(limits, test_ten_thousand_records);
    tcase_add_test(limits, test_a_record_may_be_ambiguous_throughout);
}

static void add_error_tests(TCase *errors)
{
    tcase_add_loop_test(errors, test_bad_text_is_refused_with_file_and_line, 0, COUNT_OF(refused));
    tcase_add_loop_test(errors, test_a_bad_letter_is_found_among_many_lines, 0, COUNT_OF(row_ends));
    tcase_add_loop_test(errors, test_what_stands_among_many_lines, 0, 10);
    tcase_add_test(errors, test_zero_bytes_are_refused);
    tcase_add_test(errors, test_binary_junk_is_refused);
    tcase_add_test(errors, test_files_that_cannot_be_opened);
    tcase_add_test(errors, test_file_without_permission);
    tcase_add_test(errors, test_empty_compressed_files_are_refused);
    tcase_add_test(errors, test_lines_of_compressed_files_are_counted);
    tcase_add_test(errors, test_truncated_gzip_is_refused_wherever_it_is_cut);
    tcase_add_test(errors, test_truncated_bgzf_is_refused_wherever_it_is_cut);
    tcase_add_test(errors, test_bgzf_cut_between_two_blocks_is_refused);
    tcase_add_loop_test(errors, test_bgzf_cut_between_two_blocks_is_refused_from_a_pipe, 1, 4);
    tcase_add_loop_test(errors, test_truncated_gzip_from_a_pipe_is_refused, 0, 2);
    tcase_add_loop_test(errors, test_damaged_compressed_data_is_refused, 0, 2);
    tcase_add_test(errors, test_bad_line_on_standard_input_is_named);
    tcase_add_test(errors, test_the_file_at_fault_is_named);
    tcase_add_loop_test(errors, test_other_compression_is_named, 0, COUNT_OF(archives));
}

static Suite *sequence_suite(void)
{
    Suite *suite = suite_create("sequence");
    add_core_tests(new_tcase(suite, "core"));
    add_limit_tests(new_tcase(suite, "limits"));
    add_error_tests(new_tcase(suite, "errors"));
    return suite;
}

int main(void)
{
    if (!make_directory()) {
        perror(directory);
        return EXIT_FAILURE;
    }
    int status = run_suite(sequence_suite());
    remove_directory();
    return status;
}
