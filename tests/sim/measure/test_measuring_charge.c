/* test_measuring_charge.c - what measuring costs the machine: passes of plain words and of HSPs made up here, through
 * the simulated system with the charge and without, against what the shared bus and the shared cores must give by hand.
 * MERCURY_SOURCE_DIR names the folder that data/ is in; the current one where it is not set.
 */
#include "sim/simgrid/system.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/measure/machine_frame.h"
#include "sim/measure/machine_taps.h"
#include "sim/measure/measure_plan.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"
#include "tests/sim/platform/prepared_platform.h"
#include "tests/sim/pass/host_side.h"
#include "tests/sim/simgrid/bus_bound.h"

enum { BLOCK = 65536 };

/* --- passes ---------------------------------------------------------------------------------------------- */

/* Blocks of words without a seed; the last word of each may be an HSP that takes `cells` cells. */
struct made_up {
    unsigned blocks;
    uint64_t cells;
};

static uint64_t scan(void *data, uint64_t first, uint64_t count, struct tokens *t, struct pass_counts *counts)
{
    const struct made_up *m = data;
    bool found = m->cells > 0;
    (void)first;
    tokens_clear(t);
    for (uint64_t i = 0; i < count; i++)
        tokens_add_word(t, found && i == count - 1);
    if (found) {
        tokens_add_seed(t, LOOKUP_MATCH, 1);
        tokens_add_group(t, 1, 0);
        tokens_add_match(t, true);
        t->hsps[t->hsp_count++] = (struct hsp){0};
    }
    counts->words += count;
    counts->wmers += BASES_PER_WORD * count;
    counts->seeds += found;
    counts->lookups_match += found;
    counts->matches += found;
    counts->hsps += found;
    return count;
}

static bool extend(void *data, const struct hsp *hsps, size_t count, struct stage3_work *work)
{
    (void)hsps;
    for (size_t i = 0; i < count; i++)
        work[i] = (struct stage3_work){.cells = ((const struct made_up *)data)->cells};
    return true;
}

struct outcome {
    int status;
    struct frame frame;
    struct measuring_charge charge;
};

static struct measure_plan *make_plan(const char *text)
{
    struct directives list;
    struct measure_plan *plan;
    ck_assert_msg(directives_parse(text, strlen(text), "m.tt", &machine_catalogue, &list, &why) == 0, "%s",
                  why.line);
    ck_assert_msg(measure_plan_make(&list, &hardware, "m.tt", &plan, &why) == 0, "%s", why.line);
    directives_destroy(&list);
    return plan;
}

/* The board's side. @param tasks  receives what the pass hands to the host */
static void simulate_board(const struct made_up *made, const struct platform *platform,
                           const struct measure_plan *plan, bool charged, FILE *tasks,
                           struct outcome *outcome)
{
    struct system_wall wall = {0};
    struct host_pass host;
    FILE *records = tmpfile();
    struct system_pass pass = {.source = {.data = (void *)made,
                                          .database_words = made->blocks * (uint64_t)BLOCK / 8,
                                          .table_bytes = 100000,
                                          .scan = scan,
                                          .extend = extend},
                               .instruments = {.measure = measure_new(plan, SIDE_BOARD, records),
                                               .charge = charged ? &outcome->charge : NULL},
                               .frame = &outcome->frame,
                               .host = &host,
                               .wall = &wall};
    outcome->status = system_run(&(struct system_run){.hardware = &hardware,
                                                      .platform_file = platform_simgrid_file(platform),
                                                      .boards = 1,
                                                      .pass_count = 1,
                                                      .only = &pass});
    ck_assert_int_eq(measure_finish(pass.instruments.measure, &why), 0);
    measure_destroy(pass.instruments.measure);
    fclose(records);
    host_side_hand_over(&host, tasks);
}

/* The pass in a process of its own: SimGrid has one engine a process. */
static struct outcome simulate(struct made_up made, const char *directives, bool charged)
{
    struct platform *platform = prepared_platform(&hardware);
    struct measure_plan *plan = make_plan(directives);
    FILE *tasks = tmpfile();
    struct outcome *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
    pid_t process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0) {
        simulate_board(&made, platform, plan, charged, tasks, shared);
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(process, &status, 0), process);
    ck_assert_int_eq(status, 0);
    struct outcome outcome = *shared;
    munmap(shared, sizeof *shared);
    ck_assert_int_eq(outcome.status, 0);
    outcome.charge.agent_ps =
        frame_picoseconds(host_side_complete(tasks, &hardware, platform_simgrid_file(platform),
                                             charged ? hardware.measure_agent_share : 0, &outcome.frame));
    fclose(tasks);
    measure_plan_destroy(plan);
    platform_close(platform);
    return outcome;
}

static double load_s(void)
{
    return 100000 / bus();
}

/* --- the bus --------------------------------------------------------------------------------------------- */

static const char a_block[] = "rate at bus_in every 65536 bytes at bus_in\n";
static const char in_software[] = "occupancy at inbox: histogram(512) every 1 us\nrate at stage_3\n";

/* A frame a block, a record of half a block, which shares the bus with the next block. While both are under way each
 * has half of it, so a block takes (B + R) / C: throughput falls to 2/3. The board is empty some clocks after its last
 * word: one more frame. */
START_TEST(test_a_full_bus_gives_way)
{
    enum { BLOCKS = 30 };
    set("measure.header_bytes=32760"); /* and 8 for the rate */
    set("measure.agent_share=0");
    struct outcome without = simulate((struct made_up){BLOCKS, 0}, a_block, false);
    struct outcome with = simulate((struct made_up){BLOCKS, 0}, a_block, true);
    assert_close(frame_measured_s(&without.frame), BLOCKS * BLOCK / bus(), 1e-4);
    assert_close(frame_measured_s(&with.frame), (BLOCKS * BLOCK + (BLOCKS - 1) * 32768.0) / bus(), 1e-4);
    ck_assert_uint_eq(with.charge.frames, BLOCKS + 1);
    ck_assert_uint_eq(with.charge.bus_bytes, (BLOCKS + 1) * 32768);
    /* the last two leave when the board is empty, and the pass has to wait for them */
    assert_close(with.frame.duration_s, load_s() + (BLOCKS * BLOCK + (BLOCKS + 1) * 32768.0) / bus(), 1e-4);
}
END_TEST

/* Four records of a whole block each: the bus is shared half and half all the time, what does not get through waits on
 * the board, and in the end all of it has gone over a bus that was never idle. */
START_TEST(test_more_records_than_the_bus_carries_wait)
{
    enum { BLOCKS = 20, FRAMES = 4 * BLOCKS + 1 };
    set("measure.header_bytes=65528"); /* and 8 for the rate */
    set("measure.agent_share=0");
    struct outcome out =
        simulate((struct made_up){BLOCKS, 0}, "rate at bus_in every 16384 bytes at bus_in\n", true);
    ck_assert_uint_eq(out.charge.frames, FRAMES);
    assert_close(frame_measured_s(&out.frame), (2.0 * BLOCKS - 1) * BLOCK / bus(), 1e-4);
    assert_close(out.frame.duration_s, load_s() + (double)(BLOCKS + FRAMES) * BLOCK / bus(), 1e-4);
    /* at the board's end all but what went beside BLOCKS - 1 blocks is there; four of a block go as one */
    ck_assert_uint_ge(out.charge.most_waiting, (uint64_t)(FRAMES - (BLOCKS - 1)) * BLOCK);
    ck_assert_uint_le(out.charge.most_waiting, (uint64_t)(FRAMES - (BLOCKS - 1) + 3) * BLOCK);
}
END_TEST

/* Bytes are exact, and nothing gets quicker for more of them. */
START_TEST(test_more_frames_cost_more_bus)
{
    static const unsigned clocks[] = {200000, 50000, 20000, 8000, 3000, 999};
    double duration_s = 0, stream_s = 0;
    uint64_t frames = 0;
    set("measure.header_bytes=11048"); /* and 8 for the rate */
    for (unsigned i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        char directives[80];
        snprintf(directives, sizeof directives, "rate at bus_in every %u clocks\n", clocks[i]);
        struct outcome out = simulate((struct made_up){10, 0}, directives, true);
        ck_assert_uint_eq(out.charge.bus_bytes, out.charge.frames * 11056);
        ck_assert_uint_eq(out.charge.frames, (out.frame.clocks + clocks[i] - 1) / clocks[i]);
        ck_assert_uint_gt(out.charge.frames, frames);
        ck_assert_double_gt(out.frame.duration_s, duration_s);
        ck_assert_double_ge(frame_measured_s(&out.frame), stream_s);
        frames = out.charge.frames;
        duration_s = out.frame.duration_s;
        stream_s = frame_measured_s(&out.frame);
    }
}
END_TEST

/* Directives with the same frame share its record; those of the host's side have none. A block's record has a header
 * and two counts, that of the pass a header, 131 bins, the sum of the occupancies, and a count. */
START_TEST(test_a_record_a_distinct_frame)
{
    static const char five[] = "rate at bus_in every 65536 bytes at bus_in as a\n"
                               "utilisation at stage_1a every 65536 bytes at bus_in as b\n"
                               "occupancy at wmer_fifo: histogram(131) as c\n"
                               "rate at bus_out as d\n"
                               "occupancy at inbox as e\n";
    struct outcome out = simulate((struct made_up){5, 1000}, five, true);
    ck_assert_uint_ge(out.charge.frames, 5 + 1);
    ck_assert_uint_le(out.charge.frames, 6 + 1); /* a last frame while the board drains */
    ck_assert_uint_eq(out.charge.bus_bytes, (out.charge.frames - 1) * (32 + 2 * 8) + 32 + (131 + 1 + 1) * 8);
}
END_TEST

/* What the host measures costs the bus nothing, and without an agent nobody anything. */
START_TEST(test_only_the_board_sends_records)
{
    struct made_up made = {8, 3000000};
    set("measure.agent_share=0");
    struct outcome without = simulate(made, in_software, false), with = simulate(made, in_software, true);
    ck_assert_mem_eq(&without.frame, &with.frame, sizeof with.frame);
    ck_assert_uint_eq(with.charge.frames, 0);
    ck_assert_uint_eq(with.charge.bus_bytes, 0);
}
END_TEST

/* --- what a record has ----------------------------------------------------------------------------------- */

/* Bytes of the records of the board's frames, a record of each. */
static uint64_t record_bytes(struct directives *list)
{
    struct measure_plan *plan;
    uint64_t bytes = 0;
    ck_assert_msg(measure_plan_make(list, &hardware, "m.tt", &plan, &why) == 0, "%s", why.line);
    for (size_t i = 0; i < plan->timer_count; i++) {
        ck_assert_uint_eq(plan->timers[i].record_bytes > 0, plan->timers[i].side == SIDE_BOARD);
        bytes += plan->timers[i].record_bytes;
    }
    ck_assert_uint_eq(measure_plan_has_records(plan), bytes > 0);
    measure_plan_destroy(plan);
    directives_destroy(list);
    return bytes;
}

static uint64_t record_bytes_of(const char *text)
{
    struct directives list;
    ck_assert_msg(directives_parse(text, strlen(text), "m.tt", &machine_catalogue, &list, &why) == 0, "%s",
                  why.line);
    return record_bytes(&list);
}

static const char a_rate[] = "rate at bus_in every 10 us\n";

/* Values by hand: what a frame cannot be told without, of 8 bytes each. */
static const struct {
    const char *text;
    uint64_t records, values;
} record_rows[] = {
    {a_rate, 1, 1},                                                       /* the count */
    {"byte_rate at bus_in\n", 1, 1},                                      /* likewise */
    {"back_pressure at wmer_fifo\n", 1, 1},                               /* clocks with the signal */
    {"utilisation at sram\n", 1, 1},                                      /* reads */
    {"collisions at stage_1bd\n", 1, 2},                                  /* collisions and lookups */
    {"false_positives at stage_1a\n", 1, 2},                              /* false positives and words */
    {"occupancy at wmer_fifo\n", 1, 1},                                   /* the sum */
    {"occupancy at wmer_fifo: max\n", 1, 2},                              /* the sum, too */
    {"occupancy at wmer_fifo: mean, min, max, deviation\n", 1, 4},        /* sum, min, max, squares */
    {"occupancy at wmer_fifo: histogram(512)\n", 1, 1 + 512},             /* the paper's bins */
    {"occupancy at wmer_fifo: histogram(0..130/10)\n", 1, 1 + 13},        /* nothing is below 0 */
    {"occupancy at wmer_fifo: histogram(20..130/10)\n", 1, 1 + 11 + 1},   /* what is below 20 */
    {"latency at wmer_fifo\n", 1, 2},                                     /* sum and number */
    {"latency at bus_in to bus_out: min, max, deviation\n", 1, 2 + 3},    /* and three more */
    {"trips_per_seed at stage_1bd: max, histogram(16)\n", 1, 2 + 1 + 16}, /* all of it */
    {"latency at wmer_fifo: quantile(0.5, 0.99)\n", 1, 2 + 59 * 64},      /* (65 - 6) 2^6 buckets at 1% */
    {"latency at wmer_fifo: histogram(8), quantile(0.5)\n", 1, 2 + 8 + 59 * 64}, /* both */
    {"rate at bus_in\nrate at bus_out\n", 1, 2},                                 /* one frame */
    {"rate at bus_in\nrate at bus_out every 1 ms\n", 2, 2},                      /* two frames */
    {"occupancy at inbox: histogram(512)\n", 0, 0},                              /* in software */
    {"latency at bus_in to stage_3: max\nrate at bus_in\n", 1, 1},               /* likewise */
};

START_TEST(test_a_record_has_what_was_asked)
{
    ck_assert_uint_eq(record_bytes_of(record_rows[_i].text),
                      record_rows[_i].records * 32 + record_rows[_i].values * 8);
    set("measure.header_bytes=0");
    set("measure.value_bytes=1");
    ck_assert_uint_eq(record_bytes_of(record_rows[_i].text), record_rows[_i].values);
}
END_TEST

/* The paper's record took 11,056 bytes, as this one does, and a rate alone costs less than 1% of the set's. */
START_TEST(test_the_set_of_the_paper)
{
    char path[4096];
    const char *source_directory = getenv("MERCURY_SOURCE_DIR");
    struct directives list;
    snprintf(path, sizeof path, "%s/data/directives/timetrial2011.tt",
             source_directory ? source_directory : ".");
    ck_assert_msg(directives_read(path, &machine_catalogue, &list, &why) == 0, "%s", why.line);
    ck_assert_uint_eq(list.count, 30);
    uint64_t bytes = record_bytes(&list);
    /* rates 6; queues 5 x 4 and bins; back-pressure 5; latencies 6 x 5 and bins; tables 2 + 3 + 2 */
    ck_assert_uint_eq(bytes, 32 + 8 * (6 + 20 + 9 + 512 + 512 + 11 + 10 + 5 + 30 + 4 * 64 + 7));
    ck_assert_uint_eq(bytes, 11056);
    ck_assert_uint_lt(100 * record_bytes_of(a_rate), bytes);
}
END_TEST

/* Frames of 10 us at 1 GHz end every 10,000 clocks; all of them cross the bus with their 40 bytes. */
START_TEST(test_a_rate_every_10_us)
{
    struct outcome out = simulate((struct made_up){10, 0}, a_rate, true);
    ck_assert_uint_gt(out.charge.frames, 50);
    ck_assert_uint_eq(out.charge.frames, (out.frame.clocks + 9999) / 10000);
    ck_assert_uint_eq(out.charge.bus_bytes, out.charge.frames * 40);
}
END_TEST

/* --- the cores ------------------------------------------------------------------------------------------- */

/* 1000 s of one core for each HSP, blocks of microseconds: all is stage 3. */
static const struct made_up heavy_one = {1, 2000000000}, heavy_two = {2, 2000000000};

static double growth(struct made_up made, struct measuring_charge *charge, double *duration_s)
{
    set("stage3.cycles_per_cell=1200");
    struct outcome without = simulate(made, a_block, false), with = simulate(made, a_block, true);
    *charge = with.charge;
    *duration_s = with.frame.duration_s;
    return with.frame.duration_s / without.frame.duration_s;
}

/* One core, 0.27 of it taken: 0.73 are left. */
START_TEST(test_the_agent_takes_its_share_of_the_only_core)
{
    struct measuring_charge charge;
    double duration_s;
    set("host.cores=1");
    assert_close(growth(heavy_one, &charge, &duration_s), 1 / 0.73, 1e-6);
    assert_close((double)charge.agent_ps / 1e12, 0.27 * duration_s, 1e-6);
}
END_TEST

/* Two cores at work share what is left of both: (2 - 0.27) / 2. */
START_TEST(test_busy_cores_share_what_is_left)
{
    struct measuring_charge charge;
    double duration_s;
    set("host.cores=2");
    assert_close(growth(heavy_two, &charge, &duration_s), 2 / 1.73, 1e-6);
}
END_TEST

/* One of two at work: the agent has the other. */
START_TEST(test_an_idle_core_pays_for_the_agent)
{
    struct measuring_charge charge;
    double duration_s;
    set("host.cores=2");
    assert_close(growth(heavy_one, &charge, &duration_s), 1, 1e-6);
    assert_close((double)charge.agent_ps / 1e12, 0.27 * duration_s, 1e-6);
}
END_TEST

/* A whole core is wanted, and there is one: both get half. */
START_TEST(test_no_more_than_a_fair_share_is_taken)
{
    struct measuring_charge charge;
    double duration_s;
    set("host.cores=1");
    set("measure.agent_share=1");
    assert_close(growth(heavy_one, &charge, &duration_s), 2, 1e-6);
    assert_close((double)charge.agent_ps / 1e12, 0.5 * duration_s, 1e-6);
}
END_TEST

/* --- nothing --------------------------------------------------------------------------------------------- */

/* No bytes and no share: the same frame, byte by byte. */
START_TEST(test_what_costs_nothing_changes_nothing)
{
    set("measure.header_bytes=0");
    set("measure.value_bytes=0");
    set("measure.agent_share=0");
    struct made_up made = {8, 3000000};
    struct outcome without = simulate(made, a_block, false), with = simulate(made, a_block, true);
    ck_assert_mem_eq(&without.frame, &with.frame, sizeof with.frame);
    ck_assert_uint_eq(with.charge.bus_bytes, 0);
    ck_assert_uint_eq(with.charge.agent_ps, 0);
    ck_assert_uint_ge(with.charge.frames, 8);
}
END_TEST

/* Negative control: each of both alone changes something. */
START_TEST(test_each_of_both_changes_something)
{
    struct made_up made = {8, 3000000};
    set("host.cores=1");
    const char *directives = _i ? in_software : a_block;
    if (!_i)
        set("measure.agent_share=0");
    struct outcome without = simulate(made, directives, false), with = simulate(made, directives, true);
    ck_assert_uint_eq(with.charge.bus_bytes > 0, !_i);
    ck_assert_uint_eq(with.charge.agent_ps > 0, _i);
    ck_assert_double_gt(with.frame.duration_s, without.frame.duration_s);
}
END_TEST

static Suite *charge_suite(void)
{
    Suite *suite = suite_create("charge");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits");
    tcase_add_checked_fixture(core, set_up, NULL);
    tcase_add_checked_fixture(limits, set_up, NULL);
    tcase_set_timeout(core, 60);
    tcase_set_timeout(limits, 60);
    tcase_add_test(core, test_a_full_bus_gives_way);
    tcase_add_test(core, test_more_records_than_the_bus_carries_wait);
    tcase_add_test(core, test_more_frames_cost_more_bus);
    tcase_add_test(core, test_a_record_a_distinct_frame);
    tcase_add_test(core, test_only_the_board_sends_records);
    tcase_add_loop_test(core, test_a_record_has_what_was_asked, 0, COUNT_OF(record_rows));
    tcase_add_test(core, test_the_set_of_the_paper);
    tcase_add_test(core, test_a_rate_every_10_us);
    tcase_add_test(core, test_the_agent_takes_its_share_of_the_only_core);
    tcase_add_test(core, test_busy_cores_share_what_is_left);
    tcase_add_test(core, test_an_idle_core_pays_for_the_agent);
    tcase_add_test(core, test_no_more_than_a_fair_share_is_taken);
    tcase_add_test(limits, test_what_costs_nothing_changes_nothing);
    tcase_add_loop_test(limits, test_each_of_both_changes_something, 0, 2);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    return suite;
}

int main(void)
{
    return run_suite(charge_suite());
}
