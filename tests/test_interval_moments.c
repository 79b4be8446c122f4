/* test_interval_moments.c - regularity of streams: against sums done naively, and streams whose answers are known. */
#include "traces/interval_moments.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "tests/run_suite.h"

enum { COUNT = 5000 };

/* Two passes in long double, as the definitions have it. */
static void expect_naive(const struct interval_moments *m, const int64_t *times, size_t count)
{
    long double mean = 0, squares = 0, products = 0;
    for (size_t i = 0; i < count; i++)
        mean += times[i];
    mean /= (long double)count;
    for (size_t i = 0; i < count; i++) {
        squares += (times[i] - mean) * (times[i] - mean);
        products += i > 0 ? (times[i] - mean) * (times[i - 1] - mean) : 0;
    }
    ck_assert_uint_eq(m->count, count);
    ck_assert_double_eq_tol(interval_moments_mean(m), (double)mean, 1e-14 * (double)mean);
    double scv = (double)(squares / (long double)count / (mean * mean));
    ck_assert_double_eq_tol(interval_moments_scv(m), scv, 1e-12 * scv);
    ck_assert_double_eq_tol(interval_moments_lag1(m), (double)(products / squares), 1e-12);
}

static void draw(int64_t *times, size_t count, int64_t base, int64_t range, unsigned long seed)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, seed);
    for (size_t i = 0; i < count; i++)
        times[i] = base + (int64_t)(gsl_rng_uniform(random) * (double)range);
    gsl_rng_free(random);
}

static const struct {
    int64_t base, range;
} scales[] = {{0, 3}, {1, 1000}, {0, INT64_C(1) << 38}, {1000000, 2}, {INT64_C(1) << 36, 5}};

enum { SCALES = sizeof scales / sizeof scales[0], FORMS = 2 };

/* A tap with vector instructions, or one without. */
static struct interval_tap tap_of_form(int form)
{
    return (struct interval_tap){.portable = form % FORMS};
}

START_TEST(test_naive)
{
    static int64_t times[COUNT];
    draw(times, COUNT, scales[_i].base, scales[_i].range, 1);
    struct interval_tap tap = {0};
    for (size_t done = 0, part = 1; done < COUNT; done += part, part = part * 2 + 1) /* blocks of any size */
        interval_tap_times(&tap, times + done, part < COUNT - done ? part : COUNT - done);
    expect_naive(&tap.moments, times, COUNT);
}
END_TEST

START_TEST(test_clocks_are_times_between)
{
    static int64_t times[COUNT], clocks[COUNT + 1];
    draw(times, COUNT, scales[_i / FORMS].base, scales[_i / FORMS].range, 2);
    clocks[0] = 77;
    for (size_t i = 0; i < COUNT; i++)
        clocks[i + 1] = clocks[i] + times[i];
    struct interval_tap tap = tap_of_form(_i);
    interval_tap_clocks(&tap, clocks, 1);
    interval_tap_clocks(&tap, clocks + 1, 0);
    interval_tap_clocks(&tap, clocks + 1, 700);
    interval_tap_clocks(&tap, clocks + 701, COUNT - 700);
    expect_naive(&tap.moments, times, COUNT);
}
END_TEST

/* One server, elements in order: waits, idle times and delays of any length. */
START_TEST(test_services)
{
    static int64_t gaps[COUNT], works[COUNT], arrived[COUNT], left[COUNT], times[COUNT];
    const int64_t delay = 4;
    int64_t clock = 0, free = 0;
    draw(gaps, COUNT, scales[_i / FORMS].base, scales[_i / FORMS].range, 3);
    draw(works, COUNT, scales[_i / FORMS].base, scales[_i / FORMS].range, 4);
    for (size_t i = 0; i < COUNT; i++) {
        arrived[i] = clock += gaps[i];
        int64_t begin = clock + delay > free ? clock + delay : free;
        times[i] = works[i];
        left[i] = free = begin + works[i];
    }
    struct interval_tap tap = tap_of_form(_i);
    for (size_t done = 0, part = 1, left_over = COUNT; left_over > 0; part = part * 2 + 1) {
        part = part < left_over ? part : left_over;
        interval_tap_services(&tap, arrived + done, delay, left + done, part);
        done += part;
        left_over -= part;
    }
    expect_naive(&tap.moments, times, COUNT);
}
END_TEST

/* A long one on both sides of where 16 bits end. */
START_TEST(test_long_times_among_short_ones)
{
    enum { FEW = 600 };
    const int64_t longest = INT16_MAX - 1 + _i / FORMS;
    int64_t times[FEW], clocks[FEW + 1] = {0};
    for (int i = 0; i < FEW; i++) {
        times[i] = i == FEW / 2 ? longest : 0;
        clocks[i + 1] = clocks[i] + times[i];
    }
    struct interval_tap arrivals = tap_of_form(_i), services = arrivals;
    interval_tap_clocks(&arrivals, clocks, FEW + 1);
    interval_tap_services(&services, clocks, 0, clocks + 1, FEW);
    expect_naive(&arrivals.moments, times, FEW);
    expect_naive(&services.moments, times, FEW);
}
END_TEST

/* scv of a geometric time of parameter p is 1 - p; of times drawn independently lag1 is 0. */
START_TEST(test_geometric)
{
    enum { MANY = 400000 };
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    struct interval_tap tap = {0};
    for (int i = 0; i < MANY; i++)
        interval_tap_times(&tap, &(int64_t){gsl_ran_geometric(random, 0.02)}, 1);
    gsl_rng_free(random);
    ck_assert_double_eq_tol(interval_moments_scv(&tap.moments), 0.98, 0.02);
    ck_assert_double_eq_tol(interval_moments_lag1(&tap.moments), 0, 5 / sqrt(MANY));
}
END_TEST

/* 1, 3, 1, 3 ...: mean 2, variance 1, neighbours opposite. */
START_TEST(test_alternating)
{
    struct interval_tap tap = {0};
    for (int64_t i = 0; i < 1000; i++)
        interval_tap_times(&tap, &(int64_t){1 + 2 * (i & 1)}, 1);
    ck_assert_double_eq(interval_moments_scv(&tap.moments), 0.25);
    ck_assert_double_eq_tol(interval_moments_lag1(&tap.moments), -0.999, 1e-15);
}
END_TEST

START_TEST(test_beat)
{
    struct interval_tap tap = {0};
    for (int64_t i = 0; i < 1000; i++)
        interval_tap_times(&tap, &(int64_t){7}, 1);
    ck_assert_double_eq(interval_moments_scv(&tap.moments), 0);
    ck_assert(isnan(interval_moments_lag1(&tap.moments)));
}
END_TEST

START_TEST(test_nothing)
{
    struct interval_tap tap = {0};
    interval_tap_times(&tap, NULL, 0);
    interval_tap_clocks(&tap, NULL, 0);
    interval_tap_clocks(&tap, &(int64_t){5}, 1);
    ck_assert(isnan(interval_moments_mean(&tap.moments)));
    ck_assert(isnan(interval_moments_scv(&tap.moments)));
    ck_assert(isnan(interval_moments_lag1(&tap.moments)));
}
END_TEST

/* The last of one pass and the first of the next are no neighbours. */
START_TEST(test_passes)
{
    const int64_t first[] = {1, 2, 6}, second[] = {9, 2};
    struct interval_tap a = {0}, b = {0};
    interval_tap_times(&a, first, 3);
    interval_tap_times(&b, second, 2);
    struct interval_moments sum = a.moments, other = b.moments, none = {0};
    interval_moments_merge(&sum, &b.moments);
    interval_moments_merge(&sum, &none);
    interval_moments_merge(&other, &a.moments);
    ck_assert_double_eq(interval_moments_mean(&sum), 4);
    ck_assert_double_eq_tol(interval_moments_scv(&sum), 46 / 5.0 / 16, 1e-15);
    ck_assert_double_eq_tol(interval_moments_lag1(&sum), (6 - 4 - 10) / 46.0, 1e-15);
    ck_assert_double_eq(interval_moments_lag1(&sum), interval_moments_lag1(&other));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("interval_moments");
    TCase *tests = tcase_create("interval_moments");
    tcase_add_loop_test(tests, test_naive, 0, SCALES);
    tcase_add_loop_test(tests, test_clocks_are_times_between, 0, FORMS * SCALES);
    tcase_add_loop_test(tests, test_services, 0, FORMS * SCALES);
    tcase_add_loop_test(tests, test_long_times_among_short_ones, 0, FORMS * 4);
    tcase_add_test(tests, test_geometric);
    tcase_add_test(tests, test_alternating);
    tcase_add_test(tests, test_beat);
    tcase_add_test(tests, test_nothing);
    tcase_add_test(tests, test_passes);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
