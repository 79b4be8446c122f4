/* queue_network.h - queues in a closed network, simulated in SimGrid: customers that go round for ever.
 *
 * Models    Centres with one or several servers, or a server whose rate depends on the number of customers there;
 *           first come, first served, with room for all. Customers of a class go from centre to centre by the class's
 *           routing probabilities, and none comes or leaves.
 * How       One SimGrid actor per customer, which sleeps for its services; it waits for a server at a semaphore of its
 *           own. A centre whose rate depends on the load has moments of possible departures at its greatest rate; the
 *           first customer leaves at such a moment with the probability rate / greatest rate, which is exact for
 *           exponential services.
 * Measured  as in queue_line.h: everything comes from dates on SimGrid's clock. The first part of the run is left out,
 *           and the rest is cut into batches of equally many services of all centres; estimates are ratios of sums
 *           over batches (batch_means.h), without controls.
 * Length    `services`, or until every interval is narrow: they are examined at the end, and the run is doubled, each
 *           two batches becoming one, until they are.
 * Time      seconds of the caller's choice, as in queue_line.h.
 * Random    GSL's mt19937: one generator for each centre's services, and one for each class's routes.
 * Limits    one call per process, because SimGrid has one engine per process.
 * Errors    a negative QUEUE_NETWORK_E* code and one line.
 */
#ifndef MERCURY_SIM_SIMGRID_QUEUE_NETWORK_H
#define MERCURY_SIM_SIMGRID_QUEUE_NETWORK_H

#include <stdint.h>

#include "base/why.h"
#include "sim/simgrid/queue_line.h"
#include "traces/statistics/batch_means.h"

enum {
    QUEUE_NETWORK_CENTRES_MAX = 16,
    QUEUE_NETWORK_CLASSES_MAX = 8,
    QUEUE_NETWORK_CUSTOMERS_MAX = 10000,
    QUEUE_NETWORK_NAME_BYTES = 32,
};

enum queue_network_error {
    QUEUE_NETWORK_EMEMORY = -1,
    QUEUE_NETWORK_ERANGE = -2,  /* a number is out of range, or a class cannot go on for ever */
    QUEUE_NETWORK_EENGINE = -3, /* SimGrid's platform cannot be written */
};

struct queue_network_centre {
    char name[QUEUE_NETWORK_NAME_BYTES];
    struct queue_line_stage service; /* of one server; its places are not used */
    unsigned servers;                /* 0: one for each customer */
    /* The rate with 1, 2, ... customers / service.mu_per_s; with more, the last one. Then there is one server, and its
     * services are exponential. NULL: the rate does not depend on the load. */
    const double *speeds;
    unsigned speed_count;
};

struct queue_network_class {
    char name[QUEUE_NETWORK_NAME_BYTES];
    unsigned population; /* >= 1 */
    double visits
        [QUEUE_NETWORK_CENTRES_MAX]; /* per passage; queue_network_find_visits() makes them of the routes */
    double route[QUEUE_NETWORK_CENTRES_MAX][QUEUE_NETWORK_CENTRES_MAX]; /* probabilities: from, to */
};

struct queue_network {
    unsigned centre_count, class_count;
    struct queue_network_centre centres[QUEUE_NETWORK_CENTRES_MAX];
    struct queue_network_class classes[QUEUE_NETWORK_CLASSES_MAX];
    double services;      /* number of services of all centres during the run */
    double until_width;   /* greatest queue_network_width() of an interval; 0 if intervals are not examined */
    double most_services; /* the run is not doubled beyond this number */
    double warm_up;       /* fraction of `services` that is left out at the beginning, in [0, 0.9] */
    unsigned batches;     /* number of batches of the rest; even if there is an until_width */
    unsigned long seed;
};

/** What is measured at a centre. */
enum queue_network_quantity {
    QUEUE_NETWORK_UTILISATION, /* mean fraction of its servers that work; NaN if there is one for each customer */
    QUEUE_NETWORK_N,           /* mean number at the centre, those in service included */
    QUEUE_NETWORK_N_Q, /* mean number that waits for a server; NaN if there is one for each customer */
    QUEUE_NETWORK_W,   /* mean time of a visit [s] */
    QUEUE_NETWORK_QUANTITIES
};

const char *queue_network_quantity_name(enum queue_network_quantity quantity);
const char *queue_network_quantity_unit(enum queue_network_quantity quantity);

struct queue_network_result {
    struct estimate throughput[QUEUE_NETWORK_CLASSES_MAX];                        /* passages per second */
    struct estimate centre[QUEUE_NETWORK_CENTRES_MAX][QUEUE_NETWORK_QUANTITIES];  /* of all classes */
    struct estimate number[QUEUE_NETWORK_CENTRES_MAX][QUEUE_NETWORK_CLASSES_MAX]; /* mean number of a class */
    /* mean time of a visit of a class [s]; NaN if it never comes */
    struct estimate time_s[QUEUE_NETWORK_CENTRES_MAX][QUEUE_NETWORK_CLASSES_MAX];
    double warm_up_s, measured_s;
    double widest;       /* the greatest queue_network_width() */
    uint64_t services;   /* of the whole run */
    unsigned correlated; /* number of estimates whose batches are too short (batch_means_are_correlated()) */
};

/** No centres and no classes; 200,000 services in 30 batches after a tenth of warm-up. */
struct queue_network queue_network_default(void);

/** Give a class the routes that have its visits: wherever a customer is, it goes to a centre with a probability in
 *  proportion to the centre's visits. */
void queue_network_route_by_visits(struct queue_network_class *class, unsigned centres);

/** Find the visits that a class's routes have, 1 at the centre `reference`: visits = visits x routes.
 *
 * @return 0, or QUEUE_NETWORK_ERANGE if probabilities do not add up to 1, or if a centre that it comes to does not
 * lead
 *         back to `reference`
 */
int queue_network_find_visits(struct queue_network *network, unsigned class, unsigned reference,
                              struct why *why);

/** Check every range. */
int queue_network_check(const struct queue_network *network, struct why *why);

/** The full width of an interval as a fraction of its value, or of 0.01 if that is more. 0 if nothing varies. */
double queue_network_width(const struct estimate *estimate);

/** Simulate a network that queue_network_check() has accepted.
 *
 * @param result  filled on success
 */
int queue_network_run(const struct queue_network *network, struct queue_network_result *result,
                      struct why *why);

#endif
