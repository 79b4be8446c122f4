#include "sim/simgrid/queue_network.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/progress.h"
#include "sim/simgrid/simgrid_engine.h"
#include "traces/statistics/interval_moments.h"
#include "traces/statistics/quantile.h"

enum {
    PROGRESS_CUSTOMERS = 100000, /* arrivals, or services, between two updates of the progress line */
    STAY_BITS = 7,               /* quantile_bound() is 0.4% */
    STAY_UNITS = 1000000,        /* in a mean service */
    INTERVAL_UNITS = 1 << 20,    /* the same, of times between arrivals */
    WAITS_LEAST = 30,            /* in a batch on average: with fewer, the excess of services is no control */
};

/* --- stages ---------------------------------------------------------------------------------------------- */

/* Sums over what happened in one batch. */
struct sums {
    double offered, lost, waited, started, departed; /* customers */
    double wait_s, time_s; /* waits of customers that started a service; times of those that departed */
    double length_s, busy_s, full_s, blocking_s, number_s, in_queue_s; /* time integrals; of 1, too */

    /* What was drawn in the batch minus the mean of as many draws; later stages have services only. */
    double arrivals_s, services_s, excess_s;

    /* The above by classes. */
    struct {
        double number_s, time_s, departed, wait_s, started;
    } class[QUEUE_NETWORK_CLASSES_MAX];
};

struct run;

struct customer {
    double came_s;
    double next_s; /* time from its arrival to the next one; NaN if it was not drawn for this customer */
    unsigned class;
    uint64_t number; /* in the order of all that came to any stage */
};

/* An actor that waits for a place in a stage. */
struct waiter {
    sg_sem_t bell;
    unsigned customers;  /* whom it brings, and who have no place yet */
    struct waiter *next; /* that came after it */
};

struct server {
    struct stage *stage;
    struct waiter waiter; /* its bell wakes it also if it waits for a customer */
    struct server *next_idle;
};

struct stage {
    struct run *run;
    const struct queue_line_stage *rules;
    struct stage *before, *next; /* NULL if this is the first one, the last one */
    struct stage *port;          /* whose servers serve here, mostly its own */
    gsl_rng *random;
    double mean_excess_s;                              /* see mean_excess_s() */
    size_t next_time[QUEUE_LINE_CLASSES], next_output; /* of a trace of services; of a list of outputs */

    struct customer *line; /* those who wait, from line[head] on */
    size_t room, head, waiting, inside;
    unsigned inside_of[QUEUE_NETWORK_CLASSES_MAX];
    struct server *servers;
    unsigned server_count, servers_begun; /* those whose actors have begun */
    unsigned serving;
    unsigned gated;                  /* idle servers that have a customer for whom this stage is too full */
    struct server *idle;             /* those whose actors wait for a customer */
    struct waiter *outside, *newest; /* actors that wait for a place: the first and the last one */
    size_t promised;                 /* places that are free for waiters who have been woken */
    unsigned pack, packed; /* elements that make one customer here; those that have come of the next one */
    gsl_rng *added;        /* of its own stream; NULL if it has none */
    struct waiter stream;

    struct interval_tap arrivals;  /* of a line, in units of 1 / INTERVAL_UNITS of a mean service */
    struct quantile_sketch *stays; /* of a line: times in the stage */

    double date_s; /* the sums include everything up to this date */
    size_t batch;  /* the batch of that date; 0 is the warm-up, the last one is the draining after the end */
    struct sums *sums; /* by batch */
};

/* Either a line or a closed network. */
struct run {
    const struct queue_line *line;
    const struct queue_network *network;
    struct queue_line_result *result;
    struct queue_network_result *closed;
    struct queue_run rules;
    struct stage stages[QUEUE_LINE_STAGES_MAX];
    unsigned stage_count, class_count;
    sg_host_t host;
    gsl_rng *random;                            /* the source's */
    size_t next_time;                           /* of a trace of arrivals; the state of a mmpp */
    gsl_rng *routes[QUEUE_NETWORK_CLASSES_MAX]; /* of a line: the first one draws classes */
    struct waiter source;
    bool ended;                       /* the source has ended: streams end, too */
    unsigned feeders;                 /* the source and streams that have not ended */
    uint64_t present, came;           /* customers in all stages; that have come to any */
    bool stopped;                     /* nobody is served any more */
    double warm_up_s, batch_s, end_s; /* of a line */
    uint64_t batch_services,
        next_end;  /* of a closed network: services in a batch, and up to the end of this one */
    double seen_s; /* the instant of the last change, of which a watcher has not heard */
    struct queue_line_state *states; /* what it hears; NULL: nobody watches */
    double widest;
    unsigned correlated;
    struct progress progress;
};

/* --- measuring ------------------------------------------------------------------------------------------- */

/* A closed network's batches end by themselves. */
static double batch_end_s(const struct run *run, size_t batch)
{
    return run->network || batch > run->rules.batches ? INFINITY
                                                      : run->warm_up_s + (double)batch * run->batch_s;
}

/* After the warm-up, and before the draining. */
static bool is_measured(const struct stage *s)
{
    return s->batch > 0 && s->batch <= s->run->rules.batches;
}

static bool is_full(const struct stage *s)
{
    return s->rules->places > 0 && s->inside + s->promised >= s->rules->places;
}

/* Times in which so many were in the stage; in the end, parts of the time. */
static double *numbers_of(const struct stage *s)
{
    const size_t i = (size_t)(s - s->run->stages);
    return s->run->line ? s->run->result->number_p[i] : s->run->closed->number_p[i];
}

static void add_time(struct stage *s, double time_s)
{
    struct sums *sums = &s->sums[s->batch];
    sums->length_s += time_s;
    sums->number_s += (double)s->inside * time_s;
    sums->in_queue_s += (double)s->waiting * time_s;
    sums->busy_s += s->serving * time_s / s->server_count;
    sums->full_s += is_full(s) ? time_s : 0;
    sums->blocking_s += s->outside || s->gated > 0 ? time_s : 0;
    if (is_measured(s)) {
        const size_t n = s->inside < QUEUE_LINE_NUMBERS ? s->inside : QUEUE_LINE_NUMBERS - 1;
        numbers_of(s)[n] += time_s;
    }
    for (unsigned r = 0; r < s->run->class_count; r++)
        sums->class[r].number_s += s->inside_of[r] * time_s;
}

/* An instant is over when a later one begins. */
static void tell_watcher(struct run *run, double now_s)
{
    for (unsigned i = 0; i < run->stage_count && now_s > run->seen_s; i++) {
        const struct stage *s = &run->stages[i];
        run->states[i].inside = s->inside;
        run->states[i].waiting = s->waiting;
        run->states[i].serving = s->serving;
        run->states[i].holds_up = s->outside || s->gated > 0;
    }
    if (now_s > run->seen_s)
        run->line->watcher->see(run->line->watcher->data, run->seen_s, run->ended ? run->end_s : INFINITY,
                                run->states);
    run->seen_s = now_s;
}

/* Add the time since the stage's date, in which its state has not changed. @return the sums of the present batch */
static struct sums *bring_up_to_date(struct stage *s)
{
    double now_s = simgrid_get_clock();
    if (s->run->states)
        tell_watcher(s->run, now_s);
    for (double end_s; (end_s = batch_end_s(s->run, s->batch)) <= now_s; s->batch++) {
        add_time(s, end_s - s->date_s);
        s->date_s = end_s;
    }
    add_time(s, now_s - s->date_s);
    s->date_s = now_s;
    return &s->sums[s->batch];
}

/* --- moving customers ------------------------------------------------------------------------------------ */

static void server_actor(int argc, char **argv);

static void begin_server(struct stage *s)
{
    struct server *server = &s->servers[s->servers_begun++];
    *server = (struct server){.stage = s, .waiter = {.bell = sg_sem_init(0)}};
    simgrid_engine_add_actor("server", s->run->host, server_actor, server);
}

/* Wake a server that waits for a customer, or begin one. @param s  a port */
static void ring(struct stage *s)
{
    struct server *server = s->idle;
    if (server) {
        s->idle = server->next_idle;
        sg_sem_release(server->waiter.bell);
    } else if (s->servers_begun < s->server_count) {
        begin_server(s);
    }
}

/* The first arrival after the warm-up begins the first time. */
static void note_arrival(struct stage *s)
{
    const int64_t clock = llround(s->date_s * s->rules->mu_per_s * INTERVAL_UNITS);
    if (s->date_s >= s->run->warm_up_s && !s->run->ended)
        interval_tap_add(&s->arrivals, NULL, 0, &clock, 1);
}

/* Put a customer into the stage, which has a place and is up to date. */
static void enter(struct stage *s, struct customer customer)
{
    if (s->run->line)
        note_arrival(s);
    if (s->head > s->waiting && s->head + s->waiting == s->room) {
        memcpy(s->line, s->line + s->head, s->waiting * sizeof *s->line);
        s->head = 0;
    }
    array_reserve(&s->line, &s->room, s->head + s->waiting, 1, sizeof *s->line);
    customer.came_s = s->date_s;
    customer.number = s->run->came++;
    if (s->run->states)
        s->run->states[s - s->run->stages].entered++;
    size_t place = s->waiting; /* those of a later class stand back */
    for (; s->run->line && s->run->line->priority && place > 0; place--) {
        const struct customer *last = &s->line[s->head + place - 1];
        if (last->class <= customer.class)
            break;
        s->line[s->head + place] = *last;
    }
    s->line[s->head + place] = customer;
    s->waiting++;
    s->inside++;
    s->inside_of[customer.class]++;
    s->run->present++;
    ring(s->port);
}

static bool is_almost_full(const struct stage *s)
{
    const uint32_t margin = s->rules->almost_full;
    return margin > 0 && s->inside + s->promised + margin >= s->rules->places;
}

/* Wake all servers that wait, once: to release a semaphore lets others run, and those who find nothing wait again. */
static void ring_all(struct stage *s)
{
    struct server *server = s->idle;
    s->idle = NULL;
    while (server) {
        struct server *next = server->next_idle;
        sg_sem_release(server->waiter.bell);
        server = next;
    }
}

static void stop_servers(struct run *run)
{
    run->stopped = true;
    for (unsigned i = 0; i < run->stage_count; i++)
        ring_all(&run->stages[i]);
}

/* The servers of a line stop when nobody comes any more, and nobody is there. */
static void end_if_empty(struct run *run)
{
    if (run->line && run->feeders == 0 && run->present == 0)
        stop_servers(run);
}

/* A customer comes to the stage, the first of the `left` who are left of those who came together. If it must wait
 * outside, the actor that brings it waits, and keeps its turn until all have a place. */
static void arrive(struct stage *s, struct waiter *waiter, unsigned left, struct customer customer)
{
    struct sums *sums = bring_up_to_date(s);
    sums->offered++;
    if (is_full(s) && s->run->line->overflow == OVERFLOW_LOSS) {
        note_arrival(s);
        sums->lost++;
        s->run->result->lost++;
        return;
    }
    if (is_full(s)) {
        if (waiter->customers == 0 && sg_sem_would_block(waiter->bell)) {
            waiter->customers = left;
            waiter->next = NULL;
            *(s->outside ? &s->newest->next : &s->outside) = waiter;
            s->newest = waiter;
        }
        sg_sem_acquire(waiter->bell);
        bring_up_to_date(s);
        s->promised--;
    }
    enter(s, customer);
}

/* A customer leaves its server and the stage. */
static void leave(struct stage *s, const struct customer *customer)
{
    struct sums *sums = bring_up_to_date(s);
    sums->departed++;
    if (s->run->states)
        s->run->states[s - s->run->stages].departed++;
    sums->time_s += s->date_s - customer->came_s;
    sums->class[customer->class].departed++;
    sums->class[customer->class].time_s += s->date_s - customer->came_s;
    if (s->stays && is_measured(s))
        quantile_add(s->stays, (uint64_t)((s->date_s - customer->came_s) * s->rules->mu_per_s * STAY_UNITS),
                     1);
    s->inside--;
    s->inside_of[customer->class]--;
    s->run->present--;
    end_if_empty(s->run);
    struct waiter *outside = s->outside;
    if (outside) {
        if (--outside->customers == 0)
            s->outside = outside->next;
        s->promised++;
        sg_sem_release(outside->bell);
    }
    if (s->gated > 0 && !is_almost_full(s))
        ring_all(s->before->port);
}

/* --- estimates ------------------------------------------------------------------------------------------- */

static struct batch_term term_of(const struct sums *s, enum queue_line_quantity quantity, double length_s)
{
    const struct batch_term terms[QUEUE_LINE_QUANTITIES] = {
        [QUEUE_LINE_OFFERED] = {s->offered, length_s},    [QUEUE_LINE_THROUGHPUT] = {s->departed, length_s},
        [QUEUE_LINE_UTILISATION] = {s->busy_s, length_s}, [QUEUE_LINE_N] = {s->number_s, length_s},
        [QUEUE_LINE_N_Q] = {s->in_queue_s, length_s},     [QUEUE_LINE_W_Q] = {s->wait_s, s->started},
        [QUEUE_LINE_W] = {s->time_s, s->departed},        [QUEUE_LINE_LOSS] = {s->lost, s->offered},
        [QUEUE_LINE_FULL] = {s->full_s, length_s},        [QUEUE_LINE_BLOCKING] = {s->blocking_s, length_s},
    };
    return terms[quantity];
}

static struct estimate note(struct run *run, struct estimate estimate, double width)
{
    run->correlated += batch_means_are_correlated(&estimate, run->rules.batches);
    run->widest = fmax(run->widest, width);
    return estimate;
}

/* Rates and utilisation follow from the draws except for what is under way at the ends of a batch; with controls, only
 * that would remain. */
static bool is_controlled(enum queue_line_quantity quantity)
{
    return quantity > QUEUE_LINE_UTILISATION;
}

/* Variance of the mean over a time, in units of the limit for long ones, if correlation falls as exp(-t). */
static double variance_over(double time)
{
    return (1 + expm1(-time) / time) / time;
}

/* By what an interval is too narrow: see "Short" in the header. The correlation of a queue lasts for half of its
 * relaxation time. */
static double widening(double relaxations, unsigned batches)
{
    const double normal = 50, freedom = batches - BATCH_CONTROLS - 1.0;
    if (relaxations >= normal)
        return 1;
    double one = variance_over(2 * relaxations), all = variance_over(2 * relaxations * batches);
    return sqrt((batches - 1) * all / (one - all)) *
           gsl_cdf_tdist_Pinv(0.975, fmax(2, freedom * relaxations / normal)) /
           gsl_cdf_tdist_Pinv(0.975, freedom);
}

/* The sums of a class, as far as queue_line_class_quantities need them. */
static struct sums of_class(const struct sums *s, unsigned class)
{
    return (struct sums){.departed = s->class[class].departed,
                         .started = s->class[class].started,
                         .wait_s = s->class[class].wait_s,
                         .time_s = s->class[class].time_s,
                         .number_s = s->class[class].number_s};
}

static struct estimate estimate_terms(struct run *run, struct queue_line_row row, double widen,
                                      const struct batch_term *terms, const struct batch_controls *controls)
{
    const enum queue_line_quantity q = row.quantity;
    const size_t batches = run->rules.batches;
    struct estimate estimate = is_controlled(q)
                                   ? batch_means_controlled(terms, controls, run->batch_s, batches)
                                   : batch_means(terms, batches);
    const bool is_rate = q == QUEUE_LINE_OFFERED || q == QUEUE_LINE_THROUGHPUT;
    estimate.half_width *= is_rate && run->line->arrivals.law != DURATION_MMPP ? 1 : widen;
    if (queue_line_width(&estimate, q) > run->widest)
        run->result->widest_row = row;
    return note(run, estimate, queue_line_width(&estimate, q));
}

static void estimate_stage(struct run *run, const struct stage *s, double widen, struct estimate *estimates,
                           double *measured)
{
    struct batch_term terms[QUEUE_MOST_BATCHES];
    struct batch_controls controls[QUEUE_MOST_BATCHES];
    size_t batches = run->rules.batches;
    const unsigned stage = (unsigned)(s - run->stages);
    double waited = 0, started = 0;
    bool by_chance = false;
    for (size_t batch = 1; batch <= batches; batch++) {
        waited += s->sums[batch].waited;
        started += s->sums[batch].started;
    }
    for (size_t batch = 0; batch < batches; batch++) {
        controls[batch] = (struct batch_controls){
            {run->stages[0].sums[batch + 1].arrivals_s, s->sums[batch + 1].services_s,
             waited < WAITS_LEAST * (double)batches ? 0 : s->sums[batch + 1].excess_s}};
        by_chance = by_chance || controls[batch].of[0] != 0 || controls[batch].of[1] != 0;
    }
    for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++) {
        for (size_t batch = 0; batch < batches; batch++)
            terms[batch] = term_of(&s->sums[batch + 1], q, run->batch_s);
        measured[q] = batch_means(terms, batches).mean;
        double *frames = queue_line_frames(run->line, run->result, stage, (enum queue_line_quantity)q);
        for (size_t batch = 0; batch < batches; batch++)
            frames[batch] = terms[batch].part / terms[batch].whole;
        estimates[q] = estimate_terms(run, (struct queue_line_row){q, stage, 0}, widen, terms, controls);
    }
    const bool rarely = by_chance && waited < (double)batches && s->rules->places != s->rules->servers;
    const double unseen_s = rarely && started > 0 ? 3 / started / s->rules->mu_per_s : 0;
    estimates[QUEUE_LINE_W_Q].half_width += unseen_s;
    estimates[QUEUE_LINE_W].half_width += unseen_s;
    estimates[QUEUE_LINE_N_Q].half_width += unseen_s * estimates[QUEUE_LINE_THROUGHPUT].mean;
    estimates[QUEUE_LINE_N].half_width += unseen_s * estimates[QUEUE_LINE_THROUGHPUT].mean;
    for (unsigned k = 0; k < run->class_count * QUEUE_LINE_CLASS_QUANTITIES; k++) {
        const unsigned class = k / QUEUE_LINE_CLASS_QUANTITIES;
        const enum queue_line_quantity q = queue_line_class_quantities[k % QUEUE_LINE_CLASS_QUANTITIES];
        for (size_t batch = 0; batch < batches; batch++) {
            const struct sums sums = of_class(&s->sums[batch + 1], class);
            terms[batch] = term_of(&sums, q, run->batch_s);
        }
        run->result->of_class[class][q] =
            estimate_terms(run, (struct queue_line_row){q, stage, 1 + class}, widen, terms, controls);
    }
}

static struct queue_line_times times_of(const struct stage *s)
{
    const struct interval_moments *m = &s->arrivals.moments;
    const double scv = interval_moments_scv(m), rounding = 1e-11; /* of units, in scv */
    return (struct queue_line_times){
        .count = (double)m->count, .scv = scv, .lag1 = scv > rounding ? interval_moments_lag1(m) : NAN};
}

/* See "Filling" in the header. */
static bool is_filling(const struct run *run, unsigned stage)
{
    const double *numbers = queue_line_frames(run->line, run->result, stage, QUEUE_LINE_N);
    const size_t batches = run->rules.batches;
    double order[QUEUE_MOST_BATCHES];
    for (size_t batch = 0; batch < batches; batch++)
        order[batch] = (double)batch;
    const double r = gsl_stats_correlation(order, 1, numbers, 1, batches), freedom = (double)batches - 2;
    return queue_line_may_fill(run->line, stage) && r > 0 &&
           gsl_cdf_tdist_Q(r * sqrt(freedom / (1 - r * r)), freedom) < 1e-4;
}

static void estimate_line(struct run *run)
{
    struct queue_line_result *result = run->result;
    result->filling = 0;
    result->widest_row = (struct queue_line_row){0};
    result->batch_s = run->batch_s;
    result->batch_relaxations = INFINITY;
    for (unsigned i = 0; i < run->stage_count; i++) {
        result->arrivals[i] = times_of(&run->stages[i]);
        double relaxations = run->batch_s / queue_line_relaxation_s(run->line, i, result->arrivals[i].scv);
        if (relaxations < result->batch_relaxations) {
            result->batch_relaxations = relaxations;
            result->slowest_stage = i;
        }
        estimate_stage(run, &run->stages[i], widening(relaxations, run->rules.batches), result->stage[i],
                       result->measured[i]);
        if (result->filling == 0 && is_filling(run, i))
            result->filling = i + 1;
    }
    result->correlated = run->correlated;
    result->widest = run->widest;
}

static void find_distributions(const struct run *run)
{
    for (unsigned i = 0; i < run->stage_count; i++) {
        double *p = numbers_of(&run->stages[i]), sum = 0;
        for (unsigned n = 0; n < QUEUE_LINE_NUMBERS; n++)
            sum += p[n];
        for (unsigned n = 0; n < QUEUE_LINE_NUMBERS; n++)
            p[n] /= sum;
        for (unsigned k = 0; k < QUEUE_LINE_QUANTILES && run->line; k++)
            run->result->stay_s[i][k] = quantile_of(run->stages[i].stays, queue_line_quantiles[k]) /
                                        STAY_UNITS / run->stages[i].rules->mu_per_s;
    }
}

static struct estimate estimate_plainly(struct run *run, const struct batch_term *terms)
{
    struct estimate estimate = batch_means(terms, run->rules.batches);
    estimate.half_width *= widening(run->closed->batch_relaxations, run->rules.batches);
    return note(run, estimate, queue_network_width(&estimate));
}

static void estimate_centre(struct run *run, unsigned i)
{
    struct batch_term terms[QUEUE_MOST_BATCHES];
    const struct stage *s = &run->stages[i];
    const bool queues = s->rules->servers > 0 || s->rules->speeds;
    const size_t batches = run->rules.batches;
    for (unsigned k = 0; k < QUEUE_NETWORK_QUANTITIES; k++) {
        const enum queue_line_quantity q = queue_network_quantities[k];
        const bool is_of_queue = q == QUEUE_LINE_UTILISATION || q == QUEUE_LINE_N_Q;
        for (size_t b = 0; b < batches; b++)
            terms[b] = is_of_queue && !queues ? (struct batch_term){NAN, s->sums[b + 1].length_s}
                                              : term_of(&s->sums[b + 1], q, s->sums[b + 1].length_s);
        run->closed->centre[i][q] = estimate_plainly(run, terms);
    }
    for (unsigned r = 0; r < run->class_count; r++) {
        for (size_t b = 0; b < batches; b++)
            terms[b] = (struct batch_term){s->sums[b + 1].class[r].number_s, s->sums[b + 1].length_s};
        run->closed->number[i][r] = estimate_plainly(run, terms);
        for (size_t b = 0; b < batches; b++)
            terms[b] = (struct batch_term){s->sums[b + 1].class[r].time_s, s->sums[b + 1].class[r].departed};
        run->closed->time_s[i][r] = estimate_plainly(run, terms);
    }
}

/* All visits of a passage count, so that fewer passages say as much. */
static void estimate_throughput(struct run *run, unsigned r)
{
    struct batch_term terms[QUEUE_MOST_BATCHES];
    double visits = 0;
    for (unsigned i = 0; i < run->stage_count; i++)
        visits += run->network->classes[r].visits[i];
    for (size_t b = 0; b < run->rules.batches; b++) {
        terms[b] = (struct batch_term){0, run->stages[0].sums[b + 1].length_s};
        for (unsigned i = 0; i < run->stage_count; i++)
            terms[b].part += run->stages[i].sums[b + 1].class[r].departed / visits;
    }
    run->closed->throughput[r] = estimate_plainly(run, terms);
}

static void estimate_all(struct run *run)
{
    run->correlated = 0;
    run->widest = 0;
    if (run->line) {
        estimate_line(run);
        return;
    }
    run->closed->batch_relaxations =
        run->closed->measured_s / run->rules.batches / queue_network_relaxation_s(run->network);
    for (unsigned i = 0; i < run->stage_count; i++)
        estimate_centre(run, i);
    for (unsigned r = 0; r < run->class_count; r++)
        estimate_throughput(run, r);
    run->closed->correlated = run->correlated;
    run->closed->widest = run->widest;
}

/* --- the length of the run ------------------------------------------------------------------------------- */

/* Merge each pair of batches into one; the second half of the batches is still to come. */
static void merge_batches(struct run *run)
{
    enum { SUMS = sizeof(struct sums) / sizeof(double) };
    size_t last = run->rules.batches + 1; /* the draining after the end */
    static_assert(sizeof(struct sums) % sizeof(double) == 0, "all sums are of type double");
    for (unsigned i = 0; i < run->stage_count; i++) {
        struct stage *s = &run->stages[i];
        for (size_t batch = 2; batch <= last; batch++) {
            double *sums = (double *)&s->sums[(batch + 1) / 2], *terms = (double *)&s->sums[batch];
            for (size_t k = 0; k < SUMS; k++)
                sums[k] += terms[k];
            s->sums[batch] = (struct sums){0};
        }
        s->batch = (s->batch + 1) / 2;
    }
    run->batch_s *= 2;
    run->batch_services *= 2;
    run->end_s = batch_end_s(run, run->rules.batches);
}

/* At the end of the run: double it if the intervals are not narrow yet. @return whether it was doubled */
static bool lengthen(struct run *run, double longer_customers)
{
    if (run->rules.until_width == 0 || longer_customers > run->rules.most_customers)
        return false;
    for (unsigned i = 0; i < run->stage_count; i++)
        bring_up_to_date(&run->stages[i]);
    estimate_all(run);
    if (run->widest <= run->rules.until_width && !(run->line && run->result->filling))
        return false;
    merge_batches(run);
    return true;
}

static bool lengthen_line(struct run *run)
{
    sg_actor_sleep_until(run->end_s);
    return lengthen(run, (run->warm_up_s + 2 * (run->end_s - run->warm_up_s)) * run->line->lambda_per_s);
}

/* A batch of a closed network has had its services; after the last one nobody is served any more. */
static void end_batch(struct run *run)
{
    double now_s = simgrid_get_clock();
    for (unsigned i = 0; i < run->stage_count; i++) {
        bring_up_to_date(&run->stages[i]);
        run->stages[i].batch++;
    }
    if (run->stages[0].batch == 1)
        run->closed->warm_up_s = now_s;
    run->closed->measured_s = now_s - run->closed->warm_up_s;
    run->ended = run->stages[0].batch > run->rules.batches &&
                 !lengthen(run, (double)run->batch_services * run->rules.batches * 2 +
                                    run->rules.customers * run->rules.warm_up);
    run->next_end += run->batch_services;
    if (run->ended)
        stop_servers(run);
}

/* --- actors ---------------------------------------------------------------------------------------------- */

/* Either an arrival comes first, or the state changes. @param next  1 + the state; 0: it has not begun */
static double draw_mmpp(const struct duration *d, gsl_rng *random, size_t *next)
{
    double time = 0;
    if (*next == 0)
        *next = gsl_rng_uniform(random) < duration_second_share(d) ? 2 : 1;
    for (;; *next = 3 - *next) {
        const double rate = d->rate[*next - 1], all = rate + d->leave[*next - 1];
        time += gsl_ran_exponential(random, 1 / all);
        if (gsl_rng_uniform(random) * all < rate)
            return time;
    }
}

/* @param next  of a trace: the number of the next time; or as in draw_mmpp() */
static double draw_s(const struct duration *d, double mean_s, gsl_rng *random, size_t *next)
{
    if (d->law == DURATION_MIXTURE)
        return mean_s * duration_short(d) * (gsl_rng_uniform(random) < d->long_fraction ? d->long_ratio : 1);
    if (d->law == DURATION_TRACE) {
        *next = *next < d->count ? *next : 0;
        return mean_s * d->times[(*next)++];
    }
    if (d->law == DURATION_MMPP)
        return mean_s * draw_mmpp(d, random, next);
    return duration_is_exponential(d) ? gsl_ran_exponential(random, mean_s)
           : duration_is_constant(d)  ? mean_s
                                      : gsl_ran_gamma(random, 1 / d->scv, d->scv * mean_s);
}

/* Mean of max(0, S - a) for services of a gamma distribution. */
static double excess_over_s(double mean_s, double scv, double a_s)
{
    return scv == 0 ? fmax(0, mean_s - a_s)
                    : mean_s * gsl_cdf_gamma_Q(a_s, 1 / scv + 1, scv * mean_s) -
                          a_s * gsl_cdf_gamma_Q(a_s, 1 / scv, scv * mean_s);
}

/* E max(0, S - A) for an independent service S and interarrival time A: the wait of the next customer if nobody else
 * were there. NaN if it is not known. */
static double mean_excess_s(const struct queue_line *t, const struct stage *s)
{
    const struct duration *d = &s->rules->service;
    const double lambda_per_s = t->lambda_per_s, mean_s = 1 / s->rules->mu_per_s, f = d->long_fraction;
    const double short_s = mean_s * duration_short(d);
    if (d->law == DURATION_TRACE || t->class_count > 0)
        return NAN;
    if (t->arrivals.law == DURATION_GAMMA && duration_is_constant(&t->arrivals))
        return d->law != DURATION_MIXTURE ? excess_over_s(mean_s, duration_scv(d), 1 / lambda_per_s)
                                          : f * excess_over_s(short_s * d->long_ratio, 0, 1 / lambda_per_s) +
                                                (1 - f) * excess_over_s(short_s, 0, 1 / lambda_per_s);
    if (!duration_is_exponential(&t->arrivals))
        return NAN;
    return duration_is_exponential(d)
               ? lambda_per_s * mean_s * mean_s / (1 + lambda_per_s * mean_s)
               : mean_s + (duration_transform(d, lambda_per_s * mean_s) - 1) / lambda_per_s;
}

static void serve_by_load(struct stage *s)
{
    const double *speeds = s->rules->speeds;
    const size_t count = s->rules->speed_count;
    double greatest = 0;
    for (size_t k = 0; k < count; k++)
        greatest = fmax(greatest, speeds[k]);
    do
        sg_actor_sleep_for(gsl_ran_exponential(s->random, 1 / (s->rules->mu_per_s * greatest)));
    while (gsl_rng_uniform(s->random) * greatest >= speeds[s->inside < count ? s->inside - 1 : count - 1]);
}

static void serve(struct stage *s, const struct customer *customer)
{
    struct sums *sums = bring_up_to_date(s);
    sums->started++;
    sums->wait_s += s->date_s - customer->came_s;
    sums->waited += s->date_s > customer->came_s;
    sums->class[customer->class].started++;
    sums->class[customer->class].wait_s += s->date_s - customer->came_s;
    s->head++;
    s->waiting--;
    s->serving++;
    if (s->rules->speeds) {
        serve_by_load(s);
    } else {
        const struct queue_line_class *class =
            s->run->line && s->run->class_count > 0 ? &s->run->line->classes[customer->class] : NULL;
        const double mean_s = 1 / (class ? class->mu_per_s : s->rules->mu_per_s);
        const double service_s = draw_s(class ? &class->service : &s->rules->service, mean_s, s->random,
                                        &s->next_time[class ? customer->class : 0]);
        const double excess_s = fmax(0, service_s - customer->next_s) - s->mean_excess_s;
        sums->services_s += service_s - mean_s;
        sums->excess_s += isnan(customer->next_s) || isnan(excess_s) ? 0 : excess_s;
        sg_actor_sleep_for(service_s);
    }
    bring_up_to_date(s);
    s->serving--;
}

/* How many customers of a stage an element that comes to it becomes. */
static unsigned convert(struct stage *s, gsl_rng *random)
{
    double factor = s->rules->factor, least = floor(factor);
    if (factor >= 1)
        return (unsigned)least + (factor > least && gsl_rng_uniform(random) < factor - least);
    s->packed = s->packed + 1 < s->pack ? s->packed + 1 : 0;
    return s->packed == 0;
}

/* How many customers of the next stage one that was served becomes. */
static unsigned draw_outputs(struct stage *s)
{
    const struct queue_line_stage *rules = s->rules;
    if (rules->outputs) {
        const double outputs = rules->outputs[s->next_output];
        s->next_output = s->next_output + 1 < rules->output_count ? s->next_output + 1 : 0;
        return s->next ? (unsigned)outputs : 0;
    }
    const bool goes =
        s->next && (rules->pass_fraction == 1 || gsl_rng_uniform(s->random) < rules->pass_fraction);
    return goes ? convert(s->next, s->random) : 0;
}

static unsigned draw_next(struct run *run, unsigned class, size_t from)
{
    const double *route = run->network->classes[class].route[from];
    double left = gsl_rng_uniform(run->routes[class]);
    unsigned last = 0;
    for (unsigned to = 0; to < run->stage_count; to++) {
        if (route[to] > 0)
            last = to;
        left -= route[to];
        if (left < 0)
            return to;
    }
    return last; /* probabilities whose sum was rounded to less than 1 */
}

/* A customer that was served goes to another centre. */
static void go_round(struct stage *s, const struct customer *customer)
{
    struct run *run = s->run;
    leave(s, customer);
    uint64_t services = ++run->closed->services;
    if (services % PROGRESS_CUSTOMERS == 0)
        progress_update(&run->progress, (double)services);
    if (!run->ended && services >= run->next_end)
        end_batch(run);
    if (!run->ended)
        arrive(&run->stages[draw_next(run, customer->class, (size_t)(s - run->stages))], NULL, 1, *customer);
}

/* A customer that was served goes back, or on, and turns into customers of the next stage; if there are none of these,
 * it has left. */
static void go_on(struct stage *s, struct waiter *waiter, const struct customer *customer)
{
    const struct queue_line_stage *rules = s->rules;
    if (rules->back_fraction > 0 && gsl_rng_uniform(s->random) < rules->back_fraction) {
        arrive(&s->run->stages[rules->back_to], waiter, 1, (struct customer){.next_s = NAN});
    } else {
        for (unsigned left = draw_outputs(s); left > 0; left--)
            arrive(s->next, waiter, left, (struct customer){.next_s = NAN});
        s->run->result->departed += s->next == NULL;
    }
    leave(s, customer);
}

/* The stage whose customer a server takes next: of those that it may serve, the one who came first.
 * @param gates  out: a bit for each stage for whose places a customer has to wait @return NULL if there is none */
static struct stage *choose(struct stage *port, uint64_t *gates)
{
    struct stage *first = NULL, *end = port->run->stages + port->run->stage_count;
    *gates = 0;
    for (struct stage *s = port; s < (port->rules->on > 0 ? end : port + 1); s++) {
        if (s->port != port || s->waiting == 0)
            continue;
        if (s->next && is_almost_full(s->next))
            *gates |= UINT64_C(1) << (s->next - s->run->stages);
        else if (!first || s->line[s->head].number < first->line[first->head].number)
            first = s;
    }
    return first;
}

static void count_gated(struct run *run, uint64_t gates, int by)
{
    static_assert(QUEUE_LINE_STAGES_MAX <= 64, "a bit for each stage");
    for (struct stage *s = run->stages; gates > 0; s++, gates >>= 1)
        if (gates & 1) {
            bring_up_to_date(s);
            s->gated += (unsigned)by;
        }
}

/* A server without work sleeps until somebody comes, or until a next stage has places. */
static void wait_idle(struct server *server, uint64_t gates)
{
    server->next_idle = server->stage->idle;
    server->stage->idle = server;
    count_gated(server->stage->run, gates, 1);
    sg_sem_acquire(server->waiter.bell);
    count_gated(server->stage->run, gates, -1);
}

static void server_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct server *server = sg_actor_self_get_data();
    const struct run *run = server->stage->run;
    while (!run->stopped) {
        uint64_t gates;
        struct stage *s = choose(server->stage, &gates);
        if (!s) {
            wait_idle(server, gates);
            continue;
        }
        const struct customer customer = s->line[s->head];
        serve(s, &customer);
        if (run->network)
            go_round(s, &customer);
        else
            go_on(s, &server->waiter, &customer);
    }
}

static double draw_interarrival_s(struct run *run)
{
    const double mean_s = run->stages[0].rules->factor / run->line->lambda_per_s;
    const double drawn_s = draw_s(&run->line->arrivals, mean_s, run->random, &run->next_time);
    bring_up_to_date(&run->stages[0])->arrivals_s += drawn_s - mean_s;
    return drawn_s;
}

static void source_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct run *run = sg_actor_self_get_data();
    struct stage *first = &run->stages[0];
    double wait_s = draw_interarrival_s(run);
    for (;;) {
        double date_s = simgrid_get_clock() + wait_s;
        while (date_s >= run->end_s && lengthen_line(run))
            ;
        if (date_s >= run->end_s)
            break;
        sg_actor_sleep_until(date_s);
        unsigned come = convert(first, run->random);
        uint64_t before = run->result->arrived;
        run->result->arrived += come;
        if (run->result->arrived / PROGRESS_CUSTOMERS != before / PROGRESS_CUSTOMERS)
            progress_update(&run->progress, simgrid_get_clock());
        wait_s = draw_interarrival_s(run);
        for (; come > 0; come--)
            arrive(first, &run->source, come,
                   (struct customer){.next_s = first->rules->factor == 1 ? wait_s : NAN,
                                     .class = run->class_count > 0 && gsl_rng_uniform(run->routes[0]) >=
                                                                          run->line->classes[0].share});
    }
    run->ended = true;
    run->feeders--;
    end_if_empty(run);
}

/* Elements that are added to a stage. */
static void stream_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct stage *s = sg_actor_self_get_data();
    for (;;) {
        sg_actor_sleep_for(gsl_ran_exponential(s->added, 1 / s->rules->added_per_s));
        if (s->run->ended)
            break;
        for (unsigned come = convert(s, s->added); come > 0; come--)
            arrive(s, &s->stream, come, (struct customer){.next_s = NAN});
    }
    s->run->feeders--;
    end_if_empty(s->run);
}

/* --- the run --------------------------------------------------------------------------------------------- */

static void stage_init(struct run *run, unsigned i, unsigned long seed)
{
    const struct queue_line_stage *rules = run->line ? &run->line->stages[i] : &run->network->centres[i];
    unsigned servers = rules->speeds ? 1 : rules->servers;
    for (unsigned r = 0; r < run->class_count && !rules->speeds && rules->servers == 0; r++)
        servers += run->network->classes[r].population; /* one for each customer */
    struct stage *s = &run->stages[i];
    *s = (struct stage){
        .run = run,
        .rules = rules,
        .before = run->line && i > 0 ? s - 1 : NULL,
        .next = run->line && i + 1 < run->stage_count ? s + 1 : NULL,
        .port = run->line && rules->on > 0 ? &run->stages[rules->on - 1] : s,
        .random = random_new(seed),
        .sums = memory_new(run->rules.batches + 2, sizeof *s->sums),
        .pack = run->line && rules->factor < 1 ? (unsigned)lround(1 / rules->factor) : 1,
        .server_count = servers,
        .servers = memory_new(servers, sizeof *s->servers),
    };
    if (!run->line)
        return;
    s->stays = quantile_new(STAY_BITS);
    s->mean_excess_s = mean_excess_s(run->line, s);
    if (rules->added_per_s > 0) {
        run->feeders++;
        s->added = random_new(seed + 1);
    }
}

/* The generators' seeds are drawn by a generator that has the run's seed. */
static void run_init(struct run *run)
{
    gsl_rng *seeds = random_new(run->rules.seed);
    if (run->line && run->line->watcher)
        run->states = memory_new(run->stage_count, sizeof *run->states);
    if (run->line)
        run->random = random_new(gsl_rng_get(seeds));
    for (unsigned i = 0; i < run->stage_count; i++)
        stage_init(run, i, gsl_rng_get(seeds));
    for (unsigned r = 0; r < run->class_count; r++)
        run->routes[r] = random_new(gsl_rng_get(seeds));
    gsl_rng_free(seeds);
}

static void begin_line(struct run *run)
{
    run->source.bell = sg_sem_init(0);
    run->feeders++;
    simgrid_engine_add_actor("source", run->host, source_actor, run);
    for (unsigned i = 0; i < run->stage_count; i++) {
        struct stage *s = &run->stages[i];
        if (s->added) {
            s->stream.bell = sg_sem_init(0);
            simgrid_engine_add_actor("stream", run->host, stream_actor, s);
        }
        while (s->port == s && s->servers_begun < s->server_count)
            begin_server(s);
    }
}

static void begin_closed(struct run *run)
{
    for (unsigned r = 0; r < run->class_count; r++) {
        const double population = run->network->classes[r].population;
        double parts[QUEUE_NETWORK_CENTRES_MAX], up_to = 0, entered = 0;
        queue_network_spread(run->network, r, parts);
        for (unsigned i = 0; i < run->stage_count; i++) {
            up_to = i + 1 < run->stage_count ? up_to + parts[i] : 1;
            for (; entered < round(up_to * population); entered++)
                enter(&run->stages[i], (struct customer){.next_s = NAN, .class = r});
        }
    }
}

static void simulate(struct run *run)
{
    auto_free sg_host_t *hosts = sg_host_list();
    run->host = hosts[0];
    if (run->line)
        begin_line(run);
    else
        begin_closed(run);
    const bool doubles = run->rules.until_width > 0;
    const char *what = run->line ? "simulated seconds" : "services",
               *most = run->line ? "simulated seconds at most" : "services at most";
    double customers = doubles ? run->rules.most_customers : run->rules.customers;
    progress_begin(&run->progress, doubles ? most : what,
                   run->line ? customers / run->line->lambda_per_s : customers, false);
    simgrid_run();
    progress_end(&run->progress);
    if (run->states)
        tell_watcher(run, INFINITY);
    for (unsigned i = 0; i < run->stage_count; i++) {
        bring_up_to_date(&run->stages[i]);
        if (run->stages[i].added)
            sg_sem_destroy(run->stages[i].stream.bell);
        for (unsigned k = 0; k < run->stages[i].servers_begun; k++)
            sg_sem_destroy(run->stages[i].servers[k].waiter.bell);
    }
    if (run->line)
        sg_sem_destroy(run->source.bell);
}

static int run_all(struct run *run, struct why *why)
{
    const bool has_engine = simgrid_engine_start_one_host();
    const int error = errno;
    run_init(run);
    if (has_engine) {
        simulate(run);
        estimate_all(run);
        find_distributions(run);
    }
    for (unsigned i = 0; i < run->stage_count; i++) {
        gsl_rng_free(run->stages[i].random);
        gsl_rng_free(run->stages[i].added);
        free(run->stages[i].line);
        free(run->stages[i].servers);
        free(run->stages[i].sums);
        free(run->stages[i].stays);
    }
    for (unsigned r = 0; r < run->class_count; r++)
        gsl_rng_free(run->routes[r]);
    gsl_rng_free(run->random);
    free(run->states);
    return has_engine ? 0
                      : why_say(why, WHY_SAID, "SimGrid's platform cannot be written: %s", why_error(error));
}

int queue_line_run(const struct queue_line *line, struct queue_line_result *result, struct why *why)
{
    const struct queue_run *rules = &line->run;
    double length_s = rules->customers / line->lambda_per_s;
    struct run run = {
        .line = line,
        .result = result,
        .rules = *rules,
        .stage_count = line->stage_count,
        .class_count = line->class_count,
        .warm_up_s = length_s * rules->warm_up,
        .batch_s = length_s * (1 - rules->warm_up) / rules->batches,
    };
    run.end_s = batch_end_s(&run, rules->batches);
    *result = (struct queue_line_result){.warm_up_s = run.warm_up_s};
    result->frames =
        memory_new((size_t)line->stage_count * QUEUE_LINE_QUANTITIES * rules->batches, sizeof(double));
    return run_all(&run, why);
}

int queue_network_run(const struct queue_network *network, struct queue_network_result *result,
                      struct why *why)
{
    const struct queue_run *rules = &network->run;
    uint64_t warm_up = (uint64_t)(rules->customers * rules->warm_up);
    struct run run = {
        .network = network,
        .closed = result,
        .rules = *rules,
        .stage_count = network->centre_count,
        .class_count = network->class_count,
        .batch_services = (uint64_t)((rules->customers - (double)warm_up) / rules->batches),
        .next_end = warm_up,
    };
    *result = (struct queue_network_result){.services = 0};
    return run_all(&run, why);
}
