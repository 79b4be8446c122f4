#include "app/chain/chain_validate.h"

#include <math.h>
#include <stdlib.h>

#include "base/command.h"
#include "base/memory.h"
#include "base/shown.h"
#include "base/process/child_words.h"
#include "sim/simgrid/simgrid_module.h"
#include "app/chain/chain_predict.h"
#include "app/chain/queue_report.h"

/* A line, or a network. */
struct call {
    const struct queue_line *line;
    struct queue_line_result *result;
    const struct queue_network *network;
    struct queue_network_result *network_result;
    struct why *why;
    int status;
};

static void run(void *data)
{
    struct call *c = data;
    const struct simgrid_module *simgrid = simgrid_module(c->why);
    c->status = c->line ? simgrid->run_queue_line(c->line, c->result, c->why)
                        : simgrid->run_queue_network(c->network, c->network_result, c->why);
}

/* Put a line and what was simulated back to seconds. */
static void restore(struct queue_line *line, struct queue_line_result *result)
{
    const double scale = line->scale;
    line->scale = 1;
    line->lambda_per_s *= scale;
    result->batch_s /= scale;
    result->warm_up_s /= scale;
    for (unsigned i = 0; i < line->stage_count; i++) {
        line->stages[i].mu_per_s *= scale;
        line->stages[i].added_per_s *= scale;
        for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++) {
            bool is_rate = q == QUEUE_LINE_OFFERED || q == QUEUE_LINE_THROUGHPUT;
            bool is_time = q == QUEUE_LINE_W_Q || q == QUEUE_LINE_W;
            double factor = is_rate ? scale : is_time ? 1 / scale : 1;
            result->stage[i][q].mean *= factor;
            result->stage[i][q].half_width *= factor;
            result->measured[i][q] *= factor;
            for (unsigned batch = 0; batch < line->run.batches; batch++)
                queue_line_frames(line, result, i, q)[batch] *= factor;
        }
        for (unsigned k = 0; k < QUEUE_LINE_QUANTILES; k++)
            result->stay_s[i][k] /= scale;
    }
}

int queue_simulate(struct queue_line *line, struct queue_line_result *result,
                   const struct queue_network *network, struct queue_network_result *network_result,
                   struct why *why)
{
    struct call call = {line, result, network, network_result, why, 0};
    if (!simgrid_module(why))
        return COMMAND_REFUSED;
    if (!child_words_try(run, &call))
        memory_exhausted();
    run(&call);
    if (line && call.status == 0 && line->scale != 1)
        restore(line, result);
    return call.status ? COMMAND_REFUSED : 0;
}

int queue_simulate_open_chain(const char *path, double input_per_s, struct chain *chain,
                              struct queue_line *line, struct why *why)
{
    int status = command_status_of(chain_file_read(path, chain, why));
    if (status)
        return status;
    status = chain_line_make(chain, isnan(input_per_s) ? 0 : input_per_s, line, why);
    if (status == 0 && queue_line_check(line, why) == 0)
        return 0;
    return why_precede(why, COMMAND_REFUSED,
                       status ? "%.300s: " : "%.300s, in units of its fastest service: ", path);
}

/* --- text ------------------------------------------------------------------------------------------------ */

static void write_stage_verdicts(const struct queue_judged *a, unsigned stage, FILE *out)
{
    struct verdict_cell cells[QUEUE_THEORY_MODELS];
    const char *names[QUEUE_THEORY_MODELS];
    struct verdict_group group;
    unsigned count = 0;
    for (unsigned model = 0; model < a->count; model++)
        if (queue_theory_is_of(a->models[model].model, &a->line->stages[stage])) {
            names[count] = a->models[model].name;
            cells[count++] = a->models[model].cells[stage][QUEUE_LINE_N_Q];
        }
    for (unsigned model = 0; model < count; model++)
        if (verdict_group(cells, count, names, model, &group)) {
            char line[sizeof group + 4];
            snprintf(line, sizeof line, "%s: %s", group.models, group.text);
            fputs("      ", out);
            shown_words(line, 6, 8, out);
        }
}

static void write_text(const struct queue_judged *a, FILE *out)
{
    result_table_end(queue_report_make(a, RESULT_TEXT), RESULT_TEXT, out);
    fputs("\n  verdicts on N_Q, stage by stage (violated: the chain does not keep to what the\n"
          "  model assumes; outside: the model has no number for it)\n",
          out);
    for (unsigned stage = 0; stage < a->line->stage_count; stage++) {
        const struct verdict_evidence e = queue_verdict_evidence(a->line, a->result, stage);
        char lag[32] = "", line[300];
        if (isfinite(e.arrivals.lag1))
            snprintf(lag, sizeof lag, ", lag1 %.2f", e.arrivals.lag1);
        snprintf(line, sizeof line,
                 "%s: full in %.3g%% of the time, held up %.2g%%; arrivals' scv %.3g%s; services' scv %.3g",
                 a->line->stages[stage].name, 100 * e.full, 100 * e.held, e.arrivals.scv, lag,
                 e.services.scv);
        fputs("    ", out);
        shown_words(line, 4, 6, out);
        write_stage_verdicts(a, stage, out);
    }
}

/* --- TSV and JSON ---------------------------------------------------------------------------------------- */

static void write_table(const struct queue_judged *a, enum result_format format, FILE *out)
{
    static const char *const columns[] = {"stage",      "parameter", "unit",      "simulated",
                                          "half_width", "model",     "predicted", "error",
                                          "covers",     "verdict",   "why"};
    struct result_table *table = result_table_new_styled(
        columns, sizeof columns / sizeof columns[0], &(struct result_style){.schema = CHAIN_VERDICTS_SCHEMA});
    result_table_add_fact(table, "customers", NUMBER((double)a->result->arrived));
    result_table_add_fact(table, "overflow", TEXT(a->line->overflow == OVERFLOW_LOSS ? "loss" : "block"));
    result_table_add_fact(table, "seed", NUMBER((double)a->line->run.seed));
    result_table_add_fact(table, "batches", NUMBER(a->line->run.batches));
    for (unsigned stage = 0; stage < a->line->stage_count; stage++)
        for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++)
            for (unsigned model = 0; model < a->count; model++) {
                const struct verdict_cell *cell = &a->models[model].cells[stage][q];
                const struct estimate *e = &a->result->stage[stage][q];
                char why[VERDICT_TEXT_BYTES];
                result_table_add(
                    table, TEXT(a->line->stages[stage].name), TEXT(queue_line_quantities[q].name),
                    TEXT(queue_line_quantities[q].unit), NUMBER(e->mean), NUMBER(e->half_width),
                    TEXT(a->models[model].name), NUMBER(cell->predicted),
                    NUMBER(e->mean > 0 ? cell->predicted / e->mean - 1 : NAN),
                    TEXT(queue_report_covers_at(cell->predicted, a->result, stage, q)),
                    TEXT(verdict_word(cell)), TEXT(*verdict_why(cell, why, sizeof why) ? why : "-"));
            }
    queue_report_note_short(table, a->line, a->result);
    result_table_end(table, format, out);
}

/* Means below 0.1 and fractions below 0.01 count as these; rates and times as they are. */
static int check_over(const struct queue_judged *a, double fail_over, struct why *why)
{
    for (unsigned stage = 0; stage < a->line->stage_count; stage++)
        for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++)
            for (unsigned model = 0; model < a->count; model++) {
                const struct verdict_cell *cell = &a->models[model].cells[stage][q];
                const struct estimate *e = &a->result->stage[stage][q];
                double off = fabs(cell->predicted - e->mean);
                double least = q == QUEUE_LINE_N || q == QUEUE_LINE_N_Q ? 0.1
                               : q >= QUEUE_LINE_LOSS                   ? 0.01
                                                                        : 0;
                if (!cell->why_not && !cell->given && cell->reasons == 0 && off > e->half_width &&
                    off > fail_over / 100 * fmax(fabs(e->mean), least))
                    return why_say(
                        why, COMMAND_FAILED,
                        "a prediction inside the model's domain is more than %g%% off: %s of stage "
                        "%s, %s, %.5g where %.5g was simulated",
                        fail_over, queue_line_quantities[q].name, a->line->stages[stage].name,
                        a->models[model].name, cell->predicted, e->mean);
            }
    return 0;
}

void chain_verdicts_write(const struct queue_judged *judged, enum result_format format, FILE *out)
{
    if (format == RESULT_TEXT)
        write_text(judged, out);
    else
        write_table(judged, format, out);
}

int chain_validate(const struct chain_validation *request, enum result_format format, struct why *why)
{
    auto_by(chain_file_close) struct chain chain = {0};
    struct queue_line line = queue_line_default();
    auto_free struct queue_line_result *result = memory_new(1, sizeof *result);
    line.overflow = request->blocks ? OVERFLOW_BLOCK : OVERFLOW_LOSS;
    line.run.customers = isnan(request->customers) ? line.run.customers : request->customers;
    line.run.seed = request->seed > 0 ? request->seed : line.run.seed;
    int status = queue_simulate_open_chain(request->path, request->input_per_s, &chain, &line, why);
    if (status == 0)
        status = queue_simulate(&line, result, NULL, NULL, why);
    if (status == 0) {
        auto_free struct queue_judged *judged = queue_judge(&line, result);
        chain_verdicts_write(judged, format, stdout);
        status = fflush(stdout) != 0         ? why_refuse(why, "standard output cannot be written")
                 : isnan(request->fail_over) ? 0
                                             : check_over(judged, request->fail_over, why);
    }
    free(result->frames);
    return status;
}
