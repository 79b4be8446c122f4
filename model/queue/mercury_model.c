#include "model/queue/mercury_model.h"

#include <math.h>

#include "model/queue/single_queue.h"
#include "model/model_error.h"
#include "model/numbers.h"

double mercury_records_crossed(double record_bytes, double a_record, double database_bytes,
                               double moved_bytes)
{
    double crossed = moved_bytes - database_bytes;
    bool is_less = record_bytes - crossed >= a_record; /* less than a record is a rounding */
    return is_less ? fmax(0, crossed) : record_bytes;
}

struct mercury_inputs mercury_model_defaults(void)
{
    return (struct mercury_inputs){
        .lambda_in_bytes_per_s = NAN,
        .supply_bytes_per_s = NAN,
        .clock_hz = 133e6,        /* section 4.3.5 */
        .pci_bytes_per_s = 900e6, /* section 4.3.5, of a peak of 1064e6 */
        .wmers_per_word = 16,     /* Figure 9 */
        .bytes_per_word = 8,      /* Figure 9 */
        .hsp_bytes = 16,
        .k_1a = 130, /* Figure 11, as the next two */
        .k_1b = 600,
        .k_2 = 10,
        .p_1a = NAN,
        .p_1b = NAN,
        .p_2 = NAN,
        .m_1b = 1,
        .m_2 = 1,
        .p_1bp = NAN,
        .mu_1bd_per_s = NAN,
        .k_1bp = 130, /* Figure 14, as the next one */
        .k_1bd = 500,
        .service_1b_clocks = NAN,
        .service_1b_scv = NAN,
    };
}

static int check_machine(const struct mercury_inputs *in)
{
    if (!is_not_negative(in->lambda_in_bytes_per_s))
        return MODEL_EINPUT;
    if (!isnan(in->supply_bytes_per_s) && !is_not_negative(in->supply_bytes_per_s))
        return MODEL_ESUPPLY;
    if (!is_positive(in->clock_hz))
        return MODEL_ECLOCK;
    if (!is_positive(in->pci_bytes_per_s))
        return MODEL_EBUS;
    if (!is_positive(in->wmers_per_word) || !is_positive(in->bytes_per_word))
        return MODEL_EWORD;
    return is_not_negative(in->hsp_bytes) ? 0 : MODEL_EHSP;
}

static int check_data(const struct mercury_inputs *in)
{
    if (!is_between(in->p_1a, 0, 1))
        return MODEL_EP_1A;
    if (!is_not_negative(in->p_1b))
        return MODEL_EP_1B;
    if (!is_between(in->p_2, 0, 1))
        return MODEL_EP_2;
    if (!is_positive(in->m_1b))
        return MODEL_EM_1B;
    if (!(in->m_2 > 0 && is_between(in->m_2, 0, 1)))
        return MODEL_EM_2;
    if ((!isnan(in->service_1b_clocks) && !is_positive(in->service_1b_clocks)) ||
        (!isnan(in->mu_1bd_per_s) && !is_positive(in->mu_1bd_per_s)))
        return MODEL_ESERVICE;
    return isnan(in->p_1bp) || (in->p_1bp > 0 && is_between(in->p_1bp, 0, 1)) ? 0 : MODEL_EP_1BP;
}

static struct pipeline_stage stage_pci(const struct mercury_inputs *in)
{
    return (struct pipeline_stage){.name = "pci",
                                   .factor = 1 / in->bytes_per_word,
                                   .overdrive_per_s = in->overdrive.pci_bytes_per_s,
                                   .mu_per_s = in->pci_bytes_per_s / in->bytes_per_word,
                                   .pass_fraction = 1};
}

static struct pipeline_stage stage_1a(const struct mercury_inputs *in)
{
    struct pipeline_stage stage = {.name = "1a",
                                   .factor = in->wmers_per_word,
                                   .overdrive_per_s = in->overdrive.words_1a_per_s,
                                   .mu_per_s = in->wmers_per_word * in->clock_hz,
                                   .k = in->k_1a,
                                   .pass_fraction = in->p_1a};
    if (in->wmers_per_word > 1)
        batch_of_binomial(in->wmers_per_word, 1, &stage.batch_mean, &stage.batch_second);
    return stage;
}

/* 1b as one stage, which has the arrivals of its first queue. */
static struct pipeline_stage stage_1b(const struct mercury_inputs *in)
{
    double mu_per_s = in->clock_hz / in->m_1b * in->m_2;
    bool own = !isnan(in->service_1b_clocks);
    struct pipeline_stage stage = {.name = "1b",
                                   .factor = 1,
                                   .overdrive_per_s = in->overdrive.seeds_1b_per_s,
                                   .mu_per_s = mu_per_s,
                                   .k = in->k_1b,
                                   .pass_fraction = in->p_1b,
                                   .general_mu_per_s = own ? in->clock_hz / in->service_1b_clocks : 0,
                                   .service_scv = in->service_1b_scv};
    if (in->wmers_per_word > 1 && in->p_1a > 0)
        batch_of_binomial(in->wmers_per_word, in->p_1a, &stage.batch_mean, &stage.batch_second);
    return stage;
}

static struct pipeline_stage stage_1bp(const struct mercury_inputs *in)
{
    struct pipeline_stage stage = stage_1b(in);
    stage.name = "1bp";
    stage.k = in->k_1bp;
    stage.pass_fraction = in->p_1bp;
    stage.general_mu_per_s = in->clock_hz;
    stage.service_scv = 0;
    return stage;
}

static struct pipeline_stage stage_1bd(const struct mercury_inputs *in)
{
    struct pipeline_stage stage = stage_1b(in);
    stage.name = "1bd";
    if (!isnan(in->mu_1bd_per_s))
        stage.mu_per_s = stage.general_mu_per_s = in->mu_1bd_per_s;
    stage.overdrive_per_s = in->overdrive.lookups_1bd_per_s;
    stage.k = in->k_1bd;
    stage.pass_fraction = in->p_1b / in->p_1bp;
    stage.batch_mean = stage.batch_second = 0;
    return stage;
}

static struct pipeline_stage stage_2(const struct mercury_inputs *in)
{
    return (struct pipeline_stage){.name = "2",
                                   .factor = 1,
                                   .overdrive_per_s = in->overdrive.matches_2_per_s,
                                   .mu_per_s = in->clock_hz,
                                   .k = in->k_2,
                                   .pass_fraction = in->p_2};
}

/* --- inputs that are rounded ----------------------------------------------------------------------------- */

/* Queues that differ by more are not determined. */
#define TENFOLD 10

double mercury_rounding_end(double value, bool high, unsigned digits)
{
    if (!(value > 0) || digits == 0)
        return value;
    double half_unit = 0.5 * pow(10, floor(log10(value)) - (digits - 1.0));
    return high ? value + half_unit : value - half_unit;
}

/* The ends of the roundings that load the stages most. M_2 = 1 is no measurement. */
static struct mercury_inputs inputs_at_most(const struct mercury_inputs *in)
{
    struct mercury_inputs most = *in;
    most.lambda_in_bytes_per_s = mercury_rounding_end(in->lambda_in_bytes_per_s, true, in->digits);
    most.p_1a = fmin(1, mercury_rounding_end(in->p_1a, true, in->digits));
    most.p_1b = mercury_rounding_end(in->p_1b, true, in->digits);
    most.m_1b = mercury_rounding_end(in->m_1b, true, in->digits);
    if (!isnan(in->p_1bp))
        most.p_1bp = fmin(1, mercury_rounding_end(in->p_1bp, true, in->digits));
    if (!isnan(in->mu_1bd_per_s))
        most.mu_1bd_per_s = mercury_rounding_end(in->mu_1bd_per_s, false, in->digits);
    if (in->m_2 < 1)
        most.m_2 = mercury_rounding_end(in->m_2, false, in->digits);
    most.digits = 0;
    return most;
}

bool mercury_load_is_determined(double rho, double rho_most)
{
    return rho_most < 1 && 1 - (2 * rho - rho_most) < TENFOLD * (1 - rho_most);
}

/* Loads are nearly linear in the inputs. */
static void refuse_undetermined(struct pipeline_prediction *stages, const struct pipeline_prediction *most,
                                size_t count, struct pipeline_summary *whole)
{
    for (size_t i = 0; i < count; i++)
        for (int model = 0; model < PIPELINE_MODELS; model++) {
            struct pipeline_queue *queue = &stages[i].queue[model];
            double rho = queue->mean.rho;
            bool loses = model == PIPELINE_MM1K && !isnan(queue->mean.p_k);
            if (queue->status || rho == 0 || loses ||
                mercury_load_is_determined(rho, rho * most[i].rho / stages[i].rho))
                continue;
            *queue = (struct pipeline_queue){MODEL_EUNDETERMINED, 0, queue_result_none()};
            if (whole->latency[model].status == 0)
                whole->latency[model] = (struct pipeline_latency){MODEL_EUNDETERMINED, NAN};
        }
}

/* --- predictions ----------------------------------------------------------------------------------------- */

static int predict_chain(const struct mercury_inputs *inputs, bool five, struct mercury_prediction *out)
{
    const struct pipeline_stage four_stages[] = {
        [MERCURY_PCI] = stage_pci(inputs),
        [MERCURY_1A] = stage_1a(inputs),
        [MERCURY_1B] = stage_1b(inputs),
        [MERCURY_2] = stage_2(inputs),
    };
    const struct pipeline_stage five_stages[] = {
        [MERCURY_FIVE_PCI] = stage_pci(inputs), [MERCURY_FIVE_1A] = stage_1a(inputs),
        [MERCURY_FIVE_1BP] = stage_1bp(inputs), [MERCURY_FIVE_1BD] = stage_1bd(inputs),
        [MERCURY_FIVE_2] = stage_2(inputs),
    };
    const struct pipeline_return hsps = {MERCURY_PCI, inputs->hsp_bytes / inputs->bytes_per_word};
    double offered_per_s =
        fmax(inputs->supply_bytes_per_s, inputs->lambda_in_bytes_per_s); /* NaN is no maximum */
    return pipeline_predict(five ? five_stages : four_stages, five ? MERCURY_FIVE_STAGES : MERCURY_STAGES,
                            &hsps, inputs->lambda_in_bytes_per_s, offered_per_s, out->stage, &out->whole);
}

int mercury_model_predict(const struct mercury_inputs *inputs, bool five, struct mercury_prediction *out)
{
    int status = check_machine(inputs);
    if (status == 0)
        status = check_data(inputs);
    if (status == 0)
        status = five && isnan(inputs->p_1bp) ? MODEL_ENO_P_1BP : predict_chain(inputs, five, out);
    if (status || inputs->digits == 0)
        return status;
    struct mercury_inputs at_most = inputs_at_most(inputs);
    struct mercury_prediction most;
    status = predict_chain(&at_most, five, &most);
    if (status == 0)
        refuse_undetermined(out->stage, most.stage, five ? MERCURY_FIVE_STAGES : MERCURY_STAGES, &out->whole);
    return status;
}
