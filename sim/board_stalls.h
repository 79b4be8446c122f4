/* board_stalls.h - how long each stage of the board had something to move and no room for it.
 *
 * Models    TimeTrial's stalls (Lancaster et al. 2011, section IV): clocks in which back-pressure, and nothing else, held
 *           a stage. HARDWARE.md, "One clock, in this order", says from when on a stage could have moved an element:
 *           the bus when the word is due, 1a and 1bp in the clock after it arrived, stage 2 after the fetch; and not
 *           in the clock in which they moved the one before.
 * How       of 1a, 1bp and 2, what their services (board_intervals.h) took beyond a clock each; of the bus, from when
 *           each word was due, in stream order.
 * 1bd       is at work or held while it has a lookup; what its work takes is known, so its stall is the rest of its busy
 *           clocks: see run_bottleneck.c.
 * Memory    a few words.
 */
#ifndef MERCURY_SIM_BOARD_STALLS_H
#define MERCURY_SIM_BOARD_STALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "blast/tokens.h"
#include "sim/board.h"
#include "sim/board_intervals.h"

/** Clocks; sums over passes are plain sums. */
struct stall_counts {
    bool measured;
    uint64_t bus, stage_1a, stage_1bp, stage_2;
};

/** Start with bus_stalls_none(). */
struct bus_stalls {
    uint64_t clocks;
    int64_t free;      /* ticks: A of the last word, and w */
    int64_t delivered; /* clock of the last word */
};

struct bus_stalls bus_stalls_none(void);

void bus_stalls_block(struct bus_stalls *stalls, const struct tokens *tokens, const struct board_times *times,
                      const struct bus_share *share);

/** Of everything taken in so far. */
struct stall_counts board_stalls(const struct bus_stalls *bus, const struct board_intervals *intervals);

#endif
