#include "model/predict/prediction.h"

#include <math.h>

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
    for (int model = 0; model < PREDICTION_MODELS; model++) {
        stage->asked[model] = model != PREDICTION_BLOCKING;
        if (q[model].status)
            q[model].mean = queue_result_none();
    }
    part->count = 1;
    return 0;
}

/* --- the accelerator ------------------------------------------------------------------------------------- */

static struct mercury_inputs mercury_inputs_of(const struct predict_case *c)
{
    const double *v = c->value;
    struct mercury_inputs in = {
        .lambda_in_bytes_per_s = v[PREDICT_LAMBDA_IN] * 1e6,
        .supply_bytes_per_s = v[PREDICT_SUPPLY] * 1e6,
        .clock_hz = v[PREDICT_CLOCK] * 1e6,
        .pci_bytes_per_s = v[PREDICT_MU_PCI] * 1e6,
        .wmers_per_word = v[PREDICT_WMERS_PER_WORD],
        .bytes_per_word = v[PREDICT_BYTES_PER_WORD],
        .hsp_bytes = v[PREDICT_HSP_BYTES],
        .k_1a = (unsigned)v[PREDICT_K_1A],
        .k_1b = (unsigned)v[PREDICT_K_1B],
        .k_1bp = (unsigned)v[PREDICT_K_1BP],
        .k_1bd = (unsigned)v[PREDICT_K_1BD],
        .k_2 = (unsigned)v[PREDICT_K_2],
        .p_1a = v[PREDICT_P_1A],
        .p_1b = v[PREDICT_P_1B],
        .p_2 = v[PREDICT_P_2],
        .p_1bp = v[PREDICT_P_1BP],
        .m_1b = v[PREDICT_M_1B],
        .mu_1bd_per_s = v[PREDICT_MU_1BD] * 1e6,
        .m_2 = v[PREDICT_M_2],
        .service_1b_clocks = NAN,
        .service_1b_scv = NAN,
        .digits = c->digits,
        .overdrive = {v[PREDICT_MO_PCI] * 1e6, v[PREDICT_MO_1A] * 1e6, v[PREDICT_MO_1B] * 1e6,
                      v[PREDICT_MO_1BD] * 1e6, v[PREDICT_MO_2] * 1e6},
    };
    /* the service of 1b takes one clock per lookup and its share of the clocks per trip */
    double trips = v[PREDICT_TRIPS], duplicates = v[PREDICT_DUPLICATES];
    if (duplicates <= trips && duplicates <= 1 && (trips <= 0 || duplicates > 0)) { /* none is NaN */
        struct mercury_lookup lookup = mercury_lookup_service(trips, duplicates, predict_trip_share(v));
        in.service_1b_clocks = lookup.clocks;
        in.service_1b_scv = lookup.scv;
    }
    /* rho_1b is a little below 1, so that rounding does not decide whether stage 2 is reached */
    if (c->measured && in.m_2 < 1)
        in.m_2 *= 1 + RHO_ONE_WITHIN / 2;
    return in;
}

/* The tandem's 1bd serves seeds, of which P_1bp are the lookups of Dor's. */
static struct mercury_tandem_inputs tandem_inputs_of(const struct predict_case *c)
{
    const double *v = c->value;
    return (struct mercury_tandem_inputs){
        .supply_bytes_per_s = v[PREDICT_SUPPLY] * 1e6,
        .bus_bytes_per_s = v[PREDICT_BUS] * 1e6,
        .clock_hz = v[PREDICT_CLOCK] * 1e6,
        .bytes_per_word = v[PREDICT_BYTES_PER_WORD],
        .wmers_per_word = v[PREDICT_WMERS_PER_WORD],
        .hsp_bytes = v[PREDICT_HSP_BYTES],
        .p_1a = v[PREDICT_P_1A],
        .p_1b = v[PREDICT_P_1B],
        .p_2 = v[PREDICT_P_2],
        .trips = v[PREDICT_TRIPS],
        .duplicates = v[PREDICT_DUPLICATES],
        .single_matches = v[PREDICT_SINGLE_MATCHES],
        .seeds_1bd_per_s = v[PREDICT_MU_1BD] * 1e6 / (isnan(v[PREDICT_P_1BP]) ? 1 : v[PREDICT_P_1BP]),
        .trip_cycles = predict_trip_share(v),
        .fetch_cycles = v[PREDICT_FETCH_CYCLES],
        .ingress_words = (unsigned)v[PREDICT_FIFO_INGRESS],
        .wmer_seeds = (unsigned)v[PREDICT_FIFO_WMER],
        .wmer_margin = (unsigned)v[PREDICT_WMER_MARGIN],
        .sram_lookups = (unsigned)v[PREDICT_FIFO_SRAM],
        .sram_margin = (unsigned)v[PREDICT_SRAM_MARGIN],
        .stage2_matches = (unsigned)v[PREDICT_FIFO_STAGE2],
        .stage2_margin = (unsigned)v[PREDICT_STAGE2_MARGIN],
    };
}

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
            (tandem->lambda_in_bytes_per_s + tandem->queue[MERCURY_TANDEM_2].stage.lambda_per_s *
                                                 inputs[PREDICT_P_2] * inputs[PREDICT_HSP_BYTES]) /
            (inputs[PREDICT_BUS] * 1e6);
    part->blocking_status = status;
    for (int i = 0; i < MERCURY_TANDEM_STAGES; i++) {
        struct prediction_stage *stage = &part->stages[i + 1];
        struct pipeline_queue *queue = &stage->queue[PREDICTION_BLOCKING];
        *queue = (struct pipeline_queue){status, 0, queue_result_none()};
        stage->asked[PREDICTION_BLOCKING] = true;
        if (status)
            continue;
        const struct mercury_tandem_queue *from = &tandem->queue[i];
        double elements = i == MERCURY_TANDEM_1A ? inputs[PREDICT_WMERS_PER_WORD] : 1;
        queue->mean.rho = from->stage.rho;
        queue->mean.p_0 = from->stage.starved;
        queue->mean.lambda_per_s = elements * from->stage.lambda_per_s;
        queue->mean.p_k = from->stage.p_full;
        queue->mean.p_bp = from->p_bp;
        queue->mean.n_q = elements * from->n_q;
        queue->mean.n_g = elements * from->stage.n_g;
        queue->mean.w_q_s = from->n_q / from->stage.lambda_per_s;
        queue->mean.w_g_s = from->stage.w_g_s;
    }
}

static int make_chains(const struct predict_case *c, struct prediction *out)
{
    struct mercury_inputs in = mercury_inputs_of(c);
    struct mercury_prediction four, five;
    struct prediction_part *part = &out->parts[PREDICTION_FIVE];
    int status = mercury_model_predict(&in, false, &four);
    if (status)
        return status;
    take_chain(&four, MERCURY_STAGES, c->measured, &out->parts[PREDICTION_FOUR]);
    part->status = mercury_model_predict(&in, true, &five);
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
    struct mercury_tandem_inputs tandem = tandem_inputs_of(inputs);
    status = mercury_tandem_predict(&tandem, &out->tandem);
    take_tandem(&out->tandem, status, inputs->value, &out->parts[PREDICTION_FIVE]);
    return 0;
}

int prediction_make_chains(const struct predict_case *inputs, struct prediction *out)
{
    *out = (struct prediction){.inputs = inputs};
    int status = make_chains(inputs, out);
    struct prediction_part *part = &out->parts[PREDICTION_FIVE];
    part->blocking_status = MODEL_EUNKNOWN;
    for (int i = 0; i < part->count; i++)
        part->stages[i].queue[PREDICTION_BLOCKING] =
            (struct pipeline_queue){MODEL_EUNKNOWN, 0, queue_result_none()};
    return status;
}

int prediction_tandem_lengths(const struct predict_case *inputs, enum mercury_tandem_stage stage,
                              double *lengths, size_t count)
{
    struct mercury_tandem_inputs tandem = tandem_inputs_of(inputs);
    return mercury_tandem_lengths(&tandem, stage, lengths, count);
}
