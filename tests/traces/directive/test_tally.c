/* test_tally.c - values by way of a tally against the same values added one by one. */
#include "traces/directive/tally.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/run_suite.h"
#include "tests/traces/directive/consistent.h"
#include "tests/sim/board/random_tokens.h"

enum { AGGREGATES = 3, VALUES = 3000 };

static const struct aggregate_plan plans[AGGREGATES] = {
    {0}, {.low = 3, .width = 7, .bins = 100}, {.bits = 6, .quantiles = true}};

struct both {
    struct tally *tally;
    struct aggregate tallied[AGGREGATES], alone[AGGREGATES], *to[AGGREGATES];
};

static struct both make_both(void)
{
    struct both b = {.tally = calloc(1, sizeof *b.tally)};
    ck_assert_ptr_nonnull(b.tally);
    for (int i = 0; i < AGGREGATES; i++) {
        aggregate_init(&b.tallied[i], &plans[i]);
        aggregate_init(&b.alone[i], &plans[i]);
    }
    return b;
}

static void use(struct both *b)
{
    for (int i = 0; i < AGGREGATES; i++)
        b->to[i] = &b->tallied[i];
    b->tally->to = b->to;
    b->tally->to_count = AGGREGATES;
}

static void add_alone(struct both *b, const int64_t *values, size_t count)
{
    for (size_t n = 0; n < count; n++)
        for (int i = 0; i < AGGREGATES; i++)
            aggregate_add(&b->alone[i], (uint64_t)values[n], 1);
}

static void check_equal(const struct both *b)
{
    for (int i = 0; i < AGGREGATES; i++) {
        const struct aggregate *x = &b->tallied[i], *y = &b->alone[i];
        ck_assert_uint_eq(x->moments.weight, y->moments.weight);
        ck_assert(x->moments.sum == y->moments.sum && x->moments.squares == y->moments.squares);
        ck_assert(x->moments.weight == 0 ||
                  (x->moments.least == y->moments.least && x->moments.most == y->moments.most));
        ck_assert(aggregate_is_consistent(x));
        if (x->histogram)
            ck_assert(x->histogram->under == y->histogram->under &&
                      x->histogram->over == y->histogram->over &&
                      memcmp(x->histogram->weights, y->histogram->weights,
                             x->histogram->bins * sizeof(uint64_t)) == 0);
        if (x->quantile) {
            ck_assert_uint_eq(x->quantile->used, y->quantile->used);
            ck_assert_mem_eq(x->quantile->weights, y->quantile->weights,
                             x->quantile->used * sizeof(uint64_t));
        }
    }
}

static void destroy_both(struct both *b)
{
    for (int i = 0; i < AGGREGATES; i++) {
        aggregate_destroy(&b->tallied[i]);
        aggregate_destroy(&b->alone[i]);
    }
    free(b->tally);
}

/* Zeros, runs of equal values, values on both sides of what is counted, clocks of a year. */
static int64_t random_value(struct dice *dice, int64_t last)
{
    switch (dice_below(dice, 6)) {
    case 0:
        return 0;
    case 1:
        return last;
    case 2:
        return (int64_t)dice_between(dice, TALLY_SMALL - 2, TALLY_SMALL + 2);
    case 3:
        return (int64_t)dice_below(dice, UINT64_C(1) << dice_below(dice, 40));
    default:
        return (int64_t)dice_below(dice, 700);
    }
}

START_TEST(test_a_tally_changes_nothing)
{
    struct dice dice = {(uint64_t)_i};
    struct both b = make_both();
    use(&b);
    for (size_t left = VALUES; left > 0;) {
        int64_t values[50], earlier[50], later[50], more = (int64_t)dice_below(&dice, 9) - 4;
        size_t count = dice_below(&dice, 50);
        count = count < left ? count : left;
        for (size_t i = 0; i < count; i++) {
            values[i] = random_value(&dice, i > 0 ? values[i - 1] : 7);
            earlier[i] = (int64_t)dice_below(&dice, 100000);
            later[i] = earlier[i] + values[i] - more;
        }
        add_alone(&b, values, count);
        if (dice_chance(&dice, 50))
            tally_values(b.tally, values, count);
        else
            tally_differences(b.tally, later, earlier, more, count);
        left -= count;
        if (dice_chance(&dice, 10)) {
            tally_flush(b.tally);
            check_equal(&b);
        }
    }
    tally_flush(b.tally);
    check_equal(&b);
    tally_flush(b.tally); /* nothing is left */
    check_equal(&b);
    destroy_both(&b);
}
END_TEST

START_TEST(test_a_value_many_times)
{
    struct both b = make_both();
    use(&b);
    tally_often(b.tally, 12, UINT64_C(1) << 40);
    tally_often(b.tally, 1 << 20, 3);
    tally_flush(b.tally);
    for (int i = 0; i < AGGREGATES; i++) {
        aggregate_add(&b.alone[i], 12, UINT64_C(1) << 40);
        aggregate_add(&b.alone[i], 1 << 20, 3);
    }
    check_equal(&b);
    destroy_both(&b);
}
END_TEST

/* As if this number of fives had come before. */
START_TEST(test_counts_do_not_overflow)
{
    struct both b = make_both();
    use(&b);
    b.tally->taken = b.tally->counts[5][0] = UINT32_MAX - 3;
    b.tally->used = 6;
    for (int i = 0; i < AGGREGATES; i++)
        aggregate_add(&b.alone[i], 5, UINT32_MAX - 3);
    const int64_t fives[] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    tally_values(b.tally, fives, 3);
    ck_assert_uint_eq(b.tally->taken, UINT32_MAX);
    tally_values(b.tally, fives, 1);
    ck_assert_uint_eq(b.tally->taken, 1);
    tally_values(b.tally, fives, 12);
    ck_assert_uint_eq(b.tally->taken, 13);
    add_alone(&b, fives, 4);
    add_alone(&b, fives, 12);
    tally_flush(b.tally);
    check_equal(&b);
    destroy_both(&b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tally");
    TCase *all = tcase_create("values");
    tcase_add_loop_test(all, test_a_tally_changes_nothing, 0, 40);
    tcase_add_test(all, test_a_value_many_times);
    tcase_add_test(all, test_counts_do_not_overflow);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
