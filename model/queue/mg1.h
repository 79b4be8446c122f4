/* mg1.h - one server, an unbounded queue, Poisson arrivals, services of any distribution (M/G/1, M/D/1, M^[X]/G/1), in
 * steady state.
 *
 * Models    a stage whose service time is known by mean and squared coefficient of variation: 0 is a
 *           deterministic service (M/D/1), 1 has the means of an exponential one (M/M/1), and a mixture of one clock
 *           and sixty clocks has 13. Mean numbers and times depend on nothing else (Pollaczek and Khinchine).
 *           In M^[X]/G/1, batches of X >= 1 elements arrive as a Poisson process; each element also waits for the
 *           elements of its batch that are served before it.
 * Omits     the distribution of N, so p_k and p_bp are NaN (only P[N = 0] = 1 - rho is known). The bound of a real
 *           FIFO.
 * Units     rates in elements per second, times in seconds.
 * Errors    0 or a negative code of model_error.h; never prints, never exits.
 * Source    Kleinrock, "Queueing Systems", vol. 1, Wiley 1975, equations 5.62 to 5.69; batches: Burke, "Delays in
 *           single-server queues with batch input", Operations Research 23(4), 1975.
 */
#ifndef MERCURY_MODEL_MG1_H
#define MERCURY_MODEL_MG1_H

#include "model/queue/mm1.h"

/** Find the steady state from the rate of arrivals and two moments of service.
 *
 * @param lambda_per_s  arrivals, finite, >= 0; 0 gives the limit
 * @param mu_per_s      1 / mean service time, finite, > 0
 * @param service_scv   variance of the service time over its mean squared, finite, >= 0; 0 is M/D/1
 * @param out           the prediction; all NaN on error
 * @return 0, MODEL_EARRIVALS, MODEL_ESERVICE, MODEL_ELOAD, MODEL_ESCV, or MODEL_EUNSTABLE if lambda_per_s >= mu_per_s
 */
int mg1_solve(double lambda_per_s, double mu_per_s, double service_scv, struct queue_result *out);

/** Find the steady state if elements arrive in batches.
 *
 * @param lambda_per_s  elements per second, all batches together, finite, >= 0
 * @param batch_mean    E[X], finite, >= 1
 * @param batch_second  E[X^2], finite; at least that of the whole sizes next to the mean, which is the least of any X;
 *                      a rounding error below that is accepted
 * @return as mg1_solve(), or MODEL_EBATCH
 */
int mxg1_solve(double lambda_per_s, double mu_per_s, double service_scv, double batch_mean,
               double batch_second, struct queue_result *out);

/** Find the second moment of batches of the two whole sizes next to a mean, the least that batches can have: those in
 *  which a stage of a chain turns an element into `mean` others (queue_line.h). @param mean  >= 1 */
double batch_second_least(double mean);

/** Find the moments of batches of Binomial(n, p) elements, empty ones left out, such as the seeds of a word of n w-mers
 *  that arrive at 1b.
 *
 * @param n  >= 1, need not be whole
 * @param p  in (0, 1]
 */
void batch_of_binomial(double n, double p, double *batch_mean, double *batch_second);

#endif
