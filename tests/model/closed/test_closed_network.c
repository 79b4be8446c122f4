/* test_closed_network.c - closed networks against the product form summed state by state, and published values. */
#include "model/closed/closed_network.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

enum { CENTRES = 4, CUSTOMERS = 16 };

static struct closed_result solve(const struct closed_network *network)
{
    struct closed_result r;
    ck_assert_int_eq(closed_network_solve(network, &r), 0);
    return r;
}

/* --- the product form, state by state -------------------------------------------------------------------- */

/* Slow and obvious: P[state] is proportional to the product over centres of
 * n_i! / (phi_i(1) ... phi_i(n_i)) x product over classes of e_ir^n_ir / n_ir!. */
struct states {
    const struct closed_network *network;
    unsigned at[CENTRES][CLOSED_CLASSES_MAX];
    double sum, number[CENTRES][CLOSED_CLASSES_MAX], departures[CENTRES][CLOSED_CLASSES_MAX];
    double empty[CENTRES];
};

static unsigned customers_at(const struct states *s, unsigned i)
{
    unsigned customers = 0;
    for (unsigned r = 0; r < s->network->class_count; r++)
        customers += s->at[i][r];
    return customers;
}

static void add_state(struct states *s)
{
    double weight = 1;
    for (unsigned i = 0; i < s->network->centre_count; i++) {
        const struct closed_centre *c = &s->network->centres[i];
        for (unsigned k = 1; k <= customers_at(s, i); k++)
            weight *= k / closed_centre_rate(c, k);
        for (unsigned r = 0; r < s->network->class_count; r++)
            for (unsigned k = 1; k <= s->at[i][r]; k++)
                weight *= c->visits[r] / k;
    }
    s->sum += weight;
    for (unsigned i = 0; i < s->network->centre_count; i++) {
        unsigned customers = customers_at(s, i);
        s->empty[i] += customers == 0 ? weight : 0;
        for (unsigned r = 0; r < s->network->class_count && customers > 0; r++) {
            s->number[i][r] += weight * s->at[i][r];
            s->departures[i][r] +=
                weight * closed_centre_rate(&s->network->centres[i], customers) * s->at[i][r] / customers;
        }
    }
}

/* Deal `left` customers of class r to the centres from i on, then those of the next classes. */
static void deal(struct states *s, unsigned r, unsigned i, unsigned left)
{
    if (r == s->network->class_count) {
        add_state(s);
        return;
    }
    if (i >= CENTRES) /* never; the compiler does not know */
        return;
    bool last = i + 1 == s->network->centre_count;
    for (unsigned k = last ? left : 0; k <= left; k++) {
        s->at[i][r] = k;
        if (!last)
            deal(s, r, i + 1, left - k);
        else
            deal(s, r + 1, 0, r + 1 < s->network->class_count ? s->network->population[r + 1] : 0);
    }
}

static void assert_product_form(const struct closed_network *network)
{
    struct states *s = calloc(1, sizeof *s);
    struct closed_result r = solve(network);
    s->network = network;
    deal(s, 0, 0, network->population[0]);
    for (unsigned i = 0; i < network->centre_count; i++) {
        if (network->centres[i].speeds)
            ck_assert_double_eq_tol(r.busy[i], 1 - s->empty[i] / s->sum, 1e-12);
        for (unsigned k = 0; k < network->class_count; k++) {
            double visits = network->centres[i].visits[k];
            assert_close(r.n[i][k], s->number[i][k] / s->sum, 1e-12);
            if (visits == 0)
                ck_assert_double_nan(r.w_s[i][k]);
            else
                assert_close(r.x_per_s[k] * visits, s->departures[i][k] / s->sum, 1e-12);
        }
    }
    free(s);
}

/* --- published and computed values ----------------------------------------------------------------------- */

/* Rates 4, 3, 8; from the first centre to the third, from the second to the first, from the third a quarter to the
 * first and the rest to the second: so 1, 0.75, 1 visits. One customer meets nobody: a passage takes 1/4 + 0.75/3 + 1/8
 * = 0.625, x = 1.6, n = 1.6 x (0.25, 0.25, 0.125). */
START_TEST(test_one_customer_meets_nobody)
{
    struct closed_network network = {
        .centre_count = 3,
        .class_count = 1,
        .population = {1},
        .centres = {{4, 1, .visits = {1}}, {3, 1, .visits = {0.75}}, {8, 1, .visits = {1}}}};
    struct closed_result r = solve(&network);
    static const double w_s[] = {0.25, 1.0 / 3, 0.125}, n[] = {0.4, 0.4, 0.2};
    assert_close(r.x_per_s[0], 1.6, 1e-15);
    for (int i = 0; i < 3; i++) {
        assert_close(r.w_s[i][0], w_s[i], 1e-15);
        assert_close(r.n[i][0], n[i], 1e-15);
        assert_close(r.busy[i], n[i], 1e-15);
    }
}
END_TEST

/* Two private centres and a shared one, 1/mu 66.07, 40 and 9.01, computed once in exact fractions. */
static struct closed_network two_and_shared(unsigned servers_0, unsigned servers_2, unsigned n_0,
                                            unsigned n_1)
{
    return (struct closed_network){.centre_count = 3,
                                   .class_count = 2,
                                   .population = {n_0, n_1},
                                   .centres = {{1 / 66.07, servers_0, .visits = {1, 0}},
                                               {1 / 40.0, 1, .visits = {0, 1}},
                                               {1 / 9.01, servers_2, .visits = {1, 1}}}};
}

START_TEST(test_two_classes_at_a_shared_centre)
{
    struct closed_network network = two_and_shared(1, 1, 3, 2);
    struct closed_result r = solve(&network);
    assert_close(r.x_per_s[0], 0.0150753351905304, 1e-14);
    assert_close(r.x_per_s[1], 0.0237244902080405, 1e-14);
    network = two_and_shared(2, 3, 4, 3);
    r = solve(&network);
    assert_close(r.x_per_s[0], 0.0302243121416231, 1e-14);
    assert_close(r.x_per_s[1], 0.0249576921160482, 1e-14);
}
END_TEST

/* --- against the product form ---------------------------------------------------------------------------- */

static double draw(void)
{
    return rand() / (double)RAND_MAX;
}

/* Two to four centres, one to three classes of 1 to 4 customers; one to five servers, delays, rates that grow with the
 * load, rates that fall with it, and classes that do not visit a centre. */
START_TEST(test_random_networks_have_the_product_form)
{
    double speeds[CENTRES][CUSTOMERS];
    srand(7);
    for (int trial = 0; trial < tests_some(150); trial++) {
        struct closed_network network = {.centre_count = 2 + rand() % 3, .class_count = 1 + rand() % 3};
        for (unsigned r = 0; r < network.class_count; r++)
            network.population[r] = 1 + rand() % 4;
        for (unsigned i = 0; i < network.centre_count; i++) {
            struct closed_centre *c = &network.centres[i];
            *c = (struct closed_centre){.mu_per_s = exp(20 * draw()), .servers = rand() % 6};
            if (rand() % 4 == 0) {
                c->speeds = speeds[i];
                c->speed_count = 1 + rand() % 6;
                for (unsigned k = 0; k < c->speed_count; k++)
                    speeds[i][k] = 0.2 + draw();
            }
            for (unsigned r = 0; r < network.class_count; r++)
                c->visits[r] = i > 0 && rand() % 4 == 0 ? 0 : 0.1 + 2 * draw();
        }
        assert_product_form(&network);
    }
}
END_TEST

/* phi(k) = (k / N)^alpha mu: alpha 0 is one server, alpha 1 is N of them. */
START_TEST(test_rates_of_a_power_of_the_load)
{
    for (unsigned i = 0; i < 2; i++) {
        double *speeds = closed_power_speeds(i, 7);
        struct closed_network network = two_and_shared(i ? 7 : 1, 1, 4, 3), by_load = network;
        if (i)
            network.centres[0].mu_per_s /= 7;
        by_load.centres[0].mu_per_s = 1 / 66.07;
        by_load.centres[0].speeds = speeds;
        by_load.centres[0].speed_count = 7;
        struct closed_result r = solve(&network), same = solve(&by_load);
        for (unsigned k = 0; k < 2; k++)
            assert_close(same.x_per_s[k], r.x_per_s[k], 1e-14);
        free(speeds);
    }
}
END_TEST

/* --- many customers -------------------------------------------------------------------------------------- */

static struct closed_network private_and_shared(unsigned servers, unsigned customers)
{
    return (struct closed_network){
        .centre_count = 2,
        .class_count = 1,
        .population = {customers},
        .centres = {{0.07 / servers, servers, .visits = {1}}, {1 / 9.01, 1, .visits = {1}}}};
}

/* Algorithm 1 as it is printed, with N'_r for N_r in x: one class, two centres. */
static double recursion_x_per_s(const struct closed_network *network)
{
    double n[2] = {0}, p[2][8] = {{1}, {1}}, x_per_s = 0;
    for (unsigned k = 1; k <= network->population[0]; k++) {
        double w_s[2];
        for (unsigned i = 0; i < 2; i++) {
            unsigned servers = network->centres[i].servers;
            double sum = 1 + n[i];
            for (unsigned j = 0; j + 2 <= servers && j < k; j++)
                sum += (servers - j - 1) * p[i][j];
            w_s[i] = sum / (servers * network->centres[i].mu_per_s);
        }
        x_per_s = k / (w_s[0] + w_s[1]);
        for (unsigned i = 0; i < 2; i++) {
            unsigned servers = network->centres[i].servers;
            double mu_per_s = network->centres[i].mu_per_s, busy = x_per_s / mu_per_s;
            n[i] = x_per_s * w_s[i];
            for (unsigned j = servers - 1 < k ? servers - 1 : k; j > 0; j--) {
                p[i][j] = x_per_s * p[i][j - 1] / (j * mu_per_s);
                busy += (servers - j) * p[i][j];
            }
            p[i][0] = 1 - busy / servers;
        }
    }
    return x_per_s;
}

/* The private centre alone gives 0.07; 200 customers keep it busy. With 10 customers recursion and constant agree, with
 * 200 the recursion's P[N = 0] is what rounding left of a difference: that it is far off shows that this is the trap.
 * */
START_TEST(test_many_customers_at_four_servers)
{
    struct closed_network network = private_and_shared(4, 10);
    assert_close(solve(&network).x_per_s[0], recursion_x_per_s(&network), 1e-9);
    network = private_and_shared(4, 200);
    assert_close(solve(&network).x_per_s[0], 0.07, 1e-12);
    ck_assert_double_gt(fabs(recursion_x_per_s(&network) - 0.07), 0.035);
}
END_TEST

/* Whatever the size, all customers are somewhere: the numbers come from other sums than the constant. */
static void assert_all_are_somewhere(const struct closed_network *network)
{
    struct closed_result r = solve(network);
    for (unsigned k = 0; k < network->class_count; k++) {
        double number = 0;
        for (unsigned i = 0; i < network->centre_count; i++)
            number += r.n[i][k];
        assert_close(number, network->population[k], 1e-12);
    }
}

START_TEST(test_all_customers_are_somewhere)
{
    struct closed_network network = private_and_shared(64, 3000);
    assert_all_are_somewhere(&network);
    network = two_and_shared(12, 4, 150, 120);
    assert_all_are_somewhere(&network);
    network.centres[1].servers = 0;
    assert_all_are_somewhere(&network);
}
END_TEST

/* --- refusals -------------------------------------------------------------------------------------------- */

START_TEST(test_what_cannot_be_had_is_refused)
{
    struct closed_result r;
    struct closed_network network = two_and_shared(1, 1, 4000, 2500); /* 4001 x 2501 populations */
    ck_assert_int_eq(closed_network_solve(&network, &r), MODEL_EREACH);
    ck_assert_double_nan(r.x_per_s[0]);
    network = private_and_shared(1000000, 4000000); /* 10^6 terms of 4 x 10^6 populations */
    ck_assert_int_eq(closed_network_solve(&network, &r), MODEL_EREACH);
    /* both centres as fast as each other, and a delay: the constant is about e^20000 */
    network = private_and_shared(1, 20000);
    network.centres[0].servers = 0;
    network.centres[0].mu_per_s = 1 / (9.01 * 20000);
    ck_assert_int_eq(closed_network_solve(&network, &r), MODEL_EREACH);
    ck_assert_double_nan(r.n[1][0]);
}
END_TEST

START_TEST(test_arguments_outside_the_domain)
{
    struct closed_result r;
    struct closed_network good = two_and_shared(1, 1, 3, 2), network = good;
    network.population[1] = 0;
    ck_assert_int_eq(closed_network_solve(&network, &r), MODEL_EPOPULATION);
    network = good;
    network.centres[2].mu_per_s = 0;
    ck_assert_int_eq(closed_network_solve(&network, &r), MODEL_ESERVICE);
    network = good;
    network.centres[2].speeds = (const double[]){1, NAN};
    network.centres[2].speed_count = 2;
    ck_assert_int_eq(closed_network_solve(&network, &r), MODEL_ESERVICE);
    network = good;
    network.centres[2].visits[0] = -1;
    ck_assert_int_eq(closed_network_solve(&network, &r), MODEL_EVISITS);
    network = good;
    network.centres[1].visits[1] = network.centres[2].visits[1] = 0;
    ck_assert_int_eq(closed_network_solve(&network, &r), MODEL_EVISITS);
    network = good;
    network.centre_count = 0;
    ck_assert_int_eq(closed_network_solve(&network, &r), MODEL_ECLOSED);
    network.centre_count = CLOSED_CENTRES_MAX + 1;
    ck_assert_int_eq(closed_network_solve(&network, &r), MODEL_ECLOSED);
}
END_TEST

/* One class between two servers: P[n of them at the first] is in proportion to (s_1 / s_2)^n. */
START_TEST(test_probabilities_of_two_servers)
{
    double p[8], sum = 0;
    struct closed_network n = {.centre_count = 2, .class_count = 1, .population = {5}};
    struct closed_result r;
    n.centres[0] = (struct closed_centre){.mu_per_s = 2, .servers = 1, .visits = {1}, .p = p, .p_count = 8};
    n.centres[1] = (struct closed_centre){.mu_per_s = 1.2, .servers = 1, .visits = {1}};
    ck_assert_int_eq(closed_network_solve(&n, &r), 0);
    for (unsigned k = 0; k <= 5; k++)
        sum += pow(0.6, k);
    for (unsigned k = 0; k < 8; k++)
        ck_assert_double_eq_tol(p[k], k <= 5 ? pow(0.6, k) / sum : 0, 1e-14);
}
END_TEST

/* With two classes, several servers, a delay and a rate by load, probabilities add up to 1, to the mean numbers, and to
 * the rate at which customers leave. Fewer are given if fewer have room. */
START_TEST(test_probabilities_add_up)
{
    static const double speeds[] = {1, 1.8, 2.1};
    double p[4][16], few[2];
    struct closed_network n = {.centre_count = 4, .class_count = 2, .population = {6, 5}};
    struct closed_result r;
    n.centres[0] = (struct closed_centre){.mu_per_s = 1.5, .servers = 1, .visits = {1, 0.5}};
    n.centres[1] = (struct closed_centre){.mu_per_s = 0.4, .servers = 3, .visits = {0.7, 1}};
    n.centres[2] = (struct closed_centre){.mu_per_s = 0.3, .servers = 0, .visits = {1, 0}};
    n.centres[3] =
        (struct closed_centre){.mu_per_s = 1, .speeds = speeds, .speed_count = 3, .visits = {0.2, 1.1}};
    for (unsigned i = 0; i < 4; i++) {
        n.centres[i].p = p[i];
        n.centres[i].p_count = 16;
    }
    ck_assert_int_eq(closed_network_solve(&n, &r), 0);
    for (unsigned i = 0; i < 4; i++) {
        double sum = 0, mean = 0, leave = 0;
        for (unsigned k = 0; k < 16; k++) {
            sum += p[i][k];
            mean += k * p[i][k];
            leave += k > 0 ? p[i][k] * closed_centre_rate(&n.centres[i], k) : 0;
        }
        ck_assert_double_eq_tol(sum, 1, 1e-13);
        ck_assert_double_eq_tol(mean, r.n[i][0] + r.n[i][1], 1e-12);
        ck_assert_double_eq_tol(
            leave, n.centres[i].visits[0] * r.x_per_s[0] + n.centres[i].visits[1] * r.x_per_s[1], 1e-12);
        ck_assert_double_eq(p[i][12], 0);
    }
    ck_assert_double_eq(p[2][7], 0); /* one class of six comes there */
    n.centres[1].p = few;
    n.centres[1].p_count = 2;
    ck_assert_int_eq(closed_network_solve(&n, &r), 0);
    ck_assert_double_eq(few[1], p[1][1]);
}
END_TEST

static Suite *closed_network_suite(void)
{
    Suite *suite = suite_create("closed_network");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 60);
    tcase_add_test(core, test_one_customer_meets_nobody);
    tcase_add_test(core, test_two_classes_at_a_shared_centre);
    tcase_add_test(core, test_random_networks_have_the_product_form);
    tcase_add_test(core, test_rates_of_a_power_of_the_load);
    tcase_add_test(core, test_many_customers_at_four_servers);
    tcase_add_test(core, test_all_customers_are_somewhere);
    tcase_add_test(core, test_what_cannot_be_had_is_refused);
    tcase_add_test(core, test_arguments_outside_the_domain);
    tcase_add_test(core, test_probabilities_of_two_servers);
    tcase_add_test(core, test_probabilities_add_up);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(closed_network_suite());
}
