#include "validate/queue_theory.h"

#include <math.h>
#include <stddef.h>

#include "model/mercury_model.h"
#include "model/mg1.h"
#include "model/mm1.h"
#include "model/mm1k.h"
#include "model/mmc.h"
#include "model/model_error.h"
#include "model/tandem.h"

enum model { MM1, MM1K, MM1K_DOR, MD1, MG1, MXG1, BLOCKING, MMCK, MGC };

static struct queue_theory_answer no_answer(const char *why)
{
    struct queue_theory_answer out = {.why_not = why};
    for (unsigned i = 0; i < QUEUE_LINE_QUANTITIES; i++)
        out.value[i] = NAN;
    return out;
}

static struct queue_theory_answer answer_of(int status, const struct queue_result *r)
{
    if (status)
        return no_answer(model_error_text(status));
    double offered = r->lambda_offered_per_s;
    return (struct queue_theory_answer){
        .value = {
            [QUEUE_LINE_OFFERED] = offered,
            [QUEUE_LINE_THROUGHPUT] = r->lambda_per_s,
            [QUEUE_LINE_UTILISATION] = r->rho,
            [QUEUE_LINE_N] = r->n_g,
            [QUEUE_LINE_N_Q] = r->n_q,
            [QUEUE_LINE_W_Q] = r->w_q_s,
            [QUEUE_LINE_W] = r->w_g_s,
            [QUEUE_LINE_LOSS] = offered > 0 ? 1 - r->lambda_per_s / offered : 0,
            [QUEUE_LINE_FULL] = r->p_bp,
            [QUEUE_LINE_BLOCKING] = NAN,
        }};
}

static bool is_poisson(const struct queue_line *line)
{
    return line->arrivals == ARRIVALS_POISSON || (line->arrivals == ARRIVALS_BATCH && line->batch == 1);
}

/* Whether arrivals and services are those of M/M/1 up to a stage, and no stage before it has a bound. A Poisson stream
 * that is thinned, or that another one is added to, is Poisson; if customers become several, they come together. */
static bool is_markov_up_to(const struct queue_line *line, unsigned stage)
{
    bool markov = is_poisson(line);
    for (unsigned i = 0; i <= stage; i++)
        markov = markov && (i == 0 || queue_line_yield(&line->stages[i]) <= 1) &&
                 line->stages[i].service == SERVICE_EXPONENTIAL &&
                 (i == stage || line->stages[i].places == 0);
    return markov;
}

/* Whether the arrivals at a later stage are Poisson. */
static bool is_poisson_at(const struct queue_line *line, unsigned stage)
{
    return is_markov_up_to(line, stage - 1) && line->stages[stage - 1].places == 0 &&
           queue_line_yield(&line->stages[stage]) <= 1;
}

/* --- models of a single stage ----------------------------------------------------------------------------- */

/* The models below answer for one stage at the rate that the stage before it lets through. */

static struct queue_theory_answer predict_mm1(const struct queue_line *line, unsigned number,
                                              double lambda_per_s)
{
    const struct queue_line_stage *stage = &line->stages[number];
    struct queue_result r;
    struct queue_theory_answer out =
        answer_of(mm1_solve(lambda_per_s, stage->mu_per_s, stage->places, &r), &r);
    out.exact = stage->places == 0 && is_markov_up_to(line, number);
    return out;
}

/* The last of K + 1 states is that of a source that holds a customer; K customers are in the stage then. */
static struct queue_theory_answer predict_blocked_source(double lambda_per_s,
                                                         const struct queue_line_stage *stage)
{
    struct queue_result r;
    double full_less_one;
    int status = mm1k_solve_offered(lambda_per_s, stage->mu_per_s, stage->places + 1, &r);
    if (status == 0)
        status = mm1k_p_equal(r.rho_offered, stage->places + 1, stage->places, &full_less_one);
    struct queue_theory_answer out = answer_of(status, &r);
    if (status)
        return out;
    out.value[QUEUE_LINE_OFFERED] = r.lambda_per_s;
    out.value[QUEUE_LINE_N] = r.n_g - r.p_k;
    out.value[QUEUE_LINE_N_Q] = r.n_q - r.p_k;
    out.value[QUEUE_LINE_W] = (r.n_g - r.p_k) / r.lambda_per_s;
    out.value[QUEUE_LINE_W_Q] = (r.n_q - r.p_k) / r.lambda_per_s;
    out.value[QUEUE_LINE_LOSS] = 0;
    out.value[QUEUE_LINE_FULL] = full_less_one + r.p_k;
    out.value[QUEUE_LINE_BLOCKING] = r.p_k;
    return out;
}

static struct queue_theory_answer predict_mm1k(const struct queue_line *line, unsigned number,
                                               double lambda_per_s)
{
    const struct queue_line_stage *stage = &line->stages[number];
    struct queue_theory_answer out;
    struct queue_result r;
    if (stage->places == 0)
        out = answer_of(mm1_solve(lambda_per_s, stage->mu_per_s, 0, &r), &r);
    else if (line->overflow == OVERFLOW_LOSS)
        out = answer_of(mm1k_solve_offered(lambda_per_s, stage->mu_per_s, stage->places, &r), &r);
    else if (line->stage_count == 1)
        out = predict_blocked_source(lambda_per_s, stage);
    else
        out = no_answer("several stages that block each other are not in this model");
    out.exact = is_markov_up_to(line, number);
    return out;
}

static struct queue_theory_answer predict_general(const struct queue_line *line, unsigned stage,
                                                  double lambda_per_s, double scv, double batch)
{
    struct queue_result r;
    int status = mxg1_solve(lambda_per_s, line->stages[stage].mu_per_s, scv, batch, batch * batch, &r);
    struct queue_theory_answer out = answer_of(status, &r);
    bool poisson = stage == 0 ? is_poisson(line) : is_poisson_at(line, stage);
    out.exact = line->stages[stage].places == 0 && (poisson || batch > 1);
    return out;
}

static struct queue_theory_answer predict_md1(const struct queue_line *line, unsigned stage,
                                              double lambda_per_s)
{
    struct queue_theory_answer out = predict_general(line, stage, lambda_per_s, 0, 1);
    out.exact = out.exact && queue_line_service_scv(&line->stages[stage]) == 0;
    return out;
}

static struct queue_theory_answer predict_mg1(const struct queue_line *line, unsigned stage,
                                              double lambda_per_s)
{
    return predict_general(line, stage, lambda_per_s, queue_line_service_scv(&line->stages[stage]), 1);
}

static struct queue_theory_answer predict_mxg1(const struct queue_line *line, unsigned stage,
                                               double lambda_per_s)
{
    return predict_general(line, stage, lambda_per_s, queue_line_service_scv(&line->stages[stage]),
                           stage == 0 ? line->batch : 1);
}

/* --- several servers -------------------------------------------------------------------------------------- */

static struct queue_theory_answer predict_mmck(const struct queue_line *line, unsigned number,
                                               double lambda_per_s)
{
    const struct queue_line_stage *stage = &line->stages[number];
    struct queue_result r;
    if (stage->places > 0 && line->overflow == OVERFLOW_BLOCK)
        return no_answer("full stages block here, they do not lose customers");
    struct queue_theory_answer out =
        answer_of(mmc_solve(lambda_per_s, stage->mu_per_s, queue_line_servers(stage), stage->places, &r), &r);
    out.exact = is_markov_up_to(line, number);
    return out;
}

static struct queue_theory_answer predict_mgc(const struct queue_line *line, unsigned number,
                                              double lambda_per_s)
{
    const struct queue_line_stage *stage = &line->stages[number];
    struct queue_result r;
    struct queue_theory_answer out =
        answer_of(mgc_solve(lambda_per_s, stage->mu_per_s, queue_line_servers(stage),
                            queue_line_service_scv(stage), &r),
                  &r);
    bool poisson = number == 0 ? is_poisson(line) : is_poisson_at(line, number);
    bool one = queue_line_servers(stage) == 1 || stage->service == SERVICE_EXPONENTIAL;
    out.exact = stage->places == 0 && poisson && one;
    return out;
}

/* --- M/M/1/K (Dor), from the measured rate --------------------------------------------------------------- */

static void predict_mm1k_dor(const struct queue_line *line, const struct queue_line_result *simulated,
                             struct queue_theory_answer *out)
{
    for (unsigned i = 0; i < line->stage_count; i++) {
        const struct estimate *rate = &simulated->stage[i][QUEUE_LINE_THROUGHPUT];
        double mu_per_s = line->stages[i].mu_per_s;
        unsigned k = line->stages[i].places;
        struct queue_result result;
        int status = k > 0 ? mm1k_solve_actual(rate->mean, mu_per_s, k, &result)
                           : mm1_solve(rate->mean, mu_per_s, 0, &result);
        if (status == 0 &&
            !mercury_load_is_determined(rate->mean / mu_per_s, (rate->mean + rate->half_width) / mu_per_s))
            status = MODEL_EUNDETERMINED;
        out[i] = answer_of(status, &result);
    }
}

/* --- a tandem whose full stages block -------------------------------------------------------------------- */

static const char *fill_tandem(const struct queue_line *line, struct tandem_stage *stages)
{
    if (line->overflow != OVERFLOW_BLOCK)
        return "full stages lose customers here, they do not block";
    if (line->batch > 1)
        return "its customers come one by one";
    if (line->stage_count > TANDEM_STAGES_MAX)
        return model_error_text(MODEL_ESTAGES);
    for (unsigned i = 0; i < line->stage_count; i++) {
        if (line->stages[i].places == 0)
            return "it needs a bound at every stage";
        if (line->stages[i].added_per_s > 0)
            return "its stages have no streams of their own";
        double yield = i + 1 < line->stage_count ? queue_line_yield(&line->stages[i + 1]) : 1;
        double part = yield - floor(yield);
        stages[i] = (struct tandem_stage){.name = "stage",
                                          .places = line->stages[i].places - 1,
                                          .service_s = 1 / line->stages[i].mu_per_s,
                                          .service_scv = queue_line_service_scv(&line->stages[i]),
                                          .yield = yield,
                                          .yield_dispersion = part * (1 - part) / yield};
    }
    return NULL;
}

static void predict_blocking(const struct queue_line *line, struct queue_theory_answer *out)
{
    struct tandem_stage stages[TANDEM_STAGES_MAX];
    struct tandem_result results[TANDEM_STAGES_MAX];
    const struct tandem_source source = {line->lambda_per_s,
                                         line->arrivals == ARRIVALS_DETERMINISTIC ? 0 : 1};
    const char *why_not = fill_tandem(line, stages);
    int status = why_not ? 0 : tandem_solve(&source, stages, line->stage_count, results);
    if (status)
        why_not = model_error_text(status);
    for (unsigned i = 0; i < line->stage_count; i++) {
        const struct tandem_result *r = &results[i];
        out[i] = no_answer(why_not);
        if (why_not)
            continue;
        out[i] = (struct queue_theory_answer){.exact = line->stage_count == 1 && is_markov_up_to(line, i),
                                              .value = {
                                                  [QUEUE_LINE_OFFERED] = r->lambda_per_s,
                                                  [QUEUE_LINE_THROUGHPUT] = r->lambda_per_s,
                                                  [QUEUE_LINE_UTILISATION] = r->rho,
                                                  [QUEUE_LINE_N] = r->n_g,
                                                  [QUEUE_LINE_N_Q] = r->n_q,
                                                  [QUEUE_LINE_W_Q] = r->w_q_s,
                                                  [QUEUE_LINE_W] = r->w_g_s,
                                                  /* without a queue it says nothing of the server */
                                                  [QUEUE_LINE_FULL] = stages[i].places > 0 ? r->p_full : NAN,
                                                  [QUEUE_LINE_BLOCKING] = r->p_blocked,
                                              }};
    }
}

/* --- all of them ----------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    /* NULL if the model does not go from stage to stage */
    struct queue_theory_answer (*predict)(const struct queue_line *line, unsigned stage, double lambda_per_s);
} models[QUEUE_THEORY_MODELS] = {
    [MM1] = {"M/M/1", predict_mm1},  [MM1K] = {"M/M/1/K", predict_mm1k}, [MM1K_DOR] = {"M/M/1/K (Dor)", NULL},
    [MD1] = {"M/D/1", predict_md1},  [MG1] = {"M/G/1", predict_mg1},     [MXG1] = {"M^[X]/G/1", predict_mxg1},
    [BLOCKING] = {"blocking", NULL}, [MMCK] = {"M/M/c/K", predict_mmck}, [MGC] = {"M/G/c", predict_mgc},
};

const char *queue_theory_model(unsigned model)
{
    return models[model].name;
}

struct queue_theory_traits queue_theory_traits(unsigned model, const struct queue_line *line)
{
    bool one_blocks = model == MM1K && line->overflow == OVERFLOW_BLOCK && line->stage_count == 1;
    return (struct queue_theory_traits){
        .loses = (model == MM1K && !one_blocks) || model == MMCK,
        .enters = model == MM1K_DOR,
        .blocks = model == BLOCKING || one_blocks,
        .batches = model == MXG1,
        .any_service = model == MG1 || model == MXG1 || model == MGC || model == BLOCKING,
        .constant_service = model == MD1,
    };
}

bool queue_theory_applies(unsigned model, const struct queue_line *line)
{
    bool several = false;
    for (unsigned i = 0; i < line->stage_count; i++)
        several = several || queue_line_servers(&line->stages[i]) > 1;
    return several == (model == MMCK || model == MGC);
}

static void predict_stages(unsigned model, const struct queue_line *line, struct queue_theory_answer *out)
{
    double lambda_per_s = line->lambda_per_s;
    for (unsigned i = 0; i < line->stage_count; i++) {
        lambda_per_s =
            lambda_per_s * (i > 0 ? queue_line_yield(&line->stages[i]) : 1) + line->stages[i].added_per_s;
        out[i] = i > 0 && out[i - 1].why_not ? no_answer(model_error_text(MODEL_EUPSTREAM))
                                             : models[model].predict(line, i, lambda_per_s);
        out[i].exact = out[i].exact && !out[i].why_not;
        lambda_per_s = out[i].value[QUEUE_LINE_THROUGHPUT];
    }
}

void queue_theory_predict(unsigned model, const struct queue_line *line,
                          const struct queue_line_result *simulated, struct queue_theory_answer *out)
{
    if (models[model].predict)
        predict_stages(model, line, out);
    else if (model == BLOCKING)
        predict_blocking(line, out);
    else
        predict_mm1k_dor(line, simulated, out);
}
