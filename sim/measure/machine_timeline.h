/* machine_timeline.h - a pass as a timeline: how full the board's FIFOs are, what holds its stages, and how long trips
 * and extensions take.
 *
 * Models    what a signal analyser at the board's ports would draw; the format is that of traces/timeline.h.
 * Counters  one for each FIFO: its occupancy at the end of a clock holds from the begin of that clock to its end, so
 *           the mean of a counter over some time is the FIFO's mean occupancy in it.
 * Slices    "held": a stage, or the bus, has something to pass on and finds no room, from the clock in which it could
 *           have moved. On the bus records may cross meanwhile; of 1a, 1bp, 1bd and 2 these are the stalls of
 *           run_bottleneck.h. Also the trips that 1bd makes to the duplicate table, and for each of the first
 *           CORES_SHOWN cores the HSPs and the clusters of this pass that it works on.
 * Time      picoseconds since the pass's first word was on the bus.
 */
#ifndef MERCURY_SIM_MEASURE_MACHINE_TIMELINE_H
#define MERCURY_SIM_MEASURE_MACHINE_TIMELINE_H

#include <stdio.h>

#include "traces/timeline.h"
#include "sim/board/board_taps.h"
#include "sim/board/hardware.h"
#include "sim/measure/drawing_request.h"

enum { CORES_SHOWN = 64 };

struct machine_timeline;

/** Start a timeline in `out`, which the caller closes, or resume one.
 *
 * @param suspended  NULL: start one
 * @return NULL if memory is exhausted
 */
struct machine_timeline *machine_timeline_new(FILE *out, const struct drawing_request *request,
                                              const struct hardware *hardware,
                                              const struct timeline_state *suspended);

/** Suspend a timeline, and free it: the board has been drawn, the host's cores have not. */
void machine_timeline_suspend(struct machine_timeline *timeline, struct timeline_state *state);

/** Let the timeline read the tapes of a pass's taps, just made. */
void machine_timeline_attach(struct machine_timeline *timeline, struct board_taps *taps);

/** Draw the slices of a block. */
void machine_timeline_block(struct machine_timeline *timeline, const struct tokens *tokens,
                            const struct board_times *times, const struct bus_share *share);

/** A core worked on HSPs, or on a cluster if `hsps` is 0. */
void machine_timeline_core(struct machine_timeline *timeline, uint32_t core, int64_t begin, int64_t end,
                           uint64_t hsps);

/** Finish at clock `end` and free. @return what timeline_close() returns */
int machine_timeline_close(struct machine_timeline *timeline, int64_t end, struct drawing_report *report);

#endif
