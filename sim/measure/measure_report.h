/* measure_report.h - the measurements of a run: its passes' frames put together, in the passes' order.
 *
 * Models    TimeTrial's software side (Lancaster et al. 2011, section III): frames' records gathered, and what they say
 *           together (traces/across.h). Passes are independent: each begins with an empty machine, so warm-up is
 *           looked for in each. From BATCHES_LEAST passes on, the confidence interval is over the passes' means;
 *           with fewer, over batches of what the warm-ups leave, one pass after the other.
 * Files     frames.tsv            measurement, metric, tap, unit, pass, frame, begin_clock, clocks, partial, weight,
 *                                 aggregate, value, begin_local_s, end_local_s, begin_virtual_s, end_virtual_s: a row a
 *                                 frame and aggregate; what the clock of its side, the board's or the host's, shows at
 *                                 its borders, and the virtual time of that (machine_clocks.h)
 *           frame_histograms.tsv  measurement, unit, pass, frame, from, to, weight, fraction: a row a bin that holds
 *                                 something
 * Memory    series_add()'s, and rows in an unnamed file; not of the run's length.
 * Errors    MEASURE_REPORT_E*.
 */
#ifndef MERCURY_SIM_MEASURE_MEASURE_REPORT_H
#define MERCURY_SIM_MEASURE_MEASURE_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "sim/measure/machine_clocks.h"
#include "sim/measure/measure_plan.h"

enum measure_report_error {
    MEASURE_REPORT_EMEMORY = -1,
    MEASURE_REPORT_EFILE = -2,   /* no unnamed file, or it cannot be written */
    MEASURE_REPORT_EBROKEN = -3, /* records that make no sense */
};

struct measure_report;

/** @param plan  borrowed
 *  @return NULL when memory or unnamed files are out */
struct measure_report *measure_report_new(const struct measure_plan *plan);
void measure_report_destroy(struct measure_report *report);

/** Take in a pass's records; passes come in order.
 *
 * @param records  a file descriptor, read from its beginning
 * @param clocks   that have taken in the same pass
 */
int measure_report_add_pass(struct measure_report *report, int records, const struct machine_clocks *clocks);

/** For summary.json: an object of all measurements, dots in their names making groups; NULL when memory is out. */
json_t *measure_report_json(const struct measure_report *report);

/** @return 0 or negative */
int measure_report_write_frames(const struct measure_report *report, FILE *out);
int measure_report_write_histograms(const struct measure_report *report, FILE *out);

#endif
