#include "app/why/assumption_shares.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "base/progress.h"

#define CONFIDENCE 0.95

unsigned assumption_steps_of(enum assumption_model model)
{
    return model == ASSUMPTION_MM1K ? ASSUMPTIONS : ASSUMPTIONS - 1;
}

enum verdict_model assumption_model_of(enum assumption_model model)
{
    return model == ASSUMPTION_MM1K ? VERDICT_MM1K_DOR : VERDICT_MM1;
}

const char *assumption_model_name(enum assumption_model model)
{
    return verdict_model_name(assumption_model_of(model));
}

struct estimate assumption_share(const struct assumption_shares *shares, unsigned step, unsigned row)
{
    const struct estimate *from = &shares->values[step][row], *to = &shares->values[step + 1][row];
    double half_width = isnan(from->half_width) ? to->half_width : hypot(from->half_width, to->half_width);
    return (struct estimate){.mean = to->mean - from->mean, .half_width = half_width};
}

/* --- steps ----------------------------------------------------------------------------------------------- */

/* The queues of M/M/1/K (Dor); a stage without a number keeps the values of M/M/1. */
static int lose(const struct assumption_machine *m, const struct assumption_formulas *f,
                struct estimate *values)
{
    int status = 0;
    for (unsigned stage = 0; status == 0 && stage < QUANTITY_STAGES; stage++)
        if (f->loss[stage].offered_per_s > 0)
            status = assumption_machine_lose(m, stage, &f->loss[stage], values);
    return status;
}

static int take_steps(const struct assumption_machine *machine, const struct assumption_formulas *f,
                      bool quiet, struct assumption_shares *s)
{
    struct assumption_deal deal = {0};
    struct assumption_machine m = *machine;
    struct progress progress;
    unsigned set = 0;
    int status = 0;
    m.deal = &deal;
    progress_begin(&progress, "steps", ASSUMPTIONS, quiet);
    for (unsigned step = 0; status == 0 && step < ASSUMPTIONS; step++) {
        struct estimate *values = s->values[step + 1];
        memcpy(values, s->values[step], sizeof s->values[step]);
        set |= 1u << s->order[step];
        status =
            s->order[step] == ASSUME_LOSS ? lose(&m, f, values) : assumption_machine_run(&m, set, values);
        progress_update(&progress, step + 1);
    }
    progress_end(&progress);
    assumption_deal_destroy(&deal);
    return status;
}

/* --- the check ------------------------------------------------------------------------------------------- */

/* Quantile of Student's t beyond which one of `checks` is with the probability that all of them together may have. */
static double joint_factor(unsigned checks, double degrees)
{
    double beyond = (1 - CONFIDENCE) / 2;
    return gsl_cdf_tdist_Qinv(beyond / fmax(1, checks), degrees) / gsl_cdf_tdist_Qinv(beyond, degrees);
}

static void widen(struct assumption_shares *s)
{
    double factor = joint_factor(s->checks, ASSUMPTION_BATCHES - 1);
    for (unsigned value = 0; value < ASSUMPTION_VALUES; value++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
            s->values[value][row].half_width *= factor;
}

/* The elements of a stage's queue in a run of the last step. */
static double elements_of(const struct assumption_shares *s, enum quantity_stage stage, uint64_t least_words)
{
    double rounds = fmax(1, (double)least_words / (double)s->words);
    double of_run = stage == QUANTITY_2    ? (double)s->matches
                    : stage == QUANTITY_1A ? (double)s->words
                                           : (double)s->seeds;
    return fmin((double)least_words, rounds * of_run);
}

/* A tail that was seen in few batches, or never, has a variance that says nothing: n looks leave ln(1/p)/n. */
static double floor_of(const struct assumption_shares *s, const struct assumption_formulas *f, unsigned row,
                       uint64_t least_words)
{
    enum quantity_stage stage = machine_quantities[row].stage;
    if (machine_quantities[row].kind != QUANTITY_P_BP)
        return 0;
    double p = (1 - CONFIDENCE) / fmax(1, s->checks), idle = 1 - f->rho[stage];
    double looks = elements_of(s, stage, least_words) * idle * idle / (1 + f->rho[stage]);
    return idle > 0 ? fmin(1, -log(p) / looks) : 1;
}

static const char *reason_of(const struct estimate *last, double rest, double half_width)
{
    if (!isfinite(last->mean) || !isfinite(half_width))
        return "the last step has no interval: the run has too few elements";
    if (fabs(rest) <= half_width)
        return NULL;
    if (batch_means_are_correlated(last, ASSUMPTION_BATCHES))
        return "its load is so near 1 that batches are alike and the interval is too narrow";
    if (batch_means_rest_on_one(last))
        return "the interval rests on one batch: a rare event";
    return "the formula does not hold for its own assumptions";
}

static void check(struct assumption_shares *s, const struct assumption_formulas *f, uint64_t least_words)
{
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
            struct assumption_rest *rest = &s->rests[model][row];
            const struct estimate *last = &s->values[assumption_steps_of(model)][row];
            const struct verdict_cell *cell = &f->frame->cells[row][assumption_model_of(model)];
            *rest = (struct assumption_rest){.formula = cell->predicted,
                                             .rest = cell->predicted - last->mean,
                                             .half_width = NAN,
                                             .has_formula = !cell->why_not,
                                             .remark = cell->why_not};
            if (cell->why_not)
                continue;
            double rounding = 1e-9 * fabs(rest->formula); /* of what only counts elements */
            if (!isnan(last->half_width))
                rest->half_width = fmax(last->half_width, fmax(rounding, floor_of(s, f, row, least_words)));
            rest->remark = reason_of(last, rest->rest, rest->half_width);
        }
}

unsigned assumption_shares_met(const struct assumption_shares *s)
{
    unsigned met = 0;
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
            met += !s->rests[model][row].remark;
    return met;
}

int assumption_shares_find(const struct assumption_machine *m, const struct estimate *simulated,
                           const struct assumption_formulas *f, const enum assumption *order, bool quiet,
                           struct assumption_shares *s, struct why *why)
{
    *s = (struct assumption_shares){
        .words = m->tokens->word_count,
        .seeds = m->tokens->lookup_count,
        .matches = m->tokens->match_count,
    };
    for (unsigned model = 0; model < ASSUMPTION_MODELS; model++)
        for (unsigned row = 0; row < MACHINE_QUANTITIES; row++)
            s->checks += !f->frame->cells[row][assumption_model_of(model)].why_not;
    memcpy(s->order, order, sizeof s->order);
    memcpy(s->values[0], simulated, sizeof s->values[0]);
    if (take_steps(m, f, quiet, s) != 0)
        return why_no_memory(why, ASSUMPTION_EMEMORY);
    widen(s);
    check(s, f, m->least_words);
    return 0;
}
