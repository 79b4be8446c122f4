#include "sim/measure/machine_batches.h"

#include <assert.h>
#include <math.h>

#include "blast/sequence/sequence.h"

const struct estimate_spec machine_estimates[MACHINE_ESTIMATES] = {
    [ESTIMATE_LAMBDA_1A] = {"lambda_1a", "wmers/s"},
    [ESTIMATE_LAMBDA_1B] = {"lambda_1b", "seeds/s"},
    [ESTIMATE_LAMBDA_2] = {"lambda_2", "matches/s"},
    [ESTIMATE_RHO_PCI] = {"rho_pci", "1"},
    [ESTIMATE_RHO_1A] = {"rho_1a", "1"},
    [ESTIMATE_RHO_1B] = {"rho_1b", "1"},
    [ESTIMATE_RHO_1B_SATURATED] = {"rho_1b_saturated", "1"},
    [ESTIMATE_RHO_2] = {"rho_2", "1"},
    [ESTIMATE_N_Q_1A] = {"N_Q_1a", "wmers"},
    [ESTIMATE_N_Q_1B] = {"N_Q_1b", "seeds"},
    [ESTIMATE_N_Q_1BP] = {"N_Q_1bp", "seeds"},
    [ESTIMATE_N_Q_1BD] = {"N_Q_1bd", "lookups"},
    [ESTIMATE_N_Q_2] = {"N_Q_2", "matches"},
    [ESTIMATE_P_BP_1A] = {"P_BP_1a", "1"},
    [ESTIMATE_P_BP_1B] = {"P_BP_1b", "1"},
    [ESTIMATE_P_BP_1BD] = {"P_BP_1bd", "1"},
    [ESTIMATE_P_BP_2] = {"P_BP_2", "1"},
};

static_assert((int)MACHINE_ESTIMATES <= (int)FRAME_ESTIMATES_MAX, "room for every estimate");

/* What is read; of FIFO f SUM_OCCUPANCY + f and SUM_SIGNAL + f. */
enum {
    SUM_CLOCKS,
    SUM_WORDS,
    SUM_SEEDS,   /* into the wmer FIFO */
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
    sums[SUM_CLOCKS] = board_taps_measure(taps, FIFO_INGRESS)->clocks;
    sums[SUM_WORDS] = board_taps_measure(taps, FIFO_INGRESS)->elements;
    sums[SUM_SEEDS] = board_taps_measure(taps, FIFO_WMER)->elements;
    sums[SUM_MATCHES] = board_taps_measure(taps, FIFO_STAGE2)->elements;
    sums[SUM_LOOKUPS] = b->seeds;
    sums[SUM_READS] = b->reads;
    sums[SUM_RECORDS] = b->records;
    for (unsigned fifo = 0; fifo < FIFO_EGRESS; fifo++) {
        const struct fifo_measure *m = board_taps_measure(taps, fifo);
        sums[SUM_OCCUPANCY + fifo] = m->integral;
        sums[SUM_SIGNAL + fifo] = m->back_pressure_clocks;
    }
}

void machine_batches_block(struct machine_batches *b, const struct tokens *tokens,
                           const struct board_taps *taps)
{
    uint64_t sums[BATCH_SUMS_MAX] = {0};
    b->seeds += tokens->seed_count;
    b->reads += tokens->seed_count;
    for (size_t i = 0; i < tokens->group_count; i++)
        b->reads += group_sram_reads(tokens->groups[i]);
    b->records += tokens->hsp_count;
    read_sums(b, taps, sums);
    batches_read(&b->batches, sums);
}

static void batch_terms(const struct batches *batches, size_t batch, const struct hardware *hardware,
                        struct batch_term *terms)
{
    double grown[SUMS];
    for (unsigned i = 0; i < SUMS; i++)
        grown[i] = (double)batches_growth(batches, batch, i);
    const double *n_q = grown + SUM_OCCUPANCY, *signal = grown + SUM_SIGNAL;
    double clocks = grown[SUM_CLOCKS], s = clocks / hardware->fpga_clock_hz;
    double bytes = BYTES_PER_WORD * grown[SUM_WORDS] + hardware->hsp_bytes * grown[SUM_RECORDS];
    terms[ESTIMATE_LAMBDA_1A] = (struct batch_term){BASES_PER_WORD * grown[SUM_WORDS], s};
    terms[ESTIMATE_LAMBDA_1B] = (struct batch_term){grown[SUM_SEEDS], s};
    terms[ESTIMATE_LAMBDA_2] = (struct batch_term){grown[SUM_MATCHES], s};
    terms[ESTIMATE_RHO_PCI] = (struct batch_term){bytes, s * hardware_bus_bytes_per_s(hardware)};
    terms[ESTIMATE_RHO_1A] = (struct batch_term){grown[SUM_WORDS], clocks};
    terms[ESTIMATE_RHO_1B] = (struct batch_term){grown[SUM_READS], clocks};
    terms[ESTIMATE_RHO_1B_SATURATED] = (struct batch_term){grown[SUM_LOOKUPS], grown[SUM_READS]};
    terms[ESTIMATE_RHO_2] = (struct batch_term){grown[SUM_MATCHES], clocks};
    terms[ESTIMATE_N_Q_1A] = (struct batch_term){BASES_PER_WORD * n_q[FIFO_INGRESS], clocks};
    terms[ESTIMATE_N_Q_1B] = (struct batch_term){n_q[FIFO_WMER] + n_q[FIFO_SRAM], clocks};
    terms[ESTIMATE_N_Q_1BP] = (struct batch_term){n_q[FIFO_WMER], clocks};
    terms[ESTIMATE_N_Q_1BD] = (struct batch_term){n_q[FIFO_SRAM], clocks};
    terms[ESTIMATE_N_Q_2] = (struct batch_term){n_q[FIFO_STAGE2], clocks};
    terms[ESTIMATE_P_BP_1A] = (struct batch_term){signal[FIFO_INGRESS], clocks};
    terms[ESTIMATE_P_BP_1B] = (struct batch_term){signal[FIFO_WMER], clocks};
    terms[ESTIMATE_P_BP_1BD] = (struct batch_term){signal[FIFO_SRAM], clocks};
    terms[ESTIMATE_P_BP_2] = (struct batch_term){signal[FIFO_STAGE2], clocks};
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
