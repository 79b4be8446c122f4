/* test_dor2010.c - what was printed of the two published runs. */
#include "validate/dor2010.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "tests/run_suite.h"

START_TEST(test_printed_numbers_have_their_rounding)
{
    struct dor2010_number n = dor2010_number("0.296");
    ck_assert_double_eq_tol(n.value, 0.296, 1e-12);
    ck_assert_double_eq_tol(n.low, 0.2955, 1e-12);
    ck_assert_double_eq_tol(n.high, 0.2965, 1e-12);
    n = dor2010_number("580");
    ck_assert_double_eq_tol(n.low, 579.5, 1e-12);
    n = dor2010_number("1790");
    ck_assert_double_eq_tol(n.high, 1795, 1e-12);
    n = dor2010_number("0.0");
    ck_assert_double_eq_tol(n.high, 0.005, 1e-12);
    ck_assert_double_gt(0.037, n.high); /* P_BP_2 of the rules in run 1, in a column that prints 0.296 */
    n = dor2010_number("0.000");
    ck_assert_double_eq_tol(n.high, 0.00005, 1e-12);
    n = dor2010_number("~0");
    ck_assert_double_eq(n.value, 0);
    ck_assert_double_eq(n.high, 0.05);
    ck_assert_double_gt(2.98, n.high); /* their N_Q_1b */
    n = dor2010_number(NULL);
    ck_assert(isnan(n.value) && isnan(n.low) && !(0 >= n.low));
}
END_TEST

/* 13 cells of a run were measured; what follows from each other does: rho = lambda over mu, N_Q of 1b that of its
   queues. */
START_TEST(test_published_cells_agree_with_each_other)
{
    double value[MACHINE_QUANTITIES];
    unsigned measured = 0;
    for (unsigned i = 0; i < MACHINE_QUANTITIES; i++) {
        value[i] = dor2010_measured(_i, i).value;
        measured += !isnan(value[i]);
    }
    ck_assert_uint_eq(measured, 13);
    ck_assert(isnan(value[RHO_PCI]) && isnan(value[N_Q_1A]) && isnan(value[P_BP_1BD]));
    ck_assert_double_eq_tol(value[LAMBDA_1A] / 2128, value[RHO_1A], 0.01); /* 16 w-mers x 133 MHz */
    ck_assert_double_eq_tol(value[LAMBDA_2] / 133, value[RHO_2], 0.005);
    ck_assert_double_eq_tol(value[N_Q_1BP] + value[N_Q_1BD], value[N_Q_1B], 5.01);
}
END_TEST

/* Figure 15 has 1b as two stages: its rates and utilisations of 1bp are 1b's. */
START_TEST(test_printed_predictions_are_the_figures)
{
    ck_assert_str_eq(dor2010_predicted(DOR2010_RUN_2, N_Q_1B, DOR2010_FIGURE_12).text, "458");
    ck_assert_str_eq(dor2010_predicted(DOR2010_RUN_2, N_Q_1B, DOR2010_FIGURE_17).text, "7470");
    ck_assert_ptr_null(dor2010_predicted(DOR2010_RUN_2, N_Q_1B, DOR2010_FIGURE_15).text);
    ck_assert_str_eq(dor2010_predicted(DOR2010_RUN_2, N_Q_1BP, DOR2010_FIGURE_15).text, "107");
    ck_assert_str_eq(dor2010_predicted(DOR2010_RUN_2, RHO_1B, DOR2010_FIGURE_15).text, "1.000");
    ck_assert_ptr_null(dor2010_predicted(DOR2010_RUN_1, P_BP_1BD, DOR2010_FIGURE_17).text);
}
END_TEST

/* rho_1a and rho_2 of run 1 are not their rates over the clock, rho_1b is less than that; 115 and 460 are not 580. */
START_TEST(test_mismatches_are_found)
{
    static const enum machine_quantity expected[DOR2010_RUNS][DOR2010_MISMATCHES_MAX] = {
        {RHO_1A, RHO_1B, RHO_2}, {N_Q_1B}};
    static const unsigned counts[DOR2010_RUNS] = {3, 1};
    struct dor2010_mismatch mismatches[DOR2010_MISMATCHES_MAX];
    unsigned count = dor2010_find_mismatches(_i, mismatches);
    ck_assert_uint_eq(count, counts[_i]);
    for (unsigned i = 0; i < count; i++) {
        ck_assert_int_eq(mismatches[i].quantity, expected[_i][i]);
        ck_assert_ptr_nonnull(strstr(mismatches[i].text, dor2010_measured(_i, mismatches[i].quantity).text));
    }
}
END_TEST

START_TEST(test_runs_have_names)
{
    ck_assert_int_eq(dor2010_run_find("dor2010-run1"), DOR2010_RUN_1);
    ck_assert_int_eq(dor2010_run_find("dor2010-run2"), DOR2010_RUN_2);
    ck_assert_int_eq(dor2010_run_find("dor2010-run3"), -1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dor2010");
    TCase *published = tcase_create("published");
    tcase_add_test(published, test_printed_numbers_have_their_rounding);
    tcase_add_loop_test(published, test_published_cells_agree_with_each_other, 0, DOR2010_RUNS);
    tcase_add_test(published, test_printed_predictions_are_the_figures);
    tcase_add_loop_test(published, test_mismatches_are_found, 0, DOR2010_RUNS);
    tcase_add_test(published, test_runs_have_names);
    suite_add_tcase(suite, published);
    return run_suite(suite);
}
