/* test_bottleneck.c - the limit of pipelines that this test steps itself, where it knows which stage is slow; and of
 * the numbers that real runs measured.
 *
 * The pipeline   a source that never runs dry, then stages with a queue before each. A stage takes an element, serves
 * it for
 *                a number of clocks (fixed, or geometric with that mean), and holds it until the next queue has room.
 */
#include "traces/bottleneck.h"
#include "tests/run_suite.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 5, CLOCKS = 200000 };

struct pipeline {
    double service[STAGES]; /* mean clocks an element, >= 1 */
    bool random;            /* geometric service */
    unsigned places;        /* of every queue */
};

struct measured {
    struct stage_evidence stages[STAGES];
    double throughput; /* elements a clock */
};

static const char *const names[STAGES] = {"host", "one", "two", "three", "four"};

static unsigned draw(gsl_rng *rng, const struct pipeline *p, unsigned stage)
{
    return p->random ? gsl_ran_geometric(rng, 1 / p->service[stage]) : (unsigned)p->service[stage];
}

/* One clock of a stage: at work, or holding what is done, or waiting. Downstream stages went first. */
static void step(const struct pipeline *p, unsigned i, unsigned *queued, unsigned *left, bool *holds,
                 double *active, double *stalled, gsl_rng *rng)
{
    if (!holds[i] && left[i] == 0 && (i == 0 || queued[i] > 0)) {
        queued[i] -= i > 0;
        left[i] = draw(rng, p, i);
    }
    if (left[i] > 0) {
        active[i]++;
        left[i]--;
        holds[i] = left[i] == 0;
    } else if (holds[i]) {
        stalled[i]++;
    }
    if (holds[i] && (i + 1 == STAGES || queued[i + 1] < p->places)) {
        holds[i] = false;
        if (i + 1 < STAGES)
            queued[i + 1]++;
        else
            queued[0]++; /* counts what came out */
    }
}

static struct measured measure(const struct pipeline *p)
{
    unsigned queued[STAGES] = {0}, left[STAGES] = {0};
    bool holds[STAGES] = {false};
    double active[STAGES] = {0}, stalled[STAGES] = {0}, mean[STAGES] = {0};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (int clock = 0; clock < CLOCKS; clock++)
        for (unsigned i = STAGES; i-- > 0;) {
            mean[i] += i > 0 ? queued[i] : 0;
            step(p, i, queued, left, holds, active, stalled, rng);
        }
    gsl_rng_free(rng);
    struct measured m = {.throughput = queued[0] / (double)CLOCKS};
    for (unsigned i = 0; i < STAGES; i++)
        m.stages[i] = (struct stage_evidence){names[i],         active[i] / CLOCKS,    stalled[i] / CLOCKS,
                                              mean[i] / CLOCKS, i > 0 ? p->places : 0, i > 0};
    return m;
}

/* --- pipelines of a known limit -------------------------------------------------------------------------- */

/* Every stage in turn is the slow one; the host too, and then the supply limits. */
START_TEST(test_the_slow_stage_limits)
{
    struct pipeline p = {{3, 3, 3, 3, 3}, _i >= STAGES, 8};
    unsigned slow = (unsigned)_i % STAGES;
    p.service[slow] = 5;
    struct measured m = measure(&p);
    struct bottleneck b = bottleneck_find(m.stages, STAGES);
    ck_assert_uint_eq(b.limit, slow);
    ck_assert_msg(b.confirmed, "%s: %g", names[slow], b.saturation);
    for (unsigned i = 0; i < slow; i++)
        ck_assert_msg(bottleneck_role(&b, m.stages, i) == STAGE_VICTIM, "%s", names[i]);
    for (unsigned i = slow + 1; i < STAGES; i++)
        ck_assert_int_ne(bottleneck_role(&b, m.stages, i), STAGE_VICTIM);
    ck_assert_int_eq(bottleneck_role(&b, m.stages, slow), STAGE_LIMITS);
}
END_TEST

/* The queue before the limit is full and those behind it are empty: what a developer would see with his own eyes. */
START_TEST(test_queues_stand_before_the_limit)
{
    struct pipeline p = {{3, 3, 5, 3, 3}, true, 8};
    struct measured m = measure(&p);
    ck_assert_double_gt(m.stages[2].queue_mean, 6);
    ck_assert_double_lt(m.stages[3].queue_mean, 2);
}
END_TEST

/* What it says of the next limit comes true when the limit is made quick: throughput grows by that factor. Fixed
 * service times, so that variability costs nothing. */
static const double services[][STAGES] = {
    {3, 4, 9, 6, 2}, {2, 2, 2, 2, 7}, {8, 3, 5, 4, 2}, {2, 12, 11, 3, 3}, {4, 4, 5, 4, 4}};

START_TEST(test_growth_comes_true)
{
    struct pipeline p = {.places = 8};
    memcpy(p.service, services[_i], sizeof p.service);
    struct measured m = measure(&p);
    struct bottleneck b = bottleneck_find(m.stages, STAGES);
    ck_assert(b.confirmed && b.has_next);
    ck_assert_double_eq_tol(b.growth_to_limit, 1, 1e-3);
    p.service[b.limit] = 1;
    struct measured grown = measure(&p);
    ck_assert_double_eq_tol(grown.throughput / m.throughput, b.growth_to_next, 0.002 * b.growth_to_next);
    struct bottleneck next = bottleneck_find(grown.stages, STAGES);
    ck_assert(bottleneck_role(&next, grown.stages, b.next) <= STAGE_LIMITS_TOO); /* others are as slow */
}
END_TEST

/* With all stages alike, queues of one place and random service nobody is at work all the time: no limit is
 * confirmed. */
START_TEST(test_a_balanced_pipeline_has_no_confirmed_limit)
{
    struct pipeline p = {{4, 4, 4, 4, 4}, true, 1};
    struct measured m = measure(&p);
    struct bottleneck b = bottleneck_find(m.stages, STAGES);
    ck_assert(!b.confirmed || b.limit == 0);
    ck_assert_double_gt(b.growth_to_limit, 1.05);
}
END_TEST

/* --- numbers of real runs -------------------------------------------------------------------------------- */

/* Fractions as summary.json reports them under "bottleneck", at the default parameters (stage2.threshold 13). */

/* phage lambda x the first megabyte of E. coli 536, both strands: bus and host are both at work nearly all the time. */
static const struct stage_evidence lambda[] = {
    {"host", 0.996749, 0, 0, 0, false},        {"bus", 0.998820, 0, 0, 0, false},
    {"1a", 0.838416, 0, 0.838416, 8, true},    {"1bp", 0.299329, 0, 0.611919, 130, true},
    {"1bd", 0.311446, 0, 0.533827, 500, true}, {"2", 0.295172, 0.000034, 1.515179, 10, true},
};

/* H. pylori F32 x Gambia94/24, plus strand: trips to the duplicate table limit. */
static const struct stage_evidence pylori[] = {
    {"host", 0.291442, 0, 0, 0, false},
    {"bus", 0.572274, 0.421824, 0, 0, false},
    {"1a", 0.245152, 0.748973, 7.649127, 8, true},
    {"1bp", 0.381236, 0.606790, 125.3983, 130, true},
    {"1bd", 0.964097, 0.026694, 456.2460, 500, true},
    {"2", 0.434819, 0.009236, 4.027700, 10, true},
};

START_TEST(test_lambda_and_coli_are_limited_by_the_bus)
{
    struct bottleneck b = bottleneck_find(lambda, 6);
    ck_assert_str_eq(lambda[b.limit].name, "bus");
    ck_assert(b.confirmed);
    ck_assert_str_eq(lambda[b.next].name, "host");
    ck_assert_int_eq(bottleneck_role(&b, lambda, 0), STAGE_LIMITS_TOO);
    ck_assert_double_eq_tol(b.growth_to_limit, 1 / 0.998820, 1e-9);
    ck_assert_double_eq_tol(b.growth_to_next, 1 / 0.996749, 1e-9);
}
END_TEST

/* The busiest of those that never starve limits, if only by a hair: what a quicker one is promised to save is true. */
START_TEST(test_of_two_at_work_all_the_time_the_busiest_limits)
{
    static const struct stage_evidence stages[] = {
        {"host", 0.9999, 0, 0, 0, false}, {"bus", 0.9992, 0, 0, 0, false}, {"1a", 0.84, 0, 0.84, 8, true}};
    struct bottleneck b = bottleneck_find(stages, 3);
    ck_assert_uint_eq(b.limit, 0);
    ck_assert_uint_eq(b.next, 1);
    ck_assert(b.confirmed);
    ck_assert_double_ge(b.growth_to_next, b.growth_to_limit);
    ck_assert_int_eq(bottleneck_role(&b, stages, 1), STAGE_LIMITS_TOO);
    ck_assert_int_eq(bottleneck_role(&b, stages, 2), STAGE_RESERVE);
}
END_TEST

START_TEST(test_pylori_is_limited_by_1bd)
{
    struct bottleneck b = bottleneck_find(pylori, 6);
    ck_assert_str_eq(pylori[b.limit].name, "1bd");
    ck_assert(b.confirmed);
    ck_assert_str_eq(pylori[b.next].name, "bus");
    ck_assert_double_eq_tol(b.growth_to_next, 1 / 0.572274, 1e-9);
    ck_assert_int_eq(bottleneck_role(&b, pylori, 1), STAGE_VICTIM);
    ck_assert_int_eq(bottleneck_role(&b, pylori, 2), STAGE_VICTIM);
    ck_assert_int_eq(bottleneck_role(&b, pylori, 3), STAGE_VICTIM);
    ck_assert_int_eq(bottleneck_role(&b, pylori, 5), STAGE_RESERVE);
}
END_TEST

/* --- edges ----------------------------------------------------------------------------------------------- */

START_TEST(test_one_stage_and_an_idle_one)
{
    struct stage_evidence one = {"only", 0.5, 0, 0, 0, false}, idle = {"idle", 0, 0, 0, 0, false};
    struct bottleneck b = bottleneck_find(&one, 1);
    ck_assert(!b.has_next && !b.confirmed && !b.has_source);
    ck_assert_double_eq(b.growth_to_limit, 2);
    ck_assert(bottleneck_find(&idle, 1).growth_to_limit > 1e300);
}
END_TEST

/* Stalls that begin behind the last stage that is watched are told, not laid at the busiest stage's door. */
START_TEST(test_a_source_that_is_not_the_limit_is_told)
{
    const struct stage_evidence stages[] = {{"a", 0.6, 0.4, 0, 0, false}, {"b", 0.3, 0.7, 4, 4, true}};
    struct bottleneck b = bottleneck_find(stages, 2);
    ck_assert(b.has_source && !b.confirmed);
    ck_assert_uint_eq(b.source, 1);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bottleneck_write_text(&b, stages, 2, out);
    fclose(out);
    ck_assert_ptr_nonnull(
        strstr(text, "but b is the last stage that never starves (1.0000): stalls begin after it"));
    ck_assert_int_eq(bottleneck_role(&b, stages, 1), STAGE_VICTIM);
    ck_assert_ptr_nonnull(strstr(text, "busiest\n"));
    ck_assert_ptr_nonnull(strstr(text, "held from behind\n"));
    ck_assert_ptr_null(strstr(text, "limits\n")); /* it would contradict the sentence */
    free(text);
}
END_TEST

START_TEST(test_text_names_limit_evidence_and_next)
{
    struct bottleneck b = bottleneck_find(pylori, 6);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bottleneck_write_text(&b, pylori, 6, out);
    fclose(out);
    suite_one_line(text);
    ck_assert_ptr_nonnull(strstr(text, "1bd limits: it is at work in 96.41% of the time"));
    ck_assert_ptr_nonnull(strstr(text, "held by the limit"));
    ck_assert_ptr_nonnull(strstr(
        text,
        "at most 1.747 times without the limit of 1bd (then bus is), if elements make as much work as now"));
    free(text);
}
END_TEST

static Suite *bottleneck_suite(void)
{
    Suite *suite = suite_create("bottleneck");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_the_slow_stage_limits, 0, 2 * STAGES);
    tcase_add_test(core, test_queues_stand_before_the_limit);
    tcase_add_loop_test(core, test_growth_comes_true, 0, sizeof services / sizeof services[0]);
    tcase_add_test(core, test_a_balanced_pipeline_has_no_confirmed_limit);
    tcase_add_test(core, test_lambda_and_coli_are_limited_by_the_bus);
    tcase_add_test(core, test_of_two_at_work_all_the_time_the_busiest_limits);
    tcase_add_test(core, test_pylori_is_limited_by_1bd);
    tcase_add_test(core, test_one_stage_and_an_idle_one);
    tcase_add_test(core, test_a_source_that_is_not_the_limit_is_told);
    tcase_add_test(core, test_text_names_limit_evidence_and_next);
    tcase_set_timeout(core, 60);
    suite_add_tcase(suite, core);
    return suite;
}

int main(void)
{
    return run_suite(bottleneck_suite());
}
