/* general_queue.h - one queue whose services, or times between arrivals, have any law: M/G/1/K, GI/M/1, GI/G/c and
 * M/G/1 of classes; and how often how many wait in M^[X]/G/1 and M/M/1/K.
 *
 * Models    first come, first served, in steady state; laws as in duration.h.
 *           M/G/1/K    Poisson arrivals; who finds K in the stage, the server included, is lost. From the offered rate.
 *                      Exact for services that are drawn one by one. Method: the numbers that departures leave behind
 *                      are a Markov chain, which falls by one at most, so that what crosses a level upwards and what
 *                      crosses it downwards, which are equal, give its probabilities one after the other without a
 *                      difference; P[N = n] follows from the share of the time in which the server works.
 *           GI/M/1     exponential services, times between arrivals of any law, drawn one by one. Exact. An arrival
 *                      finds j in the stage with the probability (1 - s) s^j, s being the root in (0, 1) of
 *                      s = A*(mu (1 - s)), and waits for s / (1 - s) services. D/M/1 is such a queue, and
 *                      E_n/M/1: a stage that works on packed elements, n of a Poisson stream to one, as 16 bytes make
 *                      a word, so that times between arrivals have the scv 1/n.
 *           GI/G/c     Allen and Cunneen's approximation: W_Q of M/M/c x (scv of arrivals + scv of services) / 2. For
 *                      Poisson arrivals it is Lee and Longton's of M/G/c: exact for c = 1 and for services of scv 1,
 *                      and within some per cent near saturation.
 *           Kingman    his upper bound of W_Q of GI/G/1: (variance of A + variance of S) / (2 E[A] (1 - rho)).
 *           M/G/1 of classes   Poisson arrivals of several classes, each with services of its own. With R half of the
 *                      sum of lambda E[S^2] over all classes, the mean rest of a service that an arrival meets, and
 *                      with s_k the sum of lambda E[S] over the classes up to k, class k waits for R / ((1 - s_(k-1))
 *                      (1 - s_k)) if the server always takes who came first of the first class that waits, and ends
 *                      what it has begun (Cobham 1954, equation 3); for R / (1 - s), s being the sum over all, if it
 *                      takes who came first. Exact.
 * Waits     the number in the queue, without the element in service, at any time. Services are then gamma-distributed
 *           with a given scv: 0 is M/D/1, 1 is M/M/1. Pollaczek and Khinchine's means need no distribution, this does:
 *           gamma is the choice. Batches of arrivals have any distribution. The number of batches during a service is
 *           negative binomial (Poisson if the scv is 0), so P[A = k] follows by Panjer's recursion, and P[N = n] as in
 *           M/G/1/K, with P[N = 0] = 1 - rho. Only positive numbers are added, so nine digits are right, however rare a
 *           length is.
 * Units     as in single_queue.h.
 * Errors    0 or a negative code of model_error.h, and a result of NaN; never prints, never exits. All refuse rates as
 *           queue_rates_check() does; GI/M/1, GI/G/c and Kingman give MODEL_EUNSTABLE without a steady state.
 * Source    Kleinrock, "Queueing Systems", vol. 1, Wiley 1975, sections 5.3, 6.4; vol. 2, Wiley 1976, section 2.2
 *           (Kingman 1962). Gross and Harris, Fundamentals of Queueing Theory, section 5.1.7 (M/G/1/K). Allen,
 *           "Probability, Statistics, and Queueing Theory", Academic Press 1990, section 5.3.4. Lee and Longton,
 *           "Queueing processes associated with airline passenger check-in", Operational Research Quarterly 10, 1959.
 *           Cobham, "Priority assignment in waiting line problems", Operations Research 2(1), 1954. Chaudhry and
 *           Templeton, "A First Course in Bulk Queues", Wiley 1983, section 3.2. Panjer, ASTIN Bulletin 12, 1981.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/queue/duration.h"
#include "model/queue/single_queue.h"

enum { MG1K_PLACES_MAX = 20000 };

/** M/G/1/K. @param p  out: P[N = 0] to P[N = k]; NULL: they are not asked for.
 *  @param k  1 to MG1K_PLACES_MAX. @return also MODEL_ECAPACITY */
int mg1k_solve(double lambda_offered_per_s, double mu_per_s, const struct duration *service, unsigned k,
               double *p, struct queue_result *out);

/** Find the probabilities that 0, 1, ... elements wait in M^[X]/G/1.
 *
 * @param rho    elements that arrive times mean service, in [0, 1)
 * @param scv    of the service times, >= 0
 * @param batch  probabilities of batches of 1, 2, ... `largest` elements, which add up to 1; {1} is M/G/1
 * @param waits  out: `count` probabilities
 * @return 0, MODEL_EUNSTABLE, MODEL_ESCV, or MODEL_EBATCH if `largest` is 0
 */
int queue_length_mxg1(double rho, double scv, const double *batch, size_t largest, double *waits,
                      size_t count);

/** Find them for M/M/1/K, with at most `k` >= 1 in the system. @param rho  the offered load, >= 0 */
int queue_length_mm1k(double rho, unsigned k, double *waits, size_t count);

int gim1_solve(double lambda_per_s, double mu_per_s, const struct duration *arrivals,
               struct queue_result *out);

/** P[N = 0] is NaN, too. @param arrivals_scv, service_scv  >= 0. @return as mmc_solve(), or MODEL_ESCV */
int gigc_solve(double lambda_per_s, double mu_per_s, unsigned servers, double arrivals_scv,
               double service_scv, struct queue_result *out);

/** N_Q and W_Q are upper bounds, and so are N_G and W_G. @return also MODEL_ESCV */
int kingman_solve(double lambda_per_s, double mu_per_s, double arrivals_scv, double service_scv,
                  struct queue_result *out);

/** A class of customers, and what is found of it. */
struct queue_class {
    double lambda_per_s, mu_per_s; /* arrivals; 1 / mean service */
    double service_scv;            /* >= 0 */
    struct queue_result found;     /* rho is the part of the time in which it is served; p_0 is NaN */
};

/** M/G/1 of classes, the first of which goes first if there is `priority`. @param sum  out: of all classes together
 *  @return also MODEL_EUNSTABLE, MODEL_ESCV */
int mg1_classes_solve(struct queue_class *classes, unsigned count, bool priority, struct queue_result *sum);
