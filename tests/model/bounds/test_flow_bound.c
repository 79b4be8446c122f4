/* test_flow_bound.c - the bounds of a pass, by hand, and around what the judge sees on random machines. */
#include "model/bounds/flow_bound.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tests/run_suite.h"
#include "tests/sim/board/judge.h"
#include "tests/sim/board/random_tokens.h"

/* --- the board's tokens, rules and shares, as the bounds take them ---------------------------------------- */

static double clocks(int64_t ticks)
{
    return (double)ticks / (double)BOARD_TICKS_PER_CLOCK;
}

static struct flow_machine machine_of(const struct board_rules *r, uint32_t largest_group)
{
    return (struct flow_machine){
        .places = {r->ingress_words, r->wmer_seeds, r->sram_lookups, r->stage2_matches, r->egress_records},
        .lookup_limit = r->sram_lookups - r->sram_margin,
        .read_clocks = r->sram_read_cycles > 1 ? r->sram_read_cycles : 1,
        .fetch_clocks = r->stage2_fetch_cycles > 1 ? r->stage2_fetch_cycles : 1,
        .trip_clocks = board_trip_cycles(r),
        .trips_in_flight = r->trips_in_flight,
        .largest_group = largest_group,
    };
}

static void add_block(struct flow_bound *bound, const struct tokens *tokens, const struct bus_share *share)
{
    struct flow_lookup *lookups = calloc(tokens->seed_count + 1, sizeof *lookups);
    uint8_t *groups = calloc(tokens->group_count + 1, 1);
    for (size_t i = 0; i < tokens->seed_count; i++)
        lookups[i] =
            (struct flow_lookup){tokens->seeds[i].groups, tokens->seeds[i].outcome == LOOKUP_DUPLICATE};
    for (size_t i = 0; i < tokens->group_count; i++)
        groups[i] = tokens->groups[i].matches;
    const struct flow_share flow = {
        .begin_least = clocks(share->begin),
        .begin_most = clocks(share->begin),
        .word_least = clocks(share->word_ticks),
        .word_most = clocks(share->word_ticks),
        .record = clocks(share->record_ticks),
        .beside_most = clocks(share->beside_ticks),
        .supply_least = clocks(share->supply_first),
        .supply_most = clocks(share->supply_first),
        .supply_step = clocks(share->supply_ticks),
    };
    flow_bound_block(
        bound, &flow,
        &(struct flow_tokens){tokens->word_count, tokens->words, lookups, groups, tokens->matches});
    free(lookups);
    free(groups);
}

/* --- what happened ----------------------------------------------------------------------------------------- */

struct seen {
    double elements[FLOW_QUEUES], wait[FLOW_QUEUES], clocks;
};

static void see(double *most, double value)
{
    *most = fmax(*most, value);
}

/* Elements wait from when they enter a FIFO until they are taken. */
static struct seen see_case(const struct random_case *made, const struct judge_verdict *v)
{
    struct seen s = {.clocks = (double)v->end};
    const struct board_times *t = &v->times;
    const int64_t read = made->rules.sram_read_cycles > 1 ? made->rules.sram_read_cycles : 1;
    size_t word = 0, seed = 0, group = 0, match = 0, record = 0;
    for (int i = 0; i < FLOW_QUEUES; i++)
        s.elements[i] = (double)v->taps[i].most;
    for (size_t b = 0; b < made->block_count; b++) {
        const struct tokens *tokens = &made->tokens[b];
        const size_t first_match = match, first_group = group;
        size_t in_block = 0;
        for (size_t i = 0; i < tokens->word_count; i++, word++) {
            see(&s.wait[FLOW_INGRESS], (double)(t->word_taken[word] - t->word_delivered[word]));
            for (unsigned n = 0; n < tokens->words[i]; n++, seed++) {
                see(&s.wait[FLOW_WMER], (double)(t->seed_issued[seed] - t->word_taken[word]));
                see(&s.wait[FLOW_SRAM], (double)(t->seed_taken[seed] - t->seed_issued[seed] - read));
                for (unsigned g = 0; g < tokens->seeds[in_block].groups; g++, group++)
                    for (unsigned m = 0; m < tokens->groups[group - first_group].matches; m++, match++) {
                        see(&s.wait[FLOW_STAGE2], (double)(t->match_taken[match] - t->group_entered[group]));
                        if (tokens->matches[match - first_match])
                            see(&s.wait[FLOW_EGRESS],
                                clocks(t->record_left[record++]) - (double)t->match_taken[match]);
                    }
                in_block++;
            }
        }
    }
    return s;
}

static uint32_t largest_group(const struct random_case *made)
{
    uint32_t largest = 1;
    for (size_t b = 0; b < made->block_count; b++)
        for (size_t g = 0; g < made->tokens[b].group_count; g++)
            largest =
                made->tokens[b].groups[g].matches > largest ? made->tokens[b].groups[g].matches : largest;
    return largest;
}

static struct flow_limits bound_case(const struct random_case *made)
{
    struct flow_bound bound = {.machine = machine_of(&made->rules, largest_group(made))};
    for (size_t b = 0; b < made->block_count; b++)
        add_block(&bound, &made->tokens[b], &made->shares[b]);
    struct flow_limits limits = flow_bound_limits(&bound);
    flow_bound_destroy(&bound);
    return limits;
}

/* --- random machines ------------------------------------------------------------------------------------- */

static const char *const names[FLOW_QUEUES] = {"ingress", "wmer", "sram", "stage2", "egress"};

/* How near the bounds come: the greatest of what was seen, over its bound. */
struct nearest {
    double elements[FLOW_QUEUES], wait[FLOW_QUEUES], most, least;
    unsigned flows;
};

static void judge_case(const struct random_case *made, struct nearest *near)
{
    struct judge_block blocks[CASE_BLOCKS];
    for (size_t b = 0; b < made->block_count; b++)
        blocks[b] = (struct judge_block){&made->tokens[b], made->shares[b]};
    struct judge_verdict *verdict = judge_run(&made->rules, blocks, made->block_count);
    const struct seen seen = see_case(made, verdict);
    const struct flow_limits limits = bound_case(made);
    for (int i = 0; i < FLOW_QUEUES; i++) {
        ck_assert_msg(seen.elements[i] <= limits.elements[i],
                      "seed %" PRIu64 ": %s held %g elements, bound %g (flows: %d)", made->seed, names[i],
                      seen.elements[i], limits.elements[i], limits.flows);
        ck_assert_msg(seen.wait[i] <= limits.wait[i] + 1e-6,
                      "seed %" PRIu64 ": an element waited %g clocks in %s, bound %g (flows: %d)", made->seed,
                      seen.wait[i], names[i], limits.wait[i], limits.flows);
        if (limits.elements[i] > 0)
            see(&near->elements[i], seen.elements[i] / limits.elements[i]);
        if (limits.wait[i] > 0)
            see(&near->wait[i], seen.wait[i] / limits.wait[i]);
    }
    ck_assert_msg(seen.clocks <= limits.most_clocks && seen.clocks >= limits.least_clocks,
                  "seed %" PRIu64 ": %g clocks, bounds %g to %g", made->seed, seen.clocks,
                  limits.least_clocks, limits.most_clocks);
    see(&near->most, seen.clocks / limits.most_clocks);
    if (seen.clocks > 0)
        see(&near->least, limits.least_clocks / seen.clocks);
    near->flows += limits.flows;
    judge_verdict_destroy(verdict);
}

START_TEST(test_random_machines_are_inside)
{
    const int cases = tests_some(40);
    struct nearest near = {0};
    unsigned count = 0;
    for (int stream = 0; stream < STREAM_KINDS; stream++)
        for (int rules = 0; rules < RULES_KINDS; rules++)
            for (int bus = 0; bus < BUS_KINDS; bus++)
                for (int n = 0; n < cases; n++, count++) {
                    struct random_case made;
                    case_make(&made, 12000000 + count, (enum stream_kind)stream, (enum rules_kind)rules,
                              (enum bus_kind)bus);
                    judge_case(&made, &near);
                    case_destroy(&made);
                }
    ck_assert_uint_gt(near.flows, count / 10); /* a part of the machines never blocks */
    ck_assert_uint_lt(near.flows, count / 2);
    /* The control: each bound comes so near in some case that one 5% tighter would be wrong. */
    for (int i = 0; i < FLOW_QUEUES; i++) {
        ck_assert_msg(near.elements[i] > 0.95, "%s: %g of the elements", names[i], near.elements[i]);
        ck_assert_msg(near.wait[i] > 0.95, "%s: %g of the wait", names[i], near.wait[i]);
    }
    ck_assert_double_gt(near.most, 0.95);
    ck_assert_double_gt(near.least, 0.95);
}
END_TEST

/* --- by hand --------------------------------------------------------------------------------------------- */

/* Words of the default board, one a clock, without a host that is slower; `seeds` of a word match once each, and all
 * matches pass. A record takes 2 clocks of the bus. */
static void hand_case(struct random_case *made, size_t words, const unsigned *seeds)
{
    *made = (struct random_case){.rules = rules_default(), .block_count = 1};
    made->shares[0] =
        (struct bus_share){.word_ticks = BOARD_TICKS_PER_CLOCK, .record_ticks = 2 * BOARD_TICKS_PER_CLOCK};
    for (size_t i = 0; i < words; i++) {
        tokens_add_word(&made->tokens[0], seeds[i]);
        for (unsigned n = 0; n < seeds[i]; n++) {
            tokens_add_seed(&made->tokens[0], LOOKUP_MATCH, 1);
            tokens_add_group(&made->tokens[0], 1, 0);
            tokens_add_match(&made->tokens[0], true);
        }
    }
}

/* The word is on the board at 0, taken at 1, its read issued at 2 and stored at 22, its lookup taken at 23; its match
 * enters then, and is taken 5 clocks later, at 28, which ends the pass: 29 clocks, that nothing can be faster than. Of
 * each queue there is one element. It waits for a clock before 1a and 1bp. */
START_TEST(test_one_seed)
{
    struct random_case made;
    hand_case(&made, 1, (const unsigned[]){1});
    const struct flow_limits l = bound_case(&made);
    ck_assert(l.flows);
    ck_assert_double_eq(l.least_clocks, 29);
    ck_assert_double_eq(l.elements[FLOW_INGRESS], 1);
    ck_assert_double_eq(l.elements[FLOW_WMER], 1);
    ck_assert_double_eq(l.elements[FLOW_SRAM], 1);
    ck_assert_double_eq(l.elements[FLOW_EGRESS], 1);
    ck_assert_double_eq(l.wait[FLOW_INGRESS], 1);
    ck_assert_double_eq(l.wait[FLOW_WMER], 1);
    case_destroy(&made);
}
END_TEST

/* 16 seeds, then 10, then none, a word a clock: 16 wait, then 15 + 10 = 25, then 24. Matches and records follow one a
 * clock, and a record leaves every 2 clocks: of 26 clocks' records, work of 26 + 1 clocks is left in the end. */
START_TEST(test_burst_of_seeds)
{
    struct random_case made;
    hand_case(&made, 3, (const unsigned[]){16, 10, 0});
    const struct flow_limits l = bound_case(&made);
    ck_assert_double_eq(l.unblocked[FLOW_WMER], 25);
    ck_assert_double_eq(l.unblocked[FLOW_EGRESS], 14); /* (2 x 26 - 25) / 2 */
    ck_assert_double_eq(l.unblocked[FLOW_STAGE2], 5);  /* one a clock for the 5 clocks of a fetch */
    /* The last of 26 records leaves at 23 + 5 + 25 x 2 = 78 at the soonest, and the pass ends in the next clock. */
    ck_assert_double_eq(l.least_clocks, 79);
    case_destroy(&made);
}
END_TEST

/* No word, no clocks. */
START_TEST(test_no_word)
{
    struct random_case made;
    hand_case(&made, 0, NULL);
    const struct flow_limits l = bound_case(&made);
    ck_assert_double_eq(l.least_clocks, 0);
    ck_assert_double_eq(l.elements[FLOW_EGRESS], 0);
    case_destroy(&made);
}
END_TEST

/* A pass after a restart has the bounds of one alone. */
START_TEST(test_restart)
{
    struct random_case made;
    case_make(&made, 77, STREAM_DENSE, RULES_DEFAULT, BUS_REAL);
    const struct flow_limits alone = bound_case(&made);
    struct flow_bound bound = {.machine = machine_of(&made.rules, largest_group(&made))};
    for (int pass = 0; pass < 2; pass++) {
        flow_bound_restart(&bound);
        for (size_t b = 0; b < made.block_count; b++)
            add_block(&bound, &made.tokens[b], &made.shares[b]);
    }
    const struct flow_limits again = flow_bound_limits(&bound);
    ck_assert_double_eq(alone.most_clocks, again.most_clocks);
    ck_assert_double_eq(alone.least_clocks, again.least_clocks);
    for (int i = 0; i < FLOW_QUEUES; i++) {
        ck_assert_double_eq(alone.elements[i], again.elements[i]);
        ck_assert_double_eq(alone.wait[i], again.wait[i]);
        ck_assert_double_eq(alone.unblocked[i], again.unblocked[i]);
    }
    flow_bound_destroy(&bound);
    case_destroy(&made);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("flow_bound");
    TCase *tests = tcase_create("machines");
    tcase_add_test(tests, test_one_seed);
    tcase_add_test(tests, test_burst_of_seeds);
    tcase_add_test(tests, test_no_word);
    tcase_add_test(tests, test_restart);
    tcase_add_test(tests, test_random_machines_are_inside);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
