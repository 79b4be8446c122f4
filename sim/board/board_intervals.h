/* board_intervals.h - times between arrivals and times of service at the board's stages, as theory asks for them.
 *
 * Models    arrivals  words into the ingress FIFO; seeds into the wmer FIFO (those of a word in the same clock); lookups
 *                     into the SRAM FIFO; matches into the stage-2 FIFO (those of a group in the same clock)
 *           services  the clocks a stage gives an element from when it could take it, held up or not: 1 for stages
 *                     1a, 1bp and 2 when nothing behind them holds them up; of 1bd, a clock or its trips, and what the
 *                     stage-2 FIFO holds it up
 * Units     clocks.
 * Cost      a few additions and two products an element.
 */
#ifndef MERCURY_SIM_BOARD_BOARD_INTERVALS_H
#define MERCURY_SIM_BOARD_BOARD_INTERVALS_H

#include "blast/stages12/tokens.h"
#include "sim/board/board_fifos.h"
#include "traces/interval_moments.h"

/** Start with {0}. */
struct board_intervals {
    struct interval_tap taps[BOARD_INTERVALS];
};

/** Take in what a block did. */
void board_intervals_block(struct board_intervals *intervals, const struct board_rules *rules,
                           const struct tokens *tokens, const struct board_times *times);

#endif
