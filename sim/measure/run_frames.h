/* run_frames.h - frames of the run: its time is cut into frames, which are put together from pieces of the passes.
 *
 * Models    the rates of an execution (Lancaster et al. 2011): TimeTrial's frames go on while tables are loaded and
 *           passes change.
 * Time      is counted in clocks of the board from the begin of the run; clock 0 of a pass's board is rounded to the
 *           nearest clock of the run (struct run_times). Frame k ends at round(k P) clocks, and the last one with the
 *           run, when the board and stage 3 have finished with the last pass; stitching follows it. Frames have no
 *           gaps and do not overlap. A frame may hold several passes, parts of passes, and the loading of tables.
 * Pieces    What a pass measured on its board in a frame is a piece. Pieces add up: counts, sums weighted by time or by
 *           elements, least and greatest values, histograms and sketches. The host is measured over all passes at once
 *           (sim/host/host_events.h), so that each of its frames is one piece.
 * Idle      A board that has no pass, or loads tables, has empty queues and does nothing. So a rate, a utilisation,
 *           back-pressure and an occupancy are of the whole frame, and 0 in a frame in which only tables are loaded.
 *           Latencies, reads per seed and fractions of elements are of the elements that come in the frame, and NaN if
 *           none come.
 * Boards    Rates are of all boards together. Occupancies, utilisations and back-pressure are those of one board on
 *           average, as if one board had all boards' clocks one after the other; the use of the bus is that of one bus
 *           on average.
 * Memory    32 bytes for every piece; the rest is in an unnamed file.
 * Errors    false: memory is exhausted, or the file cannot be written or read back.
 */
#ifndef MERCURY_SIM_MEASURE_RUN_FRAMES_H
#define MERCURY_SIM_MEASURE_RUN_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/measure/frame_record.h"
#include "sim/measure/measure_plan.h"

/** When the passes of a run happen, in clocks of the run. */
struct run_times {
    int64_t *origins; /* of every pass: clock of the run in which clock 0 of the pass's board is */
    int64_t
        *firsts; /* of every pass: a clock of the run before which nothing of it happens, nor of its tables */
    int64_t end; /* number of clocks of the run */
};

struct run_frames;

/** @return NULL if memory is exhausted or no unnamed file can be made */
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

#endif
