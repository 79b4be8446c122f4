/* test_sequence_cut.c - cutting a range out of every record gives what a file of the cut records has: words, records,
 * counts and lower case, beside the numbers of bases that were cut off.
 */
#include "blast/sequence/fasta.h"
#include "blast/sequence/sequence_cut.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/run_suite.h"

enum { RECORDS = 5, BASES_MAX = 120, RANGES = 300 };

static const char path[] = "test_sequence_cut.fa";
static char letters[RECORDS][BASES_MAX + 1];

static size_t below(unsigned *seed, size_t limit)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed / 65536u % limit;
}

/* Records of 1 to 120 bases, in which stretches are in lower case. */
static void make_records(unsigned *seed)
{
    for (int i = 0; i < RECORDS; i++) {
        size_t bases = 1 + below(seed, BASES_MAX);
        bool lower = false;
        memset(letters[i], 0, sizeof letters[i]);
        for (size_t j = 0; j < bases; j++) {
            lower ^= below(seed, 8) == 0;
            letters[i][j] = (lower ? "acgtn" : "ACGTN")[below(seed, 5)];
        }
    }
}

/* Read a file of what a range leaves of the records. @return whether anything is left */
static bool read_records(struct sequence_range range, struct sequences *out)
{
    struct why why;
    size_t count = 0;
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < RECORDS; i++)
        if (strlen(letters[i]) >= range.first) {
            fprintf(file, ">record%d title\n%.*s\n", i, (int)(range.last - range.first + 1),
                    letters[i] + range.first - 1);
            count++;
        }
    ck_assert_int_eq(fclose(file), 0);
    ck_assert(count == 0 || sequences_read(path, out, &why) == 0);
    ck_assert_int_eq(unlink(path), 0);
    return count > 0;
}

static void assert_same(const struct sequences *a, const struct sequences *b)
{
    ck_assert_uint_eq(a->record_count, b->record_count);
    ck_assert_uint_eq(a->word_count, b->word_count);
    ck_assert_uint_eq(a->positions, b->positions);
    ck_assert_uint_eq(a->bases, b->bases);
    ck_assert_uint_eq(a->ambiguous, b->ambiguous);
    ck_assert_mem_eq(a->words, b->words, a->word_count * sizeof *a->words);
    ck_assert_uint_eq(a->lower_case.count, b->lower_case.count);
    for (size_t i = 0; i < a->lower_case.count; i++) {
        ck_assert_uint_eq(a->lower_case.ranges[i].begin, b->lower_case.ranges[i].begin);
        ck_assert_uint_eq(a->lower_case.ranges[i].end, b->lower_case.ranges[i].end);
    }
    for (size_t i = 0; i < a->record_count; i++) {
        ck_assert_str_eq(a->records[i].name, b->records[i].name);
        ck_assert_uint_eq(a->records[i].begin, b->records[i].begin);
        ck_assert_uint_eq(a->records[i].bases, b->records[i].bases);
    }
}

static void assert_cut_off(const struct sequences *s, struct sequence_range range)
{
    for (size_t i = 0; i < s->record_count; i++) {
        const struct sequence_record *r = &s->records[i];
        const char *whole = letters[r->name[strlen("record")] - '0'];
        ck_assert_uint_eq(r->cut_before, range.first - 1);
        ck_assert_uint_eq(sequence_record_whole(r), strlen(whole));
    }
}

START_TEST(test_cut_records_are_those_of_a_file_that_was_cut)
{
    unsigned seed = 1;
    for (int i = 0; i < RANGES; i++) {
        struct sequences cut, expected;
        struct sequence_range range = {1 + below(&seed, BASES_MAX), 0};
        range.last = range.first + below(&seed, BASES_MAX);
        make_records(&seed);
        ck_assert(read_records((struct sequence_range){1, BASES_MAX}, &cut));
        if (read_records(range, &expected)) {
            ck_assert_int_eq(sequences_cut(&cut, range), 0);
            assert_same(&cut, &expected);
            assert_cut_off(&cut, range);
            sequences_destroy(&expected);
        } else {
            const uint64_t bases = cut.bases;
            ck_assert_int_eq(sequences_cut(&cut, range), SEQUENCE_EEMPTY);
            ck_assert_uint_eq(cut.bases, bases);
        }
        sequences_destroy(&cut);
    }
}
END_TEST

START_TEST(test_ranges_are_first_hyphen_last)
{
    static const char *const wrong[] = {"",
                                        "5",
                                        "-5",
                                        "5-",
                                        "0-5",
                                        "6-5",
                                        "1-5x",
                                        " 1-5",
                                        "1 -5",
                                        "1--5",
                                        "+1-5",
                                        "1..5",
                                        "1-99999999999999999999"};
    struct sequence_range range = {7, 8};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ck_assert(!sequence_range_parse(wrong[i], &range));
    ck_assert_uint_eq(range.first, 7);
    ck_assert(sequence_range_parse("10-10", &range));
    ck_assert_uint_eq(range.first, 10);
    ck_assert_uint_eq(range.last, 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sequence_cut");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_cut_records_are_those_of_a_file_that_was_cut);
    tcase_add_test(core, test_ranges_are_first_hyphen_last);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
