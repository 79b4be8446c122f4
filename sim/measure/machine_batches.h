/* machine_batches.h - how sure the means of a pass are: batch means inside it.
 *
 * Models    the sums that the pass's rates, utilisations, mean queues and back-pressure are made of, read when a
 *           block's last word has been delivered; stretches of equal numbers of blocks, BATCHES_LEAST to BATCHES_MAX a
 *           pass, are the batches (traces/batch_means.h) of a 95% interval: of this machine's mean over this
 *           input, batches taken as independent. The last batch has what drains behind the last block, too.
 * Exactness clocks, elements, occupancies and signals are the taps' (board_taps.h) to the clock. SRAM reads and records
 *           are counted with the block whose words brought them. All batches add up to the pass.
 * Names     of the quantities: those of Dor's tables, as mercury validate has them.
 * Memory    fixed. Cost: a few dozen additions a block, and one for each group of matches in it.
 */
#ifndef MERCURY_SIM_MEASURE_MACHINE_BATCHES_H
#define MERCURY_SIM_MEASURE_MACHINE_BATCHES_H

#include "blast/stages12/tokens.h"
#include "sim/board/board_taps.h"
#include "sim/board/hardware.h"
#include "sim/measure/machine_quantities.h"
#include "traces/batch_means.h"
#include "traces/frame.h"

/* Every quantity has an estimate; after that of rho_1b comes the other rho_1b, that of a saturated 1b. */
#define MACHINE_ESTIMATE_ID(id, ...) ESTIMATE_##id = (id) + ((id) > RHO_1B)
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

/** A block has gone through the taps. */
void machine_batches_block(struct machine_batches *batches, const struct tokens *tokens,
                           const struct board_taps *taps);

/** The pass is over: write its estimates. Half-widths are NaN below BATCHES_LEAST batches.
 *
 * @param taps   closed
 * @param frame  the pass's, filled (machine_frame.h)
 */
void machine_batches_close(struct machine_batches *batches, const struct board_taps *taps,
                           const struct hardware *hardware, struct frame *frame);

#endif
