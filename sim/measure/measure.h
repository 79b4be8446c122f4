/* measure.h - a side of a pass under measurement: the board's taps and samples of elements, or the host's queue and
 * cores, reduced to frames.
 *
 * Models    TimeTrial's measurement hardware (Lancaster et al. 2011, section III): values are reduced while the
 *           machine runs, and a frame record leaves at the end of every frame.
 * Order     for each block: measure_sample(), then board_taps_block(), which stops at borders, then measure_settle().
 *           The host's side is told what happened in parts. measure_end_board() and measure_end_host() close the last
 *           frames.
 * Sides     The board's side is measured while the pass runs; the host's side after the run, when it is known what
 *           the cores did (sim/host/host_taps.h). The host's frames of a pass are about this pass's HSPs and the
 *           work of cores on them, beside which cores may work for other passes. SIDE_HOST_OF_RUN is about all
 *           passes: its clocks are those of the run (frame_record.h). SIDE_HOST_QUEUE, the blocks of the database on
 *           their way to the board, comes with the board's side, and is told when the board is empty.
 * Spans     that end in software: each record takes along stamps, the clocks in which it, or what it came from,
 *           passed the ports where such spans begin.
 * Exactness frames have no gaps; values weighted by time are exact to the clock at the frames' borders. Frames within
 *           a pass are checked: Little's law to the unit, of every queue of the board and of the inbox; of the
 *           board's queues also the histogram's time against the frame's length. frame_find_inconsistency() does that
 *           for the whole pass.
 * Memory    a function of the directives and the machine: the elements on the board and in the inbox at one time, and
 *           the open frames; and 32 bytes for each frame of the bus.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/why.h"
#include "traces/queue_tap.h"
#include "sim/board/board_taps.h"
#include "sim/measure/measure_plan.h"
#include "sim/measure/machine_taps.h"

/* What happens in the host's software in a part of its time, as lists of events.
 *
 * Lists     of each enum host_event, an event of each HSP; and of the begins and ends of clusters with cells. What is
 *           measured of the host follows from them, without one order of all events.
 * Clocks    of a pass's board, or of the run.
 * Memory    the lists belong to the caller. Putting them in order takes 16 bytes per event.
 */

enum { HOST_CLUSTER_BEGUN = HOST_EVENTS, HOST_CLUSTER_DONE, HOST_LISTS };

/** All that happens before clock `end`, and was not told before. */
struct host_part {
    struct host_list {
        const int64_t *clocks; /* in order, if there are `hsps` */
        const size_t *hsps;    /* the HSP of each event, from 0; NULL: event i is that of HSP i */
        size_t count;
    } lists[HOST_LISTS];
    const int64_t *hsps[HOST_EVENTS]; /* the clocks of each HSP that the lists name */
    const int64_t *stamps;            /* `stamp_count` of each HSP */
    unsigned stamp_count;
    int64_t end;
};

/** Lists in the order of their clocks. Start with {0}. */
struct host_order {
    int64_t *clocks[HOST_LISTS];
    size_t *hsps[HOST_LISTS];
};

/** Put the lists of a part that name no HSPs in order, by insertion, which takes long unless they almost are.
 *
 * @param part  its lists become those of `order` */
void host_order_make(struct host_order *order, struct host_part *part);
void host_order_destroy(struct host_order *order);

enum measure_error {
    MEASURE_EWRITE = -2, /* the frame records cannot be written */
    MEASURE_EBUG = -3,   /* a measurement contradicts itself */
};

struct measure;

/** Start a side of a pass.
 *
 * @param records  frame records are written to it, from its present position (frame_record.h)
 */
struct measure *measure_new(const struct measure_plan *plan, enum measure_side side, FILE *records);
void measure_destroy(struct measure *measure);

/** Place the pass in the run, before anything is measured: frames of the run end where their clocks are in the pass.
 *
 * @param origin  clock of the run in which clock 0 of the pass's board is
 */
void measure_place(struct measure *measure, int64_t origin);

/** Let the taps of a pass, just made, stop at the borders of frames. */
void measure_attach(struct measure *measure, struct board_taps *taps);

/** Sample the elements of a block. */
void measure_sample(struct measure *measure, const struct tokens *tokens, const struct board_times *times);
void measure_settle(struct measure *measure);

/** End the board's frames: the board is empty and its taps are closed at clock `end`.
 *
 * @param bus_bytes  number of bytes that the bus had time for while the board worked; UINT64_MAX if that is not known
 */
void measure_end_board(struct measure *measure, int64_t end, uint64_t bus_bytes);

/** Measure the host queue, after the board's frames have ended, from the clocks in which its blocks came and left.
 *
 * @param arrivals, departures  of each block, in their order
 * @param end                   clock in which the board is empty
 */
void measure_host_queue(struct measure *measure, int64_t *arrivals, int64_t *departures, size_t count,
                        int64_t end);

/** Number of stamps that each record takes along. */
unsigned measure_stamp_count(const struct measure *measure);

/** The stamps of the records of the block that was sampled last, measure_stamp_count() per record; NULL if that is 0.
 *  They are valid until the next block is sampled. */
const int64_t *measure_stamps(const struct measure *measure);

/** Whether frames end within what is measured, so that parts must be in order. */
bool measure_needs_order(const struct measure *measure);

/** Measure a part, whose lists are put in order if that is needed.
 *
 * @param part   borrowed for the call
 * @param inbox  a tap on the HSPs between HOST_ARRIVED and HOST_TAKEN, which has its part; it is run to the part's end
 */
void measure_host(struct measure *measure, const struct host_part *part, struct queue_tap *inbox);
void measure_end_host(struct measure *measure, int64_t end);

/** Number of the board's frames that have ended, and, unless `end` is 0, of those that end at clock `end`, when the
 *  board is empty and its taps are closed. @param bytes  out: of their records */
uint64_t measure_frames_ended(const struct measure *measure, int64_t end, uint64_t *bytes);

/** Number of frames of measurements in software that were written, of each its own: each is an event of the agent. */
uint64_t measure_frames_written(const struct measure *measure);

/** Whether frames of the board have records, as measure_plan_has_records() says. */
bool measure_has_records(const struct measure *measure);

/** Write what is left. @return 0 or MEASURE_E*; of MEASURE_EBUG `why` says what contradicts itself */
int measure_finish(struct measure *measure, struct why *why);
