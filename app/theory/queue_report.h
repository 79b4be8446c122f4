/* queue_report.h - simulated queues in tandem beside the predictions of queueing theory: a table with notes.
 *
 * Table     one row per stage and quantity: the mean with its 95% half-width, then each model's prediction and whether
 *           it is inside the interval. Notes say which interval is the widest, how many customers a narrower one would
 *           take, and how many predictions of each model are inside.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_THEORY_QUEUE_REPORT_H
#define MERCURY_APP_THEORY_QUEUE_REPORT_H

#include <stdbool.h>

#include "base/result_table.h"
#include "base/why.h"
#include "sim/simgrid/queue_line.h"

/** Whether a prediction is in an interval, or beside it by rounding only. */
bool queue_report_is_inside(double prediction, const struct estimate *estimate);

/** Note which interval is the widest, and how long a run would make it narrow enough.
 *
 * @param what         the quantity and where it is
 * @param width        the full width as a fraction of the value
 * @param until_width  the width that was asked for; 0: none
 * @param done         length of the run, in `unit`, a plural
 */
void queue_report_note_width(struct result_table *table, const char *what, double width, double until_width,
                             double done, const char *unit);

/** Write the simulated values of a tandem, and the predictions of every model of queue_theory.h.
 *
 * @param path  as in result_table_save()
 */
int queue_report_save(const struct queue_line *tandem, const struct queue_line_result *result,
                      enum result_format format, const char *path, struct why *why);

#endif
