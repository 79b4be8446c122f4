#include "model/tail_index.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tests/assert_close.h"
#include "tests/run_suite.h"

/* By hand: of 8, 1, 2, 4 the 2 largest over the third: ln 4 + ln 2 = 3 ln 2, so alpha = 2 / (3 ln 2). */
START_TEST(test_hill_by_hand)
{
    double values[] = {8, 1, 2, 4};
    struct tail_estimate t = tail_index(values, 4, 2);
    assert_close(t.index, 2 / (3 * log(2)), 1e-14);
    ck_assert_double_eq(values[0], 8);
    ck_assert(t.low < t.index && t.index < t.high);
}
END_TEST

/* Quantiles of a Pareto distribution of alpha 1.5: the estimate tends to alpha, and the interval is the gamma's, about
 * 1.96 / sqrt(k) to both sides. */
START_TEST(test_hill_of_a_pareto_tail)
{
    enum { VALUES = 20000, LARGEST = 2000 };
    static double values[VALUES];
    for (int i = 0; i < VALUES; i++)
        values[i] = pow((i + 0.5) / VALUES, -1 / 1.5);
    struct tail_estimate t = tail_index(values, VALUES, LARGEST);
    assert_close(t.index, 1.5, 1e-3);
    assert_close(t.high - t.low, 2 * 1.96 * t.index / sqrt(LARGEST), 1e-2);
}
END_TEST

/* The greatest of k Pareto values is about threshold x (k e^0.577)^(1/alpha). */
START_TEST(test_greatest_alone)
{
    struct tail_estimate t = tail_index_of_greatest(1000, 10, 10 * pow(1000 * exp(0.5772156649), 1 / 1.5));
    assert_close(t.index, 1.5, 1e-9);
    ck_assert(t.low < t.index && t.index < t.high);
    ck_assert_double_infinite(tail_index_of_greatest(1000, 10, 10).index);
    ck_assert_double_nan(tail_index_of_greatest(4, 10, 100).index);
    ck_assert_double_nan(tail_index_of_greatest(1000, 0, 100).index);
    ck_assert_double_nan(tail_index_of_greatest(NAN, 10, 100).index);
}
END_TEST

START_TEST(test_no_tail)
{
    double equal[] = {3, 3, 3}, zeros[] = {5, 0, 0};
    ck_assert_double_infinite(tail_index(equal, 3, 2).index);
    ck_assert_double_nan(tail_index(zeros, 3, 1).index);
    ck_assert_double_nan(tail_index(equal, 3, 3).index);
    ck_assert_double_nan(tail_index(equal, 3, 0).index);
}
END_TEST

START_TEST(test_sizes)
{
    ck_assert_uint_eq(tail_size(50), 5);
    ck_assert_uint_eq(tail_size(200), 20);
    ck_assert_uint_eq(tail_size(6), 3);
    ck_assert_uint_eq(tail_size(2), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tail_index");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_hill_by_hand);
    tcase_add_test(core, test_hill_of_a_pareto_tail);
    tcase_add_test(core, test_greatest_alone);
    tcase_add_test(core, test_no_tail);
    tcase_add_test(core, test_sizes);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
