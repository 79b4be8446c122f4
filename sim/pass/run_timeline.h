/* run_timeline.h - the timeline of a run: all its passes on the boards and hosts, and one pass in detail.
 *
 * Models    nothing. The file is of traces/drawing/timeline.h; its time is that of the run.
 * Boards    a process for each board: the phases of its passes ("load": its tables, "stream": its database), their
 *           blocks on the bus, and when their stages are busy (pass_outline.h).
 * Hosts     a process for each host: what its cores do, its inbox in HSPs (host_outline.h), and the tails of passes,
 *           from when the board is free until stage 3 has finished with the pass; tails that overlap have a track each.
 * Steps     are those of busy_steps.h: the sums over slices are exact, and their ends are so to the step. All outlines
 *           of passes are as fine as the coarsest of them.
 * Details   a process for the pass that is drawn: its FIFOs, its stages, and the host queue (machine_timeline.h), in
 *           the window.
 * Cap       the pass in detail comes last: if the file reaches its cap, the run is whole all the same, unless the cap
 *           is tiny. Outlines of passes get 3/16 of the cap at most, and that of the hosts 1/8.
 * Memory    that of the outlines, and of the events of the pass that is drawn: half of the cap.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "blast/sequence/segment.h"
#include "traces/drawing/drawing.h"
#include "sim/board/hardware.h"
#include "sim/drawing/drawing_request.h"
#include "sim/drawing/pass_outline.h"
#include "sim/host/host_outline.h"

/** When a pass was where on the simulated machine, in seconds since the run began. */
struct pass_times {
    double begin_s;        /* the board begins to load its tables */
    double stream_begin_s; /* the first word of the database is on the bus */
    double board_free_s;   /* the last record has left the board */
    double end_s;          /* stage 3 has finished with its HSPs, too */
    uint32_t board;        /* from 0, counted over all hosts */
};

/** What a run's timeline is made of. Everything is borrowed. */
struct run_timeline {
    const struct drawing_request *request;
    const struct hardware *hardware;
    const struct pass_times *passes; /* one per pass */
    const double *host_begins_s;     /* of each host */
    const struct query_segment *segments;
    struct pass_outline *outlines; /* one per pass; they become equally fine */
    size_t pass_count;
    struct host_outline *host; /* of all hosts; it becomes as coarse as the cap asks for */
    int64_t drawn_end;         /* clock in which the pass that is drawn has ended */
    FILE *board;               /* events (machine_timeline.h) of the pass that is drawn */
    uint64_t board_missing;    /* number of events that were left out of these */
};

/** How finely a timeline shows a run. */
struct timeline_grain {
    struct outline_grain passes;
    unsigned host_step; /* logarithm of the ps in a step of cores and inboxes */
};

/** Write the timeline.
 *
 * @param drawn  receives what timeline_close() returns and reports; the end of the pass is since its clock 0
 * @return how fine the outlines are
 */
struct timeline_grain run_timeline_write(const struct run_timeline *run, FILE *out, struct drawn *drawn);
