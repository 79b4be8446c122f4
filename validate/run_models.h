/* run_models.h - every model's prediction of a run's cells, by the cells' names.
 *
 * Models    those of comparison.h, fed with the run's own rates and fractions as it does. Cells they know nothing of (the two
 *           queues of 1b apart) or have no answer for are NaN.
 * To add a model: a row in the table of run_models.c.
 */
#ifndef MERCURY_VALIDATE_RUN_MODELS_H
#define MERCURY_VALIDATE_RUN_MODELS_H

#include "traces/frame.h"

/** A model's name, or NULL behind the last. */
const char *run_model(unsigned model);

/** Predict from a run's frame.
 *
 * @param parameters  names of cells, `count` of them: lambda_1a, N_Q_2 ...
 * @param values      in their units
 * @return 0 or a COMPARISON_E* code
 */
int run_model_predict(unsigned model, const struct frame *frame, const struct frame_layout *layout,
                      const char *const *parameters, unsigned count, double *values);

#endif
