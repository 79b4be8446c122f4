/* queue_line.h - queues in tandem, simulated in SimGrid: what queueing theory is about, without any hardware.
 *
 *     source --> [ places, 1 server ] --> [ places, 1 server ] --> ... --> out
 *
 * Models    customers arrive at the first stage (Poisson, evenly spaced, or Poisson batches of equal size), wait first-come
 *           first-served, are served by one server a stage (exponential, constant, or a mixture of a short and a long
 *           constant) and go on to the next. `places` counts the server's, as the K of M/M/1/K does. Where the next stage
 *           is full:
 *               loss   the customer is gone
 *               block  the server holds it, and serves nobody, until there is room (blocking after service); the source
 *                      likewise, and the time to the next arrival begins when it is in
 * How       one SimGrid actor a stage and one for the source, each asleep as long as a service or an interarrival time
 *           takes; a semaphore only where somebody really waits. What happens at one and the same instant happens in
 *           SimGrid's order.
 * Measured  everything by its dates on SimGrid's clock: time integrals of numbers and states, waits from each customer's
 *           own dates (so that Little's law is a check, not a definition). The run starts empty; the first part is left
 *           out, the rest cut into batches of equal length (batch_means.h); counts and times of a customer belong to
 *           the batch in which they end. Rates and utilisation are plain batch means; for the other quantities what was
 *           drawn, less what is drawn on average, are controls (interarrival times; the stage's services; at the first
 *           stage what a service exceeds the time to the next arrival by, which is all the waiting there is where queues
 *           are short): sums over a batch have mean 0 exactly, since when to draw never depends on the draw. Estimates that
 *           were controlled each for itself obey Little's law only within their intervals; `measured` does as it is.
 * Length    `customers`, or until every interval is narrow: looked at at the end, where the run is doubled and each two batches
 *           become one until it is so. To stop by what was seen makes intervals a little too narrow; a doubling looks
 *           seldom.
 * Time      seconds, of the caller's choice: SimGrid merges dates within 1e-13 s (simgrid_engine.h), and a date is a
 *           double. queue_line_check() refuses rates that would feel either; a mean service near 1 s is best.
 * Random    GSL's mt19937, a generator for the source and one for each stage.
 * Limits    one call a process: SimGrid has one engine a process.
 * Errors    a negative QUEUE_LINE_E* code and one line.
 */
#ifndef MERCURY_SIM_SIMGRID_QUEUE_LINE_H
#define MERCURY_SIM_SIMGRID_QUEUE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "traces/batch_means.h"

enum { QUEUE_LINE_STAGES_MAX = 16, QUEUE_LINE_LEAST_BATCHES = 10, QUEUE_LINE_MOST_BATCHES = 1000 };

enum queue_line_error {
    QUEUE_LINE_ERANGE = -1, /* a number makes no sense, or not beside the others */
    QUEUE_LINE_EMEMORY = -2,
    QUEUE_LINE_EENGINE = -3, /* SimGrid's platform cannot be handed over */
};

enum queue_line_arrivals { ARRIVALS_POISSON, ARRIVALS_DETERMINISTIC, ARRIVALS_BATCH };
enum queue_line_service { SERVICE_EXPONENTIAL, SERVICE_DETERMINISTIC, SERVICE_MIXTURE };
enum queue_line_overflow { OVERFLOW_LOSS, OVERFLOW_BLOCK };

struct queue_line_stage {
    double mu_per_s; /* one over the mean service time, whatever its distribution */
    uint32_t places; /* server included; 0: unbounded */
    enum queue_line_service service;
    double long_fraction; /* mixture: of the services, in [0, 1]; the others are short */
    double long_ratio;    /* mixture: how many times as long, >= 1 */
};

struct queue_line {
    double lambda_per_s; /* customers offered, while the source is not blocked */
    enum queue_line_arrivals arrivals;
    uint32_t batch; /* customers that come together; 1 unless ARRIVALS_BATCH */
    enum queue_line_overflow overflow;
    unsigned stage_count;
    struct queue_line_stage stages[QUEUE_LINE_STAGES_MAX];
    double customers;      /* the run lasts as long as so many take to arrive */
    double until_width;    /* of every interval, as queue_line_width() has it; 0: do not look */
    double most_customers; /* give up narrowing there */
    double warm_up;        /* fraction of `customers` that is left out, in [0, 0.9] */
    unsigned batches;      /* the rest is cut into; an even number with until_width */
    unsigned long seed;
};

/** What is measured of a stage. */
enum queue_line_quantity {
    QUEUE_LINE_OFFERED,     /* customers a second that came to its door */
    QUEUE_LINE_THROUGHPUT,  /* customers a second that left it, served */
    QUEUE_LINE_UTILISATION, /* fraction of time its server served */
    QUEUE_LINE_N,           /* mean number in the stage, with the one in or held by the server */
    QUEUE_LINE_N_Q,         /* of these in the queue */
    QUEUE_LINE_W_Q,         /* mean time in the queue [s] */
    QUEUE_LINE_W,           /* mean time in the stage [s] */
    QUEUE_LINE_LOSS,        /* fraction of those that came to its door and found no place */
    QUEUE_LINE_FULL,        /* fraction of time all places were taken */
    QUEUE_LINE_BLOCKING,    /* fraction of time it kept a customer waiting outside */
    QUEUE_LINE_QUANTITIES
};

const char *queue_line_quantity_name(enum queue_line_quantity quantity);
const char *queue_line_quantity_unit(enum queue_line_quantity quantity);

/** Full width of an interval, as a fraction of the value; of fractions below 0.01 as one of 0.01. 0 where nothing varies. */
double queue_line_width(const struct estimate *estimate, enum queue_line_quantity quantity);

struct queue_line_result {
    struct estimate stage[QUEUE_LINE_STAGES_MAX][QUEUE_LINE_QUANTITIES];
    double measured[QUEUE_LINE_STAGES_MAX][QUEUE_LINE_QUANTITIES]; /* without controls */
    double batch_s, warm_up_s, widest;                             /* the largest queue_line_width() */
    uint64_t arrived, lost,
        departed;        /* customers of the whole run, and of its draining; arrived = lost + departed */
    unsigned correlated; /* estimates whose batches are too short (batch_means_are_correlated) */
};

/** A Poisson stream of 0.5 customers a second to one server of 1 a second, unbounded: M/M/1. */
struct queue_line queue_line_default(void);

/** Every range, and that an unbounded stage has a steady state. */
int queue_line_check(const struct queue_line *tandem, struct why *why);

/** Simulate one that queue_line_check() has passed.
 *  @param result  filled on success */
int queue_line_run(const struct queue_line *tandem, struct queue_line_result *result, struct why *why);

#endif
