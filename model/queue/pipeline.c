#include "model/queue/pipeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/queue/general_queue.h"
#include "model/model_error.h"
#include "model/numbers.h"

enum { FLOW_ROUNDS = 200000 };

/* A rate as a function of the input rate: fixed_per_s + share * input. */
struct flow {
    double fixed_per_s;
    double share;
};

static struct flow flow_add(struct flow a, struct flow b)
{
    return (struct flow){a.fixed_per_s + b.fixed_per_s, a.share + b.share};
}

static struct flow flow_scale(struct flow flow, double factor)
{
    return (struct flow){flow.fixed_per_s * factor, flow.share * factor};
}

static double flow_at(struct flow flow, double input_per_s)
{
    return flow.fixed_per_s + flow.share * input_per_s;
}

static int check_stage(const struct pipeline_stage *stage, size_t number)
{
    struct queue_result idle;
    if (!is_positive(stage->factor))
        return MODEL_EFACTOR;
    if (!is_positive(stage->mu_per_s) ||
        (stage->general_mu_per_s != 0 && !is_positive(stage->general_mu_per_s)))
        return MODEL_ESERVICE;
    if (!is_not_negative(stage->overdrive_per_s))
        return MODEL_EOVERDRIVE;
    if (!is_not_negative(stage->pass_fraction))
        return MODEL_EPASS;
    if (!is_not_negative(stage->back_fraction) || stage->back_fraction >= 1 || stage->back_to > number ||
        stage->on > number + 1)
        return MODEL_EBACK;
    if (!isnan(stage->service_scv) && !is_not_negative(stage->service_scv))
        return MODEL_ESCV;
    return stage->batch_mean == 0 ? 0 : mxg1_solve(0, 1, 0, stage->batch_mean, stage->batch_second, &idle);
}

#define MODEL_NAME(id, name) name

const char *pipeline_model_name(enum pipeline_model model)
{
    static const char *const names[PIPELINE_CHAIN_MODELS] = {ACCELERATOR_MODEL_ROWS(MODEL_NAME)
                                                                 CHAIN_MODEL_ROWS(MODEL_NAME)};
    return names[model];
}

/* Why a model is none of a stage; 0 if it is one. */
static int check_kind(enum pipeline_model model, const struct pipeline_stage *stage)
{
    bool of_several = model == PIPELINE_MMCK || model == PIPELINE_MGC;
    if (of_several != (stage->servers > 1))
        return of_several ? MODEL_EONE : MODEL_ESEVERAL;
    if (stage->on > 0 && model != PIPELINE_MG1)
        return MODEL_ESHARED;
    return model == PIPELINE_EM1 && stage->packed == 0 ? MODEL_ESINGLY : 0;
}

bool pipeline_model_applies(enum pipeline_model model, const struct pipeline_stage *stage)
{
    return check_kind(model, stage) == 0;
}

static double mu_of_all(const struct pipeline_stage *stage)
{
    return stage->mu_per_s * (stage->servers > 1 ? stage->servers : 1);
}

static unsigned queue_cautions(const struct queue_result *mean, unsigned k)
{
    if (k == 0)
        return 0;
    return (mean->n_q > 0.5 * k ? PIPELINE_CAUTION_QUEUE : 0u) |
           (mean->p_bp > PIPELINE_P_BP_LEVEL ? PIPELINE_CAUTION_BACK_PRESSURE : 0u);
}

static double general_mu(const struct pipeline_stage *stage)
{
    return stage->general_mu_per_s > 0 ? stage->general_mu_per_s : stage->mu_per_s;
}

static int solve_general(double lambda_per_s, const struct pipeline_stage *stage, bool batches,
                         struct queue_result *mean)
{
    double mu_per_s = general_mu(stage);
    if (isnan(stage->service_scv))
        return MODEL_ENO_SCV;
    if (batches && stage->batch_mean > 0)
        return mxg1_solve(lambda_per_s, mu_per_s, stage->service_scv, stage->batch_mean, stage->batch_second,
                          mean);
    return mg1_solve(lambda_per_s, mu_per_s, stage->service_scv, mean);
}

static int solve_model(enum pipeline_model model, double lambda_per_s, const struct pipeline_stage *stage,
                       struct queue_result *mean)
{
    struct duration packed;
    switch (model) {
    case PIPELINE_MM1K_DOR:
        if (stage->k > 0)
            return mm1k_solve_actual(lambda_per_s, stage->mu_per_s, stage->k, mean);
        return mm1_solve(lambda_per_s, stage->mu_per_s, 0, mean);
    case PIPELINE_MD1:
        return mg1_solve(lambda_per_s, general_mu(stage), 0, mean);
    case PIPELINE_MG1:
        return solve_general(lambda_per_s, stage, false, mean);
    case PIPELINE_MXG1:
        return solve_general(lambda_per_s, stage, true, mean);
    case PIPELINE_EM1:
        packed = duration_gamma(1.0 / stage->packed);
        return gim1_solve(lambda_per_s, stage->mu_per_s, &packed, mean);
    case PIPELINE_MGC:
        return gigc_solve(lambda_per_s, stage->mu_per_s, stage->servers, 1, stage->service_scv, mean);
    default:
        return mm1_solve(lambda_per_s, stage->mu_per_s, stage->k, mean);
    }
}

static size_t port_of(const struct pipeline_stage *stages, size_t stage)
{
    return stages[stage].on > 0 ? stages[stage].on - 1 : stage;
}

/* What all stages ask of the server of one, as if all took the times of that one. */
static struct flow port_load(const struct pipeline_stage *stages, size_t count, const struct flow *loads,
                             size_t stage)
{
    struct flow all = {0, 0};
    for (size_t s = 0; s < count; s++)
        if (port_of(stages, s) == port_of(stages, stage))
            all = flow_add(all, flow_scale(loads[s], mu_of_all(&stages[stage]) / mu_of_all(&stages[s])));
    return all;
}

/* M/G/1 of all that a server serves: everybody waits W_Q, and then takes the time of the own stage. */
static int solve_shared(const struct pipeline_stage *stages, size_t count,
                        const struct pipeline_prediction *of, size_t stage, struct queue_result *mean)
{
    double lambda_per_s = 0, load = 0, second_s = 0;
    for (size_t s = 0; s < count; s++)
        if (port_of(stages, s) == port_of(stages, stage)) {
            const double service_s = 1 / general_mu(&stages[s]);
            lambda_per_s += of[s].lambda_per_s;
            load += of[s].lambda_per_s * service_s;
            second_s += of[s].lambda_per_s * service_s * service_s * (1 + stages[s].service_scv);
        }
    if (!(lambda_per_s > 0) || isnan(second_s))
        return lambda_per_s > 0 ? MODEL_ENO_SCV : MODEL_EINPUT;
    const double own_per_s = of[stage].lambda_per_s, rho = own_per_s / general_mu(&stages[stage]);
    int status = mg1_solve(lambda_per_s, lambda_per_s / rounded_to(1, load),
                           fmax(0, second_s * lambda_per_s / (load * load) - 1), mean);
    if (status)
        return status;
    mean->lambda_per_s = mean->lambda_offered_per_s = own_per_s;
    mean->rho = mean->rho_offered = rho;
    mean->n_q = own_per_s * mean->w_q_s;
    mean->n_g = mean->n_q + rho;
    mean->w_g_s = mean->w_q_s + 1 / general_mu(&stages[stage]);
    return 0;
}

/* @param port  what its server has to serve, in its own times */
static void predict_stage(const struct pipeline_stage *stage, struct flow load, struct flow port,
                          double input_per_s, bool upstream_overloaded, struct pipeline_prediction *out)
{
    out->name = stage->name;
    out->mu_per_s = mu_of_all(stage);
    out->lambda_per_s = rounded_to(out->mu_per_s, flow_at(load, input_per_s));
    out->rho = out->lambda_per_s / out->mu_per_s;
    out->saturating_input_per_s = port.fixed_per_s >= out->mu_per_s ? 0
                                  : port.share > 0 ? (out->mu_per_s - port.fixed_per_s) / port.share
                                                   : INFINITY;
    for (int model = 0; model < PIPELINE_CHAIN_MODELS; model++) {
        struct pipeline_queue *queue = &out->queue[model];
        int kind = check_kind(model, stage);
        *queue = (struct pipeline_queue){kind ? kind : MODEL_EUPSTREAM, 0, queue_result_none()};
        if (upstream_overloaded || kind || model == PIPELINE_MM1K || model == PIPELINE_MMCK)
            continue;
        queue->status = solve_model(model, out->lambda_per_s, stage, &queue->mean);
        queue->cautions = queue->status ? 0 : queue_cautions(&queue->mean, stage->k);
    }
}

/* --- M/M/1/K and M/M/c/K: what finds a stage full is lost ------------------------------------------------- */

static int solve_losses(const struct pipeline_stage *stage, double lambda_per_s, struct queue_result *mean)
{
    return stage->on > 0        ? MODEL_ESHARED
           : stage->servers > 1 ? mmc_solve(lambda_per_s, stage->mu_per_s, stage->servers, stage->k, mean)
           : stage->k > 0       ? mm1k_solve_offered(lambda_per_s, stage->mu_per_s, stage->k, mean)
                                : mm1_solve(lambda_per_s, stage->mu_per_s, 0, mean);
}

/* Predict all stages for a rate of results that the stage `back->onto` carries, too. What goes back to earlier stages
 * grows until it does not change. @return the results' own rate */
static double predict_losses(const struct pipeline_stage *stages, size_t count,
                             const struct pipeline_return *back, double offered_per_s, double returned_per_s,
                             struct pipeline_prediction *out)
{
    double again_per_s[PIPELINE_STAGES_MAX] = {0}, before, sum = 0, in_per_s;
    do {
        double next_per_s[PIPELINE_STAGES_MAX] = {0};
        in_per_s = offered_per_s;
        before = sum;
        sum = 0;
        for (size_t s = 0; s < count; s++) {
            const struct pipeline_stage *stage = &stages[s];
            struct pipeline_queue *queue = &out[s].queue[stage->servers > 1 ? PIPELINE_MMCK : PIPELINE_MM1K];
            double passed_per_s = (in_per_s + stage->overdrive_per_s) * stage->factor + again_per_s[s];
            double all_per_s =
                rounded_to(mu_of_all(stage), passed_per_s + (back && back->onto == s ? returned_per_s : 0));
            queue->status = solve_losses(stage, all_per_s, &queue->mean);
            queue->cautions = queue->status ? 0 : queue_cautions(&queue->mean, stage->k);
            double served_per_s =
                queue->status ? fmin(all_per_s, mu_of_all(stage)) : queue->mean.lambda_per_s;
            in_per_s = passed_per_s * (all_per_s > 0 ? served_per_s / all_per_s : 1);
            next_per_s[stage->back_to] += in_per_s * stage->back_fraction;
            sum += in_per_s * stage->back_fraction;
            in_per_s *= (1 - stage->back_fraction) * stage->pass_fraction;
        }
        memcpy(again_per_s, next_per_s, count * sizeof *again_per_s);
    } while (sum > before);
    return back ? in_per_s * back->factor : 0;
}

/* The more results return, the fewer come out: their rate is where both are equal. Unless the stage that carries them
 * is full or overloaded, the second rate is the first. Else it is found by regula falsi, in which an end that stays
 * counts half (Illinois): a chain is asked at every corner of rounded inputs. */
static void predict_offered(const struct pipeline_stage *stages, size_t count,
                            const struct pipeline_return *back, double offered_per_s,
                            struct pipeline_prediction *out)
{
    enum { STEPS_MAX = 100 };
    const double precision = 1e-13; /* of the rate; rounding is a tenth of that */
    double low = 0, high = predict_losses(stages, count, back, offered_per_s, 0, out), more = high;
    double less =
        predict_losses(stages, count, back, offered_per_s, high, out) - high; /* at `high`: none or < 0 */
    int before = 0; /* 1 or -1: the last rate was too low or too high */
    for (int i = 0; i < STEPS_MAX && less != 0; i++) {
        double rate = (low * less - high * more) / (less - more);
        double rest = predict_losses(stages, count, back, offered_per_s, rate, out) - rate;
        int side = rest > 0 ? 1 : -1;
        if (fabs(rest) <= precision * rate)
            break;
        if (side > 0) {
            low = rate;
            more = rest;
            less /= before == side ? 2 : 1;
        } else {
            high = rate;
            less = rest;
            more /= before == side ? 2 : 1;
        }
        before = side;
    }
}

/* The stage that saturates first among all but `removed` (-1: none removed). */
static struct pipeline_bottleneck find_bottleneck(const struct pipeline_prediction *stages, size_t count,
                                                  int removed)
{
    struct pipeline_bottleneck lowest = {-1, NULL, NAN};
    for (size_t s = 0; s < count; s++) {
        double input_per_s = stages[s].saturating_input_per_s;
        if ((int)s == removed || isinf(input_per_s))
            continue;
        if (lowest.stage < 0 || input_per_s < lowest.input_per_s)
            lowest = (struct pipeline_bottleneck){(int)s, stages[s].name, input_per_s};
    }
    return lowest;
}

const char *pipeline_say_bottleneck(const struct pipeline_summary *whole, double unit_per_s, const char *unit,
                                    char text[PIPELINE_SENTENCE_BYTES])
{
    const struct pipeline_bottleneck *first = &whole->bottleneck, *next = &whole->next;
    char after[PIPELINE_SENTENCE_BYTES / 2] = "";
    if (first->stage < 0)
        return "no input rate saturates any stage";
    if (next->stage >= 0)
        snprintf(after, sizeof after, "; without it %.64s, at %.6g %s", next->name,
                 next->input_per_s / unit_per_s, unit);
    snprintf(text, PIPELINE_SENTENCE_BYTES, "bottleneck: %.64s, at an input of %.6g %s%s", first->name,
             first->input_per_s / unit_per_s, unit, after);
    return text;
}

static void summarize(const struct pipeline_prediction *stages, size_t count,
                      struct pipeline_summary *summary)
{
    struct pipeline_bottleneck none = {-1, NULL, NAN};
    for (int model = 0; model < PIPELINE_MODELS; model++) {
        struct pipeline_latency sum = {0, 0};
        for (size_t s = 0; s < count; s++) {
            sum.status = sum.status ? sum.status : stages[s].queue[model].status;
            sum.latency_s += stages[s].queue[model].mean.w_g_s;
        }
        summary->latency[model] = sum;
    }
    summary->bottleneck = find_bottleneck(stages, count, -1);
    summary->next =
        summary->bottleneck.stage < 0 ? none : find_bottleneck(stages, count, summary->bottleneck.stage);
}

/* The loads of all stages without results. What goes back comes again, less and less of it, until sums do not change.
 * @param out  what leaves the last stage @return 0, or MODEL_EBACK if it does not become less */
static int find_loads(const struct pipeline_stage *stages, size_t count, struct flow *loads, struct flow *out)
{
    struct flow again[PIPELINE_STAGES_MAX] = {{0, 0}}, in;
    double before, sum = 0;
    unsigned rounds = 0;
    do {
        struct flow next[PIPELINE_STAGES_MAX] = {{0, 0}};
        in = (struct flow){0, 1};
        before = sum;
        sum = 0;
        for (size_t s = 0; s < count; s++) {
            const struct pipeline_stage *stage = &stages[s];
            in.fixed_per_s += stage->overdrive_per_s;
            loads[s] = flow_add(flow_scale(in, stage->factor), again[s]);
            const struct flow part = flow_scale(loads[s], stage->back_fraction);
            next[stage->back_to] = flow_add(next[stage->back_to], part);
            in = flow_scale(loads[s], (1 - stage->back_fraction) * stage->pass_fraction);
            sum += part.fixed_per_s + part.share;
        }
        memcpy(again, next, count * sizeof *again);
    } while (sum > before && ++rounds < FLOW_ROUNDS);
    *out = in;
    return rounds < FLOW_ROUNDS && isfinite(sum) ? 0 : MODEL_EBACK;
}

int pipeline_predict(const struct pipeline_stage *stages, size_t count, const struct pipeline_return *back,
                     double input_per_s, double offered_per_s, struct pipeline_prediction *out,
                     struct pipeline_summary *summary)
{
    struct flow loads[PIPELINE_STAGES_MAX], returned;
    bool overloaded = false;
    if (count < 1 || count > PIPELINE_STAGES_MAX)
        return MODEL_ESTAGES;
    if (back && (back->onto >= count || !is_not_negative(back->factor)))
        return MODEL_ERETURN;
    int status = is_not_negative(input_per_s) && is_not_negative(offered_per_s) ? 0 : MODEL_EINPUT;
    for (size_t s = 0; s < count && status == 0; s++)
        status = check_stage(&stages[s], s);
    if (status == 0)
        status = find_loads(stages, count, loads, &returned);
    if (status)
        return status;
    if (back)
        loads[back->onto] = flow_add(loads[back->onto], flow_scale(returned, back->factor));
    for (size_t s = 0; s < count; s++) {
        const struct flow port = port_load(stages, count, loads, s);
        predict_stage(&stages[s], loads[s], port, input_per_s, overloaded, &out[s]);
        overloaded = overloaded || rounded_to(out[s].mu_per_s, flow_at(port, input_per_s)) >= out[s].mu_per_s;
    }
    for (size_t s = 0; s < count; s++) {
        struct pipeline_queue *queue = &out[s].queue[PIPELINE_MG1];
        if (stages[s].on > 0 && queue->status != MODEL_EUPSTREAM)
            queue->status = solve_shared(stages, count, out, s, &queue->mean);
    }
    predict_offered(stages, count, back, offered_per_s, out);
    summarize(out, count, summary);
    return 0;
}
