/* test_mmc.c - several servers: against the distribution summed state by state, single servers, and Erlang's tables. */
#include "model/queue/general_queue.h"

#include <check.h>
#include <math.h>

#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/assert_no_numbers.h"
#include "tests/run_suite.h"

static const double loads[] = {1e-3, 0.3, 0.9, 0.999, 1, 1.001, 1.5, 20};
static const unsigned servers[] = {1, 2, 5, 40};
static const unsigned places[] = {1, 3, 5, 6, 60, 600};

/* Slow and obvious: P_n is proportional to the product over i <= n of lambda / (min(i, c) mu), in logarithms. */
START_TEST(test_sums_over_states)
{
    double mu_per_s = 3;
    for (int i = 0; i < COUNT_OF(servers); i++)
        for (int j = 0; j < COUNT_OF(places); j++) {
            unsigned c = servers[i], k = places[j];
            double lambda_per_s = loads[_i] * c * mu_per_s, logarithm[601] = {0}, most = 0;
            long double all = 0, number = 0, waits = 0, first = 0, last = 0;
            struct queue_result q;
            for (unsigned n = 1; n <= k; n++) {
                logarithm[n] = logarithm[n - 1] + log(lambda_per_s / ((n < c ? n : c) * mu_per_s));
                most = fmax(most, logarithm[n]);
            }
            for (unsigned n = 0; n <= k; n++) {
                last = expl(logarithm[n] - most);
                first = n == 0 ? last : first;
                all += last;
                number += n * last;
                waits += (n > c ? n - c : 0) * last;
            }
            ck_assert_int_eq(mmc_solve(lambda_per_s, mu_per_s, c, k, &q), 0);
            assert_close(q.p_k, (double)(last / all), 1e-11);
            assert_close(q.n_g, (double)(number / all), 1e-11);
            assert_close(q.n_q, (double)(waits / all), 1e-11);
            assert_close(q.p_0, (double)(first / all), 1e-10);
            assert_close(q.n_g, q.lambda_per_s * q.w_g_s, 1e-12);
            assert_close(q.rho * c, q.n_g - q.n_q, 1e-9);
        }
}
END_TEST

/* One server is M/M/1/K and M/M/1; its M/G/1 is Pollaczek and Khinchine's. */
START_TEST(test_one_server)
{
    struct queue_result many, one;
    for (int j = 0; j < COUNT_OF(places); j++) {
        ck_assert_int_eq(mmc_solve(loads[_i], 1, 1, places[j], &many), 0);
        ck_assert_int_eq(mm1k_solve_offered(loads[_i], 1, places[j], &one), 0);
        assert_close(many.n_q, one.n_q, 1e-11);
        assert_close(many.p_k, one.p_k, 1e-11);
        assert_close(many.w_g_s, one.w_g_s, 1e-11);
    }
    if (loads[_i] >= 1)
        return;
    ck_assert_int_eq(gigc_solve(loads[_i], 1, 1, 1, 13, &many), 0);
    ck_assert_int_eq(mg1_solve(loads[_i], 1, 13, &one), 0);
    assert_close(many.n_g, one.n_g, 1e-12);
    assert_close(many.w_q_s, one.w_q_s, 1e-12);
}
END_TEST

/* Two servers at rho: N_G = 2 rho / (1 - rho^2), P_0 = (1 - rho) / (1 + rho). Erlang B: two servers at load 1 lose 1/5,
 * three at load 2 lose 4/19. Many places are no bound. */
START_TEST(test_by_hand)
{
    struct queue_result q, bounded;
    ck_assert_int_eq(mmc_solve(1.5, 1, 2, 0, &q), 0);
    assert_close(q.n_g, 1.5 / (1 - 0.75 * 0.75), 1e-14);
    assert_close(q.p_0, 0.25 / 1.75, 1e-14);
    ck_assert_double_nan(q.p_k);
    ck_assert_int_eq(mmc_solve(1.5, 1, 2, 1000, &bounded), 0);
    assert_close(bounded.n_q, q.n_q, 1e-13);
    ck_assert_int_eq(mmc_solve(1, 1, 2, 2, &q), 0);
    assert_close(q.p_k, 0.2, 1e-14);
    ck_assert_int_eq(mmc_solve(2, 1, 3, 3, &q), 0);
    assert_close(q.p_k, 4.0 / 19, 1e-14);
    ck_assert_int_eq(mmc_solve(2, 1, 7, 3, &q), 0); /* four servers are never used */
    assert_close(q.p_k, 4.0 / 19, 1e-14);
    assert_close(q.rho, 2 * 15.0 / 19 / 7, 1e-14);
    ck_assert_double_eq(q.n_q, 0);
    ck_assert_int_eq(mmc_solve(0, 4, 3, 0, &q), 0);
    ck_assert_double_eq(q.w_g_s, 0.25);
    ck_assert_int_eq(mmc_solve(0.5, 1, 5000, 0, &q), 0);
    assert_close(q.p_0, exp(-0.5), 1e-15);
    ck_assert_double_eq(q.w_q_s, 0);
    /* services of equal length halve the wait */
    ck_assert_int_eq(mmc_solve(1.5, 1, 2, 0, &bounded), 0);
    ck_assert_int_eq(gigc_solve(1.5, 1, 2, 1, 0, &q), 0);
    assert_close(q.w_q_s, bounded.w_q_s / 2, 1e-14);
}
END_TEST

START_TEST(test_arguments_outside_the_domain)
{
    struct queue_result q;
    ck_assert_int_eq(mmc_solve(3, 1, 3, 0, &q), MODEL_EUNSTABLE);
    assert_no_numbers(&q);
    ck_assert_int_eq(mmc_solve(1, 1, 0, 0, &q), MODEL_ECAPACITY);
    ck_assert_int_eq(mmc_solve(1, 1, 1, MMC_PLACES_MAX + 1, &q), MODEL_ECAPACITY);
    ck_assert_int_eq(mmc_solve(-1, 1, 1, 1, &q), MODEL_EARRIVALS);
    ck_assert_int_eq(mmc_solve(1, 0, 1, 1, &q), MODEL_ESERVICE);
    ck_assert_int_eq(gigc_solve(1, 1, 2, 1, -1, &q), MODEL_ESCV);
    assert_no_numbers(&q);
}
END_TEST

static Suite *mmc_suite(void)
{
    Suite *suite = suite_create("mmc");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 60);
    tcase_add_loop_test(core, test_sums_over_states, 0, COUNT_OF(loads));
    tcase_add_loop_test(core, test_one_server, 0, COUNT_OF(loads));
    tcase_add_test(core, test_by_hand);
    tcase_add_test(core, test_arguments_outside_the_domain);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(mmc_suite());
}
