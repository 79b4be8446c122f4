/* measure_report.h - the measurements of a run: the frames of its passes put together, in the order of the passes.
 *
 * Models    TimeTrial's software side (Lancaster et al. 2011, section III): frame records are gathered, and what they
 *           say together is computed (traces/statistics/series_summary.h). Passes are independent, since each
 * begins with an empty
 *           machine; so warm-up is looked for in each. From BATCHES_LEAST passes on, the confidence interval is over
 *           the means of the passes; with fewer, it is over batches of what remains after the warm-ups, one pass after
 *           the other.
 * Files     frames.tsv            measurement, metric, tap, unit, pass, frame, begin_clock, clocks, partial, weight,
 *                                 aggregate, value, begin_local_s, end_local_s, begin_virtual_s, end_virtual_s: one row
 *                                 per frame and aggregate. The last four say what the clock of the frame's side, the
 *                                 board's or the host's, shows at its borders, and the virtual time of that
 *                                 (machine_clocks.h). The pass of frames of the run (frame_record.h) is "run"; their
 *                                 rows
 *                                 come after those of all passes. Their warm-up and interval are those of one long pass
 *           frame_histograms.tsv  measurement, unit, pass, frame, from, to, weight, fraction: one row per bin that
 *                                 is not empty
 * Memory    that of series_add(), and rows in an unnamed file; it grows with the run only by what frame_record.h
 *           says.
 */
#pragma once

#include <stdio.h>

#include <jansson.h>

#include "sim/measure/machine_clocks.h"
#include "sim/measure/measure_plan.h"
#include "sim/measure/frame_record.h"

/** Frame records, as bytes of a file. */
struct frame_records {
    FILE *file;
    off_t begin, end;
};

struct measure_report;

/** @param plan  borrowed
 *  @return NULL if no unnamed file can be made */
struct measure_report *measure_report_new(const struct measure_plan *plan);
void measure_report_destroy(struct measure_report *report);

/** Take in the frame records of the next pass, of board and host. @param clocks  have taken in the same pass
 *  @return whether the records are those of the plan and files can be read and written, as the next one does */
bool measure_report_add_pass(struct measure_report *report, const struct frame_records sides[2],
                             const struct machine_clocks *clocks);

/** Take in the host's frame records of the run, after the last pass, and put the frames of the run together.
 *
 * @param records  those of SIDE_HOST_OF_RUN
 * @param clocks   have taken in all passes
 */
bool measure_report_end_run(struct measure_report *report, const struct frame_records *records,
                            const struct run_times *times, const struct machine_clocks *clocks);

/** An object of all measurements for summary.json; dots in their names make groups. */
json_t *measure_report_json(const struct measure_report *report);

/** Write what all frames say together as a table for people, a row per value. */
void measure_report_write_text(const struct measure_report *report, FILE *out);

/** Write frames.tsv and frame_histograms.tsv. @return 0 or negative */
int measure_report_write_frames(const struct measure_report *report, FILE *out);
int measure_report_write_histograms(const struct measure_report *report, FILE *out);
