/* test_linearizer.c - the approximation of closed networks against exact solutions. */
#include "model/closed/linearizer.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

static double draw(void)
{
    return rand() / (double)RAND_MAX;
}

/* `most_servers` 1: delays and single servers */
static struct closed_network random_network(unsigned most_servers)
{
    struct closed_network network = {.centre_count = 2 + rand() % 4, .class_count = 1 + rand() % 3};
    for (unsigned r = 0; r < network.class_count; r++)
        network.population[r] = 1 + rand() % 12;
    for (unsigned i = 0; i < network.centre_count; i++) {
        network.centres[i].mu_per_s = 0.2 + draw();
        network.centres[i].servers = i == 0 ? 1 : rand() % (most_servers + 1);
        for (unsigned r = 0; r < network.class_count; r++)
            network.centres[i].visits[r] = i > 0 && rand() % 4 == 0 ? 0 : 0.1 + draw();
    }
    return network;
}

/* The greatest and the mean relative error of throughputs over 200 networks. */
static void find_errors(unsigned most_servers, double *greatest, double *mean)
{
    enum { NETWORKS = 200 };
    unsigned count = 0;
    *greatest = *mean = 0;
    srand(11);
    for (int trial = 0; trial < NETWORKS; trial++) {
        struct closed_network network = random_network(most_servers);
        struct closed_result exact, near;
        ck_assert_int_eq(closed_network_solve(&network, &exact), 0);
        ck_assert_int_eq(linearizer_solve(&network, &near), 0);
        for (unsigned r = 0; r < network.class_count; r++) {
            double error = fabs(near.x_per_s[r] / exact.x_per_s[r] - 1);
            *greatest = fmax(*greatest, error);
            *mean += error;
            count++;
        }
    }
    *mean /= count;
}

START_TEST(test_single_servers_are_near)
{
    double greatest, mean;
    find_errors(1, &greatest, &mean);
    ck_assert_msg(greatest < 0.02 && mean < 0.001, "greatest %g, mean %g", greatest, mean);
}
END_TEST

START_TEST(test_several_servers_are_less_near)
{
    double greatest, mean;
    find_errors(4, &greatest, &mean);
    ck_assert_msg(greatest < 0.15 && mean < 0.03, "greatest %g, mean %g", greatest, mean);
}
END_TEST

/* One customer meets nobody, and who has a server of its own waits for nobody: all of them are exact. */
START_TEST(test_where_nobody_waits_it_is_exact)
{
    struct closed_result exact, near;
    for (int i = 0; i < 3; i++) {
        struct closed_network network = {.centre_count = 2,
                                         .class_count = 1,
                                         .population = {i ? 500 : 1},
                                         .centres = {{0.5, (const unsigned[]){3, 0, 500}[i], .visits = {1}},
                                                     {3, i ? 0 : 1, .visits = {0.4}}}};
        ck_assert_int_eq(closed_network_solve(&network, &exact), 0);
        ck_assert_int_eq(linearizer_solve(&network, &near), 0);
        assert_close(near.x_per_s[0], exact.x_per_s[0], 1e-12);
        assert_close(near.n[1][0], exact.n[1][0], 1e-12);
        assert_close(near.w_s[0][0], exact.w_s[0][0], 1e-12);
        assert_close(near.busy[1], exact.busy[1], 1e-12);
    }
}
END_TEST

/* 10^9 populations; the shared centre is saturated, so its rate is the sum of the throughputs. */
START_TEST(test_more_customers_than_can_be_solved_exactly)
{
    struct closed_network network = {.centre_count = 4, .class_count = 3};
    struct closed_result r;
    network.centres[3] = (struct closed_centre){1 / 9.01, 1, .visits = {1, 1, 1}};
    for (unsigned k = 0; k < 3; k++) {
        network.population[k] = 1000;
        network.centres[k] = (struct closed_centre){.mu_per_s = 0.1 * (k + 1), .servers = 1};
        network.centres[k].visits[k] = 1;
    }
    ck_assert_int_eq(closed_network_solve(&network, &r), MODEL_EREACH);
    ck_assert_int_eq(linearizer_solve(&network, &r), 0);
    assert_close(r.x_per_s[0] + r.x_per_s[1] + r.x_per_s[2], 1 / 9.01, 1e-3);
}
END_TEST

START_TEST(test_what_it_has_no_rule_for)
{
    struct closed_result r;
    struct closed_network network = {
        .centre_count = 1, .class_count = 1, .population = {3}, .centres = {{1, 1, .visits = {1}}}};
    network.centres[0].speeds = (const double[]){1, 2};
    network.centres[0].speed_count = 2;
    ck_assert_int_eq(linearizer_solve(&network, &r), MODEL_ELOADRATES);
    ck_assert_double_nan(r.x_per_s[0]);
    network.population[0] = 0;
    ck_assert_int_eq(linearizer_solve(&network, &r), MODEL_EPOPULATION);
}
END_TEST

static Suite *linearizer_suite(void)
{
    Suite *suite = suite_create("linearizer");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 60);
    tcase_add_test(core, test_single_servers_are_near);
    tcase_add_test(core, test_several_servers_are_less_near);
    tcase_add_test(core, test_where_nobody_waits_it_is_exact);
    tcase_add_test(core, test_more_customers_than_can_be_solved_exactly);
    tcase_add_test(core, test_what_it_has_no_rule_for);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(linearizer_suite());
}
