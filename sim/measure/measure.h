/* measure.h - a pass under measurement: the board's taps, samples of elements and the host's queue, reduced to frames.
 *
 * Models    TimeTrial's measurement hardware (Lancaster et al. 2011, section III): values are reduced while the machine
 *           runs, and a frame record leaves at the end of every frame.
 * Order     for each block: measure_sample(), then board_taps_block(), which stops at borders, then measure_settle().
 *           Events of the host must come in order of time. measure_end_board() and measure_end_host() close the last
 *           frames.
 * Spans     that end in software: stage 3 extends the records of a block together, and each record takes along the
 *           clocks in which it, or what it came from, passed the ports where such spans begin.
 * Exactness frames have no gaps; values weighted by time are exact to the clock at the frames' borders. Frames within a
 *           pass are checked: Little's law to the unit, of every queue of the board and of the inbox; of the board's
 *           queues also the histogram's time against the frame's length. frame_find_inconsistency() does that for the
 *           whole pass.
 * Memory    a function of the directives and the machine: the elements on the board and in the inbox at one time, and
 *           the open frames.
 */
#ifndef MERCURY_SIM_MEASURE_MEASURE_H
#define MERCURY_SIM_MEASURE_MEASURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/why.h"
#include "sim/board/board_taps.h"
#include "sim/measure/measure_plan.h"
#include "sim/measure/measured_extension.h"

enum measure_error {
    MEASURE_EWRITE = -2, /* the frame records cannot be written */
    MEASURE_EBUG = -3,   /* a measurement contradicts itself */
};

struct measure;

/** Start a pass.
 *
 * @param records  frame records are written to it, from its beginning (frame_record.h)
 * @return NULL if memory is exhausted
 */
struct measure *measure_new(const struct measure_plan *plan, FILE *records);
void measure_destroy(struct measure *measure);

/** Let the taps of a pass, just made, stop at the borders of frames. @return false if memory is exhausted */
bool measure_attach(struct measure *measure, struct board_taps *taps);

/** Sample the elements of a block. @return false if memory is exhausted */
bool measure_sample(struct measure *measure, const struct tokens *tokens, const struct board_times *times);
void measure_settle(struct measure *measure);

/** End the board's frames: the board is empty and its taps are closed at clock `end`. */
void measure_end_board(struct measure *measure, int64_t end);

/** Begin to follow the records of the block that was settled last, which leave for the host.
 *
 * @param hsps  number of records, > 0
 * @return for measured_extension_destroy(); NULL if memory is exhausted
 */
struct measured_extension *measure_begin_extension(struct measure *measure, uint64_t hsps);

/** Take in an event of an extension; events come in the order of enum host_event.
 *
 * @param clock  of the board, not before the records have left it
 */
void measure_extension_event(struct measure *measure, struct measured_extension *extension,
                             enum host_event event, int64_t clock);
void measure_end_host(struct measure *measure, int64_t end);

/** Number of the board's frames that have ended, and, unless `end` is 0, of those that end at clock `end`, when the
 *  board is empty and its taps are closed. */
uint64_t measure_frames_ended(const struct measure *measure, int64_t end);

/** Write what is left. @return 0 or MEASURE_E*; of MEASURE_EBUG `why` says what contradicts itself */
int measure_finish(struct measure *measure, struct why *why);

#endif
