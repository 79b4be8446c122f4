#include "validate/published_run.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Of a whole number; every figure of the report has three. */
enum { COUNTING_DIGITS = 3 };

const char *const published_model_names[PUBLISHED_MODELS] = {"printed_M/M/1", "printed_M/M/1/K_4",
                                                             "printed_M/M/1/K_5"};

/* Run 1, run 2; of each the predictions of Figures 17, 12 and 15. */
const struct published_cell published_cells[PUBLISHED_CELLS] = {
    {"lambda_1a", {"1790", "1440"}, {{"1790", "1790", "1790"}, {"1440", "1440", "1440"}}},
    {"lambda_1b", {"31.9", "50.0"}, {{"31.9", "31.9", "31.9"}, {"50.0", "50.0", "50.0"}}},
    {"lambda_2", {"28.0", "38.3"}, {{"28.0", "28.0", "28.0"}, {"38.3", "38.3", "38.3"}}},
    {"rho_1a", {"0.848", "0.679"}, {{"0.841", "0.841", "0.841"}, {"0.679", "0.679", "0.679"}}},
    {"rho_1b", {"0.233", "0.927"}, {{"0.250", "0.250", "0.250"}, {"1.000", "1.00", "1.000"}}},
    {"rho_2", {"0.207", "0.288"}, {{"0.210", "0.210", "0.210"}, {"0.288", "0.288", "0.288"}}},
    {"N_Q_1b", {"~0", "580"}, {{"0.08", "0.08", NULL}, {"7470", "458", NULL}}},
    {"N_Q_1bp", {"~0", "115"}, {{NULL, NULL, "0.08"}, {NULL, NULL, "107"}}},
    {"N_Q_1bd", {"~0", "460"}, {{NULL, NULL, "0.07"}, {NULL, NULL, "7.40"}}},
    {"N_Q_2", {"1.2", "1.7"}, {{"0.06", "0.06", "0.06"}, {"0.12", "0.12", "0.12"}}},
    {"P_BP_1a", {"0.0", "0.296"}, {{"0.0", NULL, NULL}, {"0.0", NULL, NULL}}},
    {"P_BP_1b", {"0.0", "0.604"}, {{"0.0", NULL, NULL}, {"0.923", NULL, NULL}}},
    {"P_BP_2", {"0.0", "0.0"}, {{"0.0", NULL, NULL}, {"0.000", NULL, NULL}}},
};

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
    if (!text)
        return (struct published_number){NULL, NAN, NAN, NAN};
    if (strcmp(text, "~0") == 0)
        return (struct published_number){text, 0, 0, PUBLISHED_ABOUT_ZERO};
    const char *point = strchr(text, '.');
    double value = strtod(text, NULL), digits = (double)strlen(text);
    double half_unit = 0.5 * pow(10, point ? -(double)strlen(point + 1) : fmax(digits - COUNTING_DIGITS, 0));
    return (struct published_number){text, value, value - half_unit, value + half_unit};
}
