#include "validate/queue_theory.h"

#include <math.h>
#include <stddef.h>

#include "model/mercury_model.h"
#include "model/mg1.h"
#include "model/mm1.h"
#include "model/mm1k.h"
#include "model/model_error.h"
#include "model/tandem.h"

static struct queue_theory_answer no_answer(const char *why)
{
    return (struct queue_theory_answer){why, false, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

static struct queue_theory_answer answer_of(const struct queue_result *r)
{
    return (struct queue_theory_answer){
        .offered_per_s = r->lambda_offered_per_s,
        .throughput_per_s = r->lambda_per_s,
        .rho = r->rho,
        .n_g = r->n_g,
        .n_q = r->n_q,
        .w_q_s = r->w_q_s,
        .w_g_s = r->w_g_s,
        .loss = r->lambda_offered_per_s > 0 ? 1 - r->lambda_per_s / r->lambda_offered_per_s : 0,
        .p_bp = r->p_bp,
        .blocking = NAN,
    };
}

/* Whether all that comes to a stage is as M/M/1 has it. */
static bool is_markov_up_to(const struct queue_theory_question *q, unsigned stage)
{
    bool markov = q->poisson;
    for (unsigned i = 0; i <= stage; i++)
        markov = markov && q->stages[i].exponential && (i == stage || q->stages[i].k == 0);
    return markov;
}

/* --- M/M/1 ----------------------------------------------------------------------------------------------- */

static void predict_mm1(const struct queue_theory_question *q, struct queue_theory_answer *out)
{
    int status = 0;
    for (unsigned i = 0; i < q->stage_count; i++) {
        struct queue_result result;
        if (status == 0)
            status = mm1_solve(q->lambda_per_s, q->stages[i].mu_per_s, q->stages[i].k, &result);
        else
            status = MODEL_EUPSTREAM;
        out[i] = status ? no_answer(model_error_text(status)) : answer_of(&result);
        out[i].exact = status == 0 && q->stages[i].k == 0 && is_markov_up_to(q, i);
    }
}

/* --- M/M/1/K, from what is offered ----------------------------------------------------------------------- */

static int solve_offered(double lambda_per_s, const struct queue_theory_stage *stage,
                         struct queue_result *result)
{
    return stage->k > 0 ? mm1k_solve_offered(lambda_per_s, stage->mu_per_s, stage->k, result)
                        : mm1_solve(lambda_per_s, stage->mu_per_s, 0, result);
}

/* The source's customer stands outside in the last of K + 1 states: inside, there are K then. */
static int solve_blocked_source(double lambda_per_s, const struct queue_theory_stage *stage,
                                struct queue_theory_answer *out)
{
    struct queue_result r;
    double full_less_one;
    int status = mm1k_solve_offered(lambda_per_s, stage->mu_per_s, stage->k + 1, &r);
    if (status == 0)
        status = mm1k_p_equal(r.rho_offered, stage->k + 1, stage->k, &full_less_one);
    if (status)
        return status;
    *out = answer_of(&r);
    out->offered_per_s = r.lambda_per_s;
    out->n_g = r.n_g - r.p_k;
    out->n_q = r.n_q - r.p_k;
    out->w_g_s = out->n_g / r.lambda_per_s;
    out->w_q_s = out->n_q / r.lambda_per_s;
    out->loss = 0;
    out->p_bp = full_less_one + r.p_k;
    out->blocking = r.p_k;
    return 0;
}

static struct queue_theory_answer predict_offered(const struct queue_theory_question *q, unsigned stage,
                                                  double lambda_per_s)
{
    struct queue_theory_answer out;
    struct queue_result result;
    int status = 0;
    if (!q->blocking || q->stages[stage].k == 0) {
        status = solve_offered(lambda_per_s, &q->stages[stage], &result);
        out = status ? no_answer(model_error_text(status)) : answer_of(&result);
    } else if (q->stage_count > 1) {
        return no_answer("several stages that block each other are not in this model");
    } else if ((status = solve_blocked_source(lambda_per_s, &q->stages[stage], &out))) {
        out = no_answer(model_error_text(status));
    }
    out.exact = status == 0 && is_markov_up_to(q, stage);
    return out;
}

static void predict_mm1k(const struct queue_theory_question *q, struct queue_theory_answer *out)
{
    double lambda_per_s = q->lambda_per_s;
    for (unsigned i = 0; i < q->stage_count; i++) {
        out[i] = i > 0 && out[i - 1].why_not ? no_answer(model_error_text(MODEL_EUPSTREAM))
                                             : predict_offered(q, i, lambda_per_s);
        lambda_per_s = out[i].throughput_per_s;
    }
}

/* --- M/M/1/K, from what enters --------------------------------------------------------------------------- */

/* By the interval of the rate. */
static bool is_determined(const struct queue_theory_stage *stage)
{
    double most_per_s = stage->entering_per_s + stage->entering_half_width;
    return mercury_load_is_determined(stage->entering_per_s / stage->mu_per_s, most_per_s / stage->mu_per_s);
}

static void predict_mm1k_actual(const struct queue_theory_question *q, struct queue_theory_answer *out)
{
    for (unsigned i = 0; i < q->stage_count; i++) {
        const struct queue_theory_stage *stage = &q->stages[i];
        struct queue_result result;
        int status = stage->k > 0
                         ? mm1k_solve_actual(stage->entering_per_s, stage->mu_per_s, stage->k, &result)
                         : mm1_solve(stage->entering_per_s, stage->mu_per_s, 0, &result);
        if (status == 0 && !is_determined(stage))
            status = MODEL_EUNDETERMINED;
        out[i] = status ? no_answer(model_error_text(status)) : answer_of(&result);
        out[i].exact = false; /* as the rate, which is measured */
    }
}

/* --- services of two moments ----------------------------------------------------------------------------- */

/* Whether customers come to a stage one by one as Poisson has it, and find room. */
static bool is_poisson_at(const struct queue_theory_question *q, unsigned stage)
{
    return (stage == 0 ? q->poisson : is_markov_up_to(q, stage - 1)) && q->stages[stage].k == 0;
}

static struct queue_theory_answer predict_general(const struct queue_theory_question *q, unsigned stage,
                                                  double scv, double batch)
{
    struct queue_result result;
    int status = mxg1_solve(q->lambda_per_s, q->stages[stage].mu_per_s, scv, batch, batch * batch, &result);
    return status ? no_answer(model_error_text(status)) : answer_of(&result);
}

static void predict_md1(const struct queue_theory_question *q, struct queue_theory_answer *out)
{
    for (unsigned i = 0; i < q->stage_count; i++) {
        out[i] = i > 0 && out[i - 1].why_not ? no_answer(model_error_text(MODEL_EUPSTREAM))
                                             : predict_general(q, i, 0, 1);
        out[i].exact = !out[i].why_not && q->stages[i].service_scv == 0 && is_poisson_at(q, i);
    }
}

static void predict_mg1(const struct queue_theory_question *q, struct queue_theory_answer *out)
{
    for (unsigned i = 0; i < q->stage_count; i++) {
        out[i] = i > 0 && out[i - 1].why_not ? no_answer(model_error_text(MODEL_EUPSTREAM))
                                             : predict_general(q, i, q->stages[i].service_scv, 1);
        out[i].exact = !out[i].why_not && is_poisson_at(q, i);
    }
}

static void predict_mxg1(const struct queue_theory_question *q, struct queue_theory_answer *out)
{
    predict_mg1(q, out);
    if (q->batch <= 1)
        return;
    out[0] = predict_general(q, 0, q->stages[0].service_scv, q->batch);
    out[0].exact = !out[0].why_not && q->stages[0].k == 0;
}

/* --- a tandem whose full stages block -------------------------------------------------------------------- */

static const char *fill_tandem(const struct queue_theory_question *q, struct tandem_stage *stages)
{
    if (!q->blocking)
        return "full stages lose customers here, they do not block";
    if (q->batch > 1)
        return "its customers come one by one";
    if (q->stage_count > TANDEM_STAGES_MAX)
        return model_error_text(MODEL_ESTAGES);
    for (unsigned i = 0; i < q->stage_count; i++) {
        if (q->stages[i].k == 0)
            return "it needs a bound at every stage";
        stages[i] = (struct tandem_stage){.name = "stage",
                                          .places = q->stages[i].k - 1,
                                          .service_s = 1 / q->stages[i].mu_per_s,
                                          .service_scv = q->stages[i].service_scv,
                                          .yield = 1};
    }
    return NULL;
}

static void predict_blocking(const struct queue_theory_question *q, struct queue_theory_answer *out)
{
    struct tandem_stage stages[TANDEM_STAGES_MAX];
    struct tandem_result results[TANDEM_STAGES_MAX];
    const struct tandem_source source = {q->lambda_per_s, q->beat ? 0 : 1};
    const char *why_not = fill_tandem(q, stages);
    int status = why_not ? 0 : tandem_solve(&source, stages, q->stage_count, results);
    if (status)
        why_not = model_error_text(status);
    for (unsigned i = 0; i < q->stage_count; i++) {
        out[i] = no_answer(why_not);
        if (why_not)
            continue;
        const struct tandem_result *r = &results[i];
        out[i] = (struct queue_theory_answer){
            .exact = q->stage_count == 1 && is_markov_up_to(q, i),
            .offered_per_s = r->lambda_per_s,
            .throughput_per_s = r->lambda_per_s,
            .rho = r->rho,
            .n_g = r->n_g,
            .n_q = r->n_q,
            .w_q_s = r->w_q_s,
            .w_g_s = r->w_g_s,
            .p_bp =
                stages[i].places > 0 ? r->p_full : NAN, /* without a queue it says nothing of the server */
            .blocking = r->p_blocked,
        };
    }
}

/* --- all of them ----------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*predict)(const struct queue_theory_question *, struct queue_theory_answer *);
} models[QUEUE_THEORY_MODELS] = {
    {"M/M/1", predict_mm1},         {"M/M/1/K", predict_mm1k}, {"M/M/1/K_actual", predict_mm1k_actual},
    {"M/D/1", predict_md1},         {"M/G/1", predict_mg1},    {"M^[X]/G/1", predict_mxg1},
    {"blocking", predict_blocking},
};

const char *queue_theory_model(unsigned model)
{
    return models[model].name;
}

void queue_theory_predict(unsigned model, const struct queue_theory_question *question,
                          struct queue_theory_answer *out)
{
    models[model].predict(question, out);
}
