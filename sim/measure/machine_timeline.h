/* machine_timeline.h - a pass as a timeline: how full the board's FIFOs are, what holds its stages, what trips and
 * extensions take.
 *
 * Models    what a signal analyser on the board's ports would draw; the format is traces/timeline.h's.
 * Counters  a FIFO each: its occupancy at the end of a clock holds from that clock's begin to its end, so the mean of a
 *           counter over a stretch is the FIFO's mean occupancy in it.
 * Slices    held: a stage, or the bus, has something to move on and no room for it, from the clock in which it could
 *           have moved. On the bus this may be while records cross; 1a, 1bp, 1bd and 2: the stalls of run_bottleneck.h. Of
 *           1bd the trips to the duplicate table, too; a core each: the extension of a block's HSPs (of the first CORES_SHOWN
 *           cores).
 * Time      picoseconds since the pass's first word was on the bus.
 */
#ifndef MERCURY_SIM_MEASURE_MACHINE_TIMELINE_H
#define MERCURY_SIM_MEASURE_MACHINE_TIMELINE_H

#include <stdio.h>

#include "sim/board/board_taps.h"
#include "sim/board/hardware.h"
#include "traces/timeline.h"

enum { CORES_SHOWN = 64 };

struct timeline_request {
    const char *path;      /* NULL: none is asked for */
    uint64_t pass;         /* from 1 */
    double begin_s, end_s; /* window; end_s 0: to the end */
    uint64_t bytes_max;
};

struct machine_timeline;

/** @param out  stays the caller's */
struct machine_timeline *machine_timeline_new(FILE *out, const struct timeline_request *request,
                                              const struct hardware *hardware);

/** Let a pass's taps, just made, be watched. */
void machine_timeline_attach(struct machine_timeline *timeline, struct board_taps *taps);

void machine_timeline_block(struct machine_timeline *timeline, const struct tokens *tokens,
                            const struct board_times *times, const struct bus_share *share);

/** A core begins with HSPs; the core's number. */
unsigned machine_timeline_core(struct machine_timeline *timeline);
void machine_timeline_core_done(struct machine_timeline *timeline, unsigned core, int64_t begin, int64_t end,
                                uint64_t hsps);

/** Finish at a clock and free. @return of timeline_close() */
int machine_timeline_close(struct machine_timeline *timeline, int64_t end, struct timeline_report *report);

#endif
