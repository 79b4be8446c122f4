#include "app/theory/chain_predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "model/mmc.h"
#include "model/model_error.h"
#include "model/pipeline.h"

/* --- theory ---------------------------------------------------------------------------------------------- */

static void fill_pipeline(const struct chain *chain, struct pipeline_stage *stages)
{
    for (size_t i = 0; i < chain->count; i++) {
        const struct chain_stage *s = &chain->stages[i];
        double arrives = i > 0 ? chain->stages[i - 1].pass_fraction * s->factor : s->factor;
        double least = floor(arrives), part = arrives - least;
        stages[i] = (struct pipeline_stage){.name = s->name,
                                            .factor = s->factor,
                                            .overdrive_per_s = s->overdrive_per_s,
                                            .mu_per_s = s->servers * chain_mu_per_s(s),
                                            .k = s->places,
                                            .pass_fraction = s->pass_fraction,
                                            .service_scv = queue_line_service_scv(&s->service)};
        if (arrives > 1) { /* `least` or one more come together */
            stages[i].batch_mean = arrives;
            stages[i].batch_second = (1 - part) * least * least + part * (least + 1) * (least + 1);
        }
    }
}

/* An answer of a model, and why it has no number, or what to know of it; NULL if there is nothing. */
struct answer {
    const char *model, *remark;
    struct queue_result mean;
};

enum { ANSWERS_MAX = PIPELINE_MODELS };

static struct answer answer_of(const char *model, int status, const struct queue_result *mean,
                               unsigned cautions)
{
    return (struct answer){model,
                           status                              ? model_error_text(status)
                           : cautions & PIPELINE_CAUTION_QUEUE ? "N_Q is above K/2"
                           : cautions & PIPELINE_CAUTION_BACK_PRESSURE
                               ? "back-pressure slows the stage before"
                               : NULL,
                           status ? queue_result_none() : *mean};
}

/* A stage of several servers has the models of such stages. */
static unsigned ask_servers(const struct chain_stage *s, const struct pipeline_prediction *p,
                            struct answer answers[ANSWERS_MAX])
{
    struct queue_result lost, unbounded;
    bool upstream = p->queue[PIPELINE_MM1].status == MODEL_EUPSTREAM;
    double mu_per_s = chain_mu_per_s(s);
    int status = mmc_solve(p->lambda_per_s, mu_per_s, s->servers, s->places, &lost);
    answers[0] = answer_of("M/M/c/K", upstream ? MODEL_EUPSTREAM : status, &lost, 0);
    status =
        mgc_solve(p->lambda_per_s, mu_per_s, s->servers, queue_line_service_scv(&s->service), &unbounded);
    answers[1] = answer_of("M/G/c", upstream ? MODEL_EUPSTREAM : status, &unbounded, 0);
    return 2;
}

static unsigned ask(const struct chain_stage *s, const struct pipeline_prediction *p,
                    struct answer answers[ANSWERS_MAX])
{
    if (s->servers > 1)
        return ask_servers(s, p, answers);
    for (unsigned model = 0; model < PIPELINE_MODELS; model++)
        answers[model] = answer_of(pipeline_model_name(model), p->queue[model].status, &p->queue[model].mean,
                                   p->queue[model].cautions);
    return PIPELINE_MODELS;
}

static int write_rates(const struct chain *chain, const struct pipeline_prediction *p, FILE *out)
{
    static const char *const columns[] = {"stage", "lambda_per_s", "mu_per_s", "rho",
                                          "saturating_input_per_s"};
    static const int widths[] = {-12, 13, 13, 9, 23};
    struct result_table *table = result_table_new_styled(
        columns, 5, &(struct result_style){.title = "rates, in elements of each stage", .widths = widths});
    for (size_t i = 0; i < chain->count; i++)
        result_table_add(table, TEXT(p[i].name), NUMBER(p[i].lambda_per_s), NUMBER(p[i].mu_per_s),
                         NUMBER(p[i].rho),
                         NUMBER(isfinite(p[i].saturating_input_per_s) ? p[i].saturating_input_per_s : NAN));
    return result_table_end(table, RESULT_TEXT, out);
}

static void note_bottleneck(struct result_table *table, const struct chain *chain, const char *what,
                            const struct pipeline_bottleneck *b)
{
    if (b->stage >= 0)
        result_table_note(table, "%s: %s, at an input of %.5g elements/s", what, chain->stages[b->stage].name,
                          b->input_per_s);
}

/* A remark that several models share is made once. */
static void note_remarks(struct result_table *table, const struct chain_stage *s,
                         const struct answer *answers, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char models[100] = "";
        unsigned earlier = 0;
        for (unsigned other = 0; answers[i].remark && other < count; other++) {
            if (!answers[other].remark || strcmp(answers[other].remark, answers[i].remark) != 0)
                continue;
            earlier += other < i;
            size_t used = strlen(models);
            snprintf(models + used, sizeof models - used, "%s%s", used ? ", " : "", answers[other].model);
        }
        if (!answers[i].remark || earlier > 0)
            continue;
        result_table_note(table, "%s, %s:", s->name, models);
        result_table_note(table, "  %s", answers[i].remark);
    }
}

static void add_queues(struct result_table *table, const struct chain *chain,
                       const struct pipeline_prediction *p, bool text)
{
    for (size_t i = 0; i < chain->count; i++) {
        struct answer answers[ANSWERS_MAX];
        unsigned count = ask(&chain->stages[i], &p[i], answers);
        for (unsigned model = 0; model < count; model++) {
            const struct queue_result *r = &answers[model].mean;
            result_table_add(table, TEXT(p[i].name), TEXT(answers[model].model));
            if (!text)
                result_table_add(table, NUMBER(p[i].lambda_per_s), NUMBER(p[i].mu_per_s), NUMBER(p[i].rho));
            result_table_add(table, NUMBER(r->n_q), NUMBER(r->n_g), NUMBER(r->w_q_s), NUMBER(r->p_bp));
            if (!text)
                result_table_add(table, TEXT(answers[model].remark ? answers[model].remark : ""));
        }
    }
}

static void add_notes(struct result_table *table, const struct chain *chain,
                      const struct pipeline_prediction *p, const struct pipeline_summary *whole)
{
    for (size_t i = 0; i < chain->count; i++) {
        struct answer answers[ANSWERS_MAX];
        unsigned count = ask(&chain->stages[i], &p[i], answers);
        note_remarks(table, &chain->stages[i], answers, count);
    }
    note_bottleneck(table, chain, "bottleneck", &whole->bottleneck);
    note_bottleneck(table, chain, "without it", &whole->next);
}

/* TSV and JSON are one table: rates are repeated in every row of a stage. */
static int write_prediction(const struct chain *chain, const struct pipeline_prediction *p,
                            const struct pipeline_summary *whole, double input_per_s,
                            enum result_format format, FILE *out)
{
    static const char *const of_text[] = {"stage", "model", "N_Q", "N_G", "W_Q_s", "P_BP"};
    static const char *const of_table[] = {"stage", "model", "lambda_per_s", "mu_per_s", "rho",
                                           "N_Q",   "N_G",   "W_Q_s",        "P_BP",     "remark"};
    static const int widths[] = {-12, -9, 11, 11, 11, 11};
    const struct result_style style = {.title = "queues", .widths = widths},
                              plain = {.schema = "mercury-chain-1"};
    bool text = format == RESULT_TEXT;
    if (text) {
        fprintf(out, "input: %.5g elements/s beside overdrives\n", input_per_s);
        if (write_rates(chain, p, out) != 0)
            return -1;
    }
    struct result_table *table =
        text ? result_table_new_styled(of_text, 6, &style) : result_table_new_styled(of_table, 10, &plain);
    if (!text)
        result_table_add_fact(table, "input_per_s", NUMBER(input_per_s));
    add_queues(table, chain, p, text);
    add_notes(table, chain, p, whole);
    return result_table_end(table, format, out);
}

int chain_predict(const struct chain *chain, double input_per_s, enum result_format format, FILE *out,
                  struct why *why)
{
    struct pipeline_stage *stages = calloc(chain->count, sizeof *stages);
    struct pipeline_prediction *predictions = calloc(chain->count, sizeof *predictions);
    struct pipeline_summary whole;
    int status = stages && predictions ? 0 : why_no_memory(why, COMMAND_FAILED);
    if (status == 0) {
        fill_pipeline(chain, stages);
        int error =
            pipeline_predict(stages, chain->count, NULL, input_per_s, input_per_s, predictions, &whole);
        if (error)
            status =
                why_say(why, COMMAND_REFUSED, "the chain has no prediction: %s", model_error_text(error));
    }
    if (status == 0 && write_prediction(chain, predictions, &whole, input_per_s, format, out) != 0)
        status = why_say(why, COMMAND_REFUSED, "standard output cannot be written");
    free(stages);
    free(predictions);
    return status;
}

/* --- a line of queues ------------------------------------------------------------------------------------ */

/* A stage without a bound must serve more than comes to it; none passes on more than it can serve. */
static int check_steady(const struct chain *chain, double input_per_s, struct why *why)
{
    double inflow_per_s = input_per_s;
    for (size_t i = 0; i < chain->count; i++) {
        const struct chain_stage *s = &chain->stages[i];
        double mu_per_s = s->servers * chain_mu_per_s(s);
        inflow_per_s = (inflow_per_s + s->overdrive_per_s) * s->factor;
        if (!(inflow_per_s > 0))
            return why_say(
                why, COMMAND_REFUSED,
                "nothing comes to stage %s: expected --lambda, elements per second, or an overdrive",
                s->name);
        if (s->places == 0 && inflow_per_s >= mu_per_s)
            return why_say(
                why, COMMAND_REFUSED,
                "stage %s has no steady state: %g elements per second arrive, %g can be served; give it a K",
                s->name, inflow_per_s, mu_per_s);
        inflow_per_s = fmin(inflow_per_s, mu_per_s) * s->pass_fraction;
    }
    return 0;
}

enum { BATCH_MOST = 10000 }; /* queue_line.h */

int chain_line_make(const struct chain *chain, double input_per_s, struct queue_line *line, double *scale,
                    struct why *why)
{
    if (chain->count > QUEUE_LINE_STAGES_MAX)
        return why_say(why, COMMAND_REFUSED, "a chain of %zu stages: expected at most %d for a simulation",
                       chain->count, QUEUE_LINE_STAGES_MAX);
    double first = chain->stages[0].factor;
    if (first > 1 && (first != floor(first) || first > BATCH_MOST))
        return why_say(why, COMMAND_REFUSED,
                       "stage %s, F %g: expected at most 1, or a whole number up to %d, of the first stage",
                       chain->stages[0].name, first, BATCH_MOST);
    int status = check_steady(chain, input_per_s, why);
    if (status)
        return status;
    *scale = 0;
    for (size_t i = 0; i < chain->count; i++)
        *scale = fmax(*scale, chain_mu_per_s(&chain->stages[i]));
    line->lambda_per_s = chain_first_rate_per_s(chain, input_per_s) / *scale;
    if (chain->stages[0].factor > 1) { /* elements that come together */
        line->arrivals = ARRIVALS_BATCH;
        line->batch = (uint32_t)chain->stages[0].factor;
    }
    line->stage_count = (unsigned)chain->count;
    for (size_t i = 0; i < chain->count; i++) {
        const struct chain_stage *s = &chain->stages[i];
        double yield = i > 0 ? chain->stages[i - 1].pass_fraction * s->factor : 1;
        line->stages[i] = s->service;
        line->stages[i].name = s->name;
        line->stages[i].mu_per_s = chain_mu_per_s(s) / *scale;
        line->stages[i].places = s->places;
        line->stages[i].servers = s->servers;
        line->stages[i].yield = yield;
        line->stages[i].added_per_s = i > 0 ? s->overdrive_per_s * s->factor / *scale : 0;
    }
    return 0;
}

static void restore(double scale, enum queue_line_quantity quantity, struct estimate *estimate,
                    double *measured)
{
    bool is_rate = quantity == QUEUE_LINE_OFFERED || quantity == QUEUE_LINE_THROUGHPUT;
    bool is_time = quantity == QUEUE_LINE_W_Q || quantity == QUEUE_LINE_W;
    double factor = is_rate ? scale : is_time ? 1 / scale : 1;
    estimate->mean *= factor;
    estimate->half_width *= factor;
    *measured *= factor;
}

void chain_line_restore(double scale, struct queue_line *line, struct queue_line_result *result)
{
    line->lambda_per_s *= scale;
    result->batch_s /= scale;
    result->warm_up_s /= scale;
    for (unsigned i = 0; i < line->stage_count; i++) {
        line->stages[i].mu_per_s *= scale;
        line->stages[i].added_per_s *= scale;
        for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++)
            restore(scale, q, &result->stage[i][q], &result->measured[i][q]);
    }
}
