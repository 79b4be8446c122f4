/* sweep_plot.h - pictures of the points in a store, drawn by gnuplot.
 *
 * Pictures  each as SVG and PNG, if the store varies what it shows: `tables` (throughput and first-access collisions
 *           over table.slots, one line per hash family), `pareto` (throughput over bits of memory, and the Pareto
 *           front), `fifos` (throughput over the depth of each FIFO that varies). Their data and scripts stay beside
 *           them (.tsv, .gp).
 * Errors    a negative SWEEP_PLOT_E* code and one line.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_PLOT_H
#define MERCURY_APP_SWEEP_SWEEP_PLOT_H

#include <stddef.h>

#include "base/why.h"
#include "app/sweep/sweep_store.h"

enum sweep_plot_error {
    SWEEP_PLOT_EFILE = -2,    /* the store cannot be read, or a file cannot be written */
    SWEEP_PLOT_ENOTHING = -3, /* nothing in the store varies that could be drawn */
    SWEEP_PLOT_EGNUPLOT = -4, /* gnuplot is missing, or failed */
};

/** Draw all pictures that the store has data for into a directory, which is made if it is missing. */
int sweep_plot(struct sweep_store *store, const char *directory, struct why *why);

#endif
