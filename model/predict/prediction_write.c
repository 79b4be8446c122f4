#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_number.h"
#include "base/shown.h"
#include "model/model_error.h"
#include "model/predict/prediction.h"

/* --- what a stage is asked ------------------------------------------------------------------------------- */

static const char *prediction_chain_name(enum prediction_chain chain)
{
    static const char *const names[PREDICTION_CHAINS] = {"queue", "4-stage", "5-stage"};
    return names[chain];
}

static const char *prediction_model_name(enum prediction_model model)
{
    return model == PREDICTION_BLOCKING ? "blocking" : pipeline_model_name((enum pipeline_model)model);
}

/* The accelerator's rates are in millions per second and its times in ns; one queue may have any. */
struct prefix {
    const char *label;
    double least, scale; /* of values from `least` on */
};

static const struct prefix rate_prefixes[] = {
    {"lambda G/s", 1e9, 1e-9}, {"lambda M/s", 1e6, 1e-6}, {"lambda k/s", 1e3, 1e-3}, {"lambda 1/s", 0, 1}};
static const struct prefix time_prefixes[] = {
    {"W_G s", 1, 1}, {"W_G ms", 1e-3, 1e3}, {"W_G us", 1e-6, 1e6}, {"W_G ns", 0, 1e9}};

struct quantity {
    const char *name, *text_name; /* in TSV and JSON; in the table for people, NULL: not there */
    size_t offset;                /* in struct queue_result */
    double text_scale;
    const struct prefix *prefixes; /* of one queue's text, the greatest first; NULL: one fits any value */
};

#include "model/queue_quantities.inc"

#define QUANTITY(member, scale, prefixes, name, text_name)                                                   \
    {                                                                                                        \
        name, text_name, offsetof(struct queue_result, member), scale, prefixes                              \
    }
static const struct quantity quantities[] = {QUEUE_QUANTITY_ROWS(QUANTITY)};

enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

static const char *caution_text(unsigned caution)
{
    return caution == PIPELINE_CAUTION_QUEUE
               ? "N_Q above K/2: the bound of the queue decides, not the traffic"
               : "P_BP above 0.01: the stage before feels it";
}

static const char *status_text(int status)
{
    return status ? model_error_text(status) : "ok";
}

/* JSON and TSV have every quantity, a text those that have a name there. */
static double value_of(const struct pipeline_queue *queue, bool asked, const struct quantity *q)
{
    double value = NAN;
    if (asked && !queue->status)
        memcpy(&value, (const char *)&queue->mean + q->offset, sizeof value);
    return value;
}

/* --- what is said about a chain -------------------------------------------------------------------------- */

/* note_tandem() tells of blocking */
static int missing(const struct prediction_stage *stage, int model)
{
    return stage->asked[model] && model != PREDICTION_BLOCKING ? stage->queue[model].status : 0;
}

/* Name the models that have no number for a stage, those with the same reason together. */
static void note_missing(const struct prediction_stage *stage, const char *prefix, struct result_table *table)
{
    for (int model = 0; model < PREDICTION_MODELS; model++) {
        const int status = missing(stage, model);
        struct why names = {""};
        unsigned count = 0;
        for (int other = 0; other < PREDICTION_MODELS && status; other++) {
            if (missing(stage, other) != status)
                continue;
            if (other < model)
                break; /* told with that one */
            why_append(&names, "%s%s", count++ ? ", " : "", prediction_model_name(other));
        }
        if (count)
            result_table_note(table, "%s%s %s no number for %s: %s", prefix, names.line,
                              count > 1 ? "have" : "has", stage->name, model_error_text(status));
    }
}

static void note_remarks(const struct prediction_part *part, const char *prefix, struct result_table *table)
{
    for (int i = 0; i < part->count; i++) {
        note_missing(&part->stages[i], prefix, table);
        for (int model = 0; model < PREDICTION_MODELS; model++) {
            const struct pipeline_queue *queue = &part->stages[i].queue[model];
            const char *name = prediction_model_name(model), *stage = part->stages[i].name;
            if (!part->stages[i].asked[model] ||
                model == PREDICTION_BLOCKING) /* note_tandem() tells of that */
                continue;
            for (unsigned caution = 1; caution <= PIPELINE_CAUTION_BACK_PRESSURE; caution *= 2)
                if (queue->cautions & caution)
                    result_table_note(table, "%s%s, %s: %s", prefix, name, stage, caution_text(caution));
        }
    }
}

static void note_latencies(const struct prediction_part *part, const char *prefix, struct result_table *table)
{
    struct why latencies = {""};
    for (int model = 0; model < PIPELINE_MODELS; model++)
        if (!part->whole.latency[model].status)
            why_append(&latencies, "%s %s %.5g ns", *latencies.line ? "," : "", pipeline_model_name(model),
                       1e9 * part->whole.latency[model].latency_s);
    result_table_note(table, "%smean time through all stages:%s", prefix,
                      *latencies.line ? latencies.line : " no model has one");
}

static void note_tandem(const struct prediction *p, const char *prefix, struct result_table *table)
{
    const struct mercury_tandem_prediction *t = &p->tandem;
    int status = p->parts[PREDICTION_FIVE].blocking_status;
    if (status)
        result_table_note(table, "%sblocking has no number: %s", prefix, model_error_text(status));
    else
        result_table_note(
            table,
            "%sblocking: input %.6g MB/s of the host's %.6g (%s), bus held in %.4g of the time, "
            "%.5g ns through all stages",
            prefix, t->lambda_in_bytes_per_s / 1e6, p->inputs->value[PREDICT_SUPPLY],
            t->saturated ? "the board is slower" : "the board keeps up", t->held, 1e9 * t->latency_s);
}

static void add_notes(const struct prediction *p, enum prediction_chain chain, const char *prefix,
                      struct result_table *table)
{
    const struct prediction_part *part = &p->parts[chain];
    char bottleneck[PIPELINE_SENTENCE_BYTES];
    if (chain != PREDICTION_QUEUE && part->status == 0) {
        if (*prefix) /* a text has said it */
            result_table_note(table, "%s%s", prefix,
                              pipeline_say_bottleneck(&part->whole, 1e6, "MB/s", bottleneck));
        note_latencies(part, prefix, table);
    }
    if (part->status)
        result_table_note(table, "%sno chain of five stages: %s", prefix, model_error_text(part->status));
    if (chain == PREDICTION_FIVE)
        note_tandem(p, prefix, table);
    if (chain != PREDICTION_QUEUE && p->inputs->value[PREDICT_TRIPS_IN_FLIGHT] > 1)
        result_table_note(
            table,
            "%s1bd is taken to make one trip after the other, each for the %.4g clocks by which it holds "
            "1bd if trips come at random: its capacity is right then, its queue need not be",
            prefix, mercury_trip_share(p->inputs->value));
    note_remarks(part, prefix, table);
}

static void write_inputs(const struct prediction *p, const char *prefix, FILE *out)
{
    char words[PREDICT_INPUTS * 48] = "";
    for (int i = 0, length = 0; i < PREDICT_INPUTS; i++)
        if (p->inputs->given[i])
            length += snprintf(words + length, sizeof words - (size_t)length, " %s=%.10g",
                               predict_input_name(i), p->inputs->value[i]);
    if (*prefix)
        fprintf(out, "%scase %s:%s\n", prefix, p->inputs->name, words);
    else
        shown_print(out, "\ninputs:%s\n", words);
}

/* --- text: a table per chain, a row per stage and model -------------------------------------------------- */

enum { TEXT_OWN_COLUMNS = 2 };

/* What a quantity is called and scaled by in a table: for one queue, by what fits the greatest value of all models. */
static struct prefix prefix_of(const struct quantity *q, const struct prediction_part *part,
                               enum prediction_chain chain)
{
    double most = 0;
    if (chain != PREDICTION_QUEUE || !q->prefixes)
        return (struct prefix){q->text_name, 0, q->text_scale};
    for (int model = 0; model < PREDICTION_MODELS; model++)
        most = fmax(most, value_of(&part->stages[0].queue[model], part->stages[0].asked[model],
                                   q)); /* NaN is no maximum */
    const struct prefix *fits = q->prefixes;
    while (most < fits->least)
        fits++;
    return *fits;
}

/* Fractions have three digits, as a row has 80 columns. */
static void add_quantity(double value, bool is_fraction, struct result_table *table)
{
    char text[SHOWN_BYTES];
    result_table_add(table,
                     is_fraction && !isnan(value) ? TEXT(shown_number(value, "%.3g", text)) : NUMBER(value));
}

/* The tandem with blocking, which knows most, comes first. Who has no number has its reason in a note. */
static void add_stage(const struct prediction_stage *stage, const struct prefix *prefixes,
                      struct result_table *table)
{
    const char *name = stage->name;
    for (int i = 0; i < PREDICTION_MODELS; i++) {
        const int model = (PREDICTION_BLOCKING + i) % PREDICTION_MODELS;
        const struct pipeline_queue *queue = &stage->queue[model];
        if (!stage->asked[model] || queue->status)
            continue;
        result_table_add(table, TEXT(name), TEXT(prediction_model_name(model)));
        name = "";
        for (int of = 0; of < QUANTITIES; of++)
            if (quantities[of].text_name)
                add_quantity(prefixes[of].scale * value_of(queue, true, &quantities[of]),
                             strchr("rP", *quantities[of].text_name) != NULL, table);
    }
}

static void write_chain_text(const struct prediction *p, enum prediction_chain chain, FILE *out)
{
    static const int widths[TEXT_OWN_COLUMNS + QUANTITIES] = {-5, -13, 10, 8, 9, 9, 9, 8};
    const struct prediction_part *part = &p->parts[chain];
    const char *columns[TEXT_OWN_COLUMNS + QUANTITIES] = {"stage", "model"};
    struct prefix prefixes[QUANTITIES];
    char bottleneck[PIPELINE_SENTENCE_BYTES];
    unsigned count = TEXT_OWN_COLUMNS;
    for (int i = 0; i < QUANTITIES; i++)
        if (quantities[i].text_name) {
            prefixes[i] = prefix_of(&quantities[i], part, chain);
            columns[count++] = prefixes[i].label;
        }
    fprintf(out, "\n%s\n", prediction_chain_name(chain));
    if (chain != PREDICTION_QUEUE && part->status == 0)
        shown_print(out, "  %s", pipeline_say_bottleneck(&part->whole, 1e6, "MB/s", bottleneck));
    struct result_table *table = result_table_new_styled(
        columns, count,
        &(struct result_style){.title = "", .widths = widths, .text_missing = "NA", .text_number = "%.4g"});
    for (int i = 0; i < part->count; i++)
        add_stage(&part->stages[i], prefixes, table);
    add_notes(p, chain, "", table);
    result_table_end(table, RESULT_TEXT, out);
}

/* --- TSV: a row per model and stage ---------------------------------------------------------------------- */

enum { TSV_OWN_COLUMNS = 8 };

static void add_tsv_row(const struct prediction *p, enum prediction_chain chain,
                        const struct prediction_stage *stage, int model, struct result_table *table)
{
    static const char *const cautions[] = {"none", "queue", "back-pressure", "queue,back-pressure"};
    const struct pipeline_queue *queue = &stage->queue[model];
    const char *texts[] = {p->inputs->name,
                           prediction_chain_name(chain),
                           stage->name,
                           prediction_model_name(model),
                           status_text(queue->status),
                           cautions[queue->cautions]};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        result_table_add(table, TEXT(texts[i]));
    result_table_add(table, NUMBER(stage->mu_per_s), NUMBER(stage->saturating_input_per_s));
    for (int i = 0; i < QUANTITIES; i++)
        result_table_add(table, NUMBER(value_of(queue, true, &quantities[i])));
}

static void write_tsv(const struct prediction *p, bool first, FILE *out)
{
    const char *columns[TSV_OWN_COLUMNS + QUANTITIES] = {
        "case", "chain", "stage", "model", "status", "cautions", "mu_per_s", "saturating_input_bytes_per_s"};
    for (int i = 0; i < QUANTITIES; i++)
        columns[TSV_OWN_COLUMNS + i] = quantities[i].name;
    struct result_table *table =
        result_table_new_styled(columns, TSV_OWN_COLUMNS + QUANTITIES,
                                &(struct result_style){.tsv_number = RESULT_EXACT, .goes_on = !first});
    if (first)
        fputs("# a line per model and stage; NA: no number, status says why. Elements are the stage's own; "
              "blocking predicts its rates\n",
              out);
    write_inputs(p, "# ", out);
    for (int chain = 0; chain < PREDICTION_CHAINS; chain++) {
        const struct prediction_part *part = &p->parts[chain];
        for (int i = 0; i < part->count; i++)
            for (int model = 0; model < PREDICTION_MODELS; model++)
                if (part->stages[i].asked[model])
                    add_tsv_row(p, chain, &part->stages[i], model, table);
        char prefix[32];
        snprintf(prefix, sizeof prefix, "%s: ", prediction_chain_name(chain));
        if (part->count > 0)
            add_notes(p, chain, prefix, table);
    }
    result_table_end(table, RESULT_TSV, out);
}

/* --- JSON ------------------------------------------------------------------------------------------------ */

static json_t *json_stage(const struct prediction_stage *stage)
{
    json_t *models = json_object();
    for (int model = 0; model < PREDICTION_MODELS; model++) {
        const struct pipeline_queue *queue = &stage->queue[model];
        if (!stage->asked[model])
            continue;
        json_t *cautions = json_array();
        for (unsigned caution = 1; caution <= PIPELINE_CAUTION_BACK_PRESSURE; caution *= 2)
            if (queue->cautions & caution)
                json_array_append_new(cautions, json_string(caution_text(caution)));
        json_t *object = json_pack("{s:s, s:o}", "status", status_text(queue->status), "cautions", cautions);
        for (int i = 0; i < QUANTITIES; i++)
            json_object_set_new(object, quantities[i].name,
                                json_number(value_of(queue, true, &quantities[i])));
        json_object_set_new(models, prediction_model_name(model), object);
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "stage", stage->name, "lambda_per_s",
                     json_number(stage->lambda_per_s), "mu_per_s", json_number(stage->mu_per_s), "rho",
                     json_number(stage->rho), "saturating_input_bytes_per_s",
                     json_number(stage->saturating_input_per_s), "models", models);
}

static json_t *json_bottleneck(const struct pipeline_bottleneck *bottleneck)
{
    if (bottleneck->stage < 0)
        return json_null();
    return json_pack("{s:s, s:o}", "stage", bottleneck->name, "input_bytes_per_s",
                     json_number(bottleneck->input_per_s));
}

static json_t *json_part(const struct prediction *p, enum prediction_chain chain)
{
    const struct prediction_part *part = &p->parts[chain];
    json_t *stages = json_array();
    for (int i = 0; i < part->count; i++)
        json_array_append_new(stages, json_stage(&part->stages[i]));
    json_t *object = json_pack("{s:s, s:o}", "status", status_text(part->status), "stages", stages);
    if (chain == PREDICTION_QUEUE || part->status)
        return object;
    json_t *latencies = json_object();
    for (int model = 0; model < PIPELINE_MODELS; model++)
        json_object_set_new(latencies, pipeline_model_name(model),
                            json_number(part->whole.latency[model].latency_s));
    json_object_set_new(object, "latency_s", latencies);
    json_object_set_new(object, "bottleneck", json_bottleneck(&part->whole.bottleneck));
    json_object_set_new(object, "next_bottleneck", json_bottleneck(&part->whole.next));
    return object;
}

static json_t *json_tandem(const struct prediction *p)
{
    const struct mercury_tandem_prediction *t = &p->tandem;
    int status = p->parts[PREDICTION_FIVE].blocking_status;
    if (status)
        return json_pack("{s:s}", "status", model_error_text(status));
    return json_pack("{s:s, s:b, s:o, s:o, s:o}", "status", "ok", "saturated", t->saturated,
                     "lambda_in_bytes_per_s", json_number(t->lambda_in_bytes_per_s), "bus_held",
                     json_number(t->held), "latency_s", json_number(t->latency_s));
}

static json_t *json_case(const struct prediction *p)
{
    json_t *inputs = json_object();
    for (int i = 0; i < PREDICT_INPUTS; i++)
        if (p->inputs->given[i])
            json_object_set_new(inputs, predict_input_name(i), json_number(p->inputs->value[i]));
    json_t *object = json_pack("{s:s, s:o}", "case", p->inputs->name, "inputs", inputs);
    for (int chain = 0; chain < PREDICTION_CHAINS; chain++)
        if (p->parts[chain].count > 0)
            json_object_set_new(object, prediction_chain_name(chain), json_part(p, chain));
    if (p->parts[PREDICTION_FIVE].count > 0)
        json_object_set_new(object, "blocking", json_tandem(p));
    return object;
}

void prediction_write(const struct prediction *predictions, size_t count, enum result_format format,
                      FILE *out)
{
    json_auto_t *cases = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct prediction *p = &predictions[i];
        if (format == RESULT_JSON)
            json_array_append_new(cases, json_case(p));
        else if (format == RESULT_TSV)
            write_tsv(p, i == 0, out);
        if (format != RESULT_TEXT)
            continue;
        if (count > 1)
            fprintf(out, "case %s\n", p->inputs->name);
        for (int chain = 0; chain < PREDICTION_CHAINS; chain++)
            if (p->parts[chain].count > 0)
                write_chain_text(p, chain, out);
        write_inputs(p, "", out);
    }
    if (format == RESULT_JSON)
        json_write(json_pack("{s:s, s:O}", "schema", "mercury-prediction-1", "cases", cases), 15, out);
}
