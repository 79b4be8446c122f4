/* mercury_model.h - Mercury BLASTN as a chain of four or five queues: PCI-X bus, stage 1a, stage 1b (or 1bp and
 * 1bd), stage 2.
 *
 *     stage  element        factor                          service rate mu
 *     pci    bus word       1 / bytes_per_word              pci_bytes_per_s / bytes_per_word
 *     1a     w-mer          wmers_per_word (1 word each)    wmers_per_word x clock
 *     1b     seed           1                               clock / M_1b x M_2        (four stages)
 *     1bp    seed           1                               clock / M_1b x M_2        (five stages)
 *     1bd    lookup         1                               clock / M_1b x M_2        (five stages)
 *     2      match          1                               clock (the paper calls the element HSP)
 *
 * Models    the bus as one server for both directions: lambda_pci = lambda_in + lambda_2->3, HSP records
 *           counted in bus words (hsp_bytes / bytes_per_word of them each). pci filters nothing and has no
 *           capacity given. P_x are the fractions that stage x passes on. The memory's two users, primary and
 *           duplicate lookups, are summed up in M_1b (SRAM reads per seed) and M_2, the share of SRAM cycles actually
 *           used, 1 unless 1b is saturated. Five stages: P_1bp is 1 less the false positives seen at the primary
 *           lookup, P_1bd = P_1b / P_1bp.
 *           M/D/1, M/G/1 and M^[X]/G/1 are told more: every stage but 1b takes a fixed time; 1b (1bd) has a mean and a
 *           variance of its own, 1bp takes one clock; w-mers arrive a word at a time at 1a, and the seeds of a word
 *           together at 1b (1bp): Binomial(wmers_per_word, P_1a), if not 0.
 * Omits     what pipeline.h omits: blocking (mercury_tandem.h has it), batches of matches at stage 2; also stage 3.
 * Domain    queues of a load that is known to be below 1. Where inputs have `digits`, a load that reaches 1 with all of
 *           them at the end of their rounding that loads most, or comes so near to it that 1 / (1 - rho), with which
 *           queues go, differs more than tenfold, has no number: MODEL_EUNDETERMINED.
 * Units     bytes per second on the host's side, clocks in Hz, each stage in its own element; K in the
 *           stage's element.
 * Errors    0 or a negative code of model_error.h; never prints, never exits. Each prediction has its own
 *           status.
 * Source    Dor 2010 (WUCSE-2010-30), Figure 9, sections 4.3.5 and 6.1 (M_2, five stages); Figures 11, 14 and 16 are
 *           its inputs, Figures 12, 15 and 17 its results. 16 bytes an HSP record is this project's choice, the
 *           paper gives none.
 */
#ifndef MERCURY_MODEL_MERCURY_MODEL_H
#define MERCURY_MODEL_MERCURY_MODEL_H

#include <stdbool.h>

#include "model/pipeline.h"

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

/* Manual overdrive (lambda_mo): what is added at a stage's input, in elements of the stage before; >= 0. */
struct mercury_overdrive {
    double pci_bytes_per_s;
    double words_1a_per_s;
    double seeds_1b_per_s;    /* at 1bp in five stages */
    double lookups_1bd_per_s; /* in five stages only */
    double matches_2_per_s;
};

struct mercury_inputs {
    double lambda_in_bytes_per_s; /* database from the host, >= 0 */
    double clock_hz;              /* > 0 */
    double pci_bytes_per_s;       /* effective, both directions together, > 0 */
    double wmers_per_word;        /* > 0 */
    double bytes_per_word;        /* > 0 */
    double hsp_bytes;             /* of one record to the host, >= 0; 0: results cost no bus time */
    unsigned k_1a;                /* w-mers; 0: none given */
    unsigned k_1b;                /* seeds */
    unsigned k_2;                 /* matches */
    double p_1a;                  /* seeds per w-mer, in [0, 1] */
    double p_1b; /* matches per seed, >= 0; above 1 when repeats yield several matches per seed */
    double p_2;  /* HSPs per match, in [0, 1] */
    double m_1b; /* SRAM reads per seed, > 0 */
    double m_2;  /* SRAM utilisation of a saturated 1b, in (0, 1]; 1 otherwise */
    /** Lookups per seed that the primary table passes on, in (0, 1]; NaN if unknown: only four stages then. */
    double p_1bp;
    unsigned k_1bp; /* seeds */
    unsigned k_1bd; /* lookups */
    /** Mean service time of 1b (1bd) for M/D/1, M/G/1 and M^[X]/G/1, > 0; NaN stands for 1 / mu_1b. */
    double service_1b_clocks;
    double service_1b_scv; /* its scv, >= 0; NaN if unknown: then M/G/1 and M^[X]/G/1 have no number for 1b */
    struct mercury_overdrive overdrive;
    unsigned digits; /* significant digits that rates and fractions are known to; 0: they are exact */
};

/** The prediction of either chain: the first MERCURY_STAGES stages, or all MERCURY_FIVE_STAGES. */
struct mercury_prediction {
    struct pipeline_prediction stage[MERCURY_FIVE_STAGES];
    struct pipeline_summary whole; /* input rates in bytes per second */
};

/** The lower or upper end of the values that round to `value` in `digits` significant digits. Values of 0, NaN, and
 *  exact values (`digits` 0) are their own ends. */
double mercury_rounding_end(double value, bool high, unsigned digits);

/** Bytes of records that crossed the bus in the time that a run's rates are of: those of the last block cross after it.
 *
 * @param record_bytes  of all records, each of `a_record` bytes
 * @param moved_bytes   that the bus moved in that time, database included; NaN: unknown, all crossed
 */
double mercury_records_crossed(double record_bytes, double a_record, double database_bytes,
                               double moved_bytes);

/** Whether a load is known well enough for its queues, which go with 1 / (1 - rho): from as much below `rho` as
 *  `rho_most` is above it, up to that, they differ less than tenfold. */
bool mercury_load_is_determined(double rho, double rho_most);

/** The machine of both published runs: rates, sizes and capacities; M_1b = M_2 = 1, no overdrive.
 *
 * What the data decide (lambda_in_bytes_per_s, P_x, service_1b) is NaN, so that nothing is predicted by
 * oversight.
 */
struct mercury_inputs mercury_model_defaults(void);

/** Predict all four stages.
 *
 * @param inputs  see the ranges beside the fields
 * @param out     untouched on error
 * @return 0, also when stages have no prediction (see their status), or the code that names the input
 */
int mercury_model_predict(const struct mercury_inputs *inputs, struct mercury_prediction *out);

/** The same with 1b as two stages; arguments and errors alike, and MODEL_EUNKNOWN where p_1bp is NaN. */
int mercury_model_predict_five(const struct mercury_inputs *inputs, struct mercury_prediction *out);

#endif
