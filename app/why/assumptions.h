/* assumptions.h - what M/M/1 and M/M/1/K assume of the machine, one assumption after the other.
 *
 * Models    the way from the simulated machine to the queues of Dor's formulas in steps, each of which makes one
 *           assumption true. ASSUME_BUS and ASSUME_CLOCKS change the engine instead: they are steps too, so that every
 *           change has a name. A set of steps is a machine that assumption_machine.h can simulate.
 * Order     assumption_order_default() is the order of the rows. Another one may be asked for; a step whose `needs` are
 *           not true yet takes them in before it. ASSUME_BUS is always first, and ASSUME_LOSS, which only M/M/1/K (Dor)
 *           assumes, always last.
 * Errors    ASSUMPTION_EORDER and one line.
 */
#pragma once

#include <stdbool.h>

#include "base/why.h"

/* The rows of data/words/assumptions.tsv. */
#include "app/assumptions.inc"

#define ASSUMPTION_ID(id, ...) id
enum assumption { ASSUMPTION_ROWS(ASSUMPTION_ID) ASSUMPTIONS };

enum assumption_error { ASSUMPTION_EMEMORY = -1, ASSUMPTION_EORDER = -2, ASSUMPTION_EINPUT = -3 };

struct assumption_spec {
    const char *name;    /* for --order and the first column */
    const char *engine;  /* what simulates the machine after this step */
    const char *meaning; /* what is true after it: at most 110 bytes */
    unsigned needs;      /* set of 1 << enum assumption that must be true before */
};

extern const struct assumption_spec assumptions[ASSUMPTIONS];

/** Whether a step is true in a set. */
static inline bool assumption_holds(unsigned set, enum assumption assumption)
{
    return set >> assumption & 1;
}

/** Put the steps in order.
 *
 * @param wish   names, separated by commas, of the steps that come first; NULL or "" for the default order
 * @param order  ASSUMPTIONS steps
 */
int assumptions_order(const char *wish, enum assumption *order, struct why *why);
