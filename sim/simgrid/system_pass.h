/* system_pass.h - a pass that is to be simulated on a board (system.h), and what observes it. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "sim/board/board.h"
#include "sim/drawing/arrival_list.h"
#include "sim/drawing/board_waves.h"
#include "sim/drawing/machine_timeline.h"
#include "sim/host/host_schedule.h"
#include "sim/measure/machine_clocks.h"
#include "sim/measure/measure.h"
#include "sim/measure/measuring_charge.h"
#include "sim/measure/window_log.h"
#include "sim/tokens/stage_source.h"
#include "traces/frame.h"

enum transfer_kind {
    TRANSFER_AWAITED, /* a block, or tables without which the board cannot begin: it gets nothing else meanwhile */
    TRANSFER_RECORDS, /* of the board, for which it does not wait */
    TRANSFER_AHEAD,   /* tables of the board's next pass, which begin with the stream of this one */
};

/** It is under way from when it is asked for until its last byte is there, whatever part of the bus it has meanwhile.
 */
struct transfer {
    double begin_s, end_s; /* since the simulation began */
    uint64_t bytes : 56;
    uint64_t kind : 8; /* an enum transfer_kind */
};

/** What a board moved over the bus, in the order in which transfers end: tables and blocks of the database to it, and
 *  records to the host. Start with {0}. */
struct transfer_log {
    struct transfer *transfers;
    size_t count, room;
};

static inline void transfer_log_add(struct transfer_log *log, const struct transfer *transfer)
{
    *ARRAY_NEXT(log->transfers, log->count, log->room) = *transfer;
}

static inline void transfer_log_destroy(struct transfer_log *log)
{
    free(log->transfers);
    *log = (struct transfer_log){0};
}

enum system_error {
    SYSTEM_EPASS = -2, /* a callback or a source failed */
    SYSTEM_EFILE = -3, /* HSPs that have no room in memory cannot be written to their file */
    SYSTEM_ELONG = -4  /* the pass keeps its board busy for more than BOARD_CLOCKS_MAX clocks */
};

/** Wall-clock time of Mercury itself, by part. */
struct system_wall {
    double stages_s; /* stages 1a to 2, or waiting for other threads that compute them */
    double board_s;  /* timing and taps */
    double stage3_s;
};

/** What observes a pass while it runs. A pointer that is NULL leaves its instrument out. */
struct pass_instruments {
    bool only_times;                   /* no taps: the frame stays empty, and the others below are not used */
    atomic_ullong *words_done;         /* raised block by block, for a display of progress */
    struct measure *measure;           /* measures the pass; the caller finishes it */
    struct machine_timeline *timeline; /* draws the board's side of the pass */
    struct board_waves *waves;         /* likewise */
    struct arrival_list *arrivals;     /* lists when elements came to a FIFO */
    struct pass_stamps *stamps;        /* receives what host and board stamped */
    struct transfer_log *transfers;    /* receives what moved over the bus */
    struct window_log *windows;        /* reads at the borders of sampled windows */
    struct measuring_charge *charge;   /* charges the cost of `measure` (measuring_cost.h), and receives it */

    /** Sees every block before its tokens are freed. */
    void (*watch_block)(void *watcher, const struct tokens *tokens, const struct bus_share *share);
    void *watcher;
};

struct system_pass {
    struct stage_source source;
    struct pass_instruments instruments;
    struct frame *frame;      /* out: but for what the host's cores do (sim/host/host_taps.h) */
    struct host_pass *host;   /* out: tasks of stage 3, which the caller destroys, and when they can begin */
    struct system_wall *wall; /* out, added */
    /* How many HSPs may be in memory, and the file for others, if there is one (sim/tokens/stage3_tasks.h); no HSPs
     * yet. */
    struct stage3_tasks room;
};
