/* markov_tandem.h - a tandem of exponential servers with finite places, exactly: every state of it, solved.
 *
 *     Poisson --> [ K, c servers ] --> [ K, c servers ] --> ... --> out
 *
 * Models    blocking after service: a customer that finds the next stage full stays in its server, and one that finds
 *           the first stage full stays in the source, which stops. Or loss: such a customer is gone. A customer that
 *           was served goes on with the stage's probability, else it leaves.
 * Method    a state has, for each stage, the number of its customers and of those that it, or the source, holds for the
 *           next one. The states that can be reached from the empty tandem and the rates between them are the
 *           generator of a Markov chain; its balance equations are solved by symmetric Gauss-Seidel sweeps.
 * Accuracy  mean numbers and probabilities within 1e-9 of the exact ones (tested against published and independent
 *           numbers).
 * Limits    MARKOV_STATES_MAX states: three single servers of 33 places each, say. A sweep takes some 20 ns a state.
 * Units     rates per second, times in seconds, numbers in customers.
 * Errors    0 or a negative code of model_error.h; never prints, never exits.
 * Source    Stewart, "Introduction to the Numerical Solution of Markov Chains", Princeton 1994, sections 3.3 and 10.2.
 */
#pragma once

#include <stdbool.h>

#include "model/queue/single_queue.h"

enum { MARKOV_STAGES_MAX = 16, MARKOV_STATES_MAX = 50000 };

struct markov_stage {
    double mu_per_s;           /* of one server, > 0 */
    unsigned places, servers;  /* places >= servers >= 1; those at the servers are places, too */
    double pass_fraction;      /* in [0, 1]; ignored for the last stage */
    struct queue_result found; /* out: p_k and p_bp are those of all places taken */
    double *p;                 /* out: P[N = 0] to P[N = places]; NULL: they are not asked for */
    double p_outside;          /* out: fraction of the time in which a customer waits before the stage */
};

/** Solve a tandem.
 *
 * @param lambda_per_s  arrivals, > 0; while no customer is held if the source can hold one
 * @param blocks        whether full stages block; else customers who find one are lost
 * @param stages        1 .. MARKOV_STAGES_MAX; what is found is written to them
 * @return 0, MODEL_EARRIVALS, MODEL_ESERVICE, MODEL_ECAPACITY, MODEL_ESTAGES, MODEL_ESTATES if there are too many
 *         states, or MODEL_ECONVERGE
 */
int markov_tandem_solve(double lambda_per_s, bool blocks, struct markov_stage *stages, unsigned count);
