/* measure.h - a pass under measurement: the board's taps, samples of elements and the host's queue, reduced to frames.
 *
 * Models    TimeTrial's measurement hardware (Lancaster et al. 2011, section III): values are reduced on line, a record
 *           leaves at the end of every frame.
 * Order     of a block: measure_sample(), then board_taps_block(), which stops at borders, then measure_settle(). Of the
 *           host's events: time does not decrease. measure_end_board() and measure_end_host() close the last frames.
 * Spans     that end in software: the records of a block are a job of stage 3's, and each takes along the clocks in which it,
 *           or what it came from, passed the ports where such spans begin.
 * Exactness frames are gap-free; time-weighted values are exact to the clock at their borders. Frames within a pass are
 *           checked, of every board queue and of the inbox: Little's law to the unit; of the board's, the histogram's time
 *           against its length, too. Of the pass as a whole frame_find_inconsistency() does that.
 * Memory    a function of the directives and the machine: elements on the board and in the inbox at one time, no frame
 *           but the open ones.
 */
#ifndef MERCURY_SIM_MEASURE_MEASURE_H
#define MERCURY_SIM_MEASURE_MEASURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/why.h"
#include "sim/board/board_taps.h"
#include "sim/measure/measure_job.h"
#include "sim/measure/measure_plan.h"

enum measure_error {
    MEASURE_EWRITE = -2, /* the records cannot be written */
    MEASURE_EBUG = -3,   /* a measurement contradicts itself */
};

struct measure;

/** Start a pass.
 *
 * @param records  written to, from its beginning: frame_record.h
 * @return NULL when memory is out
 */
struct measure *measure_new(const struct measure_plan *plan, FILE *records);
void measure_destroy(struct measure *measure);

/** Let a pass's taps, just made, stop where this needs it. @return false when memory is out */
bool measure_attach(struct measure *measure, struct board_taps *taps);

bool measure_sample(struct measure *measure, const struct tokens *tokens, const struct board_times *times);
void measure_settle(struct measure *measure);

/** The board is empty, its taps are closed at clock `end`. */
void measure_end_board(struct measure *measure, int64_t end);

/** The records of the block that was settled last, on their way to the host.
 *
 * @param hsps  so many, > 0
 * @return for measure_job_destroy(); NULL when memory is out
 */
struct measure_job *measure_leave(struct measure *measure, uint64_t hsps);

/** What happens to a job, in the order of enum host_event. @param clock  of the board, not before the records have left it */
void measure_host(struct measure *measure, struct measure_job *job, enum host_event event, int64_t clock);
void measure_end_host(struct measure *measure, int64_t end);

/** Frames of the board that have ended, and those that are open and end at clock `end`, when the board is empty and its
 * taps are closed; 0: not yet. */
uint64_t measure_frames_ended(const struct measure *measure, int64_t end);

/** Write what is left, and tell whether all went well.
 *
 * @param why  what contradicts itself, of MEASURE_EBUG
 */
int measure_finish(struct measure *measure, struct why *why);

#endif
