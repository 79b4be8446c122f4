/* reproduction.h - a published run computed again: which inputs inside the printed rounding give every printed
 * prediction.
 *
 * Models    the inputs a run's data decide (dor2010.h) lie anywhere inside their printed rounding, one value each
 *           for all three figures; the machine's are exact: clock 133 MHz (so mu_1a = 16 x 133, printed 2130, and
 *           mu_2 = 133), mu_pci 900 MB/s, the capacities of Figures 11 and 14, M_2 = 0.406 in run 2.
 * Method    every rate and utilisation is a product of inputs, every queue length and back-pressure rises with a
 *           utilisation. So each cell with its rounding, and each input with its own, is a slab in the logarithms of
 *           the inputs (cells of queues after their function was inverted), and an input vector that gives all is a
 *           point in all slabs: found by projecting on each slab in turn, starting from the printed digits, first on
 *           the inner part of each. Whatever comes out is then judged by the models themselves.
 * Source    Dor 2010 (WUCSE-2010-30); method: Agmon, Canadian J. Math. 6, 1954 (relaxation for linear inequalities).
 */
#ifndef MERCURY_VALIDATE_REPRODUCTION_H
#define MERCURY_VALIDATE_REPRODUCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "validate/dor2010.h"

enum { REPRODUCTION_CELLS_MAX = 64 };

struct reproduced_cell {
    double printed, half_unit;
    double ours;
    double least, most;  /* what inputs anywhere inside their rounding give, each cell for itself */
    bool admitted;       /* ours rounds to what is printed */
    bool admitted_alone; /* some inputs inside the rounding would */
};

struct reproduction {
    enum dor2010_run run;
    double inputs[DOR2010_INPUTS]; /* in the printed units, inside the printed rounding */
    struct reproduced_cell cells[REPRODUCTION_CELLS_MAX]; /* dor2010_cells in order */
    size_t not_admitted;
};

/** Compute a run's cells.
 *
 * @param as_printed  take the printed digits as they stand instead of searching
 * @return 0 or a code of model/model_error.h
 */
int reproduction_make(enum dor2010_run run, bool as_printed, struct reproduction *out);

#endif
