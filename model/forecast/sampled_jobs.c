#include "model/forecast/sampled_jobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "base/memory.h"
#include "base/random.h"
#include "model/forecast/list_schedule.h"
#include "model/model_error.h"

double sampled_jobs_chance(const struct sample_stratum *strata, size_t count, size_t first, size_t last)
{
    double log_of_missed = 0; /* of the chance that none of these passes is drawn */
    size_t begin = 0;         /* of the stratum */
    for (size_t h = 0; h < count; begin += strata[h++].passes) {
        const size_t passes = strata[h].passes, drawn = strata[h].drawn, end = begin + passes;
        const size_t from = first > begin ? first : begin, to = last + 1 < end ? last + 1 : end;
        if (from >= to)
            continue;
        const size_t others = passes - (to - from);
        log_of_missed += others < drawn ? -INFINITY
                                        : gsl_sf_lnchoose((unsigned)others, (unsigned)drawn) -
                                              gsl_sf_lnchoose((unsigned)passes, (unsigned)drawn);
    }
    return -expm1(log_of_missed);
}

/* --- schedules ------------------------------------------------------------------------------------------- */

/* Number of schedules: as many as have so many looks at a core, between two limits. */
enum { LOOKS = 4000000, SCHEDULES_LEAST = 40, SCHEDULES_MOST = 1000 };

/* Standard deviation of the logarithm of lengths that have an exponential distribution: pi / sqrt(6). */
#define EXPONENTIAL_SPREAD 1.2825498301618641

/* Silverman's rule for the kernel's standard deviation, 0.9 s n^(-1/5), of the logarithm of the lengths of jobs, each
 * of which counts as often as it stands for a missed one. A single one says nothing of how different they are. */
static double kernel_width(const struct sampled_job *jobs, size_t count)
{
    double sum = 0, squares = 0, mean = 0, deviations = 0;
    for (size_t i = 0; i < count; i++) {
        const double missed = 1 / jobs[i].chance - 1, log_s = log(jobs[i].job_s);
        if (!(missed > 0 && jobs[i].job_s > 0))
            continue;
        sum += missed;
        squares += missed * missed;
        const double deviation = log_s - mean;
        mean += deviation * missed / sum;
        deviations += missed * deviation * (log_s - mean);
    }
    if (sum == 0)
        return 0;
    const double n = sum * sum / squares;
    double spread = n > 1.5 ? sqrt(deviations / sum * n / (n - 1)) : EXPONENTIAL_SPREAD;
    return 0.9 * spread * pow(n, -0.2);
}

void sampled_jobs_makespan(const struct sampled_job *jobs, size_t count, unsigned cores, uint64_t seed,
                           struct sample_estimate *out)
{
    double looks = 0;
    for (size_t i = 0; i < count; i++)
        looks += cores / jobs[i].chance;
    const unsigned schedules = (unsigned)fmin(fmax(LOOKS / looks, SCHEDULES_LEAST), SCHEDULES_MOST);
    const double width = kernel_width(jobs, count);
    auto_free double *busy_until_s = memory_new(cores, sizeof *busy_until_s);
    auto_free double *makespans_s = memory_new(schedules, sizeof *makespans_s);
    gsl_rng *random = random_new(seed);
    for (unsigned i = 0; i < schedules; i++) {
        struct list_schedule schedule = {busy_until_s, cores, 0};
        memset(busy_until_s, 0, cores * sizeof *busy_until_s);
        for (const struct sampled_job *job = jobs; job < jobs + count; job++) {
            list_schedule_add(&schedule, job->job_s);
            for (unsigned missed = gsl_ran_geometric(random, job->chance) - 1; missed > 0; missed--)
                list_schedule_add(&schedule, job->job_s * exp(gsl_ran_gaussian_ziggurat(random, width) -
                                                              width * width / 2));
        }
        makespans_s[i] = schedule.last_s;
    }
    gsl_sort(makespans_s, 1, schedules);
    const double low_s = gsl_stats_quantile_from_sorted_data(makespans_s, 1, schedules, 0.025);
    const double high_s = gsl_stats_quantile_from_sorted_data(makespans_s, 1, schedules, 0.975);
    const double median_s = gsl_stats_median_from_sorted_data(makespans_s, 1, schedules);
    const double reach_s = fmax(high_s - median_s, median_s - low_s);
    /* with this error an interval of 95% reaches to both ends of the times' middle 95% */
    *out = (struct sample_estimate){median_s, reach_s / gsl_cdf_ugaussian_Pinv(0.975), INFINITY};
    gsl_rng_free(random);
}
