/* queue_report.h - queues in tandem as they were simulated, beside what queueing theory says of them: a table with notes.
 *
 * Table     a row a stage and quantity: the mean with its 95% half-width, then each model's prediction and whether it is
 *           inside the interval. Notes say which interval is the widest and what a narrower one takes, and how many
 *           predictions of a model are inside.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_THEORY_QUEUE_REPORT_H
#define MERCURY_APP_THEORY_QUEUE_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"
#include "sim/simgrid/queue_line.h"
#include "base/result_table.h"

enum { QUEUE_MODELS_MAX = 8 };

/** One model's answer. */
struct queue_prediction {
    const char *model;
    double values[QUEUE_LINE_STAGES_MAX][QUEUE_LINE_QUANTITIES]; /* NaN: none */
    bool exact[QUEUE_LINE_STAGES_MAX];                           /* the stage is what the model assumes */
    const char *no_answer[QUEUE_LINE_STAGES_MAX];                /* why there is none, or NULL */
};

struct queue_report {
    const struct queue_line *tandem;
    const struct queue_line_result *result;
    const struct queue_prediction *predictions;
    unsigned prediction_count;
};

/** @param path  as result_table_save() */
int queue_report_save(const struct queue_report *report, enum result_format format, const char *path,
                      struct why *why);

#endif
