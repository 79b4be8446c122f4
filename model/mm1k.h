/* mm1k.h - one server, K places (server included), Poisson arrivals, exponential service (M/M/1/K), in steady
 * state.
 *
 * Models    a stage that turns away what it has no place for. Two questions:
 *           - mm1k_solve_offered, the textbook's: the rate that knocks is known, some of it is lost;
 *           - mm1k_solve_actual, Dor's: the rate that ENTERS is known, because it was measured where nothing
 *             is lost. The offered rate is the unknown: the root of rho_actual = rho_o (1 - P_K(rho_o)).
 * Omits     blocking. Hardware stalls the producer instead of losing; here the offered surplus vanishes, so
 *           nothing is felt upstream. P_BP = P_K: the probability that the stage is full is read as
 *           back-pressure.
 * Units     rates in elements per second, times in seconds, numbers in elements of the stage. Times are those
 *           of elements that enter (Little's law with the actual rate).
 * Errors    0 or a negative code of model_error.h; never prints, never exits. While it looks for a root,
 *           mm1k_solve_actual switches off GSL's error handler, which is global to the process, and puts it
 *           back: not for two threads at once.
 * Accuracy  nothing overflows or cancels for K from 1 to 10^6 (tested) and rho_o from 0 to far above 1, 1
 *           included. What the inputs themselves do not tell is another matter: near rho_actual = 1 the queue
 *           is very sensitive.
 * Source    Dor 2010 (WUCSE-2010-30), Figure 5 and section 4.3.3 (whose worked example prints the
 *           denominator of P_K as 1 - rho^K; Figure 5's 1 - rho^(K+1) is right).
 */
#ifndef MERCURY_MODEL_MM1K_H
#define MERCURY_MODEL_MM1K_H

#include "model/mm1.h"

/** Steady state from the rate that enters (Dor's form).
 *
 * @param lambda_per_s  actual arrivals, finite, >= 0; 0 gives the limit
 * @param mu_per_s      service rate, finite, > 0
 * @param k             places in the stage, server included, >= 1
 * @param out           the prediction; all NaN on error
 * @return 0, MODEL_EARRIVALS, MODEL_ESERVICE, MODEL_ELOAD, MODEL_ECAPACITY, MODEL_ENOSOLUTION when lambda_per_s >=
 *         mu_per_s, MODEL_ECONVERGE or MODEL_EMEMORY
 */
int mm1k_solve_actual(double lambda_per_s, double mu_per_s, unsigned k, struct queue_result *out);

/** Steady state from the rate that knocks (the textbook form); any load has a steady state.
 *
 * @param lambda_offered_per_s  offered arrivals, lost ones included, finite, >= 0
 * @param mu_per_s              service rate, finite, > 0; lambda_offered_per_s / mu_per_s must be finite
 * @param k                     places in the stage, server included, >= 1
 * @param out                   the prediction; all NaN on error
 * @return 0, MODEL_EARRIVALS, MODEL_ESERVICE, MODEL_ELOAD or MODEL_ECAPACITY
 */
int mm1k_solve_offered(double lambda_offered_per_s, double mu_per_s, unsigned k, struct queue_result *out);

/** P[N = n] = (1 - rho_o) rho_o^n / (1 - rho_o^(K+1)), 1/(K+1) at rho_o = 1, 0 for n > K.
 *
 * @param rho_offered  offered load, finite, >= 0
 * @param k            places in the stage, >= 1
 * @param out          the probability; NaN on error
 * @return 0, MODEL_ELOAD or MODEL_ECAPACITY
 */
int mm1k_p_equal(double rho_offered, unsigned k, unsigned n, double *out);

/** P[N >= n]; arguments and errors as for mm1k_p_equal. */
int mm1k_p_at_least(double rho_offered, unsigned k, unsigned n, double *out);

#endif
