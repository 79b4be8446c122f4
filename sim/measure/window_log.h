/* window_log.h - what a pass has done when its stream comes to marks in the database: the borders of sampled windows.
 *
 * Models    at a mark, the clock in which the mark's word is delivered to the board, and what the words before it
 *           have caused: HSPs, trips to the duplicate table, and cells of stage 3. Differences between two marks are
 *           what a window has. Cells of a cluster belong to the HSP with which the stream has passed it.
 * Memory    the caller's, one reading per mark; it may lie in memory that another process reads later.
 * Cost      a sum over the seeds and groups of every part, only where somebody asks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/stages12/tokens.h"
#include "sim/board/board.h"
#include "sim/tokens/stage3_tasks.h"

/** What has been done before the word of a mark. */
struct window_reading {
    int64_t clock; /* in which the word is delivered */
    uint64_t hsps, trips;
    uint64_t cells; /* of stage 3; known after window_log_end() */
};

/** Start with the marks, where to read to, and zeros. */
struct window_log {
    const uint64_t *marks; /* numbers of words of the database, in rising order */
    size_t count;
    struct window_reading *readings; /* one per mark */
    size_t next;                     /* first mark that the stream has not come to */
    uint64_t words, hsps, trips;     /* of all parts so far */
};

/** Take in the next part of the stream. */
void window_log_part(struct window_log *log, const struct tokens *tokens, const struct board_times *times);

/** The pass has ended. @return false if its HSPs cannot be read */
bool window_log_end(struct window_log *log, const struct stage3_tasks *tasks);
