/* test_batches.c - a run cut into batches as it goes on: how many there are, that they add up, that intervals over them
 * hold what they promise. */
#include "traces/statistics/batch_means.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "tests/run_suite.h"

/* Reading i brings i to the first sum and 1 to the second; 7 and 0 come behind the last. */
static struct batches cut(uint64_t readings)
{
    struct batches batches = {0};
    uint64_t sums[BATCH_SUMS_MAX] = {0};
    for (uint64_t i = 1; i <= readings; i++) {
        sums[0] += i;
        sums[1]++;
        batches_read(&batches, sums);
    }
    sums[0] += 7;
    batches_close(&batches, sums);
    return batches;
}

START_TEST(test_the_number_of_batches)
{
    for (uint64_t readings = 0; readings < 1000; readings++) {
        size_t count = cut(readings).count;
        ck_assert_uint_le(count, BATCHES_MAX);
        ck_assert_uint_ge(count, readings < BATCHES_MAX / 2 ? (readings ? readings : 1) : BATCHES_MAX / 2);
    }
    ck_assert_uint_eq(cut(38).count, 19);
    ck_assert_uint_eq(cut(88).count, 22);
}
END_TEST

START_TEST(test_batches_add_up)
{
    for (uint64_t readings = 0; readings < 1000; readings++) {
        struct batches batches = cut(readings);
        uint64_t first = 0, second = 0;
        for (size_t i = 0; i < batches.count; i++) {
            first += batches_growth(&batches, i, 0);
            second += batches_growth(&batches, i, 1);
        }
        ck_assert_uint_eq(first, readings * (readings + 1) / 2 + 7);
        ck_assert_uint_eq(second, readings);
    }
}
END_TEST

/* All of equal length but the last, which has from half of it to half as much again. */
START_TEST(test_batches_are_equal)
{
    for (uint64_t readings = 1; readings < 1000; readings++) {
        struct batches batches = cut(readings);
        uint64_t length = batches_length(&batches), last = batches_growth(&batches, batches.count - 1, 1);
        for (size_t i = 0; i + 1 < batches.count; i++)
            ck_assert_uint_eq(batches_growth(&batches, i, 1), length);
        ck_assert_uint_ge(2 * last, length);
        ck_assert_uint_lt(2 * last, 3 * length);
    }
}
END_TEST

/* --- coverage -------------------------------------------------------------------------------------------- */

enum { PASSES = 3 };

/* How often the promise of an interval is tried. */
static int runs(void)
{
    return tests_some(4000);
}

static const double ONE = 1e6; /* sums are whole */

/* A stationary stream of mean `mean`: lag-1 correlation `alike`, readings of varying length. */
static struct batch_stratum pass_of(gsl_rng *rng, double mean, double alike, unsigned readings)
{
    struct batches batches = {0};
    uint64_t sums[BATCH_SUMS_MAX] = {0};
    double value = gsl_ran_gaussian(rng, 0.05 / sqrt(1 - alike * alike));
    for (unsigned i = 0; i < readings; i++) {
        double length = 1 + gsl_rng_uniform(rng);
        value = alike * value + gsl_ran_gaussian(rng, 0.05);
        sums[0] += (uint64_t)(ONE * length * (mean + value));
        sums[1] += (uint64_t)(ONE * length);
        batches_read(&batches, sums);
    }
    batches_close(&batches, sums);
    struct batch_term terms[BATCHES_MAX];
    double whole = 0;
    for (size_t i = 0; i < batches.count; i++) {
        terms[i] = (struct batch_term){(double)batches_growth(&batches, i, 0),
                                       (double)batches_growth(&batches, i, 1)};
        whole += terms[i].whole;
    }
    return (struct batch_stratum){batch_means(terms, batches.count), batches.count, whole};
}

static void check_coverage(double covered, double promised, double tolerance)
{
    double chance = 4 * sqrt(promised * (1 - promised) / runs());
    ck_assert_msg(fabs(covered / runs() - promised) < chance + tolerance, "%g", covered / runs());
}

/* Independent readings: 95%, but for the ratio's own bias. 30 to 230 of them, 15 to 29 batches. */
START_TEST(test_a_pass_keeps_its_promise)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, 11);
    double covered = 0;
    for (int run = 0; run < runs(); run++) {
        struct batch_stratum pass = pass_of(rng, 1, 0, 30 + (unsigned)run % 200);
        covered += fabs(pass.estimate.mean - 1) <= pass.estimate.half_width;
    }
    gsl_rng_free(rng);
    check_coverage(covered, 0.95, 0.005);
}
END_TEST

/* Passes of different means and lengths: the interval is of their mean by length, which has nothing of their
 * difference. */
START_TEST(test_passes_together_keep_their_promise)
{
    static const double means[PASSES] = {1, 3, 2};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, 12);
    double covered = 0, half_width = 0;
    for (int run = 0; run < runs(); run++) {
        struct batch_stratum passes[PASSES];
        double whole = 0, truth = 0;
        for (unsigned i = 0; i < PASSES; i++) {
            passes[i] = pass_of(rng, means[i], 0, 40 + 30 * i);
            whole += passes[i].whole;
            truth += means[i] * passes[i].whole;
        }
        struct estimate e = batch_means_of_strata(passes, PASSES);
        covered += fabs(e.mean - truth / whole) <= e.half_width;
        half_width += e.half_width / runs();
    }
    gsl_rng_free(rng);
    check_coverage(covered, 0.95, 0.005);
    /* 210 readings of 0.05 whose lengths have the scv 1/27: 1.96 standard errors, a little more for t */
    ck_assert_double_eq_tol(half_width, 1.96 * 0.05 * sqrt((1 + 1 / 27.0) / 210), 0.0004);
}
END_TEST

/* Negative control: readings so alike that batches of one or two are. The interval is too narrow, and most such say so.
 */
START_TEST(test_alike_batches_say_so)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, 13);
    double covered = 0, said = 0, wrongly = 0;
    for (int run = 0; run < runs(); run++) {
        struct batch_stratum alike = pass_of(rng, 1, 0.95, 50), not_so = pass_of(rng, 1, 0, 50);
        covered += fabs(alike.estimate.mean - 1) <= alike.estimate.half_width;
        said += batch_means_are_correlated(&alike.estimate, alike.batches);
        wrongly += batch_means_are_correlated(&not_so.estimate, not_so.batches);
    }
    gsl_rng_free(rng);
    ck_assert_double_lt(covered, 0.7 * runs());
    ck_assert_double_gt(said, 0.5 * runs());
    ck_assert_double_lt(wrongly, 0.02 * runs());
}
END_TEST

static Suite *batches_suite(void)
{
    Suite *suite = suite_create("batches");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 60);
    tcase_add_test(core, test_the_number_of_batches);
    tcase_add_test(core, test_batches_add_up);
    tcase_add_test(core, test_batches_are_equal);
    tcase_add_test(core, test_a_pass_keeps_its_promise);
    tcase_add_test(core, test_passes_together_keep_their_promise);
    tcase_add_test(core, test_alike_batches_say_so);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(batches_suite());
}
