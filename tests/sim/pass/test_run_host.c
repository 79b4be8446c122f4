/* test_run_host.c - the host of a run, from passes that are added to passes whose times are known: what is taken, and
 * what is noticed.
 * MERCURY_SOURCE_DIR names the folder that data/ is in; the current one where it is not set.
 */
#include "sim/pass/run_host.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/host/task_log.h"
#include "sim/measure/machine_frame.h"
#include "sim/pass/pass_simulation.h"
#include "sim/platform/platform.h"
#include "tests/run_suite.h"

enum { PASSES = 4 };

static struct why why;
static struct hardware hardware;
static struct platform *platform;

static void set_up(void)
{
    char path[4096];
    const char *source_directory = getenv("MERCURY_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/data/platforms/mercury-2010.xml",
             source_directory ? source_directory : ".");
    hardware = hardware_default();
    ck_assert_msg(platform_open(path, &hardware, &platform, &why) == 0, "%s", why.line);
    ck_assert_msg(hardware_set_assignment(&hardware, "host.cores=2", &why) == 0, "%s", why.line);
    ck_assert_int_eq(hardware_check(&hardware, &why), 0);
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
}

static void tear_down(void)
{
    platform_close(platform);
}

/* Pass `number` has that many times 10 HSPs, each of which can begin 1000 clocks after the one before. */
static struct host_pass make_pass(size_t number)
{
    struct host_pass pass = {.board_s = 1e-3, .board_end = 1000};
    for (size_t i = 0; i < 10 * number; i++) {
        struct stage3_work work = {.cells = 5000 * (i + 1), .waits = i % 3 == 0};
        int64_t arrived = (int64_t)(i * 1000) << 20;
        ck_assert(stage3_tasks_add(&pass.tasks, 1, &arrived, &work, NULL));
    }
    ck_assert(stage3_tasks_end(&pass.tasks, 1e-3, number > 0 ? 300000 : 0));
    return pass;
}

static void add_passes(struct run_host *run, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        struct host_pass pass = make_pass(i);
        ck_assert_msg(run_host_add(run, &pass, &why) == 0, "%s", why.line);
        ck_assert_ptr_null(pass.tasks.hsps);
    }
}

static struct run_host *make_run(void)
{
    struct run_host *run = run_host_new(&hardware, platform_simgrid_file(platform), PASSES);
    ck_assert_ptr_nonnull(run);
    add_passes(run, 0, PASSES);
    return run;
}

/* What was taken of each pass. */
struct taken {
    unsigned times; /* how often */
    double begin_s, end_s;
    size_t hsp_count;
    struct task_times hsps[10 * PASSES];
};

static int take(void *data, const struct host_pass *pass, struct why *reason)
{
    struct taken *taken = (struct taken *)data + pass->number;
    (void)reason;
    struct task_times *hsps = task_reader_all(pass, &hardware);
    ck_assert_ptr_nonnull(hsps);
    taken->times++;
    taken->begin_s = pass->begin_s;
    taken->end_s = pass->end_s;
    taken->hsp_count = pass->tasks.hsp_count;
    memcpy(taken->hsps, hsps, taken->hsp_count * sizeof *taken->hsps);
    free(hsps);
    return 0;
}

static struct taken one[PASSES], two[PASSES];

/* Loop index = whether SimGrid checks it. */
START_TEST(test_passes_are_taken_with_their_times)
{
    struct run_host *run = make_run();
    struct host_run_result result;
    ck_assert_msg(run_host_compute(run, _i, take, one, &result, &why) == 0, "%s", why.line);
    for (size_t i = 0; i < PASSES; i++) {
        ck_assert_uint_eq(one[i].times, 1);
        ck_assert_uint_eq(one[i].hsp_count, 10 * i);
        ck_assert_double_eq_tol(one[i].begin_s, 1e-3 * (double)i, 1e-12);
        for (size_t hsp = 0; hsp < 10 * i; hsp++)
            ck_assert_double_gt(one[i].hsps[hsp].end_s, one[i].hsps[hsp].begin_s);
    }
    run_host_destroy(run);
}
END_TEST

/* The run can be simulated again, by the other engine. */
START_TEST(test_both_engines_say_the_same)
{
    struct run_host *run = make_run();
    struct host_run_result computed, simulated;
    double agent_s = -1;
    ck_assert_msg(run_host_compute(run, false, take, one, &computed, &why) == 0, "%s", why.line);
    ck_assert_msg(run_host_simulate(run, 0, take, two, &simulated, &agent_s, &why) == 0, "%s", why.line);
    ck_assert_double_eq(agent_s, 0);
    ck_assert_double_eq_tol(computed.end_s, simulated.end_s, 1e-12);
    for (size_t i = 0; i < PASSES; i++) {
        ck_assert_uint_eq(two[i].times, 1);
        ck_assert_double_eq_tol(one[i].end_s, two[i].end_s, 1e-12);
        for (size_t hsp = 0; hsp < 10 * i; hsp++)
            ck_assert_double_eq_tol(one[i].hsps[hsp].begin_s, two[i].hsps[hsp].begin_s, 1e-12);
    }
    run_host_destroy(run);
}
END_TEST

/* The first pass finishes while passes are added; in the end all times are those of passes that were added before. */
START_TEST(test_the_host_follows_the_passes)
{
    struct run_host *run = make_run();
    struct run_host *following = run_host_new(&hardware, platform_simgrid_file(platform), PASSES);
    struct host_run_result computed, followed;
    ck_assert_msg(run_host_compute(run, false, take, one, &computed, &why) == 0, "%s", why.line);
    ck_assert(following && run_host_follow(following, take, two));
    add_passes(following, 0, PASSES - 1);
    ck_assert_uint_eq(two[0].times, 1);
    add_passes(following, PASSES - 1, PASSES);
    ck_assert_msg(run_host_end(following, &followed, &why) == 0, "%s", why.line);
    ck_assert_mem_eq(&computed, &followed, sizeof computed);
    for (size_t i = 0; i < PASSES; i++) {
        ck_assert_uint_eq(two[i].times, 1);
        ck_assert(one[i].begin_s == two[i].begin_s && one[i].end_s == two[i].end_s);
        for (size_t hsp = 0; hsp < 10 * i; hsp++)
            ck_assert(one[i].hsps[hsp].begin_s == two[i].hsps[hsp].begin_s);
    }
    run_host_destroy(run);
    run_host_destroy(following);
}
END_TEST

static int refuse(void *data, const struct host_pass *pass, struct why *reason)
{
    (void)data;
    return pass->number == 2 ? why_say(reason, PASS_EBUG, "the third is refused") : 0;
}

/* Loop index = the engine. */
START_TEST(test_a_taker_that_fails_ends_the_run)
{
    struct run_host *run = make_run();
    struct host_run_result result;
    double agent_s;
    int status = _i ? run_host_simulate(run, 0, refuse, NULL, &result, &agent_s, &why)
                    : run_host_compute(run, false, refuse, NULL, &result, &why);
    ck_assert_int_eq(status, PASS_EBUG);
    ck_assert_str_eq(why.line, "the third is refused");
    run_host_destroy(run);
}
END_TEST

START_TEST(test_a_contradiction_is_a_bug_and_names_the_pass)
{
    static const char *const messages[] = {"pass 5: Little's law",
                                           "pass 5: something is lost among the matches of stage 2"};
    struct task_times none;
    struct host_pass pass = {.number = 4, .hsps = &none, .clusters = &none};
    struct host_instruments instruments = {0};
    struct frame frame = {0};
    if (_i == 0)
        frame.queues[0].integral = 1; /* elements have waited, but there were none */
    else
        frame.counters[S2_MATCHES_FILTERED] = 1; /* of no match */
    ck_assert_int_eq(run_host_fill(&pass, &hardware, &instruments, &frame, &why), PASS_EBUG);
    ck_assert_msg(strncmp(why.line, messages[_i], strlen(messages[_i])) == 0, "%s", why.line);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run_host");
    TCase *core = tcase_create("core");
    tcase_add_checked_fixture(core, set_up, tear_down);
    tcase_add_loop_test(core, test_passes_are_taken_with_their_times, 0, 2);
    tcase_add_test(core, test_both_engines_say_the_same);
    tcase_add_test(core, test_the_host_follows_the_passes);
    tcase_add_loop_test(core, test_a_taker_that_fails_ends_the_run, 0, 2);
    tcase_add_loop_test(core, test_a_contradiction_is_a_bug_and_names_the_pass, 0, 2);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
