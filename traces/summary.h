/* summary.h - measured frames as files: one JSON summary, histograms as TSV.
 *
 * summary.json  { "schema": "mercury-summary-2",
 *                 "simulated_time_s": ..., "measured_time_s": ..., "clock_hz": ..., "passes": n,
 *                 "<stage>": { counters, rates, ratios, queues of the run }, ...,
 *                 further sections of the caller ("bottleneck", "local_clocks", "measuring", "measurements"),
 *                 "per_pass": [ { "pass": 1, "begin_s": ..., "simulated_time_s": ..., "<stage>": { ... } }, ... ] }
 *               A FLOW counter x adds "x_per_s", a BUSY counter x gives "x_clocks" and "x_utilisation", a TIME counter
 *               x gives "x_s". A ratio without a denominator is null. A queue is an object: "places" (null: unbounded),
 *               "elements", "mean", "max", "mean_wait_s", "back_pressure_fraction" (null: no signal). A pass that was
 *               cut into batches has "intervals": { "batches": n, "blocks_a_batch": n, and for every quantity "<name>":
 *               { "unit", "mean", "half_width" of the 95% interval, "lag1" of neighbouring batches, "largest_share" of
 *               one batch } }; a number there is null if the batches are too few or there is no mean.
 * histograms    one row for each bin that is not empty: queue, element, from and to (occupancy, inclusive), clocks,
 *               fraction of the frame, and the frame: "run", or the number of the pass. A queue's clocks add up to the
 *               length of its frame (stage 3's inbox is watched until stage 3 has drained, the board's queues until the
 *               board has).
 * Schema        its number grows if a member changes its place or meaning, or goes; a further section or member leaves
 *               the number as it is.
 * Bytes         the same frames give the same bytes.
 */
#pragma once

#include <stdio.h>

#include <jansson.h>

#include "traces/frame.h"

enum { SUMMARY_EWRITE = -2 };

struct queue_values {
    double places, elements, mean, most, wait_s,
        signal; /* signal: fraction of the clocks in which it is on */
};

struct interval_values {
    double count, mean_clocks, scv, lag1;
};

/** A frame's numbers as the file has them: COUNT and FLOW in elements, BUSY in clocks, TIME in seconds. NaN stands for
 *  null. */
struct frame_values {
    double begin_s, simulated_s, clock_hz, clocks;
    double counters[FRAME_COUNTERS_MAX], gauges[FRAME_GAUGES_MAX];
    struct queue_values queues[FRAME_QUEUES_MAX];
    struct interval_values intervals[FRAME_INTERVALS_MAX];
    double batches, blocks_a_batch; /* 0 if there are no estimates */
    struct estimate estimates[FRAME_ESTIMATES_MAX];
};

struct frame_values frame_values_of(const struct frame *frame, const struct frame_layout *layout);

/** Make the object of summary.json.
 *
 * @param passes    `count` frames, one per pass, in the order of the run
 * @param sections  an object whose members are added to the root after "passes": borrowed; may be NULL
 * @return the object, which the caller frees
 */
json_t *summary_json(const struct frame *run, const struct frame *passes, size_t count,
                     const struct frame_layout *layout, json_t *sections);

/** Number of decimal digits that numbers have in the file. */
enum { SUMMARY_DIGITS = 12 };

/** Read the numbers of an object that a file had. What it does not have is NaN.
 *
 * @param passes  out: as many frames as "per_pass" has items
 */
void summary_read(const json_t *summary, const struct frame_layout *layout, struct frame_values *run,
                  struct frame_values *passes);

/** Round the numbers of such an object to those that its file has. */
void summary_round(json_t *summary);

/** Write such an object. */
int summary_write_object(const json_t *summary, FILE *out);

/** Write the histograms, those of the run first. */
int summary_write_histograms(const struct frame *run, const struct frame *passes, size_t count,
                             const struct frame_layout *layout, FILE *out);
