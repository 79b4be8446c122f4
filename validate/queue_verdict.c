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

/* Of Poisson arrivals in batches of this size, most times are 0, and no two others are neighbours: the mean product
 * of the differences from the mean is minus its square. */
static double batch_scv(double size)
{
    return 2 * size - 1;
}

static double batch_lag1(double size)
{
    return size > 1 ? -1 / batch_scv(size) : 0;
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
    double together = stage > 0 ? queue_line_yield(&line->stages[stage]) : line->batch;
    struct verdict_assumptions assumed = {
        .arrivals_scv = 1,
        .services_scv = traits->any_service        ? NAN
                        : traits->constant_service ? 0
                                                   : 1,
        .has_bound = blocks ? traits->blocks : traits->loses || traits->enters,
    };
    if (traits->batches && stage == 0) {
        assumed.arrivals_scv = batch_scv(line->batch);
        e.arrivals.lag1 -= batch_lag1(line->batch);
    }
    if (traits->blocks && blocks) {
        e.held = 0;
        if (stage == 0)
            assumed.arrivals_scv = line->arrivals == ARRIVALS_DETERMINISTIC ? 0 : 1;
        else if (together <= 1)
            assumed.arrivals_scv = e.arrivals.scv = NAN;
    }
    return verdict_reasons(&e, &assumed, rho);
}

void queue_verdicts(unsigned model, const struct queue_line *line, const struct queue_line_result *simulated,
                    struct queue_verdict *out)
{
    struct queue_theory_answer answers[QUEUE_LINE_STAGES_MAX];
    struct queue_theory_traits traits = queue_theory_traits(model, line);
    queue_theory_predict(model, line, simulated, answers);
    for (unsigned i = 0; i < line->stage_count; i++) {
        const struct queue_theory_answer *answer = &answers[i];
        double servers = queue_line_servers(&line->stages[i]);
        double rho = answer->value[QUEUE_LINE_OFFERED] / (servers * line->stages[i].mu_per_s);
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
