/* machine_timeline.h - a pass for a timeline: how full the board's FIFOs are, what its stages do and what holds them,
 * and the blocks on the bus.
 *
 * Models    what a signal analyser at the board's ports would draw. The events go into a file (drawn_events.h), from
 *           which the timeline of the run is made when it is known when the pass was (sim/pass/run_timeline.h).
 * Levels    of each FIFO: its occupancy at the end of a clock holds from the begin of that clock to its end, so the
 *           mean over some time is the FIFO's mean occupancy in it.
 * Stages    "busy": 1a, 1bp or 2 takes an element, 1bd a lookup that makes no trip; neighbours are one slice. "held": a
 *           stage, or the bus, has something to pass on and finds no room, from the clock in which it could have moved
 *           (board_holds.h). On the bus records may cross meanwhile; of 1a, 1bp, 1bd and 2 these are the stalls of
 *           run_bottleneck.h. Also the trips that 1bd makes to the duplicate table. Slices of a stage do not overlap.
 * Blocks    from the begin of a block's transfer until the bus is free for the next; and from when the host begins to
 *           supply it until then, as long as it has its place in the host queue.
 * Window    FIFOs and stages are drawn in the window only.
 */
#ifndef MERCURY_SIM_MEASURE_MACHINE_TIMELINE_H
#define MERCURY_SIM_MEASURE_MACHINE_TIMELINE_H

#include "sim/board/board_taps.h"
#include "sim/board/hardware.h"
#include "sim/measure/drawing_request.h"
#include "sim/measure/drawn_events.h"

struct machine_timeline;

/** Start the events of the pass that is drawn, in `out`, which the caller closes. @return NULL if memory is
 * exhausted */
struct machine_timeline *machine_timeline_new(FILE *out, const struct drawing_request *request,
                                              const struct hardware *hardware);

/** Let the timeline read the tapes of a pass's taps, just made. */
void machine_timeline_attach(struct machine_timeline *timeline, struct board_taps *taps);

/** Draw a block. */
void machine_timeline_block(struct machine_timeline *timeline, const struct tokens *tokens,
                            const struct board_times *times, const struct bus_share *share);

/** Finish and free; `missing` receives the number of events that the cap has left out.
 *  @return false if the file cannot be written */
bool machine_timeline_close(struct machine_timeline *timeline, uint64_t *missing);

#endif
