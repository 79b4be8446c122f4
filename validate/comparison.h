/* comparison.h - what was measured beside what queueing theory predicts for the same run.
 *
 * Models    the four-stage M/M/1 and M/M/1/K models of Dor 2010 (Figures 9, 11, 16), fed with the run's own input
 *           rate, fractions and SRAM reads a seed, in the form of Figures 12 and 17: the rates, utilisations, mean
 *           queue lengths and back-pressure fractions of stages 1a, 1b and 2, and the bus.
 * Inputs    lambda_in        database bytes over the time from the first word to the last element gone
 *           P_1a, P_1b, P_2  seeds a w-mer, matches a seed, HSPs a match
 *           M_1b             SRAM reads a seed, duplicate trips included
 *           M_2              1, or the SRAM's utilisation where 1b is saturated (Dor 2010, section 6.1): its
 *                            back-pressure signal asserted in more than COMPARISON_SATURATED of the clocks
 *           K_1a, K_1b, K_2  ingress FIFO in w-mers; wmer and SRAM FIFO together; stage-2 FIFO
 *           mu_pci           what the bus carries at most (peak x efficiency)
 * Measured  N_Q of 1b is the wmer FIFO's plus the SRAM FIFO's, as TimeTrial's 580 is; N_Q of 1a is in w-mers.
 *           rho_1b is seeds issued over SRAM reads in a saturated 1b, as the papers', else SRAM reads a clock.
 * Errors    a prediction outside its model's domain is no number but a reason.
 */
#ifndef MERCURY_VALIDATE_COMPARISON_H
#define MERCURY_VALIDATE_COMPARISON_H

#include <stdbool.h>
#include <stdio.h>

#include "model/mercury_model.h"
#include "traces/frame.h"

#define COMPARISON_SATURATED 0.5

enum { COMPARISON_ROWS = 13 };

struct comparison_cell {
    double value; /* NaN where there is none */
    int status;   /* 0, or the model's code for why not */
};

struct comparison_row {
    const char *parameter;
    const char *unit;
    double simulated;
    struct comparison_cell mm1, mm1k;
};

struct comparison {
    struct mercury_inputs inputs;
    bool saturated; /* whether 1b was, so that M_2 is not 1 */
    struct comparison_row rows[COMPARISON_ROWS];
    struct mercury_prediction prediction;
};

enum comparison_error {
    COMPARISON_ELAYOUT = -1, /* the frame lacks a counter, queue or gauge by a name this needs */
    COMPARISON_EEMPTY = -2,  /* nothing streamed */
    COMPARISON_EWRITE = -3,
};

/** Predict a run's frame from its own inputs.
 *
 * @return 0 or a COMPARISON_E* code
 */
int comparison_make(const struct frame *frame, const struct frame_layout *layout, struct comparison *out);

/** Relative difference of a prediction: (predicted - simulated) / simulated, NaN without both or over 0. */
double comparison_difference(double predicted, double simulated);

/** Write the table as TSV (differences as fractions, inputs as `#` notes), or aligned for people (differences in per cent).
 *  @return 0 or COMPARISON_EWRITE */
int comparison_write_tsv(const struct comparison *comparison, FILE *out);
int comparison_write_text(const struct comparison *comparison, FILE *out);

#endif
