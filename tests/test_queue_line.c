/* test_queue_line.c - queues in SimGrid against what is known exactly of them.
 *
 * One simulation a process: every run here is in a child, two at a time where there are many.
 */
#include "sim/queue_line.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/mm1.h"
#include "model/mm1k.h"
#include "tests/run_suite.h"

enum { WHY_SIZE = 400, PROCESSES = 2 };

/* The 400 runs of coverage take a minute of two processors, and their numbers are those of any build: they are left to gcc's
 * plain one. What the others look for, a few runs show. */
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
#define TESTS_COVERAGE 0
#else
#define TESTS_COVERAGE 1
#endif

/* --- running --------------------------------------------------------------------------------------------- */

/* Results of children, in memory shared with them. */
static struct queue_line_result *results_new(unsigned count)
{
    void *memory = mmap(NULL, count * sizeof(struct queue_line_result), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    return memory;
}

static void start_run(const struct queue_line *tandem, struct queue_line_result *result)
{
    pid_t process = fork();
    ck_assert_int_ge(process, 0);
    if (process > 0)
        return;
    char why[WHY_SIZE];
    _exit(queue_line_check(tandem, why, sizeof why) == 0 &&
                  queue_line_run(tandem, result, why, sizeof why) == 0
              ? 0
              : 1);
}

static void await_run(void)
{
    int status = 0;
    ck_assert_int_gt(wait(&status), 0);
    ck_assert_int_eq(status, 0);
}

/* Independent runs with seeds 1, 2, ... */
static struct queue_line_result *run_many(const struct queue_line *tandem, unsigned count)
{
    struct queue_line_result *results = results_new(count);
    struct queue_line seeded = *tandem;
    for (unsigned i = 0; i < count; i++) {
        seeded.seed = i + 1;
        if (i >= PROCESSES)
            await_run();
        start_run(&seeded, &results[i]);
    }
    for (unsigned i = 0; i < count && i < PROCESSES; i++)
        await_run();
    return results;
}

static struct queue_line_result run_one(const struct queue_line *tandem)
{
    struct queue_line_result *results = results_new(1);
    start_run(tandem, results);
    await_run();
    return *results;
}

/* --- coverage -------------------------------------------------------------------------------------------- */

enum { RUNS = 200 };

/* How often, in 200 runs, a 95% interval has the value in it, and how wide it is on average. */
struct coverage {
    double inside, mean_width; /* fractions; of the value */
};

static struct coverage cover(const struct queue_line_result *results, enum queue_line_quantity quantity,
                             double value)
{
    struct coverage c = {0};
    for (unsigned i = 0; i < RUNS; i++) {
        const struct estimate *e = &results[i].stage[0][quantity];
        c.inside += fabs(e->mean - value) <= e->half_width;
        c.mean_width += 2 * e->half_width / value / RUNS;
    }
    c.inside /= RUNS;
    return c;
}

/* Coverage of 95% intervals by 200 runs: 0.95 within 3.2 standard errors below and 2.6 above. */
static void assert_covers(const struct queue_line_result *results, enum queue_line_quantity quantity,
                          double value, double most_mean_width)
{
    struct coverage c = cover(results, quantity, value);
    ck_assert_msg(c.inside >= 0.90 && c.inside <= 0.99, "%s: %g of the intervals have %g in them",
                  queue_line_quantity_name(quantity), c.inside, value);
    ck_assert_msg(c.mean_width < most_mean_width, "%s: intervals are %g of the value wide",
                  queue_line_quantity_name(quantity), c.mean_width);
}

/* A model that is wrong must not be in the intervals. */
static void assert_rejects(const struct queue_line_result *results, enum queue_line_quantity quantity,
                           double value)
{
    struct coverage c = cover(results, quantity, value);
    ck_assert_msg(c.inside <= 0.05, "%s: %g of the intervals have %g in them, of a wrong model",
                  queue_line_quantity_name(quantity), c.inside, value);
}

/* Relaxation time of M/M/1 at rho 0.5: 1/(1 - sqrt(rho))^2 = 11.7 services. A batch has 6000: what neighbouring batches
 * share is 0.2%. Asymptotic variance of the mean number over time T: 2 rho (1 + rho)/(1 - rho)^4 / T = 24/T, half-width
 * 2.05 sqrt(24/180000) = 2.4% for 30 batches. */
START_TEST(test_intervals_have_mm1_in_them)
{
    struct queue_line tandem = queue_line_default();
    struct queue_result theory, slow;
    tandem.customers = 100000;
    struct queue_line_result *results = run_many(&tandem, RUNS);
    ck_assert_int_eq(mm1_solve(0.5, 1, 0, &theory), 0);
    assert_covers(results, QUEUE_LINE_OFFERED, 0.5, 0.05);
    assert_covers(results, QUEUE_LINE_THROUGHPUT, 0.5, 0.05);
    assert_covers(results, QUEUE_LINE_UTILISATION, theory.rho, 0.05);
    assert_covers(results, QUEUE_LINE_N, theory.n_g, 0.05);
    assert_covers(results, QUEUE_LINE_W, theory.w_g_s, 0.05);
    assert_covers(results, QUEUE_LINE_N_Q, theory.n_q, 0.08);
    assert_covers(results, QUEUE_LINE_W_Q, theory.w_q_s, 0.08);

    ck_assert_int_eq(mm1_solve(0.5, 0.95, 0, &slow), 0);
    assert_rejects(results, QUEUE_LINE_UTILISATION, slow.rho);
    assert_rejects(results, QUEUE_LINE_N, slow.n_g);
    assert_rejects(results, QUEUE_LINE_N_Q, slow.n_q);
    assert_rejects(results, QUEUE_LINE_W, slow.w_g_s);
    assert_rejects(results, QUEUE_LINE_W_Q, slow.w_q_s);
}
END_TEST

/* Three places, more offered than can be served: (1 - 1.5) 1.5^3 / (1 - 1.5^4) = 41.5% are lost. */
START_TEST(test_intervals_have_mm1k_in_them)
{
    struct queue_line tandem = queue_line_default();
    struct queue_result theory, slow;
    tandem.customers = 40000;
    tandem.lambda_per_s = 1.5;
    tandem.stages[0].places = 3;
    struct queue_line_result *results = run_many(&tandem, RUNS);
    ck_assert_int_eq(mm1k_solve_offered(1.5, 1, 3, &theory), 0);
    assert_covers(results, QUEUE_LINE_OFFERED, 1.5, 0.05);
    assert_covers(results, QUEUE_LINE_THROUGHPUT, theory.lambda_per_s, 0.05);
    assert_covers(results, QUEUE_LINE_UTILISATION, theory.rho, 0.05);
    assert_covers(results, QUEUE_LINE_N, theory.n_g, 0.05);
    assert_covers(results, QUEUE_LINE_N_Q, theory.n_q, 0.05);
    assert_covers(results, QUEUE_LINE_W, theory.w_g_s, 0.05);
    assert_covers(results, QUEUE_LINE_W_Q, theory.w_q_s, 0.05);
    assert_covers(results, QUEUE_LINE_LOSS, theory.p_k, 0.05);
    assert_covers(results, QUEUE_LINE_FULL, theory.p_k, 0.05);

    ck_assert_int_eq(mm1k_solve_offered(1.5, 0.95, 3, &slow), 0);
    assert_rejects(results, QUEUE_LINE_THROUGHPUT, slow.lambda_per_s);
    assert_rejects(results, QUEUE_LINE_N, slow.n_g);
    assert_rejects(results, QUEUE_LINE_W, slow.w_g_s);
    assert_rejects(results, QUEUE_LINE_LOSS, slow.p_k);
    assert_rejects(results, QUEUE_LINE_FULL, slow.p_k);
}
END_TEST

/* --- one run --------------------------------------------------------------------------------------------- */

/* A single run must not fall outside by chance: 4 standard errors, i.e. twice the half-width. */
static void assert_near(const struct estimate *e, double value, const char *what)
{
    ck_assert_msg(fabs(e->mean - value) <= 2 * e->half_width, "%s: %g +- %g, expected %g", what, e->mean,
                  e->half_width, value);
    ck_assert_msg(e->half_width < 0.1 * value, "%s: %g is no answer for +- %g", what, e->mean, e->half_width);
}

static void assert_exactly(const struct estimate *e, double value)
{
    ck_assert_double_eq_tol(e->mean, value, 1e-9);
    ck_assert_double_le(e->half_width, 1e-9);
}

/* D/D/1: nobody waits, and nothing varies. Arrivals at 2, 4, ..., each served for 1. */
START_TEST(test_d_d_1_is_exact)
{
    struct queue_line tandem = queue_line_default();
    tandem.arrivals = ARRIVALS_DETERMINISTIC;
    tandem.stages[0].service = SERVICE_DETERMINISTIC;
    tandem.customers = 30000;
    struct queue_line_result r = run_one(&tandem);
    assert_exactly(&r.stage[0][QUEUE_LINE_THROUGHPUT], 0.5);
    assert_exactly(&r.stage[0][QUEUE_LINE_UTILISATION], 0.5);
    assert_exactly(&r.stage[0][QUEUE_LINE_N], 0.5);
    assert_exactly(&r.stage[0][QUEUE_LINE_N_Q], 0);
    assert_exactly(&r.stage[0][QUEUE_LINE_W_Q], 0);
    assert_exactly(&r.stage[0][QUEUE_LINE_W], 1);
    ck_assert_uint_eq(r.correlated, 0);
}
END_TEST

/* D/D/1/1 at rho 2.5: a customer every 0.4, services of 1: after each loss-free arrival two are lost and the third finds
 * the server free for 0.2. */
START_TEST(test_d_d_1_1_loses_two_of_three)
{
    struct queue_line tandem = queue_line_default();
    tandem.arrivals = ARRIVALS_DETERMINISTIC;
    tandem.lambda_per_s = 2.5;
    tandem.stages[0] =
        (struct queue_line_stage){.mu_per_s = 1, .places = 1, .service = SERVICE_DETERMINISTIC};
    tandem.customers = 30000;
    tandem.batches = 10;
    struct queue_line_result r = run_one(&tandem);
    ck_assert_double_eq_tol(r.stage[0][QUEUE_LINE_LOSS].mean, 2.0 / 3, 1e-3);
    ck_assert_double_eq_tol(r.stage[0][QUEUE_LINE_UTILISATION].mean, 1 / 1.2, 1e-3);
    ck_assert_double_eq_tol(r.stage[0][QUEUE_LINE_FULL].mean, 1 / 1.2, 1e-3);
    assert_exactly(&r.stage[0][QUEUE_LINE_W], 1);
}
END_TEST

/* D/D/1/1 that blocks at rho 2.5: the source is held as long as the server works, then takes 0.4 for the next: one
 * customer a second; it stands outside for 0.6 of it. */
START_TEST(test_a_blocked_source_stops)
{
    struct queue_line tandem = queue_line_default();
    tandem.arrivals = ARRIVALS_DETERMINISTIC;
    tandem.lambda_per_s = 2.5;
    tandem.overflow = OVERFLOW_BLOCK;
    tandem.stages[0] =
        (struct queue_line_stage){.mu_per_s = 1, .places = 1, .service = SERVICE_DETERMINISTIC};
    tandem.customers = 30000;
    tandem.batches = 10;
    struct queue_line_result r = run_one(&tandem);
    ck_assert_double_eq_tol(r.stage[0][QUEUE_LINE_THROUGHPUT].mean, 1, 1e-3);
    assert_exactly(&r.stage[0][QUEUE_LINE_UTILISATION], 1);
    assert_exactly(&r.stage[0][QUEUE_LINE_LOSS], 0);
    assert_exactly(&r.stage[0][QUEUE_LINE_W_Q], 0);
    ck_assert_double_eq_tol(r.stage[0][QUEUE_LINE_BLOCKING].mean, 0.6, 1e-3);
}
END_TEST

/* Two constant servers, the second slower, one place each, blocking. The first holds what it has served (for 1) until the
 * second is free: both pass one customer every 1.5; the first works 1 and holds 0.5 of them. */
START_TEST(test_a_server_holds_what_does_not_fit)
{
    struct queue_line tandem = queue_line_default();
    tandem.arrivals = ARRIVALS_DETERMINISTIC;
    tandem.lambda_per_s = 10;
    tandem.overflow = OVERFLOW_BLOCK;
    tandem.stage_count = 2;
    tandem.stages[0] =
        (struct queue_line_stage){.mu_per_s = 1, .places = 1, .service = SERVICE_DETERMINISTIC};
    tandem.stages[1] =
        (struct queue_line_stage){.mu_per_s = 1 / 1.5, .places = 1, .service = SERVICE_DETERMINISTIC};
    tandem.customers = 90000;
    tandem.batches = 10;
    struct queue_line_result r = run_one(&tandem);
    ck_assert_double_eq_tol(r.stage[0][QUEUE_LINE_THROUGHPUT].mean, 1 / 1.5, 1e-3);
    ck_assert_double_eq_tol(r.stage[1][QUEUE_LINE_THROUGHPUT].mean, 1 / 1.5, 1e-3);
    ck_assert_double_eq_tol(r.stage[0][QUEUE_LINE_UTILISATION].mean, 1 / 1.5, 1e-3);
    ck_assert_double_eq_tol(r.stage[1][QUEUE_LINE_BLOCKING].mean, 0.5 / 1.5, 1e-3);
    ck_assert_double_eq_tol(r.stage[0][QUEUE_LINE_W].mean, 1.5, 1e-3);
    ck_assert_double_eq_tol(r.stage[1][QUEUE_LINE_UTILISATION].mean, 1, 1e-3);
}
END_TEST

/* Pollaczek and Khinchine: N_Q = rho^2 (1 + c^2) / (2 (1 - rho)), c^2 the squared coefficient of variation of services. */
static double pollaczek_khinchine(double rho, double scv)
{
    return rho * rho * (1 + scv) / (2 * (1 - rho));
}

static void assert_m_g_1(const struct queue_line_stage *stage, double scv)
{
    struct queue_line tandem = queue_line_default();
    tandem.lambda_per_s = 0.6;
    tandem.stages[0] = *stage;
    tandem.customers = 200000;
    struct queue_line_result r = run_one(&tandem);
    double n_q = pollaczek_khinchine(0.6, scv);
    assert_near(&r.stage[0][QUEUE_LINE_UTILISATION], 0.6, "rho");
    assert_near(&r.stage[0][QUEUE_LINE_N_Q], n_q, "N_Q");
    assert_near(&r.stage[0][QUEUE_LINE_N], n_q + 0.6, "N_G");
    assert_near(&r.stage[0][QUEUE_LINE_W_Q], n_q / 0.6, "W_Q");
}

START_TEST(test_m_d_1_is_pollaczek_khinchine)
{
    assert_m_g_1(&(struct queue_line_stage){.mu_per_s = 1, .service = SERVICE_DETERMINISTIC}, 0);
}
END_TEST

/* A tenth of the services 10 times as long: short s, long 10 s, mean 0.9 s + 0.1 x 10 s = 1.9 s, second moment
 * 0.9 s^2 + 0.1 x 100 s^2 = 10.9 s^2. */
START_TEST(test_a_mixture_is_pollaczek_khinchine)
{
    struct queue_line_stage stage = {
        .mu_per_s = 1, .service = SERVICE_MIXTURE, .long_fraction = 0.1, .long_ratio = 10};
    assert_m_g_1(&stage, 10.9 / (1.9 * 1.9) - 1);
}
END_TEST

/* M^[X]/M/1 with batches of b: N_G = rho (1 + b) / (2 (1 - rho)) (Gross, Harris, Fundamentals of Queueing Theory,
 * section 3.1, with constant X). */
START_TEST(test_batches_wait_longer)
{
    struct queue_line tandem = queue_line_default();
    tandem.arrivals = ARRIVALS_BATCH;
    tandem.batch = 4;
    tandem.customers = 200000;
    struct queue_line_result r = run_one(&tandem);
    assert_near(&r.stage[0][QUEUE_LINE_N], 0.5 * (1 + 4) / (2 * 0.5), "N_G");
    assert_near(&r.stage[0][QUEUE_LINE_N_Q], 0.5 * (1 + 4) / (2 * 0.5) - 0.5, "N_Q");
}
END_TEST

/* A source that stops while it holds a customer is one more place: M/M/1/5 for four places, whose last state is
 * blocking. */
START_TEST(test_blocking_is_one_more_place)
{
    struct queue_line tandem = queue_line_default();
    struct queue_result theory;
    tandem.lambda_per_s = 1.2;
    tandem.overflow = OVERFLOW_BLOCK;
    tandem.stages[0].places = 4;
    struct queue_line_result r = run_one(&tandem);
    ck_assert_int_eq(mm1k_solve_offered(1.2, 1, 5, &theory), 0);
    assert_near(&r.stage[0][QUEUE_LINE_BLOCKING], theory.p_k, "blocking");
    assert_near(&r.stage[0][QUEUE_LINE_THROUGHPUT], theory.lambda_per_s, "throughput");
    assert_near(&r.stage[0][QUEUE_LINE_N], theory.n_g - theory.p_k, "N_G");
    assert_exactly(&r.stage[0][QUEUE_LINE_LOSS], 0);
}
END_TEST

/* Burke: departures of M/M/1 are Poisson, so every stage of a tandem is M/M/1. */
START_TEST(test_every_stage_of_a_tandem_is_mm1)
{
    struct queue_line tandem = queue_line_default();
    tandem.stage_count = 3;
    tandem.stages[1] = (struct queue_line_stage){.mu_per_s = 0.8};
    tandem.stages[2] = (struct queue_line_stage){.mu_per_s = 1.5};
    tandem.customers = 200000;
    struct queue_line_result r = run_one(&tandem);
    for (unsigned i = 0; i < 3; i++) {
        struct queue_result theory;
        ck_assert_int_eq(mm1_solve(0.5, tandem.stages[i].mu_per_s, 0, &theory), 0);
        assert_near(&r.stage[i][QUEUE_LINE_THROUGHPUT], 0.5, "throughput");
        assert_near(&r.stage[i][QUEUE_LINE_N], theory.n_g, "N_G");
        assert_near(&r.stage[i][QUEUE_LINE_W], theory.w_g_s, "W_G");
    }
}
END_TEST

/* --- conservation ---------------------------------------------------------------------------------------- */

/* Kinds of tandem by number: arrivals, services, overflow, all mixed. */
static struct queue_line mixed_tandem(int number)
{
    struct queue_line tandem = queue_line_default();
    tandem.arrivals = (enum queue_line_arrivals)(number % 3);
    tandem.batch = tandem.arrivals == ARRIVALS_BATCH ? 5 : 1;
    tandem.overflow = (enum queue_line_overflow)(number / 3 % 2);
    tandem.lambda_per_s = 0.9;
    tandem.stage_count = 4;
    tandem.customers = 30000;
    tandem.seed = 100 + (unsigned)number;
    for (unsigned i = 0; i < 4; i++)
        tandem.stages[i] = (struct queue_line_stage){.mu_per_s = 1 + 0.1 * ((number + i) % 3),
                                                     .places = 1 + (number + i) % 4,
                                                     .service = (enum queue_line_service)((number + i) % 3),
                                                     .long_fraction = 0.2,
                                                     .long_ratio = 7};
    return tandem;
}

/* What leaves a stage comes to the next; what comes is served or lost; and nobody disappears. */
START_TEST(test_nobody_disappears)
{
    struct queue_line tandem = mixed_tandem(_i);
    struct queue_line_result r = run_one(&tandem);
    ck_assert_uint_eq(r.arrived, r.lost + r.departed);
    ck_assert_uint_gt(r.departed, 0);
    ck_assert(tandem.overflow == OVERFLOW_LOSS || r.lost == 0);
    for (unsigned i = 0; i < 4; i++) {
        const struct estimate *q = r.stage[i];
        double served = q[QUEUE_LINE_OFFERED].mean * (1 - q[QUEUE_LINE_LOSS].mean);
        ck_assert_double_eq_tol(q[QUEUE_LINE_THROUGHPUT].mean, served,
                                0.002); /* some are inside at the edges */
        if (i > 0)
            ck_assert_double_eq_tol(q[QUEUE_LINE_OFFERED].mean, r.stage[i - 1][QUEUE_LINE_THROUGHPUT].mean,
                                    0.002);
    }
}
END_TEST

/* N = lambda W for the stage and for its queue, each side measured on its own; but for those inside at the edges of the run,
 * at most `places` of some 25,000. */
START_TEST(test_littles_law)
{
    struct queue_line tandem = mixed_tandem(_i);
    struct queue_line_result r = run_one(&tandem);
    for (unsigned i = 0; i < 4; i++) {
        const struct estimate *q = r.stage[i];
        double lambda = q[QUEUE_LINE_THROUGHPUT].mean;
        ck_assert_double_eq_tol(q[QUEUE_LINE_N].mean, lambda * q[QUEUE_LINE_W].mean, 0.002);
        ck_assert_double_eq_tol(q[QUEUE_LINE_N_Q].mean, lambda * q[QUEUE_LINE_W_Q].mean, 0.002);
        ck_assert_double_le(q[QUEUE_LINE_N].mean, tandem.stages[i].places);
    }
}
END_TEST

/* Of the utilisation, too: mean service times are what --mu says, whatever the distribution. */
START_TEST(test_utilisation_is_throughput_over_mu)
{
    struct queue_line tandem = mixed_tandem(_i);
    struct queue_line_result r = run_one(&tandem);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_double_eq_tol(r.stage[i][QUEUE_LINE_UTILISATION].mean,
                                r.stage[i][QUEUE_LINE_THROUGHPUT].mean / tandem.stages[i].mu_per_s, 0.03);
}
END_TEST

START_TEST(test_equal_seeds_give_equal_runs)
{
    struct queue_line tandem = mixed_tandem(_i);
    struct queue_line_result first = run_one(&tandem), again = run_one(&tandem);
    ck_assert_mem_eq(&first, &again, sizeof first);
    tandem.seed++;
    struct queue_line_result other = run_one(&tandem);
    ck_assert(memcmp(&first, &other, sizeof first) != 0);
}
END_TEST

/* --- errors ---------------------------------------------------------------------------------------------- */

static void assert_refused(const struct queue_line *tandem, const char *expected)
{
    char why[WHY_SIZE] = "";
    ck_assert_int_eq(queue_line_check(tandem, why, sizeof why), QUEUE_LINE_ERANGE);
    ck_assert_msg(strstr(why, expected) != NULL, "'%s' does not name '%s'", why, expected);
}

START_TEST(test_ranges_are_checked)
{
    struct queue_line good = queue_line_default(), t;
    char why[WHY_SIZE];
    ck_assert_int_eq(queue_line_check(&good, why, sizeof why), 0);
    t = good, t.lambda_per_s = 0, assert_refused(&t, "lambda 0");
    t = good, t.lambda_per_s = NAN, assert_refused(&t, "lambda nan");
    t = good, t.stages[0].mu_per_s = INFINITY, assert_refused(&t, "mu inf");
    t = good, t.stages[0].places = 1000001, assert_refused(&t, "capacity");
    t = good, t.stages[0].service = SERVICE_MIXTURE, t.stages[0].long_fraction = 2,
    t.stages[0].long_ratio = 2, assert_refused(&t, "mixture 2");
    t = good, t.stages[0].service = SERVICE_MIXTURE, t.stages[0].long_ratio = 0.5,
    assert_refused(&t, "mixture 0.5");
    t = good, t.batch = 0, assert_refused(&t, "batch 0");
    t = good, t.customers = 10, assert_refused(&t, "customers 10");
    t = good, t.customers = NAN, assert_refused(&t, "customers nan");
    t = good, t.warm_up = 1, assert_refused(&t, "warm-up 1");
    t = good, t.batches = 9, assert_refused(&t, "batches 9");
    t = good, t.customers = 5000, t.batches = 900, assert_refused(&t, "at least 20 customers");
    t = good, t.stage_count = 0, assert_refused(&t, "stages 0");
    t = good, t.stage_count = QUEUE_LINE_STAGES_MAX + 1, assert_refused(&t, "stages 17");
}
END_TEST

START_TEST(test_no_steady_state_is_refused)
{
    struct queue_line t = queue_line_default();
    t.lambda_per_s = 1;
    assert_refused(&t, "stage 1 has no steady state");
    t.stages[0].places = 1000;
    char why[WHY_SIZE];
    ck_assert_int_eq(queue_line_check(&t, why, sizeof why), 0);
    t.stage_count = 2;
    t.stages[1].mu_per_s = 0.9;
    assert_refused(&t, "stage 2 has no steady state: 1 customers a second come, 0.9");
    t.stages[0].mu_per_s = 0.8; /* it lets no more through */
    ck_assert_int_eq(queue_line_check(&t, why, sizeof why), 0);
}
END_TEST

/* Dates of a long run must still tell short services apart. */
START_TEST(test_rates_too_far_apart_are_refused)
{
    struct queue_line t = queue_line_default();
    t.lambda_per_s = 1e-6;
    t.stages[0].mu_per_s = 1e6;
    assert_refused(&t, "too long to tell services");
}
END_TEST

/* --- suite ----------------------------------------------------------------------------------------------- */

/* 400 runs: half a minute on two idle processors. */
static TCase *coverage_cases(void)
{
    TCase *tcase = tcase_create("coverage");
    tcase_set_timeout(tcase, 400);
    tcase_add_test(tcase, test_intervals_have_mm1_in_them);
    tcase_add_test(tcase, test_intervals_have_mm1k_in_them);
    return tcase;
}

static TCase *exact_cases(void)
{
    TCase *tcase = tcase_create("exact");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, test_d_d_1_is_exact);
    tcase_add_test(tcase, test_d_d_1_1_loses_two_of_three);
    tcase_add_test(tcase, test_a_blocked_source_stops);
    tcase_add_test(tcase, test_a_server_holds_what_does_not_fit);
    tcase_add_test(tcase, test_m_d_1_is_pollaczek_khinchine);
    tcase_add_test(tcase, test_a_mixture_is_pollaczek_khinchine);
    tcase_add_test(tcase, test_batches_wait_longer);
    tcase_add_test(tcase, test_blocking_is_one_more_place);
    tcase_add_test(tcase, test_every_stage_of_a_tandem_is_mm1);
    return tcase;
}

static TCase *conservation_cases(void)
{
    TCase *tcase = tcase_create("conservation");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_nobody_disappears, 0, 12);
    tcase_add_loop_test(tcase, test_littles_law, 0, 12);
    tcase_add_loop_test(tcase, test_utilisation_is_throughput_over_mu, 0, 6);
    tcase_add_loop_test(tcase, test_equal_seeds_give_equal_runs, 0, 6);
    return tcase;
}

static TCase *error_cases(void)
{
    TCase *tcase = tcase_create("errors");
    tcase_add_test(tcase, test_ranges_are_checked);
    tcase_add_test(tcase, test_no_steady_state_is_refused);
    tcase_add_test(tcase, test_rates_too_far_apart_are_refused);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("queue_line");
    if (TESTS_COVERAGE)
        suite_add_tcase(suite, coverage_cases());
    suite_add_tcase(suite, exact_cases());
    suite_add_tcase(suite, conservation_cases());
    suite_add_tcase(suite, error_cases());
    return run_suite(suite);
}
