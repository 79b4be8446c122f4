#include "sim/measure/machine_quantities.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "blast/sequence/sequence.h"

#define SPEC(id, stage, kind, name, prefix, unit)                                                            \
    [id] = {name, prefix unit, QUANTITY_##stage, QUANTITY_##kind}

const struct machine_quantity_spec machine_quantities[MACHINE_QUANTITIES] = {MACHINE_QUANTITY_ROWS(SPEC)};

const char *quantity_stage_name(enum quantity_stage stage)
{
    static const char *const names[QUANTITY_STAGES] = {"pci", "1a", "1b", "1bp", "1bd", "2"};
    return names[stage];
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

/* --- batches of a pass ----------------------------------------------------------------------------------- */

#define ESTIMATE_SPEC(id, stage, kind, name, prefix, unit) [ESTIMATE_##id] = {name, unit}

const struct estimate_spec machine_estimates[MACHINE_ESTIMATES] = {
    MACHINE_QUANTITY_ROWS(ESTIMATE_SPEC)[ESTIMATE_RHO_1B_SATURATED] = {"rho_1b_saturated", "1"},
};

static_assert((int)MACHINE_ESTIMATES <= (int)FRAME_ESTIMATES_MAX, "room for every estimate");

/* The sums that are read. Those of FIFO f are SUM_OCCUPANCY + f and SUM_SIGNAL + f. */
enum {
    SUM_CLOCKS,
    SUM_WORDS,
    SUM_SEEDS,   /* into the w-mer FIFO */
    SUM_MATCHES, /* into the stage-2 FIFO */
    SUM_LOOKUPS, /* the blocks' seeds, each with its reads */
    SUM_READS,
    SUM_RECORDS,
    SUM_OCCUPANCY,
    SUM_SIGNAL = SUM_OCCUPANCY + FIFO_EGRESS,
    SUMS = SUM_SIGNAL + FIFO_EGRESS
};

static_assert((int)SUMS <= (int)BATCH_SUMS_MAX, "room for every sum");

static void read_sums(const struct machine_batches *b, const struct board_taps *taps, uint64_t *sums)
{
    sums[SUM_CLOCKS] = taps->fifos[FIFO_INGRESS].measure.clocks;
    sums[SUM_WORDS] = taps->fifos[FIFO_INGRESS].measure.elements;
    sums[SUM_SEEDS] = taps->fifos[FIFO_WMER].measure.elements;
    sums[SUM_MATCHES] = taps->fifos[FIFO_STAGE2].measure.elements;
    sums[SUM_LOOKUPS] = b->seeds;
    sums[SUM_READS] = b->reads;
    sums[SUM_RECORDS] = b->records;
    for (unsigned fifo = 0; fifo < FIFO_EGRESS; fifo++) {
        const struct fifo_measure *m = &taps->fifos[fifo].measure;
        sums[SUM_OCCUPANCY + fifo] = m->integral;
        sums[SUM_SIGNAL + fifo] = m->back_pressure_clocks;
    }
}

void machine_batches_part(struct machine_batches *b, const struct tokens *tokens)
{
    b->seeds += tokens->seed_count;
    b->reads += tokens->seed_count;
    for (size_t i = 0; i < tokens->group_count; i++)
        b->reads += group_sram_reads(tokens->groups[i]);
    b->records += tokens->hsp_count;
}

void machine_batches_end_block(struct machine_batches *b, const struct board_taps *taps)
{
    uint64_t sums[BATCH_SUMS_MAX] = {0};
    read_sums(b, taps, sums);
    batches_read(&b->batches, sums);
}

static void batch_terms(const struct batches *batches, size_t batch, const struct hardware *hardware,
                        struct batch_term *terms)
{
    double grown[SUMS];
    for (unsigned i = 0; i < SUMS; i++)
        grown[i] = (double)batches_growth(batches, batch, i);
    double s = grown[SUM_CLOCKS] / hardware->fpga_clock_hz;
    struct quantity_counts counts = {
        .clocks = grown[SUM_CLOCKS],
        .seconds = s,
        .words = grown[SUM_WORDS],
        .wmers = BASES_PER_WORD * grown[SUM_WORDS],
        .seeds = grown[SUM_SEEDS],
        .matches = grown[SUM_MATCHES],
        .lookups = grown[SUM_LOOKUPS],
        .sram_reads = grown[SUM_READS],
        .bus_bytes = BYTES_PER_WORD * grown[SUM_WORDS] + hardware->hsp_bytes * grown[SUM_RECORDS],
        .bus_capacity_bytes = s * hardware_bus_bytes_per_s(hardware),
    };
    memcpy(counts.occupancy, grown + SUM_OCCUPANCY, sizeof counts.occupancy);
    memcpy(counts.signal, grown + SUM_SIGNAL, sizeof counts.signal);
    struct batch_term of[MACHINE_QUANTITIES], saturated[MACHINE_QUANTITIES];
    machine_quantity_terms(&counts, false, of);
    machine_quantity_terms(&counts, true, saturated);
    for (unsigned i = 0; i < MACHINE_QUANTITIES; i++) {
        terms[i + (i > RHO_1B)] = of[i];
        if (machine_quantities[i].kind == QUANTITY_LAMBDA)
            terms[i].part *= 1e6; /* summaries have elements per second */
    }
    terms[ESTIMATE_RHO_1B_SATURATED] = saturated[RHO_1B];
}

void machine_batches_close(struct machine_batches *b, const struct board_taps *taps,
                           const struct hardware *hardware, struct frame *frame)
{
    uint64_t sums[BATCH_SUMS_MAX] = {0};
    struct batch_term terms[MACHINE_ESTIMATES][BATCHES_MAX], of_batch[MACHINE_ESTIMATES];
    read_sums(b, taps, sums);
    batches_close(&b->batches, sums);
    size_t count = b->batches.count;
    for (size_t batch = 0; batch < count; batch++) {
        batch_terms(&b->batches, batch, hardware, of_batch);
        for (unsigned i = 0; i < MACHINE_ESTIMATES; i++)
            terms[i][batch] = of_batch[i];
    }
    frame->batches = count;
    frame->blocks_a_batch = batches_length(&b->batches);
    for (unsigned i = 0; i < MACHINE_ESTIMATES; i++) {
        frame->estimates[i] = batch_means(terms[i], count);
        if (count < BATCHES_LEAST)
            frame->estimates[i].half_width = frame->estimates[i].lag1 = frame->estimates[i].largest = NAN;
    }
}
