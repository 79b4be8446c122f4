/* advise.h - what to build: tables, FIFO depths, the stage to improve next.
 *
 * Given     the machine without what varies is a candidate, too. If it is within the limits, nothing slower is advised.
 * Tables    every candidate is simulated. Of those within the limits, and in the FPGA of fpga.device, the knee of
 *           front.h is chosen: the cheapest that keeps a share of the greatest speed.
 * FIFOs     the depths with the fewest block RAMs that keep the time (fifo_search.h).
 * Machine   these tables with these FIFOs, unless other tables are better in everything with the FIFOs that are best
 *           for them: they are searched as well wherever they could be. No machine that was simulated dominates what
 *           is advised.
 * Stages    the machine is simulated again with one resource made free at a time (machine_freedom.h).
 * Errors    a negative ADVISE_E* code and one line.
 */
#ifndef MERCURY_APP_SWEEP_ADVISE_H
#define MERCURY_APP_SWEEP_ADVISE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/draw/result_table.h"
#include "base/why.h"
#include "app/sweep/point/sweep_measure.h"
#include "app/sweep/point/sweep_plan.h"
#include "app/sweep/point/sweep_store.h"

enum advise_error {
    ADVISE_EMEMORY = -1,
    ADVISE_ERUN = -2,   /* a point cannot be simulated */
    ADVISE_ELIMIT = -3, /* no candidate is within the limits */
    ADVISE_ESTORE = -4, /* the store cannot be written */
    ADVISE_ELONG = -5,  /* the simulated time of a point is longer than clocks can be counted */
};

struct advise_request {
    struct sweep_plan *plan; /* the candidates on one input; points are added to it */
    size_t given;            /* the machine as given among them, SIZE_MAX if there is no such machine */
    const char *platform_path;
    struct sweep_store *store; /* receives all points, or NULL */
    unsigned jobs;
    bool quiet;
    double keep;                      /* share of the greatest speed that the tables must keep */
    double loss;                      /* share of speed that fewer block RAMs for FIFOs may cost */
    double block_ram_bits, sram_bits; /* limits of a board; the displacement table counts as block RAM */
    double energy_j, time_s;          /* limits of the run */
    enum result_format format;
};

/** Simulate what is needed, and write the advice.
 * @param best  out: the machine that is advised */
int advise(const struct advise_request *request, FILE *out, struct hardware *best, struct why *why);

#endif
