/* sampled_jobs.h - how long all jobs of a population take, of which a random sample of passes has shown some.
 *
 * Models    jobs that belong to one pass or to several neighbouring ones, as alignments over borders of segments do.
 *           A sample shows a job if it has one of its passes, the chance of which is known: a job of many passes is
 *           nearly certain to be seen, and then known once and for all; one of two passes stands for others of its
 *           kind. The cores do them as list_schedule.h says.
 * Estimate  With each seen job go as many others like it as are missed before one is seen with its chance p: a
 *           geometric number, of mean (1 - p)/p and variance (1 - p)/p^2. So the number of jobs has the mean and the
 *           variance that the Horvitz-Thompson estimator has, if jobs are seen independently of each other. The
 *           makespan is the median of those of schedules of jobs that are drawn so, and its interval of 95% reaches
 *           to both ends of the middle 95% of these: a job that is missed by fewer than 2.5% of samples adds no
 *           error.
 * Lengths   A missed job is as long as the seen one times a factor of mean 1 and a lognormal distribution, since none
 *           is just as long, and the longest of all may be among the missed ones: a smoothed bootstrap, whose kernel
 *           has the width of Silverman's rule for the logarithms of the seen jobs' lengths.
 * Fails     if no job is seen: then nothing is known of any.
 * Contract  pure functions of finite numbers. The same seed gives the same numbers.
 * Errors    0 or a negative code of model_error.h.
 * Source    Horvitz and Thompson, JASA 47, 1952; Thompson, "Adaptive cluster sampling", JASA 85, 1990 (chances of
 *           what lies in several units); Silverman, "Density estimation", Chapman & Hall 1986, sections 3.4.2 (the
 *           rule) and 6.4 (smoothed bootstrap).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/forecast/sample_forecast.h"

struct sampled_job {
    double job_s;
    double chance; /* that a sample shows it, above 0, 1 at most */
};

/** Chance that a sample has one of the passes `first` to `last` of the run, from 0. */
double sampled_jobs_chance(const struct sample_stratum *strata, size_t count, size_t first, size_t last);

/** Estimate the makespan of all jobs from those that were seen.
 *
 * @param jobs   in the order in which they are done
 * @param cores  1 or more
 */
void sampled_jobs_makespan(const struct sampled_job *jobs, size_t count, unsigned cores, uint64_t seed,
                           struct sample_estimate *out);
