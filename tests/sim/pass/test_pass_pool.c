/* test_pass_pool.c - children that report, fail, die and are killed; what they simulate is made up. */
#include "sim/pass/pass_pool.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/run_suite.h"

enum { SLOTS = 3, JOBS = 20 };

static struct why why;

static struct pass_job job_of(size_t pass)
{
    return (struct pass_job){.point = 2 * pass, .pass = pass, .spool = -1, .records = -1, .hsps = -1};
}

static unsigned open_files(void)
{
    unsigned count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

/* Waits for the next child, whatever becomes of it. */
static int collect(struct pass_pool *pool, struct pass_report **report)
{
    int collected;
    for (int i = 0; (collected = pass_pool_collect(pool, report, &why)) == 0 && i < 100; i++)
        pass_pool_sleep(0.1);
    return collected;
}

/* As many alignments as the pass's number, each with one run for its path, and as many HSPs for the host, with a stamp
 * each. */
static int find_some(const void *data, struct pass_report *report)
{
    const struct pass_pool *const *pool = data;
    for (size_t i = 0; i < report->job.pass; i++) {
        struct gapped_run path = {0};
        struct alignment found = {.score = (int32_t)(100 * report->job.pass + i)};
        alignment_list_append_path(&report->result.alignments, &found, &path, 1);
    }
    struct stage3_tasks *tasks = &report->result.host.tasks;
    tasks->stamp_count = 1;
    for (size_t i = 0; i < report->job.pass; i++) {
        struct stage3_work work = {.cells = 10 * i, .closes = i % 2, .cluster_cells = i};
        int64_t arrived = (int64_t)i, stamp = -(int64_t)i;
        ck_assert(stage3_tasks_add(tasks, 1, &arrived, &work, &stamp));
    }
    stage3_tasks_end(tasks, 0.5, 77);
    if (report->job.spool >= 0 && write(report->job.spool, "tokens", 6) != 6)
        return PASS_ERECORD;
    report->stamps.board_end = (int64_t)(1000 + report->job.pass);
    atomic_fetch_add(&pass_pool_shared(*pool)->counter, 7);
    return 0;
}

static void check_tasks(const struct stage3_tasks *tasks, size_t hsps)
{
    ck_assert_uint_eq(tasks->hsp_count, hsps);
    ck_assert_uint_eq(tasks->cluster_count, hsps / 2 + 1);
    ck_assert_double_eq(tasks->end_s, 0.5);
    for (size_t i = 0; i < hsps; i++) {
        ck_assert_int_eq(tasks->hsps[i].arrived, (int64_t)i);
        ck_assert_uint_eq(tasks->hsps[i].cells, 10 * i);
        ck_assert_int_eq(tasks->stamps[i], -(int64_t)i);
        if (i % 2)
            ck_assert_uint_eq(tasks->clusters[i / 2], i);
    }
    ck_assert_uint_eq(tasks->clusters[hsps / 2], 77);
}

static void check_report(const struct pass_report *report)
{
    const struct alignment_list *list = &report->result.alignments;
    size_t pass = report->job.pass;
    ck_assert_uint_eq(report->job.point, 2 * pass);
    ck_assert_int_eq(report->stamps.board_end, 1000 + (int64_t)pass);
    ck_assert_uint_eq(list->count, pass);
    ck_assert_uint_eq(list->run_count, pass);
    for (size_t i = 0; i < list->count; i++)
        ck_assert_int_eq(list->items[i].score, (int32_t)(100 * pass + i));
    check_tasks(&report->result.host.tasks, pass);
}

/* --- core ------------------------------------------------------------------------------------------------ */

START_TEST(test_every_job_reports_once)
{
    struct pass_pool *pool = NULL;
    pool = pass_pool_new(SLOTS, find_some, &pool);
    bool there[JOBS] = {false};
    unsigned files = open_files();
    for (size_t started = 0, ended = 0; ended < JOBS; ended++) {
        struct pass_report *report = NULL;
        while (started < JOBS && pass_pool_has_free_slot(pool))
            ck_assert_int_eq(pass_pool_start(pool, job_of(started++), &why), 0);
        ck_assert_int_eq(collect(pool, &report), 1);
        check_report(report);
        ck_assert(!there[report->job.pass]);
        there[report->job.pass] = true;
        pass_report_destroy(report);
    }
    ck_assert_uint_eq(atomic_load(&pass_pool_shared(pool)->counter), 7 * JOBS);
    ck_assert_uint_eq(open_files(), files);
    pass_pool_destroy(pool);
}
END_TEST

START_TEST(test_files_of_a_job_go_with_its_report)
{
    struct pass_pool *pool = NULL;
    pool = pass_pool_new(SLOTS, find_some, &pool);
    struct pass_job job = job_of(1);
    struct pass_report *report = NULL;
    unsigned files = open_files();
    FILE *spool = tmpfile();
    char text[7] = "";
    job.spool = dup(fileno(spool));
    ck_assert_int_eq(pass_pool_start(pool, job, &why), 0);
    ck_assert_int_eq(collect(pool, &report), 1);
    ck_assert_int_eq(pread(report->job.spool, text, 6, 0), 6);
    ck_assert_str_eq(text, "tokens");
    pass_report_destroy(report);
    fclose(spool);
    ck_assert_uint_eq(open_files(), files);
    pass_pool_destroy(pool);
}
END_TEST

/* A child counts until it is collected: 3 / 1, 3 / 2 and 3 / 3 threads each, rounded down. */
START_TEST(test_children_share_the_slots)
{
    static const unsigned threads[SLOTS + 1] = {3, 3, 1, 1};
    struct pass_pool *pool = NULL;
    pool = pass_pool_new(SLOTS, find_some, &pool);
    unsigned running = 0;
    for (; running < SLOTS; running++) {
        ck_assert_uint_eq(atomic_load(&pass_pool_shared(pool)->threads), threads[running]);
        ck_assert_int_eq(pass_pool_start(pool, job_of(running), &why), 0);
    }
    for (; running > 0; running--) {
        struct pass_report *report = NULL;
        ck_assert_uint_eq(atomic_load(&pass_pool_shared(pool)->threads), threads[running]);
        ck_assert_int_eq(collect(pool, &report), 1);
        pass_report_destroy(report);
    }
    ck_assert_uint_eq(atomic_load(&pass_pool_shared(pool)->threads), SLOTS);
    pass_pool_destroy(pool);
}
END_TEST

START_TEST(test_nothing_is_collected_before_a_job_ends)
{
    struct pass_pool *pool = NULL;
    pool = pass_pool_new(SLOTS, find_some, &pool);
    struct pass_report *report = NULL;
    ck_assert_int_eq(pass_pool_collect(pool, &report, &why), 0);
    pass_pool_destroy(pool);
}
END_TEST

/* --- errors ---------------------------------------------------------------------------------------------- */

static int refuse(const void *data, struct pass_report *report)
{
    (void)data;
    return why_say(&report->result.why, PASS_ERECORD, "nothing recorded");
}

static int die(const void *data, struct pass_report *report)
{
    (void)data, (void)report;
    raise(SIGKILL);
    return 0;
}

/* As a library may that meets an error. */
static int leave(const void *data, struct pass_report *report)
{
    (void)report;
    _exit(data ? 1 : 0);
}

/* As SimGrid does. */
static int abort_for_memory(const void *data, struct pass_report *report)
{
    (void)data, (void)report;
    static const char words[] = "terminate called after throwing an instance of 'std::bad_alloc'\n";
    return write(STDERR_FILENO, words, sizeof words - 1) < 0 ? 0 : raise(SIGKILL);
}

_Noreturn static int find_no_memory(const void *data, struct pass_report *report)
{
    (void)data, (void)report;
    memory_exhausted();
}

static const struct {
    pass_work *work;
    const void *data;
    int status;
    const char *message;
} failures[] = {
    {refuse, NULL, PASS_ERECORD, "nothing recorded"},
    {die, NULL, PASS_EPROCESS,
     "pass 5: its process was ended by signal 9 (Killed); was there enough memory?"},
    {abort_for_memory, NULL, PASS_EMEMORY,
     "pass 5: out of memory; free some or raise the limit (ulimit -v), or "},
    {find_no_memory, NULL, PASS_EMEMORY,
     "pass 5: out of memory; free some or raise the limit (ulimit -v), or "},
    {leave, &why, PASS_EPROCESS, "pass 5: its process failed"},
    {leave, NULL, PASS_EPROCESS, "pass 5: its process ended too early"},
};

START_TEST(test_a_failure_is_told_of_and_frees_its_slot)
{
    unsigned files = open_files();
    struct pass_pool *pool = pass_pool_new(1, failures[_i].work, failures[_i].data);
    struct pass_report *report = NULL;
    ck_assert_int_eq(pass_pool_start(pool, job_of(4), &why), 0);
    ck_assert(!pass_pool_has_free_slot(pool));
    ck_assert_int_eq(collect(pool, &report), failures[_i].status);
    ck_assert_msg(strncmp(why.line, failures[_i].message, strlen(failures[_i].message)) == 0, "%s", why.line);
    ck_assert(pass_pool_has_free_slot(pool));
    pass_pool_destroy(pool);
    ck_assert_uint_eq(open_files(), files);
}
END_TEST

/* One child may simulate several passes. */
START_TEST(test_a_failure_names_all_passes_of_the_child)
{
    static const struct {
        size_t last;
        uint32_t host;
        const char *message;
    } jobs[] = {{0, 0, "pass 5: its process was ended by signal 9"},
                {4, 2, "pass 5: its"},
                {8, 0, "passes 5 to 9: its process"},
                {8, 2, "passes 5 to 9 of host 2: its process"}};
    for (size_t i = 0; i < COUNT_OF(jobs); i++) {
        struct pass_pool *pool = pass_pool_new(1, die, NULL);
        struct pass_report *report = NULL;
        struct pass_job job = job_of(4);
        job.last = jobs[i].last;
        job.host = jobs[i].host;
        ck_assert_int_eq(pass_pool_start(pool, job, &why), 0);
        ck_assert_int_eq(collect(pool, &report), PASS_EPROCESS);
        ck_assert_msg(strncmp(why.line, jobs[i].message, strlen(jobs[i].message)) == 0, "%s", why.line);
        pass_pool_destroy(pool);
    }
}
END_TEST

static int wait_forever(const void *data, struct pass_report *report)
{
    (void)data, (void)report;
    sigset_t none;
    sigemptyset(&none);
    sigsuspend(&none);
    return PASS_EPROCESS;
}

START_TEST(test_children_that_run_are_killed_with_the_pool)
{
    unsigned files = open_files();
    struct pass_pool *pool = pass_pool_new(SLOTS, wait_forever, NULL);
    for (size_t i = 0; i < SLOTS; i++)
        ck_assert_int_eq(pass_pool_start(pool, job_of(i), &why), 0);
    pass_pool_destroy(pool);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    ck_assert_uint_eq(open_files(), files);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pass_pool");
    TCase *core = tcase_create("core"), *errors = tcase_create("errors");
    tcase_add_test(core, test_every_job_reports_once);
    tcase_add_test(core, test_files_of_a_job_go_with_its_report);
    tcase_add_test(core, test_children_share_the_slots);
    tcase_add_test(core, test_nothing_is_collected_before_a_job_ends);
    tcase_add_loop_test(errors, test_a_failure_is_told_of_and_frees_its_slot, 0, COUNT_OF(failures));
    tcase_add_test(errors, test_a_failure_names_all_passes_of_the_child);
    tcase_add_test(errors, test_children_that_run_are_killed_with_the_pool);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, errors);
    return run_suite(suite);
}
