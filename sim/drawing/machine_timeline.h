/* machine_timeline.h - a pass for a timeline: its outline, and in detail how full the board's FIFOs are, what its
 * stages do, and what holds them.
 *
 * Models    what a signal analyser at the board's ports would draw. The outline stays in memory (pass_outline.h), and
 *           the details go into a file. The timeline of the run is made of both when it is known when
 *           the pass was (sim/pass/run_timeline.h).
 * Outline   of every pass, all of it: the blocks on the bus, and in how many clocks a stage is at work, as
 *           run_bottleneck.h has it: it takes an element, or 1bd makes a trip; without the clocks in which it is
 *           held. A block lasts from the begin of its transfer until the bus is free for the next.
 * Levels    of each FIFO: its occupancy at the end of a clock holds from the begin of that clock to its end, so the
 *           mean over some time is the FIFO's mean occupancy in it.
 * Stages    "busy": 1a, 1bp or 2 takes an element, 1bd a lookup that makes no trip; neighbours are one slice. "held":
 *           a stage, or the bus, has something to pass on and finds no room, from the clock in which it could have
 *           moved (board_holds.h). On the bus records may cross meanwhile; of 1a, 1bp, 1bd and 2 these are the stalls
 *           of run_bottleneck.h. Also the trips that 1bd makes to the duplicate table. Slices of a stage do not
 *           overlap.
 * Queue     a block has its place in the host queue from when the host begins to supply it until the bus is free for
 *           the next.
 * Window    FIFOs and stages are drawn in the window only.
 */
#pragma once

#include "traces/drawing/drawing.h"
#include "sim/board/board_taps.h"
#include "sim/board/hardware.h"
#include "sim/drawing/drawing_request.h"
#include "sim/drawing/pass_outline.h"

/* --- details ---
 *
 * What a timeline will show of a pass, before it is known when the pass was: events in a file, for a reader of the same
 * build, in picoseconds since clock 0 of the pass. A file has room for some; further ones are only counted. */

enum drawn_kind {
    DRAWN_LEVEL,    /* a FIFO holds `value` elements from `begin_ps` on */
    DRAWN_BUSY,     /* a stage takes elements */
    DRAWN_HELD,     /* a stage, or the bus, has something to pass on and finds no room */
    DRAWN_TRIPS,    /* a stage makes `value` trips to the duplicate table */
    DRAWN_BUS_HELD, /* the same as DRAWN_HELD, of the bus */
    DRAWN_QUEUE,    /* the host supplies, and keeps, a block */
};

struct drawn_event {
    uint32_t kind;  /* an enum drawn_kind */
    uint32_t track; /* number of the FIFO or stage */
    uint32_t value;
    uint64_t begin_ps, end_ps;
};

/* --- a pass --- */

struct machine_timeline;

/** Start a pass.
 *
 * @param pass_count  number of passes of the run
 * @param details     receives the events of the pass that is drawn in detail, and is the caller's to close; NULL for
 *                    any other pass
 */
struct machine_timeline *machine_timeline_new(const struct drawing_request *request,
                                              const struct hardware *hardware, size_t pass_count,
                                              FILE *details);

/** Let the timeline read the tapes of a pass's taps, just made. */
void machine_timeline_attach(struct machine_timeline *timeline, struct board_taps *taps);

/** Draw a part of a block.
 *
 * @param share        of the part
 * @param block_words  number of words of the block, if it ends with this part; else 0
 */
void machine_timeline_part(struct machine_timeline *timeline, const struct tokens *tokens,
                           const struct board_times *times, const struct bus_share *share,
                           uint64_t block_words);

/** Finish and free.
 *
 * @param outline  receives the outline, which is the caller's to destroy
 * @param missing  receives the number of details that the cap has left out
 * @return DRAWING_WHOLE or DRAWING_EWRITE
 */
enum drawing_status machine_timeline_close(struct machine_timeline *timeline, struct pass_outline *outline,
                                           uint64_t *missing);
