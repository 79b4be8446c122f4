#include "app/why/assumption_queue.h"

#include <string.h>

#include <gsl/gsl_randist.h>

bool assumption_queue_begin(struct assumption_queue *q, gsl_rng *random, double gap_clocks,
                            uint64_t customers, uint64_t level, bool level_is_of_stage, uint64_t places)
{
    *q = (struct assumption_queue){
        .random = random,
        .gap_clocks = gap_clocks,
        .places = places,
        .level_is_of_stage = level_is_of_stage,
        .customers_a_batch = customers / (ASSUMPTION_QUEUE_BATCHES + 1),
    };
    if (places > 0)
        q->departures = malloc(places * sizeof *q->departures);
    return assumption_level_begin(&q->level, level) && (places == 0 || q->departures);
}

void assumption_queue_end(struct assumption_queue *q)
{
    free(q->departures);
    q->departures = NULL;
    assumption_level_destroy(&q->level);
}

void assumption_queue_arrive(struct assumption_queue *q)
{
    q->now += gsl_ran_exponential(q->random, q->gap_clocks);
}

/* Whether all places are taken: the one who was accepted `places` before has not left. */
static bool is_lost(const struct assumption_queue *q)
{
    return q->places > 0 && q->accepted >= q->places && q->departures[q->accepted % q->places] > q->now;
}

void assumption_queue_serve(struct assumption_queue *q, double service_clocks)
{
    struct assumption_queue_batch *b = &q->batches[q->customers / q->customers_a_batch];
    if (!is_lost(q)) {
        double begin = fmax(q->now, q->free);
        q->free = begin + service_clocks;
        if (q->places > 0)
            q->departures[q->accepted % q->places] = q->free;
        q->accepted++;
        b->waiting += begin - q->now;
        b->serving += service_clocks;
        b->full += assumption_level_add(&q->level, q->now, q->level_is_of_stage ? q->free : begin);
        b->served++;
    }
    if (++q->customers % q->customers_a_batch != 0)
        return;
    b->clocks = q->now - q->begun;
    q->begun = q->now;
}
