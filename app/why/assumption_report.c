#include "app/why/assumption_report.h"

#include <math.h>
#include <string.h>

#include "base/shown.h"

enum { WIDTH_NAME = 22, WIDTH_VALUE = 11, COLUMNS_MAX = 6, VALUE_BYTES = 24 };

static const struct {
    enum quantity_kind kind;
    const char *title;
} kinds[] = {
    {QUANTITY_N_Q, "N_Q: mean queues (wmers; seeds; lookups; matches)"},
    {QUANTITY_P_BP, "P_BP: back-pressure (fraction of the time)"},
    {QUANTITY_RHO, "rho: utilisation (an input of the formulas)"},
    {QUANTITY_LAMBDA, "lambda: arrivals (millions per second; an input of the formulas)"},
};

/* --- text ------------------------------------------------------------------------------------------------ */

/* The quantities of a kind. @return their number */
static unsigned rows_of(enum quantity_kind kind, unsigned rows[COLUMNS_MAX])
{
    unsigned count = 0;
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        if (machine_quantities[row].kind == kind)
            rows[count++] = row;
    return count;
}

struct text_row {
    char texts[COLUMNS_MAX][VALUE_BYTES];
    struct result_cell cells[COLUMNS_MAX];
};

static void put(struct text_row *row, unsigned column, const char *format, double value)
{
    if (isnan(value))
        snprintf(row->texts[column], VALUE_BYTES, "-");
    else
        snprintf(row->texts[column], VALUE_BYTES, format, value);
}

static void end_row(struct result_table *table, const char *name, struct text_row *row, unsigned count)
{
    row->cells[0] = TEXT(name);
    for (unsigned i = 0; i < count; i++)
        row->cells[i + 1] = TEXT(row->texts[i]);
    result_table_add_cells(table, row->cells, count + 1);
}

/* What rounding leaves of a difference of equal numbers is 0. */
static double clean(double share, double value)
{
    return fabs(share) < 1e-9 * fabs(value) ? 0 : share;
}

static void add_step(struct result_table *table, const struct assumption_shares *s, unsigned step,
                     const unsigned *rows, unsigned count)
{
    struct text_row text;
    char name[VALUE_BYTES];
    for (unsigned i = 0; i < count; i++)
        put(&text, i, "%+.4g", clean(assumption_share(s, step, rows[i]).mean, s->values[step][rows[i]].mean));
    snprintf(name, sizeof name, "  %s", assumptions[s->order[step]].name);
    end_row(table, name, &text, count);
}

static void add_values(struct result_table *table, const char *name, const struct estimate *values,
                       const unsigned *rows, unsigned count)
{
    struct text_row text;
    for (unsigned i = 0; i < count; i++)
        put(&text, i, "%.5g", values[rows[i]].mean);
    end_row(table, name, &text, count);
}

static void add_half_widths(struct result_table *table, const struct estimate *values, const unsigned *rows,
                            unsigned count)
{
    struct text_row text;
    for (unsigned i = 0; i < count; i++)
        put(&text, i, "%.3g", values[rows[i]].half_width);
    end_row(table, "    +-", &text, count);
}

static const char *word_of(const struct assumption_rest *rest)
{
    return rest->no_number ? "none" : rest->meets ? "yes" : "NO";
}

/* The last step of a model, its interval, the formula, what is left, and the verdict. */
static void add_end(struct result_table *table, const struct assumption_shares *s,
                    enum assumption_model model, const unsigned *rows, unsigned count)
{
    struct text_row text;
    char name[VALUE_BYTES + 16];
    const char *model_name = verdict_model_name(assumption_model_of(model));
    const struct assumption_rest *rests = s->rests[model];
    snprintf(name, sizeof name, "= %.19s", model_name);
    add_values(table, name, s->values[assumption_steps_of(model)], rows, count);
    for (unsigned i = 0; i < count; i++)
        put(&text, i, "%.3g",
            rests[rows[i]].no_number ? s->values[assumption_steps_of(model)][rows[i]].half_width
                                     : rests[rows[i]].half_width);
    end_row(table, "    +-", &text, count);
    for (unsigned i = 0; i < count; i++)
        put(&text, i, "%.5g", rests[rows[i]].formula);
    end_row(table, "  formula", &text, count);
    for (unsigned i = 0; i < count; i++)
        put(&text, i, "%+.3g", clean(rests[rows[i]].rest, rests[rows[i]].formula));
    end_row(table, "    rest", &text, count);
    for (unsigned i = 0; i < count; i++)
        snprintf(text.texts[i], VALUE_BYTES, "%s", word_of(&rests[rows[i]]));
    end_row(table, "    met", &text, count);
}

static int write_kind(const struct assumption_shares *s, enum quantity_kind kind, const char *title,
                      FILE *out)
{
    unsigned rows[COLUMNS_MAX], count = rows_of(kind, rows);
    const char *columns[COLUMNS_MAX] = {"step"};
    int widths[COLUMNS_MAX] = {-WIDTH_NAME};
    for (unsigned i = 0; i < count; i++) {
        columns[i + 1] = machine_quantities[rows[i]].name;
        widths[i + 1] = WIDTH_VALUE - 1;
    }
    struct result_table *table =
        result_table_new_styled(columns, count + 1, &(struct result_style){.title = "", .widths = widths});
    add_values(table, "simulated", s->values[0], rows, count);
    add_half_widths(table, s->values[0], rows, count);
    for (unsigned step = 0; step < assumption_steps_of(ASSUMPTION_MM1); step++)
        add_step(table, s, step, rows, count);
    add_end(table, s, ASSUMPTION_MM1, rows, count);
    add_step(table, s, ASSUMPTIONS - 1, rows, count);
    add_end(table, s, ASSUMPTION_MM1K, rows, count);
    fprintf(out, "\n%s\n", title);
    return result_table_end(table, RESULT_TEXT, out);
}

/* Write a text in lines of at most 80 columns, the first of which begins with `name`. */
static void write_wrapped(const char *name, const char *text, FILE *out)
{
    shown_words(text, fprintf(out, "  %-10s ", name), 13, out);
}

static void write_meanings(const struct assumption_shares *s, FILE *out)
{
    const char *engine = "";
    fprintf(out, "\nThe steps, each with all before it\n");
    for (unsigned step = 0; step < ASSUMPTIONS; step++) {
        const struct assumption_spec *spec = &assumptions[s->order[step]];
        if (strcmp(engine, spec->engine) != 0)
            fprintf(out, " by %s:\n", spec->engine);
        engine = spec->engine;
        write_wrapped(spec->name, spec->meaning, out);
    }
}

/* Why a formula has no number, or why it is not met; NULL if it is met. */
static const char *remark_on(const struct assumption_shares *s, unsigned model, unsigned row)
{
    const struct assumption_rest *rest = &s->rests[model][row];
    return rest->no_number ? rest->no_number : rest->reason;
}

/* The quantities of a model that a remark is made on, from `row` on; nothing if an earlier one had it. */
static void write_remark(const struct assumption_shares *s, unsigned model, unsigned row, FILE *out)
{
    const char *remark = remark_on(s, model, row), *separator = "";
    char quantities[200] = "", name[VALUE_BYTES + 16];
    for (unsigned other = 0; other < MACHINE_QUANTITIES; other++) {
        const char *same = remark_on(s, model, other);
        if (!same || strcmp(same, remark) != 0)
            continue;
        if (other < row)
            return;
        size_t used = strlen(quantities);
        snprintf(quantities + used, sizeof quantities - used, "%s%s", separator,
                 machine_quantities[other].name);
        separator = ", ";
    }
    snprintf(name, sizeof name, "%.30s",
             verdict_model_name(assumption_model_of((enum assumption_model)model)));
    fprintf(out, "  %s: %s %s\n", name, quantities,
            s->rests[model][row].no_number ? "without a number" : "NOT met");
    write_wrapped("", remark, out);
}

static void write_remarks(const struct assumption_shares *s, FILE *out)
{
    unsigned met = 0;
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
            met += !remark_on(s, model, row);
    fprintf(out, "\n%u of %u last steps meet their formulas\n", met, s->checks);
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
            if (remark_on(s, model, row))
                write_remark(s, model, row, out);
}

static int write_text(const struct assumption_shares *s, const char *name, FILE *out)
{
    int status = 0;
    fprintf(out,
            "Why M/M/1 and M/M/1/K (Dor) are wrong about %.200s\n"
            "Assumptions are made true one after the other; what a step changes is its\n"
            "share of the model's error. Shares and rest add up to formula - simulated.\n"
            "+-: half of the joint 95%% intervals of all last steps.\n",
            name);
    for (unsigned i = 0; status == 0 && i < sizeof kinds / sizeof kinds[0]; i++)
        status = write_kind(s, kinds[i].kind, kinds[i].title, out);
    write_meanings(s, out);
    write_remarks(s, out);
    return status;
}

/* --- TSV and JSON ---------------------------------------------------------------------------------------- */

static void add_row(struct result_table *table, unsigned row, const char *model, const char *step,
                    const char *engine, struct estimate value, struct estimate share, const char *verdict,
                    const char *reason)
{
    result_table_add(table, TEXT(machine_quantities[row].name), TEXT(machine_quantities[row].unit),
                     TEXT(model), TEXT(step), TEXT(engine), NUMBER(value.mean), NUMBER(value.half_width),
                     NUMBER(share.mean), NUMBER(share.half_width), TEXT(verdict), TEXT(reason));
}

static void add_steps(struct result_table *table, const struct assumption_shares *s, unsigned row,
                      unsigned from, unsigned end, const char *model)
{
    for (unsigned step = from; step < end; step++) {
        const struct assumption_spec *spec = &assumptions[s->order[step]];
        add_row(table, row, model, spec->name, spec->engine, s->values[step + 1][row],
                assumption_share(s, step, row), "", spec->meaning);
    }
}

static void add_formula(struct result_table *table, const struct assumption_shares *s, unsigned row,
                        enum assumption_model model)
{
    const struct assumption_rest *rest = &s->rests[model][row];
    add_row(table, row, verdict_model_name(assumption_model_of(model)), "formula", "formula",
            (struct estimate){.mean = rest->formula, .half_width = NAN},
            (struct estimate){.mean = rest->rest, .half_width = rest->half_width},
            rest->no_number ? "none"
            : rest->meets   ? "met"
                            : "missed",
            rest->no_number ? rest->no_number
            : rest->reason  ? rest->reason
                            : "");
}

static int write_table(const struct assumption_shares *s, const char *name, enum result_format format,
                       FILE *out)
{
    static const char *const columns[] = {"quantity",         "unit",    "model",      "step",
                                          "engine",           "value",   "half_width", "share",
                                          "share_half_width", "verdict", "meaning"};
    const struct estimate none = {.mean = NAN, .half_width = NAN};
    static const struct result_style exact = {.tsv_number = RESULT_EXACT, .schema = "mercury-assumptions-1"};
    struct result_table *table = result_table_new_styled(columns, sizeof columns / sizeof columns[0], &exact);
    result_table_add_fact(table, "run", TEXT(name));
    result_table_add_fact(table, "interval", TEXT("joint 95% of all last steps"));
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
        unsigned common = assumption_steps_of(ASSUMPTION_MM1);
        add_row(table, row, "both", "simulated", "SimGrid", s->values[0][row], none, "", "the run");
        add_steps(table, s, row, 0, common, "both");
        add_formula(table, s, row, ASSUMPTION_MM1);
        add_steps(table, s, row, common, ASSUMPTIONS,
                  verdict_model_name(assumption_model_of(ASSUMPTION_MM1K)));
        add_formula(table, s, row, ASSUMPTION_MM1K);
    }
    return result_table_end(table, format, out);
}

int assumption_report_write(const struct assumption_shares *s, const char *name, enum result_format format,
                            FILE *out)
{
    return format == RESULT_TEXT ? write_text(s, name, out) : write_table(s, name, format, out);
}
