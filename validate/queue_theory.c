#include "validate/queue_theory.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/queue/markov_tandem.h"
#include "model/queue/mercury_model.h"
#include "model/queue/mmpp_queue.h"
#include "model/queue/single_queue.h"
#include "model/model_error.h"
#include "model/queue/tandem.h"
#include "model/closed/linearizer.h"

static void fill_centre(const struct queue_network *n, unsigned i, double *p, struct closed_centre *c)
{
    const struct queue_line_stage *from = &n->centres[i];
    *c = (struct closed_centre){.mu_per_s = from->mu_per_s,
                                .servers = from->servers,
                                .speeds = from->speeds,
                                .speed_count = from->speed_count,
                                .p = p,
                                .p_count = QUEUE_LINE_NUMBERS};
    for (unsigned k = 0; k < QUEUE_LINE_NUMBERS; k++)
        p[k] = NAN;
    for (unsigned r = 0; r < n->class_count; r++)
        c->visits[r] = n->classes[r].visits[i];
}

static void take_centre(const struct queue_network *n, const struct closed_network *model, unsigned i,
                        struct closed_theory *out)
{
    const struct queue_line_stage *c = &n->centres[i];
    const struct closed_result *r = &out->classes;
    const bool is_delay = c->servers == 0 && !c->speeds;
    double number = 0, rate_per_s = 0;
    for (unsigned k = 0; k < n->class_count; k++) {
        number += r->n[i][k];
        rate_per_s += model->centres[i].visits[k] * r->x_per_s[k];
    }
    out->centre[i][QUEUE_LINE_N] = number;
    out->centre[i][QUEUE_LINE_W] = rate_per_s > 0 ? number / rate_per_s : NAN;
    out->centre[i][QUEUE_LINE_N_Q] = is_delay                           ? NAN
                                     : closed_centre_is_delay(model, i) ? 0
                                                                        : number - r->busy[i];
    out->centre[i][QUEUE_LINE_UTILISATION] = is_delay ? NAN : r->busy[i] / (c->speeds ? 1 : c->servers);
}

static void solve(const struct queue_network *n, const struct closed_network *model,
                  struct closed_theory *out)
{
    out->states = closed_network_states(model);
    int status = closed_network_solve(model, &out->classes);
    if (status == MODEL_EREACH) {
        out->is_large = true;
        out->model = "Linearizer";
        status = linearizer_solve(model, &out->classes);
    }
    out->why_not = status ? model_error_text(status) : NULL;
    for (unsigned i = 0; i < n->centre_count; i++)
        take_centre(n, model, i, out);
}

bool closed_theory_is_exact(const struct closed_theory *t)
{
    return !t->why_not && !t->is_large && t->assumption < 0;
}

void closed_theory_predict(const struct queue_network *n, struct closed_theory *out)
{
    auto_free struct closed_network *model = memory_new(1, sizeof *model);
    *out = (struct closed_theory){.model = "MVA", .assumption = -1};
    for (unsigned r = 0; r < n->class_count; r++)
        model->population[model->class_count++] = n->classes[r].population;
    for (unsigned i = 0; i < n->centre_count; i++) {
        const struct queue_line_stage *c = &n->centres[i];
        fill_centre(n, i, out->p[i], &model->centres[model->centre_count++]);
        const bool waits = !closed_centre_is_delay(model, i);
        if (out->assumption < 0 && !duration_is_exponential(&c->service) && waits)
            out->assumption = (int)i;
        out->seidmann = out->seidmann || (waits && c->servers > 1);
    }
    solve(n, model, out);
}

/* A probability below this one is 0: it is that of no run, and rounding decides on its digits. */
static const double NEVER = 1e-9;

static double probability_of(double p)
{
    return p < NEVER ? 0 : p; /* NaN stays */
}

void queue_theory_stage(const struct queue_line_stage *from, struct pipeline_stage *to)
{
    *to = (struct pipeline_stage){.name = from->name,
                                  .factor = from->factor,
                                  .overdrive_per_s = from->added_per_s,
                                  .mu_per_s = from->mu_per_s,
                                  .servers = from->servers,
                                  .k = from->places,
                                  .pass_fraction = from->pass_fraction,
                                  .service_scv = duration_scv(&from->service),
                                  .on = from->on,
                                  .back_to = from->back_to,
                                  .back_fraction = from->back_fraction};
    if (from->factor > 1) {
        to->batch_mean = from->factor;
        to->batch_second = batch_second_least(from->factor);
    } else if (from->factor < 1) {
        to->packed = (unsigned)lround(1 / from->factor);
    }
}

static struct queue_theory_answer no_answer(const char *why)
{
    struct queue_theory_answer out = {.why_not = why};
    for (unsigned i = 0; i < QUEUE_LINE_QUANTITIES; i++)
        out.value[i] = NAN;
    for (unsigned n = 0; n < QUEUE_LINE_NUMBERS; n++)
        out.p[n] = NAN;
    return out;
}

/* Take a distribution of `count` numbers; those above `places` are of full stages whose source waits. */
static void take_numbers(const double *p, unsigned count, unsigned places, struct queue_theory_answer *out)
{
    for (unsigned n = 0; n < QUEUE_LINE_NUMBERS; n++)
        out->p[n] = 0;
    for (unsigned n = 0; n < count; n++)
        out->p[n < places ? n : places] += p[n];
}

static struct queue_theory_answer answer_of(int status, const struct queue_result *r)
{
    if (status)
        return no_answer(model_error_text(status));
    double offered = r->lambda_offered_per_s;
    struct queue_theory_answer out = no_answer(NULL);
    const double value[] = {
        [QUEUE_LINE_OFFERED] = offered,
        [QUEUE_LINE_THROUGHPUT] = r->lambda_per_s,
        [QUEUE_LINE_UTILISATION] = r->rho,
        [QUEUE_LINE_N] = r->n_g,
        [QUEUE_LINE_N_Q] = r->n_q,
        [QUEUE_LINE_W_Q] = r->w_q_s,
        [QUEUE_LINE_W] = r->w_g_s,
        [QUEUE_LINE_LOSS] = offered > 0 ? probability_of(1 - r->lambda_per_s / offered) : 0,
        [QUEUE_LINE_FULL] = probability_of(r->p_bp),
        [QUEUE_LINE_BLOCKING] = NAN,
    };
    memcpy(out.value, value, sizeof value);
    return out;
}

/* --- what a model assumes ---------------------------------------------------------------------------------- */

/* If full stages block, nothing is lost there, nor after them. A source that is blocked is one more place. */
static bool blocks_up_to(const struct queue_line *line, unsigned stage)
{
    bool bound = false;
    for (unsigned i = 0; i <= stage; i++)
        bound = bound || line->stages[i].places > 0;
    return bound && line->overflow == OVERFLOW_BLOCK;
}

static bool is_general(unsigned model)
{
    return model >= QUEUE_THEORY_MG1K && model <= QUEUE_THEORY_MMPPM1K;
}

static bool is_mmpp(unsigned model)
{
    return model == QUEUE_THEORY_MMPPM1 || model == QUEUE_THEORY_MMPPM1K;
}

/* One server with a bound, whose source may also be held. */
static bool is_with_bound(unsigned model)
{
    return model == PIPELINE_MM1K || model == QUEUE_THEORY_MG1K || model == QUEUE_THEORY_MMPPM1K;
}

/* The number of stages, from the first one on, on which what comes to a stage depends: those before it, and those from
 * which customers go back to one of these. */
static unsigned stages_behind(const struct queue_line *line, unsigned stage)
{
    unsigned count = stage;
    for (unsigned i = stage; i < line->stage_count; i++)
        if (line->stages[i].back_fraction > 0 &&
            line->stages[i].back_to <= (count > stage ? count - 1 : stage))
            count = i + 1;
    return count;
}

/* Whether the next stage may keep a stage from serving. */
static bool is_held(const struct queue_line *line, unsigned number)
{
    const struct queue_line_stage *next = &line->stages[number + 1];
    return number + 1 < line->stage_count && next->places > 0 &&
           (line->overflow == OVERFLOW_BLOCK || next->almost_full > 0);
}

/* Whether what comes to a stage, before it is converted, is a Poisson stream. One that is thinned, or that another one
 * is added to, is Poisson; so are the departures of M/M/c (Burke 1956), but not those of a stage with a bound, or that
 * is held up, or to which several come together, or whose server others have. Where customers go back, it is not, but
 * the number in each stage has the same distribution as if it were (Jackson 1957). */
static bool is_poisson(const struct queue_line *line, unsigned stage)
{
    bool poisson = duration_is_exponential(&line->arrivals);
    for (unsigned i = 0; i < stages_behind(line, stage); i++)
        poisson = poisson && line->stages[i].factor == 1 && line->stages[i].places == 0 &&
                  duration_is_exponential(&line->stages[i].service) && line->stages[i].on == 0 &&
                  !line->stages[i].outputs && !is_held(line, i);
    return poisson;
}

/* Erlang's loss formula holds for services of any law if what comes is Poisson and nobody can wait (Sevastyanov
 * 1957). */
static bool is_loss_formula(unsigned model)
{
    return model == PIPELINE_MM1K || model == PIPELINE_MM1K_DOR || model == PIPELINE_MMCK;
}

/* What a model assumes of a line. */
struct queue_theory_traits {
    bool loses;            /* customers who find a stage full are lost, and it begins with the offered rate */
    bool enters;           /* it has a bound, and begins with the rate that enters */
    bool blocks;           /* full stages block */
    bool source_scv;       /* it takes the scv of the source */
    bool batches;          /* customers that one element becomes come together */
    bool packs;            /* each customer is made of several that come one by one */
    bool any_service;      /* of the mean and scv that services have */
    bool constant_service; /* if not: exponential */
    bool any_arrivals;     /* of the mean and scv that arrivals have */
    bool alike;            /* times between arrivals resemble their neighbours */
};

static struct queue_theory_traits traits_of(unsigned model, const struct queue_line *line, unsigned stage)
{
    const struct queue_line_stage *s = &line->stages[stage];
    const bool none_waits = s->places == s->servers && line->overflow == OVERFLOW_LOSS && s->factor == 1 &&
                            is_poisson(line, stage);
    bool one_blocks = is_with_bound(model) && line->stage_count == 1 && blocks_up_to(line, 0);
    return (struct queue_theory_traits){
        .loses = (is_with_bound(model) && !one_blocks) || model == PIPELINE_MMCK ||
                 (model == QUEUE_THEORY_MARKOV && line->overflow == OVERFLOW_LOSS),
        .enters = model == PIPELINE_MM1K_DOR,
        .blocks = model == QUEUE_THEORY_BLOCKING || one_blocks ||
                  (model == QUEUE_THEORY_MARKOV && line->overflow == OVERFLOW_BLOCK),
        .source_scv = model == QUEUE_THEORY_BLOCKING,
        .batches = model == PIPELINE_MXG1,
        .packs = model == PIPELINE_EM1,
        .any_service = model == PIPELINE_MG1 || model == PIPELINE_MXG1 || model == PIPELINE_MGC ||
                       (is_general(model) && model != QUEUE_THEORY_GIM1 && !is_mmpp(model)) ||
                       model == QUEUE_THEORY_BLOCKING || model == QUEUE_THEORY_CLASSES ||
                       (none_waits && is_loss_formula(model)),
        .any_arrivals = is_general(model) && model != QUEUE_THEORY_MG1K,
        .constant_service = model == PIPELINE_MD1,
        .alike = is_mmpp(model),
    };
}

/* --- what is exact ---------------------------------------------------------------------------------------- */

/* Whether a model is the system at a stage: M/M/1/K (Dor) starts from what was measured. */
static bool is_exact(unsigned model, const struct queue_line *line, unsigned number)
{
    const struct queue_line_stage *s = &line->stages[number];
    const struct queue_theory_traits t = traits_of(model, line, number);
    bool arrivals = s->factor == 1 || t.packs || (t.batches && s->factor > 1);
    bool services = t.constant_service
                        ? duration_is_constant(&s->service)
                        : duration_is_exponential(&s->service) ||
                              (t.any_service && model != PIPELINE_MGC && model != QUEUE_THEORY_BLOCKING &&
                               s->service.law != DURATION_TRACE);
    bool bound = s->places == 0 || t.loses || t.blocks;
    if (model == QUEUE_THEORY_GIM1 || is_mmpp(model))
        return s->factor == 1 && services && bound && line->arrivals.law != DURATION_TRACE &&
               (line->arrivals.law == DURATION_MMPP) == is_mmpp(model) && stages_behind(line, number) == 0 &&
               !is_held(line, number);
    return !t.enters && !t.any_arrivals && arrivals && services && bound && is_poisson(line, number) &&
           s->on == 0 && !is_held(line, number) && s->almost_full == 0 &&
           (model != QUEUE_THEORY_BLOCKING || line->stage_count == 1);
}

/* Whether a stage has its own servers, which serve while there is a place, and sends nothing back. */
static bool is_plain(const struct queue_line_stage *stage)
{
    return stage->on == 0 && stage->back_fraction == 0 && stage->almost_full == 0;
}

static const char PLAIN[] =
    "it is for chains whose stages send nothing back, share no server and have no almost-full flag";
static const char LOSE[] = "full stages block here, they do not lose customers";
static const char SINGLY[] = "here several customers come together";

/* --- models of single stages ------------------------------------------------------------------------------ */

/* --- how many are in a stage ------------------------------------------------------------------------------ */

/* GI/M/1: P[N = n] = rho (1 - s) s^(n - 1), so that N_G = rho / (1 - s). For M/M/1 s is rho. */
static void find_geometric(double s, struct queue_theory_answer *out)
{
    const double rho = out->value[QUEUE_LINE_UTILISATION];
    out->p[0] = 1 - rho;
    for (unsigned n = 1; n < QUEUE_LINE_NUMBERS; n++)
        out->p[n] = rho * (1 - s) * pow(s, n - 1.0);
}

/* M/M/c/K: births and deaths. */
static void find_of_servers(const struct queue_line_stage *s, double p_0, struct queue_theory_answer *out)
{
    const unsigned last = s->places > 0 ? s->places : QUEUE_LINE_NUMBERS - 1;
    const double load = out->value[QUEUE_LINE_OFFERED] / s->mu_per_s;
    if (last >= QUEUE_LINE_NUMBERS || s->servers > last || p_0 < DBL_MIN / DBL_EPSILON)
        return;
    out->p[0] = p_0;
    for (unsigned n = 1; n < QUEUE_LINE_NUMBERS; n++)
        out->p[n] = n <= last ? out->p[n - 1] * load / fmin(n, s->servers) : 0;
}

/* Others say how many wait. */
static void find_waiting(unsigned model, const struct queue_line_stage *stage,
                         struct queue_theory_answer *out)
{
    enum { BATCH_MAX = 256 };
    const double rho = out->value[QUEUE_LINE_UTILISATION], scv = duration_scv(&stage->service);
    double batch[BATCH_MAX + 1] = {1}, *p = out->p;
    size_t largest = 1;
    int status = MODEL_EUNKNOWN;
    if (model == PIPELINE_MXG1 && stage->factor > 1 && stage->factor < BATCH_MAX) {
        largest = (size_t)stage->factor + 1;
        batch[0] = 0;
        batch[largest - 1] = stage->factor - floor(stage->factor);
        batch[largest - 2] = 1 - batch[largest - 1];
    }
    /* to the last digit, where a difference of sums would leave none */
    if (model == PIPELINE_MM1 || (stage->service.law == DURATION_EXPONENTIAL && largest == 1 &&
                                  (model == PIPELINE_MG1 || model == PIPELINE_MXG1))) {
        find_geometric(rho, out);
        return;
    }
    if (model == PIPELINE_MM1K && stage->places > 0)
        status = queue_length_mm1k(out->value[QUEUE_LINE_OFFERED] / stage->mu_per_s, stage->places, p,
                                   QUEUE_LINE_NUMBERS);
    else if (model == PIPELINE_MD1)
        status = queue_length_mxg1(rho, 0, batch, 1, p, QUEUE_LINE_NUMBERS);
    else if ((model == PIPELINE_MG1 || model == PIPELINE_MXG1) && stage->service.law <= DURATION_GAMMA)
        status = queue_length_mxg1(rho, scv, batch, largest, p, QUEUE_LINE_NUMBERS);
    for (size_t n = QUEUE_LINE_NUMBERS - 1; n > 1; n--) /* those who wait, and the one who is served */
        p[n] = status ? NAN : p[n - 1];
    p[1] = status ? NAN : p[0] - (1 - rho);
    p[0] = status ? NAN : 1 - rho;
}

/* What is true of a source that is held, from K + 1 places that lose: their last state is that of a source that holds a
 * customer, and K customers are in the stage then. @param full_less_one  P[N = K] of it */
static struct queue_theory_answer hold_source(unsigned places, int status, const struct queue_result *r,
                                              double full_less_one)
{
    const double n_q = places > 1 ? r->n_q - r->p_k : 0; /* the difference would leave its rounding */
    struct queue_theory_answer out = answer_of(status, r);
    if (status)
        return out;
    out.value[QUEUE_LINE_OFFERED] = r->lambda_per_s;
    out.value[QUEUE_LINE_N] = r->n_g - r->p_k;
    out.value[QUEUE_LINE_N_Q] = n_q;
    out.value[QUEUE_LINE_W] = (r->n_g - r->p_k) / r->lambda_per_s;
    out.value[QUEUE_LINE_W_Q] = n_q / r->lambda_per_s;
    out.value[QUEUE_LINE_LOSS] = 0;
    out.value[QUEUE_LINE_FULL] = full_less_one + r->p_k;
    out.value[QUEUE_LINE_BLOCKING] = r->p_k;
    return out;
}

static struct queue_theory_answer predict_blocked_source(double lambda_per_s,
                                                         const struct queue_line_stage *stage)
{
    struct queue_result r;
    double full_less_one = NAN;
    int status = mm1k_solve_offered(lambda_per_s, stage->mu_per_s, stage->places + 1, &r);
    if (status == 0)
        status = mm1k_p_equal(r.rho_offered, stage->places + 1, stage->places, &full_less_one);
    struct queue_theory_answer out = hold_source(stage->places, status, &r, full_less_one);
    if (status == 0 && stage->places < QUEUE_LINE_NUMBERS) {
        double p[QUEUE_LINE_NUMBERS + 1];
        for (unsigned n = 0; n <= stage->places + 1; n++)
            mm1k_p_equal(r.rho_offered, stage->places + 1, n, &p[n]);
        take_numbers(p, stage->places + 2, stage->places, &out);
    }
    return out;
}

static void predict_stages(unsigned model, const struct queue_line *line, struct queue_theory_answer *out)
{
    struct pipeline_stage stages[QUEUE_LINE_STAGES_MAX];
    struct pipeline_prediction predictions[QUEUE_LINE_STAGES_MAX];
    struct pipeline_summary whole;
    for (unsigned i = 0; i < line->stage_count; i++)
        queue_theory_stage(&line->stages[i], &stages[i]);
    double input_per_s = line->lambda_per_s / line->stages[0].factor;
    stages[0].overdrive_per_s = 0; /* lambda has it */
    int status =
        pipeline_predict(stages, line->stage_count, NULL, input_per_s, input_per_s, predictions, &whole);
    bool loses = model == PIPELINE_MM1K || model == PIPELINE_MMCK;
    for (unsigned i = 0; i < line->stage_count; i++) {
        const struct pipeline_queue *queue = &predictions[i].queue[model];
        if (loses && blocks_up_to(line, i) && line->stage_count == 1 && model == PIPELINE_MM1K)
            out[i] = predict_blocked_source(line->lambda_per_s, &line->stages[i]);
        else if (loses && blocks_up_to(line, i))
            out[i] = no_answer(LOSE);
        else
            out[i] = answer_of(status ? status : queue->status, &queue->mean);
        out[i].exact = !out[i].why_not && is_exact(model, line, i);
        if (out[i].why_not || line->stages[i].on != 0 || (loses && blocks_up_to(line, i)))
            continue;
        if (model == PIPELINE_MMCK)
            find_of_servers(&line->stages[i], queue->mean.p_0, &out[i]);
        else
            find_waiting(model, &line->stages[i], &out[i]);
    }
}

static struct queue_theory_answer predict_mg1k(const struct queue_line *line, unsigned i, double lambda_per_s)
{
    const struct queue_line_stage *s = &line->stages[i];
    const bool holds = blocks_up_to(line, i);
    const unsigned k = s->places + (holds ? 1 : 0);
    struct queue_result r = queue_result_none();
    if (s->places == 0 || s->factor > 1 || (holds && line->stage_count > 1))
        return no_answer(s->places == 0 ? model_error_text(MODEL_ENO_K) : s->factor > 1 ? SINGLY : LOSE);
    auto_free double *p = k <= MG1K_PLACES_MAX ? memory_take((k + 1) * sizeof *p) : NULL;
    int status = p ? mg1k_solve(lambda_per_s, s->mu_per_s, &s->service, k, p, &r) : MODEL_ECAPACITY;
    struct queue_theory_answer out =
        holds ? hold_source(s->places, status, &r, status ? NAN : p[k - 1]) : answer_of(status, &r);
    if (status == 0 && s->places < QUEUE_LINE_NUMBERS)
        take_numbers(p, k + 1, s->places, &out);
    return out;
}

static struct queue_theory_answer predict_mmpp(unsigned model, const struct queue_line *line)
{
    const struct queue_line_stage *s = &line->stages[0];
    const bool holds = blocks_up_to(line, 0);
    double p[QUEUE_LINE_NUMBERS + 1];
    struct queue_result r;
    if (model == QUEUE_THEORY_MMPPM1K && (s->places == 0 || (holds && line->stage_count > 1)))
        return no_answer(s->places == 0 ? model_error_text(MODEL_ENO_K) : LOSE);
    int status = model == QUEUE_THEORY_MMPPM1
                     ? mmppm1_solve(line->lambda_per_s, s->mu_per_s, &line->arrivals, s->places, p,
                                    QUEUE_LINE_NUMBERS, &r)
                     : mmppm1k_solve(line->lambda_per_s, s->mu_per_s, &line->arrivals, s->places, holds, p,
                                     QUEUE_LINE_NUMBERS + 1, &r);
    struct queue_theory_answer out = model == QUEUE_THEORY_MMPPM1K && holds
                                         ? hold_source(s->places, status, &r, r.p_bp - r.p_k)
                                         : answer_of(status, &r);
    if (status == 0 && (model == QUEUE_THEORY_MMPPM1 || s->places < QUEUE_LINE_NUMBERS))
        take_numbers(p, QUEUE_LINE_NUMBERS, model == QUEUE_THEORY_MMPPM1 ? QUEUE_LINE_NUMBERS : s->places,
                     &out);
    return out;
}

/* GI/M/1, GI/G/c and Kingman's bound. */
static struct queue_theory_answer predict_gig(unsigned model, const struct queue_line *line,
                                              const struct queue_line_stage *s, double lambda_per_s,
                                              double arrivals_scv)
{
    const double scv = duration_scv(&s->service);
    struct queue_result r;
    int status;
    if (is_mmpp(model))
        return predict_mmpp(model, line);
    if (model == QUEUE_THEORY_GIM1)
        status = gim1_solve(lambda_per_s, s->mu_per_s, &line->arrivals, &r);
    else if (model == QUEUE_THEORY_GIGC)
        status = gigc_solve(lambda_per_s, s->mu_per_s, s->servers, arrivals_scv, scv, &r);
    else
        status = kingman_solve(lambda_per_s, s->mu_per_s, arrivals_scv, scv, &r);
    struct queue_theory_answer out = answer_of(status, &r);
    if (status == 0 && model == QUEUE_THEORY_GIM1)
        find_geometric(1 - out.value[QUEUE_LINE_UTILISATION] / out.value[QUEUE_LINE_N], &out);
    return out;
}

/* Later stages of GI/M/1 have arrivals of an unknown law. */
static struct queue_theory_answer predict_stage(unsigned model, const struct queue_line *line, unsigned i,
                                                double lambda_per_s, double arrivals_scv)
{
    const struct queue_line_stage *s = &line->stages[i];
    const bool is_of_one = s->servers == 1 || model == QUEUE_THEORY_GIGC;
    if (model == QUEUE_THEORY_MG1K && is_of_one)
        return predict_mg1k(line, i, lambda_per_s);
    if (s->factor > 1)
        return no_answer(SINGLY);
    if ((model == QUEUE_THEORY_GIM1 || is_mmpp(model)) && (i > 0 || s->factor < 1))
        return no_answer("it needs the law of the times between arrivals, which only the source has");
    if (isnan(arrivals_scv) && model != QUEUE_THEORY_MG1K)
        return no_answer("the scv of its arrivals is not known");
    return is_of_one ? predict_gig(model, line, s, lambda_per_s, arrivals_scv)
                     : no_answer(model_error_text(MODEL_ESEVERAL));
}

/* Those of general_queue.h and mmpp_queue.h. What M/G/1/K has no answer for loses as many as M/M/c/K says. */
static void predict_general(unsigned model, const struct queue_line *line,
                            const struct queue_line_result *simulated, struct queue_theory_answer *out)
{
    double lambda_per_s = line->lambda_per_s;
    bool plain = true;
    for (unsigned i = 0; i < line->stage_count; i++)
        plain = plain && line->stages[i].on == 0 && line->stages[i].back_fraction == 0;
    for (unsigned i = 0; i < line->stage_count; i++) {
        const struct queue_line_stage *s = &line->stages[i];
        struct queue_result losses;
        double scv = simulated ? simulated->arrivals[i].scv : NAN;
        if (i == 0)
            scv = duration_scv(&line->arrivals) * fmin(1, s->factor);
        else
            lambda_per_s = (lambda_per_s * s[-1].pass_fraction + s->added_per_s) * s->factor;
        out[i] = plain ? predict_stage(model, line, i, lambda_per_s, scv) : no_answer(PLAIN);
        out[i].exact = !out[i].why_not && is_exact(model, line, i);
        if (model == QUEUE_THEORY_MG1K && !out[i].why_not)
            lambda_per_s = out[i].value[QUEUE_LINE_THROUGHPUT];
        else if (model == QUEUE_THEORY_MG1K &&
                 mmc_solve(lambda_per_s, s->mu_per_s, s->servers, s->places, &losses) == 0)
            lambda_per_s = losses.lambda_per_s;
    }
}

/* M/M/1/K (Dor) starts from the measured rate. */

static void predict_mm1k_dor(const struct queue_line *line, const struct queue_line_result *simulated,
                             struct queue_theory_answer *out)
{
    for (unsigned i = 0; i < line->stage_count; i++) {
        const struct estimate *rate = &simulated->stage[i][QUEUE_LINE_THROUGHPUT];
        double mu_per_s = line->stages[i].mu_per_s;
        unsigned k = line->stages[i].places;
        struct queue_result result;
        int status = line->stages[i].servers > 1 ? MODEL_ESEVERAL
                     : line->stages[i].on > 0    ? MODEL_ESHARED
                     : k > 0                     ? mm1k_solve_actual(rate->mean, mu_per_s, k, &result)
                                                 : mm1_solve(rate->mean, mu_per_s, 0, &result);
        if (status == 0 &&
            !mercury_load_is_determined(rate->mean / mu_per_s, (rate->mean + rate->half_width) / mu_per_s))
            status = MODEL_EUNDETERMINED;
        out[i] = answer_of(status, &result);
    }
}

/* --- classes of customers ----------------------------------------------------------------------------------- */

struct queue_theory_answer queue_theory_classes(const struct queue_line *line, struct queue_theory_answer *of)
{
    struct queue_class classes[QUEUE_LINE_CLASSES];
    struct queue_result sum;
    bool drawn = duration_is_exponential(&line->arrivals);
    for (unsigned k = 0; k < QUEUE_LINE_CLASSES; k++) {
        const struct queue_line_class *c = &line->classes[k];
        classes[k] = (struct queue_class){.lambda_per_s = line->lambda_per_s * c->share,
                                          .mu_per_s = c->mu_per_s,
                                          .service_scv = duration_scv(&c->service)};
        drawn = drawn && c->service.law != DURATION_TRACE;
    }
    const int status = mg1_classes_solve(classes, QUEUE_LINE_CLASSES, line->priority, &sum);
    const bool singly = line->stages[0].factor == 1;
    for (unsigned k = 0; k < QUEUE_LINE_CLASSES; k++)
        of[k] = singly ? answer_of(status, &classes[k].found) : no_answer(SINGLY);
    struct queue_theory_answer all = singly ? answer_of(status, &sum) : no_answer(SINGLY);
    all.exact = !all.why_not && drawn;
    return all;
}

/* --- a tandem whose full stages block -------------------------------------------------------------------- */

/* Each of several elements passes with the probability p, and then is F others, or the nth part of one. For the times
 * between these, the dispersion of a thinned and packed stream is (1 - p) / n: a sum of services has that variance. */
static const char *fill_tandem(const struct queue_line *line, struct tandem_stage *stages)
{
    if (line->overflow != OVERFLOW_BLOCK)
        return "full stages lose customers here";
    if (line->stages[0].factor > 1)
        return SINGLY;
    if (line->stage_count > TANDEM_STAGES_MAX)
        return model_error_text(MODEL_ESTAGES);
    for (unsigned i = 0; i < line->stage_count; i++) {
        const struct queue_line_stage *s = &line->stages[i];
        if (!is_plain(s))
            return PLAIN;
        if (s->servers > 1)
            return "its stages have one server each";
        if (s->places == 0)
            return "it needs a bound at every stage";
        if (i > 0 && s->added_per_s > 0)
            return "its stages have no streams of their own";
        const double p = s->pass_fraction, factor = i + 1 < line->stage_count ? s[1].factor : 1;
        stages[i] = (struct tandem_stage){
            .places = s->places - 1, .service_s = 1 / s->mu_per_s, .service_scv = duration_scv(&s->service)};
        stages[i].yield = p * factor;
        stages[i].yield_dispersion =
            factor >= 1 ? batch_second_least(factor) / factor - p * factor : (1 - p) * factor;
    }
    return NULL;
}

static void predict_blocking(const struct queue_line *line, struct queue_theory_answer *out)
{
    struct tandem_stage stages[TANDEM_STAGES_MAX];
    struct tandem_result results[TANDEM_STAGES_MAX];
    const struct tandem_source source = {line->lambda_per_s,
                                         duration_scv(&line->arrivals) * line->stages[0].factor};
    const char *why_not = fill_tandem(line, stages);
    int status = why_not ? 0 : tandem_solve(&source, stages, line->stage_count, results, NULL);
    if (status)
        why_not = model_error_text(status);
    for (unsigned i = 0; i < line->stage_count; i++) {
        struct queue_result *mean = &results[i].mean;
        out[i] = no_answer(why_not);
        if (why_not)
            continue;
        mean->lambda_offered_per_s = mean->lambda_per_s;
        mean->p_bp =
            stages[i].places > 0 ? mean->p_k : NAN; /* without a queue it says nothing of the server */
        out[i] = answer_of(0, mean);
        out[i].exact = is_exact(QUEUE_THEORY_BLOCKING, line, i);
        out[i].value[QUEUE_LINE_BLOCKING] = probability_of(results[i].p_blocked);
    }
}

/* @return whether the line is one whose states can be counted: bounds everywhere, one customer of one, and all times
 * exponential */
static bool fill_markov(const struct queue_line *line, struct markov_stage stages[MARKOV_STAGES_MAX])
{
    bool is_one = line->stage_count <= MARKOV_STAGES_MAX && duration_is_exponential(&line->arrivals);
    for (unsigned i = 0; i < line->stage_count && is_one; i++) {
        const struct queue_line_stage *s = &line->stages[i];
        is_one = s->places > 0 && s->factor == 1 && is_plain(s) && !s->outputs &&
                 (i == 0 || s->added_per_s == 0) && duration_is_exponential(&s->service);
        stages[i] = (struct markov_stage){s->mu_per_s, s->places, s->servers, s->pass_fraction};
    }
    return is_one;
}

static void predict_markov(const struct queue_line *line, struct queue_theory_answer *out)
{
    struct markov_stage stages[MARKOV_STAGES_MAX];
    double p[MARKOV_STAGES_MAX][QUEUE_LINE_NUMBERS];
    const bool is_one = fill_markov(line, stages);
    for (unsigned i = 0; i < line->stage_count && is_one; i++)
        stages[i].p = stages[i].places < QUEUE_LINE_NUMBERS ? p[i] : NULL;
    const int status = is_one ? markov_tandem_solve(line->lambda_per_s, line->overflow == OVERFLOW_BLOCK,
                                                    stages, line->stage_count)
                              : MODEL_EUNKNOWN;
    for (unsigned i = 0; i < line->stage_count; i++) {
        out[i] = answer_of(status, &stages[i].found);
        out[i].exact = status == 0;
        if (status == 0)
            out[i].value[QUEUE_LINE_BLOCKING] = probability_of(stages[i].p_outside);
        if (status == 0 && stages[i].p)
            take_numbers(p[i], stages[i].places + 1, stages[i].places, &out[i]);
    }
}

/* --- all of them ----------------------------------------------------------------------------------------- */

const char *queue_theory_model(unsigned model)
{
    static const char *const names[] = {"M/G/1/K",         "GI/M/1",   "GI/G/c",
                                        "Kingman",         "MMPP/M/1", "MMPP/M/1/K",
                                        "M/G/1 (classes)", "blocking", "Markov chain"};
    return model >= PIPELINE_CHAIN_MODELS ? names[model - PIPELINE_CHAIN_MODELS]
                                          : pipeline_model_name((enum pipeline_model)model);
}

bool queue_theory_is_of(unsigned model, const struct queue_line_stage *stage)
{
    struct pipeline_stage of_pipeline;
    queue_theory_stage(stage, &of_pipeline);
    if (model == QUEUE_THEORY_MARKOV || model == QUEUE_THEORY_CLASSES)
        return true;
    if (model == QUEUE_THEORY_MG1K)
        return stage->servers == 1 && stage->places > 0 && !duration_is_exponential(&stage->service);
    if (model == QUEUE_THEORY_MMPPM1K)
        return stage->servers == 1 && stage->places > 0;
    return model >= PIPELINE_CHAIN_MODELS ? stage->servers == 1 || model == QUEUE_THEORY_GIGC
                                          : pipeline_model_applies((enum pipeline_model)model, &of_pipeline);
}

bool queue_theory_applies(unsigned model, const struct queue_line *line)
{
    struct markov_stage stages[MARKOV_STAGES_MAX];
    bool any = false;
    if (line->class_count > 0 || model == QUEUE_THEORY_CLASSES)
        return line->class_count > 0 && model == QUEUE_THEORY_CLASSES;
    for (unsigned i = 0; i < line->stage_count; i++)
        any = any || queue_theory_is_of(model, &line->stages[i]);
    if (model == QUEUE_THEORY_MARKOV) /* one stage has models of its own that are exact */
        return line->stage_count > 1 && fill_markov(line, stages);
    if (is_mmpp(model))
        return any && line->arrivals.law == DURATION_MMPP;
    if (is_general(model) && model != QUEUE_THEORY_MG1K)
        return any && !duration_is_exponential(&line->arrivals);
    return any;
}

void queue_theory_predict(unsigned model, const struct queue_line *line,
                          const struct queue_line_result *simulated, struct queue_theory_answer *out)
{
    struct queue_theory_answer of_class[QUEUE_LINE_CLASSES];
    if (model == QUEUE_THEORY_CLASSES)
        *out = queue_theory_classes(line, of_class);
    else if (model == QUEUE_THEORY_MARKOV)
        predict_markov(line, out);
    else if (model == QUEUE_THEORY_BLOCKING)
        predict_blocking(line, out);
    else if (is_general(model))
        predict_general(model, line, simulated, out);
    else if (model == PIPELINE_MM1K_DOR)
        predict_mm1k_dor(line, simulated, out);
    else
        predict_stages(model, line, out);
}

/* --- verdicts -------------------------------------------------------------------------------------------- */

/* The dispersion in `count` values, whose variance has the mean `unit` if it is 1. The sum of squares is one of
 * chi-squared, whose quantile at four standard deviations is Wilson and Hilferty's (1931). */
static struct dispersion dispersion_in(const double *values, size_t count, double unit)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    const double freedom = (double)count - 1, error = 2 / (9 * freedom),
                 dispersion = squares / freedom / unit;
    return (struct dispersion){dispersion, dispersion / pow(1 - error + 4 * sqrt(error), 3)};
}

static struct dispersion more_of(struct dispersion a, struct dispersion b)
{
    return b.least > a.least ? b : a;
}

/* The dispersion of a law's times. */
static struct dispersion dispersion_of(const struct duration *d)
{
    struct dispersion most = {duration_dispersion(d), duration_dispersion(d)};
    auto_free double *sums = d->law == DURATION_TRACE ? memory_new(d->count, sizeof *sums) : NULL;
    size_t count = d->count;
    for (size_t i = 0; sums && i < count; i++)
        sums[i] = d->times[i];
    for (double length = 2; sums && (count /= 2) >= QUEUE_LEAST_BATCHES; length *= 2) {
        for (size_t i = 0; i < count; i++)
            sums[i] = sums[2 * i] + sums[2 * i + 1];
        most = more_of(most, dispersion_in(sums, count, length));
    }
    return most;
}

/* That of what comes to a stage: a source that is not drawn time by time is known, the rest is measured. */
static struct dispersion dispersion_at(const struct queue_line *line,
                                       const struct queue_line_result *simulated, unsigned stage)
{
    const double *rates =
        simulated->frames ? queue_line_frames(line, simulated, stage, QUEUE_LINE_OFFERED) : NULL;
    const double mean_per_s = simulated->stage[stage][QUEUE_LINE_OFFERED].mean;
    struct dispersion known = {0}, seen = {0};
    if (stage == 0 && line->stages[0].added_per_s == 0)
        known = dispersion_of(&line->arrivals);
    known.estimate *= line->stages[0].factor;
    known.least *= line->stages[0].factor;
    if (rates && mean_per_s > 0)
        seen = dispersion_in(rates, line->run.batches, mean_per_s / simulated->batch_s);
    return more_of(known, seen);
}

struct verdict_evidence queue_verdict_evidence(const struct queue_line *line,
                                               const struct queue_line_result *simulated, unsigned stage)
{
    const struct queue_line_stage *s = &line->stages[stage];
    const struct queue_line_times *arrivals = &simulated->arrivals[stage];
    const struct estimate *measured = simulated->stage[stage];
    return (struct verdict_evidence){
        .arrivals = {arrivals->count, NAN, arrivals->scv, arrivals->lag1},
        .services = {arrivals->count, NAN, duration_scv(&s->service), duration_lag1(&s->service)},
        .arrivals_slow = dispersion_at(line, simulated, stage),
        .services_slow = dispersion_of(&s->service),
        .expected_scv = 1,
        /* fraction of the time in which a customer of the stage waits for room in the next one */
        .held = stage + 1 < line->stage_count ? simulated->stage[stage + 1][QUEUE_LINE_BLOCKING].mean : 0,
        .full = s->places > 0 ? measured[QUEUE_LINE_FULL].mean : 0,
        .n_q = measured[QUEUE_LINE_N_Q].mean,
        .places = s->places > 0 ? (double)s->places : INFINITY,
    };
}

/* Whether several elements come together at a stage, or at a later one that holds it up. */
static bool comes_together(const struct queue_line *line, unsigned stage, double held)
{
    bool any = line->stages[stage].factor > 1;
    for (unsigned i = stage + 1; i < line->stage_count && held > VERDICT_BLOCKED; i++)
        any = any || line->stages[i].factor > 1;
    return any;
}

/* What a model assumes of a stage, and the evidence as far as it matters to the model. */
static unsigned reasons_of(const struct queue_theory_traits *traits, const struct queue_line *line,
                           unsigned stage, double rho, struct verdict_evidence e)
{
    const bool blocks = line->overflow == OVERFLOW_BLOCK, has_margin = line->stages[stage].almost_full > 0;
    double factor = line->stages[stage].factor;
    unsigned reasons = 0;
    struct verdict_assumptions assumed = {
        .arrivals_scv = 1,
        .services_scv = traits->any_service        ? NAN
                        : traits->constant_service ? 0
                                                   : 1,
        .has_bound = !has_margin && (blocks ? traits->blocks : traits->loses || traits->enters),
    };
    /* Poisson arrivals in batches of the two whole sizes next to a mean: most times are 0. Two others are neighbours
     * only around a batch of one; the mean product of two neighbours is its share of the batches times their mean
     * size. */
    if (traits->batches && factor > 1) {
        assumed.arrivals_scv = 2 * factor - 1;
        e.arrivals.lag1 -= (fmax(0, 2 - factor) * factor - 1) / assumed.arrivals_scv;
        e.arrivals_slow.estimate *= assumed.arrivals_scv * factor / batch_second_least(factor);
        e.arrivals_slow.least *= assumed.arrivals_scv * factor / batch_second_least(factor);
    }
    if (traits->packs)
        assumed.arrivals_scv = factor;
    if (traits->any_arrivals)
        assumed.arrivals_scv = NAN;
    if (traits->alike)
        e.arrivals.lag1 = NAN;
    if (traits->alike || (traits->blocks && blocks && stage > 0))
        e.arrivals_slow = (struct dispersion){0};
    if (traits->blocks && blocks) {
        reasons |= comes_together(line, stage, e.held) ? VERDICT_TOGETHER : 0;
        e.held = 0;
        /* blocking itself makes the times between those that enter */
        e.arrivals.scv = stage == 0 ? duration_scv(&line->arrivals) * fmin(1, factor) : NAN;
        if (stage > 0 || traits->source_scv)
            assumed.arrivals_scv = NAN;
        if (stage == 0 && !traits->alike)
            e.arrivals.lag1 = duration_lag1(&line->arrivals);
    }
    reasons |= verdict_reasons(&e, &assumed, rho);
    return !blocks && !has_margin && reasons & VERDICT_FULL ? reasons ^ (VERDICT_FULL | VERDICT_LOSES)
                                                            : reasons;
}

/* Whether who comes finds a stage full more or less often than it is, which no Poisson stream does (PASTA: Wolff 1982,
 * Operations Research 30). */
static bool sees_otherwise(const struct queue_line *line, const struct queue_line_result *simulated,
                           unsigned stage)
{
    const struct queue_line_stage *s = &line->stages[stage];
    const struct estimate *full = &simulated->stage[stage][QUEUE_LINE_FULL],
                          *loss = &simulated->stage[stage][QUEUE_LINE_LOSS];
    return line->overflow == OVERFLOW_LOSS && s->places > 0 && s->factor == 1 && s->almost_full == 0 &&
           fabs(full->mean - loss->mean) > VERDICT_BLOCKED + 2 * (full->half_width + loss->half_width);
}

static void judge(unsigned model, const struct queue_line *line, const struct queue_line_result *simulated,
                  unsigned stage, const struct queue_theory_answer *answer, struct verdict_cell *cells)
{
    const struct queue_theory_traits traits = traits_of(model, line, stage);
    const double rho =
        answer->value[QUEUE_LINE_OFFERED] / (line->stages[stage].servers * line->stages[stage].mu_per_s);
    struct verdict_evidence evidence = queue_verdict_evidence(line, simulated, stage);
    if (line->stages[stage].almost_full > 0) /* it holds up what is before though it is never full */
        evidence.full = simulated->stage[stage][QUEUE_LINE_BLOCKING].mean;
    unsigned reasons = reasons_of(&traits, line, stage, rho, evidence);
    if (!traits.any_arrivals && !traits.alike && !traits.packs && sees_otherwise(line, simulated, stage))
        reasons |= VERDICT_VIEW;
    if (answer->exact) /* even where customers who come back are no Poisson stream (Jackson 1957) */
        reasons &=
            ~(unsigned)(VERDICT_ARRIVALS | VERDICT_ARRIVALS_ALIKE | VERDICT_ARRIVALS_SLOW | VERDICT_VIEW);
    const struct estimate *rate = &simulated->stage[stage][QUEUE_LINE_OFFERED];
    if (!traits.blocks && !traits.enters &&
        fabs(answer->value[QUEUE_LINE_OFFERED] - rate->mean) >
            VERDICT_BLOCKED * rate->mean + 2 * rate->half_width)
        reasons |= VERDICT_RATE;
    const struct estimate *waiting = &simulated->stage[stage][QUEUE_LINE_N_Q];
    if (model == QUEUE_THEORY_KINGMAN &&
        waiting->mean - 2 * waiting->half_width > answer->value[QUEUE_LINE_N_Q])
        reasons |= VERDICT_OVER;
    for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++) {
        struct verdict_cell *cell = &cells[q];
        *cell = (struct verdict_cell){
            .predicted = answer->value[q], .why_not = answer->why_not, .low = NAN, .high = NAN};
        if (!cell->why_not && isnan(cell->predicted))
            cell->why_not = "the model does not say";
        const bool is_rate =
            q == QUEUE_LINE_OFFERED || q == QUEUE_LINE_THROUGHPUT || q == QUEUE_LINE_UTILISATION;
        cell->given = !cell->why_not && !traits.loses && !traits.blocks && is_rate;
        cell->reasons = cell->why_not || cell->given ? 0 : reasons;
    }
}

struct queue_judged *queue_judge(const struct queue_line *line, const struct queue_line_result *result)
{
    struct queue_judged *j = memory_new(1, sizeof *j);
    j->line = line;
    j->result = result;
    if (line->class_count > 0)
        queue_theory_classes(line, j->of_class);
    for (unsigned model = 0; model < QUEUE_THEORY_MODELS; model++) {
        if (!queue_theory_applies(model, line))
            continue;
        struct queue_theory_answer *answers = j->models[j->count].answers;
        j->models[j->count].model = model;
        j->models[j->count].name = queue_theory_model(model);
        queue_theory_predict(model, line, result, answers);
        for (unsigned i = 0; i < line->stage_count; i++)
            judge(model, line, result, i, &answers[i], j->models[j->count].cells[i]);
        j->count++;
    }
    return j;
}
