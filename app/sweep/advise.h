/* advise.h - what to build: the smallest tables, the least FIFO depths, the stage to improve next.
 *
 * Tables    every candidate is simulated; of those within the memory limits, the one with the fewest bits that keeps a share
 *           of the best throughput among them. Throughput is that of streaming (sweep_measure.h).
 *           The Pareto front leaves out what is quicker by less than 0.01%.
 * FIFOs     a run with FIFOs of a million places, then for each, from the first of the pipeline to the last, the least
 *           depth with which the whole keeps its throughput, by bisection (deeper FIFOs never make the pipeline
 *           slower); each may spend a fifth of what may be lost. The run with all five is the proof.
 * Stages    the machine again with one thing free at a time. Whatever the board does once a clock is freed together, by a
 *           clock ten times as fast under which reads, trips and fetches take as long as before.
 * Errors    a negative ADVISE_E* code and one line.
 */
#ifndef MERCURY_APP_SWEEP_ADVISE_H
#define MERCURY_APP_SWEEP_ADVISE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/why.h"
#include "app/sweep/sweep_measure.h"
#include "app/sweep/sweep_plan.h"
#include "app/sweep/sweep_store.h"

enum advise_error {
    ADVISE_EMEMORY = -1,
    ADVISE_ERUN = -2,   /* a point cannot be simulated */
    ADVISE_ELIMIT = -3, /* no candidate is within the limits */
    ADVISE_ESTORE = -4,
};

struct advise_request {
    struct sweep_plan *plan; /* of the candidates, on one input; grows */
    const char *platform_path;
    struct sweep_store *store; /* keep all points there, too, unless NULL */
    unsigned jobs;
    bool quiet;
    double keep;                      /* share of the best throughput */
    double loss;                      /* share of throughput that FIFOs may cost */
    double block_ram_bits, sram_bits; /* limits; the displacement table counts as block RAM */
};

/** Find out, and write it for people. */
int advise(const struct advise_request *request, FILE *out, struct why *why);

#endif
