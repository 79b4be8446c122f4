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

/* A number of a row of the text: of the value, step or model `at`, and a quantity. */
typedef double number_of(const struct assumption_shares *s, unsigned at, unsigned row);

static double mean(const struct assumption_shares *s, unsigned at, unsigned row)
{
    return s->values[at][row].mean;
}

static double half_width(const struct assumption_shares *s, unsigned at, unsigned row)
{
    return s->values[at][row].half_width;
}

/* What rounding leaves of a difference of equal numbers is 0. */
static double clean(double share, double value)
{
    return fabs(share) < 1e-9 * fabs(value) ? 0 : share;
}

static double share(const struct assumption_shares *s, unsigned at, unsigned row)
{
    return clean(assumption_share(s, at, row).mean, s->values[at][row].mean);
}

static double formula(const struct assumption_shares *s, unsigned at, unsigned row)
{
    return s->rests[at][row].formula;
}

static double rest(const struct assumption_shares *s, unsigned at, unsigned row)
{
    return clean(s->rests[at][row].rest, s->rests[at][row].formula);
}

static double rest_half_width(const struct assumption_shares *s, unsigned at, unsigned row)
{
    const struct assumption_rest *of = &s->rests[at][row];
    return of->no_number ? half_width(s, assumption_steps_of((enum assumption_model)at), row)
                         : of->half_width;
}

/* The quantities of a kind, which are the columns of its table. */
struct columns {
    struct result_table *table;
    const struct assumption_shares *shares;
    unsigned rows[COLUMNS_MAX], count;
};

static void add_line(const struct columns *c, const char *name, const char *format, number_of *number,
                     unsigned at)
{
    char texts[COLUMNS_MAX][VALUE_BYTES];
    struct result_cell cells[COLUMNS_MAX] = {TEXT(name)};
    for (unsigned i = 0; i < c->count; i++) {
        double value = number(c->shares, at, c->rows[i]);
        if (isnan(value))
            strcpy(texts[i], "-");
        else
            snprintf(texts[i], VALUE_BYTES, format, value);
        cells[i + 1] = TEXT(texts[i]);
    }
    result_table_add_cells(c->table, cells, c->count + 1);
}

static void add_step(const struct columns *c, unsigned step)
{
    char name[VALUE_BYTES];
    snprintf(name, sizeof name, "  %s", assumptions[c->shares->order[step]].name);
    add_line(c, name, "%+.4g", share, step);
}

/* The last step of a model, its interval, the formula, what is left, and the verdict. */
static void add_end(const struct columns *c, enum assumption_model model)
{
    struct result_cell cells[COLUMNS_MAX] = {TEXT("    met")};
    char name[VALUE_BYTES + 16];
    snprintf(name, sizeof name, "= %.19s", verdict_model_name(assumption_model_of(model)));
    add_line(c, name, "%.5g", mean, assumption_steps_of(model));
    add_line(c, "    +-", "%.3g", rest_half_width, model);
    add_line(c, "  formula", "%.5g", formula, model);
    add_line(c, "    rest", "%+.3g", rest, model);
    for (unsigned i = 0; i < c->count; i++) {
        const struct assumption_rest *of = &c->shares->rests[model][c->rows[i]];
        cells[i + 1] = TEXT(of->no_number ? "none" : of->meets ? "yes" : "NO");
    }
    result_table_add_cells(c->table, cells, c->count + 1);
}

static int write_kind(const struct assumption_shares *s, enum quantity_kind kind, const char *title,
                      FILE *out)
{
    struct columns c = {.shares = s};
    const char *names[COLUMNS_MAX] = {"step"};
    int widths[COLUMNS_MAX] = {-WIDTH_NAME};
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
        if (machine_quantities[row].kind == kind) {
            c.rows[c.count++] = row;
            names[c.count] = machine_quantities[row].name;
            widths[c.count] = WIDTH_VALUE - 1;
        }
    c.table =
        result_table_new_styled(names, c.count + 1, &(struct result_style){.title = "", .widths = widths});
    add_line(&c, "simulated", "%.5g", mean, 0);
    add_line(&c, "    +-", "%.3g", half_width, 0);
    for (unsigned step = 0; step < assumption_steps_of(ASSUMPTION_MM1); step++)
        add_step(&c, step);
    add_end(&c, ASSUMPTION_MM1);
    add_step(&c, ASSUMPTIONS - 1);
    add_end(&c, ASSUMPTION_MM1K);
    fprintf(out, "\n%s\n", title);
    return result_table_end(c.table, RESULT_TEXT, out);
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
