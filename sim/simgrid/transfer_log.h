/* transfer_log.h - what a board moved over the bus, and when.
 *
 * Models    nothing. DMA in moves tables and blocks of the database to a board, DMA out moves records to the host; a
 *           transfer is under way from when it is asked for until its last byte is there, whatever part of the bus it
 *           has meanwhile.
 * Time      seconds since the simulation began.
 * Order     that in which transfers end.
 * Memory    24 bytes per transfer; the log belongs to whoever gave it to the pass.
 */
#ifndef MERCURY_SIM_SIMGRID_TRANSFER_LOG_H
#define MERCURY_SIM_SIMGRID_TRANSFER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"

enum transfer_kind {
    TRANSFER_AWAITED, /* a block, or tables without which the board cannot begin: it gets nothing else meanwhile */
    TRANSFER_RECORDS, /* of the board, for which it does not wait */
    TRANSFER_AHEAD,   /* tables of the board's next pass, which begin with the stream of this one */
};

struct transfer {
    double begin_s, end_s;
    uint64_t bytes : 56;
    uint64_t kind : 8; /* an enum transfer_kind */
};

/** Start with {0}. */
struct transfer_log {
    struct transfer *transfers;
    size_t count, room;
};

/** @return false if memory is exhausted */
static inline bool transfer_log_add(struct transfer_log *log, const struct transfer *transfer)
{
    if (!array_reserve(&log->transfers, &log->room, log->count, 1, sizeof *transfer))
        return false;
    log->transfers[log->count++] = *transfer;
    return true;
}

static inline void transfer_log_destroy(struct transfer_log *log)
{
    free(log->transfers);
    *log = (struct transfer_log){0};
}

#endif
