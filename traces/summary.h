/* summary.h - measured frames as files: one JSON summary, histograms as TSV.
 *
 * summary.json  { "schema": "mercury-summary-2",
 *                 "simulated_time_s": ..., "measured_time_s": ..., "clock_hz": ..., "passes": n,
 *                 "<stage>": { counters, rates, ratios, queues of the run }, ...,
 *                 further sections of who writes it ("bottleneck", "local_clocks", "measuring", "measurements"),
 *                 "per_pass": [ { "pass": 1, "begin_s": ..., "simulated_time_s": ..., "<stage>": { ... } }, ... ] }
 *               A FLOW counter x adds "x_per_s", a BUSY counter x gives "x_clocks" and "x_utilisation", a TIME counter
 *               x gives "x_s". A ratio without a denominator is null. A queue is an object: "places" (null: no
 *               bound), "elements", "mean", "max", "mean_wait_s", "back_pressure_fraction" (null: no signal).
 *               A pass that was cut into batches has "intervals": { "batches": n, "blocks_a_batch": n, and of every quantity
 *               "<name>": { "unit", "mean", "half_width" of the 95% interval, "lag1" of neighbouring batches, "largest_share" of one batch } } (null: the
 *               batches are too few, or there is no mean).
 * histograms    one row a bin that is not empty: queue, element, from and to (occupancy, inclusive), clocks, fraction
 *               of the frame, and which frame: "run", or the pass's number. A queue's clocks add up to its frame's length
 *               (stage 3's inbox is watched until stage 3 has drained, the board's queues until the board has).
 * Schema        its number grows when a member changes its place or meaning, or goes; a further section or member
 *               leaves it as it is.
 * Bytes         the same frames give the same bytes.
 */
#ifndef MERCURY_TRACES_SUMMARY_H
#define MERCURY_TRACES_SUMMARY_H

#include <stdio.h>

#include <jansson.h>

#include "traces/frame.h"

enum summary_error { SUMMARY_EMEMORY = -1, SUMMARY_EWRITE = -2 };

/** Write summary.json.
 *
 * @param passes  `count` frames, one a pass, in the order they ran
 */
int summary_write_json(const struct frame *run, const struct frame *passes, size_t count,
                       const struct frame_layout *layout, FILE *out);

/** The same with further members of the root, an object's, behind "passes". @param sections  borrowed; may be NULL */
int summary_write_json_with(const struct frame *run, const struct frame *passes, size_t count,
                            const struct frame_layout *layout, json_t *sections, FILE *out);

/** A number of these files: null where there is none, since JSON has no NaN. */
json_t *summary_number(double value);

/** Write the histograms, the run's first. */
int summary_write_histograms(const struct frame *run, const struct frame *passes, size_t count,
                             const struct frame_layout *layout, FILE *out);

#endif
