#include "sim/measure/machine_quantities.h"

#include <string.h>

#include "sim/measure/machine_frame.h"

const struct machine_quantity_spec machine_quantities[MACHINE_QUANTITIES] = {
    [LAMBDA_1A] = {"lambda_1a", "Mwmers/s", QUANTITY_1A, QUANTITY_LAMBDA},
    [LAMBDA_1B] = {"lambda_1b", "Mseeds/s", QUANTITY_1B, QUANTITY_LAMBDA},
    [LAMBDA_2] = {"lambda_2", "Mmatches/s", QUANTITY_2, QUANTITY_LAMBDA},
    [RHO_PCI] = {"rho_pci", "1", QUANTITY_PCI, QUANTITY_RHO},
    [RHO_1A] = {"rho_1a", "1", QUANTITY_1A, QUANTITY_RHO},
    [RHO_1B] = {"rho_1b", "1", QUANTITY_1B, QUANTITY_RHO},
    [RHO_2] = {"rho_2", "1", QUANTITY_2, QUANTITY_RHO},
    [N_Q_1A] = {"N_Q_1a", "wmers", QUANTITY_1A, QUANTITY_N_Q},
    [N_Q_1B] = {"N_Q_1b", "seeds", QUANTITY_1B, QUANTITY_N_Q},
    [N_Q_1BP] = {"N_Q_1bp", "seeds", QUANTITY_1BP, QUANTITY_N_Q},
    [N_Q_1BD] = {"N_Q_1bd", "lookups", QUANTITY_1BD, QUANTITY_N_Q},
    [N_Q_2] = {"N_Q_2", "matches", QUANTITY_2, QUANTITY_N_Q},
    [P_BP_1A] = {"P_BP_1a", "1", QUANTITY_1A, QUANTITY_P_BP},
    [P_BP_1B] = {"P_BP_1b", "1", QUANTITY_1B, QUANTITY_P_BP},
    [P_BP_1BD] = {"P_BP_1bd", "1", QUANTITY_1BD, QUANTITY_P_BP},
    [P_BP_2] = {"P_BP_2", "1", QUANTITY_2, QUANTITY_P_BP},
};

const char *quantity_stage_name(enum quantity_stage stage)
{
    static const char *const names[QUANTITY_STAGES] = {"pci", "1a", "1b", "1bp", "1bd", "2"};
    return names[stage];
}

int machine_quantity_find(const char *name)
{
    for (int i = 0; i < MACHINE_QUANTITIES; i++)
        if (strcmp(machine_quantities[i].name, name) == 0)
            return i;
    return -1;
}

void machine_quantity_terms(const struct quantity_counts *c, bool seeds_per_read, struct batch_term *terms)
{
    const double *n = c->occupancy, *signal = c->signal;
    const struct batch_term of[MACHINE_QUANTITIES] = {
        [LAMBDA_1A] = {c->wmers / 1e6, c->seconds},
        [LAMBDA_1B] = {c->seeds / 1e6, c->seconds},
        [LAMBDA_2] = {c->matches / 1e6, c->seconds},
        [RHO_PCI] = {c->bus_bytes, c->bus_capacity_bytes},
        [RHO_1A] = {c->words, c->clocks},
        [RHO_1B] = {seeds_per_read ? c->seeds : c->sram_reads, seeds_per_read ? c->sram_reads : c->clocks},
        [RHO_2] = {c->matches, c->clocks},
        [N_Q_1A] = {n[FIFO_INGRESS] * c->wmers / c->words, c->clocks},
        [N_Q_1B] = {n[FIFO_WMER] + n[FIFO_SRAM], c->clocks},
        [N_Q_1BP] = {n[FIFO_WMER], c->clocks},
        [N_Q_1BD] = {n[FIFO_SRAM], c->clocks},
        [N_Q_2] = {n[FIFO_STAGE2], c->clocks},
        [P_BP_1A] = {signal[FIFO_INGRESS], c->clocks},
        [P_BP_1B] = {signal[FIFO_WMER], c->clocks},
        [P_BP_1BD] = {signal[FIFO_SRAM], c->clocks},
        [P_BP_2] = {signal[FIFO_STAGE2], c->clocks},
    };
    memcpy(terms, of, sizeof of);
}

static double counter(const struct frame *frame, const char *stage, const char *name)
{
    return (double)frame->counters[frame_find_counter(&machine_layout, stage, name)];
}

struct quantity_counts quantity_counts_of_frame(const struct frame *frame)
{
    static const char *const fifos[FIFO_EGRESS] = {"ingress_fifo", "wmer_fifo", "sram_fifo", "stage2_fifo"};
    struct quantity_counts counts = {
        .clocks = (double)frame->clocks,
        .seconds = frame_measured_s(frame),
        .words = counter(frame, "stage_1a", "words"),
        .wmers = counter(frame, "stage_1a", "wmers"),
        .seeds = counter(frame, "stage_1b", "seeds"),
        .sram_reads = counter(frame, "stage_1b", "sram_reads"),
        .matches = counter(frame, "stage_2", "matches"),
    };
    for (unsigned i = 0; i < FIFO_EGRESS; i++) {
        const struct fifo_measure *queue = &frame->queues[frame_find_queue(&machine_layout, fifos[i])];
        counts.occupancy[i] = (double)queue->integral;
        counts.signal[i] = (double)queue->back_pressure_clocks;
    }
    return counts;
}
