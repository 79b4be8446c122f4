/* run_timeline.h - the timeline of a run: all its passes on the boards and hosts, and one pass in detail.
 *
 * Models    nothing. The file is of traces/timeline.h; its time is that of the run.
 * Boards    a process for each board: the phases of its passes ("load": its tables, "stream": its database), their
 *           blocks on the bus, and when their stages are busy (pass_outline.h).
 * Steps     all outlines are as fine as the coarsest of them. In each step that has clocks in which a stage was busy, a
 *           slice begins with the step and lasts for these clocks; it is one slice with those of steps before it in
 *           which the stage was always busy. So the sums over slices are exact, and their ends are so to the step.
 * Details   a process for the pass that is drawn: its FIFOs, its stages, and the host queue (machine_timeline.h), in
 *           the window.
 * Hosts     a process for each host: what its cores do, its inbox in HSPs, and the tails of passes, from when the board
 *           is free until stage 3 has finished with the pass; tails that overlap have a track each.
 * Cap       the pass in detail comes last: if the file reaches its cap, the passes are whole all the same. Outlines
 *           get 3/16 of the cap at most, and cores and inboxes a quarter (RUN_TIMELINE_HOST_BYTES for an event); what
 *           comes later of these is left out and counted.
 * Memory    that of the outlines, of the events of the hosts, and of the pass that is drawn: a third of the cap.
 */
#ifndef MERCURY_SIM_PASS_RUN_TIMELINE_H
#define MERCURY_SIM_PASS_RUN_TIMELINE_H

#include <stddef.h>
#include <stdio.h>

#include "blast/sequence/segment.h"
#include "traces/drawing.h"
#include "sim/board/hardware.h"
#include "sim/measure/drawing_request.h"
#include "sim/measure/pass_outline.h"
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
    struct pass_outline *outlines; /* one per pass; they become equally fine */
    size_t pass_count;
    int64_t drawn_end;  /* clock in which the pass that is drawn has ended */
    FILE *board, *host; /* events (drawn_events.h) of the pass that is drawn, and of all passes */
    /* Number of events that were left out of these, and the begin of the first of the hosts'. */
    uint64_t board_missing, host_missing, host_missing_ps;
};

/** Write the timeline.
 *
 * @param drawn  receives what timeline_close() returns and reports; the end of the pass is since its clock 0
 * @return how fine the outlines are
 */
struct outline_grain run_timeline_write(const struct run_timeline *run, FILE *out, struct drawn *drawn);

#endif
