#include "app/theory/replay_cells.h"

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

const struct replay_scenario *replay_number(unsigned number)
{
    return number < SCENARIOS ? &scenarios[number] : NULL;
}

const struct replay_scenario *replay_find(const char *name)
{
    for (unsigned i = 0; i < SCENARIOS; i++)
        if (strcmp(scenarios[i].name, name) == 0)
            return &scenarios[i];
    return NULL;
}

/* Floors: a tenth of the least place printed for queue lengths (1.2), a fifth of that of utilisations (0.0). */
static const struct {
    const char *name, *unit;
    double floor;
} cells[REPLAY_CELLS] = {
    [REPLAY_LAMBDA_1A] = {"lambda_1a", "Mwmers/s", 0},
    [REPLAY_LAMBDA_1B] = {"lambda_1b", "Mseeds/s", 0},
    [REPLAY_LAMBDA_2] = {"lambda_2", "Mmatches/s", 0},
    [REPLAY_RHO_1A] = {"rho_1a", "1", 0},
    [REPLAY_RHO_1B] = {"rho_1b", "1", 0},
    [REPLAY_RHO_2] = {"rho_2", "1", 0},
    [REPLAY_N_Q_1B] = {"N_Q_1b", "seeds", 1},
    [REPLAY_N_Q_1BP] = {"N_Q_1bp", "seeds", 1},
    [REPLAY_N_Q_1BD] = {"N_Q_1bd", "seeds", 1},
    [REPLAY_N_Q_2] = {"N_Q_2", "matches", 0.1},
    [REPLAY_P_BP_1A] = {"P_BP_1a", "1", 0.01},
    [REPLAY_P_BP_1B] = {"P_BP_1b", "1", 0.01},
    [REPLAY_P_BP_2] = {"P_BP_2", "1", 0.01},
};

const char *replay_cell_name(enum replay_cell cell)
{
    return cells[cell].name;
}

const char *replay_cell_unit(enum replay_cell cell)
{
    return cells[cell].unit;
}

double replay_cell_floor(enum replay_cell cell)
{
    return cells[cell].floor;
}

/* --- a frame's terms ------------------------------------------------------------------------------------- */

static double counter(const struct frame *frame, const char *stage, const char *name)
{
    return (double)frame->counters[frame_find_counter(&machine_layout, stage, name)];
}

static const struct fifo_measure *queue(const struct frame *frame, const char *name)
{
    return &frame->queues[frame_find_queue(&machine_layout, name)];
}

static double occupancy(const struct frame *frame, const char *name)
{
    return (double)queue(frame, name)->integral;
}

static double back_pressure(const struct frame *frame, const char *name)
{
    return (double)queue(frame, name)->back_pressure_clocks;
}

static struct batch_term rho_1b(const struct frame *frame, bool per_read)
{
    double seeds = counter(frame, "stage_1b", "seeds"), reads = counter(frame, "stage_1b", "sram_reads");
    return per_read ? (struct batch_term){seeds, reads} : (struct batch_term){reads, (double)frame->clocks};
}

void replay_cell_terms(const struct frame *frame, const struct replay_scenario *scenario,
                       struct batch_term *terms)
{
    double clocks = (double)frame->clocks, megaseconds = 1e6 * frame_measured_s(frame);
    double wmer = occupancy(frame, "wmer_fifo"), sram = occupancy(frame, "sram_fifo");
    double matches = counter(frame, "stage_2", "matches");
    terms[REPLAY_LAMBDA_1A] = (struct batch_term){counter(frame, "stage_1a", "wmers"), megaseconds};
    terms[REPLAY_LAMBDA_1B] = (struct batch_term){counter(frame, "stage_1b", "seeds"), megaseconds};
    terms[REPLAY_LAMBDA_2] = (struct batch_term){matches, megaseconds};
    terms[REPLAY_RHO_1A] = (struct batch_term){counter(frame, "stage_1a", "input"), clocks};
    terms[REPLAY_RHO_1B] = rho_1b(frame, scenario->rho_1b_per_read);
    terms[REPLAY_RHO_2] = (struct batch_term){counter(frame, "stage_2", "input"), clocks};
    terms[REPLAY_N_Q_1B] = (struct batch_term){wmer + sram, clocks};
    terms[REPLAY_N_Q_1BP] = (struct batch_term){wmer, clocks};
    terms[REPLAY_N_Q_1BD] = (struct batch_term){sram, clocks};
    terms[REPLAY_N_Q_2] = (struct batch_term){occupancy(frame, "stage2_fifo"), clocks};
    terms[REPLAY_P_BP_1A] = (struct batch_term){back_pressure(frame, "ingress_fifo"), clocks};
    terms[REPLAY_P_BP_1B] = (struct batch_term){back_pressure(frame, "wmer_fifo"), clocks};
    terms[REPLAY_P_BP_2] = (struct batch_term){back_pressure(frame, "stage2_fifo"), clocks};
}
