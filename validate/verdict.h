/* verdict.h - what every model predicts of a frame's quantities, beside what was simulated, and whether the frame keeps
 * to the model's assumptions.
 *
 * Models    M/M/1, M/M/1/K, M/M/1/K (Dor), M/D/1, M/G/1 and M^[X]/G/1 in the chain of four stages (of five for the
 *           two queues of 1b); M/M/1/K (Dor) in the chain of five (Dor 2010, Figure 15), whose N_Q of 1b is the sum of
 *           its two queues; the tandem with blocking. All of them get the frame's own rates and fractions, as
 *           run_inputs.h takes them; M/M/1/K begins with what the host could supply.
 * Given     Lambda and rho of the chains only repeat their inputs, so they are neither right nor wrong, but those of
 *           M/M/1/K, which loses what finds a stage full.
 * Domain    Outside a model's domain there is a reason instead of a number: the queue has no steady state, or its load
 *           is 1 within the rounding of its inputs (mercury_model.h), as it is if 1b is saturated.
 * Verdict   Inside its domain a prediction still rests on assumptions. It is "inside" if the run keeps to all of them,
 *           and "violated" if a reason of enum verdict_reason holds at its stage. A violated prediction keeps its
 *           number, so that one sees what the assumption is worth.
 * Levels    are conventions, chosen so that the effect on a mean queue of moderate load is about a quarter (Kingman
 *           1961: N_Q is proportional to half the sum of both scv). An assumption is violated if a scv is off by a
 *           factor of VERDICT_SCV_FACTOR, lag1 is above VERDICT_LAG1 (or 4 / sqrt(n) if that is more), a stage is held
 *           up or a signal is on in VERDICT_BLOCKED of the time, or rho_o is VERDICT_RHO or more.
 * Slow      changes of a rate hardly show in neighbouring times, but in the dispersion of many (struct dispersion). For
 *           independent times it is their scv. An assumption is violated if it is above that, and above what is
 *           assumed, by VERDICT_SCV_FACTOR and by more than four standard errors. Queues of plain stages know
 *           it (queue_theory.h), those of the machine do not.
 * View      Who comes in a Poisson stream finds what there is on average (PASTA: Wolff 1982). Where full stages lose
 *           customers, Poisson arrivals are violated if the fraction that is lost is off the fraction of time in which
 *           the stage is full, by VERDICT_BLOCKED and by two half-widths of both.
 * Clock     An element is in a FIFO for a clock that no model knows, even if its server is free: that adds elements per
 *           clock to N_Q. The prediction of N_Q is violated if they are VERDICT_CLOCK of it or more.
 * Batches   M^[X]/G/1 and the tandem expect seeds in batches of b on average, whose scv is 2b - 1. Models that know
 *           single arrivals only are judged by the truth about w-mers: 16 of them arrive together.
 * Blocking  The tandem expects blocking, but not by records: if records hold stage 2 up, the prediction of every stage
 *           is violated. If the signal of a queue of 1a or 1b is on for more than VERDICT_OWN_SCV of the time, blocking
 *           itself makes the pattern of its arrivals, and its elements wait for the services of 1bd.
 * Range     the least and the largest prediction if each input is anywhere within its rounding. The chains are asked at
 *           all corners of the inputs; the tandem at two: all inputs that load it at their low ends, or all at their
 *           high ends.
 * Errors    If a model has no prediction, there is a reason, and the number is NaN.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "traces/statistics/batch_means.h"
#include "model/predict/prediction.h"
#include "sim/measure/machine_quantities.h"
#include "sim/run/run.h"

#define VERDICT_SCV_FACTOR 1.5
#define VERDICT_SCV_NONE   0.1 /* times with a smaller scv count as constant */
#define VERDICT_LAG1       0.1
#define VERDICT_BLOCKED    0.01
#define VERDICT_OWN_SCV    0.1 /* fraction of time, see Blocking */
#define VERDICT_RHO        0.95
#define VERDICT_CLOCK      0.25

/* The models of a chain (enum pipeline_model), then two that see more. */
enum verdict_model {
    VERDICT_MM1 = PIPELINE_MM1,
    VERDICT_MM1K = PIPELINE_MM1K,
    VERDICT_MM1K_DOR = PIPELINE_MM1K_DOR,
    VERDICT_MD1 = PIPELINE_MD1,
    VERDICT_MG1 = PIPELINE_MG1,
    VERDICT_MXG1 = PIPELINE_MXG1,
    VERDICT_FIVE = PIPELINE_MODELS,
    VERDICT_BLOCKING,
    VERDICT_MODELS
};

enum verdict_reason {
    VERDICT_LOADED = 1 << 0,
    VERDICT_BOUND = 1 << 1,
    VERDICT_ARRIVALS = 1 << 2,
    VERDICT_ARRIVALS_ALIKE = 1 << 3,
    VERDICT_SERVICES = 1 << 4,
    VERDICT_SERVICES_ALIKE = 1 << 5,
    VERDICT_HELD = 1 << 6,
    VERDICT_FULL = 1 << 7,
    VERDICT_TOGETHER = 1 << 8, /* of the tandem with blocking in a chain (queue_theory.h) */
    VERDICT_LOSES = 1 << 9,    /* in place of VERDICT_FULL in a chain that loses */
    VERDICT_RATE = 1 << 10,    /* of a chain: it is off by VERDICT_BLOCKED and by two half-widths */
    VERDICT_ARRIVALS_SLOW = 1 << 11,
    VERDICT_SERVICES_SLOW = 1 << 12,
    VERDICT_OVER = 1 << 13,    /* of a model that is a bound: more was simulated, by two half-widths */
    VERDICT_A_CLOCK = 1 << 14, /* of N_Q of the machine */
    VERDICT_VIEW = 1 << 15,    /* of a chain that loses: who comes finds another stage than there is */
};
enum { VERDICT_REASONS = 16 };

/** Variance over mean of the number that comes in a long time, or, times having a mean of 1, of the sum of many: as
 *  estimated, and less four standard errors. 0 if nothing is known. */
struct dispersion {
    double estimate, least;
};

/** What was measured of a stage beside its quantities. */
struct verdict_evidence {
    struct interval_values arrivals, services; /* NaN if there are none */
    double expected_scv; /* of the arrivals: that of batches if they arrive in batches, else 1 */
    double held;         /* fraction of time in which a later stage holds this one up */
    double full;         /* fraction of time in which the signal of its queue is on */
    double n_q, places;
    double per_clock; /* elements that come in a clock, to each FIFO of the stage */
    struct dispersion arrivals_slow, services_slow;
};

struct verdict_cell {
    double predicted;    /* NaN if the model has no number */
    const char *why_not; /* the reason if it has none, else NULL */
    double low, high;    /* its range; NaN if none was asked for */
    bool edge;           /* somewhere within the rounding of the inputs the model has no number */
    bool given;          /* the number only repeats an input */
    unsigned reasons;    /* set of enum verdict_reason; 0 if the run keeps to all assumptions */
};

struct verdict_frame {
    char name[PREDICT_NAME_BYTES]; /* "run", "pass 1", ... */
    bool saturated;                /* 1b is saturated, so that M_2 is not 1 */
    struct predict_case inputs;
    struct prediction_part four_stages;          /* the prediction of the chain of four stages */
    struct batch_term terms[MACHINE_QUANTITIES]; /* the simulated value is part / whole */
    struct verdict_evidence evidence[QUANTITY_STAGES];
    struct verdict_cell cells[MACHINE_QUANTITIES][VERDICT_MODELS];
};

const char *verdict_model_name(enum verdict_model model);

/** What a model assumes of a single queue. */
struct verdict_assumptions {
    double arrivals_scv, services_scv; /* of the times; NaN: any */
    bool has_bound;                    /* the model knows that the queue is full at times */
};

/** Judge a queue by the levels above. @param rho  offered load
 *  @return a set of enum verdict_reason */
unsigned verdict_reasons(const struct verdict_evidence *evidence, const struct verdict_assumptions *assumed,
                         double rho);

/** The texts of enum verdict_reason by the number of the bit, such as "arrivals' scv". */
extern const char *const verdict_reason_texts[VERDICT_REASONS];

/** The verdict, "inside", "violated", "outside" or "given", and its reasons: why a prediction is outside or which
 *  assumptions are violated, "" if there are none. @return `text` */
const char *verdict_word(const struct verdict_cell *cell);
const char *verdict_why(const struct verdict_cell *cell, char *text, size_t size);

enum { VERDICT_TEXT_BYTES = 256 };

/** Models of the same verdict on a quantity, and for the same reasons. */
struct verdict_group {
    char models[160];              /* their names, separated by commas */
    char text[VERDICT_TEXT_BYTES]; /* verdict and reasons, such as "violated: arrivals' scv" */
};

/** Fill the group whose first model is `model`.
 *
 * @param cells  of one quantity, `count` of them
 * @param names  of each model; NULL: those of enum verdict_model
 * @return false if `model` is not the first of its group, or if its number is an input, which has no verdict
 */
bool verdict_group(const struct verdict_cell *cells, unsigned count, const char *const *names, unsigned model,
                   struct verdict_group *group);

/** The simulated value of a quantity; NaN if it has none. */
double verdict_simulated(const struct verdict_frame *frame, unsigned row);

/** The stage of a prediction that a stage of the quantities is: of the chain of five stages if `five`, or if the chain
 *  of four has no such stage. */
const struct prediction_stage *verdict_stage(const struct prediction *prediction, enum quantity_stage stage,
                                             bool five);

/** What a model says of the queue of a stage. */
const struct pipeline_queue *verdict_queue(const struct prediction *prediction, enum quantity_stage stage,
                                           enum verdict_model model);

/** Whether the chain of four stages has a quantity: those of 1bp and 1bd are of the chain of five alone. */
bool verdict_is_of_four_stages(enum machine_quantity quantity);

/** What the chain of four stages predicts of one of its quantities, without any verdict; NaN if it has no number. */
double verdict_of_four_stages(const struct verdict_frame *frame, enum machine_quantity quantity,
                              enum pipeline_model model);

/** The least value that distances of a quantity are fractions of: 0.1 elements, 0.01, or 0.001 million per second. */
double verdict_least(unsigned row);

/** Distance of a prediction from the simulated value, as a fraction of that value, or of verdict_least() if this is
 *  larger. */
double verdict_distance(unsigned row, double predicted, double simulated);

/** How much is asked of the models. */
enum verdict_effort {
    VERDICT_CHAINS,       /* the tandem with blocking, which takes up to a second, has no number */
    VERDICT_EVERY_MODEL,  /* without ranges */
    VERDICT_CHAIN_RANGES, /* ranges of the chains: a few thousand predictions */
    VERDICT_ALL_RANGES,   /* the tandem's, too: two more of its solutions */
};

/** Judge a frame. @param inputs  as run_inputs.h made them from it
 *  @return 0 or a code of model_error.h */
int verdict_make(const struct frame_values *frame, const struct predict_case *inputs,
                 enum verdict_effort effort, struct verdict_frame *out);
