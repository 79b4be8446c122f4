/* queue_theory.h - what each model of model/ says of queues in tandem.
 *
 * Models    those of pipeline.h, which has the rates of all stages and what each model makes of them: of M/M/1, M/D/1,
 *           M/G/1 and M^[X]/G/1 (elements that one becomes come together) for stages of one server, E_n/M/1 for
 *           such stages whose elements are packed, M/M/c/K and M/G/c for stages of several servers.
 *           M/M/1/K      loses customers who find a stage full; the others go on, as if they were Poisson. If full
 *                        stages block instead, it has an answer for a single stage only: the source, which stops while
 *                        it holds a customer, is one more place (M/M/1/K+1, in whose last state the source is blocked).
 *           M/M/1/K (Dor)
 *                        is Dor's form (2010): it starts from the measured rate of entering customers, not the offered
 *                        one.
 *           M/G/1/K      does the same where services are not exponential, and is exact for them.
 *           GI/M/1, GI/G/c, Kingman
 *                        are asked if the line's arrivals are not Poisson. At later stages GI/G/c and Kingman take the
 *                        scv of the arrivals from the simulation.
 *           MMPP/M/1, MMPP/M/1/K
 *                        are asked of the first stage if arrivals are a mmpp (mmpp_queue.h), and are exact there.
 *           M/G/1 (classes)
 *                        alone is asked where customers are of classes (general_queue.h).
 *           blocking     is the decomposition of a tandem in which full stages block (tandem.h).
 *           Markov chain is the whole tandem, state by state (markov_tandem.h). It is asked if there are several
 *                        stages, each has a bound, an element stays one element, and all times are exponential.
 * Exact     A model is exact at a stage if it is the simulated system: what comes there is Poisson before it is
 *           converted, and the stage has the model's batches, services, servers and bound. A stream stays Poisson if it
 *           is thinned, if another one is added, and behind M/M/1 and M/M/c (Burke 1956). Where customers go back, the
 *           numbers in M/M/1 and M/M/c are those of Poisson streams (Jackson 1957). Where nobody can wait, because
 *           K = c and full stages lose customers, M/M/1/K and M/M/c/K are exact for services of any law. blocking is
 *           exact for a single exponential stage, and the Markov chain wherever it has an answer. M/M/1/K (Dor)
 *           never is, because its rate is measured. No model is exact for times of a trace, after a list of outputs,
 *           for a shared server, or for a stage that a later one may hold up, nor where such a stage sends customers
 *           back to.
 * Numbers   P[N = n] is said by M/M/1, M/M/1/K that loses, M/D/1, GI/M/1, M/G/1/K and those of a mmpp, by M/G/1 and
 *           M^[X]/G/1 of gamma services (general_queue.h), and by the Markov chain.
 * Never     A probability below 1e-9 is 0: no run sees it, and rounding decides on its digits.
 * To add a model: one that needs means and scv is a row of pipeline.c, one that needs a law is a row of general_models;
 *           say here in which system it is exact.
 * Domain    M/M/1/K (Dor) has no number if, within its interval, the measured rate may be all that can be served, or
 *           is so near to it that 1 / (1 - rho) differs tenfold.
 * Errors    If a model has no prediction, there is a reason, and the numbers are NaN.
 */
#pragma once

#include <stdbool.h>

#include "model/queue/general_queue.h"
#include "model/queue/pipeline.h"
#include "model/closed/closed_network.h"
#include "sim/simgrid/queue_network.h"
#include "validate/verdict.h"

/* What theory says of queues in a closed network.
 *
 * Models    MVA         the answers of exact mean value analysis (model/closed/closed_network.h).
 *           Linearizer  an approximation (model/closed/linearizer.h), where there are too many customers for an exact
 *           solution.
 * Exact     MVA is, if all services are exponential, or if nobody waits at a centre whose services are not.
 * Errors    If there is no prediction, there is a reason, and the numbers are NaN.
 */

struct closed_theory {
    const char *model;   /* "MVA" or "Linearizer" */
    const char *why_not; /* the reason if there is no answer; else NULL */
    bool is_large;       /* there are too many customers for MVA */
    int assumption; /* number of a centre whose services are not exponential though customers wait there; -1: none */
    bool seidmann;                /* several servers were approximated, too */
    double states;                /* number of populations, the product of all N_r + 1 */
    struct closed_result classes; /* rates, numbers and times of each class */
    /* of all classes together; of queue_network_quantities only */
    double centre[QUEUE_NETWORK_CENTRES_MAX][QUEUE_LINE_QUANTITIES];
    double p[QUEUE_NETWORK_CENTRES_MAX][QUEUE_LINE_NUMBERS]; /* P[n = n] there; NaN unless by MVA */
};

/** Whether the model describes the network without any approximation. */
bool closed_theory_is_exact(const struct closed_theory *theory);

/** Ask theory. */
void closed_theory_predict(const struct queue_network *network, struct closed_theory *out);

struct queue_theory_answer {
    const char *why_not; /* the reason if there is no answer, and all numbers are NaN; else NULL */
    bool exact;          /* the model is the simulated system, and its inputs are given, not measured */
    double value[QUEUE_LINE_QUANTITIES]; /* NaN if the model does not say */
    double p[QUEUE_LINE_NUMBERS];        /* P[N = n] in the stage; NaN if the model does not say */
};

/** The models: those of pipeline.h, then those of general_queue.h, then whole tandems. */
enum {
    QUEUE_THEORY_MG1K = PIPELINE_CHAIN_MODELS,
    QUEUE_THEORY_GIM1,
    QUEUE_THEORY_GIGC,
    QUEUE_THEORY_KINGMAN,
    QUEUE_THEORY_MMPPM1,
    QUEUE_THEORY_MMPPM1K,
    QUEUE_THEORY_CLASSES,
    QUEUE_THEORY_BLOCKING,
    QUEUE_THEORY_MARKOV,
    QUEUE_THEORY_MODELS
};

/** A stage of a line as one of pipeline.h. */
void queue_theory_stage(const struct queue_line_stage *from, struct pipeline_stage *to);

/** A model's name, such as "M/M/1/K". */
const char *queue_theory_model(unsigned model);

/** Whether a model is one of a stage of this kind, with one server or several, packed elements or not. */
bool queue_theory_is_of(unsigned model, const struct queue_line_stage *stage);

/** Whether a model is one of any stage of the line. */
bool queue_theory_applies(unsigned model, const struct queue_line *line);

/** Ask a model that applies.
 *
 * @param simulated  of the same line; only M/M/1/K (Dor), GI/G/c and Kingman need it; NULL: there is none
 * @param out        one answer per stage
 */
void queue_theory_predict(unsigned model, const struct queue_line *line,
                          const struct queue_line_result *simulated, struct queue_theory_answer *out);

/** Ask M/G/1 (classes). @param of  out: the answer for each class, without P[N = n] @return that for all together */
struct queue_theory_answer queue_theory_classes(const struct queue_line *line,
                                                struct queue_theory_answer *of);

/* What every model predicts of queues in tandem, beside what was simulated, and whether the queues keep to the model's
 * assumptions: verdict.h for a designer's own chain.
 *
 * Given     Rates and utilisation of models without a bound, and of M/M/1/K (Dor), only repeat their inputs.
 * Verdict   by the levels of verdict.h. Arrivals and full queues are measured; services are drawn one by one, so that
 *           their scv is known and neighbours are alike in a trace only. The dispersion of a mmpp is known, that of a
 *           trace is the greatest of sums of 1, 2, 4, ... times, that of other arrivals is measured by the numbers in
 *           batches. Kingman's bound is violated where more was simulated. A stage is held up while a customer waits
 *           before the next one, and by its margin where full stages lose customers, too. A model that is exact is not
 *           judged by the arrivals, which are not Poisson where customers go back. M/M/1/K, M/M/c/K and M/M/1/K (Dor)
 *           know of full queues where full stages lose customers; blocking, and M/M/1/K of a single stage, where they
 *           block; none of them knows of a margin. The blocking tandem finds what holds its stages up, and the pattern
 *           of its arrivals, itself. It takes elements one by one: where several come together, or hold up what is
 *           before, its prediction is violated.
 */

/** What was measured of a stage beside its quantities; times have no mean. */
struct verdict_evidence queue_verdict_evidence(const struct queue_line *line,
                                               const struct queue_line_result *simulated, unsigned stage);

/** A line that was simulated, and what every model that applies says of each of its stages. */
struct queue_judged {
    const struct queue_line *line;
    const struct queue_line_result *result;
    struct queue_theory_answer of_class[QUEUE_LINE_CLASSES]; /* if customers are of classes */
    unsigned count;
    struct {
        unsigned model;
        const char *name;
        struct queue_theory_answer answers[QUEUE_LINE_STAGES_MAX];
        struct verdict_cell cells[QUEUE_LINE_STAGES_MAX][QUEUE_LINE_QUANTITIES];
    } models[QUEUE_THEORY_MODELS];
};

/** Ask and judge the models. @return for free(); line and result belong to the caller */
struct queue_judged *queue_judge(const struct queue_line *line, const struct queue_line_result *result);
