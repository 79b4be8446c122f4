/* test_front.c - the Pareto front, the best point and the knee, against every pair of points. */
#include "app/sweep/front.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/run_suite.h"

/* By hand: 1 is as quick as 2 within 0.01% and smaller; 3 is slower than 1 with more bits; 5 does not count. */
static const struct front_point points[] = {
    {100, 50, true}, {200, 99.995, true}, {300, 100, true},
    {250, 60, true}, {400, 110, true},    {50, 500, false},
};

enum { COUNT = sizeof points / sizeof points[0] };

START_TEST(test_the_front_has_what_nothing_beats)
{
    const bool expected[COUNT] = {true, true, false, false, true, false};
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_msg(front_has(points, COUNT, i) == expected[i], "point %zu", i);
}
END_TEST

START_TEST(test_the_front_goes_from_few_bits_to_many)
{
    ck_assert_uint_eq(front_next(points, COUNT, -1), 0);
    ck_assert_uint_eq(front_next(points, COUNT, 100), 1);
    ck_assert_uint_eq(front_next(points, COUNT, 200), 4);
    ck_assert_uint_eq(front_next(points, COUNT, 400), SIZE_MAX);
}
END_TEST

/* Of 110, 90% are 99 and 45% are 49.5. */
START_TEST(test_the_knee_is_the_smallest_that_keeps_a_share)
{
    ck_assert_uint_eq(front_find_best(points, COUNT), 4);
    ck_assert_uint_eq(front_find_knee(points, COUNT, FRONT_KEEP), 4);
    ck_assert_uint_eq(front_find_knee(points, COUNT, 0.9), 1);
    ck_assert_uint_eq(front_find_knee(points, COUNT, 0.45), 0);
    ck_assert_uint_eq(front_find_knee(points, COUNT, 1), 4);
}
END_TEST

START_TEST(test_of_equal_points_the_first_is_taken)
{
    const struct front_point equal[] = {{10, 5, true}, {10, 5, true}};
    ck_assert(front_has(equal, 2, 0));
    ck_assert(!front_has(equal, 2, 1));
    ck_assert_uint_eq(front_find_best(equal, 2), 0);
    ck_assert_uint_eq(front_find_knee(equal, 2, 0.5), 0);
}
END_TEST

START_TEST(test_nothing_has_no_front)
{
    const struct front_point none = {1, 1, false};
    ck_assert_uint_eq(front_find_best(&none, 1), SIZE_MAX);
    ck_assert_uint_eq(front_find_knee(&none, 1, 0.95), SIZE_MAX);
    ck_assert_uint_eq(front_next(&none, 1, -1), SIZE_MAX);
}
END_TEST

/* Whatever the points: what is not on the front is beaten by a point on it, and the knee by none. */
START_TEST(test_random_fronts)
{
    struct front_point random[60];
    srand((unsigned)_i);
    for (int i = 0; i < 60; i++)
        random[i] = (struct front_point){rand() % 20, rand() % 20, rand() % 5 > 0};
    for (size_t i = 0; i < 60; i++) {
        bool beaten = false;
        for (size_t j = 0; j < 60; j++)
            beaten = beaten || (front_has(random, 60, j) && random[j].bits <= random[i].bits &&
                                random[j].speed >= random[i].speed);
        ck_assert(!random[i].counts || beaten);
    }
    size_t best = front_find_best(random, 60), knee = front_find_knee(random, 60, 0.7);
    for (size_t i = 0; i < 60; i++)
        ck_assert(!random[i].counts || random[i].bits >= random[knee].bits ||
                  random[i].speed < 0.7 * random[best].speed);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("front");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_the_front_has_what_nothing_beats);
    tcase_add_test(core, test_the_front_goes_from_few_bits_to_many);
    tcase_add_test(core, test_the_knee_is_the_smallest_that_keeps_a_share);
    tcase_add_test(core, test_of_equal_points_the_first_is_taken);
    tcase_add_test(core, test_nothing_has_no_front);
    tcase_add_loop_test(core, test_random_fronts, 1, 50);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
