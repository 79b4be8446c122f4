/* test_closed_theory.c - closed networks in SimGrid beside queueing theory: what is exact is inside the intervals, and
 * what is wrong is not.
 *
 * One simulation a process: Check runs every test in a child.
 */
#include "validate/queue_theory.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/run_suite.h"

static void add_centre(struct queue_network *n, double mean_s, unsigned servers)
{
    struct queue_line_stage *c = &n->centres[n->centre_count++];
    *c = (struct queue_line_stage){.mu_per_s = 1 / mean_s, .servers = servers};
    snprintf(c->name, sizeof c->name, "centre %u", n->centre_count);
}

static struct queue_network_class *add_class(struct queue_network *n, unsigned population)
{
    struct queue_network_class *class = &n->classes[n->class_count++];
    *class = (struct queue_network_class){.population = population};
    snprintf(class->name, sizeof class->name, "class %u", n->class_count);
    return class;
}

static struct queue_network_result simulate(const struct queue_network *n)
{
    struct queue_network_result r;
    struct why why = {.line = ""};
    ck_assert_msg(queue_network_check(n, &why) == 0, "%s", why.line);
    ck_assert_int_eq(queue_network_run(n, &r, &why), 0);
    return r;
}

/* A single run must not fall outside by chance: 4 standard errors, i.e. twice the half-width. */
static void assert_near(const struct estimate *e, double value, const char *what, unsigned where)
{
    ck_assert_msg(isnan(e->mean) == isnan(value), "%s %u: %g, expected %g", what, where, e->mean, value);
    if (isnan(value))
        return;
    ck_assert_msg(fabs(e->mean - value) <= 2 * e->half_width, "%s %u: %g +- %g, expected %g", what, where,
                  e->mean, e->half_width, value);
    ck_assert_msg(e->half_width < 0.2 * value, "%s %u: %g +- %g is no answer", what, where, e->mean,
                  e->half_width);
}

static void assert_theory_is_near(const struct queue_network *n)
{
    struct queue_network_result r = simulate(n);
    struct closed_theory t;
    closed_theory_predict(n, &t);
    ck_assert(closed_theory_is_exact(&t));
    ck_assert_str_eq(t.model, "MVA");
    for (unsigned k = 0; k < n->class_count; k++)
        assert_near(&r.throughput[k], t.classes.x_per_s[k], "throughput", k);
    for (unsigned i = 0; i < n->centre_count; i++) {
        for (unsigned k = 0; k < QUEUE_NETWORK_QUANTITIES; k++) {
            const enum queue_line_quantity q = queue_network_quantities[k];
            assert_near(&r.centre[i][q], t.centre[i][q], queue_line_quantities[q].name, i);
        }
        for (unsigned k = 0; k < n->class_count; k++)
            if (n->classes[k].visits[i] > 0) {
                assert_near(&r.number[i][k], t.classes.n[i][k], "number", i);
                assert_near(&r.time_s[i][k], t.classes.w_s[i][k], "time", i);
            }
    }
}

/* Two private centres and a shared one, as in Leonards' thesis. */
static struct queue_network two_and_shared(unsigned servers_0, unsigned servers_2, unsigned n_0, unsigned n_1)
{
    struct queue_network n = {.run = queue_line_default().run};
    n.run.customers = 100000;
    add_centre(&n, 66.07, servers_0);
    add_centre(&n, 40, 1);
    add_centre(&n, 9.01, servers_2);
    struct queue_network_class *a = add_class(&n, n_0), *b = add_class(&n, n_1);
    a->visits[0] = a->visits[2] = b->visits[1] = b->visits[2] = 1;
    queue_network_route_by_visits(a, 3);
    queue_network_route_by_visits(b, 3);
    return n;
}

START_TEST(test_mva_is_inside_the_intervals)
{
    struct queue_network n = _i ? two_and_shared(2, 2, 4, 3) : two_and_shared(1, 1, 3, 2);
    assert_theory_is_near(&n);
}
END_TEST

/* Routes with a loop, a delay, a rate that grows with the load, and one that falls. */
START_TEST(test_delays_and_rates_by_load)
{
    static double grows[] = {1, 1.6, 2, 2.2}, falls[] = {1, 0.8, 0.6};
    struct queue_network n = {.run = queue_line_default().run};
    n.run.customers = 100000;
    struct why why;
    add_centre(&n, 4, 0);
    add_centre(&n, 1, 1);
    add_centre(&n, 0.5, 1);
    n.centres[1].speeds = grows;
    n.centres[1].speed_count = COUNT_OF(grows);
    n.centres[2].speeds = falls;
    n.centres[2].speed_count = COUNT_OF(falls);
    struct queue_network_class *class = add_class(&n, 6);
    class->route[0][1] = 1;
    class->route[1][1] = 0.2;
    class->route[1][2] = 0.8;
    class->route[2][0] = 0.7;
    class->route[2][1] = 0.3;
    ck_assert_int_eq(queue_network_find_visits(&n, 0, 0, &why), 0);
    assert_theory_is_near(&n);
}
END_TEST

/* How far outside a prediction is, in half-widths. */
static double distance(const struct estimate *e, double value)
{
    return fabs(e->mean - value) / e->half_width;
}

/* A bus that is 20% slower than the simulated one: its utilisation, 0.35, becomes 0.41 or so; intervals are 2% wide. */
START_TEST(test_a_wrong_bus_is_rejected)
{
    struct queue_network n = two_and_shared(1, 1, 3, 2);
    struct queue_network_result r = simulate(&n);
    struct closed_theory t;
    n.centres[2].mu_per_s /= 1.2;
    closed_theory_predict(&n, &t);
    ck_assert_double_gt(distance(&r.centre[2][QUEUE_LINE_UTILISATION], t.centre[2][QUEUE_LINE_UTILISATION]),
                        2);
    ck_assert_double_gt(distance(&r.centre[2][QUEUE_LINE_W], t.centre[2][QUEUE_LINE_W]), 2);
    ck_assert_double_gt(distance(&r.number[2][1], t.classes.n[2][1]), 2);
}
END_TEST

/* A bus whose transfers take equal times: fewer wait than MVA says, and MVA says that it is not exact. */
START_TEST(test_constant_services_are_rejected)
{
    struct queue_network n = two_and_shared(1, 1, 3, 2);
    n.centres[2].service = duration_gamma(0);
    struct queue_network_result r = simulate(&n);
    struct closed_theory t;
    closed_theory_predict(&n, &t);
    ck_assert(!closed_theory_is_exact(&t));
    ck_assert_int_eq(t.assumption, 2);
    ck_assert_double_lt(r.centre[2][QUEUE_LINE_N_Q].mean, t.centre[2][QUEUE_LINE_N_Q]);
    ck_assert_double_gt(distance(&r.centre[2][QUEUE_LINE_N_Q], t.centre[2][QUEUE_LINE_N_Q]), 2);
    ck_assert_double_gt(distance(&r.centre[2][QUEUE_LINE_W], t.centre[2][QUEUE_LINE_W]), 2);
}
END_TEST

/* Without simulation: a centre where nobody waits may have any services; 2001 x 5001 populations are too many for MVA;
 * and Linearizer has no rule for rates by load. */
START_TEST(test_which_model_answers)
{
    static double speeds[] = {1, 2};
    struct queue_network n = two_and_shared(3, 1, 3, 2);
    struct closed_theory t;
    n.centres[1].servers = 0;
    n.centres[1].service = duration_gamma(0);
    closed_theory_predict(&n, &t);
    ck_assert(closed_theory_is_exact(&t));
    ck_assert_double_nan(t.centre[1][QUEUE_LINE_N_Q]);
    n.centres[0].service = duration_gamma(0); /* 3 servers, and the 3 customers of its class */
    closed_theory_predict(&n, &t);
    ck_assert(closed_theory_is_exact(&t));
    ck_assert_double_eq(t.centre[0][QUEUE_LINE_N_Q], 0);
    n = two_and_shared(2, 1, 2000, 5000);
    closed_theory_predict(&n, &t);
    ck_assert_str_eq(t.model, "Linearizer");
    ck_assert(t.is_large && t.seidmann && !t.why_not);
    ck_assert_double_eq_tol(t.centre[1][QUEUE_LINE_UTILISATION], 1, 1e-3);
    n.centres[2].speeds = speeds;
    n.centres[2].speed_count = 2;
    closed_theory_predict(&n, &t);
    ck_assert_ptr_nonnull(t.why_not);
    ck_assert_double_nan(t.classes.x_per_s[0]);
}
END_TEST

static Suite *closed_theory_suite(void)
{
    Suite *suite = suite_create("closed_theory");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 60);
    tcase_add_loop_test(core, test_mva_is_inside_the_intervals, 0, 2);
    tcase_add_test(core, test_delays_and_rates_by_load);
    tcase_add_test(core, test_a_wrong_bus_is_rejected);
    tcase_add_test(core, test_constant_services_are_rejected);
    tcase_add_test(core, test_which_model_answers);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(closed_theory_suite());
}
