/* test_em1.c - E_n/M/1 against M/M/1, D/M/1 and a sum over the states of its phases. */
#include "model/queue/single_queue.h"

#include <check.h>
#include <math.h>

#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/assert_no_numbers.h"
#include "tests/run_suite.h"

static const double loads[] = {1e-6, 1e-3, 0.3, 0.6, 0.9, 0.999};

/* Nothing is packed: M/M/1. */
START_TEST(test_one_phase_is_mm1)
{
    struct queue_result q, mm1;
    ck_assert_int_eq(em1_solve(3 * loads[_i], 3, 1, &q), 0);
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
    ck_assert_int_eq(em1_solve(0.6, 1, 16, &q), 0);
    assert_close(q.n_q, 0.3248274246817428, 1e-12); /* the root by python's Decimal, 40 digits */
    assert_close(q.n_q, mean_queue_of_phases(0.6, 16), 1e-6);
    ck_assert_int_eq(em1_solve(0.8, 1, 3, &q), 0);
    assert_close(q.n_q, mean_queue_of_phases(0.8, 3), 1e-6);
    assert_close(q.n_g - q.n_q, 0.8, 1e-12);
    assert_close(q.n_q, 0.8 * q.w_q_s, 1e-12);
}
END_TEST

/* Many phases are D/M/1: s = exp(-(1 - s) / rho), which is 0.203187869979980 at rho 1/2 (Gross and Harris, 2.9.3). */
START_TEST(test_many_phases_are_constant)
{
    struct queue_result q;
    ck_assert_int_eq(em1_solve(0.5, 1, 100000000, &q), 0);
    assert_close(q.w_q_s, 0.203187869979980 / (1 - 0.203187869979980), 1e-7);
}
END_TEST

START_TEST(test_what_is_refused)
{
    struct queue_result q;
    ck_assert_int_eq(em1_solve(1, 1, 4, &q), MODEL_EUNSTABLE);
    assert_no_numbers(&q);
    ck_assert_int_eq(em1_solve(0.5, 1, 0, &q), MODEL_EBATCH);
    ck_assert_int_eq(em1_solve(-1, 1, 4, &q), MODEL_EARRIVALS);
    ck_assert_int_eq(em1_solve(1, 0, 4, &q), MODEL_ESERVICE);
    ck_assert_int_eq(em1_solve(0, 2, 4, &q), 0);
    ck_assert_double_eq(q.n_q, 0);
    ck_assert_double_eq(q.w_g_s, 0.5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("em1");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_one_phase_is_mm1, 0, COUNT_OF(loads));
    tcase_add_test(core, test_phases_by_states);
    tcase_add_test(core, test_many_phases_are_constant);
    tcase_add_test(core, test_what_is_refused);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
