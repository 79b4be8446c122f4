/* queue_report.h - simulated queues in tandem beside the predictions of queueing theory: a table with notes.
 *
 * Table     one row per stage and quantity: the mean with its 95% half-width, then each model's prediction and whether
 *           the interval covers it. Notes say which interval is the widest, how many customers a narrower one would
 *           take, how many predictions of each model are covered, and whether batches are short.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_THEORY_QUEUE_REPORT_H
#define MERCURY_APP_THEORY_QUEUE_REPORT_H

#include <stdbool.h>

#include "base/draw/result_table.h"
#include "base/why.h"
#include "sim/simgrid/queue_line.h"

/** Whether an interval covers a prediction: "yes", "no" (not even but for rounding), or "-" if there is none.
 *
 * @param events  number of customers of which none had what the estimate counts: of an event that none of n had, the
 *                interval of 95% goes up to 3/n (Hanley and Lippman-Hand 1983). 0: the estimate counts no events
 */
const char *queue_report_covers(double prediction, const struct estimate *estimate, double events);

/** The same of a quantity of a line. */
const char *queue_report_covers_at(double prediction, const struct queue_line_result *result, unsigned stage,
                                   enum queue_line_quantity quantity);

/** Note which interval is the widest, and how long a run would make it narrow enough.
 *
 * @param what         the quantity and where it is
 * @param width        the full width as a fraction of the value
 * @param until_width  the width that was asked for; 0: none
 * @param done         length of the run, in `unit`, a plural
 */
void queue_report_note_width(struct result_table *table, const char *what, double width, double until_width,
                             double done, const char *unit);

/** Note if batches have so few relaxation times that intervals cannot be trusted. */
void queue_report_note_short(struct result_table *table, const struct queue_line *line,
                             const struct queue_line_result *result);

/** Write the simulated values of a tandem, and the predictions of every model of queue_theory.h.
 *
 * @param path  as in result_table_save()
 */
int queue_report_save(const struct queue_line *tandem, const struct queue_line_result *result,
                      enum result_format format, const char *path, struct why *why);

#endif
