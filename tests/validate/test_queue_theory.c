/* test_queue_theory.c - what models are said to say of tandems. */
#include "validate/queue_theory.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "sim/measure/machine_frame.h"
#include "tests/run_suite.h"

enum {
    MM1,
    MM1K,
    MM1K_DOR,
    MD1,
    MG1,
    MXG1,
    EM1,
    MMCK,
    MGC,
    MG1K,
    GIM1,
    GIGC,
    KINGMAN,
    MMPPM1,
    MMPPM1K,
    CLASSES,
    BLOCKING,
    MARKOV,
    MODELS
};

/* Stages of one server that convert and filter nothing, unless they say so. */
static struct queue_line line_of(double lambda, bool blocking, unsigned count,
                                 const struct queue_line_stage *stages)
{
    struct queue_line line = {
        .lambda_per_s = lambda, .overflow = blocking ? OVERFLOW_BLOCK : OVERFLOW_LOSS, .stage_count = count};
    for (unsigned i = 0; i < count; i++) {
        struct queue_line_stage *stage = &line.stages[i];
        *stage = stages[i];
        stage->servers = stage->servers > 0 ? stage->servers : 1;
        stage->factor = stage->factor > 0 ? stage->factor : 1;
        stage->pass_fraction = stage->pass_fraction > 0 ? stage->pass_fraction : 1;
    }
    return line;
}

static void ask(unsigned model, double lambda, bool blocking, unsigned count,
                const struct queue_line_stage *stages, struct queue_theory_answer *out)
{
    struct queue_line line = line_of(lambda, blocking, count, stages);
    queue_theory_predict(model, &line, NULL, out);
}

static void ask_actual(double rate, double half_width, const struct queue_line_stage *stage,
                       struct queue_theory_answer *out)
{
    struct queue_line line = line_of(1, false, 1, stage);
    struct queue_line_result simulated = {
        .stage = {[0] = {[QUEUE_LINE_THROUGHPUT] = {.mean = rate, .half_width = half_width}}}};
    queue_theory_predict(MM1K_DOR, &line, &simulated, out);
}

/* --- queues ---------------------------------------------------------------------------------------------- */

START_TEST(test_models_have_names)
{
    static const char *const names[MODELS] = {
        "M/M/1",   "M/M/1/K",  "M/M/1/K (Dor)", "M/D/1",           "M/G/1",    "M^[X]/G/1",
        "E_n/M/1", "M/M/c/K",  "M/G/c",         "M/G/1/K",         "GI/M/1",   "GI/G/c",
        "Kingman", "MMPP/M/1", "MMPP/M/1/K",    "M/G/1 (classes)", "blocking", "Markov chain"};
    for (unsigned i = 0; i < MODELS; i++)
        ck_assert_str_eq(queue_theory_model(i), names[i]);
}
END_TEST

/* lambda = mu = 1, one place, and a source that stops while it holds a customer: empty, busy, busy with one outside are
 * equally likely. */
START_TEST(test_a_blocked_source_by_hand)
{
    const struct queue_line_stage stage = {.mu_per_s = 1, .places = 1};
    struct queue_theory_answer a;
    ask(MM1K, 1, true, 1, &stage, &a);
    ck_assert_ptr_null(a.why_not);
    ck_assert(a.exact);
    ck_assert_double_eq_tol(a.value[QUEUE_LINE_THROUGHPUT], 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(a.value[QUEUE_LINE_OFFERED], 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(a.value[QUEUE_LINE_UTILISATION], 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(a.value[QUEUE_LINE_N], 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(a.value[QUEUE_LINE_N_Q], 0, 1e-12);
    ck_assert_double_eq_tol(a.value[QUEUE_LINE_W], 1, 1e-12);
    ck_assert_double_eq_tol(a.value[QUEUE_LINE_FULL], 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(a.value[QUEUE_LINE_BLOCKING], 1.0 / 3, 1e-12);
    ck_assert_double_eq(a.value[QUEUE_LINE_LOSS], 0);
}
END_TEST

/* lambda = mu = 1, K = 1 loses half; the next stage gets the other half: M/M/1 with rho 1/4, N_G 1/3, as if that were
 * Poisson. */
START_TEST(test_what_is_lost_does_not_go_on)
{
    const struct queue_line_stage stages[] = {{.mu_per_s = 1, .places = 1}, {.mu_per_s = 2}};
    struct queue_theory_answer a[2];
    ask(MM1K, 1, false, 2, stages, a);
    ck_assert_double_eq_tol(a[0].value[QUEUE_LINE_LOSS], 0.5, 1e-12);
    ck_assert_double_eq_tol(a[1].value[QUEUE_LINE_OFFERED], 0.5, 1e-12);
    ck_assert_double_eq_tol(a[1].value[QUEUE_LINE_N], 1.0 / 3, 1e-12);
    ck_assert(a[0].exact);
    ck_assert(!a[1].exact); /* departures of a bounded stage are not Poisson */
}
END_TEST

START_TEST(test_what_is_exact)
{
    const struct queue_line_stage burke[] = {{.mu_per_s = 1}, {.mu_per_s = 2}};
    const struct queue_line_stage constant = {.mu_per_s = 1, .service = duration_gamma(0)};
    struct queue_theory_answer a[2];
    ask(MM1, 0.5, false, 2, burke, a);
    ck_assert(a[0].exact && a[1].exact);
    ask(MM1K, 0.5, false, 2, burke, a);
    ck_assert(a[0].exact && a[1].exact);
    ask(MM1, 0.5, false, 1, &constant, a);
    ck_assert(!a[0].exact);
    struct queue_line batches = line_of(0.5, false, 1, burke);
    batches.stages[0].factor = 2;
    queue_theory_predict(MM1, &batches, NULL, a);
    ck_assert(!a[0].exact);
}
END_TEST

/* What b sends back to a is no stream of M/M/1 while the full stage c holds b up: simulations with these numbers have
 * an N_G of a of 8.4 to 8.5, where M/M/1 says 8. */
START_TEST(test_what_a_held_stage_sends_back)
{
    struct queue_line_stage stages[] = {
        {.mu_per_s = 45}, {.mu_per_s = 400, .back_fraction = 0.6}, {.mu_per_s = 28, .places = 1}};
    struct queue_theory_answer a[3];
    ask(MM1, 16, true, 3, stages, a);
    ck_assert_double_eq_tol(a[0].value[QUEUE_LINE_N], 8, 1e-12);
    ck_assert(!a[0].exact && !a[1].exact);
    ask(MM1, 16, false, 3, stages, a); /* c loses customers and holds nobody up */
    ck_assert(a[0].exact && a[1].exact);
    stages[2].places = 0;
    ask(MM1, 16, true, 3, stages, a);
    ck_assert(a[0].exact && a[1].exact && a[2].exact);
}
END_TEST

/* M/G/1/K is none of three servers, which pass on what M/M/c/K does not lose. */
START_TEST(test_mg1k_behind_several_servers)
{
    const struct queue_line_stage stages[] = {{.mu_per_s = 1, .servers = 3, .places = 6},
                                              {.mu_per_s = 3, .places = 4, .service = duration_gamma(0)}};
    struct queue_theory_answer a[2], of_mmck[2];
    ask(MG1K, 2, false, 2, stages, a);
    ask(MMCK, 2, false, 2, stages, of_mmck);
    ck_assert_ptr_nonnull(a[0].why_not);
    ck_assert_double_lt(of_mmck[0].value[QUEUE_LINE_THROUGHPUT], 1.95);
    ck_assert_double_gt(of_mmck[0].value[QUEUE_LINE_THROUGHPUT], 1.85);
    ck_assert_double_eq_tol(a[1].value[QUEUE_LINE_OFFERED], of_mmck[0].value[QUEUE_LINE_THROUGHPUT], 1e-12);
}
END_TEST

/* Reasons, not numbers. */
START_TEST(test_no_answer)
{
    const struct queue_line_stage stages[] = {{.mu_per_s = 1, .places = 3}, {.mu_per_s = 2, .places = 3}};
    struct queue_theory_answer a[2];
    ask(MM1, 1, false, 2, stages, a);
    ck_assert(strstr(a[0].why_not, "steady state") && isnan(a[0].value[QUEUE_LINE_N]) &&
              isnan(a[0].value[QUEUE_LINE_THROUGHPUT]));
    ck_assert(a[1].why_not && isnan(a[1].value[QUEUE_LINE_UTILISATION]));
    ask(MM1K, 1, true, 2, stages, a);
    ck_assert(strstr(a[0].why_not, "block") && isnan(a[0].value[QUEUE_LINE_N_Q]) && !a[0].exact);
    struct queue_line line = line_of(1, false, 2, stages);
    struct queue_line_result simulated = {
        .stage = {
            [0] = {[QUEUE_LINE_THROUGHPUT] = {.mean = 1.01}}, [1] = {[QUEUE_LINE_THROUGHPUT] = {.mean = 1}}}};
    queue_theory_predict(MM1K_DOR, &line, &simulated, a);
    ck_assert(strstr(a[0].why_not, "no solution") && isnan(a[0].value[QUEUE_LINE_FULL]));
    ck_assert(!a[1].why_not && a[1].value[QUEUE_LINE_N] > 0); /* its own rate is known */
    const struct queue_line_stage measured = {.mu_per_s = 1, .places = 100};
    ask_actual(0.98, 0.01, &measured, a); /* 1 / (1 - rho): 33 .. 100 */
    ck_assert_ptr_null(a[0].why_not);
    ask_actual(0.98, 0.018, &measured, a); /* 26 .. 500 */
    ck_assert(strstr(a[0].why_not, "not determined") && isnan(a[0].value[QUEUE_LINE_N_Q]));
}
END_TEST

/* Deterministic and exponential services by Pollaczek and Khinchine, batches of two; and what each does not know. */
START_TEST(test_general_services)
{
    struct queue_line_stage stages[2] = {
        {.mu_per_s = 1, .service = duration_gamma(0)},
        /* the mean is 1 + 0.1 x 10 = 2 short services, the scv (0.9 + 0.1 x 121) / 4 - 1 = 2.25 */
        {.mu_per_s = 1, .service = duration_mixture(0.1, 11)}};
    struct queue_theory_answer a[2];
    ask(MD1, 0.5, false, 2, stages, a);
    ck_assert_double_eq_tol(a[0].value[QUEUE_LINE_N_Q], 0.25, 1e-12);
    ck_assert(a[0].exact && !a[1].exact);
    ask(MG1, 0.5, false, 2, stages, a);
    ck_assert_double_eq_tol(a[0].value[QUEUE_LINE_N_Q], 0.25, 1e-12);
    ck_assert_double_eq_tol(a[1].value[QUEUE_LINE_N_Q], 0.8125, 1e-12); /* rho^2 (1 + scv) / 2 / (1 - rho) */
    struct queue_line batches = line_of(0.5, false, 1, stages);
    batches.stages[0].factor = 2;
    queue_theory_predict(MXG1, &batches, NULL, a);
    ck_assert_double_eq_tol(a[0].value[QUEUE_LINE_N_Q], 0.75, 1e-12);
    ck_assert(a[0].exact);
    ask(MG1, 1.5, false, 2, stages, a);
    ck_assert(strstr(a[0].why_not, "no steady state") && isnan(a[0].value[QUEUE_LINE_N_Q]) && a[1].why_not &&
              isnan(a[1].value[QUEUE_LINE_N_Q]));
}
END_TEST

/* A stage's elements are thinned by P_f, and then converted by F. Batches of 16 at rho 0.6: N_Q = 0.6 (0.6 + 7.5) /
 * 0.4. Of 2 or 3: 0.5 (0.5 + (6.5 / 2.5 - 1) / 2) / 0.5. Eight packed into one: the root of s = (8 r / (8 r + 1 -
 * s))^8. */
START_TEST(test_what_is_converted)
{
    struct queue_line_stage stages[] = {{.mu_per_s = 2, .pass_fraction = 0.05},
                                        {.mu_per_s = 1, .factor = 16}};
    struct queue_theory_answer a[2];
    ask(MXG1, 0.75, false, 2, stages, a);
    ck_assert_double_eq_tol(a[1].value[QUEUE_LINE_N_Q], 12.15, 1e-12);
    ck_assert(a[0].exact && a[1].exact);
    ask(MM1, 0.75, false, 2, stages, a);
    ck_assert(a[0].exact && !a[1].exact);
    stages[1].factor = 2.5;
    stages[0].pass_fraction = 0.2;
    ask(MXG1, 1, false, 2, stages, a);
    ck_assert_double_eq_tol(a[1].value[QUEUE_LINE_N_Q], 1.3, 1e-12);
    stages[1].factor = 1.0 / 8;
    stages[1].mu_per_s = 0.05;
    stages[1].added_per_s = 0.04;
    ask(EM1, 1, false, 2, stages, a); /* 0.2 and 0.04 elements, 0.03 packed ones */
    double s = a[1].value[QUEUE_LINE_W_Q] * 0.05 / (1 + a[1].value[QUEUE_LINE_W_Q] * 0.05);
    ck_assert_double_eq_tol(a[1].value[QUEUE_LINE_UTILISATION], 0.6, 1e-12);
    ck_assert_double_eq_tol(s, pow(4.8 / (5.8 - s), 8), 1e-12);
    ck_assert(!a[0].exact && strstr(a[0].why_not, "not packed") && a[1].exact);
}
END_TEST

/* What rounding leaves is 0, and no probability is below it. */
START_TEST(test_what_never_happens)
{
    const struct queue_line_stage stage = {.mu_per_s = 1, .places = 200};
    for (double lambda = 0.01; lambda < 0.8; lambda += 0.01)
        for (unsigned model = MM1; model <= MM1K; model++) {
            struct queue_theory_answer a;
            ask(model, lambda, false, 1, &stage, &a);
            ck_assert_double_eq(a.value[QUEUE_LINE_LOSS], 0);
            ck_assert_double_eq(a.value[QUEUE_LINE_FULL], 0);
        }
}
END_TEST

/* One exponential stage: exact, and M/M/1/K+1 says the same; where nothing blocks or nothing is bounded, the reason. */
START_TEST(test_blocking)
{
    for (unsigned k = 2; k < 40; k += 7) {
        const struct queue_line_stage stage = {.mu_per_s = 1, .places = k};
        struct queue_theory_answer a, b;
        ask(BLOCKING, 0.8, true, 1, &stage, &a);
        ask(MM1K, 0.8, true, 1, &stage, &b);
        ck_assert(a.exact && b.exact);
        ck_assert_double_eq_tol(a.value[QUEUE_LINE_THROUGHPUT], b.value[QUEUE_LINE_THROUGHPUT], 1e-8);
        ck_assert_double_eq_tol(a.value[QUEUE_LINE_N_Q], b.value[QUEUE_LINE_N_Q], 1e-7);
        ck_assert_double_eq_tol(a.value[QUEUE_LINE_FULL], b.value[QUEUE_LINE_FULL], 1e-8);
        ck_assert_double_eq_tol(a.value[QUEUE_LINE_BLOCKING], b.value[QUEUE_LINE_BLOCKING], 1e-8);
        ask(BLOCKING, 0.8, false, 1, &stage, &a);
        ck_assert(a.why_not && isnan(a.value[QUEUE_LINE_N_Q]) && isnan(a.value[QUEUE_LINE_THROUGHPUT]));
    }
    const struct queue_line_stage free_stage = {.mu_per_s = 1};
    struct queue_theory_answer a;
    ask(BLOCKING, 0.8, true, 1, &free_stage, &a);
    ck_assert(strstr(a.why_not, "bound") && isnan(a.value[QUEUE_LINE_N_Q]));
}
END_TEST

/* The whole tandem, state by state: for bounded stages, all times of which are exponential. With loss, the first stage
 * is the M/M/1/K that it is; what comes to the second one is more regular than Poisson arrivals. */
START_TEST(test_markov_chain)
{
    const struct queue_line_stage stages[] = {{.mu_per_s = 1, .places = 2}, {.mu_per_s = 1, .places = 2}};
    struct queue_theory_answer a[2], b[2];
    ask(MARKOV, 0.9, true, 2, stages, a);
    ck_assert(a[0].exact && a[1].exact);
    ck_assert_double_eq_tol(a[1].value[QUEUE_LINE_THROUGHPUT], 0.646784, 5e-7);
    ck_assert_double_eq_tol(a[0].value[QUEUE_LINE_FULL], 0.562128, 5e-7);
    ck_assert_double_eq_tol(a[1].value[QUEUE_LINE_FULL], 0.368125, 5e-7);
    ask(MARKOV, 0.9, false, 2, stages, a);
    ask(MM1K, 0.9, false, 2, stages, b);
    for (unsigned q = 0; q < QUEUE_LINE_BLOCKING; q++)
        ck_assert_double_eq_tol(a[0].value[q], b[0].value[q], 1e-11);
    ck_assert_double_lt(a[1].value[QUEUE_LINE_LOSS], b[1].value[QUEUE_LINE_LOSS] - 0.01);

    struct queue_line line = line_of(0.9, true, 2, stages);
    ck_assert(queue_theory_applies(MARKOV, &line));
    line.stages[1].factor = 2;
    ck_assert(!queue_theory_applies(MARKOV, &line));
    line = line_of(0.9, true, 2, stages);
    line.stages[1].service = duration_gamma(0);
    ck_assert(!queue_theory_applies(MARKOV, &line));
    line = line_of(0.9, true, 2, stages);
    line.stages[1].places = 0;
    ck_assert(!queue_theory_applies(MARKOV, &line));
    line = line_of(0.9, true, 1, stages);
    ck_assert(!queue_theory_applies(MARKOV, &line));
}
END_TEST

/* M/D/1/5 that loses is what a source that is held makes of 4 places; behind another stage, which it would hold, it is
 * none. Arrivals that are not Poisson have models of their own, of the first stage or with what was measured. */
START_TEST(test_laws)
{
    const struct queue_line_stage five = {.mu_per_s = 1, .places = 5, .service = duration_gamma(0)},
                                  four = {.mu_per_s = 1, .places = 4, .service = duration_gamma(0)};
    struct queue_theory_answer a[2], b;
    struct queue_line line = line_of(0.9, false, 1, &five);
    ck_assert(queue_theory_applies(MG1K, &line) && !queue_theory_applies(GIM1, &line));
    queue_theory_predict(MG1K, &line, NULL, a);
    ask(MG1K, 0.9, true, 1, &four, &b);
    ck_assert(a[0].exact && b.exact);
    ck_assert_double_eq_tol(a[0].value[QUEUE_LINE_LOSS], 0.064362, 1e-6);
    ck_assert_double_eq_tol(a[0].value[QUEUE_LINE_LOSS], b.value[QUEUE_LINE_BLOCKING], 1e-12);
    ck_assert_double_eq_tol(b.value[QUEUE_LINE_THROUGHPUT], 0.842074, 1e-6);
    const struct queue_line_stage both[] = {{.mu_per_s = 1},
                                            {.mu_per_s = 1, .places = 5, .service = duration_gamma(0)}};
    ask(MG1K, 0.9, true, 2, both, a);
    ck_assert(strstr(a[0].why_not, "K is not given") && strstr(a[1].why_not, "they do not lose"));
    line = line_of(0.8, false, 2, both);
    line.arrivals = duration_gamma(0);
    queue_theory_predict(GIM1, &line, NULL, a);
    ck_assert(a[0].exact && strstr(a[1].why_not, "only the source has"));
    ck_assert_double_eq_tol(a[0].value[QUEUE_LINE_W_Q], 1.69273, 1e-5);
    queue_theory_predict(GIGC, &line, NULL, a);
    ck_assert(!a[0].exact && strstr(a[1].why_not, "not known"));
    ck_assert_double_eq_tol(a[0].value[QUEUE_LINE_W_Q], 2, 1e-12); /* rho / (1 - rho) (0 + 1) / 2 */
    struct queue_line_result simulated = {.arrivals = {[1] = {.scv = 0.5}}};
    queue_theory_predict(GIGC, &line, &simulated, a);
    ck_assert_double_eq_tol(a[1].value[QUEUE_LINE_W_Q], 1, 1e-12);
    queue_theory_predict(KINGMAN, &line, &simulated, a);
    ck_assert_double_eq_tol(a[0].value[QUEUE_LINE_W_Q], 2, 1e-12);
    ck_assert_double_eq_tol(a[1].value[QUEUE_LINE_W_Q], 1.5625, 1e-12); /* 0.5 / 0.8 / (2 x 0.2) */
}
END_TEST

/* Only the mean of the services counts where nobody can wait: 4 servers at an offered load of 2 lose 2/21, and one half
 * of 1. It is another queue with a place more, with a source that waits, and where arrivals are not Poisson. */
START_TEST(test_loss_formula)
{
    struct queue_line_stage stage = {.mu_per_s = 1, .servers = 4, .places = 4, .service = duration_gamma(9)};
    struct queue_theory_answer a;
    ask(MMCK, 2, false, 1, &stage, &a);
    ck_assert(a.exact);
    ck_assert_double_eq_tol(a.value[QUEUE_LINE_LOSS], 2.0 / 21, 1e-12);
    struct queue_line line = line_of(2, false, 1, &stage);
    line.arrivals = duration_gamma(0);
    queue_theory_predict(MMCK, &line, NULL, &a);
    ck_assert(!a.exact);
    stage.places = 5;
    ask(MMCK, 2, false, 1, &stage, &a);
    ck_assert(!a.exact);
    stage.servers = stage.places = 1;
    ask(MM1K, 1, false, 1, &stage, &a);
    ck_assert(a.exact);
    ck_assert_double_eq_tol(a.value[QUEUE_LINE_LOSS], 0.5, 1e-12);
    ask(MM1K, 1, true, 1, &stage, &a);
    ck_assert(!a.exact);
}
END_TEST

/* Two servers at rho 3/4: N_G = 1.5 / (1 - 9/16); half of the wait if services are equal. The second stage of one
 * server is M/M/1 then. */
START_TEST(test_several_servers)
{
    struct queue_line_stage stages[] = {{.mu_per_s = 1, .servers = 2}, {.mu_per_s = 3}};
    struct queue_theory_answer a[2];
    struct queue_line line = line_of(1.5, false, 2, stages);
    ck_assert(queue_theory_applies(MMCK, &line) && queue_theory_applies(MGC, &line));
    ck_assert(queue_theory_applies(MM1, &line) &&
              queue_theory_applies(BLOCKING, &line)); /* at the second stage */
    ck_assert(queue_theory_is_of(MMCK, &line.stages[0]) && !queue_theory_is_of(MM1, &line.stages[0]));
    ck_assert(!queue_theory_is_of(MMCK, &line.stages[1]) && queue_theory_is_of(MM1, &line.stages[1]));
    ask(MMCK, 1.5, false, 2, stages, a);
    ck_assert(a[0].exact && strstr(a[1].why_not, "the stage has one"));
    ck_assert_double_eq_tol(a[0].value[QUEUE_LINE_N], 1.5 / (1 - 9.0 / 16), 1e-12);
    ck_assert_double_eq_tol(a[0].value[QUEUE_LINE_UTILISATION], 0.75, 1e-12);
    struct queue_theory_answer one[2];
    ask(MM1, 1.5, false, 2, stages, one);
    ck_assert(strstr(one[0].why_not, "the stage has several") && one[1].exact);
    ck_assert_double_eq_tol(one[1].value[QUEUE_LINE_N], 1, 1e-12);
    double wait_s = a[0].value[QUEUE_LINE_W_Q];
    stages[0].service = duration_gamma(0);
    ask(MGC, 1.5, false, 2, stages, a);
    ck_assert(!a[0].exact);
    ck_assert_double_eq_tol(a[0].value[QUEUE_LINE_W_Q], wait_s / 2, 1e-12);
    ask(MM1, 1.5, false, 2, stages, one);
    ck_assert(!one[1].exact); /* departures of constant services are not Poisson */
    stages[0].places = 4;
    ask(MMCK, 1.5, true, 2, stages, a);
    ck_assert_ptr_nonnull(strstr(a[0].why_not, "block"));
    stages[0].servers = 1;
    line = line_of(0.5, false, 2, stages);
    ck_assert(!queue_theory_applies(MMCK, &line) && queue_theory_applies(MM1, &line));
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
    tcase_add_test(queues, test_what_a_held_stage_sends_back);
    tcase_add_test(queues, test_mg1k_behind_several_servers);
    tcase_add_test(queues, test_no_answer);
    tcase_add_test(queues, test_general_services);
    tcase_add_test(queues, test_what_is_converted);
    tcase_add_test(queues, test_what_never_happens);
    tcase_add_test(queues, test_blocking);
    tcase_add_test(queues, test_loss_formula);
    tcase_add_test(queues, test_several_servers);
    tcase_add_test(queues, test_markov_chain);
    tcase_add_test(queues, test_laws);
    suite_add_tcase(suite, queues);
    return run_suite(suite);
}
