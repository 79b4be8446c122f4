/* queue_report.h - simulated queues in tandem beside the predictions of queueing theory: a table with notes.
 *
 * Table     one row per stage and quantity: the mean with its 95% half-width, then each model's prediction and whether
 *           it is inside the interval. Notes say which interval is the widest, how many customers a narrower one would
 *           take, and how many predictions of each model are inside.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_THEORY_QUEUE_REPORT_H
#define MERCURY_APP_THEORY_QUEUE_REPORT_H

#include "base/result_table.h"
#include "base/why.h"
#include "sim/simgrid/queue_line.h"

/** Write the simulated values of a tandem, and the predictions of every model of queue_theory.h.
 *
 * @param path  as in result_table_save()
 */
int queue_report_save(const struct queue_line *tandem, const struct queue_line_result *result,
                      enum result_format format, const char *path, struct why *why);

#endif
