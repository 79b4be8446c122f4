/* single_queue.h - one queue in steady state: M/M/1, M/M/1/K, M/G/1, M^[X]/G/1, M/M/c and M/M/c/K.
 *
 * Models    a stage of a chain by itself, first come, first served, with Poisson arrivals (general_queue.h has
 *           others). "In the stage" counts elements in service, "in the queue" does not.
 *           M/M/1       exponential services, no bound. A capacity only serves to ask how often it would be reached:
 *                       P_BP = P[N >= K] = rho^K.
 *           M/M/1/K     an element that finds K in the stage, the server included, is lost, in two forms. The
 *                       textbook's, which Mercury calls M/M/1/K: the offered rate is known, and a part of it is lost.
 *                       Dor's, which Mercury calls `M/M/1/K (Dor)`: the rate that ENTERS is known, because it was
 *                       measured on a machine that loses nothing. The offered rate is unknown, the root of
 *                       rho_actual = rho_o (1 - P_K(rho_o)). P_BP = P_K.
 *           M/G/1       services known by mean and squared coefficient of variation: 0 is a deterministic one (M/D/1),
 *                       1 has the means of an exponential one, and a mixture of one clock and sixty clocks has 13. Mean
 *                       numbers and times depend on nothing else (Pollaczek and Khinchine).
 *           M^[X]/G/1   batches of X >= 1 elements arrive; each element also waits for the elements of its batch that
 *                       are served before it.
 *           M/M/c/K     c servers of one rate. Probabilities of fewer than c elements come from Erlang's B by its
 *                       recursion; those above are a geometric series, summed from its largest term.
 * Omits     blocking: hardware stalls the producer and loses nothing; where a model loses, the surplus of the offered
 *           rate vanishes, so that earlier stages are not affected. What a model does not know (P[N >= K] of M/G/1) is
 *           NaN.
 * Accuracy  nothing overflows or cancels for K from 1 to 10^6 (tested) and any load. But near rho_actual = 1 the queue
 *           depends so strongly on its inputs that their rounding decides.
 * Units     rates in elements per second, times in seconds, numbers in elements of the stage. Times are those of
 *           elements that enter.
 * Errors    0 or a negative code of model_error.h, and a result of NaN; never prints, never exits. All of them refuse
 *           rates as queue_rates_check() does; those without a bound give MODEL_EUNSTABLE if the servers cannot serve
 *           all that arrives.
 * Source    Dor 2010 (WUCSE-2010-30), Figures 4 and 5, section 4.3.3; P_BP as in Figures 16 and 17. Figure 4 prints the
 *           mean queue length under the name N_G; it is N_Q = rho^2 / (1 - rho). The worked example prints the
 *           denominator of P_K as 1 - rho^K; Figure 5's 1 - rho^(K+1) is right. Kleinrock, "Queueing Systems", vol. 1,
 *           Wiley 1975, equations 5.62 to 5.69 (M/G/1). Burke, "Delays in single-server queues
 *           with batch input", Operations Research 23(4), 1975. Gross and Harris, Fundamentals of Queueing Theory,
 *           sections 2.3 to 2.5.
 */
#pragma once

/** What a model of one queue predicts. */
struct queue_result {
    double rho;                  /* mean fraction of servers that work, lambda_per_s / (c mu) */
    double p_0;                  /* P[N = 0]: all servers are idle */
    double rho_offered;          /* lambda_offered_per_s / (c mu); equal to rho if nothing is lost */
    double lambda_per_s;         /* arrivals that enter */
    double lambda_offered_per_s; /* arrivals that enter or are lost */
    double p_k;                  /* P[N = K]; NaN without K */
    double n_g;                  /* mean number in the stage */
    double n_q;                  /* mean number in the queue */
    double w_g_s;                /* mean time in the stage, of elements that enter */
    double w_q_s;                /* mean time in the queue, of elements that enter */
    double p_bp;                 /* back-pressure, P[N >= K]; equal to p_k if K is a bound; NaN without K */
};

/** The result of a model that has no answer: every field is NaN. */
struct queue_result queue_result_none(void);

/** Check the rates of a queue: arrivals are finite and >= 0, the service rate is finite and > 0, their quotient is
 *  finite. Arrivals of 0 give the limit, the times of an element that meets no other.
 *
 * @return 0, MODEL_EARRIVALS, MODEL_ESERVICE or MODEL_ELOAD
 */
int queue_rates_check(double lambda_per_s, double mu_per_s);

/** Begin the result of a queue of one server without a bound: rates, loads and P[N = 0]. The rest is NaN, and on error
 *  all is. @return as queue_rates_check(), or MODEL_EUNSTABLE */
int queue_result_begin(double lambda_per_s, double mu_per_s, struct queue_result *out);

/** Let an element wait for `met` services on average; numbers follow by Little's law from rho. */
void queue_result_wait(double met, double mu_per_s, struct queue_result *out);

/** M/M/1. @param k  capacity of the real stage, server included, for p_k and p_bp; 0 if it has no bound */
int mm1_solve(double lambda_per_s, double mu_per_s, unsigned k, struct queue_result *out);

/** M/M/1/K from the rate of arrivals that enter (Dor's form); one thread at a time (root.h).
 *
 * @param k  places in the stage, server included, >= 1
 * @return also MODEL_ECAPACITY, MODEL_ENOSOLUTION if lambda_per_s >= mu_per_s, or MODEL_ECONVERGE
 */
int mm1k_solve_actual(double lambda_per_s, double mu_per_s, unsigned k, struct queue_result *out);

/** M/M/1/K from the offered rate (the textbook's form); any load has a steady state. @return also MODEL_ECAPACITY */
int mm1k_solve_offered(double lambda_offered_per_s, double mu_per_s, unsigned k, struct queue_result *out);

/** P[N = n] = (1 - rho_o) rho_o^n / (1 - rho_o^(K+1)), 1/(K+1) at rho_o = 1, 0 for n > K.
 *
 * @param rho_offered  offered load, finite, >= 0
 * @param k            places in the stage, >= 1
 * @param out          the probability; NaN on error
 * @return 0, MODEL_ELOAD or MODEL_ECAPACITY
 */
int mm1k_p_equal(double rho_offered, unsigned k, unsigned n, double *out);

/** M/G/1.
 *
 * @param mu_per_s     1 / mean service time
 * @param service_scv  variance of the service time over its mean squared, finite, >= 0; 0 is M/D/1
 * @return also MODEL_ESCV
 */
int mg1_solve(double lambda_per_s, double mu_per_s, double service_scv, struct queue_result *out);

/** M^[X]/G/1.
 *
 * @param lambda_per_s  elements per second, all batches together
 * @param batch_mean    E[X], finite, >= 1
 * @param batch_second  E[X^2], finite; at least that of the whole sizes next to the mean, which is the least of any X;
 *                      a rounding error below that is accepted
 * @return as mg1_solve(), or MODEL_EBATCH
 */
int mxg1_solve(double lambda_per_s, double mu_per_s, double service_scv, double batch_mean,
               double batch_second, struct queue_result *out);

/** Find the second moment of batches of the two whole sizes next to a mean, the least that batches can have: those in
 *  which a stage of a chain turns an element into `mean` others (sim/simgrid/queue_network.h). @param mean  >= 1 */
double batch_second_least(double mean);

/** Find the moments of batches of Binomial(n, p) elements, empty ones left out, such as the seeds of a word of n w-mers
 *  that arrive at 1b.
 *
 * @param n  >= 1, need not be whole
 * @param p  in (0, 1]
 */
void batch_of_binomial(double n, double p, double *batch_mean, double *batch_second);

enum { MMC_SERVERS_MAX = 1000000, MMC_PLACES_MAX = 1000000 };

/** M/M/c, or M/M/c/K from the offered rate.
 *
 * @param lambda_per_s  offered arrivals, lost ones included
 * @param mu_per_s      rate of one server
 * @param servers       c, 1 to MMC_SERVERS_MAX
 * @param k             places, servers included, up to MMC_PLACES_MAX; 0 if there is no bound
 * @return also MODEL_ECAPACITY
 */
int mmc_solve(double lambda_per_s, double mu_per_s, unsigned servers, unsigned k, struct queue_result *out);
