/* frame_record.h - what the process of a pass tells the run of its measurements, and the frames of the run.
 *
 * Records   a frame record for each frame, then one for the whole pass of each measurement: a stream of structs and
 *           arrays, read by the process that started the writer, from the same program. They hold what directives ask
 *           for, without the empty bins at both ends of histograms.
 * Run       Rates of an execution (Lancaster et al. 2011): TimeTrial's frames go on while tables are loaded and
 *           passes change. The run's time is cut into frames, which are put together from pieces of the passes.
 * Time      is counted in clocks of the board from the begin of the run; clock 0 of a pass's board is rounded to the
 *           nearest clock of the run (struct run_times). Frame k ends at round(k P) clocks, and the last one with the
 *           run, when the board and stage 3 have finished with the last pass; stitching follows it. Frames have no
 *           gaps and do not overlap. A frame may hold several passes, parts of passes, and the loading of tables.
 * Pieces    What a pass measured on its board in a frame is a piece. Pieces add up: counts, sums weighted by time or
 *           by elements, least and greatest values, histograms and sketches. The host is measured over all passes at
 *           once (sim/host/host_events.h), so that each of its frames is one piece.
 * Idle      A board that has no pass, or loads tables, has empty queues and does nothing. So a rate, a utilisation,
 *           back-pressure and an occupancy are of the whole frame, and 0 in a frame in which only tables are loaded.
 *           Latencies, reads per seed and fractions of elements are of the elements that come in the frame, and NaN
 *           if none come.
 * Boards    Rates are of all boards together. Occupancies, utilisations and back-pressure are those of one board on
 *           average, as if one board had all boards' clocks one after the other; the use of the bus is that of one
 *           bus on average.
 * Memory    32 bytes for every piece of a frame of the run; the rest is in an unnamed file.
 * Errors    false: a file cannot be written or read back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "sim/measure/measure_plan.h"

/* How many bytes the bus moved in each frame of a pass.
 *
 * Models    a bus that moves what waits for it. By the board's clocks a record is there for the bus when it leaves
 *           the egress FIFO, and the records of the first block as if nothing else was on the bus
 *           (sim/simgrid/system.h); so more may come in a frame than the bus can carry.
 * Rule      what is too much for a frame moves in the frames after it. All frames of a pass have as many bytes
 *           together as the pass has: what crosses the bus after the board is empty is taken from the last frames; if
 *           the last frame ends before all has moved for which there was time, the rest moved before it.
 * Memory    32 bytes per frame.
 */

struct bus_frame {
    uint64_t can;   /* bytes that the bus can carry in the frame */
    uint64_t came;  /* bytes that came by the board's clocks */
    uint64_t moved; /* out: bytes that the bus moved */
    off_t at;       /* of the caller: where its record is */
};

/** Frames of a pass, in their order. Start with {0}. */
struct bus_frames {
    struct bus_frame *frames;
    size_t count, room;
};

void bus_frames_add(struct bus_frames *frames, const struct bus_frame *frame);
void bus_frames_destroy(struct bus_frames *frames);

/** Find what moved in each frame.
 *
 * @param most  bytes that moved in the pass, if as many came
 * @return sum over the frames: the least of `most`, of what came, and of what the bus can carry in all of them
 */
uint64_t bus_frames_settle(struct bus_frames *frames, uint64_t most);

/** A fraction: factor x part / whole; NaN if whole is 0. */
struct fraction {
    uint64_t part, whole;
};

/** What a measurement saw in a frame, or in a pass. */
struct measured {
    struct aggregate aggregate;
    struct fraction fraction;
};

struct frame_head {
    uint32_t measurement;
    bool is_pass;   /* this is the sum over the frames of a pass */
    bool partial;   /* the pass ended before the frame did */
    uint64_t frame; /* number of the frame in the pass, from 1 */
    int64_t begin;  /* clock of the pass in which it began */
    uint64_t clocks;
};

void measured_init(struct measured *measured, const struct measurement *measurement);
void measured_destroy(struct measured *measured);
void measured_clear(struct measured *measured);
void measured_add(struct measured *sum, const struct measured *part);

/** Weight of what was seen: its number of clocks or of samples. */
uint64_t measured_weight(const struct measurement *measurement, const struct measured *measured);

/** The values of a measurement, as aggregate_values() has them: series are made of the first.
 *
 * @param values  out: room for AGGREGATE_VALUES_MAX */
unsigned measured_values(const struct measurement *measurement, const struct measured *measured,
                         double *values);

/** Write a frame record. @return false if writing fails */
bool frame_record_write(FILE *file, const struct frame_head *head, const struct measured *measured);

/** Write another part of a fraction into the frame record that was written at a place of the file, which stays where it
 *  is. @return false if writing fails */
bool frame_record_change_part(FILE *file, off_t at, uint64_t part);

/** Read the head of the next frame record. @return false at the end of the file */
bool frame_record_read_head(FILE *file, struct frame_head *head);

/** Read what follows the head. `measured` must have been made for the measurement and is overwritten.
 *  @return false if the file is not what it should be */
bool frame_record_read(FILE *file, struct measured *measured);

/* --- frames of the run --- */

/** When the passes of a run happen, in clocks of the run. */
struct run_times {
    int64_t *origins; /* of every pass: clock of the run in which clock 0 of the pass's board is */
    int64_t *firsts;  /* of every pass: a clock of the run before which nothing of it or its tables happens */
    int64_t end;      /* number of clocks of the run */
};

struct run_frames;

/** @return NULL if no unnamed file can be made */
struct run_frames *run_frames_new(const struct measure_plan *plan);
void run_frames_destroy(struct run_frames *frames);

/** Take in a piece, in any order. @param head  only the measurement, the frame in the run and the clocks matter */
bool run_frames_add(struct run_frames *frames, const struct frame_head *head,
                    const struct measured *measured);

/** Number of frames of a measurement in a run; the last may be partial. */
uint64_t run_frames_count(const struct run_frames *frames, size_t measurement, const struct run_times *times);

/** Put a frame together, after all pieces were added.
 *
 * @param frame     from 1
 * @param head      out; its begin is a clock of the run
 * @param measured  made for the measurement; overwritten
 * @return also false if the pieces have more clocks than the frame
 */
bool run_frames_read(struct run_frames *frames, const struct run_times *times, size_t measurement,
                     uint64_t frame, struct frame_head *head, struct measured *measured);
