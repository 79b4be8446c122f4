/* test_mmpp_queue.c - MMPP/M/1 and MMPP/M/1/K: equal rates are M/M/1 and M/M/1/K; an on-off stream is a renewal
 * process, GI/M/1; all others against the balance of their Markov chain, by Gaussian elimination. */
#include "model/queue/mmpp_queue.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "model/model_error.h"
#include "model/queue/general_queue.h"
#include "tests/assert_close.h"
#include "tests/assert_no_numbers.h"
#include "tests/run_suite.h"

static const struct source {
    double rate[2], leave[2], mu;
} sources[] = {
    {{1.5, 0.2}, {0.3, 0.2}, 1.2}, /* more than can be served in the first state */
    {{0.2, 1.5}, {0.2, 0.3}, 1.2}, /* the same, the states named the other way round */
    {{0.9, 0}, {0.5, 0.25}, 0.7},  /* on-off */
    {{0, 2.5}, {0.1, 2}, 1},       {{0.4, 0.7}, {10, 30}, 1},
    {{0.6, 0.3}, {0, 0.5}, 1}, /* the second state is never seen again */
};

static double solve(const struct source *s, unsigned k, bool holds, double *p, size_t count,
                    struct queue_result *q)
{
    double mean;
    const struct duration d = duration_mmpp(s->rate, s->leave, &mean);
    ck_assert_int_eq(k > 0 ? mmppm1k_solve(1 / mean, s->mu, &d, k, holds, p, count, q)
                           : mmppm1_solve(1 / mean, s->mu, &d, 0, p, count, q),
                     0);
    return 1 / mean;
}

/* --- the Markov chain, solved by elimination ------------------------------------------------------------- */

enum { LEVELS_MAX = 400, STATES_MAX = 2 * LEVELS_MAX };

static double balance[STATES_MAX][STATES_MAX + 1];

static void flow(unsigned from, unsigned to, double rate)
{
    balance[to][from] += rate;
    balance[from][from] -= rate;
}

/* Solve balance x = 0 with the sum 1 in place of the last row; the largest pivot of a column is taken. */
static void eliminate(unsigned n, double *x)
{
    for (unsigned i = 0; i <= n; i++)
        balance[n - 1][i] = 1;
    for (unsigned c = 0; c < n; c++) {
        unsigned best = c;
        for (unsigned r = c; r < n; r++)
            best = fabs(balance[r][c]) > fabs(balance[best][c]) ? r : best;
        for (unsigned i = c; i <= n; i++) {
            const double swapped = balance[c][i];
            balance[c][i] = balance[best][i];
            balance[best][i] = swapped;
        }
        for (unsigned r = c + 1; r < n; r++) {
            const double times = balance[r][c] / balance[c][c];
            for (unsigned i = c; i <= n && times != 0; i++)
                balance[r][i] -= times * balance[c][i];
        }
    }
    for (unsigned r = n; r-- > 0;) {
        x[r] = balance[r][n];
        for (unsigned i = r + 1; i < n; i++)
            x[r] -= balance[r][i] * x[i];
        x[r] /= balance[r][r];
    }
}

/* P[N = 0] to P[N = levels]. With `held` the last level is that of a source that stands still. */
static void find_states(const struct source *s, unsigned levels, bool held, double *p)
{
    const unsigned n = 2 * (levels + 1);
    double x[STATES_MAX];
    ck_assert_uint_le(n, STATES_MAX);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j <= n; j++)
            balance[i][j] = 0;
    for (unsigned level = 0; level <= levels; level++)
        for (unsigned state = 0; state < 2; state++) {
            const unsigned here = 2 * level + state;
            if (level < levels)
                flow(here, here + 2, s->rate[state]);
            if (level < levels || !held)
                flow(here, here ^ 1U, s->leave[state]);
            if (level > 0)
                flow(here, here - 2, s->mu);
        }
    eliminate(n, x);
    for (unsigned level = 0; level <= levels; level++)
        p[level] = x[2 * level] + x[2 * level + 1];
}

static void assert_near(double actual, double expected)
{
    ck_assert_msg(fabs(actual - expected) <= 1e-9 * fabs(expected) + 1e-12, "%.17g instead of %.17g", actual,
                  expected);
}

START_TEST(test_bounded_by_states)
{
    static const unsigned places[] = {1, 2, 7, 40};
    const struct source *s = &sources[_i];
    for (unsigned k = 0; k < COUNT_OF(places); k++)
        for (unsigned holds = 0; holds < 2; holds++) {
            double p[64], expected[64], mean = 0, waiting = 0;
            struct queue_result q;
            const unsigned top = places[k] + holds;
            const double lambda = solve(s, places[k], holds, p, 64, &q);
            find_states(s, top, holds, expected);
            for (unsigned n = 0; n <= top; n++) {
                assert_near(p[n], expected[n]);
                mean += n * expected[n];
                waiting += n > 0 ? (n - 1) * expected[n] : 0;
            }
            ck_assert_double_eq(p[top + 1], 0);
            assert_near(q.n_g, mean);
            assert_near(q.n_q, waiting);
            assert_near(q.p_k, expected[top]);
            assert_near(q.p_bp, expected[top] + (holds ? expected[top - 1] : 0));
            assert_near(q.lambda_per_s, s->mu * (1 - expected[0]));
            assert_near(q.w_g_s, mean / q.lambda_per_s);
            assert_near(q.w_q_s, waiting / q.lambda_per_s);
            assert_near(q.lambda_offered_per_s, lambda);
        }
}
END_TEST

/* There are so many levels that what is above them is below 1e-12. */
START_TEST(test_unbounded_by_states)
{
    const struct source *s = &sources[_i];
    static double p[LEVELS_MAX], expected[LEVELS_MAX];
    double mean = 0, waiting = 0;
    struct queue_result q;
    solve(s, 0, false, p, LEVELS_MAX, &q);
    find_states(s, LEVELS_MAX - 1, false, expected);
    ck_assert_double_lt(expected[LEVELS_MAX - 1], 1e-13);
    for (unsigned n = 0; n < LEVELS_MAX; n++) {
        assert_near(p[n], expected[n]);
        mean += n * expected[n];
        waiting += n > 0 ? (n - 1) * expected[n] : 0;
    }
    assert_near(q.n_g, mean);
    assert_near(q.n_q, waiting);
    assert_near(q.w_g_s, mean / q.lambda_per_s);
    assert_near(q.rho, 1 - expected[0]);
}
END_TEST

/* P[N >= K] of the unbounded queue. */
START_TEST(test_capacity_of_an_unbounded_queue)
{
    double p[20], above = 1, mean;
    struct queue_result q;
    const struct duration d = duration_mmpp(sources[0].rate, sources[0].leave, &mean);
    ck_assert_int_eq(mmppm1_solve(1 / mean, sources[0].mu, &d, 20, p, 20, &q), 0);
    for (unsigned n = 0; n < 20; n++)
        above -= p[n];
    assert_close(q.p_bp, above, 1e-10);
    ck_assert_double_lt(q.p_k, q.p_bp);
    ck_assert_int_eq(mmppm1_solve(1 / mean, sources[0].mu, &d, 7, p, 20, &q), 0);
    assert_close(q.p_k, p[7], 1e-15);
}
END_TEST

/* --- special cases --------------------------------------------------------------------------------------- */

START_TEST(test_equal_rates_are_poisson)
{
    static const double loads[] = {1e-6, 0.3, 0.9, 0.9999, 1, 3, 1e3};
    static const unsigned places[] = {1, 5, 1000, 100000};
    const double load = loads[_i];
    const struct source s = {{3 * load, 3 * load}, {0.1, 0.7}, 3};
    double p[8];
    struct queue_result q, expected;
    for (unsigned k = 0; k < COUNT_OF(places); k++) {
        solve(&s, places[k], false, p, 8, &q);
        ck_assert_int_eq(mm1k_solve_offered(3 * load, 3, places[k], &expected), 0);
        assert_close(q.n_g, expected.n_g, 1e-10);
        assert_close(q.n_q, expected.n_q, 1e-10);
        assert_close(q.w_q_s, expected.w_q_s, 1e-10);
        assert_close(q.lambda_per_s, expected.lambda_per_s, 1e-12);
        for (unsigned n = 0; n < 8; n++) {
            double one;
            ck_assert_int_eq(mm1k_p_equal(load, places[k], n, &one), 0);
            ck_assert_double_eq_tol(p[n], one, 1e-12);
        }
    }
    if (load >= 1)
        return;
    solve(&s, 0, false, p, 8, &q);
    ck_assert_int_eq(mm1_solve(3 * load, 3, 0, &expected), 0);
    assert_close(q.n_g, expected.n_g, 1e-11);
    assert_close(q.n_q, expected.n_q, 1e-11);
    assert_close(q.w_g_s, expected.w_g_s, 1e-11);
    assert_close(q.w_q_s, expected.w_q_s, 1e-11);
    assert_close(q.p_0, expected.p_0, 1e-15);
}
END_TEST

/* After each arrival an on-off stream is on: times between arrivals do not depend on each other. */
START_TEST(test_on_off_is_a_renewal_process)
{
    const struct source *s = &sources[2 + _i];
    double p[1], mean;
    struct queue_result q, expected;
    const struct duration d = duration_mmpp(s->rate, s->leave, &mean);
    ck_assert_double_eq_tol(duration_lag1(&d), 0, 1e-14);
    assert_close(duration_dispersion(&d), duration_scv(&d), 1e-13);
    solve(s, 0, false, p, 1, &q);
    ck_assert_int_eq(gim1_solve(1 / mean, s->mu, &d, &expected), 0);
    assert_close(q.n_q, expected.n_q, 1e-10);
    assert_close(q.w_g_s, expected.w_g_s, 1e-10);
}
END_TEST

/* Correlations fall by r_1 r_2 / det(D0) from lag to lag, and the dispersion is scv (1 + 2 x their sum). */
START_TEST(test_moments)
{
    const struct source *s = &sources[_i];
    double mean;
    const struct duration d = duration_mmpp(s->rate, s->leave, &mean);
    const double both = s->rate[0] * s->rate[1],
                 falls = both / (both + s->rate[0] * s->leave[1] + s->rate[1] * s->leave[0]);
    assert_close(duration_scv(&d) * (1 + 2 * duration_lag1(&d) / (1 - falls)), duration_dispersion(&d),
                 1e-10);
    /* E exp(-s T) = 1 - s + s^2 (1 + scv) / 2 - ... */
    assert_close((duration_transform(&d, 1e-4) - 1 + 1e-4) / 1e-8, (1 + duration_scv(&d)) / 2, 0.01);
}
END_TEST

/* States last for half a million arrivals and more: the queue is a fluid. The first state lasts 1e6 s on average and
 * adds 0.4 a second, the second one takes 1.1 a second. A fluid that rises and falls for exponential times is, while
 * there is any, exponential with the rate e below; it is there in the first state (2/3 of the time), and for as long
 * as it takes to drain what came in it (0.4 / 1.1 of that). */
START_TEST(test_slow_changes)
{
    const struct source s = {{2, 0.5}, {1e-6, 2e-6}, 1.6};
    double p[1];
    struct queue_result q;
    solve(&s, 0, false, p, 1, &q);
    const double e = 1e-6 / 0.4 - 2e-6 / 1.1, wet = 2.0 / 3, full = wet + wet * 0.4 / 1.1;
    assert_close(q.n_g, full / e, 1e-4);
}
END_TEST

START_TEST(test_what_is_refused)
{
    double p[4], mean;
    struct queue_result q;
    const struct duration d = duration_mmpp(sources[0].rate, sources[0].leave, &mean);
    ck_assert_int_eq(mmppm1_solve(1, 1, &d, 0, p, 4, &q), MODEL_EUNSTABLE);
    assert_no_numbers(&q);
    ck_assert_int_eq(mmppm1_solve(-1, 1, &d, 0, p, 4, &q), MODEL_EARRIVALS);
    ck_assert_int_eq(mmppm1k_solve(1, 0, &d, 1, false, p, 4, &q), MODEL_ESERVICE);
    ck_assert_int_eq(mmppm1k_solve(1, 1, &d, 0, false, p, 4, &q), MODEL_ECAPACITY);
    ck_assert_int_eq(mmppm1k_solve(1, 1, &d, MMPP_PLACES_MAX + 1, false, p, 4, &q), MODEL_ECAPACITY);
    assert_no_numbers(&q);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mmpp_queue");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 60);
    tcase_add_loop_test(core, test_bounded_by_states, 0, COUNT_OF(sources));
    tcase_add_loop_test(core, test_unbounded_by_states, 0, COUNT_OF(sources));
    tcase_add_test(core, test_capacity_of_an_unbounded_queue);
    tcase_add_loop_test(core, test_equal_rates_are_poisson, 0, 7);
    tcase_add_loop_test(core, test_on_off_is_a_renewal_process, 0, 2);
    tcase_add_loop_test(core, test_moments, 0, COUNT_OF(sources));
    tcase_add_test(core, test_slow_changes);
    tcase_add_test(core, test_what_is_refused);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
