/* reproduction.h - a published run computed again: the inputs, inside their printed rounding, that give every
 * printed prediction.
 *
 * Models    The inputs that a run's data decide (dor2010.h) may lie anywhere inside their printed rounding, and have
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
#ifndef MERCURY_VALIDATE_REPRODUCTION_H
#define MERCURY_VALIDATE_REPRODUCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "model/queue/single_queue.h"
#include "validate/dor2010.h"

enum { REPRODUCTION_CELLS_MAX = 64 };

struct reproduced_cell {
    double printed, half_unit; /* half_unit: half of the width of what `printed` stands for */
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

#endif
