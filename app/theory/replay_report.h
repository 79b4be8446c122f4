/* replay_report.h - a replayed run beside its publication and what models say of it: the table, its notes, the verdict.
 *
 * Table     a row a cell: published, simulated with its half-width, the difference, whether the cell rounds to what was
 *           published, is within the tolerance or OFF, and each model's prediction. Notes name the cells farthest off, the
 *           margins that would bring a signal that is off to where it was measured (replay_signals.h), and why a model's
 *           prediction is not to be trusted.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_THEORY_REPLAY_REPORT_H
#define MERCURY_APP_THEORY_REPLAY_REPORT_H

#include <stddef.h>

#include "base/why.h"
#include "app/theory/replay.h"
#include "app/theory/replay_signals.h"
#include "base/result_table.h"
#include "validate/dor2010.h"
#include "validate/validation.h"

struct replay_report {
    const struct replay_options *options;
    const struct replay_result *result;
    const struct validation *validation; /* of the replayed run's frame */
    enum dor2010_run published;
    const char *const *sets; /* every --set */
    int set_count;
    double tolerance;                           /* a cell's, relative */
    struct replay_signal signals[REPLAY_CELLS]; /* of signals that are off; else without a name */
};

/** Replay signals that are off with other margins: fills `signals`. */
int replay_report_explain(struct replay_report *report, struct why *why);

/** @param path  as result_table_save() */
int replay_report_save(const struct replay_report *report, enum result_format format, const char *path,
                       struct why *why);

/** @return COMMAND_FAILED, and how far off which cell is, where one is outside the tolerance */
int replay_report_judge(const struct replay_report *report, struct why *why);

#endif
