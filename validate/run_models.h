/* run_models.h - every model's prediction of a run's cells, by the cells' names, and the verdict on it.
 *
 * Models    those of verdict.h, fed with the run's own rates and fractions. Cells they know nothing of or have no answer
 *           for are NaN.
 */
#ifndef MERCURY_VALIDATE_RUN_MODELS_H
#define MERCURY_VALIDATE_RUN_MODELS_H

#include "traces/frame.h"
#include "validate/verdict.h"

enum { RUN_MODELS = VERDICT_MODELS, RUN_MODEL_VERDICT_BYTES = 200 };

struct run_model_cell {
    double value; /* in the cell's unit */
    char verdict
        [RUN_MODEL_VERDICT_BYTES]; /* "inside", "violated: ...", "outside: ..."; "" of inputs and unknown cells */
};

const char *run_model(unsigned model);

/** Predict from a run's frame.
 *
 * @param parameters  names of cells, `count` of them: lambda_1a, N_Q_2 ...
 * @param cells       of the first model, then the next one's: RUN_MODELS x count
 * @return 0 or a VALIDATION_E* code
 */
int run_models_predict(const struct frame *frame, const struct frame_layout *layout,
                       const char *const *parameters, unsigned count, struct run_model_cell *cells);

#endif
