/* test_queue_network.c - closed networks in SimGrid whose numbers are known without queueing theory, and routes.
 *
 * One simulation a process: Check runs every test in a child.
 */
#include "sim/simgrid/queue_network.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/assert_close.h"
#include "tests/run_suite.h"

/* Two centres with constant services of 1 and 2, visited once each. */
static struct queue_network one_and_two(unsigned customers)
{
    struct queue_network n = {.run = queue_line_default().run};
    n.centre_count = 2;
    n.class_count = 1;
    for (unsigned i = 0; i < 2; i++) {
        n.centres[i] =
            (struct queue_line_stage){.mu_per_s = 1.0 / (i + 1), .servers = 1, .service = duration_gamma(0)};
        snprintf(n.centres[i].name, sizeof n.centres[i].name, "c%u", i);
    }
    strcpy(n.classes[0].name, "all");
    n.classes[0].population = customers;
    n.classes[0].route[0][1] = n.classes[0].route[1][0] = 1;
    n.run.customers = 3000;
    n.run.batches = 10;
    return n;
}

static struct queue_network_result run(struct queue_network *n)
{
    struct queue_network_result r;
    struct why why = {.line = ""};
    for (unsigned k = 0; k < n->class_count; k++)
        ck_assert_int_eq(queue_network_find_visits(n, k, 0, &why), 0);
    ck_assert_msg(queue_network_check(n, &why) == 0, "%s", why.line);
    ck_assert_int_eq(queue_network_run(n, &r, &why), 0);
    return r;
}

static void assert_near(const struct estimate *e, double value)
{
    ck_assert_double_eq_tol(e->mean, value, 0.005 * value);
}

/* One customer: a passage takes 3. */
START_TEST(test_one_customer_goes_round)
{
    struct queue_network n = one_and_two(1);
    struct queue_network_result r = run(&n);
    assert_near(&r.throughput[0], 1.0 / 3);
    assert_near(&r.centre[0][QUEUE_LINE_UTILISATION], 1.0 / 3);
    assert_near(&r.centre[1][QUEUE_LINE_N], 2.0 / 3);
    assert_close(r.centre[0][QUEUE_LINE_W].mean, 1, 1e-9);
    assert_close(r.centre[1][QUEUE_LINE_W].mean, 2, 1e-9);
    ck_assert_double_eq_tol(r.centre[1][QUEUE_LINE_N_Q].mean, 0, 1e-9);
    ck_assert_double_eq_tol(r.measured_s, 2700 * 1.5, 3);
}
END_TEST

/* Three customers: the slower centre always works, one passage every 2; a customer is at the faster one for 1, half of
 * the time, and at the slower one for 6 - 1. */
START_TEST(test_the_slowest_centre_sets_the_pace)
{
    struct queue_network n = one_and_two(3);
    struct queue_network_result r = run(&n);
    assert_near(&r.throughput[0], 0.5);
    assert_near(&r.centre[1][QUEUE_LINE_UTILISATION], 1);
    assert_near(&r.centre[0][QUEUE_LINE_N], 0.5);
    assert_near(&r.centre[1][QUEUE_LINE_N], 2.5);
    assert_near(&r.centre[1][QUEUE_LINE_N_Q], 1.5);
    assert_close(r.centre[1][QUEUE_LINE_W].mean, 5, 1e-9);
}
END_TEST

/* With a server for each, or with three, nobody waits: a passage takes 3, and there are three customers. */
START_TEST(test_servers_for_all)
{
    struct queue_network n = one_and_two(3);
    n.centres[0].servers = 3;
    n.centres[1].servers = 0;
    struct queue_network_result r = run(&n);
    assert_near(&r.throughput[0], 1);
    assert_close(r.centre[0][QUEUE_LINE_W].mean, 1, 1e-9);
    assert_close(r.time_s[1][0].mean, 2, 1e-9);
    assert_near(&r.centre[0][QUEUE_LINE_UTILISATION], 1.0 / 3);
    ck_assert_double_nan(r.centre[1][QUEUE_LINE_UTILISATION].mean);
    ck_assert_double_nan(r.centre[1][QUEUE_LINE_N_Q].mean);
}
END_TEST

/* First come, first served: a class whose customers are alone at a centre half of the time does not overtake. Two
 * classes share the slower centre; each comes once per passage, and both take the same time there. */
START_TEST(test_classes_are_served_in_turn)
{
    struct queue_network n = one_and_two(2);
    n.class_count = 2;
    n.classes[1] = n.classes[0];
    struct queue_network_result r = run(&n);
    assert_near(&r.throughput[0], 0.25);
    assert_near(&r.throughput[1], 0.25);
    assert_close(r.time_s[1][0].mean, r.time_s[1][1].mean, 1e-9);
    assert_near(&r.number[1][0], 1.75);
}
END_TEST

/* Intervals of 4%: the run is doubled until they are, and its batches add up to it. */
START_TEST(test_the_run_is_doubled)
{
    struct queue_network n = one_and_two(3);
    n.centres[0].service = n.centres[1].service = duration_gamma(1);
    n.run.until_width = 0.04;
    struct queue_network_result r = run(&n);
    ck_assert_double_le(r.widest, 0.04);
    ck_assert_uint_gt(r.services, 5000);
    /* throughput x measured time = passages of two services each */
    double doubled = (r.services - 300) / 2700.0;
    ck_assert_double_eq_tol(log2(doubled), round(log2(doubled)), 0.01);
    ck_assert_double_eq_tol(2 * r.throughput[0].mean * r.measured_s, (double)r.services - 300, 20);
}
END_TEST

/* Two centres that are alike have half of the customers each, in runs of a hundred relaxation times, of five, and of a
 * fifth of one. 38 of 40 intervals of 95% should hold the half; fewer than 34 do in one of 300 such sets. */
START_TEST(test_intervals_hold_the_half)
{
    const unsigned populations[] = {20, 100, 500};
    unsigned held = 0;
    for (unsigned seed = 1; seed <= 40; seed++) {
        const pid_t process = fork();
        ck_assert_int_ge(process, 0);
        if (process == 0) {
            struct queue_network n = one_and_two(populations[_i]);
            n.centres[1] = n.centres[0];
            n.centres[0].service = n.centres[1].service = duration_gamma(1);
            n.run.customers = 20000;
            n.run.batches = 30;
            n.run.seed = seed;
            const struct queue_network_result r = run(&n);
            const struct estimate *e = &r.centre[0][QUEUE_LINE_N];
            _exit(fabs(e->mean - populations[_i] / 2.0) <= e->half_width ? 0 : 1);
        }
        int status;
        ck_assert_int_eq(waitpid(process, &status, 0), process);
        ck_assert(WIFEXITED(status));
        held += WEXITSTATUS(status) == 0;
    }
    ck_assert_msg(held >= 34, "%u of 40 intervals held", held);
}
END_TEST

START_TEST(test_the_same_seed_gives_the_same_numbers)
{
    struct queue_network n = one_and_two(2);
    n.centres[1].mu_per_s = 1;
    n.centres[1].service = duration_mixture(0.1, 10);
    struct queue_network_result r = run(&n);
    assert_close(r.throughput[0].mean, 0.690, 0.1);
    ck_assert_uint_ge(r.services, 3000);
    ck_assert_uint_le(r.services, 3002); /* what is begun is ended */
}
END_TEST

/* --- routes ---------------------------------------------------------------------------------------------- */

/* From the first to the third, from the second to the first, from the third a quarter to the first: 1, 0.75, 1. */
START_TEST(test_visits_of_routes)
{
    struct queue_network n = one_and_two(1);
    struct queue_network_class *class = &n.classes[0];
    struct why why;
    n.centre_count = 3;
    memset(class->route, 0, sizeof class->route);
    class->route[0][2] = class->route[1][0] = 1;
    class->route[2][0] = 0.25;
    class->route[2][1] = 0.75;
    ck_assert_int_eq(queue_network_find_visits(&n, 0, 0, &why), 0);
    assert_close(class->visits[0], 1, 1e-15);
    assert_close(class->visits[1], 0.75, 1e-15);
    assert_close(class->visits[2], 1, 1e-15);
    ck_assert_int_eq(queue_network_find_visits(&n, 0, 1, &why), 0);
    assert_close(class->visits[2], 1 / 0.75, 1e-15);
    queue_network_route_by_visits(class, 3);
    ck_assert_int_eq(queue_network_find_visits(&n, 0, 1, &why), 0);
    assert_close(class->visits[2], 1 / 0.75, 1e-15);
}
END_TEST

START_TEST(test_routes_that_do_not_go_round)
{
    struct queue_network n = one_and_two(1);
    struct why why;
    n.classes[0].route[1][0] = 0.9;
    ck_assert_int_eq(queue_network_find_visits(&n, 0, 0, &why), WHY_SAID);
    ck_assert_ptr_nonnull(strstr(why.line, "probabilities of 0.9"));
    n.classes[0].route[1][0] = 0;
    n.classes[0].route[1][1] = 1;
    ck_assert_int_eq(queue_network_find_visits(&n, 0, 0, &why), WHY_SAID);
    ck_assert_ptr_nonnull(strstr(why.line, "no route leads from 'c1' back to 'c0'"));
    ck_assert_int_eq(queue_network_find_visits(&n, 0, 1, &why), WHY_SAID);
    ck_assert_ptr_nonnull(strstr(why.line, "no route leads from 'c1' to 'c0'"));
}
END_TEST

static Suite *queue_network_suite(void)
{
    Suite *suite = suite_create("queue_network");
    TCase *core = tcase_create("core");
    tcase_set_timeout(core, 60);
    tcase_add_test(core, test_one_customer_goes_round);
    tcase_add_test(core, test_the_slowest_centre_sets_the_pace);
    tcase_add_test(core, test_servers_for_all);
    tcase_add_test(core, test_classes_are_served_in_turn);
    tcase_add_test(core, test_the_run_is_doubled);
    tcase_add_loop_test(core, test_intervals_hold_the_half, 0, 3);
    tcase_add_test(core, test_the_same_seed_gives_the_same_numbers);
    tcase_add_test(core, test_visits_of_routes);
    tcase_add_test(core, test_routes_that_do_not_go_round);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(queue_network_suite());
}
