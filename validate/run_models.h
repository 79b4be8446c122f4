/* run_models.h - every model's prediction of a run's cells, by the cells' names.
 *
 * Models    those of verdict.h, fed with the run's own rates and fractions. Cells they know nothing of or have no answer
 *           for are NaN.
 */
#ifndef MERCURY_VALIDATE_RUN_MODELS_H
#define MERCURY_VALIDATE_RUN_MODELS_H

#include "traces/frame.h"
#include "validate/verdict.h"

enum { RUN_MODELS = VERDICT_MODELS };

const char *run_model(unsigned model);

/** Predict from a run's frame.
 *
 * @param parameters  names of cells, `count` of them: lambda_1a, N_Q_2 ...
 * @param values      in their units; of the first model's cells, then the next one's: RUN_MODELS x count
 * @return 0 or a VALIDATION_E* code
 */
int run_models_predict(const struct frame *frame, const struct frame_layout *layout,
                       const char *const *parameters, unsigned count, double *values);

#endif
