/* queue_length.h - how long a queue is how often: distributions of the number that waits, by single-server models.
 *
 * Models    Poisson arrivals, one server, first come, first served, in steady state.
 *           M/G/1   the services are gamma-distributed with a given scv: 0 is M/D/1, 1 is M/M/1, for which the result
 *                   is exact. Pollaczek and Khinchine's means need no distribution, this does: gamma is the choice.
 *           M^[X]/G/1  the same with arrivals in batches of a given distribution.
 *           M/M/1/K at most K in the system.
 * Waits     the number in the queue, without the element in service, at any time.
 * Method    The generating function of the number in the system, (1 - rho) (1 - z) A(z) / (A(z) - z), where A is that
 *           of the arrivals during a service. Both sides divided by 1 - z count what crosses from n - 1 to n, up and
 *           down: p[n] P[A = 0] = p[0] P[A > n - 1] + sum over 0 < i < n of p[i] P[A > n - i]. Only positive numbers
 *           are added, so nine digits are right, however rare a length is. The number of batches during a service is
 *           negative binomial (Poisson if the scv is 0), so P[A = k] follows by Panjer's recursion.
 * Units     none: rho is elements that arrive times mean service.
 * Errors    a negative code of model_error.h
 * Source    Kleinrock, "Queueing Systems", vol. 1, Wiley 1975, sections 3.6 and 5.6; Chaudhry and Templeton, "A First
 *           Course in Bulk Queues", Wiley 1983, section 3.2; Panjer, ASTIN Bulletin 12, 1981.
 */
#pragma once

#include <stddef.h>

/** Find the probabilities that 0, 1, ... elements wait.
 *
 * @param rho    in [0, 1)
 * @param scv    of the service times, >= 0
 * @param batch  probabilities of batches of 1, 2, ... `largest` elements, which add up to 1; {1} is M/G/1
 * @param waits  out: `count` probabilities
 * @return 0, MODEL_EUNSTABLE, MODEL_ESCV, or MODEL_EBATCH if `largest` is 0
 */
int queue_length_mxg1(double rho, double scv, const double *batch, size_t largest, double *waits,
                      size_t count);

/** Find P[N = n] of M/M/1/K, with at most `k` >= 1 in the system. @param rho  the offered load, >= 0 */
int queue_length_mm1k(double rho, unsigned k, double *waits, size_t count);
