/* board_intervals.h - times between arrivals and times of service at the board's stages, as queueing theory asks for
 * them.
 *
 * Arrivals  of words at the ingress FIFO, of seeds at the w-mer FIFO (those of a word in one clock), of lookups at the
 *           SRAM FIFO, of matches at the stage-2 FIFO (those of a group in one clock).
 * Services  the clocks that a stage spends on an element from the clock in which it could take the element: 1 in stages
 *           1a, 1bp and 2, plus the clocks in which back-pressure holds them; in 1bd 1 or those of the lookup's trips,
 *           plus the clocks in which the stage-2 FIFO holds it.
 * Units     clocks. The names of the times: enum board_interval in board_fifos.h.
 * Cost      a few additions and two products per element.
 */
#pragma once

#include "blast/stages12/tokens.h"
#include "traces/statistics/interval_moments.h"
#include "sim/board/board_fifos.h"

/** Start with {0}. */
struct board_intervals {
    struct interval_tap taps[BOARD_INTERVALS];
};

/** Take in the clocks of a block. */
void board_intervals_block(struct board_intervals *intervals, const struct board_rules *rules,
                           const struct tokens *tokens, const struct board_times *times);
