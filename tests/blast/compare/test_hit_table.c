/* test_hit_table.c - reading tables of alignments: what rows mean, and what is refused with which words. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/why.h"
#include "blast/compare/hit_table.h"
#include "tests/run_suite.h"

static struct why why;

static int read_text(const char *text, struct hit_table *table)
{
    char path[] = "/tmp/test_hit_table_XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    int status = hit_table_read(path, table, &why);
    unlink(path);
    return status;
}

START_TEST(test_rows_of_both_strands)
{
    struct hit_table t;
    ck_assert_int_eq(
        read_text("# BLASTN 2.12.0+\n"
                  "# Fields: query acc.ver, subject acc.ver, % identity, alignment length, mismatches, "
                  "gap opens, q. start, q. end, s. start, s. end, evalue, bit score\n"
                  "q\ts\t99.000\t100\t1\t0\t11\t110\t201\t300\t1e-30\t150\n\n"
                  "q\ts\t99.000\t102\t1\t1\t11\t110\t302\t201\t0.0\t1.5e+05\r\n",
                  &t),
        0);
    ck_assert_uint_eq(t.count, 2);
    ck_assert_int_eq(t.hits[0].strand, STRAND_PLUS);
    ck_assert_int_eq(t.hits[0].query_begin, 10);
    ck_assert_int_eq(t.hits[0].query_end, 110);
    ck_assert_int_eq(t.hits[0].subject_begin, 200);
    ck_assert_int_eq(t.hits[0].subject_end, 300);
    ck_assert_uint_eq(t.hits[0].line, 3);
    ck_assert_int_eq(t.hits[1].strand, STRAND_MINUS);
    ck_assert_int_eq(t.hits[1].query_begin, -110);
    ck_assert_int_eq(t.hits[1].query_end, -10);
    ck_assert_int_eq(t.hits[1].subject_begin, 200);
    ck_assert_int_eq(t.hits[1].subject_end, 302);
    ck_assert_uint_eq(t.hits[1].line, 5);
    ck_assert_ptr_eq(t.hits[0].query, t.hits[1].query);
    hit_table_destroy(&t);
}
END_TEST

START_TEST(test_columns_behind_the_twelve_are_passed_over)
{
    struct hit_table t;
    ck_assert_int_eq(read_text("q\ts\t100\t20\t0\t0\t1\t20\t1\t20\t1e-3\t40\t20\tmore\n", &t), 0);
    ck_assert_uint_eq(t.count, 1);
    hit_table_destroy(&t);
}
END_TEST

/* As -outfmt "7 bitscore stitle send sstart qend qstart evalue gapopen mismatch length pident saccver qaccver" has
 * them. */
START_TEST(test_columns_are_where_fields_say)
{
    struct hit_table t;
    ck_assert_int_eq(
        read_text(
            "# Fields: bit score, subject title, s. end, s. start, q. end, q. start, evalue, gap opens, "
            "mismatches, alignment length, % identity, subject acc.ver, query acc.ver\n"
            "150\ta title\t300\t201\t110\t11\t1e-30\t2\t1\t102\t99.000\ts\tq\n",
            &t),
        0);
    ck_assert_uint_eq(t.count, 1);
    ck_assert_str_eq(t.hits[0].query, "q");
    ck_assert_str_eq(t.hits[0].subject, "s");
    ck_assert_int_eq(t.hits[0].query_begin, 10);
    ck_assert_int_eq(t.hits[0].subject_end, 300);
    ck_assert_uint_eq(t.hits[0].columns, 102);
    ck_assert_uint_eq(t.hits[0].gap_openings, 2);
    ck_assert_double_eq(t.hits[0].e_value, 1e-30);
    ck_assert_double_eq(t.hits[0].bits, 150);
    hit_table_destroy(&t);
}
END_TEST

/* No name has a blank, which is behind the # of each of BLAST's comments. */
START_TEST(test_names_begin_with_a_comments_sign)
{
    struct hit_table t;
    ck_assert_int_eq(read_text("# Query: #tag\n#tag\ts\t100\t20\t0\t0\t1\t20\t1\t20\t1e-3\t40\n#\n", &t), 0);
    ck_assert_uint_eq(t.count, 1);
    ck_assert_str_eq(t.hits[0].query, "#tag");
    hit_table_destroy(&t);
}
END_TEST

START_TEST(test_no_rows_are_no_error)
{
    struct hit_table t;
    ck_assert_int_eq(read_text(_i ? "# 0 hits found\n" : "", &t), 0);
    ck_assert_uint_eq(t.count, 0);
    hit_table_destroy(&t);
}
END_TEST

static const struct {
    const char *text, *words[3];
} refusals[] = {
    {">q\nACGT\n", {":1: ", "1 column;", "twelve standard"}},
    {"q s 100 20 0 0 1 20 1 20 1e-3 40\n", {":1: ", "1 column;", "tabs"}},
    {"q\ts\t100\t20\t0\t0\t1\t20\t1\t20\t1e-3\n", {":1: ", "11 columns", "tabs"}},
    {"q\ts\t101\t20\t0\t0\t1\t20\t1\t20\t1e-3\t40\n", {":1: ", "(pident) is '101'", "percentage"}},
    {"q\ts\tnan\t20\t0\t0\t1\t20\t1\t20\t1e-3\t40\n", {":1: ", "(pident) is 'nan'", "percentage"}},
    {"q\ts\t99\t-20\t0\t0\t1\t20\t1\t20\t1e-3\t40\n", {":1: ", "(length) is '-20'", "from 1"}},
    {"q\ts\t99\t20\t0\t0\t0\t20\t1\t20\t1e-3\t40\n", {":1: ", "(qstart) is '0'", "from 1"}},
    {"q\ts\t99\t20\t0\t0\t1\t20\t1\t99999999999999999999\t1e-3\t40\n", {":1: ", "(send)", "from 1"}},
    {"q\ts\t99\t20\t0\t0\t1\t20\t1\t20\tabc\t40\n", {":1: ", "(evalue) is 'abc'", "number"}},
    {"q\ts\t99\t20\t0\t0\t1\t20\t1\t20\t1e-3\t\n", {":1: ", "(bitscore) is ''", "number"}},
    {"\ts\t99\t20\t0\t0\t1\t20\t1\t20\t1e-3\t40\n", {":1: ", "(qseqid)", "a name"}},
    {"#\n\nq\ts\t99\t20\t0\t0\t1\t30\t1\t20\t1e-3\t40\n", {":3: ", "20 columns", "30 bases of the query"}},
    {"# Fields: query acc.ver, evalue\n", {":1: ", "no column 'subject acc.ver' (sseqid)", "in any order"}},
    {"# Fields: query acc.ver, subject acc.ver, % identity, alignment length, mismatches, gap opens, s. start, s. end, "
     "q. start, q. end, subject title, bit score, evalue\nq\ts\t99\t20\t0\t0\t1\t20\t1\t20\ttitle\t40\n",
     {":2: ", "12 columns", "tabs"}},
};

START_TEST(test_refusals_name_line_and_expectation)
{
    struct hit_table t;
    ck_assert_int_eq(read_text(refusals[_i].text, &t), HIT_TABLE_EFORMAT);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(strstr(why.line, refusals[_i].words[i]), "'%s' is not in: %s", refusals[_i].words[i],
                      why.line);
}
END_TEST

START_TEST(test_missing_file_and_directory)
{
    struct hit_table t;
    ck_assert_int_eq(hit_table_read("/nonexistent/table", &t, &why), HIT_TABLE_EOPEN);
    ck_assert_str_eq(why.line, "/nonexistent/table: No such file or directory");
    ck_assert_int_eq(hit_table_read("/tmp", &t, &why), HIT_TABLE_EOPEN);
    ck_assert_ptr_nonnull(strstr(why.line, "directory"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hit_table");
    TCase *core = tcase_create("core"), *errors = tcase_create("errors");
    tcase_add_test(core, test_rows_of_both_strands);
    tcase_add_test(core, test_columns_are_where_fields_say);
    tcase_add_test(core, test_names_begin_with_a_comments_sign);
    tcase_add_test(core, test_columns_behind_the_twelve_are_passed_over);
    tcase_add_loop_test(core, test_no_rows_are_no_error, 0, 2);
    tcase_add_loop_test(errors, test_refusals_name_line_and_expectation, 0,
                        sizeof refusals / sizeof *refusals);
    tcase_add_test(errors, test_missing_file_and_directory);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
