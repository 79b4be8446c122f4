#include <math.h>
#include <string.h>

#include "base/json_number.h"
#include "model/sums/operations_forecast.h"

/* --- the numbers ----------------------------------------------------------------------------------------- */

/* What a number's unit is. */
enum unit { NO_UNIT, OPERATIONS, OPERATIONS_SQUARED, SERVER_TIME, SERVER_TIME_SQUARED, PASSES };

static const char *unit_name(enum unit unit, const struct server_forecast *s)
{
    bool clocks = strcmp(s->counted->unit, "clocks") == 0;
    return unit == NO_UNIT              ? "1"
           : unit == OPERATIONS_SQUARED ? "operations^2"
           : unit == OPERATIONS         ? "operations"
           : unit == PASSES             ? "passes"
           : unit == SERVER_TIME        ? s->counted->unit
           : clocks                     ? "clocks^2"
                                        : "us^2";
}

struct quantity {
    const char *name;
    const char *title; /* in a text; NULL: not there */
    enum unit unit;
    double (*of)(const struct server_forecast *s);
    bool is_variance; /* means nothing if the tail is heavy */
    bool of_other;    /* of the counts of one comparison and the durations of another only */
};

#define NUMBER_OF(name, expression)                                                                          \
    static double name(const struct server_forecast *s)                                                      \
    {                                                                                                        \
        return (expression);                                                                                 \
    }

NUMBER_OF(number_mean, s->number.mean)
NUMBER_OF(number_variance, s->number.variance)
NUMBER_OF(operation_mean, s->operation.mean)
NUMBER_OF(operation_variance, s->operation.variance)
NUMBER_OF(expected, s->expected)
NUMBER_OF(expected_given, s->expected_given)
NUMBER_OF(measured_mean, s->measured.mean)
NUMBER_OF(measured_excess, s->measured.mean / s->expected - 1)
NUMBER_OF(deviation_independent, sqrt(s->variance_independent))
NUMBER_OF(deviation_total, sqrt(s->variance_total))
NUMBER_OF(measured_deviation, sqrt(s->measured.variance))
NUMBER_OF(residual_mean, s->by_counts.mean)
NUMBER_OF(residual_deviation, s->by_counts.deviation)
NUMBER_OF(residual_largest, s->by_counts.largest)
NUMBER_OF(residual_pass, s->by_counts.pass > 0 ? (double)s->by_counts.pass : NAN)
NUMBER_OF(eps_mean, s->by_number.mean)
NUMBER_OF(eps_deviation, s->by_number.deviation)
NUMBER_OF(eps_largest, s->by_number.largest)
NUMBER_OF(eps_pass, s->by_number.pass > 0 ? (double)s->by_number.pass : NAN)
NUMBER_OF(correlation, s->correlation)
NUMBER_OF(heterogeneity, s->heterogeneity / s->freedom)
NUMBER_OF(tail_index_of, s->tail.index)
NUMBER_OF(tail_low, s->tail.low)
NUMBER_OF(tail_high, s->tail.high)
NUMBER_OF(largest_share, s->largest_share)
NUMBER_OF(t2, s->t2)
NUMBER_OF(t2_limit, s->t2_limit)

static const struct quantity quantities[] = {
    {"number_mean", "E N", OPERATIONS, number_mean, false, false},
    {"number_variance", "D N", OPERATIONS_SQUARED, number_variance, true, false},
    {"operation_mean", "E X", SERVER_TIME, operation_mean, false, false},
    {"operation_variance", "D X", SERVER_TIME_SQUARED, operation_variance, false, false},
    {"expected", "E T by Wald (4.2.5)", SERVER_TIME, expected, false, false},
    {"expected_given", "E T, p given (5.2)", SERVER_TIME, expected_given, false, true},
    {"measured_mean", "T measured, mean", SERVER_TIME, measured_mean, false, false},
    {"measured_excess", "measured / E T - 1", NO_UNIT, measured_excess, false, false},
    {"deviation_independent", "sd of T by (5.3)", SERVER_TIME, deviation_independent, true, false},
    {"deviation_total", "sd, total variance", SERVER_TIME, deviation_total, true, false},
    {"measured_deviation", "sd, measured", SERVER_TIME, measured_deviation, true, false},
    {"residual_mean", "residual, mean", SERVER_TIME, residual_mean, false, false},
    {"residual_deviation", "residual, sd", SERVER_TIME, residual_deviation, true, false},
    {"residual_largest", "residual, largest", SERVER_TIME, residual_largest, false, false},
    {"residual_pass", "  in pass", NO_UNIT, residual_pass, false, false},
    {"eps_mean", NULL, SERVER_TIME, eps_mean, false, false},
    {"eps_deviation", "eps of (5.2), sd", SERVER_TIME, eps_deviation, true, false},
    {"eps_largest", "eps, largest", SERVER_TIME, eps_largest, false, false},
    {"eps_pass", "  in pass", NO_UNIT, eps_pass, false, false},
    {"correlation", "correlation of N, X", NO_UNIT, correlation, false, false},
    {"heterogeneity", "chi2 of p / freedom", NO_UNIT, heterogeneity, false, false},
    {"tail_index", "tail index of T", NO_UNIT, tail_index_of, false, false},
    {"tail_low", NULL, NO_UNIT, tail_low, false, false},
    {"tail_high", NULL, NO_UNIT, tail_high, false, false},
    {"largest_share", "largest pass's share", NO_UNIT, largest_share, false, false},
    {"t2", "T^2 of given p", NO_UNIT, t2, false, true},
    {"t2_limit", "  95% limit", NO_UNIT, t2_limit, false, true},
};

enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

struct type_quantity {
    const char *name;
    enum unit unit;
    double (*of)(const struct type_forecast *t);
};

#define NUMBER_OF_TYPE(name, expression)                                                                     \
    static double name(const struct type_forecast *t)                                                        \
    {                                                                                                        \
        return (expression);                                                                                 \
    }

NUMBER_OF_TYPE(count_mean, t->count.mean)
NUMBER_OF_TYPE(count_variance, t->count.variance)
NUMBER_OF_TYPE(duration, t->duration.mean)
NUMBER_OF_TYPE(share, t->share)
NUMBER_OF_TYPE(independent_half_width, t->independent_half_width)
NUMBER_OF_TYPE(pass_half_width, t->pass_half_width)
NUMBER_OF_TYPE(design_effect_of, t->design_effect)
NUMBER_OF_TYPE(passes_needed, t->passes_needed)
NUMBER_OF_TYPE(given_share, t->given_share)

static const struct type_quantity type_quantities[] = {
    {"count_mean", OPERATIONS, count_mean},
    {"count_variance", OPERATIONS_SQUARED, count_variance},
    {"duration", SERVER_TIME, duration},
    {"share", NO_UNIT, share},
    {"independent_half_width", NO_UNIT, independent_half_width},
    {"pass_half_width", NO_UNIT, pass_half_width},
    {"design_effect", NO_UNIT, design_effect_of},
    {"passes_needed", PASSES, passes_needed},
    {"given_share", NO_UNIT, given_share},
};

enum { TYPE_QUANTITIES = sizeof type_quantities / sizeof type_quantities[0] };

static bool has_other(const struct operations_forecast *f)
{
    return f->counts != f->durations;
}

static double residual_of(const struct server_forecast *s, size_t pass)
{
    return s->by_counts.pass > 0 ? s->counted->measured[pass] - operations_forecast_by_counts(s, pass) : NAN;
}

static double eps_of(const struct server_forecast *s, size_t pass)
{
    return s->by_number.pass > 0 ? s->counted->measured[pass] - operations_forecast_by_number(s, pass) : NAN;
}

/* --- sentences ------------------------------------------------------------------------------------------- */

enum { SENTENCE_COLUMNS = 76 };

/* Add a sentence as notes of at most SENTENCE_COLUMNS columns; the first begins with a dash. */
static void note_sentence(struct result_table *table, const char *sentence)
{
    const char *lead = "- ";
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

/* Of two types, which have the same design effect, the second. */
static const struct type_forecast *most_clustered(const struct server_forecast *s, const char **name)
{
    const struct type_forecast *most = NULL;
    for (size_t i = 0; i < s->types; i++)
        if (s->type[i].design_effect > 0 &&
            (!most || s->type[i].design_effect > most->design_effect * (1 - 1e-9))) {
            most = &s->type[i];
            *name = s->counted->type[i];
        }
    return most;
}

static double percent_off(double variance, double of)
{
    return 100 * (sqrt(variance / of) - 1);
}

static void tell_independence(const struct server_forecast *s, struct result_table *table)
{
    char text[512], cause[160] = "", measured[64] = "";
    const char *name = "";
    const struct type_forecast *most = most_clustered(s, &name);
    if (!s->independence_is_violated || isnan(s->operation.mean))
        return;
    if (most)
        snprintf(cause, sizeof cause, ": p of %s varies from pass to pass (design effect %.4g)", name,
                 most->design_effect);
    if (s->measured.variance > 0)
        snprintf(measured, sizeof measured, " and %.3g%% off what was measured",
                 percent_off(s->variance_independent, s->measured.variance));
    snprintf(
        text, sizeof text,
        "%s: independence is violated%s, and the correlation of N and X is %.2g. The deviation by (5.3) is "
        "%.3g%% off that of total variance%s.",
        s->counted->name, cause, s->correlation, percent_off(s->variance_independent, s->variance_total),
        measured);
    note_sentence(table, text);
}

/* Times that are equal to the digits of summary.json are equal. */
static void tell_held(const struct server_forecast *s, struct result_table *table)
{
    char text[256];
    double excess = measured_excess(s);
    if (!(excess > 1e-6) || !s->counted->held_by)
        return;
    snprintf(text, sizeof text,
             "%s: the measured time is %.3g%% above E T: it includes the time for which %s "
             "holds the server.",
             s->counted->name, 100 * excess, s->counted->held_by);
    note_sentence(table, text);
}

static void tell_tail(const struct server_forecast *s, struct result_table *table)
{
    char text[256];
    if (s->tail_verdict != TAIL_HEAVY && s->tail_verdict != TAIL_DOUBTFUL)
        return;
    snprintf(
        text, sizeof text,
        s->tail_verdict == TAIL_HEAVY
            ? "%s: the tail index of T is %.3g (95%%: %.3g to %.3g; %zu longest passes), below 2: variances, "
              "and with them (5.3) and intervals, mean nothing (marked !)."
            : "%s: the tail index of T, %.3g (95%%: %.3g to %.3g; %zu longest passes), may be below 2: "
              "variances are in doubt.",
        s->counted->name, s->tail.index, s->tail.low, s->tail.high, s->tail.largest);
    note_sentence(table, text);
}

static void tell_given(const struct server_forecast *s, struct result_table *table)
{
    char text[256];
    if (isnan(s->t2))
        return;
    snprintf(
        text, sizeof text,
        s->t2 > s->t2_limit
            ? "%s: the given shares are not those of these counts (T^2 %.4g, 95%% limit %.4g); (5.2) with "
              "them is %+.3g%% off Wald's E T."
            : "%s: the given shares may be those of these counts (T^2 %.4g, 95%% limit %.4g); (5.2) with "
              "them is %+.3g%% off Wald's E T.",
        s->counted->name, s->t2, s->t2_limit, 100 * (s->expected_given / s->expected - 1));
    note_sentence(table, text);
}

/* Passes are few, so that their times seldom have an index. */
static void tell_no_tail(const struct operations_forecast *f, struct result_table *table)
{
    char text[160];
    bool too_few = f->counts->passes < TAIL_VALUES_LEAST, none = true;
    for (int s = 0; s < OPERATION_SERVERS; s++)
        none = none && isnan(f->server[s].tail.index);
    if (!none)
        return;
    snprintf(text, sizeof text,
             too_few ? "tail index of T: no power law seen; %zu passes are too few, %d may show one."
                     : "tail index of T: no power law seen in %zu passes.",
             f->counts->passes, TAIL_VALUES_LEAST);
    note_sentence(table, text);
}

static void tell_missing(const struct operations_forecast *f, struct result_table *table)
{
    const struct server_forecast *cores = &f->server[OPERATIONS_CORES];
    if (isnan(cores->type[0].duration.mean))
        note_sentence(table, "cores: durations are not known without the run.json of this run beside its "
                             "summary.json.");
    for (int s = 0; s < OPERATION_SERVERS && has_other(f); s++)
        if (isnan(f->server[s].measured.mean)) {
            char text[128];
            snprintf(text, sizeof text, "%s: durations differ between both machines, so nothing is measured.",
                     f->server[s].counted->name);
            note_sentence(table, text);
        }
}

static void tell_elements(const struct operations_forecast *f, struct result_table *table)
{
    for (size_t i = 0; i < f->counts->tails; i++) {
        const struct tail_estimate tail = f->counts->tail[i].tail;
        char text[192];
        if (!(tail.index < TAIL_INDEX_OF_VARIANCE))
            continue;
        snprintf(
            text, sizeof text,
            "latency %s: its tail index is %.3g (95%%: %.3g to %.3g), below 2: its variance means nothing.",
            f->counts->tail[i].name, tail.index, tail.low, tail.high);
        note_sentence(table, text);
    }
}

static void add_verdicts(const struct operations_forecast *f, struct result_table *table)
{
    for (int s = 0; s < OPERATION_SERVERS; s++) {
        tell_independence(&f->server[s], table);
        tell_held(&f->server[s], table);
        tell_tail(&f->server[s], table);
        tell_given(&f->server[s], table);
    }
    tell_no_tail(f, table);
    tell_elements(f, table);
    tell_missing(f, table);
}

/* --- text ------------------------------------------------------------------------------------------------ */

static int write_counts_text(const struct operations_forecast *f, FILE *out)
{
    static const char *const columns[] = {"server", "operation", "K mean", "K sd", "tau", "unit"};
    static const int widths[] = {-6, -14, 14, 13, 13, -6};
    struct result_table *table = result_table_new_styled(
        columns, 6,
        &(struct result_style){
            .title = "counts per pass, and durations", .widths = widths, .text_number = "%.8g"});
    for (int i = 0; i < OPERATION_SERVERS; i++) {
        const struct server_forecast *s = &f->server[i];
        for (size_t k = 0; k < s->types; k++)
            result_table_add(table, TEXT(k == 0 ? s->counted->name : ""), TEXT(s->counted->type[k]),
                             NUMBER(s->type[k].count.mean), NUMBER(sqrt(s->type[k].count.variance)),
                             NUMBER(s->type[k].duration.mean), TEXT(s->counted->unit));
    }
    return result_table_end(table, RESULT_TEXT, out);
}

/* A server with one type of operation has nothing to share. */
static int write_shares_text(const struct operations_forecast *f, FILE *out)
{
    static const char *const columns[] = {"server",    "operation", "p",      "indep. +-",
                                          "passes +-", "design",    "for 1%", "p given"};
    static const int widths[] = {-6, -14, 9, 10, 10, 7, 6, 9};
    struct result_table *table = result_table_new_styled(
        columns, has_other(f) ? 8 : 7,
        &(struct result_style){.title =
                                   "shares, 95% intervals, design effect, and passes for an interval of 1%",
                               .widths = widths});
    for (int i = 0; i < OPERATION_SERVERS; i++) {
        const struct server_forecast *s = &f->server[i];
        for (size_t k = 0; k < s->types && s->types > 1; k++) {
            const struct type_forecast *t = &s->type[k];
            result_table_add(table, TEXT(k == 0 ? s->counted->name : ""), TEXT(s->counted->type[k]),
                             NUMBER(t->share), NUMBER(t->independent_half_width), NUMBER(t->pass_half_width),
                             NUMBER(t->design_effect), NUMBER(ceil(t->passes_needed)));
            if (has_other(f))
                result_table_add(table, NUMBER(t->given_share));
        }
    }
    return result_table_end(table, RESULT_TEXT, out);
}

static int write_times_text(const struct operations_forecast *f, FILE *out)
{
    const char *columns[1 + OPERATION_SERVERS] = {"time of a pass"};
    static const int widths[] = {-21, 13, 13, 13, 13};
    for (int s = 0; s < OPERATION_SERVERS; s++)
        columns[1 + s] = f->server[s].counted->name;
    struct result_table *table =
        result_table_new_styled(columns, 1 + OPERATION_SERVERS,
                                &(struct result_style){.title = "", .widths = widths, .text_number = "%.7g"});
    result_table_add(table, TEXT("unit"));
    for (int s = 0; s < OPERATION_SERVERS; s++)
        result_table_add(table, TEXT(f->server[s].counted->unit));
    for (int i = 0; i < QUANTITIES; i++) {
        const struct quantity *q = &quantities[i];
        if (!q->title || (q->of_other && !has_other(f)))
            continue;
        result_table_add(table, TEXT(q->title));
        for (int s = 0; s < OPERATION_SERVERS; s++) {
            struct result_cell cell = NUMBER(q->of(&f->server[s]));
            cell.mark = q->is_variance && f->server[s].tail_verdict == TAIL_HEAVY ? '!' : 0;
            result_table_add_cells(table, &cell, 1);
        }
    }
    add_verdicts(f, table);
    fputc('\n', out);
    return result_table_end(table, RESULT_TEXT, out);
}

static int write_tails_text(const struct operations_forecast *f, FILE *out)
{
    static const char *const columns[] = {"latency", "elements", "largest k", "index", "from", "to"};
    static const int widths[] = {-18, 10, 10, 8, 8, 8};
    struct result_table *table = result_table_new_styled(
        columns, 6,
        &(struct result_style){.title =
                                   "tail indices of the run's latencies, with 95% intervals (-: no power "
                                   "law seen)",
                               .widths = widths});
    for (size_t i = 0; i < f->counts->tails; i++) {
        const struct operation_tail *t = &f->counts->tail[i];
        result_table_add(table, TEXT(t->name), NUMBER(t->elements),
                         NUMBER(t->tail.largest > 0 ? (double)t->tail.largest : NAN), NUMBER(t->tail.index),
                         NUMBER(t->tail.low), NUMBER(t->tail.high));
    }
    return result_table_end(table, RESULT_TEXT, out);
}

static int write_passes_text(const struct operations_forecast *f, FILE *out)
{
    static const char *const columns[] = {"pass",     "server",   "N",        "sum K tau",
                                          "measured", "residual", "eps (5.2)"};
    static const int widths[] = {4, -6, 11, 13, 13, 11, 11};
    struct result_table *table = result_table_new_styled(
        columns, 7, &(struct result_style){.title = "passes", .widths = widths, .text_number = "%.7g"});
    for (size_t j = 0; j < f->counts->passes; j++)
        for (int i = 0; i < OPERATION_SERVERS; i++) {
            const struct server_forecast *s = &f->server[i];
            double n = 0;
            for (size_t k = 0; k < s->types; k++)
                n += s->counted->counts[j * s->types + k];
            result_table_add(table, NUMBER((double)j + 1), TEXT(s->counted->name), NUMBER(n),
                             NUMBER(operations_forecast_by_counts(s, j)), NUMBER(s->counted->measured[j]),
                             NUMBER(residual_of(s, j)), NUMBER(eps_of(s, j)));
        }
    return result_table_end(table, RESULT_TEXT, out);
}

static int write_text(const struct operations_forecast *f, bool passes, FILE *out)
{
    fprintf(out, "counts     %s\n           %zu passes of %.8g clocks on average (sd %.7g)\n",
            f->counts->file, f->counts->passes, f->clocks.mean, sqrt(f->clocks.variance));
    fprintf(out, "durations  %s\n", f->durations->file);
    int status = write_counts_text(f, out) || write_shares_text(f, out) ||
                 (f->counts->tails > 0 && write_tails_text(f, out)) ||
                 (passes && write_passes_text(f, out)) || write_times_text(f, out);
    fputc('\n', out);
    return status;
}

/* --- TSV ------------------------------------------------------------------------------------------------- */

static void add_line(struct result_table *table, const char *server, const char *operation, double pass,
                     const char *quantity, const char *unit, double value)
{
    result_table_add(table, TEXT(server), operation ? TEXT(operation) : NUMBER(NAN), NUMBER(pass),
                     TEXT(quantity), TEXT(unit), NUMBER(value));
}

static void add_server_lines(const struct operations_forecast *f, const struct server_forecast *s,
                             struct result_table *table)
{
    const char *name = s->counted->name;
    for (size_t k = 0; k < s->types; k++)
        for (int i = 0; i < TYPE_QUANTITIES; i++)
            add_line(table, name, s->counted->type[k], NAN, type_quantities[i].name,
                     unit_name(type_quantities[i].unit, s), type_quantities[i].of(&s->type[k]));
    for (int i = 0; i < QUANTITIES; i++)
        add_line(table, name, NULL, NAN, quantities[i].name, unit_name(quantities[i].unit, s),
                 quantities[i].of(s));
    add_line(table, name, NULL, NAN, "independence_is_violated", "1", s->independence_is_violated);
    for (size_t j = 0; j < f->counts->passes; j++) {
        add_line(table, name, NULL, (double)j + 1, "measured", s->counted->unit, s->counted->measured[j]);
        add_line(table, name, NULL, (double)j + 1, "residual", s->counted->unit, residual_of(s, j));
        add_line(table, name, NULL, (double)j + 1, "eps", s->counted->unit, eps_of(s, j));
    }
}

static int write_tsv(const struct operations_forecast *f, FILE *out)
{
    static const char *const columns[] = {"server", "operation", "pass", "quantity", "unit", "value"};
    struct result_table *table =
        result_table_new_styled(columns, 6, &(struct result_style){.tsv_number = RESULT_EXACT});
    result_table_add_fact(table, "counts of", TEXT(f->counts->file));
    result_table_add_fact(table, "durations of", TEXT(f->durations->file));
    add_verdicts(f, table);
    for (int s = 0; s < OPERATION_SERVERS; s++)
        add_server_lines(f, &f->server[s], table);
    for (size_t i = 0; i < f->counts->tails; i++)
        add_line(table, f->counts->tail[i].name, NULL, NAN, "latency_tail_index", "1",
                 f->counts->tail[i].tail.index);
    return result_table_end(table, RESULT_TSV, out);
}

/* --- JSON ------------------------------------------------------------------------------------------------ */

static json_t *json_types(const struct server_forecast *s)
{
    json_t *types = json_array();
    for (size_t k = 0; k < s->types; k++) {
        json_t *type = json_pack("{s:s}", "operation", s->counted->type[k]);
        for (int i = 0; i < TYPE_QUANTITIES; i++)
            json_object_set_new(type, type_quantities[i].name,
                                json_number(type_quantities[i].of(&s->type[k])));
        json_array_append_new(types, type);
    }
    return types;
}

static json_t *json_passes(const struct server_forecast *s, size_t count)
{
    json_t *passes = json_array();
    for (size_t j = 0; j < count; j++)
        json_array_append_new(
            passes, json_pack("{s:o, s:o, s:o}", "measured", json_number(s->counted->measured[j]), "residual",
                              json_number(residual_of(s, j)), "eps", json_number(eps_of(s, j))));
    return passes;
}

static json_t *json_server(const struct operations_forecast *f, const struct server_forecast *s)
{
    json_t *server = json_pack("{s:s, s:s, s:o}", "server", s->counted->name, "unit", s->counted->unit,
                               "operations", json_types(s));
    for (int i = 0; i < QUANTITIES; i++)
        json_object_set_new(server, quantities[i].name, json_number(quantities[i].of(s)));
    json_object_set_new(server, "tail_largest", json_integer((json_int_t)s->tail.largest));
    json_object_set_new(server, "tail", json_string(tail_verdict_name(s->tail_verdict)));
    json_object_set_new(server, "independence_is_violated", json_boolean(s->independence_is_violated));
    json_object_set_new(server, "passes", json_passes(s, f->counts->passes));
    return server;
}

static int write_json(const struct operations_forecast *f, FILE *out)
{
    json_t *servers = json_array(), *tails = json_object();
    for (int s = 0; s < OPERATION_SERVERS; s++)
        json_array_append_new(servers, json_server(f, &f->server[s]));
    for (size_t i = 0; i < f->counts->tails; i++)
        json_object_set_new(tails, f->counts->tail[i].name, json_number(f->counts->tail[i].tail.index));
    json_t *root = json_pack("{s:s, s:s, s:s, s:I, s:o, s:o}", "schema", "mercury-operations-1", "counts_of",
                             f->counts->file, "durations_of", f->durations->file, "passes",
                             (json_int_t)f->counts->passes, "servers", servers, "latency_tail_index", tails);
    int status = root ? json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : -1;
    json_decref(root);
    return status == 0 && fputc('\n', out) != EOF ? 0 : -1;
}

int operations_write(const struct operations_forecast *f, bool passes, enum result_format format, FILE *out)
{
    int status = format == RESULT_JSON  ? write_json(f, out)
                 : format == RESULT_TSV ? write_tsv(f, out)
                                        : write_text(f, passes, out);
    return status || ferror(out) ? -1 : 0;
}
