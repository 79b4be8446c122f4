/* published_run.h - what was printed of Mercury's two published runs: measurements and predictions.
 *
 * Source    Dor 2010 (WUCSE-2010-30), Figures 12 (M/M/1/K, four stages), 15 (M/M/1/K, five stages) and 17 (M/M/1, four
 *           stages); measured is the TimeTrial column. The digits are dor2010.h's, nothing is computed here. Cells without a
 *           measurement (rho_pci, N_Q of 1a, 1bd's rates) are left out. With four stages the two queues of 1b are one, N_Q_1b;
 *           Figure 15's lambda_1bp and rho_1bp stand under lambda_1b and rho_1b. N_Q_1b measured is their sum.
 * Rounding  a printed number stands for whatever rounds to it: half a unit of its last digit to either side; of a whole
 *           number with more than three digits the third is the last that counts (1790). "~0"
 *           ("approaching 0") stands for anything below PUBLISHED_ABOUT_ZERO elements.
 */
#ifndef MERCURY_VALIDATE_PUBLISHED_RUN_H
#define MERCURY_VALIDATE_PUBLISHED_RUN_H

#define PUBLISHED_ABOUT_ZERO 5.0

enum { PUBLISHED_CELLS = 13, PUBLISHED_RUNS = 2, PUBLISHED_MODELS = 3 };

struct published_number {
    const char *text; /* as printed, or NULL: not printed */
    double value;     /* NaN: not printed */
    double low, high; /* what rounds to it */
};

/** A cell's name, lambda_1a ... P_BP_2; in machine_layout's units, rates in millions a second. */
const char *published_parameter(unsigned cell);

/** A cell by name: its index, or -1. */
int published_cell_find(const char *parameter);

/** What was printed of a cell; NULL: nothing. */
const char *published_measured(unsigned run, unsigned cell);
const char *published_predicted(unsigned run, unsigned cell, unsigned model);

/** "printed_M/M/1" ..., of Figures 17, 12, 15 */
extern const char *const published_model_names[PUBLISHED_MODELS];

/** A run by name, dor2010-run1 or dor2010-run2: its index, or -1. */
int published_run_find(const char *name);

/** What a printed text says. @param text  or NULL */
struct published_number published_number(const char *text);

#endif
