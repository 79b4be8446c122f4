/* fifo_search.h - depths of the board's FIFOs with few block RAMs with which a machine nearly keeps its time.
 *
 * Depths    those between two numbers of block RAMs cost the same (board_costs.h). Tried are the least depth, the given
 *           one, the deepest one without a block RAM, the deepest ones for some more, up to the depth that was never
 *           full with FIFOs of a million places.
 * How       from FIFOs without block RAMs the search goes up by the FIFO that saves the most time per block RAM, until
 *           none saves any or the limit is reached. From the machine with the fewest block RAMs that is quick enough it
 *           then tries all neighbours that cost no more, in which one FIFO is another, until none is better.
 * Found     the fewest block RAMs of all depths that were tried, a local optimum: others may need fewer.
 * Order     none is assumed: a bounded FIFO can be quicker than a deeper one (it makes others wait at better times), so
 *           that every depth that counts is simulated, and what is found is one of the machines that were tried.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/board/board_fifos.h"
#include "sim/board/hardware.h"

/** What a machine achieves. */
struct machine_merit {
    double throughput; /* of streaming, in millions of w-mers per second */
    double total_s;
    double fifo_most[BOARD_FIFOS]; /* most elements that were in each FIFO */
    bool allowed;                  /* whether the machine is within the caller's limits */
};

struct fifo_search {
    double loss;      /* share of the speed of the quickest that is tried that fewer block RAMs may cost */
    double slowest_s; /* no slower machine is found; INFINITY if that is no condition */
    uint64_t most_ramb18; /* of a board */

    /** Simulate a machine. @return 0, or a status that ends the search */
    int (*try_machine)(void *data, const struct hardware *machine, struct machine_merit *merit);
    void *data;
};

struct fifo_result {
    bool found;                              /* whether any machine is within the limits */
    struct machine_merit unbounded, bounded; /* with a million places; with the depths that were found */
};

/** Search. @param machine  gets the depths that are found; @return 0, or what try_machine() returned */
int fifo_search_run(const struct fifo_search *search, struct hardware *machine, struct fifo_result *result);

/** A machine with FIFOs that need no block RAM. */
struct hardware fifo_search_without(const struct hardware *machine);
