/* queue_report.h - simulated queues beside the predictions of queueing theory: a table with notes.
 *
 * Table     one row per stage and quantity: the mean with its 95% half-width, then each model's prediction and whether
 *           the interval covers it. Notes say which interval is the widest, how many customers a narrower one would
 *           take, how many predictions of each model are covered, and whether batches are short.
 * Networks  one row per quantity: the throughput of each class, then per centre what is measured of all classes, and,
 *           if there are several, of each. Notes say whether the model is exact and how many predictions are inside.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include "base/draw/result_table.h"
#include "base/why.h"
#include "validate/queue_theory.h"

/** Whether the interval of a quantity of a line covers a prediction: "yes", "no", or "-" if there is none. */
const char *queue_report_covers_at(double prediction, const struct queue_line_result *result, unsigned stage,
                                   enum queue_line_quantity quantity);

/** Note if batches have so few relaxation times that intervals cannot be trusted. */
void queue_report_note_short(struct result_table *table, const struct queue_line *line,
                             const struct queue_line_result *result);

/** Make the table of the simulated values of a line, and of the predictions of every model.
 *  It is to be written before the next one is made.
 *  @param format  the text has one model for each stage */
struct result_table *queue_report_make(const struct queue_judged *judged, enum result_format format);

/** Write the simulated values of a network, and what queue_theory.h predicts.
 *
 * @param name  of the network, in the picture
 * @param path  as in result_table_save()
 * @param plot  a picture of how often so many customers were at each centre goes there; NULL: none
 */
int closed_report_save(const struct queue_network *network, const struct queue_network_result *result,
                       const char *name, enum result_format format, const char *path, const char *plot,
                       struct why *why);
