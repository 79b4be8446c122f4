/* test_progress.c - what a log hears of a long run: standard error is a file here, and time is made up. */
#include "base/progress.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/run_suite.h"

static char said[4096];
static double margin_s, all = 100; /* margin and number of units of the run */

/* Let a run tell of its progress, which began `age_s` ago and last told `silence_s` ago.
 * @return what it wrote */
static const char *told(const double *done, unsigned count, double age_s, double silence_s, bool quiet)
{
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    struct progress progress;
    progress_begin(&progress, "Mwmers", all, quiet);
    progress_expect(&progress, margin_s);
    progress.begin_s -= age_s;
    progress.shown_s -= silence_s;
    for (unsigned i = 0; i < count; i++)
        progress_update(&progress, done[i]);
    progress_end(&progress);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    return said;
}

static unsigned lines_of(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* 100 units at 1 a second: 5, 10, 12, 20, 29 and 30 are told where a tenth is passed, 10, 20 and 30. */
START_TEST(test_a_log_has_a_line_per_tenth)
{
    static const double done[] = {5, 10, 12, 20, 29, 30};
    const char *text = told(done, 6, 20, 0, false);
    ck_assert_uint_eq(lines_of(text), 3);
    ck_assert_ptr_null(strpbrk(text, "\r\033"));
    static const char first[] = " 10.0%  10 of 100 Mwmers, 0.5 per second, 180 s left\n";
    ck_assert_msg(strncmp(text, first, strlen(first)) == 0, "%s", text);
}
END_TEST

/* A small database, of whose stage 3 most of the time is. */
START_TEST(test_parts_of_a_unit_are_told)
{
    static const double done = 0.02;
    all = 0.04;
    const char *text = told(&done, 1, 20, 20, false);
    ck_assert_str_eq(text, " 50.0%  0.020 of 0.040 Mwmers, 0.0010 per second, 20 s left\n");
    all = 100;
}
END_TEST

/* 180 s are left, known to 30 s; of 10 s left nothing is below 0. */
START_TEST(test_the_time_left_has_an_interval)
{
    static const double tenth = 10, most = 67;
    margin_s = 30;
    const char *text = told(&tenth, 1, 20, 0, false);
    ck_assert_msg(strstr(text, "180 s left (150 to 210)\n"), "%s", text);
    text = told(&most, 1, 20, 0, false);
    ck_assert_msg(strstr(text, "10 s left (0 to 40)\n"), "%s", text);
    margin_s = 0;
}
END_TEST

START_TEST(test_a_log_has_a_line_after_half_a_minute)
{
    static const double done[] = {1, 1.1};
    ck_assert_uint_eq(lines_of(told(done, 2, 100, 31, false)), 1);
    ck_assert_uint_eq(lines_of(told(done, 2, 100, 29, false)), 0);
}
END_TEST

START_TEST(test_a_short_run_and_a_quiet_one_say_nothing)
{
    static const double done[] = {50};
    ck_assert_str_eq(told(done, 1, 4, 4, false), "");
    ck_assert_str_eq(told(done, 1, 100, 100, true), "");
    ck_assert_uint_eq(lines_of(told(done, 1, 6, 6, false)), 1);
}
END_TEST

static Suite *progress_suite(void)
{
    Suite *suite = suite_create("progress");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_a_log_has_a_line_per_tenth);
    tcase_add_test(core, test_the_time_left_has_an_interval);
    tcase_add_test(core, test_parts_of_a_unit_are_told);
    tcase_add_test(core, test_a_log_has_a_line_after_half_a_minute);
    tcase_add_test(core, test_a_short_run_and_a_quiet_one_say_nothing);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(progress_suite());
}
