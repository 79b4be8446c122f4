/* arrival_list.h - the times between arrivals at a FIFO of the board, one per line: what the replayers of JMT and LINE
 * read; and what a table of stages needs to be this board (app/chain/chain_file.h).
 *
 * Arrivals  each line is the time in seconds from the arrival of an element to that of the next; 0 between elements
 *           that come in one clock, such as the seeds of a word. A pass of n elements has n - 1 lines.
 * Outputs   of a stage: each line is the number of elements that leave it for one that comes, such as a word's seeds.
 * Services  of 1bd: each line is the time in seconds for which a lookup keeps it busy while nothing behind it is full,
 *           with one trip at a time.
 * Format    decimal numbers with a point, in the 12 digits of other files.
 * Errors    arrival_list_close() says whether all could be written.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/board/board_fifos.h"

struct arrival_list;

/** What can be listed: arrivals at the FIFOs, by their numbers, then what follows from tokens alone. */
enum arrival_list_kind {
    LIST_OUT_1A = BOARD_FIFOS,
    LIST_OUT_1BD,
    LIST_OUT_2,
    LIST_SERVICE_1BD,
    ARRIVAL_LISTS
};

/** Their names, "wmer_fifo" or "stage_1a.out". */
const char *arrival_list_name(unsigned kind);

/** Start a pass's list in `out`, which the caller closes. */
struct arrival_list *arrival_list_new(FILE *out, unsigned kind, double clock_hz, uint32_t trip_cycles);

/** Take in a block, or a part of it. */
void arrival_list_block(struct arrival_list *list, const struct tokens *tokens,
                        const struct board_times *times);

/** Finish and free. @return whether everything was written; true without a list */
bool arrival_list_close(struct arrival_list *list);
