#include "validate/dor2010.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct dor2010_input_row dor2010_inputs[DOR2010_INPUTS] = {
    [DOR2010_LAMBDA_IN] = {"lambda_in", "MB/s", {"895", "722"}},
    [DOR2010_MU_1B] = {"mu_1b", "Mseeds/s", {"128", "50.0"}},
    [DOR2010_P_1A] = {"P_1a", "1", {"0.0178", "0.0346"}},
    [DOR2010_P_1B] = {"P_1b", "1", {"0.877", "0.765"}},
    [DOR2010_P_1BP] = {"P_1bp", "1", {"0.923", "0.892"}},
    [DOR2010_P_1BD] = {"P_1bd", "1", {"0.950", "0.857"}},
    [DOR2010_P_2] = {"P_2", "1", {"0.000204", "0.000350"}},
};

/* Figure 12: four stages, M/M/1/K (Dor). Figure 15: five stages, M/M/1/K (Dor). Figure 17: four stages, M/M/1. */
const struct dor2010_cell dor2010_cells[] = {
    {DOR2010_FIGURE_12, "lambda_1a", "Mwmers/s", {"1790", "1440"}, {"1790", "1440"}},
    {DOR2010_FIGURE_12, "lambda_1b", "Mseeds/s", {"31.9", "50.0"}, {"31.9", "50.0"}},
    {DOR2010_FIGURE_12, "lambda_2", "MHSPs/s", {"28.0", "38.3"}, {"28.0", "38.3"}},
    {DOR2010_FIGURE_12, "rho_pci", "1", {"0.995", "0.802"}, {NULL, NULL}},
    {DOR2010_FIGURE_12, "rho_1a", "1", {"0.841", "0.679"}, {"0.848", "0.679"}},
    {DOR2010_FIGURE_12, "rho_1b", "1", {"0.250", "1.00"}, {"0.233", "0.927"}},
    {DOR2010_FIGURE_12, "rho_2", "1", {"0.210", "0.288"}, {"0.207", "0.288"}},
    {DOR2010_FIGURE_12, "N_Q_1a", "wmers", {"4.47", "1.43"}, {NULL, NULL}},
    {DOR2010_FIGURE_12, "N_Q_1b", "seeds", {"0.08", "458"}, {DOR2010_NEAR_ZERO, "580"}},
    {DOR2010_FIGURE_12, "N_Q_2", "HSPs", {"0.06", "0.12"}, {"1.2", "1.7"}},
    {DOR2010_FIGURE_15, "lambda_1a", "Mwmers/s", {"1790", "1440"}, {"1790", "1440"}},
    {DOR2010_FIGURE_15, "lambda_1bp", "Mseeds/s", {"31.9", "50.0"}, {"31.9", "50.0"}},
    {DOR2010_FIGURE_15, "lambda_1bd", "Mseeds/s", {"29.5", "44.6"}, {NULL, NULL}},
    {DOR2010_FIGURE_15, "lambda_2", "MHSPs/s", {"28.0", "38.3"}, {"28.0", "38.3"}},
    {DOR2010_FIGURE_15, "rho_pci", "1", {"0.995", "0.802"}, {NULL, NULL}},
    {DOR2010_FIGURE_15, "rho_1a", "1", {"0.841", "0.679"}, {"0.848", "0.679"}},
    {DOR2010_FIGURE_15, "rho_1bp", "1", {"0.250", "1.000"}, {"0.233", "0.927"}},
    {DOR2010_FIGURE_15, "rho_1bd", "1", {"0.230", "0.892"}, {NULL, NULL}},
    {DOR2010_FIGURE_15, "rho_2", "1", {"0.210", "0.288"}, {"0.207", "0.288"}},
    {DOR2010_FIGURE_15, "N_Q_1a", "wmers", {"4.47", "1.43"}, {NULL, NULL}},
    {DOR2010_FIGURE_15, "N_Q_1bp", "seeds", {"0.08", "107"}, {DOR2010_NEAR_ZERO, "115"}},
    {DOR2010_FIGURE_15, "N_Q_1bd", "seeds", {"0.07", "7.40"}, {DOR2010_NEAR_ZERO, "460"}},
    {DOR2010_FIGURE_15, "N_Q_2", "HSPs", {"0.06", "0.12"}, {"1.2", "1.7"}},
    {DOR2010_FIGURE_17, "lambda_1a", "Mwmers/s", {"1790", "1440"}, {"1790", "1440"}},
    {DOR2010_FIGURE_17, "lambda_1b", "Mseeds/s", {"31.9", "50.0"}, {"31.9", "50.0"}},
    {DOR2010_FIGURE_17, "lambda_2", "MHSPs/s", {"28.0", "38.3"}, {"28.0", "38.3"}},
    {DOR2010_FIGURE_17, "rho_pci", "1", {"0.995", "0.802"}, {NULL, NULL}},
    {DOR2010_FIGURE_17, "rho_1a", "1", {"0.841", "0.679"}, {"0.848", "0.679"}},
    {DOR2010_FIGURE_17, "rho_1b", "1", {"0.250", "1.000"}, {"0.233", "0.927"}},
    {DOR2010_FIGURE_17, "rho_2", "1", {"0.210", "0.288"}, {"0.207", "0.288"}},
    {DOR2010_FIGURE_17, "N_Q_1a", "wmers", {"4.47", "1.43"}, {NULL, NULL}},
    {DOR2010_FIGURE_17, "N_Q_1b", "seeds", {"0.08", "7470"}, {DOR2010_NEAR_ZERO, "580"}},
    {DOR2010_FIGURE_17, "N_Q_2", "HSPs", {"0.06", "0.12"}, {"1.2", "1.7"}},
    {DOR2010_FIGURE_17, "P_BP_1a", "1", {"0.0", "0.0"}, {"0.0", "0.296"}},
    {DOR2010_FIGURE_17, "P_BP_1b", "1", {"0.0", "0.923"}, {"0.0", "0.604"}},
    {DOR2010_FIGURE_17, "P_BP_2", "1", {"0.0", "0.000"}, {"0.0", "0.0"}},
};

const size_t dor2010_cell_count = sizeof dor2010_cells / sizeof dor2010_cells[0];

int dor2010_figure_number(enum dor2010_figure figure)
{
    static const int numbers[] = {12, 15, 17};
    return numbers[figure];
}

void dor2010_parse(const char *text, double *value, double *half_unit)
{
    const char *point = strchr(text, '.');
    size_t digits = strlen(text);
    *value = strtod(text, NULL);
    *half_unit = 0.5;
    for (size_t i = 1; point && point[i]; i++)
        *half_unit /= 10;
    for (; !point && digits > 3; digits--)
        *half_unit *= 10;
}

struct dor2010_number dor2010_number(const char *text)
{
    double value, half_unit;
    if (!text)
        return (struct dor2010_number){NULL, NAN, NAN, NAN};
    if (strcmp(text, DOR2010_NEAR_ZERO) == 0)
        return (struct dor2010_number){text, 0, 0, DOR2010_ZERO_PART};
    dor2010_parse(text, &value, &half_unit);
    if (value == 0)
        half_unit *= 2 * DOR2010_ZERO_PART;
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

const char *dor2010_figure_name(enum dor2010_figure figure)
{
    static const char *const names[DOR2010_FIGURES] = {"printed_M/M/1/K (Dor)_4", "printed_M/M/1/K (Dor)_5",
                                                       "printed_M/M/1"};
    return names[figure];
}
