/* run_answer.h - the answer of a run on the terminal: at most 18 lines of at most 80 columns, each fact once; of a
 * sample of windows 19 lines.
 *
 * What was compared and found, the simulated time and its phases, this computer's time, what every stage did, what
 * limits the run, what theory says, and where the rest is. run_report.h has everything.
 * Of a sample: that it is one, the forecast of the whole run with its intervals, whether they can be relied on, and how
 * many passes better ones need.
 */
#ifndef MERCURY_APP_RUN_RUN_ANSWER_H
#define MERCURY_APP_RUN_RUN_ANSWER_H

#include <stdio.h>

#include "validate/validation.h"
#include "app/run/run_report.h"

/** @param validation  NULL if the run's rates are outside every model's domain
 *  @param files       what was written, such as "out/        report.html  alignments.tsv"; NULL if there is nothing */
void run_answer_write(const struct run_facts *facts, const struct validation *validation, const char *files,
                      FILE *out);

#endif
