#include "validate/validation.h"

#include <math.h>
#include <string.h>

#include "base/json_number.h"
#include "base/shown.h"
#include "model/model_error.h"

/* 0 if no more than the rounding of the same counts is left. */
static double error_of(double predicted, double simulated)
{
    const double error = simulated > 0 ? (predicted - simulated) / simulated : NAN;
    return fabs(error) < 1e-12 ? 0 : error;
}

/* --- intervals ------------------------------------------------------------------------------------------- */

enum { LINE_BYTES = 512 };

static bool is_over_passes(const struct validation *v, size_t number)
{
    return number == 0 && v->count > ROW_PASSES;
}

static const char *over_what(const struct validation *v, size_t number)
{
    return is_over_passes(v, number) ? "passes" : "batches";
}

/* What the intervals of the run are, or those of a pass. @return `line` */
static const char *say_intervals(const struct validation *v, bool of_pass, char line[LINE_BYTES])
{
    const struct row_interval *i = &v->intervals[of_pass][0];
    if (i->none)
        snprintf(line, LINE_BYTES, "no intervals%s: %s", of_pass ? " of a pass" : "", i->none);
    else if (of_pass)
        snprintf(
            line, LINE_BYTES,
            "of a pass: of this machine's mean over its input by the batches inside it, taken as independent");
    else if (is_over_passes(v, 0))
        snprintf(line, LINE_BYTES,
                 "+-: half of the 95%% interval, of the run by its %zu passes as replications", i->batches);
    else
        snprintf(
            line, LINE_BYTES,
            "+-: half of the 95%% interval, of this machine's mean over this input by %zu batches inside "
            "the passes, taken as independent",
            i->batches);
    return line;
}

/* The rows of a frame whose intervals are too narrow (by lag 1), or rest on one batch or pass, and by how much.
 * @return `line`, or NULL if there are none */
static const char *say_doubts(const struct validation *v, size_t number, bool narrow, char line[LINE_BYTES])
{
    size_t begun = (size_t)snprintf(line, LINE_BYTES,
                                    narrow ? "+- is too narrow where %s are like their neighbours (lag 1):"
                                           : "+- rests on a single one of the %s (share of the variance):",
                                    over_what(v, number)),
           length = begun;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
        const struct row_interval *i = &v->intervals[number][row];
        if (narrow ? row_interval_is_too_narrow(i) : !i->none && batch_means_rest_on_one(&i->estimate))
            length += (size_t)snprintf(line + length, LINE_BYTES - length, "%s %s (%.2f)",
                                       length > begun ? "," : "", machine_quantities[row].name,
                                       narrow ? i->estimate.lag1 : i->estimate.largest);
    }
    return length > begun ? line : NULL;
}

/* --- bounds ---------------------------------------------------------------------------------------------- */

static const struct run_bound UNBOUNDED = {NAN, NAN};

/* Passes have no bounds of their own. */
static struct run_bound bound_of(const struct validation *v, size_t number, unsigned row)
{
    return number == 0 && v->bounds ? run_bounds_of(v->bounds, row, verdict_simulated(&v->frames[0], row))
                                    : UNBOUNDED;
}

static const char *why_no_bounds(const struct validation *v)
{
    return v->bounds ? NULL : v->no_bounds ? v->no_bounds : "bounds were not asked for (--bounds)";
}

/* What a queue or the stream came to, and its bounds. */
struct bounded {
    char name[40];
    const char *unit;
    double seen;
    struct run_bound bound;
};

enum { BOUNDED = 2 * FLOW_QUEUES + 1 };

static struct bounded bounded(const struct run_bounds *r, unsigned i)
{
    const struct queue_bounds *q = &r->queue[i / 2];
    struct bounded b = {"stream_time_s", "s", r->seen_s, {r->least_s, r->most_s}};
    if (i == BOUNDED - 1)
        return b;
    snprintf(b.name, sizeof b.name, i % 2 ? "%s_wait_max" : "%s_max", board_fifos[i / 2].name);
    b.unit = i % 2 ? "clocks" : "elements";
    b.seen = i % 2 ? q->seen_wait : q->seen_elements;
    b.bound = (struct run_bound){NAN, i % 2 ? q->wait : q->elements};
    return b;
}

/* --- text ------------------------------------------------------------------------------------------------ */

enum { OWN_COLUMNS = 4, BEST = OWN_COLUMNS + VERDICT_MODELS, TEXT_COLUMNS = BEST + 3 };

static const char *say_best(const struct validation *v, const struct validation_best *best, char text[128])
{
    char part[64] = "";
    size_t passes = v->count > 1 ? v->count - 1 : 1;
    double distance = best->mean_distance < 1e-9 ? 0 : best->mean_distance;
    if (best->frames < passes)
        snprintf(part, sizeof part, " of %zu of %zu passes", best->frames, passes);
    if (best->model >= 0)
        snprintf(text, 128, "%s (%.3g%%%s)", validation_best_name(best), 100 * distance, part);
    else
        snprintf(text, 128, "%s", validation_best_name(best));
    return text;
}

static struct result_cell cell_of(const struct verdict_cell *cell)
{
    return MARKED(cell->predicted, cell->given ? '=' : cell->reasons ? '*' : ' ');
}

void validation_write_rows(const struct validation *v, size_t number, enum result_format format, FILE *out)
{
    const struct verdict_frame *frame = &v->frames[number];
    const char *columns[TEXT_COLUMNS] = {"parameter", "unit", "simulated", "+-"};
    int widths[TEXT_COLUMNS] = {-10, -10, 11, 11};
    for (unsigned model = 0; model < VERDICT_MODELS; model++) {
        columns[OWN_COLUMNS + model] = verdict_model_name(model);
        widths[OWN_COLUMNS + model] = model == VERDICT_MM1K_DOR ? 13 : 11;
    }
    const unsigned bounds = number == 0 && v->bounds ? 2 : 0;
    columns[BEST] = "at least";
    columns[BEST + 1] = "at most";
    widths[BEST] = widths[BEST + 1] = 11;
    columns[BEST + bounds] = number == 0 ? "best (mean distance)" : "";
    widths[BEST + bounds] = -1;
    char best[128];
    struct result_table *table = result_table_new_styled(
        columns, BEST + bounds + 1, &(struct result_style){.title = "", .widths = widths, .wide = true});
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
        result_table_add(table, TEXT(machine_quantities[row].name), TEXT(machine_quantities[row].unit),
                         MARKED(verdict_simulated(frame, row), ' '),
                         MARKED(v->intervals[number][row].estimate.half_width, ' '));
        for (unsigned model = 0; model < VERDICT_MODELS; model++)
            result_table_add(table, cell_of(&frame->cells[row][model]));
        if (bounds)
            result_table_add(table, MARKED(bound_of(v, 0, row).least, ' '),
                             MARKED(bound_of(v, 0, row).most, ' '));
        result_table_add(table, TEXT(number == 0 ? say_best(v, &v->best[row], best) : ""));
    }
    char line[LINE_BYTES];
    if (format == RESULT_HTML)
        result_table_note(table, "%s", say_intervals(v, false, line));
    else
        fputc('\n', out);
    for (int narrow = 1; narrow >= 0 && format == RESULT_HTML; narrow--)
        if (say_doubts(v, number, narrow, line))
            result_table_note(table, "%s", line);
    result_table_end(table, format, out);
}

/* The lines above those of the models; bounds only where there are any. */
enum own_line { LINE_UNIT, LINE_SIMULATED, LINE_INTERVAL, LINE_LEAST, LINE_MOST, LINES_OWN };

static const char *const own_lines[] = {"unit", "simulated", "+-", "at least", "at most"};

static double own_number(const struct validation *v, size_t number, unsigned row, unsigned line)
{
    return line == LINE_SIMULATED  ? verdict_simulated(&v->frames[number], row)
           : line == LINE_INTERVAL ? v->intervals[number][row].estimate.half_width
           : line == LINE_LEAST    ? bound_of(v, number, row).least
                                   : bound_of(v, number, row).most;
}

/* The quantities of one kind, a row a model. */
static void write_kind(const struct validation *v, size_t number, enum quantity_kind kind, FILE *out)
{
    static const char *const titles[] = {
        [QUANTITY_N_Q] = "N_Q: elements that wait, on average",
        [QUANTITY_P_BP] = "P_BP: fraction of the time in which the queue's signal is on",
        [QUANTITY_LAMBDA] = "lambda: elements per second",
        [QUANTITY_RHO] = "rho: fraction of the time in which the stage is busy",
    };
    const struct verdict_frame *frame = &v->frames[number];
    const char *columns[1 + MACHINE_QUANTITIES] = {""};
    int widths[1 + MACHINE_QUANTITIES] = {-13};
    unsigned rows[MACHINE_QUANTITIES], count = 0;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        if (machine_quantities[row].kind == kind) {
            rows[count++] = row;
            columns[count] = machine_quantities[row].name;
            widths[count] = 12;
        }
    struct result_table *table = result_table_new_styled(
        columns, 1 + count, &(struct result_style){.title = titles[kind], .widths = widths});
    for (unsigned line = 0; line < LINES_OWN + VERDICT_MODELS; line++) {
        bool any = line < LINE_LEAST || line >= LINES_OWN;
        for (unsigned i = 0; i < count && !any; i++)
            any = !isnan(own_number(v, number, rows[i], line));
        if (!any)
            continue;
        result_table_add(table,
                         TEXT(line < LINES_OWN ? own_lines[line] : verdict_model_name(line - LINES_OWN)));
        for (unsigned i = 0; i < count; i++)
            result_table_add(table, line == LINE_UNIT  ? TEXT(machine_quantities[rows[i]].unit)
                                    : line < LINES_OWN ? MARKED(own_number(v, number, rows[i], line), ' ')
                                                       : cell_of(&frame->cells[rows[i]][line - LINES_OWN]));
    }
    char words[LINE_BYTES] = "best (mean distance):", best[128];
    for (unsigned i = 0; i < count; i++)
        snprintf(words + strlen(words), LINE_BYTES - strlen(words), "%s %s %s", i > 0 ? "," : "",
                 columns[1 + i], say_best(v, &v->best[rows[i]], best));
    if (number == 0 && v->best[rows[0]].model != VALIDATION_BEST_INPUT)
        result_table_note(table, "%s", words);
    result_table_end(table, RESULT_TEXT, out);
}

/* What agrees by construction comes last. */
static void write_kinds(const struct validation *v, size_t number, FILE *out)
{
    static const enum quantity_kind kinds[] = {QUANTITY_N_Q, QUANTITY_P_BP, QUANTITY_LAMBDA, QUANTITY_RHO};
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        write_kind(v, number, kinds[i], out);
}

/* @return `text` */
static const char *say_times(const char *what, const struct interval_values *t, char text[128])
{
    int length = isfinite(t->mean_clocks) ? snprintf(text, 128, "; %s mean %.4g clocks", what, t->mean_clocks)
                                          : snprintf(text, 128, "%s", "");
    if (length > 0 && isfinite(t->scv)) /* fewer than two times have none */
        length += snprintf(text + length, 128 - (size_t)length, ", scv %.3g", t->scv);
    if (length > 0 && isfinite(t->lag1)) /* times that are all equal have none */
        snprintf(text + length, 128 - (size_t)length, ", lag1 %.2f", t->lag1);
    return text;
}

static void write_verdicts(const struct verdict_frame *frame, FILE *out)
{
    struct verdict_group group;
    fprintf(out, "\n  verdicts on N_Q, stage by stage (* above: violated, the run does not keep to\n"
                 "  what the model assumes; -: outside its domain; =: an input)\n");
    for (unsigned stage = QUANTITY_1A; stage < QUANTITY_STAGES; stage++) {
        const struct verdict_evidence *e = &frame->evidence[stage];
        char arrivals[128], services[128], held[32] = "";
        if (isfinite(e->held))
            snprintf(held, sizeof held, ", held up %.2g%%", 100 * e->held);
        shown_print(out, "    %s: signal on %.3g%% of the time%s%s%s", quantity_stage_name(stage),
                    100 * e->full, held, say_times("arrivals", &e->arrivals, arrivals),
                    say_times("services", &e->services, services));
        unsigned row = 0;
        while (machine_quantities[row].stage != stage || machine_quantities[row].kind != QUANTITY_N_Q)
            row++;
        for (unsigned model = 0; model < VERDICT_MODELS; model++)
            if (verdict_group(frame->cells[row], VERDICT_MODELS, NULL, model, &group))
                shown_print(out, "      %s: %s", group.models, group.text);
    }
}

/* Whether a prediction moves by more than 5% while the inputs move within their rounding, or has no number then. */
static bool is_ill_conditioned(const struct validation *v, unsigned row, unsigned model)
{
    const struct verdict_cell *cell = &v->frames[0].cells[row][model];
    double least = machine_quantities[row].kind == QUANTITY_N_Q ? 0.1 : 0.01;
    return cell->edge || cell->high - cell->low > 0.05 * fmax(cell->predicted, least);
}

unsigned validation_ill_conditioned(const struct validation *v)
{
    unsigned count = 0;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        for (unsigned model = 0; model < VERDICT_MODELS; model++)
            count += is_ill_conditioned(v, row, model);
    return count;
}

void validation_write_ranges(const struct validation *v, enum result_format format, FILE *out)
{
    static const char *const columns[] = {"parameter", "model", "prediction", "least", "most", ""};
    static const int widths[] = {-9, -13, 11, 11, 11, -1};
    struct result_table *table =
        result_table_new_styled(columns, 6, &(struct result_style){.title = "", .widths = widths});
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        for (unsigned model = 0; model < VERDICT_MODELS; model++) {
            const struct verdict_cell *cell = &v->frames[0].cells[row][model];
            if (is_ill_conditioned(v, row, model))
                result_table_add(table, TEXT(machine_quantities[row].name), TEXT(verdict_model_name(model)),
                                 NUMBER(cell->predicted), NUMBER(cell->low), NUMBER(cell->high),
                                 TEXT(!cell->edge             ? ""
                                      : format == RESULT_HTML ? "or none where an earlier stage is overloaded"
                                                              : "or none"));
        }
    result_table_end(table, format, out);
}

void validation_write_findings(const struct validation *v, FILE *out)
{
    for (unsigned i = 0; i < v->finding_count; i++)
        shown_print(out, "  - %s", v->findings[i]);
}

static void write_text(const struct validation *v, bool passes, bool wide, FILE *out)
{
    char line[LINE_BYTES];
    fprintf(out, "%zu %s, every model beside the simulation: what that says of the machine\n", v->count - 1,
            v->count == 2 ? "pass" : "passes");
    validation_write_findings(v, out);
    fputc('\n', out);
    shown_print(out, "%s", say_intervals(v, false, line));
    if (passes && is_over_passes(v, 0))
        shown_print(out, "%s", say_intervals(v, true, line));
    for (size_t i = 0; i < (passes ? v->count : 1); i++) {
        if (i > 0)
            fprintf(out, "\n%s\n", v->frames[i].name);
        if (wide)
            validation_write_rows(v, i, RESULT_TEXT, out);
        else
            write_kinds(v, i, out);
        for (int narrow = 1; narrow >= 0; narrow--)
            if (say_doubts(v, i, narrow, line)) {
                fputc('\n', out);
                shown_print(out, "  %s", line);
            }
        write_verdicts(&v->frames[i], out);
    }
    if (v->ranges) {
        fprintf(out,
                "\n  ill-conditioned: predictions that move by more than 5%%, or to none (an earlier\n"
                "  stage may be overloaded), while inputs move within %u digits' rounding\n",
                v->digits);
        if (validation_ill_conditioned(v) > 0)
            validation_write_ranges(v, RESULT_TEXT, out);
        else
            fputs("    none\n", out);
    }
    if (v->no_bounds) {
        fputc('\n', out);
        shown_print(out, "  %s", v->no_bounds);
    }
    if (v->bounds) {
        fputs("\nbounds\n", out);
        result_table_end(run_bounds_table(v->bounds, RESULT_TEXT), RESULT_TEXT, out);
    }
}

/* --- HTML ------------------------------------------------------------------------------------------------ */

void validation_write_verdicts(const struct validation *v, FILE *out)
{
    static const char *const columns[] = {"parameter", "models", "verdict", "why"};
    struct result_table *table = result_table_new(columns, 4);
    struct verdict_group group;
    char why[VERDICT_TEXT_BYTES];
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        for (unsigned model = 0; model < VERDICT_MODELS; model++) {
            const struct verdict_cell *cell = &v->frames[0].cells[row][model];
            if (verdict_group(v->frames[0].cells[row], VERDICT_MODELS, NULL, model, &group))
                result_table_add(table, TEXT(machine_quantities[row].name), TEXT(group.models),
                                 TEXT(verdict_word(cell)), TEXT(verdict_why(cell, why, sizeof why)));
        }
    result_table_end(table, RESULT_HTML, out);
}

void validation_write_stages(const struct validation *v, FILE *out)
{
    static const char *const columns[] = {"stage",
                                          "signal on [%]",
                                          "held up [%]",
                                          "arrivals' mean [clocks]",
                                          "scv [1]",
                                          "lag1 [1]",
                                          "services' mean [clocks]",
                                          "scv [1]",
                                          "lag1 [1]"};
    struct result_table *table =
        result_table_new_styled(columns, 9, &(struct result_style){.text_number = "%.3g"});
    for (unsigned stage = QUANTITY_1A; stage < QUANTITY_STAGES; stage++) {
        const struct verdict_evidence *e = &v->frames[0].evidence[stage];
        const struct interval_values *a = &e->arrivals, *s = &e->services;
        result_table_add(table, TEXT(quantity_stage_name(stage)), NUMBER(100 * e->full),
                         NUMBER(100 * e->held), NUMBER(a->mean_clocks), NUMBER(a->scv), NUMBER(a->lag1),
                         NUMBER(s->mean_clocks), NUMBER(s->scv), NUMBER(s->lag1));
    }
    result_table_end(table, RESULT_HTML, out);
}

/* --- TSV ------------------------------------------------------------------------------------------------- */

/* A table per frame: a run of thousands of passes has millions of cells. */
static void write_tsv(const struct validation *v, FILE *out)
{
    static const char *const columns[] = {
        "frame", "stage", "parameter", "unit",    "simulated", "half_width", "model",     "predicted",
        "error", "low",   "high",      "verdict", "why",       "best",       "bound_low", "bound_high"};
    char line[LINE_BYTES];
    if (why_no_bounds(v))
        fprintf(out, "# %s\n", why_no_bounds(v));
    fprintf(out, "# %s\n", say_intervals(v, false, line));
    if (is_over_passes(v, 0))
        fprintf(out, "# %s\n", say_intervals(v, true, line));
    for (unsigned i = 0; i < v->finding_count; i++)
        fprintf(out, "# %s\n", v->findings[i]);
    for (size_t i = 0; i < v->count; i++) {
        struct result_table *table = result_table_new_styled(columns, sizeof columns / sizeof columns[0],
                                                             &(struct result_style){.goes_on = i > 0});
        const struct verdict_frame *frame = &v->frames[i];
        for (unsigned cell = 0; cell < MACHINE_QUANTITIES * VERDICT_MODELS; cell++) {
            const unsigned row = cell / VERDICT_MODELS, model = cell % VERDICT_MODELS;
            const struct verdict_cell *c = &frame->cells[row][model];
            const struct run_bound bound = bound_of(v, i, row);
            double simulated = verdict_simulated(frame, row);
            char why[VERDICT_TEXT_BYTES];
            result_table_add(
                table, TEXT(frame->name), TEXT(quantity_stage_name(machine_quantities[row].stage)),
                TEXT(machine_quantities[row].name), TEXT(machine_quantities[row].unit), NUMBER(simulated),
                NUMBER(v->intervals[i][row].estimate.half_width), TEXT(verdict_model_name(model)),
                NUMBER(c->predicted), NUMBER(error_of(c->predicted, simulated)), NUMBER(c->low),
                NUMBER(c->high), TEXT(verdict_word(c)), TEXT(*verdict_why(c, why, sizeof why) ? why : "-"),
                TEXT(i == 0 && v->best[row].model == (int)model ? "best" : "-"), NUMBER(bound.least),
                NUMBER(bound.most));
        }
        for (unsigned at = 0; i == 0 && v->bounds && at < BOUNDED; at++) {
            const struct bounded b = bounded(v->bounds, at);
            result_table_add(table, TEXT(frame->name), TEXT("-"), TEXT(b.name), TEXT(b.unit), NUMBER(b.seen),
                             NUMBER(NAN), TEXT("-"), NUMBER(NAN), NUMBER(NAN), NUMBER(NAN), NUMBER(NAN),
                             TEXT("-"), TEXT("-"), TEXT("-"), NUMBER(b.bound.least), NUMBER(b.bound.most));
        }
        result_table_end(table, RESULT_TSV, out);
    }
}

/* --- JSON ------------------------------------------------------------------------------------------------ */

static json_t *row_object(const struct validation *v, size_t number, unsigned row)
{
    const struct verdict_frame *frame = &v->frames[number];
    const struct machine_quantity_spec *quantity = &machine_quantities[row];
    const struct row_interval *interval = &v->intervals[number][row];
    json_t *models = json_object();
    for (unsigned model = 0; model < VERDICT_MODELS; model++) {
        const struct verdict_cell *cell = &frame->cells[row][model];
        json_t *reasons = cell->why_not ? json_pack("[s]", cell->why_not) : json_array();
        for (unsigned i = 0; i < VERDICT_REASONS; i++)
            if (cell->reasons >> i & 1)
                json_array_append_new(reasons, json_string(verdict_reason_texts[i]));
        json_object_set_new(
            models, verdict_model_name(model),
            json_pack("{s:o, s:o, s:o, s:o, s:b, s:s, s:o}", "predicted", json_number(cell->predicted),
                      "error", json_number(error_of(cell->predicted, verdict_simulated(frame, row))), "low",
                      json_number(cell->low), "high", json_number(cell->high), "none_within_rounding",
                      cell->edge, "verdict", verdict_word(cell), "reasons", reasons));
    }
    const struct run_bound bound = bound_of(v, number, row);
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:s?, s:o, s:o, s:b, s:o, s:o}", "parameter", quantity->name, "unit",
        quantity->unit, "stage", quantity_stage_name(quantity->stage), "simulated",
        json_number(verdict_simulated(frame, row)), "half_width", json_number(interval->estimate.half_width),
        "no_interval", interval->none, "interval_lag1", json_number(interval->estimate.lag1),
        "interval_largest_share", json_number(interval->estimate.largest), "interval_too_narrow",
        row_interval_is_too_narrow(interval), "bound_low", json_number(bound.least), "bound_high",
        json_number(bound.most));
    if (number == 0) {
        int best = v->best[row].model;
        json_object_set_new(object, "best_word", json_string(validation_best_name(&v->best[row])));
        json_object_set_new(object, "best", best >= 0 ? json_string(verdict_model_name(best)) : json_null());
        json_object_set_new(object, "best_mean_distance",
                            json_number(best >= 0 ? v->best[row].mean_distance : NAN));
    }
    json_object_set_new(object, "models", models);
    return object;
}

static json_t *times_object(const struct interval_values *t)
{
    return json_pack("{s:o, s:o, s:o}", "mean_clocks", json_number(t->mean_clocks), "scv",
                     json_number(t->scv), "lag1", json_number(t->lag1));
}

static json_t *frame_object(const struct validation *v, size_t number)
{
    json_t *rows = json_array(), *stages = json_object();
    for (unsigned stage = QUANTITY_1A; stage < QUANTITY_STAGES; stage++) {
        const struct verdict_evidence *e = &v->frames[number].evidence[stage];
        json_object_set_new(stages, quantity_stage_name(stage),
                            json_pack("{s:o, s:o, s:o, s:o, s:o}", "arrivals", times_object(&e->arrivals),
                                      "services", times_object(&e->services), "expected_scv",
                                      json_number(e->expected_scv), "held_fraction", json_number(e->held),
                                      "signal_fraction", json_number(e->full)));
    }
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        json_array_append_new(rows, row_object(v, number, row));
    return json_pack("{s:s, s:s, s:I, s:b, s:o, s:o}", "frame", v->frames[number].name, "interval_over",
                     over_what(v, number), "interval_batches", (json_int_t)v->intervals[number][0].batches,
                     "saturated", v->frames[number].saturated, "evidence", stages, "rows", rows);
}

static void write_json(const struct validation *v, FILE *out)
{
    json_t *frames = json_array(), *findings = json_array();
    for (size_t i = 0; i < v->count; i++)
        json_array_append_new(frames, frame_object(v, i));
    for (unsigned i = 0; i < v->finding_count; i++)
        json_array_append_new(findings, json_string(v->findings[i]));
    json_t *bounds = v->bounds ? json_object() : json_null();
    for (unsigned i = 0; v->bounds && i < BOUNDED; i++) {
        const struct bounded b = bounded(v->bounds, i);
        json_object_set_new(bounds, b.name,
                            json_pack("{s:s, s:o, s:o, s:o}", "unit", b.unit, "simulated",
                                      json_number(b.seen), "bound_low", json_number(b.bound.least),
                                      "bound_high", json_number(b.bound.most)));
    }
    json_t *root = json_pack("{s:s, s:i, s:o, s:o, s:o, s:s?}", "schema", "mercury-validation-1", "digits",
                             (int)v->digits, "frames", frames, "findings", findings, "bounds", bounds,
                             "no_bounds", why_no_bounds(v));
    json_write(root, 12, out);
}

void validation_write(const struct validation *v, bool passes, bool wide, enum result_format format,
                      FILE *out)
{
    if (format == RESULT_JSON)
        write_json(v, out);
    else if (format == RESULT_TSV)
        write_tsv(v, out);
    else
        write_text(v, passes, wide, out);
}

/* --- the table that ends a run --------------------------------------------------------------------------- */

/* Its models are the first of enum pipeline_model: M/M/1 and both forms of M/M/1/K. */
enum {
    FOUR_MODELS = PIPELINE_MM1K_DOR + 1,
    FOUR_OWN_COLUMNS = 3,
    FOUR_COLUMNS = FOUR_OWN_COLUMNS + 2 * FOUR_MODELS
};

static void add_difference(double predicted, double simulated, enum result_format format,
                           struct result_table *table)
{
    char text[32] = "NA";
    double difference = error_of(predicted, simulated);
    double percent = fabs(difference) < 5e-5 ? 0 : 100 * difference; /* not "-0.00%" */
    if (!isnan(difference))
        snprintf(text, sizeof text, fabs(difference) >= 10 ? "%+.3g%%" : "%+.2f%%", percent);
    if (format == RESULT_TEXT)
        result_table_add(table, TEXT(text));
    else
        result_table_add(table, NUMBER(difference));
}

static void note_four_stages_inputs(const struct verdict_frame *frame, struct result_table *table)
{
    const double *in = frame->inputs.value;
    const struct prediction_stage *stage = frame->four_stages.stages;
    result_table_note(
        table, "lambda_in %.6g MB/s, P_1a %.6g, P_1b %.6g, P_2 %.6g, M_1b %.6g SRAM reads/seed, M_2 %.6g%s",
        in[PREDICT_LAMBDA_IN], in[PREDICT_P_1A], in[PREDICT_P_1B], in[PREDICT_P_2], in[PREDICT_M_1B],
        in[PREDICT_M_2], frame->saturated ? " (1b is saturated)" : "");
    result_table_note(table,
                      "mu_pci %.6g MB/s, mu_1a %.6g Mwmers/s, mu_1b %.6g Mseeds/s, mu_2 %.6g Mmatches/s, "
                      "K_1a %.0f wmers, K_1b %.0f seeds, K_2 %.0f matches",
                      in[PREDICT_MU_PCI], stage[MERCURY_1A].mu_per_s / 1e6, stage[MERCURY_1B].mu_per_s / 1e6,
                      stage[MERCURY_2].mu_per_s / 1e6, in[PREDICT_K_1A], in[PREDICT_K_1B], in[PREDICT_K_2]);
}

void validation_write_four_stages(const struct validation *v, enum result_format format, FILE *out)
{
    static const char *const columns[][FOUR_COLUMNS] = {
        [RESULT_TEXT] = {"parameter", "unit", "simulated", "M/M/1", "M/M/1/K", "M/M/1/K (Dor)", "M/M/1 diff",
                         "M/M/1/K diff", "(Dor) diff"},
        [RESULT_TSV] = {"parameter", "unit", "simulated", "M/M/1", "M/M/1/K", "M/M/1/K (Dor)",
                        "M/M/1_difference", "M/M/1/K_difference", "M/M/1/K (Dor)_difference"}};
    static const int widths[FOUR_COLUMNS] = {-10, -11, 12, 12, 12, 13, 12, 12, 12};
    const struct verdict_frame *run = &v->frames[0];
    struct result_table *table =
        result_table_new_styled(columns[format], FOUR_COLUMNS,
                                &(struct result_style){.title = "", .widths = widths, .text_missing = "NA"});
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
        if (!verdict_is_of_four_stages(row))
            continue;
        double simulated = verdict_simulated(run, row), predicted[FOUR_MODELS];
        result_table_add(table, TEXT(machine_quantities[row].name), TEXT(machine_quantities[row].unit),
                         NUMBER(simulated));
        for (int i = 0; i < FOUR_MODELS; i++) {
            predicted[i] = verdict_of_four_stages(run, row, (enum pipeline_model)i);
            result_table_add(table, NUMBER(predicted[i]));
        }
        for (int i = 0; i < FOUR_MODELS; i++)
            add_difference(predicted[i], simulated, format, table);
    }
    note_four_stages_inputs(run, table);
    for (int i = 0; i < run->four_stages.count; i++)
        for (int model = 0; model < FOUR_MODELS; model++) {
            const struct prediction_stage *stage = &run->four_stages.stages[i];
            if (stage->queue[model].status)
                result_table_note(table, "%s has no prediction for stage %s: %s",
                                  pipeline_model_name((enum pipeline_model)model), stage->name,
                                  model_error_text(stage->queue[model].status));
        }
    if (format == RESULT_TSV)
        fprintf(out, "# measured run against the four-stage models of Dor 2010 (Figures 12 and 17); NA: no "
                     "number\n");
    result_table_end(table, format, out);
}
