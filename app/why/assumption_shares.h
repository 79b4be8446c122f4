/* assumption_shares.h - the error of M/M/1 and M/M/1/K (Dor), split into the shares of their assumptions.
 *
 * Models    the machine is simulated again after each step of an order (assumption_board.h), with all earlier steps
 *           kept. The share of a step is what it changes a quantity by. Shares, and the rest that is left between the
 *           last step and the formula, add up to the model's error: prediction minus simulated value.
 * Check     the last step is the model's own system, so it must meet the formula within its interval. If it does not,
 *           there is a reason.
 * Interval  a joint one: with probability 95% every last step is within its interval of its formula, if the formulas
 *           are right (Bonferroni; the intervals of batch_means.h, widened). A fraction of the time that was never seen
 *           has the interval that n independent looks leave, ln(1/p) / n; elements are alike over (1 + rho)/(1 - rho)^2
 *           services, so that fewer of them count.
 * Memory    fixed.
 * Errors    an error of assumption_board.h and one line.
 */
#pragma once

#include "validate/validation.h"
#include "app/why/assumption_machine.h"

/** The two models: the verdict's, and how many steps of an order lead to it; only the second has ASSUME_LOSS. */
enum assumption_model { ASSUMPTION_MM1, ASSUMPTION_MM1K, ASSUMPTION_MODELS };
extern const struct assumption_model_row {
    enum verdict_model verdict;
    unsigned steps;
} assumption_models[ASSUMPTION_MODELS];

enum { ASSUMPTION_VALUES = ASSUMPTIONS + 1 };

/** What is left of an error after the last step. */
struct assumption_rest {
    double formula;     /* NaN if the model has no number */
    double rest;        /* formula - value of the last step */
    double half_width;  /* of the last step; NaN without a formula */
    bool has_formula;   /* the model has a number */
    const char *remark; /* why it has none, or why the last step does not meet it; NULL if it does */
};

struct assumption_shares {
    enum assumption order[ASSUMPTIONS];
    /* The simulated machine, then the machine after each step; joint intervals. */
    struct estimate values[ASSUMPTION_VALUES][MACHINE_QUANTITIES];
    struct assumption_rest rests[ASSUMPTION_MODELS][MACHINE_QUANTITIES];
    unsigned checks; /* number of last steps that have a formula */
};

/** The predictions that the last steps are to meet. */
struct assumption_formulas {
    const struct verdict_frame *frame;                  /* with the cells of both models */
    struct assumption_loss_queue loss[QUANTITY_STAGES]; /* offered_per_s NaN: none */
    double rho[QUANTITY_STAGES];
};

/** Split the errors.
 *
 * @param machine    a deal is of no use to it
 * @param simulated  MACHINE_QUANTITIES values of the run, with 95% intervals
 * @param order      as assumptions_order() made it
 * @param quiet      show no progress
 */
void assumption_shares_find(const struct assumption_machine *machine, const struct estimate *simulated,
                            const struct assumption_formulas *formulas, const enum assumption *order,
                            bool quiet, struct assumption_shares *shares);

/** The share of step `step` of the order in the error, 0 .. ASSUMPTIONS - 1, with its interval: both ends of the step
 *  count as independent. The first step's is an interval of the machine's mean, too. */
struct estimate assumption_share(const struct assumption_shares *shares, unsigned step, unsigned row);

/** The name of the verdict model whose formula it is. */
static inline const char *assumption_model_name(enum assumption_model model)
{
    return verdict_model_name(assumption_models[model].verdict);
}

/** Number of formulas that their last steps meet. */
unsigned assumption_shares_met(const struct assumption_shares *shares);

/** Write the shares: as text a table per kind of quantity, with a row per step and what is left; else a row per
 *  quantity and step, with what the step makes of it.
 *
 * @param name  of the run, for the heading
 */
void assumption_shares_write(const struct assumption_shares *shares, const char *name,
                             enum result_format format, FILE *out);
