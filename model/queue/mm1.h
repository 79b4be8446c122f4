/* mm1.h - one server, an unbounded queue, Poisson arrivals, exponential service (M/M/1), in steady state.
 *
 * Models    a stage that never loses and never blocks an element: its queue has room for all of them. "In the
 *           stage" counts the element in service, "in the queue" does not.
 * Omits     the bound of a real FIFO. A capacity only serves to ask how often it would be reached: P_BP = P[N >= K] =
 *           rho^K stands for the fraction of time in which the stage would assert back-pressure.
 * Units     rates in elements per second, times in seconds, numbers in elements of the stage.
 * Errors    0 or a negative code of model_error.h; never prints, never exits.
 * Source    Dor 2010 (WUCSE-2010-30), Figure 4; P_BP as in Figures 16 and 17. Figure 4 prints the mean
 *           queue length under the name N_G; it is N_Q = rho^2 / (1 - rho).
 */
#ifndef MERCURY_MODEL_MM1_H
#define MERCURY_MODEL_MM1_H

/** What a single-stage model predicts. All single-stage models (mm1k.h, mg1.h) answer in these terms, so that their
 *  answers can be compared. */
struct queue_result {
    double rho;                  /* actual utilisation, lambda_per_s / mu = 1 - P[N = 0] */
    double p_0;                  /* P[N = 0]: the server is idle */
    double rho_offered;          /* lambda_offered_per_s / mu; equal to rho in M/M/1 */
    double lambda_per_s;         /* arrivals that enter */
    double lambda_offered_per_s; /* arrivals that enter or are lost; equal to lambda_per_s in M/M/1 */
    double p_k;                  /* P[N = K]; NaN without K */
    double n_g;                  /* mean number in the stage */
    double n_q;                  /* mean number in the queue */
    double w_g_s;                /* mean time in the stage, of elements that enter */
    double w_q_s;                /* mean time in the queue, of elements that enter */
    double p_bp;                 /* back-pressure, P[N >= K]; equal to p_k in M/M/1/K; NaN without K */
};

/** The result of a model that has no answer: every field is NaN. */
struct queue_result queue_result_none(void);

/** Check the rates of a queue: arrivals are finite and >= 0, the service rate is finite and > 0, their quotient is
 *  finite.
 *
 * @return 0, MODEL_EARRIVALS, MODEL_ESERVICE or MODEL_ELOAD
 */
int queue_rates_check(double lambda_per_s, double mu_per_s);

/** Find the steady state from the rates of arrivals and service.
 *
 * @param lambda_per_s  arrivals, finite, >= 0; 0 gives the limit, the times of an element that meets no other
 * @param mu_per_s      service rate, finite, > 0
 * @param k             capacity of the real stage, server included, for p_k and p_bp; 0 if it has no bound
 * @param out           the prediction; all NaN on error
 * @return 0, MODEL_EARRIVALS, MODEL_ESERVICE, MODEL_ELOAD, or MODEL_EUNSTABLE if lambda_per_s >= mu_per_s
 */
int mm1_solve(double lambda_per_s, double mu_per_s, unsigned k, struct queue_result *out);

#endif
