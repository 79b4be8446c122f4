/* no_wait.h - how long jobs take that go through machines without waiting between them: the makespan of a no-wait flow
 * shop.
 *
 * Models    `jobs` jobs in a given order through `machines` machines in a given order. A job that has begun goes from
 *           machine to machine without a pause, so it begins as early as it can without ever meeting the job before it.
 * Method    Job i + 1 begins after job i by the largest, over the machines u, of the time that job i needs until it has
 *           left u, less the time that job i + 1 needs until it comes to u. The last job then needs the sum of its
 *           times.
 * Units     those of the times.
 * Source    Frenkel, section 3: T = sum_{i<n} max_{1<=u<=p} [sum_{j<=u} t_ij - sum_{j<u} t_{i+1,j}] + sum_j t_nj. The
 *           rule itself is Reddi and Ramamoorthy's, Operational Research Quarterly 23, 1972.
 */
#pragma once

#include <stddef.h>

/** The makespan.
 *
 * @param times  >= 0, row after row: a row per job, a column per machine
 * @return 0 without jobs or machines
 */
double no_wait_makespan(const double *times, size_t jobs, size_t machines);

/** When a job's next one begins after it. @param job, next  their times */
double no_wait_lead(const double *job, const double *next, size_t machines);
