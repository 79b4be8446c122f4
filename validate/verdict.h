/* verdict.h - every model's prediction of a frame's quantities beside what was simulated, and whether the model had any
 * business to predict them.
 *
 * Models    M/M/1, M/M/1/K, M/D/1, M/G/1 and M^[X]/G/1 in the chain of four stages (of five for the two queues of 1b);
 *           M/M/1/K in the chain of five (Dor 2010, Figure 15), N_Q of 1b being its two queues' sum; the tandem with
 *           blocking. All from the frame's own rates and fractions, as predict_summary.h takes them.
 * Given     the chains' lambda and rho restate their inputs: neither right nor wrong.
 * Domain    outside a model's domain there is no number but a reason: no steady state, or a load that is 1 within its inputs'
 *           rounding (mercury_model.h), which saturation makes of it.
 * Verdict   inside its domain a prediction stands on assumptions. It is "inside" when the run keeps to all of them, "violated"
 *           when one of enum verdict_reason holds at its stage: the number stands, so that one sees what the assumption is
 *           worth. The levels are
 *           conventions, chosen so that the effect on a mean queue of moderate load is about a quarter (Kingman 1961: N_Q
 *           goes with half the sum of both scv): a scv off by a factor of VERDICT_SCV_FACTOR, lag1 above VERDICT_LAG1 (or
 *           4 / sqrt(n) where that is more), VERDICT_BLOCKED of the time, rho_o from VERDICT_RHO.
 *           M^[X]/G/1 and the tandem expect of seeds the scv 2b - 1 of batches of b on average. The tandem expects
 *           blocking, but none by records: where these hold stage 2 up, every stage before is outside. While the signal of a
 *           queue of 1a or 1b is on for VERDICT_OWN_SCV of the time, its arrivals' pattern is the blocking's own, and the
 *           services that its elements wait for are 1bd's.
 *           Models that know single arrivals are told the truth of w-mers: 16 a word.
 * Range     the least and the most of a prediction when each input is anywhere within its rounding to so many digits: of
 *           the chains over all corners; of the tandem over two, all inputs that load it low or all high.
 * Errors    where a model has no prediction there is a reason and NaN.
 */
#ifndef MERCURY_VALIDATE_VERDICT_H
#define MERCURY_VALIDATE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "model/prediction.h"
#include "sim/measure/machine_quantities.h"
#include "traces/batch_means.h"

#define VERDICT_SCV_FACTOR 1.5
#define VERDICT_SCV_NONE   0.1 /* a beat's scv is below */
#define VERDICT_LAG1       0.1
#define VERDICT_BLOCKED    0.01
#define VERDICT_OWN_SCV    0.1 /* a signal on for more of the time than this makes the arrivals' scv */
#define VERDICT_RHO        0.95

enum verdict_model {
    VERDICT_MM1,
    VERDICT_MM1K,
    VERDICT_MD1,
    VERDICT_MG1,
    VERDICT_MXG1,
    VERDICT_FIVE,
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
};
enum { VERDICT_REASONS = 8 };

/** Of arrivals or services, as summary.json has them; NaN where it has none. */
struct verdict_times {
    double count, mean_clocks, scv, lag1;
};

/** What was measured of a stage beside its quantities. */
struct verdict_evidence {
    struct verdict_times arrivals, services;
    double expected_scv; /* of arrivals: of batches, where they come in such; else 1 */
    double held;         /* share of time in which what is behind holds the stage up */
    double full;         /* share of time in which its queue's signal is on */
    double n_q, places;
};

struct verdict_cell {
    double predicted; /* NaN: none */
    const char *why_not;
    double low, high; /* its range; NaN where not asked for */
    bool edge;        /* within its inputs' rounding the model has no number, too */
    bool given;
    unsigned reasons; /* of enum verdict_reason; 0: the run keeps to what the model assumes */
};

struct verdict_frame {
    char name[PREDICT_NAME_BYTES]; /* run, pass 1 ... */
    bool saturated;                /* 1b, so that M_2 is not 1 */
    struct predict_case inputs;
    struct prediction_part four_stages; /* what the chains without 1b's two stages say, stage by stage */
    struct batch_term terms[MACHINE_QUANTITIES]; /* a row's simulated value is part / whole */
    struct verdict_evidence evidence[QUANTITY_STAGES];
    struct verdict_cell cells[MACHINE_QUANTITIES][VERDICT_MODELS];
};

const char *verdict_model_name(enum verdict_model model);

/** "arrivals' scv", ... of one reason. */
const char *verdict_reason_text(enum verdict_reason reason);

/** "inside", "violated", "outside" or "given"; and why a prediction is outside, or what is violated, else "". @return text */
const char *verdict_word(const struct verdict_cell *cell);
const char *verdict_why(const struct verdict_cell *cell, char *text, size_t size);

enum { VERDICT_TEXT_BYTES = 256 };

/** Both in one: "violated: arrivals' scv". */
void verdict_text(const struct verdict_cell *cell, char text[VERDICT_TEXT_BYTES]);

double verdict_simulated(const struct verdict_frame *frame, unsigned row);

/** Whether the chain of four stages has a quantity: those of 1bp and 1bd are of the chain of five alone. */
bool verdict_is_of_four_stages(enum machine_quantity quantity);

/** What the chain of four stages predicts of a quantity, however little it knows of it; NaN if it has no number. */
double verdict_of_four_stages(const struct verdict_frame *frame, enum machine_quantity quantity,
                              enum pipeline_model model);

/** Distance of a prediction from the simulated value, as a fraction of it, or of 0.1 elements or 0.01 where that is more. */
double verdict_distance(unsigned row, double predicted, double simulated);

/** How much is asked of the models. */
enum verdict_effort {
    VERDICT_CHAINS,       /* the tandem with blocking, which takes up to a second, has no number */
    VERDICT_EVERY_MODEL,  /* without ranges */
    VERDICT_CHAIN_RANGES, /* ranges of the chains: a few thousand predictions */
    VERDICT_ALL_RANGES,   /* the tandem's, too: two more of its solutions */
};

/** Judge a frame.
 *
 * @param frame      object of summary.json: the run's or a pass's
 * @param inputs     as predict_summary.h made them from it
 * @param saturated  how rho_1b is to be read
 * @return 0 or a code of model_error.h
 */
int verdict_make(const json_t *frame, const struct predict_case *inputs, bool saturated,
                 enum verdict_effort effort, struct verdict_frame *out);

#endif
