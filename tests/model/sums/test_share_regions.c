/* test_share_regions.c - what is known of shares: by independent operations (multinomial_ellipsoid.h), and by passes
 * (design_effect.h, hotelling.h), which must agree where passes are independent operations. */
#include "model/sums/share_regions.h"

#include <check.h>
#include <stdlib.h>

#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

/* chi2 of one degree of freedom: 1.959964^2 = 3.841459. 3.841459 x 0.9717 / (0.0283 x 1e-4) = 1.31899e6. */
START_TEST(test_seeds_for_one_per_cent)
{
    double needed = multinomial_operations_needed(0.0283, 2, 0.01, 0.95);
    ck_assert_double_eq_tol(needed, 1.32e6, 0.005e6);
    assert_close(multinomial_half_width(0.0283, 2, needed, 0.95), 0.01 * 0.0283, 1e-12);
    assert_close(multinomial_limit(2, 0.95), 3.841458820694124, 1e-9);
    assert_close(multinomial_limit(3, 0.95), 5.991464547107979, 1e-9);
}
END_TEST

/* The matrix of the ellipsoid by hand: p = (1/2, 1/3, 1/6), found (0.6, 0.3, 0.1), n = 100. Without the last type S =
 * (1/4, -1/6; -1/6, 2/9), det 1/36, S^-1 = (8, 6; 6, 9); d = (0.1, -1/30): 100 (0.08 - 0.04 + 0.01) = 5. */
START_TEST(test_distance_is_the_quadratic_form)
{
    static const double p[] = {1.0 / 2, 1.0 / 3, 1.0 / 6}, found[] = {0.6, 0.3, 0.1};
    assert_close(multinomial_distance(found, p, 3, 100), 5, 1e-12);
    ck_assert_double_nan(multinomial_distance(found, (const double[]){1, 0, 0}, 3, 100));
    ck_assert_double_nan(multinomial_limit(1, 0.95));
    ck_assert_double_nan(multinomial_half_width(0, 2, 100, 0.95));
}
END_TEST

/* Two passes of 10: (8, 2) and (6, 4), share 0.3 of the second type. Deviations -1 and 1: 2 x 2 / (1 x 20^2) = 0.01;
 * independent: 0.21 / 20 = 0.0105. */
START_TEST(test_design_effect_by_hand)
{
    static const double counts[] = {8, 2, 6, 4}, shares[] = {0.7, 0.3};
    double freedom;
    assert_close(cluster_variance(counts, 2, 2, 1, 0.3), 0.01, 1e-14);
    assert_close(design_effect(counts, 2, 2, 1, 0.3), 0.01 / 0.0105, 1e-14);
    /* 2 x (1/7 + 1/3) */
    assert_close(shares_heterogeneity(counts, 2, 2, shares, &freedom), 2.0 / 7 + 2.0 / 3, 1e-14);
    ck_assert_double_eq(freedom, 1);
    ck_assert_double_nan(cluster_variance(counts, 1, 2, 1, 0.3));
    ck_assert_double_nan(design_effect(counts, 2, 2, 1, 0));
}
END_TEST

/* What operations have in common in tens counts ten times. */
START_TEST(test_operations_in_tens)
{
    static const double one[] = {3, 2, 1, 4, 2, 3}, ten[] = {30, 20, 10, 40, 20, 30};
    assert_close(design_effect(ten, 3, 2, 1, 0.6), 10 * design_effect(one, 3, 2, 1, 0.6), 1e-14);
}
END_TEST

/* Two types are one number: T^2 is the square of Student's t of d_j = K_j - p N_j. With p = 1/2: d = 1, 3, 2, mean 2,
 * variance 1, T^2 = 3 x 4 / 1 = 12. */
START_TEST(test_hotelling_of_two_types)
{
    static const double counts[] = {6, 4, 8, 2, 7, 3}, half[] = {0.5, 0.5}, mean[] = {0.7, 0.3};
    double t2;
    ck_assert_int_eq(hotelling_t2(counts, 3, 2, half, &t2), 0);
    assert_close(t2, 12, 1e-12);
    ck_assert_int_eq(hotelling_t2(counts, 3, 2, mean, &t2), 0);
    ck_assert_double_eq_tol(t2, 0, 1e-12);
    /* Student's t of 2 degrees of freedom at 97.5%: 4.302653 */
    assert_close(hotelling_limit(3, 2, 0.95), 4.302652729911275 * 4.302652729911275, 1e-8);
}
END_TEST

/* Which type is left out makes no difference; a linear combination that does not vary has no answer. */
START_TEST(test_hotelling_of_three_types)
{
    static const double counts[] = {6, 4, 1, 8, 2, 2, 7, 3, 5, 5, 5, 3}, p[] = {0.5, 0.25, 0.25};
    static const double turned[] = {1, 6, 4, 2, 8, 2, 5, 7, 3, 3, 5, 5}, p_turned[] = {0.25, 0.5, 0.25};
    static const double still[] = {6, 4, 1, 6, 4, 2, 6, 4, 5, 6, 4, 3};
    double t2, again = 0;
    ck_assert_int_eq(hotelling_t2(counts, 4, 3, p, &t2), 0);
    ck_assert_int_eq(hotelling_t2(turned, 4, 3, p_turned, &again), 0);
    assert_close(again, t2, 1e-9);
    ck_assert_int_eq(hotelling_t2(still, 4, 3, p, &again), MODEL_ENOSOLUTION);
    ck_assert_int_eq(hotelling_t2(counts, 2, 3, p, &again), MODEL_EUNKNOWN);
    ck_assert_int_eq(hotelling_t2(counts, 4, 1, p, &again), MODEL_EUNKNOWN);
    ck_assert_double_nan(hotelling_limit(2, 3, 0.95));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("share_regions");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_seeds_for_one_per_cent);
    tcase_add_test(core, test_distance_is_the_quadratic_form);
    tcase_add_test(core, test_design_effect_by_hand);
    tcase_add_test(core, test_operations_in_tens);
    tcase_add_test(core, test_hotelling_of_two_types);
    tcase_add_test(core, test_hotelling_of_three_types);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
