/* mmpp_queue.h - one server whose arrivals are a Poisson stream of two rates: MMPP/M/1 and MMPP/M/1/K, exactly.
 *
 * Models    a stream is in one of two states: arrivals are Poisson with the state's rate, and it leaves the state
 *           after an exponential time (a Markov modulated Poisson process of two states; on-off if one rate is 0).
 *           Services of one server are exponential, first come, first served, in steady state. P_BP is P[N >= K], a
 *           part of the time; arrivals are lost, or held, more often, because they come when many have come.
 *           MMPP/M/1    without a bound.
 *           MMPP/M/1/K  who finds K in the stage, the server included, is lost; or the source holds it, stops, and
 *                       keeps its state until there is room.
 * Method    The number in the stage is the level of a quasi-birth-and-death process (Neuts 1981, section 3.2;
 *           Latouche and Ramaswami 1999, section 6.2): p_n = p_(n-1) R for pairs p_n over the states. With Q the
 *           generator of the states, L the diagonal of the rates and mu the service rate, a level is left downwards
 *           with the state moved by G = mu (mu - Q + L - L G)^-1 (Fischer and Meier-Hellstern 1993, section 3.1:
 *           G = the transform of the service at Q - L + L G), and R = L G / mu (Latouche and Ramaswami, 8.7). G has two
 *           unknowns g_1 and g_2, the chances that the state has changed. Written for g, with s_i = q_i + r_i g_i the
 *           rate of changes seen from outside the busy periods:
 *               g_i = s_i / (mu + s_1 + s_2), and p_0 is (1 - rho) (s_2, s_1) / (s_1 + s_2)
 *           For MMPP/M/1, y = mu + s_1 + s_2 is the only root above both rates of y - mu = y q_1 / (y - r_1) + y q_2 /
 *           (y - r_2), and g_i = q_i / (y - r_i). With K places the equations are steps from g = 0 at level K + 1 down
 *           to level 1, one G for each level: all terms are positive, so nothing cancels, and K and the load may be
 *           large.
 * Units     as in single_queue.h; of struct duration, a mmpp of mean 1, time is in units of 1 / lambda.
 * Errors    0 or a negative code of model_error.h, and a result of NaN; never prints, never exits. Both refuse rates as
 *           queue_rates_check() does.
 * Source    Fischer and Meier-Hellstern, "The Markov-modulated Poisson process (MMPP) cookbook", Performance Evaluation
 *           18(2), 1993. Neuts, "Matrix-Geometric Solutions in Stochastic Models", Johns Hopkins 1981. Latouche and
 *           Ramaswami, "Introduction to Matrix Analytic Methods in Stochastic Modeling", SIAM 1999.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/queue/duration.h"
#include "model/queue/single_queue.h"

enum { MMPP_PLACES_MAX = 1000000 };

/** MMPP/M/1.
 *
 * @param arrivals  a mmpp
 * @param k         capacity of the real stage, for p_k and p_bp; 0 if it has no bound
 * @param p         out: P[N = 0] to P[N = count - 1]
 * @return also MODEL_EUNSTABLE
 */
int mmppm1_solve(double lambda_per_s, double mu_per_s, const struct duration *arrivals, unsigned k, double *p,
                 size_t count, struct queue_result *out);

/** MMPP/M/1/K from the offered rate.
 *
 * @param k      1 to MMPP_PLACES_MAX
 * @param holds  whether the source holds who finds K: such a customer is in the result as one more in the stage, as if
 *               there were K + 1 places, and p_k is the part of the time in which there is one
 * @param p      out: P[N = 0] to P[N = count - 1]
 * @return also MODEL_ECAPACITY
 */
int mmppm1k_solve(double lambda_offered_per_s, double mu_per_s, const struct duration *arrivals, unsigned k,
                  bool holds, double *p, size_t count, struct queue_result *out);
