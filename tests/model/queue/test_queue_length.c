#include "model/queue/general_queue.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "model/queue/single_queue.h"
#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

enum { LENGTHS = 1500, LONG_LENGTHS = 3000 };

static const double loads[] = {0, 0.05, 0.3, 0.7, 0.9};
static const double scvs[] = {0, 0.25, 1, 4, 12};

static int mg1_waits(double rho, double scv, double *waits, size_t count)
{
    static const double one[] = {1};
    return queue_length_mxg1(rho, scv, one, 1, waits, count);
}

/* M/M/1: 1 - rho^2 that nobody waits, (1 - rho) rho^(n + 1) that n do, however rare it is. */
START_TEST(test_exponential_services_are_mm1)
{
    static double waits[LENGTHS];
    double rho = loads[_i];
    ck_assert_int_eq(mg1_waits(rho, 1, waits, LENGTHS), 0);
    assert_close(waits[0], 1 - rho * rho, 1e-12);
    for (int n = 1; n < LENGTHS; n++) {
        double expected = (1 - rho) * pow(rho, n + 1);
        if (expected == 0 || expected > 1e-300)
            assert_close(waits[n], expected, 1e-11);
    }
}
END_TEST

/* M/D/1: a long queue is less frequent than one that is shorter by an element by the factor z, the root above 1 of
 * exp(rho (z - 1)) = z. */
START_TEST(test_tail_of_constant_services)
{
    static const int lengths[] = {60, 200, 600};
    static double waits[LENGTHS];
    double rho = loads[_i];
    ck_assert_int_eq(mg1_waits(rho, 0, waits, LENGTHS), 0);
    for (int i = 0; i < COUNT_OF(lengths); i++) {
        double here = waits[lengths[i]], next = waits[lengths[i] + 1], z = here / next;
        if (next > 1e-290) {
            ck_assert_double_gt(z, 1);
            assert_close(exp(rho * (z - 1)), z, 1e-12);
        }
    }
}
END_TEST

/* The mean is Pollaczek and Khinchine's, and the probabilities add up to 1. */
START_TEST(test_means_are_those_of_mg1)
{
    static double waits[LENGTHS];
    double rho = loads[_i / 5 % 5], scv = scvs[_i % 5], sum = 0, mean = 0;
    struct queue_result expected;
    ck_assert_int_eq(mg1_waits(rho, scv, waits, LENGTHS), 0);
    ck_assert_int_eq(mg1_solve(rho, 1, scv, &expected), 0);
    for (int n = 0; n < LENGTHS; n++) {
        sum += waits[n];
        mean += n * waits[n];
    }
    ck_assert_double_eq_tol(sum, 1, 1e-6);
    ck_assert_double_eq_tol(mean, expected.n_q, 1e-4 * expected.n_q + 1e-9);
}
END_TEST

/* A length is as frequent as it is, however many are asked for. */
START_TEST(test_number_of_lengths)
{
    static double waits[LENGTHS], all[LENGTHS];
    double rho = loads[_i / 5 % 5], scv = scvs[_i % 5];
    mg1_waits(rho, scv, all, LENGTHS);
    for (size_t count = 1; count <= 100; count++) {
        mg1_waits(rho, scv, waits, count);
        assert_close(waits[count - 1], all[count - 1], 1e-9);
    }
}
END_TEST

/* rho 1/2, K 2: 4/7, 2/7, 1/7 in the system, so that nobody waits in 6/7 of the time and one in 1/7. rho 1: all states
 * are alike. */
START_TEST(test_bounded_queue_by_hand)
{
    double waits[4];
    ck_assert_int_eq(queue_length_mm1k(0.5, 2, waits, 4), 0);
    assert_close(waits[0], 6.0 / 7, 1e-14);
    assert_close(waits[1], 1.0 / 7, 1e-14);
    ck_assert_double_eq(waits[2], 0);
    ck_assert_int_eq(queue_length_mm1k(1, 3, waits, 4), 0);
    assert_close(waits[0], 0.5, 1e-14);
    assert_close(waits[2], 0.25, 1e-14);
}
END_TEST

/* A bound of many places at loads above 1, where powers of rho overflow: N_Q and P_K are those of the model itself. */
START_TEST(test_long_bounded_queue)
{
    static double waits[5001];
    struct queue_result expected;
    double mean = 0;
    ck_assert_int_eq(queue_length_mm1k(2.5, 5000, waits, 5001), 0);
    ck_assert_int_eq(mm1k_solve_offered(2.5, 1, 5000, &expected), 0);
    for (int n = 0; n <= 5000; n++)
        mean += n * waits[n];
    assert_close(mean, expected.n_q, 1e-9);
    assert_close(waits[4999], expected.p_k, 1e-12);
}
END_TEST

/* Batches: fixed ones, and two sizes. The mean is that of M^[X]/G/1, the probabilities add up to 1, nobody is there
 * in 1 - rho of the time, and a batch of one is M/G/1. */
START_TEST(test_batches)
{
    static const double fixed[16] = {[15] = 1}, mixed[3] = {0.75, 0, 0.25};
    static double waits[LONG_LENGTHS], single[LONG_LENGTHS];
    double rho = loads[_i / 5 % 5], scv = scvs[_i % 5];
    for (int kind = 0; kind < 2; kind++) {
        double mean_batch = kind ? 1.5 : 16, second = kind ? 3 : 256, sum = 0, mean = 0;
        struct queue_result expected;
        ck_assert_int_eq(mxg1_solve(rho / mean_batch * mean_batch, 1, scv, mean_batch, second, &expected), 0);
        ck_assert_int_eq(
            queue_length_mxg1(rho, scv, kind ? mixed : fixed, kind ? 3 : 16, waits, LONG_LENGTHS), 0);
        for (int n = 0; n < LONG_LENGTHS; n++) {
            sum += waits[n];
            mean += n * waits[n];
        }
        ck_assert_double_eq_tol(sum, 1, 1e-6);
        ck_assert_double_eq_tol(mean, expected.n_q, 1e-4 * expected.n_q + 1e-9);
    }
    static const double one[] = {1};
    ck_assert_int_eq(queue_length_mxg1(rho, scv, one, 1, waits, 50), 0);
    ck_assert_int_eq(mg1_waits(rho, scv, single, 50), 0);
    ck_assert_mem_eq(waits, single, 50 * sizeof *waits);
    ck_assert_int_eq(queue_length_mxg1(rho, scv, one, 0, waits, 50), MODEL_EBATCH);
}
END_TEST

START_TEST(test_no_answer)
{
    double waits[2];
    ck_assert_int_eq(mg1_waits(1, 1, waits, 2), MODEL_EUNSTABLE);
    ck_assert_int_eq(mg1_waits(NAN, 1, waits, 2), MODEL_EUNSTABLE);
    ck_assert_int_eq(mg1_waits(0.5, -1, waits, 2), MODEL_ESCV);
    ck_assert_int_eq(queue_length_mm1k(-1, 2, waits, 2), MODEL_EUNSTABLE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queue_length");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_exponential_services_are_mm1, 0, COUNT_OF(loads));
    tcase_add_loop_test(core, test_tail_of_constant_services, 0, COUNT_OF(loads));
    tcase_add_loop_test(core, test_means_are_those_of_mg1, 0, 25);
    tcase_add_loop_test(core, test_number_of_lengths, 0, 25);
    tcase_add_test(core, test_bounded_queue_by_hand);
    tcase_add_test(core, test_long_bounded_queue);
    tcase_add_loop_test(core, test_batches, 0, 25);
    tcase_add_test(core, test_no_answer);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
