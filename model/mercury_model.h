/* mercury_model.h - Mercury BLASTN as a chain of four queues: PCI-X bus, stage 1a, stage 1b, stage 2.
 *
 *     stage  element        factor                          service rate mu
 *     pci    bus word       1 / bytes_per_word              pci_bytes_per_s / bytes_per_word
 *     1a     w-mer          wmers_per_word (1 word each)    wmers_per_word x clock
 *     1b     seed           1                               clock / M_1b x M_2
 *     2      match          1                               clock (the paper calls the element HSP)
 *
 * Models    the bus as one server for both directions: lambda_pci = lambda_in + lambda_2->3, HSP records
 *           counted in bus words (hsp_bytes / bytes_per_word of them each). pci filters nothing and has no
 *           capacity given. P_x are the fractions that stage x passes on. 1b is one stage; its memory's two
 *           users are summed up in M_1b (SRAM reads a seed) and M_2, the share of SRAM cycles actually
 *           used, 1 unless 1b is saturated.
 * Omits     what pipeline.h and mm1k.h omit: blocking, bursts, the fixed service time of the hardware; also
 *           stage 3.
 * Units     bytes a second on the host's side, clocks in Hz, each stage in its own element; K in the
 *           stage's element.
 * Errors    0 or a negative code of model_error.h; never prints, never exits. Each prediction has its own
 *           status.
 * Source    Dor 2010 (WUCSE-2010-30), Figure 9, sections 4.3.5 and 6.1 (M_2); Figures 11 and 16 are its
 *           inputs, Figures 12 and 17 its results. 16 bytes an HSP record is this project's choice, the
 *           paper gives none.
 */
#ifndef MERCURY_MODEL_MERCURY_MODEL_H
#define MERCURY_MODEL_MERCURY_MODEL_H

#include "model/pipeline.h"

enum mercury_stage { MERCURY_PCI, MERCURY_1A, MERCURY_1B, MERCURY_2, MERCURY_STAGES };

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
    double p_1a;                  /* seeds a w-mer, in [0, 1] */
    double p_1b; /* matches a seed, >= 0; above 1 when repeats yield several matches a seed */
    double p_2;  /* HSPs a match, in [0, 1] */
    double m_1b; /* SRAM reads a seed, > 0 */
    double m_2;  /* SRAM utilisation of a saturated 1b, in (0, 1]; 1 otherwise */
};

struct mercury_prediction {
    struct pipeline_prediction stage[MERCURY_STAGES];
    struct pipeline_summary whole; /* input rates in bytes a second */
};

/** The machine of both published runs: rates, sizes and capacities; M_1b = M_2 = 1.
 *
 * What the data decide (lambda_in_bytes_per_s, p_1a, p_1b, p_2) is NaN, so that nothing is predicted by
 * oversight.
 */
struct mercury_inputs mercury_model_defaults(void);

/** Predict all four stages.
 *
 * @param inputs  see the ranges beside the fields
 * @param out     untouched on error
 * @return 0, also when stages have no prediction (see their status), or MODEL_EDOMAIN
 */
int mercury_model_predict(const struct mercury_inputs *inputs, struct mercury_prediction *out);

#endif
