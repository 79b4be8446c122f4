/* test_clocks.c - clocks that run apart: what is estimated from stamps, against the truth the test knows. */
#include "traces/clocks.h"
#include "tests/run_suite.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>

enum { PAIRS = 2000 };

static struct stamp_pair pairs[PAIRS];
static gsl_rng *rng;

static void set_up(void)
{
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 3);
}

static void tear_down(void)
{
    gsl_rng_free(rng);
}

/* A simulated exchange: messages over `length_s`, each `least` and an exponential rest under way. */
struct exchange {
    struct local_clock fpga, host;
    double length_s, to_least_s, to_mean_s, from_least_s, from_mean_s;
    size_t count;
};

static double delay_s(double least_s, double mean_s)
{
    return least_s + (mean_s > 0 ? gsl_ran_exponential(rng, mean_s) : 0);
}

static void exchange_stamps(const struct exchange *e)
{
    for (size_t i = 0; i < e->count; i++) {
        double sent_s = e->length_s * gsl_rng_uniform(rng);
        bool to = i % 2 == 0;
        double received_s =
            sent_s + (to ? delay_s(e->to_least_s, e->to_mean_s) : delay_s(e->from_least_s, e->from_mean_s));
        pairs[i] = (struct stamp_pair){
            .clock_s = local_clock_stamp_s(&e->fpga, to ? received_s : sent_s),
            .reference_s = local_clock_stamp_s(&e->host, to ? sent_s : received_s),
            .direction = to ? STAMP_TO_CLOCK : STAMP_FROM_CLOCK,
        };
    }
}

/* The FPGA 30 us a second too fast and 12 s ahead, stamps of one 133 MHz clock; the host stamps nanoseconds. */
static const struct exchange real = {
    .fpga = {30e-6, 12, 1 / 133e6},
    .host = {-4e-6, 1000, 1e-9},
    .length_s = 2,
    .to_least_s = 2e-6,
    .to_mean_s = 5e-6,
    .from_least_s = 1e-6,
    .from_mean_s = 40e-6,
    .count = PAIRS,
};

static struct stamp_exchange known_of(const struct exchange *e, bool delays)
{
    return (struct stamp_exchange){
        .clock_resolution_s = e->fpga.resolution_s,
        .reference_resolution_s = e->host.resolution_s,
        .to_clock_least_s = delays ? e->to_least_s * (1 + e->host.rate_error) : 0,
        .from_clock_least_s = delays ? e->from_least_s * (1 + e->host.rate_error) : 0,
    };
}

/* Estimate the exchange from a copy of `pairs`. There are two maps at a time at most. */
static struct clock_map estimate(const struct exchange *e, bool delays)
{
    static struct stamp_pair copies[2][PAIRS];
    static unsigned next;
    struct stamp_pair *copy = copies[next++ % 2];
    struct stamp_exchange known = known_of(e, delays);
    struct clock_map map;
    exchange_stamps(e);
    memcpy(copy, pairs, sizeof pairs);
    ck_assert_int_eq(clock_map_estimate(&map, copy, e->count, &known), 0);
    return map;
}

/* --- clocks ---------------------------------------------------------------------------------------------- */

START_TEST(test_stamps)
{
    struct local_clock fine = {0.5, 10, 0}, coarse = {0.5, 10, 2};
    ck_assert_double_eq(local_clock_stamp_s(&fine, 4), 16);
    ck_assert_double_eq(local_clock_stamp_s(&fine, 5), 17.5);
    ck_assert_double_eq(local_clock_stamp_s(&coarse, 5), 16);
}
END_TEST

START_TEST(test_true_line_takes_stamps_to_the_reference)
{
    struct local_clock a = {30e-6, 12, 0}, b = {-4e-6, 1000, 0};
    struct clock_line line = local_clock_line(&a, &b);
    for (double t = 0; t < 3; t += 0.25)
        ck_assert_double_eq_tol(line.rate * local_clock_stamp_s(&a, t) + line.offset_s,
                                local_clock_stamp_s(&b, t), 1e-12);
}
END_TEST

/* --- estimates ------------------------------------------------------------------------------------------- */

/* Messages that take no time leave one line only. */
START_TEST(test_without_delay_the_map_is_the_truth)
{
    struct exchange e = {.fpga = {30e-6, 12, 0}, .host = {0, 0, 0}, .length_s = 2, .count = 100};
    struct clock_map map = estimate(&e, false);
    struct clock_line truth = local_clock_line(&e.fpga, &e.host), line = map.line;
    ck_assert_double_eq_tol(line.rate, truth.rate, 1e-12);
    ck_assert_double_eq_tol(line.offset_s, truth.offset_s, 1e-11);
}
END_TEST

/* Delays of 3 and 1 at both ends of 10 s, all alike: the offset is left 2 either way, and its middle is 1 off. */
START_TEST(test_asymmetric_delays_by_hand)
{
    struct stamp_pair four[] = {{3, 0, STAMP_TO_CLOCK},
                                {13, 10, STAMP_TO_CLOCK},
                                {0, 1, STAMP_FROM_CLOCK},
                                {10, 11, STAMP_FROM_CLOCK}};
    const struct stamp_exchange unknown = {0}, known = {.to_clock_least_s = 3, .from_clock_least_s = 1};
    struct clock_map map;
    double least, most;
    ck_assert_int_eq(clock_map_estimate(&map, four, 4, &unknown), 0);
    ck_assert_double_eq_tol(clock_map_virtual_s(&map, 6.5), 6.5 - 1, 1e-12);
    clock_map_bounds_s(&map, 6.5, &least, &most);
    ck_assert_double_le(least, 6.5 - 3 + 1e-12);
    ck_assert_double_ge(most, 6.5 + 1 - 1e-12);
    least = map.rate_least;
    most = map.rate_most;
    ck_assert_double_eq_tol(least, 9.0 / 13, 1e-12); /* from (0, 1) to (13, 10) */
    ck_assert_double_eq_tol(most, 11.0 / 7, 1e-12);  /* from (3, 0) to (10, 11) */
    ck_assert_int_eq(clock_map_estimate(&map, four, 4, &known), 0);
    ck_assert_double_eq_tol(clock_map_virtual_s(&map, 6.5), 6.5, 1e-12);
}
END_TEST

/* The true line satisfies every bound, so truth lies within the bounds at every time, whatever was drawn. */
START_TEST(test_truth_lies_within_the_bounds)
{
    struct exchange e = real;
    gsl_rng_set(rng, (unsigned long)_i + 1);
    e.fpga.rate_error = (gsl_rng_uniform(rng) - 0.5) * 1e-3;
    e.fpga.offset_s = (gsl_rng_uniform(rng) - 0.5) * 100;
    e.count = 20 + 2 * (size_t)gsl_rng_uniform_int(rng, 200);
    struct clock_map map = estimate(&e, _i % 2);
    struct clock_line truth = local_clock_line(&e.fpga, &e.host), line = map.line;
    double least, most;
    least = map.rate_least;
    most = map.rate_most;
    ck_assert(least <= truth.rate * (1 + 1e-12) && truth.rate <= most * (1 + 1e-12));
    ck_assert(least <= line.rate && line.rate <= most);
    for (double t = -1; t <= 3; t += 0.1) {
        double stamp = (1 + e.fpga.rate_error) * t + e.fpga.offset_s,
               virtual = truth.rate * stamp + truth.offset_s;
        clock_map_bounds_s(&map, stamp, &least, &most);
        ck_assert_double_le(least, virtual + 1e-12 * fabs(virtual));
        ck_assert_double_ge(most, virtual - 1e-12 * fabs(virtual));
        ck_assert_double_le(least, clock_map_virtual_s(&map, stamp) + 1e-12 * fabs(virtual));
        ck_assert_double_ge(most, clock_map_virtual_s(&map, stamp) - 1e-12 * fabs(virtual));
    }
}
END_TEST

/* Bounds of virtual time against trying 10,000 slopes and their greatest and least offsets. */
START_TEST(test_bounds_are_those_of_all_lines)
{
    struct exchange e = real;
    e.count = 60;
    struct clock_map map = estimate(&e, false);
    double rate_least, rate_most, x = 13.2, least, most, tried_least = INFINITY, tried_most = -INFINITY;
    rate_least = map.rate_least;
    rate_most = map.rate_most;
    for (int k = 0; k <= 10000; k++) {
        double rate = rate_least + (rate_most - rate_least) * k / 10000, low = -INFINITY, high = INFINITY;
        for (size_t i = 0; i < e.count; i++) {
            bool to = pairs[i].direction == STAMP_TO_CLOCK;
            double tick = to ? e.fpga.resolution_s : 0;
            double at =
                pairs[i].reference_s + (to ? 0 : e.host.resolution_s) + rate * (x - pairs[i].clock_s - tick);
            low = to ? fmax(low, at) : low;
            high = to ? high : fmin(high, at);
        }
        tried_least = fmin(tried_least, low);
        tried_most = fmax(tried_most, high);
    }
    clock_map_bounds_s(&map, x, &least, &most);
    ck_assert_double_le(least, tried_least + 1e-12);
    ck_assert_double_ge(most, tried_most - 1e-12);
    ck_assert_double_eq_tol(least, tried_least, 1e-3 * (most - least));
    ck_assert_double_eq_tol(most, tried_most, 1e-3 * (most - least));
}
END_TEST

/* Two thousand messages: the rate to a millionth, virtual time to the least delays' difference at worst. */
START_TEST(test_many_stamps_give_a_close_map)
{
    struct clock_map unknown = estimate(&real, false), known = estimate(&real, true);
    struct clock_line truth = local_clock_line(&real.fpga, &real.host);
    double stamp = local_clock_stamp_s(&real.fpga, 1), virtual = truth.rate * stamp + truth.offset_s;
    ck_assert_double_eq_tol(unknown.line.rate, truth.rate, 1e-6);
    ck_assert_double_eq_tol(clock_map_virtual_s(&unknown, stamp), virtual, 2e-6);
    ck_assert_double_eq_tol(clock_map_virtual_s(&known, stamp), virtual, 1e-7);
}
END_TEST

/* The worst error between two stamps is what trying many in between finds, and never beyond its bound. */
START_TEST(test_errors_are_told_beside_the_truth)
{
    struct clock_map map = estimate(&real, false);
    struct clock_line truth = local_clock_line(&real.fpga, &real.host), wrong = truth;
    struct clock_error error = clock_map_error(&map, truth, 12, 14);
    double worst = 0;
    for (double x = 12; x <= 14; x += 0.01)
        worst = fmax(worst, fabs(clock_map_virtual_s(&map, x) - truth.rate * x - truth.offset_s));
    ck_assert_double_eq_tol(error.worst_s, worst, 1e-3 * worst);
    ck_assert_double_le(error.worst_s, error.bound_s);
    ck_assert_double_eq(error.rate, map.line.rate - truth.rate);
    ck_assert(error.within);
    wrong.offset_s += 1e-3;
    ck_assert(!clock_map_error(&map, wrong, 12, 14).within);
}
END_TEST

/* Corners of the hulls say all that the stamps say: the slopes are those that all pairs of stamps allow. */
START_TEST(test_thinned_stamps_give_the_same_map)
{
    struct stamp_exchange known = known_of(&real, false);
    struct clock_map map = estimate(&real, false);
    double least = 0, most = INFINITY;
    for (size_t i = 0; i < PAIRS; i++)
        for (size_t j = 0; j < PAIRS; j++) {
            if (pairs[i].direction != STAMP_TO_CLOCK || pairs[j].direction == STAMP_TO_CLOCK)
                continue;
            double dx = pairs[i].clock_s + known.clock_resolution_s - pairs[j].clock_s,
                   dy = pairs[i].reference_s - pairs[j].reference_s - known.reference_resolution_s;
            least = dx > 0 ? fmax(least, dy / dx) : least;
            most = dx < 0 ? fmin(most, dy / dx) : most;
        }
    ck_assert_double_eq_tol(map.rate_least, least, 1e-12);
    ck_assert_double_eq_tol(map.rate_most, most, 1e-12);
    size_t left = stamp_pairs_thin(pairs, PAIRS);
    ck_assert_uint_lt(left, PAIRS / 20);
    ck_assert_uint_eq(left, map.count);
    ck_assert_uint_eq(stamp_pairs_thin(pairs, left), left);
    ck_assert_uint_eq(stamp_pairs_thin(pairs, 0), 0);
}
END_TEST

/* --- refusals -------------------------------------------------------------------------------------------- */

START_TEST(test_too_few_stamps)
{
    const struct stamp_exchange nothing = {0};
    struct stamp_pair to[] = {{1, 0, STAMP_TO_CLOCK}, {2, 1, STAMP_TO_CLOCK}};
    struct stamp_pair once[] = {{1, 0, STAMP_TO_CLOCK}, {1.5, 2, STAMP_FROM_CLOCK}};
    struct clock_map map;
    ck_assert_int_eq(clock_map_estimate(&map, to, 2, &nothing), CLOCKS_EFEW);
    ck_assert_int_eq(clock_map_estimate(&map, once, 2, &nothing), CLOCKS_EFEW);
    ck_assert_int_eq(clock_map_estimate(&map, NULL, 0, &nothing), CLOCKS_EFEW);
}
END_TEST

/* A clock that was set in the middle, or a least delay that is none, fits no line. */
START_TEST(test_stamps_that_fit_no_line)
{
    struct stamp_exchange known = known_of(&real, false);
    struct clock_map map;
    exchange_stamps(&real);
    for (size_t i = 0; i < PAIRS; i++)
        if (pairs[i].clock_s > 13)
            pairs[i].clock_s += 0.5;
    ck_assert_int_eq(clock_map_estimate(&map, pairs, PAIRS, &known), CLOCKS_EINCONSISTENT);
    exchange_stamps(&real);
    known.to_clock_least_s = known.from_clock_least_s = 1e-3;
    ck_assert_int_eq(clock_map_estimate(&map, pairs, PAIRS, &known), CLOCKS_EINCONSISTENT);
}
END_TEST

static Suite *clocks_suite(void)
{
    Suite *suite = suite_create("clocks");
    TCase *core = tcase_create("core"), *errors = tcase_create("errors");
    tcase_add_checked_fixture(core, set_up, tear_down);
    tcase_add_checked_fixture(errors, set_up, tear_down);
    tcase_add_test(core, test_stamps);
    tcase_add_test(core, test_true_line_takes_stamps_to_the_reference);
    tcase_add_test(core, test_without_delay_the_map_is_the_truth);
    tcase_add_test(core, test_asymmetric_delays_by_hand);
    tcase_add_loop_test(core, test_truth_lies_within_the_bounds, 0, 200);
    tcase_add_test(core, test_bounds_are_those_of_all_lines);
    tcase_add_test(core, test_many_stamps_give_a_close_map);
    tcase_add_test(core, test_errors_are_told_beside_the_truth);
    tcase_add_loop_test(core, test_thinned_stamps_give_the_same_map, 0, 20);
    tcase_add_test(errors, test_too_few_stamps);
    tcase_add_test(errors, test_stamps_that_fit_no_line);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, errors);
    return suite;
}

int main(void)
{
    return run_suite(clocks_suite());
}
