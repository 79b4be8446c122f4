/* test_replay.c - the published runs again: random seeds, the bus in closed form, every measured cell.
 *
 * Platform files lie in data/platforms of the folder that MERCURY_SOURCE_DIR names; of the current one if it is not
 * set.
 */
#include "app/replay/replay.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/why.h"
#include "sim/measure/machine_frame.h"
#include "sim/simgrid/system.h"
#include "sim/platform/platform.h"
#include "validate/dor2010.h"
#include "validate/validation.h"
#include "app/replay/replay_report.h"
#include "sim/board/steady_bus.h"
#include "tests/run_suite.h"

static struct hardware machine(const char *assignment)
{
    struct hardware hardware = hardware_default();
    struct why why;
    if (assignment)
        ck_assert_int_eq(hardware_set_assignment(&hardware, assignment, &why), 0);
    ck_assert_int_eq(hardware_check(&hardware, &why), 0);
    return hardware;
}

static struct replay_options options_of(const char *run, const struct hardware *hardware)
{
    return (struct replay_options){.scenario = replay_find(run),
                                   .hardware = hardware,
                                   .seed = 1,
                                   .interval = 0.01,
                                   .most_clocks = 1000000000,
                                   .quiet = true};
}

static struct replay_result *replay(const struct replay_options *options)
{
    static struct replay_result result;
    struct why why = {""};
    ck_assert_msg(replay_run(options, &result, &why) == 0, "%s", why.line);
    return &result;
}

/* --- published ------------------------------------------------------------------------------------------- */

static const char *const run_names[DOR2010_RUNS] = {"dor2010-run1", "dor2010-run2"};

/* Both runs on the default machine with seed 1, which several tests ask: simulated once, before they begin. */
static struct replay_result as_is[DOR2010_RUNS];

static void replay_as_is(void)
{
    struct hardware hardware = machine(NULL);
    for (unsigned run = 0; run < DOR2010_RUNS; run++) {
        struct replay_options options = options_of(run_names[run], &hardware);
        as_is[run] = *replay(&options);
    }
}

static struct dor2010_number published(unsigned run, enum machine_quantity cell)
{
    struct dor2010_number measured = dor2010_measured(run, cell);
    ck_assert_msg(measured.text != NULL, "%s was not measured", machine_quantities[cell].name);
    return measured;
}

/* Within 7%, or what the printed number stands for ("~0": below 0.05 elements, "0.0": below 0.005). */
static bool is_as_published(unsigned run, enum machine_quantity cell, double value)
{
    struct dor2010_number p = published(run, cell);
    return (value >= p.low && value <= p.high) || fabs(value - p.value) <= 0.07 * p.value;
}

/* @param but  set of cells, 1 << cell, that are not */
static void assert_published(unsigned run, const struct replay_result *result, unsigned but)
{
    for (const enum machine_quantity *cell = replay_cells; cell < replay_cells + REPLAY_CELLS; cell++)
        ck_assert_msg(is_as_published(run, *cell, result->of[*cell].mean) == !(but >> *cell & 1),
                      "%s of run %u is %g, measured %s", machine_quantities[*cell].name, run + 1,
                      result->of[*cell].mean, published(run, *cell).text);
}

/* The queues of 1b in run 1: "approaching 0" was printed, and the rules have 2.99, 0.28 and 2.71 seeds. */
enum { RUN_1_QUEUES = 1 << N_Q_1B | 1 << N_Q_1BP | 1 << N_Q_1BD, P_BP_OF_2 = 1 << P_BP_2 };

/* Draws are alike from frame to frame: the median frame is the mean one, within what the median of `frames` normal
 * values varies more than their mean (sqrt(pi / 2)), thrice. */
static void assert_medians(const struct replay_result *result)
{
    for (const enum machine_quantity *cell = replay_cells; cell < replay_cells + REPLAY_CELLS; cell++)
        ck_assert_double_eq_tol(result->medians[*cell], result->of[*cell].mean,
                                2 * 1.2533 * result->of[*cell].half_width + 1e-9);
}

/* The interval's promise, for what is not near 0. */
static void assert_narrow(const struct replay_result *result)
{
    ck_assert(result->narrow);
    ck_assert_uint_ge(result->frames, REPLAY_LEAST_FRAMES);
    for (const enum machine_quantity *cell = replay_cells; cell < replay_cells + REPLAY_CELLS; cell++)
        ck_assert_double_le(result->of[*cell].half_width,
                            0.01 * fmax(result->of[*cell].mean, replay_floor(*cell)));
}

/* All but these queues and P_BP of stage 2, 0.037 where 0.0 was printed. */
START_TEST(test_run_1_is_as_measured_but_for_zeros)
{
    const struct replay_result *result = &as_is[0];
    assert_published(0, result, RUN_1_QUEUES | P_BP_OF_2);
    ck_assert_double_eq_tol(result->of[N_Q_1B].mean, 2.99, 0.05);
    ck_assert_double_eq_tol(result->of[P_BP_2].mean, 0.0374, 0.001);
    assert_narrow(result);
    assert_medians(result);
}
END_TEST

/* All but one cell: P_BP of stage 2 was printed as 0.0, which stands for up to 0.005; a signal for fewer than 5 free
 * places is on in 0.063 of the clocks. With fewer than 2, it is as printed. No other cell depends on that margin. */
START_TEST(test_run_2_is_as_measured_but_for_p_bp_2)
{
    struct hardware hardware = machine(NULL), other = machine("fifo.stage2_margin=2");
    struct replay_options options = options_of("dor2010-run2", &hardware);
    const struct replay_result *measured = &as_is[1];
    assert_published(1, measured, P_BP_OF_2);
    assert_narrow(measured);
    ck_assert_double_eq_tol(measured->of[P_BP_2].mean, 0.0634, 0.001);
    struct replay_signal signal;
    struct why why;
    ck_assert_int_eq(replay_signal_explain(&options, measured, P_BP_2, 0, 0.005, &signal, &why), 0);
    ck_assert(signal.found && signal.margin == 5 && signal.other_margin == 2);
    options.hardware = &other;
    struct replay_result *result = replay(&options);
    ck_assert_double_eq(signal.other_value, result->of[P_BP_2].mean);
    assert_published(1, result, 0);
    for (const enum machine_quantity *cell = replay_cells; cell < replay_cells + REPLAY_CELLS - 1; cell++)
        ck_assert_double_eq(result->of[*cell].mean, measured->of[*cell].mean);
}
END_TEST

static struct hardware machine_of_file(const char *name)
{
    char path[4096];
    struct why why;
    struct platform *platform;
    struct hardware hardware = hardware_default();
    const char *source_directory = getenv("MERCURY_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/data/platforms/%s", source_directory ? source_directory : ".", name);
    ck_assert_msg(platform_open(path, &hardware, &platform, &why) == 0, "%s", why.line);
    platform_close(platform);
    ck_assert_int_eq(hardware_check(&hardware, &why), 0);
    return hardware;
}

/* All cells of both runs but the queues of run 1 that were printed as zero, with the tolerance of every other replay:
 * P_BP of stage 2 is the fraction of the clocks in which its FIFO is full. */
START_TEST(test_the_published_machine_is_as_measured)
{
    struct hardware hardware = machine_of_file("dor2010.xml");
    struct replay_options options = options_of(run_names[_i], &hardware);
    struct replay_result *result = replay(&options);
    assert_published((unsigned)_i, result, _i == 0 ? RUN_1_QUEUES : 0);
    assert_narrow(result);
    ck_assert_double_lt(result->of[P_BP_2].mean, 0.0005); /* Dor's model prints 0.000 */
}
END_TEST

/* A published 900 MB/s of the bus contradicts the measured P_BP of 1a: the ingress FIFO is full while words do not
 * move, and words move at the bus's rate otherwise: 1 - 720 MB/s / 900 MB/s = 0.2, measured 0.296. */
START_TEST(test_a_bus_of_900_is_not_as_measured)
{
    struct hardware hardware = machine_of_file("dor2010.xml");
    struct replay_options options = options_of("dor2010-run2", &hardware);
    options.clocks = 5000000;
    hardware.pcix_bandwidth = 900e6;
    hardware.pcix_burst_clocks = 0;
    struct replay_result *result = replay(&options);
    ck_assert_double_eq_tol(result->of[P_BP_1A].mean, 0.2, 0.01);
    ck_assert(!is_as_published(1, P_BP_1A, result->of[P_BP_1A].mean));
}
END_TEST

/* The comparison can fail: machines that are not Mercury's. */
START_TEST(test_wrong_machines_are_told_apart)
{
    static const struct {
        const char *assignment;
        enum machine_quantity cell;
    } wrong[] = {
        {"sram.trip_cycles=70", LAMBDA_1A}, {"stage2.fetch_cycles=4", N_Q_2},
        {"fifo.wmer=110", N_Q_1BP},         {"fifo.sram_margin=90", N_Q_1BD},
        {"fifo.wmer_margin=40", P_BP_1B},   {"pcix.efficiency=0.8", P_BP_1A},
    };
    struct hardware hardware = machine(wrong[_i].assignment);
    struct replay_options options = options_of("dor2010-run2", &hardware);
    struct replay_result *result = replay(&options);
    ck_assert_msg(!is_as_published(1, wrong[_i].cell, result->of[wrong[_i].cell].mean), "%s: %s is %g",
                  wrong[_i].assignment, machine_quantities[wrong[_i].cell].name,
                  result->of[wrong[_i].cell].mean);
}
END_TEST

/* What no chain of queues says of run 2, the tandem with blocking does: P_BP of 1a and both queues of 1b. */
START_TEST(test_blocking_predicts_run_2)
{
    const struct replay_result *result = &as_is[1];
    struct validation v;
    struct why why;
    ck_assert_int_eq(validation_of_frame(&result->steady, VERDICT_EVERY_MODEL, &v, &why), 0);
    static const enum machine_quantity cells[] = {P_BP_1A, N_Q_1BP, N_Q_1BD};
    for (int i = 0; i < COUNT_OF(cells); i++) {
        const struct verdict_cell *models = v.frames[0].cells[cells[i]];
        double simulated = result->of[cells[i]].mean;
        double near = cells[i] == P_BP_1A ? 0.1 : 0.25 * simulated;
        ck_assert_double_eq_tol(models[VERDICT_BLOCKING].predicted, simulated, near);
        ck_assert(!(fabs(models[VERDICT_FIVE].predicted - simulated) <= near));
    }
    validation_destroy(&v);
}
END_TEST

/* Other seeds agree within their intervals: 13 cells of 3 runs, twice the half-width. */
START_TEST(test_seeds_agree)
{
    struct hardware hardware = machine(NULL);
    struct replay_options options = options_of(run_names[_i], &hardware);
    const struct replay_result *first = &as_is[_i];
    for (options.seed = 2; options.seed < 4; options.seed++) {
        struct replay_result *other = replay(&options);
        for (const enum machine_quantity *cell = replay_cells; cell < replay_cells + REPLAY_CELLS; cell++)
            ck_assert_msg(fabs(other->of[*cell].mean - first->of[*cell].mean) <=
                              2 * hypot(other->of[*cell].half_width, first->of[*cell].half_width),
                          "%s: %g +- %g, but %g +- %g with seed %lu", machine_quantities[*cell].name,
                          first->of[*cell].mean, first->of[*cell].half_width, other->of[*cell].mean,
                          other->of[*cell].half_width, options.seed);
    }
}
END_TEST

/* --- measuring ------------------------------------------------------------------------------------------- */

/* Frames leave no gap: what they measure adds up to what the cells say, and to the draws' fractions. */
START_TEST(test_frames_add_up)
{
    struct hardware hardware = machine(NULL);
    struct replay_options options = options_of(run_names[_i], &hardware);
    options.clocks = 10000000;
    struct replay_result *r = replay(&options);
    const struct frame *steady = &r->steady;
    const struct seed_fractions *f = &options.scenario->fractions;
    double seeds = frame_count(steady, S1B_SEEDS), clocks = (double)steady->clocks;
    ck_assert_uint_ge(steady->clocks, options.clocks);
    ck_assert_double_eq(frame_count(steady, S1A_WORDS), (double)r->frames * REPLAY_FRAME_WORDS);
    ck_assert_double_eq_tol(frame_count(steady, S1A_WORDS) / clocks, r->of[RHO_1A].mean, 1e-12);
    ck_assert_double_eq_tol(seeds / frame_count(steady, S1A_WMERS), f->p_1a, 0.01 * f->p_1a);
    ck_assert_double_eq_tol(frame_count(steady, S1B_TRIPS) / seeds, f->trips, 0.03 * f->trips);
    ck_assert_double_eq_tol(frame_count(steady, S1B_LOOKUPS_EMPTY) / seeds, (1 - f->trips) * f->no_match,
                            0.01);
    double matches = f->trips * 4 + (1 - f->trips) * (1 - f->no_match) * (1 + f->two_positions);
    ck_assert_double_eq_tol(frame_count(steady, S1B_MATCHES_OUT) / seeds, matches, 0.01);
    for (unsigned i = 0; i < machine_layout.queue_count; i++)
        ck_assert_uint_eq(steady->queues[i].integral, steady->queues[i].sojourn_clocks);
}
END_TEST

/* A replay of events is one of recurrences. */
START_TEST(test_events_give_the_same)
{
    struct hardware hardware = machine(NULL);
    struct replay_options options = options_of(run_names[_i], &hardware);
    options.clocks = tests_are_few() ? 50000 : 200000;
    struct replay_result fast = *replay(&options);
    options.events = true;
    struct replay_result *events = replay(&options);
    ck_assert_mem_eq(&fast, events, sizeof fast);
    ck_assert_uint_gt(fast.frames, 1);
}
END_TEST

START_TEST(test_it_gives_up)
{
    struct hardware hardware = machine(NULL);
    struct replay_options options = options_of("dor2010-run2", &hardware);
    options.interval = 1e-4;
    options.most_clocks = 3000000;
    struct replay_result *result = replay(&options);
    ck_assert(!result->narrow);
    ck_assert_uint_ge(result->steady.clocks, 3000000);
    ck_assert_uint_le(result->steady.clocks, 4000000);
}
END_TEST

/* A word without seeds only: the bus and host decide alone. 895 MB/s of 8-byte words, 133 MHz. */
START_TEST(test_no_seeds_at_all)
{
    struct hardware hardware = machine(NULL);
    struct replay_scenario scenario = {.name = "none", .title = "no seeds"};
    struct replay_options options = options_of("dor2010-run1", &hardware);
    options.scenario = &scenario;
    options.clocks = 1000000;
    struct replay_result *result = replay(&options);
    ck_assert_double_eq_tol(result->of[LAMBDA_1A].mean, 2 * 895, 0.01);
    ck_assert_double_eq(result->of[LAMBDA_1B].mean, 0);
    ck_assert_double_eq(result->of[N_Q_1B].mean, 0);
}
END_TEST

/* Every seed a trip: 1bd serves one in 60 clocks; everything before it is full. 1bp sees 459 lookups when one is taken,
 * and goes on for the 20 clocks until the first of its reads is stored: 479, from which the next 20 trips come down to
 * 459. */
START_TEST(test_nothing_but_trips)
{
    struct hardware hardware = machine(NULL);
    struct replay_scenario scenario = {
        .name = "trips", .title = "trips", .fractions = {.p_1a = 0.1, .trips = 1}};
    struct replay_options options = options_of("dor2010-run1", &hardware);
    options.scenario = &scenario;
    options.clocks = 1000000;
    struct replay_result *result = replay(&options);
    ck_assert_double_eq_tol(result->of[LAMBDA_1B].mean, 133.0 / 60, 0.001);
    ck_assert_double_gt(result->of[P_BP_1A].mean, 0.9);
    ck_assert_double_eq_tol(result->of[N_Q_1BD].mean, 469.5, 1);
}
END_TEST

/* --- the bus --------------------------------------------------------------------------------------------- */

enum { BLOCKS = 40 };

/* A pass of drawn blocks in the simulated system, and the shares it gave the board. */
struct drawn_pass {
    struct seed_draws *draws;
    struct bus_share shares[BLOCKS];
    uint64_t records[BLOCKS];
    unsigned count;
};

static uint64_t draw_scan(void *data, uint64_t first, uint64_t count, struct tokens *tokens,
                          struct pass_counts *counts)
{
    (void)first;
    seed_draws_block(((struct drawn_pass *)data)->draws, count, tokens, counts);
    return count;
}

static bool extend_nothing(void *data, const struct hsp *hsps, size_t count, struct stage3_work *work)
{
    (void)data, (void)hsps;
    memset(work, 0, count * sizeof *work);
    return true;
}

static void watch(void *data, const struct tokens *tokens, const struct bus_share *share)
{
    struct drawn_pass *pass = data;
    pass->records[pass->count] = tokens->hsp_count;
    pass->shares[pass->count++] = *share;
}

static void simulate_here(const struct hardware *hardware, struct drawn_pass *pass)
{
    char path[4096];
    struct why why;
    const char *source_directory = getenv("MERCURY_SOURCE_DIR");
    struct platform *platform;
    struct hardware from_file = hardware_default();
    snprintf(path, sizeof path, "%s/data/platforms/mercury-2010.xml",
             source_directory ? source_directory : ".");
    ck_assert_msg(platform_open(path, &from_file, &platform, &why) == 0, "%s", why.line);
    ck_assert_msg(platform_prepare(platform, hardware, &why) == 0, "%s", why.line);
    static struct frame frame;
    struct host_pass host;
    struct system_wall wall = {0};
    struct system_pass system = {.source = {.data = pass,
                                            .database_words = BLOCKS * (hardware->pcix_block_bytes / 8),
                                            .table_bytes = 100000,
                                            .scan = draw_scan,
                                            .extend = extend_nothing},
                                 .instruments = {.watch_block = watch, .watcher = pass},
                                 .frame = &frame,
                                 .host = &host,
                                 .wall = &wall};
    ck_assert_int_eq(system_run(&(struct system_run){.hardware = hardware,
                                                     .platform_file = platform_simgrid_file(platform),
                                                     .boards = 1,
                                                     .pass_count = 1,
                                                     .only = &system}),
                     0);
    stage3_tasks_destroy(&host.tasks);
    platform_close(platform);
}

/* In a process of its own, as each pass of a run is: SimGrid keeps what the pass asked of it until the process ends. */
static void simulate_pass(const struct hardware *hardware, struct drawn_pass *pass)
{
    struct drawn_pass *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
    *shared = *pass;
    pid_t process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0) {
        simulate_here(hardware, shared);
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(process, &status, 0), process);
    ck_assert_int_eq(status, 0);
    *pass = *shared;
    munmap(shared, sizeof *shared);
}

/* Dates of SimGrid's disk come out up to 1.1e-5 of the elapsed time late, which moves transfers that wait for it. */
static bool is_close(int64_t simulated, int64_t closed)
{
    return (double)llabs(simulated - closed) <= 4 + 2e-5 * (double)closed;
}

/* Whether a word may have to wait for the host. */
static bool waits_for_host(const struct bus_share *share)
{
    return share->supply_ticks > share->word_ticks || share->supply_first > share->begin + share->word_ticks;
}

/* The closed form knows no bound of the host queue: how far a host is ahead counts only where the bus waits for it. */
static void assert_share(const struct bus_share *simulated, const struct bus_share *closed, unsigned block)
{
    bool waits = waits_for_host(simulated);
    ck_assert_msg(
        is_close(simulated->begin, closed->begin) && is_close(simulated->word_ticks, closed->word_ticks) &&
            is_close(simulated->record_ticks, closed->record_ticks) &&
            is_close(simulated->beside_ticks, closed->beside_ticks) &&
            is_close(simulated->supply_ticks, closed->supply_ticks) && waits_for_host(closed) == waits &&
            (!waits || is_close(simulated->supply_first, closed->supply_first)),
        "block %u: begin %ld w %ld v %ld r %ld h %ld, closed form %ld %ld %ld %ld %ld", block,
        simulated->begin, simulated->word_ticks, simulated->record_ticks, simulated->beside_ticks,
        simulated->supply_first, closed->begin, closed->word_ticks, closed->record_ticks,
        closed->beside_ticks, closed->supply_first);
}

/* The shares a replay gives its board are those that SimGrid gives it in a pass of the same words: published fractions;
 * and enough records to contend with the next block. */
START_TEST(test_the_bus_is_the_simulated_one)
{
    static const struct {
        const char *run, *assignment;
        double p_2;
        bool contention;
    } cases[] = {{"dor2010-run1", NULL, 0.000204, false},
                 {"dor2010-run2", NULL, 0.00035, false},
                 {"dor2010-run1", "hsp.bytes=64", 0.1, true},
                 {"dor2010-run2", "host.supply=5e9", 0.3, true},
                 {"dor2010-run1", "host.supply=5e9", 0.2, true}};
    static const char *const priorities[] = {"fair", "records", "blocks"};
    const unsigned at = (unsigned)_i % COUNT_OF(cases), priority = (unsigned)_i / COUNT_OF(cases);
    if (cases[at].contention && priority == 2)
        return; /* the closed form lets the records of several blocks that wait cross together */
    struct hardware hardware = machine(cases[at].assignment);
    struct replay_scenario scenario = *replay_find(cases[at].run);
    struct why why;
    ck_assert_int_eq(hardware_set(&hardware, "pcix.priority", priorities[priority], &why), 0);
    scenario.fractions.p_2 = cases[at].p_2;
    struct drawn_pass pass = {.draws = seed_draws_new(&scenario.fractions, 7)};
    simulate_pass(&hardware, &pass);
    ck_assert_uint_eq(pass.count, BLOCKS);

    struct steady_bus bus = steady_bus_begin(&hardware);
    struct board *board = board_new(&hardware.board);
    struct board_times times = {0};
    struct tokens tokens = {0};
    struct pass_counts counts = {0};
    struct seed_draws *draws = seed_draws_new(&scenario.fractions, 7);
    bool contention = false;
    for (unsigned i = 0; i < BLOCKS; i++) {
        seed_draws_block(draws, hardware.pcix_block_bytes / 8, &tokens, &counts);
        ck_assert_uint_eq(tokens.hsp_count, pass.records[i]);
        struct bus_share share = steady_bus_block(&bus, tokens.word_count, i > 0 ? board_bus_free(board) : 0);
        assert_share(&pass.shares[i], &share, i);
        contention |= share.beside_ticks > 4;
        board_advance(board, &tokens, &pass.shares[i], &times);
        steady_bus_records(&bus, times.record_left, tokens.hsp_count);
    }
    ck_assert_int_eq(contention, cases[at].contention && priority == 0);
    board_destroy(board);
    board_times_destroy(&times);
    tokens_destroy(&tokens);
    seed_draws_destroy(draws);
    seed_draws_destroy(pass.draws);
}
END_TEST

/* By hand: a bus of 8 bytes a clock, without clocks for bursts; blocks of 64 words take 64 clocks, four records of 16
 * bytes 8. The board lets the bus go in the clock in which the first block has crossed, 6 clocks later, or 36. */
START_TEST(test_turns_are_those_computed_by_hand)
{
    static const struct {
        const char *priority;
        int64_t bus_free;
        double begin, beside, next_begin; /* of the second block, and of the third, which nothing holds */
    } cases[] = {
        {"fair", 64, 64, 8, 136},    {"fair", 70, 70, 2, 136},    {"fair", 100, 100, 0, 164},
        {"blocks", 64, 64, 0, 128},  {"blocks", 70, 72, 0, 136},  {"blocks", 100, 100, 0, 164},
        {"records", 64, 72, 0, 136}, {"records", 70, 72, 0, 136}, {"records", 100, 100, 0, 164},
    };
    static const char *const set[] = {"pcix.bandwidth=1064e6", "fpga.clock=133e6", "pcix.burst_clocks=0",
                                      "pcix.block=512",        "pcix.burst=512",   "host.supply=1e15"};
    const int64_t left[] = {1, 2, 3, 4};
    struct hardware hardware = hardware_default();
    struct why why;
    for (unsigned i = 0; i < COUNT_OF(set); i++)
        ck_assert_msg(hardware_set_assignment(&hardware, set[i], &why) == 0, "%s", why.line);
    ck_assert_int_eq(hardware_set(&hardware, "pcix.priority", cases[_i].priority, &why), 0);
    struct steady_bus bus = steady_bus_begin(&hardware);
    struct bus_share share = steady_bus_block(&bus, 64, 0);
    ck_assert_int_eq(share.begin, 0);
    steady_bus_records(&bus, left, 4);
    share = steady_bus_block(&bus, 64, cases[_i].bus_free * BOARD_TICKS_PER_CLOCK);
    ck_assert_double_eq_tol((double)share.begin / (double)BOARD_TICKS_PER_CLOCK, cases[_i].begin, 1e-5);
    ck_assert_double_eq_tol((double)share.beside_ticks / (double)BOARD_TICKS_PER_CLOCK, cases[_i].beside,
                            1e-5);
    share = steady_bus_block(
        &bus, 64, (int64_t)((cases[_i].begin + 64 + cases[_i].beside) * (double)BOARD_TICKS_PER_CLOCK));
    ck_assert_double_eq_tol((double)share.begin / (double)BOARD_TICKS_PER_CLOCK, cases[_i].next_begin, 1e-5);
}
END_TEST

/* --- suite ----------------------------------------------------------------------------------------------- */

int main(void)
{
    Suite *suite = suite_create("replay");
    TCase *published_runs = tcase_create("published");
    tcase_set_timeout(published_runs, 120);
    tcase_add_unchecked_fixture(published_runs, replay_as_is, NULL);
    tcase_add_test(published_runs, test_run_1_is_as_measured_but_for_zeros);
    if (!tests_are_few())
        tcase_add_test(published_runs, test_run_2_is_as_measured_but_for_p_bp_2);
    tcase_add_loop_test(published_runs, test_the_published_machine_is_as_measured, 0, DOR2010_RUNS);
    if (!tests_are_few())
        tcase_add_test(published_runs, test_a_bus_of_900_is_not_as_measured);
    tcase_add_test(published_runs, test_blocking_predicts_run_2);
    tcase_add_loop_test(published_runs, test_wrong_machines_are_told_apart, 0, tests_some(6));
    tcase_add_loop_test(published_runs, test_seeds_agree, 0, !tests_are_few());
    suite_add_tcase(suite, published_runs);
    TCase *measuring = tcase_create("measuring");
    tcase_set_timeout(measuring, 120);
    tcase_add_loop_test(measuring, test_frames_add_up, 0, 2);
    tcase_add_loop_test(measuring, test_events_give_the_same, 0, 1); /* run 2: tests/cli/test_theory.sh */
    tcase_add_test(measuring, test_it_gives_up);
    tcase_add_test(measuring, test_no_seeds_at_all);
    tcase_add_test(measuring, test_nothing_but_trips);
    suite_add_tcase(suite, measuring);
    TCase *bus = tcase_create("bus");
    tcase_set_timeout(bus, 60);
    tcase_add_loop_test(bus, test_the_bus_is_the_simulated_one, 0, 15);
    tcase_add_loop_test(bus, test_turns_are_those_computed_by_hand, 0, 9);
    suite_add_tcase(suite, bus);
    return run_suite(suite);
}
