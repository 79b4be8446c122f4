/* A fit must find the stream whose moments it is given. */
#include "model/queue/mmpp_fit.h"

#include <check.h>
#include <math.h>

#include "tests/assert_close.h"
#include "tests/run_suite.h"

/* The moments of a MMPP of these rates, by the formulas of the header. */
static struct mmpp_moments moments_of(const double rate[2], const double leave[2], const double length[2],
                                      double t)
{
    const double leaving = leave[0] + leave[1], high = leave[1] / leaving, apart = rate[0] - rate[1],
                 mean = high * rate[0] + (1 - high) * rate[1], variance = high * (1 - high) * apart * apart,
                 third = high * (1 - high) * (1 - 2 * high) * pow(apart, 3);
    struct mmpp_moments m = {.rate = mean,
                             .length = {length[0], length[1]},
                             .short_length = t,
                             .third_moment = mean * t + 3 * variance * t * t + third * t * t * t};
    for (unsigned i = 0; i < 2; i++) {
        const double x = leaving * length[i];
        m.dispersion[i] = 1 + 2 * variance / (mean * leaving) * (1 - (1 - exp(-x)) / x);
    }
    return m;
}

static const double streams[][4] = {{8, 0.3, 0.001, 0.00002}, {2, 1, 0.1, 0.3}, {5, 0, 0.01, 0.002}};

START_TEST(test_fit_finds_the_stream)
{
    const double *s = streams[_i], length[2] = {0.3 / (s[2] + s[3]), 20 / (s[2] + s[3])};
    const struct mmpp_moments m = moments_of(s, s + 2, length, 1e-2 / (s[2] + s[3]));
    double rate[2], leave[2];
    ck_assert(mmpp_fit(&m, rate, leave));
    assert_close(rate[0], s[0], 1e-6);
    ck_assert_double_eq_tol(rate[1], s[1], 1e-6);
    assert_close(leave[0], s[2], 1e-6);
    assert_close(leave[1], s[3], 1e-6);
}
END_TEST

/* A third moment that asks for a rate below 0: on and off, with the same mean and variance. */
START_TEST(test_no_rate_is_below_0)
{
    const double *s = streams[1], length[2] = {1, 50};
    struct mmpp_moments m = moments_of(s, s + 2, length, 0.01);
    double rate[2], leave[2];
    m.third_moment = -1;
    ck_assert(mmpp_fit(&m, rate, leave));
    ck_assert_double_eq_tol(rate[1], 0, 1e-12);
    const double high = leave[1] / (leave[0] + leave[1]);
    assert_close(high * rate[0], m.rate, 1e-9);
    assert_close(high * (1 - high) * rate[0] * rate[0], 0.1875, 1e-6); /* 3/4 x 1/4 x (2 - 1)^2 */
}
END_TEST

START_TEST(test_streams_that_are_none)
{
    double rate[2], leave[2];
    const struct mmpp_moments none[] = {{1, {1, 10}, {1, 1}, 1, 1},  /* Poisson */
                                        {1, {1, 10}, {3, 2}, 1, 1},  /* falls with the length */
                                        {1, {1, 10}, {2, 20}, 1, 1}, /* grows faster than the length */
                                        {0, {1, 10}, {2, 3}, 1, 1}};
    ck_assert(!mmpp_fit(&none[_i], rate, leave));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mmpp_fit");
    TCase *cases = tcase_create("mmpp_fit");
    tcase_add_loop_test(cases, test_fit_finds_the_stream, 0, COUNT_OF(streams));
    tcase_add_test(cases, test_no_rate_is_below_0);
    tcase_add_loop_test(cases, test_streams_that_are_none, 0, 4);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
