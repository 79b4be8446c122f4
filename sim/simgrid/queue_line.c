#include "sim/simgrid/queue_line.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "base/progress.h"
#include "sim/simgrid/simgrid_engine.h"

enum { PROGRESS_CUSTOMERS = 100000 }; /* number of arrivals between two updates of the progress line */

/* --- stages ---------------------------------------------------------------------------------------------- */

/* Sums over what happened in one batch. */
struct sums {
    double offered, lost, started, departed; /* customers */
    double wait_s, time_s; /* waits of customers that started a service; times of those that departed */
    double busy_s, full_s, blocking_s, number_s, in_queue_s; /* time integrals */

    /* What was drawn in the batch minus the mean of as many draws; later stages have services only. */
    double arrivals_s, services_s, excess_s;
};

static void sums_move(struct sums *to, struct sums *from)
{
    double *sums = (double *)to, *terms = (double *)from;
    static_assert(sizeof *to % sizeof *sums == 0, "all sums are of type double");
    for (size_t i = 0; i < sizeof *to / sizeof *sums; i++)
        sums[i] += terms[i];
    *from = (struct sums){0};
}

struct run;

struct customer {
    double came_s;
    double next_s; /* time from its arrival to the next one; NaN if it was not drawn for this customer */
};

/* An actor that waits for a place in a stage. */
struct waiter {
    sg_sem_t bell;
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
    struct stage *next; /* NULL if this is the last one */
    gsl_rng *random;
    double mean_excess_s; /* see mean_excess_s() */

    struct customer *line; /* those who wait, a ring that begins at line[head] */
    size_t room, head, waiting, inside;
    struct server *servers;
    unsigned server_count, servers_left; /* servers_left: those whose actors have not ended */
    unsigned serving;
    struct server *idle;             /* those whose actors wait for a customer */
    struct waiter *outside, *newest; /* actors that wait for a place: the first and the last one */
    size_t promised;                 /* places that are free for waiters who have been woken */
    unsigned pack, packed; /* elements that make one customer here; those that have come of the next one */
    unsigned feeders;      /* those of source, stage before and stream of its own that have not ended */
    gsl_rng *added;        /* of its own stream; NULL if it has none */
    struct waiter stream;

    /* The times between arrivals: sums of t, t^2 and t times the next t, in mean services, and the last one. */
    struct {
        double count, sum, squares, products, first, last, date_s;
    } arrivals;

    double date_s; /* the sums include everything up to this date */
    size_t batch;  /* the batch of that date; 0 is the warm-up, the last one is the draining after the end */
    struct sums *sums; /* by batch */
};

struct run {
    const struct queue_line *tandem;
    struct queue_line_result *result;
    struct stage stages[QUEUE_LINE_STAGES_MAX];
    gsl_rng *random; /* the source's */
    struct waiter source;
    bool ended; /* the source has ended: streams end, too */
    double warm_up_s, batch_s, end_s;
    bool out_of_memory;
    struct progress progress;
};

/* --- measuring ------------------------------------------------------------------------------------------- */

static double batch_end_s(const struct run *run, size_t batch)
{
    return batch > run->tandem->batches ? INFINITY : run->warm_up_s + (double)batch * run->batch_s;
}

static bool is_full(const struct stage *s)
{
    return s->rules->places > 0 && s->inside + s->promised >= s->rules->places;
}

static void add_time(struct stage *s, double time_s)
{
    struct sums *sums = &s->sums[s->batch];
    sums->number_s += (double)s->inside * time_s;
    sums->in_queue_s += (double)s->waiting * time_s;
    sums->busy_s += s->serving * time_s / s->server_count;
    sums->full_s += is_full(s) ? time_s : 0;
    sums->blocking_s += s->outside ? time_s : 0;
}

/* Add the time since the stage's date, in which its state has not changed. @return the sums of the present batch */
static struct sums *bring_up_to_date(struct stage *s)
{
    double now_s = simgrid_get_clock();
    for (double end_s; (end_s = batch_end_s(s->run, s->batch)) <= now_s; s->batch++) {
        add_time(s, end_s - s->date_s);
        s->date_s = end_s;
    }
    add_time(s, now_s - s->date_s);
    s->date_s = now_s;
    return &s->sums[s->batch];
}

/* --- moving customers ------------------------------------------------------------------------------------ */

static bool make_room(struct stage *s)
{
    if (s->waiting < s->room)
        return true;
    size_t room = 2 * s->room + 64;
    struct customer *line = malloc(room * sizeof *line);
    if (!line)
        return false;
    for (size_t i = 0; i < s->waiting; i++)
        line[i] = s->line[(s->head + i) % s->room];
    free(s->line);
    s->line = line;
    s->room = room;
    s->head = 0;
    return true;
}

/* Wake a server that waits for a customer. */
static void ring(struct stage *s)
{
    struct server *server = s->idle;
    if (!server)
        return;
    s->idle = server->next_idle;
    sg_sem_release(server->waiter.bell);
}

/* The first arrival after the warm-up begins the first time. */
static void note_arrival(struct stage *s)
{
    double time = (s->date_s - s->arrivals.date_s) * s->rules->mu_per_s;
    if (s->date_s < s->run->warm_up_s || s->run->ended)
        return;
    if (s->arrivals.date_s > 0) {
        s->arrivals.products += s->arrivals.count > 0 ? s->arrivals.last * time : 0;
        s->arrivals.first = s->arrivals.count > 0 ? s->arrivals.first : time;
        s->arrivals.last = time;
        s->arrivals.count++;
        s->arrivals.sum += time;
        s->arrivals.squares += time * time;
    }
    s->arrivals.date_s = s->date_s;
}

/* Put a customer into the stage, which has a place and is up to date. */
static void enter(struct stage *s, double next_s)
{
    note_arrival(s);
    if (!make_room(s)) {
        s->run->out_of_memory = true;
        s->run->result->lost++;
        return;
    }
    size_t place = s->head + s->waiting;
    s->line[place < s->room ? place : place - s->room] = (struct customer){s->date_s, next_s};
    s->waiting++;
    s->inside++;
    ring(s);
}

static void wait_outside(struct stage *s, struct waiter *waiter)
{
    waiter->next = NULL;
    if (s->outside)
        s->newest->next = waiter;
    else
        s->outside = waiter;
    s->newest = waiter;
    sg_sem_acquire(waiter->bell);
    bring_up_to_date(s);
    s->promised--;
}

/* A customer comes to the stage. If it must wait outside, the actor that brings it waits. */
static void arrive(struct stage *s, struct waiter *waiter, double next_s)
{
    struct sums *sums = bring_up_to_date(s);
    sums->offered++;
    if (is_full(s) && s->run->tandem->overflow == OVERFLOW_LOSS) {
        sums->lost++;
        s->run->result->lost++;
        return;
    }
    if (is_full(s))
        wait_outside(s, waiter);
    enter(s, next_s);
}

/* A customer leaves its server and the stage. */
static void leave(struct stage *s, const struct customer *customer)
{
    struct sums *sums = bring_up_to_date(s);
    sums->departed++;
    sums->time_s += s->date_s - customer->came_s;
    s->inside--;
    struct waiter *outside = s->outside;
    if (!outside)
        return;
    s->outside = outside->next;
    s->promised++;
    sg_sem_release(outside->bell);
}

/* --- estimates ------------------------------------------------------------------------------------------- */

static struct batch_term term_of(const struct sums *s, enum queue_line_quantity quantity, double batch_s)
{
    switch (quantity) {
    case QUEUE_LINE_OFFERED:
        return (struct batch_term){s->offered, batch_s};
    case QUEUE_LINE_THROUGHPUT:
        return (struct batch_term){s->departed, batch_s};
    case QUEUE_LINE_UTILISATION:
        return (struct batch_term){s->busy_s, batch_s};
    case QUEUE_LINE_N:
        return (struct batch_term){s->number_s, batch_s};
    case QUEUE_LINE_N_Q:
        return (struct batch_term){s->in_queue_s, batch_s};
    case QUEUE_LINE_W_Q:
        return (struct batch_term){s->wait_s, s->started};
    case QUEUE_LINE_W:
        return (struct batch_term){s->time_s, s->departed};
    case QUEUE_LINE_LOSS:
        return (struct batch_term){s->lost, s->offered};
    case QUEUE_LINE_FULL:
        return (struct batch_term){s->full_s, batch_s};
    case QUEUE_LINE_BLOCKING:
    case QUEUE_LINE_QUANTITIES:
        break;
    }
    return (struct batch_term){s->blocking_s, batch_s};
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

static void estimate_stage(const struct run *run, const struct stage *s, double widen,
                           struct estimate *estimates, double *measured)
{
    struct batch_term terms[QUEUE_LINE_MOST_BATCHES];
    struct batch_controls controls[QUEUE_LINE_MOST_BATCHES];
    size_t batches = run->tandem->batches;
    for (size_t batch = 0; batch < batches; batch++)
        controls[batch] =
            (struct batch_controls){{run->stages[0].sums[batch + 1].arrivals_s, s->sums[batch + 1].services_s,
                                     s->sums[batch + 1].excess_s}};
    for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++) {
        for (size_t batch = 0; batch < batches; batch++)
            terms[batch] = term_of(&s->sums[batch + 1], q, run->batch_s);
        measured[q] = batch_means(terms, batches).mean;
        estimates[q] =
            is_controlled(q) ? batch_means_controlled(terms, controls, batches) : batch_means(terms, batches);
        estimates[q].half_width *= is_controlled(q) ? widen : 1;
        run->result->correlated += batch_means_are_correlated(&estimates[q], batches);
        run->result->widest = fmax(run->result->widest, queue_line_width(&estimates[q], q));
    }
}

/* The estimates of interval_moments.h, of times that are no whole numbers. */
static struct queue_line_times times_of(const struct stage *s)
{
    double n = s->arrivals.count, mean = s->arrivals.sum / n;
    double squares = s->arrivals.squares - n * mean * mean;
    double ends = s->arrivals.first + s->arrivals.last;
    double products = s->arrivals.products - mean * (2 * s->arrivals.sum - ends) + (n - 1) * mean * mean;
    bool varies = squares > 1e-12 * s->arrivals.squares; /* more than by rounding */
    return (struct queue_line_times){.count = n,
                                     .scv = n > 0 ? fmax(0, squares) / (n * mean * mean) : NAN,
                                     .lag1 = varies ? products / squares : NAN};
}

static void estimate_all(struct run *run)
{
    run->result->correlated = 0;
    run->result->widest = 0;
    run->result->batch_s = run->batch_s;
    run->result->batch_relaxations = INFINITY;
    for (unsigned i = 0; i < run->tandem->stage_count; i++) {
        run->result->arrivals[i] = times_of(&run->stages[i]);
        double relaxations =
            run->batch_s / queue_line_relaxation_s(run->tandem, i, run->result->arrivals[i].scv);
        if (relaxations < run->result->batch_relaxations) {
            run->result->batch_relaxations = relaxations;
            run->result->slowest_stage = i;
        }
        estimate_stage(run, &run->stages[i], widening(relaxations, run->tandem->batches),
                       run->result->stage[i], run->result->measured[i]);
    }
}

/* Merge each pair of batches into one; the second half of the batches is still to come. */
static void merge_batches(struct run *run)
{
    size_t last = run->tandem->batches + 1; /* the draining after the end */
    for (unsigned i = 0; i < run->tandem->stage_count; i++) {
        struct stage *s = &run->stages[i];
        for (size_t batch = 2; batch <= last; batch++)
            sums_move(&s->sums[(batch + 1) / 2], &s->sums[batch]);
        s->batch = (s->batch + 1) / 2;
    }
    run->batch_s *= 2;
    run->end_s = batch_end_s(run, run->tandem->batches);
}

/* At the end of the run: double it if the intervals are not narrow yet. @return whether it was doubled */
static bool lengthen(struct run *run)
{
    const struct queue_line *t = run->tandem;
    sg_actor_sleep_until(run->end_s);
    double longer_s = run->warm_up_s + 2 * (run->end_s - run->warm_up_s);
    if (t->until_width == 0 || longer_s * t->lambda_per_s > t->most_customers)
        return false;
    for (unsigned i = 0; i < t->stage_count; i++)
        bring_up_to_date(&run->stages[i]);
    estimate_all(run);
    if (run->result->widest <= t->until_width)
        return false;
    merge_batches(run);
    return true;
}

/* --- actors ---------------------------------------------------------------------------------------------- */

static double short_service_s(const struct queue_line_stage *rules)
{
    return 1 / (rules->mu_per_s * (1 + rules->long_fraction * (rules->long_ratio - 1)));
}

double queue_line_draw_service_s(const struct queue_line_stage *rules, gsl_rng *random)
{
    switch (rules->service) {
    case SERVICE_EXPONENTIAL:
        return gsl_ran_exponential(random, 1 / rules->mu_per_s);
    case SERVICE_MIXTURE:
        return short_service_s(rules) *
               (gsl_rng_uniform(random) < rules->long_fraction ? rules->long_ratio : 1);
    case SERVICE_DETERMINISTIC:
        break;
    }
    return 1 / rules->mu_per_s;
}

/* Mean of max(0, service_s - A) over the interarrival time A. */
static double excess_of_s(const struct queue_line *t, double service_s)
{
    double lambda_per_s = t->lambda_per_s;
    return t->arrivals == ARRIVALS_DETERMINISTIC
               ? fmax(0, service_s - 1 / lambda_per_s)
               : service_s + expm1(-lambda_per_s * service_s) / lambda_per_s;
}

/* E max(0, S - A) for an independent service S and interarrival time A: the wait of the next customer if nobody else
 * were there. */
static double mean_excess_s(const struct queue_line *t, const struct stage *s)
{
    double mu_per_s = s->rules->mu_per_s, f = s->rules->long_fraction, short_s = short_service_s(s->rules);
    switch (s->rules->service) {
    case SERVICE_EXPONENTIAL:
        return t->arrivals == ARRIVALS_DETERMINISTIC
                   ? exp(-mu_per_s / t->lambda_per_s) / mu_per_s
                   : t->lambda_per_s / (mu_per_s * (t->lambda_per_s + mu_per_s));
    case SERVICE_MIXTURE:
        return f * excess_of_s(t, short_s * s->rules->long_ratio) + (1 - f) * excess_of_s(t, short_s);
    case SERVICE_DETERMINISTIC:
        break;
    }
    return excess_of_s(t, 1 / mu_per_s);
}

static void serve(struct stage *s, const struct customer *customer)
{
    struct sums *sums = bring_up_to_date(s);
    sums->started++;
    sums->wait_s += s->date_s - customer->came_s;
    s->head = s->head + 1 < s->room ? s->head + 1 : 0;
    s->waiting--;
    s->serving++;
    double service_s = queue_line_draw_service_s(s->rules, s->random);
    double next_s = customer->next_s;
    sums->services_s += service_s - 1 / s->rules->mu_per_s;
    sums->excess_s += isnan(next_s) ? 0 : fmax(0, service_s - next_s) - s->mean_excess_s;
    sg_actor_sleep_for(service_s);
    bring_up_to_date(s);
    s->serving--;
}

/* The last feeder of a stage tells its servers that nobody comes any more. */
static void end_feeder(struct stage *s)
{
    if (--s->feeders > 0)
        return;
    while (s->idle)
        ring(s);
}

static void end_server(struct stage *s)
{
    if (--s->servers_left == 0 && s->next)
        end_feeder(s->next);
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
static unsigned draw_yield(const struct stage *s)
{
    double goes_on = s->rules->pass_fraction;
    return s->next && (goes_on == 1 || gsl_rng_uniform(s->random) < goes_on) ? convert(s->next, s->random)
                                                                             : 0;
}

static void server_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct server *server = sg_actor_self_get_data();
    struct stage *s = server->stage;
    while (s->waiting > 0 || s->feeders > 0) {
        if (s->waiting == 0) {
            server->next_idle = s->idle;
            s->idle = server;
            sg_sem_acquire(server->waiter.bell);
            continue;
        }
        const struct customer customer = s->line[s->head];
        serve(s, &customer);
        for (unsigned left = draw_yield(s); left > 0; left--)
            arrive(s->next, &server->waiter, NAN);
        s->run->result->departed += s->next == NULL;
        leave(s, &customer);
    }
    end_server(s);
}

static double draw_interarrival_s(struct run *run)
{
    double mean_s = run->stages[0].rules->factor / run->tandem->lambda_per_s, drawn_s = mean_s;
    if (run->tandem->arrivals != ARRIVALS_DETERMINISTIC)
        drawn_s = gsl_ran_exponential(run->random, mean_s);
    bring_up_to_date(&run->stages[0])->arrivals_s += drawn_s - mean_s;
    return drawn_s;
}

static void show_progress(struct run *run, unsigned came)
{
    uint64_t arrived = run->result->arrived;
    if (arrived / PROGRESS_CUSTOMERS != (arrived - came) / PROGRESS_CUSTOMERS)
        progress_update(&run->progress, simgrid_get_clock());
}

static void source_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct run *run = sg_actor_self_get_data();
    struct stage *first = &run->stages[0];
    double wait_s = draw_interarrival_s(run);
    for (;;) {
        double date_s = simgrid_get_clock() + wait_s;
        while (date_s >= run->end_s && lengthen(run))
            ;
        if (date_s >= run->end_s)
            break;
        sg_actor_sleep_until(date_s);
        unsigned come = convert(first, run->random);
        run->result->arrived += come;
        show_progress(run, come);
        wait_s = draw_interarrival_s(run);
        for (; come > 0; come--)
            arrive(first, &run->source, first->rules->factor == 1 ? wait_s : NAN);
    }
    run->ended = true;
    end_feeder(first);
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
            arrive(s, &s->stream, NAN);
    }
    end_feeder(s);
}

/* --- the run --------------------------------------------------------------------------------------------- */

static bool stage_init(struct run *run, unsigned i, unsigned long seed)
{
    const struct queue_line_stage *rules = &run->tandem->stages[i];
    struct stage *s = &run->stages[i];
    *s = (struct stage){
        .run = run,
        .rules = rules,
        .next = i + 1 < run->tandem->stage_count ? s + 1 : NULL,
        .random = gsl_rng_alloc(gsl_rng_mt19937),
        .sums = calloc(run->tandem->batches + 2, sizeof *s->sums),
        .pack = rules->factor < 1 ? (unsigned)lround(1 / rules->factor) : 1,
        .server_count = rules->servers,
        .servers_left = rules->servers,
        .servers = calloc(rules->servers, sizeof *s->servers),
        .feeders = rules->added_per_s > 0 ? 2 : 1,
        .added = rules->added_per_s > 0 ? gsl_rng_alloc(gsl_rng_mt19937) : NULL,
    };
    s->mean_excess_s = mean_excess_s(run->tandem, s);
    if (!s->random || !s->sums || !s->servers || (rules->added_per_s > 0 && !s->added))
        return false;
    gsl_rng_set(s->random, seed);
    if (s->added)
        gsl_rng_set(s->added, seed + 1);
    return true;
}

/* The generators' seeds are drawn by a generator that has the run's seed. */
static bool run_init(struct run *run)
{
    const struct queue_line *t = run->tandem;
    gsl_rng *seeds = gsl_rng_alloc(gsl_rng_mt19937);
    run->random = gsl_rng_alloc(gsl_rng_mt19937);
    bool made = seeds && run->random;
    if (made) {
        gsl_rng_set(seeds, t->seed);
        gsl_rng_set(run->random, gsl_rng_get(seeds));
    }
    for (unsigned i = 0; made && i < t->stage_count; i++)
        made = stage_init(run, i, gsl_rng_get(seeds));
    if (seeds)
        gsl_rng_free(seeds);
    return made;
}

static void run_destroy(struct run *run)
{
    for (unsigned i = 0; i < run->tandem->stage_count; i++) {
        struct stage *s = &run->stages[i];
        if (s->random)
            gsl_rng_free(s->random);
        if (s->added)
            gsl_rng_free(s->added);
        free(s->line);
        free(s->servers);
        free(s->sums);
    }
    if (run->random)
        gsl_rng_free(run->random);
}

static void simulate(struct run *run)
{
    sg_host_t *hosts = sg_host_list(), host = hosts[0];
    free(hosts);
    run->source.bell = sg_sem_init(0);
    simgrid_engine_add_actor("source", host, source_actor, run);
    for (unsigned i = 0; i < run->tandem->stage_count; i++) {
        if (run->stages[i].added) {
            run->stages[i].stream.bell = sg_sem_init(0);
            simgrid_engine_add_actor("stream", host, stream_actor, &run->stages[i]);
        }
        for (unsigned k = 0; k < run->stages[i].server_count; k++) {
            struct server *server = &run->stages[i].servers[k];
            *server = (struct server){.stage = &run->stages[i], .waiter = {.bell = sg_sem_init(0)}};
            simgrid_engine_add_actor("server", host, server_actor, server);
        }
    }
    double most_s = run->tandem->most_customers / run->tandem->lambda_per_s;
    progress_begin(&run->progress,
                   run->tandem->until_width > 0 ? "simulated seconds at most" : "simulated seconds",
                   run->tandem->until_width > 0 ? most_s : run->end_s, false);
    simgrid_run();
    progress_end(&run->progress);
    for (unsigned i = 0; i < run->tandem->stage_count; i++) {
        bring_up_to_date(&run->stages[i]);
        if (run->stages[i].added)
            sg_sem_destroy(run->stages[i].stream.bell);
        for (unsigned k = 0; k < run->stages[i].server_count; k++)
            sg_sem_destroy(run->stages[i].servers[k].waiter.bell);
    }
    sg_sem_destroy(run->source.bell);
}

int queue_line_run(const struct queue_line *t, struct queue_line_result *result, struct why *why)
{
    double length_s = t->customers / t->lambda_per_s;
    struct run run = {
        .tandem = t,
        .result = result,
        .warm_up_s = length_s * t->warm_up,
        .batch_s = length_s * (1 - t->warm_up) / t->batches,
    };
    run.end_s = batch_end_s(&run, t->batches);
    *result = (struct queue_line_result){.warm_up_s = run.warm_up_s};
    int status = run_init(&run) ? 0 : QUEUE_LINE_EMEMORY;
    if (status == 0 && !simgrid_engine_start_one_host())
        status = QUEUE_LINE_EENGINE;
    if (status == 0) {
        simgrid_engine_make_stacks_small();
        simulate(&run);
        estimate_all(&run);
        status = run.out_of_memory ? QUEUE_LINE_EMEMORY : 0;
    }
    run_destroy(&run);
    if (status == QUEUE_LINE_EENGINE)
        return why_say(why, status, "SimGrid's platform cannot be written");
    return status ? why_no_memory(why, status) : 0;
}
