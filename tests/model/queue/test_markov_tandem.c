/* test_markov_tandem.c - a tandem, state by state: numbers that were found by other programs, and closed forms. */
#include "model/queue/markov_tandem.h"

#include <check.h>
#include <math.h>
#include <stdint.h>

#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

/* The first three: independent solutions of the balance equations, six digits. */

START_TEST(test_two_stages_of_two_places)
{
    struct markov_stage s[] = {{1, 2, 1, 1}, {1, 2, 1, 1}};
    ck_assert_int_eq(markov_tandem_solve(0.9, true, s, 2), 0);
    ck_assert_double_eq_tol(s[0].found.lambda_per_s, 0.646784, 5e-7);
    ck_assert_double_eq_tol(s[1].found.lambda_per_s, 0.646784, 5e-7);
    ck_assert_double_eq_tol(s[0].found.p_bp, 0.562128, 5e-7);
    ck_assert_double_eq_tol(s[1].found.p_bp, 0.368125, 5e-7);
    ck_assert_double_eq_tol(s[0].found.n_g, 1.36548, 5e-6);
}
END_TEST

START_TEST(test_three_stages_of_eight_places)
{
    struct markov_stage s[] = {{1, 8, 1, 1}, {0.9, 8, 1, 1}, {1, 8, 1, 1}};
    ck_assert_int_eq(markov_tandem_solve(0.8, true, s, 3), 0);
    ck_assert_double_eq_tol(s[2].found.lambda_per_s, 0.754825, 5e-7);
    ck_assert_double_eq_tol(s[0].found.p_bp, 0.121743, 5e-7);
    ck_assert_double_eq_tol(s[1].found.n_g, 3.87337, 5e-6);
    ck_assert_double_eq_tol(s[2].p_outside, 0.024135, 5e-7);
}
END_TEST

START_TEST(test_several_servers)
{
    struct markov_stage s[] = {{1, 4, 2, 1}, {0.5, 5, 3, 1}, {1.6, 3, 1, 1}};
    ck_assert_int_eq(markov_tandem_solve(1.5, true, s, 3), 0);
    ck_assert_double_eq_tol(s[0].found.lambda_per_s, 1.19755, 5e-6);
    ck_assert_double_eq_tol(s[0].found.n_g, 2.68197, 5e-6);
    ck_assert_double_eq_tol(s[1].found.n_g, 3.94092, 5e-6);
    ck_assert_double_eq_tol(s[2].found.n_g, 1.64179, 5e-6);
}
END_TEST

/* With loss the first stage is M/M/c/K by itself, whatever comes after it. Half of the customers leave after it; the
 * second one has many places, as M/M/1 of half the rate. */
START_TEST(test_loss)
{
    struct markov_stage s[] = {{1, 6, 3, 0.5}, {2, 60, 1, 1}};
    struct queue_result alone, behind;
    ck_assert_int_eq(markov_tandem_solve(2.5, false, s, 2), 0);
    ck_assert_int_eq(mmc_solve(2.5, 1, 3, 6, &alone), 0);
    assert_close(s[0].found.n_g, alone.n_g, 1e-10);
    assert_close(s[0].found.n_q, alone.n_q, 1e-10);
    assert_close(s[0].found.p_k, alone.p_k, 1e-10);
    assert_close(s[0].found.w_g_s, alone.w_g_s, 1e-10);
    assert_close(s[0].found.lambda_per_s, 2.5 * (1 - alone.p_k), 1e-10);
    assert_close(s[1].found.lambda_offered_per_s, s[0].found.lambda_per_s / 2, 1e-10);
    ck_assert_double_eq(s[1].p_outside, 0);
    ck_assert_int_eq(mm1_solve(s[1].found.lambda_per_s, 2, 0, &behind), 0);
    ck_assert_double_lt(s[1].found.n_g,
                        behind.n_g); /* departures of M/M/3/6 are more regular than a Poisson stream */
    ck_assert_double_gt(s[1].found.n_g, 0.9 * behind.n_g);
}
END_TEST

/* A source that can hold a customer is one more place of M/M/1/K. */
START_TEST(test_one_stage_that_blocks)
{
    struct markov_stage s = {1, 4, 1, 1};
    struct queue_result more;
    ck_assert_int_eq(markov_tandem_solve(0.7, true, &s, 1), 0);
    ck_assert_int_eq(mm1k_solve_offered(0.7, 1, 5, &more), 0);
    assert_close(s.p_outside, more.p_k, 1e-11);
    assert_close(s.found.lambda_per_s, more.lambda_per_s, 1e-11);
    assert_close(s.found.n_g, more.n_g - more.p_k, 1e-11);
}
END_TEST

START_TEST(test_refusals)
{
    struct markov_stage s[] = {{1, 200, 1, 1}, {1, 250, 1, 1}}, few = {1, 2, 3, 1}, none = {0, 2, 1, 1};
    ck_assert_int_eq(markov_tandem_solve(1, true, s, 2), MODEL_ESTATES);
    ck_assert_int_eq(markov_tandem_solve(1, true, s, 0), MODEL_ESTAGES);
    ck_assert_int_eq(markov_tandem_solve(1, true, s, MARKOV_STAGES_MAX + 1), MODEL_ESTAGES);
    ck_assert_int_eq(markov_tandem_solve(0, true, s, 1), MODEL_EARRIVALS);
    ck_assert_int_eq(markov_tandem_solve(1, true, &few, 1), MODEL_ECAPACITY);
    ck_assert_int_eq(markov_tandem_solve(1, true, &none, 1), MODEL_ESERVICE);
    s[0].places = s[1].places = UINT32_MAX; /* the number of codes does not overflow */
    ck_assert_int_eq(markov_tandem_solve(1, true, s, 2), MODEL_ESTATES);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("markov_tandem");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_two_stages_of_two_places);
    tcase_add_test(core, test_three_stages_of_eight_places);
    tcase_add_test(core, test_several_servers);
    tcase_add_test(core, test_loss);
    tcase_add_test(core, test_one_stage_that_blocks);
    tcase_add_test(core, test_refusals);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
