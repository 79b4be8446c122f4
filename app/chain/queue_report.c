#include "app/chain/queue_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/command.h"
#include "base/draw/figure.h"
#include "base/draw/picture.h"
#include "base/memory.h"
#include "app/report/line_page.h"
#include "app/report/line_run.h"

/* The width that the note on widths assumes without --until-width. */
#define WIDTH_WANTED 0.05

#define CUSTOMERS_MOST 1e9 /* of --customers and --most-customers */

enum { OWN_COLUMNS = 5, COLUMNS = OWN_COLUMNS + 2 * QUEUE_THEORY_MODELS + 1, NAME_MAX_BYTES = 40 };

/* --- the table ------------------------------------------------------------------------------------------- */

static double of_mixture(const struct duration *d, double number)
{
    return d->law == DURATION_MIXTURE ? number : NAN;
}

static void add_stage(const struct queue_line *line, unsigned number, struct result_table *table)
{
    const struct queue_line_stage *stage = &line->stages[number];
    char name[NAME_MAX_BYTES], service[DURATION_TEXT_BYTES];
    struct why text = {""};
    const char *owner = stage->on > 0 ? line->stages[stage->on - 1].name : "-",
               *to = stage->back_fraction > 0 ? line->stages[stage->back_to].name : "-";
    why_append(&text, "mu %g/s, %s, ", stage->mu_per_s,
               line->class_count > 0 ? "services by class" : duration_text(&stage->service, service));
    if (stage->on > 0 && stage->on != number + 1)
        why_append(&text, "on the server of stage %.32s, ", owner);
    else if (stage->servers > 1)
        why_append(&text, "%u servers, ", stage->servers);
    if (stage->places > 0)
        why_append(&text, "%" PRIu32 " places", stage->places);
    else
        why_append(&text, "unbounded");
    if (stage->almost_full > 0)
        why_append(&text, ", almost full when %" PRIu32 " are free", stage->almost_full);
    if (stage->factor < 1)
        why_append(&text, ", %.0f that come packed into one", 1 / stage->factor);
    else if (number > 0 && stage->factor > 1)
        why_append(&text, ", %g at once for each that comes", stage->factor);
    if (stage->added_per_s > 0)
        why_append(&text, ", %g/s added", stage->added_per_s);
    if (stage->back_fraction > 0)
        why_append(&text, ", %g go back to stage %.32s", stage->back_fraction, to);
    if (number + 1 < line->stage_count && stage->pass_fraction < 1)
        why_append(&text, ", %g go on%s", stage->pass_fraction, stage->outputs ? ", by a list" : "");
    snprintf(name, sizeof name, "stage%c%.32s", line->has_names ? ' ' : '_', stage->name);
    const struct result_member members[] = {
        {"mu_per_s", NUMBER(stage->mu_per_s)},
        {"service", TEXT(duration_name(&stage->service))},
        {"service_scv", NUMBER(duration_scv(&stage->service))},
        {"long_fraction", NUMBER(of_mixture(&stage->service, stage->service.long_fraction))},
        {"long_ratio", NUMBER(of_mixture(&stage->service, stage->service.long_ratio))},
        {"servers", NUMBER(stage->servers)},
        {"places", NUMBER(stage->places > 0 ? (double)stage->places : NAN)},
        {"factor", NUMBER(stage->factor)},
        {"pass_fraction", NUMBER(stage->pass_fraction)},
        {"added_per_s", NUMBER(stage->added_per_s)},
        {"almost_full", NUMBER(stage->almost_full)},
        {"on", TEXT(owner)},
        {"back_to", TEXT(to)},
        {"back_fraction", NUMBER(stage->back_fraction)},
        {"outputs", NUMBER(stage->outputs ? (double)stage->output_count : NAN)},
    };
    result_table_add_object(table, name, text.line, members, sizeof members / sizeof members[0]);
}

static void add_classes(const struct queue_line *line, struct result_table *table)
{
    for (unsigned k = 0; k < line->class_count; k++) {
        const struct queue_line_class *c = &line->classes[k];
        char name[16], text[200], law[DURATION_TEXT_BYTES];
        snprintf(name, sizeof name, "class_%u", k + 1);
        snprintf(text, sizeof text, "%g%% of the customers, mu %g/s, %s", 100 * c->share, c->mu_per_s,
                 duration_text(&c->service, law));
        const struct result_member members[] = {
            {"share", NUMBER(c->share)},
            {"mu_per_s", NUMBER(c->mu_per_s)},
            {"service", TEXT(duration_name(&c->service))},
            {"service_scv", NUMBER(duration_scv(&c->service))},
        };
        result_table_add_object(table, name, text, members, sizeof members / sizeof members[0]);
    }
    if (line->class_count > 0)
        result_table_add_fact(table, "discipline", TEXT(line->priority ? "priority" : "fifo"));
}

static void add_mmpp(const struct duration *d, double lambda_per_s, struct result_table *table)
{
    const double rates[2] = {d->rate[0] * lambda_per_s, d->rate[1] * lambda_per_s},
                 leave[2] = {d->leave[0] * lambda_per_s, d->leave[1] * lambda_per_s};
    char text[200];
    snprintf(text, sizeof text, "%g/s and %g/s, changing %g and %g times per second, dispersion %.4g",
             rates[0], rates[1], leave[0], leave[1], duration_dispersion(d));
    const struct result_member members[] = {
        {"rate_1_per_s", NUMBER(rates[0])},  {"rate_2_per_s", NUMBER(rates[1])},
        {"leave_1_per_s", NUMBER(leave[0])}, {"leave_2_per_s", NUMBER(leave[1])},
        {"scv", NUMBER(duration_scv(d))},    {"dispersion", NUMBER(duration_dispersion(d))},
    };
    result_table_add_object(table, "mmpp", text, members, sizeof members / sizeof members[0]);
}

static void add_facts(const struct queue_judged *r, struct result_table *table)
{
    const struct queue_line *t = r->line;
    const bool is_poisson = duration_is_exponential(&t->arrivals);
    double batch = t->stages[0].factor;
    result_table_add_fact(table, "arrivals",
                          TEXT(!is_poisson ? duration_name(&t->arrivals)
                               : batch > 1 ? "batch"
                                           : "poisson"));
    if (batch > 1)
        result_table_add_fact(table, "batch_customers", NUMBER(batch));
    if (t->arrivals.law == DURATION_MMPP)
        add_mmpp(&t->arrivals, t->lambda_per_s / t->stages[0].factor, table);
    result_table_add_fact(table, "lambda_per_s", NUMBER(t->lambda_per_s));
    result_table_add_fact(table, "overflow", TEXT(t->overflow == OVERFLOW_LOSS ? "loss" : "block"));
    for (unsigned i = 0; i < t->stage_count; i++)
        add_stage(t, i, table);
    add_classes(t, table);
    result_table_add_fact(table, "seed", NUMBER((double)t->run.seed));
    result_table_add_fact(table, "customers", NUMBER((double)r->result->arrived));
    result_table_add_fact(table, "warm_up_s", NUMBER(r->result->warm_up_s));
    result_table_add_fact(table, "batches", NUMBER(t->run.batches));
    result_table_add_fact(table, "batch_s", NUMBER(r->result->batch_s));
}

/* Whether an interval covers a prediction: "yes", "no" (not even but for rounding), or "-" if there is none.
 * `events` is the number of customers of which none, or all, had what the estimate counts: of an event that none of n
 * had, the interval of 95% goes up to 3/n (Hanley and Lippman-Hand 1983). 0: the estimate counts no events. */
static const char *covers(double prediction, const struct estimate *estimate, double events)
{
    double most = estimate->half_width + 1e-9 * fabs(estimate->mean);
    if (isnan(prediction) || isnan(estimate->mean))
        return "-";
    if (estimate->half_width == 0 && (estimate->mean == 0 || estimate->mean == 1) && events > 0)
        most = 3 / events;
    return fabs(prediction - estimate->mean) <= most ? "yes" : "no";
}

const char *queue_report_covers_at(double prediction, const struct queue_line_result *result, unsigned stage,
                                   enum queue_line_quantity quantity)
{
    return covers(prediction, &result->stage[stage][quantity],
                  quantity >= QUEUE_LINE_LOSS || quantity == QUEUE_LINE_UTILISATION
                      ? result->arrivals[stage].count
                      : 0);
}

/* How many numbers a model predicts, and how many of them the intervals cover. */
struct tally {
    unsigned predictions, covered;
};

static void count_in(struct tally *tally, const char *covers)
{
    tally->predictions += *covers != '-';
    tally->covered += *covers == 'y';
}

/* The model that a text shows of a stage: the first that is exact, or whose N_Q is nearest to the simulated one. */
static unsigned best_of(const struct queue_judged *r, unsigned stage)
{
    unsigned best = 0;
    double nearest = INFINITY;
    for (unsigned model = 0; model < r->count; model++) {
        const struct queue_theory_answer *answer = &r->models[model].answers[stage];
        const double n_q = r->result->stage[stage][QUEUE_LINE_N_Q].mean;
        const double far =
            answer->exact ? -1 : fabs(log((answer->value[QUEUE_LINE_N_Q] + 1e-3) / (n_q + 1e-3)));
        if (far < nearest && queue_theory_is_of(r->models[model].model, &r->line->stages[stage])) {
            best = model;
            nearest = far;
        }
    }
    return best;
}

static const char *covers_in_class(const struct queue_judged *r, unsigned class, enum queue_line_quantity q)
{
    return covers(r->of_class[class].value[q], &r->result->of_class[class][q], 0);
}

static void note_model(const struct queue_judged *r, unsigned model, unsigned stage,
                       struct result_table *table)
{
    const struct queue_theory_answer *answer = &r->models[model].answers[stage];
    const char *name = r->models[model].name;
    const char *where = r->line->stages[stage].name;
    struct tally tally = {0};
    for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++)
        count_in(&tally, queue_report_covers_at(answer->value[q], r->result, stage, q));
    for (unsigned k = 0; k < r->line->class_count; k++)
        for (unsigned i = 0; i < QUEUE_LINE_CLASS_QUANTITIES; i++)
            count_in(&tally, covers_in_class(r, k, queue_line_class_quantities[i]));
    if (answer->why_not)
        result_table_note(table, "%s has no prediction for stage %s: %s", name, where, answer->why_not);
    else
        result_table_note(table, "%s is %s for stage %s: the 95%% intervals cover %u of %u", name,
                          answer->exact ? "exact" : "an approximation", where, tally.covered,
                          tally.predictions);
}

/* Note which interval is the widest, and how long a run would make it narrow enough: widths are proportional to one
 * over the square root of the run's length. @param done  length of the run, in `unit`, a plural;
 * 0: no length would */
static void note_widest(struct result_table *table, const char *what, double width, double until_width,
                        double done, const char *unit)
{
    double wanted = until_width > 0 ? until_width : WIDTH_WANTED;
    result_table_note(table, "the widest interval is that of %s: %.2g%% of its value", what, 100 * width);
    if (!(width > wanted) || !(done > 0))
        return;
    const double longer = done * (width / wanted) * (width / wanted);
    result_table_note(table, "%g%% would take some %.1g %s (%s)", 100 * wanted, longer, unit,
                      longer > CUSTOMERS_MOST ? "more than any run has, 1e9"
                      : until_width > 0       ? "--most-customers"
                      : longer > 1e8          ? "--until-width 5 --most-customers 1e9"
                                              : "--until-width 5");
}

/* @param of  what has the relaxation time @param but  those that are not wider @param done  length in customers */
static void note_short(struct result_table *table, double relaxations, unsigned batches, const char *of,
                       const char *name, const char *but, uint64_t done)
{
    if (relaxations >= QUEUE_LINE_RELAXATIONS)
        return;
    const double longer = 1.1 * (double)done * QUEUE_LINE_RELAXATIONS / relaxations;
    result_table_note(table, "the run is short: a batch has %.2g relaxation times of %s%s, not %d",
                      relaxations, of, name, QUEUE_LINE_RELAXATIONS);
    result_table_note(table, "its intervals%s are wider for that%s; %.1g --customers would do%s", but,
                      relaxations * batches < QUEUE_LINE_RELAXATIONS ? ", yet not wide enough for sure" : "",
                      longer, longer > CUSTOMERS_MOST ? " (more than any run has, 1e9)" : "");
}

void queue_report_note_short(struct result_table *table, const struct queue_line *line,
                             const struct queue_line_result *result)
{
    if (result->filling == 0)
        note_short(table, result->batch_relaxations, line->run.batches, "stage ",
                   line->stages[result->slowest_stage].name,
                   line->arrivals.law == DURATION_MMPP ? "" : ", but those of rates,", result->arrived);
    else
        result_table_note(table,
                          "the number in stage %s grows over the whole run: it has no steady state, or the "
                          "run is far too short for it; no mean and no interval says what a longer run would",
                          line->stages[result->filling - 1].name);
}

static void note_repeated(struct result_table *table, const char *what, const struct duration *d,
                          double taken)
{
    if (d->law == DURATION_TRACE && taken > (double)d->count)
        result_table_note(table, "the trace of %s has %zu times, and was repeated from its begin", what,
                          d->count);
}

static void add_notes(const struct queue_judged *r, bool is_text, struct result_table *table)
{
    char what[64] = "";
    if (is_text)
        result_table_note(
            table,
            "predicted: by the model that is named first for the stage; -f tsv and -f json have "
            "the predictions of all%s",
            r->line->stage_count > 1 ? ", and the distributions of each stage" : "");
    const struct queue_line_row *widest = &r->result->widest_row;
    if (widest->class > 0)
        snprintf(what, sizeof what, "%s, class %u", queue_line_quantities[widest->quantity].name,
                 widest->class);
    else
        snprintf(what, sizeof what, "%s, stage %s", queue_line_quantities[widest->quantity].name,
                 r->line->stages[widest->stage].name);
    note_widest(table, what, r->result->widest, r->line->run.until_width,
                r->result->filling ? 0 : (double)r->result->arrived, "customers");
    queue_report_note_short(table, r->line, r->result);
    note_repeated(table, "arrivals", &r->line->arrivals, (double)r->result->arrived);
    for (unsigned stage = 0; stage < r->line->stage_count; stage++) {
        snprintf(what, sizeof what, "stage %s", r->line->stages[stage].name);
        note_repeated(table, what, &r->line->stages[stage].service, r->result->arrivals[stage].count);
    }
    for (unsigned stage = 0; stage < r->line->stage_count; stage++)
        for (unsigned model = 0; model < r->count; model++)
            if (is_text ? model == best_of(r, stage)
                        : queue_theory_is_of(r->models[model].model, &r->line->stages[stage]))
                note_model(r, model, stage, table);
    if (r->result->correlated > 0 && r->result->filling == 0)
        result_table_note(
            table,
            "neighbouring batches resemble each other in %u estimates: intervals are too narrow, use "
            "more --customers or fewer --batches",
            r->result->correlated);
}

/* What is added to the table: a stage, and the models that say something of it. */
struct rows {
    const struct queue_judged *report;
    struct result_table *table;
    unsigned stage, only; /* the model that a text shows; else the count of all */
};

/* To a tenth of a per cent; NaN beside a simulated zero, of which every error is infinite. */
static double percent_off(double predicted, double simulated)
{
    return simulated > 0 ? round(1000 * (predicted / simulated - 1)) / 10 : NAN;
}

static void add_row(const struct rows *rows, const char *parameter, const char *unit, double simulated,
                    double half_width, const double *predicted, const char *const *covered)
{
    const struct queue_judged *r = rows->report;
    result_table_add(rows->table, TEXT(r->line->stages[rows->stage].name), TEXT(parameter), TEXT(unit),
                     NUMBER(simulated), NUMBER(half_width));
    for (unsigned model = 0; model < r->count; model++) {
        if (rows->only != r->count && model != rows->only)
            continue;
        result_table_add(rows->table, NUMBER(predicted[model]), TEXT(covered ? covered[model] : "-"));
        if (rows->only != r->count)
            result_table_add(rows->table, NUMBER(percent_off(predicted[model], simulated)));
    }
}

static double equal_to(const double *p, double n)
{
    return p[(unsigned)n];
}

static double at_least(const double *p, double n)
{
    double rest = 1;
    for (unsigned i = 0; i < n; i++)
        rest -= p[i];
    return rest < 1e-12 ? 0 : rest;
}

/* The least n that a fraction of the time does not exceed; NaN if it is not known, or more than is counted. A model's
 * probability may fall on the fraction but for its rounding. */
static double quantile_of_numbers(const double *p, double q)
{
    unsigned n = 0;
    while (n + 1 < QUEUE_LINE_NUMBERS && at_least(p, n + 1) > 1 - q + 1e-9)
        n++;
    return isnan(p[n]) || n + 1 == QUEUE_LINE_NUMBERS ? NAN : (double)n;
}

/* What a function makes of the distributions. @param number  in the row's name, between its two parts */
static void add_of_numbers(const struct rows *rows, const char *begin, double number, const char *end,
                           const char *unit, double (*of)(const double *p, double x), double x)
{
    double predicted[QUEUE_THEORY_MODELS];
    char name[32];
    for (unsigned m = 0; m < rows->report->count; m++)
        predicted[m] = of(rows->report->models[m].answers[rows->stage].p, x);
    snprintf(name, sizeof name, "%s%.0f%s", begin, number, end);
    add_row(rows, name, unit, of(rows->report->result->number_p[rows->stage], x), NAN, predicted, NULL);
}

static void add_distribution(const struct rows *rows)
{
    static const double tails[] = {1, 2, 5, 10, 20, 50, 100}, *const q = queue_line_quantiles;
    const struct queue_judged *r = rows->report;
    double predicted[QUEUE_THEORY_MODELS];
    char name[32];
    for (unsigned k = 0; k < QUEUE_LINE_QUANTILES; k++)
        add_of_numbers(rows, "N_G_p", 100 * q[k], "", "customers", quantile_of_numbers, q[k]);
    for (unsigned k = 0; k < QUEUE_LINE_QUANTILES; k++) {
        for (unsigned m = 0; m < r->count; m++) /* the times of M/M/1 are exponential */
            predicted[m] = r->models[m].model == PIPELINE_MM1
                               ? -log1p(-q[k]) * r->models[m].answers[rows->stage].value[QUEUE_LINE_W]
                               : NAN;
        snprintf(name, sizeof name, "W_G_p%.0f", 100 * q[k]);
        add_row(rows, name, "s", r->result->stay_s[rows->stage][k], NAN, predicted, NULL);
    }
    const uint32_t places = r->line->stages[rows->stage].places;
    for (unsigned k = 0; k < sizeof tails / sizeof tails[0] && (places == 0 || tails[k] <= places); k++)
        add_of_numbers(rows, "P[N>=", tails[k], "]", "1", at_least, tails[k]);
    for (unsigned m = 0; m < r->count; m++) {
        predicted[m] = 0;
        for (unsigned n = 0; n < QUEUE_LINE_NUMBERS; n++)
            predicted[m] += fabs(rows->report->models[m].answers[rows->stage].p[n] -
                                 r->result->number_p[rows->stage][n]) /
                            2;
    }
    add_row(rows, "tv", "1", NAN, NAN, predicted, NULL);
    for (unsigned n = 0; rows->only == r->count && n <= 100; n++)
        add_of_numbers(rows, "P[N=", n, "]", "1", equal_to, n);
}

/* With classes there is one model. */
static void add_rows_of_classes(const struct rows *rows)
{
    const struct queue_judged *r = rows->report;
    for (unsigned k = 0; k < r->line->class_count; k++)
        for (unsigned i = 0; i < QUEUE_LINE_CLASS_QUANTITIES; i++) {
            const enum queue_line_quantity q = queue_line_class_quantities[i];
            const struct estimate *e = &r->result->of_class[k][q];
            const char *covered = covers_in_class(r, k, q);
            char name[40];
            snprintf(name, sizeof name, "%s_%u", queue_line_quantities[q].name, k + 1);
            add_row(rows, name, queue_line_quantities[q].unit, e->mean, e->half_width,
                    &r->of_class[k].value[q], &covered);
        }
}

static void add_rows(const struct queue_judged *r, bool is_text, struct result_table *table)
{
    for (unsigned stage = 0; stage < r->line->stage_count; stage++) {
        const struct rows rows = {r, table, stage, is_text ? best_of(r, stage) : r->count};
        const bool is_brief = is_text && r->line->stage_count > 1;
        for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++) {
            const struct estimate *e = &r->result->stage[stage][q];
            double predicted[QUEUE_THEORY_MODELS];
            const char *covered[QUEUE_THEORY_MODELS];
            if (is_brief && q == (r->line->overflow == OVERFLOW_LOSS ? QUEUE_LINE_BLOCKING : QUEUE_LINE_LOSS))
                continue;
            for (unsigned m = 0; m < r->count; m++) {
                predicted[m] = r->models[m].answers[stage].value[q];
                covered[m] = queue_report_covers_at(predicted[m], r->result, stage, q);
            }
            add_row(&rows, queue_line_quantities[q].name, queue_line_quantities[q].unit, e->mean,
                    e->half_width, predicted, covered);
        }
        add_rows_of_classes(&rows);
        if (!is_brief)
            add_distribution(&rows);
    }
}

struct result_table *queue_report_make(const struct queue_judged *judged, enum result_format format)
{
    const bool is_text = format == RESULT_TEXT;
    /* the table has them until it is written: one at a time */
    static const char *columns[COLUMNS] = {"stage", "parameter", "unit", "simulated"};
    static char covers_names[QUEUE_THEORY_MODELS][NAME_MAX_BYTES];
    for (unsigned m = 0; m < judged->count; m++) {
        snprintf(covers_names[m], sizeof covers_names[m], "%s_covers", judged->models[m].name);
        columns[OWN_COLUMNS + 2 * m] = is_text ? "predicted" : judged->models[m].name;
        columns[OWN_COLUMNS + 2 * m + 1] = is_text ? "in" : covers_names[m];
    }
    columns[OWN_COLUMNS + 2 * (is_text ? 1 : judged->count)] = "error%";
    columns[OWN_COLUMNS - 1] = is_text ? "+-" : "half_width";
    struct result_table *table =
        result_table_new_styled(columns, OWN_COLUMNS + (is_text ? 3 : 2 * judged->count),
                                &(struct result_style){.schema = LINE_SUMMARY_SCHEMA, .facts_last = true});
    add_facts(judged, table);
    add_rows(judged, is_text, table);
    add_notes(judged, is_text, table);
    return table;
}

/* --- a closed network ------------------------------------------------------------------------------------ */

enum { NETWORK_COLUMNS = 8 };

struct closed_report {
    const struct queue_network *network;
    const struct queue_network_result *result;
    struct closed_theory theory;
    struct result_table *table;
    struct tally tally;
    double widest; /* of the rows so far */
    char widest_row[2 * QUEUE_NETWORK_NAME_BYTES + 40];
};

static void add_centre(struct closed_report *r, const struct queue_line_stage *c)
{
    const struct duration *service = &c->service;
    char name[QUEUE_NETWORK_NAME_BYTES + 16], text[400], servers[64] = "one for each customer",
                                                         law[DURATION_TEXT_BYTES];
    if (c->speeds)
        snprintf(servers, sizeof servers, "%g to %g times that by load", c->speeds[0],
                 c->speeds[c->speed_count - 1]);
    else if (c->servers > 0)
        snprintf(servers, sizeof servers, "%u server%s", c->servers, c->servers > 1 ? "s" : "");
    snprintf(text, sizeof text, "mu %.9g/s, %s, %s", c->mu_per_s, duration_text(service, law), servers);
    const struct result_member members[] = {
        {"mu_per_s", NUMBER(c->mu_per_s)},
        {"service", TEXT(duration_name(service))},
        {"service_scv", NUMBER(duration_scv(service))},
        {"long_fraction", NUMBER(of_mixture(service, service->long_fraction))},
        {"long_ratio", NUMBER(of_mixture(service, service->long_ratio))},
        {"servers", NUMBER(!c->speeds && c->servers > 0 ? c->servers : NAN)},
        {"speed_of_one", NUMBER(c->speeds ? c->speeds[0] : NAN)},
        {"speed_of_many", NUMBER(c->speeds ? c->speeds[c->speed_count - 1] : NAN)},
    };
    snprintf(name, sizeof name, "centre_%s", c->name);
    result_table_add_object(r->table, name, text, members, sizeof members / sizeof members[0]);
}

static void add_class(struct closed_report *r, const struct queue_network_class *class)
{
    const struct queue_network *n = r->network;
    char name[QUEUE_NETWORK_NAME_BYTES + 16];
    char visits[QUEUE_NETWORK_CENTRES_MAX][QUEUE_NETWORK_NAME_BYTES + 16];
    struct result_member members[QUEUE_NETWORK_CENTRES_MAX + 1] = {{"population", NUMBER(class->population)}};
    size_t count = 1;
    struct why text = {""};
    why_append(&text, "population %u, visits", class->population);
    for (unsigned i = 0; i < n->centre_count; i++) {
        if (!(class->visits[i] > 0))
            continue;
        why_append(&text, " %s %.9g", n->centres[i].name, class->visits[i]);
        snprintf(visits[i], sizeof visits[i], "visits_%s", n->centres[i].name);
        members[count++] = (struct result_member){visits[i], NUMBER(class->visits[i])};
    }
    snprintf(name, sizeof name, "class_%s", class->name);
    result_table_add_object(r->table, name, text.line, members, count);
}

/* @param visits  customers that were served at the centre */
static void add_network_row(struct closed_report *r, const char *centre, double visits, const char *class,
                            enum queue_line_quantity quantity, const struct estimate *e, double prediction)
{
    const char *parameter = queue_line_quantities[quantity].name;
    if (isnan(e->mean)) /* a class that does not come here, a queue that does not exist */
        return;
    const char *covered =
        covers(prediction, e, quantity == QUEUE_LINE_UTILISATION || quantity == QUEUE_LINE_N_Q ? visits : 0);
    result_table_add(r->table, TEXT(centre), TEXT(class), TEXT(parameter),
                     TEXT(queue_line_quantities[quantity].unit), NUMBER(e->mean), NUMBER(e->half_width),
                     NUMBER(prediction), TEXT(covered));
    count_in(&r->tally, covered);
    if (queue_network_width(e) > r->widest) {
        r->widest = queue_network_width(e);
        snprintf(r->widest_row, sizeof r->widest_row, "%s, %s %s", parameter, centre, class);
    }
}

static void add_rows_of_centre(struct closed_report *r, unsigned i)
{
    const struct queue_network *n = r->network;
    const struct estimate *of = r->result->centre[i];
    const double visits = r->result->measured_s * of[QUEUE_LINE_N].mean / of[QUEUE_LINE_W].mean;
    const char *centre = n->centres[i].name, *last = "";
    unsigned classes = 0;
    for (unsigned k = 0; k < n->class_count; k++)
        if (n->classes[k].visits[i] > 0) {
            last = n->classes[k].name;
            classes++;
        }
    for (unsigned k = 0; k < QUEUE_NETWORK_QUANTITIES; k++) {
        const enum queue_line_quantity q = queue_network_quantities[k];
        add_network_row(r, centre, visits, classes > 1 ? "all" : last, q, &of[q], r->theory.centre[i][q]);
    }
    for (unsigned k = 0; classes > 1 && k < n->class_count; k++) {
        if (n->classes[k].visits[i] == 0)
            continue;
        add_network_row(r, centre, visits, n->classes[k].name, QUEUE_LINE_N, &r->result->number[i][k],
                        r->theory.classes.n[i][k]);
        add_network_row(r, centre, visits, n->classes[k].name, QUEUE_LINE_W, &r->result->time_s[i][k],
                        r->theory.classes.w_s[i][k]);
    }
}

/* The customers of all classes that visit a centre. */
static unsigned customers_of(const struct queue_network *n, unsigned centre)
{
    unsigned customers = 0;
    for (unsigned k = 0; k < n->class_count; k++)
        customers += n->classes[k].visits[centre] > 0 ? n->classes[k].population : 0;
    return customers;
}

/* Marginal probabilities, which Figure 4.8 of Leonards has. */
static void add_numbers(struct closed_report *r, unsigned i)
{
    const unsigned most = customers_of(r->network, i);
    for (unsigned k = 0; k <= most && k <= 100; k++) {
        char name[32];
        snprintf(name, sizeof name, "P[N=%u]", k);
        result_table_add(r->table, TEXT(r->network->centres[i].name), TEXT("all"), TEXT(name), TEXT("1"),
                         NUMBER(r->result->number_p[i][k]), NUMBER(NAN), NUMBER(r->theory.p[i][k]),
                         TEXT("-"));
    }
}

static void draw_centres(const void *data, struct svg *svg)
{
    const struct closed_report *r = data;
    const unsigned count = r->network->centre_count;
    const unsigned rows = (count + 1) / 2;
    svg_begin(svg, FIGURE_WIDTH, rows * (double)LINE_PAGE_SHARES_HEIGHT,
              "How often each centre held how many customers, simulated and by mean value analysis");
    for (unsigned i = 0; i < count; i++) {
        const unsigned customers = customers_of(r->network, i);
        const struct line_shares shares = {.name = r->network->centres[i].name,
                                           .what = "customers at the centre",
                                           .simulated = r->result->number_p[i],
                                           .count = customers < QUEUE_LINE_NUMBERS ? customers + 1
                                                                                   : QUEUE_LINE_NUMBERS,
                                           .model_count = isnan(r->theory.p[i][0]) ? 0 : 1,
                                           .models = {r->theory.model},
                                           .p = {r->theory.p[i]}};
        const unsigned row = i / 2;
        line_page_draw_shares(svg, &shares, i % 2 * FIGURE_WIDTH / 2, row * (double)LINE_PAGE_SHARES_HEIGHT);
    }
    svg_end(svg);
}

static void note_network_model(struct closed_report *r)
{
    const struct closed_theory *t = &r->theory;
    if (t->why_not) {
        result_table_note(r->table, "%s has no prediction: %s", t->model, t->why_not);
        return;
    }
    result_table_note(r->table, "%s is %s: the 95%% intervals cover %u of %u predictions", t->model,
                      closed_theory_is_exact(t) ? "exact" : "an approximation", r->tally.covered,
                      r->tally.predictions);
    if (r->result->batch_relaxations >= QUEUE_LINE_RELAXATIONS && r->result->correlated == 0)
        result_table_note(r->table,
                          "(simulated +- half_width holds the true mean in 95 of 100 simulations; covers: "
                          "whether it holds the prediction, which 1 in 20 of an exact model misses, too)");
    if (t->is_large)
        result_table_note(r->table, "%.3g populations of the classes are too many for an exact solution",
                          t->states);
    if (t->is_large && t->seidmann)
        result_table_note(r->table, "several servers of a centre are approximated by a fast one and a delay");
    if (t->assumption >= 0)
        result_table_note(r->table,
                          "%s takes services to be exponential where customers wait; those of '%s' are not",
                          t->model, r->network->centres[t->assumption].name);
}

int closed_report_save(const struct queue_network *n, const struct queue_network_result *result,
                       const char *name, enum result_format format, const char *path, const char *plot,
                       struct why *why)
{
    struct closed_report r = {.network = n, .result = result};
    closed_theory_predict(n, &r.theory);
    if (plot && picture_save(draw_centres, &r, name, plot, why) != 0)
        return COMMAND_REFUSED;
    const char *columns[NETWORK_COLUMNS] = {"centre",    "class",      "parameter",    "unit",
                                            "simulated", "half_width", r.theory.model, "covers"};
    r.table = result_table_new_styled(
        columns, NETWORK_COLUMNS, &(struct result_style){.schema = "mercury-closed-2", .facts_last = true});
    for (unsigned i = 0; i < n->centre_count; i++)
        add_centre(&r, &n->centres[i]);
    for (unsigned k = 0; k < n->class_count; k++)
        add_class(&r, &n->classes[k]);
    result_table_add_fact(r.table, "seed", NUMBER((double)n->run.seed));
    result_table_add_fact(r.table, "services", NUMBER((double)result->services));
    result_table_add_fact(r.table, "warm_up_s", NUMBER(result->warm_up_s));
    result_table_add_fact(r.table, "measured_s", NUMBER(result->measured_s));
    result_table_add_fact(r.table, "batches", NUMBER(n->run.batches));
    for (unsigned k = 0; k < n->class_count; k++)
        add_network_row(&r, "-", 0, n->classes[k].name, QUEUE_LINE_THROUGHPUT, &result->throughput[k],
                        r.theory.classes.x_per_s[k]);
    for (unsigned i = 0; i < n->centre_count; i++)
        add_rows_of_centre(&r, i);
    for (unsigned i = 0; i < n->centre_count && format != RESULT_TEXT; i++)
        add_numbers(&r, i);
    note_network_model(&r);
    if (r.widest > 0)
        note_widest(r.table, r.widest_row, r.widest, n->run.until_width, (double)result->services,
                    "services");
    note_short(r.table, result->batch_relaxations, n->run.batches, "the network", "", "", result->services);
    if (result->correlated > 0)
        result_table_note(
            r.table,
            "neighbouring batches resemble each other in %u estimates: their intervals may be too "
            "narrow; use more --customers or fewer --batches",
            result->correlated);
    return result_table_save(r.table, format, path, why);
}
