/* dor2010.h - the two published runs of Mercury BLASTN as printed: inputs, predictions, measurements.
 *
 * Models    nothing. Values are texts in their printed precision, which tells their rounding. NULL stands for "N/A",
 *           DOR2010_NEAR_ZERO for "approaching 0".
 * Rounding  half a unit of the last digit that is printed. In a whole number with more than three digits, the third is
 *           the last that counts (1790, 7470, 2130), since every value of the report has three.
 * Zero      A printed zero stands for less than DOR2010_ZERO_PART of its unit: of a unit of its last digit (below 0.005
 *           for 0.0), and of an element for "approaching 0" (below 0.05). The same columns print 0.296, 0.08 and 1.2,
 *           so a measured 0.037 or 2.98 would not have been printed as zero.
 * Source    R. Dor, WUCSE-2010-30: inputs Figures 11, 14, 16; predictions and measurements Figures 12, 15, 17.
 *           Run 1: human chromosome 1 against mouse; run 2: non-mammal mRNA against mammal mRNA.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sim/measure/machine_quantities.h"

#define DOR2010_NEAR_ZERO "~0"

/* A printed zero stands for less than this part of its unit. */
#define DOR2010_ZERO_PART 0.05

/* The clock of the machine of both runs, section 4.3.5. */
#define DOR2010_CLOCK_MHZ 133.0

enum dor2010_run { DOR2010_RUN_1, DOR2010_RUN_2, DOR2010_RUNS };

/** The inputs that the data decide. mu_1b is that of 1bp and 1bd, too. All figures that print an input print the
 *  same. */
enum dor2010_input {
    DOR2010_LAMBDA_IN,
    DOR2010_MU_1B,
    DOR2010_P_1A,
    DOR2010_P_1B,
    DOR2010_P_1BP,
    DOR2010_P_1BD,
    DOR2010_P_2,
    DOR2010_INPUTS
};

struct dor2010_input_row {
    const char *name, *unit;
    const char *value[DOR2010_RUNS];
};

enum dor2010_figure { DOR2010_FIGURE_12, DOR2010_FIGURE_15, DOR2010_FIGURE_17, DOR2010_FIGURES };

struct dor2010_cell {
    enum dor2010_figure figure;
    const char *parameter, *unit;
    const char *predicted[DOR2010_RUNS], *measured[DOR2010_RUNS];
};

extern const struct dor2010_input_row dor2010_inputs[DOR2010_INPUTS];

extern const struct dor2010_cell dor2010_cells[];
extern const size_t dor2010_cell_count;

struct dor2010_figure_row {
    int number;
    const char *model;  /* "M/M/1/K (Dor), four stages" */
    const char *column; /* its predictions, in tables beside Mercury's own: "printed_M/M/1/K (Dor)_4" */
};

extern const struct dor2010_figure_row dor2010_figures[DOR2010_FIGURES];

/** The meaning of a printed text. */
struct dor2010_number {
    const char *text; /* as printed; NULL if nothing was printed */
    double value;     /* NaN if nothing was printed */
    double low, high; /* the least and the largest value that it stands for */
};

/** The number that a printed text stands for. @param text  NULL if nothing was printed */
struct dor2010_number dor2010_number(const char *text);

/** Find a run by its name, dor2010-run1 or dor2010-run2. @return a DOR2010_RUN_*, or -1 if no run has this name */
int dor2010_run_find(const char *name);

/** The row of a figure for a quantity; NULL if it has none. Figure 15's lambda_1bp and rho_1bp stand for lambda_1b and
 *  rho_1b. */
const struct dor2010_cell *dor2010_find_cell(enum machine_quantity quantity, enum dor2010_figure figure);

/** The value of a quantity that TimeTrial measured; it is the same in all figures. */
struct dor2010_number dor2010_measured(enum dor2010_run run, enum machine_quantity quantity);

/** The value that a figure predicts for a quantity, in its row dor2010_find_cell(). */
struct dor2010_number dor2010_predicted(enum dor2010_run run, enum machine_quantity quantity,
                                        enum dor2010_figure figure);

/** A measured value that is not what other measured values of its run give, in a sentence. That does not prove it
 *  wrong: utilisations are printed as medians over passes, which need not be the ratios of totals, and a queue's length
 *  may be rounded to tens. */
struct dor2010_mismatch {
    enum machine_quantity quantity; /* whose value it is */
    char text[240];
};

enum { DOR2010_MISMATCHES_MAX = 8 };

/** Find the measured values of a run that others do not give, however these were rounded: a utilisation of 1a or 2
 *  that is not the stage's rate over the clock (1a takes 16 w-mers per clock, 2 one match), one of 1b that is less than
 *  that, and an N_Q of 1b that is not the sum of its two queues.
 *
 * @param mismatches  DOR2010_MISMATCHES_MAX of them
 * @return number of mismatches
 */
unsigned dor2010_find_mismatches(enum dor2010_run run, struct dor2010_mismatch *mismatches);

/* A published run computed again: the inputs, inside their printed rounding, that give every
 * printed prediction.
 *
 * Models    The inputs that a run's data decide may lie anywhere inside their printed rounding, and have
 *           one value for all three figures; those of the machine are exact: clock 133 MHz (so mu_1a = 16 x 133,
 *           printed 2130, and mu_2 = 133), mu_pci 900 MB/s, the capacities of Figures 11 and 14, 1/M_2 = 2.464 in
 *           run 2 (section 6.3; M_2 is printed as 0.406).
 * Method    Every rate and utilisation is a product of inputs, and every queue length and back-pressure rises with a
 *           utilisation. So each cell with its rounding, and each input with its own, is a slab in the logarithms of
 *           the inputs (for a queue, after its function was inverted). An input vector that gives all of them is a
 *           point in all slabs. It is found by projections on one slab after the other, from the printed digits on,
 *           first on the inner part of each slab. The models themselves then judge the point that was found.
 * Source    Dor 2010 (WUCSE-2010-30); method: Agmon, Canadian J. Math. 6, 1954 (relaxation for linear inequalities).
 */

enum { REPRODUCTION_CELLS_MAX = 64 };

struct reproduced_cell {
    const struct dor2010_cell *cell;
    struct dor2010_number printed;
    double ours;
    double least, most;  /* range if inputs are anywhere inside their rounding, for this cell alone */
    bool admitted;       /* ours rounds to the printed value */
    bool admitted_alone; /* some inputs inside their rounding give a value that does */
};

struct reproduction {
    enum dor2010_run run;
    double inputs[DOR2010_INPUTS]; /* in the printed units, inside the printed rounding */
    struct reproduced_cell cells[REPRODUCTION_CELLS_MAX]; /* in the order of dor2010_cells */
    size_t cell_count;   /* those of the figures and, in run 2, the two statements of section 6.3 */
    size_t not_admitted; /* of these */
    /* Section 6.3 gives 1bd of run 2 a service rate of its own, mu_1bd = clock / (M_1b x 1/M_2), because the measured
     * N_Q, 460, needs a load just below 1: with 1/M_2 = 2.761 N_Q_1bd is over 400, with 2.762 there is no solution. */
    double n_q_1bd, rho_1bd_beyond;
};

/** Compute the cells of a run.
 *
 * @param as_printed  take the printed digits as inputs instead of a search
 * @return 0 or a code of model/model_error.h
 */
int reproduction_make(enum dor2010_run run, bool as_printed, struct reproduction *out);

enum { REPRODUCTION_NOTE_BYTES = 240 };

/** A sentence on what section 6.3 says of run 2. @return `text` */
const char *reproduction_note_1bd(const struct reproduction *run_2, char text[REPRODUCTION_NOTE_BYTES]);
