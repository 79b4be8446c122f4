#include "app/chain/chain_predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/memory.h"
#include "base/shown.h"
#include "model/model_error.h"
#include "model/queue/pipeline.h"
#include "model/queue/tandem.h"
#include "validate/queue_theory.h"

/* --- theory ---------------------------------------------------------------------------------------------- */

/* An answer of a model, and why it has no number, or what to know of it; NULL if there is nothing. */
struct answer {
    const char *model, *remark;
    struct queue_result mean;
};

enum { ANSWERS_MAX = QUEUE_THEORY_MODELS };

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

/* Models that are asked of the whole chain as a line, and what its full stages then do. */
enum { LINE_MODELS = 3 };

static const struct {
    unsigned model;
    enum queue_line_overflow overflow;
} line_models[LINE_MODELS] = {{QUEUE_THEORY_MG1K, OVERFLOW_LOSS},
                              {QUEUE_THEORY_BLOCKING, OVERFLOW_BLOCK},
                              {QUEUE_THEORY_MARKOV, OVERFLOW_BLOCK}};

/* What all models say of a chain. The tandem with blocking is asked of it as a line, if every stage has a bound. */
struct asked {
    const struct chain *chain;
    struct pipeline_stage *stages;
    struct pipeline_prediction *predictions;
    struct pipeline_summary whole;
    double input_per_s;
    struct queue_theory_answer of_line[LINE_MODELS][TANDEM_STAGES_MAX];
    bool has[LINE_MODELS]; /* an answer to show */
    struct why held; /* how full stages that block lower the input that saturates the chain; "": none can */
};

static struct answer answer_of_line(unsigned model, const struct queue_theory_answer *of)
{
    struct answer answer = {queue_theory_model(model), of->why_not, queue_result_none()};
    answer.mean.n_q = of->value[QUEUE_LINE_N_Q];
    answer.mean.n_g = of->value[QUEUE_LINE_N];
    answer.mean.w_q_s = of->value[QUEUE_LINE_W_Q];
    answer.mean.p_bp = of->value[QUEUE_LINE_FULL];
    return answer;
}

static unsigned answers_of(const struct asked *a, size_t stage, struct answer answers[ANSWERS_MAX])
{
    unsigned count = 0;
    for (unsigned model = 0; model < PIPELINE_CHAIN_MODELS; model++) {
        const struct pipeline_queue *queue = &a->predictions[stage].queue[model];
        if (pipeline_model_applies((enum pipeline_model)model, &a->stages[stage]))
            answers[count++] =
                answer_of(queue_theory_model(model), queue->status, &queue->mean, queue->cautions);
    }
    for (unsigned m = 0; m < LINE_MODELS; m++)
        if (a->has[m] && queue_theory_is_of(line_models[m].model, &a->chain->stages[stage]))
            answers[count++] = answer_of_line(line_models[m].model, &a->of_line[m][stage]);
    return count;
}

static void write_rates(const struct asked *a, FILE *out)
{
    const struct pipeline_prediction *p = a->predictions;
    static const char *const columns[] = {"stage", "lambda_per_s", "mu_per_s", "rho",
                                          "saturating_input_per_s"};
    static const int widths[] = {-12, 13, 13, 9, 23};
    struct result_table *table = result_table_new_styled(
        columns, 5, &(struct result_style){.title = "rates, in elements of each stage", .widths = widths});
    for (size_t i = 0; i < a->chain->count; i++)
        result_table_add(table, TEXT(p[i].name), NUMBER(p[i].lambda_per_s), NUMBER(p[i].mu_per_s),
                         NUMBER(p[i].rho),
                         NUMBER(isfinite(p[i].saturating_input_per_s) ? p[i].saturating_input_per_s : NAN));
    result_table_end(table, RESULT_TEXT, out);
}

/* A remark that several models share is made once. */
static void note_remarks(struct result_table *table, const struct queue_line_stage *s,
                         const struct answer *answers, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct why models = {""};
        unsigned earlier = 0;
        for (unsigned other = 0; answers[i].remark && other < count; other++) {
            if (!answers[other].remark || strcmp(answers[other].remark, answers[i].remark) != 0)
                continue;
            earlier += other < i;
            why_append(&models, "%s%s", *models.line ? ", " : "", answers[other].model);
        }
        if (!answers[i].remark || earlier > 0)
            continue;
        result_table_note(table, "%s, %s:", s->name, models.line);
        result_table_note(table, "  %s", answers[i].remark);
    }
}

static void add_queues(struct result_table *table, const struct asked *a, bool text)
{
    const struct pipeline_prediction *p = a->predictions;
    for (size_t i = 0; i < a->chain->count; i++) {
        struct answer answers[ANSWERS_MAX];
        unsigned count = answers_of(a, i, answers);
        for (unsigned model = 0; model < count; model++) {
            const struct queue_result *r = &answers[model].mean;
            if (text && isnan(r->n_q)) /* a note says why */
                continue;
            result_table_add(table, TEXT(p[i].name), TEXT(answers[model].model));
            if (!text)
                result_table_add(table, NUMBER(p[i].lambda_per_s), NUMBER(p[i].mu_per_s), NUMBER(p[i].rho));
            result_table_add(table, NUMBER(r->n_q), NUMBER(r->n_g), NUMBER(r->w_q_s), NUMBER(r->p_bp));
            if (!text)
                result_table_add(table, TEXT(answers[model].remark ? answers[model].remark : ""));
        }
    }
}

/* TSV and JSON are one table: rates are repeated in every row of a stage. */
static void write_prediction(const struct asked *a, enum result_format format, FILE *out)
{
    static const char *const of_text[] = {"stage", "model", "N_Q", "N_G", "W_Q_s", "P_BP"};
    static const char *const of_table[] = {"stage", "model", "lambda_per_s", "mu_per_s", "rho",
                                           "N_Q",   "N_G",   "W_Q_s",        "P_BP",     "remark"};
    static const int widths[] = {-12, -13, 11, 11, 11, 11};
    const struct result_style style = {.title = "queues", .widths = widths},
                              plain = {.schema = "mercury-chain-1"};
    bool text = format == RESULT_TEXT;
    char bottleneck[PIPELINE_SENTENCE_BYTES];
    if (text) {
        shown_print(out, "%s", pipeline_say_bottleneck(&a->whole, 1, "elements/s", bottleneck));
        if (*a->held.line)
            shown_print(out, "%s", a->held.line);
        fprintf(out, "input: %.5g elements/s beside overdrives\n", a->input_per_s);
        write_rates(a, out);
    }
    struct result_table *table =
        text ? result_table_new_styled(of_text, 6, &style) : result_table_new_styled(of_table, 10, &plain);
    if (!text)
        result_table_add_fact(table, "input_per_s", NUMBER(a->input_per_s));
    add_queues(table, a, text);
    for (size_t i = 0; i < a->chain->count; i++) {
        struct answer answers[ANSWERS_MAX];
        unsigned count = answers_of(a, i, answers);
        note_remarks(table, &a->chain->stages[i], answers, count);
    }
    if (!text)
        result_table_note(table, "%s", pipeline_say_bottleneck(&a->whole, 1, "elements/s", bottleneck));
    if (!text && *a->held.line)
        result_table_note(table, "%s", a->held.line);
    result_table_end(table, format, out);
}

static void fill_line(const struct chain *chain, double input_per_s, double scale, struct queue_line *line)
{
    line->lambda_per_s = chain_first_rate_per_s(chain, input_per_s) / scale;
    line->stage_count = (unsigned)chain->count;
    line->has_names = true;
    for (size_t i = 0; i < chain->count; i++) {
        struct queue_line_stage *stage = &line->stages[i];
        *stage = chain->stages[i];
        stage->mu_per_s /= scale;
        stage->added_per_s = i > 0 ? stage->added_per_s / scale : 0; /* lambda has the first one's */
    }
}

/* A line is asked if it is short; a tandem with blocking, if the first stage has an answer. */
static void ask_line(struct asked *a)
{
    struct queue_line line = {.run = {0}};
    fill_line(a->chain, a->input_per_s, 1, &line);
    for (unsigned m = 0; m < LINE_MODELS; m++) {
        line.overflow = line_models[m].overflow;
        a->has[m] = queue_theory_applies(line_models[m].model, &line);
        if (a->has[m])
            queue_theory_predict(line_models[m].model, &line, NULL, a->of_line[m]);
        a->has[m] = a->has[m] && (line.overflow == OVERFLOW_LOSS || !a->of_line[m][0].why_not);
    }
}

/* What a stage is asked for where the chain saturates has its overdrive, which does not grow with the input. */
static void say_held(struct asked *a)
{
    const double most_per_s = a->whole.bottleneck.input_per_s;
    auto_free struct pipeline_prediction *saturated = memory_new(a->chain->count, sizeof *saturated);
    struct pipeline_summary whole;
    struct queue_line line = {.overflow = OVERFLOW_BLOCK};
    if (a->chain->count <= QUEUE_LINE_STAGES_MAX)
        fill_line(a->chain, a->input_per_s, 1, &line);
    for (size_t i = 1; i < a->chain->count; i++)
        if (a->chain->stages[i].places > 0 && !*a->held.line)
            why_append(&a->held, "an upper bound if full stages block");
    if (pipeline_predict(a->stages, a->chain->count, NULL, most_per_s, most_per_s, saturated, &whole) != 0)
        return; /* no input saturates it */
    for (unsigned i = 0; i + 1 < line.stage_count; i++) {
        const double passes_per_s = queue_line_passes_per_s(&line, i);
        if (passes_per_s < saturated[i].lambda_per_s * (1 - 1e-6))
            why_append(&a->held, "; then %.64s passes %.6g at most", line.stages[i].name, passes_per_s);
    }
}

int chain_predict(const struct chain *chain, double input_per_s, enum result_format format, FILE *out,
                  struct why *why)
{
    struct asked a = {.chain = chain,
                      .stages = memory_new(chain->count, sizeof *a.stages),
                      .predictions = memory_new(chain->count, sizeof *a.predictions),
                      .input_per_s = input_per_s};
    for (size_t i = 0; i < chain->count; i++)
        queue_theory_stage(&chain->stages[i], &a.stages[i]);
    if (chain->count <= TANDEM_STAGES_MAX)
        ask_line(&a);
    const int error =
        pipeline_predict(a.stages, chain->count, NULL, input_per_s, input_per_s, a.predictions, &a.whole);
    if (error == 0) {
        say_held(&a);
        write_prediction(&a, format, out);
    }
    free(a.stages);
    free(a.predictions);
    return error ? why_refuse(why, "the chain has no prediction: %s", model_error_text(error)) : 0;
}

/* --- a line of queues ------------------------------------------------------------------------------------ */

int chain_line_make(const struct chain *chain, double input_per_s, struct queue_line *line, struct why *why)
{
    if (chain->count > QUEUE_LINE_STAGES_MAX)
        return why_refuse(why, "a chain of %zu stages: expected at most %d for a simulation", chain->count,
                          QUEUE_LINE_STAGES_MAX);
    fill_line(chain, input_per_s, 1, line);
    if (queue_line_check_flows(line, why) != 0)
        return COMMAND_REFUSED;
    line->scale = 0;
    for (size_t i = 0; i < chain->count; i++)
        line->scale = fmax(line->scale, chain->stages[i].mu_per_s);
    fill_line(chain, input_per_s, line->scale, line);
    return 0;
}
