#include "model/queue/single_queue.h"

#include <check.h>
#include <stdlib.h>

#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/assert_no_numbers.h"
#include "tests/run_suite.h"

/* lambda 2/s, mu 3/s, so rho = 2/3: N_G = (2/3)/(1/3) = 2, N_Q = (4/9)/(1/3) = 4/3, W_G = 1/(mu - lambda) = 1
 * s, W_Q = W_G - 1/mu = 2/3 s; with K = 2: P[N >= 2] = 4/9, P[N = 2] = 1/3 x 4/9 = 4/27. */
START_TEST(test_textbook_values)
{
    struct queue_result q;

    ck_assert_int_eq(mm1_solve(2, 3, 2, &q), 0);
    assert_close(q.rho, 2.0 / 3, 1e-15);
    assert_close(q.n_g, 2, 1e-15);
    assert_close(q.n_q, 4.0 / 3, 1e-15);
    assert_close(q.w_g_s, 1, 1e-15);
    assert_close(q.w_q_s, 2.0 / 3, 1e-15);
    assert_close(q.p_bp, 4.0 / 9, 1e-15);
    assert_close(q.p_k, 4.0 / 27, 1e-15);
}
END_TEST

START_TEST(test_nothing_is_lost)
{
    struct queue_result q;

    ck_assert_int_eq(mm1_solve(2, 3, 1, &q), 0);
    ck_assert_double_eq(q.rho_offered, q.rho);
    ck_assert_double_eq(q.lambda_offered_per_s, q.lambda_per_s);
}
END_TEST

/* Little: N = lambda W; server: N_G - N_Q = rho, W_G - W_Q = 1/mu. */
START_TEST(test_littles_law)
{
    static const double rho[] = {1e-9, 0.1, 0.5, 0.9, 0.999};
    double mu_per_s = 49.9e6;
    struct queue_result q;

    ck_assert_int_eq(mm1_solve(rho[_i] * mu_per_s, mu_per_s, 0, &q), 0);
    assert_close(q.n_g, q.lambda_per_s * q.w_g_s, 1e-14);
    assert_close(q.n_q, q.lambda_per_s * q.w_q_s, 1e-14);
    assert_close(q.n_g, q.n_q + q.rho, 1e-14);
    assert_close(q.w_g_s, q.w_q_s + 1 / mu_per_s, 1e-14);
}
END_TEST

START_TEST(test_idle_stage_takes_one_service)
{
    struct queue_result q;

    ck_assert_int_eq(mm1_solve(0, 4, 10, &q), 0);
    ck_assert_double_eq(q.n_g, 0);
    ck_assert_double_eq(q.n_q, 0);
    ck_assert_double_eq(q.w_g_s, 0.25);
    ck_assert_double_eq(q.w_q_s, 0);
    ck_assert_double_eq(q.p_bp, 0);
}
END_TEST

/* lambda = 2^53 - 1, mu = 2^53, neighbouring doubles: mu - lambda = 1, so N_G = lambda and W_G = 1 s,
 * exactly. */
START_TEST(test_last_rate_below_saturation)
{
    struct queue_result q;

    ck_assert_int_eq(mm1_solve(0x1p53 - 1, 0x1p53, 0, &q), 0);
    ck_assert_double_eq(q.n_g, 0x1p53 - 1);
    ck_assert_double_eq(q.w_g_s, 1);
}
END_TEST

START_TEST(test_no_back_pressure_without_capacity)
{
    struct queue_result q;

    ck_assert_int_eq(mm1_solve(2, 3, 0, &q), 0);
    ck_assert_double_nan(q.p_bp);
    ck_assert_double_nan(q.p_k);
}
END_TEST

START_TEST(test_saturation_has_no_number)
{
    struct queue_result q;

    ck_assert_int_eq(mm1_solve(3, 3, 10, &q), MODEL_EUNSTABLE);
    assert_no_numbers(&q);
    ck_assert_int_eq(mm1_solve(4, 3, 10, &q), MODEL_EUNSTABLE);
    assert_no_numbers(&q);
}
END_TEST

START_TEST(test_rates_outside_the_domain)
{
    static const struct {
        double lambda_per_s, mu_per_s;
        int status;
    } bad[] = {{-1, 1, MODEL_EARRIVALS},      {NAN, 1, MODEL_EARRIVALS},   {INFINITY, 1, MODEL_EARRIVALS},
               {1, 0, MODEL_ESERVICE},        {1, -1, MODEL_ESERVICE},     {1, NAN, MODEL_ESERVICE},
               {1, INFINITY, MODEL_ESERVICE}, {1e300, 1e-300, MODEL_ELOAD}};
    struct queue_result q;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert_int_eq(mm1_solve(bad[i].lambda_per_s, bad[i].mu_per_s, 10, &q), bad[i].status);
        assert_no_numbers(&q);
    }
}
END_TEST

START_TEST(test_every_code_has_a_text)
{
    static const int codes[] = {0,
                                MODEL_EUNSTABLE,
                                MODEL_ENOSOLUTION,
                                MODEL_EUPSTREAM,
                                MODEL_EUNKNOWN,
                                MODEL_ECONVERGE,
                                MODEL_EARRIVALS,
                                MODEL_ESERVICE,
                                MODEL_ELOAD,
                                MODEL_ECAPACITY,
                                MODEL_ESCV,
                                MODEL_EBATCH,
                                MODEL_ESTAGES,
                                MODEL_EFACTOR,
                                MODEL_EOVERDRIVE,
                                MODEL_EPASS,
                                MODEL_ERETURN,
                                MODEL_EINPUT,
                                MODEL_EYIELD,
                                MODEL_EDELAY,
                                MODEL_ECLOCK,
                                MODEL_EBUS,
                                MODEL_EWORD,
                                MODEL_EHSP,
                                MODEL_EP_1A,
                                MODEL_EP_1B,
                                MODEL_EP_1BP,
                                MODEL_EP_2,
                                MODEL_EM_1B,
                                MODEL_EM_2,
                                MODEL_ETRIPS,
                                MODEL_ESUPPLY,
                                MODEL_EMARGIN};
    enum { COUNT = sizeof(codes) / sizeof(codes[0]) };

    for (int i = 0; i < COUNT; i++) {
        ck_assert_str_ne(model_error_text(codes[i]), model_error_text(1));
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(model_error_text(codes[i]), model_error_text(codes[j]));
    }
}
END_TEST

static Suite *mm1_suite(void)
{
    Suite *suite = suite_create("mm1");
    TCase *core = tcase_create("core");
    TCase *limits = tcase_create("limits");
    TCase *errors = tcase_create("errors");

    tcase_add_test(core, test_textbook_values);
    tcase_add_test(core, test_nothing_is_lost);
    tcase_add_loop_test(core, test_littles_law, 0, 5);
    tcase_add_test(limits, test_idle_stage_takes_one_service);
    tcase_add_test(limits, test_last_rate_below_saturation);
    tcase_add_test(limits, test_no_back_pressure_without_capacity);
    tcase_add_test(errors, test_saturation_has_no_number);
    tcase_add_test(errors, test_rates_outside_the_domain);
    tcase_add_test(errors, test_every_code_has_a_text);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, errors);
    return suite;
}

int main(void)
{
    return run_suite(mm1_suite());
}
