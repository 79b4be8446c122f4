/* test_interval_moments.c - regularity of streams: against sums done naively, and streams whose answers are known. */
#include "traces/statistics/interval_moments.h"

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

enum { SCALES = sizeof scales / sizeof scales[0] };

/* Arrivals with these times between them. */
static void take(struct interval_tap *tap, const int64_t *times, size_t count)
{
    int64_t clock = tap->clock;
    interval_tap_add(tap, NULL, 0, &clock, tap->begun ? 0 : 1);
    for (size_t i = 0; i < count; i++) {
        clock += times[i];
        interval_tap_add(tap, NULL, 0, &clock, 1);
    }
}

START_TEST(test_naive)
{
    static int64_t times[COUNT];
    draw(times, COUNT, scales[_i].base, scales[_i].range, 1);
    struct interval_tap tap = {0};
    take(&tap, times, COUNT);
    expect_naive(&tap.moments, times, COUNT);
}
END_TEST

START_TEST(test_clocks_are_times_between)
{
    static int64_t times[COUNT], clocks[COUNT + 1];
    draw(times, COUNT, scales[_i].base, scales[_i].range, 2);
    clocks[0] = 77;
    for (size_t i = 0; i < COUNT; i++)
        clocks[i + 1] = clocks[i] + times[i];
    struct interval_tap tap = {0};
    interval_tap_add(&tap, NULL, 0, clocks, 1);
    interval_tap_add(&tap, NULL, 0, clocks + 1, 0);
    interval_tap_add(&tap, NULL, 0, clocks + 1, 700);
    interval_tap_add(&tap, NULL, 0, clocks + 701, COUNT - 700);
    expect_naive(&tap.moments, times, COUNT);
}
END_TEST

/* One server, elements in order: waits, idle times and delays of any length. */
START_TEST(test_services)
{
    static int64_t gaps[COUNT], works[COUNT], arrived[COUNT], left[COUNT], times[COUNT];
    const int64_t delay = 4;
    int64_t clock = 0, free = 0;
    draw(gaps, COUNT, scales[_i].base, scales[_i].range, 3);
    draw(works, COUNT, scales[_i].base, scales[_i].range, 4);
    for (size_t i = 0; i < COUNT; i++) {
        arrived[i] = clock += gaps[i];
        int64_t begin = clock + delay > free ? clock + delay : free;
        times[i] = works[i];
        left[i] = free = begin + works[i];
    }
    struct interval_tap tap = {0};
    for (size_t done = 0, part = 1, left_over = COUNT; left_over > 0; part = part * 2 + 1) {
        part = part < left_over ? part : left_over;
        interval_tap_add(&tap, arrived + done, delay, left + done, part);
        done += part;
        left_over -= part;
    }
    expect_naive(&tap.moments, times, COUNT);
}
END_TEST

/* ---- close together ---- */

static void expect_same(const struct interval_tap *a, const struct interval_tap *b)
{
    ck_assert_int_eq(a->clock, b->clock);
    ck_assert_mem_eq(&a->moments, &b->moments, sizeof a->moments);
}

/* Streams cut anywhere, each part long or short; clocks pass 2^16 often. */
START_TEST(test_short_is_the_same)
{
    static const int64_t ranges[] = {1, 2, 7, 30, 120};
    static int64_t arrived[COUNT], left[COUNT];
    static uint16_t short_arrived[COUNT], short_left[COUNT];
    const int64_t delay = _i % 6, range = ranges[_i % 5];
    struct interval_tap arrivals = {0}, services = {0}, short_arrivals = {0}, short_services = {0};
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, 5000 + (unsigned long)_i);
    for (size_t i = 0; i < COUNT; i++) {
        int64_t ready = (arrived[i] = (i ? arrived[i - 1] : 0) +
                                      (int64_t)gsl_rng_uniform_int(random, (unsigned long)range)) +
                        delay;
        int64_t begin = i && left[i - 1] > ready ? left[i - 1] : ready;
        left[i] = begin + (int64_t)gsl_rng_uniform_int(random, (unsigned long)range);
    }
    intervals_shorten(arrived, COUNT, short_arrived);
    intervals_shorten(left, COUNT, short_left);
    size_t shorts = 0;
    for (size_t done = 0, part; done < COUNT; done += part) {
        part = 1 + gsl_rng_uniform_int(random, 200);
        part = part < COUNT - done ? part : COUNT - done;
        const size_t last = done + part - 1;
        interval_tap_add(&arrivals, NULL, 0, arrived + done, part);
        interval_tap_add(&services, arrived + done, delay, left + done, part);
        if (short_arrivals.begun && arrived[last] - short_arrivals.clock <= INTERVALS_SHORT)
            interval_tap_add_short(&short_arrivals, NULL, 0, short_arrived + done, part, arrived[last]);
        else
            interval_tap_add(&short_arrivals, NULL, 0, arrived + done, part);
        if (left[last] - arrived[done] - delay <= INTERVALS_SHORT) {
            interval_tap_add_short(&short_services, short_arrived + done, delay, short_left + done, part,
                                   left[last]);
            shorts++;
        } else {
            interval_tap_add(&short_services, arrived + done, delay, left + done, part);
        }
        expect_same(&arrivals, &short_arrivals);
        expect_same(&services, &short_services);
    }
    ck_assert_uint_gt(shorts, 0);
    gsl_rng_free(random);
}
END_TEST

/* One time that is all that 16 bits hold, the others none. */
START_TEST(test_longest_short_one)
{
    enum { FEW = 600 };
    int64_t times[FEW], clocks[FEW + 1] = {0};
    uint16_t shorts[FEW + 1];
    for (int i = 0; i < FEW; i++) {
        times[i] = i == _i ? INTERVALS_SHORT : 0;
        clocks[i + 1] = clocks[i] + times[i];
    }
    intervals_shorten(clocks, FEW + 1, shorts);
    struct interval_tap arrivals = {0}, services = {0};
    interval_tap_add(&arrivals, NULL, 0, clocks, 1);
    interval_tap_add_short(&arrivals, NULL, 0, shorts + 1, FEW, clocks[FEW]);
    interval_tap_add_short(&services, shorts, 0, shorts + 1, FEW, clocks[FEW]);
    expect_naive(&arrivals.moments, times, FEW);
    expect_naive(&services.moments, times, FEW);
}
END_TEST

/* An element that leaves long after the one before it, which is no wait of its own. */
START_TEST(test_short_service_after_a_long_pause)
{
    const int64_t arrived[] = {5, 10000000, 10000001}, left[] = {6, 10000003, 10000004};
    struct interval_tap tap = {0}, short_tap = {0};
    uint16_t short_arrived[3], short_left[3];
    intervals_shorten(arrived, 3, short_arrived);
    intervals_shorten(left, 3, short_left);
    interval_tap_add(&tap, arrived, 0, left, 3);
    interval_tap_add_short(&short_tap, short_arrived, 0, short_left, 1, left[0]);
    interval_tap_add_short(&short_tap, short_arrived + 1, 0, short_left + 1, 2, left[2]);
    expect_same(&tap, &short_tap);
    ck_assert(tap.moments.sum == 1 + 3 + 1);
}
END_TEST

/* scv of a geometric time of parameter p is 1 - p; of times drawn independently lag1 is 0. */
START_TEST(test_geometric)
{
    enum { MANY = 400000 };
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    struct interval_tap tap = {0};
    for (int i = 0; i < MANY; i++)
        take(&tap, &(int64_t){gsl_ran_geometric(random, 0.02)}, 1);
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
        take(&tap, &(int64_t){1 + 2 * (i & 1)}, 1);
    ck_assert_double_eq(interval_moments_scv(&tap.moments), 0.25);
    ck_assert_double_eq_tol(interval_moments_lag1(&tap.moments), -0.999, 1e-15);
}
END_TEST

START_TEST(test_beat)
{
    struct interval_tap tap = {0};
    for (int64_t i = 0; i < 1000; i++)
        take(&tap, &(int64_t){7}, 1);
    ck_assert_double_eq(interval_moments_scv(&tap.moments), 0);
    ck_assert(isnan(interval_moments_lag1(&tap.moments)));
}
END_TEST

START_TEST(test_nothing)
{
    struct interval_tap tap = {0};
    interval_tap_add(&tap, NULL, 0, NULL, 0);
    interval_tap_add(&tap, NULL, 0, &(int64_t){5}, 1);
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
    take(&a, first, 3);
    take(&b, second, 2);
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
    tcase_add_loop_test(tests, test_clocks_are_times_between, 0, SCALES);
    tcase_add_loop_test(tests, test_services, 0, SCALES);
    tcase_add_loop_test(tests, test_short_is_the_same, 0, 30);
    tcase_add_loop_test(tests, test_longest_short_one, 0, 600);
    tcase_add_test(tests, test_short_service_after_a_long_pause);
    tcase_add_test(tests, test_geometric);
    tcase_add_test(tests, test_alternating);
    tcase_add_test(tests, test_beat);
    tcase_add_test(tests, test_nothing);
    tcase_add_test(tests, test_passes);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
