/* queue_network.h - queues simulated in SimGrid: the systems of queueing theory, without any hardware.
 *
 *     line:    source --> [ places, c servers ] --> [ places, c servers ] --> ... --> out
 *     closed:  customers that go round between centres for ever
 *
 * Stage     Customers wait first-come first-served and are served by one of the stage's servers, for times of any law
 *           of duration.h. `places` includes the servers', as the K of M/M/c/K does.
 * Line      Customers arrive at the first stage, with times between them of any such law, and go on to the next stage.
 *           If that is full, then with
 *               loss   the customer is lost;
 *               block  the server holds the customer, and serves nobody, until there is room (blocking after service).
 *                      The source does the same: the time to the next arrival begins when its customer has entered.
 * Between   stages of a line customers are filtered, and then turn into others. Each that was served goes on with the
 *           probability `pass_fraction`. At the next stage it becomes `factor` customers (Dor's F) that come at once:
 *           as many on average, the whole number below or the one above. With `block` its server holds them until all
 *           have entered, before all who came later. A factor of 1/n packs: every nth that comes is one customer here,
 *           and the others need no place. What the source sends to the first stage is converted as well, and so are
 *           further elements that may come to a stage as a Poisson stream. With `outputs` what each customer becomes is
 *           read from a list instead.
 * Back      A served customer goes back to an earlier stage, or to its own, with the probability `back_fraction`.
 * Rates     Arrivals may change between two rates at random (a mmpp of duration.h). The state goes on while time to the
 *           next arrival passes, and stands still while a full stage holds the source.
 * Classes   Customers of a line of one stage may be of two classes, by chance, each with services of its own. With
 *           `priority` a server takes those of the first class first, and ends what it has begun.
 * Shared    A stage with `on` has no server of its own: that of an earlier stage serves both, always the customer who
 *           came first.
 * Margin    With `almost_full` the server before begins no service while no more places of the stage than these are
 *           free: what leaves it then finds a place, as behind a FIFO with an almost-full flag.
 * Never     A circle of stages that all have a bound, and hold their customers, may block for ever: routes back, and
 *           servers that are shared, make circles. queue_line_check() refuses them.
 * Closed    Centres are stages with room for all. Customers of a class go from centre to centre by the class's routing
 *           probabilities, and none comes or leaves. A centre whose rate depends on the load has moments of possible
 *           departures at its greatest rate; the first customer leaves at such a moment with the probability rate /
 *           greatest rate, which is exact for exponential services.
 * How       One SimGrid actor per server and one for the source, each of which sleeps for a service or an interarrival
 *           time; a semaphore is used only if somebody really waits. Events of the same instant happen in SimGrid's
 *           order.
 * Measured  Everything comes from dates on SimGrid's clock: time integrals of numbers and states, and waits from each
 *           customer's own dates, so that Little's law is a check, not a definition. The first part of the run is left
 *           out, and the rest is cut into batches (batch_means.h): of equal length, or, of a closed network, of equally
 *           many services of all centres. Counts and times of a customer belong to the batch in which they end. Rates
 *           and utilisation, and all of a closed network, are plain batch means. For the other quantities of a line,
 *           what was drawn minus what is drawn on average is used as controls: interarrival times, the stage's services
 *           and, at the first stage, the excess of a service over the time to the next arrival, which is all the
 *           waiting if queues are short; its mean is known if services are drawn and arrivals are Poisson or evenly
 *           spaced. The controls' sums over a batch have mean 0 exactly, because the moment of a draw never depends on
 *           the draw. Where few wait (fewer than 30 in a batch) the excess, which is 0 in most batches, is no control;
 *           if fewer than one does, by chance, a mean wait of 3 / n services of n customers may not have been seen.
 *           Estimates that were controlled one by one obey Little's law only within their intervals; `measured` obeys
 *           it.
 * Short     Batches of a few relaxation times, 1 / (mu (1 - sqrt(rho))^2) for M/M/1, are neither independent nor
 *           normally distributed. Below 50 of them an interval of a line is made wider: Student's t has the fewer
 *           degrees of freedom, the shorter they are, and the variance is that of means whose correlation falls
 *           exponentially. Below QUEUE_LINE_RELAXATIONS `batch_relaxations` tells the caller to say so: the start from
 *           an empty line is in the mean then, too. With both, intervals of M/M/1 hold 92 to 100% (tests/sim/simgrid).
 *           Rates of customers are left as they are, since those of a stream without memory vary by its draws alone,
 *           and hold 92 to 98% so; but those of a mmpp are wider, too.
 *           So it is with closed networks (queue_network_relaxation_s()), which begin near their means: of 40 intervals
 *           of the number at one of two equal centres, 38, 39 and 37 held at 20, 100 and 500 customers.
 * Filling   A stage that takes in more than it passes, for ever or up to a distant bound, has no mean yet. If the
 *           number in one that may do so (queue_line_may_fill()) grows with the batches by more than chance makes it
 *           grow in one of 10,000 runs, `filling` names it, and the run is doubled if it may be.
 * Length    `customers`, or until every interval is narrow: they are examined at the end, and the run is doubled, each
 *           two batches becoming one, until they are. Stopping by results makes intervals a little too narrow; doubling
 *           examines them seldom.
 * Time      seconds of the caller's choice. SimGrid merges dates within 1e-13 s (simgrid_engine.h), and a date is a
 *           double: the checks refuse rates that would suffer from either. A mean service near 1 s is best.
 * Random    GSL's mt19937: one generator for the source, for each stage and for each class's routes.
 * Limits    one call per process, because SimGrid has one engine per process.
 * Errors    WHY_SAID and one line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/why.h"
#include "model/queue/duration.h"
#include "traces/statistics/batch_means.h"

/* Batches that are shorter, in relaxation times, need a note. */
#define QUEUE_LINE_RELAXATIONS 10

enum {
    QUEUE_LEAST_BATCHES = 10,
    QUEUE_MOST_BATCHES = 1000,
    QUEUE_LINE_STAGES_MAX = 64,
    QUEUE_LINE_CLASSES = 2,
    QUEUE_NETWORK_CENTRES_MAX = 16,
    QUEUE_NETWORK_CLASSES_MAX = 8,
    QUEUE_NETWORK_CUSTOMERS_MAX = 10000,
    QUEUE_NETWORK_NAME_BYTES = 32,
};

enum queue_line_overflow { OVERFLOW_LOSS, OVERFLOW_BLOCK };

/** A stage of a line, or a centre of a closed network, of which only the members marked [c] are used. */
struct queue_line_stage {
    char name[QUEUE_NETWORK_NAME_BYTES]; /* [c] */
    double factor;        /* customers here per element that comes from before: 1 / n, or from 1 on */
    double added_per_s;   /* further elements that come here, each by itself, as a Poisson stream; 0: none */
    double pass_fraction; /* probability with which a customer that it has served goes on, in [0, 1] */
    double mu_per_s;      /* of one server: the inverse of the mean service time of any distribution [c] */
    uint32_t places;      /* those at the servers included; 0 if unbounded */
    uint32_t servers;     /* number of servers, >= 1; of a centre 0: one for each customer [c] */
    struct duration service; /* [c] */
    uint32_t almost_full; /* the server before begins only while more places than these are free; 0: always */
    unsigned on;      /* 1 + index of the stage, this or an earlier one, whose server is shared; 0: its own */
    unsigned back_to; /* index of the stage to which customers go back, not after this one */
    double back_fraction; /* probability with which they do, in [0, 1) */
    /* Customers of the next stage that each one becomes, in their order, and again from the first after the last; they
     * belong to the caller. NULL: `pass_fraction` and the next stage's `factor`, which are those of the list else. */
    double *outputs;
    size_t output_count;
    /* [c] The rate with 1, 2, ... customers / mu_per_s; with more, the last one. Then there is one server, and its
     * services are exponential. NULL: the rate does not depend on the load. */
    double *speeds;
    unsigned speed_count;
};

/** How long a run is, and what is left of it. */
struct queue_run {
    double customers; /* of a line: mean number that arrives; of a closed network: services of all centres */
    double until_width;    /* greatest width of an interval; 0 if intervals are not examined */
    double most_customers; /* the run is not doubled beyond this number */
    double warm_up;        /* fraction of `customers` that is left out at the beginning, in [0, 0.9] */
    unsigned batches;      /* number of batches of the rest; even if there is an until_width */
    unsigned long seed;
};

/** What is in a stage from an instant on, after all that happened in it. */
struct queue_line_state {
    size_t inside, waiting; /* numbers in the stage, and of these in its queue */
    unsigned serving;
    bool holds_up;              /* somebody waits outside */
    uint64_t entered, departed; /* numbers of those that have come in, and that have left, so far */
};

/** Sees every instant of a run in which something changes, in order of time; the last one is that in which the line is
 * empty. `end_s` is the end of what is measured, from when on it is known; before INFINITY. */
struct queue_watcher {
    void (*see)(void *data, double at_s, double end_s, const struct queue_line_state *stages);
    void *data;
};

struct queue_line_class {
    double share; /* probability that a customer is of the class, in (0, 1) */
    double mu_per_s;
    struct duration service;
};

struct queue_line {
    double scale; /* its times are seconds x scale, its rates those per second / scale */
    const struct queue_watcher *watcher; /* NULL: nobody watches */
    double lambda_per_s; /* offered rate of the first stage's customers while nothing blocks the source */
    struct duration arrivals; /* times between what becomes `factor` customers of the first stage each */
    enum queue_line_overflow overflow;
    unsigned stage_count;
    struct queue_line_stage stages[QUEUE_LINE_STAGES_MAX];
    bool has_names; /* else its stages are called by their numbers */
    /* QUEUE_LINE_CLASSES, or 0: all are alike. Services of the stage are then those of a customer of any class. */
    unsigned class_count;
    bool priority;
    struct queue_line_class classes[QUEUE_LINE_CLASSES];
    struct queue_run run;
};

/* The rows of data/words/line_quantities.tsv. */
#include "sim/line_quantities.inc"

#define QUEUE_LINE_ID(id, ...) id

/** What is measured at a stage. */
enum queue_line_quantity { QUEUE_LINE_ROWS(QUEUE_LINE_ID) QUEUE_LINE_QUANTITIES };

/** What is measured of each class of customers. */
enum { QUEUE_LINE_CLASS_QUANTITIES = 4 };
extern const enum queue_line_quantity queue_line_class_quantities[QUEUE_LINE_CLASS_QUANTITIES];

extern const struct queue_line_quantity_row {
    double least; /* the intervals of smaller values are compared with this value */
    const char *name, *unit, *meaning;
} queue_line_quantities[QUEUE_LINE_QUANTITIES];

/** The full width of an interval as a fraction of its value; for a fraction below 0.01, as a fraction of 0.01. 0 if
 *  nothing varies. */
double queue_line_width(const struct estimate *estimate, enum queue_line_quantity quantity);

/** Numbers in a stage that are counted one by one; the last one stands for all from there on. */
enum { QUEUE_LINE_NUMBERS = 512, QUEUE_LINE_QUANTILES = 3 };

/** The fractions 0.5, 0.9 and 0.99. */
extern const double queue_line_quantiles[QUEUE_LINE_QUANTILES];

/** How regular times are: of those between arrivals at a stage, those that are lost included. */
struct queue_line_times {
    double count; /* of the times after the warm-up */
    double scv;   /* squared coefficient of variation; NaN without times */
    double lag1;  /* correlation of a time with the next one; NaN if they do not vary */
};

/** A quantity of a stage, or of a class of customers. */
struct queue_line_row {
    enum queue_line_quantity quantity;
    unsigned stage, class; /* 1 + the class; 0: of all */
};

struct queue_line_result {
    struct queue_line_times arrivals[QUEUE_LINE_STAGES_MAX];
    struct estimate stage[QUEUE_LINE_STAGES_MAX][QUEUE_LINE_QUANTITIES];
    double measured[QUEUE_LINE_STAGES_MAX][QUEUE_LINE_QUANTITIES];       /* without controls */
    struct estimate of_class[QUEUE_LINE_CLASSES][QUEUE_LINE_QUANTITIES]; /* queue_line_class_quantities */
    double number_p[QUEUE_LINE_STAGES_MAX][QUEUE_LINE_NUMBERS]; /* P[N = n], of the time after the warm-up */
    /* quantiles of the times in the stage, within 0.4%, of those that have left it since */
    double stay_s[QUEUE_LINE_STAGES_MAX][QUEUE_LINE_QUANTILES];
    /* What was measured in each batch: `batches` values of each quantity of each stage, without controls; NaN where
     * there is none. They are to be freed. NULL before a run. */
    double *frames;
    double batch_s, warm_up_s;
    double widest; /* the greatest queue_line_width(), without what may not have been seen */
    struct queue_line_row widest_row;
    double batch_relaxations; /* relaxation times in a batch, at the stage where they are fewest */
    unsigned slowest_stage;   /* that stage */
    unsigned filling;         /* 1 + the first stage that still fills; 0: none */
    /* Customers of the whole run and of its draining: arrived = lost + departed, if none turn into others and none are
     * added. */
    uint64_t arrived, lost, departed;
    unsigned correlated; /* number of estimates whose batches are too short (batch_means_are_correlated()) */
};

/** Check that something comes to each stage, that unbounded ones have a steady state as far as is known
 *  (queue_line_passes_per_s()), and that no circle can block for ever. */
int queue_line_check_flows(const struct queue_line *line, struct why *why);

/** The rate of its customers that a stage does not exceed, though it always has some: full stages after it hold it up.
 *  It is the throughput of their Markov chain (markov_tandem.h) where they are exponential, else what its servers can
 *  do. */
double queue_line_passes_per_s(const struct queue_line *line, unsigned stage);

/** Whether a stage may fill for long: more comes than it can serve, or a bounded stage after it may hold it up. */
bool queue_line_may_fill(const struct queue_line *line, unsigned stage);

/** How long the queue of a stage remembers: the relaxation time of M/M/c/K at the rates that the line is given, times
 *  the mean scv of arrivals and services. @param arrivals_scv  as measured; NaN: 1 */
double queue_line_relaxation_s(const struct queue_line *line, unsigned stage, double arrivals_scv);

/** M/M/1: a Poisson stream of 0.5 customers per second to one unbounded server of 1 customer per second. Further stages
 *  would be such servers, too. */
struct queue_line queue_line_default(void);

/** Check what members say together: rates, also those that a trace or a scale has made, the run, and the flows
 *  (queue_line_check_flows()). Each number by itself is checked where it is read: options, chain_file.h. */
int queue_line_check(const struct queue_line *line, struct why *why);

/** The values of a quantity of a stage, batch by batch. */
double *queue_line_frames(const struct queue_line *line, const struct queue_line_result *result,
                          unsigned stage, enum queue_line_quantity quantity);

/** Simulate a line that queue_line_check() has accepted. @param result  filled on success */
int queue_line_run(const struct queue_line *line, struct queue_line_result *result, struct why *why);

/* --- closed networks ------------------------------------------------------------------------------------- */

struct queue_network_class {
    char name[QUEUE_NETWORK_NAME_BYTES];
    unsigned population;                      /* >= 1 */
    double visits[QUEUE_NETWORK_CENTRES_MAX]; /* per passage: queue_network_find_visits(), from the routes */
    double route[QUEUE_NETWORK_CENTRES_MAX][QUEUE_NETWORK_CENTRES_MAX]; /* probabilities: from, to */
};

struct queue_network {
    unsigned centre_count, class_count;
    struct queue_line_stage centres[QUEUE_NETWORK_CENTRES_MAX];
    struct queue_network_class classes[QUEUE_NETWORK_CLASSES_MAX];
    struct queue_run run;
};

/** What is measured at a centre. Utilisation and N_Q are NaN if there is a server for each customer. */
enum { QUEUE_NETWORK_QUANTITIES = 4 };
extern const enum queue_line_quantity queue_network_quantities[QUEUE_NETWORK_QUANTITIES];

struct queue_network_result {
    struct estimate throughput[QUEUE_NETWORK_CLASSES_MAX]; /* passages per second */
    /* of all classes; of queue_network_quantities only */
    struct estimate centre[QUEUE_NETWORK_CENTRES_MAX][QUEUE_LINE_QUANTITIES];
    struct estimate number[QUEUE_NETWORK_CENTRES_MAX][QUEUE_NETWORK_CLASSES_MAX]; /* mean number of a class */
    /* mean time of a visit of a class [s]; NaN if it never comes */
    struct estimate time_s[QUEUE_NETWORK_CENTRES_MAX][QUEUE_NETWORK_CLASSES_MAX];
    double number_p[QUEUE_NETWORK_CENTRES_MAX][QUEUE_LINE_NUMBERS]; /* P[N = n], after the warm-up */
    double warm_up_s, measured_s;
    double widest;            /* the greatest queue_network_width() */
    double batch_relaxations; /* relaxation times in a batch */
    uint64_t services;        /* of the whole run */
    unsigned correlated; /* number of estimates whose batches are too short (batch_means_are_correlated()) */
};

/** Give a class the routes that have its visits: wherever a customer is, it goes to a centre with a probability in
 *  proportion to the centre's visits. */
void queue_network_route_by_visits(struct queue_network_class *class, unsigned centres);

/** Find the visits that a class's routes have, 1 at the centre `reference`: visits = visits x routes.
 *
 * @return 0, or WHY_SAID if probabilities do not add up to 1, or if a centre that it comes to does not lead
 *         back to `reference`
 */
int queue_network_find_visits(struct queue_network *network, unsigned class, unsigned reference,
                              struct why *why);

/** How long a network remembers: the relaxation time of M/M/1/K for those two of its centres that have the longest one
 *  if all customers were theirs, times the mean scv of their services. */
double queue_network_relaxation_s(const struct queue_network *network);

/** How a class's customers are spread over the centres in the beginning: near the means of a long run, so that a run
 *  does not begin with the way there. @param parts  out: their parts at each centre */
void queue_network_spread(const struct queue_network *network, unsigned class,
                          double parts[QUEUE_NETWORK_CENTRES_MAX]);

/** Check likewise what the members of a network say together. */
int queue_network_check(const struct queue_network *network, struct why *why);

/** The full width of an interval as a fraction of its value, or of 0.01 if that is more. 0 if nothing varies. */
double queue_network_width(const struct estimate *estimate);

/** Simulate a network that queue_network_check() has accepted. @param result  filled on success */
int queue_network_run(const struct queue_network *network, struct queue_network_result *result,
                      struct why *why);
