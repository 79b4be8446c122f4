/* test_batch_means.c - intervals from batches, against hand computation and against their own promise. */
#include "traces/statistics/batch_means.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tests/run_suite.h"
#include "tests/traces/statistics/made_series.h"

/* Means of equal wholes: the textbook's mean +- t s/sqrt(n). Of 1, 2, 3, 4: mean 2.5, s = sqrt(5/3), t(3, 0.975) =
 * 3.182446, half-width 3.182446 x 1.290994 / 2 = 2.054260; residuals -1.5, -0.5, 0.5, 1.5: lag 1 = (0.75 - 0.25 +
 * 0.75)/5. */
START_TEST(test_equal_wholes_give_the_textbook_interval)
{
    const struct batch_term terms[] = {{10, 10}, {20, 10}, {30, 10}, {40, 10}};
    struct estimate e = batch_means(terms, 4);
    ck_assert_double_eq_tol(e.mean, 2.5, 1e-12);
    ck_assert_double_eq_tol(e.half_width, 2.0542603, 1e-6);
    ck_assert_double_eq_tol(e.lag1, 0.25, 1e-12);
    ck_assert_double_eq_tol(e.largest, 2.25 / 5, 1e-12);
    ck_assert(!batch_means_rest_on_one(&e));
}
END_TEST

/* Parts 1, 3 of wholes 1, 4: ratio 4/5; residuals 0.2, -0.2; s.e. sqrt(2 x 0.08)/5 = 0.08; t(1, 0.975) = 12.7062. */
START_TEST(test_a_ratio_by_hand)
{
    const struct batch_term terms[] = {{1, 1}, {3, 4}};
    struct estimate e = batch_means(terms, 2);
    ck_assert_double_eq_tol(e.mean, 0.8, 1e-12);
    ck_assert_double_eq_tol(e.half_width, 12.7062047 * 0.08, 1e-6);
    ck_assert_double_eq_tol(e.lag1, -0.5, 1e-12);
}
END_TEST

START_TEST(test_too_little_is_no_number)
{
    const struct batch_term one = {3, 2}, empty[] = {{0, 0}, {0, 0}};
    ck_assert_double_eq(batch_means(&one, 1).mean, 1.5);
    ck_assert(isnan(batch_means(&one, 1).half_width));
    ck_assert(isnan(batch_means(empty, 2).mean));
    ck_assert(isnan(batch_means(NULL, 0).mean));
}
END_TEST

/* What does not vary has an interval of no width, and rounding is no correlation. */
START_TEST(test_constants_have_no_interval)
{
    struct batch_term terms[30];
    for (int i = 0; i < 30; i++)
        terms[i] = (struct batch_term){0.1 * (1 + 1e-15 * i), 0.3};
    struct estimate e = batch_means(terms, 30);
    ck_assert_double_eq(e.half_width, 0);
    ck_assert_double_eq(e.lag1, 0);
    ck_assert(!batch_means_are_correlated(&e, 30));
}
END_TEST

/* Two passes of wholes 10 and 30, 4 batches each, standard errors 0.2 and 0.1: mean (10 x 1 + 30 x 2) / 40; standard
 * error of the parts sqrt(2^2 + 3^2), / 40 = 0.0901388; degrees of freedom (4 + 9)^2 / (16/3 + 81/3) = 5.2268; t
 * between t(5) = 2.5706 and t(6) = 2.4469; lag 1 weighted by the variances, (4 x 0.6 + 9 x -0.2) / 13; one batch has
 * 0.8 of 9 / 13. */
START_TEST(test_strata_by_hand)
{
    const struct batch_stratum strata[] = {{{1, 3.1824463 * 0.2, 0.6, 0.9}, 4, 10},
                                           {{2, 3.1824463 * 0.1, -0.2, 0.8}, 4, 30},
                                           {{NAN, NAN, NAN, NAN}, 0, 0}};
    struct estimate e = batch_means_of_strata(strata, 3);
    ck_assert_double_eq_tol(e.mean, 1.75, 1e-12);
    ck_assert_double_lt(e.half_width, 2.5706 * 0.0901388);
    ck_assert_double_gt(e.half_width, 2.4469 * 0.0901388);
    ck_assert_double_eq_tol(e.lag1, 0.6 / 13, 1e-9);
    ck_assert_double_eq_tol(e.largest, 0.8 * 9 / 13, 1e-9);
    ck_assert(batch_means_rest_on_one(&e));
    e = batch_means_of_strata(strata, 1);
    ck_assert_double_eq_tol(e.half_width, strata[0].estimate.half_width, 1e-9);
}
END_TEST

/* Two alike have the degrees of freedom of both: t(6) = 2.4469119. */
START_TEST(test_strata_alike)
{
    const struct batch_stratum strata[] = {{{1, 3.1824463 * 0.2, 0}, 4, 10},
                                           {{1, 3.1824463 * 0.2, 0}, 4, 10}};
    ck_assert_double_eq_tol(batch_means_of_strata(strata, 2).half_width, 2.4469119 * 0.2 / sqrt(2), 1e-6);
}
END_TEST

START_TEST(test_strata_without_an_interval)
{
    struct batch_stratum strata[] = {{{1, 0, 0}, 4, 10}, {{3, NAN, 0}, 1, 10}};
    struct estimate e = batch_means_of_strata(strata, 2);
    ck_assert_double_eq(e.mean, 2);
    ck_assert(isnan(e.half_width));
    e = batch_means_of_strata(strata, 1); /* nothing varies */
    ck_assert_double_eq(e.half_width, 0);
    ck_assert_double_eq(e.lag1, 0);
    ck_assert(isnan(batch_means_of_strata(strata, 0).mean));
    strata[0].estimate.half_width = 1e308; /* no square of it is a number */
    ck_assert(isnan(batch_means_of_strata(strata, 1).half_width));
    strata[0].estimate.half_width = 1e-150;
    ck_assert_double_eq_tol(batch_means_of_strata(strata, 1).half_width, 1e-150, 1e-159);
}
END_TEST

/* --- controls -------------------------------------------------------------------------------------------- */

/* A straight line through (c, y) = (-1, 0), (0, 2), (1, 3), (2, 4), (3, 6): slope 1.4, at c = 0 1.6; residuals -0.2,
 * 0.4, 0, -0.4, 0.2, squares 0.4 over 3 degrees of freedom; standard error at 0 sqrt(0.4/3 (1/5 + 1^2/10)) = 0.2; t(3)
 * = 3.182446. The second control never varies. */
START_TEST(test_a_regression_by_hand)
{
    const struct batch_term terms[] = {{0, 1}, {2, 1}, {3, 1}, {4, 1}, {6, 1}};
    const struct batch_controls controls[] = {{{-1}}, {{0}}, {{1}}, {{2}}, {{3}}};
    struct estimate e = batch_means_controlled(terms, controls, 1, 5);
    ck_assert_double_eq_tol(e.mean, 1.6, 1e-12);
    ck_assert_double_eq_tol(e.half_width, 3.1824463 * 0.2, 1e-6);
    ck_assert_double_eq_tol(e.lag1, -0.16 / 0.4, 1e-12);
    ck_assert_double_eq_tol(e.largest, 0.16 / 0.4, 1e-12);
}
END_TEST

START_TEST(test_controls_that_never_vary_change_nothing)
{
    const struct batch_term terms[] = {{1, 10}, {2, 9}, {3, 11}, {4, 12}, {6, 8}, {1, 10}};
    const struct batch_controls controls[6] = {{{0}}};
    struct estimate e = batch_means(terms, 6), same = batch_means_controlled(terms, controls, 1, 6);
    ck_assert_double_eq_tol(same.mean, e.mean, 1e-12);
    ck_assert_double_eq_tol(same.half_width, e.half_width, 1e-12);
    ck_assert_double_eq_tol(same.lag1, e.lag1, 1e-12);
}
END_TEST

/* Whole cycles of a trace: what was drawn differs from what is drawn on average by rounding only, by as much in almost
 * every batch, or in every other one. */
START_TEST(test_controls_that_are_rounding_change_nothing)
{
    const struct batch_term terms[] = {{1, 10}, {2, 9}, {3, 11}, {4, 12}, {6, 8}, {1, 10}};
    struct batch_controls controls[6];
    for (int i = 0; i < 6; i++)
        controls[i] = (struct batch_controls){{i < 5 ? 1e-9 : 1e-9 + 1e-24, i % 2 ? 3e-10 : 0}};
    struct estimate e = batch_means(terms, 6), same = batch_means_controlled(terms, controls, 6000, 6);
    ck_assert_double_eq_tol(same.mean, e.mean, 1e-12);
    ck_assert_double_eq_tol(same.half_width, e.half_width, 1e-12);
}
END_TEST

/* Values 1 + c1 / 2 - c2 / 4 + noise of 0.1, c1 and c2 alike to 0.6, of different size: 4000 intervals of 20 batches.
 * What is left is the noise: half-width t(17) 0.1 / sqrt(20), a little more for the controls' own means (Lavenberg and
 * Welch: by sqrt(18 / 16)). */
START_TEST(test_controlled_intervals_keep_their_promise)
{
    enum { RUNS = 4000, BATCHES = 20 };
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    double covered = 0, half_width = 0, plain_half_width = 0;
    for (int run = 0; run < RUNS; run++) {
        struct batch_term terms[BATCHES];
        struct batch_controls controls[BATCHES];
        for (int i = 0; i < BATCHES; i++) {
            double c1 = gsl_ran_gaussian(random, 1), c2 = 0.6 * c1 + gsl_ran_gaussian(random, 0.8);
            controls[i] = (struct batch_controls){{c1, 1e6 * c2}};
            terms[i] = (struct batch_term){2 * (1 + c1 / 2 - c2 / 4 + gsl_ran_gaussian(random, 0.1)), 2};
        }
        struct estimate e = batch_means_controlled(terms, controls, 1, BATCHES);
        covered += (fabs(e.mean - 1) <= e.half_width) / (double)RUNS;
        half_width += e.half_width / RUNS;
        plain_half_width += batch_means(terms, BATCHES).half_width / RUNS;
    }
    gsl_rng_free(random);
    ck_assert_double_eq_tol(covered, 0.95, 0.012);
    ck_assert_double_eq_tol(half_width, 2.1098 * 0.1 / sqrt(BATCHES) * sqrt(18.0 / 16), 0.001);
    ck_assert_double_gt(plain_half_width, 3 * half_width);
}
END_TEST

/* --- the promise ----------------------------------------------------------------------------------------- */

/* Batches of a first-order autoregressive sequence with coefficient phi, whose mean is 1. */
static struct estimate draw(gsl_rng *random, double phi, unsigned count)
{
    struct batch_term terms[100];
    double deviation = gsl_ran_gaussian(random, 1);
    for (unsigned i = 0; i < count; i++) {
        terms[i] = (struct batch_term){1 + 0.1 * deviation, 1};
        deviation = phi * deviation + sqrt(1 - phi * phi) * gsl_ran_gaussian(random, 1);
    }
    return batch_means(terms, count);
}

static void coverage(double phi, unsigned count, double *covered, double *flagged)
{
    enum { RUNS = 4000 };
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    *covered = *flagged = 0;
    for (int run = 0; run < RUNS; run++) {
        struct estimate e = draw(random, phi, count);
        *covered += (fabs(e.mean - 1) <= e.half_width) / (double)RUNS;
        *flagged += batch_means_are_correlated(&e, count) / (double)RUNS;
    }
    gsl_rng_free(random);
}

/* 4000 runs: a standard error of 0.0034. */
START_TEST(test_independent_batches_are_covered)
{
    double covered, flagged;
    coverage(0, _i, &covered, &flagged);
    ck_assert_double_eq_tol(covered, 0.95, 0.012);
    ck_assert_double_le(flagged, 0.01);
}
END_TEST

/* Batches that are too short: the interval promises too much, and the flag goes up. */
START_TEST(test_dependent_batches_are_flagged)
{
    double covered, flagged;
    coverage(0.7, 32, &covered, &flagged);
    ck_assert_double_lt(covered, 0.75);
    ck_assert_double_gt(flagged, 0.75);
}
END_TEST

/* --- points ---------------------------------------------------------------------------------------------- */

/* 20 frames in 10 batches of two whose means are 1..10: mean 5.5, deviation 3.0277, t of 9 degrees at 95% is 2.2622. */
START_TEST(test_batch_means_by_hand)
{
    for (size_t i = 0; i < 20; i++)
        values[i] = (double)(i / 2 + 1) + (i % 2 ? 0.5 : -0.5);
    struct point_estimate b = batch_means_of_points(values, 20);
    ck_assert_uint_eq(b.batches, 10);
    ck_assert_uint_eq(b.batch_points, 2);
    ck_assert_double_eq_tol(b.estimate.mean, 5.5, 1e-12);
    ck_assert_double_eq_tol(b.estimate.half_width, 2.262157 * 3.027650 / sqrt(10), 1e-5);
    ck_assert_double_eq_tol(b.estimate.lag1, 0.7, 1e-12);           /* of 1..10 */
    ck_assert(!batch_means_are_correlated(&b.estimate, b.batches)); /* 2.6 / sqrt(10) is 0.82 */
}
END_TEST

/* The first of 21 frames belongs to no batch: what it is makes no difference. */
START_TEST(test_frames_without_a_batch_are_the_first)
{
    make_process(21, 5, 0);
    struct point_estimate b = batch_means_of_points(values, 21);
    values[0] = 1e6;
    ck_assert_double_eq(batch_means_of_points(values, 21).estimate.mean, b.estimate.mean);
    values[20] += 1;
    ck_assert_double_gt(batch_means_of_points(values, 21).estimate.mean, b.estimate.mean);
}
END_TEST

static const struct {
    size_t points, batches, batch_points, left_out;
} rules[] = {{20, 10, 2, 0},   {99, 10, 9, 9},     {100, 10, 10, 0},
             {400, 20, 20, 0}, {1000, 30, 33, 10}, {4000, 30, 133, 10}};

START_TEST(test_number_of_batches)
{
    make_process(rules[_i].points, 0, 0);
    struct point_estimate b = batch_means_of_points(values, rules[_i].points);
    ck_assert_uint_eq(b.batches, rules[_i].batches);
    ck_assert_uint_eq(b.batch_points, rules[_i].batch_points);
    ck_assert_uint_eq(rules[_i].points - b.batches * b.batch_points, rules[_i].left_out);
}
END_TEST

START_TEST(test_too_few_points_have_no_interval)
{
    make_process(19, 0, 0);
    struct point_estimate b = batch_means_of_points(values, 19);
    ck_assert_uint_eq(b.batches, 0);
    ck_assert_double_nan(b.estimate.half_width);
    ck_assert(isfinite(b.estimate.mean));
    ck_assert_double_nan(batch_means_of_points(NULL, 0).estimate.mean);
}
END_TEST

/* How many of 1000 intervals of 95% hold the true mean, on processes that remember so much. */
static int points_covered(size_t points, double correlation)
{
    int covered = 0;
    for (int run = 0; run < 1000; run++) {
        make_process(points, 7, correlation);
        struct point_estimate b = batch_means_of_points(values, points);
        covered += fabs(b.estimate.mean - 7) <= b.estimate.half_width;
    }
    return covered;
}

/* 1000 draws at 0.95 stay within 950 +- 3.5 standard deviations of 6.9; batches of 133 points forget 0.6 well enough.
 */
START_TEST(test_intervals_cover_as_often_as_they_say)
{
    int hits = points_covered(_i ? 4000 : 400, _i ? 0.6 : 0);
    ck_assert_int_ge(hits, 926);
    ck_assert_int_le(hits, 974);
}
END_TEST

/* Batches shorter than the memory: the interval is too narrow, and the autocorrelation tells. */
START_TEST(test_dependent_batches_are_told)
{
    int independent = 0;
    ck_assert_int_lt(points_covered(400, 0.99), 900);
    for (int run = 0; run < 200; run++) {
        make_process(400, 7, 0.99);
        struct point_estimate b = batch_means_of_points(values, 400);
        independent += !batch_means_are_correlated(&b.estimate, b.batches);
    }
    ck_assert_int_lt(independent, 150);
}
END_TEST

/* Ten passes are replications, nine are too few. */
START_TEST(test_replications_are_points_of_their_own)
{
    for (size_t i = 0; i < 10; i++)
        values[i] = (double)(i + 1);
    struct point_estimate b = batch_means_of_replications(values, 10);
    ck_assert_uint_eq(b.batches, 10);
    ck_assert_double_eq_tol(b.estimate.half_width, 2.262157 * 3.027650 / sqrt(10), 1e-5);
    b = batch_means_of_replications(values, 9);
    ck_assert_uint_eq(b.batches, 0);
    ck_assert_double_eq(b.estimate.mean, 5);
    ck_assert_double_nan(b.estimate.half_width);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("batch_means");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_equal_wholes_give_the_textbook_interval);
    tcase_add_test(core, test_a_ratio_by_hand);
    tcase_add_test(core, test_too_little_is_no_number);
    tcase_add_test(core, test_constants_have_no_interval);
    tcase_add_test(core, test_strata_by_hand);
    tcase_add_test(core, test_strata_alike);
    tcase_add_test(core, test_strata_without_an_interval);
    suite_add_tcase(suite, core);
    TCase *controls = tcase_create("controls");
    tcase_add_test(controls, test_a_regression_by_hand);
    tcase_add_test(controls, test_controls_that_never_vary_change_nothing);
    tcase_add_test(controls, test_controls_that_are_rounding_change_nothing);
    tcase_add_test(controls, test_controlled_intervals_keep_their_promise);
    suite_add_tcase(suite, controls);
    TCase *promise = tcase_create("promise");
    tcase_add_loop_test(promise, test_independent_batches_are_covered, 10, 13);
    tcase_add_loop_test(promise, test_independent_batches_are_covered, 30, 31);
    tcase_add_test(promise, test_dependent_batches_are_flagged);
    suite_add_tcase(suite, promise);
    TCase *points = tcase_create("points");
    tcase_add_checked_fixture(points, set_up, tear_down);
    tcase_set_timeout(points, 60);
    tcase_add_test(points, test_batch_means_by_hand);
    tcase_add_test(points, test_frames_without_a_batch_are_the_first);
    tcase_add_loop_test(points, test_number_of_batches, 0, sizeof rules / sizeof rules[0]);
    tcase_add_test(points, test_too_few_points_have_no_interval);
    tcase_add_test(points, test_replications_are_points_of_their_own);
    tcase_add_loop_test(points, test_intervals_cover_as_often_as_they_say, 0, 2);
    tcase_add_test(points, test_dependent_batches_are_told);
    suite_add_tcase(suite, points);
    return run_suite(suite);
}
