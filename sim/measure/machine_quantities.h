/* machine_quantities.h - the quantities of Dor's tables: their names, and the counts that each of them is a ratio of.
 *
 * Models    arrival rates (lambda), utilisations (rho), mean queue lengths (N_Q) and back-pressure (P_BP) of the bus
 *           and of stages 1a, 1b and 2, with 1b as one stage and as the two queues 1bp and 1bd (Dor 2010, Figures 12,
 *           15 and 17).
 * Ratio     a quantity is part / whole. Parts and wholes of stretches of a run add up, so that the same terms serve a
 *           run, a pass and a batch of blocks.
 * rho_1b    is SRAM reads per clock. If 1b is saturated, it is seeds per SRAM read, as in the papers (Dor 2010,
 *           section 6.1).
 * Queues    N_Q_1b counts both FIFOs of 1b. N_Q_1a counts w-mers, although the ingress FIFO holds words.
 * Batches   A pass is cut into batches of equal numbers of blocks, from BATCHES_LEAST to BATCHES_MAX of them
 *           (traces/statistics/batch_means.h); the last batch includes the draining after the last block. The sums
 *           that the quantities are made of are read whenever the last word of a block has been delivered. Their
 *           growth from batch to batch gives a 95% interval of this machine's mean over this input, if batches are
 *           independent.
 * Exactness clocks, elements, occupancies and signals are those of the taps (board_taps.h), exact to the clock. SRAM
 *           reads and records are counted with the block whose words they come from. All batches add up to the pass.
 * Cost      a few dozen additions per block, and one per group of matches.
 */
#pragma once

#include <stdbool.h>

#include "blast/stages12/tokens.h"
#include "traces/statistics/batch_means.h"
#include "traces/frame.h"
#include "sim/board/board_fifos.h"
#include "sim/board/board_taps.h"
#include "sim/board/hardware.h"

enum quantity_kind { QUANTITY_LAMBDA, QUANTITY_RHO, QUANTITY_N_Q, QUANTITY_P_BP };

enum quantity_stage {
    QUANTITY_PCI,
    QUANTITY_1A,
    QUANTITY_1B,
    QUANTITY_1BP,
    QUANTITY_1BD,
    QUANTITY_2,
    QUANTITY_STAGES
};

/* The rows of data/words/machine_quantities.tsv. */
#include "sim/machine_quantities.inc"

#define MACHINE_QUANTITY_ID(id, ...) id
enum machine_quantity { MACHINE_QUANTITY_ROWS(MACHINE_QUANTITY_ID) MACHINE_QUANTITIES };

struct machine_quantity_spec {
    const char *name;
    const char *unit; /* "1" for a fraction; rates are in millions per second */
    enum quantity_stage stage;
    enum quantity_kind kind;
};

extern const struct machine_quantity_spec machine_quantities[MACHINE_QUANTITIES];

/** What was counted in a stretch of the run. */
struct quantity_counts {
    double clocks, seconds; /* length of the stretch, in both units */
    double words, wmers, seeds, matches;
    double lookups, sram_reads; /* seeds that were looked up, and the SRAM reads of these lookups */
    double bus_bytes;           /* database and records that crossed the bus */
    double bus_capacity_bytes;  /* that the bus could have carried */
    /* For each FIFO before the egress FIFO: sum over the clocks of the elements in it. */
    double occupancy[FIFO_EGRESS];
    double signal[FIFO_EGRESS]; /* number of clocks in which its back-pressure signal was on */
};

/** "pci", "1a", "1b", "1bp", "1bd" or "2". */
const char *quantity_stage_name(enum quantity_stage stage);

/** Split every quantity into part and whole.
 *
 * @param seeds_per_read  rho_1b is that of a saturated 1b
 * @param terms           MACHINE_QUANTITIES of them
 */
void machine_quantity_terms(const struct quantity_counts *counts, bool seeds_per_read,
                            struct batch_term *terms);

/* --- batches of a pass --- */

/* Every quantity has an estimate. The estimate after that of rho_1b is the rho_1b of a saturated 1b. */
#define MACHINE_ESTIMATE_ID(id, ...)                                                                         \
    ESTIMATE_##id = (id) + ((id) > RHO_1B) /* NOLINT(bugprone-macro-parentheses) */
enum machine_estimate {
    MACHINE_QUANTITY_ROWS(MACHINE_ESTIMATE_ID) ESTIMATE_RHO_1B_SATURATED = RHO_1B + 1,
    MACHINE_ESTIMATES = MACHINE_QUANTITIES + 1
};

extern const struct estimate_spec machine_estimates[MACHINE_ESTIMATES];

/** Start with {0}. */
struct machine_batches {
    struct batches batches;
    uint64_t seeds, reads, records; /* of all blocks so far */
};

/** Take in a part of a block. */
void machine_batches_part(struct machine_batches *batches, const struct tokens *tokens);

/** The block whose parts were taken in last has gone through the taps. */
void machine_batches_end_block(struct machine_batches *batches, const struct board_taps *taps);

/** End the pass and write its estimates. Half-widths are NaN if there are fewer than BATCHES_LEAST batches.
 *
 * @param taps   must be closed
 * @param frame  the frame of the pass, filled by machine_frame_fill()
 */
void machine_batches_close(struct machine_batches *batches, const struct board_taps *taps,
                           const struct hardware *hardware, struct frame *frame);
