/* test_joined_hosts_in_memory.c - the host of a run gives the same frames whether it follows passes in memory, or
 * whether they are in files and SimGrid checks it; and finds frames that contradict themselves.
 * MERCURY_SOURCE_DIR names the folder that data/ is in; the current one where it is not set.
 */
#include "sim/pass/joined_hosts.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/board/board.h"
#include "sim/measure/machine_frame.h"
#include "sim/pass/pass_simulation.h"
#include "sim/platform/platform.h"
#include "tests/run_suite.h"

enum { PASSES_MAX = 6, HSPS_MAX = 200, RUNS = 60 };

static struct why why;

/* Passes of a made-up run, with frames in which nothing is lost so far. */
struct made_run {
    struct hardware hardware;
    size_t pass_count;
    struct host_pass passes[PASSES_MAX];
    struct frame frames[PASSES_MAX];
};

static uint64_t dice(uint64_t below)
{
    return (uint64_t)random() % below;
}

/* HSPs that arrive at random; now and then one waits for its cluster, or closes the cluster before it. */
static void make_tasks(struct host_pass *pass, size_t hsps, double clock_hz)
{
    int64_t arrived = 0;
    for (size_t i = 0; i < hsps; i++) {
        arrived += (int64_t)dice(5000 * (uint64_t)BOARD_TICKS_PER_CLOCK);
        struct stage3_work work = {.cells = dice(3) ? dice(100) : 0,
                                   .waits = dice(4) == 0,
                                   .closes = dice(10) == 0,
                                   .cluster_cells = dice(2000)};
        ck_assert(stage3_tasks_add(&pass->tasks, 1, &arrived, &work, NULL));
    }
    double last_s = pass->stream_begin_s + (double)arrived / (double)BOARD_TICKS_PER_CLOCK / clock_hz;
    pass->board_end = board_clock_at(arrived);
    pass->board_s = last_s + 1e-5;
    stage3_tasks_end(&pass->tasks, last_s + 1e-6, dice(2000));
}

static void make_run(struct made_run *run, unsigned seed)
{
    srandom(seed);
    *run = (struct made_run){.hardware = hardware_default(), .pass_count = 1 + dice(PASSES_MAX)};
    run->hardware.host_cores = 1 + (uint32_t)dice(4);
    run->hardware.stage3_batch = 1 + (uint32_t)dice(8);
    run->hardware.host_clock_hz = dice(2) ? 1e7 : 2e9;
    run->hardware.overlap = dice(2) ? OVERLAP_SERIAL : OVERLAP_DRAIN;
    for (size_t i = 0; i < run->pass_count; i++) {
        uint64_t hsps = dice(HSPS_MAX);
        run->passes[i].stream_begin_s = 1e-4 * (double)dice(10);
        make_tasks(&run->passes[i], hsps, run->hardware.fpga_clock_hz);
        wide_uint *counters = run->frames[i].counters;
        counters[S1B_MATCHES_OUT] = counters[S2_MATCHES] = counters[S2_HSPS_OUT] = hsps;
        run->frames[i].queues[FIFO_STAGE2].elements = run->frames[i].queues[FIFO_EGRESS].elements = hsps;
    }
}

static void destroy_run(struct made_run *run)
{
    for (size_t i = 0; i < run->pass_count; i++)
        stage3_tasks_destroy(&run->passes[i].tasks);
}

static int fill_frame(void *data, const struct host_pass *pass, struct why *line)
{
    struct made_run *run = data;
    struct host_instruments none = {0};
    return joined_hosts_fill(pass, &run->hardware, &none, &run->frames[pass->number], line);
}

static struct platform *open_platform(struct hardware *hardware)
{
    char path[4096];
    const char *source_directory = getenv("MERCURY_SOURCE_DIR");
    struct hardware numbers_of_file = hardware_default();
    struct platform *platform;
    snprintf(path, sizeof path, "%s/data/platforms/mercury-2010.xml",
             source_directory ? source_directory : ".");
    ck_assert_msg(platform_open(path, &numbers_of_file, &platform, &why) == 0, "%s", why.line);
    ck_assert_msg(platform_prepare(platform, hardware, &why) == 0, "%s", why.line);
    return platform;
}

/* @param in_files  SimGrid checks the host, so that passes go to files */
static int fill(struct made_run *run, bool in_files, struct host_schedule_result *result)
{
    struct platform *platform = in_files ? open_platform(&run->hardware) : NULL;
    const struct joined_hosts_request request = {.hardware = &run->hardware,
                                                 .platform_file =
                                                     platform ? platform_simgrid_file(platform) : "",
                                                 .query.pass_count = run->pass_count,
                                                 .take = fill_frame,
                                                 .data = run,
                                                 .check = in_files};
    struct joined_hosts *hosts = joined_hosts_new(&request);
    struct joined_hosts_result all;
    int status = 0;
    ck_assert_ptr_nonnull(hosts);
    for (size_t i = 0; i < run->pass_count && status == 0; i++)
        status = joined_hosts_add(hosts, &run->passes[i], &why);
    if (status == 0)
        status = joined_hosts_end(hosts, &all, &why);
    *result = all.host;
    joined_hosts_destroy(hosts);
    platform_close(platform);
    return status;
}

static void check_equal(const struct made_run *a, const struct made_run *b)
{
    for (size_t i = 0; i < a->pass_count; i++) {
        ck_assert_mem_eq(a->frames[i].counters, b->frames[i].counters, sizeof a->frames[i].counters);
        ck_assert_mem_eq(a->frames[i].queues, b->frames[i].queues, sizeof a->frames[i].queues);
        ck_assert(a->frames[i].duration_s == b->frames[i].duration_s);
    }
}

START_TEST(test_passes_in_memory_are_those_in_files)
{
    static struct made_run files, memory;
    struct host_schedule_result by_files, in_memory;
    make_run(&files, (unsigned)_i);
    make_run(&memory, (unsigned)_i);
    ck_assert_msg(fill(&files, true, &by_files) == 0, "%s", why.line);
    ck_assert_msg(fill(&memory, false, &in_memory) == 0, "%s", why.line);
    check_equal(&files, &memory);
    ck_assert(by_files.end_s == in_memory.end_s && by_files.boards_end_s == in_memory.boards_end_s);
    ck_assert(by_files.busy_s == in_memory.busy_s);
    ck_assert_mem_eq(&by_files.inbox, &in_memory.inbox, sizeof by_files.inbox);
    for (size_t i = 0; i < memory.pass_count; i++)
        ck_assert_ptr_null(memory.passes[i].tasks.hsps);
    destroy_run(&files);
}
END_TEST

/* A pass whose HSPs come faster at times than cores take them. */
static void make_long_run(struct made_run *run, size_t in_memory_most)
{
    enum { BLOCK = 1024, HSPS = 2 * STAGE3_CHUNK_HSPS + BLOCK };
    int64_t left = 0, first_left = 0, last_arrived = 0;
    bool added = true;
    make_run(run, 4);
    run->hardware.host_cores = 3;
    run->hardware.host_clock_hz = 2e9;
    struct host_pass *pass = &run->passes[0];
    stage3_tasks_destroy(&pass->tasks);
    pass->tasks.in_memory_most = in_memory_most;
    for (size_t i = 0; i < HSPS; i++) {
        left += (int64_t)((dice(2) ? 1 + dice(7) : 0) * (uint64_t)BOARD_TICKS_PER_CLOCK + dice(3));
        struct stage3_work work = {.cells = dice(3) ? dice(300) : 0,
                                   .waits = dice(400) == 0,
                                   .closes = dice(1000) == 0,
                                   .cluster_cells = dice(20000)};
        added &= stage3_tasks_add(&pass->tasks, 1, &left, &work, NULL);
        first_left = i % BLOCK == 0 ? left : first_left;
        if (i % BLOCK < BLOCK - 1)
            continue;
        int64_t late = i / BLOCK % 3 * (BOARD_TICKS_PER_CLOCK / 2);
        if (late > 0 || first_left < last_arrived)
            stage3_tasks_delay(&pass->tasks, i + 1 - BLOCK, &(struct burst_run){1, 1, BLOCK, 0, 0, 0}, late,
                               last_arrived);
        last_arrived = left + late;
    }
    ck_assert(added);
    pass->board_end = board_clock_at(last_arrived) + 100;
    pass->board_s = (double)pass->board_end / run->hardware.fpga_clock_hz;
    stage3_tasks_end(&pass->tasks, pass->board_s, dice(2000));
    wide_uint *counters = run->frames[0].counters;
    counters[S1B_MATCHES_OUT] = counters[S2_MATCHES] = counters[S2_HSPS_OUT] = HSPS;
    run->frames[0].queues[FIFO_STAGE2].elements = run->frames[0].queues[FIFO_EGRESS].elements = HSPS;
}

/* What the host does does not depend on where HSPs wait for it. */
START_TEST(test_hsps_in_a_file_are_those_in_memory)
{
    static struct made_run filed, memory;
    struct host_schedule_result from_file, in_memory;
    make_long_run(&filed, 1);
    make_long_run(&memory, 0);
    ck_assert_uint_eq(filed.passes[0].tasks.in_file, 2 * STAGE3_CHUNK_HSPS);
    ck_assert_uint_eq(memory.passes[0].tasks.in_file, 0);
    ck_assert_msg(fill(&filed, _i, &from_file) == 0, "%s", why.line);
    ck_assert_msg(fill(&memory, false, &in_memory) == 0, "%s", why.line);
    check_equal(&filed, &memory);
    ck_assert(from_file.end_s == in_memory.end_s && from_file.busy_s == in_memory.busy_s);
    ck_assert_mem_eq(&from_file.inbox, &in_memory.inbox, sizeof from_file.inbox);
    ck_assert_uint_gt(in_memory.inbox.most, 10);
}
END_TEST

/* The last pass to finish is wrong, so that no other pass is open then. */
START_TEST(test_a_frame_that_contradicts_itself_is_found)
{
    static struct made_run run;
    struct host_schedule_result result;
    make_run(&run, (unsigned)_i);
    run.hardware.overlap = OVERLAP_SERIAL;
    struct frame *last = &run.frames[run.pass_count - 1];
    if (_i % 2 == 0)
        last->counters[S2_HSPS_OUT]++;
    else
        last->queues[FIFO_WMER].integral++;
    ck_assert_int_eq(fill(&run, false, &result), PASS_EBUG);
    char pass[32];
    snprintf(pass, sizeof pass, "pass %zu: ", run.pass_count);
    ck_assert_msg(strncmp(why.line, pass, strlen(pass)) == 0, "%s", why.line);
    ck_assert_ptr_nonnull(strstr(why.line, _i % 2 == 0 ? "lost" : "Little's law"));
    destroy_run(&run);
}
END_TEST

/* Tasks of passes that were added are gone; passes that were not keep theirs. */
START_TEST(test_after_an_error_the_rest_is_the_callers)
{
    static struct made_run run;
    struct host_schedule_result result;
    unsigned seed = 0;
    do {
        destroy_run(&run);
        make_run(&run, seed++);
    } while (run.pass_count < 4);
    run.hardware.overlap = OVERLAP_SERIAL;
    run.frames[0].counters[S2_MATCHES]++;
    ck_assert_int_eq(fill(&run, false, &result), PASS_EBUG);
    ck_assert_ptr_null(run.passes[0].tasks.clusters);
    destroy_run(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("joined_hosts_in_memory");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 60);
    tcase_add_loop_test(core, test_passes_in_memory_are_those_in_files, 0, tests_some(RUNS));
    tcase_add_loop_test(core, test_hsps_in_a_file_are_those_in_memory, 0, 2);
    tcase_add_loop_test(core, test_a_frame_that_contradicts_itself_is_found, 0, 4);
    tcase_add_test(core, test_after_an_error_the_rest_is_the_callers);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
