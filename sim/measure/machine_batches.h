/* machine_batches.h - confidence intervals of the means of a pass: batch means within the pass.
 *
 * Models    the pass is cut into batches of equal numbers of blocks, from BATCHES_LEAST to BATCHES_MAX of them
 *           (traces/statistics/batch_means.h); the last batch includes the draining after the last block. The sums
 * that the
 *           quantities are made of are read whenever the last word of a block has been delivered. Their growth from
 *           batch to batch gives a 95% interval of this machine's mean over this input, if batches are independent.
 * Exactness clocks, elements, occupancies and signals are those of the taps (board_taps.h), exact to the clock. SRAM
 *           reads and records are counted with the block whose words they come from. All batches add up to the pass.
 * Names     of the quantities: machine_quantities.h.
 * Memory    fixed.
 * Cost      a few dozen additions per block, and one per group of matches.
 */
#ifndef MERCURY_SIM_MEASURE_MACHINE_BATCHES_H
#define MERCURY_SIM_MEASURE_MACHINE_BATCHES_H

#include "blast/stages12/tokens.h"
#include "traces/statistics/batch_means.h"
#include "traces/frame.h"
#include "sim/board/board_taps.h"
#include "sim/board/hardware.h"
#include "sim/measure/machine_quantities.h"

/* Every quantity has an estimate. The estimate after that of rho_1b is the rho_1b of a saturated 1b. */
#define MACHINE_ESTIMATE_ID(id, ...)                                                                         \
    ESTIMATE_##id = (id) + ((id) > RHO_1B) /* NOLINT(bugprone-macro-parentheses) */
enum machine_estimate {
    MACHINE_QUANTITY_ROWS(MACHINE_ESTIMATE_ID),
    ESTIMATE_RHO_1B_SATURATED = RHO_1B + 1,
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

#endif
