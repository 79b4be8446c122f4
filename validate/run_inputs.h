/* run_inputs.h - the inputs of a prediction, taken from a run: as in Dor 2010, sections 4.3.5 and 6.1.
 *
 * M_2       is the SRAM's utilisation if stage 1b is saturated, else 1.
 * Saturated 1b's back-pressure signal is on in more than half of the clocks (MERCURY_SATURATED), and 1bd has more work
 *           than the bus and stage 2, and works longer than they hold it up: else it is not filled by its own work. An
 *           older summary without services is judged by the signal alone.
 * Errors    a negative PREDICT_E* code and one line that names the run and what is wrong in it.
 */
#pragma once

#include <stdbool.h>

#include "model/predict/predict_inputs.h"
#include "sim/run/run.h"

/** Clocks that 1bd needs for what it did: one per lookup without a trip, and those by which trips hold it. */
double run_inputs_work_1bd(const struct frame_values *frame, const struct predict_case *inputs);

/** @param inputs  of the frame */
bool run_inputs_saturated(const struct frame_values *frame, const struct predict_case *inputs);

/** Add a case for the run and, if `passes` is set, one for each of its passes. What `base` was given by assignment
 *  stays. */
int run_inputs_take(const struct run *run, const struct predict_case *base, bool passes,
                    struct predict_cases *list, struct why *why);

/** Read a file of cases, which is a table or a summary: its text begins with '{'.
 *
 * @param path    "-" is standard input
 * @param passes  whether to add the passes of a summary, too
 */
int run_inputs_read(const char *path, const struct predict_case *base, bool passes,
                    struct predict_cases *list, struct why *why);
