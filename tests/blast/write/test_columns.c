/* test_columns.c - which columns names ask for, and what stands in each. */
#include "blast/write/columns.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "blast/write/format.h"
#include "tests/blast/small_search.h"
#include "tests/run_suite.h"

static struct columns columns_of(const char *names)
{
    struct columns columns;
    struct why why = {""};
    ck_assert_msg(columns_parse(names, &columns, &why) == 0, "%s", why.line);
    return columns;
}

static void check_names(const char *names, const char *expected)
{
    struct columns columns = columns_of(names);
    char found[600] = "";
    for (size_t i = 0; i < columns.count; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", i > 0 ? " " : "",
                 column_name(columns.items[i]));
    ck_assert_str_eq(found, expected);
}

#define STANDARD "qaccver saccver pident length mismatch gapopen qstart qend sstart send evalue bitscore"

START_TEST(test_names_are_read)
{
    check_names("", STANDARD);
    check_names("  ", STANDARD);
    check_names("std", STANDARD);
    check_names("qseqid  btop\tqlen ", "qseqid btop qlen");
    check_names("qlen std qcovs", "qlen " STANDARD " qcovs");
}
END_TEST

/* As blastn does. */
START_TEST(test_a_column_named_twice_is_printed_once)
{
    check_names("qseqid qseqid evalue", "qseqid evalue");
    check_names("send std send",
                "send qaccver saccver pident length mismatch gapopen qstart qend sstart evalue "
                "bitscore");
}
END_TEST

START_TEST(test_every_column_can_be_named_and_all_fit)
{
    char all[1000] = "std";
    for (int i = 0; i < COLUMN_KINDS; i++) {
        ck_assert_int_eq(columns_of(column_name((unsigned)i)).items[0], i);
        strcat(strcat(all, " "), column_name((unsigned)i));
        ck_assert_ptr_nonnull(column_field(column_name((unsigned)i)));
    }
    ck_assert_uint_eq(columns_of(all).count, COLUMN_KINDS);
}
END_TEST

static const char *const unknown[] = {"foo",    "std foo", "QSEQID", "qseqid,sseqid",
                                      "staxid", "qseqi",   "qcovus"};

START_TEST(test_unknown_names_are_refused_with_the_list)
{
    struct columns columns = columns_standard();
    struct why why = {""};
    ck_assert_int_eq(columns_parse(unknown[_i], &columns, &why), COLUMNS_EUNKNOWN);
    for (int i = 0; i < COLUMN_KINDS; i++)
        ck_assert_ptr_nonnull(strstr(why.line, column_name((unsigned)i)));
    ck_assert_uint_eq(columns.count, 12);
}
END_TEST

START_TEST(test_columns_of_bases_are_known)
{
    struct columns none = columns_standard(), some = columns_of("std btop qseq");
    ck_assert_ptr_null(columns_first_of_bases(&none));
    ck_assert_str_eq(columns_first_of_bases(&some), "btop");
}
END_TEST

/* Both queries' first alignments, and q1's of two columns: small_search.h. */
static const struct {
    const char *name, *plus, *end, *minus;
} values[] = {
    {"qseqid", "q1", "q1", "q2"},
    {"qacc", "q1", "q1", "q2"},
    {"qaccver", "q1", "q1", "q2"},
    {"qlen", "17", "17", "12"},
    {"sseqid", "s1", "s1", "s2"},
    {"sallseqid", "s1", "s1", "s2"},
    {"sacc", "s1", "s1", "s2"},
    {"saccver", "s1", "s1", "s2"},
    {"sallacc", "s1", "s1", "s2"},
    {"slen", "19", "19", "14"},
    {"qstart", "3", "16", "3"},
    {"qend", "15", "17", "12"},
    {"sstart", "4", "7", "12"},
    {"send", "17", "8", "3"},
    {"qseq", "ACGT-ACGTAGGCA", "TT", "GG-TTCCACGT"},
    {"sseq", "ACGTTACCTNGGCA", "TT", "GGTTTCC-CGT"},
    {"evalue", "2.76e-100", "0.050", "6.20e-14"},
    {"bitscore", "81.8", "10.0", "613"},
    {"score", "10", "2", "7"},
    {"length", "14", "2", "11"},
    {"pident", "78.571", "100.000", "81.818"},
    {"nident", "11", "2", "9"},
    {"mismatch", "2", "0", "0"},
    {"positive", "11", "2", "9"},
    {"gapopen", "1", "0", "2"},
    {"gaps", "1", "0", "2"},
    {"ppos", "78.57", "100.00", "81.82"},
    {"frames", "1/1", "1/1", "1/-1"},
    {"qframe", "1", "1", "1"},
    {"sframe", "1", "1", "-1"},
    {"btop", "4-T2GC1AN4", "2", "2-T4A-3"},
    {"stitle", "s1 one", "s1 one", "s2"},
    {"salltitles", "s1 one", "s1 one", "s2"},
    {"sstrand", "plus", "plus", "minus"},
    {"qcovs", "88", "88", "83"}, /* 15 of 17, 10 of 12 */
    {"qcovhsp", "76", "12", "83"},
};

START_TEST(test_values)
{
    struct small_search s;
    struct columns columns = columns_of(values[_i].name);
    char *text = NULL, expected[200];
    size_t size;
    FILE *file = open_memstream(&text, &size);
    small_search_create(&s);
    ck_assert_ptr_nonnull(file);
    s.search.columns = &columns;
    ck_assert_int_eq(format_tabular.write(&format_tabular, file, &s.search, &s.list), 0);
    fclose(file);
    snprintf(expected, sizeof expected, "%s\n%s\n%s\n%s\n", values[_i].plus, values[_i].plus, values[_i].end,
             values[_i].minus);
    ck_assert_str_eq(text, expected);
    free(text);
    small_search_destroy(&s);
}
END_TEST

START_TEST(test_all_columns_have_been_tested)
{
    ck_assert_int_eq(COUNT_OF(values), COLUMN_KINDS);
}
END_TEST

START_TEST(test_comments_name_the_columns_and_the_title)
{
    struct small_search s;
    struct columns columns = columns_of("score btop");
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    small_search_create(&s);
    s.search.columns = &columns;
    ck_assert_int_eq(format_commented.write(&format_commented, file, &s.search, &s.list), 0);
    fclose(file);
    ck_assert_str_eq(text, "# MERCURY 1.2\n# Query: q1 first  query\n# Database: db\n# Fields: score, BTOP\n"
                           "# 3 hits found\n10\t4-T2GC1AN4\n10\t4-T2GC1AN4\n2\t2\n"
                           "# MERCURY 1.2\n# Query: q2\n# Database: db\n# Fields: score, BTOP\n"
                           "# 1 hits found\n7\t2-T4A-3\n# BLAST processed 2 queries\n");
    free(text);
    small_search_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("columns");
    TCase *core = tcase_create("core"), *errors = tcase_create("errors");
    tcase_add_test(core, test_names_are_read);
    tcase_add_test(core, test_a_column_named_twice_is_printed_once);
    tcase_add_test(core, test_every_column_can_be_named_and_all_fit);
    tcase_add_test(core, test_columns_of_bases_are_known);
    tcase_add_loop_test(core, test_values, 0, COUNT_OF(values));
    tcase_add_test(core, test_all_columns_have_been_tested);
    tcase_add_test(core, test_comments_name_the_columns_and_the_title);
    tcase_add_loop_test(errors, test_unknown_names_are_refused_with_the_list, 0, COUNT_OF(unknown));
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
