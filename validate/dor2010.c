#include "validate/dor2010.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/predict/predict_inputs.h"
#include "model/queue/mercury_model.h"
#include "validate/dor2010.inc"

#define INPUT(id, name, unit, run_1, run_2) [id] = {name, unit, {run_1, run_2}}
const struct dor2010_input_row dor2010_inputs[DOR2010_INPUTS] = {DOR2010_INPUT_ROWS(INPUT)};

#define CELL(figure, parameter, unit, printed_1, printed_2, measured_1, measured_2)                          \
    {                                                                                                        \
        figure, parameter, unit, {printed_1, printed_2},                                                     \
        {                                                                                                    \
            measured_1, measured_2                                                                           \
        }                                                                                                    \
    }
const struct dor2010_cell dor2010_cells[] = {DOR2010_CELL_ROWS(CELL)};

const size_t dor2010_cell_count = sizeof dor2010_cells / sizeof dor2010_cells[0];

const struct dor2010_figure_row dor2010_figures[DOR2010_FIGURES] = {
    {12, "M/M/1/K (Dor), four stages", "printed_M/M/1/K (Dor)_4"},
    {15, "M/M/1/K (Dor), five stages", "printed_M/M/1/K (Dor)_5"},
    {17, "M/M/1, four stages", "printed_M/M/1"},
};

struct dor2010_number dor2010_number(const char *text)
{
    if (!text)
        return (struct dor2010_number){NULL, NAN, NAN, NAN};
    if (strcmp(text, DOR2010_NEAR_ZERO) == 0)
        return (struct dor2010_number){text, 0, 0, DOR2010_ZERO_PART};
    const char *point = strchr(text, '.');
    double value = strtod(text, NULL), half_unit = value == 0 ? DOR2010_ZERO_PART : 0.5;
    for (size_t i = 1; point && point[i]; i++)
        half_unit /= 10;
    for (size_t digits = strlen(text); !point && digits > 3; digits--)
        half_unit *= 10;
    return (struct dor2010_number){text, value, value - half_unit, value + half_unit};
}

int dor2010_run_find(const char *name)
{
    return strcmp(name, "dor2010-run1") == 0   ? DOR2010_RUN_1
           : strcmp(name, "dor2010-run2") == 0 ? DOR2010_RUN_2
                                               : -1;
}

const struct dor2010_cell *dor2010_find_cell(enum machine_quantity quantity, enum dor2010_figure figure)
{
    const char *name = machine_quantities[quantity].name;
    if (figure == DOR2010_FIGURE_15)
        name = quantity == LAMBDA_1B ? "lambda_1bp" : quantity == RHO_1B ? "rho_1bp" : name;
    for (size_t i = 0; i < dor2010_cell_count; i++)
        if (dor2010_cells[i].figure == figure && strcmp(dor2010_cells[i].parameter, name) == 0)
            return &dor2010_cells[i];
    return NULL;
}

struct dor2010_number dor2010_measured(enum dor2010_run run, enum machine_quantity quantity)
{
    const char *text = NULL;
    for (unsigned figure = 0; figure < DOR2010_FIGURES && !text; figure++) {
        const struct dor2010_cell *cell = dor2010_find_cell(quantity, figure);
        text = cell ? cell->measured[run] : NULL;
    }
    return dor2010_number(text);
}

struct dor2010_number dor2010_predicted(enum dor2010_run run, enum machine_quantity quantity,
                                        enum dor2010_figure figure)
{
    const struct dor2010_cell *cell = dor2010_find_cell(quantity, figure);
    return dor2010_number(cell ? cell->predicted[run] : NULL);
}

/* --- mismatches ------------------------------------------------------------------------------------------ */

enum { WMERS_A_CLOCK = 16 };

static bool are_apart(const struct dor2010_number *a, double low, double high)
{
    return a->high < low || a->low > high;
}

/* @return number of mismatches found: 0 or 1 */
static unsigned check_utilisation(enum dor2010_run run, enum machine_quantity rho,
                                  enum machine_quantity lambda, double per_clock, bool at_least,
                                  struct dor2010_mismatch *mismatch)
{
    struct dor2010_number is = dor2010_measured(run, rho), rate = dor2010_measured(run, lambda);
    double most_rate = DOR2010_CLOCK_MHZ * per_clock, low = rate.low / most_rate,
           high = at_least ? INFINITY : rate.high / most_rate;
    if (!are_apart(&is, low, high))
        return 0;
    mismatch->quantity = rho;
    snprintf(mismatch->text, sizeof mismatch->text,
             "%s was measured as %s, and %s as %s %s, which is %.3f of what the clock of %g MHz allows%s.",
             machine_quantities[rho].name, is.text, machine_quantities[lambda].name, rate.text,
             machine_quantities[lambda].unit, rate.value / most_rate, DOR2010_CLOCK_MHZ,
             at_least ? "; over the whole run it is no less" : "");
    return 1;
}

static unsigned check_sum(enum dor2010_run run, struct dor2010_mismatch *mismatch)
{
    struct dor2010_number sum = dor2010_measured(run, N_Q_1B), front = dor2010_measured(run, N_Q_1BP),
                          back = dor2010_measured(run, N_Q_1BD);
    if (!are_apart(&sum, front.low + back.low, front.high + back.high))
        return 0;
    mismatch->quantity = N_Q_1B;
    snprintf(
        mismatch->text, sizeof mismatch->text,
        "N_Q_1b was measured as %s, and its two queues as %s and %s, which are %g together; they agree if "
        "%s is rounded to tens.",
        sum.text, front.text, back.text, front.value + back.value, back.text);
    return 1;
}

unsigned dor2010_find_mismatches(enum dor2010_run run, struct dor2010_mismatch *mismatches)
{
    unsigned count = check_utilisation(run, RHO_1A, LAMBDA_1A, WMERS_A_CLOCK, false, mismatches);
    count += check_utilisation(run, RHO_1B, LAMBDA_1B, 1, true, mismatches + count);
    count += check_utilisation(run, RHO_2, LAMBDA_2, 1, false, mismatches + count);
    return count + check_sum(run, mismatches + count);
}

/* The machine of both runs: sections 4.3.5, 6.1 and 6.3. */
#define PCI_MB_S           900.0
#define WMERS_BYTE         2.0   /* 16 w-mers per word of 8 bytes */
#define INVERSE_M_2        2.464 /* of run 2; M_2 is printed as 0.406 */
#define INVERSE_M_2_OF_1BD 2.761
#define INVERSE_M_2_BEYOND 2.762
#define N_Q_1BD_OVER       400.5 /* printed: over 400; every value has three digits */

/* --- a cell as a function of the inputs ------------------------------------------------------------------ */

/* A stage of a chain: its rate, in Melements/s, is the product of the weighted inputs and `known`; its load that over
 * `mu`, or over mu_1b if that is 0. */
struct stage {
    const char *name;
    int four, five;              /* its place in both chains; -1: it has none */
    enum predict_input capacity; /* PREDICT_K: it has none */
    double known, mu;
    double weight[DOR2010_INPUTS]; /* lambda_in, mu_1b, P_1a, P_1b, P_1bp, P_1bd, P_2 */
};

static const struct stage stages[] = {
    {"pci", MERCURY_PCI, MERCURY_FIVE_PCI, PREDICT_K, 1.0 / 8, PCI_MB_S / 8, {1}},
    {"1a", MERCURY_1A, MERCURY_FIVE_1A, PREDICT_K_1A, WMERS_BYTE, 16 * DOR2010_CLOCK_MHZ, {1}},
    {"1b", MERCURY_1B, -1, PREDICT_K_1B, WMERS_BYTE, 0, {1, 0, 1}},
    {"1bp", -1, MERCURY_FIVE_1BP, PREDICT_K_1BP, WMERS_BYTE, 0, {1, 0, 1}},
    {"1bd", -1, MERCURY_FIVE_1BD, PREDICT_K_1BD, WMERS_BYTE, 0, {1, 0, 1, 0, 1}},
    {"2", MERCURY_2, -1, PREDICT_K_2, WMERS_BYTE, DOR2010_CLOCK_MHZ, {1, 0, 1, 1}},
    {"2", -1, MERCURY_FIVE_2, PREDICT_K_2, WMERS_BYTE, DOR2010_CLOCK_MHZ, {1, 0, 1, 0, 1, 1}},
};

static const struct stage *stage_of(const struct dor2010_cell *cell)
{
    const char *name = strrchr(cell->parameter, '_') + 1;
    const struct stage *s = stages;
    while ((cell->figure == DOR2010_FIGURE_15 ? s->five : s->four) < 0 || strcmp(s->name, name) != 0)
        s++;
    return s;
}

/* lambda, rho, N_Q or P_BP */
static enum quantity_kind quantity_of(const struct dor2010_cell *cell)
{
    return (enum quantity_kind)(strchr("lrNP", *cell->parameter) - "lrNP");
}

/* Figure 15 prints two fractions for 1b, so 1b as a whole passes on P_1bp x P_1bd there. */
static int predict(enum dor2010_run run, const double *inputs, struct mercury_prediction *four,
                   struct mercury_prediction *five)
{
    struct predict_case c = predict_case_default("");
    double *v = c.value;
    v[PREDICT_LAMBDA_IN] = inputs[DOR2010_LAMBDA_IN];
    v[PREDICT_CLOCK] = DOR2010_CLOCK_MHZ;
    v[PREDICT_MU_PCI] = PCI_MB_S;
    v[PREDICT_P_1A] = inputs[DOR2010_P_1A];
    v[PREDICT_P_1B] = inputs[DOR2010_P_1B];
    v[PREDICT_P_2] = inputs[DOR2010_P_2];
    v[PREDICT_P_1BP] = inputs[DOR2010_P_1BP];
    v[PREDICT_M_2] = run == DOR2010_RUN_2 ? 1 / INVERSE_M_2 : 1;
    v[PREDICT_M_1B] = DOR2010_CLOCK_MHZ * v[PREDICT_M_2] / inputs[DOR2010_MU_1B];
    int status = mercury_model_predict(v, 0, false, four);
    v[PREDICT_P_1B] = inputs[DOR2010_P_1BP] * inputs[DOR2010_P_1BD];
    return status ? status : mercury_model_predict(v, 0, true, five);
}

static double ours(const struct dor2010_cell *cell, const struct mercury_prediction *four,
                   const struct mercury_prediction *five)
{
    const struct stage *s = stage_of(cell);
    const struct pipeline_prediction *stage =
        cell->figure == DOR2010_FIGURE_15 ? &five->stage[s->five] : &four->stage[s->four];
    const struct queue_result *mean =
        &stage->queue[cell->figure == DOR2010_FIGURE_17 ? PIPELINE_MM1 : PIPELINE_MM1K_DOR].mean;
    switch (quantity_of(cell)) {
    case QUANTITY_LAMBDA:
        return stage->lambda_per_s / 1e6;
    case QUANTITY_RHO:
        return stage->rho;
    case QUANTITY_N_Q:
        return mean->n_q;
    default:
        return mean->p_bp;
    }
}

/* --- a cell as a slab ------------------------------------------------------------------------------------ */

/* least <= sum of weight x ln input <= most */
struct slab {
    double weight[DOR2010_INPUTS];
    double least, most;
};

/* The rate or the load at a stage is the product of the weighted inputs and `known`. */
static void weigh(const struct dor2010_cell *cell, struct slab *slab, double *known)
{
    const struct stage *s = stage_of(cell);
    memcpy(slab->weight, s->weight, sizeof slab->weight);
    *known = s->known;
    if (quantity_of(cell) != QUANTITY_LAMBDA && s->mu > 0)
        *known /= s->mu;
    else if (quantity_of(cell) != QUANTITY_LAMBDA)
        slab->weight[DOR2010_MU_1B] = -1;
}

/* N_Q or P_BP as a function of the load. */
static double at_load(const struct dor2010_cell *cell, double rho)
{
    const unsigned k = (unsigned)predict_case_default("").value[stage_of(cell)->capacity];
    struct queue_result q;
    if (cell->figure == DOR2010_FIGURE_17)
        mm1_solve(rho, 1, k, &q);
    else
        mm1k_solve_actual(rho, 1, k, &q);
    return quantity_of(cell) == QUANTITY_N_Q ? q.n_q : q.p_bp;
}

/* The load at which a cell of a queue has a value: 0, or the largest number below 1, if no load has. N_Q and P_BP rise
 * with the load. */
static double load_of(const struct dor2010_cell *cell, double value)
{
    enum { HALVINGS = 200 };
    double low = 0, high = nextafter(1, 0);
    for (int i = 0; i < HALVINGS && high > low; i++) {
        double middle = low + (high - low) / 2;
        if (at_load(cell, middle) < value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static struct slab slab_of_cell(const struct dor2010_cell *cell, enum dor2010_run run)
{
    struct slab slab = {.weight = {0}};
    const struct dor2010_number printed = dor2010_number(cell->predicted[run]);
    double least = printed.low, most = printed.high, known;
    weigh(cell, &slab, &known);
    if (quantity_of(cell) >= QUANTITY_N_Q) {
        least = load_of(cell, least);
        most = load_of(cell, most);
    }
    if (slab.weight[DOR2010_MU_1B] < 0) /* a queue's load is below 1 */
        most = fmin(most, nextafter(1, 0));
    slab.least = (least > 0 ? log(least) : -INFINITY) - log(known);
    slab.most = log(most) - log(known);
    return slab;
}

/* Section 6.3: with 1/M_2 = 2.761, N_Q_1bd of run 2 is "over 400". */
static struct slab slab_of_section_6_3(void)
{
    const struct dor2010_cell cell = {.figure = DOR2010_FIGURE_15, .parameter = "N_Q_1bd"};
    struct slab slab = {.weight = {0}};
    double known;
    weigh(&cell, &slab, &known);
    known *= INVERSE_M_2_OF_1BD / INVERSE_M_2;
    slab.least = log(load_of(&cell, N_Q_1BD_OVER) / known);
    slab.most = log(nextafter(1, 0) / known);
    return slab;
}

/* --- the search ------------------------------------------------------------------------------------------ */

enum { SLABS_MAX = REPRODUCTION_CELLS_MAX + DOR2010_INPUTS + 1 };

/* Move x to the nearest point of the slab less `margin` of its width on both sides. @return whether it moved */
static bool project(const struct slab *slab, double margin, double *x)
{
    double width = isfinite(slab->least) ? slab->most - slab->least : 0;
    double at = 0, square = 0, step = 0;
    for (int i = 0; i < DOR2010_INPUTS; i++)
        at += slab->weight[i] * x[i];
    if (at < slab->least + margin * width)
        step = slab->least + margin * width - at;
    else if (at > slab->most - margin * width)
        step = slab->most - margin * width - at;
    for (int i = 0; i < DOR2010_INPUTS; i++)
        square += slab->weight[i] * slab->weight[i];
    for (int i = 0; i < DOR2010_INPUTS; i++)
        x[i] += step * slab->weight[i] / square;
    return fabs(step) > 1e-3 * width * margin + 1e-15;
}

/* Move x to a point in all slabs, as far inside of them as possible; if there is none, the search ends somewhere. */
static void search(const struct slab *slabs, size_t count, double *x)
{
    enum { ROUNDS_MAX = 20000 };
    static const double margins[] = {0.2, 0.1, 0.05, 0.02, 0.01, 0};
    for (size_t m = 0; m < sizeof margins / sizeof margins[0]; m++) {
        bool moved = true;
        for (int round = 0; round < ROUNDS_MAX && moved; round++) {
            moved = false;
            for (size_t i = 0; i < count; i++)
                moved = project(&slabs[i], margins[m], x) || moved;
        }
        if (!moved)
            return;
    }
}

static void find_inputs(enum dor2010_run run, double *inputs)
{
    struct slab slabs[SLABS_MAX];
    double x[DOR2010_INPUTS];
    size_t count = 0;
    for (size_t i = 0; i < dor2010_cell_count; i++)
        slabs[count++] = slab_of_cell(&dor2010_cells[i], run);
    if (run == DOR2010_RUN_2)
        slabs[count++] = slab_of_section_6_3();
    for (int i = 0; i < DOR2010_INPUTS; i++) {
        const struct dor2010_number printed = dor2010_number(dor2010_inputs[i].value[run]);
        slabs[count] = (struct slab){.least = log(printed.low), .most = log(printed.high)};
        slabs[count++].weight[i] = 1;
        x[i] = log(inputs[i]);
    }
    search(slabs, count, x);
    for (int i = 0; i < DOR2010_INPUTS; i++) {
        const struct dor2010_number printed = dor2010_number(dor2010_inputs[i].value[run]);
        inputs[i] = fmin(fmax(exp(x[i]), printed.low), printed.high);
    }
}

/* --- the judgement --------------------------------------------------------------------------------------- */

/* The value at the corner of the box at which a cell is greatest or least. If the chain has no number there, because
 * another stage is overloaded, the queue alone is asked; an overloaded queue has no bound. */
static int extreme(const struct dor2010_cell *cell, enum dor2010_run run, double sign, double *value)
{
    struct mercury_prediction four, five;
    struct slab slab = {.weight = {0}};
    double inputs[DOR2010_INPUTS], known, log_load = 0;
    weigh(cell, &slab, &known);
    for (int i = 0; i < DOR2010_INPUTS; i++) {
        const struct dor2010_number printed = dor2010_number(dor2010_inputs[i].value[run]);
        inputs[i] = printed.value + sign * slab.weight[i] * (printed.high - printed.value);
        log_load += slab.weight[i] * log(inputs[i]);
    }
    int status = predict(run, inputs, &four, &five);
    *value = status ? NAN : ours(cell, &four, &five);
    double load = known * exp(log_load);
    if (isnan(*value))
        *value = load < 1 ? at_load(cell, load) : INFINITY;
    return status;
}

static int judge(const struct dor2010_cell *cell, enum dor2010_run run, double value,
                 struct reproduced_cell *out)
{
    const struct dor2010_number printed = dor2010_number(cell->predicted[run]);
    double rounding = 1e-12 * printed.value, /* of the decimal limits */
        low = printed.low - rounding, high = printed.high + rounding;
    *out = (struct reproduced_cell){
        .cell = cell, .printed = printed, .ours = value, .admitted = value >= low && value <= high};
    int status = extreme(cell, run, -1, &out->least);
    if (status == 0)
        status = extreme(cell, run, 1, &out->most);
    out->admitted_alone = out->least <= high && out->most >= low;
    return status;
}

static double load_of_1bd(const double *inputs, double inverse_m_2)
{
    double lambda = WMERS_BYTE * inputs[DOR2010_LAMBDA_IN] * inputs[DOR2010_P_1A] * inputs[DOR2010_P_1BP];
    return lambda / (inputs[DOR2010_MU_1B] * INVERSE_M_2 / inverse_m_2);
}

const char *reproduction_note_1bd(const struct reproduction *r, char text[REPRODUCTION_NOTE_BYTES])
{
    snprintf(
        text, REPRODUCTION_NOTE_BYTES,
        "section 6.3, the same inputs: with 1/M_2 = %g instead of %g, N_Q_1bd is %.4g (printed: over 400); "
        "with %g rho_1bd is %.5g%s",
        INVERSE_M_2_OF_1BD, INVERSE_M_2, r->n_q_1bd, INVERSE_M_2_BEYOND, r->rho_1bd_beyond,
        r->rho_1bd_beyond >= 1 ? ", and there is no solution" : "");
    return text;
}

int reproduction_make(enum dor2010_run run, bool as_printed, struct reproduction *out)
{
    struct mercury_prediction four, five;
    *out = (struct reproduction){.run = run, .cell_count = dor2010_cell_count};
    for (int i = 0; i < DOR2010_INPUTS; i++)
        out->inputs[i] = dor2010_number(dor2010_inputs[i].value[run]).value;
    if (!as_printed)
        find_inputs(run, out->inputs);
    int status = predict(run, out->inputs, &four, &five);
    for (size_t i = 0; i < dor2010_cell_count && status == 0; i++) {
        status = judge(&dor2010_cells[i], run, ours(&dor2010_cells[i], &four, &five), &out->cells[i]);
        out->not_admitted += !out->cells[i].admitted;
    }
    if (run == DOR2010_RUN_2) { /* section 6.3 */
        struct queue_result q;
        const unsigned k = (unsigned)predict_case_default("").value[PREDICT_K_1BD];
        int error = mm1k_solve_actual(load_of_1bd(out->inputs, INVERSE_M_2_OF_1BD), 1, k, &q);
        out->n_q_1bd = error ? NAN : q.n_q;
        out->rho_1bd_beyond = load_of_1bd(out->inputs, INVERSE_M_2_BEYOND);
        out->cell_count += 2;
        out->not_admitted += !(out->n_q_1bd > N_Q_1BD_OVER);
        out->not_admitted += !(out->rho_1bd_beyond >= 1);
    }
    return status;
}
