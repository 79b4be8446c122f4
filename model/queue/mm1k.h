/* mm1k.h - one server, K places (server included), Poisson arrivals, exponential service (M/M/1/K), in steady
 * state.
 *
 * Models    a stage that loses an element for which it has no place. It answers two questions:
 *           - mm1k_solve_offered() is the textbook's form, which Mercury calls M/M/1/K: the offered rate is known, and
 *             a part of it is lost.
 *           - mm1k_solve_actual() is Dor's form, which Mercury calls `M/M/1/K (Dor)`: the rate that ENTERS is known,
 *             because it was measured on a machine that loses nothing. The offered rate is unknown, the root of
 *             rho_actual = rho_o (1 - P_K(rho_o)).
 * Omits     blocking. Hardware stalls the producer and loses nothing; here the surplus of the offered rate vanishes,
 *           so earlier stages are not affected. P_BP = P_K: the probability that the stage is full is taken as
 *           back-pressure.
 * Units     rates in elements per second, times in seconds, numbers in elements of the stage. Times are those
 *           of elements that enter (Little's law with the actual rate).
 * Errors    0 or a negative code of model_error.h; never prints, never exits. mm1k_solve_actual() switches
 *           off GSL's error handler, which is global to the process, while it searches the root, so only one thread
 *           may call it at a time.
 * Accuracy  Nothing overflows or cancels for K from 1 to 10^6 (tested) and rho_o from 0 to far above 1, 1 included.
 *           But near rho_actual = 1 the queue depends so strongly on its inputs that their rounding decides.
 * Source    Dor 2010 (WUCSE-2010-30), Figure 5 and section 4.3.3 (whose worked example prints the
 *           denominator of P_K as 1 - rho^K; Figure 5's 1 - rho^(K+1) is right).
 */
#ifndef MERCURY_MODEL_MM1K_H
#define MERCURY_MODEL_MM1K_H

#include "model/queue/mm1.h"

/** Find the steady state from the rate of arrivals that enter (Dor's form).
 *
 * @param lambda_per_s  actual arrivals, finite, >= 0; 0 gives the limit
 * @param mu_per_s      service rate, finite, > 0
 * @param k             places in the stage, server included, >= 1
 * @param out           the prediction; all NaN on error
 * @return 0, MODEL_EARRIVALS, MODEL_ESERVICE, MODEL_ELOAD, MODEL_ECAPACITY, MODEL_ENOSOLUTION if lambda_per_s >=
 *         mu_per_s, MODEL_ECONVERGE or MODEL_EMEMORY
 */
int mm1k_solve_actual(double lambda_per_s, double mu_per_s, unsigned k, struct queue_result *out);

/** Find the steady state from the offered rate (the textbook's form); any load has a steady state.
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
