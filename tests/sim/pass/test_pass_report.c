/* test_pass_report.c - a report as bytes, whole and cut short; what it reports is made up. */
#include "sim/pass/pass_report.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/scratch_file.h"
#include "tests/run_suite.h"

static struct why why;

static int file_with(const char *text)
{
    int file = scratch_file_descriptor();
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    return file;
}

static void add_results(struct pass_result *result, size_t count)
{
    result->host.tasks.stamp_count = 1;
    for (size_t i = 0; i < count; i++) {
        struct gapped_run path = {0};
        struct alignment found = {.score = (int32_t)(100 + i)};
        int64_t arrived = (int64_t)i, stamp = -arrived;
        struct stage3_work work = {.closes = i % 2};
        alignment_list_append_path(&result->alignments, &found, &path, 1);
        ck_assert(stage3_tasks_add(&result->host.tasks, 1, &arrived, &work, &stamp));
    }
    stage3_tasks_end(&result->host.tasks, 0.5, 77);
    pass_outline_init(&result->outline, 1000000, 1);
    busy_steps_add(&result->outline.busy, BOARD_STAGE_2, 0, (int64_t)count);
}

/* @return the bytes, for free() */
static char *bytes_of(int spool, int records, size_t results, size_t *size)
{
    char *bytes = NULL;
    struct pass_report *report = pass_report_new(
        &(struct pass_job){.point = 3, .pass = 4, .spool = spool, .records = records, .hsps = -1});
    FILE *out = open_memstream(&bytes, size);
    report->status = 0;
    report->stamps.board_end = 1234;
    report->charge.frames = 5;
    add_results(&report->result, results);
    ck_assert(pass_report_write(report, out));
    ck_assert_int_eq(fclose(out), 0);
    pass_report_destroy(report);
    return bytes;
}

static int read_bytes(char *bytes, size_t size, struct pass_report **report)
{
    FILE *in = fmemopen(bytes, size, "r");
    int status = pass_report_read(in, report, &why);
    fclose(in);
    return status;
}

static void check_file(int file, const char *expected)
{
    char text[16] = "";
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(pread(file, text, sizeof text - 1, 0), (ssize_t)strlen(expected));
    ck_assert_str_eq(text, expected);
}

START_TEST(test_a_report_comes_back_whole)
{
    size_t size, results = (size_t)_i;
    char *bytes = bytes_of(file_with("tokens"), file_with(""), results, &size);
    struct pass_report *report;
    ck_assert_int_eq(read_bytes(bytes, size, &report), 0);
    ck_assert_uint_eq(report->job.point, 3);
    ck_assert_uint_eq(report->job.pass, 4);
    ck_assert_int_eq(report->status, 0);
    ck_assert_int_eq(report->stamps.board_end, 1234);
    ck_assert_uint_eq(report->charge.frames, 5);
    ck_assert_uint_eq(report->result.alignments.count, results);
    ck_assert_uint_eq(report->result.alignments.run_count, results);
    ck_assert_uint_eq(report->result.host.tasks.hsp_count, results);
    ck_assert_uint_eq(report->result.host.tasks.cluster_count, results / 2 + 1);
    for (size_t i = 0; i < results; i++) {
        ck_assert_int_eq(report->result.alignments.items[i].score, (int32_t)(100 + i));
        ck_assert_int_eq(report->result.host.tasks.stamps[i], -(int64_t)i);
    }
    ck_assert_uint_eq(report->result.outline.busy.count, results);
    for (size_t i = 0; i < results; i++)
        ck_assert_uint_eq(busy_steps_of(&report->result.outline.busy, i, BOARD_STAGE_2), 1);
    check_file(report->job.spool, "tokens");
    check_file(report->job.records, "");
    pass_report_destroy(report);
    free(bytes);
}
END_TEST

START_TEST(test_a_report_without_files_has_none)
{
    size_t size;
    char *bytes = bytes_of(-1, -1, 2, &size);
    struct pass_report *report;
    ck_assert_int_eq(read_bytes(bytes, size, &report), 0);
    ck_assert_int_eq(report->job.spool, -1);
    ck_assert_int_eq(report->job.records, -1);
    pass_report_destroy(report);
    free(bytes);
}
END_TEST

/* Every length in the results and in the files, some of those in the head. */
START_TEST(test_bytes_that_end_too_early_are_refused)
{
    size_t size;
    char *bytes = bytes_of(file_with("tokens"), file_with("measured"), 3, &size);
    for (size_t kept = 1; kept < size; kept += kept + 64 < sizeof(struct pass_report) ? 61 : 1) {
        struct pass_report *report;
        ck_assert_int_eq(read_bytes(bytes, kept, &report), PASS_EFILE);
        ck_assert_ptr_null(report);
    }
    ck_assert_ptr_nonnull(strstr(why.line, "another process"));
    free(bytes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pass_report");
    TCase *core = tcase_create("core"), *errors = tcase_create("errors");
    tcase_add_loop_test(core, test_a_report_comes_back_whole, 0, 6);
    tcase_add_test(core, test_a_report_without_files_has_none);
    tcase_add_test(errors, test_bytes_that_end_too_early_are_refused);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
