/* assumption_queue.h - one queue with one server, customer after customer: Lindley's recurrence.
 *
 * Models    customers come at times of a Poisson stream, several at once if the caller says so, and are served first
 *           come, first served. With `places` a customer who finds so many in queue and server is lost.
 * Measured  in batches of equal numbers of customers that came, `batches` + 1 of them, of which the first, which begins
 *           with an empty queue, is left out.
 * Time      clocks.
 * Memory    assumption_queue_end() frees it.
 */
#ifndef MERCURY_APP_THEORY_ASSUMPTION_QUEUE_H
#define MERCURY_APP_THEORY_ASSUMPTION_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include <gsl/gsl_rng.h>

#include "app/why/assumption_level.h"

enum { ASSUMPTION_QUEUE_BATCHES = 30 };

struct assumption_queue_batch {
    double clocks, waiting, serving,
        full; /* integral of those who wait; time of service; time with `level` of them */
    uint64_t served;
};

struct assumption_queue {
    gsl_rng *random;
    double gap_clocks; /* mean time between arrivals */
    double now, free;
    uint64_t customers_a_batch, customers, accepted, places;
    double *departures; /* of the last `places` that were accepted */
    struct assumption_level level;
    bool level_is_of_stage; /* the server counts */
    struct assumption_queue_batch batches[ASSUMPTION_QUEUE_BATCHES + 1];
    double begun; /* the batch at hand */
};

/** @param customers  that will come, > 0; those beyond are refused by assumption_queue_is_done()
 *  @param level      of which the time is measured; 0: of none
 *  @param places     0: no bound
 *  @return false if memory is exhausted */
bool assumption_queue_begin(struct assumption_queue *queue, gsl_rng *random, double gap_clocks,
                            uint64_t customers, uint64_t level, bool level_is_of_stage, uint64_t places);
void assumption_queue_end(struct assumption_queue *queue);

/** Whether all customers have come; more must not. */
static inline bool assumption_queue_is_done(const struct assumption_queue *q)
{
    return q->customers >= q->customers_a_batch * (ASSUMPTION_QUEUE_BATCHES + 1);
}

/** Let time pass until the next arrival. */
void assumption_queue_arrive(struct assumption_queue *queue);

/** A customer who has arrived wants a service. */
void assumption_queue_serve(struct assumption_queue *queue, double service_clocks);

#endif
