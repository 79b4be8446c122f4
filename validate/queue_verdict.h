/* queue_verdict.h - what every model predicts of queues in tandem, beside what was simulated, and whether the queues
 * keep to the model's assumptions: verdict.h for a designer's own chain.
 *
 * Models    those of queue_theory.h that apply to the line.
 * Given     Rates and utilisation of models without a bound, and of M/M/1/K (Dor), only repeat their inputs.
 * Verdict   by the levels of verdict.h. Arrivals and full queues are measured; services are drawn one by one, so that
 *           their scv is known and neighbours are not alike. A stage is held up while a customer waits before the next
 *           one. M/M/1/K, M/M/c/K and M/M/1/K (Dor) know of full queues where full stages lose customers; blocking, and
 *           M/M/1/K of a single stage, where they block. The blocking tandem finds what holds its stages up, and the
 *           pattern of its arrivals, itself. It takes elements one by one: where several come together, or hold up what
 *           is before, its prediction is violated.
 */
#ifndef MERCURY_VALIDATE_QUEUE_VERDICT_H
#define MERCURY_VALIDATE_QUEUE_VERDICT_H

#include "sim/simgrid/queue_line.h"
#include "validate/queue_theory.h"
#include "validate/verdict.h"

/** What a model predicts of a stage, one cell per quantity. */
struct queue_verdict {
    struct verdict_cell cells[QUEUE_LINE_QUANTITIES];
};

/** What was measured of a stage beside its quantities; times have no mean. */
struct verdict_evidence queue_verdict_evidence(const struct queue_line *line,
                                               const struct queue_line_result *simulated, unsigned stage);

/** Ask a model that applies, and judge it.
 *
 * @param out  one per stage
 */
void queue_verdicts(unsigned model, const struct queue_line *line, const struct queue_line_result *simulated,
                    struct queue_verdict *out);

#endif
