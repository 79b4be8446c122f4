/* pipeline.h - a chain of stages, each a single-server queue, and a bus that also carries the results back.
 *
 *     input --> [stage 0] --> [stage 1] --> ... --> [stage n-1] --> results
 *                  ^                                                   |
 *                  +--------- the same bus (pipeline_return) ----------+
 *
 * Models    for each stage S, one after the other:
 *               lambda_amo = lambda_in + lambda_mo         output of S-1, and manual overdrive
 *               lambda     = lambda_amo x F_1 x ... x F_n  in native elements; `factor` is the product
 *               output     = lambda x P(not filtered)
 *           and the queue of each stage, at that rate, by every single-stage model (enum pipeline_model) but M/M/1/K.
 *           M/D/1, M/G/1, M^[X]/G/1, E_n/M/1 and M/G/c ignore the capacity.
 * Kinds     A stage of one server has the models up to M^[X]/G/1, and E_n/M/1 if what comes to it is packed; one of
 *           several has M/M/c/K and M/G/c. The other models have no answer for it (pipeline_model_applies()).
 * Offered   M/M/1/K, the textbook's, begins with the input that is offered, not with the one that enters. Each stage
 *           loses what finds it full and passes on what it served, so every stage has a number, an overloaded one too;
 *           so it is with M/M/c/K.
 *           `M/M/1/K (Dor)` takes the rates above as those that enter, and finds the offered rate that explains them.
 *           If a stage has no capacity, its queue is unbounded, both are the same as M/M/1, and p_k and p_bp are NaN;
 *           the stage still passes on what it can serve.
 * Bus       A stage may also carry the results: lambda_bus = lambda_in + factor x output(lambda_in). The results leave
 *           there and do not pass the chain again, so every load is a linear function of the input rate. The share of
 *           the bus that results take lowers the input rate that saturates it.
 * Back      A part of what a stage serves may go back to an earlier stage, or to itself. Rates are then the solution of
 *           the traffic equations of Jackson 1957, (2); M/M/1 and M/M/c are exact if all is exponential and unbounded.
 * Shared    A stage may be served by the one server of an earlier stage, first come first served: only M/G/1 has an
 *           answer for both, of which W_Q is that of the joint stream.
 * Omits     blocking (tandem.h has it): rates are demands, and an overloaded stage does not slow the stages before it.
 *           Stages after an overloaded one have no prediction (MODEL_EUPSTREAM) but M/M/1/K's, since the stated rate
 *           cannot reach them. Arrivals are not correlated: every stage has Poisson arrivals, of batches in M^[X]/G/1.
 * Units     the input rate in the units that the first stage's factor converts; each stage in its own elements.
 * Memory    Arrays belong to the caller; a prediction keeps the pointer to its stage's name.
 * Errors    0 or a negative code of model_error.h; never prints, never exits. A prediction outside of its model's
 *           domain has a status, and NaN instead of numbers; one inside it may still have a caution.
 * Source    Dor 2010 (WUCSE-2010-30), Figures 4, 5 and 9, section 4.3.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/queue/single_queue.h"

/* The rows of data/words/models.tsv. */
#include "model/models.inc"

#define PIPELINE_MODEL_ID(id, ...) id
enum pipeline_model {
    ACCELERATOR_MODEL_ROWS(PIPELINE_MODEL_ID) PIPELINE_MODELS, /* those above are the accelerator's */
    PIPELINE_ACCELERATOR_LAST = PIPELINE_MODELS - 1,
    CHAIN_MODEL_ROWS(PIPELINE_MODEL_ID) PIPELINE_CHAIN_MODELS
};

/** "M/M/1", "M/M/1/K", "M/M/1/K (Dor)", ... */
const char *pipeline_model_name(enum pipeline_model model);

struct pipeline_stage {
    const char *name;
    double factor;          /* native elements per element of the stage before, > 0 */
    double overdrive_per_s; /* elements of the stage before that are added (manual overdrive), >= 0 */
    double mu_per_s;        /* service rate of a server, native elements, > 0 */
    unsigned servers;       /* 0 stands for 1 */
    unsigned packed; /* elements of a Poisson stream that make one here, for E_n/M/1; 0: none are packed */
    unsigned k;      /* capacity in native elements, server included; 0 if there is none */
    double pass_fraction;    /* elements out per element in, >= 0; above 1 if one element yields several */
    double general_mu_per_s; /* 1 / mean service for M/D/1, M/G/1, M^[X]/G/1, > 0; 0 stands for mu_per_s */
    double service_scv;      /* for M/G/1, M^[X]/G/1, >= 0; NaN if unknown: they have no number then */
    double batch_mean;       /* mean batch for M^[X]/G/1, >= 1; 0 if elements arrive one by one */
    double batch_second;     /* second moment of the batch */
    unsigned on;    /* 1 + index of the stage, this or an earlier one, whose server is shared; 0: its own */
    size_t back_to; /* index of the stage, not after this one, to which a part of what it serves goes back */
    double back_fraction; /* that part, in [0, 1) */
};

/** Whether a model is one of a stage of this kind. */
bool pipeline_model_applies(enum pipeline_model model, const struct pipeline_stage *stage);

struct pipeline_return {
    size_t onto;   /* index of the stage that carries the results back */
    double factor; /* its native elements per element that leaves the last stage, >= 0 */
};

/* Cautions: the formula holds, but the hardware probably does not follow it. No publication gives such levels. */
enum pipeline_caution {
    PIPELINE_CAUTION_QUEUE = 1, /* n_q is above K/2: the bound of the queue decides, not the traffic */
    PIPELINE_CAUTION_BACK_PRESSURE = 2, /* p_bp is above PIPELINE_P_BP_LEVEL: it slows the stage before */
};

#define PIPELINE_P_BP_LEVEL 0.01

enum { PIPELINE_STAGES_MAX = 1000 };

struct pipeline_queue {
    int status;               /* 0, or the reason why there is no prediction */
    unsigned cautions;        /* set of enum pipeline_caution */
    struct queue_result mean; /* all NaN unless status is 0 */
};

struct pipeline_prediction {
    const char *name;
    double lambda_per_s; /* native elements, including results that are carried back */
    double mu_per_s;     /* of all servers together */
    /* lambda_per_s / mu_per_s; the stage is overloaded if it, or that of all stages with its server, is 1 or more */
    double rho;
    double saturating_input_per_s; /* at which rho is 1; 0 if overdrive alone makes it 1; or INFINITY */
    struct pipeline_queue queue[PIPELINE_CHAIN_MODELS];
};

/** The mean time from the first queue to the last server, which is the sum of w_g_s. */
struct pipeline_latency {
    int status;       /* 0, or that of the first stage without a prediction */
    double latency_s; /* NaN unless status is 0 */
};

enum { PIPELINE_SENTENCE_BYTES = 256 };

struct pipeline_bottleneck {
    int stage;          /* index, or -1 if no input rate saturates any (other) stage */
    const char *name;   /* of that stage */
    double input_per_s; /* input rate that saturates it; NaN without a stage */
};

struct pipeline_summary {
    struct pipeline_latency latency[PIPELINE_MODELS];
    struct pipeline_bottleneck bottleneck; /* the stage that saturates at the lowest input rate */
    struct pipeline_bottleneck next;       /* the bottleneck if that stage is removed */
};

/** Say which stage saturates first, and which one without it.
 *
 * @param unit  of an input rate, which is so many per second
 * @return a sentence without its end, in `text` or not */
const char *pipeline_say_bottleneck(const struct pipeline_summary *whole, double unit_per_s, const char *unit,
                                    char text[PIPELINE_SENTENCE_BYTES]);

/** Predict every stage of a chain and the chain as a whole.
 *
 * @param stages       `count` stages, in the order of flow
 * @param count        1 .. PIPELINE_STAGES_MAX
 * @param back         how results load a stage of the chain; NULL if they do not
 * @param input_per_s  input rate, finite, >= 0
 * @param offered_per_s  input rate that M/M/1/K begins with, finite, >= 0
 * @param out          `count` predictions; untouched on error
 * @param summary      untouched on error
 * @return 0, also when stages have no prediction (see their status), MODEL_ESTAGES, MODEL_ERETURN, MODEL_EINPUT,
 *         MODEL_EFACTOR, MODEL_ESERVICE, MODEL_EOVERDRIVE, MODEL_EPASS, MODEL_EBACK, MODEL_ESCV or MODEL_EBATCH
 */
int pipeline_predict(const struct pipeline_stage *stages, size_t count, const struct pipeline_return *back,
                     double input_per_s, double offered_per_s, struct pipeline_prediction *out,
                     struct pipeline_summary *summary);
