/* Queues of clocks beside the same rules, iterated state by state. */
#include "model/queue/clocked_queue.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "tests/assert_close.h"
#include "tests/run_suite.h"

enum { STATES = 150, CLOCKS = 6000, LONG = 7 };

static void same_laws(const struct clocked_law *law, const double *expected, double tolerance)
{
    double sum = 0;
    for (unsigned n = 0; n < CLOCKED_LENGTH; n++) {
        ck_assert_double_eq_tol(law->p[n], n < STATES ? expected[n] : 0, tolerance);
        sum += law->p[n];
    }
    ck_assert_double_eq_tol(sum, 1, 1e-9);
}

static const struct clocked_law laws[] = {
    {{0.7, 0.3}},                  /* one in a clock */
    {{0.6, 0.2, 0.1, 0.05, 0.05}}, /* load 0.75 */
    {{0.85, 0, 0, 0, 0.15}},       /* four together: load 0.6 */
    {{0.4, 0.25, 0.2, 0.1, 0.05}}, /* load 1.15: no steady state */
};

/* N' = max(N - 1, 0) + A, clock by clock from an empty queue on. One that comes alone is there for one clock. */
START_TEST(test_services_of_a_clock)
{
    double p[STATES] = {1}, next[STATES];
    struct clocked_law length;
    for (unsigned clock = 0; clock < CLOCKS; clock++) {
        memset(next, 0, sizeof next);
        for (unsigned n = 0; n < STATES; n++)
            for (unsigned a = 0; a <= 4; a++) {
                const unsigned to = (n > 0 ? n - 1 : 0) + a;
                next[to < STATES ? to : STATES - 1] += p[n] * laws[_i].p[a];
            }
        memcpy(p, next, sizeof p);
    }
    clocked_queue_length(&laws[_i], NULL, &length);
    same_laws(&length, p, 1e-7);
}
END_TEST

START_TEST(test_more_than_is_served)
{
    struct clocked_law length;
    clocked_queue_length(&laws[3], NULL, &length);
    ck_assert_double_eq_tol(length.p[CLOCKED_LENGTH - 1], 1, 1e-12);
}
END_TEST

/* One comes in a clock with probability 0.3, and a service takes 7 clocks with probability 0.2, else one (load 0.66).
 * State: those that wait, and clocks that the server still needs; it takes one, then some may come. */
START_TEST(test_long_services)
{
    static double p[STATES][LONG + 1], next[STATES][LONG + 1];
    const double comes = 0.3, lasts = 0.2;
    const struct clocked_law one = {{1 - comes, comes}};
    struct clocked_law of_service = {{0}}, length;
    double expected[STATES] = {0};
    memset(p, 0, sizeof p);
    p[0][0] = 1;
    for (unsigned clock = 0; clock < CLOCKS; clock++) {
        memset(next, 0, sizeof next);
        for (unsigned n = 0; n < STATES; n++)
            for (unsigned left = 0; left < LONG; left++)
                for (unsigned is_long = 0; is_long < 2; is_long++)
                    for (unsigned a = 0; a < 2; a++) {
                        const bool takes = left == 0 && n > 0;
                        const unsigned to = n - takes + a, then = takes      ? (is_long ? LONG - 1 : 0)
                                                                  : left > 0 ? left - 1
                                                                             : 0;
                        next[to < STATES ? to : STATES - 1][then] +=
                            p[n][left] * one.p[a] * (is_long ? lasts : 1 - lasts);
                    }
        memcpy(p, next, sizeof p);
    }
    for (unsigned n = 0; n < STATES; n++)
        for (unsigned left = 0; left < LONG; left++)
            expected[n] += p[n][left];
    of_service.p[0] = (1 - lasts) * (1 - comes);
    of_service.p[1] = (1 - lasts) * comes;
    for (unsigned k = 0; k <= LONG; k++)
        of_service.p[k] += lasts * exp(lgamma(LONG + 1) - lgamma(k + 1) - lgamma(LONG - k + 1)) *
                           pow(comes, k) * pow(1 - comes, LONG - k);
    clocked_queue_length(&one, &of_service, &length);
    same_laws(&length, expected, 1e-7);
}
END_TEST

/* In the mean as many leave as come. None leaves in 5 clocks if none is there and none
 * comes in the first 4. */
START_TEST(test_output)
{
    struct clocked_law length, output;
    clocked_queue_length(&laws[_i], NULL, &length);
    clocked_queue_output(&laws[_i], &length, 7, &output); /* of which nothing is left in the next one */
    clocked_queue_output(&laws[_i], &length, 5, &output);
    ck_assert_double_eq_tol(clocked_mean(&output), 5 * clocked_mean(&laws[_i]), 1e-6);
    ck_assert_double_eq_tol(output.p[0], length.p[0] * pow(laws[_i].p[0], 4), 1e-9);
}
END_TEST

/* Three that have one with probability 1/2: binomial. None or three of them: half of that, and half of nothing. */
START_TEST(test_sums)
{
    const struct clocked_law each = {{0.5, 0.5}}, number = {{0.5, 0, 0, 0.5}};
    const double expected[STATES] = {0.5 + 1.0 / 16, 3.0 / 16, 3.0 / 16, 1.0 / 16};
    struct clocked_law sum;
    clocked_sum(&number, &each, &sum);
    same_laws(&sum, expected, 1e-12);
    clocked_add(&each, &each, &sum);
    same_laws(&sum, (const double[STATES]){0.25, 0.5, 0.25}, 1e-12);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clocked_queue");
    TCase *cases = tcase_create("clocked_queue");
    tcase_add_loop_test(cases, test_services_of_a_clock, 0, 3);
    tcase_add_test(cases, test_more_than_is_served);
    tcase_add_test(cases, test_long_services);
    tcase_add_loop_test(cases, test_output, 0, 3);
    tcase_add_test(cases, test_sums);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
