/* em1.h - one server, an unbounded queue, services that are exponential, and arrivals of which each is the nth of a
 * Poisson stream (E_n/M/1), in steady state.
 *
 * Models    a stage that works on packed elements: n that come one by one make one here, as 16 bytes make a word. The
 *           times between its arrivals are sums of n exponential ones (Erlang), of scv 1/n: its queue is shorter than
 *           that of M/M/1. For n = 1 it is M/M/1.
 * Method    An arrival finds j in the stage with the probability (1 - s) s^j, where s is the root in (0, 1) of
 *           s = (n rho / (n rho + 1 - s))^n, the transform of the interarrival time at mu (1 - s). So it waits for
 *           s / (1 - s) services on average.
 * Omits     P[N >= K], so p_k and p_bp are NaN.
 * Units     rates in elements of the stage per second, times in seconds.
 * Errors    0 or a negative code of model_error.h; never prints, never exits.
 * Source    Kleinrock, "Queueing Systems", vol. 1, Wiley 1975, section 6.4 (G/M/1).
 */
#ifndef MERCURY_MODEL_EM1_H
#define MERCURY_MODEL_EM1_H

#include "model/queue/mm1.h"

/** Find the steady state.
 *
 * @param lambda_per_s  packed elements, finite, >= 0; 0 gives the limit
 * @param mu_per_s      service rate, finite, > 0
 * @param phases        n, >= 1
 * @param out           the prediction; all NaN on error
 * @return 0, MODEL_EARRIVALS, MODEL_ESERVICE, MODEL_ELOAD, MODEL_EBATCH if there is no phase, or MODEL_EUNSTABLE if
 *         lambda_per_s >= mu_per_s
 */
int em1_solve(double lambda_per_s, double mu_per_s, unsigned phases, struct queue_result *out);

#endif
