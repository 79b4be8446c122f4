#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/json_number.h"
#include "model/sums/operations_forecast.h"

/* --- the numbers ----------------------------------------------------------------------------------------- */

/* What a number's unit is. */
enum unit { NO_UNIT, OPERATIONS, OPERATIONS_SQUARED, SERVER_TIME, SERVER_TIME_SQUARED, PASSES };

static const char *unit_name(enum unit unit, const struct server_forecast *s)
{
    static const char *const squares[] = {"clocks^2", "us^2", "s^2"};
    const char *const *square = squares;
    while (strncmp(*square, s->counted->unit, strlen(s->counted->unit)) != 0)
        square++;
    return unit == NO_UNIT              ? "1"
           : unit == OPERATIONS_SQUARED ? "operations^2"
           : unit == OPERATIONS         ? "operations"
           : unit == PASSES             ? "passes"
           : unit == SERVER_TIME        ? s->counted->unit
                                        : *square;
}

/* A number of a server, or of a type of operation: a row of TSV, a member of JSON, and a line or column of a text. */
struct quantity {
    const char *name;
    const char *title; /* in a text; NULL: not there */
    enum unit unit;
    size_t offset;
    enum {
        PLAIN,
        ROOT = 1,
        SPREAD = 2,
        OTHER = 4
    } of; /* ROOT: the number is a variance, and its root is reported */
};

#include "model/operation_quantities.inc"

#define QUANTITY(unit, member, of, name, title)                                                              \
    {                                                                                                        \
        name, title, unit, offsetof(struct server_forecast, member), of                                      \
    }

/* The rows of data/words/operation_quantities.tsv. */
static const struct quantity quantities[] = {OPERATION_QUANTITY_ROWS(QUANTITY)};

/* Numbers of each type of operation are arrays. */
static const struct quantity type_quantities[] = {OPERATION_TYPE_ROWS(QUANTITY)};

enum {
    QUANTITIES = sizeof quantities / sizeof quantities[0],
    TYPE_QUANTITIES = sizeof type_quantities / sizeof type_quantities[0]
};

/* @param type  of an array; 0: of what is no array */
static double value_of(const struct quantity *q, const struct server_forecast *s, size_t type)
{
    double value = ((const double *)(const void *)((const char *)s + q->offset))[type];
    return q->of & ROOT ? sqrt(value) : value;
}

static bool has_other(const struct operations_forecast *f)
{
    return f->counts != f->durations;
}

static double residual_of(const struct server_forecast *s, size_t pass)
{
    return isnan(s->by_counts.pass) ? NAN
                                    : s->counted->measured[pass] - operations_forecast_by_counts(s, pass);
}

static double eps_of(const struct server_forecast *s, size_t pass)
{
    return isnan(s->by_number.pass) ? NAN
                                    : s->counted->measured[pass] - operations_forecast_by_number(s, pass);
}

/* --- sentences ------------------------------------------------------------------------------------------- */

enum { SENTENCE_COLUMNS = 76 };

/* Add a sentence as notes of at most SENTENCE_COLUMNS columns; the first begins with a dash. */
static void __attribute__((format(printf, 2, 3))) tell(struct result_table *table, const char *format, ...)
{
    char text[768];
    const char *lead = "- ", *sentence = text;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    while (*sentence) {
        size_t length = strlen(sentence);
        if (length > SENTENCE_COLUMNS) {
            length = SENTENCE_COLUMNS;
            while (length > 1 && sentence[length] != ' ')
                length--;
        }
        result_table_note(table, "%s%.*s", lead, (int)length, sentence);
        sentence += length + (sentence[length] == ' ');
        lead = "  ";
    }
}

static bool is_program(const struct operations_forecast *f)
{
    return f->counts->names != NULL;
}

static const char *passes_of(const struct operations_forecast *f)
{
    return is_program(f) ? "runs" : "passes";
}

static double percent_off(double variance, double of)
{
    return 100 * (sqrt(variance / of) - 1);
}

static void tell_independence(const struct operations_forecast *f, const struct server_forecast *s,
                              struct result_table *table)
{
    char cause[160] = "", measured[64] = "";
    size_t most = s->types; /* of two types with the same design effect the second is taken */
    for (size_t i = 0; i < s->types; i++)
        if (s->design_effect[i] > 0 &&
            (most == s->types || s->design_effect[i] > s->design_effect[most] * (1 - 1e-9)))
            most = i;
    if (!s->independence_is_violated || isnan(s->operation.mean))
        return;
    if (most < s->types)
        snprintf(cause, sizeof cause, ": p of %s varies from %s (design effect %.4g)", s->counted->type[most],
                 is_program(f) ? "run to run" : "pass to pass", s->design_effect[most]);
    if (s->measured.variance > 0)
        snprintf(measured, sizeof measured, " and %.3g%% off what was measured",
                 percent_off(s->variance_independent, s->measured.variance));
    tell(table,
         "%s: independence is violated%s, and the correlation of N and X is %.2g. The deviation by (5.3) is "
         "%.3g%% off that of total variance%s.",
         s->counted->name, cause, s->correlation, percent_off(s->variance_independent, s->variance_total),
         measured);
}

static void tell_tail(const struct server_forecast *s, struct result_table *table)
{
    if (s->tail_verdict != TAIL_HEAVY && s->tail_verdict != TAIL_DOUBTFUL)
        return;
    tell(
        table,
        s->tail_verdict == TAIL_HEAVY
            ? "%s: the tail index of T is %.3g (95%%: %.3g to %.3g; %zu longest passes), below 2: variances, "
              "and with them (5.3) and intervals, mean nothing (marked !)."
            : "%s: the tail index of T, %.3g (95%%: %.3g to %.3g; %zu longest passes), may be below 2: "
              "variances are in doubt.",
        s->counted->name, s->tail.index, s->tail.low, s->tail.high, s->tail.largest);
}

static void tell_missing(const struct operations_forecast *f, struct result_table *table)
{
    if (f->counts->servers > OPERATIONS_CORES && isnan(f->server[OPERATIONS_CORES].duration[0]))
        tell(table, "cores: durations are not known without the run.json of this run beside its "
                    "summary.json.");
    for (size_t s = 0; s < f->counts->servers && has_other(f); s++)
        if (isnan(f->server[s].measured.mean))
            tell(table,
                 is_program(f) ? "%s: the runs have no seconds, so nothing is measured."
                               : "%s: durations differ between both machines, so nothing is measured.",
                 f->server[s].counted->name);
}

/* Which runs of a program have the shares of all. */
static void tell_representatives(const struct operations_forecast *f, const struct server_forecast *s,
                                 struct result_table *table)
{
    struct why names = {""};
    if (!is_program(f) || s->types < 2 || s->represented_by == 0)
        return;
    for (size_t k = 0; k < s->represented_by; k++)
        why_append(&names, "%s%s", k ? ", " : "", f->counts->names[s->representatives[k]]);
    tell(table,
         "the domain is represented by %zu of %zu runs (%s): %.2g%% of their operations would have to be of "
         "other types to have the shares of all%s.",
         s->represented_by, f->counts->passes, names.line, 100 * s->representatives_distance,
         s->representatives_distance > OPERATIONS_ACCURACY ? ", and no further run brings them nearer" : "");
}

static void add_verdicts(const struct operations_forecast *f, struct result_table *table)
{
    bool none = true;
    for (size_t s = 0; s < f->counts->servers; s++) {
        tell_independence(f, &f->server[s], table);
        const struct operation_server *server = f->server[s].counted;
        if (f->server[s].measured_excess > 1e-6 &&
            server->held_by) /* smaller ones are of the digits of summary.json */
            tell(
                table,
                "%s: the measured time is %.3g%% above E T: it includes the time for which %s holds the server.",
                server->name, 100 * f->server[s].measured_excess, server->held_by);
        tell_tail(&f->server[s], table);
        if (!isnan(f->server[s].t2))
            tell(
                table,
                f->server[s].t2 > f->server[s].t2_limit
                    ? "%s: the given shares are not those of these counts (T^2 %.4g, 95%% limit %.4g); (5.2) with "
                      "them is %+.3g%% off Wald's E T."
                    : "%s: the given shares may be those of these counts (T^2 %.4g, 95%% limit %.4g); (5.2) with "
                      "them is %+.3g%% off Wald's E T.",
                server->name, f->server[s].t2, f->server[s].t2_limit,
                100 * (f->server[s].expected_given / f->server[s].expected - 1));
        tell_representatives(f, &f->server[s], table);
        none = none && isnan(f->server[s].tail.index);
    }
    if (none) /* passes are few, so that their times seldom have an index */
        tell(table,
             f->counts->passes < TAIL_VALUES_LEAST
                 ? "tail index of T: no power law seen; %zu %s are too few, %d may show one."
                 : "tail index of T: no power law seen in %zu %s.",
             f->counts->passes, passes_of(f), TAIL_VALUES_LEAST);
    for (size_t i = 0; i < f->counts->tails; i++) {
        const struct tail_estimate tail = f->counts->tail[i].tail;
        if (tail.index < TAIL_INDEX_OF_VARIANCE)
            tell(
                table,
                "latency %s: its tail index is %.3g (95%%: %.3g to %.3g), below 2: its variance means nothing.",
                f->counts->tail[i].name, tail.index, tail.low, tail.high);
    }
    tell_missing(f, table);
}

/* --- text ------------------------------------------------------------------------------------------------ */

static struct result_table *new_part(const char *title, const char *const *columns, const int *widths,
                                     unsigned count, const char *number)
{
    return result_table_new_styled(
        columns, count, &(struct result_style){.title = title, .widths = widths, .text_number = number});
}

static void write_counts_text(const struct operations_forecast *f, FILE *out)
{
    static const char *const columns[] = {"server", "operation", "K mean", "K sd", "tau", "unit"};
    static const int widths[] = {-6, -14, 14, 13, 13, -6};
    struct result_table *table =
        new_part(is_program(f) ? "counts per run, and durations" : "counts per pass, and durations", columns,
                 widths, 6, "%.8g");
    for (size_t i = 0; i < f->counts->servers; i++) {
        const struct server_forecast *s = &f->server[i];
        for (size_t k = 0; k < s->types; k++)
            result_table_add(table, TEXT(k == 0 ? s->counted->name : ""), TEXT(s->counted->type[k]),
                             NUMBER(s->count_mean[k]), NUMBER(sqrt(s->count_variance[k])),
                             NUMBER(s->duration[k]), TEXT(s->counted->unit));
    }
    result_table_end(table, RESULT_TEXT, out);
}

/* A server with one type of operation has nothing to share. */
static void write_shares_text(const struct operations_forecast *f, FILE *out)
{
    const char *const columns[] = {
        "server", "operation", "p",      "indep. +-", is_program(f) ? "runs +-" : "passes +-",
        "design", "for 1%",    "p given"};
    static const int widths[] = {-6, -14, 10, 10, 10, 7, 10, 10};
    struct result_table *table =
        new_part(is_program(f) ? "shares, 95% intervals, design effect, and runs for an interval of 1%"
                               : "shares, 95% intervals, design effect, and passes for an interval of 1%",
                 columns, widths, has_other(f) ? 8 : 7, NULL);
    for (size_t i = 0; i < f->counts->servers; i++) {
        const struct server_forecast *s = &f->server[i];
        for (size_t k = 0; k < s->types && s->types > 1; k++) {
            result_table_add(table, TEXT(k == 0 ? s->counted->name : ""), TEXT(s->counted->type[k]),
                             NUMBER(s->share[k]), NUMBER(s->independent_half_width[k]),
                             NUMBER(s->pass_half_width[k]), NUMBER(s->design_effect[k]),
                             NUMBER(ceil(s->passes_needed[k])));
            if (has_other(f))
                result_table_add(table, NUMBER(s->given_share[k]));
        }
    }
    result_table_end(table, RESULT_TEXT, out);
}

static void write_times_text(const struct operations_forecast *f, FILE *out)
{
    const char *columns[1 + OPERATION_SERVERS] = {is_program(f) ? "time of a run" : "time of a pass"};
    static const int widths[] = {-21, 13, 13, 13, 13};
    for (size_t s = 0; s < f->counts->servers; s++)
        columns[1 + s] = f->server[s].counted->name;
    struct result_table *table = new_part("", columns, widths, 1 + (unsigned)f->counts->servers, "%.7g");
    result_table_add(table, TEXT("unit"));
    for (size_t s = 0; s < f->counts->servers; s++)
        result_table_add(table, TEXT(f->server[s].counted->unit));
    for (int i = 0; i < QUANTITIES; i++) {
        const struct quantity *q = &quantities[i];
        if (!q->title || ((q->of & OTHER) && !has_other(f)))
            continue;
        result_table_add(table, TEXT(q->title));
        for (size_t s = 0; s < f->counts->servers; s++) {
            struct result_cell cell = NUMBER(value_of(q, &f->server[s], 0));
            cell.mark = (q->of & SPREAD) && f->server[s].tail_verdict == TAIL_HEAVY ? '!' : 0;
            result_table_add_cells(table, &cell, 1);
        }
    }
    add_verdicts(f, table);
    fputc('\n', out);
    result_table_end(table, RESULT_TEXT, out);
}

static void write_tails_text(const struct operations_forecast *f, FILE *out)
{
    static const char *const columns[] = {"latency", "elements", "largest k", "index", "from", "to"};
    static const int widths[] = {-18, 10, 10, 8, 8, 8};
    struct result_table *table =
        new_part("tail indices of the run's latencies, with 95% intervals (-: no power law seen)", columns,
                 widths, 6, NULL);
    for (size_t i = 0; i < f->counts->tails; i++) {
        const struct operation_tail *t = &f->counts->tail[i];
        result_table_add(table, TEXT(t->name), NUMBER(t->elements),
                         NUMBER(t->tail.largest > 0 ? (double)t->tail.largest : NAN), NUMBER(t->tail.index),
                         NUMBER(t->tail.low), NUMBER(t->tail.high));
    }
    result_table_end(table, RESULT_TEXT, out);
}

static struct result_cell name_of_pass(const struct operations_forecast *f, size_t pass)
{
    return is_program(f) ? TEXT(f->counts->names[pass]) : NUMBER((double)pass + 1);
}

static void write_passes_text(const struct operations_forecast *f, FILE *out)
{
    const bool program = is_program(f);
    const char *const columns[] = {program ? "run" : "pass",
                                   program ? "off p" : "server",
                                   "N",
                                   "sum K tau",
                                   "measured",
                                   "residual",
                                   "eps (5.2)"};
    static const int widths[] = {4, -6, 11, 13, 13, 11, 11};
    struct result_table *table = new_part(passes_of(f), columns, widths, 7, "%.7g");
    for (size_t j = 0; j < f->counts->passes; j++)
        for (size_t i = 0; i < f->counts->servers; i++) {
            const struct server_forecast *s = &f->server[i];
            char distance[16];
            snprintf(distance, sizeof distance, "%.2g%%", 100 * operations_forecast_distance(s, j));
            result_table_add(table, name_of_pass(f, j), TEXT(program ? distance : s->counted->name),
                             NUMBER(operations_forecast_number(s, j)),
                             NUMBER(operations_forecast_by_counts(s, j)), NUMBER(s->counted->measured[j]),
                             NUMBER(residual_of(s, j)), NUMBER(eps_of(s, j)));
        }
    result_table_end(table, RESULT_TEXT, out);
}

static void write_text(const struct operations_forecast *f, bool passes, FILE *out)
{
    fprintf(out, "counts     %s\n           %zu %s", f->counts->file, f->counts->passes, passes_of(f));
    if (!is_program(f))
        fprintf(out, " of %.8g clocks on average (sd %.7g)", f->clocks.mean, sqrt(f->clocks.variance));
    fputc('\n', out);
    fprintf(out, "durations  %s\n", f->durations->file);
    write_counts_text(f, out);
    write_shares_text(f, out);
    if (f->counts->tails > 0)
        write_tails_text(f, out);
    if (passes)
        write_passes_text(f, out);
    write_times_text(f, out);
    fputc('\n', out);
}

/* --- TSV ------------------------------------------------------------------------------------------------- */

static void add_line(struct result_table *table, const char *server, const char *operation,
                     struct result_cell pass, const char *quantity, const char *unit, double value)
{
    result_table_add(table, TEXT(server), operation ? TEXT(operation) : NUMBER(NAN), pass, TEXT(quantity),
                     TEXT(unit), NUMBER(value));
}

static void add_server_lines(const struct operations_forecast *f, const struct server_forecast *s,
                             struct result_table *table)
{
    const char *name = s->counted->name;
    for (size_t k = 0; k < s->types; k++)
        for (int i = 0; i < TYPE_QUANTITIES; i++)
            add_line(table, name, s->counted->type[k], NUMBER(NAN), type_quantities[i].name,
                     unit_name(type_quantities[i].unit, s), value_of(&type_quantities[i], s, k));
    for (int i = 0; i < QUANTITIES; i++)
        add_line(table, name, NULL, NUMBER(NAN), quantities[i].name, unit_name(quantities[i].unit, s),
                 value_of(&quantities[i], s, 0));
    add_line(table, name, NULL, NUMBER(NAN), "independence_is_violated", "1", s->independence_is_violated);
    for (size_t j = 0; j < f->counts->passes; j++) {
        add_line(table, name, NULL, name_of_pass(f, j), "measured", s->counted->unit,
                 s->counted->measured[j]);
        add_line(table, name, NULL, name_of_pass(f, j), "residual", s->counted->unit, residual_of(s, j));
        add_line(table, name, NULL, name_of_pass(f, j), "eps", s->counted->unit, eps_of(s, j));
        add_line(table, name, NULL, name_of_pass(f, j), "distance", "1", operations_forecast_distance(s, j));
    }
    for (size_t k = 0; k < s->represented_by; k++)
        add_line(table, name, NULL, name_of_pass(f, s->representatives[k]), "representative", "1",
                 (double)k + 1);
}

static void write_tsv(const struct operations_forecast *f, FILE *out)
{
    static const char *const columns[] = {"server", "operation", "pass", "quantity", "unit", "value"};
    struct result_table *table =
        result_table_new_styled(columns, 6, &(struct result_style){.tsv_number = RESULT_EXACT});
    result_table_add_fact(table, "counts of", TEXT(f->counts->file));
    result_table_add_fact(table, "durations of", TEXT(f->durations->file));
    add_verdicts(f, table);
    for (size_t s = 0; s < f->counts->servers; s++)
        add_server_lines(f, &f->server[s], table);
    for (size_t i = 0; i < f->counts->tails; i++)
        add_line(table, f->counts->tail[i].name, NULL, NUMBER(NAN), "latency_tail_index", "1",
                 f->counts->tail[i].tail.index);
    result_table_end(table, RESULT_TSV, out);
}

/* --- JSON ------------------------------------------------------------------------------------------------ */

static json_t *json_server(const struct operations_forecast *f, const struct server_forecast *s)
{
    json_t *types = json_array(), *passes = json_array(), *representatives = json_array();
    for (size_t k = 0; k < s->types; k++) {
        json_t *type = json_pack("{s:s}", "operation", s->counted->type[k]);
        for (int i = 0; i < TYPE_QUANTITIES; i++)
            json_object_set_new(type, type_quantities[i].name,
                                json_number(value_of(&type_quantities[i], s, k)));
        json_array_append_new(types, type);
    }
    for (size_t j = 0; j < f->counts->passes; j++)
        json_array_append_new(passes,
                              json_pack("{s:o, s:o, s:o, s:o, s:o}", "name",
                                        is_program(f) ? json_string(f->counts->names[j]) : json_null(),
                                        "distance", json_number(operations_forecast_distance(s, j)),
                                        "measured", json_number(s->counted->measured[j]), "residual",
                                        json_number(residual_of(s, j)), "eps", json_number(eps_of(s, j))));
    json_t *server = json_pack("{s:s, s:s, s:o}", "server", s->counted->name, "unit", s->counted->unit,
                               "operations", types);
    for (int i = 0; i < QUANTITIES; i++)
        json_object_set_new(server, quantities[i].name, json_number(value_of(&quantities[i], s, 0)));
    json_object_set_new(server, "tail_largest", json_integer((json_int_t)s->tail.largest));
    json_object_set_new(server, "tail", json_string(tail_verdict_name(s->tail_verdict)));
    json_object_set_new(server, "independence_is_violated", json_boolean(s->independence_is_violated));
    for (size_t k = 0; k < s->represented_by; k++)
        json_array_append_new(representatives, json_integer((json_int_t)s->representatives[k] + 1));
    json_object_set_new(server, "representatives", representatives);
    json_object_set_new(server, "passes", passes);
    return server;
}

static void write_json(const struct operations_forecast *f, FILE *out)
{
    json_t *servers = json_array(), *tails = json_object();
    for (size_t s = 0; s < f->counts->servers; s++)
        json_array_append_new(servers, json_server(f, &f->server[s]));
    for (size_t i = 0; i < f->counts->tails; i++)
        json_object_set_new(tails, f->counts->tail[i].name, json_number(f->counts->tail[i].tail.index));
    json_t *root = json_pack("{s:s, s:s, s:s, s:I, s:o, s:o}", "schema", "mercury-operations-1", "counts_of",
                             f->counts->file, "durations_of", f->durations->file, "passes",
                             (json_int_t)f->counts->passes, "servers", servers, "latency_tail_index", tails);
    json_write(root, 15, out);
}

void operations_write(const struct operations_forecast *f, bool passes, enum result_format format, FILE *out)
{
    if (format == RESULT_JSON)
        write_json(f, out);
    else if (format == RESULT_TSV)
        write_tsv(f, out);
    else
        write_text(f, passes, out);
}
