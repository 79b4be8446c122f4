#include "model/sums/random_sum.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tests/assert_close.h"
#include "tests/run_suite.h"

/* Dor's run 2 as random draws: a seed takes 1 clock, and 60 with p = 0.0283.
 * E X = 1 + 59 p = 2.6697; D X = 59^2 p (1 - p) = 3481 x 0.02749911 = 95.72440191. */
static const double durations[] = {1, 60};
static const double shares[] = {0.9717, 0.0283};

START_TEST(test_operation_of_run_2)
{
    struct random_moments x = random_sum_operation(shares, durations, 2);
    assert_close(x.mean, 2.6697, 1e-14);
    assert_close(x.variance, 95.72440191, 1e-12);
}
END_TEST

/* N = 1000, fixed: D T = 95,724. N Poisson, D N = 1000: 1000 (95.7244 + 2.6697^2) = 102,852. */
START_TEST(test_sum_of_run_2)
{
    struct random_moments x = random_sum_operation(shares, durations, 2);
    struct random_moments fixed = random_sum_moments((struct random_moments){1000, 0}, x);
    struct random_moments poisson = random_sum_moments((struct random_moments){1000, 1000}, x);
    assert_close(fixed.mean, 2669.7, 1e-14);
    assert_close(poisson.mean, 2669.7, 1e-14);
    ck_assert_double_eq_tol(fixed.variance, 95724, 0.5);
    ck_assert_double_eq_tol(poisson.variance, 102852, 0.5);
}
END_TEST

/* H. pylori F32 x Gambia94/24, 50 passes, stage 1bd: the means over passes, and D N. */
START_TEST(test_h_pylori)
{
    static const double counts[] = {156052.12, 4183.58};
    double p[2];
    random_sum_shares(counts, 2, p);
    struct random_moments x = random_sum_operation(p, durations, 2);
    struct random_moments t = random_sum_moments((struct random_moments){160235.7, 949033316}, x);
    ck_assert_double_eq_tol(p[1], 0.0261089, 0.5e-7);
    ck_assert_double_eq_tol(x.mean, 2.540426, 0.5e-6);
    ck_assert_double_eq_tol(x.variance, 88.5122, 0.5e-4);
    ck_assert_double_eq_tol(t.mean, 407067, 0.5);
    ck_assert_double_eq_tol(random_sum_by_counts(counts, durations, 2), 407067, 0.5);
    ck_assert_double_eq_tol(t.variance, 78352.0 * 78352.0, 78352.0);
}
END_TEST

/* By hand: counts (2, 0) and (0, 2) with equal chance, durations of 1 and 4: T is 2 or 8, so that its variance is 9. */
START_TEST(test_counts_that_vary_by_hand)
{
    static const double one_and_four[] = {1, 4}, counts[] = {1, 1};
    assert_close(random_sum_by_counts(counts, one_and_four, 2), 5, 1e-15);
    /* (5.3) with N = 2: 2 x 2.25 = 4.5, because it takes the operations of one sum to be independent */
    struct random_moments x = random_sum_operation((const double[]){0.5, 0.5}, one_and_four, 2);
    assert_close(random_sum_moments((struct random_moments){2, 0}, x).variance, 4.5, 1e-15);
}
END_TEST

START_TEST(test_no_operations)
{
    double p[2];
    random_sum_shares((const double[]){0, 0}, 2, p);
    ck_assert_double_nan(p[0]);
    ck_assert_double_nan(p[1]);
}
END_TEST

/* Term by term in Python: 1 + 2 sum of (1 - k/N) r^k, k = 1 .. N - 1. */
START_TEST(test_order)
{
    assert_close(random_sum_order_factor(1000, 0.2327), 1.6057519322019056, 1e-13);
    assert_close(random_sum_order_factor(10, -0.3), 0.5739642874, 1e-13);
    assert_close(random_sum_order_factor(10, 0.5), 2.600390625, 1e-13);
    assert_close(random_sum_order_factor(10, 0), 1, 1e-15);
    assert_close(random_sum_order_factor(1, 0.5), 1, 1e-13);
    ck_assert_double_nan(random_sum_order_factor(10, NAN));
}
END_TEST

/* E|X - E X|^3 = 59^3 (p (1-p)^3 + (1-p) p^3) = 5337.12; 0.4748 x that / (95.7244^1.5 sqrt(1000)) = 0.0855626. */
START_TEST(test_normal_error)
{
    assert_close(random_sum_normal_error(1000, shares, durations, 2), 0.08556260879606811, 1e-12);
    ck_assert_double_eq(random_sum_normal_error(1, shares, durations, 2), 1);
    ck_assert_double_nan(random_sum_normal_error(1000, (const double[]){1, 0}, durations, 2));
}
END_TEST

/* The exact P(T > t) of the binomial number of trips, by Python's integers, at E T + 1.96 sd: within the
 * bound of the normal 0.025. */
START_TEST(test_exact_probability_is_within)
{
    ck_assert(fabs(0.030436113968977718 - 0.025) <= random_sum_normal_error(1000, shares, durations, 2));
}
END_TEST

/* Octave: (K .* w) \ (T .* w), w = 1 ./ sqrt (T). */
START_TEST(test_fitted_durations)
{
    static const double counts[] = {100, 50, 300, 10, 200, 40, 220, 20}, times[] = {3.1, 5.2, 4.9, 4.4};
    double fitted[2];
    ck_assert_uint_eq(random_sum_fit_durations(counts, times, 4, 2, fitted), 0);
    assert_close(fitted[0], 0.0168890486092937, 1e-12);
    assert_close(fitted[1], 0.0310129729502261, 1e-12);
}
END_TEST

/* Durations that made the times are found again; one that would be negative is 0; counts in proportion are refused. */
START_TEST(test_durations_at_the_limits)
{
    static const double exact[] = {1, 2, 3, 4, 0, 1, 2, 2, 5}, sums[] = {1 + 4 + 9, 4 + 0 + 3, 2 + 4 + 15};
    static const double rising[] = {1, 1, 2, 1, 4, 1}, less[] = {1, 2.5, 5.5};
    static const double alike[] = {1, 2, 2, 4, 3, 6}, times[] = {1, 2, 3};
    double fitted[3];
    ck_assert_uint_eq(random_sum_fit_durations(exact, sums, 3, 3, fitted), 0);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(fitted[i], i + 1, 1e-9);
    ck_assert_uint_eq(random_sum_fit_durations(rising, less, 3, 2, fitted), 0);
    ck_assert_double_eq(fitted[1], 0);
    assert_close(fitted[0], 7 / (1 / 1. + 4 / 2.5 + 16 / 5.5), 1e-12);
    ck_assert_uint_eq(random_sum_fit_durations(alike, times, 3, 2, fitted), 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("random_sum");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_operation_of_run_2);
    tcase_add_test(core, test_sum_of_run_2);
    tcase_add_test(core, test_h_pylori);
    tcase_add_test(core, test_counts_that_vary_by_hand);
    tcase_add_test(core, test_no_operations);
    tcase_add_test(core, test_order);
    tcase_add_test(core, test_normal_error);
    tcase_add_test(core, test_exact_probability_is_within);
    tcase_add_test(core, test_fitted_durations);
    tcase_add_test(core, test_durations_at_the_limits);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
