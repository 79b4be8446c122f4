#include "app/why/assumption_shares.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "base/progress.h"
#include "base/shown.h"
#include "app/prose.inc"

#define CONFIDENCE 0.95

const struct assumption_model_row assumption_models[ASSUMPTION_MODELS] = {
    [ASSUMPTION_MM1] = {VERDICT_MM1, ASSUMPTIONS - 1},
    [ASSUMPTION_MM1K] = {VERDICT_MM1K_DOR, ASSUMPTIONS},
};

struct estimate assumption_share(const struct assumption_shares *shares, unsigned step, unsigned row)
{
    const struct estimate *from = &shares->values[step][row], *to = &shares->values[step + 1][row];
    double half_width = isnan(from->half_width) ? to->half_width : hypot(from->half_width, to->half_width);
    return (struct estimate){.mean = to->mean - from->mean, .half_width = half_width};
}

/* --- steps ----------------------------------------------------------------------------------------------- */

/* The queues of M/M/1/K (Dor); a stage without a number keeps the values of M/M/1. */
static void lose(const struct assumption_machine *m, const struct assumption_formulas *f,
                 struct estimate *values)
{
    for (unsigned stage = 0; stage < QUANTITY_STAGES; stage++)
        if (f->loss[stage].offered_per_s > 0)
            assumption_machine_lose(m, stage, &f->loss[stage], values);
}

static void take_steps(const struct assumption_machine *machine, const struct assumption_formulas *f,
                       bool quiet, struct assumption_shares *s)
{
    auto_by(assumption_deal_destroy) struct assumption_deal deal = {0};
    struct assumption_machine m = *machine;
    struct progress progress;
    unsigned set = 0;
    m.deal = &deal;
    progress_begin(&progress, "steps", ASSUMPTIONS, quiet);
    for (unsigned step = 0; step < ASSUMPTIONS; step++) {
        struct estimate *values = s->values[step + 1];
        memcpy(values, s->values[step], sizeof s->values[step]);
        set |= 1u << s->order[step];
        if (s->order[step] == ASSUME_LOSS)
            lose(&m, f, values);
        else
            assumption_machine_run(&m, set, values);
        progress_update(&progress, step + 1);
    }
    progress_end(&progress);
}

/* --- the check ------------------------------------------------------------------------------------------- */

/* Beyond the joint factor's quantile of Student's t one of `checks` is with the probability that all of them together
 * may have. */
static void widen(struct assumption_shares *s)
{
    const double beyond = (1 - CONFIDENCE) / 2, degrees = ASSUMPTION_BATCHES - 1,
                 factor = gsl_cdf_tdist_Qinv(beyond / fmax(1, s->checks), degrees) /
                          gsl_cdf_tdist_Qinv(beyond, degrees);
    for (unsigned value = 0; value < ASSUMPTION_VALUES; value++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
            s->values[value][row].half_width *= factor;
}

/* A tail that was seen in few batches, or never, has a variance that says nothing: n looks leave ln(1/p)/n. */
static double floor_of(const struct assumption_shares *s, const struct assumption_formulas *f, unsigned row,
                       const struct assumption_machine *m)
{
    enum quantity_stage stage = machine_quantities[row].stage;
    if (machine_quantities[row].kind != QUANTITY_P_BP)
        return 0;
    double p = (1 - CONFIDENCE) / fmax(1, s->checks), idle = 1 - f->rho[stage];
    const struct assumption_tokens *t = m->tokens;
    const size_t of_run = stage == QUANTITY_2    ? t->match_count
                          : stage == QUANTITY_1A ? t->word_count
                                                 : t->lookup_count;
    const double least = (double)m->least_words, rounds = fmax(1, least / (double)t->word_count),
                 elements = fmin(least, rounds * (double)of_run); /* in a run of the last step */
    double looks = elements * idle * idle / (1 + f->rho[stage]);
    return idle > 0 ? fmin(1, -log(p) / looks) : 1;
}

static const char *reason_of(const struct estimate *last, double rest, double half_width)
{
    if (!isfinite(last->mean) || !isfinite(half_width))
        return "the last step has no interval: the run has too few elements";
    if (fabs(rest) <= half_width)
        return NULL;
    if (batch_means_are_correlated(last, ASSUMPTION_BATCHES))
        return "its load is so near 1 that batches are alike and the interval is too narrow";
    if (batch_means_rest_on_one(last))
        return "the interval rests on one batch: a rare event";
    return "the formula does not hold for its own assumptions";
}

static void check(struct assumption_shares *s, const struct assumption_formulas *f,
                  const struct assumption_machine *m)
{
    /* of what only counts elements, and of times, which are whole picoseconds in the run */
    const double rounding = fmax(1e-9, 1e-12 * m->hardware->fpga_clock_hz / m->clocks);
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
            struct assumption_rest *rest = &s->rests[model][row];
            const struct estimate *last = &s->values[assumption_models[model].steps][row];
            const struct verdict_cell *cell = &f->frame->cells[row][assumption_models[model].verdict];
            *rest = (struct assumption_rest){.formula = cell->predicted,
                                             .rest = cell->predicted - last->mean,
                                             .half_width = NAN,
                                             .has_formula = !cell->why_not,
                                             .remark = cell->why_not};
            if (cell->why_not)
                continue;
            if (!isnan(last->half_width))
                rest->half_width =
                    fmax(last->half_width, fmax(rounding * fabs(rest->formula), floor_of(s, f, row, m)));
            rest->remark = reason_of(last, rest->rest, rest->half_width);
        }
}

unsigned assumption_shares_met(const struct assumption_shares *s)
{
    unsigned met = 0;
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
            met += !s->rests[model][row].remark;
    return met;
}

void assumption_shares_find(const struct assumption_machine *m, const struct estimate *simulated,
                            const struct assumption_formulas *f, const enum assumption *order, bool quiet,
                            struct assumption_shares *s)
{
    *s = (struct assumption_shares){.checks = 0};
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
            s->checks += !f->frame->cells[row][assumption_models[model].verdict].why_not;
    memcpy(s->order, order, sizeof s->order);
    memcpy(s->values[0], simulated, sizeof s->values[0]);
    take_steps(m, f, quiet, s);
    widen(s);
    check(s, f, m);
}

/* --- writing --------------------------------------------------------------------------------------------- */

enum { WIDTH_NAME = 22, WIDTH_VALUE = 11, COLUMNS_MAX = 6, VALUE_BYTES = SHOWN_BYTES };

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

/* The lines of a table: of the value, the step or the model `at`. */
enum line { MEAN, HALF_WIDTH, SHARE, FORMULA, REST, REST_HALF_WIDTH, MET };

/* What rounding leaves of a difference of equal numbers is 0. */
static double clean(double share, double value)
{
    return fabs(share) < 1e-9 * fabs(value) ? 0 : share;
}

static void put_number(double value, const char *format, char text[VALUE_BYTES])
{
    if (isnan(value))
        strcpy(text, "-");
    else
        shown_number(value, format, text);
}

static void put_cell(const struct assumption_shares *s, enum line line, unsigned at, unsigned row,
                     char text[VALUE_BYTES])
{
    const struct assumption_rest *rest = line < FORMULA ? NULL : &s->rests[at][row];
    if (line == MEAN)
        put_number(s->values[at][row].mean, "%.5g", text);
    else if (line == HALF_WIDTH)
        put_number(s->values[at][row].half_width, "%.3g", text);
    else if (line == SHARE)
        put_number(clean(assumption_share(s, at, row).mean, s->values[at][row].mean), "%+.4g", text);
    else if (line == FORMULA)
        put_number(rest->formula, "%.5g", text);
    else if (line == REST)
        put_number(clean(rest->rest, rest->formula), "%+.3g", text);
    else if (line == MET)
        strcpy(text, !rest->has_formula ? "none" : rest->remark ? "NO" : "yes");
    else if (rest->has_formula)
        put_number(rest->half_width, "%.3g", text);
    else
        put_cell(s, HALF_WIDTH, assumption_models[at].steps, row, text);
}

/* The quantities of a kind, which are the columns of its table. */
struct columns {
    struct result_table *table;
    const struct assumption_shares *shares;
    unsigned rows[COLUMNS_MAX], count;
};

static void add_line(const struct columns *c, const char *name, enum line line, unsigned at)
{
    char text[VALUE_BYTES];
    result_table_add(c->table, TEXT(name));
    for (unsigned i = 0; i < c->count; i++) {
        put_cell(c->shares, line, at, c->rows[i], text);
        result_table_add(c->table, TEXT(text));
    }
}

static void add_step(const struct columns *c, unsigned step)
{
    char name[VALUE_BYTES];
    snprintf(name, sizeof name, "  %s", assumptions[c->shares->order[step]].name);
    add_line(c, name, SHARE, step);
}

/* The last step of a model, its interval, the formula, what is left, and the verdict. */
static void add_end(const struct columns *c, enum assumption_model model)
{
    char name[VALUE_BYTES + 16];
    snprintf(name, sizeof name, "= %.19s", assumption_model_name(model));
    add_line(c, name, MEAN, assumption_models[model].steps);
    add_line(c, "    +-", REST_HALF_WIDTH, model);
    add_line(c, "  formula", FORMULA, model);
    add_line(c, "    rest", REST, model);
    add_line(c, "    met", MET, model);
}

static void write_kind(const struct assumption_shares *s, enum quantity_kind kind, const char *title,
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
        result_table_new_styled(names, c.count + 1, &(struct result_style){.title = title, .widths = widths});
    add_line(&c, "simulated", MEAN, 0);
    add_line(&c, "    +-", HALF_WIDTH, 0);
    for (unsigned step = 0; step < assumption_models[ASSUMPTION_MM1].steps; step++)
        add_step(&c, step);
    add_end(&c, ASSUMPTION_MM1);
    add_step(&c, ASSUMPTIONS - 1);
    add_end(&c, ASSUMPTION_MM1K);
    result_table_end(c.table, RESULT_TEXT, out);
}

/* Write a text in lines of at most 80 columns, the first of which begins with `name`. */
static void write_wrapped(const char *name, const char *text, FILE *out)
{
    shown_words(text, fprintf(out, "  %-10s ", name), 13, out);
}

/* The quantities of a model with the remark of one of them; nothing if an earlier one had it. */
static void write_remark(const struct assumption_shares *s, unsigned model, unsigned row, FILE *out)
{
    const struct assumption_rest *rests = s->rests[model];
    char quantities[200];
    size_t used = 0;
    for (unsigned other = 0; other < MACHINE_QUANTITIES; other++) {
        if (!rests[other].remark || strcmp(rests[other].remark, rests[row].remark) != 0)
            continue;
        if (other < row)
            return;
        used += (size_t)snprintf(quantities + used, sizeof quantities - used, "%s%s", used ? ", " : "",
                                 machine_quantities[other].name);
    }
    fprintf(out, "  %s: %s %s\n", assumption_model_name(model), quantities,
            rests[row].has_formula ? "NOT met" : "without a number");
    write_wrapped("", rests[row].remark, out);
}

static void write_text(const struct assumption_shares *s, const char *name, FILE *out)
{
    fprintf(out, PROSE_ASSUMPTION_SHARES_TEXT, name);
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        write_kind(s, kinds[i].kind, kinds[i].title, out);
    const char *engine = "";
    fprintf(out, "\nThe steps, each with all before it\n");
    for (unsigned step = 0; step < ASSUMPTIONS; step++) {
        const struct assumption_spec *spec = &assumptions[s->order[step]];
        if (strcmp(engine, spec->engine) != 0)
            fprintf(out, " by %s:\n", spec->engine);
        engine = spec->engine;
        write_wrapped(spec->name, spec->meaning, out);
    }
    fprintf(out, "\n%u of %u last steps meet their formulas\n", assumption_shares_met(s), s->checks);
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
            if (s->rests[model][row].remark)
                write_remark(s, model, row, out);
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
    add_row(table, row, assumption_model_name(model), "formula", "formula",
            (struct estimate){.mean = rest->formula, .half_width = NAN},
            (struct estimate){.mean = rest->rest, .half_width = rest->half_width},
            !rest->has_formula ? "none"
            : rest->remark     ? "missed"
                               : "met",
            rest->remark ? rest->remark : "");
}

void assumption_shares_write(const struct assumption_shares *s, const char *name, enum result_format format,
                             FILE *out)
{
    if (format == RESULT_TEXT) {
        write_text(s, name, out);
        return;
    }
    static const char *const columns[] = {"quantity",         "unit",    "model",      "step",
                                          "engine",           "value",   "half_width", "share",
                                          "share_half_width", "verdict", "meaning"};
    const struct estimate none = {.mean = NAN, .half_width = NAN};
    static const struct result_style exact = {.tsv_number = RESULT_EXACT, .schema = "mercury-assumptions-1"};
    struct result_table *table = result_table_new_styled(columns, sizeof columns / sizeof columns[0], &exact);
    result_table_add_fact(table, "run", TEXT(name));
    result_table_add_fact(table, "interval", TEXT("joint 95% of all last steps"));
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
        unsigned common = assumption_models[ASSUMPTION_MM1].steps;
        add_row(table, row, "both", "simulated", "SimGrid", s->values[0][row], none, "", "the run");
        add_steps(table, s, row, 0, common, "both");
        add_formula(table, s, row, ASSUMPTION_MM1);
        add_steps(table, s, row, common, ASSUMPTIONS, assumption_model_name(ASSUMPTION_MM1K));
        add_formula(table, s, row, ASSUMPTION_MM1K);
    }
    result_table_end(table, format, out);
}
