#include "model/pipeline.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>

#include "model/mm1k.h"
#include "model/model_error.h"

/* A rate as a function of the input rate: fixed_per_s + share * input. */
struct flow {
    double fixed_per_s;
    double share;
};

static struct flow flow_scale(struct flow flow, double factor)
{
    return (struct flow){flow.fixed_per_s * factor, flow.share * factor};
}

static double flow_at(struct flow flow, double input_per_s)
{
    return flow.fixed_per_s + flow.share * input_per_s;
}

static bool positive(double value)
{
    return isfinite(value) && value > 0;
}

static bool not_negative(double value)
{
    return isfinite(value) && value >= 0;
}

static bool stage_valid(const struct pipeline_stage *stage)
{
    return positive(stage->factor) && positive(stage->mu_per_s) && not_negative(stage->overdrive_per_s) &&
           not_negative(stage->pass_fraction);
}

static bool chain_valid(const struct pipeline_stage *stages, size_t count, const struct pipeline_return *back)
{
    if (count < 1 || count > INT_MAX)
        return false;
    if (back && (back->onto >= count || !not_negative(back->factor)))
        return false;
    for (size_t s = 0; s < count; s++) {
        if (!stage_valid(&stages[s]))
            return false;
    }
    return true;
}

static struct flow stage_load(const struct pipeline_stage *stage, struct flow in)
{
    in.fixed_per_s += stage->overdrive_per_s;
    return flow_scale(in, stage->factor);
}

static struct flow chain_output(const struct pipeline_stage *stages, size_t count)
{
    struct flow flow = {0, 1};

    for (size_t s = 0; s < count; s++)
        flow = flow_scale(stage_load(&stages[s], flow), stages[s].pass_fraction);
    return flow;
}

static unsigned queue_cautions(const struct queue_result *mean, unsigned k)
{
    if (k == 0)
        return 0;
    return (mean->n_q > 0.5 * k ? PIPELINE_CAUTION_QUEUE : 0u) |
           (mean->p_bp > PIPELINE_P_BP_LEVEL ? PIPELINE_CAUTION_BACK_PRESSURE : 0u);
}

static void predict_mm1(double lambda_per_s, const struct pipeline_stage *stage, struct pipeline_queue *out)
{
    out->status = mm1_solve(lambda_per_s, stage->mu_per_s, stage->k, &out->mean);
    out->cautions = out->status ? 0 : queue_cautions(&out->mean, stage->k);
}

static void predict_mm1k(double lambda_per_s, const struct pipeline_stage *stage, struct pipeline_queue *out)
{
    if (stage->k == 0) {
        predict_mm1(lambda_per_s, stage, out);
        return;
    }
    out->status = mm1k_solve_actual(lambda_per_s, stage->mu_per_s, stage->k, &out->mean);
    out->cautions = out->status ? 0 : queue_cautions(&out->mean, stage->k);
}

static double saturating_input(struct flow load, double mu_per_s)
{
    if (load.fixed_per_s >= mu_per_s)
        return 0;
    return load.share > 0 ? (mu_per_s - load.fixed_per_s) / load.share : INFINITY;
}

static void predict_stage(const struct pipeline_stage *stage, struct flow load, double input_per_s,
                          bool upstream_overloaded, struct pipeline_prediction *out)
{
    const struct pipeline_queue none = {MODEL_EUPSTREAM, 0, queue_result_none()};

    out->name = stage->name;
    out->lambda_per_s = flow_at(load, input_per_s);
    out->mu_per_s = stage->mu_per_s;
    out->rho = out->lambda_per_s / stage->mu_per_s;
    out->saturating_input_per_s = saturating_input(load, stage->mu_per_s);
    out->mm1 = out->mm1k = none;
    if (upstream_overloaded)
        return;
    predict_mm1(out->lambda_per_s, stage, &out->mm1);
    predict_mm1k(out->lambda_per_s, stage, &out->mm1k);
}

static void latency_add(struct pipeline_latency *sum, const struct pipeline_queue *queue)
{
    if (sum->status == 0)
        sum->status = queue->status;
    sum->latency_s += queue->mean.w_g_s;
}

/* The stage that saturates first among all but `removed` (-1: none removed). */
static struct pipeline_bottleneck find_bottleneck(const struct pipeline_prediction *stages, size_t count,
                                                  int removed)
{
    struct pipeline_bottleneck lowest = {-1, NAN};

    for (size_t s = 0; s < count; s++) {
        double input_per_s = stages[s].saturating_input_per_s;
        if ((int)s == removed || isinf(input_per_s))
            continue;
        if (lowest.stage < 0 || input_per_s < lowest.input_per_s)
            lowest = (struct pipeline_bottleneck){(int)s, input_per_s};
    }
    return lowest;
}

static void summarize(const struct pipeline_prediction *stages, size_t count,
                      struct pipeline_summary *summary)
{
    struct pipeline_bottleneck none = {-1, NAN};

    summary->mm1 = summary->mm1k = (struct pipeline_latency){0, 0};
    for (size_t s = 0; s < count; s++) {
        latency_add(&summary->mm1, &stages[s].mm1);
        latency_add(&summary->mm1k, &stages[s].mm1k);
    }
    summary->bottleneck = find_bottleneck(stages, count, -1);
    summary->next =
        summary->bottleneck.stage < 0 ? none : find_bottleneck(stages, count, summary->bottleneck.stage);
}

int pipeline_predict(const struct pipeline_stage *stages, size_t count, const struct pipeline_return *back,
                     double input_per_s, struct pipeline_prediction *out, struct pipeline_summary *summary)
{
    if (!chain_valid(stages, count, back) || !not_negative(input_per_s))
        return MODEL_EDOMAIN;

    struct flow in = {0, 1};
    bool overloaded = false;
    for (size_t s = 0; s < count; s++) {
        struct flow passed = stage_load(&stages[s], in);
        struct flow load = passed;
        if (back && back->onto == s) {
            struct flow returned = flow_scale(chain_output(stages, count), back->factor);
            load.fixed_per_s += returned.fixed_per_s;
            load.share += returned.share;
        }
        predict_stage(&stages[s], load, input_per_s, overloaded, &out[s]);
        overloaded = overloaded || out[s].lambda_per_s >= stages[s].mu_per_s;
        in = flow_scale(passed, stages[s].pass_fraction);
        out[s].out_per_s = flow_at(in, input_per_s);
    }
    summarize(out, count, summary);
    return 0;
}
