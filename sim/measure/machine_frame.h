/* machine_frame.h - the frame of a pass on the machine: which counters, queues, ratios and limits it has.
 *
 * Models    TimeTrial's taps at every FIFO and port of the board (docs/measuring.md): queue occupancies with their
 *           histograms, back-pressure signals, elements in and out of every stage. docs/hardware.md defines the
 *           signals and utilisations at the end of "One clock, in this order".
 * Names     the frame's layout (traces/frame.h) groups numbers under the papers' stage names: pcix, stage_1a,
 *           stage_1b, stage_2, stage_3. An enumerator is its number's name in summary.json: S1A_WMERS is
 *           stage_1a.wmers.
 * Adding    a counter needs its row in data/words/machine_frame.tsv, which is what summary.json, passes.tsv, their
 *           schemas and `mercury explain` say about it, and the line that fills it in machine_frame.c.
 * Memory    values are aggregated while the pass runs; nothing is kept per element.
 */
#pragma once

#include <stdint.h>

#include "blast/stage3/stitch.h"
#include "blast/stages12/pass.h"
#include "traces/frame.h"
#include "sim/board/board_taps.h"
#include "sim/board/hardware.h"

/* The rows of data/words/machine_frame.tsv. */
#include "sim/machine_frame.inc"

#define MACHINE_FRAME_ID(id, ...) id

/** Indices of a frame's counters, and of its gauges. */
enum machine_counter { MACHINE_COUNTER_ROWS(MACHINE_FRAME_ID) MACHINE_COUNTERS };
enum machine_gauge { MACHINE_GAUGE_ROWS(MACHINE_FRAME_ID) MACHINE_GAUGES };

/** Indices of a frame's queues: the board's FIFOs (enum board_fifo), then the queues in software, before the bus and
 *  before stage 3. */
enum { QUEUE_HOST = BOARD_FIFOS, QUEUE_INBOX, MACHINE_QUEUES };

extern const struct frame_layout machine_layout;

/** What the bus did in a pass; struct pass_counts has what the board did. */
struct bus_counts {
    uint64_t table_bytes, database_bytes, record_bytes; /* over the bus */
    uint64_t record_bursts;
    wide_uint bus_busy_ps;    /* time in which the bus moved data, until the board was empty */
    wide_uint bus_stalled_ps; /* time in which words waited on the bus for room, and nothing else moved */
    wide_uint load_ps;        /* loading tables, before the first word */
};

/** What stage 3 did in a pass. */
struct host_counts {
    uint64_t hsps;                /* HSPs that stage 3 looked at */
    uint64_t hsps_contained;      /* HSPs inside an alignment that was already found */
    uint64_t cells;               /* cells of dynamic programming */
    double begin_s;               /* of the pass, since the run began */
    double busy_s;                /* sum over the cores */
    double build_s, build_wait_s; /* of its tables: the time of a core, and that for which its board waited */
    uint64_t build_operations;
    double drain_s;    /* from the board's last element to the last aligned HSP */
    double duration_s; /* from the pass's begin until board and stage 3 have finished with it */
};

/** Write a pass's frame, but for the host's side.
 *
 * @param taps        closed at clock `end`, when the board is empty
 * @param host_queue  tap on the host queue, already closed
 */
void machine_frame_fill(struct frame *frame, const struct board_taps *taps, int64_t end,
                        const struct hardware *hardware, const struct pass_counts *counts,
                        const struct bus_counts *bus, const struct fifo_measure *host_queue);

/** Write the host's side of a pass's frame. @param inbox  tap on stage 3's queue, already closed */
void machine_frame_fill_host(struct frame *frame, const struct hardware *hardware,
                             const struct host_counts *counts, const struct fifo_measure *inbox);

/** Set what passes that overlap do not add up to: the run's duration, its number of boards, its drain (mean over the
 * boards that had passes), the time of all cores, and stage 3's queue over the run.
 *
 * @param run    the sum over the passes' frames
 * @param passes their number
 * @param inbox  from the begin of the run to its end; of several hosts the sum of theirs, whose clocks are added, too
 */
void machine_frame_end_run(struct frame *run, const struct hardware *hardware, size_t passes,
                           double duration_s, const struct fifo_measure *inbox);

/** Bytes that the design itself moves over the bus, both ways: tables, database and HSPs. */
uint64_t machine_frame_bus_bytes(const struct frame *frame);

/** Seconds of joining: until the last core has finished. */
double machine_frame_join_s(const struct stitch_work *join, const struct hardware *hardware);

/** Add the host's last work to a run's frame: joining the alignments that borders of segments cut. Each job runs on the
 * core of the first host that is free first. Duration and drain grow by the time of the last core. */
void machine_frame_add_join(struct frame *run, const struct stitch_work *join,
                            const struct hardware *hardware);

/** Check conservation: what enters a stage leaves it or is filtered, by the stages' counts and by the queues' own.
 * @return NULL, or the name of the balance that is broken, which is a bug in the simulator */
const char *machine_frame_find_loss(const struct frame *frame);
