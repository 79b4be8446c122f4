#include "app/replay/replay_cells.h"

#include <string.h>

#include "sim/measure/machine_frame.h"

/* --- scenarios and cells --------------------------------------------------------------------------------- */

static const struct replay_scenario scenarios[] = {
    {
        .name = "dor2010-run1",
        .title = "Dor 2010, run 1: human chromosome 1 against mouse",
        .fractions =
            {.p_1a = 0.0178, .trips = 0.0135, .no_match = 0.18, .two_positions = 0.02, .p_2 = 0.000204},
    },
    {
        .name = "dor2010-run2",
        .title = "Dor 2010, run 2: vertebrate against mammal mRNA",
        .fractions =
            {.p_1a = 0.0346, .trips = 0.0283, .no_match = 0.33, .two_positions = 0.02, .p_2 = 0.000350},
        .rho_1b_per_read = true,
    },
};

enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

const struct replay_scenario *replay_find(const char *name)
{
    for (unsigned i = 0; i < SCENARIOS; i++)
        if (strcmp(scenarios[i].name, name) == 0)
            return &scenarios[i];
    return NULL;
}

/* Floors: a tenth of the least place printed for queue lengths (1.2), a fifth of that of utilisations (0.0). */
static const struct {
    enum machine_quantity quantity;
    double floor;
} cells[REPLAY_CELLS] = {
    [REPLAY_LAMBDA_1A] = {LAMBDA_1A, 0}, [REPLAY_LAMBDA_1B] = {LAMBDA_1B, 0},
    [REPLAY_LAMBDA_2] = {LAMBDA_2, 0},   [REPLAY_RHO_1A] = {RHO_1A, 0},
    [REPLAY_RHO_1B] = {RHO_1B, 0},       [REPLAY_RHO_2] = {RHO_2, 0},
    [REPLAY_N_Q_1B] = {N_Q_1B, 1},       [REPLAY_N_Q_1BP] = {N_Q_1BP, 1},
    [REPLAY_N_Q_1BD] = {N_Q_1BD, 1},     [REPLAY_N_Q_2] = {N_Q_2, 0.1},
    [REPLAY_P_BP_1A] = {P_BP_1A, 0.01},  [REPLAY_P_BP_1B] = {P_BP_1B, 0.01},
    [REPLAY_P_BP_2] = {P_BP_2, 0.01},
};

enum machine_quantity replay_cell_quantity(enum replay_cell cell)
{
    return cells[cell].quantity;
}

const char *replay_cell_name(enum replay_cell cell)
{
    return machine_quantities[cells[cell].quantity].name;
}

const char *replay_cell_unit(enum replay_cell cell)
{
    return cell == REPLAY_N_Q_1BD ? "seeds" : machine_quantities[cells[cell].quantity].unit; /* as printed */
}

double replay_cell_floor(enum replay_cell cell)
{
    return cells[cell].floor;
}

/* The counts of a frame, without those of the bus, which a replay does not have. */
static struct quantity_counts counts_of(const struct frame *frame)
{
    struct quantity_counts counts = {
        .clocks = (double)frame->clocks,
        .seconds = frame_measured_s(frame),
        .words = frame_count(frame, S1A_WORDS),
        .wmers = frame_count(frame, S1A_WMERS),
        .seeds = frame_count(frame, S1B_SEEDS),
        .lookups = frame_count(frame, S1B_SEEDS),
        .sram_reads = frame_count(frame, S1B_SRAM_READS),
        .matches = frame_count(frame, S2_MATCHES),
    };
    for (unsigned i = 0; i < FIFO_EGRESS; i++) {
        const struct fifo_measure *queue = &frame->queues[i];
        counts.occupancy[i] = (double)queue->integral;
        counts.signal[i] = (double)queue->back_pressure_clocks;
    }
    return counts;
}

void replay_cell_terms(const struct frame *frame, const struct replay_scenario *scenario,
                       struct batch_term *terms)
{
    struct batch_term of_frame[MACHINE_QUANTITIES];
    struct quantity_counts counts = counts_of(frame);
    machine_quantity_terms(&counts, scenario->rho_1b_per_read, of_frame);
    for (unsigned cell = 0; cell < REPLAY_CELLS; cell++)
        terms[cell] = of_frame[cells[cell].quantity];
}
