/* test_front.c - the Pareto front, the quickest machine and the knee, against every pair of points. */
#include "app/sweep/draw/front.h"

#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/run_suite.h"

/* By hand, {time, {block RAMs, chips, J}}: 1 is as quick as 2 within 0.01% with fewer block RAMs; 3 is slower than 1
 * with more of them; 5 does not count; 6 has the fewest chips, 7 the least energy, and both are slow. */
static const struct front_point points[] = {
    {2.2, {100, 4, 9}, true}, {1.10005, {200, 4, 9}, true}, {1.1, {300, 4, 9}, true},
    {1.8, {250, 4, 9}, true}, {1.0, {400, 4, 9}, true},     {0.2, {50, 2, 1}, false},
    {5.0, {400, 2, 9}, true}, {5.0, {400, 4, 8}, true},
};

enum { COUNT = sizeof points / sizeof points[0] };

START_TEST(test_the_front_has_what_nothing_beats)
{
    const bool expected[COUNT] = {true, true, false, false, true, false, true, true};
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_msg(front_has(points, COUNT, i) == expected[i], "point %zu", i);
}
END_TEST

START_TEST(test_the_front_goes_from_the_quickest_on)
{
    const size_t expected[] = {4, 1, 0, 6, 7, SIZE_MAX};
    size_t point = SIZE_MAX;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        point = front_next(points, COUNT, true, point);
        ck_assert_uint_eq(point, expected[i]);
    }
}
END_TEST

/* 1 keeps 91% of the speed of 4, 0 45%. The product of its costs is 200 x 4 x 9 = 7200 (0: 3600, 4: 14400, 6: 7200). */
START_TEST(test_the_cheapest_that_keeps_a_share)
{
    ck_assert_uint_eq(front_find_cheapest(points, COUNT, FRONT_KEEP, INFINITY), 4);
    ck_assert_uint_eq(front_find_cheapest(points, COUNT, 0.9, INFINITY), 1);
    ck_assert_uint_eq(front_find_cheapest(points, COUNT, 0.45, INFINITY), 0);
    ck_assert_uint_eq(front_find_cheapest(points, COUNT, 0.45, 2.0), 1);
    ck_assert_uint_eq(front_find_cheapest(points, COUNT, 1, INFINITY), 4);
}
END_TEST

/* Bits of SRAM are no bits of block RAM: half the chips are worth more than a third more blocks. */
START_TEST(test_costs_are_not_added)
{
    const struct front_point two[] = {{1, {300, 4, 1}, true}, {1, {400, 2, 1}, true}};
    ck_assert(front_has(two, 2, 0) && front_has(two, 2, 1));
    ck_assert(front_is_cheaper(&two[1], &two[0]) && !front_is_cheaper(&two[0], &two[1]));
}
END_TEST

START_TEST(test_of_equal_points_the_first_is_taken)
{
    const struct front_point equal[] = {{10, {5, 2, 1}, true}, {10, {5, 2, 1}, true}};
    ck_assert(front_has(equal, 2, 0));
    ck_assert(!front_has(equal, 2, 1));
    ck_assert(!front_dominates(&equal[0], &equal[1]));
    ck_assert_uint_eq(front_find_cheapest(equal, 2, 1, INFINITY), 0);
    ck_assert_uint_eq(front_find_cheapest(equal, 2, 0.5, INFINITY), 0);
}
END_TEST

/* Cores from 1 to 64 for lambda x a part of E. coli: with 4 the run has 97.5% of the greatest speed, and the same block
 * RAMs and chips; that 64 take 0.008 mJ less than 8 is no price. Chips that go with the cores are. */
START_TEST(test_what_has_no_price_has_its_knee_at_the_slowest)
{
    struct front_point cores[] = {{13.58247, {432, 4, 0.462131}, true}, {9.01321, {432, 4, 0.393593}, true},
                                  {8.25806, {432, 4, 0.382265}, true},  {8.05472, {432, 4, 0.379215}, true},
                                  {8.05424, {432, 4, 0.379208}, true},  {8.05419, {432, 4, 0.379207}, true}};
    bool is_unpriced;
    ck_assert(front_find_knee(cores, 6, FRONT_KEEP, &is_unpriced) == 2 && is_unpriced);
    ck_assert(front_find_knee(cores, 6, 0.5, &is_unpriced) == 0 && is_unpriced);
    ck_assert_uint_eq(front_find_cheapest(cores, 6, FRONT_KEEP, INFINITY), 5);
    ck_assert(front_find_knee(cores, 2, FRONT_KEEP, &is_unpriced) == 1 && !is_unpriced);
    for (enum front_cost cost = 0; cost < FRONT_COSTS; cost++) {
        const double before = cores[3].costs[cost];
        cores[3].costs[cost] *= 0.99;
        ck_assert(front_find_knee(cores, 6, FRONT_KEEP, &is_unpriced) == 3 && !is_unpriced);
        cores[3].costs[cost] = before;
    }
}
END_TEST

START_TEST(test_nothing_has_no_front)
{
    const struct front_point none = {1, {1, 1, 1}, false};
    ck_assert_uint_eq(front_find_cheapest(&none, 1, 1, INFINITY), SIZE_MAX);
    ck_assert_uint_eq(front_find_cheapest(&none, 1, 0.95, INFINITY), SIZE_MAX);
    bool is_unpriced;
    ck_assert(front_find_knee(&none, 1, 0.95, &is_unpriced) == SIZE_MAX && !is_unpriced);
    ck_assert_uint_eq(front_next(&none, 1, true, SIZE_MAX), SIZE_MAX);
}
END_TEST

static bool is_dominated(const struct front_point *all, size_t count, size_t point)
{
    bool dominated = false;
    for (size_t i = 0; i < count; i++)
        dominated = dominated || (all[i].counts && front_dominates(&all[i], &all[point]));
    return dominated;
}

/* Whatever the points: nothing dominates what is on the front, what is not on it is beaten by a point on it, and
 * nothing dominates the cheapest or is quick enough and cheaper. */
START_TEST(test_random_fronts)
{
    struct front_point random[60];
    srand((unsigned)_i);
    for (int i = 0; i < 60; i++)
        random[i] = (struct front_point){
            1 + rand() % 20, {1 + rand() % 5, 1 + rand() % 3, 1 + rand() % 5}, rand() % 5 > 0};
    for (size_t i = 0; i < 60; i++) {
        bool beaten = false;
        for (size_t j = 0; j < 60; j++)
            beaten = beaten || (front_has(random, 60, j) && !front_dominates(&random[i], &random[j]) &&
                                (front_dominates(&random[j], &random[i]) ||
                                 (random[j].time_s <= random[i].time_s && j <= i)));
        ck_assert(!random[i].counts || beaten);
        ck_assert(!front_has(random, 60, i) || !is_dominated(random, 60, i));
    }
    size_t best = front_find_cheapest(random, 60, 1, INFINITY),
           cheapest = front_find_cheapest(random, 60, 0.7, 15);
    ck_assert(!is_dominated(random, 60, cheapest));
    for (size_t i = 0; i < 60; i++)
        ck_assert(!random[i].counts || !front_is_cheaper(&random[i], &random[cheapest]) ||
                  random[i].time_s > 15 || 0.7 * random[i].time_s > random[best].time_s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("front");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_the_front_has_what_nothing_beats);
    tcase_add_test(core, test_the_front_goes_from_the_quickest_on);
    tcase_add_test(core, test_the_cheapest_that_keeps_a_share);
    tcase_add_test(core, test_costs_are_not_added);
    tcase_add_test(core, test_of_equal_points_the_first_is_taken);
    tcase_add_test(core, test_what_has_no_price_has_its_knee_at_the_slowest);
    tcase_add_test(core, test_nothing_has_no_front);
    tcase_add_loop_test(core, test_random_fronts, 1, 50);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
