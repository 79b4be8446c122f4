#include "model/queue/single_queue.h"

#include <check.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/assert_no_numbers.h"
#include "tests/run_suite.h"

/* The closed forms of M/M/1/K evaluated with 80 decimal digits (Python's decimal), where nothing cancels.
 * By hand: rho_o = 1/2, K = 2 gives P = 4/7, 2/7, 1/7, so rho = 3/7, N_G = 4/7, N_Q = 1/7; rho_o = 2 is its
 * mirror image, P = 1/7, 2/7, 4/7; K = 1, rho_o = 3/4 is Erlang's loss, P_1 = 0.75/1.75 = 3/7. The last row
 * is rho_o = 1: all 601 states alike, N_G = 300, N_Q = 300 - 600/601. */
static const struct {
    double lambda_offered_per_s, mu_per_s;
    unsigned k;
    double rho, p_k, n_g, n_q;
} offered[] = {
    {1, 2, 2, 3.0 / 7, 1.0 / 7, 4.0 / 7, 1.0 / 7},
    {2, 1, 2, 6.0 / 7, 4.0 / 7, 10.0 / 7, 4.0 / 7},
    {3, 4, 1, 3.0 / 7, 3.0 / 7, 3.0 / 7, 0},
    {1, 1e9, 5, 1e-9, 9.99999999000000000e-46, 1.00000000100000000e-9, 1.00000000100000000e-18},
    {1e12, 1, 5, 1, 9.99999999999000000e-1, 4.99999999999900000, 3.99999999999900000},
    {10065, 10000, 600, 9.99864864808296906e-1, 6.59228533701251285e-3, 458.648653879009170,
     457.648789014200873},
    {1, 2, 1000000, 0.5, 0, 1, 0.5},
    {2, 1, 1000000, 1, 0.5, 999999, 999998},
    {1000001, 1000000, 1000000, 9.99999418023753467e-1, 1.58197466455826724e-6, 581976.828509178335,
     581975.828509760312},
    {999999, 1000000, 1000000, 9.99998418024674140e-1, 5.81975907836317051e-7, 418023.092164264925,
     418022.092165846900},
    {1, 1, 600, 600.0 / 601, 1.0 / 601, 300, 300 - 600.0 / 601},
};

START_TEST(test_offered_form_against_80_digits)
{
    struct queue_result q;

    ck_assert_int_eq(
        mm1k_solve_offered(offered[_i].lambda_offered_per_s, offered[_i].mu_per_s, offered[_i].k, &q), 0);
    assert_close(q.rho, offered[_i].rho, 1e-13);
    assert_close(q.p_k, offered[_i].p_k, 1e-13);
    assert_close(q.n_g, offered[_i].n_g, 1e-13);
    assert_close(q.n_q, offered[_i].n_q, 1e-13);
    ck_assert_double_eq(q.p_bp, q.p_k);
}
END_TEST

/* Roots found with 80 digits by bisection. By hand: K = 1 has rho = rho_o/(1 + rho_o), so rho_o = rho/(1 -
 * rho); K = 2, rho = 6/7 is the mirror row above; rho = K/(K+1) is rho_o = 1 with N_G = K/2. */
static const struct {
    double lambda_per_s, mu_per_s;
    unsigned k;
    double rho_offered, p_k, n_g, n_q;
} actual[] = {
    {3, 4, 1, 3, 0.75, 0.75, 0},
    {1, 4, 1, 1.0 / 3, 0.25, 0.25, 0},
    {999999999, 1000000000, 1, 999999999, 0.999999999, 0.999999999, 0},
    {3, 7, 2, 0.5, 1.0 / 7, 4.0 / 7, 1.0 / 7},
    {6, 7, 2, 2, 4.0 / 7, 10.0 / 7, 4.0 / 7},
    {1, 1e9, 5, 1e-9, 9.99999999000000000e-46, 1.00000000100000000e-9, 1.00000000100000000e-18},
    {999999999, 1000000000, 10, 7.83556669045199368, 8.72376812232541265e-1, 9.85370635175035119,
     8.85370635275035119},
    {999999, 1000000, 10, 3.86359886990429593, 7.41174217699061838e-1, 9.65079291987797839,
     8.65079391987797839},
    {999, 1000, 600, 1.00157509059540311, 2.57104097294622962e-3, 346.681237787542095, 345.682237787542095},
    {1, 2, 1000000, 0.5, 0, 1, 0.5},
    {99999, 100000, 1000000, 9.99990000454178292e-1, 4.54182833284436547e-10, 99958.1220517448858,
     99957.1220617448858},
    {999999, 1000000, 1000000, 9.99999999998000001e-1, 9.99998000002666663e-7, 499999.833333055556,
     499998.833334055556},
    {1999999, 2000000, 1000000, 1.00000125643012397, 1.75642791714153987e-6, 602047.507091014836,
     602046.507091514836},
    {1000000, 1000001, 1000000, 1, 1.0 / 1000001, 500000, 500000 - 1000000.0 / 1000001},
    {600, 601, 600, 1, 1.0 / 601, 300, 300 - 600.0 / 601},
    {1, 2, 1, 1, 0.5, 0.5, 0},
};

START_TEST(test_actual_form_against_80_digits)
{
    struct queue_result q;

    ck_assert_int_eq(mm1k_solve_actual(actual[_i].lambda_per_s, actual[_i].mu_per_s, actual[_i].k, &q), 0);
    assert_close(q.rho_offered, actual[_i].rho_offered, 1e-13);
    assert_close(q.p_k, actual[_i].p_k, 1e-12);
    assert_close(q.n_g, actual[_i].n_g, 1e-12);
    assert_close(q.n_q, actual[_i].n_q, 1e-12);
    ck_assert_double_eq(q.lambda_per_s, actual[_i].lambda_per_s);
    ck_assert_double_eq(q.p_bp, q.p_k);
}
END_TEST

static const double loads[] = {1e-9, 1e-3, 0.3, 0.9, 0.999, 1, 1.001, 1.5, 10, 1e6};
static const unsigned capacities[] = {1, 2, 3, 10, 600, 1000000};

/* Offered to actual and back. rho_o > 1 can come back while 1 - rho, about rho_o^-K, is well above the
 * spacing of doubles near 1 (1.1e-16): above 1e-9 its own rounding is 1e-7 relative, and ln rho_o moves by
 * that over K. */
START_TEST(test_actual_form_inverts_offered_form)
{
    double rho_offered = loads[_i];
    struct queue_result there, back;

    for (int i = 0; i < COUNT_OF(capacities); i++) {
        unsigned k = capacities[i];
        ck_assert_int_eq(mm1k_solve_offered(rho_offered * 5, 5, k, &there), 0);
        if (1 - there.rho < 1e-9)
            continue;
        ck_assert_int_eq(mm1k_solve_actual(there.lambda_per_s, 5, k, &back), 0);
        assert_close(back.rho_offered, rho_offered, 1e-6);
        assert_close(back.lambda_offered_per_s, back.lambda_per_s / (1 - back.p_k), 1e-9);
    }
}
END_TEST

/* Slow and obvious: weights rho_o^n (rho_o^(n-K) above 1), summed one by one. */
START_TEST(test_means_are_those_of_the_distribution)
{
    double rho_offered = loads[_i];

    for (int i = 0; i < 5; i++) {
        unsigned k = capacities[i];
        double weight = 0, jobs = 0, waiting = 0;
        for (unsigned n = 0; n <= k; n++) {
            double w = pow(rho_offered, rho_offered > 1 ? (double)n - k : n);
            weight += w;
            jobs += n * w;
            waiting += n > 0 ? (n - 1) * w : 0;
        }
        struct queue_result q;
        ck_assert_int_eq(mm1k_solve_offered(rho_offered, 1, k, &q), 0);
        assert_close(q.n_g, jobs / weight, 1e-12);
        assert_close(q.n_q, waiting / weight, 1e-12);
    }
}
END_TEST

/* No assertion inside the loop over n: Check reports each one to its parent process. */
START_TEST(test_probabilities_sum_to_one)
{
    double rho_offered = loads[_i];

    for (int i = 0; i < COUNT_OF(capacities); i++) {
        unsigned k = capacities[i];
        double sum = 0, p = NAN;
        int errors = 0;
        for (unsigned n = 0; n <= k; n++) {
            errors += mm1k_p_equal(rho_offered, k, n, &p) != 0;
            sum += p;
        }
        ck_assert_int_eq(errors, 0);
        ck_assert_double_eq_tol(sum, 1, 1e-9);
        ck_assert_int_eq(mm1k_p_equal(rho_offered, k, k + 1, &p), 0);
        ck_assert_double_eq(p, 0);
    }
}
END_TEST

/* N = lambda W with the rate that enters; the server holds rho of N_G and 1/mu of W_G. */
START_TEST(test_littles_law)
{
    double mu_per_s = 49.9e6;
    struct queue_result q;

    for (int i = 0; i < COUNT_OF(capacities); i++) {
        ck_assert_int_eq(mm1k_solve_offered(loads[_i] * mu_per_s, mu_per_s, capacities[i], &q), 0);
        assert_close(q.n_g, q.lambda_per_s * q.w_g_s, 1e-13);
        assert_close(q.n_q, q.lambda_per_s * q.w_q_s, 1e-13);
        assert_close(q.n_g, q.n_q + q.rho, 1e-13);
        assert_close(q.w_g_s, q.w_q_s + 1 / mu_per_s, 1e-13);
        assert_close(q.lambda_per_s, q.lambda_offered_per_s * (1 - q.p_k), 1e-9);
    }
}
END_TEST

/* rho_o = 1: all K + 1 states alike. One double beside it nothing may jump: d N_G / d rho_o = K (K + 2) / 12,
 * so a step of 2e-16 moves N_G of K = 10^6 by 2e-5. */
START_TEST(test_offered_load_one_is_a_smooth_point)
{
    for (int i = 0; i < COUNT_OF(capacities); i++) {
        unsigned k = capacities[i];
        double beside[] = {nextafter(1, 0), 1, nextafter(1, 2), 1 + 1e-13, 1 - 1e-13};
        for (int j = 0; j < COUNT_OF(beside); j++) {
            struct queue_result q;
            double step = fabs(beside[j] - 1) * k * (k + 2.0) / 12;
            ck_assert_int_eq(mm1k_solve_offered(beside[j], 1, k, &q), 0);
            ck_assert_double_eq_tol(q.n_g, k / 2.0, 1.01 * step + 1e-15 * k);
            assert_close(q.p_k, 1 / (k + 1.0), 1e-6);
        }
    }
}
END_TEST

/* 0.9^1000 is 2e-46: the bound is out of reach and M/M/1/K is M/M/1, where rho_o = rho. */
START_TEST(test_many_places_are_an_unbounded_queue)
{
    struct queue_result bounded, unbounded;

    ck_assert_int_eq(mm1k_solve_actual(0.9, 1, 1000, &bounded), 0);
    ck_assert_int_eq(mm1_solve(0.9, 1, 1000, &unbounded), 0);
    assert_close(bounded.rho_offered, unbounded.rho, 1e-13);
    assert_close(bounded.n_g, unbounded.n_g, 1e-13);
    assert_close(bounded.w_q_s, unbounded.w_q_s, 1e-13);
}
END_TEST

/* lambda = 2^53 - 1, mu = 2^53: P_0 = 1 - rho = 2^-53. K = 1: rho_o = rho/(1 - rho) = 2^53 - 1. Any K: P_0 is
 * below rho_o^-K, so ln rho_o < 53 ln 2 / K, and it is positive, since rho is above K/(K+1). */
START_TEST(test_last_rate_below_saturation)
{
    struct queue_result q;

    ck_assert_int_eq(mm1k_solve_actual(0x1p53 - 1, 0x1p53, 1, &q), 0);
    assert_close(q.rho_offered, 0x1p53 - 1, 1e-13);
    ck_assert_int_eq(mm1k_solve_actual(0x1p53 - 1, 0x1p53, 1000000, &q), 0);
    ck_assert(q.rho_offered > 1 && q.rho_offered < exp(53 * M_LN2 / 1000000));
    ck_assert(q.n_g < 1000000 && q.n_g > 900000);
}
END_TEST

START_TEST(test_idle_stage_takes_one_service)
{
    struct queue_result q, knocked;
    double p;

    ck_assert_int_eq(mm1k_solve_actual(0, 4, 10, &q), 0);
    ck_assert_int_eq(mm1k_solve_offered(0, 4, 10, &knocked), 0);
    ck_assert_double_eq(q.rho_offered, 0);
    ck_assert_double_eq(q.n_g, 0);
    ck_assert_double_eq(q.n_q, 0);
    ck_assert_double_eq(q.w_g_s, 0.25);
    ck_assert_double_eq(q.w_q_s, 0);
    ck_assert_double_eq(q.p_k, 0);
    ck_assert_mem_eq(&q, &knocked, sizeof(q));
    ck_assert_int_eq(mm1k_p_equal(0, 10, 0, &p), 0);
    ck_assert_double_eq(p, 1);
    ck_assert_int_eq(mm1k_p_equal(0, 10, 1, &p), 0);
    ck_assert_double_eq(p, 0);
}
END_TEST

START_TEST(test_no_offered_rate_explains_saturation)
{
    struct queue_result q;

    ck_assert_int_eq(mm1k_solve_actual(3, 3, 10, &q), MODEL_ENOSOLUTION);
    assert_no_numbers(&q);
    ck_assert_int_eq(mm1k_solve_actual(4, 3, 10, &q), MODEL_ENOSOLUTION);
    assert_no_numbers(&q);
}
END_TEST

START_TEST(test_arguments_outside_the_domain)
{
    static const struct {
        double lambda_per_s, mu_per_s;
        unsigned k;
        int status;
    } bad[] = {
        {-1, 1, 5, MODEL_EARRIVALS}, {NAN, 1, 5, MODEL_EARRIVALS},     {INFINITY, 1, 5, MODEL_EARRIVALS},
        {1, 0, 5, MODEL_ESERVICE},   {1, -1, 5, MODEL_ESERVICE},       {1, NAN, 5, MODEL_ESERVICE},
        {1, 2, 0, MODEL_ECAPACITY},  {1, INFINITY, 5, MODEL_ESERVICE}, {1e300, 1e-300, 5, MODEL_ELOAD}};
    struct queue_result q;
    double p;

    for (int i = 0; i < COUNT_OF(bad); i++) {
        ck_assert_int_eq(mm1k_solve_actual(bad[i].lambda_per_s, bad[i].mu_per_s, bad[i].k, &q),
                         bad[i].status);
        assert_no_numbers(&q);
        ck_assert_int_eq(mm1k_solve_offered(bad[i].lambda_per_s, bad[i].mu_per_s, bad[i].k, &q),
                         bad[i].status);
        assert_no_numbers(&q);
    }
    ck_assert_int_eq(mm1k_p_equal(-1, 5, 0, &p), MODEL_ELOAD);
    ck_assert_double_nan(p);
    ck_assert_int_eq(mm1k_p_equal(1, 0, 0, &p), MODEL_ECAPACITY);
    ck_assert_double_nan(p);
}
END_TEST

static void some_handler(const char *reason, const char *file, int line, int gsl_errno)
{
    ck_abort_msg("%s:%d: %s (%d)", file, line, reason, gsl_errno);
}

START_TEST(test_gsl_error_handler_is_put_back)
{
    struct queue_result q;

    gsl_set_error_handler(some_handler);
    ck_assert_int_eq(mm1k_solve_actual(2, 3, 10, &q), 0);
    ck_assert(gsl_set_error_handler(NULL) == some_handler);
}
END_TEST

static Suite *mm1k_suite(void)
{
    Suite *suite = suite_create("mm1k");
    TCase *core = tcase_create("core");
    TCase *limits = tcase_create("limits");
    TCase *errors = tcase_create("errors");

    tcase_set_timeout(core, 60); /* the distribution of 10^6 places, under sanitizers */
    tcase_add_loop_test(core, test_offered_form_against_80_digits, 0, COUNT_OF(offered));
    tcase_add_loop_test(core, test_actual_form_against_80_digits, 0, COUNT_OF(actual));
    tcase_add_loop_test(core, test_actual_form_inverts_offered_form, 0, COUNT_OF(loads));
    tcase_add_loop_test(core, test_means_are_those_of_the_distribution, 0, COUNT_OF(loads));
    tcase_add_loop_test(core, test_probabilities_sum_to_one, 0, COUNT_OF(loads));
    tcase_add_loop_test(core, test_littles_law, 0, COUNT_OF(loads));
    tcase_add_test(limits, test_offered_load_one_is_a_smooth_point);
    tcase_add_test(limits, test_many_places_are_an_unbounded_queue);
    tcase_add_test(limits, test_last_rate_below_saturation);
    tcase_add_test(limits, test_idle_stage_takes_one_service);
    tcase_add_test(errors, test_no_offered_rate_explains_saturation);
    tcase_add_test(errors, test_arguments_outside_the_domain);
    tcase_add_test(errors, test_gsl_error_handler_is_put_back);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, errors);
    return suite;
}

int main(void)
{
    return run_suite(mm1k_suite());
}
