/* test_sim_clock.c - SimGrid's clock, bus and disk as the machine uses them, a simulation a test.
 *
 * Clock   one period of the FPGA's is 7.5e-9 s; SimGrid's default precision, 1e-9 s, would round it.
 * Bus     N bytes over B bytes/s take N / B, two flows at a time get B / 2 each.
 * MERCURY_SOURCE_DIR names the folder that data/ is in; the current one where it is not set.
 */
#include "sim/simgrid/simgrid_engine.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xbt/config.h>

#include "base/why.h"
#include "sim/platform/platform.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

static struct hardware hardware;
static sg_host_t host, board;
static struct platform *platform;

static void start_engine_by(void (*start)(const char *platform_file), const char *overrides[], int count)
{
    char path[4096];
    struct why why;
    const char *source = getenv("MERCURY_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/data/platforms/mercury-2010.xml", source ? source : ".");
    hardware = hardware_default();
    ck_assert_msg(platform_open(path, &hardware, &platform, &why) == 0, "%s", why.line);
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(hardware_set_assignment(&hardware, overrides[i], &why), 0);
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
    start(platform_simgrid_file(platform));
    host = sg_host_by_name("host");
    board = sg_host_by_name("fpga");
}

static void start_engine_with(const char *overrides[], int count)
{
    start_engine_by(simgrid_engine_start, overrides, count);
}

static void start_engine(void)
{
    start_engine_with(NULL, 0);
}

static void stop_engine(void)
{
    platform_close(platform);
}

/* --- actors ---------------------------------------------------------------------------------------------- */

struct nap {
    double length_s;
    int count;
    double ended_s;
};

static void sleeper(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct nap *nap = sg_actor_self_get_data();
    for (int i = 0; i < nap->count; i++)
        sg_actor_sleep_for(nap->length_s);
    nap->ended_s = simgrid_get_clock();
}

struct flow {
    const char *mailbox;
    double bytes;
    double begin_s, ended_s;
};

static void sender(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct flow *flow = sg_actor_self_get_data();
    if (flow->begin_s > 0)
        sg_actor_sleep_for(flow->begin_s);
    sg_mailbox_put(sg_mailbox_by_name(flow->mailbox), flow, (long)flow->bytes);
    flow->ended_s = simgrid_get_clock();
}

static void receiver(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct flow *flow = sg_actor_self_get_data();
    ck_assert_ptr_eq(sg_mailbox_get(sg_mailbox_by_name(flow->mailbox)), flow);
}

static void add_flow(struct flow *flow, sg_host_t from, sg_host_t to)
{
    simgrid_engine_add_actor("sender", from, sender, flow);
    simgrid_engine_add_actor("receiver", to, receiver, flow);
}

static void reader(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct flow *flow = sg_actor_self_get_data();
    unsigned count = 0;
    sg_disk_t *disks = NULL;
    sg_host_get_disks(host, &count, &disks);
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(sg_disk_get_name(disks[0]), "memory");
    sg_disk_read(disks[0], (sg_size_t)flow->bytes);
    free(disks);
    flow->ended_s = simgrid_get_clock();
}

struct work {
    double cycles;
    double ended_s;
};

static void worker(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct work *work = sg_actor_self_get_data();
    sg_actor_execute(work->cycles);
    work->ended_s = simgrid_get_clock();
}

/* --- core ------------------------------------------------------------------------------------------------ */

START_TEST(test_precision_is_set)
{
    start_engine();
    ck_assert_double_eq(sg_cfg_get_double(SIMGRID_PRECISION_KEY), SIMGRID_PRECISION_S);
    ck_assert_double_le(SIMGRID_PRECISION_S, 1e-12);
}
END_TEST

/* SimGrid refuses to load hosts of the same names again. A child has the whole engine: 1e6 bytes over 1010.8e6 bytes/s,
 * from clock 0 on. */
START_TEST(test_a_child_has_the_engine_of_its_parent)
{
    start_engine_by(simgrid_engine_start_for_children, NULL, 0);
    simgrid_engine_start_for_children(platform_simgrid_file(platform));
    pid_t child = fork();
    if (child == 0) {
        struct flow flow = {.mailbox = "in", .bytes = 1e6};
        simgrid_engine_start(platform_simgrid_file(platform));
        add_flow(&flow, host, board);
        simgrid_run();
        _exit(fabs(flow.ended_s - 1e6 / 1064e6) > 2 * SIMGRID_PRECISION_S);
    }
    int status = 1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}
END_TEST

/* 20,000 clocks of 7.5 ns are 1.5e-4 s; with the default precision each would be merged or rounded. */
START_TEST(test_clocks_of_the_board_add_up)
{
    struct nap nap = {.length_s = 7.5e-9, .count = 20000};
    start_engine();
    simgrid_engine_add_actor("sleeper", board, sleeper, &nap);
    simgrid_run();
    assert_close(nap.ended_s, 20000 * 7.5e-9, 1e-6);
}
END_TEST

/* With a precision of 1e-9 s a sleep of 1e-10 s takes 1e-9 s: ten times too long. */
START_TEST(test_sleeps_below_a_nanosecond_keep_their_length)
{
    struct nap nap = {.length_s = 1e-10, .count = 10000};
    start_engine();
    simgrid_engine_add_actor("sleeper", board, sleeper, &nap);
    simgrid_run();
    assert_close(nap.ended_s, 1e-6, 1e-6);
}
END_TEST

/* Two that end 0.4 ns apart do not end together. */
START_TEST(test_near_events_are_not_merged)
{
    struct nap one = {.length_s = 1.0e-8, .count = 1}, two = {.length_s = 1.04e-8, .count = 1};
    start_engine();
    simgrid_engine_add_actor("one", board, sleeper, &one);
    simgrid_engine_add_actor("two", board, sleeper, &two);
    simgrid_run();
    assert_close(one.ended_s, 1.0e-8, 1e-6);
    assert_close(two.ended_s, 1.04e-8, 1e-6);
}
END_TEST

/* 1 GB at 1064 MB/s x 0.95. */
START_TEST(test_a_transfer_takes_its_bytes_over_the_bandwidth)
{
    struct flow flow = {.mailbox = "in", .bytes = 1e9};
    start_engine();
    add_flow(&flow, host, board);
    simgrid_run();
    assert_close(flow.ended_s, 1e9 / 1064e6, 1e-9);
}
END_TEST

START_TEST(test_the_way_back_is_as_fast)
{
    struct flow flow = {.mailbox = "out", .bytes = 65536};
    start_engine();
    add_flow(&flow, board, host);
    simgrid_run();
    assert_close(flow.ended_s, 65536 / 1064e6, 1e-9);
}
END_TEST

START_TEST(test_overrides_change_the_bus)
{
    const char *overrides[] = {"pcix.bandwidth=2e8", "pcix.efficiency=0.5"};
    struct flow flow = {.mailbox = "in", .bytes = 1e6};
    start_engine_with(overrides, 2);
    add_flow(&flow, host, board);
    simgrid_run();
    assert_close(flow.ended_s, 1e6 / 1e8, 1e-9);
}
END_TEST

/* Equal flows in opposite directions: each has half, both take twice as long. */
START_TEST(test_two_opposite_flows_share_the_bus)
{
    struct flow in = {.mailbox = "in", .bytes = 1e8}, out = {.mailbox = "out", .bytes = 1e8};
    start_engine();
    add_flow(&in, host, board);
    add_flow(&out, board, host);
    simgrid_run();
    double alone_s = 1e8 / hardware_link_bytes_per_s(&hardware);
    assert_close(in.ended_s, 2 * alone_s, 1e-9);
    assert_close(out.ended_s, 2 * alone_s, 1e-9);
}
END_TEST

/* 1e8 in, 2e7 out, begun together: the small one has half the bus and takes 4e7 / B; by then 2e7 of the
 * large one are over, and its other 8e7 have the whole bus: 1.2e8 / B in all. */
START_TEST(test_a_small_flow_delays_a_large_one_by_its_bytes)
{
    struct flow in = {.mailbox = "in", .bytes = 1e8}, out = {.mailbox = "out", .bytes = 2e7};
    start_engine();
    add_flow(&in, host, board);
    add_flow(&out, board, host);
    simgrid_run();
    double bus = hardware_link_bytes_per_s(&hardware);
    assert_close(out.ended_s, 4e7 / bus, 1e-9);
    assert_close(in.ended_s, 1.2e8 / bus, 1e-9);
}
END_TEST

START_TEST(test_a_disk_read_takes_its_bytes_over_the_supply)
{
    struct flow flow = {.bytes = 65536};
    start_engine();
    simgrid_engine_add_actor("reader", host, reader, &flow);
    simgrid_run();
    assert_close(flow.ended_s, 65536 / 895e6, 1e-9);
}
END_TEST

/* A core of 2.4 GHz does 1e6 clocks in 1e6 / 2.4e9 s, and eight workers have a core each. */
START_TEST(test_each_worker_has_a_core)
{
    struct work works[8];
    start_engine();
    for (int i = 0; i < 8; i++) {
        works[i] = (struct work){.cycles = 1e6};
        simgrid_engine_add_actor("worker", host, worker, &works[i]);
    }
    simgrid_run();
    for (int i = 0; i < 8; i++)
        assert_close(works[i].ended_s, 1e6 / 2.4e9, 1e-9);
}
END_TEST

/* --- limits ---------------------------------------------------------------------------------------------- */

/* One word, 8 bytes: 7.5 ns, as exact as a block. */
START_TEST(test_a_transfer_of_one_word)
{
    struct flow flow = {.mailbox = "in", .bytes = 8};
    start_engine();
    add_flow(&flow, host, board);
    simgrid_run();
    ck_assert_double_eq_tol(flow.ended_s, 8 / 1064e6, 2 * SIMGRID_PRECISION_S);
}
END_TEST

START_TEST(test_a_transfer_of_no_bytes_takes_no_time)
{
    struct flow flow = {.mailbox = "out", .bytes = 0, .ended_s = -1};
    start_engine();
    add_flow(&flow, board, host);
    simgrid_run();
    ck_assert_double_eq_tol(flow.ended_s, 0, SIMGRID_PRECISION_S);
}
END_TEST

/* A double keeps 16 digits: after 1000 s a clock of 7.5 ns still moves. */
START_TEST(test_clocks_still_count_late_in_a_run)
{
    struct nap first = {.length_s = 1000, .count = 1};
    struct flow flow = {.mailbox = "in", .bytes = 65536, .begin_s = 1000};
    start_engine();
    simgrid_engine_add_actor("sleeper", board, sleeper, &first);
    add_flow(&flow, host, board);
    simgrid_run();
    assert_close(flow.ended_s - first.ended_s, 65536 / 1064e6, 1e-6);
}
END_TEST

/* Nine workers on eight cores share them. */
START_TEST(test_a_worker_too_many_shares_the_cores)
{
    struct work works[9];
    start_engine();
    for (int i = 0; i < 9; i++) {
        works[i] = (struct work){.cycles = 8e6};
        simgrid_engine_add_actor("worker", host, worker, &works[i]);
    }
    simgrid_run();
    for (int i = 0; i < 9; i++)
        assert_close(works[i].ended_s, 9e6 / 2.4e9, 1e-9);
}
END_TEST

/* --- errors ---------------------------------------------------------------------------------------------- */

START_TEST(test_the_shipped_platform_has_what_is_needed)
{
    char path[4096];
    const char *source = getenv("MERCURY_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/data/platforms/mercury-2010.xml", source ? source : ".");
    ck_assert_ptr_null(simgrid_engine_try(path));
}
END_TEST

/* --- suite ----------------------------------------------------------------------------------------------- */

static TCase *core(void)
{
    TCase *tcase = tcase_create("core");
    tcase_add_checked_fixture(tcase, NULL, stop_engine);
    tcase_add_test(tcase, test_precision_is_set);
    tcase_add_test(tcase, test_a_child_has_the_engine_of_its_parent);
    tcase_add_test(tcase, test_clocks_of_the_board_add_up);
    tcase_add_test(tcase, test_sleeps_below_a_nanosecond_keep_their_length);
    tcase_add_test(tcase, test_near_events_are_not_merged);
    tcase_add_test(tcase, test_a_transfer_takes_its_bytes_over_the_bandwidth);
    tcase_add_test(tcase, test_the_way_back_is_as_fast);
    tcase_add_test(tcase, test_overrides_change_the_bus);
    tcase_add_test(tcase, test_two_opposite_flows_share_the_bus);
    tcase_add_test(tcase, test_a_small_flow_delays_a_large_one_by_its_bytes);
    tcase_add_test(tcase, test_a_disk_read_takes_its_bytes_over_the_supply);
    tcase_add_test(tcase, test_each_worker_has_a_core);
    return tcase;
}

static TCase *limits(void)
{
    TCase *tcase = tcase_create("limits");
    tcase_add_checked_fixture(tcase, NULL, stop_engine);
    tcase_add_test(tcase, test_a_transfer_of_one_word);
    tcase_add_test(tcase, test_a_transfer_of_no_bytes_takes_no_time);
    tcase_add_test(tcase, test_clocks_still_count_late_in_a_run);
    tcase_add_test(tcase, test_a_worker_too_many_shares_the_cores);
    return tcase;
}

static TCase *errors(void)
{
    TCase *tcase = tcase_create("errors");
    tcase_add_test(tcase, test_the_shipped_platform_has_what_is_needed);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("sim_clock");
    suite_add_tcase(suite, core());
    suite_add_tcase(suite, limits());
    suite_add_tcase(suite, errors());
    return run_suite(suite);
}
