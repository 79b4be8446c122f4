/* test_sampled_jobs.c - jobs by hand, and how often the interval of their makespan holds it. */
#include "model/forecast/sampled_jobs.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "model/forecast/list_schedule.h"
#include "tests/assert_close.h"
#include "tests/model/forecast/coverage.h"
#include "tests/run_suite.h"

/* Two of four passes, and two of two: a job of the pass 0 is missed by the pairs of the other three, 3 of 6; one of
 * the passes 0 and 1 by 1 of 6. Three passes of four leave no pair, and the second stratum is drawn whole. */
START_TEST(test_chances)
{
    static const struct sample_stratum strata[] = {{4, 2}, {2, 2}, {3, 1}};
    assert_close(sampled_jobs_chance(strata, 3, 0, 0), 0.5, 1e-12);
    assert_close(sampled_jobs_chance(strata, 3, 0, 1), 5.0 / 6, 1e-12);
    assert_close(sampled_jobs_chance(strata, 3, 1, 3), 1, 1e-12);
    assert_close(sampled_jobs_chance(strata, 3, 3, 4), 1, 1e-12);
    assert_close(sampled_jobs_chance(strata, 3, 6, 7), 2.0 / 3, 1e-12);
}
END_TEST

/* What is seen for certain is a list schedule: 3 | 2, then 2 to the core that is free at 2: 4. */
START_TEST(test_certain_jobs)
{
    static const struct sampled_job jobs[] = {{3, 1}, {2, 1}, {2, 1}};
    struct sample_estimate e;
    sampled_jobs_makespan(jobs, 3, 2, 1, &e);
    ck_assert_double_eq(e.total, 4);
    ck_assert_double_eq(e.error, 0);
    sampled_jobs_makespan(jobs, 0, 2, 1, &e);
    ck_assert_double_eq(e.total, 0);
    ck_assert_double_eq(e.error, 0);
}
END_TEST

/* An alignment over the whole query is longer than all that may still be missed: it alone is the makespan. */
START_TEST(test_one_long_job)
{
    static const struct sampled_job jobs[] = {{1000, 1}, {1, 0.2}, {1, 0.2}};
    struct sample_estimate e;
    sampled_jobs_makespan(jobs, 3, 8, 1, &e);
    ck_assert_double_eq(e.total, 1000);
    ck_assert_double_eq(e.error, 0);
}
END_TEST

/* On one core the makespan is the sum, 1 + the number of missed jobs, of which m or more are missed with the chance
 * 0.8^m: 3 or more by 0.512, 4 or more by 0.41, 16 or more by 0.028, 17 or more by 0.0225: the median is 4, and the
 * interval reaches to 17. Of a job that is missed by fewer than 2.5%, the middle 95% know nothing. */
START_TEST(test_missed_jobs)
{
    static const struct sampled_job often[] = {{1, 0.2}}, rarely[] = {{1, 0.99}};
    struct sample_estimate e;
    sampled_jobs_makespan(often, 1, 1, 1, &e);
    ck_assert_double_gt(e.total, 2.5);
    ck_assert_double_lt(e.total, 5.5);
    assert_close(e.error * 1.959964, 13, 0.5);
    sampled_jobs_makespan(rarely, 1, 1, 1, &e);
    ck_assert_double_eq(e.total, 1);
    ck_assert_double_eq(e.error, 0);
}
END_TEST

enum { PASSES = 60, DRAWN = 15, JOBS = 40, CORES = 8, SAMPLES = 200 };

/* A job of two neighbouring passes. */
struct job {
    double job_s;
    size_t first;
};

/* A sample sees the jobs of its passes. */
static struct sample_estimate forecast(gsl_rng *random, const struct job *all)
{
    const struct sample_stratum stratum = {PASSES, DRAWN};
    size_t passes[PASSES], drawn[DRAWN], count = 0;
    bool is_drawn[PASSES] = {false};
    struct sampled_job jobs[JOBS];
    struct sample_estimate e;
    for (size_t i = 0; i < PASSES; i++)
        passes[i] = i;
    gsl_ran_choose(random, drawn, DRAWN, passes, PASSES, sizeof *passes);
    for (size_t i = 0; i < DRAWN; i++)
        is_drawn[drawn[i]] = true;
    for (const struct job *j = all; j < all + JOBS; j++)
        if (is_drawn[j->first] || is_drawn[j->first + 1])
            jobs[count++] =
                (struct sampled_job){j->job_s, sampled_jobs_chance(&stratum, 1, j->first, j->first + 1)};
    sampled_jobs_makespan(jobs, count, CORES, 1, &e);
    return e;
}

static struct coverages try_samples(void)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    struct coverages c = {0};
    for (int i = 0; i < tests_some(SAMPLES); i++) {
        struct job jobs[JOBS];
        double busy_until_s[CORES] = {0};
        struct list_schedule all = {busy_until_s, CORES, 0};
        for (struct job *j = jobs; j < jobs + JOBS; j++) {
            *j = (struct job){gsl_ran_lognormal(random, 0, 0.7),
                              (size_t)gsl_rng_uniform_int(random, PASSES - 1)};
            list_schedule_add(&all, j->job_s);
        }
        coverage_add(&c, forecast(random, jobs), all.last_s);
    }
    gsl_rng_free(random);
    return c;
}

START_TEST(test_coverage)
{
    const struct coverages c = try_samples();
    coverage_check(&c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sampled_jobs");
    TCase *core = tcase_create("core");
    tcase_add_test(core, test_chances);
    tcase_add_test(core, test_certain_jobs);
    tcase_add_test(core, test_one_long_job);
    tcase_add_test(core, test_missed_jobs);
    tcase_add_test(core, test_coverage);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
