/* test_private_centre.c - fitting a private centre: Figure 4.9 of Leonards 2023. */
#include "model/closed/private_centre.h"

#include <check.h>
#include <math.h>

#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

#define X_PER_NS  0.07
#define SHARED_NS 9.01

/* Figure 4.9: x 0.07 a ns at a shared centre of 9.01 ns. The values are those of the product form, summed state by
 * state, with mu_0 found by bisection. With one server and one customer, 1/mu_0 = 1/x - 9.01. */
static const struct {
    unsigned population;
    double private_ns, w_ns[2]; /* private_ns: with one server; w_ns: with one and with two */
} figure_4_9[] = {
    {1, 5.2757, {9.0100, 9.0100}},    {2, 10.0198, {13.2760, 12.2096}},  {3, 12.1163, {16.2663, 15.1494}},
    {5, 13.6165, {20.0881, 19.3469}}, {10, 14.2311, {23.6163, 23.4510}}, {20, 14.2852, {24.3811, 24.3771}},
};

START_TEST(test_figure_4_9)
{
    for (unsigned servers = 1; servers <= 2; servers++) {
        struct private_centre p;
        ck_assert_int_eq(
            private_centre_of_population(X_PER_NS, SHARED_NS, servers, 0, figure_4_9[_i].population, &p), 0);
        assert_close(p.x_per_s, X_PER_NS, 1e-12);
        ck_assert_double_eq_tol(p.w_s, figure_4_9[_i].w_ns[servers - 1], 0.5e-4);
        if (servers == 1)
            ck_assert_double_eq_tol(1 / p.mu_per_s, figure_4_9[_i].private_ns, 0.5e-4);
    }
}
END_TEST

/* A power of 1 is as many servers as customers, a power near 0 is one server; one customer knows no difference. */
START_TEST(test_powers_of_the_load)
{
    struct private_centre servers, power;
    ck_assert_int_eq(private_centre_of_population(X_PER_NS, SHARED_NS, 5, 0, 5, &servers), 0);
    ck_assert_int_eq(private_centre_of_population(X_PER_NS, SHARED_NS, 1, 1, 5, &power), 0);
    assert_close(power.mu_per_s, 5 * servers.mu_per_s, 1e-9);
    assert_close(power.w_s, servers.w_s, 1e-9);
    assert_close(power.x_per_s, X_PER_NS, 1e-12);
    ck_assert_int_eq(private_centre_of_population(X_PER_NS, SHARED_NS, 1, 0, 5, &servers), 0);
    ck_assert_int_eq(private_centre_of_population(X_PER_NS, SHARED_NS, 1, 1e-9, 5, &power), 0);
    assert_close(power.w_s, servers.w_s, 1e-7);
    ck_assert_int_eq(private_centre_of_population(X_PER_NS, SHARED_NS, 1, 0.5, 5, &power), 0);
    ck_assert_double_lt(power.w_s, 0.999 * servers.w_s);
    ck_assert_int_eq(private_centre_of_population(X_PER_NS, SHARED_NS, 1, 0, 1, &servers), 0);
    ck_assert_int_eq(private_centre_of_population(X_PER_NS, SHARED_NS, 1, 2, 1, &power), 0);
    assert_close(power.mu_per_s, servers.mu_per_s, 1e-12);
    ck_assert_int_eq(private_centre_of_population(X_PER_NS, SHARED_NS, 1, -1, 1, &power), MODEL_ESERVICE);
}
END_TEST

/* With infinitely many customers the private centre is always busy: 1/mu_0 = 1/x, and the shared one is M/M/1. */
START_TEST(test_infinitely_many_customers)
{
    struct private_centre p;
    ck_assert_double_eq_tol(private_centre_limit_s(X_PER_NS, SHARED_NS), 24.3975, 0.5e-4);
    ck_assert_int_eq(private_centre_of_population(X_PER_NS, SHARED_NS, 1, 0, 500, &p), 0);
    assert_close(p.w_s, private_centre_limit_s(X_PER_NS, SHARED_NS), 1e-6);
    ck_assert_double_eq_tol(1 / p.mu_per_s, 14.2857, 0.5e-4);
    ck_assert_double_eq(private_centre_limit_s(0.2, SHARED_NS), INFINITY);
}
END_TEST

/* 20 ns is between 16.2663 of 3 and 20.0881 of 5 customers: 4 or 5, the nearer. 25 and 100 ns are above the limit. */
START_TEST(test_population_meets_a_waiting_time)
{
    struct private_centre p;
    bool met;
    ck_assert_int_eq(private_centre_fit(X_PER_NS, 20, SHARED_NS, 1, 0, &p, &met), 0);
    ck_assert(met);
    ck_assert_uint_eq(p.population, 5);
    ck_assert_int_eq(private_centre_fit(X_PER_NS, 9.01, SHARED_NS, 1, 0, &p, &met), 0);
    ck_assert(met);
    ck_assert_uint_eq(p.population, 1);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(private_centre_fit(X_PER_NS, i ? 100 : 25, SHARED_NS, i ? 4 : 1, 0, &p, &met), 0);
        ck_assert(!met);
        assert_close(p.w_s, 24.3975, 1e-4);
    }
}
END_TEST

START_TEST(test_arguments_outside_the_domain)
{
    struct private_centre p;
    bool met;
    ck_assert_int_eq(private_centre_of_population(0.12, SHARED_NS, 1, 0, 5, &p), MODEL_ENOSOLUTION);
    ck_assert_int_eq(private_centre_of_population(0, SHARED_NS, 1, 0, 5, &p), MODEL_EARRIVALS);
    ck_assert_int_eq(private_centre_of_population(0.07, -1, 1, 0, 5, &p), MODEL_ESERVICE);
    ck_assert_int_eq(private_centre_of_population(0.07, SHARED_NS, 0, 0, 5, &p), MODEL_ESERVICE);
    ck_assert_int_eq(private_centre_of_population(0.07, SHARED_NS, 1, 0, 0, &p), MODEL_EPOPULATION);
    ck_assert_int_eq(private_centre_fit(0.07, NAN, SHARED_NS, 1, 0, &p, &met), MODEL_ESERVICE);
    /* 0.11 of at most 0.111 per ns, with one customer: it would have to be at the shared centre all the time */
    ck_assert_int_eq(private_centre_of_population(0.1109, SHARED_NS, 1, 0, 1, &p), 0);
    assert_close(p.w_s, SHARED_NS, 1e-12);
}
END_TEST

static Suite *private_centre_suite(void)
{
    Suite *suite = suite_create("private_centre");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 60);
    tcase_add_loop_test(core, test_figure_4_9, 0, COUNT_OF(figure_4_9));
    tcase_add_test(core, test_powers_of_the_load);
    tcase_add_test(core, test_infinitely_many_customers);
    tcase_add_test(core, test_population_meets_a_waiting_time);
    tcase_add_test(core, test_arguments_outside_the_domain);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(private_centre_suite());
}
