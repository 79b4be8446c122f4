/* test_board_taps.c - the taps on the board's FIFOs, against what the judge saw clock by clock; taps by the clock,
 * against counting. */
#include "sim/board/board_taps.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/run_suite.h"
#include "tests/sim/board/judge.h"
#include "tests/sim/board/random_tokens.h"

enum { CASES_A_TEST = 300, CUT_CASES_A_TEST = 60 };

static const struct {
    const char *name;
    enum judge_fifo judge;
} fifos[BOARD_FIFOS] = {
    [FIFO_INGRESS] = {"ingress", JUDGE_INGRESS}, [FIFO_WMER] = {"wmer", JUDGE_WMER},
    [FIFO_SRAM] = {"SRAM", JUDGE_SRAM},          [FIFO_STAGE2] = {"stage 2", JUDGE_STAGE2},
    [FIFO_EGRESS] = {"egress", JUDGE_EGRESS},
};

/* The tap's histogram is the judge's, occupancies put together bin_width at a time. */
static void check_histogram(const struct fifo_measure *measure, const struct judge_tap *seen,
                            const char *where)
{
    uint64_t bins[FIFO_BINS] = {0};
    for (size_t occupancy = 0; occupancy <= seen->most; occupancy++)
        bins[occupancy / measure->bin_width] += seen->clocks_at[occupancy];
    for (int bin = 0; bin < FIFO_BINS; bin++) /* no ck_assert for each: Check logs every one */
        if (measure->bins[bin] != bins[bin])
            ck_abort_msg("%s: bin %d: tap %" PRIu64 ", judge %" PRIu64, where, bin, measure->bins[bin],
                         bins[bin]);
    ck_assert_uint_eq(measure->overflow, 0);
}

static void check_measure(const struct fifo_measure *measure, const struct judge_tap *seen, const char *where)
{
    ck_assert_msg(measure->integral == seen->integral, "%s: integral: tap %" PRIu64 ", judge %" PRIu64, where,
                  (uint64_t)measure->integral, seen->integral);
    ck_assert_msg(measure->most == seen->most, "%s: most: tap %" PRIu64 ", judge %" PRIu64, where,
                  measure->most, seen->most);
    ck_assert_msg(fifo_measure_is_consistent(measure), "%s: Little's law, or the histogram's time", where);
    check_histogram(measure, seen, where);
}

static void check_taps(const struct board_taps *taps, const struct judge_verdict *verdict, const char *where)
{
    const size_t elements[BOARD_FIFOS] = {verdict->word_count, verdict->seed_count, verdict->seed_count,
                                          verdict->match_count, verdict->record_count};
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++) {
        char here[128];
        snprintf(here, sizeof here, "%s, %s", where, fifos[fifo].name);
        const struct fifo_measure *measure = &taps->fifos[(enum board_fifo)fifo].measure;
        const struct judge_tap *seen = &verdict->taps[fifos[fifo].judge];
        check_measure(measure, seen, here);
        ck_assert_uint_eq(measure->clocks, (uint64_t)verdict->end);
        ck_assert_uint_eq(measure->elements, elements[fifo]);
        if (fifo != FIFO_EGRESS) /* for which the judge knows no signal */
            ck_assert_msg(measure->back_pressure_clocks == seen->back_pressure_clocks,
                          "%s: back-pressure: tap %" PRIu64 ", judge %" PRIu64, here,
                          measure->back_pressure_clocks, seen->back_pressure_clocks);
    }
}

static struct judge_verdict *judge_case(const struct random_case *made)
{
    struct judge_block blocks[CASE_BLOCKS];
    for (size_t b = 0; b < made->block_count; b++)
        blocks[b] = (struct judge_block){&made->tokens[b], made->shares[b]};
    struct judge_verdict *verdict = judge_run(&made->rules, blocks, made->block_count);
    ck_assert_msg(!verdict->stuck, "seed %" PRIu64 ": %s", made->seed, verdict->stuck);
    return verdict;
}

static void check_case(const struct random_case *made, bool vectors)
{
    struct judge_verdict *verdict = judge_case(made);
    struct board *board = board_new(&made->rules);
    struct board_times times = {0};
    struct board_taps taps;
    board_taps_init(&taps, &made->rules);
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++)
        taps.fifos[fifo].vectors &= vectors;
    for (size_t b = 0; b < made->block_count; b++) {
        board_advance(board, &made->tokens[b], &made->shares[b], &times);
        ck_assert(board_taps_block(&taps, &made->tokens[b], &times));
    }
    board_taps_close(&taps, verdict->end);
    char where[64];
    snprintf(where, sizeof where, "seed %" PRIu64 "%s", made->seed, vectors ? "" : ", portable");
    check_taps(&taps, verdict, where);
    board_taps_destroy(&taps);
    board_times_destroy(&times);
    board_destroy(board);
    judge_verdict_destroy(verdict);
}

START_TEST(test_taps_read_what_the_judge_sees)
{
    enum stream_kind stream = (enum stream_kind)(_i % STREAM_KINDS);
    enum rules_kind rules = (enum rules_kind)(_i / STREAM_KINDS);
    for (int n = 0; n < tests_some(CASES_A_TEST); n++) {
        struct random_case made;
        case_make(&made, UINT64_C(9000000) + (uint64_t)_i * 1000 + (uint64_t)n, stream, rules,
                  (enum bus_kind)(n % BUS_KINDS));
        check_case(&made, n % 3 > 0);
        case_destroy(&made);
    }
}
END_TEST

/* Reads that take as long as the taps look back for them, and longer. */
START_TEST(test_long_reads)
{
    static const uint32_t cycles[] = {0, 1, 2, 127, 128, 129, 1023, 1024, 1025, 3000};
    for (int n = 0; n < tests_some(CASES_A_TEST); n++) {
        struct random_case made;
        case_make(&made, UINT64_C(29000000) + (uint64_t)_i * 1000 + (uint64_t)n,
                  (enum stream_kind)(n % STREAM_KINDS), RULES_DEFAULT, (enum bus_kind)(n % BUS_KINDS));
        made.rules.sram_read_cycles = cycles[_i];
        made.rules.sram_margin = cycles[_i];
        made.rules.sram_lookups = cycles[_i] + 1 + (uint32_t)n;
        check_case(&made, n % 3 > 0);
        case_destroy(&made);
    }
}
END_TEST

/* A bus so slow that several windows of the tapes pass without an element. */
START_TEST(test_rests)
{
    enum { SLOWER = 700 };
    struct random_case made;
    case_make(&made, UINT64_C(39000000) + (uint64_t)_i, (enum stream_kind)(_i % STREAM_KINDS), RULES_DEFAULT,
              BUS_SLOW);
    for (size_t b = 0; b < made.block_count; b++) {
        struct bus_share *share = &made.shares[b];
        share->begin *= SLOWER;
        share->word_ticks *= SLOWER;
        share->supply_first *= SLOWER;
        share->supply_ticks *= SLOWER;
    }
    check_case(&made, _i % 2 > 0);
    case_destroy(&made);
}
END_TEST

/* FIFOs of more than 511 places that do fill: bins of two or more; in the second case of more places than 16 bits
 * count. A list of trips keeps 1bd busy while words of 16 seeds come at full speed; 1bp stops at K - margin, then the
 * w-mer FIFO fills, then the ingress FIFO. */
START_TEST(test_long_queues_in_wide_bins)
{
    const bool huge = _i == 1;
    struct random_case made = {.rules = rules_default(), .block_count = 1};
    struct tokens *tokens = &made.tokens[0];
    made.rules.ingress_words = 600;
    made.rules.wmer_seeds = huge ? 70000 : 1500;
    made.rules.sram_lookups = 1024;
    made.rules.egress_records = 2000;
    made.shares[0] = (struct bus_share){.word_ticks = 1, .record_ticks = 100 * BOARD_TICKS_PER_CLOCK};
    const int words = huge ? 5000 : 900, seeds = 16 * (huge ? 4500 : 200), trips = huge ? 1200 : 60;
    for (int w = 0; w < words; w++)
        tokens_add_word(tokens, w < seeds / 16 ? 16 : 0);
    for (int s = 0; s < seeds; s++)
        tokens_add_seed(tokens, s == 0 ? LOOKUP_DUPLICATE : LOOKUP_EMPTY, s == 0 ? (unsigned)trips : 0);
    for (int g = 0; g < trips; g++) {
        tokens_add_group(tokens, 5, 5);
        for (int m = 0; m < 5; m++)
            tokens_add_match(tokens, true);
    }
    struct judge_verdict *verdict = judge_case(&made);
    ck_assert_uint_gt(verdict->taps[JUDGE_WMER].most, made.rules.wmer_seeds - 17);
    ck_assert_uint_gt(verdict->taps[JUDGE_SRAM].most, 983);
    ck_assert_uint_gt(verdict->taps[JUDGE_EGRESS].most, 200);
    judge_verdict_destroy(verdict);
    check_case(&made, true);
    check_case(&made, false);
    case_destroy(&made);
}
END_TEST

/* ---- frames ---- */

/* Every clock as the judge saw it. */
struct film {
    size_t count, room;
    size_t (*occupancy)[JUDGE_FIFOS];
    bool (*signal)[JUDGE_FIFOS];
};

static void film_clock(void *data, const size_t occupancy[JUDGE_FIFOS], const bool signal[JUDGE_FIFOS])
{
    struct film *film = data;
    if (film->count == film->room) {
        film->room = 2 * film->room + 1024;
        film->occupancy = realloc(film->occupancy, film->room * sizeof *film->occupancy);
        film->signal = realloc(film->signal, film->room * sizeof *film->signal);
    }
    memcpy(film->occupancy[film->count], occupancy, sizeof *film->occupancy);
    memcpy(film->signal[film->count++], signal, sizeof *film->signal);
}

/* Clocks that a watch has seen, and borders of frames that have come. */
struct seen_clocks {
    int64_t on_tapes, at_rest, next;
    unsigned tapes, cuts;
};

enum { SLOW_WORDS = 8, FRAMES_PER_WORD = 4 };
static const int64_t slow_word = INT64_C(1) << 36;

static void see_tapes(void *data, const struct board_taps *taps, int64_t begin, int64_t end)
{
    struct seen_clocks *seen = data;
    (void)taps;
    ck_assert_int_eq(begin, seen->next);
    seen->next = end;
    seen->on_tapes += end - begin;
    ck_assert_msg(++seen->tapes < 100, "every clock is on a tape");
}

static void see_rest(void *data, int64_t begin, int64_t end)
{
    struct seen_clocks *seen = data;
    ck_assert_int_eq(begin, seen->next);
    seen->next = end;
    seen->at_rest += end - begin;
}

static int64_t next_far_border(void *data, const struct board_taps *taps, int64_t from, int64_t end)
{
    (void)data, (void)taps, (void)end;
    const int64_t frame = slow_word / FRAMES_PER_WORD;
    return (from / frame + 1) * frame;
}

static void count_cut(void *data, const struct board_taps *taps, int64_t border)
{
    ((struct seen_clocks *)data)->cuts++;
    ck_assert_uint_eq(taps->fifos[FIFO_INGRESS].measure.clocks, border);
}

/* Words that come every 2^36 clocks, 9 minutes, and borders of frames between them: those who watch the tapes see them
 * only around the words, and are told of the rest. */
START_TEST(test_a_slow_bus_is_not_seen_clock_by_clock)
{
    struct random_case made = {.rules = rules_default(), .block_count = 1};
    struct seen_clocks seen = {0};
    struct tape_watch watch = {.tapes = see_tapes, .rest = see_rest, .data = &seen};
    struct board_cuts cuts = {next_far_border, count_cut, &seen};
    struct board_taps taps;
    struct board_times times = {0};
    struct board *board = board_new(&made.rules);
    made.shares[0] = (struct bus_share){.word_ticks = slow_word * BOARD_TICKS_PER_CLOCK};
    for (int w = 0; w < SLOW_WORDS; w++)
        tokens_add_word(&made.tokens[0], 0);
    board_taps_init(&taps, &made.rules);
    taps.cuts = &cuts;
    board_taps_add_watch(&taps, &watch);
    board_advance(board, &made.tokens[0], &made.shares[0], &times);
    ck_assert(board_taps_block(&taps, &made.tokens[0], &times));
    const int64_t end = board_drained(board);
    ck_assert_int_gt(end, (SLOW_WORDS - 1) * slow_word);
    board_taps_close(&taps, end);
    ck_assert_int_eq(seen.next, end);
    ck_assert_int_eq(seen.on_tapes + seen.at_rest, end);
    ck_assert_uint_eq(seen.cuts, (SLOW_WORDS - 1) * FRAMES_PER_WORD);
    ck_assert_uint_eq(taps.fifos[FIFO_INGRESS].measure.elements, SLOW_WORDS);
    ck_assert_uint_eq(taps.fifos[FIFO_INGRESS].measure.clocks, end);
    board_taps_destroy(&taps);
    board_times_destroy(&times);
    board_destroy(board);
    case_destroy(&made);
}
END_TEST

enum border_kind { BORDERS_EVERY_CLOCK, BORDERS_EVERY_EVENT, BORDERS_RARE, BORDERS_MIXED, BORDERS_KINDS };

/* Borders as somebody wants them, and what the taps had seen at the last one. */
struct cutter {
    const struct film *film;
    enum border_kind kind;
    struct dice dice;
    int64_t begin, border;
    struct fifo_measure before[BOARD_FIFOS];
    uint64_t inside[BOARD_FIFOS], moved[BOARD_FIFOS], *counts[BOARD_FIFOS];
    size_t frames;
    const char *where;
};

static bool is_event(const uint16_t *tape)
{
    return *tape > 0;
}

static int64_t next_event(const struct board_taps *taps, int64_t from, int64_t end)
{
    for (int64_t clock = from; clock < end && !taps->is_resting; clock++)
        for (unsigned port = 0; port < PORT_DONE; port++)
            if (is_event(board_taps_tape(taps, (enum board_port)port, clock)))
                return clock + 1;
    return INT64_MAX;
}

static int64_t next_border(void *data, const struct board_taps *taps, int64_t from, int64_t end)
{
    struct cutter *c = data;
    if (c->kind == BORDERS_EVERY_EVENT)
        return next_event(taps, from, end);
    if (c->border <= from) {
        bool near = c->kind == BORDERS_EVERY_CLOCK || (c->kind == BORDERS_MIXED && dice_chance(&c->dice, 40));
        c->border = from + (near ? 1 : (int64_t)dice_between(&c->dice, 1, 3000));
    }
    return c->border;
}

static void check_frame(struct cutter *c, const struct board_taps *taps, unsigned fifo, int64_t border)
{
    const struct clock_tap *tap = &taps->fifos[fifo];
    const enum judge_fifo judge = fifos[fifo].judge;
    size_t occupancies;
    const uint64_t *counts = clock_tap_counts(tap, &occupancies);
    uint64_t integral = 0, asserted = 0, *seen = c->counts[fifo];
    for (int64_t clock = c->begin; clock < border; clock++) {
        integral += c->film->occupancy[clock][judge];
        asserted += c->film->signal[clock][judge];
        seen[c->film->occupancy[clock][judge]]++;
    }
    const struct fifo_measure *now = &tap->measure, *before = &c->before[fifo];
    const char *name = fifos[fifo].name;
    if (memcmp(counts, seen, occupancies * sizeof *seen) != 0)
        ck_abort_msg("%s, %s: histogram of the frame before %" PRId64, c->where, name, border);
    if (now->integral - before->integral != integral)
        ck_abort_msg("%s, %s: integral of the frame before %" PRId64, c->where, name, border);
    if (fifo != FIFO_EGRESS && now->back_pressure_clocks - before->back_pressure_clocks != asserted)
        ck_abort_msg("%s, %s: back-pressure of the frame before %" PRId64, c->where, name, border);
    if (tap->inside != c->film->occupancy[border - 1][judge])
        ck_abort_msg("%s, %s: inside at %" PRId64, c->where, name, border);
    if (!board_taps_little_holds(integral, taps->moved[fifo] - c->moved[fifo], c->inside[fifo], c->begin,
                                 tap->inside, border))
        ck_abort_msg("%s, %s: Little's law in the frame before %" PRId64, c->where, name, border);
    c->before[fifo] = *now;
    c->inside[fifo] = tap->inside;
    c->moved[fifo] = taps->moved[fifo];
}

static void check_cut(void *data, const struct board_taps *taps, int64_t border)
{
    struct cutter *c = data;
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++)
        check_frame(c, taps, fifo, border);
    c->begin = border;
    c->frames++;
}

static void cut_case(const struct random_case *made, enum border_kind kind, bool vectors)
{
    struct film film = {0};
    struct judge_block blocks[CASE_BLOCKS];
    for (size_t b = 0; b < made->block_count; b++)
        blocks[b] = (struct judge_block){&made->tokens[b], made->shares[b]};
    struct judge_watch watch = {.clock = film_clock, .data = &film};
    struct judge_verdict *verdict = judge_run_watched(&made->rules, blocks, made->block_count, &watch);
    char where[64];
    snprintf(where, sizeof where, "seed %" PRIu64 ", borders %d%s", made->seed, (int)kind,
             vectors ? "" : ", portable");
    struct cutter cutter = {.film = &film, .kind = kind, .dice = {made->seed}, .where = where};
    struct board_cuts cuts = {next_border, check_cut, &cutter};
    struct board_taps taps;
    struct board_times times = {0};
    struct board *board = board_new(&made->rules);
    board_taps_init(&taps, &made->rules);
    taps.cuts = &cuts;
    taps.watch_server = true;
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++) {
        size_t occupancies;
        taps.fifos[fifo].vectors &= vectors;
        clock_tap_count_exactly(&taps.fifos[fifo]);
        clock_tap_counts(&taps.fifos[fifo], &occupancies);
        cutter.counts[fifo] = calloc(occupancies, sizeof(uint64_t));
    }
    for (size_t b = 0; b < made->block_count; b++) {
        board_advance(board, &made->tokens[b], &made->shares[b], &times);
        ck_assert(board_taps_block(&taps, &made->tokens[b], &times));
    }
    board_taps_close(&taps, verdict->end);
    if (cutter.begin < verdict->end) {
        snprintf(where, sizeof where, "seed %" PRIu64 ", last frame", made->seed);
        ck_assert(kind != BORDERS_EVERY_CLOCK);
    }
    check_taps(&taps, verdict, where);
    ck_assert_uint_eq(taps.fifos[BOARD_SERVER].measure.integral, board_taps_lookup_busy_clocks(&taps));
    ck_assert(fifo_measure_is_consistent(&taps.fifos[BOARD_SERVER].measure));
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++)
        free(cutter.counts[fifo]);
    free(film.occupancy);
    free(film.signal);
    board_taps_destroy(&taps);
    board_times_destroy(&times);
    board_destroy(board);
    judge_verdict_destroy(verdict);
}

START_TEST(test_frames_are_what_the_judge_sees_between_their_borders)
{
    enum stream_kind stream = (enum stream_kind)(_i % STREAM_KINDS);
    enum rules_kind rules = (enum rules_kind)(_i / STREAM_KINDS);
    for (int n = 0; n < tests_some(CUT_CASES_A_TEST); n++) {
        struct random_case made;
        case_make(&made, UINT64_C(19000000) + (uint64_t)_i * 1000 + (uint64_t)n, stream, rules,
                  (enum bus_kind)(n % BUS_KINDS));
        cut_case(&made, (enum border_kind)(n % BORDERS_KINDS), n % 3 > 0);
        case_destroy(&made);
    }
}
END_TEST

/* ---- taps by the clock, without a board ---- */

enum { CLOCKS = 20000 };

struct traffic {
    uint16_t entered[CLOCKS], left[CLOCKS];
    uint64_t places;
};

/* Stretches in which the queue idles, fills, empties or stays; elements that leave in the clock they came in. */
static void make_traffic(struct traffic *traffic, struct dice *dice)
{
    static const uint64_t places[] = {1, 8, 130, 500, 512, 5000, 40000};
    *traffic = (struct traffic){.places = places[dice_below(dice, sizeof places / sizeof places[0])]};
    uint64_t inside = 0, most_in = 0, most_out = 0;
    for (int i = 0; i < CLOCKS; i++) {
        if (dice_chance(dice, 1)) {
            most_in = dice_chance(dice, 50) ? 0 : dice_between(dice, 1, traffic->places / 8 + 1);
            most_out = dice_chance(dice, 50) ? 0 : dice_between(dice, 1, traffic->places / 8 + 1);
        }
        uint64_t in = dice_between(dice, 0, most_in), out = dice_between(dice, 0, most_out);
        out = out < inside + in ? out : inside + in;
        in = inside + in - out <= traffic->places ? in : traffic->places + out - inside;
        inside += in - out;
        traffic->entered[i] = (uint16_t)in;
        traffic->left[i] = (uint16_t)out;
    }
}

static struct fifo_measure count_traffic(const struct traffic *traffic, uint64_t back_pressure_at,
                                         bool ignores_arrivals)
{
    struct fifo_measure m = fifo_measure_none(traffic->places);
    uint64_t inside = 0;
    for (int i = 0; i < CLOCKS; i++) {
        uint64_t stayed = inside > traffic->left[i] ? inside - traffic->left[i] : 0;
        inside += traffic->entered[i];
        inside -= traffic->left[i];
        m.clocks++;
        m.elements += traffic->entered[i];
        m.integral += inside;
        m.most = inside > m.most ? inside : m.most;
        m.back_pressure_clocks += (ignores_arrivals ? stayed : inside) >= back_pressure_at;
        m.bins[inside / m.bin_width]++;
    }
    return m;
}

static bool is_at_rest(const struct traffic *traffic, size_t clock, size_t clocks)
{
    size_t moved = 0;
    for (size_t i = clock; i < clock + clocks; i++)
        moved += (size_t)traffic->entered[i] + traffic->left[i];
    return moved == 0;
}

START_TEST(test_clocks_in_pieces_against_counting)
{
    struct dice dice = {UINT64_C(77000) + (uint64_t)_i};
    static struct traffic traffic;
    make_traffic(&traffic, &dice);
    uint64_t back_pressure_at = dice_chance(&dice, 20) ? UINT64_MAX : dice_between(&dice, 0, traffic.places);
    bool ignores_arrivals = dice_chance(&dice, 50);
    struct fifo_measure expected = count_traffic(&traffic, back_pressure_at, ignores_arrivals);
    for (int vectors = 0; vectors < 2; vectors++) {
        struct clock_tap tap;
        clock_tap_init(&tap, traffic.places, back_pressure_at, ignores_arrivals, vectors);
        for (size_t clock = 0, clocks; clock < CLOCKS; clock += clocks) {
            clocks = dice_between(&dice, 1, dice_chance(&dice, 50) ? 100 : 19000);
            clocks = clocks < CLOCKS - clock ? clocks : CLOCKS - clock;
            if (is_at_rest(&traffic, clock, clocks) && dice_chance(&dice, 50))
                clock_tap_rest(&tap, clocks);
            else
                clock_tap_clocks(&tap, traffic.entered + clock, traffic.left + clock, clocks);
        }
        ck_assert_msg(memcmp(&tap.measure, &expected, sizeof expected) == 0, "traffic %d%s", _i,
                      vectors ? ", vectors" : "");
    }
}
END_TEST

static Suite *board_taps_suite(void)
{
    Suite *suite = suite_create("board_taps");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits");
    tcase_set_timeout(core, 60);
    tcase_set_timeout(limits, 60);
    tcase_add_loop_test(core, test_taps_read_what_the_judge_sees, 0, STREAM_KINDS * RULES_KINDS);
    tcase_add_loop_test(core, test_frames_are_what_the_judge_sees_between_their_borders, 0,
                        STREAM_KINDS * RULES_KINDS);
    tcase_add_loop_test(core, test_clocks_in_pieces_against_counting, 0, 60);
    tcase_add_loop_test(core, test_long_reads, 0, 10);
    tcase_add_loop_test(core, test_rests, 0, tests_some(2 * STREAM_KINDS));
    tcase_add_loop_test(limits, test_long_queues_in_wide_bins, 0, 2);
    tcase_add_test(limits, test_a_slow_bus_is_not_seen_clock_by_clock);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    return suite;
}

int main(void)
{
    return run_suite(board_taps_suite());
}
