/* test_tabular.c - does a table read as blastn's? */
#include "blast/write/columns.h"
#include "blast/write/format.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/run_suite.h"

static struct sequence_record query_records[] = {{"q1", 0, 100}, {"q2", 101, 50}};
static struct sequence_record database_records[] = {{"s1", 0, 1000}, {"s2", 1001, 500}};
static const struct sequences QUERY = {
    .records = query_records, .record_count = 2, .positions = 151, .bases = 150};
static const struct sequences DATABASE = {
    .records = database_records, .record_count = 2, .positions = 1501, .bases = 1500};
static const struct scoring_statistics STATISTICS = {.units = 1};
static const struct reported_search SEARCH = {&QUERY, &DATABASE, "db", "1.2", &STATISTICS};

/* Plus: q2 bases 11-30. Minus: strand positions 0-20 of q2 (the reverse complement starts with it), bases
 * 31-50. */
static struct alignment plus = {.query_begin = 111,
                                .query_end = 131,
                                .database_begin = 1001,
                                .database_end = 1022,
                                .columns = 21,
                                .identities = 19,
                                .mismatches = 1,
                                .gaps = 1,
                                .gap_openings = 1,
                                .query_record = 1,
                                .database_record = 1,
                                .strand = STRAND_PLUS,
                                .bits = 81.84,
                                .e_value = 2.756e-100};
static struct alignment minus = {.query_begin = 0,
                                 .query_end = 20,
                                 .database_begin = 4,
                                 .database_end = 24,
                                 .columns = 20,
                                 .identities = 20,
                                 .query_record = 1,
                                 .database_record = 0,
                                 .strand = STRAND_MINUS,
                                 .bits = 613.9,
                                 .e_value = 0.0};

static char *print(const struct alignment_format *format, size_t count)
{
    struct columns columns = columns_standard();
    struct reported_search search = SEARCH;
    struct alignment items[2] = {plus, minus};
    struct alignment_list list = {.items = items, .count = count};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(file);
    search.columns = &columns;
    ck_assert_int_eq(format->write(format, file, &search, &list), 0);
    fclose(file);
    return text;
}

START_TEST(test_rows_of_both_strands)
{
    char *text = print(&format_tabular, 2);
    ck_assert_str_eq(text, "q2\ts2\t90.476\t21\t1\t1\t11\t30\t1\t21\t2.76e-100\t81.8\n"
                           "q2\ts1\t100.000\t20\t0\t0\t31\t50\t24\t5\t0.0\t613\n");
    free(text);
}
END_TEST

START_TEST(test_comments_also_for_a_query_without_hits)
{
    char *text = print(&format_commented, 1);
    const char *expected =
        "# MERCURY 1.2\n# Query: q1\n# Database: db\n# 0 hits found\n"
        "# MERCURY 1.2\n# Query: q2\n# Database: db\n"
        "# Fields: query acc.ver, subject acc.ver, % identity, alignment length, mismatches, gap opens, q. "
        "start, "
        "q. end, s. start, s. end, evalue, bit score\n# 1 hits found\n"
        "q2\ts2\t90.476\t21\t1\t1\t11\t30\t1\t21\t2.76e-100\t81.8\n# BLAST processed 2 queries\n";
    ck_assert_str_eq(text, expected);
    free(text);
}
END_TEST

static const struct {
    double value;
    const char *text;
} E_VALUES[] = {
    {0.0, "0.0"},
    {9.9e-181, "0.0"},
    {2.75e-180, "2.75e-180"},
    {3.29e-178, "3.29e-178"},
    {1.32e-79, "1.32e-79"},
    {5.85e-4, "5.85e-04"},
    {0.0009, "0.001"},
    {0.05, "0.050"},
    {0.5, "0.50"},
    {5.0, "5.0"},
    {12.4, "12"},
    {1234.6, "1235"},
};

START_TEST(test_e_values_are_written_as_blastn_does)
{
    char text[PRINTED_SCORE_BYTES];
    printed_e_value(E_VALUES[_i].value, text);
    ck_assert_str_eq(text, E_VALUES[_i].text);
}
END_TEST

static const struct {
    double value;
    const char *text;
} BITS[] = {
    {9.96, "10.0"}, {52.04, "52.0"},    {99.9, "99.9"},           {100.0, "100"},
    {613.9, "613"}, {19605.7, "19605"}, {9791234.0, "9.791e+06"},
};

START_TEST(test_bits_are_written_as_blastn_does)
{
    char text[PRINTED_SCORE_BYTES];
    printed_bits(BITS[_i].value, text);
    ck_assert_str_eq(text, BITS[_i].text);
}
END_TEST

START_TEST(test_full_device_is_an_error)
{
    struct alignment items[1] = {plus};
    struct alignment_list list = {.items = items, .count = 1};
    struct columns columns = columns_standard();
    struct reported_search search = SEARCH;
    search.columns = &columns;
    FILE *file = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(format_tabular.write(&format_tabular, file, &search, &list), WRITE_EFILE);
    fclose(file);
    file = fopen("/dev/full", "w");
    ck_assert_int_eq(format_commented.write(&format_commented, file, &search, &list), WRITE_EFILE);
    fclose(file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tabular");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits"), *errors = tcase_create("errors");
    tcase_add_test(core, test_rows_of_both_strands);
    tcase_add_test(core, test_comments_also_for_a_query_without_hits);
    tcase_add_loop_test(limits, test_e_values_are_written_as_blastn_does, 0, COUNT_OF(E_VALUES));
    tcase_add_loop_test(limits, test_bits_are_written_as_blastn_does, 0, COUNT_OF(BITS));
    tcase_add_test(errors, test_full_device_is_an_error);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
