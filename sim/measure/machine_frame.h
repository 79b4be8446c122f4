/* machine_frame.h - the frame of a pass on the machine: which counters, queues, ratios and limits it has.
 *
 * Models    TimeTrial's taps at every FIFO and port of the board (docs/measuring.md): queue occupancies with their
 *           histograms, back-pressure signals, elements in and out of every stage. docs/hardware.md defines the signals
 *           and utilisations at the end of "One clock, in this order".
 * Names     the frame's layout (traces/frame.h) groups numbers under the papers' stage names: pcix, stage_1a, stage_1b,
 *           stage_2, stage_3. An enumerator is its number's name in summary.json: S1A_WMERS is stage_1a.wmers.
 * Adding    a counter needs its enumerator here, its row in machine_frame.c, and the line that fills it. The row is
 *           what summary.json and `mercury explain` say about it.
 * Memory    values are aggregated while the pass runs; nothing is kept per element.
 */
#ifndef MERCURY_SIM_MEASURE_MACHINE_FRAME_H
#define MERCURY_SIM_MEASURE_MACHINE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "blast/stage3/stitch.h"
#include "blast/stages12/pass.h"
#include "traces/frame.h"
#include "sim/board/board_taps.h"
#include "sim/board/hardware.h"

/** Indices of a frame's counters. */
enum machine_counter {
    PCIX_WORDS_IN,
    PCIX_DATABASE_BYTES,
    PCIX_TABLE_BYTES,
    PCIX_RECORD_BYTES,
    PCIX_RECORD_BURSTS,
    PCIX_TABLE_LOAD,
    PCIX_BUSY,
    PCIX_STALLED,
    PCIX_MEASURED_TIME,
    S1A_WORDS,
    S1A_INPUT,
    S1A_WMERS,
    S1A_INVALID_WMERS,
    S1A_SEEDS_OUT,
    S1A_FALSE_POSITIVES,
    S1A_WMERS_FILTERED,
    S1B_SEEDS,
    S1B_INPUT,
    S1B_SRAM_READS,
    S1B_DUPLICATE_STAGE,
    S1B_LOOKUPS_EMPTY,
    S1B_LOOKUPS_MISMATCH,
    S1B_LOOKUPS_MATCH,
    S1B_LOOKUPS_DUPLICATE,
    S1B_LOOKUPS_DUPLICATE_WITHOUT_MATCH,
    S1B_SEEDS_FILTERED,
    S1B_TRIPS,
    S1B_MATCHES_OUT,
    S2_MATCHES,
    S2_INPUT,
    S2_MATCHES_FILTERED,
    S2_HSPS_OUT,
    S3_HSPS,
    S3_HSPS_CONTAINED,
    S3_HSPS_EXTENDED,
    S3_CELLS,
    S3_DRAIN,
    S3_CORE_BUSY,
    S3_CORE_TIME,
    S3_BUILD_OPERATIONS,
    S3_BUILD,
    S3_BUILD_WAIT,
    S3_ALIGNMENTS_JOINED,
    S3_JOIN_CELLS,
    S3_JOIN,
    MACHINE_COUNTERS
};

/** Indices of a frame's gauges. */
enum machine_gauge {
    GAUGE_CAPACITY_BYTES_PER_S,
    GAUGE_HOST_SUPPLY_BYTES_PER_S,
    GAUGE_HSP_BYTES,
    GAUGE_CLOCK_HZ,
    GAUGE_CORES,
    GAUGE_TRIP_CYCLES,
    GAUGE_TRIPS_IN_FLIGHT,
    GAUGE_FETCH_CYCLES,
    GAUGE_WMER_MARGIN,
    GAUGE_SRAM_MARGIN,
    GAUGE_STAGE2_MARGIN,
    MACHINE_GAUGES
};

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

/** Seconds of joining: until the last core has finished. */
double machine_frame_join_s(const struct stitch_work *join, const struct hardware *hardware);

/** Add the host's last work to a run's frame: joining the alignments that borders of segments cut. Each job runs on the
 * core of the first host that is free first. Duration and drain grow by the time of the last core. */
void machine_frame_add_join(struct frame *run, const struct stitch_work *join,
                            const struct hardware *hardware);

/** Check conservation: what enters a stage leaves it or is filtered, by the stages' counts and by the queues' own.
 * @return NULL, or the name of the balance that is broken, which is a bug in the simulator */
const char *machine_frame_find_loss(const struct frame *frame);

#endif
