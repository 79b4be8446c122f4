/* test_queue_theory.c - what models are said to say of tandems. */
#include "validate/queue_theory.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "sim/measure/machine_frame.h"
#include "tests/run_suite.h"

enum { MM1, MM1K, MM1K_ACTUAL, MD1, MG1, MXG1, BLOCKING, MODELS };

static void ask(unsigned model, double lambda, bool blocking, unsigned count,
                const struct queue_theory_stage *stages, struct queue_theory_answer *out)
{
    struct queue_theory_question question = {.lambda_per_s = lambda,
                                             .poisson = true,
                                             .blocking = blocking,
                                             .stage_count = count,
                                             .stages = stages};
    queue_theory_predict(model, &question, out);
}

/* --- queues ---------------------------------------------------------------------------------------------- */

START_TEST(test_models_have_names)
{
    static const char *const names[MODELS] = {"M/M/1", "M/M/1/K",   "M/M/1/K_actual", "M/D/1",
                                              "M/G/1", "M^[X]/G/1", "blocking"};
    for (unsigned i = 0; i < MODELS; i++)
        ck_assert_str_eq(queue_theory_model(i), names[i]);
}
END_TEST

/* lambda = mu = 1, one place, and a source that stops while it holds a customer: empty, busy, busy with one outside are
 * equally likely. */
START_TEST(test_a_blocked_source_by_hand)
{
    const struct queue_theory_stage stage = {.mu_per_s = 1, .k = 1, .exponential = true};
    struct queue_theory_answer a;
    ask(MM1K, 1, true, 1, &stage, &a);
    ck_assert_ptr_null(a.why_not);
    ck_assert(a.exact);
    ck_assert_double_eq_tol(a.throughput_per_s, 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(a.offered_per_s, 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(a.rho, 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(a.n_g, 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(a.n_q, 0, 1e-12);
    ck_assert_double_eq_tol(a.w_g_s, 1, 1e-12);
    ck_assert_double_eq_tol(a.p_bp, 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(a.blocking, 1.0 / 3, 1e-12);
    ck_assert_double_eq(a.loss, 0);
}
END_TEST

/* lambda = mu = 1, K = 1 loses half; the next stage gets the other half: M/M/1 with rho 1/4, N_G 1/3, as if that were
 * Poisson. */
START_TEST(test_what_is_lost_does_not_go_on)
{
    const struct queue_theory_stage stages[] = {{.mu_per_s = 1, .k = 1, .exponential = true},
                                                {.mu_per_s = 2, .exponential = true}};
    struct queue_theory_answer a[2];
    ask(MM1K, 1, false, 2, stages, a);
    ck_assert_double_eq_tol(a[0].loss, 0.5, 1e-12);
    ck_assert_double_eq_tol(a[1].offered_per_s, 0.5, 1e-12);
    ck_assert_double_eq_tol(a[1].n_g, 1.0 / 3, 1e-12);
    ck_assert(a[0].exact);
    ck_assert(!a[1].exact); /* departures of a bounded stage are not Poisson */
}
END_TEST

START_TEST(test_what_is_exact)
{
    const struct queue_theory_stage burke[] = {{.mu_per_s = 1, .exponential = true},
                                               {.mu_per_s = 2, .exponential = true}};
    const struct queue_theory_stage constant = {.mu_per_s = 1};
    struct queue_theory_answer a[2];
    ask(MM1, 0.5, false, 2, burke, a);
    ck_assert(a[0].exact && a[1].exact);
    ask(MM1K, 0.5, false, 2, burke, a);
    ck_assert(a[0].exact && a[1].exact);
    ask(MM1, 0.5, false, 1, &constant, a);
    ck_assert(!a[0].exact);
    struct queue_theory_question batches = {.lambda_per_s = 0.5, .stage_count = 1, .stages = burke};
    queue_theory_predict(MM1, &batches, a);
    ck_assert(!a[0].exact);
}
END_TEST

/* Reasons, not numbers. */
START_TEST(test_no_answer)
{
    const struct queue_theory_stage stages[] = {
        {.mu_per_s = 1, .k = 3, .exponential = true, .entering_per_s = 1.01},
        {.mu_per_s = 2, .k = 3, .exponential = true, .entering_per_s = 1}};
    struct queue_theory_answer a[2];
    ask(MM1, 1, false, 2, stages, a);
    ck_assert(strstr(a[0].why_not, "steady state") && isnan(a[0].n_g) && isnan(a[0].throughput_per_s));
    ck_assert(a[1].why_not && isnan(a[1].rho));
    ask(MM1K, 1, true, 2, stages, a);
    ck_assert(strstr(a[0].why_not, "block") && isnan(a[0].n_q) && !a[0].exact);
    ask(MM1K_ACTUAL, 1, false, 2, stages, a);
    ck_assert(strstr(a[0].why_not, "no solution") && isnan(a[0].p_bp));
    ck_assert(!a[1].why_not && a[1].n_g > 0); /* its own rate is known */
    struct queue_theory_stage measured = {.mu_per_s = 1, .k = 100, .exponential = true};
    measured.entering_per_s = 0.98, measured.entering_half_width = 0.01; /* 1 / (1 - rho): 33 .. 100 */
    ask(MM1K_ACTUAL, 1, false, 1, &measured, a);
    ck_assert_ptr_null(a[0].why_not);
    measured.entering_half_width = 0.018; /* 26 .. 500 */
    ask(MM1K_ACTUAL, 1, false, 1, &measured, a);
    ck_assert(strstr(a[0].why_not, "not determined") && isnan(a[0].n_q));
}
END_TEST

/* Deterministic and exponential services by Pollaczek and Khinchine, batches of two; and what each does not know. */
START_TEST(test_general_services)
{
    struct queue_theory_stage stages[2] = {{.mu_per_s = 1, .service_scv = 0},
                                           {.mu_per_s = 1, .service_scv = 3}};
    struct queue_theory_answer a[2];
    ask(MD1, 0.5, false, 2, stages, a);
    ck_assert_double_eq_tol(a[0].n_q, 0.25, 1e-12);
    ck_assert(a[0].exact && !a[1].exact);
    ask(MG1, 0.5, false, 2, stages, a);
    ck_assert_double_eq_tol(a[0].n_q, 0.25, 1e-12);
    ck_assert_double_eq_tol(a[1].n_q, 1.0, 1e-12); /* rho^2 (1 + 3) / 2 / (1 - rho) */
    struct queue_theory_question q = {.lambda_per_s = 0.5, .batch = 2, .stage_count = 1, .stages = stages};
    queue_theory_predict(MXG1, &q, a);
    ck_assert_double_eq_tol(a[0].n_q, 0.75, 1e-12);
    ck_assert(a[0].exact);
    ask(MG1, 1.5, false, 2, stages, a);
    ck_assert(strstr(a[0].why_not, "no steady state") && isnan(a[0].n_q) && a[1].why_not && isnan(a[1].n_q));
}
END_TEST

/* One exponential stage: exact, and M/M/1/K+1 says the same; where nothing blocks or nothing is bounded, the reason. */
START_TEST(test_blocking)
{
    for (unsigned k = 2; k < 40; k += 7) {
        const struct queue_theory_stage stage = {
            .mu_per_s = 1, .k = k, .exponential = true, .service_scv = 1};
        struct queue_theory_answer a, b;
        ask(BLOCKING, 0.8, true, 1, &stage, &a);
        ask(MM1K, 0.8, true, 1, &stage, &b);
        ck_assert(a.exact && b.exact);
        ck_assert_double_eq_tol(a.throughput_per_s, b.throughput_per_s, 1e-8);
        ck_assert_double_eq_tol(a.n_q, b.n_q, 1e-7);
        ck_assert_double_eq_tol(a.p_bp, b.p_bp, 1e-8);
        ck_assert_double_eq_tol(a.blocking, b.blocking, 1e-8);
        ask(BLOCKING, 0.8, false, 1, &stage, &a);
        ck_assert(a.why_not && isnan(a.n_q) && isnan(a.throughput_per_s));
    }
    const struct queue_theory_stage free_stage = {.mu_per_s = 1, .exponential = true, .service_scv = 1};
    struct queue_theory_answer a;
    ask(BLOCKING, 0.8, true, 1, &free_stage, &a);
    ck_assert(strstr(a.why_not, "bound") && isnan(a.n_q));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queue_theory");
    TCase *queues = tcase_create("queues");
    tcase_add_test(queues, test_models_have_names);
    tcase_add_test(queues, test_a_blocked_source_by_hand);
    tcase_add_test(queues, test_what_is_lost_does_not_go_on);
    tcase_add_test(queues, test_what_is_exact);
    tcase_add_test(queues, test_no_answer);
    tcase_add_test(queues, test_general_services);
    tcase_add_test(queues, test_blocking);
    suite_add_tcase(suite, queues);
    return run_suite(suite);
}
