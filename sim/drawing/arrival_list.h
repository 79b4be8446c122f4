/* arrival_list.h - the times between arrivals at a FIFO of the board, one per line: what the replayers of JMT and LINE
 * read.
 *
 * Models    each line is the time in seconds from the arrival of an element to that of the next; 0 between elements
 *           that come in one clock, such as the seeds of a word. A pass of n elements has n - 1 lines.
 * Format    decimal numbers with a point, in the 12 digits of other files.
 * Errors    arrival_list_close() says whether all could be written.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "sim/board/board_fifos.h"

struct arrival_list;

/** Start a pass's list in `out`, which the caller closes. @return NULL if memory is exhausted */
struct arrival_list *arrival_list_new(FILE *out, enum board_fifo fifo, double clock_hz);

/** Take in a block, or a part of it. */
void arrival_list_block(struct arrival_list *list, const struct tokens *tokens,
                        const struct board_times *times);

/** Finish and free. @return whether everything was written; true without a list */
bool arrival_list_close(struct arrival_list *list);
