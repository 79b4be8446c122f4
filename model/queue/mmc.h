/* mmc.h - several servers, one queue, Poisson arrivals (M/M/c, M/M/c/K, M/G/c), in steady state.
 *
 * Models    a stage with c servers of one rate and one queue, first come, first served. With K places, servers
 *           included, an element that finds all of them taken is lost. For services that are not exponential,
 *           mgc_solve() scales the time in the queue as a single server would: W_Q of M/M/c x (1 + scv) / 2, which is
 *           exact for c = 1 (Pollaczek and Khinchine) and for scv = 1, and within some per cent near saturation.
 * Numbers   Probabilities of fewer than c elements come from Erlang's B by its recursion; those above are a geometric
 *           series, summed from its largest term. Nothing overflows or cancels.
 * Units     rates in elements per second, times in seconds. rho is the mean fraction of servers that work.
 * Errors    0 or a negative code of model_error.h; never prints, never exits.
 * Source    Gross and Harris, Fundamentals of Queueing Theory, sections 2.3 to 2.5; M/G/c: Lee and Longton, "Queueing
 *           processes associated with airline passenger check-in", Operational Research Quarterly 10, 1959.
 */
#ifndef MERCURY_MODEL_MMC_H
#define MERCURY_MODEL_MMC_H

#include "model/queue/mm1.h"

enum { MMC_SERVERS_MAX = 1000000, MMC_PLACES_MAX = 1000000 };

/** Find the steady state of M/M/c, or of M/M/c/K from the offered rate.
 *
 * @param lambda_per_s  offered arrivals, lost ones included, finite, >= 0; 0 gives the limit
 * @param mu_per_s      rate of one server, finite, > 0
 * @param servers       c, 1 to MMC_SERVERS_MAX
 * @param k             places, servers included, up to MMC_PLACES_MAX; 0 if there is no bound
 * @param out           the prediction; p_k and p_bp are NaN without a bound; all NaN on error
 * @return 0, MODEL_EARRIVALS, MODEL_ESERVICE, MODEL_ELOAD, MODEL_ECAPACITY, or MODEL_EUNSTABLE if there is no bound
 * and
 *         lambda_per_s >= c x mu_per_s
 */
int mmc_solve(double lambda_per_s, double mu_per_s, unsigned servers, unsigned k, struct queue_result *out);

/** Find the steady state of M/G/c approximately.
 *
 * @param service_scv  variance of the service time over its mean squared, finite, >= 0
 * @param out          p_0, p_k and p_bp are NaN
 * @return as mmc_solve(), or MODEL_ESCV
 */
int mgc_solve(double lambda_per_s, double mu_per_s, unsigned servers, double service_scv,
              struct queue_result *out);

#endif
