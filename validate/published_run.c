#include "validate/published_run.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "validate/dor2010.h"

const char *const published_model_names[PUBLISHED_MODELS] = {"printed_M/M/1", "printed_M/M/1/K_4",
                                                             "printed_M/M/1/K_5"};

static const enum dor2010_figure figures[PUBLISHED_MODELS] = {DOR2010_FIGURE_17, DOR2010_FIGURE_12,
                                                              DOR2010_FIGURE_15};

static const char *const parameters[PUBLISHED_CELLS] = {
    "lambda_1a", "lambda_1b", "lambda_2", "rho_1a",  "rho_1b",  "rho_2",  "N_Q_1b",
    "N_Q_1bp",   "N_Q_1bd",   "N_Q_2",    "P_BP_1a", "P_BP_1b", "P_BP_2",
};

/* Rates and utilisations of 1b are 1bp's where it is two stages; its queues are cells of their own. */
static const char *five_stage_name(const char *parameter)
{
    return strcmp(parameter, "lambda_1b") == 0 ? "lambda_1bp"
           : strcmp(parameter, "rho_1b") == 0  ? "rho_1bp"
                                               : parameter;
}

static const struct dor2010_cell *find_printed(const char *parameter, enum dor2010_figure figure)
{
    const char *name = figure == DOR2010_FIGURE_15 ? five_stage_name(parameter) : parameter;
    for (size_t i = 0; i < dor2010_cell_count; i++)
        if (dor2010_cells[i].figure == figure && strcmp(dor2010_cells[i].parameter, name) == 0)
            return &dor2010_cells[i];
    return NULL;
}

const char *published_parameter(unsigned cell)
{
    return parameters[cell];
}

const char *published_measured(unsigned run, unsigned cell)
{
    for (unsigned model = 0; model < PUBLISHED_MODELS; model++) {
        const struct dor2010_cell *printed = find_printed(parameters[cell], figures[model]);
        if (printed && printed->measured[run])
            return printed->measured[run];
    }
    return NULL;
}

const char *published_predicted(unsigned run, unsigned cell, unsigned model)
{
    const struct dor2010_cell *printed = find_printed(parameters[cell], figures[model]);
    return printed ? printed->predicted[run] : NULL;
}

int published_cell_find(const char *parameter)
{
    for (int i = 0; i < PUBLISHED_CELLS; i++)
        if (strcmp(parameters[i], parameter) == 0)
            return i;
    return -1;
}

int published_run_find(const char *name)
{
    static const char *const names[PUBLISHED_RUNS] = {"dor2010-run1", "dor2010-run2"};
    for (int i = 0; i < PUBLISHED_RUNS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

struct published_number published_number(const char *text)
{
    double value, half_unit;
    if (!text)
        return (struct published_number){NULL, NAN, NAN, NAN};
    if (strcmp(text, DOR2010_NEAR_ZERO) == 0)
        return (struct published_number){text, 0, 0, PUBLISHED_ABOUT_ZERO};
    dor2010_parse(text, &value, &half_unit);
    return (struct published_number){text, value, value - half_unit, value + half_unit};
}
