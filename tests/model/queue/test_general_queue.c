/* test_general_queue.c - queues of any law: E_n/M/1 against M/M/1, D/M/1 and a sum over the states of its phases;
 * M/G/1/K against M/M/1/K, the states of Erlang's phases, and published values; GI/G/c and Kingman. */
#include "model/queue/general_queue.h"

#include <check.h>
#include <math.h>

#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/assert_no_numbers.h"
#include "tests/run_suite.h"

static const double loads[] = {1e-6, 1e-3, 0.3, 0.6, 0.9, 0.999};

/* E_n/M/1: n of a Poisson stream make one element. */
static int packed(double lambda_per_s, double mu_per_s, unsigned n, struct queue_result *q)
{
    struct duration arrivals = duration_gamma(1.0 / n);
    return gim1_solve(lambda_per_s, mu_per_s, &arrivals, q);
}

/* Nothing is packed: M/M/1. */
START_TEST(test_one_phase_is_mm1)
{
    struct queue_result q, mm1;
    ck_assert_int_eq(packed(3 * loads[_i], 3, 1, &q), 0);
    ck_assert_int_eq(mm1_solve(3 * loads[_i], 3, 0, &mm1), 0);
    assert_close(q.n_q, mm1.n_q, 1e-12);
    assert_close(q.n_g, mm1.n_g, 1e-12);
    assert_close(q.w_q_s, mm1.w_q_s, 1e-12);
    assert_close(q.w_g_s, mm1.w_g_s, 1e-12);
    ck_assert_double_nan(q.p_bp);
}
END_TEST

/* The states are phases that have come, less n for each customer that was served: a phase comes at the rate n lambda,
 * and a service ends at the rate mu if there are n or more. Their balance is iterated, and cut off where nothing is
 * left. */
static double mean_queue_of_phases(double rho, unsigned n)
{
    enum { STATES = 800, SWEEPS = 20000 };
    static double p[STATES];
    double nl = n * rho, mean = 0, sum = 0;
    for (unsigned i = 0; i < STATES; i++)
        p[i] = 1;
    for (unsigned sweep = 0; sweep < SWEEPS;
         sweep++) /* Gauss and Seidel: inflow over outflow of each state */
        for (unsigned i = 0; i < STATES; i++) {
            double in = (i > 0 ? nl * p[i - 1] : 0) + (i + n < STATES ? p[i + n] : 0);
            p[i] = in / ((i + 1 < STATES ? nl : 0) + (i >= n ? 1 : 0));
        }
    for (unsigned i = 0; i < STATES; i++) {
        sum += p[i];
        mean += p[i] * (i >= 2 * n ? i / n - 1 : 0);
    }
    return mean / sum;
}

START_TEST(test_phases_by_states)
{
    struct queue_result q;
    ck_assert_int_eq(packed(0.6, 1, 16, &q), 0);
    assert_close(q.n_q, 0.3248274246817428, 1e-12); /* the root by python's Decimal, 40 digits */
    assert_close(q.n_q, mean_queue_of_phases(0.6, 16), 1e-6);
    ck_assert_int_eq(packed(0.8, 1, 3, &q), 0);
    assert_close(q.n_q, mean_queue_of_phases(0.8, 3), 1e-6);
    assert_close(q.n_g - q.n_q, 0.8, 1e-12);
    assert_close(q.n_q, 0.8 * q.w_q_s, 1e-12);
}
END_TEST

/* Many phases are D/M/1: s = exp(-(1 - s) / rho), which is 0.203187869979980 at rho 1/2 (Gross and Harris, 2.9.3). */
START_TEST(test_many_phases_are_constant)
{
    struct queue_result q;
    ck_assert_int_eq(packed(0.5, 1, 100000000, &q), 0);
    assert_close(q.w_q_s, 0.203187869979980 / (1 - 0.203187869979980), 1e-7);
}
END_TEST

START_TEST(test_what_is_refused)
{
    struct queue_result q;
    ck_assert_int_eq(packed(1, 1, 4, &q), MODEL_EUNSTABLE);
    assert_no_numbers(&q);
    ck_assert_int_eq(packed(-1, 1, 4, &q), MODEL_EARRIVALS);
    ck_assert_int_eq(packed(1, 0, 4, &q), MODEL_ESERVICE);
    ck_assert_int_eq(packed(0, 2, 4, &q), 0);
    ck_assert_double_eq(q.n_q, 0);
    ck_assert_double_eq(q.w_g_s, 0.5);
}
END_TEST

/* D/M/1 at a load of 0.8, from an independent solution. */
START_TEST(test_constant_arrivals)
{
    struct queue_result q;
    struct duration constant = duration_gamma(0);
    ck_assert_int_eq(gim1_solve(0.8, 1, &constant, &q), 0);
    assert_close(q.w_q_s, 1.69273, 4e-6);
    assert_close(q.n_q, 1.35418, 4e-6);
}
END_TEST

/* M/D/1/5 at an offered load of 0.9, from an independent solution. */
START_TEST(test_constant_services_with_a_bound)
{
    struct queue_result q;
    struct duration constant = duration_gamma(0);
    ck_assert_int_eq(mg1k_solve(0.9, 1, &constant, 5, NULL, &q), 0);
    assert_close(q.p_k, 0.064362, 1e-5);
    assert_close(q.n_g, 2.12470, 1e-5);
    assert_close(q.n_q, 1.28263, 1e-5);
    assert_close(q.lambda_per_s, 0.842074, 1e-5);
    assert_close(q.w_g_s, q.n_g / q.lambda_per_s, 1e-12);
    assert_close(q.rho, 1 - q.p_0, 1e-12);
}
END_TEST

START_TEST(test_exponential_services_are_mm1k)
{
    static const unsigned bounds[] = {1, 2, 7, 100, 3000};
    struct duration exponential = duration_gamma(1);
    for (unsigned i = 0; i < COUNT_OF(bounds); i++) {
        double p[3001], expected;
        struct queue_result q, mm1k;
        ck_assert_int_eq(mg1k_solve(2 * loads[_i], 2, &exponential, bounds[i], p, &q), 0);
        ck_assert_int_eq(mm1k_solve_offered(2 * loads[_i], 2, bounds[i], &mm1k), 0);
        assert_close(q.n_g, mm1k.n_g, 1e-9);
        ck_assert(bounds[i] > 1 || (q.n_q == 0 && q.w_q_s == 0)); /* nobody waits at one place */
        assert_close(q.lambda_per_s, mm1k.lambda_per_s, 1e-12);
        ck_assert_double_eq_tol(q.p_k, mm1k.p_k, 1e-12);
        for (unsigned n = 0; n <= bounds[i]; n += 1 + n / 4) {
            mm1k_p_equal(loads[_i], bounds[i], n, &expected);
            ck_assert_double_eq_tol(p[n], expected, 1e-12);
        }
    }
}
END_TEST

/* M/E_2/1/4: states of the number in the stage and the phase in service, whose balance is iterated. */
START_TEST(test_erlang_services_by_states)
{
    enum { K = 4, STATES = 2 * K + 1 };
    const double lambda = 1.3, phase = 2; /* of a service of mean 1 */
    double p[STATES], number[K + 1], sum = 0;
    struct queue_result q;
    struct duration erlang = duration_gamma(0.5);
    for (unsigned i = 0; i < STATES; i++)
        p[i] = 1;
    /* state 0 is empty; 2 n - 1 and 2 n are n in the stage with two phases and one phase left */
    for (unsigned sweep = 0; sweep < 10000; sweep++) {
        p[0] = phase * p[2] / lambda;
        for (unsigned n = 1; n <= K; n++) {
            const double out = phase + (n < K ? lambda : 0);
            p[2 * n - 1] =
                (lambda * (n > 1 ? p[2 * n - 3] : p[0]) + (n < K ? phase * p[2 * n + 2] : 0)) / out;
            p[2 * n] = ((n > 1 ? lambda * p[2 * n - 2] : 0) + phase * p[2 * n - 1]) / out;
        }
    }
    for (unsigned i = 0; i < STATES; i++)
        sum += p[i];
    ck_assert_int_eq(mg1k_solve(lambda, 1, &erlang, K, number, &q), 0);
    ck_assert_double_eq_tol(number[0], p[0] / sum, 1e-10);
    for (unsigned n = 1; n <= K; n++)
        ck_assert_double_eq_tol(number[n], (p[2 * n - 1] + p[2 * n]) / sum, 1e-10);
}
END_TEST

/* One long time among ten is a mixture, whose bound is never reached if it is far away. */
START_TEST(test_a_trace_is_the_law_of_its_times)
{
    double times[] = {2, 2, 2, 2, 20, 2, 2, 2, 2, 2}, mean;
    struct duration mixture = duration_mixture(0.1, 10), trace = duration_trace(times, 10, &mean);
    struct queue_result a, b, mg1;
    assert_close(mean, 3.8, 1e-12);
    assert_close(duration_scv(&trace), duration_scv(&mixture), 1e-12);
    ck_assert_int_eq(mg1k_solve(0.7, 1, &mixture, 9, NULL, &a), 0);
    ck_assert_int_eq(mg1k_solve(0.7, 1, &trace, 9, NULL, &b), 0);
    assert_close(a.n_g, b.n_g, 1e-12);
    assert_close(a.p_k, b.p_k, 1e-12);
    ck_assert_int_eq(mg1k_solve(0.7, 1, &mixture, 2000, NULL, &a), 0);
    ck_assert_int_eq(mg1_solve(0.7, 1, duration_scv(&mixture), &mg1), 0);
    assert_close(a.n_q, mg1.n_q, 1e-9);
    ck_assert_int_eq(gim1_solve(0.7, 1, &mixture, &a), 0);
    ck_assert_int_eq(gim1_solve(0.7, 1, &trace, &b), 0);
    assert_close(a.n_q, b.n_q, 1e-12);
}
END_TEST

/* GI/G/c is M/G/c for Poisson arrivals; Kingman is above what is exact, and meets it in heavy traffic. */
START_TEST(test_approximations)
{
    struct queue_result a, b, bound;
    struct duration constant = duration_gamma(0);
    ck_assert_int_eq(gigc_solve(2.5, 1, 3, 1, 4, &a), 0);
    ck_assert_int_eq(mmc_solve(2.5, 1, 3, 0, &b), 0);
    assert_close(a.w_q_s, 2.5 * b.w_q_s, 1e-12); /* (1 + 4) / 2 */
    assert_close(a.n_g, 2.5 + 2.5 * b.n_q, 1e-12);
    for (double rho = 0.1; rho < 1; rho += 0.1) {
        ck_assert_int_eq(gim1_solve(rho, 1, &constant, &a), 0);
        ck_assert_int_eq(kingman_solve(rho, 1, 0, 1, &bound), 0);
        ck_assert_double_gt(bound.w_q_s, a.w_q_s);
    }
    ck_assert_int_eq(gim1_solve(0.9999, 1, &constant, &a), 0);
    ck_assert_int_eq(kingman_solve(0.9999, 1, 0, 1, &bound), 0);
    assert_close(bound.w_q_s, a.w_q_s, 1e-3);
    ck_assert_int_eq(kingman_solve(1, 1, 0, 1, &bound), MODEL_EUNSTABLE);
    ck_assert_int_eq(kingman_solve(0.5, 1, -1, 1, &bound), MODEL_ESCV);
    ck_assert_int_eq(gigc_solve(0.5, 1, 1, NAN, 1, &a), MODEL_ESCV);
    ck_assert_int_eq(mg1k_solve(0.5, 1, &constant, 0, NULL, &a), MODEL_ECAPACITY);
    assert_no_numbers(&a);
}
END_TEST

/* --- classes --------------------------------------------------------------------------------------------- */

/* Two classes of exponential services at one server that ends what it has begun. States are the class that is served,
 * and how many of each class wait, up to a number that is hardly ever reached; their balance is iterated. */
enum { WAIT_MAX = 60 };

static double share_of[2][WAIT_MAX + 1][WAIT_MAX + 1], idle;

/* What ends a service so that (served, a, b) begins. */
static double ends_in(unsigned served, unsigned a, unsigned b, const double *mu)
{
    double in = 0;
    for (unsigned of = 0; of < 2; of++) {
        if (served == 0 && a < WAIT_MAX)
            in += mu[of] * share_of[of][a + 1][b];
        if (served == 1 && a == 0 && b < WAIT_MAX)
            in += mu[of] * share_of[of][0][b + 1];
    }
    return in;
}

static void find_waiting(const double *lambda, const double *mu, double *waiting)
{
    const double all = lambda[0] + lambda[1];
    double sum = idle = 1;
    for (unsigned sweep = 0; sweep < 3000; sweep++)
        for (unsigned s = 0; s < 2; s++)
            for (unsigned a = 0; a <= WAIT_MAX; a++)
                for (unsigned b = 0; b <= WAIT_MAX; b++) {
                    double in = ends_in(s, a, b, mu) + (a + b == 0 ? lambda[s] * idle : 0);
                    in += a > 0 ? lambda[0] * share_of[s][a - 1][b] : 0;
                    in += b > 0 ? lambda[1] * share_of[s][a][b - 1] : 0;
                    share_of[s][a][b] =
                        in / (mu[s] + (a < WAIT_MAX ? lambda[0] : 0) + (b < WAIT_MAX ? lambda[1] : 0));
                    if (s == 1 && a == WAIT_MAX && b == WAIT_MAX)
                        idle = (mu[0] * share_of[0][0][0] + mu[1] * share_of[1][0][0]) / all;
                }
    waiting[0] = waiting[1] = 0;
    for (unsigned s = 0; s < 2; s++)
        for (unsigned a = 0; a <= WAIT_MAX; a++)
            for (unsigned b = 0; b <= WAIT_MAX; b++) {
                sum += share_of[s][a][b];
                waiting[0] += a * share_of[s][a][b];
                waiting[1] += b * share_of[s][a][b];
            }
    sum += idle - 1;
    waiting[0] /= sum;
    waiting[1] /= sum;
}

START_TEST(test_priority_by_states)
{
    const double lambda[2] = {0.3, 0.2}, mu[2] = {2, 0.5};
    struct queue_class classes[2] = {{lambda[0], mu[0], 1}, {lambda[1], mu[1], 1}};
    struct queue_result sum;
    double waiting[2];
    ck_assert_int_eq(mg1_classes_solve(classes, 2, true, &sum), 0);
    find_waiting(lambda, mu, waiting);
    assert_close(classes[0].found.n_q, waiting[0], 1e-8);
    assert_close(classes[1].found.n_q, waiting[1], 1e-8);
    assert_close(sum.n_q, waiting[0] + waiting[1], 1e-8);
    assert_close(sum.rho, 0.3 / 2 + 0.2 / 0.5, 1e-12);
    assert_close(sum.n_g, sum.n_q + sum.rho, 1e-12);
    assert_close(sum.w_q_s, sum.n_q / 0.5, 1e-12);
    assert_close(classes[1].found.w_g_s, classes[1].found.w_q_s + 2, 1e-12);
}
END_TEST

/* First come, first served: M/G/1 of the joint stream for each. Whoever goes first, the work that waits is the same
 * (Kleinrock's conservation law), and with equal services so is the number. */
START_TEST(test_disciplines)
{
    struct queue_class fifo[2] = {{0.4, 1, 0.3}, {0.2, 1, 0.3}}, first[2] = {fifo[0], fifo[1]};
    struct queue_class one[2] = {{0.4, 2, 0}, {0.2, 0.5, 4}}, other[2] = {one[1], one[0]};
    struct queue_result sum, again, mg1;
    ck_assert_int_eq(mg1_classes_solve(fifo, 2, false, &sum), 0);
    ck_assert_int_eq(mg1_classes_solve(first, 2, true, &again), 0);
    ck_assert_int_eq(mg1_solve(0.6, 1, 0.3, &mg1), 0);
    assert_close(fifo[0].found.w_q_s, mg1.w_q_s, 1e-12);
    assert_close(fifo[1].found.w_q_s, mg1.w_q_s, 1e-12);
    assert_close(again.n_q, mg1.n_q, 1e-12);
    assert_close(first[0].found.w_q_s, mg1.w_q_s * 0.4 / 0.6, 1e-12); /* (1 - 0.6) / (1 - 0.4) of it */
    ck_assert_int_eq(mg1_classes_solve(one, 2, true, &sum), 0);
    ck_assert_int_eq(mg1_classes_solve(other, 2, true, &again), 0);
    assert_close(0.2 * one[0].found.w_q_s + 0.4 * one[1].found.w_q_s,
                 0.4 * other[0].found.w_q_s + 0.2 * other[1].found.w_q_s, 1e-12);
    ck_assert_double_lt(sum.n_q, again.n_q); /* short services first */
    one[1].lambda_per_s = 0.4;
    ck_assert_int_eq(mg1_classes_solve(one, 2, true, &sum), MODEL_EUNSTABLE);
    assert_no_numbers(&sum);
    assert_no_numbers(&one[0].found);
    one[0].service_scv = -1;
    ck_assert_int_eq(mg1_classes_solve(one, 2, true, &sum), MODEL_ESCV);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("general_queue");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_one_phase_is_mm1, 0, COUNT_OF(loads));
    tcase_add_test(core, test_phases_by_states);
    tcase_add_test(core, test_many_phases_are_constant);
    tcase_add_test(core, test_what_is_refused);
    tcase_add_test(core, test_constant_arrivals);
    tcase_add_test(core, test_constant_services_with_a_bound);
    tcase_add_loop_test(core, test_exponential_services_are_mm1k, 0, COUNT_OF(loads));
    tcase_add_test(core, test_erlang_services_by_states);
    tcase_add_test(core, test_a_trace_is_the_law_of_its_times);
    tcase_add_test(core, test_approximations);
    tcase_add_test(core, test_priority_by_states);
    tcase_add_test(core, test_disciplines);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
