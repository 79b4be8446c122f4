/* mm1.h - one server, an unbounded queue, Poisson arrivals, exponential service (M/M/1), in steady state.
 *
 * Models    a stage that never loses and never blocks: the queue takes whatever comes. "In the stage"
 *           counts the element in service, "in the queue" does not.
 * Omits     the bound of a real FIFO. A capacity may be named, but only to ask how often it would be
 *           reached: P_BP = P[N >= K] = rho^K stands for the fraction of time the stage would push back.
 * Units     rates in elements per second, times in seconds, numbers in elements of the stage.
 * Errors    0 or a negative code of model_error.h; never prints, never exits.
 * Source    Dor 2010 (WUCSE-2010-30), Figure 4; P_BP as in Figures 16 and 17. Figure 4 prints the mean
 *           queue length under the name N_G; it is N_Q = rho^2 / (1 - rho).
 */
#ifndef MERCURY_MODEL_MM1_H
#define MERCURY_MODEL_MM1_H

/** What a single-stage model predicts. All single-stage models (mm1k.h, mg1.h) answer in the same terms, to be set side
 * by side. */
struct queue_result {
    double rho;                  /* actual utilisation: lambda_per_s / mu, = 1 - P[N = 0] */
    double p_0;                  /* P[N = 0], idle */
    double rho_offered;          /* lambda_offered_per_s / mu; M/M/1: rho */
    double lambda_per_s;         /* arrivals that enter */
    double lambda_offered_per_s; /* arrivals that enter or are turned away; M/M/1: lambda_per_s */
    double p_k;                  /* P[N = K]; NaN without K */
    double n_g;                  /* mean number in the stage */
    double n_q;                  /* mean number in the queue */
    double w_g_s;                /* mean time in the stage, of those that enter */
    double w_q_s;                /* mean time in the queue, of those that enter */
    double p_bp;                 /* back-pressure: P[N >= K], in M/M/1/K that is p_k; NaN without K */
};

/** A result whose every field is NaN: what a model without an answer leaves behind. */
struct queue_result queue_result_none(void);

/** Whether rates can be those of a queue: arrivals finite and >= 0, service finite and > 0, their quotient finite.
 *
 * @return 0, MODEL_EARRIVALS, MODEL_ESERVICE or MODEL_ELOAD
 */
int queue_rates_check(double lambda_per_s, double mu_per_s);

/** Steady state from arrival and service rate.
 *
 * @param lambda_per_s  arrivals, finite, >= 0; 0 gives the limit (times of an element that meets nobody)
 * @param mu_per_s      service rate, finite, > 0
 * @param k             capacity of the real stage, server included, for p_k and p_bp; 0: none
 * @param out           the prediction; all NaN on error
 * @return 0, MODEL_EARRIVALS, MODEL_ESERVICE, MODEL_ELOAD, or MODEL_EUNSTABLE when lambda_per_s >= mu_per_s
 */
int mm1_solve(double lambda_per_s, double mu_per_s, unsigned k, struct queue_result *out);

/** P[N = n] = (1 - rho) rho^n.
 *
 * @param rho  utilisation, finite, >= 0
 * @param out  the probability; NaN on error
 * @return 0, MODEL_ELOAD, or MODEL_EUNSTABLE when rho >= 1
 */
int mm1_p_equal(double rho, unsigned n, double *out);

/** P[N >= n] = rho^n; arguments and errors as for mm1_p_equal. */
int mm1_p_at_least(double rho, unsigned n, double *out);

#endif
