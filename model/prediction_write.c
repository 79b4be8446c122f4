#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "model/model_error.h"
#include "model/prediction.h"

/* --- what a stage is asked ------------------------------------------------------------------------------- */

struct quantity {
    const char *name, *text_name; /* in TSV and JSON; in the table for people, NULL: not there */
    size_t offset;                /* in struct queue_result */
    double text_scale;
};

static const struct quantity quantities[] = {
    {"lambda_per_s", "lambda M/s", offsetof(struct queue_result, lambda_per_s), 1e-6},
    {"rho", "rho", offsetof(struct queue_result, rho), 1},
    {"p_0", NULL, offsetof(struct queue_result, p_0), 1},
    {"lambda_offered_per_s", NULL, offsetof(struct queue_result, lambda_offered_per_s), 1},
    {"rho_offered", NULL, offsetof(struct queue_result, rho_offered), 1},
    {"n_q", "N_Q", offsetof(struct queue_result, n_q), 1},
    {"n_g", "N_G", offsetof(struct queue_result, n_g), 1},
    {"w_q_s", NULL, offsetof(struct queue_result, w_q_s), 1},
    {"w_g_s", "W_G ns", offsetof(struct queue_result, w_g_s), 1e9},
    {"p_k", NULL, offsetof(struct queue_result, p_k), 1},
    {"p_bp", "P_BP", offsetof(struct queue_result, p_bp), 1},
};

enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

static double quantity_of(const struct pipeline_queue *queue, const struct quantity *q)
{
    double value;
    memcpy(&value, (const char *)&queue->mean + q->offset, sizeof value);
    return value;
}

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

static int written(FILE *out)
{
    return ferror(out) ? -1 : 0;
}

/* --- text ------------------------------------------------------------------------------------------------ */

/* The tandem with blocking is asked in the chain of five stages only, the offered rate of one queue only. */
static bool has_column(enum prediction_chain chain, int model)
{
    return model == PREDICTION_BLOCKING ? chain == PREDICTION_FIVE
                                        : model != PREDICTION_MM1K_OFFERED || chain == PREDICTION_QUEUE;
}

static int column_width(int model)
{
    return model == PREDICTION_MM1K_OFFERED ? 15 : 11;
}

static void write_columns(enum prediction_chain chain, FILE *out)
{
    fprintf(out, "  %-6s %-10s", "stage", "");
    for (int model = 0; model < PREDICTION_MODELS; model++)
        if (has_column(chain, model))
            fprintf(out, " %*s", column_width(model), prediction_model_name(model));
    fputc('\n', out);
}

static void write_cell(const struct pipeline_queue *queue, bool asked, const struct quantity *q, int width,
                       FILE *out)
{
    double value = asked && !queue->status ? quantity_of(queue, q) * q->text_scale : NAN;
    if (isnan(value))
        fprintf(out, " %*s", width, "NA");
    else
        fprintf(out, " %*.5g", width, fabs(value) < 1e-300 ? 0.0 : value);
}

static void write_stage(const struct prediction_stage *stage, enum prediction_chain chain, FILE *out)
{
    bool first = true;
    for (int i = 0; i < QUANTITIES; i++) {
        if (!quantities[i].text_name)
            continue;
        fprintf(out, "  %-6s %-10s", first ? stage->name : "", quantities[i].text_name);
        first = false;
        for (int model = 0; model < PREDICTION_MODELS; model++)
            if (has_column(chain, model))
                write_cell(&stage->queue[model], stage->asked[model], &quantities[i], column_width(model),
                           out);
        fputc('\n', out);
    }
}

static void write_remarks(const struct prediction_part *part, const char *prefix, FILE *out)
{
    for (int i = 0; i < part->count; i++)
        for (int model = 0; model < PREDICTION_MODELS; model++) {
            const struct pipeline_queue *queue = &part->stages[i].queue[model];
            const char *name = prediction_model_name(model);
            if (!part->stages[i].asked[model] ||
                model == PREDICTION_BLOCKING) /* write_tandem() tells of that */
                continue;
            if (queue->status)
                fprintf(out, "%s%s has no number for %s: %s\n", prefix, name, part->stages[i].name,
                        model_error_text(queue->status));
            for (unsigned caution = 1; caution <= PIPELINE_CAUTION_BACK_PRESSURE; caution *= 2)
                if (queue->cautions & caution)
                    fprintf(out, "%s%s, %s: %s\n", prefix, name, part->stages[i].name, caution_text(caution));
        }
}

static void write_bottleneck(const struct prediction_part *part, const char *prefix, FILE *out)
{
    const struct pipeline_bottleneck *first = &part->whole.bottleneck, *next = &part->whole.next;
    if (first->stage < 0) {
        fprintf(out, "%sno input rate saturates any stage\n", prefix);
        return;
    }
    fprintf(out, "%sbottleneck: %s, at an input of %.6g MB/s", prefix, part->stages[first->stage].name,
            first->input_per_s / 1e6);
    if (next->stage >= 0)
        fprintf(out, "; without it %s, at %.6g MB/s", part->stages[next->stage].name,
                next->input_per_s / 1e6);
    fputc('\n', out);
}

static void write_latencies(const struct prediction_part *part, const char *prefix, FILE *out)
{
    fprintf(out, "%smean time through all stages:", prefix);
    for (int model = 0; model < PIPELINE_MODELS; model++) {
        const struct pipeline_latency *latency = &part->whole.latency[model];
        if (latency->status)
            fprintf(out, "%s %s NA", model ? "," : "", pipeline_model_name(model));
        else
            fprintf(out, "%s %s %.5g ns", model ? "," : "", pipeline_model_name(model),
                    1e9 * latency->latency_s);
    }
    fputc('\n', out);
}

static void write_tandem(const struct prediction *p, const char *prefix, FILE *out)
{
    const struct mercury_tandem_prediction *t = &p->tandem;
    int status = p->parts[PREDICTION_FIVE].blocking_status;
    if (status) {
        fprintf(out, "%sblocking has no number: %s\n", prefix,
                status == MODEL_EUNKNOWN ? "M_1b, mu_1b or trips is not given" : model_error_text(status));
        return;
    }
    fprintf(out,
            "%sblocking: input %.6g MB/s of the host's %.6g (%s), bus held in %.4g of the time, %.5g ns "
            "through all "
            "stages\n",
            prefix, t->lambda_in_bytes_per_s / 1e6, p->inputs->value[PREDICT_SUPPLY],
            t->saturated ? "the board is slower" : "the board keeps up", t->held, 1e9 * t->latency_s);
}

static void write_notes(const struct prediction *p, enum prediction_chain chain, const char *prefix,
                        FILE *out)
{
    const struct prediction_part *part = &p->parts[chain];
    if (chain != PREDICTION_QUEUE && part->status == 0) {
        write_bottleneck(part, prefix, out);
        write_latencies(part, prefix, out);
    }
    if (part->status)
        fprintf(out, "%sno chain of five stages: %s\n", prefix,
                part->status == MODEL_EUNKNOWN ? "P_1bp is not given" : model_error_text(part->status));
    if (chain == PREDICTION_FIVE)
        write_tandem(p, prefix, out);
    write_remarks(part, prefix, out);
}

static void write_inputs(const struct prediction *p, const char *prefix, FILE *out)
{
    fprintf(out, "%scase %s:", prefix, p->inputs->name);
    for (int i = 0; i < PREDICT_INPUTS; i++)
        if (p->inputs->given[i])
            fprintf(out, " %s=%.10g", predict_input_name(i), p->inputs->value[i]);
    fputc('\n', out);
}

int prediction_write_text(const struct prediction *p, FILE *out)
{
    write_inputs(p, "", out);
    for (int chain = 0; chain < PREDICTION_CHAINS; chain++) {
        const struct prediction_part *part = &p->parts[chain];
        if (part->count == 0)
            continue;
        fprintf(out, "\n%s\n", prediction_chain_name(chain));
        write_columns(chain, out);
        for (int i = 0; i < part->count; i++)
            write_stage(&part->stages[i], chain, out);
        write_notes(p, chain, "  ", out);
    }
    fputc('\n', out);
    return written(out);
}

/* --- TSV ------------------------------------------------------------------------------------------------- */

/* The shortest decimal that reads back as the same double. */
static void write_exact(double value, FILE *out)
{
    char text[40] = "NA";
    for (int digits = 15; digits <= 17 && !isnan(value); digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fprintf(out, "\t%s", text);
}

int prediction_begin_tsv(FILE *out)
{
    fputs("# a line a model and stage; NA: no number, status says why. Elements are the stage's own; "
          "blocking predicts "
          "its rates\n"
          "case\tchain\tstage\tmodel\tstatus\tcautions\tmu_per_s\tsaturating_input_bytes_per_s",
          out);
    for (int i = 0; i < QUANTITIES; i++)
        fprintf(out, "\t%s", quantities[i].name);
    fputc('\n', out);
    return written(out);
}

static void write_tsv_row(const struct prediction *p, enum prediction_chain chain,
                          const struct prediction_stage *stage, int model, FILE *out)
{
    static const char *const cautions[] = {"none", "queue", "back-pressure", "queue,back-pressure"};
    const struct pipeline_queue *queue = &stage->queue[model];
    fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s", p->inputs->name, prediction_chain_name(chain), stage->name,
            prediction_model_name(model), status_text(queue->status), cautions[queue->cautions]);
    write_exact(stage->mu_per_s, out);
    write_exact(stage->saturating_input_per_s, out);
    for (int i = 0; i < QUANTITIES; i++)
        write_exact(queue->status ? NAN : quantity_of(queue, &quantities[i]), out);
    fputc('\n', out);
}

int prediction_write_tsv(const struct prediction *p, FILE *out)
{
    write_inputs(p, "# ", out);
    for (int chain = 0; chain < PREDICTION_CHAINS; chain++) {
        const struct prediction_part *part = &p->parts[chain];
        for (int i = 0; i < part->count; i++)
            for (int model = 0; model < PREDICTION_MODELS; model++)
                if (part->stages[i].asked[model])
                    write_tsv_row(p, chain, &part->stages[i], model, out);
        if (part->count > 0) {
            char prefix[32];
            snprintf(prefix, sizeof prefix, "# %s: ", prediction_chain_name(chain));
            write_notes(p, chain, prefix, out);
        }
    }
    return written(out);
}

/* --- JSON ------------------------------------------------------------------------------------------------ */

/* JSON has no infinity: the input rate that saturates a stage is null if none does. */
static json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *json_queue(const struct pipeline_queue *queue)
{
    json_t *cautions = json_array();
    for (unsigned caution = 1; caution <= PIPELINE_CAUTION_BACK_PRESSURE; caution *= 2)
        if (queue->cautions & caution)
            json_array_append_new(cautions, json_string(caution_text(caution)));
    json_t *object = json_pack("{s:s, s:o}", "status", status_text(queue->status), "cautions", cautions);
    for (int i = 0; i < QUANTITIES; i++)
        json_object_set_new(object, quantities[i].name,
                            json_number(queue->status ? NAN : quantity_of(queue, &quantities[i])));
    return object;
}

static json_t *json_stage(const struct prediction_stage *stage)
{
    json_t *models = json_object();
    for (int model = 0; model < PREDICTION_MODELS; model++)
        if (stage->asked[model])
            json_object_set_new(models, prediction_model_name(model), json_queue(&stage->queue[model]));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "stage", stage->name, "lambda_per_s",
                     json_number(stage->lambda_per_s), "mu_per_s", json_number(stage->mu_per_s), "rho",
                     json_number(stage->rho), "saturating_input_bytes_per_s",
                     json_number(stage->saturating_input_per_s), "models", models);
}

static json_t *json_bottleneck(const struct prediction_part *part,
                               const struct pipeline_bottleneck *bottleneck)
{
    if (bottleneck->stage < 0)
        return json_null();
    return json_pack("{s:s, s:o}", "stage", part->stages[bottleneck->stage].name, "input_bytes_per_s",
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
    json_object_set_new(object, "bottleneck", json_bottleneck(part, &part->whole.bottleneck));
    json_object_set_new(object, "next_bottleneck", json_bottleneck(part, &part->whole.next));
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

int prediction_write_json(const struct prediction *predictions, size_t count, FILE *out)
{
    json_t *cases = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(cases, json_case(&predictions[i]));
    json_t *root = json_pack("{s:s, s:o}", "schema", "mercury-prediction-1", "cases", cases);
    int status = json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(root);
    return status == 0 && fputc('\n', out) != EOF ? 0 : -1;
}
