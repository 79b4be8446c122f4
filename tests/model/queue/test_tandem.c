/* The decomposition against exact solutions: closed forms, limits, and small lines whose Markov chain is written down
 * state by state here and solved by GSL. */
#include "model/queue/tandem.h"

#include <check.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/queue/buffer_block.h"
#include "model/predict/predict_inputs.h"
#include "model/queue/mercury_tandem.h"
#include "model/queue/single_queue.h"
#include "model/model_error.h"
#include "tests/assert_close.h"
#include "tests/run_suite.h"

/* --- phase-type distributions ----------------------------------------------------------------------------- */

static const double scvs[] = {0, 0.125, 0.2, 0.25, 0.3, 0.4999, 0.5, 0.7, 1, 1.5, 13.35, 1e4};

START_TEST(test_fit_has_the_moments_asked_for)
{
    double scv = fmax(scvs[_i], PHASE_TYPE_SCV_LEAST), first, second;
    struct phase_type fit;

    ck_assert_int_eq(phase_type_fit(2.7, scvs[_i], &fit), 0);
    phase_type_residual(&fit, (const double[PHASE_TYPE_MAX]){1}, &first, &second);
    assert_close(first, 2.7, 1e-13);
    assert_close(second / (first * first) - 1, scv, 1e-11);
    for (int i = 0; i < fit.phases; i++) {
        ck_assert_double_ge(fit.finish[i], 0);
        ck_assert_double_ge(fit.next[i], 0);
        ck_assert(i + 1 < fit.phases || fit.next[i] == 0);
        ck_assert_double_eq_tol(fit.finish[i] + fit.next[i], fit.rate[i], 1e-12);
    }
}
END_TEST

START_TEST(test_fit_refuses_what_no_duration_has)
{
    struct phase_type fit;

    ck_assert_int_eq(phase_type_fit(0, 1, &fit), MODEL_ESERVICE);
    ck_assert_int_eq(phase_type_fit(NAN, 1, &fit), MODEL_ESERVICE);
    ck_assert_int_eq(phase_type_fit(1, -0.1, &fit), MODEL_ESCV);
    ck_assert_int_eq(phase_type_fit(1, INFINITY, &fit), MODEL_ESCV);
}
END_TEST

/* --- one buffer between two servers ----------------------------------------------------------------------- */

static struct buffer_result solve_block(double up_s, double up_scv, double down_s, double down_scv,
                                        unsigned places)
{
    struct phase_type up, down;
    struct buffer_result result;

    ck_assert_int_eq(phase_type_fit(up_s, up_scv, &up), 0);
    ck_assert_int_eq(phase_type_fit(down_s, down_scv, &down), 0);
    ck_assert_int_eq(buffer_block_solve(&up, &down, places, places, &result, NULL), 0);
    return result;
}

static const double loads[] = {1e-9, 1e-3, 0.3, 0.9, 0.999, 1, 1.001, 1.5, 10, 1e6};
static const unsigned places[] = {0, 1, 2, 10, 130, 4000};

/* A Poisson source that is held by a full buffer: N = elements made and not finished is M/M/1/K with K = places + 2,
   one in
 * service and one held. */
START_TEST(test_exponential_block_is_mm1k)
{
    for (int i = 0; i < COUNT_OF(places); i++) {
        struct buffer_result r = solve_block(1 / loads[_i], 1, 1, 1, places[i]);
        struct queue_result q;
        double p_not_held;
        ck_assert_int_eq(mm1k_solve_offered(loads[_i], 1, places[i] + 2, &q), 0);
        ck_assert_int_eq(mm1k_p_equal(loads[_i], places[i] + 2, places[i] + 1, &p_not_held), 0);
        assert_close(r.throughput, q.lambda_per_s, 1e-10);
        assert_close(r.p_blocked, q.p_k, 1e-9);
        assert_close(r.p_full, p_not_held + q.p_k, 1e-9);
        assert_close(r.p_empty, q.p_0, 1e-9);
        /* N = waiting + in service + held */
        ck_assert_double_eq_tol(r.waiting + 1 - r.p_empty + r.p_blocked, q.n_g, 1e-8 * q.n_g + 1e-13);
        if (r.p_blocked > 0)
            assert_close(r.blocking.fraction * r.throughput * r.blocking.mean, r.p_blocked, 1e-9);
    }
}
END_TEST

/* Pollaczek and Khinchine: a buffer that never fills, Poisson arrivals. The fit has the scv given, so this is exact. */
START_TEST(test_wide_block_is_mg1)
{
    static const double wide[] = {0.3, 0.8};
    double scv = fmax(scvs[_i], PHASE_TYPE_SCV_LEAST);

    for (int i = 0; i < COUNT_OF(wide); i++) {
        struct buffer_result r = solve_block(1 / wide[i], 1, 1, scvs[_i], 4000);
        struct queue_result q;
        if (scv > 100) /* 4000 places are not wide then */
            continue;
        ck_assert_int_eq(mg1_solve(wide[i], 1, scv, &q), 0);
        assert_close(r.waiting, q.n_q, 1e-9);
        assert_close(r.p_empty, q.p_0, 1e-9);
    }
}
END_TEST

/* Elements forward are holes backward: the line reversed has the same throughput, the buffer's free places for its
 * elements, starvation for blocking. */
START_TEST(test_block_is_reversible)
{
    for (int i = 0; i < COUNT_OF(scvs); i++)
        for (unsigned n = 0; n < 12; n += 3) {
            struct buffer_result there = solve_block(1, scvs[_i], 1.3, scvs[i], n);
            struct buffer_result back = solve_block(1.3, scvs[i], 1, scvs[_i], n);
            assert_close(there.throughput, back.throughput, 1e-10);
            assert_close(there.p_empty, back.p_blocked, 1e-9);
            ck_assert_double_eq_tol(there.waiting, n - back.waiting, 1e-9);
            assert_close(there.starvation.fraction, back.blocking.fraction, 1e-9);
            assert_close(there.starvation.second, back.blocking.second, 1e-9);
        }
}
END_TEST

/* Utilisation law on both sides, whatever the distributions. */
START_TEST(test_block_conserves_elements)
{
    for (int i = 0; i < COUNT_OF(scvs); i++)
        for (int j = 0; j < COUNT_OF(loads); j++) {
            struct buffer_result r = solve_block(1 / loads[j], scvs[_i], 1, scvs[i], 20);
            ck_assert_double_eq_tol(r.throughput, 1 - r.p_empty, 1e-9);
            ck_assert_double_eq_tol(r.throughput, loads[j] * (1 - r.p_blocked), 1e-9 + 1e-12 * loads[j]);
            ck_assert(r.waiting >= 0 && r.waiting <= 20 && r.p_full <= 1 + 1e-12 && r.p_blocked <= r.p_full);
        }
}
END_TEST

/* --- small lines, exactly ---------------------------------------------------------------------------------- */

enum { EXACT_STAGES = 3, EXACT_STATES = 1200 };

/* Coxian servers of at most two phases: rate of each and probability of the second. Server 0 is the source. */
struct exact_line {
    int servers;                     /* source included */
    unsigned room[EXACT_STAGES + 1]; /* elements at server i at most, the one in service included */
    double rate[EXACT_STAGES + 1][2], go_on[EXACT_STAGES + 1];
};

struct exact_state {
    unsigned char at[EXACT_STAGES + 1], held[EXACT_STAGES + 1], phase[EXACT_STAGES + 1];
};

struct exact_chain {
    const struct exact_line *line;
    struct exact_state states[EXACT_STATES];
    int count;
    double *rates; /* EXACT_STATES x EXACT_STATES */
};

static int state_index(struct exact_chain *c, const struct exact_state *state)
{
    for (int i = 0; i < c->count; i++)
        if (memcmp(&c->states[i], state, sizeof *state) == 0)
            return i;
    ck_assert_int_lt(c->count, EXACT_STATES);
    c->states[c->count] = *state;
    return c->count++;
}

/* An element leaves server i, which may let the one before go on. The source always has another. */
static void leave(struct exact_state *s, int i)
{
    s->phase[i] = 0;
    if (i > 0)
        s->at[i]--;
    if (i > 0 && s->held[i - 1]) {
        s->held[i - 1] = 0;
        s->at[i]++;
        leave(s, i - 1);
    }
}

static void finish(const struct exact_line *line, struct exact_state *s, int i)
{
    if (i + 1 == line->servers) {
        leave(s, i);
    } else if (s->at[i + 1] < line->room[i + 1]) {
        s->at[i + 1]++;
        leave(s, i);
    } else {
        s->held[i] = 1;
    }
}

static void add_rate(struct exact_chain *c, int from, const struct exact_state *to, double rate)
{
    if (rate > 0)
        c->rates[from * EXACT_STATES + state_index(c, to)] += rate;
}

static bool serves(const struct exact_state *s, int i)
{
    return (i == 0 || s->at[i] > 0) && !s->held[i];
}

static void explore(struct exact_chain *c)
{
    struct exact_state empty = {{0}, {0}, {0}};
    state_index(c, &empty);
    for (int n = 0; n < c->count; n++)
        for (int i = 0; i < c->line->servers; i++) {
            struct exact_state s = c->states[n];
            if (!serves(&s, i))
                continue;
            double rate = c->line->rate[i][s.phase[i]], on = s.phase[i] ? 0 : c->line->go_on[i];
            struct exact_state next = s;
            next.phase[i] = 1;
            add_rate(c, n, &next, rate * on);
            next = s;
            finish(c->line, &next, i);
            add_rate(c, n, &next, rate * (1 - on));
        }
}

/* pi Q = 0 with the last equation replaced by sum pi = 1. */
static void solve_chain(const struct exact_chain *c, double *probability)
{
    size_t n = (size_t)c->count;
    gsl_matrix *a = gsl_matrix_calloc(n, n);
    gsl_vector *b = gsl_vector_calloc(n), *x = gsl_vector_alloc(n);
    gsl_permutation *p = gsl_permutation_alloc(n);
    int sign;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double rate = i == j ? 0 : c->rates[i * EXACT_STATES + j];
            *gsl_matrix_ptr(a, j, i) += rate;
            *gsl_matrix_ptr(a, i, i) -= rate;
        }
    for (size_t i = 0; i < n; i++)
        gsl_matrix_set(a, n - 1, i, 1);
    gsl_vector_set(b, n - 1, 1);
    gsl_linalg_LU_decomp(a, p, &sign);
    gsl_linalg_LU_solve(a, p, b, x);
    for (size_t i = 0; i < n; i++)
        probability[i] = gsl_vector_get(x, i);
    gsl_permutation_free(p);
    gsl_vector_free(x);
    gsl_vector_free(b);
    gsl_matrix_free(a);
}

struct exact_result {
    double throughput, waiting[EXACT_STAGES + 1], held[EXACT_STAGES + 1], idle[EXACT_STAGES + 1];
};

static struct exact_result solve_exactly(const struct exact_line *line)
{
    struct exact_chain *c = calloc(1, sizeof *c);
    struct exact_result result = {0};
    double probability[EXACT_STATES];

    ck_assert_ptr_nonnull(c);
    c->line = line;
    c->rates = calloc((size_t)EXACT_STATES * EXACT_STATES, sizeof *c->rates);
    ck_assert_ptr_nonnull(c->rates);
    explore(c);
    solve_chain(c, probability);
    for (int n = 0; n < c->count; n++) {
        const struct exact_state *s = &c->states[n];
        int last = line->servers - 1;
        if (serves(s, last))
            result.throughput += probability[n] * line->rate[last][s->phase[last]] *
                                 (1 - (s->phase[last] ? 0 : line->go_on[last]));
        for (int i = 0; i < line->servers; i++) {
            result.waiting[i] += probability[n] * (s->at[i] > 1 ? s->at[i] - 1 : 0);
            result.held[i] += probability[n] * s->held[i];
            result.idle[i] += probability[n] * (i > 0 && s->at[i] == 0);
        }
    }
    free(c->rates);
    free(c);
    return result;
}

/* Both have one line: server 0's mean is the source's. */
struct line_case {
    int stages;
    double mean[EXACT_STAGES + 1], scv[EXACT_STAGES + 1];
    unsigned places[EXACT_STAGES + 1];
    double within;          /* of throughput, relative: measured, and rounded up */
    double waiting_within;  /* elements */
    double fraction_within; /* of the time */
};

static void make_exact(const struct line_case *lc, struct exact_line *line)
{
    *line = (struct exact_line){.servers = lc->stages + 1};
    for (int i = 0; i <= lc->stages; i++) {
        struct phase_type fit;
        ck_assert_int_eq(phase_type_fit(lc->mean[i], lc->scv[i], &fit), 0);
        ck_assert_int_le(fit.phases, 2);
        line->room[i] = lc->places[i] + 1;
        line->rate[i][0] = fit.rate[0];
        line->rate[i][1] = fit.phases > 1 ? fit.rate[1] : 0;
        line->go_on[i] = fit.phases > 1 ? fit.next[0] / fit.rate[0] : 0;
    }
}

static void solve_by_decomposition(const struct line_case *lc, struct tandem_result *results)
{
    struct tandem_source source = {1 / lc->mean[0], lc->scv[0]};
    struct tandem_stage stages[EXACT_STAGES];

    for (int i = 0; i < lc->stages; i++)
        stages[i] = (struct tandem_stage){.places = lc->places[i + 1],
                                          .service_s = lc->mean[i + 1],
                                          .service_scv = lc->scv[i + 1],
                                          .yield = 1};
    ck_assert_int_eq(tandem_solve(&source, stages, (size_t)lc->stages, results, NULL), 0);
}

/* Means, scv and places of source and stages; how near the decomposition comes. One stage is exact. */
static const struct line_case lines[] = {
    {1, {1, 1}, {1, 1}, {0, 3}, 1e-9, 1e-8, 1e-9},
    {1, {1, 0.9}, {13.35, 1}, {0, 5}, 1e-9, 1e-8, 1e-9},
    {1, {1, 1.2}, {0.6, 4}, {0, 4}, 1e-9, 1e-8, 1e-9},
    {2, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0.02, 0.05, 0.03},
    {2, {1, 1, 1}, {1, 1, 1}, {0, 2, 2}, 0.02, 0.05, 0.03},
    {2, {1, 0.5, 0.5}, {1, 1, 1}, {0, 3, 1}, 0.01, 0.05, 0.03},
    {2, {1, 0.5, 2}, {1, 1, 1}, {0, 4, 4}, 0.01, 0.05, 0.03},
    {2, {1, 2, 0.5}, {1, 1, 1}, {0, 4, 4}, 0.01, 0.05, 0.03},
    {3, {1, 1, 1, 1}, {1, 1, 1, 1}, {0, 0, 0, 0}, 0.04, 0.05, 0.03},
    {3, {1, 1, 1, 1}, {1, 1, 1, 1}, {0, 1, 1, 1}, 0.04, 0.1, 0.03},
    {3, {1, 0.7, 0.4, 1.5}, {1, 1, 1, 1}, {0, 2, 2, 2}, 0.02, 0.15, 0.03},
    {2, {1, 0.5, 1.2}, {1, 0.7, 4}, {0, 4, 4}, 0.03, 0.3, 0.03},
    {3, {1, 0.6, 0.6, 1.3}, {0.5, 0.5, 0.5, 13}, {0, 1, 1, 2}, 0.1, 0.5, 0.06},
};

START_TEST(test_decomposition_is_near_the_exact_line)
{
    const struct line_case *lc = &lines[_i];
    struct exact_line line;
    struct tandem_result results[EXACT_STAGES];

    make_exact(lc, &line);
    struct exact_result exact = solve_exactly(&line);
    solve_by_decomposition(lc, results);
    assert_close(results[lc->stages - 1].mean.lambda_per_s, exact.throughput, lc->within);
    for (int i = 0; i < lc->stages; i++) {
        ck_assert_double_eq_tol(results[i].mean.n_q, exact.waiting[i + 1], lc->waiting_within);
        ck_assert_double_eq_tol(results[i].p_blocked, exact.held[i], lc->fraction_within);
        ck_assert_double_eq_tol(results[i].mean.p_0, exact.idle[i + 1], lc->fraction_within);
    }
}
END_TEST

/* Hunt, "Sequential arrays of waiting lines", Operations Research 4(6), 1956: the most that lines of exponential
   servers of
 * rate 1 carry without buffers is 2/3 with two, 22/39 with three; a saturated first server is the source. */
START_TEST(test_exact_solver_knows_hunts_lines)
{
    const struct line_case two = {1, {1, 1}, {1, 1}, {0}, 0, 0}, three = {2, {1, 1, 1}, {1, 1, 1}, {0}, 0, 0};
    struct exact_line line;
    struct tandem_result results[EXACT_STAGES];

    make_exact(&two, &line);
    assert_close(solve_exactly(&line).throughput, 2.0 / 3, 1e-12);
    make_exact(&three, &line);
    assert_close(solve_exactly(&line).throughput, 22.0 / 39, 1e-12);
    solve_by_decomposition(&two, results);
    assert_close(results[0].mean.lambda_per_s, 2.0 / 3, 1e-12);
    solve_by_decomposition(&three, results);
    assert_close(results[0].mean.lambda_per_s, 22.0 / 39, 0.015);
}
END_TEST

/* Negative control: without blocking the same numbers are far off. */
START_TEST(test_exact_line_is_no_chain_of_separate_queues)
{
    struct exact_line line;
    struct queue_result q;

    make_exact(&lines[3], &line);
    ck_assert_int_eq(mm1k_solve_offered(1, 1, 2, &q), 0); /* the first stage on its own */
    ck_assert_double_gt(q.lambda_per_s / solve_exactly(&line).throughput, 1.1);
}
END_TEST

/* --- chains ------------------------------------------------------------------------------------------------ */

/* Wide buffers, Poisson source: each stage is M/M/1 at its own rate. Half of the elements pass the first stage, each of
 * those makes 3 for the third: the counts are no Poisson process then, so only the rate is. */
START_TEST(test_wide_chain_is_mm1_each)
{
    const struct tandem_source source = {0.8, 1};
    struct tandem_stage stages[] = {
        {.places = 2000, .service_s = 1, .service_scv = 1, .yield = 0.5, .yield_dispersion = 0.5},
        {.places = 2000, .service_s = 1, .service_scv = 1, .yield = 3},
        {.places = 2000, .service_s = 0.5, .service_scv = 1},
    };
    struct tandem_result r[COUNT_OF(stages)];

    ck_assert_int_eq(tandem_solve(&source, stages, COUNT_OF(stages), r, NULL), 0);
    assert_close(r[0].mean.n_q, 0.64 / 0.2, 1e-9);
    assert_close(r[0].mean.w_g_s, 5, 1e-9);
    assert_close(r[1].mean.lambda_per_s, 0.4, 1e-9);
    assert_close(r[2].mean.lambda_per_s, 1.2, 1e-9);
    assert_close(r[2].mean.rho, 0.6, 1e-9);
    stages[0].yield = stages[1].yield = 1;
    stages[0].yield_dispersion = 0;
    ck_assert_int_eq(tandem_solve(&source, stages, COUNT_OF(stages), r, NULL), 0);
    for (int i = 0; i < 2; i++)
        assert_close(r[i].mean.n_q, 0.64 / 0.2, 1e-6);
    assert_close(r[2].mean.n_q, 0.16 / 0.6, 1e-6);
}
END_TEST

/* A bottleneck deep in the chain sets the throughput and fills everything before it; the source is held for the
   rest. */
START_TEST(test_bottleneck_fills_what_is_before_it)
{
    const struct tandem_source source = {1, 1};
    const struct tandem_stage stages[] = {
        {.places = 20, .service_s = 0.5, .service_scv = 1, .yield = 1},
        {.places = 20, .service_s = 0.5, .service_scv = 1, .yield = 1},
        {.places = 20, .service_s = 4, .service_scv = 1, .yield = 1},
        {.places = 20, .service_s = 0.5, .service_scv = 1},
    };
    struct tandem_result r[COUNT_OF(stages)];

    ck_assert_int_eq(tandem_solve(&source, stages, COUNT_OF(stages), r, NULL), 0);
    assert_close(r[3].mean.lambda_per_s, 0.25, 1e-6);
    for (int i = 0; i < 3; i++)
        ck_assert_double_gt(r[i].mean.n_q, 18);
    ck_assert_double_lt(r[3].mean.n_q, 0.05);
    assert_close(r[0].p_blocked, 0.75, 1e-5);
    assert_close(r[1].p_blocked, 1 - 0.25 * 0.5, 1e-3); /* stage a is blocked whenever it does not serve */
    assert_close(r[1].mean.rho + r[1].blocked + r[1].mean.p_0, 1, 1e-6);
}
END_TEST

/* A chain of one-element conversions back and forth: 10 of the next for each, and 1 in 10 of those. */
START_TEST(test_rates_are_converted)
{
    const struct tandem_source source = {1, 0};
    const struct tandem_stage stages[] = {
        {.places = 4, .service_s = 0.9, .service_scv = 0, .yield = 10},
        {.places = 100, .service_s = 0.11, .service_scv = 1, .yield = 0.1, .yield_dispersion = 0.9},
        {.places = 4, .service_s = 1, .service_scv = 2, .yield = 1},
    };
    struct tandem_result r[COUNT_OF(stages)];

    ck_assert_int_eq(tandem_solve(&source, stages, COUNT_OF(stages), r, NULL), 0);
    assert_close(r[1].mean.lambda_per_s, 10 * r[0].mean.lambda_per_s, 1e-8);
    assert_close(r[2].mean.lambda_per_s, r[0].mean.lambda_per_s, 1e-8);
    assert_close(1 - r[0].p_blocked, r[0].mean.lambda_per_s, 1e-8);
    ck_assert_double_lt(r[1].mean.lambda_per_s, 1 / 0.11);
    for (int i = 0; i < COUNT_OF(stages); i++) {
        assert_close(r[i].mean.n_q, r[i].mean.lambda_per_s * r[i].mean.w_q_s, 1e-12);
        ck_assert_double_eq_tol(r[i].mean.rho + r[i].blocked + r[i].mean.p_0, 1, 1e-6);
    }
}
END_TEST

/* 5 s in the queue at least, 0.2/s: one more on average, and one place fewer. */
START_TEST(test_delay_takes_places_and_time)
{
    const struct tandem_source source = {0.2, 1};
    struct tandem_stage with = {.places = 10, .delay_s = 5, .service_s = 1, .service_scv = 1};
    struct tandem_stage without = {.places = 9, .service_s = 1, .service_scv = 1};
    struct tandem_result r, plain;

    ck_assert_int_eq(tandem_solve(&source, &with, 1, &r, NULL), 0);
    ck_assert_int_eq(tandem_solve(&source, &without, 1, &plain, NULL), 0);
    assert_close(r.mean.n_q, plain.mean.n_q + 5 * plain.mean.lambda_per_s, 1e-12);
    assert_close(r.mean.lambda_per_s, plain.mean.lambda_per_s, 1e-12);
    with.delay_s = 1000;
    ck_assert_int_eq(tandem_solve(&source, &with, 1, &r, NULL), MODEL_EDELAY);
}
END_TEST

/* One exponential stage of 3 places is M/M/1/5, of which one is served and one held: rho = 1/2, so that P[N = n] is
 * 2^-n x 32/63. Nobody waits if N is 0 or 1, and all three places are taken if N is 4 or 5. */
START_TEST(test_lengths_of_one_stage_are_those_of_mm1k)
{
    const struct tandem_source source = {0.5, 1};
    const struct tandem_stage stage = {.places = 3, .service_s = 1, .service_scv = 1};
    static const double expected[] = {48. / 63, 8. / 63, 4. / 63, 3. / 63};
    struct tandem_result r;
    double lengths[4];
    ck_assert_int_eq(tandem_solve(&source, &stage, 1, &r, (double *[]){lengths}), 0);
    for (int n = 0; n < 4; n++)
        assert_close(lengths[n], expected[n], 1e-10);
    assert_close(r.mean.p_k, expected[3], 1e-10);
}
END_TEST

/* A server that is hardly ever at work: what is there is delayed, Poisson of 2. */
START_TEST(test_lengths_have_what_is_delayed)
{
    const struct tandem_source source = {2e-3, 1};
    const struct tandem_stage stage = {.places = 30, .delay_s = 1000, .service_s = 1e-6, .service_scv = 1};
    struct tandem_result r;
    double lengths[31], mean = 0, sum = 0;
    ck_assert_int_eq(tandem_solve(&source, &stage, 1, &r, (double *[]){lengths}), 0);
    for (int n = 0; n < 31; n++) {
        mean += n * lengths[n];
        sum += lengths[n];
    }
    assert_close(lengths[0], exp(-2), 1e-6);
    assert_close(lengths[3], exp(-2) * 8 / 6, 1e-6);
    assert_close(sum, 1, 1e-12);
    assert_close(mean, r.mean.n_q, 1e-6);
}
END_TEST

START_TEST(test_chains_outside_the_domain)
{
    const struct tandem_source good = {1, 1};
    const struct tandem_stage stage = {.places = 3, .service_s = 1, .service_scv = 1, .yield = 1};
    struct tandem_source sources[] = {{0, 1}, {-1, 1}, {NAN, 1}, {1, -1}, {1, NAN}};
    static const int source_status[] = {MODEL_EARRIVALS, MODEL_EARRIVALS, MODEL_EARRIVALS, MODEL_ESCV,
                                        MODEL_ESCV};
    struct tandem_stage bad[8][2];
    static const int status[] = {MODEL_ESERVICE,  MODEL_ESERVICE, MODEL_ESCV,   MODEL_ECAPACITY,
                                 MODEL_ECAPACITY, MODEL_EYIELD,   MODEL_EYIELD, MODEL_EDELAY};
    struct tandem_result r[2], before[2];

    for (int i = 0; i < COUNT_OF(bad); i++)
        bad[i][0] = bad[i][1] = stage;
    bad[0][1].service_s = 0;
    bad[1][0].service_s = NAN;
    bad[2][1].service_scv = -1;
    bad[3][0].places = BUFFER_BLOCK_PLACES_MAX + 1;
    bad[4][0].back_pressure_from = 4;
    bad[5][0].yield = 0;
    bad[6][0].yield_dispersion = NAN;
    bad[7][1].delay_s = -1;
    memset(r, 0x5a, sizeof r);
    memcpy(before, r, sizeof r);
    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert_msg(tandem_solve(&good, bad[i], 2, r, NULL) == status[i], "row %d", i);
    for (int i = 0; i < COUNT_OF(sources); i++)
        ck_assert_int_eq(tandem_solve(&sources[i], &stage, 1, r, NULL), source_status[i]);
    ck_assert_int_eq(tandem_solve(&good, &stage, 0, r, NULL), MODEL_ESTAGES);
    ck_assert_int_eq(tandem_solve(&good, &stage, TANDEM_STAGES_MAX + 1, r, NULL), MODEL_ESTAGES);
    ck_assert_mem_eq(r, before, sizeof r);
}
END_TEST

/* --- Mercury ----------------------------------------------------------------------------------------------- */

/* The machine of docs/hardware.md; what the data decide is NaN. */
static struct predict_case machine_of_hardware_md(void)
{
    struct predict_case in = predict_case_default("");

    in.value[PREDICT_BUS] = 1064 * 0.95;
    return in;
}

/* Dor 2010, Figures 11 and 15. Trips a seed follow from the service rate printed: run 2's 50.0 Mseeds/s are 2.66
   clocks a
 * seed, run 1's 128 are 1.039 reads a seed. */
static struct predict_case published(int run)
{
    struct predict_case in = machine_of_hardware_md();

    in.value[PREDICT_P_1A] = run == 1 ? 0.0178 : 0.0346;
    in.value[PREDICT_P_1B] = run == 1 ? 0.877 : 0.765;
    in.value[PREDICT_P_2] = run == 1 ? 0.000204 : 0.000350;
    double m_2 = run == 1 ? 1 : 0.406;
    in.value[PREDICT_TRIPS] = in.value[PREDICT_DUPLICATES] =
        mercury_tandem_trips(133 * m_2 / (run == 1 ? 128 : 50.0), m_2, in.value[PREDICT_TRIP_CYCLES]);
    return in;
}

static struct mercury_tandem_prediction predict(const struct predict_case *in)
{
    struct mercury_tandem_prediction out;

    ck_assert_int_eq(mercury_tandem_predict(in->value, &out), 0);
    return out;
}

/* Measured (Dor 2010, Figures 15 and 17) and, in brackets, by the clock rules with random draws (docs/hardware.md):
 * P_BP,1a 0.296 (0.290), N_Q,1bp 115 (114.4), N_Q,1bd 460 (462), N_Q,2 1.7 (1.74), lambda_1a 1440, lambda_1b 50.0,
 * lambda_2 38.3. No published model has P_BP,1a above 0.0 or N_Q,1bd above 7.4. */
START_TEST(test_run_2_is_predicted_by_blocking)
{
    struct predict_case in = published(2);
    struct mercury_tandem_prediction p = predict(&in);

    ck_assert(p.saturated);
    ck_assert_double_eq_tol(p.queue[MERCURY_TANDEM_1A].p_bp, 0.296, 0.1);
    ck_assert_double_eq_tol(p.queue[MERCURY_TANDEM_1A].p_bp, 0.290, 0.1);
    assert_close(p.queue[MERCURY_TANDEM_1BP].n_q, 115, 0.25);
    assert_close(p.queue[MERCURY_TANDEM_1BP].n_q, 114.4, 0.25);
    assert_close(p.queue[MERCURY_TANDEM_1BD].n_q, 460, 0.25);
    assert_close(p.queue[MERCURY_TANDEM_1BD].n_q, 462, 0.25);
    assert_close(p.queue[MERCURY_TANDEM_2].n_q, 1.7, 0.25);
    assert_close(p.queue[MERCURY_TANDEM_1A].lambda_per_s * 16, 1440e6, 0.01);
    assert_close(p.queue[MERCURY_TANDEM_1BP].lambda_per_s, 50.0e6, 0.01);
    assert_close(p.queue[MERCURY_TANDEM_2].lambda_per_s, 38.3e6, 0.01);
    assert_close(p.held, 1 - p.queue[MERCURY_TANDEM_1A].lambda_per_s / p.source_per_s, 1e-6);
}
END_TEST

/* Measured: lambda_1a 1790, N_Q,1bp ~0 (0.3), N_Q,1bd ~0 (2.6), N_Q,2 1.2 (1.20), no back-pressure. */
START_TEST(test_run_1_is_not_blocked)
{
    struct predict_case in = published(1);
    struct mercury_tandem_prediction p = predict(&in);

    ck_assert(!p.saturated);
    assert_close(p.lambda_in_bytes_per_s, 895e6, 1e-6);
    ck_assert_double_lt(p.queue[MERCURY_TANDEM_1A].p_bp, 0.05);
    ck_assert_double_lt(p.queue[MERCURY_TANDEM_1BP].p_bp, 0.05);
    ck_assert_double_lt(p.queue[MERCURY_TANDEM_1BP].n_q, 5);
    ck_assert_double_lt(p.queue[MERCURY_TANDEM_1BD].n_q, 5);
    assert_close(p.queue[MERCURY_TANDEM_2].n_q, 1.2, 0.25);
}
END_TEST

/* Negative control: half the trips, and run 2 is not blocked. */
START_TEST(test_run_2_with_half_the_trips_is_another_machine)
{
    struct predict_case in = published(2);

    in.value[PREDICT_TRIPS] /= 2;
    in.value[PREDICT_DUPLICATES] /= 2;
    struct mercury_tandem_prediction p = predict(&in);
    ck_assert(!p.saturated);
    assert_close(p.lambda_in_bytes_per_s, 895e6, 1e-6);
    ck_assert_double_lt(p.queue[MERCURY_TANDEM_1A].p_bp, 0.1);
}
END_TEST

/* Between the two: the host's supply is carried although the ingress FIFO fills now and then. */
START_TEST(test_supply_is_carried_by_catching_up)
{
    struct predict_case in = published(2);

    in.value[PREDICT_TRIPS] = in.value[PREDICT_DUPLICATES] = 0.019;
    struct mercury_tandem_prediction p = predict(&in);
    ck_assert(!p.saturated);
    assert_close(p.lambda_in_bytes_per_s, 895e6, 1e-6);
    ck_assert_double_gt(p.source_per_s * 8, 895.0001e6);
    ck_assert_double_lt(p.source_per_s * 8, in.value[PREDICT_BUS] * 1e6);
}
END_TEST

/* 1 HSP a match of 16 bytes each, 2 w-mers a byte, 1 match in 32: a byte back for a byte in. */
START_TEST(test_results_share_the_bus)
{
    struct predict_case in = machine_of_hardware_md();

    in.value[PREDICT_P_1A] = 1.0 / 32;
    in.value[PREDICT_P_1B] = in.value[PREDICT_P_2] = 1;
    in.value[PREDICT_TRIPS] = in.value[PREDICT_DUPLICATES] = 0;
    assert_close(predict(&in).lambda_in_bytes_per_s, in.value[PREDICT_BUS] * 1e6 / 2, 1e-6);
}
END_TEST

/* A board that is slower than the bus: what is offered and what goes back for the words carried fill the bus. */
START_TEST(test_slow_board_is_offered_what_results_leave)
{
    const double shares[] = {0.02, 0.1, 0.2};
    struct predict_case in = published(2);
    for (int i = 0; i < COUNT_OF(shares); i++) {
        in.value[PREDICT_P_2] = shares[i];
        struct mercury_tandem_prediction p = predict(&in);
        double returned = in.value[PREDICT_WMERS_PER_WORD] * in.value[PREDICT_P_1A] * in.value[PREDICT_P_1B] *
                          in.value[PREDICT_P_2] * in.value[PREDICT_HSP_BYTES] /
                          in.value[PREDICT_BYTES_PER_WORD];
        ck_assert(p.saturated);
        ck_assert_double_gt(p.held, 0.01);
        assert_close(p.source_per_s * in.value[PREDICT_BYTES_PER_WORD] + returned * p.lambda_in_bytes_per_s,
                     in.value[PREDICT_BUS] * 1e6, 1e-8);
    }
}
END_TEST

/* The last answer is kept: a machine that differs in its last number is another one, and gets an answer of its own. */
START_TEST(test_the_kept_answer_is_given_to_equal_inputs_only)
{
    struct predict_case in = published(2), other = in;
    struct mercury_tandem_prediction first = predict(&in), again = predict(&in);

    ck_assert_double_eq(again.queue[MERCURY_TANDEM_2].p_bp, first.queue[MERCURY_TANDEM_2].p_bp);
    other.value[PREDICT_STAGE2_MARGIN]++;
    ck_assert_double_gt(predict(&other).queue[MERCURY_TANDEM_2].p_bp, first.queue[MERCURY_TANDEM_2].p_bp);
    ck_assert_double_eq(predict(&in).queue[MERCURY_TANDEM_2].p_bp, first.queue[MERCURY_TANDEM_2].p_bp);
}
END_TEST

/* Both published runs: the distribution has the mean that is predicted, and the FIFO's ends. Of stage 2 some delayed
 * matches are beyond its places, which is less than the Poisson tail of 1.4. */
START_TEST(test_lengths_have_the_predicted_means)
{
    static const unsigned most[] = {8, 130, 460, 10};
    static double lengths[501];
    struct predict_case in = published(_i + 1);
    struct mercury_tandem_prediction p = predict(&in);
    for (int stage = 0; stage < MERCURY_TANDEM_STAGES; stage++) {
        double sum = 0, mean = 0;
        ck_assert_int_eq(mercury_tandem_lengths(in.value, (enum mercury_tandem_stage)stage, lengths, 501), 0);
        for (int n = 0; n < 501; n++) {
            ck_assert(lengths[n] >= 0 && (n <= (int)most[stage] || lengths[n] == 0));
            sum += lengths[n];
            mean += n * lengths[n];
        }
        assert_close(sum, 1, 1e-9);
        assert_close(mean, p.queue[stage].n_q, stage == MERCURY_TANDEM_2 ? 0.01 : 1e-6);
    }
    ck_assert_int_eq(mercury_tandem_lengths(in.value, MERCURY_TANDEM_1A, lengths, 8), MODEL_ECAPACITY);
}
END_TEST

START_TEST(test_mercury_inputs_outside_the_domain)
{
    struct predict_case bad[20];
    int expected[COUNT_OF(bad)], count = 0;
    struct mercury_tandem_prediction out, before;

    for (int i = 0; i < COUNT_OF(bad); i++)
        bad[i] = published(2);
    bad[count].value[PREDICT_P_1A] = NAN;
    expected[count++] = MODEL_EP_1A;
    bad[count].value[PREDICT_TRIPS] = NAN;
    expected[count++] = MODEL_ENO_TRIPS;
    bad[count].value[PREDICT_P_1A] = 0;
    expected[count++] = MODEL_EP_1A;
    bad[count].value[PREDICT_P_1B] = 0;
    expected[count++] = MODEL_EP_1B;
    bad[count].value[PREDICT_P_2] = 1.1;
    expected[count++] = MODEL_EP_2;
    bad[count].value[PREDICT_TRIPS] = -1;
    expected[count++] = MODEL_ETRIPS;
    bad[count].value[PREDICT_DUPLICATES] = 0.5;
    expected[count++] = MODEL_ETRIPS;
    bad[count].value[PREDICT_SINGLE_MATCHES] = 1;
    expected[count++] = MODEL_ETRIPS;
    bad[count].value[PREDICT_TRIP_CYCLES] = 0;
    expected[count++] = MODEL_ETRIPS;
    bad[count].value[PREDICT_SUPPLY] = 0;
    expected[count++] = MODEL_ESUPPLY;
    bad[count].value[PREDICT_BUS] = NAN;
    expected[count++] = MODEL_EBUS;
    bad[count].value[PREDICT_CLOCK] = -1;
    expected[count++] = MODEL_ECLOCK;
    bad[count].value[PREDICT_BYTES_PER_WORD] = 0;
    expected[count++] = MODEL_EWORD;
    bad[count].value[PREDICT_HSP_BYTES] = -1;
    expected[count++] = MODEL_EHSP;
    bad[count].value[PREDICT_FIFO_INGRESS] = 0;
    expected[count++] = MODEL_ECAPACITY;
    bad[count].value[PREDICT_SRAM_MARGIN] = 500;
    expected[count++] = MODEL_EMARGIN;
    bad[count].value[PREDICT_WMER_MARGIN] = 131;
    expected[count++] = MODEL_EMARGIN;
    bad[count].value[PREDICT_FETCH_CYCLES] = -1;
    expected[count++] = MODEL_EDELAY;
    bad[count].value[PREDICT_FIFO_SRAM] = 5000;
    expected[count++] = MODEL_ECAPACITY;
    bad[count] = machine_of_hardware_md();
    expected[count++] = MODEL_ENO_TRIPS;
    ck_assert_int_eq(count, COUNT_OF(bad));

    memset(&out, 0x5a, sizeof out);
    memcpy(&before, &out, sizeof out);
    for (int i = 0; i < count; i++)
        ck_assert_msg(mercury_tandem_predict(bad[i].value, &out) == expected[i], "row %d", i);
    ck_assert_mem_eq(&out, &before, sizeof out);
}
END_TEST

static Suite *tandem_suite(void)
{
    Suite *suite = suite_create("tandem");
    TCase *block = tcase_create("block");
    TCase *exact = tcase_create("exact");
    TCase *chain = tcase_create("chain");
    TCase *mercury = tcase_create("mercury");

    tcase_set_timeout(block, 60);
    tcase_set_timeout(exact, 60);
    tcase_set_timeout(mercury, 120);
    tcase_add_loop_test(block, test_fit_has_the_moments_asked_for, 0, COUNT_OF(scvs));
    tcase_add_test(block, test_fit_refuses_what_no_duration_has);
    tcase_add_loop_test(block, test_exponential_block_is_mm1k, 0, COUNT_OF(loads));
    tcase_add_loop_test(block, test_wide_block_is_mg1, 0, COUNT_OF(scvs));
    tcase_add_loop_test(block, test_block_is_reversible, 0, COUNT_OF(scvs));
    tcase_add_loop_test(block, test_block_conserves_elements, 0, COUNT_OF(scvs));
    tcase_add_test(exact, test_exact_solver_knows_hunts_lines);
    tcase_add_test(exact, test_exact_line_is_no_chain_of_separate_queues);
    tcase_add_loop_test(exact, test_decomposition_is_near_the_exact_line, 0, COUNT_OF(lines));
    tcase_add_test(chain, test_wide_chain_is_mm1_each);
    tcase_add_test(chain, test_bottleneck_fills_what_is_before_it);
    tcase_add_test(chain, test_rates_are_converted);
    tcase_add_test(chain, test_delay_takes_places_and_time);
    tcase_add_test(chain, test_lengths_of_one_stage_are_those_of_mm1k);
    tcase_add_test(chain, test_lengths_have_what_is_delayed);
    tcase_add_test(chain, test_chains_outside_the_domain);
    tcase_add_test(mercury, test_run_2_is_predicted_by_blocking);
    tcase_add_test(mercury, test_run_1_is_not_blocked);
    tcase_add_test(mercury, test_run_2_with_half_the_trips_is_another_machine);
    tcase_add_test(mercury, test_supply_is_carried_by_catching_up);
    tcase_add_test(mercury, test_results_share_the_bus);
    tcase_add_test(mercury, test_slow_board_is_offered_what_results_leave);
    tcase_add_test(mercury, test_the_kept_answer_is_given_to_equal_inputs_only);
    tcase_add_loop_test(mercury, test_lengths_have_the_predicted_means, 0, 2);
    tcase_add_test(mercury, test_mercury_inputs_outside_the_domain);
    suite_add_tcase(suite, block);
    suite_add_tcase(suite, exact);
    suite_add_tcase(suite, chain);
    suite_add_tcase(suite, mercury);
    return suite;
}

int main(void)
{
    return run_suite(tandem_suite());
}
