/* test_pairwise.c - alignments as text: rows, positions, strands, masks. */
#include "blast/write/format.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/blast/small_search.h"
#include "tests/run_suite.h"

static void check_has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part), "'%s' is not in\n%s", part, text);
}

START_TEST(test_blocks_of_both_strands)
{
    struct small_search s;
    small_search_create(&s);
    char *text = small_search_print(&s, &format_pairwise);
    check_has(text, "\nQuery= q1 first query\n\nLength=17\n");
    check_has(text, "\n>s1 one\nLength=19\n\n"
                    " Score = 81.8 bits (10),  Expect = 3e-100\n"
                    " Identities = 11/14 (79%), Gaps = 1/14 (7%)\n"
                    " Strand=Plus/Plus\n\n"
                    "Query  3   ACGT-ACGTAGGCA  15\n"
                    "           |||| || | ||||\n"
                    "Sbjct  4   ACGTTACCTNGGCA  17\n\n\n"
                    " Score = 81.8 bits (10)");
    check_has(text, "\nQuery= q2\n");
    check_has(text, "\n>s2\nLength=14\n\n"
                    " Score = 613 bits (7),  Expect = 6e-14\n"
                    " Identities = 9/11 (82%), Gaps = 2/11 (18%)\n"
                    " Strand=Plus/Minus\n\n"
                    "Query  3   GG-TTCCACGT  12\n"
                    "           || |||| |||\n"
                    "Sbjct  12  GGTTTCC-CGT  3\n\n\n");
    free(text);
    small_search_destroy(&s);
}
END_TEST

START_TEST(test_masked_bases_are_in_lower_case)
{
    struct small_search s;
    small_search_create(&s);
    mask_add(&s.query.masked, 4, 8);   /* q1: GTAC */
    mask_add(&s.query.masked, 29, 30); /* q2: its last base */
    char *text = small_search_print(&s, &format_pairwise);
    check_has(text, "Query  3   ACgt-acGTAGGCA  15\n           |||| || | ||||\n");
    check_has(text, "Query  3   GG-TTCCACGt  12\n");
    free(text);
    small_search_destroy(&s);
}
END_TEST

START_TEST(test_queries_without_alignments_are_told)
{
    struct small_search s;
    small_search_create(&s);
    s.list.count = 0;
    char *text = small_search_print(&s, &format_pairwise), *first = strstr(text, "***** No hits found *****");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_nonnull(strstr(first + 1, "***** No hits found *****"));
    free(text);
    small_search_destroy(&s);
}
END_TEST

/* 70 equal bases at the end of a subject of 1,000: rows of 60, positions as wide as the widest. */
START_TEST(test_rows_have_60_columns)
{
    static const struct gapped_run runs[] = {{GAPPED_PAIR, 70}};
    struct alignment a = {.query_end = 70,
                          .database_begin = 930,
                          .database_end = 1000,
                          .columns = 70,
                          .identities = 70,
                          .score = 70,
                          .bits = 139,
                          .e_value = 0};
    struct small_search s;
    char query[100] = ">q\n", database[1100] = ">s\n";
    small_search_create(&s);
    sequences_destroy(&s.query);
    sequences_destroy(&s.database);
    memset(query + 3, 'A', 70);
    strcpy(query + 73, "\n");
    memset(database + 3, 'A', 1000);
    strcpy(database + 1003, "\n");
    small_search_read(query, &s.query);
    small_search_read(database, &s.database);
    s.list.count = 0;
    alignment_list_append_path(&s.list, &a, runs, 1);
    char *text = small_search_print(&s, &format_pairwise);
    check_has(text, "Query  1     AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA  60\n"
                    "             ||||||||||||||||||||||||||||||||||||||||||||||||||||||||||||\n"
                    "Sbjct  931   AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA  990\n\n"
                    "Query  61    AAAAAAAAAA  70\n"
                    "             ||||||||||\n"
                    "Sbjct  991   AAAAAAAAAA  1000\n\n\n");
    check_has(text, "Expect = 0.0\n Identities = 70/70 (100%), Gaps = 0/70 (0%)\n");
    free(text);
    small_search_destroy(&s);
}
END_TEST

START_TEST(test_per_cents_are_never_rounded_to_100)
{
    ck_assert_int_eq(alignment_per_cent(999, 1000), 99);
    ck_assert_int_eq(alignment_per_cent(1000, 1000), 100);
    ck_assert_int_eq(alignment_per_cent(5, 1000), 1);
    ck_assert_int_eq(alignment_per_cent(4, 1000), 0);
}
END_TEST

START_TEST(test_full_device_is_an_error)
{
    small_search_check_full_device(&format_pairwise, WRITE_EFILE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pairwise");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits"), *errors = tcase_create("errors");
    tcase_add_test(core, test_blocks_of_both_strands);
    tcase_add_test(core, test_masked_bases_are_in_lower_case);
    tcase_add_test(core, test_queries_without_alignments_are_told);
    tcase_add_test(limits, test_rows_have_60_columns);
    tcase_add_test(limits, test_per_cents_are_never_rounded_to_100);
    tcase_add_test(errors, test_full_device_is_an_error);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
