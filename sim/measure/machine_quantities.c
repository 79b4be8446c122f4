#include "sim/measure/machine_quantities.h"

#include <string.h>

#define SPEC(id, name, prefix, unit, stage, kind)                                                            \
    [id] = {name, prefix unit, QUANTITY_##stage, QUANTITY_##kind}

const struct machine_quantity_spec machine_quantities[MACHINE_QUANTITIES] = {MACHINE_QUANTITY_ROWS(SPEC)};

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
        [RHO_1B] = {seeds_per_read ? c->lookups : c->sram_reads, seeds_per_read ? c->sram_reads : c->clocks},
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
