#include "validate/queue_verdict.h"

#include <math.h>

/* Fraction of the time in which a customer of a stage waits for room in the next one. */
static double held_up(const struct queue_line *line, const struct queue_line_result *simulated,
                      unsigned stage)
{
    return line->overflow == OVERFLOW_BLOCK && stage + 1 < line->stage_count
               ? simulated->stage[stage + 1][QUEUE_LINE_BLOCKING].mean
               : 0;
}

struct verdict_evidence queue_verdict_evidence(const struct queue_line *line,
                                               const struct queue_line_result *simulated, unsigned stage)
{
    const struct queue_line_stage *s = &line->stages[stage];
    const struct queue_line_times *arrivals = &simulated->arrivals[stage];
    const struct estimate *measured = simulated->stage[stage];
    return (struct verdict_evidence){
        .arrivals = {arrivals->count, NAN, arrivals->scv, arrivals->lag1},
        .services = {arrivals->count, NAN, queue_line_service_scv(s), NAN},
        .expected_scv = 1,
        .held = held_up(line, simulated, stage),
        .full = s->places > 0 ? measured[QUEUE_LINE_FULL].mean : 0,
        .n_q = measured[QUEUE_LINE_N_Q].mean,
        .places = s->places > 0 ? (double)s->places : INFINITY,
    };
}

/* Of Poisson arrivals in batches of the two whole sizes next to a mean, most times are 0. Two others are neighbours
 * only around a batch of one; the mean product of two neighbours is its share of the batches times their mean size. */
static double batch_scv(double size)
{
    return 2 * size - 1;
}

static double batch_lag1(double size)
{
    double ones = fmax(0, 2 - size);
    return (ones * size - 1) / batch_scv(size);
}

/* Whether several elements come together at a stage, or at a later one that holds it up. */
static bool comes_together(const struct queue_line *line, unsigned stage, double held)
{
    bool any = line->stages[stage].factor > 1;
    for (unsigned i = stage + 1; i < line->stage_count && held > VERDICT_BLOCKED; i++)
        any = any || line->stages[i].factor > 1;
    return any;
}

static bool repeats_input(const struct queue_theory_traits *traits, enum queue_line_quantity quantity)
{
    return !traits->loses && !traits->blocks &&
           (quantity == QUEUE_LINE_OFFERED || quantity == QUEUE_LINE_THROUGHPUT ||
            quantity == QUEUE_LINE_UTILISATION);
}

/* What a model assumes of a stage, and the evidence as far as it matters to the model. */
static unsigned reasons_of(const struct queue_theory_traits *traits, const struct queue_line *line,
                           unsigned stage, double rho, struct verdict_evidence e)
{
    bool blocks = line->overflow == OVERFLOW_BLOCK;
    double factor = line->stages[stage].factor;
    unsigned reasons = 0;
    struct verdict_assumptions assumed = {
        .arrivals_scv = 1,
        .services_scv = traits->any_service        ? NAN
                        : traits->constant_service ? 0
                                                   : 1,
        .has_bound = blocks ? traits->blocks : traits->loses || traits->enters,
    };
    if (traits->batches && factor > 1) {
        assumed.arrivals_scv = batch_scv(factor);
        e.arrivals.lag1 -= batch_lag1(factor);
    }
    if (traits->packs)
        assumed.arrivals_scv = factor;
    if (traits->blocks && blocks) {
        reasons |= comes_together(line, stage, e.held) ? VERDICT_TOGETHER : 0;
        e.held = 0;
        if (stage == 0)
            assumed.arrivals_scv = line->arrivals == ARRIVALS_DETERMINISTIC ? 0 : fmin(1, factor);
        else
            assumed.arrivals_scv = e.arrivals.scv = NAN;
    }
    return reasons | verdict_reasons(&e, &assumed, rho);
}

void queue_verdicts(unsigned model, const struct queue_line *line, const struct queue_line_result *simulated,
                    struct queue_verdict *out)
{
    struct queue_theory_answer answers[QUEUE_LINE_STAGES_MAX];
    struct queue_theory_traits traits = queue_theory_traits(model, line);
    queue_theory_predict(model, line, simulated, answers);
    for (unsigned i = 0; i < line->stage_count; i++) {
        const struct queue_theory_answer *answer = &answers[i];
        double rho = answer->value[QUEUE_LINE_OFFERED] / (line->stages[i].servers * line->stages[i].mu_per_s);
        unsigned reasons = reasons_of(&traits, line, i, rho, queue_verdict_evidence(line, simulated, i));
        for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++) {
            struct verdict_cell *cell = &out[i].cells[q];
            *cell = (struct verdict_cell){
                .predicted = answer->value[q], .why_not = answer->why_not, .low = NAN, .high = NAN};
            if (!cell->why_not && isnan(cell->predicted))
                cell->why_not = "the model does not say";
            cell->given = !cell->why_not && repeats_input(&traits, q);
            cell->reasons = cell->why_not || cell->given ? 0 : reasons;
        }
    }
}
