#include "model/queue/single_queue.h"

#include <check.h>
#include <stdlib.h>

#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/assert_no_numbers.h"
#include "tests/run_suite.h"

static const double loads[] = {1e-9, 1e-3, 0.3, 0.5, 0.9, 0.999, 0.999999};

/* scv 1 is M/M/1: N_Q = rho^2/(1 - rho). Half of it is M/D/1. */
START_TEST(test_exponential_and_deterministic_service)
{
    struct queue_result q, mm1, md1;

    ck_assert_int_eq(mg1_solve(loads[_i] * 5, 5, 1, &q), 0);
    ck_assert_int_eq(mm1_solve(loads[_i] * 5, 5, 0, &mm1), 0);
    ck_assert_int_eq(mg1_solve(loads[_i] * 5, 5, 0, &md1), 0);
    assert_close(q.n_q, mm1.n_q, 1e-14);
    assert_close(q.n_g, mm1.n_g, 1e-14);
    assert_close(q.w_q_s, mm1.w_q_s, 1e-14);
    assert_close(q.w_g_s, mm1.w_g_s, 1e-14);
    assert_close(q.p_0, mm1.p_0, 1e-14);
    assert_close(md1.n_q, mm1.n_q / 2, 1e-14);
    ck_assert_double_nan(md1.p_bp);
}
END_TEST

/* By hand: lambda 0.5, services of 1 with 3/4 and of 3 with 1/4: mean 1.5, E[S^2] = 3/4 + 9/4 = 3, scv 1/3, rho 3/4,
 * W_Q = lambda E[S^2] / (2 (1 - rho)) = 1.5/0.5 = 3, N_Q 1.5, N_G 2.25, W_G 4.5. */
START_TEST(test_mixture_by_hand)
{
    struct queue_result q;

    ck_assert_int_eq(mg1_solve(0.5, 1 / 1.5, 1.0 / 3, &q), 0);
    assert_close(q.rho, 0.75, 1e-15);
    assert_close(q.p_0, 0.25, 1e-14);
    assert_close(q.w_q_s, 3, 1e-14);
    assert_close(q.n_q, 1.5, 1e-14);
    assert_close(q.n_g, 2.25, 1e-14);
    assert_close(q.w_g_s, 4.5, 1e-14);
}
END_TEST

/* By hand: batches of 2, one in 4 s, service 1 s exactly: rho 1/2. The first of a batch waits as in M/D/1 with
   services of
 * 2 s: 1/4 x 4 / (2 x 1/2) = 1 s; the second 1 s more: W_Q 1.5 s, N_Q 0.75, N_G 1.25. */
START_TEST(test_batches_by_hand)
{
    struct queue_result q;

    ck_assert_int_eq(mxg1_solve(0.5, 1, 0, 2, 4, &q), 0);
    assert_close(q.w_q_s, 1.5, 1e-15);
    assert_close(q.n_q, 0.75, 1e-15);
    assert_close(q.n_g, 1.25, 1e-15);
}
END_TEST

/* Geometric batches of mean m (second moment 2 m^2 - m), exponential service: N of M^[X]/M/1 is rho m / (1 - rho)
 * (Gross and Harris, "Fundamentals of queueing theory", 3rd ed., section 3.1: E[X^2] + E[X] over 2 E[X] in place of
 * 1). */
START_TEST(test_geometric_batches)
{
    for (double m = 1; m < 100; m *= 3) {
        struct queue_result q;
        ck_assert_int_eq(mxg1_solve(loads[_i], 1, 1, m, 2 * m * m - m, &q), 0);
        assert_close(q.n_g, loads[_i] * m / (1 - loads[_i]), 1e-9);
    }
}
END_TEST

START_TEST(test_batches_of_one_are_single_arrivals)
{
    struct queue_result single, batch;

    ck_assert_int_eq(mg1_solve(loads[_i], 1, 13.35, &single), 0);
    ck_assert_int_eq(mxg1_solve(loads[_i], 1, 13.35, 1, 1, &batch), 0);
    ck_assert_mem_eq(&single, &batch, sizeof single);
}
END_TEST

START_TEST(test_littles_law)
{
    struct queue_result q;

    ck_assert_int_eq(mxg1_solve(loads[_i] * 3, 3, 0.4, 2.5, 8, &q), 0);
    assert_close(q.n_q, q.lambda_per_s * q.w_q_s, 1e-14);
    assert_close(q.n_g, q.lambda_per_s * q.w_g_s, 1e-14);
    assert_close(q.n_g, q.n_q + q.rho, 1e-14);
    assert_close(q.w_g_s, q.w_q_s + 1.0 / 3, 1e-14);
}
END_TEST

/* Summed one by one: sizes 1..16 of a binomial. */
START_TEST(test_binomial_batches)
{
    static const double fractions[] = {1e-9, 0.0178, 0.0346, 0.5, 0.999};
    for (int i = 0; i < COUNT_OF(fractions); i++) {
        double p = fractions[i], term = 16 * p * pow(1 - p, 15), any = 0, first = 0, second = 0, m, m2;
        for (int n = 1; n <= 16; n++) {
            any += term;
            first += n * term;
            second += (double)n * n * term;
            term *= p / (1 - p) * (16 - n) / (n + 1);
        }
        batch_of_binomial(16, p, &m, &m2);
        assert_close(m, first / any, 1e-9);
        assert_close(m2, second / any, 1e-9);
    }
    double m, m2;
    batch_of_binomial(16, 1, &m, &m2);
    ck_assert_double_eq(m, 16);
    ck_assert_double_eq(m2, 256);
}
END_TEST

START_TEST(test_idle_stage_takes_one_service)
{
    struct queue_result q;

    ck_assert_int_eq(mg1_solve(0, 4, 2, &q), 0);
    ck_assert_double_eq(q.n_g, 0);
    ck_assert_double_eq(q.w_g_s, 0.25);
    ck_assert_double_eq(q.p_0, 1);
    ck_assert_int_eq(mxg1_solve(0, 4, 2, 3, 9, &q),
                     0); /* the second of its batch waits for one, the third for two */
    ck_assert_double_eq(q.w_g_s, 0.5);
}
END_TEST

START_TEST(test_inputs_outside_the_domain)
{
    static const struct {
        double lambda_per_s, mu_per_s, scv, mean, second;
        int status;
    } bad[] = {
        {-1, 1, 1, 1, 1, MODEL_EARRIVALS},     {NAN, 1, 1, 1, 1, MODEL_EARRIVALS},
        {1, 0, 1, 1, 1, MODEL_ESERVICE},       {1, NAN, 1, 1, 1, MODEL_ESERVICE},
        {1e300, 1e-300, 1, 1, 1, MODEL_ELOAD}, {0.5, 1, -0.1, 1, 1, MODEL_ESCV},
        {0.5, 1, NAN, 1, 1, MODEL_ESCV},       {0.5, 1, INFINITY, 1, 1, MODEL_ESCV},
        {1, 1, 1, 1, 1, MODEL_EUNSTABLE},      {2, 1, 1, 1, 1, MODEL_EUNSTABLE},
        {0.5, 1, 1, 0.9, 1, MODEL_EBATCH},     {0.5, 1, 1, NAN, 1, MODEL_EBATCH},
        {0.5, 1, 1, 2, 3.9, MODEL_EBATCH},     {0.5, 1, 1, 2, INFINITY, MODEL_EBATCH},
        {0.5, 1, 1, 1.5, 2.4, MODEL_EBATCH}, /* 1 and 2 alike: 2.5 is the least */
    };
    struct queue_result q;

    for (int i = 0; i < COUNT_OF(bad); i++) {
        ck_assert_msg(mxg1_solve(bad[i].lambda_per_s, bad[i].mu_per_s, bad[i].scv, bad[i].mean, bad[i].second,
                                 &q) == bad[i].status,
                      "row %d", i);
        assert_no_numbers(&q);
    }
    ck_assert_int_eq(mxg1_solve(0.5, 1, 1, 1.5, 2.5, &q), 0);
    ck_assert_int_eq(mg1_solve(1, 1, 1, &q), MODEL_EUNSTABLE);
    assert_no_numbers(&q);
}
END_TEST

static Suite *mg1_suite(void)
{
    Suite *suite = suite_create("mg1");
    TCase *core = tcase_create("core");
    TCase *errors = tcase_create("errors");

    tcase_add_loop_test(core, test_exponential_and_deterministic_service, 0, COUNT_OF(loads));
    tcase_add_test(core, test_mixture_by_hand);
    tcase_add_test(core, test_batches_by_hand);
    tcase_add_loop_test(core, test_geometric_batches, 0, COUNT_OF(loads));
    tcase_add_loop_test(core, test_batches_of_one_are_single_arrivals, 0, COUNT_OF(loads));
    tcase_add_loop_test(core, test_littles_law, 0, COUNT_OF(loads));
    tcase_add_test(core, test_binomial_batches);
    tcase_add_test(core, test_idle_stage_takes_one_service);
    tcase_add_test(errors, test_inputs_outside_the_domain);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, errors);
    return suite;
}

int main(void)
{
    return run_suite(mg1_suite());
}
