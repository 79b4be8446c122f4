/* prediction.h - every model's answer to one case (predict_inputs.h), and its output.
 *
 * Models    One queue is asked of M/M/1, M/M/1/K from the offered and (Dor) from the actual rate, M/D/1, M/G/1 and
 *           M^[X]/G/1.
 *           The accelerator is asked of the chains of four and five stages (mercury_model.h), each stage by each model
 *           of pipeline.h, and of the tandem with blocking (mercury_tandem.h), which also predicts the rates. For M/G/1
 *           the service of 1b is a mixture of one clock and of trips; if trips are not given and do not follow from
 *           other inputs (predict_case_complete()), M/G/1 has no number for 1b.
 * Answers   An answer is a number, or the reason why the model has none. A number has a caution if the formula holds,
 *           but probably not the hardware.
 * Domain    as in mercury_model.h, if inputs are known to some digits (predict_case.digits; three for a summary). A
 *           machine that does not keep to an assumption of the model has a number nevertheless.
 * Saturated A measured 1b that is saturated has rho = 1 by construction, because M_2 is its own utilisation: it has no
 *           number, but the stages after it have theirs.
 * Errors    0, or a negative code of model_error.h for inputs that no model can take.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/draw/result_table.h"
#include "model/queue/mercury_model.h"
#include "model/queue/mercury_tandem.h"
#include "model/predict/predict_inputs.h"

enum prediction_chain { PREDICTION_QUEUE, PREDICTION_FOUR, PREDICTION_FIVE, PREDICTION_CHAINS };

/** The models: those of pipeline.h, then one that only the accelerator has. */
enum prediction_model { PREDICTION_BLOCKING = PIPELINE_MODELS, PREDICTION_MODELS };

struct prediction_stage {
    const char *name;
    double lambda_per_s, mu_per_s, rho; /* of the chain; NaN without a chain */
    double saturating_input_per_s;      /* bytes per second; NaN for one queue */
    bool asked[PREDICTION_MODELS];
    struct pipeline_queue queue[PREDICTION_MODELS];
};

struct prediction_part {
    int status; /* 0, or why the chain has no numbers; the tandem may still have some */
    int blocking_status;
    struct prediction_stage stages[MERCURY_FIVE_STAGES];
    int count;
    struct pipeline_summary whole;
};

struct prediction {
    const struct predict_case *inputs;
    struct prediction_part parts[PREDICTION_CHAINS]; /* one queue, or four and five; count 0: not asked */
    struct mercury_tandem_prediction tandem;         /* where parts[PREDICTION_FIVE].blocking_status is 0 */
};

/** @return 0, or the code of an input that no model can take */
int prediction_make(const struct predict_case *inputs, struct prediction *out);

/** The accelerator's chains alone, thousands of times faster: the tandem is MODEL_EUNKNOWN. */
int prediction_make_chains(const struct predict_case *inputs, struct prediction *out);

/** Write predictions. */
void prediction_write(const struct prediction *predictions, size_t count, enum result_format format,
                      FILE *out);
