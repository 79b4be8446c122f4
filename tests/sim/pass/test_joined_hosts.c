/* test_joined_hosts.c - the hosts of a run: passes are added, and taken with their times, by each engine; how they are
 * dealt, what the network takes, and what a run of several hosts adds up to. Times of the network are computed by hand.
 * MERCURY_SOURCE_DIR names the folder that data/ is in; the current one where it is not set.
 */
#include "sim/pass/joined_hosts.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/board/board.h"
#include "sim/host/task_log.h"
#include "sim/measure/machine_frame.h"
#include "sim/pass/pass_simulation.h"
#include "sim/platform/platform.h"
#include "tests/run_suite.h"

enum { PASSES_MAX = 12, HSPS = 20, HSPS_MOST = 30, PASSES = 4, ALIGNMENTS = 1000, SEGMENT = 1000 };

/* 1e6 B/s and 1 ms are easily added up. */
static const double BANDWIDTH = 1e6, LATENCY_S = 1e-3, TOLERANCE_S = 1e-11;

static struct why why;
static struct hardware hardware;
static struct platform *platform;

static void set(const char *assignment)
{
    ck_assert_msg(hardware_set_assignment(&hardware, assignment, &why) == 0, "%s", why.line);
}

static void make_machine(uint32_t hosts)
{
    char path[4096], number[32];
    const char *source_directory = getenv("MERCURY_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/data/platforms/mercury-2010.xml",
             source_directory ? source_directory : ".");
    hardware = hardware_default();
    platform_close(platform);
    ck_assert_msg(platform_open(path, &hardware, &platform, &why) == 0, "%s", why.line);
    snprintf(number, sizeof number, "hosts=%u", (unsigned)hosts);
    set(number);
    set("network.bandwidth=1e6");
    set("network.latency=1e-3");
    ck_assert_int_eq(hardware_check(&hardware, &why), 0);
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
}

static void tear_down(void)
{
    platform_close(platform);
    platform = NULL;
}

/* --- dealing --------------------------------------------------------------------------------------------- */

/* Every pass is one host's, whatever their numbers are; hosts differ by one pass at most. */
START_TEST(test_passes_are_dealt_one_by_one)
{
    hardware = hardware_default();
    hardware.hosts = (uint32_t)_i;
    for (size_t count = 0; count < 3 * (size_t)_i; count++) {
        size_t sum = 0;
        for (uint32_t host = 0; host < hardware.hosts; host++) {
            size_t passes = hardware_passes_of(&hardware, host, count);
            ck_assert(passes == count / hardware.hosts || passes == count / hardware.hosts + 1);
            for (size_t i = 0; i < passes; i++) {
                size_t pass = hardware_pass_of(&hardware, host, i);
                ck_assert_uint_lt(pass, count);
                ck_assert_uint_eq(hardware_host_of(&hardware, pass), host);
            }
            sum += passes;
        }
        ck_assert_uint_eq(sum, count);
    }
}
END_TEST

/* 1000 bases are 62.5 words of 16 bases: 63 words of 8 bytes. Host 0 of 2 has passes 0, 2 and 4. If the database is
 * dealt, the whole query is sent once: 1500 bases are 94 words. */
START_TEST(test_query_is_packed_on_the_network)
{
    struct query_segment segments[5];
    for (unsigned i = 0; i < 5; i++)
        segments[i] = (struct query_segment){.length = SEGMENT};
    const struct network_query query = {1500, segments, 5};
    hardware = hardware_default();
    hardware.hosts = 2;
    ck_assert_uint_eq(joined_hosts_query_bytes(&hardware, &query, 0), 3 * 63 * 8);
    ck_assert_uint_eq(joined_hosts_query_bytes(&hardware, &query, 1), 2 * 63 * 8);
    hardware.distribution = DISTRIBUTION_DATABASE;
    ck_assert_uint_eq(joined_hosts_query_bytes(&hardware, &query, 1), 94 * 8);
}
END_TEST

/* --- the network ----------------------------------------------------------------------------------------- */

/* Loop index = number of hosts H. The H - 1 other hosts get 10^4 bytes each, at a time: with equal parts of the link
 * that takes the latency and (H - 1) x 10 ms. All work for 0.5 s and send 2 x 10^4 bytes, at a time, too. */
START_TEST(test_equal_messages_share_the_link)
{
    const uint32_t count = (uint32_t)_i;
    struct network_host hosts[8];
    struct network_use use;
    make_machine(count);
    for (uint32_t i = 0; i < count; i++)
        hosts[i] = (struct network_host){.query_bytes = 10000, .result_bytes = 20000, .work_s = 0.5};
    ck_assert_msg(joined_hosts_network(platform_simgrid_file(platform), hosts, count, &use, &why) == 0, "%s",
                  why.line);
    double query_s = LATENCY_S + (count - 1) * 10000 / BANDWIDTH;
    double result_s = LATENCY_S + (count - 1) * 20000 / BANDWIDTH;
    ck_assert_double_eq(hosts[0].begin_s, 0);
    ck_assert_double_eq(hosts[0].arrived_s, 0.5);
    for (uint32_t i = 1; i < count; i++) {
        ck_assert_double_eq_tol(hosts[i].begin_s, query_s, TOLERANCE_S);
        ck_assert_double_eq_tol(hosts[i].end_s, query_s + 0.5, TOLERANCE_S);
        ck_assert_double_eq_tol(hosts[i].arrived_s, query_s + 0.5 + result_s, TOLERANCE_S);
    }
    ck_assert_uint_eq(use.query_bytes, (count - 1) * 10000);
    ck_assert_uint_eq(use.result_bytes, (count - 1) * 20000);
    ck_assert_double_eq_tol(use.queries_s, query_s, TOLERANCE_S);
    ck_assert_double_eq_tol(use.busy_s, query_s + result_s, TOLERANCE_S);
}
END_TEST

/* Host 1 gets 10,000 and host 2 gets 30,000 bytes. Both begin to move after 1 ms; with half the link each, host 1 has
 * its bytes after 20 ms more, when host 2 has 10,000; the other 20,000 take 20 ms on the whole link. Without results
 * there is a message all the same. Host 1 ends long before host 2, so that their results do not meet. */
START_TEST(test_unequal_messages)
{
    struct network_host hosts[3] = {{.work_s = 0.1},
                                    {.query_bytes = 10000, .work_s = 0.1},
                                    {.query_bytes = 30000, .work_s = 1, .result_bytes = 500}};
    struct network_use use;
    make_machine(3);
    ck_assert_msg(joined_hosts_network(platform_simgrid_file(platform), hosts, 3, &use, &why) == 0, "%s",
                  why.line);
    ck_assert_double_eq_tol(hosts[1].begin_s, 0.021, TOLERANCE_S);
    ck_assert_double_eq_tol(hosts[2].begin_s, 0.041, TOLERANCE_S);
    ck_assert_double_eq_tol(hosts[1].arrived_s, 0.021 + 0.1 + LATENCY_S, TOLERANCE_S);
    ck_assert_double_eq_tol(hosts[2].arrived_s, 1.041 + LATENCY_S + 500 / BANDWIDTH, TOLERANCE_S);
}
END_TEST

/* A long latency limits no bandwidth: there is no window of TCP. */
START_TEST(test_long_latency)
{
    struct network_host hosts[2] = {{0}, {.query_bytes = 125000000, .work_s = 0.5}};
    struct network_use use;
    make_machine(2);
    set("network.latency=5");
    set("network.bandwidth=125e6");
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
    ck_assert_msg(joined_hosts_network(platform_simgrid_file(platform), hosts, 2, &use, &why) == 0, "%s",
                  why.line);
    ck_assert_double_eq_tol(hosts[1].begin_s, 6, 1e-9);
}
END_TEST

/* --- a run ----------------------------------------------------------------------------------------------- */

static struct query_segment segments[PASSES_MAX];

/* Each of its HSPs can begin 1000 clocks after the one before. */
static struct host_pass make_pass(size_t hsps)
{
    struct host_pass pass = {.board_s = 1e-3, .board_end = 1000, .alignments = ALIGNMENTS};
    for (size_t i = 0; i < hsps; i++) {
        struct stage3_work work = {.cells = 5000 * (i + 1), .waits = i % 3 == 0};
        int64_t arrived = (int64_t)(i * 1000) << 20;
        ck_assert(stage3_tasks_add(&pass.tasks, 1, &arrived, &work, NULL));
    }
    stage3_tasks_end(&pass.tasks, 1e-3, hsps > 0 ? 300000 : 0);
    return pass;
}

/* What was taken of each pass. */
static struct taken {
    unsigned times; /* how often */
    uint32_t host;
    double begin_s, end_s;
    struct task_times hsps[HSPS_MOST];
} taken[PASSES_MAX];

static int take(void *data, const struct host_pass *pass, struct why *reason)
{
    struct taken *t = (struct taken *)data + pass->number;
    struct task_times *hsps = task_reader_all(pass, &hardware);
    (void)reason;
    ck_assert_ptr_nonnull(hsps);
    ck_assert_uint_le(pass->tasks.hsp_count, HSPS_MOST);
    t->times++;
    t->host = pass->host;
    t->begin_s = pass->begin_s;
    t->end_s = pass->end_s;
    memcpy(t->hsps, hsps, pass->tasks.hsp_count * sizeof *hsps);
    free(hsps);
    return 0;
}

static struct joined_hosts *open_hosts(size_t pass_count, double agent_share, bool check)
{
    for (size_t i = 0; i < PASSES_MAX; i++)
        segments[i] = (struct query_segment){.length = SEGMENT};
    const struct joined_hosts_request request = {.hardware = &hardware,
                                                 .platform_file = platform_simgrid_file(platform),
                                                 .query = {SEGMENT, segments, pass_count},
                                                 .take = take,
                                                 .data = taken,
                                                 .agent_share = agent_share,
                                                 .check = check};
    struct joined_hosts *hosts = joined_hosts_new(&request);
    ck_assert_ptr_nonnull(hosts);
    memset(taken, 0, sizeof taken);
    return hosts;
}

static void add(struct joined_hosts *hosts, struct host_pass pass)
{
    ck_assert_msg(joined_hosts_add(hosts, &pass, &why) == 0, "%s", why.line);
    ck_assert_ptr_null(pass.tasks.hsps);
}

static struct joined_hosts_result end(struct joined_hosts *hosts)
{
    struct joined_hosts_result result;
    ck_assert_msg(joined_hosts_end(hosts, &result, &why) == 0, "%s", why.line);
    joined_hosts_destroy(hosts);
    return result;
}

/* Let `hosts` hosts work on passes. @param agent_share  of a core */
static struct joined_hosts_result run(uint32_t hosts, size_t pass_count, double agent_share)
{
    make_machine(hosts);
    struct joined_hosts *all = open_hosts(pass_count, agent_share, false);
    for (size_t i = 0; i < pass_count; i++)
        add(all, make_pass(HSPS));
    return end(all);
}

/* Loop index = number of hosts H, each with one pass: the run takes the time of one pass and that of the network. Each
 * other host gets 63 words of query and sends 1000 alignments of 112 bytes. */
START_TEST(test_a_pass_a_host_takes_the_time_of_one_pass)
{
    const uint32_t hosts = (uint32_t)_i;
    double pass_s = run(1, 1, 0).host.end_s;
    struct joined_hosts_result result = run(hosts, hosts, 0);
    double network_s = 2 * LATENCY_S + (hosts - 1) * (63 * 8 + 112.0 * ALIGNMENTS) / BANDWIDTH;
    ck_assert_double_eq_tol(result.host.end_s, pass_s + network_s, TOLERANCE_S);
    ck_assert_double_eq_tol(result.network.busy_s, network_s, TOLERANCE_S);
    for (uint32_t i = 0; i < hosts; i++) {
        ck_assert_uint_eq(taken[i].times, 1);
        ck_assert_uint_eq(taken[i].host, i);
        ck_assert_double_eq(taken[i].begin_s, 0);
        ck_assert_double_eq_tol(taken[i].end_s, pass_s, TOLERANCE_S);
    }
}
END_TEST

/* Loop index = number of hosts. Whatever it is, the same work is done: elements of the inbox and time of cores;
 * Little's law holds over all inboxes, and their clocks are those of the run, once a host. */
START_TEST(test_work_is_conserved)
{
    const uint32_t hosts = (uint32_t)_i;
    struct joined_hosts_result one = run(1, PASSES_MAX, 0), result = run(hosts, PASSES_MAX, 0);
    ck_assert_uint_eq(result.host.inbox.elements, PASSES_MAX * HSPS);
    ck_assert(fifo_measure_is_consistent(&result.host.inbox));
    ck_assert_double_eq_tol(result.host.busy_s, one.host.busy_s, 1e-12);
    ck_assert_double_eq_tol((double)result.host.inbox.clocks / hosts,
                            result.host.end_s * hardware.fpga_clock_hz, 2);
    for (size_t i = 0; i < PASSES_MAX; i++) {
        ck_assert_uint_eq(taken[i].times, 1);
        ck_assert_uint_eq(taken[i].host, i % hosts);
    }
}
END_TEST

/* Hosts without a pass get no message, and no mean has them: of 8 hosts, the run of 2 passes is that of 2 hosts. */
START_TEST(test_hosts_without_a_pass_are_idle)
{
    struct joined_hosts_result two = run(2, 2, 0), eight = run(8, 2, 0);
    ck_assert_double_eq_tol(eight.host.end_s, two.host.end_s, TOLERANCE_S);
    ck_assert_uint_eq(eight.network.result_bytes, two.network.result_bytes);
    ck_assert_double_eq_tol(eight.network.wait_s, two.network.wait_s, TOLERANCE_S);
    ck_assert_double_eq_tol(eight.network.idle_s, two.network.idle_s, TOLERANCE_S);
}
END_TEST

/* An agent works on every host while the host does. */
START_TEST(test_every_host_has_an_agent)
{
    struct joined_hosts_result one = run(1, 2, 0.25), three = run(3, 6, 0.25);
    ck_assert_double_gt(one.agent_s, 0);
    ck_assert_double_eq_tol(three.agent_s, 3 * one.agent_s, 1e-9);
}
END_TEST

/* --- engines --------------------------------------------------------------------------------------------- */

static void make_two_cores(void)
{
    make_machine(1);
    set("host.cores=2");
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
}

/* Pass `number` has that many times 10 HSPs. */
static struct joined_hosts_result run_growing(bool check)
{
    struct joined_hosts *hosts = open_hosts(PASSES, 0, check);
    for (size_t i = 0; i < PASSES; i++)
        add(hosts, make_pass(10 * i));
    return end(hosts);
}

/* Loop index = whether SimGrid checks it. */
START_TEST(test_passes_are_taken_with_their_times)
{
    make_two_cores();
    run_growing(_i);
    for (size_t i = 0; i < PASSES; i++) {
        ck_assert_uint_eq(taken[i].times, 1);
        ck_assert_double_eq_tol(taken[i].begin_s, 1e-3 * (double)i, 1e-12);
        for (size_t hsp = 0; hsp < 10 * i; hsp++)
            ck_assert_double_gt(taken[i].hsps[hsp].end_s, taken[i].hsps[hsp].begin_s);
    }
}
END_TEST

/* Padding between members may differ. */
static void check_same_host(const struct host_schedule_result *one, const struct host_schedule_result *other)
{
    ck_assert(one->end_s == other->end_s && one->boards_end_s == other->boards_end_s);
    ck_assert(one->busy_s == other->busy_s && one->build_s == other->build_s);
    ck_assert(one->longest_s == other->longest_s && one->inbox.places == other->inbox.places);
    ck_assert(one->inbox.clocks == other->inbox.clocks && one->inbox.elements == other->inbox.elements);
    ck_assert(one->inbox.integral == other->inbox.integral);
    ck_assert(one->inbox.sojourn_clocks == other->inbox.sojourn_clocks);
    ck_assert(one->inbox.most == other->inbox.most && one->inbox.overflow == other->inbox.overflow);
    ck_assert_mem_eq(one->inbox.bins, other->inbox.bins, sizeof one->inbox.bins);
}

/* The first pass finishes while passes are added; in the end all times are those of passes that were added before. */
START_TEST(test_the_host_follows_the_passes)
{
    static struct taken before[PASSES];
    make_two_cores();
    struct joined_hosts_result computed = run_growing(true);
    memcpy(before, taken, sizeof before);
    struct joined_hosts *following = open_hosts(PASSES, 0, false);
    for (size_t i = 0; i < PASSES - 1; i++)
        add(following, make_pass(10 * i));
    ck_assert_uint_eq(taken[0].times, 1);
    add(following, make_pass(10 * (PASSES - 1)));
    struct joined_hosts_result followed = end(following);
    check_same_host(&computed.host, &followed.host);
    for (size_t i = 0; i < PASSES; i++) {
        ck_assert_uint_eq(taken[i].times, 1);
        ck_assert(before[i].begin_s == taken[i].begin_s && before[i].end_s == taken[i].end_s);
        for (size_t hsp = 0; hsp < 10 * i; hsp++)
            ck_assert(before[i].hsps[hsp].begin_s == taken[i].hsps[hsp].begin_s);
    }
}
END_TEST

/* Two boards that share a bus are dealt passes 2 and 3 while they work; pass 3 begins first, at once. */
static const double dealt_s[] = {0, 0, 0.4e-3, 1.1e-3}, begins_s[] = {0, 0, 1.2e-3, 1.1e-3};

static struct host_pass make_coupled_pass(size_t number)
{
    struct host_pass pass = make_pass(10 * number);
    pass.dealt_s = dealt_s[number];
    pass.begin_s = begins_s[number];
    pass.board = (uint32_t)number % 2;
    return pass;
}

/* A host follows boards that depend on each other, as far as it is known which pass begins next. */
START_TEST(test_the_host_follows_coupled_boards)
{
    static struct taken before[PASSES];
    struct host_schedule_result hosts[2];
    make_two_cores();
    set("boards=2");
    ck_assert(hardware_couples_boards(&hardware));
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
    for (int follow = 0; follow < 2; follow++) {
        struct joined_hosts *all = open_hosts(PASSES, 0, !follow);
        for (size_t i = 0; i < PASSES; i++) {
            add(all, make_coupled_pass(i));
            ck_assert_uint_eq(taken[0].times, follow && i == 3);
        }
        hosts[follow] = end(all).host;
        if (!follow)
            memcpy(before, taken, sizeof before);
    }
    check_same_host(&hosts[0], &hosts[1]);
    for (size_t i = 0; i < PASSES; i++) {
        ck_assert(before[i].begin_s == taken[i].begin_s && before[i].end_s == taken[i].end_s);
        ck_assert_double_eq(taken[i].begin_s, begins_s[i]);
        for (size_t hsp = 0; hsp < 10 * i; hsp++)
            ck_assert(before[i].hsps[hsp].begin_s == taken[i].hsps[hsp].begin_s);
    }
}
END_TEST

static int refuse(void *data, const struct host_pass *pass, struct why *reason)
{
    (void)data;
    return pass->number == 2 ? why_say(reason, PASS_EBUG, "the third is refused") : 0;
}

/* Loop index = the engine: the host follows, SimGrid checks, an agent shares the cores. */
START_TEST(test_a_taker_that_fails_ends_the_run)
{
    make_two_cores();
    const struct joined_hosts_request request = {.hardware = &hardware,
                                                 .platform_file = platform_simgrid_file(platform),
                                                 .query.pass_count = PASSES,
                                                 .take = refuse,
                                                 .agent_share = _i == 2 ? 0.1 : 0,
                                                 .check = _i == 1};
    struct joined_hosts *hosts = joined_hosts_new(&request);
    struct joined_hosts_result result;
    int status = 0;
    for (size_t i = 0; i < PASSES && status == 0; i++) {
        struct host_pass pass = make_pass(10 * i);
        status = joined_hosts_add(hosts, &pass, &why);
        stage3_tasks_destroy(&pass.tasks);
    }
    ck_assert_int_eq(status ? status : joined_hosts_end(hosts, &result, &why), PASS_EBUG);
    ck_assert_str_eq(why.line, "the third is refused");
    joined_hosts_destroy(hosts);
}
END_TEST

static int take_any(void *data, const struct host_pass *pass, struct why *reason)
{
    (void)pass, (void)reason;
    ++*(unsigned *)data;
    return 0;
}

/* A core that is never idle adds up 300,000 equal durations, which round alike: by far more than a picosecond in the
 * end, and the engines add in different ways. That is no disagreement. */
START_TEST(test_rounding_is_no_disagreement)
{
    enum { MANY = 300000 };
    unsigned passes = 0;
    make_machine(1);
    set("host.cores=1");
    ck_assert_msg(platform_prepare(platform, &hardware, &why) == 0, "%s", why.line);
    const struct joined_hosts_request request = {.hardware = &hardware,
                                                 .platform_file = platform_simgrid_file(platform),
                                                 .query = {SEGMENT, segments, 1},
                                                 .take = take_any,
                                                 .data = &passes,
                                                 .check = true};
    struct joined_hosts *hosts = joined_hosts_new(&request);
    struct host_pass pass = {.board_s = 0.1, .board_end = 13300000};
    const int64_t arrived = INT64_C(13000000) << 20;
    const struct stage3_work work = {.cells = 777};
    for (unsigned i = 0; i < MANY; i++)
        ck_assert(stage3_tasks_add(&pass.tasks, 1, &arrived, &work, NULL));
    stage3_tasks_end(&pass.tasks, 0.1, 300000);
    add(hosts, pass);
    end(hosts);
    ck_assert_uint_eq(passes, 1);
}
END_TEST

/* The last HSP of each pass arrives when the stream ends, and the board is free then: three events that rounding parts
 * by less than SimGrid's precision. For none of them SimGrid may sleep so long, or passes would begin later and later.
 */
START_TEST(test_rounding_takes_no_time)
{
    enum { MANY = 400 };
    unsigned passes = 0;
    make_machine(1);
    const struct joined_hosts_request request = {.hardware = &hardware,
                                                 .platform_file = platform_simgrid_file(platform),
                                                 .query = {SEGMENT, segments, MANY},
                                                 .take = take_any,
                                                 .data = &passes,
                                                 .check = true};
    struct joined_hosts *hosts = joined_hosts_new(&request);
    const int64_t arrived = INT64_C(70001) << 20;
    const double begin_s = 1e-3 / 7, end_s = begin_s + 70001 / hardware.fpga_clock_hz;
    for (unsigned i = 0; i < MANY; i++) {
        struct host_pass pass = {.stream_begin_s = begin_s, .board_s = end_s, .board_end = 70001};
        const struct stage3_work work = {.cells = 777};
        ck_assert(stage3_tasks_add(&pass.tasks, 1, &arrived, &work, NULL));
        stage3_tasks_end(&pass.tasks, end_s, 0);
        add(hosts, pass);
    }
    end(hosts);
    ck_assert_uint_eq(passes, MANY);
}
END_TEST

START_TEST(test_a_contradiction_is_a_bug_and_names_the_pass)
{
    static const char *const messages[] = {"pass 5: Little's law",
                                           "pass 5: something is lost among the matches of stage 2"};
    struct task_times none;
    hardware = hardware_default();
    struct host_pass pass = {.number = 4, .hsps = &none, .clusters = &none};
    struct host_instruments instruments = {0};
    struct frame frame = {0};
    if (_i == 0)
        frame.queues[0].integral = 1; /* elements have waited, but there were none */
    else
        frame.counters[S2_MATCHES_FILTERED] = 1; /* of no match */
    ck_assert_int_eq(joined_hosts_fill(&pass, &hardware, &instruments, &frame, &why), PASS_EBUG);
    ck_assert_msg(strncmp(why.line, messages[_i], strlen(messages[_i])) == 0, "%s", why.line);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("joined_hosts");
    TCase *core = tcase_create("core");
    tcase_add_checked_fixture(core, NULL, tear_down);
    tcase_add_loop_test(core, test_passes_are_dealt_one_by_one, 1, HARDWARE_HOSTS_MAX + 1);
    tcase_add_test(core, test_query_is_packed_on_the_network);
    tcase_add_loop_test(core, test_equal_messages_share_the_link, 2, 9);
    tcase_add_test(core, test_unequal_messages);
    tcase_add_test(core, test_long_latency);
    tcase_add_loop_test(core, test_a_pass_a_host_takes_the_time_of_one_pass, 2, 5);
    tcase_add_loop_test(core, test_work_is_conserved, 1, 6);
    tcase_add_test(core, test_hosts_without_a_pass_are_idle);
    tcase_add_test(core, test_every_host_has_an_agent);
    tcase_add_loop_test(core, test_passes_are_taken_with_their_times, 0, 2);
    tcase_add_test(core, test_the_host_follows_the_passes);
    tcase_add_test(core, test_the_host_follows_coupled_boards);
    tcase_add_loop_test(core, test_a_taker_that_fails_ends_the_run, 0, 3);
    tcase_add_test(core, test_rounding_is_no_disagreement);
    tcase_add_test(core, test_rounding_takes_no_time);
    tcase_add_loop_test(core, test_a_contradiction_is_a_bug_and_names_the_pass, 0, 2);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
