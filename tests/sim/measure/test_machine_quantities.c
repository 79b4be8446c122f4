/* test_machine_quantities.c - a pass's intervals against batch means worked out from what the judge saw, clock by
 * clock.
 */
#include "sim/measure/machine_quantities.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/measure/machine_frame.h"
#include "tests/run_suite.h"
#include "tests/sim/board/judge.h"
#include "tests/sim/board/random_tokens.h"

enum { CASES_A_TEST = 60, PARTS_MAX = 26, BLOCKS_MAX = PARTS_MAX * CASE_BLOCKS };

/* --- a pass of many blocks ------------------------------------------------------------------------------- */

struct made_pass {
    struct board_rules rules; /* of the first part, but for a stage-2 FIFO that all groups fit */
    struct random_case parts[PARTS_MAX];
    unsigned part_count;
    struct judge_block blocks[BLOCKS_MAX];
    size_t block_count;
};

/* Blocks of one random case after the other. */
static void make_pass(struct made_pass *made, uint64_t seed, unsigned parts)
{
    made->part_count = parts;
    made->block_count = 0;
    for (unsigned p = 0; p < parts; p++) {
        struct random_case *part = &made->parts[p];
        case_make(part, seed * 100 + p, (enum stream_kind)((seed + p) % STREAM_KINDS), RULES_DEFAULT,
                  (enum bus_kind)((seed + p / 2) % BUS_KINDS));
        uint32_t fits = p > 0 ? made->rules.stage2_matches : 0;
        made->rules = made->parts[0].rules;
        made->rules.stage2_matches = part->rules.stage2_matches > fits ? part->rules.stage2_matches : fits;
        for (size_t b = 0; b < part->block_count; b++) {
            struct tokens *tokens = &part->tokens[b];
            if (tokens->word_count == 0) /* a block is never empty */
                continue;
            for (size_t i = tokens->hsp_count = 0; i < tokens->match_count; i++)
                tokens->hsp_count += tokens->matches[i];
            made->blocks[made->block_count++] = (struct judge_block){tokens, part->shares[b]};
        }
    }
}

static void destroy_pass(struct made_pass *made)
{
    for (unsigned p = 0; p < made->part_count; p++)
        case_destroy(&made->parts[p]);
}

/* --- by the taps ----------------------------------------------------------------------------------------- */

static void measure(const struct made_pass *made, const struct board_rules *rules, int64_t end,
                    const struct hardware *hardware, struct frame *frame, struct board_taps *taps)
{
    struct board *board = board_new(rules);
    struct board_times times = {0};
    struct machine_batches batches = {0};
    board_taps_init(taps, rules);
    for (size_t b = 0; b < made->block_count; b++) {
        board_advance(board, made->blocks[b].tokens, &made->blocks[b].share, &times);
        ck_assert(board_taps_block(taps, made->blocks[b].tokens, &times));
        machine_batches_part(&batches, made->blocks[b].tokens);
        machine_batches_end_block(&batches, taps);
    }
    board_taps_close(taps, end);
    machine_batches_close(&batches, taps, hardware, frame);
    board_times_destroy(&times);
    board_destroy(board);
}

/* --- by the judge ---------------------------------------------------------------------------------------- */

/* Sums over the clocks up to the end of each. */
struct film {
    size_t count, room;
    double (*occupancy)[JUDGE_FIFOS], (*signal)[JUDGE_FIFOS];
};

static void film_clock(void *data, const size_t occupancy[JUDGE_FIFOS], const bool signal[JUDGE_FIFOS])
{
    struct film *film = data;
    if (film->count == film->room) {
        film->room = 2 * film->room + 4096;
        film->occupancy = realloc(film->occupancy, film->room * sizeof *film->occupancy);
        film->signal = realloc(film->signal, film->room * sizeof *film->signal);
    }
    for (int f = 0; f < JUDGE_FIFOS; f++) {
        double before = film->count > 0 ? film->occupancy[film->count - 1][f] : 0;
        double signals_before = film->count > 0 ? film->signal[film->count - 1][f] : 0;
        film->occupancy[film->count][f] = before + (double)occupancy[f];
        film->signal[film->count][f] = signals_before + signal[f];
    }
    film->count++;
}

static double growth(const double (*sums)[JUDGE_FIFOS], enum judge_fifo fifo, int64_t begin, int64_t end)
{
    return (end > 0 ? sums[end - 1][fifo] : 0) - (begin > 0 ? sums[begin - 1][fifo] : 0);
}

/* The length of a batch of these blocks, and where batch after batch ends. @return the number of batches */
static size_t cut_naively(size_t blocks, size_t *length, size_t *ends)
{
    size_t count = 0;
    for (*length = 1; blocks / *length >= BATCHES_MAX; *length *= 2)
        ;
    for (size_t end = *length; end <= blocks; end += *length)
        ends[count++] = end;
    if (count == 0 || 2 * (blocks % *length) >= *length)
        ends[count++] = blocks;
    ends[count - 1] = blocks;
    return count;
}

/* What entered a FIFO in the clocks from `begin` up to `end`, each time `elements`. */
static double entered(const int64_t *clocks, size_t count, const double *elements, int64_t begin, int64_t end)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += clocks[i] >= begin && clocks[i] < end ? elements[i] : 0;
    return sum;
}

/* Elements of the whole pass, as the judge's times have them, and where each block begins. */
struct elements {
    double *seeds_of_word, *matches_of_group;
    size_t first_word[BLOCKS_MAX + 1];
};

static struct elements elements_of(const struct made_pass *made, const struct judge_verdict *verdict)
{
    struct elements e = {calloc(verdict->word_count + 1, sizeof(double)),
                         calloc(verdict->group_count + 1, sizeof(double)),
                         {0}};
    size_t word = 0, group = 0;
    for (size_t b = 0; b < made->block_count; b++) {
        const struct tokens *t = made->blocks[b].tokens;
        for (size_t i = 0; i < t->word_count; i++)
            e.seeds_of_word[word++] = t->words[i];
        for (size_t i = 0; i < t->group_count; i++)
            e.matches_of_group[group++] = t->groups[i].matches;
        e.first_word[b + 1] = word;
    }
    return e;
}

static void judge_terms(const struct made_pass *made, const struct judge_verdict *verdict,
                        const struct film *film, const struct elements *e, const struct hardware *hardware,
                        size_t first, size_t behind, struct batch_term *terms)
{
    const struct board_times *times = &verdict->times;
    int64_t begin = first > 0 ? times->word_delivered[e->first_word[first] - 1] + 1 : 0;
    int64_t end =
        behind < made->block_count ? times->word_delivered[e->first_word[behind] - 1] + 1 : verdict->end;
    double words = (double)(e->first_word[behind] - e->first_word[first]), lookups = 0, reads = 0,
           records = 0;
    for (size_t b = first; b < behind; b++) {
        const struct tokens *t = made->blocks[b].tokens;
        lookups += (double)t->seed_count;
        reads += (double)t->seed_count;
        for (size_t i = 0; i < t->group_count; i++)
            reads += ceil(t->groups[i].entries / 2.0);
        for (size_t i = 0; i < t->match_count; i++)
            records += t->matches[i];
    }
    double clocks = (double)(end - begin), s = clocks / hardware->fpga_clock_hz;
    double seeds = entered(times->word_taken, verdict->word_count, e->seeds_of_word, begin, end);
    double matches = entered(times->group_entered, verdict->group_count, e->matches_of_group, begin, end);
    double n_q[JUDGE_FIFOS], signal[JUDGE_FIFOS];
    for (int f = 0; f < JUDGE_FIFOS; f++) {
        n_q[f] = growth((const double(*)[JUDGE_FIFOS])film->occupancy, (enum judge_fifo)f, begin, end);
        signal[f] = growth((const double(*)[JUDGE_FIFOS])film->signal, (enum judge_fifo)f, begin, end);
    }
    const struct batch_term all[MACHINE_ESTIMATES] = {
        {16 * words, s},
        {seeds, s},
        {matches, s},
        {8 * words + hardware->hsp_bytes * records, s * hardware_bus_bytes_per_s(hardware)},
        {words, clocks},
        {reads, clocks},
        {lookups, reads},
        {matches, clocks},
        {16 * n_q[JUDGE_INGRESS], clocks},
        {n_q[JUDGE_WMER] + n_q[JUDGE_SRAM], clocks},
        {n_q[JUDGE_WMER], clocks},
        {n_q[JUDGE_SRAM], clocks},
        {n_q[JUDGE_STAGE2], clocks},
        {signal[JUDGE_INGRESS], clocks},
        {signal[JUDGE_WMER], clocks},
        {signal[JUDGE_SRAM], clocks},
        {signal[JUDGE_STAGE2], clocks},
    };
    memcpy(terms, all, sizeof all);
}

/* --- both ------------------------------------------------------------------------------------------------ */

static void check_close(double ours, double theirs, const char *name, uint64_t seed)
{
    bool same = isnan(theirs) ? isnan(ours) : fabs(ours - theirs) <= 1e-11 * (1 + fabs(theirs));
    ck_assert_msg(same, "seed %" PRIu64 ", %s: %.17g instead of %.17g", seed, name, ours, theirs);
}

static void compare(const struct made_pass *made, const struct judge_verdict *verdict,
                    const struct film *film, const struct hardware *hardware, const struct frame *frame,
                    uint64_t seed)
{
    size_t length, ends[BLOCKS_MAX + 1], count = cut_naively(made->block_count, &length, ends);
    struct batch_term terms[MACHINE_ESTIMATES][BLOCKS_MAX], of_batch[MACHINE_ESTIMATES];
    struct elements elements = elements_of(made, verdict);
    ck_assert_uint_eq(frame->batches, count);
    ck_assert_uint_eq(frame->blocks_a_batch, length);
    for (size_t i = 0; i < count; i++) {
        judge_terms(made, verdict, film, &elements, hardware, i > 0 ? ends[i - 1] : 0, ends[i], of_batch);
        for (int e = 0; e < MACHINE_ESTIMATES; e++)
            terms[e][i] = of_batch[e];
    }
    free(elements.seeds_of_word);
    free(elements.matches_of_group);
    for (int e = 0; e < MACHINE_ESTIMATES; e++) {
        struct estimate theirs = batch_means(terms[e], count), ours = frame->estimates[e];
        const char *name = machine_estimates[e].name;
        check_close(ours.mean, theirs.mean, name, seed);
        check_close(ours.half_width, count < 10 ? NAN : theirs.half_width, name, seed);
        check_close(ours.lag1, count < 10 ? NAN : theirs.lag1, name, seed);
        check_close(ours.largest, count < 10 ? NAN : theirs.largest, name, seed);
    }
}

/* The pass's own means, from all that its taps saw. */
static void check_means(const struct frame *frame, const struct board_taps *taps, uint64_t seed)
{
    const struct fifo_measure *m = &taps->fifos[FIFO_STAGE2].measure;
    check_close(frame->estimates[ESTIMATE_N_Q_2].mean, fifo_measure_mean(m), "N_Q_2 of the pass", seed);
    check_close(frame->estimates[ESTIMATE_P_BP_2].mean, fifo_measure_back_pressure(m), "P_BP_2 of the pass",
                seed);
    check_close(frame->estimates[ESTIMATE_RHO_2].mean, (double)m->elements / (double)m->clocks,
                "rho_2 of the pass", seed);
}

static void check_pass(uint64_t seed, unsigned parts)
{
    static struct made_pass made;
    struct hardware hardware = hardware_default();
    struct film film = {0};
    struct judge_watch watch = {.clock = film_clock, .data = &film};
    struct frame frame = {0};
    struct board_taps taps;
    make_pass(&made, seed, parts);
    const struct board_rules *rules = &made.rules;
    struct judge_verdict *verdict = judge_run_watched(rules, made.blocks, made.block_count, &watch);
    ck_assert_msg(!verdict->stuck, "seed %" PRIu64 ": %s", seed, verdict->stuck);
    measure(&made, rules, verdict->end, &hardware, &frame, &taps);
    compare(&made, verdict, &film, &hardware, &frame, seed);
    check_means(&frame, &taps, seed);
    board_taps_destroy(&taps);
    judge_verdict_destroy(verdict);
    free(film.occupancy);
    free(film.signal);
    destroy_pass(&made);
}

START_TEST(test_intervals_are_the_judge_s)
{
    static const unsigned parts[] = {1, 4, 8, 13, 26};
    for (uint64_t n = 0; n < (uint64_t)tests_some(CASES_A_TEST); n++)
        check_pass(41000 + 100 * (uint64_t)_i + n, parts[_i]);
}
END_TEST

START_TEST(test_every_estimate_has_a_name)
{
    ck_assert_uint_eq(machine_layout.estimate_count, MACHINE_ESTIMATES);
    for (unsigned i = 0; i < MACHINE_ESTIMATES; i++) {
        ck_assert_ptr_nonnull(machine_estimates[i].name);
        for (unsigned j = 0; j < i; j++)
            ck_assert_str_ne(machine_estimates[i].name, machine_estimates[j].name);
    }
}
END_TEST

static Suite *machine_batches_suite(void)
{
    Suite *suite = suite_create("machine_batches");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 120);
    tcase_add_loop_test(core, test_intervals_are_the_judge_s, 0, 5);
    tcase_add_test(core, test_every_estimate_has_a_name);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(machine_batches_suite());
}
