/* residual_life.h - a closed network with one shared server whose services are not exponential: an approximation.
 *
 * Models    classes that each have a private centre of one exponential server, and one server that all share, first
 *           come, first served. Whoever arrives there waits for those who wait, a service each, and for the rest of the
 *           service under way, which is (1 + scv) / 2 of a mean service: half of it if services are equal, all of it
 *           if they are exponential. What an arrival finds is what there is on average with one customer less (Reiser).
 * Exact     if scv is 1, as the recursion is then mean value analysis; otherwise an approximation, which promises the
 *           server more than it can do when it is nearly always busy: the throughput is cut to what it can.
 * Memory    8 (R + 2) bytes for each of the (N_1 + 1) ... (N_R + 1) populations, during a call.
 * Errors    0 or a negative code of model_error.h; MODEL_EREACH above RESIDUAL_LIFE_STATES_MOST populations.
 * Source    Reiser, "A queueing network analysis of computer communication networks with window flow control", IEEE
 *           Transactions on Communications 27(8), 1979.
 */
#ifndef MERCURY_MODEL_RESIDUAL_LIFE_H
#define MERCURY_MODEL_RESIDUAL_LIFE_H

#include "model/closed/closed_network.h"

#define RESIDUAL_LIFE_STATES_MOST 1e5

struct residual_life_class {
    double private_s;    /* mean service at its private centre, >= 0 */
    unsigned population; /* 1 or more */
    double x_per_s;      /* out: throughput */
};

/** Solve a network.
 *
 * @param shared_s  mean service at the shared server, > 0
 * @param scv       squared coefficient of variation of these services, >= 0
 * @return 0, MODEL_ECLOSED, MODEL_ESERVICE, MODEL_ESCV, MODEL_EPOPULATION, MODEL_EREACH or MODEL_EMEMORY
 */
int residual_life_solve(struct residual_life_class *classes, unsigned count, double shared_s, double scv);

#endif
