#include "app/why/assumption_machine.h"

#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "blast/sequence/sequence.h"

/* Each queue draws its gaps and its services from streams of their own, the same ones in every set of assumptions: what
 * a step does not change stays as it is. */
static gsl_rng *random_new(const struct assumption_machine *m, unsigned stream)
{
    return assumption_random_new(m->seed * 2654435761u + stream);
}

static bool deal(const struct assumption_machine *m, unsigned set, uint64_t round)
{
    return assumption_deal(m->tokens, assumption_holds(set, ASSUME_CLUMPS),
                           assumption_holds(set, ASSUME_CLUSTERS), m->seed, round, m->deal);
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

static void take_terms(const struct assumption_machine *m, const struct assumption_sums *s,
                       struct batch_term *terms)
{
    struct quantity_counts counts = s->counts;
    counts.seconds = counts.clocks / m->hardware->fpga_clock_hz;
    counts.wmers = counts.words * BASES_PER_WORD;
    counts.lookups = counts.seeds;
    counts.bus_bytes = counts.words * BYTES_PER_WORD + s->records * m->record_bytes;
    counts.bus_capacity_bytes = counts.seconds * hardware_bus_bytes_per_s(m->hardware);
    machine_quantity_terms(&counts, false, terms);
}

static void estimate_board(const struct assumption_machine *m, const struct assumption_sums *sums,
                           struct estimate *values)
{
    struct batch_term all[ASSUMPTION_BATCHES][MACHINE_QUANTITIES], terms[ASSUMPTION_BATCHES];
    size_t count = 0;
    for (unsigned i = 0; i < ASSUMPTION_BATCHES; i++)
        if (sums[i].counts.words > 0)
            take_terms(m, &sums[i], all[count++]);
    for (unsigned row = 0; row < MACHINE_QUANTITIES; row++) {
        for (size_t i = 0; i < count; i++)
            terms[i] = all[i][row];
        values[row] = batch_means(terms, count);
    }
}

static int run_board(const struct assumption_machine *m, unsigned set, struct estimate *values)
{
    struct assumption_sums sums[ASSUMPTION_BATCHES] = {0};
    uint64_t rounds = rounds_of(m, set), words = rounds * m->tokens->word_count;
    uint64_t stretch = words / ASSUMPTION_BATCHES > 0 ? words / ASSUMPTION_BATCHES : 1;
    struct assumption_board *board = assumption_board_new(m, set);
    bool dealt = board != NULL;
    for (uint64_t round = 0; dealt && round < rounds; round++) {
        dealt = deal(m, set, round);
        if (dealt)
            assumption_board_run(board, m->deal, stretch, sums, ASSUMPTION_BATCHES);
    }
    assumption_board_destroy(board);
    estimate_board(m, sums, values);
    return dealt ? 0 : ASSUMPTION_EMEMORY;
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
    gsl_rng *random;
    double gap_clocks; /* mean time between arrivals */
    double now, free;
    uint64_t customers_a_batch, customers, accepted, places;
    double *departures; /* of the last `places` that were accepted */
    struct assumption_level level;
    bool level_is_of_stage; /* the server counts */
    struct queue_batch batches[ASSUMPTION_BATCHES + 1];
    double begun; /* the batch at hand */
};

/* @param customers  that will come, > 0; those beyond are refused by queue_is_done()
 * @param level      of which the time is measured; 0: of none
 * @param places     0: no bound
 * @return false if memory is exhausted */
static bool queue_begin(struct queue *q, gsl_rng *random, double gap_clocks, uint64_t customers,
                        uint64_t level, bool level_is_of_stage, uint64_t places)
{
    *q = (struct queue){
        .random = random,
        .gap_clocks = gap_clocks,
        .places = places,
        .level_is_of_stage = level_is_of_stage,
        .customers_a_batch = customers / (ASSUMPTION_BATCHES + 1),
    };
    if (places > 0)
        q->departures = malloc(places * sizeof *q->departures);
    return assumption_level_begin(&q->level, level) && (places == 0 || q->departures);
}

static void queue_end(struct queue *q)
{
    free(q->departures);
    q->departures = NULL;
    assumption_level_destroy(&q->level);
}

/* Whether all customers have come; more must not. */
static bool queue_is_done(const struct queue *q)
{
    return q->customers >= q->customers_a_batch * (ASSUMPTION_BATCHES + 1);
}

/* Let time pass until the next arrival. */
static void queue_arrive(struct queue *q)
{
    q->now += gsl_ran_exponential(q->random, q->gap_clocks);
}

/* Whether all places are taken: the one who was accepted `places` before has not left. */
static bool is_lost(const struct queue *q)
{
    return q->places > 0 && q->accepted >= q->places && q->departures[q->accepted % q->places] > q->now;
}

/* A customer who has arrived wants a service. */
static void queue_serve(struct queue *q, double service_clocks)
{
    struct queue_batch *b = &q->batches[q->customers / q->customers_a_batch];
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

/* --- one queue at a time --------------------------------------------------------------------------------- */

enum own_queue { OWN_1A, OWN_1BP, OWN_1BD, OWN_2, OWN_JOINED, OWN_QUEUES };

/* The queues of a run that are simulated by themselves. */
struct own_queues {
    const struct assumption_machine *machine;
    unsigned set;
    gsl_rng *gaps[OWN_QUEUES], *draws[OWN_QUEUES]; /* draws: of services */
    bool singles, exponential, joined;
    struct assumption_services services;
    struct queue queue[OWN_QUEUES];
};

/* What comes to the queues in a round, together or one by one. */
struct own_flows {
    double batches[OWN_QUEUES], elements[OWN_QUEUES];
};

static struct own_flows count_flows(const struct own_queues *q, const struct assumption_deal *deal)
{
    const struct assumption_tokens *t = q->machine->tokens;
    double words_with_seeds = 0, groups = 0;
    for (size_t i = 0; i < t->word_count; i++)
        words_with_seeds += deal->words[i] > 0;
    for (size_t i = 0; i < t->group_count; i++)
        groups += t->groups[i].matches > 0;
    double lookups = (double)(t->lookup_count - (assumption_holds(q->set, ASSUME_EMPTY) ? t->empty : 0));
    double seeds = (double)t->lookup_count, words = (double)t->word_count;
    return (struct own_flows){
        .batches = {words, words_with_seeds, lookups, groups, words_with_seeds},
        .elements = {q->singles ? words * BASES_PER_WORD : words, seeds, lookups, (double)t->match_count,
                     seeds},
    };
}

/* The level whose time is P_BP: K in stage, or the FIFO's signal. */
static uint64_t level_of(const struct own_queues *q, enum own_queue queue, bool of_stage)
{
    static const enum quantity_stage stages[OWN_QUEUES] = {QUANTITY_1A, QUANTITY_1BP, QUANTITY_1BD,
                                                           QUANTITY_2, QUANTITY_1B};
    const struct assumption_machine *m = q->machine;
    uint64_t places = m->places[stages[queue]];
    if (!of_stage)
        return queue == OWN_JOINED ? 0 : board_fifo_back_pressure_at(queue, &m->hardware->board);
    if (queue == OWN_1A && !q->singles)
        return (places + BASES_PER_WORD - 1) / BASES_PER_WORD;
    return places;
}

static bool begin_queues(struct own_queues *q, const struct own_flows *flows, uint64_t rounds)
{
    bool begun = true, of_stage = assumption_holds(q->set, ASSUME_SIGNAL);
    for (unsigned i = 0; i < OWN_QUEUES; i++) {
        double come = q->singles ? flows->elements[i] : flows->batches[i];
        double customers = fmin((double)q->machine->least_words, (double)rounds * flows->elements[i]);
        q->gaps[i] = random_new(q->machine, 2 * i);
        q->draws[i] = random_new(q->machine, 2 * i + 1);
        if (!q->gaps[i] || !q->draws[i])
            return false;
        begun &= queue_begin(&q->queue[i], q->gaps[i], q->machine->clocks / come,
                             (uint64_t)fmax(customers, ASSUMPTION_BATCHES + 1.0), level_of(q, i, of_stage),
                             of_stage, 0);
    }
    return begun;
}

static double draw(const struct own_queues *q, enum own_queue queue, double constant, double mean)
{
    return q->exponential ? gsl_ran_exponential(q->draws[queue], mean) : constant;
}

/* Several customers come together, or one by one; `clocks` are of each. */
static void come(struct own_queues *q, enum own_queue queue, unsigned customers, double clocks)
{
    struct queue *to = &q->queue[queue];
    for (unsigned i = 0; i < customers && !queue_is_done(to); i++) {
        if (i == 0 || q->singles)
            queue_arrive(to);
        queue_serve(to, draw(q, queue, clocks, clocks));
    }
}

static void come_lookup(struct own_queues *q, enum own_queue queue, const struct assumption_lookup *lookup,
                        bool arrives)
{
    struct queue *to = &q->queue[queue];
    bool joined = queue == OWN_JOINED;
    if (queue_is_done(to))
        return;
    if (arrives)
        queue_arrive(to);
    double clocks = assumption_lookup_clocks(q->machine, &q->services, q->set, lookup, joined);
    queue_serve(to, draw(q, queue, clocks, joined ? q->services.mean_1b : q->services.mean_1bd));
}

static void come_word(struct own_queues *q, unsigned seeds, const struct assumption_lookup *lookups)
{
    const struct assumption_tokens *t = q->machine->tokens;
    if (q->singles)
        come(q, OWN_1A, BASES_PER_WORD, 1.0 / BASES_PER_WORD);
    else
        come(q, OWN_1A, 1, 1);
    come(q, OWN_1BP, seeds, q->services.read_1bp);
    for (unsigned i = 0; i < seeds; i++) {
        const struct assumption_lookup *lookup = &lookups[i];
        if (q->joined)
            come_lookup(q, OWN_JOINED, lookup, i == 0 || q->singles);
        if (lookup->outcome != LOOKUP_EMPTY || !assumption_holds(q->set, ASSUME_EMPTY))
            come_lookup(q, OWN_1BD, lookup, true);
        for (unsigned group = 0; group < lookup->groups; group++)
            come(q, OWN_2, t->groups[lookup->group + group].matches, 1);
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

/* The sum of two queues, which are independent. */
static struct estimate add(struct estimate a, struct estimate b)
{
    return (struct estimate){a.mean + b.mean, hypot(a.half_width, b.half_width), fmax(a.lag1, b.lag1),
                             fmax(a.largest, b.largest)};
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
    values[N_Q_1B] = add(values[N_Q_1BP], values[N_Q_1BD]);
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

static void go_round(struct own_queues *q, const struct assumption_deal *deal)
{
    const struct assumption_lookup *lookup = deal->lookups;
    for (size_t word = 0; word < q->machine->tokens->word_count && !are_done(q); word++) {
        come_word(q, deal->words[word], lookup);
        lookup += deal->words[word];
    }
}

static int run_queues(const struct assumption_machine *m, unsigned set, struct estimate *values)
{
    struct own_queues q = {
        .machine = m,
        .set = set,
        .singles = assumption_holds(set, ASSUME_SINGLES),
        .exponential = assumption_holds(set, ASSUME_SERVICES),
        .joined = assumption_holds(set, ASSUME_JOINED),
        .services = assumption_services_of(m, set),
    };
    uint64_t rounds = rounds_of(m, set);
    bool dealt = deal(m, set, 0);
    if (dealt) {
        struct own_flows flows = count_flows(&q, m->deal);
        dealt = begin_queues(&q, &flows, rounds);
    }
    for (uint64_t round = 0; dealt && round < rounds && !are_done(&q); round++) {
        dealt = deal(m, set, round);
        if (dealt)
            go_round(&q, m->deal);
    }
    if (dealt)
        estimate_queues(&q, values);
    for (unsigned i = 0; i < OWN_QUEUES; i++) {
        queue_end(&q.queue[i]);
        gsl_rng_free(q.gaps[i]);
        gsl_rng_free(q.draws[i]);
    }
    return dealt ? 0 : ASSUMPTION_EMEMORY;
}

int assumption_machine_run(const struct assumption_machine *m, unsigned set, struct estimate *values)
{
    return assumption_holds(set, ASSUME_POISSON) ? run_queues(m, set, values) : run_board(m, set, values);
}

/* --- loss ------------------------------------------------------------------------------------------------ */

int assumption_machine_lose(const struct assumption_machine *m, enum quantity_stage stage,
                            const struct assumption_loss_queue *loss, struct estimate *values)
{
    double hz = m->hardware->fpga_clock_hz;
    struct queue q = {0};
    gsl_rng *random = random_new(m, 2 * OWN_QUEUES + stage);
    bool begun = random && queue_begin(&q, random, hz / loss->offered_per_s, m->least_words, loss->places,
                                       true, loss->places);
    while (begun && !queue_is_done(&q)) {
        queue_arrive(&q);
        queue_serve(&q, gsl_ran_exponential(random, hz / loss->mu_per_s));
    }
    if (begun)
        take_queue(m, &q, stage, 1, values);
    queue_end(&q);
    gsl_rng_free(random);
    return begun ? 0 : ASSUMPTION_EMEMORY;
}
