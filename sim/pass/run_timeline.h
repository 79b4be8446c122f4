/* run_timeline.h - the timeline of a run: all its passes on the boards and hosts, and one pass in detail.
 *
 * Models    nothing. The file is of traces/timeline.h; its time is that of the run.
 * Boards    a process for each board: the phases of its passes ("load": its tables, "stream": its database). The board
 *           of the pass that is drawn also has its FIFOs, its stages, and the blocks on the bus (machine_timeline.h),
 *           in the window.
 * Hosts     a process for each host: what its cores do, its inbox in HSPs, and the tails of passes, from when the board
 *           is free until stage 3 has finished with the pass; tails that overlap have a track each.
 * Cap       the pass in detail comes last: if the file reaches its cap, the passes are whole all the same. Cores and
 *           inboxes get a quarter of the cap at most (RUN_TIMELINE_HOST_BYTES for an event); what comes later of them
 *           is left out and counted.
 * Memory    that of the events of the hosts, and of the pass that is drawn: a third of the cap.
 */
#ifndef MERCURY_SIM_PASS_RUN_TIMELINE_H
#define MERCURY_SIM_PASS_RUN_TIMELINE_H

#include <stddef.h>
#include <stdio.h>

#include "blast/sequence/segment.h"
#include "traces/drawing.h"
#include "sim/board/hardware.h"
#include "sim/measure/drawing_request.h"
#include "sim/pass/pass_times.h"

/* Bytes of the cap for an event of a host. */
enum { RUN_TIMELINE_HOST_BYTES = 400 };

/** What a run's timeline is made of. Everything is borrowed. */
struct run_timeline {
    const struct drawing_request *request;
    const struct hardware *hardware;
    const struct pass_times *passes; /* one per pass */
    const double *host_begins_s;     /* of each host */
    const struct query_segment *segments;
    size_t pass_count;
    int64_t drawn_end;  /* clock in which the pass that is drawn has ended */
    FILE *board, *host; /* events (drawn_events.h) of the pass that is drawn, and of all passes */
    /* Number of events that were left out of these, and the begin of the first of the hosts'. */
    uint64_t board_missing, host_missing, host_missing_ps;
};

/** Write the timeline. `drawn` receives what timeline_close() returns and reports; the end of the pass is since its
 *  clock 0. */
void run_timeline_write(const struct run_timeline *run, FILE *out, struct drawn *drawn);

#endif
