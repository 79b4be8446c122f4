/* test_events.c - the per-element engine against board_advance and the judge, for every element of random passes;
 * clocks computed by hand; rules that make stages wait for each other.
 *
 * SimGrid has one engine a process: Check forks for each test. The loop tests run their cases one after the other on
 * their process's engine, which events_run promises to bear. */
#include "sim/simgrid/events.h"

#include <check.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/why.h"
#include "sim/simgrid/simgrid_engine.h"
#include "tests/run_suite.h"
#include "tests/sim/board/judge.h"
#include "tests/sim/board/random_tokens.h"
#include "tests/sim/board/times_difference.h"

#define CLOCK BOARD_TICKS_PER_CLOCK

enum { CASES_A_TEST = 84, TEXT_SIZE = 1 << 20 };

/* ---- comparing ---- */

static void compare_with_board(struct times_difference *found, const struct random_case *made,
                               const struct board_rules *rules, const struct events_result *result)
{
    struct board *board = board_new(rules);
    struct board_times times = {0};
    ck_assert_ptr_nonnull(board);
    for (size_t b = 0; b < made->block_count && !found->what; b++) {
        found->block = b;
        board_advance(board, &made->tokens[b], &made->shares[b], &times);
        times_compare_block(found, &made->tokens[b], &result->times[b], &times);
        int64_t bus_free = board_bus_free(board);
        times_compare(found, "bus_free", &result->bus_free[b], &bus_free, 1);
    }
    int64_t drained = board_drained(board);
    times_compare(found, "drained", &result->drained, &drained, 1);
    board_times_destroy(&times);
    board_destroy(board);
}

static struct judge_verdict *judge_case(const struct random_case *made, const struct board_rules *rules)
{
    struct judge_block blocks[CASE_BLOCKS];
    for (size_t b = 0; b < made->block_count; b++)
        blocks[b] = (struct judge_block){&made->tokens[b], made->shares[b]};
    return judge_run(rules, blocks, made->block_count);
}

static void compare_with_judge(struct times_difference *found, const struct random_case *made,
                               const struct board_rules *rules, const struct events_result *result)
{
    struct judge_verdict *verdict = judge_case(made, rules);
    ck_assert_msg(!verdict->stuck, "seed %" PRIu64 ": %s", made->seed, verdict->stuck);
    struct board_times judge = verdict->times;
    for (size_t b = 0; b < made->block_count && !found->what; b++) {
        found->block = b;
        times_compare_block(found, &made->tokens[b], &result->times[b], &judge);
        judge = times_skip(judge, &made->tokens[b]);
    }
    times_compare(found, "drained", &result->drained, &verdict->end, 1);
    judge_verdict_destroy(verdict);
}

static int try_case(const struct random_case *made, struct events_result *result, struct why *why)
{
    struct events_block blocks[CASE_BLOCKS];
    for (size_t b = 0; b < made->block_count; b++)
        blocks[b] = (struct events_block){made->tokens[b], made->shares[b]};
    return events_run(&made->rules, blocks, made->block_count, result, why);
}

static struct events_result run_case(const struct random_case *made)
{
    struct events_result result;
    struct why why = {""};
    int status = try_case(made, &result, &why);
    ck_assert_msg(status == EVENTS_DONE, "seed %" PRIu64 ": %d, %s", made->seed, status, why.line);
    return result;
}

/* Rules of board and judge may be others: see the negative controls. */
static struct times_difference compare_case(const struct random_case *made, const struct board_rules *rules)
{
    struct times_difference found = {0};
    struct events_result result = run_case(made);
    ck_assert_uint_eq(result.block_count, made->block_count);
    compare_with_board(&found, made, rules, &result);
    compare_with_judge(&found, made, rules, &result);
    events_result_destroy(&result);
    return found;
}

static bool differs(const struct random_case *made, void *unused)
{
    (void)unused;
    return compare_case(made, &made->rules).what != false;
}

static void check_case(struct random_case *made)
{
    if (!differs(made, NULL))
        return;
    case_shrink(made, differs, NULL, 5000);
    struct times_difference found = compare_case(made, &made->rules);
    case_print(stderr, made);
    ck_abort_msg("seed %" PRIu64 ": %s[%zu] of block %zu is %" PRId64 " instead of %" PRId64
                 "; shrunk case on stderr",
                 made->seed, found.what, found.number, found.block, found.one, found.other);
}

/* ---- random cases ---- */

/* One loop a kind of stream and of rules; all kinds of bus in turn: 24 x 84 = 2,016 cases. */
START_TEST(test_events_board_and_judge_agree)
{
    for (int n = 0; n < tests_some(CASES_A_TEST); n++) {
        struct random_case made;
        case_make(&made, 7000000 + (uint64_t)(_i * CASES_A_TEST + n), (enum stream_kind)(_i / RULES_KINDS),
                  (enum rules_kind)(_i % RULES_KINDS), (enum bus_kind)(n % BUS_KINDS));
        check_case(&made);
        case_destroy(&made);
    }
}
END_TEST

/* A second run is the first one's equal, although the engine's clock has gone on. */
START_TEST(test_runs_of_a_process_do_not_touch_each_other)
{
    struct random_case made;
    case_make(&made, 7500000 + (uint64_t)_i, STREAM_DENSE, RULES_TIGHT, BUS_REAL);
    struct events_result first = run_case(&made), second = run_case(&made);
    ck_assert_uint_eq(first.events, second.events);
    ck_assert_int_eq(first.drained, second.drained);
    events_result_destroy(&first);
    events_result_destroy(&second);
    case_destroy(&made);
}
END_TEST

static void sleep_off(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    sg_actor_sleep_for(1e6 / 7);
}

/* An engine that others have started and left at a date which is no whole number. */
START_TEST(test_an_engine_started_by_others_will_do)
{
    char path[] = "/tmp/events-platform-XXXXXX.xml";
    int file = mkstemps(path, 4);
    const char xml[] = "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
                       "<platform version=\"4.1\"><zone id=\"z\" routing=\"None\">"
                       "<host id=\"h\" speed=\"1f\"/></zone></platform>";
    ck_assert_int_eq(write(file, xml, sizeof xml - 1), (ssize_t)sizeof xml - 1);
    close(file);
    simgrid_engine_start(path);
    unlink(path);
    simgrid_engine_add_actor("sleeper", sg_host_by_name("h"), sleep_off, NULL);
    simgrid_run();
    for (uint64_t n = 0; n < 12; n++) {
        struct random_case made;
        case_make(&made, 7600000 + n, (enum stream_kind)(n % STREAM_KINDS), RULES_TIGHT, BUS_MIXED);
        check_case(&made);
        case_destroy(&made);
    }
}
END_TEST

/* ---- by hand ---- */

static void hand_case(struct random_case *made, int64_t word_ticks)
{
    *made = (struct random_case){.rules = rules_default(), .block_count = 1};
    made->shares[0] = (struct bus_share){.word_ticks = word_ticks};
}

static void add_seed(struct tokens *tokens, enum lookup_outcome outcome, unsigned groups, unsigned matches,
                     bool passed)
{
    tokens_add_seed(tokens, outcome, groups);
    for (unsigned g = 0; g < groups; g++) {
        tokens_add_group(tokens, matches, matches);
        for (unsigned m = 0; m < matches; m++)
            tokens_add_match(tokens, passed);
    }
}

/* Nothing, then blocks without words: nothing happens, no clock passes. */
START_TEST(test_an_empty_pass_takes_no_clock)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    made.block_count = (size_t)_i;
    made.shares[1] = made.shares[0];
    struct events_result result = run_case(&made);
    ck_assert_int_eq(result.drained, 0);
    events_result_destroy(&result);
    check_case(&made);
    case_destroy(&made);
}
END_TEST

/* One word, one seed, one match that passes, defaults: delivered 0, taken 1, issued 2, stored 22, taken and entered
 * 23, next lookup 24, stage 2 at 23 + 5, the record gone at once; the last clock in which something happens is 28. */
START_TEST(test_one_match_by_hand)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    made.shares[0].record_ticks = 2 * CLOCK;
    tokens_add_word(&made.tokens[0], 1);
    add_seed(&made.tokens[0], LOOKUP_MATCH, 1, 1, true);
    struct events_result result = run_case(&made);
    const struct board_times *times = &result.times[0];
    ck_assert_int_eq(times->word_delivered[0], 0);
    ck_assert_int_eq(times->word_taken[0], 1);
    ck_assert_int_eq(times->seed_issued[0], 2);
    ck_assert_int_eq(times->seed_taken[0], 23);
    ck_assert_int_eq(times->group_entered[0], 23);
    ck_assert_int_eq(times->seed_done[0], 24);
    ck_assert_int_eq(times->match_taken[0], 28);
    ck_assert_int_eq(times->record_left[0], 28 * CLOCK);
    ck_assert_int_eq(result.bus_free[0], CLOCK);
    ck_assert_int_eq(result.drained, 29);
    events_result_destroy(&result);
    check_case(&made);
    case_destroy(&made);
}
END_TEST

/* A list of two trips with 5 matches each: 23 + 60, 23 + 120; stage 2 takes one a clock from 5 clocks later on. The
 * records, 2.5 clocks apart, need (10 - 1) * 2.5 clocks at the most: the last leaves at 148 + 4 * 2.5 = 158. */
START_TEST(test_two_trips_by_hand)
{
    struct random_case made;
    hand_case(&made, CLOCK);
    made.shares[0].record_ticks = 5 * CLOCK / 2;
    tokens_add_word(&made.tokens[0], 1);
    add_seed(&made.tokens[0], LOOKUP_DUPLICATE, 2, 5, true);
    struct events_result result = run_case(&made);
    const struct board_times *times = &result.times[0];
    ck_assert_int_eq(times->group_entered[0], 83);
    ck_assert_int_eq(times->group_entered[1], 143);
    ck_assert_int_eq(times->seed_done[0], 143);
    for (int64_t m = 0; m < 10; m++) {
        ck_assert_int_eq(times->match_taken[m], (m < 5 ? 88 : 143) + m);
        ck_assert_int_eq(times->record_left[m], (m < 5 ? 88 : 148) * CLOCK + m % 5 * 5 * CLOCK / 2);
    }
    ck_assert_int_eq(result.drained, 159);
    events_result_destroy(&result);
    check_case(&made);
    case_destroy(&made);
}
END_TEST

/* Nobody polls: a word that comes after a thousand million clocks costs no more events than one that comes at once. */
START_TEST(test_idle_stretches_cost_no_events)
{
    uint64_t events[2];
    for (int late = 0; late < 2; late++) {
        struct random_case made;
        hand_case(&made, CLOCK);
        made.block_count = 2;
        made.shares[1] = made.shares[0];
        made.shares[1].begin = (late ? INT64_C(1000000000) : 100) * CLOCK;
        for (int b = 0; b < 2; b++) {
            tokens_add_word(&made.tokens[b], 1);
            add_seed(&made.tokens[b], LOOKUP_MATCH, 1, 2, true);
        }
        struct events_result result = run_case(&made);
        ck_assert_int_eq(result.times[1].match_taken[0], (late ? INT64_C(1000000028) : 128));
        events[late] = result.events;
        events_result_destroy(&result);
        case_destroy(&made);
    }
    ck_assert_uint_eq(events[0], events[1]);
}
END_TEST

/* ---- stages that wait for each other ---- */

/* 20 words of 16 seeds: 320 lookups that all match twice and pass. */
static void flood_case(struct random_case *made)
{
    hand_case(made, CLOCK);
    for (int w = 0; w < 20; w++) {
        tokens_add_word(&made->tokens[0], 16);
        for (int s = 0; s < 16; s++)
            add_seed(&made->tokens[0], LOOKUP_MATCH, 1, 2, true);
    }
}

struct stuck_case {
    size_t constant; /* of the rules, by its place */
    uint32_t value;
    const char *text;
};

static const struct stuck_case stuck_cases[] = {
    {offsetof(struct board_rules, ingress_words), 0,
     "bus in waits for room in the ingress FIFO (holds 0 of 0); "
     "1a waits for words in the ingress FIFO (holds 0 of 0); "
     "1bp waits for seeds in the w-mer FIFO (holds 0 of 130); "
     "SRAM waits for reads in the read pipeline (holds 0); "
     "1bd waits for lookups in the SRAM FIFO (holds 0 of 500); "
     "2 waits for matches in the stage-2 FIFO (holds 0 of 10); "
     "bus out waits for records in the egress FIFO (holds 0 of 512)"},
    {offsetof(struct board_rules, wmer_seeds), 15,
     "bus in waits for room in the ingress FIFO (holds 8 of 8); "
     "1a waits for room for 16 seeds in the w-mer FIFO (holds 0 of 15); "
     "1bp waits for seeds in the w-mer FIFO (holds 0 of 15); "},
    {offsetof(struct board_rules, sram_lookups), 40,
     "bus in waits for room in the ingress FIFO (holds 8 of 8); "
     "1a waits for room for 16 seeds in the w-mer FIFO (holds 128 of 130); "
     "1bp waits for room in the SRAM FIFO (holds 0 of 40, is filled up to 0); "
     "SRAM waits for reads in the read pipeline (holds 0); "},
    /* the other seeds wait in front of 1bd */
    {offsetof(struct board_rules, stage2_matches), 1,
     "1bd waits for room for 2 matches in the stage-2 FIFO (holds 0 of 1); "
     "2 waits for matches in the stage-2 FIFO (holds 0 of 1); "},
    {offsetof(struct board_rules, egress_records), 0,
     "1bd waits for room for 2 matches in the stage-2 FIFO (holds 10 of 10); "
     "2 waits for room in the egress FIFO (holds 0 of 0); "
     "bus out waits for records in the egress FIFO (holds 0 of 0)"},
};

enum { STUCK_CASES = sizeof stuck_cases / sizeof stuck_cases[0] };

START_TEST(test_stages_that_wait_for_each_other_are_named)
{
    struct random_case made;
    struct events_result result;
    struct why why = {""};
    flood_case(&made);
    *(uint32_t *)((char *)&made.rules + stuck_cases[_i].constant) = stuck_cases[_i].value;
    ck_assert_int_eq(try_case(&made, &result, &why), EVENTS_ESTUCK);
    const char *expected = stuck_cases[_i].text;
    ck_assert_msg(strncmp(why.line, expected, strlen(expected)) == 0, "%s", why.line);
    ck_assert_ptr_null(result.times);
    case_destroy(&made);
}
END_TEST

/* Everything full up to the bus: 1bd holds a group of 5 for a FIFO of 4, and all FIFOs before it fill. */
START_TEST(test_a_chain_of_full_fifos_is_named)
{
    struct random_case made;
    struct events_result result;
    struct why why = {""};
    flood_case(&made);
    made.rules.wmer_seeds = 16;
    made.rules.sram_lookups = 48;
    made.rules.stage2_matches = 4;
    made.tokens[0].seeds[0].outcome = LOOKUP_DUPLICATE;
    made.tokens[0].groups[0].matches = 5;
    made.tokens[0].groups[1].matches = 1;
    made.tokens[0].groups[2].matches = 1;
    made.tokens[0].groups[3].matches = 1;
    ck_assert_int_eq(try_case(&made, &result, &why), EVENTS_ESTUCK);
    ck_assert_ptr_nonnull(strstr(why.line, "bus in waits for room in the ingress FIFO (holds 8 of 8); "
                                           "1a waits for room for 16 seeds in the w-mer FIFO (holds "));
    ck_assert_ptr_nonnull(strstr(why.line, "; 1bp waits for room in the SRAM FIFO (holds 2"));
    ck_assert_ptr_nonnull(strstr(why.line,
                                 "; 1bd waits for room for 5 matches in the stage-2 FIFO (holds 0 of 4); "
                                 "SRAM waits for reads in the read pipeline (holds 0); "
                                 "2 waits for matches in the stage-2 FIFO (holds 0 of 4); "));
    case_destroy(&made);
}
END_TEST

/* The engine bears the next run. */
START_TEST(test_after_being_stuck_the_next_run_is_right)
{
    struct random_case made;
    struct events_result result;
    struct why why;
    flood_case(&made);
    struct events_block block = {made.tokens[0], made.shares[0]};
    made.rules.wmer_seeds = 15;
    ck_assert_int_eq(events_run(&made.rules, &block, 1, &result, &why), EVENTS_ESTUCK);
    ck_assert_msg(strncmp(why.line, "bus in waits for room", 21) == 0, "%s", why.line);
    made.rules.wmer_seeds = 16;
    check_case(&made);
    case_destroy(&made);
}
END_TEST

/* Random illegal rules: the engine is stuck exactly when the judge is; otherwise they agree. */
START_TEST(test_stuck_when_the_judge_is)
{
    int stuck = 0;
    for (uint64_t n = 0; n < 60; n++) {
        struct random_case made;
        struct events_result result;
        struct why why;
        case_make(&made, 7700000 + (uint64_t)_i * 60 + n, (enum stream_kind)(n % STREAM_KINDS),
                  RULES_SMALLEST, BUS_MIXED);
        struct dice dice = {n};
        if (dice_chance(&dice, 50))
            made.rules.wmer_seeds = (uint32_t)dice_below(&dice, 16);
        else
            made.rules.stage2_matches = (uint32_t)dice_below(&dice, made.rules.stage2_matches + UINT64_C(1));
        struct judge_verdict *verdict = judge_case(&made, &made.rules);
        int status = try_case(&made, &result, &why);
        ck_assert_int_eq(status, verdict->stuck ? EVENTS_ESTUCK : EVENTS_DONE);
        if (!verdict->stuck)
            ck_assert_int_eq(result.drained, verdict->end);
        stuck += status == EVENTS_ESTUCK;
        judge_verdict_destroy(verdict);
        events_result_destroy(&result);
        case_destroy(&made);
    }
    ck_assert_int_gt(stuck, 10);
    ck_assert_int_lt(stuck, 60);
}
END_TEST

START_TEST(test_tokens_that_contradict_each_other_are_refused)
{
    struct random_case made;
    struct events_result result;
    struct why why = {""};
    flood_case(&made);
    struct tokens *tokens = &made.tokens[0];
    if (_i == 0)
        tokens->words[3]++;
    else if (_i == 1)
        tokens->seeds[3].groups++;
    else
        tokens->groups[3].matches++;
    ck_assert_int_eq(try_case(&made, &result, &why), EVENTS_ETOKENS);
    ck_assert_str_ne(why.line, "");
    case_destroy(&made);
}
END_TEST

/* ---- negative controls ---- */

/* Board and judge with one constant changed: some case must tell. */
START_TEST(test_wrong_constants_are_seen)
{
    int seen = 0;
    for (uint64_t n = 0; n < 30 && !seen; n++) {
        struct random_case made;
        case_make(&made, 7900000 + n, (enum stream_kind)(n % STREAM_KINDS), RULES_TIGHT, BUS_MIXED);
        struct board_rules wrong = made.rules;
        uint32_t *const constants[] = {&wrong.stage2_fetch_cycles, &wrong.sram_read_cycles,
                                       &wrong.sram_trip_cycles,    &wrong.ingress_words,
                                       &wrong.wmer_seeds,          &wrong.sram_lookups,
                                       &wrong.stage2_matches,      &wrong.egress_records};
        *constants[_i] += 2; /* a latency of 1 is that of 0 */
        seen += compare_case(&made, &wrong).what != NULL;
        case_destroy(&made);
    }
    ck_assert_int_gt(seen, 0);
}
END_TEST

/* ---- suite ---- */

int main(void)
{
    Suite *suite = suite_create("events");
    TCase *random = tcase_create("board and judge"), *hand = tcase_create("by hand");
    TCase *stuck = tcase_create("stuck"), *controls = tcase_create("controls");
    tcase_set_timeout(random, 100);
    tcase_add_loop_test(random, test_events_board_and_judge_agree, 0, STREAM_KINDS * RULES_KINDS);
    tcase_add_loop_test(random, test_runs_of_a_process_do_not_touch_each_other, 0, 4);
    tcase_add_test(random, test_an_engine_started_by_others_will_do);
    tcase_add_loop_test(hand, test_an_empty_pass_takes_no_clock, 0, 3);
    tcase_add_test(hand, test_one_match_by_hand);
    tcase_add_test(hand, test_two_trips_by_hand);
    tcase_add_test(hand, test_idle_stretches_cost_no_events);
    tcase_set_timeout(stuck, 30);
    tcase_add_loop_test(stuck, test_stages_that_wait_for_each_other_are_named, 0, STUCK_CASES);
    tcase_add_test(stuck, test_a_chain_of_full_fifos_is_named);
    tcase_add_test(stuck, test_after_being_stuck_the_next_run_is_right);
    tcase_add_loop_test(stuck, test_stuck_when_the_judge_is, 0, 3);
    tcase_add_loop_test(stuck, test_tokens_that_contradict_each_other_are_refused, 0, 3);
    tcase_set_timeout(controls, 60);
    tcase_add_loop_test(controls, test_wrong_constants_are_seen, 0, 8);
    suite_add_tcase(suite, random);
    suite_add_tcase(suite, hand);
    suite_add_tcase(suite, stuck);
    suite_add_tcase(suite, controls);
    return run_suite(suite);
}
