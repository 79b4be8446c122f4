/* operations_write.h - the forecast of random sums, written for people, for scripts and for programs.
 *
 * Text      the counts and durations of all types of operations, how well their shares are known, the times of each
 *           server, tails of the run's latencies, and the verdicts in sentences; with `passes`, the residual of each
 *           pass.
 * TSV       a line per number: server, operation, pass, quantity, unit, value; NA where there is none.
 * JSON      the same as a tree; verdicts are values. Names are those that mercury explain knows.
 */
#ifndef MERCURY_MODEL_OPERATIONS_WRITE_H
#define MERCURY_MODEL_OPERATIONS_WRITE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/draw/result_table.h"
#include "model/sums/operations_forecast.h"

/** @param passes  whether a text has the passes, too; TSV and JSON always have them
 *  @return 0, or -1 if memory is exhausted or `out` cannot be written */
int operations_write(const struct operations_forecast *forecast, bool passes, enum result_format format,
                     FILE *out);

#endif
