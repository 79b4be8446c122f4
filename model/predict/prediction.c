#include "model/predict/prediction.h"

#include <math.h>
#include <string.h>

#include "model/queue/single_queue.h"
#include "model/model_error.h"

/* A rho that is nearer to 1 was computed as the ratio of a count to itself. */
#define RHO_ONE_WITHIN 1e-9

/* --- one queue ------------------------------------------------------------------------------------------- */

/* An invalid rate or capacity makes the case invalid; an invalid variance or batch only matters to models that use
 * it. */
static int make_queue(const struct predict_case *c, struct prediction_part *part)
{
    double lambda_per_s = c->value[PREDICT_LAMBDA], mu_per_s = c->value[PREDICT_MU];
    unsigned k = (unsigned)c->value[PREDICT_K];
    struct prediction_stage *stage = &part->stages[0];
    int status = queue_rates_check(lambda_per_s, mu_per_s);
    if (status)
        return status;
    *stage = (struct prediction_stage){.name = "queue",
                                       .lambda_per_s = lambda_per_s,
                                       .mu_per_s = mu_per_s,
                                       .rho = lambda_per_s / mu_per_s,
                                       .saturating_input_per_s = NAN};
    struct pipeline_queue *q = stage->queue;
    double scv = c->value[PREDICT_SCV];
    bool has_scv = c->given[PREDICT_SCV], has_batch = has_scv && c->given[PREDICT_BATCH_MEAN];
    q[PIPELINE_MM1].status = mm1_solve(lambda_per_s, mu_per_s, k, &q[PIPELINE_MM1].mean);
    q[PIPELINE_MM1K].status =
        k > 0 ? mm1k_solve_offered(lambda_per_s, mu_per_s, k, &q[PIPELINE_MM1K].mean) : MODEL_ENO_K;
    q[PIPELINE_MM1K_DOR].status =
        k > 0 ? mm1k_solve_actual(lambda_per_s, mu_per_s, k, &q[PIPELINE_MM1K_DOR].mean) : MODEL_ENO_K;
    q[PIPELINE_MD1].status = mg1_solve(lambda_per_s, mu_per_s, 0, &q[PIPELINE_MD1].mean);
    q[PIPELINE_MG1].status =
        has_scv ? mg1_solve(lambda_per_s, mu_per_s, scv, &q[PIPELINE_MG1].mean) : MODEL_ENO_SCV;
    q[PIPELINE_MXG1].status = has_batch
                                  ? mxg1_solve(lambda_per_s, mu_per_s, scv, c->value[PREDICT_BATCH_MEAN],
                                               c->value[PREDICT_BATCH_SECOND], &q[PIPELINE_MXG1].mean)
                                  : MODEL_ENO_BATCH;
    double rho_most = mercury_rounding_end(lambda_per_s, true, c->digits) /
                      mercury_rounding_end(mu_per_s, false, c->digits);
    bool determined = c->digits == 0 || mercury_load_is_determined(stage->rho, rho_most);
    for (int model = 0; model < PREDICTION_MODELS; model++) {
        stage->asked[model] = model != PREDICTION_BLOCKING;
        if (q[model].status == 0 && model != PIPELINE_MM1K && !determined)
            q[model].status = MODEL_EUNDETERMINED;
        if (q[model].status)
            q[model].mean = queue_result_none();
    }
    part->count = 1;
    return 0;
}

/* --- the accelerator ------------------------------------------------------------------------------------- */

static void take_stage(const struct pipeline_prediction *from, bool measured, struct prediction_stage *to)
{
    *to = (struct prediction_stage){.name = from->name,
                                    .lambda_per_s = from->lambda_per_s,
                                    .mu_per_s = from->mu_per_s,
                                    .rho = from->rho,
                                    .saturating_input_per_s = from->saturating_input_per_s};
    bool by_construction = measured && fabs(from->rho - 1) <= RHO_ONE_WITHIN;
    for (int model = 0; model < PIPELINE_MODELS; model++) {
        to->asked[model] = true;
        to->queue[model] = from->queue[model];
        if (to->queue[model].status == MODEL_ENO_SCV)
            to->queue[model].status = MODEL_ENO_TRIPS;
        bool exponential = model == PIPELINE_MM1 || model == PIPELINE_MM1K_DOR;
        if (by_construction && exponential && to->queue[model].status == 0)
            to->queue[model] = (struct pipeline_queue){
                model == PIPELINE_MM1 ? MODEL_EUNSTABLE : MODEL_ENOSOLUTION, 0, queue_result_none()};
    }
}

static void take_chain(const struct mercury_prediction *chain, int count, bool measured,
                       struct prediction_part *part)
{
    part->count = count;
    part->whole = chain->whole;
    for (int i = 0; i < count; i++)
        take_stage(&chain->stage[i], measured, &part->stages[i]);
    for (int model = 0; model < PIPELINE_MODELS; model++)
        for (int i = 0; i < count; i++)
            if (part->stages[i].queue[model].status && !part->whole.latency[model].status)
                part->whole.latency[model] =
                    (struct pipeline_latency){part->stages[i].queue[model].status, NAN};
}

/* Name the stages for a tandem that has no chain beside it; the chain's models have the reason. */
static void name_stages(struct prediction_part *part)
{
    static const char *const names[MERCURY_FIVE_STAGES] = {"pci", "1a", "1bp", "1bd", "2"};
    part->count = MERCURY_FIVE_STAGES;
    for (int i = 0; i < part->count; i++) {
        part->stages[i] = (struct prediction_stage){.name = names[i],
                                                    .lambda_per_s = NAN,
                                                    .mu_per_s = NAN,
                                                    .rho = NAN,
                                                    .saturating_input_per_s = NAN};
        for (int model = 0; model < PREDICTION_MODELS; model++)
            part->stages[i].queue[model] = (struct pipeline_queue){part->status, 0, queue_result_none()};
    }
}

/* Take the answers of the tandem; 1a is counted in w-mers, as in the chains. The bus carries words and records. */
static void take_tandem(const struct mercury_tandem_prediction *tandem, int status, const double *inputs,
                        struct prediction_part *part)
{
    struct pipeline_queue *bus = &part->stages[MERCURY_FIVE_PCI].queue[PREDICTION_BLOCKING];
    *bus = (struct pipeline_queue){status, 0, queue_result_none()};
    if (status == 0)
        bus->mean.rho =
            (tandem->lambda_in_bytes_per_s +
             tandem->queue[MERCURY_TANDEM_2].lambda_per_s * inputs[PREDICT_P_2] * inputs[PREDICT_HSP_BYTES]) /
            (inputs[PREDICT_BUS] * 1e6);
    part->blocking_status = status;
    for (int i = 0; i < MERCURY_TANDEM_STAGES; i++) {
        struct prediction_stage *stage = &part->stages[i + 1];
        struct pipeline_queue *queue = &stage->queue[PREDICTION_BLOCKING];
        *queue = (struct pipeline_queue){status, 0, queue_result_none()};
        stage->asked[PREDICTION_BLOCKING] = true;
        if (status)
            continue;
        const double elements = i == MERCURY_TANDEM_1A ? inputs[PREDICT_WMERS_PER_WORD] : 1;
        queue->mean = tandem->queue[i];
        queue->mean.lambda_per_s *= elements;
        queue->mean.n_q *= elements;
        queue->mean.n_g *= elements;
    }
}

static int make_chains(const struct predict_case *c, struct prediction *out)
{
    double v[PREDICT_INPUTS];
    struct mercury_prediction four, five;
    struct prediction_part *part = &out->parts[PREDICTION_FIVE];
    memcpy(v, c->value, sizeof v);
    /* rho_1b is a little below 1, so that rounding does not decide whether stage 2 is reached */
    if (c->measured && v[PREDICT_M_2] < 1)
        v[PREDICT_M_2] *= 1 + RHO_ONE_WITHIN / 2;
    int status = mercury_model_predict(v, c->digits, false, &four);
    if (status)
        return status;
    take_chain(&four, MERCURY_STAGES, c->measured, &out->parts[PREDICTION_FOUR]);
    part->status = mercury_model_predict(v, c->digits, true, &five);
    if (part->status == 0)
        take_chain(&five, MERCURY_FIVE_STAGES, c->measured, part);
    else
        name_stages(part);
    return 0;
}

int prediction_make(const struct predict_case *inputs, struct prediction *out)
{
    *out = (struct prediction){.inputs = inputs};
    if (predict_case_is_queue(inputs))
        return make_queue(inputs, &out->parts[PREDICTION_QUEUE]);
    int status = make_chains(inputs, out);
    if (status)
        return status;
    status = mercury_tandem_predict(inputs->value, &out->tandem);
    take_tandem(&out->tandem, status, inputs->value, &out->parts[PREDICTION_FIVE]);
    return 0;
}

int prediction_make_chains(const struct predict_case *inputs, struct prediction *out)
{
    *out = (struct prediction){.inputs = inputs};
    int status = make_chains(inputs, out);
    if (status == 0)
        take_tandem(NULL, MODEL_EUNKNOWN, inputs->value, &out->parts[PREDICTION_FIVE]);
    return status;
}
