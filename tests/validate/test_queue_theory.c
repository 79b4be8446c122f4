/* test_queue_theory.c - what models are said to say of tandems, and what was printed of the published runs. */
#include "validate/queue_theory.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "sim/measure/machine_frame.h"
#include "tests/run_suite.h"
#include "validate/published_run.h"
#include "validate/run_models.h"

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
    ck_assert_ptr_null(queue_theory_model(MODELS));
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

/* --- published runs -------------------------------------------------------------------------------------- */

START_TEST(test_printed_numbers_have_their_rounding)
{
    struct published_number n = published_number("0.296");
    ck_assert_double_eq_tol(n.value, 0.296, 1e-12);
    ck_assert_double_eq_tol(n.low, 0.2955, 1e-12);
    ck_assert_double_eq_tol(n.high, 0.2965, 1e-12);
    n = published_number("580");
    ck_assert_double_eq_tol(n.low, 579.5, 1e-12);
    n = published_number("1790");
    ck_assert_double_eq_tol(n.high, 1795, 1e-12);
    n = published_number("0.0");
    ck_assert_double_eq_tol(n.high, 0.05, 1e-12);
    n = published_number("~0");
    ck_assert_double_eq(n.value, 0);
    ck_assert_double_eq(n.high, PUBLISHED_ABOUT_ZERO);
    n = published_number(NULL);
    ck_assert(isnan(n.value) && isnan(n.low) && !(0 >= n.low));
}
END_TEST

/* 13 measured cells a run; what follows from each other does: rho = lambda over mu, N_Q of 1b that of its queues. */
START_TEST(test_published_cells_agree_with_each_other)
{
    double value[PUBLISHED_CELLS];
    int run = published_run_find(_i == 0 ? "dor2010-run1" : "dor2010-run2");
    ck_assert_int_eq(run, _i);
    for (unsigned i = 0; i < PUBLISHED_CELLS; i++) {
        ck_assert_ptr_nonnull(published_measured((unsigned)run, i));
        value[i] = published_number(published_measured((unsigned)run, i)).value;
    }
    ck_assert_str_eq(published_parameter(3), "rho_1a");
    ck_assert_double_eq_tol(value[0] / 2128, value[3], 0.01); /* lambda_1a over 16 x 133 M */
    ck_assert_double_eq_tol(value[2] / 133, value[5], 0.005);
    ck_assert_double_eq_tol(value[7] + value[8], value[6], 5.01);
    ck_assert_int_eq(published_run_find("dor2010-run3"), -1);
}
END_TEST

START_TEST(test_run_models_know_their_cells)
{
    static struct frame frame;
    const char *const parameters[] = {"lambda_1a", "N_Q_3", "N_Q_2"};
    struct run_model_cell values[3 * RUN_MODELS];
    ck_assert_str_eq(run_model(0), "M/M/1");
    ck_assert_str_eq(run_model(1), "M/M/1/K");
    ck_assert_str_eq(run_model(RUN_MODELS - 1), "blocking");
    ck_assert_int_lt(run_models_predict(&frame, &machine_layout, parameters, 3, values), 0); /* empty */
    frame.clock_hz = 133e6;
    frame.clocks = 133000;
    frame.gauges[frame_find_gauge(&machine_layout, "pcix", "capacity_bytes_per_s")] = 1e9;
    frame.counters[frame_find_counter(&machine_layout, "pcix", "database_bytes")] = 800000;
    frame.counters[frame_find_counter(&machine_layout, "stage_1a", "words")] = 100000;
    frame.counters[frame_find_counter(&machine_layout, "stage_1a", "wmers")] = 1600000;
    frame.counters[frame_find_counter(&machine_layout, "stage_1b", "seeds")] = 16000;
    frame.counters[frame_find_counter(&machine_layout, "stage_1b", "sram_reads")] = 16000;
    frame.counters[frame_find_counter(&machine_layout, "stage_2", "matches")] = 13300;
    const char *const queues[] = {"ingress_fifo", "wmer_fifo", "sram_fifo", "stage2_fifo"};
    for (unsigned i = 0; i < 4; i++)
        frame.queues[frame_find_queue(&machine_layout, queues[i])] =
            (struct fifo_measure){.places = 100, .clocks = 133000};
    frame.gauges[frame_find_gauge(&machine_layout, "pcix", "host_supply_bytes_per_s")] = 9e8;
    frame.gauges[frame_find_gauge(&machine_layout, "stage_1a", "clock_hz")] = 133e6;
    frame.counters[frame_find_counter(&machine_layout, "pcix", "measured_time")] = 1000000000; /* ps */
    ck_assert_int_eq(run_models_predict(&frame, &machine_layout, parameters, 3, values), 0);
    ck_assert_double_eq_tol(values[0].value, 1600, 1e-9); /* 1.6e6 w-mers in a millisecond */
    ck_assert(isnan(values[1].value) && *values[1].verdict == '\0');
    ck_assert_double_eq_tol(values[2].value, 0.1 * 0.1 / 0.9, 1e-9); /* rho_2 = 13.3 M/133 M */
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
    TCase *published = tcase_create("published");
    tcase_add_test(published, test_printed_numbers_have_their_rounding);
    tcase_add_loop_test(published, test_published_cells_agree_with_each_other, 0, 2);
    tcase_add_test(published, test_run_models_know_their_cells);
    suite_add_tcase(suite, published);
    return run_suite(suite);
}
