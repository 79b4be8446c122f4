#include "app/chain/queue_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "validate/queue_theory.h"

/* The width that the note on widths assumes without --until-width. */
#define WIDTH_WANTED 0.05

enum { OWN_COLUMNS = 5, COLUMNS = OWN_COLUMNS + 2 * QUEUE_THEORY_MODELS, NAME_MAX_BYTES = 40 };

struct queue_report {
    const struct queue_line *tandem;
    const struct queue_line_result *result;
    unsigned models[QUEUE_THEORY_MODELS], model_count;                              /* those that apply */
    struct queue_theory_answer answers[QUEUE_THEORY_MODELS][QUEUE_LINE_STAGES_MAX]; /* in their order */
};

/* The name of a stage, or its number. @return it */
static const char *name_of(const struct queue_line *line, unsigned stage, char number[16])
{
    snprintf(number, 16, "%u", stage + 1);
    return line->stages[stage].name ? line->stages[stage].name : number;
}

/* --- the table ------------------------------------------------------------------------------------------- */

static void add_stage(const struct queue_line *line, unsigned number, struct result_table *table)
{
    static const char *const services[] = {"exponential", "deterministic", "mixture"};
    const struct queue_line_stage *stage = &line->stages[number];
    const bool is_mixture = stage->service == SERVICE_MIXTURE;
    char name[NAME_MAX_BYTES], text[240], mixture[64] = "", places[32] = "unbounded", servers[32] = "";
    char from[80] = "", added[40] = "", on[40] = "";
    if (is_mixture)
        snprintf(mixture, sizeof mixture, " (%g are %g times as long)", stage->long_fraction,
                 stage->long_ratio);
    if (stage->places > 0)
        snprintf(places, sizeof places, "%" PRIu32 " places", stage->places);
    if (stage->servers > 1)
        snprintf(servers, sizeof servers, "%u servers, ", stage->servers);
    if (stage->factor < 1)
        snprintf(from, sizeof from, ", %.0f that come packed into one", 1 / stage->factor);
    else if (number > 0 && stage->factor > 1)
        snprintf(from, sizeof from, ", %g at once for each that comes", stage->factor);
    if (stage->added_per_s > 0)
        snprintf(added, sizeof added, ", %g/s added", stage->added_per_s);
    if (number + 1 < line->stage_count && stage->pass_fraction < 1)
        snprintf(on, sizeof on, ", %g go on", stage->pass_fraction);
    if (stage->name)
        snprintf(name, sizeof name, "stage %.32s", stage->name);
    else
        snprintf(name, sizeof name, "stage_%u", number + 1);
    snprintf(text, sizeof text, "mu %g/s, %s%s, %s%s%s%s%s", stage->mu_per_s, services[stage->service], mixture,
             servers, places, from, added, on);
    const struct result_member members[] = {
        {"mu_per_s", NUMBER(stage->mu_per_s)},
        {"service", TEXT(services[stage->service])},
        {"long_fraction", NUMBER(is_mixture ? stage->long_fraction : NAN)},
        {"long_ratio", NUMBER(is_mixture ? stage->long_ratio : NAN)},
        {"servers", NUMBER(stage->servers)},
        {"places", NUMBER(stage->places > 0 ? (double)stage->places : NAN)},
        {"factor", NUMBER(stage->factor)},
        {"pass_fraction", NUMBER(stage->pass_fraction)},
        {"added_per_s", NUMBER(stage->added_per_s)},
    };
    result_table_add_object(table, name, text, members, sizeof members / sizeof members[0]);
}

static void add_facts(const struct queue_report *r, struct result_table *table)
{
    static const char *const arrivals[] = {"poisson", "deterministic"};
    const struct queue_line *t = r->tandem;
    double batch = t->stages[0].factor;
    result_table_add_fact(table, "arrivals", TEXT(batch > 1 ? "batch" : arrivals[t->arrivals]));
    if (batch > 1)
        result_table_add_fact(table, "batch_customers", NUMBER(batch));
    result_table_add_fact(table, "lambda_per_s", NUMBER(t->lambda_per_s));
    result_table_add_fact(table, "overflow", TEXT(t->overflow == OVERFLOW_LOSS ? "loss" : "block"));
    for (unsigned i = 0; i < t->stage_count; i++)
        add_stage(t, i, table);
    result_table_add_fact(table, "seed", NUMBER((double)t->seed));
    result_table_add_fact(table, "customers", NUMBER((double)r->result->arrived));
    result_table_add_fact(table, "warm_up_s", NUMBER(r->result->warm_up_s));
    result_table_add_fact(table, "batches", NUMBER(t->batches));
    result_table_add_fact(table, "batch_s", NUMBER(r->result->batch_s));
}

const char *queue_report_covers(double prediction, const struct estimate *estimate, double events)
{
    double most = estimate->half_width + 1e-9 * fabs(estimate->mean);
    if (isnan(prediction) || isnan(estimate->mean))
        return "-";
    if (estimate->mean == 0 && events > 0)
        most = 3 / events;
    return fabs(prediction - estimate->mean) <= most ? "yes" : "no";
}

const char *queue_report_covers_at(double prediction, const struct queue_line_result *result, unsigned stage,
                                   enum queue_line_quantity quantity)
{
    return queue_report_covers(prediction, &result->stage[stage][quantity],
                               quantity >= QUEUE_LINE_LOSS ? result->arrivals[stage].count : 0);
}

static void add_row(const struct queue_report *r, unsigned stage, enum queue_line_quantity quantity,
                    struct result_table *table)
{
    const struct estimate *estimate = &r->result->stage[stage][quantity];
    char number[16];
    result_table_add(table, TEXT(name_of(r->tandem, stage, number)), TEXT(queue_line_quantity_name(quantity)),
                     TEXT(queue_line_quantity_unit(quantity)), NUMBER(estimate->mean),
                     NUMBER(estimate->half_width));
    for (unsigned model = 0; model < r->model_count; model++) {
        double value = r->answers[model][stage].value[quantity];
        result_table_add(table, NUMBER(value),
                         TEXT(queue_report_covers_at(value, r->result, stage, quantity)));
    }
}

static void note_model(const struct queue_report *r, unsigned model, unsigned stage,
                       struct result_table *table)
{
    const struct queue_theory_answer *answer = &r->answers[model][stage];
    const char *name = queue_theory_model(r->models[model]);
    char number[16];
    const char *where = name_of(r->tandem, stage, number);
    unsigned covered = 0, all = 0;
    for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++) {
        char first = *queue_report_covers_at(answer->value[q], r->result, stage, q);
        all += first != '-';
        covered += first == 'y';
    }
    if (answer->why_not)
        result_table_note(table, "%s has no prediction for stage %s: %s", name, where, answer->why_not);
    else
        result_table_note(table, "%s is %s for stage %s: the 95%% intervals cover %u of %u predictions", name,
                          answer->exact ? "exact" : "an approximation", where, covered, all);
}

/* Widths are proportional to one over the square root of the run's length. */
void queue_report_note_width(struct result_table *table, const char *what, double width, double until_width,
                             double done, const char *unit)
{
    double wanted = until_width > 0 ? until_width : WIDTH_WANTED;
    result_table_note(table, "the widest interval is that of %s: %.2g%% of its value", what, 100 * width);
    if (width > wanted)
        result_table_note(table, "%g%% would take some %.1g %s (%s)", 100 * wanted,
                          done * (width / wanted) * (width / wanted), unit,
                          until_width > 0 ? "--most-customers" : "--until-width 5");
}

static void note_width(const struct queue_report *r, struct result_table *table)
{
    unsigned stage = 0, quantity = 0;
    char what[64];
    for (unsigned i = 0; i < r->tandem->stage_count * QUEUE_LINE_QUANTITIES; i++) {
        unsigned at = i / QUEUE_LINE_QUANTITIES, q = i % QUEUE_LINE_QUANTITIES;
        if (queue_line_width(&r->result->stage[at][q], q) >
            queue_line_width(&r->result->stage[stage][quantity], quantity))
            stage = at, quantity = q;
    }
    char number[16];
    snprintf(what, sizeof what, "%s, stage %s", queue_line_quantity_name(quantity),
             name_of(r->tandem, stage, number));
    queue_report_note_width(table, what, r->result->widest, r->tandem->until_width,
                            (double)r->result->arrived, "customers");
}

void queue_report_note_short(struct result_table *table, const struct queue_line *line,
                             const struct queue_line_result *result)
{
    char number[16];
    if (result->batch_relaxations >= QUEUE_LINE_RELAXATIONS)
        return;
    result_table_note(table, "the run is short: a batch has %.2g relaxation times of stage %s, not %d",
                      result->batch_relaxations, name_of(line, result->slowest_stage, number),
                      QUEUE_LINE_RELAXATIONS);
    result_table_note(table, "its intervals are wider for that; %.1g --customers would do",
                      1.1 * (double)result->arrived * QUEUE_LINE_RELAXATIONS / result->batch_relaxations);
}

static void add_notes(const struct queue_report *r, struct result_table *table)
{
    note_width(r, table);
    queue_report_note_short(table, r->tandem, r->result);
    for (unsigned stage = 0; stage < r->tandem->stage_count; stage++)
        for (unsigned model = 0; model < r->model_count; model++)
            if (queue_theory_is_of(r->models[model], &r->tandem->stages[stage]))
                note_model(r, model, stage, table);
    if (r->result->correlated > 0)
        result_table_note(
            table,
            "neighbouring batches resemble each other in %u estimates: intervals are too narrow, use "
            "more --customers or fewer --batches",
            r->result->correlated);
}

int queue_report_save(const struct queue_line *tandem, const struct queue_line_result *result,
                      enum result_format format, const char *path, struct why *why)
{
    const char *columns[COLUMNS] = {"stage", "parameter", "unit", "simulated", "half_width"};
    char covers_names[QUEUE_THEORY_MODELS][NAME_MAX_BYTES];
    struct queue_report report = {.tandem = tandem, .result = result};
    for (unsigned model = 0; model < QUEUE_THEORY_MODELS; model++) {
        unsigned column = report.model_count;
        if (!queue_theory_applies(model, tandem))
            continue;
        report.models[report.model_count++] = model;
        snprintf(covers_names[column], sizeof covers_names[column], "%s_covers", queue_theory_model(model));
        columns[OWN_COLUMNS + 2 * column] = queue_theory_model(model);
        columns[OWN_COLUMNS + 2 * column + 1] = covers_names[column];
        queue_theory_predict(model, tandem, result, report.answers[column]);
    }
    struct result_table *table = result_table_new_styled(columns, OWN_COLUMNS + 2 * report.model_count,
                                                         &(struct result_style){.schema = "mercury-queue-2"});
    add_facts(&report, table);
    for (unsigned stage = 0; stage < tandem->stage_count; stage++)
        for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++)
            add_row(&report, stage, q, table);
    add_notes(&report, table);
    int status = result_table_save(table, format, path, why);
    result_table_destroy(table);
    return status;
}
