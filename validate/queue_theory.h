/* queue_theory.h - what each model of model/ says of queues in tandem.
 *
 * Models    M/M/1        gives every stage the whole rate and no bound; K only says how often it would be reached.
 *           M/M/1/K      loses customers who find a stage full; the others go on, as if they were Poisson. If full
 *                        stages block instead, it has an answer for a single stage only: the source, which stops while
 *                        it holds a customer, is one more place (M/M/1/K+1, in whose last state the source is blocked).
 *           M/M/1/K (Dor)
 *                        is Dor's form (2010): it starts from the measured rate of entering customers, not the offered
 *                        one.
 *           M/D/1, M/G/1 are Pollaczek-Khinchine: every stage has the whole rate, Poisson arrivals and no bound.
 *           M^[X]/G/1    is the same with batches, which arrive at the first stage only; it is M/G/1 for the others.
 *           blocking     is the decomposition of a tandem in which full stages block (tandem.h).
 *           M/M/c/K, M/G/c
 *                        are for lines in which a stage has several servers; all others are for lines without such a
 *                        stage. M/M/c/K loses customers as M/M/1/K does, or has no bound; M/G/c has none, and scales
 *                        the wait of M/M/c by (1 + scv) / 2.
 * Exact     M/M/1 is exact if arrivals are Poisson, services exponential and no stage up to this one has a bound (Burke
 *           1956: the departures of a stage are Poisson again). M/M/1/K is exact for a first stage of that kind, M/D/1,
 *           M/G/1 and M^[X]/G/1 for a first stage without a bound, or after stages that are M/M/1, and blocking for a
 *           single exponential stage. M/M/c/K is exact where M/M/1/K or M/M/1 is for one server, M/G/c if services are
 *           exponential. M/M/1/K (Dor) is never exact, because its rate is measured.
 * To add a model: write a row in the table of queue_theory.c, and count it in QUEUE_THEORY_MODELS.
 * Domain    M/M/1/K (Dor) has no number if, within its interval, the measured rate may be all that can be served, or
 *           is so near to it that 1 / (1 - rho) differs tenfold.
 * Errors    If a model has no prediction, there is a reason, and the numbers are NaN.
 */
#ifndef MERCURY_VALIDATE_QUEUE_THEORY_H
#define MERCURY_VALIDATE_QUEUE_THEORY_H

#include <stdbool.h>

#include "sim/simgrid/queue_line.h"

struct queue_theory_answer {
    const char *why_not; /* the reason if there is no answer, and all numbers are NaN; else NULL */
    bool exact;          /* the model is the simulated system, and its inputs are given, not measured */
    double value[QUEUE_LINE_QUANTITIES]; /* NaN if the model does not say */
};

enum { QUEUE_THEORY_MODELS = 9 };

/** A model's name, such as "M/M/1/K". */
const char *queue_theory_model(unsigned model);

/** What a model assumes of a line. */
struct queue_theory_traits {
    bool loses;            /* customers who find a stage full are lost, and it begins with the offered rate */
    bool enters;           /* it has a bound, and begins with the rate that enters */
    bool blocks;           /* full stages block */
    bool batches;          /* customers may come together at the first stage */
    bool any_service;      /* of the mean and scv that services have */
    bool constant_service; /* if not: exponential */
};
struct queue_theory_traits queue_theory_traits(unsigned model, const struct queue_line *line);

/** Whether a model has the line's number of servers. */
bool queue_theory_applies(unsigned model, const struct queue_line *line);

/** Ask a model that applies.
 *
 * @param simulated  of the same line; only M/M/1/K (Dor) needs it
 * @param out        one answer per stage
 */
void queue_theory_predict(unsigned model, const struct queue_line *line,
                          const struct queue_line_result *simulated, struct queue_theory_answer *out);

#endif
