/* queue_theory.h - what each model of model/ says of queues in tandem.
 *
 * Models    M/M/1        every stage gets the whole rate and has no bound; K only to ask how often it would be reached
 *           M/M/1/K      what finds a stage full is lost; the rest goes on, as if it were Poisson. Where a full stage
 *                        blocks instead, only a single stage has an answer: its source, stopped while it holds a customer,
 *                        is one more place (M/M/1/K+1, in whose last state the source is blocked)
 *           M/M/1/K_actual
 *                        Dor 2010's form: from the rate that was seen to enter, not the one offered
 *           M/D/1, M/G/1 Pollaczek-Khinchine, every stage with the whole rate, as if its arrivals were Poisson and it had no
 *                        bound
 *           M^[X]/G/1    the same with batches, which only the first stage gets: M/G/1 for the others
 *           blocking     decomposition of a tandem in which full stages block (tandem.h)
 * Exact     M/M/1 where arrivals are Poisson, services exponential and no stage up to this one has a bound (Burke 1956: a
 *           stage's departures are Poisson again); M/M/1/K for a first stage of that kind; M/M/1/K_actual
 *           never, since the rate it is given is measured; M/D/1, M/G/1 and M^[X]/G/1 for a first stage without a bound, or behind ones that
 *           are M/M/1; blocking for a single exponential stage.
 * To add a model: a row in the table of queue_theory.c.
 * Domain    where the measured rate may be all that can be served within its interval, or is so near to it that 1 / (1 - rho)
 *           differs tenfold, M/M/1/K_actual has no number.
 * Errors    where a model has no prediction there is a reason, and NaN.
 */
#ifndef MERCURY_VALIDATE_QUEUE_THEORY_H
#define MERCURY_VALIDATE_QUEUE_THEORY_H

#include <stdbool.h>

struct queue_theory_stage {
    double mu_per_s;
    unsigned k; /* places, server included; 0: no bound */
    bool exponential;
    double service_scv;
    double entering_per_s, entering_half_width; /* as measured, and that of its 95% interval */
};

struct queue_theory_question {
    double lambda_per_s; /* offered to the first stage */
    bool poisson;
    bool beat;      /* no variance */
    unsigned batch; /* customers that come together, the batches Poisson; 1: single ones */
    bool blocking;  /* full stages block, they do not lose */
    unsigned stage_count;
    const struct queue_theory_stage *stages;
};

struct queue_theory_answer {
    const char *why_not; /* NULL, or why there is no answer: then all numbers are NaN */
    bool exact;          /* the model is the simulated one, and its inputs are given, not measured */
    double offered_per_s, throughput_per_s;
    double rho, n_g, n_q, w_q_s, w_g_s;
    double loss; /* fraction of those offered */
    double p_bp; /* all places taken; NaN without K */
    double
        blocking; /* fraction of time in which somebody is kept outside; NaN where the model does not say */
};

enum { QUEUE_THEORY_MODELS = 7 };

/** A model's name, such as "M/M/1/K". */
const char *queue_theory_model(unsigned model);

/** @param out  an answer a stage */
void queue_theory_predict(unsigned model, const struct queue_theory_question *question,
                          struct queue_theory_answer *out);

#endif
