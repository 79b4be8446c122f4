/* fifo_search.h - the least depths of the board's FIFOs with which a machine keeps its throughput.
 *
 * How       after a run with FIFOs of a million places, bisection finds for each FIFO, from the first of the pipeline
 *           to the last, the smallest depth with which the whole machine keeps its throughput (deeper FIFOs never make
 *           the pipeline slower). Each FIFO may cost a fifth of the loss that is allowed. A run with all five proves
 *           the result.
 * Errors    those of the caller's `try_machine`.
 */
#ifndef MERCURY_APP_SWEEP_FIFO_SEARCH_H
#define MERCURY_APP_SWEEP_FIFO_SEARCH_H

#include <stdint.h>

#include "sim/board/board_fifos.h"
#include "sim/board/hardware.h"

/** What a machine achieves. */
struct machine_merit {
    double throughput; /* of streaming, in millions of w-mers per second */
    double total_s;
    double fifo_most[BOARD_FIFOS]; /* most elements that were in each FIFO */
};

/** Simulate a machine. @return 0 or a negative code */
typedef int machine_trier(void *data, const struct hardware *machine, struct machine_merit *merit);

struct fifo_search {
    double loss; /* fraction of the throughput that all FIFOs together may cost */
    machine_trier *try_machine;
    void *data; /* for try_machine */

    /* What was found. */
    uint32_t least[BOARD_FIFOS], before[BOARD_FIFOS]; /* places */
    struct machine_merit unbounded, bounded;          /* with a million places; with the least */
};

/** Search. @return 0, or what try_machine() returned */
int fifo_search_run(struct fifo_search *search, const struct hardware *machine);

#endif
