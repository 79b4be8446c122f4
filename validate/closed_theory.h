/* closed_theory.h - what theory says of queues in a closed network.
 *
 * Models    MVA         the answers of exact mean value analysis (model/closed/closed_network.h).
 *           Linearizer  an approximation (model/closed/linearizer.h), where there are too many customers for an exact
 *           solution.
 * Exact     MVA is, if all services are exponential, or if nobody waits at a centre whose services are not.
 * Errors    If there is no prediction, there is a reason, and the numbers are NaN.
 */
#pragma once

#include <stdbool.h>

#include "model/closed/closed_network.h"
#include "sim/simgrid/queue_network.h"

struct closed_theory {
    const char *model;   /* "MVA" or "Linearizer" */
    const char *why_not; /* the reason if there is no answer; else NULL */
    bool is_large;       /* there are too many customers for MVA */
    int assumption; /* number of a centre whose services are not exponential though customers wait there; -1: none */
    bool seidmann;                /* several servers were approximated, too */
    double states;                /* number of populations, the product of all N_r + 1 */
    struct closed_result classes; /* rates, numbers and times of each class */
    double centre[QUEUE_NETWORK_CENTRES_MAX][QUEUE_NETWORK_QUANTITIES]; /* of all classes together */
    double p[QUEUE_NETWORK_CENTRES_MAX][QUEUE_LINE_NUMBERS]; /* P[n = n] there; NaN unless by MVA */
};

/** Whether the model describes the network without any approximation. */
bool closed_theory_is_exact(const struct closed_theory *theory);

/** Ask theory. @return 0, or -1 if memory is exhausted */
int closed_theory_predict(const struct queue_network *network, struct closed_theory *out);
