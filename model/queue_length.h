/* queue_length.h - how long a queue is how often: distributions of the number that waits, by single-server models.
 *
 * Models    Poisson arrivals, one server, first come, first served, in steady state.
 *           M/G/1   the services are gamma-distributed with a given scv: 0 is M/D/1, 1 is M/M/1, for which the result
 *                   is exact. Pollaczek and Khinchine's means need no distribution, this does: gamma is the choice.
 *           M/M/1/K at most K in the system.
 * Waits     the number in the queue, without the element in service.
 * Method    the chain embedded at departures: a[k], the probability of k arrivals during a service, is negative
 *           binomial (Poisson if the scv is 0); p[j+1] = (p[j] - p[0] a[j] - sum over i of p[i] a[j-i+1]) / a[0].
 * Units     none: rho is arrivals times mean service.
 * Errors    a negative code of model_error.h
 * Source    Kleinrock, "Queueing Systems", vol. 1, Wiley 1975, sections 3.6 and 5.6.
 */
#ifndef MERCURY_MODEL_QUEUE_LENGTH_H
#define MERCURY_MODEL_QUEUE_LENGTH_H

#include <stddef.h>

/** Find the probabilities that 0, 1, ... elements wait.
 *
 * @param rho    in [0, 1)
 * @param scv    of the service times, >= 0
 * @param waits  out: `count` probabilities
 * @return 0, MODEL_EUNSTABLE, MODEL_ESCV or MODEL_EMEMORY
 */
int queue_length_mg1(double rho, double scv, double *waits, size_t count);

/** The same with at most `k` >= 1 in the system. @param rho  >= 0 */
int queue_length_mm1k(double rho, unsigned k, double *waits, size_t count);

#endif
