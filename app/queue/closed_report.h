/* closed_report.h - a simulated closed network beside queueing theory: a table with notes.
 *
 * Table     one row per quantity: the throughput of each class, then per centre what is measured of all classes, and,
 *           if there are several, of each. A row has the mean with its 95% half-width, the prediction, and whether it
 *           is inside the interval. Notes say whether the model is exact and how many predictions are inside.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_THEORY_CLOSED_REPORT_H
#define MERCURY_APP_THEORY_CLOSED_REPORT_H

#include "base/draw/result_table.h"
#include "base/why.h"
#include "sim/simgrid/queue_network.h"

/** Write the simulated values of a network, and what closed_theory.h predicts.
 *
 * @param path  as in result_table_save()
 */
int closed_report_save(const struct queue_network *network, const struct queue_network_result *result,
                       enum result_format format, const char *path, struct why *why);

#endif
