#include "app/why/assumption_machine.h"

#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "base/memory.h"
#include "blast/sequence/sequence.h"

/* Each queue draws its gaps and its services from streams of their own, the same ones in every set of assumptions: what
 * a step does not change stays as it is. */
static gsl_rng *stream_random(const struct assumption_machine *m, unsigned stream)
{
    return random_new(m->seed * 2654435761u + stream);
}

static void deal(const struct assumption_machine *m, unsigned set, uint64_t round)
{
    assumption_deal(m->tokens, assumption_holds(set, ASSUME_CLUMPS), assumption_holds(set, ASSUME_CLUSTERS),
                    m->seed, round, m->deal);
}

/* Number of times that the run is gone through: what is drawn needs many elements. */
static uint64_t rounds_of(const struct assumption_machine *m, unsigned set)
{
    bool random = assumption_holds(set, ASSUME_CLUMPS) || assumption_holds(set, ASSUME_CLUSTERS) ||
                  assumption_holds(set, ASSUME_POISSON) || assumption_holds(set, ASSUME_SERVICES);
    uint64_t words = m->tokens->word_count;
    return random && words < m->least_words ? (m->least_words + words - 1) / words : 1;
}

/* --- the board ------------------------------------------------------------------------------------------- */

static void estimate_board(const struct assumption_machine *m, const struct assumption_sums *sums,
                           struct estimate *values)
{
    struct batch_term all[ASSUMPTION_BATCHES][MACHINE_QUANTITIES], terms[ASSUMPTION_BATCHES];
    size_t count = 0;
    for (unsigned i = 0; i < ASSUMPTION_BATCHES; i++) {
        struct quantity_counts counts = sums[i].counts;
        counts.seconds = counts.clocks / m->hardware->fpga_clock_hz;
        counts.wmers = counts.words * BASES_PER_WORD;
        counts.lookups = counts.seeds;
        counts.bus_bytes = counts.words * BYTES_PER_WORD + sums[i].records * m->record_bytes;
        counts.bus_capacity_bytes = counts.seconds * hardware_bus_bytes_per_s(m->hardware);
        if (counts.words > 0)
            machine_quantity_terms(&counts, false, all[count++]);
    }
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
        for (size_t i = 0; i < count; i++)
            terms[i] = all[i][row];
        values[row] = batch_means(terms, count);
    }
}

static void run_board(const struct assumption_machine *m, unsigned set, struct estimate *values)
{
    struct assumption_sums sums[ASSUMPTION_BATCHES] = {0};
    uint64_t rounds = rounds_of(m, set), words = rounds * m->tokens->word_count;
    uint64_t stretch = words / ASSUMPTION_BATCHES > 0 ? words / ASSUMPTION_BATCHES : 1;
    struct assumption_board *board = assumption_board_new(m, set);
    for (uint64_t round = 0; round < rounds; round++) {
        deal(m, set, round);
        assumption_board_run(board, m->deal, stretch, sums, ASSUMPTION_BATCHES);
    }
    assumption_board_destroy(board);
    estimate_board(m, sums, values);
}

/* --- a queue with one server: Lindley's recurrence ------------------------------------------------------- */

/* Customers come at times of a Poisson stream, several at once if the caller says so, and are served first come, first
 * served. With `places` a customer who finds so many in queue and server is lost. They are measured in batches of equal
 * numbers of customers that came, of which the first, which begins with an empty queue, is left out. */
struct queue_batch {
    double clocks, waiting, serving,
        full; /* integral of those who wait; time of service; time with `level` of them */
    uint64_t served;
};

struct queue {
    gsl_rng *gaps, *services; /* may be one */
    double gap_clocks;        /* mean time between arrivals */
    uint64_t places;          /* 0: no bound */
    bool level_is_of_stage;   /* the server counts */
    struct assumption_level level;
    double now, free;
    uint64_t customers_a_batch, customers, accepted;
    double *departures; /* of the last `places` that were accepted */
    struct queue_batch batches[ASSUMPTION_BATCHES + 1];
    double begun; /* the batch at hand */
};

/* Begin a queue whose first members are given, until `level`.
 *
 * @param customers  that will come, > 0; more must not (queue_is_done())
 * @param level      of which the time is measured; 0: of none */
static void queue_begin(struct queue *q, uint64_t customers, uint64_t level)
{
    q->customers_a_batch = customers / (ASSUMPTION_BATCHES + 1);
    if (q->places > 0)
        q->departures = memory_take(q->places * sizeof *q->departures);
    assumption_level_begin(&q->level, level);
}

static void queue_end(struct queue *q)
{
    if (q->services != q->gaps)
        gsl_rng_free(q->services);
    gsl_rng_free(q->gaps);
    free(q->departures);
    assumption_level_destroy(&q->level);
}

static bool queue_is_done(const struct queue *q)
{
    return q->customers >= q->customers_a_batch * (ASSUMPTION_BATCHES + 1);
}

/* A customer comes for a service, unless all have come.
 *
 * @param arrives      some time after the one before; else with that one
 * @param exponential  the service is drawn, of the mean `clocks` */
static void queue_come(struct queue *q, bool arrives, bool exponential, double clocks)
{
    if (queue_is_done(q))
        return;
    struct queue_batch *b = &q->batches[q->customers / q->customers_a_batch];
    q->now += arrives ? gsl_ran_exponential(q->gaps, q->gap_clocks) : 0;
    double service_clocks = exponential ? gsl_ran_exponential(q->services, clocks) : clocks;
    /* one who was accepted `places` before has not left, so that all places are taken */
    const bool is_lost =
        q->places > 0 && q->accepted >= q->places && q->departures[q->accepted % q->places] > q->now;
    if (!is_lost) {
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

/* --- one queue at a time --------------------------------------------------------------------------------- */

enum own_queue { OWN_1A, OWN_1BP, OWN_1BD, OWN_2, OWN_JOINED, OWN_QUEUES };

/* The queues of a run that are simulated by themselves. */
struct own_queues {
    const struct assumption_machine *machine;
    unsigned set;
    bool singles, exponential, joined;
    struct assumption_services services;
    struct queue queue[OWN_QUEUES];
};

/* Each queue gets what comes to it in the whole run, together or one by one, at a steady rate. */
static void begin_queues(struct own_queues *q, const struct assumption_deal *deal, uint64_t rounds)
{
    const struct assumption_machine *m = q->machine;
    const struct assumption_tokens *t = m->tokens;
    double words_with_seeds = 0, groups = 0;
    for (size_t i = 0; i < t->word_count; i++)
        words_with_seeds += deal->words[i] > 0;
    for (size_t i = 0; i < t->group_count; i++)
        groups += t->groups[i].matches > 0;
    const double seeds = (double)t->lookup_count, words = (double)t->word_count,
                 lookups = seeds - (assumption_holds(q->set, ASSUME_EMPTY) ? (double)t->empty : 0);
    const unsigned a_word = q->singles ? BASES_PER_WORD : 1; /* customers of 1a */
    const uint64_t *k = m->places, k_1a = (k[QUANTITY_1A] * a_word + BASES_PER_WORD - 1) / BASES_PER_WORD;
    const struct {
        double batches, elements;
        uint64_t places; /* of the stage */
    } of[OWN_QUEUES] = {
        [OWN_1A] = {words, words * a_word, k_1a},
        [OWN_1BP] = {words_with_seeds, seeds, k[QUANTITY_1BP]},
        [OWN_1BD] = {lookups, lookups, k[QUANTITY_1BD]},
        [OWN_2] = {groups, (double)t->match_count, k[QUANTITY_2]},
        [OWN_JOINED] = {words_with_seeds, seeds, k[QUANTITY_1B]},
    };
    const bool of_stage = assumption_holds(q->set, ASSUME_SIGNAL);
    for (unsigned i = 0; i < OWN_QUEUES; i++) {
        double customers = fmin((double)m->least_words, (double)rounds * of[i].elements);
        q->queue[i] = (struct queue){
            .gaps = stream_random(m, 2 * i),
            .services = stream_random(m, 2 * i + 1),
            .gap_clocks = m->clocks / (q->singles ? of[i].elements : of[i].batches),
            .level_is_of_stage = of_stage,
        };
        queue_begin(&q->queue[i], (uint64_t)fmax(customers, ASSUMPTION_BATCHES + 1.0),
                    of_stage          ? of[i].places
                    : i == OWN_JOINED ? 0
                                      : board_fifo_back_pressure_at(i, &m->hardware->board));
    }
}

static void come_word(struct own_queues *q, unsigned seeds, const struct assumption_lookup *lookups)
{
    const struct group_token *groups = q->machine->tokens->groups;
    const unsigned a_word = q->singles ? BASES_PER_WORD : 1;
    for (unsigned i = 0; i < a_word; i++)
        queue_come(&q->queue[OWN_1A], true, q->exponential, 1.0 / a_word);
    for (unsigned i = 0; i < seeds; i++) {
        const struct assumption_lookup *lookup = &lookups[i];
        bool arrives = i == 0 || q->singles;
        queue_come(&q->queue[OWN_1BP], arrives, q->exponential, q->services.read_1bp);
        if (q->joined)
            queue_come(&q->queue[OWN_JOINED], arrives, q->exponential,
                       q->exponential
                           ? q->services.mean_1b
                           : assumption_lookup_clocks(q->machine, &q->services, q->set, lookup, true));
        if (lookup->outcome != LOOKUP_EMPTY || !assumption_holds(q->set, ASSUME_EMPTY))
            queue_come(&q->queue[OWN_1BD], true, q->exponential,
                       q->exponential
                           ? q->services.mean_1bd
                           : assumption_lookup_clocks(q->machine, &q->services, q->set, lookup, false));
        for (unsigned group = 0; group < lookup->groups; group++)
            for (unsigned match = 0; match < groups[lookup->group + group].matches; match++)
                queue_come(&q->queue[OWN_2], match == 0 || q->singles, q->exponential, 1);
    }
}

/* Take the quantities of a stage from a queue. @param elements  that a customer is */
static void take_queue(const struct assumption_machine *m, const struct queue *q, enum quantity_stage stage,
                       double elements, struct estimate *values)
{
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
        struct batch_term terms[ASSUMPTION_BATCHES];
        if (machine_quantities[row].stage != stage)
            continue;
        for (unsigned i = 0; i < ASSUMPTION_BATCHES; i++) {
            const struct queue_batch *b = &q->batches[i + 1];
            const struct batch_term of[] = {
                [QUANTITY_LAMBDA] = {(double)b->served * elements / 1e6,
                                     b->clocks / m->hardware->fpga_clock_hz},
                [QUANTITY_RHO] = {b->serving, b->clocks},
                [QUANTITY_N_Q] = {b->waiting * elements, b->clocks},
                [QUANTITY_P_BP] = {b->full, b->clocks},
            };
            terms[i] = of[machine_quantities[row].kind];
        }
        values[row] = batch_means(terms, ASSUMPTION_BATCHES);
    }
}

static void estimate_queues(const struct own_queues *q, struct estimate *values)
{
    const struct assumption_machine *m = q->machine;
    const struct assumption_tokens *t = m->tokens;
    double bytes = (double)t->word_count * BYTES_PER_WORD + (double)t->hsps * m->record_bytes,
           capacity = m->clocks / m->hardware->fpga_clock_hz * hardware_bus_bytes_per_s(m->hardware);
    take_queue(m, &q->queue[OWN_1A], QUANTITY_1A, q->singles ? 1 : BASES_PER_WORD, values);
    take_queue(m, &q->queue[OWN_1BP], QUANTITY_1B, 1, values);
    take_queue(m, &q->queue[OWN_1BP], QUANTITY_1BP, 1, values);
    take_queue(m, &q->queue[OWN_1BD], QUANTITY_1BD, 1, values);
    take_queue(m, &q->queue[OWN_2], QUANTITY_2, 1, values);
    values[RHO_PCI] = (struct estimate){.mean = bytes / capacity};
    values[RHO_1B] = (struct estimate){.mean = (double)t->reads / m->clocks};
    const struct estimate *a = &values[N_Q_1BP], *b = &values[N_Q_1BD]; /* which are independent */
    values[N_Q_1B] = (struct estimate){a->mean + b->mean, hypot(a->half_width, b->half_width),
                                       fmax(a->lag1, b->lag1), fmax(a->largest, b->largest)};
    struct estimate signal = values[P_BP_1B];
    if (q->joined)
        take_queue(m, &q->queue[OWN_JOINED], QUANTITY_1B, 1, values);
    if (!assumption_holds(q->set, ASSUME_SIGNAL))
        values[P_BP_1B] = signal;
}

static bool are_done(const struct own_queues *q)
{
    bool done = true;
    for (unsigned i = 0; i < OWN_QUEUES; i++)
        done &= queue_is_done(&q->queue[i]) || (i == OWN_JOINED && !q->joined);
    return done;
}

void assumption_machine_run(const struct assumption_machine *m, unsigned set, struct estimate *values)
{
    if (!assumption_holds(set, ASSUME_POISSON)) {
        run_board(m, set, values);
        return;
    }
    struct own_queues q = {
        .machine = m,
        .set = set,
        .singles = assumption_holds(set, ASSUME_SINGLES),
        .exponential = assumption_holds(set, ASSUME_SERVICES),
        .joined = assumption_holds(set, ASSUME_JOINED),
        .services = assumption_services_of(m, set),
    };
    uint64_t rounds = rounds_of(m, set);
    deal(m, set, 0);
    begin_queues(&q, m->deal, rounds);
    for (uint64_t round = 0; round < rounds && !are_done(&q); round++) {
        deal(m, set, round);
        const struct assumption_lookup *lookup = m->deal->lookups;
        for (size_t word = 0; word < m->tokens->word_count && !are_done(&q); word++) {
            come_word(&q, m->deal->words[word], lookup);
            lookup += m->deal->words[word];
        }
    }
    estimate_queues(&q, values);
    for (unsigned i = 0; i < OWN_QUEUES; i++)
        queue_end(&q.queue[i]);
}

void assumption_machine_lose(const struct assumption_machine *m, enum quantity_stage stage,
                             const struct assumption_loss_queue *loss, struct estimate *values)
{
    double hz = m->hardware->fpga_clock_hz;
    gsl_rng *random = stream_random(m, 2 * OWN_QUEUES + stage);
    auto_by(queue_end) struct queue q = {.gaps = random,
                                         .services = random,
                                         .gap_clocks = hz / loss->offered_per_s,
                                         .places = m->places[stage],
                                         .level_is_of_stage = true};
    queue_begin(&q, m->least_words, m->places[stage]);
    while (!queue_is_done(&q))
        queue_come(&q, true, true, hz / loss->mu_per_s);
    take_queue(m, &q, stage, 1, values);
}
