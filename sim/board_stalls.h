/* board_stalls.h - how long each stage of the board had something to move and no room for it.
 *
 * Models    TimeTrial's stalls (Lancaster et al. 2011, section IV): clocks in which back-pressure, and nothing else, held
 *           a stage. HARDWARE.md, "One clock, in this order", says from when on a stage could have moved an element:
 *           the bus when the word is due, 1a and 1bp in the clock after it arrived, stage 2 after the fetch; and not
 *           in the clock in which they moved the one before.
 * How       differences of clocks the board gives (board.h), in stream order.
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

/** Clocks; sums over passes are plain sums. */
struct stall_counts {
    bool measured;
    uint64_t bus, stage_1a, stage_1bp, stage_2;
};

/** Start with board_stalls_none(). */
struct board_stalls {
    struct stall_counts counts;
    int64_t bus_free;                        /* ticks: A of the last word, and w */
    int64_t delivered, taken, issued, match; /* clocks of the last */
};

struct board_stalls board_stalls_none(void);

void board_stalls_block(struct board_stalls *stalls, const struct board_rules *rules,
                        const struct tokens *tokens, const struct board_times *times,
                        const struct bus_share *share);

#endif
