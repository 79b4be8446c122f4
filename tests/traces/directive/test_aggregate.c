/* test_aggregate.c - moments, histograms and quantiles against sorting and summing everything.
 *
 * The reference keeps every value, in long double where it has to round.
 */
#include "traces/directive/aggregate.h"
#include "tests/run_suite.h"
#include "tests/traces/directive/consistent.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { VALUES = 20000 };

struct weighted {
    uint64_t value, weight;
};

static struct weighted *values;
static gsl_rng *rng;

static void set_up(void)
{
    values = malloc(VALUES * sizeof *values);
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 7);
}

static void tear_down(void)
{
    free(values);
    gsl_rng_free(rng);
}

/* --- streams of values ----------------------------------------------------------------------------------- */

static uint64_t up_to(uint64_t most)
{
    return (uint64_t)(gsl_rng_uniform(rng) * (double)(most + 1));
}

static void make_occupancies(void)
{
    for (size_t i = 0; i < VALUES; i++)
        values[i] = (struct weighted){up_to(130), up_to(40)};
}

/* A tail over many powers of two. */
static void make_latencies(void)
{
    for (size_t i = 0; i < VALUES; i++)
        values[i] = (struct weighted){(uint64_t)gsl_ran_pareto(rng, 0.5, 20), 1};
}

static void make_one_value(void)
{
    for (size_t i = 0; i < VALUES; i++)
        values[i] = (struct weighted){479, up_to(3)};
}

/* A mean of 10^12 beside a deviation of about 1: the plain formula has no digit left. */
static void make_far_off(void)
{
    for (size_t i = 0; i < VALUES; i++)
        values[i] = (struct weighted){UINT64_C(1000000000000) + up_to(3), 1 + up_to(1)};
}

static void make_zeros(void)
{
    for (size_t i = 0; i < VALUES; i++)
        values[i] = (struct weighted){0, 1};
}

static void (*const makers[])(void) = {make_occupancies, make_latencies, make_one_value, make_far_off,
                                       make_zeros};
enum { MAKERS = sizeof makers / sizeof makers[0] };

/* --- the reference --------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    uint64_t left = ((const struct weighted *)a)->value, right = ((const struct weighted *)b)->value;
    return (left > right) - (left < right);
}

static uint64_t reference_weight(void)
{
    uint64_t weight = 0;
    for (size_t i = 0; i < VALUES; i++)
        weight += values[i].weight;
    return weight;
}

static long double reference_mean(void)
{
    long double sum = 0;
    for (size_t i = 0; i < VALUES; i++)
        sum += (long double)values[i].value * values[i].weight;
    return sum / reference_weight();
}

/* Two passes. */
static long double reference_variance(void)
{
    long double mean = reference_mean(), sum = 0;
    for (size_t i = 0; i < VALUES; i++)
        sum += (values[i].value - mean) * (values[i].value - mean) * values[i].weight;
    return sum / reference_weight();
}

static void sort_values(void)
{
    qsort(values, VALUES, sizeof *values, compare);
}

/* The quantile of sorted values. */
static uint64_t reference_quantile(double q)
{
    uint64_t below = 0, weight = reference_weight();
    for (size_t i = 0; i < VALUES; i++) {
        below += values[i].weight;
        if (below > 0 && (double)below >= q * (double)weight)
            return values[i].value;
    }
    return values[VALUES - 1].value;
}

/* --- moments --------------------------------------------------------------------------------------------- */

static struct moments moments_of(size_t begin, size_t end)
{
    struct moments m = {0};
    for (size_t i = begin; i < end; i++)
        moments_add(&m, values[i].value, values[i].weight);
    return m;
}

START_TEST(test_moments_against_two_passes)
{
    makers[_i]();
    struct moments m = moments_of(0, VALUES);
    long double mean = reference_mean(), variance = reference_variance();
    ck_assert_uint_eq(m.weight, reference_weight());
    ck_assert_double_eq_tol(moments_mean(&m), (double)mean, 2e-16 * (double)mean + 1e-300);
    ck_assert_double_eq_tol(moments_variance(&m), (double)variance, 1e-9 * (double)variance + 1e-300);
    ck_assert_double_eq_tol(moments_deviation(&m), (double)sqrtl(variance),
                            1e-9 * (double)sqrtl(variance) + 1e-300);
}
END_TEST

/* 1, 2, 3, 4 with weights 4, 3, 2, 1: mean 2, variance (4 + 0 + 2 + 4) / 10. */
START_TEST(test_moments_by_hand)
{
    struct moments m = {0};
    for (uint64_t v = 1; v <= 4; v++)
        moments_add(&m, v, 5 - v);
    moments_add(&m, 99, 0);
    ck_assert_double_eq(moments_mean(&m), 2);
    ck_assert_double_eq(moments_variance(&m), 1);
    ck_assert_uint_eq(m.least, 1);
    ck_assert_uint_eq(m.most, 4);
}
END_TEST

START_TEST(test_nothing_has_no_mean)
{
    struct moments m = {0};
    ck_assert_double_nan(moments_mean(&m));
    ck_assert_double_nan(moments_variance(&m));
}
END_TEST

/* The range that moments.h promises: 2^40 for 2^47 clocks, and once 0. */
START_TEST(test_moments_at_the_end_of_their_range)
{
    struct moments m = {0};
    uint64_t big = UINT64_C(1) << 40, weight = UINT64_C(1) << 46;
    moments_add(&m, big, weight);
    moments_add(&m, 0, weight);
    ck_assert_double_eq(moments_mean(&m), (double)(big / 2));
    ck_assert_double_eq(moments_deviation(&m), (double)(big / 2));
}
END_TEST

/* As many values of 2^53 as fit, and twice as many: 2^20 x 2^106 = 2^126. */
START_TEST(test_squares_that_do_not_fit_leave_no_deviation)
{
    struct moments m = {0}, twice;
    uint64_t big = UINT64_C(1) << 53;
    for (int i = 0; i < 1 << 10; i++)
        moments_add(&m, big, 1 << 10);
    ck_assert_double_eq(moments_deviation(&m), 0);
    twice = m;
    moments_merge(&twice, &m);
    ck_assert_double_nan(moments_deviation(&twice));
    for (int i = 0; i < 1 << 12; i++)
        moments_add(&m, big, 1 << 10);
    moments_merge(&m, &twice);
    ck_assert_double_nan(moments_deviation(&m));
    ck_assert_double_eq(moments_mean(&m), (double)big);
}
END_TEST

/* One 0 among 10^12 ones: the variance is 10^-12 (1 - 10^-12), though mean and mean square differ in the last
 * digits. */
START_TEST(test_variance_of_a_rare_value)
{
    struct moments m = {0};
    moments_add(&m, 0, 1);
    moments_add(&m, 1, UINT64_C(999999999999));
    ck_assert_double_eq_tol(moments_variance(&m), 1e-12 * (1 - 1e-12), 1e-27);
}
END_TEST

START_TEST(test_merged_moments_are_the_same_bits_in_any_order)
{
    makers[_i]();
    struct moments whole = moments_of(0, VALUES), sum = {0}, none = {0};
    for (size_t cut = 0; cut < VALUES; cut += 777) {
        size_t end = cut + 777 < VALUES ? cut + 777 : VALUES;
        struct moments part = moments_of(VALUES - end, VALUES - cut);
        moments_merge(&sum, &part);
        moments_merge(&sum, &none);
    }
    ck_assert(sum.sum == whole.sum && sum.squares == whole.squares);
    ck_assert_uint_eq(sum.weight, whole.weight);
    ck_assert_uint_eq(sum.least, whole.least);
    ck_assert_uint_eq(sum.most, whole.most);
}
END_TEST

/* --- histograms ------------------------------------------------------------------------------------------ */

static const struct {
    uint64_t low, width;
    size_t bins;
} shapes[] = {{0, 1, 512}, {0, 1, 7}, {10, 5, 24}, {100, 1000, 3}, {1000, 7, 1}};

START_TEST(test_histograms_bin_by_bin)
{
    makers[_i % MAKERS]();
    struct histogram *h =
        histogram_new(shapes[_i / MAKERS].low, shapes[_i / MAKERS].width, shapes[_i / MAKERS].bins);
    for (size_t i = 0; i < VALUES; i++)
        histogram_add(h, values[i].value, values[i].weight);
    uint64_t under = 0, over = 0;
    for (size_t i = 0; i < VALUES; i++) {
        under += values[i].value < h->low ? values[i].weight : 0;
        over += values[i].value >= h->low + h->width * h->bins ? values[i].weight : 0;
    }
    ck_assert_uint_eq(h->under, under);
    ck_assert_uint_eq(h->over, over);
    for (size_t bin = 0; bin < h->bins; bin++) {
        uint64_t low = h->low + bin * h->width, weight = 0;
        for (size_t i = 0; i < VALUES; i++)
            weight += values[i].value >= low && values[i].value < low + h->width ? values[i].weight : 0;
        ck_assert_uint_eq(h->weights[bin], weight);
    }
    ck_assert_uint_eq(histogram_weight(h), reference_weight());
    free(h);
}
END_TEST

START_TEST(test_edges_of_bins)
{
    struct histogram *h = histogram_new(10, 5, 2);
    for (uint64_t v = 9; v <= 20; v++)
        histogram_add(h, v, 1);
    ck_assert_uint_eq(h->under, 1);
    ck_assert_uint_eq(h->weights[0], 5);
    ck_assert_uint_eq(h->weights[1], 5);
    ck_assert_uint_eq(h->over, 1);
    histogram_add(h, UINT64_MAX, 1);
    ck_assert_uint_eq(h->over, 2);
    free(h);
}
END_TEST

START_TEST(test_widths_hold_all_places)
{
    for (uint64_t places = 1; places < 3000; places++)
        for (size_t bins = 1; bins < 600; bins = bins * 3 / 2 + 1) {
            uint64_t width = histogram_width(places, bins);
            ck_assert_uint_gt(width * bins, places);
            ck_assert(width == 1 || (width - 1) * bins <= places);
        }
    ck_assert_uint_eq(histogram_width(0, 512), 1);
}
END_TEST

/* --- quantiles ------------------------------------------------------------------------------------------- */

static const double errors[] = {0.25, 0.1, 0.01, 0.001, 0.0001};
enum { ERRORS = sizeof errors / sizeof errors[0] };

static struct quantile_sketch *sketch_of(unsigned bits, size_t begin, size_t end)
{
    struct quantile_sketch *s = quantile_new(bits);
    for (size_t i = begin; i < end; i++)
        quantile_add(s, values[i].value, values[i].weight);
    return s;
}

START_TEST(test_quantiles_keep_their_bound)
{
    makers[_i / ERRORS]();
    sort_values();
    double error = errors[_i % ERRORS];
    struct quantile_sketch *s = sketch_of(quantile_bits(error), 0, VALUES);
    ck_assert_double_le(quantile_bound(s), error);
    for (unsigned i = 0; i <= 200; i++) {
        double q = i / 200.0, truth = (double)reference_quantile(q);
        ck_assert_double_eq_tol(quantile_of(s, q), truth, quantile_bound(s) * truth + 1e-300);
    }
    free(s);
}
END_TEST

/* With 7 bits, every value below 256 has a bucket of its own. */
START_TEST(test_quantiles_of_small_values_are_exact)
{
    make_occupancies();
    sort_values();
    struct quantile_sketch *s = sketch_of(7, 0, VALUES);
    for (unsigned i = 0; i <= 200; i++)
        ck_assert_double_eq(quantile_of(s, i / 200.0), (double)reference_quantile(i / 200.0));
    free(s);
}
END_TEST

/* Buckets follow each other without a gap, and every value's is within the sketch. */
START_TEST(test_buckets_are_monotone)
{
    for (unsigned bits = 0; bits <= 13; bits++) {
        size_t last = 0;
        for (uint64_t value = 0; value < 100000; value++) {
            size_t bucket = quantile_bucket(bits, value);
            ck_assert(bucket == last || bucket == last + 1);
            last = bucket;
        }
        ck_assert_uint_eq(quantile_bucket(bits, UINT64_MAX), quantile_buckets(bits) - 1);
    }
}
END_TEST

START_TEST(test_an_empty_sketch_has_no_quantile)
{
    struct quantile_sketch *s = quantile_new(3);
    ck_assert_double_nan(quantile_of(s, 0.5));
    quantile_add(s, 5, 1);
    ck_assert_double_eq(quantile_of(s, 0), 5);
    ck_assert_double_eq(quantile_of(s, 1), 5);
    quantile_clear(s);
    ck_assert_double_nan(quantile_of(s, 0.5));
    quantile_add(s, 7, 1); /* in a bucket above that of 5, which is empty again */
    ck_assert_double_eq(quantile_of(s, 0), 7);
    free(s);
}
END_TEST

/* --- all together ---------------------------------------------------------------------------------------- */

static const struct directive everything = {.aggregates = AGGREGATE_ALL,
                                            .bins = {.count = 512},
                                            .quantile_count = 1,
                                            .quantiles = {0.5},
                                            .quantile_error = 0.01};

static void take_in(struct aggregate *a, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        aggregate_add(a, values[i].value, values[i].weight);
}

START_TEST(test_frames_merged_are_the_run)
{
    makers[_i]();
    struct aggregate_plan plan = aggregate_plan_of(&everything, 130);
    struct aggregate whole, frame, sum;
    aggregate_init(&whole, &plan);
    aggregate_init(&frame, &plan);
    aggregate_init(&sum, &plan);
    take_in(&whole, 0, VALUES);
    for (size_t begin = 0; begin < VALUES; begin += 1000) {
        aggregate_clear(&frame);
        take_in(&frame, begin, begin + 1000);
        ck_assert(aggregate_is_consistent(&frame));
        aggregate_merge(&sum, &frame);
    }
    ck_assert(aggregate_is_consistent(&sum));
    ck_assert_double_eq(moments_deviation(&sum.moments), moments_deviation(&whole.moments));
    ck_assert_mem_eq(sum.histogram->weights, whole.histogram->weights, 512 * sizeof(uint64_t));
    ck_assert_uint_eq(sum.histogram->over, whole.histogram->over);
    for (unsigned i = 0; i <= 10; i++)
        ck_assert_double_eq(aggregate_quantile(&sum, i / 10.0), aggregate_quantile(&whole, i / 10.0));
    aggregate_destroy(&whole);
    aggregate_destroy(&frame);
    aggregate_destroy(&sum);
}
END_TEST

START_TEST(test_quantiles_stay_within_what_was_seen)
{
    struct aggregate_plan plan = aggregate_plan_of(&everything, 0);
    struct aggregate a;
    aggregate_init(&a, &plan);
    ck_assert_double_nan(aggregate_quantile(&a, 0.5));
    aggregate_add(&a, 1000001, 1);
    ck_assert_double_eq(aggregate_quantile(&a, 0.5), 1000001);
    aggregate_destroy(&a);
}
END_TEST

START_TEST(test_only_what_is_asked_for_is_kept)
{
    struct directive mean = {.aggregates = AGGREGATE_MEAN};
    struct aggregate_plan plan = aggregate_plan_of(&mean, 500);
    struct aggregate a;
    aggregate_init(&a, &plan);
    ck_assert_ptr_null(a.histogram);
    ck_assert_ptr_null(a.quantile);
    aggregate_destroy(&a);
}
END_TEST

/* A lost weight is found: the check is no formality. */
START_TEST(test_an_inconsistency_is_found)
{
    struct aggregate_plan plan = aggregate_plan_of(&everything, 130);
    struct aggregate a;
    aggregate_init(&a, &plan);
    aggregate_add(&a, 5, 10);
    ck_assert(aggregate_is_consistent(&a));
    a.histogram->weights[5]--;
    ck_assert(!aggregate_is_consistent(&a));
    a.histogram->weights[5]++;
    a.quantile->weight++;
    ck_assert(!aggregate_is_consistent(&a));
    aggregate_destroy(&a);
}
END_TEST

static Suite *aggregate_suite(void)
{
    Suite *suite = suite_create("aggregate");
    TCase *core = tcase_create("core");
    tcase_add_checked_fixture(core, set_up, tear_down);
    tcase_add_loop_test(core, test_moments_against_two_passes, 0, MAKERS);
    tcase_add_test(core, test_moments_by_hand);
    tcase_add_test(core, test_nothing_has_no_mean);
    tcase_add_test(core, test_moments_at_the_end_of_their_range);
    tcase_add_test(core, test_squares_that_do_not_fit_leave_no_deviation);
    tcase_add_test(core, test_variance_of_a_rare_value);
    tcase_add_loop_test(core, test_merged_moments_are_the_same_bits_in_any_order, 0, MAKERS);
    tcase_add_loop_test(core, test_histograms_bin_by_bin, 0, MAKERS * 5);
    tcase_add_test(core, test_edges_of_bins);
    tcase_add_test(core, test_widths_hold_all_places);
    tcase_add_loop_test(core, test_quantiles_keep_their_bound, 0, MAKERS * ERRORS);
    tcase_add_test(core, test_quantiles_of_small_values_are_exact);
    tcase_add_test(core, test_buckets_are_monotone);
    tcase_add_test(core, test_an_empty_sketch_has_no_quantile);
    tcase_add_loop_test(core, test_frames_merged_are_the_run, 0, MAKERS);
    tcase_add_test(core, test_quantiles_stay_within_what_was_seen);
    tcase_add_test(core, test_only_what_is_asked_for_is_kept);
    tcase_add_test(core, test_an_inconsistency_is_found);
    tcase_set_timeout(core, 60);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(aggregate_suite());
}
