/* replay_cells.h - the published runs that can be replayed, and the quantities that were measured on them.
 *
 * Models    the two runs of Dor 2010 (WUCSE-2010-30) that TimeTrial measured, and the cells of its Figures 12, 15 and
 *           17 that have a measurement. Definitions of queues, signals and utilisations: docs/hardware.md, end of "One
 *           clock, in this order"; the frame's names: machine_frame.h.
 */
#ifndef MERCURY_APP_THEORY_REPLAY_CELLS_H
#define MERCURY_APP_THEORY_REPLAY_CELLS_H

#include <stdbool.h>

#include "sim/measure/machine_quantities.h"
#include "app/replay/seed_draws.h"

/** A published run. */
struct replay_scenario {
    const char *name;
    const char *title;
    struct seed_fractions fractions;
    /** The published rho_1b is seeds per SRAM read, since 1b is saturated (Dor 2010, section 6.1). */
    bool rho_1b_per_read;
};

/** Find a scenario by name. @return NULL if there is none */
const struct replay_scenario *replay_find(const char *name);

/** The cells that were measured on the real machine. */
enum replay_cell {
    REPLAY_LAMBDA_1A,
    REPLAY_LAMBDA_1B,
    REPLAY_LAMBDA_2,
    REPLAY_RHO_1A,
    REPLAY_RHO_1B,
    REPLAY_RHO_2,
    REPLAY_N_Q_1B, /* both queues of 1b */
    REPLAY_N_Q_1BP,
    REPLAY_N_Q_1BD,
    REPLAY_N_Q_2,
    REPLAY_P_BP_1A,
    REPLAY_P_BP_1B,
    REPLAY_P_BP_2,
    REPLAY_CELLS
};

enum machine_quantity replay_cell_quantity(enum replay_cell cell);
const char *replay_cell_name(enum replay_cell cell);
const char *replay_cell_unit(enum replay_cell cell);

/** Intervals of smaller means are compared with this value: the publication does not tell smaller means apart. */
double replay_cell_floor(enum replay_cell cell);

/** Split what a frame of machine_layout contributes to each cell into part and whole.
 *  @param terms  REPLAY_CELLS of them */
void replay_cell_terms(const struct frame *frame, const struct replay_scenario *scenario,
                       struct batch_term *terms);

#endif
