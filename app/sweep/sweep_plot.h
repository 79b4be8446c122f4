/* sweep_plot.h - pictures of a store's points, by gnuplot.
 *
 * Pictures  each as SVG and PNG, where the store varies what it shows: `tables` (throughput and first-access collisions
 *           over table.slots, a line a hash family), `pareto` (throughput over bits of memory, and its front), `fifos`
 *           (throughput over the depth of each FIFO that varies). Their data and scripts are left beside them (.tsv, .gp).
 * Errors    a negative SWEEP_PLOT_E* code and one line.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_PLOT_H
#define MERCURY_APP_SWEEP_SWEEP_PLOT_H

#include <stddef.h>

#include "base/why.h"
#include "app/sweep/sweep_store.h"

enum sweep_plot_error {
    SWEEP_PLOT_EMEMORY = -1,
    SWEEP_PLOT_ENOTHING = -2, /* nothing in the store varies that could be drawn */
    SWEEP_PLOT_EGNUPLOT = -3, /* not there, or it failed */
    SWEEP_PLOT_EFILE = -4,
};

int sweep_plot(struct sweep_store *store, const char *directory, struct why *why);

#endif
