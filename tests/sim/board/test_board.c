/* test_board.c - the fast engine against the judge, element by element, and both against clocks computed
 * by hand. */
#include "sim/board/board.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/queue/mercury_tandem.h"
#include "tests/run_suite.h"
#include "sim/board/board_fifos.h"
#include "tests/sim/board/judge.h"
#include "tests/sim/board/random_tokens.h"
#include "tests/sim/board/times_difference.h"

#define CLOCK BOARD_TICKS_PER_CLOCK

enum { CASES_A_TEST = 1400, SHRINK_ATTEMPTS = 20000 };

/* ---- comparing ---- */

static struct judge_verdict *judge_case(const struct random_case *made, const struct board_rules *rules,
                                        size_t block_count)
{
    struct judge_block blocks[CASE_BLOCKS];
    for (size_t b = 0; b < block_count; b++)
        blocks[b] = (struct judge_block){&made->tokens[b], made->shares[b]};
    return judge_run(rules, blocks, block_count);
}

/* The block's last word is number `last` of all. */
static void compare_bus(struct times_difference *difference, const struct judge_verdict *verdict,
                        const struct board *board, size_t last)
{
    int64_t free_at = board_bus_free(board);
    times_compare(difference, "bus_free", &verdict->bus_free[last], &free_at, 1);
}

/* Run a case's blocks through the board, the judge under other rules if asked to. */
static struct times_difference compare_case(const struct random_case *made,
                                            const struct board_rules *judge_rules)
{
    struct times_difference difference = {0};
    struct judge_verdict *verdict = judge_case(made, judge_rules, made->block_count);
    struct board *board = board_new(&made->rules);
    struct board_times times = {0};
    struct board_times judged = verdict->times;
    size_t words = 0;
    ck_assert_ptr_nonnull(board);
    ck_assert_msg(!verdict->stuck, "seed %" PRIu64 ": %s", made->seed, verdict->stuck);
    for (size_t b = 0; b < made->block_count && !difference.what; b++) {
        difference.block = b;
        board_advance(board, &made->tokens[b], &made->shares[b], &times);
        times_compare_block(&difference, &made->tokens[b], &judged, &times);
        judged = times_skip(judged, &made->tokens[b]);
        words += made->tokens[b].word_count;
        if (made->tokens[b].word_count > 0)
            compare_bus(&difference, verdict, board, words - 1);
    }
    int64_t drained = board_drained(board);
    times_compare(&difference, "drained", &verdict->end, &drained, 1);
    board_times_destroy(&times);
    board_destroy(board);
    judge_verdict_destroy(verdict);
    return difference;
}

static bool differs(const struct random_case *made, void *context)
{
    (void)context;
    return compare_case(made, &made->rules).what != NULL;
}

static void fail_shrunk(struct random_case *made)
{
    case_shrink(made, differs, NULL, SHRINK_ATTEMPTS);
    struct times_difference left = compare_case(made, &made->rules);
    case_print(stderr, made);
    fprintf(stderr, "  %s[%zu] of block %zu: judge %" PRId64 ", board %" PRId64 "\n", left.what, left.number,
            left.block, left.one, left.other);
    ck_abort_msg("judge and board differ in %s, seed %" PRIu64 "; shrunk case on stderr", left.what,
                 made->seed);
}

static void check_case(struct random_case *made)
{
    if (differs(made, NULL))
        fail_shrunk(made);
}

/* ---- random cases ---- */

static uint64_t case_seed(int stream, int rules, int bus, int number)
{
    return (((uint64_t)stream * 64 + (uint64_t)rules) * 64 + (uint64_t)bus) * 65536 + (uint64_t)number;
}

/* One Check loop a kind of stream and of rules; all kinds of bus in turn. */
static void check_stream(enum stream_kind stream, int rules)
{
    for (int n = 0; n < tests_some(CASES_A_TEST); n++) {
        int bus = n % BUS_KINDS;
        struct random_case made;
        case_make(&made, case_seed(stream, rules, bus, n), stream, (enum rules_kind)rules,
                  (enum bus_kind)bus);
        check_case(&made);
        case_destroy(&made);
    }
}

START_TEST(test_sparse_streams_agree)
{
    check_stream(STREAM_SPARSE, _i);
}
END_TEST

START_TEST(test_dense_streams_agree)
{
    check_stream(STREAM_DENSE, _i);
}
END_TEST

START_TEST(test_words_with_16_seeds_agree)
{
    check_stream(STREAM_PACKED, _i);
}
END_TEST

START_TEST(test_floods_of_duplicates_agree)
{
    check_stream(STREAM_FLOOD, _i);
}
END_TEST

START_TEST(test_matches_at_once_agree)
{
    check_stream(STREAM_MATCHES, _i);
}
END_TEST

START_TEST(test_trips_without_matches_agree)
{
    check_stream(STREAM_HOLLOW, _i);
}
END_TEST

/* Every set of free stages, on all kinds of streams, rules and buses. */
START_TEST(test_free_stages_agree)
{
    enum { CASES = 700 };
    for (int n = 0; n < tests_some(CASES); n++) {
        struct random_case made;
        case_make(&made, 9000000 + (uint64_t)(_i * CASES + n), (enum stream_kind)(n % STREAM_KINDS),
                  (enum rules_kind)(n / 6 % RULES_KINDS), (enum bus_kind)(n / 3 % BUS_KINDS));
        made.rules.free_stages = (unsigned)_i;
        check_case(&made);
        case_destroy(&made);
    }
}
END_TEST

static void append_tokens(struct tokens *to, const struct tokens *from)
{
    for (size_t w = 0; w < from->word_count; w++)
        tokens_add_word(to, from->words[w]);
    for (size_t s = 0; s < from->seed_count; s++)
        tokens_add_seed(to, (enum lookup_outcome)from->seeds[s].outcome, from->seeds[s].groups);
    for (size_t g = 0; g < from->group_count; g++)
        tokens_add_group(to, from->groups[g].matches, from->groups[g].entries);
    for (size_t m = 0; m < from->match_count; m++)
        tokens_add_match(to, from->matches[m]);
}

/* A case with blocks of some thousands of elements, as real ones: many small ones behind one another. */
static void long_case(struct random_case *made, int number)
{
    static const enum stream_kind streams[] = {STREAM_SPARSE, STREAM_MATCHES, STREAM_DENSE, STREAM_MATCHES};
    enum { PARTS = 40 };
    case_make(made, 6000000 + (uint64_t)number, STREAM_SPARSE, number % 2 ? RULES_LARGE : RULES_DEFAULT,
              (enum bus_kind)(number / 2 % BUS_KINDS));
    for (int part = 0; part < PARTS; part++) {
        struct random_case more;
        case_make(&more, 7000000 + (uint64_t)(number * PARTS + part), streams[part % 4], RULES_DEFAULT,
                  BUS_REAL);
        for (size_t b = 0; b < more.block_count; b++)
            append_tokens(&made->tokens[b % made->block_count], &more.tokens[b]);
        if (more.rules.stage2_matches > made->rules.stage2_matches)
            made->rules.stage2_matches = more.rules.stage2_matches;
        case_destroy(&more);
    }
}

START_TEST(test_long_blocks_agree)
{
    struct random_case made;
    long_case(&made, _i);
    check_case(&made);
    case_destroy(&made);
}
END_TEST

/* A case of one block; the bus delivers word i at i w, nothing leaves out. */
static void hand_case(struct random_case *made, int64_t word_ticks)
{
    *made = (struct random_case){.rules = rules_default(), .block_count = 1};
    made->shares[0] = (struct bus_share){.word_ticks = word_ticks};
}

/* More matches than the primary table has places for, and none. */
START_TEST(test_inline_groups_of_any_size_agree)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    for (unsigned s = 0; s < 300; s++) {
        if (s % 10 == 0)
            tokens_add_word(&made.tokens[0], 10);
        unsigned matches = s % 5 == 0 ? s / 5 % 4 : 1;
        tokens_add_seed(&made.tokens[0], LOOKUP_MATCH, 1);
        tokens_add_group(&made.tokens[0], matches, matches);
        for (unsigned m = 0; m < matches; m++)
            tokens_add_match(&made.tokens[0], s % 3 == 0);
    }
    check_case(&made);
    case_destroy(&made);
}
END_TEST

/* What has come in so far has left when the judge says so, after every block, for the empty board at clock
 * 0. */
START_TEST(test_drained_after_every_block)
{
    struct random_case made;
    case_make(&made, 1000000 + (uint64_t)_i, (enum stream_kind)(_i % STREAM_KINDS),
              (enum rules_kind)(_i / 7 % RULES_KINDS), BUS_MIXED);
    struct board *board = board_new(&made.rules);
    struct board_times times = {0};
    ck_assert_int_eq(board_drained(board), 0);
    for (size_t b = 0; b < made.block_count; b++) {
        board_advance(board, &made.tokens[b], &made.shares[b], &times);
        struct judge_verdict *verdict = judge_case(&made, &made.rules, b + 1);
        ck_assert_int_eq(board_drained(board), verdict->end);
        judge_verdict_destroy(verdict);
    }
    board_times_destroy(&times);
    board_destroy(board);
    case_destroy(&made);
}
END_TEST

/* Where there are no elements at all there is no array. */
static void *behind(void *array, size_t elements, size_t bytes)
{
    return array ? (char *)array + elements * bytes : NULL;
}

/* The first of the words of a view and all that follows from it; the view then begins with the next. */
static struct tokens next_word(struct tokens *left)
{
    struct tokens word = *left;
    word.word_count = 1;
    word.seed_count = word.words[0];
    word.group_count = word.match_count = 0;
    for (size_t s = 0; s < word.seed_count; s++)
        word.group_count += word.seeds[s].groups;
    for (size_t g = 0; g < word.group_count; g++)
        word.match_count += word.groups[g].matches;
    word.hsp_count = times_records(&word);
    left->words++;
    left->word_count--;
    left->seeds = behind(left->seeds, word.seed_count, sizeof *left->seeds);
    left->groups = behind(left->groups, word.group_count, sizeof *left->groups);
    left->matches = behind(left->matches, word.match_count, sizeof *left->matches);
    left->hsps = behind(left->hsps, word.hsp_count, sizeof *left->hsps);
    return word;
}

/* Cut into blocks of a word, all with the first block's share: the same clocks. Where blocks end must not
 * matter. */
START_TEST(test_where_blocks_end_does_not_matter)
{
    struct random_case made;
    case_make(&made, 2000000 + (uint64_t)_i, (enum stream_kind)(_i % STREAM_KINDS),
              (enum rules_kind)(_i / 6 % RULES_KINDS), (enum bus_kind)(_i % 5));
    made.shares[0].supply_first = made.shares[0].supply_ticks = made.shares[0].begin = 0;
    struct judge_verdict *verdict = judge_case(&made, &made.rules, 1);
    struct board *board = board_new(&made.rules);
    struct board_times times = {0};
    struct board_times judged = verdict->times;
    struct tokens left = made.tokens[0];
    struct times_difference difference = {0};
    ck_assert_ptr_nonnull(board);
    for (size_t number = 0; left.word_count > 0; number++) {
        struct tokens word = next_word(&left);
        board_advance(board, &word, &made.shares[0], &times);
        made.shares[0].beside_ticks = 0; /* those of the block, not of each part */
        times_compare_block(&difference, &word, &judged, &times);
        judged = times_skip(judged, &word);
        ck_assert_msg(!difference.what, "%s of word %zu", difference.what, number);
    }
    board_times_destroy(&times);
    board_destroy(board);
    judge_verdict_destroy(verdict);
    case_destroy(&made);
}
END_TEST

/* ---- by hand ---- */

static void add_match_seed(struct tokens *tokens, unsigned matches, bool passed)
{
    tokens_add_seed(tokens, LOOKUP_MATCH, 1);
    tokens_add_group(tokens, matches, matches);
    for (unsigned m = 0; m < matches; m++)
        tokens_add_match(tokens, passed);
}

static void add_duplicate_seed(struct tokens *tokens, unsigned trips, unsigned matches_a_trip)
{
    tokens_add_seed(tokens, LOOKUP_DUPLICATE, trips);
    for (unsigned g = 0; g < trips; g++) {
        tokens_add_group(tokens, matches_a_trip, matches_a_trip);
        for (unsigned m = 0; m < matches_a_trip; m++)
            tokens_add_match(tokens, false);
    }
}

/* Judge and board agree; the clocks are the board's. */
static struct board_times hand_run(struct random_case *made)
{
    check_case(made);
    struct board *board = board_new(&made->rules);
    struct board_times times = {0};
    ck_assert_ptr_nonnull(board);
    board_advance(board, &made->tokens[0], &made->shares[0], &times);
    board_destroy(board);
    return times;
}

/* One word, one seed, one match that passes, defaults (read 20, fetch 5):
 *     0  step 6: A_0 = h_0 = 0, delivered
 *     1  step 5: 1a sees it (step 5 of clock 0 was over), takes it; its seed enters the w-mer FIFO
 *     2  step 4: 1bp issues the read
 *    22  step 3: 20 clocks later the lookup enters the SRAM FIFO
 *    23  step 2: 1bd (in clock 22 before SRAM) takes it; its match enters the stage-2 FIFO at once
 *    24  1bd may take the next lookup
 *    28  step 1: the match has waited 5 clocks; its record, the first, enters egress and leaves at once */
START_TEST(test_one_match_by_hand)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    made.shares[0].record_ticks = 2 * CLOCK;
    tokens_add_word(&made.tokens[0], 1);
    add_match_seed(&made.tokens[0], 1, true);
    struct board_times times = hand_run(&made);
    ck_assert_int_eq(times.word_delivered[0], 0);
    ck_assert_int_eq(times.word_taken[0], 1);
    ck_assert_int_eq(times.seed_issued[0], 2);
    ck_assert_int_eq(times.seed_taken[0], 23);
    ck_assert_int_eq(times.seed_done[0], 24);
    ck_assert_int_eq(times.group_entered[0], 23);
    ck_assert_int_eq(times.match_taken[0], 28);
    ck_assert_int_eq(times.record_left[0], 28 * CLOCK);
    board_times_destroy(&times);
    case_destroy(&made);
}
END_TEST

/* One word, one seed, a list of two trips with 5 matches each, then stage 2 (10 places, fetch 5) and a
 * slow egress: taken at 23 as above, so the trips end at 23 + 60 and 23 + 120; the first 5 matches go at
 * 88 .. 92, one a clock, the other 5 at 148 .. 152. All pass: records enter in those clocks and leave 2.5
 * clocks apart, each burst starting anew (the last of the first left at 98). */
START_TEST(test_two_trips_and_records_by_hand)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    made.shares[0].record_ticks = 5 * CLOCK / 2;
    tokens_add_word(&made.tokens[0], 1);
    add_duplicate_seed(&made.tokens[0], 2, 5);
    for (size_t m = 0; m < 10; m++)
        made.tokens[0].matches[m] = 1;
    struct board_times times = hand_run(&made);
    ck_assert_int_eq(times.group_entered[0], 83);
    ck_assert_int_eq(times.group_entered[1], 143);
    ck_assert_int_eq(times.seed_done[0], 143);
    for (int64_t m = 0; m < 10; m++) {
        ck_assert_int_eq(times.match_taken[m], (m < 5 ? 88 : 143) + m);
        ck_assert_int_eq(times.record_left[m], (m < 5 ? 88 : 148) * CLOCK + m % 5 * 5 * CLOCK / 2);
    }
    board_times_destroy(&times);
    case_destroy(&made);
}
END_TEST

/* Egress of one record, v = 2.5. Three matches that pass enter at 23 (one) and 24 (two) and may go at 28, 29,
 * and 30.
 *     28  first taken, its record gone at once
 *     29  second taken, its record inside until 28 + 2.5 = 30.5
 *     30  egress full, nothing taken
 *     31  third taken; its record leaves at 30.5 + 2.5 = 33 */
START_TEST(test_full_egress_stops_stage_2_until_the_record_has_left)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    made.rules.egress_records = 1;
    made.shares[0].record_ticks = 5 * CLOCK / 2;
    tokens_add_word(&made.tokens[0], 2);
    add_match_seed(&made.tokens[0], 1, true);
    add_match_seed(&made.tokens[0], 2, true);
    struct board_times times = hand_run(&made);
    ck_assert_int_eq(times.match_taken[0], 28);
    ck_assert_int_eq(times.match_taken[1], 29);
    ck_assert_int_eq(times.match_taken[2], 31);
    ck_assert_int_eq(times.record_left[1], 61 * CLOCK / 2);
    ck_assert_int_eq(times.record_left[2], 33 * CLOCK);
    board_times_destroy(&times);
    case_destroy(&made);
}
END_TEST

/* A lookup issued at 2 is in the FIFO from 2 + read on, after 1bd's step: taken at 3 + read. 0 counts as
 * 1. */
START_TEST(test_read_latency)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    made.rules.sram_read_cycles = (uint32_t)_i;
    tokens_add_word(&made.tokens[0], 1);
    tokens_add_seed(&made.tokens[0], LOOKUP_EMPTY, 0);
    struct board_times times = hand_run(&made);
    ck_assert_int_eq(times.seed_issued[0], 2);
    ck_assert_int_eq(times.seed_taken[0], 3 + (_i > 0 ? _i : 1));
    ck_assert_int_eq(times.seed_done[0], times.seed_taken[0] + 1);
    board_times_destroy(&times);
    case_destroy(&made);
}
END_TEST

/* Two matches that enter at 23 are taken at 23 + fetch and the clock after. 0 counts as 1. */
START_TEST(test_fetch_latency)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    made.rules.stage2_fetch_cycles = (uint32_t)_i;
    tokens_add_word(&made.tokens[0], 1);
    add_match_seed(&made.tokens[0], 2, false);
    struct board_times times = hand_run(&made);
    ck_assert_int_eq(times.group_entered[0], 23);
    ck_assert_int_eq(times.match_taken[0], 23 + (_i > 0 ? _i : 1));
    ck_assert_int_eq(times.match_taken[1], times.match_taken[0] + 1);
    board_times_destroy(&times);
    case_destroy(&made);
}
END_TEST

/* Two trips of one match each that start at 23 end at 23 + trip and 23 + 2 trip. The next lookup, stored
 * since 23, is taken in the clock 1bd is free in, but not in the clock the first was taken in: at 24 at
 * the soonest. */
START_TEST(test_trip_length)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    made.rules.sram_trip_cycles = (uint32_t)_i;
    tokens_add_word(&made.tokens[0], 2);
    add_duplicate_seed(&made.tokens[0], 2, 1);
    tokens_add_seed(&made.tokens[0], LOOKUP_MISMATCH, 0);
    struct board_times times = hand_run(&made);
    int64_t done = 23 + 2 * _i;
    ck_assert_int_eq(times.group_entered[0], 23 + _i);
    ck_assert_int_eq(times.group_entered[1], done);
    ck_assert_int_eq(times.seed_done[0], _i > 0 ? done : 24);
    ck_assert_int_eq(times.seed_taken[1], _i > 0 ? done : 24);
    board_times_destroy(&times);
    case_destroy(&made);
}
END_TEST

/* Three lists of 7 positions, each of a trip of 5 (which holds the port for 3 clocks) and one of 2 (1 clock), of 60
 * clocks each. Their lookups are stored at 22, 23 and 24; the stage-2 FIFO has 10 places.
 *     2 on their way  the first lookup's trips start at 23 and, behind them at the port, 26; the second lookup waits
 *                     for a place until 83, and its second trip until 86; so does the third at 143 and 146
 *     8               no place is waited for, only the port: trips start at 23, 26, 27, 30, 31 and 34. The second
 *                     lookup is taken at 24 and keeps 1bd busy until 27, so that the third is taken at 28. At 87 the
 *                     FIFO holds 7: the third group is held until two matches have gone, at 89, the fourth until 91.
 *                     From 88 on stage 2 takes one a clock: the fifth group, of 5, fits at 96, the last at 98 */
static const struct {
    uint32_t on_their_way;
    int64_t taken[3], done[3], entered[6];
} three_lists[] = {
    {1, {23, 143, 263}, {143, 263, 383}, {83, 143, 203, 263, 323, 383}},
    {2, {23, 83, 143}, {83, 143, 203}, {83, 86, 143, 146, 203, 206}},
    {8, {23, 24, 28}, {24, 28, 32}, {83, 86, 89, 91, 96, 98}},
};

START_TEST(test_trips_on_their_way_by_hand)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    made.rules.trips_in_flight = three_lists[_i].on_their_way;
    tokens_add_word(&made.tokens[0], 3);
    for (int list = 0; list < 3; list++) {
        tokens_add_seed(&made.tokens[0], LOOKUP_DUPLICATE, 2);
        tokens_add_group(&made.tokens[0], 5, 5);
        tokens_add_group(&made.tokens[0], 2, 2);
        for (int m = 0; m < 7; m++)
            tokens_add_match(&made.tokens[0], false);
    }
    struct board_times times = hand_run(&made);
    for (int list = 0; list < 3; list++) {
        ck_assert_int_eq(times.seed_taken[list], three_lists[_i].taken[list]);
        ck_assert_int_eq(times.seed_done[list], three_lists[_i].done[list]);
    }
    for (int group = 0; group < 6; group++)
        ck_assert_int_eq(times.group_entered[group], three_lists[_i].entered[group]);
    board_times_destroy(&times);
    case_destroy(&made);
}
END_TEST

/* Lookups that make trips of 60 clocks at random and else match, as fast as 1bd takes them: their number per clock is
 * that of mercury_tandem_trip_share(), which the models of 1bd use. With 64 on their way the port binds. */
enum { CAPACITY_LISTS = 5 };

START_TEST(test_capacity_of_1bd_with_trips_on_their_way)
{
    static const struct {
        unsigned percent, trips, entries;
    } lists[CAPACITY_LISTS] = {{3, 1, 1}, {30, 1, 1}, {30, 1, 5}, {90, 1, 5}, {90, 12, 5}};
    static const uint32_t on_their_way[] = {1, 2, 8, 32, BOARD_TRIPS_MAX};
    enum { WORDS = 5000, LOOKUPS = 16 * WORDS };
    struct random_case made;
    hand_case(&made, 1);
    struct dice dice = {(uint64_t)_i};
    made.rules.trips_in_flight = on_their_way[_i / CAPACITY_LISTS];
    made.rules.stage2_matches = 10000;
    struct mercury_tandem_lookups counts = {.seeds = LOOKUPS};
    const unsigned entries = lists[_i % CAPACITY_LISTS].entries;
    for (int w = 0; w < WORDS; w++)
        tokens_add_word(&made.tokens[0], 16);
    for (int lookup = 0; lookup < LOOKUPS; lookup++)
        if (dice_chance(&dice, lists[_i % CAPACITY_LISTS].percent)) {
            tokens_add_seed(&made.tokens[0], LOOKUP_DUPLICATE, lists[_i % CAPACITY_LISTS].trips);
            for (unsigned t = 0; t < lists[_i % CAPACITY_LISTS].trips; t++)
                tokens_add_group(&made.tokens[0], 0, entries);
            counts.duplicates++;
        } else {
            add_match_seed(&made.tokens[0], 1, false);
            counts.singles++;
        }
    counts.trips = counts.duplicates * lists[_i % CAPACITY_LISTS].trips;
    counts.reads = LOOKUPS + counts.trips * ((entries + 1) / 2);
    struct board *board = board_new(&made.rules);
    struct board_times times = {0};
    board_advance(board, &made.tokens[0], &made.shares[0], &times);
    double hold = mercury_tandem_trip_share(60, made.rules.trips_in_flight, &counts);
    double predicted = counts.singles + counts.trips * hold;
    ck_assert_double_eq_tol((double)(times.seed_done[LOOKUPS - 1] - times.seed_taken[0]) / predicted, 1,
                            0.02);
    board_destroy(board);
    board_times_destroy(&times);
    case_destroy(&made);
}
END_TEST

/* Stage-2 FIFO of 5, fetch 5. Trip of 5 matches ends at 23 + 60 = 83: they fill it and go at 88 .. 92. The
 * next lookup, an inline pair, is taken at 83, too (1bd is free in that clock), and held until two have
 * gone: at 89, in which clock 1bd takes the third. It is an inline match: at 89 the FIFO holds 3 + 2, so
 * it is held until 90. */
START_TEST(test_held_matches_enter_when_they_fit)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    made.rules.stage2_matches = 5;
    tokens_add_word(&made.tokens[0], 3);
    add_duplicate_seed(&made.tokens[0], 1, 5);
    add_match_seed(&made.tokens[0], 2, false);
    add_match_seed(&made.tokens[0], 1, false);
    struct board_times times = hand_run(&made);
    ck_assert_int_eq(times.seed_taken[1], 83);
    ck_assert_int_eq(times.group_entered[1], 89);
    ck_assert_int_eq(times.seed_done[1], 89);
    ck_assert_int_eq(times.seed_taken[2], 89);
    ck_assert_int_eq(times.group_entered[2], 90);
    ck_assert_int_eq(times.match_taken[5], 94); /* 5 clocks after 89 */
    ck_assert_int_eq(times.match_taken[7], 96); /* could at 95, but one a clock */
    board_times_destroy(&times);
    case_destroy(&made);
}
END_TEST

/* Empty words meet no resistance if w is a clock or more: word i is delivered at ceil(i w), taken a clock
 * later. */
START_TEST(test_empty_words_arrive_at_the_bus_rate)
{
    static const int64_t word_ticks[] = {CLOCK, CLOCK + 1, CLOCK + CLOCK / 19, 2 * CLOCK - 1, 7 * CLOCK / 3};
    struct random_case made;
    hand_case(&made, word_ticks[_i]);
    for (int w = 0; w < 500; w++)
        tokens_add_word(&made.tokens[0], 0);
    struct board_times times = hand_run(&made);
    for (int64_t w = 0; w < 500; w++) {
        ck_assert_int_eq(times.word_delivered[w], board_clock_at(w * word_ticks[_i]));
        ck_assert_int_eq(times.word_taken[w], board_clock_at(w * word_ticks[_i]) + 1);
    }
    board_times_destroy(&times);
    case_destroy(&made);
}
END_TEST

/* A bus of w = 0.75 clocks and one delivery a clock: word 1, due at 0.75, comes at 1; word 2 is due at
 * 1.5, comes at 2; word 3 is due at 2.25 and comes at 3; word 4 is due at 3, the clock of
 * word 3: it comes at 4, and A_4 becomes 4. From there on it repeats: a word each clock. */
START_TEST(test_a_fast_bus_delivers_a_word_a_clock)
{
    struct random_case made;
    hand_case(&made, 3 * CLOCK / 4);
    for (int w = 0; w < 40; w++)
        tokens_add_word(&made.tokens[0], 0);
    struct board_times times = hand_run(&made);
    for (int64_t w = 0; w < 40; w++)
        ck_assert_int_eq(times.word_delivered[w], w);
    struct board *board = board_new(&made.rules);
    made.tokens[0].word_count = 5;
    board_advance(board, &made.tokens[0], &made.shares[0], &times);
    ck_assert_int_eq(board_bus_free(board), 4 * CLOCK + 3 * CLOCK / 4);
    board_destroy(board);
    board_times_destroy(&times);
    case_destroy(&made);
}
END_TEST

/* w-mer FIFO of 16. A word of 16 is taken at 1, its seeds are issued at 2 .. 17, one a clock. The next
 * word, of _i seeds, is delivered at 1 and needs _i free places: there are as many in clock 1 + _i, in
 * that very clock (1bp is before 1a). */
START_TEST(test_1a_stalls_until_the_word_fits)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    made.rules.wmer_seeds = 16;
    tokens_add_word(&made.tokens[0], 16);
    tokens_add_word(&made.tokens[0], (unsigned)_i);
    for (int s = 0; s < 16 + _i; s++)
        tokens_add_seed(&made.tokens[0], LOOKUP_EMPTY, 0);
    struct board_times times = hand_run(&made);
    ck_assert_int_eq(times.word_taken[0], 1);
    ck_assert_int_eq(times.seed_issued[15], 17);
    ck_assert_int_eq(times.word_taken[1], _i > 0 ? 1 + _i : 2); /* delivered at 1 */
    board_times_destroy(&times);
    case_destroy(&made);
}
END_TEST

/* A bus at full speed behind a stalled 1a, ingress of 2. Word 0 (16 seeds) is delivered at 0 and taken at
 * 1; word 1 (16 seeds) waits for all 16 places from 1 to 17; word 2 comes at 2 and fills the ingress FIFO.
 * Word 3 was due at 3, is delivered at 17 (1a is before ingress) and has held the bus: word 4 is due at 18
 * and not before. */
START_TEST(test_a_waiting_word_holds_the_bus)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    made.rules.wmer_seeds = 16;
    made.rules.ingress_words = 2;
    for (int w = 0; w < 5; w++)
        tokens_add_word(&made.tokens[0], w < 2 ? 16 : 0);
    for (int s = 0; s < 32; s++)
        tokens_add_seed(&made.tokens[0], LOOKUP_EMPTY, 0);
    struct board_times times = hand_run(&made);
    ck_assert_int_eq(times.word_taken[1], 17);
    ck_assert_int_eq(times.word_delivered[2], 2);
    ck_assert_int_eq(times.word_delivered[3], 17);
    ck_assert_int_eq(times.word_delivered[4], 18);
    board_times_destroy(&times);
    case_destroy(&made);
}
END_TEST

/* SRAM FIFO of K = 60, read 20, K - margin >= 2; the first lookup, taken at 23, keeps 1bd for 1000 clocks.
 * Seed s is issued at 2 + s and stored from 22 + s on, so in step 4 of clock t the FIFO holds t - 22
 * (without the first, taken).
 *     t = 22 + K - margin    it holds K - margin and 1bp stops
 *     t - 1                  the last seed was issued: s = K - margin + 19
 * and all of 1 .. s are inside in the end: K - margin + 19, which is K at the smallest legal margin, 19.
 * At 1023 1bd takes the next, one a clock; 1bp goes on in the clock of the 20th, when K - margin - 1 are
 * left. */
START_TEST(test_sram_fifo_stops_1bp_at_its_margin)
{
    uint32_t margin = 19 + (uint32_t)_i;
    struct random_case made;
    hand_case(&made, CLOCK);
    made.rules.sram_lookups = 60;
    made.rules.sram_margin = margin;
    made.rules.sram_trip_cycles = 1000;
    for (int w = 0; w < 6; w++)
        tokens_add_word(&made.tokens[0], 16);
    add_duplicate_seed(&made.tokens[0], 1, 0);
    for (int s = 1; s < 96; s++)
        tokens_add_seed(&made.tokens[0], LOOKUP_MISMATCH, 0);
    struct board_times times = hand_run(&made);
    size_t last = 60 - margin + 19;
    ck_assert_int_eq(times.seed_issued[last], 2 + (int64_t)last);
    ck_assert_int_eq(times.seed_taken[1], 1023);
    ck_assert_int_eq(times.seed_issued[last + 1], 1023 + 19);
    struct judge_verdict *verdict = judge_case(&made, &made.rules, 1);
    ck_assert_uint_eq(verdict->taps[JUDGE_SRAM].most, last);
    ck_assert_uint_le(verdict->taps[JUDGE_SRAM].most, 60);
    judge_verdict_destroy(verdict);
    board_times_destroy(&times);
    case_destroy(&made);
}
END_TEST

/* No legal case fills a FIFO beyond its places. */
START_TEST(test_no_fifo_overflows)
{
    struct random_case made;
    case_make(&made, 3000000 + (uint64_t)_i, (enum stream_kind)(_i % STREAM_KINDS),
              (enum rules_kind)(_i / 6 % 2), BUS_MIXED);
    struct judge_verdict *verdict = judge_case(&made, &made.rules, made.block_count);
    ck_assert_uint_le(verdict->taps[JUDGE_INGRESS].most, made.rules.ingress_words);
    ck_assert_uint_le(verdict->taps[JUDGE_WMER].most, made.rules.wmer_seeds);
    ck_assert_uint_le(verdict->taps[JUDGE_SRAM].most, made.rules.sram_lookups);
    ck_assert_uint_le(verdict->taps[JUDGE_STAGE2].most, made.rules.stage2_matches);
    ck_assert_uint_le(verdict->taps[JUDGE_EGRESS].most, made.rules.egress_records);
    judge_verdict_destroy(verdict);
    case_destroy(&made);
}
END_TEST

/* ---- negative controls ---- */

/* Rules of the judge with one constant changed; each has room to be seen in the streams below. */
static struct board_rules wrong_rules(struct board_rules rules, int which)
{
    uint32_t *const constants[] = {
        &rules.stage2_fetch_cycles, &rules.sram_read_cycles, &rules.sram_trip_cycles,
        &rules.ingress_words,       &rules.wmer_seeds,       &rules.sram_lookups,
        &rules.stage2_matches,      &rules.egress_records,   &rules.trips_in_flight};
    *constants[which] += 1;
    return rules;
}

enum { WRONG_RULES = 9 };

static bool differs_from_wrong_judge(const struct random_case *made, void *which)
{
    struct board_rules rules = wrong_rules(made->rules, *(int *)which);
    return compare_case(made, &rules).what != NULL;
}

START_TEST(test_a_judge_with_a_wrong_constant_differs)
{
    int seen = 0;
    for (int n = 0; n < 60; n++) {
        struct random_case made;
        case_make(&made, 4000000 + (uint64_t)n, (enum stream_kind)(n % STREAM_KINDS), RULES_TIGHT, BUS_MIXED);
        seen += differs_from_wrong_judge(&made, &_i);
        case_destroy(&made);
    }
    ck_assert_int_gt(seen, 0);
}
END_TEST

/* A wrong fetch latency shows in any match: shrinking must end with one word, one seed, one match. */
START_TEST(test_shrinking_ends_with_one_element_of_each)
{
    int fetch = 0;
    struct random_case made;
    case_make(&made, 5000002, STREAM_DENSE, RULES_LARGE, BUS_MIXED);
    made.rules.stage2_fetch_cycles = 7;
    ck_assert(differs_from_wrong_judge(&made, &fetch));
    case_shrink(&made, differs_from_wrong_judge, &fetch, SHRINK_ATTEMPTS);
    ck_assert(differs_from_wrong_judge(&made, &fetch));
    ck_assert_uint_eq(made.block_count, 1);
    ck_assert_uint_eq(made.tokens[0].word_count, 1);
    ck_assert_uint_eq(made.tokens[0].seed_count, 1);
    ck_assert_uint_eq(made.tokens[0].match_count, 1);
    ck_assert_uint_eq(made.rules.stage2_fetch_cycles, 1); /* 0 counts as 1: the judge's 1 would not differ */
    ck_assert_uint_eq(made.rules.ingress_words, 1);
    ck_assert_int_eq(made.shares[0].begin, 0);
    case_destroy(&made);
}
END_TEST

/* The judge says who waits for ever where rules are not legal, and stops. */
START_TEST(test_the_judge_sees_who_waits_for_ever)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    tokens_add_word(&made.tokens[0], 16);
    for (int s = 0; s < 16; s++)
        add_match_seed(&made.tokens[0], 2, true);
    if (_i == 0)
        made.rules.ingress_words = 0;
    else if (_i == 1)
        made.rules.wmer_seeds = 15;
    else if (_i == 2)
        made.rules.sram_lookups = made.rules.sram_margin;
    else if (_i == 3)
        made.rules.stage2_matches = 1;
    else
        made.rules.egress_records = 0;
    static const char *const waiting[] = {"bus:", "1a:", "1bp:", "1bd:", "2:"};
    struct judge_verdict *verdict = judge_case(&made, &made.rules, 1);
    ck_assert_ptr_nonnull(verdict->stuck);
    ck_assert_msg(strncmp(verdict->stuck, waiting[_i], strlen(waiting[_i])) == 0, "%s", verdict->stuck);
    judge_verdict_destroy(verdict);
    case_destroy(&made);
}
END_TEST

/* Times in clocks: whole ones, parts of a tick, more clocks than fit in ticks (2^43), in whole doubles (2^53) and in 64
 * bits. */
static const struct {
    double clocks;
    int64_t expected;
} times_in_clocks[] = {
    {0, 0},
    {1, 1},
    {0x1p-20, 1},
    {0x1.8p-21, 1},
    {0x1p-22, 0},
    {1 + 0x1p-20, 2},
    {-0x1p-22, 0},
    {-1, -1},
    {-1.5, -1},
    {0x1p42 - 0.5, INT64_C(1) << 42},
    {0x1p42, INT64_C(1) << 42},
    {0x1p43 + 0.25, (INT64_C(1) << 43) + 1},
    {0x1p53 - 1, (INT64_C(1) << 53) - 1},
    {0x1p61, INT64_C(1) << 61},
    {0x1p62, BOARD_CLOCKS_END},
    {1e300, BOARD_CLOCKS_END},
    {-0x1p45 - 0.5, -(INT64_C(1) << 45)},
    {-3.3e19, -BOARD_CLOCKS_END},
};

START_TEST(test_clock_after_any_time)
{
    ck_assert_int_eq(board_clock_after(times_in_clocks[_i].clocks), times_in_clocks[_i].expected);
}
END_TEST

/* ---- suite ---- */

static TCase *random_cases(void)
{
    TCase *tcase = tcase_create("judge");
    tcase_set_timeout(tcase, 100);
    tcase_add_loop_test(tcase, test_sparse_streams_agree, 0, RULES_KINDS);
    tcase_add_loop_test(tcase, test_dense_streams_agree, 0, RULES_KINDS);
    tcase_add_loop_test(tcase, test_words_with_16_seeds_agree, 0, RULES_KINDS);
    tcase_add_loop_test(tcase, test_floods_of_duplicates_agree, 0, RULES_KINDS);
    tcase_add_loop_test(tcase, test_matches_at_once_agree, 0, RULES_KINDS);
    tcase_add_loop_test(tcase, test_trips_without_matches_agree, 0, RULES_KINDS);
    tcase_add_loop_test(tcase, test_free_stages_agree, 1, 1 << BOARD_STAGES);
    tcase_add_loop_test(tcase, test_long_blocks_agree, 0, 4 * BUS_KINDS);
    tcase_add_test(tcase, test_inline_groups_of_any_size_agree);
    tcase_add_loop_test(tcase, test_drained_after_every_block, 0, 60);
    tcase_add_loop_test(tcase, test_where_blocks_end_does_not_matter, 0, 120);
    tcase_add_loop_test(tcase, test_no_fifo_overflows, 0, 60);
    return tcase;
}

static TCase *hand_cases(void)
{
    TCase *tcase = tcase_create("by hand");
    tcase_add_loop_test(tcase, test_clock_after_any_time, 0, COUNT_OF(times_in_clocks));
    tcase_add_test(tcase, test_one_match_by_hand);
    tcase_add_test(tcase, test_two_trips_and_records_by_hand);
    tcase_add_test(tcase, test_full_egress_stops_stage_2_until_the_record_has_left);
    tcase_add_loop_test(tcase, test_read_latency, 0, 31);
    tcase_add_loop_test(tcase, test_fetch_latency, 0, 11);
    tcase_add_loop_test(tcase, test_trip_length, 0, 71);
    tcase_add_loop_test(tcase, test_trips_on_their_way_by_hand, 0, COUNT_OF(three_lists));
    tcase_add_loop_test(tcase, test_capacity_of_1bd_with_trips_on_their_way, 0, 5 * CAPACITY_LISTS);
    tcase_add_test(tcase, test_held_matches_enter_when_they_fit);
    tcase_add_loop_test(tcase, test_empty_words_arrive_at_the_bus_rate, 0, 5);
    tcase_add_test(tcase, test_a_fast_bus_delivers_a_word_a_clock);
    tcase_add_loop_test(tcase, test_1a_stalls_until_the_word_fits, 0, 17);
    tcase_add_test(tcase, test_a_waiting_word_holds_the_bus);
    tcase_add_loop_test(tcase, test_sram_fifo_stops_1bp_at_its_margin, 0, 40);
    return tcase;
}

static TCase *controls(void)
{
    TCase *tcase = tcase_create("controls");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_a_judge_with_a_wrong_constant_differs, 0, WRONG_RULES);
    tcase_add_test(tcase, test_shrinking_ends_with_one_element_of_each);
    tcase_add_loop_test(tcase, test_the_judge_sees_who_waits_for_ever, 0, 5);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("board");
    suite_add_tcase(suite, random_cases());
    suite_add_tcase(suite, hand_cases());
    suite_add_tcase(suite, controls());
    return run_suite(suite);
}
