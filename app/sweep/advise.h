/* advise.h - what to build: the smallest tables, the smallest FIFO depths, the stage to improve next.
 *
 * Tables    every candidate is simulated. Of those within the memory limits, and in the FPGA of fpga.device, the one
 *           with the fewest bits is chosen that keeps a share of their best throughput, which is that of streaming
 *           (sweep_measure.h).
 *           Choice and Pareto front are those of front.h.
 * FIFOs     the least depths that keep the throughput (fifo_search.h).
 * Stages    the machine is simulated again with one resource made free at a time (machine_freedom.h).
 * Machine   what is advised: these tables, with the least depths of FIFOs if the FPGA holds them, else with those
 *           given.
 * Errors    a negative ADVISE_E* code and one line.
 */
#ifndef MERCURY_APP_SWEEP_ADVISE_H
#define MERCURY_APP_SWEEP_ADVISE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/result_table.h"
#include "base/why.h"
#include "app/sweep/sweep_measure.h"
#include "app/sweep/sweep_plan.h"
#include "app/sweep/sweep_store.h"

enum advise_error {
    ADVISE_EMEMORY = -1,
    ADVISE_ERUN = -2,   /* a point cannot be simulated */
    ADVISE_ELIMIT = -3, /* no candidate is within the limits */
    ADVISE_ESTORE = -4, /* the store cannot be written */
    ADVISE_ELONG = -5,  /* the simulated time of a point is longer than clocks can be counted */
};

struct advise_request {
    struct sweep_plan *plan; /* the candidates on one input; points are added to it */
    const char *platform_path;
    struct sweep_store *store; /* receives all points, or NULL */
    unsigned jobs;
    bool quiet;
    double keep;                      /* share of the best throughput that the tables must keep */
    double loss;                      /* share of throughput that the FIFOs may cost */
    double block_ram_bits, sram_bits; /* limits; the displacement table counts as block RAM */
    enum result_format format;
};

/** Simulate what is needed, and write the advice.
 * @param best  out: the machine that is advised */
int advise(const struct advise_request *request, FILE *out, struct hardware *best, struct why *why);

#endif
