/* replay_report.h - a replayed run beside its publication and the predictions of all models: a table with notes, and a
 * verdict.
 *
 * Table     one row per cell: the published and the simulated value with its half-width, their difference, whether the
 *           cell rounds to what was published, is within the tolerance or OFF, and each model's prediction. Notes name
 *           the cells that differ most, the margins with which a signal would be as it was measured,
 *           and the reasons not to trust a model's prediction.
 * Signals   P_BP of 1b and of 2 are signals for which nothing waits: they are on in clocks with fewer free places than
 *           their margin (fifo.wmer_margin, fifo.stage2_margin). No publication gives the margins. If such a cell
 *           differs from the measurement, the same clocks are replayed with other margins, to find the margin nearest
 *           to the machine's own with which the cell is inside a given interval; no other cell changes.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/draw/result_table.h"
#include "base/why.h"
#include "validate/dor2010.h"
#include "validate/validation.h"
#include "app/replay/replay.h"

/** P_BP of 1b and of 2. */
enum { REPLAY_SIGNALS = 2 };

struct replay_signal {
    const char *name; /* of the margin, such as fifo.wmer_margin */
    uint32_t margin;  /* the machine's own */
    /** The nearest margin with which the cell reaches or passes the interval; the last one tried if none does. */
    uint32_t other_margin;
    double other_value; /* of the cell with `other_margin` */
    bool found;         /* whether `other_value` is inside the interval */
};

/** Search the margin for a cell.
 *
 *  @param options  of the replay whose result is `as_is`
 *  @param low, high  the interval that the cell should be in
 *  @return an enum command_status and one line */
int replay_signal_explain(const struct replay_options *options, const struct replay_result *as_is,
                          enum machine_quantity cell, double low, double high, struct replay_signal *out,
                          struct why *why);

/* The tolerance of verdicts if none is asked for. */
#define REPLAY_TOLERANCE 0.07

struct replay_report {
    const struct replay_options *options;
    const struct replay_result *result;
    const struct validation *validation; /* of the replayed run's frame */
    enum dor2010_run published;
    const struct run_options *shared; /* the machine, and every --set; for the table */
    double tolerance;                 /* relative difference that is "within" */
    bool wide; /* whether a text has all columns: the medians, and what was and is predicted, too */
    struct replay_signal signals[REPLAY_SIGNALS]; /* only those outside the tolerance have a name */
};

/** Add the fractions of a run's draws to a table, as a fact. */
void replay_report_add_draws(struct result_table *table, const char *name, const struct replay_scenario *run);

/** Add a machine that was named, and what was set of it, as facts. */
void replay_report_add_machine(const struct run_options *shared, struct result_table *table);

/** How a cell stands to its measurement: "rounds" to what was published, is "within" the tolerance, or is "OFF". */
const char *replay_report_verdict(const struct replay_report *report, enum machine_quantity cell);

/** (simulated - published) / published; NaN if 0 was published. */
double replay_report_difference(const struct replay_report *report, enum machine_quantity cell);

/** Replay signals that are outside the tolerance with other margins, and fill `signals`. */
int replay_report_explain(struct replay_report *report, struct why *why);

/** Write the table. @param path  as in result_table_save() */
int replay_report_save(const struct replay_report *report, enum result_format format, const char *path,
                       struct why *why);

/** Judge the run. @return COMMAND_FAILED and one line that names the worst cell if a cell is outside the tolerance,
 *  else 0 */
int replay_report_judge(const struct replay_report *report, struct why *why);
