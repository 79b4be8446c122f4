/* machine_frame.h - what is measured in the machine.
 *
 * Models    TimeTrial's taps at every FIFO and port of the board (docs/measuring.md): queue occupancies with their
 *           histograms, back-pressure signals, elements in and out of every stage. Definitions of the signals and
 *           utilisations: docs/hardware.md, end of "One clock, in this order".
 * Names     the frame's layout (traces/frame.h) under the papers' stage names: pcix, stage_1a, stage_1b, stage_2,
 *           stage_3.
 * Memory    on-line aggregation only.
 */
#ifndef MERCURY_SIM_MEASURE_MACHINE_FRAME_H
#define MERCURY_SIM_MEASURE_MACHINE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "blast/stage3/stitch.h"
#include "blast/stages12/pass.h"
#include "sim/board/board_taps.h"
#include "sim/board/hardware.h"
#include "traces/frame.h"

/** A frame's queues: the board's FIFOs, then stage 3's inbox. */
enum { QUEUE_INBOX = BOARD_FIFOS, MACHINE_QUEUES };

extern const struct frame_layout machine_layout;

/** What stage 3 and the bus did in a pass; the rest is in struct pass_counts. */
struct host_counts {
    uint64_t table_bytes, database_bytes, record_bytes; /* over the bus */
    uint64_t bus_busy_ps;                               /* the bus moved data, before the board was empty */
    uint64_t bus_stalled_ps; /* words waited on it for room, and nothing else moved */
    uint64_t load_ps,
        drain_ps;            /* table load before the first word; last element out to the last HSP aligned */
    uint64_t hsps;           /* that stage 3 looked at */
    uint64_t hsps_contained; /* of these inside an alignment already found */
    uint64_t cells;          /* of dynamic programming */
    uint64_t core_busy_ps;   /* sum over the cores */
};

/** Write a pass's frame.
 *
 * @param taps        closed at clock `end`, when the board is empty
 * @param inbox       tap on stage 3's software queue, already closed
 * @param duration_s  of the pass, in simulated time
 */
void machine_frame_fill(struct frame *frame, const struct board_taps *taps, int64_t end,
                        const struct hardware *hardware, const struct pass_counts *counts,
                        const struct host_counts *host, const struct fifo_measure *inbox, double duration_s);

/** Add the host's last work to a run's frame: joining alignments that segments' borders cut, each on the core that is
 * free first. The frame's duration grows by it. */
void machine_frame_add_join(struct frame *run, const struct stitch_work *join,
                            const struct hardware *hardware);

/** Conservation: what enters a stage leaves it, is filtered or is still inside, by the stages' counts and by the
 * queues' own. @return NULL, or which balance is broken: a bug of the simulator's. */
const char *machine_frame_find_loss(const struct frame *frame);

#endif
