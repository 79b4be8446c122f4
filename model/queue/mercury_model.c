#include "model/queue/mercury_model.h"

#include <math.h>
#include <string.h>

#include "model/queue/mercury_tandem.h"
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

static int check_machine(const double *v)
{
    if (!is_not_negative(v[PREDICT_LAMBDA_IN]))
        return MODEL_EINPUT;
    if (!isnan(v[PREDICT_SUPPLY]) && !is_not_negative(v[PREDICT_SUPPLY]))
        return MODEL_ESUPPLY;
    if (!is_positive(v[PREDICT_CLOCK]))
        return MODEL_ECLOCK;
    if (!is_positive(v[PREDICT_MU_PCI]))
        return MODEL_EBUS;
    if (!is_positive(v[PREDICT_WMERS_PER_WORD]) || !is_positive(v[PREDICT_BYTES_PER_WORD]))
        return MODEL_EWORD;
    return is_not_negative(v[PREDICT_HSP_BYTES]) ? 0 : MODEL_EHSP;
}

static int check_data(const double *v)
{
    const double p_1bp = v[PREDICT_P_1BP];
    if (!is_between(v[PREDICT_P_1A], 0, 1))
        return MODEL_EP_1A;
    if (!is_not_negative(v[PREDICT_P_1B]))
        return MODEL_EP_1B;
    if (!is_between(v[PREDICT_P_2], 0, 1))
        return MODEL_EP_2;
    if (!is_positive(v[PREDICT_M_1B]))
        return MODEL_EM_1B;
    if (!(v[PREDICT_M_2] > 0 && is_between(v[PREDICT_M_2], 0, 1)))
        return MODEL_EM_2;
    if (!isnan(v[PREDICT_MU_1BD]) && !is_positive(v[PREDICT_MU_1BD]))
        return MODEL_ESERVICE;
    const bool fits = is_between(p_1bp, 0, 1) && (p_1bp > 0 || v[PREDICT_P_1B] == 0);
    return isnan(p_1bp) || fits ? 0 : MODEL_EP_1BP;
}

/* --- the stages ------------------------------------------------------------------------------------------ */

static struct pipeline_stage stage_pci(const double *v)
{
    return (struct pipeline_stage){.name = "pci",
                                   .factor = 1 / v[PREDICT_BYTES_PER_WORD],
                                   .overdrive_per_s = v[PREDICT_MO_PCI] * 1e6,
                                   .mu_per_s = v[PREDICT_MU_PCI] * 1e6 / v[PREDICT_BYTES_PER_WORD],
                                   .pass_fraction = 1};
}

static struct pipeline_stage stage_1a(const double *v)
{
    const double wmers = v[PREDICT_WMERS_PER_WORD];
    struct pipeline_stage stage = {.name = "1a",
                                   .factor = wmers,
                                   .overdrive_per_s = v[PREDICT_MO_1A] * 1e6,
                                   .mu_per_s = wmers * (v[PREDICT_CLOCK] * 1e6),
                                   .k = (unsigned)v[PREDICT_K_1A],
                                   .pass_fraction = v[PREDICT_P_1A]};
    if (wmers > 1)
        batch_of_binomial(wmers, 1, &stage.batch_mean, &stage.batch_second);
    return stage;
}

/* 1b as one stage, which has the arrivals of its first queue. Its service takes one clock per lookup and its share of
 * the clocks per trip; if trips are not known, nor are its own mean and scv. */
static struct pipeline_stage stage_1b(const double *v)
{
    const double clock_hz = v[PREDICT_CLOCK] * 1e6, trips = v[PREDICT_TRIPS], lists = v[PREDICT_DUPLICATES];
    struct pipeline_stage stage = {.name = "1b",
                                   .factor = 1,
                                   .overdrive_per_s = v[PREDICT_MO_1B] * 1e6,
                                   .mu_per_s = clock_hz / v[PREDICT_M_1B] * v[PREDICT_M_2],
                                   .k = (unsigned)v[PREDICT_K_1B],
                                   .pass_fraction = v[PREDICT_P_1B],
                                   .service_scv = NAN};
    if (lists <= trips && lists <= 1 && (trips <= 0 || lists > 0)) { /* none is NaN */
        const struct mercury_lookup lookup = mercury_lookup_service(trips, lists, mercury_trip_share(v));
        stage.general_mu_per_s = clock_hz / lookup.clocks;
        stage.service_scv = lookup.scv;
    }
    if (v[PREDICT_WMERS_PER_WORD] > 1 && v[PREDICT_P_1A] > 0)
        batch_of_binomial(v[PREDICT_WMERS_PER_WORD], v[PREDICT_P_1A], &stage.batch_mean, &stage.batch_second);
    return stage;
}

static struct pipeline_stage stage_1bp(const double *v)
{
    struct pipeline_stage stage = stage_1b(v);
    stage.name = "1bp";
    stage.k = (unsigned)v[PREDICT_K_1BP];
    stage.pass_fraction = v[PREDICT_P_1BP];
    stage.general_mu_per_s = v[PREDICT_CLOCK] * 1e6;
    stage.service_scv = 0;
    return stage;
}

static struct pipeline_stage stage_1bd(const double *v)
{
    struct pipeline_stage stage = stage_1b(v);
    stage.name = "1bd";
    if (!isnan(v[PREDICT_MU_1BD]))
        stage.mu_per_s = stage.general_mu_per_s = v[PREDICT_MU_1BD] * 1e6;
    stage.overdrive_per_s = v[PREDICT_MO_1BD] * 1e6;
    stage.k = (unsigned)v[PREDICT_K_1BD];
    stage.pass_fraction = v[PREDICT_P_1B] > 0 ? v[PREDICT_P_1B] / v[PREDICT_P_1BP] : 0;
    stage.batch_mean = stage.batch_second = 0;
    return stage;
}

static struct pipeline_stage stage_2(const double *v)
{
    return (struct pipeline_stage){.name = "2",
                                   .factor = 1,
                                   .overdrive_per_s = v[PREDICT_MO_2] * 1e6,
                                   .mu_per_s = v[PREDICT_CLOCK] * 1e6,
                                   .k = (unsigned)v[PREDICT_K_2],
                                   .pass_fraction = v[PREDICT_P_2]};
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
static void load_most(const double *v, unsigned digits, double most[PREDICT_INPUTS])
{
    static const enum predict_input high[] = {PREDICT_LAMBDA_IN, PREDICT_P_1A, PREDICT_P_1B, PREDICT_M_1B,
                                              PREDICT_P_1BP};
    memcpy(most, v, PREDICT_INPUTS * sizeof *most);
    for (unsigned i = 0; i < sizeof high / sizeof high[0]; i++)
        most[high[i]] = mercury_rounding_end(v[high[i]], true, digits);
    most[PREDICT_P_1A] = fmin(1, most[PREDICT_P_1A]);
    most[PREDICT_P_1BP] = isnan(v[PREDICT_P_1BP]) ? NAN : fmin(1, most[PREDICT_P_1BP]);
    most[PREDICT_MU_1BD] = mercury_rounding_end(v[PREDICT_MU_1BD], false, digits);
    if (v[PREDICT_M_2] < 1)
        most[PREDICT_M_2] = mercury_rounding_end(v[PREDICT_M_2], false, digits);
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

static int predict_chain(const double *v, bool five, struct mercury_prediction *out)
{
    const struct pipeline_stage four_stages[] = {
        [MERCURY_PCI] = stage_pci(v),
        [MERCURY_1A] = stage_1a(v),
        [MERCURY_1B] = stage_1b(v),
        [MERCURY_2] = stage_2(v),
    };
    const struct pipeline_stage five_stages[] = {
        [MERCURY_FIVE_PCI] = stage_pci(v), [MERCURY_FIVE_1A] = stage_1a(v), [MERCURY_FIVE_1BP] = stage_1bp(v),
        [MERCURY_FIVE_1BD] = stage_1bd(v), [MERCURY_FIVE_2] = stage_2(v),
    };
    const struct pipeline_return hsps = {MERCURY_PCI, v[PREDICT_HSP_BYTES] / v[PREDICT_BYTES_PER_WORD]};
    const double offered = fmax(v[PREDICT_SUPPLY], v[PREDICT_LAMBDA_IN]); /* NaN is no maximum */
    return pipeline_predict(five ? five_stages : four_stages, five ? MERCURY_FIVE_STAGES : MERCURY_STAGES,
                            &hsps, v[PREDICT_LAMBDA_IN] * 1e6, offered * 1e6, out->stage, &out->whole);
}

int mercury_model_predict(const double *v, unsigned digits, bool five, struct mercury_prediction *out)
{
    int status = check_machine(v);
    if (status == 0)
        status = check_data(v);
    if (status == 0)
        status = five && isnan(v[PREDICT_P_1BP]) ? MODEL_ENO_P_1BP : predict_chain(v, five, out);
    if (status || digits == 0)
        return status;
    double at_most[PREDICT_INPUTS];
    struct mercury_prediction most;
    load_most(v, digits, at_most);
    status = predict_chain(at_most, five, &most);
    if (status == 0)
        refuse_undetermined(out->stage, most.stage, five ? MERCURY_FIVE_STAGES : MERCURY_STAGES, &out->whole);
    return status;
}
