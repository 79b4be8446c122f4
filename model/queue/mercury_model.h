/* mercury_model.h - Mercury BLASTN as a chain of four or five queues: PCI-X bus, stage 1a, stage 1b (or 1bp and
 * 1bd), stage 2.
 *
 *     stage  element        factor                          service rate mu
 *     pci    bus word       1 / bytes_per_word              pci_bytes_per_s / bytes_per_word
 *     1a     w-mer          wmers_per_word (1 word each)    wmers_per_word x clock
 *     1b     seed           1                               clock / M_1b x M_2        (four stages)
 *     1bp    seed           1                               clock / M_1b x M_2        (five stages)
 *     1bd    lookup         1                               clock / M_1b x M_2, or mu_1bd (five stages)
 *     2      match          1                               clock (the paper calls the element HSP)
 *
 * Models    the bus as one server for both directions: lambda_pci = lambda_in + lambda_2->3, where an HSP record counts
 *           as hsp_bytes / bytes_per_word bus words. pci filters nothing and has no capacity. P_x is the fraction that
 *           stage x passes on. M_1b (SRAM reads per seed) sums up both users of the memory, primary and duplicate
 *           lookups; M_2 is the fraction of the SRAM's cycles that is used, and 1 unless 1b is saturated. In five
 *           stages, P_1bp is 1 minus the fraction of false positives at the primary lookup, and P_1bd = P_1b / P_1bp.
 *           M/M/1/K begins with what the host could supply, of which a machine with a saturated stage takes less.
 *           M/D/1, M/G/1 and M^[X]/G/1 know more: every stage but 1b takes a fixed time; 1b (1bd) has its own mean and
 *           variance, and 1bp takes one clock; the w-mers of a word arrive together at 1a, and so do the seeds of a
 *           word at 1b (1bp): Binomial(wmers_per_word, P_1a) of them, if it is not 0.
 * Omits     what pipeline.h omits: blocking (mercury_tandem.h has it) and batches of matches at stage 2; also stage 3.
 * Domain    queues whose load is known to be below 1; any load in M/M/1/K with a capacity. If inputs have `digits`,
 *           each of them is put at that end of its rounding that loads the machine most. A stage has no number
 *           (MODEL_EUNDETERMINED) if its load then reaches 1, or comes so near to 1 that queues, which are
 *           proportional to 1 / (1 - rho), differ more than tenfold.
 * Units     bytes per second on the host's side, each stage in its own element; K in the stage's element.
 * Errors    0 or a negative code of model_error.h; never prints, never exits. Each prediction has its own
 *           status.
 * Source    Dor 2010 (WUCSE-2010-30), Figure 9, sections 4.3.5 and 6.1 (M_2, five stages); Figures 11, 14 and 16 are
 *           its inputs, Figures 12, 15 and 17 its results. 16 bytes per HSP record is this project's choice; the
 *           paper gives no size.
 */
#pragma once

#include <stdbool.h>

#include "model/mercury_inputs.h"
#include "model/queue/pipeline.h"

/** Stage 1b is saturated if its back-pressure signal is on in more than this fraction of the clocks. */
#define MERCURY_SATURATED 0.5

enum mercury_stage { MERCURY_PCI, MERCURY_1A, MERCURY_1B, MERCURY_2, MERCURY_STAGES };

enum mercury_five_stage {
    MERCURY_FIVE_PCI,
    MERCURY_FIVE_1A,
    MERCURY_FIVE_1BP,
    MERCURY_FIVE_1BD,
    MERCURY_FIVE_2,
    MERCURY_FIVE_STAGES
};

/** The prediction of either chain: the first MERCURY_STAGES stages, or all MERCURY_FIVE_STAGES. */
struct mercury_prediction {
    struct pipeline_prediction stage[MERCURY_FIVE_STAGES];
    struct pipeline_summary whole; /* input rates in bytes per second */
};

/** The lower or the upper end of the values that round to `value` in `digits` significant digits; `value` itself if it
 *  is 0 or NaN, or exact (`digits` 0). */
double mercury_rounding_end(double value, bool high, unsigned digits);

/** Bytes of records that crossed the bus while a run was measured: records of the last block cross after that.
 *
 * @param record_bytes  of all records; each has `a_record` bytes
 * @param moved_bytes   that the bus moved in that time, database included; NaN if unknown, and then all
 *                      records count as crossed
 */
double mercury_records_crossed(double record_bytes, double a_record, double database_bytes,
                               double moved_bytes);

/** Whether a load is known well enough for its queues, which are proportional to 1 / (1 - rho): they differ less than
 *  tenfold between `rho_most` and the load that is as far below `rho` as `rho_most` is above it. */
bool mercury_load_is_determined(double rho, double rho_most);

/** Predict all four stages, or all five, of which 1b is two.
 *
 * @param v       the inputs (mercury_inputs.h): rates and sizes > 0, but lambda_in, supply, hsp_bytes and overdrive,
 *                which may be 0, as P_1b may; other fractions in [0, 1], M_2 not 0, P_1bp 0 only if P_1b is
 * @param digits  significant digits to which rates and fractions are known; 0 if they are exact
 * @param out     untouched on error
 * @return 0, also when stages have no prediction (see their status), or the code that names the input;
 *         MODEL_ENO_P_1BP if there are to be five stages, but P_1bp is NaN
 */
int mercury_model_predict(const double *v, unsigned digits, bool five, struct mercury_prediction *out);
