/* test_sample_forecast.c - totals of samples and their errors, by hand and over all samples of a small population. */
#include "model/forecast/sample_forecast.h"

#include <check.h>
#include <math.h>

#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

/* Quantiles of 0.975 of Student's t from tables. */
#define T_1 12.7062047361747
#define T_2 4.30265272974946

/* Means 2 and 12, so 6 x 2 + 4 x 12; variances 2 and 8: 6 x 4 x 2 / 2 = 24 and 4 x 2 x 8 / 2 = 32, together 56; degrees
 * of freedom 56^2 / (24^2 + 32^2). */
START_TEST(test_two_strata)
{
    static const struct sample_stratum strata[] = {{6, 2}, {4, 2}};
    static const double values[] = {1, 3, 10, 14};
    struct sample_estimate e;
    ck_assert_int_eq(sample_total(strata, 2, values, &e), 0);
    assert_close(e.total, 60, 1e-15);
    assert_close(e.error, sqrt(56), 1e-15);
    assert_close(e.freedom, 1.96, 1e-15);
}
END_TEST

/* Three of ten: mean 5, variance 4, 10 x 7 x 4 / 3; the interval is Y exp(+-t e / Y). */
START_TEST(test_interval)
{
    static const struct sample_stratum stratum = {10, 3};
    static const double values[] = {3, 5, 7};
    struct sample_estimate e;
    ck_assert_int_eq(sample_total(&stratum, 1, values, &e), 0);
    double width = T_2 * sqrt(280 / 3.0) / 50;
    assert_close(sample_width(e), width, 1e-12);
    assert_close(sample_interval(e).low, 50 * exp(-width), 1e-12);
    assert_close(sample_interval(e).high, 50 * exp(width), 1e-12);
    assert_close(sample_width((struct sample_estimate){10, 1, INFINITY}), 0.195996398454005, 1e-12);
}
END_TEST

START_TEST(test_all_drawn_is_exact)
{
    static const struct sample_stratum strata[] = {{3, 3}, {1, 1}};
    static const double values[] = {1, 2, 4, 100};
    struct sample_estimate e;
    ck_assert_int_eq(sample_total(strata, 2, values, &e), 0);
    ck_assert_double_eq(e.total, 107);
    ck_assert_double_eq(e.error, 0);
    ck_assert_double_eq(sample_interval(e).low, 107);
    ck_assert_double_eq(sample_interval(e).high, 107);
}
END_TEST

/* Nothing is known of a stratum if one of its passes was drawn and others were not. */
START_TEST(test_too_few)
{
    static const struct sample_stratum one = {2, 1}, none = {2, 0}, beyond = {2, 3};
    static const double values[] = {1, 2, 3};
    struct sample_estimate e = {7, 7, 7};
    ck_assert_int_eq(sample_total(&one, 1, values, &e), MODEL_EUNKNOWN);
    ck_assert_int_eq(sample_total(&none, 1, values, &e), MODEL_EUNKNOWN);
    ck_assert_int_eq(sample_total(&beyond, 1, values, &e), MODEL_EUNKNOWN);
    ck_assert_double_eq(e.total, 7);
    ck_assert_uint_eq(sample_needed(&one, 1, values, (struct sample_estimate){0}, 0.1), 0);
}
END_TEST

/* Errors 3 and 4 of 2 and 4 degrees of freedom: 5, and 25^2 / (81 / 2 + 256 / 4). What only rounding adds has no say.
 * */
START_TEST(test_sums)
{
    struct sample_estimate a = {10, 3, 2}, b = {20, 4, 4}, known = {5, 0, INFINITY};
    struct sample_estimate sum = sample_sum(a, b);
    assert_close(sum.total, 30, 1e-15);
    assert_close(sum.error, 5, 1e-15);
    assert_close(sum.freedom, 625 / (40.5 + 64), 1e-15);
    assert_close(sample_sum(a, known).error, 3, 1e-15);
    assert_close(sample_sum(a, known).freedom, 2, 1e-15);
    struct sample_estimate wide = {5, 3, INFINITY}, rounding = {1, 1e-12, 3};
    ck_assert(isinf(sample_sum(wide, rounding).freedom));
    assert_close(sample_scaled(a, 0.5).error, 1.5, 1e-15);
}
END_TEST

/* Every sample of 2 of the first stratum's 4 and 3 of the second's 5: the mean of the totals is the population's, and
 * the mean of the squared errors is their variance. */
START_TEST(test_over_all_samples)
{
    static const struct sample_stratum strata[] = {{4, 2}, {5, 3}};
    static const double population[] = {1, 4, 9, 2, 50, 20, 35, 80, 10};
    double sum = 0, squares = 0, errors = 0, truth = 0;
    unsigned samples = 0;
    for (int i = 0; i < 9; i++)
        truth += population[i];
    for (unsigned chosen = 0; chosen < 1u << 9; chosen++) {
        double values[5];
        size_t count = 0;
        struct sample_estimate e;
        if (__builtin_popcount(chosen & 15) != 2 || __builtin_popcount(chosen >> 4) != 3)
            continue;
        for (int i = 0; i < 9; i++)
            if (chosen >> i & 1)
                values[count++] = population[i];
        ck_assert_int_eq(sample_total(strata, 2, values, &e), 0);
        samples++;
        sum += e.total;
        squares += (e.total - truth) * (e.total - truth);
        errors += e.error * e.error;
    }
    ck_assert_uint_eq(samples, 60);
    assert_close(sum / samples, truth, 1e-13);
    assert_close(errors / samples, squares / samples, 1e-13);
}
END_TEST

/* 9, 10, 11 of 100: Y = 1000, and t(n - 1) sqrt(100 (100 / n - 1)) / 1000 is 0.102 for n = 6 and 0.0892 for n = 7. */
START_TEST(test_needed)
{
    static const struct sample_stratum stratum = {100, 3};
    static const double values[] = {9, 10, 11};
    static const struct sample_estimate none = {0}, more = {0, 50, INFINITY};
    ck_assert_uint_eq(sample_needed(&stratum, 1, values, none, 0.1018), 6);
    ck_assert_uint_eq(sample_needed(&stratum, 1, values, none, 0.1017), 7);
    ck_assert_uint_eq(sample_needed(&stratum, 1, values, none, 0), 100);
    ck_assert_uint_eq(sample_needed(&stratum, 1, values, more, 0.05), 100); /* 1.96 x 50 / 1000 stays */
    ck_assert_uint_gt(sample_needed(&stratum, 1, values, more, 0.1018), 6);
}
END_TEST

/* One pass of fifty carries as much as all others. Drawn among 5 it makes a total of 500 out of 95; alone in its
 * stratum the total is exact, and the sample says that the pass carries 46 of 50. */
START_TEST(test_one_pass_carries_half)
{
    static const struct sample_stratum strata[] = {{40, 4}, {10, 2}};
    static const double values[] = {1, 1, 1, 46, 1, 1}, even[] = {1, 2, 1, 2, 1, 2};
    struct sample_estimate e;
    struct sample_largest largest = sample_largest(values, 6);
    ck_assert_uint_eq(largest.index, 3);
    assert_close(largest.share, 46.0 / 51, 1e-15);
    ck_assert(sample_is_dominated(&largest, 6));
    ck_assert_int_eq(sample_total_apart(strata, 2, values, 3, &e), 0);
    assert_close(e.total, 46 + 39 + 10, 1e-15);
    ck_assert_double_eq(e.error, 0);
    ck_assert_int_eq(sample_total_apart(strata, 2, values, 5, &e), MODEL_EUNKNOWN);
    largest = sample_largest(even, 6);
    ck_assert(!sample_is_dominated(&largest, 6));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sample_forecast");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_two_strata);
    tcase_add_test(core, test_interval);
    tcase_add_test(core, test_all_drawn_is_exact);
    tcase_add_test(core, test_too_few);
    tcase_add_test(core, test_sums);
    tcase_add_test(core, test_over_all_samples);
    tcase_add_test(core, test_needed);
    tcase_add_test(core, test_one_pass_carries_half);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
