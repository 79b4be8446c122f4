/* test_assumptions.c - the models' errors in shares: the board with switches is the board, shares add up, a run that
 * keeps to the assumptions has no shares, a wrong formula is found. */
#include "app/why/assumption_shares.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>

#include "app/why/assumption_board.h"
#include "app/replay/replay.h"
#include "sim/board/steady_bus.h"
#include "blast/sequence/sequence.h"
#include "sim/board/board_taps.h"
#include "tests/run_suite.h"

static struct hardware machine(const char *const *assignments, unsigned count)
{
    struct hardware hardware = hardware_default();
    struct why why = {""};
    for (unsigned i = 0; i < count; i++)
        ck_assert_msg(hardware_set_assignment(&hardware, assignments[i], &why) == 0, "%s", why.line);
    ck_assert_msg(hardware_check(&hardware, &why) == 0, "%s", why.line);
    return hardware;
}

/* --- the board ------------------------------------------------------------------------------------------- */

/* Run 2 of 2010, whose queues are full, with more records than that run had. */
static const struct seed_fractions saturating = {
    .p_1a = 0.0346, .trips = 0.0283, .no_match = 0.33, .two_positions = 0.02, .p_2 = 0.05};

/* A pass of random seeds: its tokens, and what taps see of it on the board. @return clocks of the pass */
static int64_t run_pass(const struct hardware *hardware, unsigned blocks, struct board_taps *taps,
                        struct assumption_tokens *run)
{
    uint64_t words = hardware->pcix_block_bytes / BYTES_PER_WORD;
    struct seed_draws *draws = seed_draws_new(&saturating, 7);
    struct board *board = board_new(&hardware->board);
    struct steady_bus bus = steady_bus_begin(hardware);
    struct tokens tokens = {0};
    struct board_times times = {0};
    struct pass_counts counts = {0};
    board_taps_init(taps, &hardware->board);
    for (unsigned block = 0; block < blocks; block++) {
        seed_draws_block(draws, words, &tokens, &counts);
        struct bus_share share = steady_bus_block(&bus, words, block > 0 ? board_bus_free(board) : 0);
        board_advance(board, &tokens, &share, &times);
        ck_assert(board_taps_block(taps, &tokens, &times));
        steady_bus_records(&bus, times.record_left, tokens.hsp_count);
        assumption_tokens_add(run, &tokens);
    }
    assumption_tokens_end_pass(run);
    int64_t end = board_drained(board);
    board_taps_close(taps, end);
    seed_draws_destroy(draws);
    board_destroy(board);
    board_times_destroy(&times);
    tokens_destroy(&tokens);
    return end;
}

/* The machine of 2010; short FIFOs, on which everything waits for everything; a bus that brings several words in a
 * clock. */
static const char *const machines[][7] = {
    {"fpga.clock=133e6"},
    {"fifo.ingress=1", "fifo.wmer=16", "fifo.sram=42", "fifo.stage2=5", "fifo.egress=1",
     "sram.trip_cycles=7"},
    {"pcix.bandwidth=9e9", "host.supply=8e9", "fifo.wmer=64", "stage2.fetch_cycles=0", "sram.read_cycles=3",
     "fifo.egress=2", "pcix.setup_clocks=8"},
};

/* Without an assumption, every FIFO has the same integral of elements and the same clocks of its signal, exactly. */
START_TEST(test_board)
{
    unsigned count = 0;
    while (count < 7 && machines[_i][count])
        count++;
    struct hardware hardware = machine(machines[_i], count);
    struct assumption_tokens run = {0};
    struct board_taps taps;
    int64_t end = run_pass(&hardware, 5, &taps, &run);
    struct assumption_deal deal = {0};
    struct assumption_machine m = {
        .hardware = &hardware, .tokens = &run, .clocks = (double)end, .deal = &deal};
    struct assumption_sums sums = {0};
    struct assumption_board *board = assumption_board_new(&m, 1u << ASSUME_BUS);
    assumption_deal(&run, false, false, 1, 0, &deal);
    assumption_board_run(board, &deal, run.word_count, &sums, 1);
    ck_assert_double_eq(sums.counts.clocks, (double)end);
    for (unsigned fifo = 0; fifo < FIFO_EGRESS; fifo++) {
        const struct fifo_measure *measure = &taps.fifos[fifo].measure;
        const double waiting = sums.counts.occupancy[fifo], full = sums.counts.signal[fifo];
        ck_assert_msg(waiting == (double)measure->integral, "%s: %.17g, board %.17g", board_fifos[fifo].name,
                      waiting, (double)measure->integral);
        ck_assert_msg(full == (double)measure->back_pressure_clocks, "%s: signal %.17g, board %.17g",
                      board_fifos[fifo].name, full, (double)measure->back_pressure_clocks);
    }
    assumption_board_destroy(board);
    assumption_tokens_destroy(&run);
    board_taps_destroy(&taps);
}
END_TEST

/* A run may have fewer seeds than are read ahead. */
START_TEST(test_few_seeds)
{
    struct seed_draws *draws = seed_draws_new(&saturating, 7);
    struct assumption_tokens run = {0};
    struct tokens tokens = {0};
    struct pass_counts counts = {0};
    seed_draws_block(draws, 4, &tokens, &counts);
    ck_assert(tokens.seed_count > 0 && tokens.seed_count < ASSUMPTION_LOOKUPS_AHEAD);
    assumption_tokens_add(&run, &tokens);
    assumption_tokens_end_pass(&run);
    ck_assert_uint_eq(run.lookup_count, tokens.seed_count);
    assumption_tokens_destroy(&run);
    tokens_destroy(&tokens);
    seed_draws_destroy(draws);
}
END_TEST

/* Dealing keeps all counts of the run. */
START_TEST(test_deal)
{
    struct hardware hardware = machine(machines[0], 1);
    struct assumption_tokens run = {0};
    struct assumption_deal deal = {0};
    struct board_taps taps;
    run_pass(&hardware, 2, &taps, &run);
    assumption_deal(&run, true, true, 1, 0, &deal);
    uint64_t seeds = 0, groups = 0, reads = 0, moved = 0;
    for (size_t i = 0; i < run.word_count; i++) {
        ck_assert_uint_le(deal.words[i], BASES_PER_WORD);
        seeds += deal.words[i];
    }
    for (size_t i = 0; i < run.lookup_count; i++) {
        groups += deal.lookups[i].groups;
        reads += deal.lookups[i].reads;
        moved += deal.lookups[i].group != run.lookups[i].group;
    }
    ck_assert_uint_eq(seeds, run.lookup_count);
    ck_assert_uint_eq(groups, run.group_count);
    ck_assert_uint_eq(reads, run.reads);
    ck_assert_uint_gt(moved, run.lookup_count / 2);
    assumption_deal_destroy(&deal);
    assumption_tokens_destroy(&run);
    board_taps_destroy(&taps);
}
END_TEST

/* Otherwise a read takes one clock. */
START_TEST(test_reads_take_the_mean_if_memory_is_assumed)
{
    struct hardware hardware = machine(machines[0], 1);
    struct assumption_tokens run = {0};
    struct board_taps taps;
    run_pass(&hardware, 1, &taps, &run);
    const struct assumption_machine m = {.hardware = &hardware, .tokens = &run, .service_1b_clocks = 1.25};
    for (unsigned step = 0; step < ASSUMPTIONS; step++)
        ck_assert_double_eq(assumption_services_of(&m, 1u << step).read_1bp,
                            step == ASSUME_MEMORY ? 1.25 : 1);
    assumption_tokens_destroy(&run);
    board_taps_destroy(&taps);
}
END_TEST

/* --- a run that keeps to the assumptions ----------------------------------------------------------------- */

enum { WORDS = 500000, MEAN_TRIPS = 50 };
static const double SEEDS_A_WORD = 0.01;

/* Trips of one clock and one read: a lookup of n trips takes n clocks and n reads (its first trip reads nothing,
 * since the primary lookup does). With n geometric of mean 50 services are nearly exponential; with one seed in a
 * hundred words, at random, arrivals are nearly Poisson. */
static struct hardware exponential_machine(void)
{
    static const char *const assignments[] = {"table.trip_positions=2", "sram.trip_cycles=1",
                                              "pcix.bandwidth=2e9", "host.supply=1064e6", "fifo.sram=100000"};
    return machine(assignments, 5);
}

static void draw_exponential(struct assumption_tokens *run)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    struct tokens block = {0};
    gsl_rng_set(random, 5);
    for (unsigned i = 0; i < WORDS; i++) {
        bool seed = gsl_rng_uniform(random) < SEEDS_A_WORD;
        tokens_add_word(&block, seed);
        if (!seed)
            continue;
        unsigned trips = gsl_ran_geometric(random, 1.0 / MEAN_TRIPS);
        tokens_add_seed(&block, LOOKUP_DUPLICATE, trips);
        for (unsigned trip = 0; trip < trips; trip++)
            tokens_add_group(&block, 0, trip > 0 ? 2 : 0);
    }
    assumption_tokens_add(run, &block);
    assumption_tokens_end_pass(run);
    tokens_destroy(&block);
    gsl_rng_free(random);
}

/* What M/M/1 says of 1bd, times a factor: the formula N_Q = rho^2 / (1 - rho). */
static void find(struct assumption_tokens *run, double factor, const enum assumption *order,
                 struct assumption_shares *shares)
{
    struct hardware hardware = exponential_machine();
    static struct verdict_frame frame;
    struct assumption_formulas f = {.frame = &frame};
    struct estimate simulated[MACHINE_QUANTITIES];
    struct assumption_deal deal = {0};
    struct assumption_machine m = {.hardware = &hardware,
                                   .tokens = run,
                                   .clocks = 1,
                                   .deal = &deal,
                                   .least_words = 2 * WORDS,
                                   .seed = 3};
    struct assumption_board *board = assumption_board_new(&m, 1u << ASSUME_BUS);
    struct assumption_sums sums = {0};
    assumption_deal(run, false, false, 1, 0, &deal);
    assumption_board_run(board, &deal, run->word_count, &sums, 1);
    assumption_board_destroy(board);
    m.clocks = sums.counts.clocks;
    assumption_machine_run(&m, 1u << ASSUME_BUS, simulated);
    m.service_1b_clocks = (double)run->reads / (double)run->lookup_count;
    double rho = m.service_1b_clocks * (double)run->lookup_count / m.clocks;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        for (unsigned model = 0; model < VERDICT_MODELS; model++)
            frame.cells[row][model] = (struct verdict_cell){.predicted = NAN, .why_not = "it is not asked"};
    for (unsigned stage = 0; stage < QUANTITY_STAGES; stage++) {
        f.loss[stage].offered_per_s = NAN;
        m.places[stage] = 130;
        f.rho[stage] = rho;
    }
    frame.cells[N_Q_1BD][VERDICT_MM1] = (struct verdict_cell){.predicted = factor * rho * rho / (1 - rho)};
    assumption_shares_find(&m, simulated, &f, order, true, shares);
    assumption_deal_destroy(&deal);
}

/* Shares and rest add up to the error. */
static void assert_sum(const struct assumption_shares *shares)
{
    const struct assumption_rest *rest = &shares->rests[ASSUMPTION_MM1][N_Q_1BD];
    double sum = rest->rest;
    for (unsigned step = 0; step < assumption_models[ASSUMPTION_MM1].steps; step++)
        sum += assumption_share(shares, step, N_Q_1BD).mean;
    ck_assert_double_eq_tol(sum, rest->formula - shares->values[0][N_Q_1BD].mean, 1e-12);
}

/* Each share of N_Q_1bd is 0 within its interval and a clock of waiting, which clocks add to each lookup (0.01
 * lookups); the last step meets M/M/1. In another order of the steps, a formula that is a fifth too small, such as
 * M/M/1 with a rho that is 7% too small, does not meet the last step. */
START_TEST(test_exponential)
{
    enum assumption order[ASSUMPTIONS];
    struct assumption_tokens run = {0};
    static struct assumption_shares shares;
    const struct assumption_rest *rest = &shares.rests[ASSUMPTION_MM1][N_Q_1BD];
    struct why why;
    ck_assert_int_eq(assumptions_order(NULL, order, &why), 0);
    draw_exponential(&run);
    find(&run, 1, order, &shares);
    ck_assert_double_gt(shares.values[0][N_Q_1BD].mean, 0.3);
    for (unsigned step = 0; step < ASSUMPTIONS; step++) {
        struct estimate share = assumption_share(&shares, step, N_Q_1BD);
        ck_assert_msg(fabs(share.mean) <= share.half_width + SEEDS_A_WORD, "%s: %g +- %g",
                      assumptions[order[step]].name, share.mean, share.half_width);
        ck_assert_double_lt(share.half_width, 0.25);
    }
    ck_assert_msg(!rest->remark, "rest %g +- %g", rest->rest, rest->half_width);
    assert_sum(&shares);

    ck_assert_int_eq(assumptions_order("services,clusters", order, &why), 0);
    find(&run, 0.8, order, &shares);
    assert_sum(&shares);
    ck_assert_str_eq(rest->remark, "the formula does not hold for its own assumptions");
    assumption_tokens_destroy(&run);
}
END_TEST

/* --- the order ------------------------------------------------------------------------------------------- */

START_TEST(test_order)
{
    enum assumption order[ASSUMPTIONS];
    struct why why;
    unsigned set = 0;
    ck_assert_int_eq(assumptions_order("loss,services,clumps", order, &why), 0);
    for (unsigned i = 0; i < ASSUMPTIONS; i++) {
        ck_assert_uint_eq(assumptions[order[i]].needs & ~set, 0);
        set |= 1u << order[i];
    }
    ck_assert_uint_eq(set, (1u << ASSUMPTIONS) - 1);
    ck_assert_int_eq(order[0], ASSUME_BUS);
    ck_assert_int_eq(order[ASSUMPTIONS - 1], ASSUME_LOSS);
    const enum assumption first[] = {ASSUME_BUS,     ASSUME_SOURCE,   ASSUME_CLOCKS, ASSUME_BOUNDS,
                                     ASSUME_POISSON, ASSUME_SERVICES, ASSUME_CLUMPS};
    for (unsigned i = 0; i < sizeof first / sizeof first[0]; i++)
        ck_assert_int_eq(order[i], first[i]);
    ck_assert_int_eq(assumptions_order("clumbs", order, &why), ASSUMPTION_EORDER);
    ck_assert_ptr_nonnull(strstr(why.line, "did you mean clumps?"));
    ck_assert_int_eq(assumptions_order("clumps,clumps", order, &why), ASSUMPTION_EORDER);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("assumptions");
    TCase *tcase = tcase_create("assumptions");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, test_board, 0, COUNT_OF(machines));
    tcase_add_test(tcase, test_few_seeds);
    tcase_add_test(tcase, test_deal);
    tcase_add_test(tcase, test_reads_take_the_mean_if_memory_is_assumed);
    tcase_add_test(tcase, test_exponential);
    tcase_add_test(tcase, test_order);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
