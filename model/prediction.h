/* prediction.h - every model's answer to one case (predict_inputs.h), and how it is written.
 *
 * Models    one queue: M/M/1, M/M/1/K from the actual and from the offered rate, M/D/1, M/G/1, M^[X]/G/1.
 *           The accelerator: the chains of four and five stages (mercury_model.h), each stage by each of pipeline.h's
 *           models; and the tandem with blocking (mercury_tandem.h), which predicts the rates as well.
 *           1b's service is a mixture of a clock and of trips, for M/G/1; where trips are neither given nor follow
 *           (predict_case_complete()), M/G/1 has no number for it.
 * Answers   a number, or the reason why a model has none. A number that holds by the formula and probably not on the
 *           hardware carries a caution.
 * Domain    of inputs that are known to some digits (predict_case.digits; three of a summary) only: mercury_model.h; an
 *           assumption of the model that the machine does not keep to takes no number away.
 * Saturated a measured 1b that is saturated has rho = 1 by construction, M_2 being its own utilisation: no number there
 *           (as validate/ has it), while what is after it is reached.
 * Errors    0, or a negative code of model_error.h for inputs that no model can take.
 */
#ifndef MERCURY_MODEL_PREDICTION_H
#define MERCURY_MODEL_PREDICTION_H

#include <stdbool.h>
#include <stdio.h>

#include "model/mercury_model.h"
#include "model/mercury_tandem.h"
#include "model/predict_inputs.h"

enum prediction_chain { PREDICTION_QUEUE, PREDICTION_FOUR, PREDICTION_FIVE, PREDICTION_CHAINS };

/** Columns: pipeline.h's models, then those that only one kind of case has. */
enum prediction_model { PREDICTION_BLOCKING = PIPELINE_MODELS, PREDICTION_MM1K_OFFERED, PREDICTION_MODELS };

struct prediction_stage {
    const char *name;
    double lambda_per_s, mu_per_s, rho; /* as the chain has them; NaN without a chain */
    double saturating_input_per_s;      /* bytes per second; NaN for one queue */
    bool asked[PREDICTION_MODELS];
    struct pipeline_queue queue[PREDICTION_MODELS];
};

struct prediction_part {
    int status; /* of the chain: 0, or why it has no stages but perhaps those of the tandem */
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

const char *prediction_chain_name(enum prediction_chain chain);
const char *prediction_model_name(enum prediction_model model);

/** @return 0, or the code of an input that no model can take */
int prediction_make(const struct predict_case *inputs, struct prediction *out);

/** The accelerator's chains alone, thousands of times faster: the tandem is MODEL_EUNKNOWN. */
int prediction_make_chains(const struct predict_case *inputs, struct prediction *out);

/** Write predictions in turn; tsv and json are begun and ended once. @return 0 or -1 when that fails */
int prediction_write_text(const struct prediction *p, FILE *out);
int prediction_begin_tsv(FILE *out);
int prediction_write_tsv(const struct prediction *p, FILE *out);
int prediction_write_json(const struct prediction *predictions, size_t count, FILE *out);

#endif
