/* test_run_files.c - a summary that this process has written says what its file says; rates of many stretches. */
#include "app/report/run_files.h"

#include <check.h>
#include <stdlib.h>

#include "traces/summary.h"
#include "tests/run_suite.h"

START_TEST(test_numbers_of_a_written_summary_are_those_of_its_file)
{
    json_t *summary =
        json_pack("{s:f, s:[f, f, {s:f, s:i}], s:n, s:s}", "third", 1.0 / 3, "list", 1e300 / 7, 5.0, "inner",
                  0.12345678901234567, "whole", 7, "none", "text", "0.12345678901234567");
    struct run_files files;
    struct why why;
    char *text;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    ck_assert_int_eq(summary_write_object(summary, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    json_t *read = json_loads(text, 0, NULL);
    ck_assert(!json_equal(summary, read)); /* the file has fewer digits */
    ck_assert_int_ne(run_files_open("/dev/null/no directory", summary, &files, &why), 0);
    ck_assert(json_equal(files.summary, read));
    run_files_close(&files);
    json_decref(read);
    json_decref(summary);
    free(text);
}
END_TEST

/* Passes of 10 us, 90 us apart, in which 100 elements pass: however many stretches become one, their sum stays. */
START_TEST(test_stretches_that_become_one_keep_their_elements)
{
    enum { PASSES = 5 * RUN_RATE_POINTS };
    struct run_rate rate = {.name = "words"};
    double elements = 0;
    for (int i = 0; i < PASSES; i++)
        run_files_add_rate(&rate, (struct rate_point){100e-6 * i, 100e-6 * i + 10e-6, 1e7});
    for (size_t i = 0; i < rate.count; i++)
        elements += rate.points[i].value * (rate.points[i].end_s - rate.points[i].begin_s);
    ck_assert_uint_le(rate.count, 2 * RUN_RATE_POINTS);
    ck_assert_double_eq_tol(elements, 100 * PASSES, 1e-6);
    free(rate.points);
}
END_TEST

int main(void)
{
    TCase *summaries = tcase_create("summaries");
    tcase_add_test(summaries, test_numbers_of_a_written_summary_are_those_of_its_file);
    TCase *rates = tcase_create("rates");
    tcase_add_test(rates, test_stretches_that_become_one_keep_their_elements);
    Suite *suite = suite_create("run_files");
    suite_add_tcase(suite, summaries);
    suite_add_tcase(suite, rates);
    return run_suite(suite);
}
