/* test_plain_seeds.c - what consecutive seeds became, as bits, against a walk over the tokens; each form. */
#include "blast/stages12/plain_seeds.h"

#include <check.h>

#include "tests/run_suite.h"
#include "tests/sim/board/random_tokens.h"

enum { SEEDS = 300, CASES = 60 };

/* Mostly plain seeds; records may hold what the stages never make, such as entries of a group without a trip. */
static void add_seed(struct tokens *t, struct dice *dice, unsigned percent)
{
    const bool odd = dice_chance(dice, percent);
    const enum lookup_outcome outcome = odd                     ? (enum lookup_outcome)dice_below(dice, 4)
                                        : dice_chance(dice, 20) ? LOOKUP_EMPTY
                                                                : LOOKUP_MATCH;
    const unsigned groups = odd ? (unsigned)dice_below(dice, 4) : outcome == LOOKUP_MATCH;
    tokens_add_seed(t, outcome, groups);
    for (unsigned g = 0; g < groups; g++) {
        const unsigned matches = (unsigned)dice_below(dice, odd ? 5 : 3);
        tokens_add_group(t, matches, odd && dice_chance(dice, 50) ? (unsigned)dice_below(dice, 3) : 0);
        for (unsigned m = 0; m < matches; m++)
            tokens_add_match(t, dice_chance(dice, 50));
    }
}

static bool is_plain(const struct tokens *t, struct token_place at)
{
    const struct seed_token seed = t->seeds[at.seed];
    return seed.outcome != LOOKUP_DUPLICATE &&
           (seed.groups == 0 ||
            (seed.groups == 1 && t->groups[at.group].matches <= 2 && t->groups[at.group].entries == 0));
}

/* Seed by seed; the bits of those that are told, and none beside them. */
static void check(const struct tokens *t, struct token_place at, size_t end, const struct plain_seeds *plain)
{
    struct plain_seeds rest = *plain;
    unsigned match = 0, seed = 0;
    for (; seed < PLAIN_SEEDS_MOST && at.seed < end && is_plain(t, at); seed++, at.seed++) {
        const unsigned groups = t->seeds[at.seed].groups, matches = groups ? t->groups[at.group].matches : 0;
        for (unsigned m = 0; m < matches; m++, match++, at.match++) {
            const unsigned passed = t->matches[at.match];
            ck_assert_uint_eq(rest.passed >> (2 * seed + m) & 1, passed);
            ck_assert_uint_eq(rest.passed_matches >> match & 1, passed);
            rest.passed &= ~(UINT64_C(1) << (2 * seed + m));
            rest.passed_matches &= ~(UINT64_C(1) << match);
        }
        rest.grouped -= groups;
        rest.twice -= matches == 2;
        rest.matches -= matches;
        at.group += groups;
    }
    ck_assert_uint_eq(plain->count, seed);
    ck_assert(rest.passed == 0 && rest.passed_matches == 0);
    ck_assert(rest.grouped == 0 && rest.twice == 0 && rest.matches == 0);
}

START_TEST(test_each_form_against_seed_by_seed)
{
    if ((enum cpu_level)_i > cpu_best_level())
        return;
    for (int n = 0; n < TESTS_SOME(CASES); n++) {
        struct dice dice = {(uint64_t)n};
        struct tokens t = {0};
        const size_t seeds = dice_between(&dice, 1, SEEDS);
        const unsigned percent = (unsigned)dice_below(&dice, 8);
        for (size_t i = 0; i < seeds; i++)
            add_seed(&t, &dice, percent);
        ck_assert(!t.out_of_memory);
        for (struct token_place at = {0}; at.seed < t.seed_count; at.seed++) {
            const size_t end = at.seed + dice_below(&dice, t.seed_count - at.seed + 1);
            const struct plain_seeds plain = plain_seeds_at((enum cpu_level)_i, &t, at, end);
            const struct token_place after = plain_seeds_after(at, &plain);
            check(&t, at, end, &plain);
            ck_assert_uint_eq(after.seed, at.seed + plain.count);
            for (unsigned g = 0; g < t.seeds[at.seed].groups; g++)
                at.match += t.groups[at.group++].matches;
        }
        tokens_destroy(&t);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plain_seeds");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_each_form_against_seed_by_seed, CPU_PORTABLE, CPU_LEVELS);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
