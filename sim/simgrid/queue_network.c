#include "sim/simgrid/queue_network.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "base/progress.h"
#include "sim/simgrid/simgrid_engine.h"

enum { PROGRESS_SERVICES = 100000 }; /* number of services between two updates of the progress line */

/* --- state ----------------------------------------------------------------------------------------------- */

/* Sums over what happened at a centre in one batch. */
struct sums {
    double number_s[QUEUE_NETWORK_CLASSES_MAX]; /* time integrals of numbers */
    double time_s[QUEUE_NETWORK_CLASSES_MAX];   /* times of the visits that ended */
    double ended[QUEUE_NETWORK_CLASSES_MAX];    /* number of these visits */
    double busy_s;                              /* time integral of busy servers */
};

struct run;

struct customer {
    struct run *run;
    unsigned class;
    sg_sem_t bell;         /* wakes it when a server is free for it */
    double came_s;         /* date at which it came to its centre */
    struct customer *next; /* that waits at the same centre */
};

struct centre {
    const struct queue_network_centre *rules;
    gsl_rng *random;
    unsigned servers;      /* as many as customers if each has one */
    double greatest_speed; /* of a rate that depends on the load */
    unsigned inside[QUEUE_NETWORK_CLASSES_MAX], customers, busy;
    struct customer *first, *last; /* those who wait */
    double date_s;                 /* the sums include everything up to this date */
    struct sums *sums;             /* by batch */
};

struct run {
    const struct queue_network *network;
    struct queue_network_result *result;
    struct centre centres[QUEUE_NETWORK_CENTRES_MAX];
    gsl_rng *routes[QUEUE_NETWORK_CLASSES_MAX];
    struct customer *customers;
    unsigned customer_count;
    size_t batch;      /* 0 is the warm-up, the last one is the draining after the end */
    double *lengths_s; /* by batch */
    double batch_begin_s;
    uint64_t batch_services,
        next_end; /* services in a batch; number of services at which the present one ends */
    bool over;
    struct progress progress;
};

/* --- measuring ------------------------------------------------------------------------------------------- */

static void bring_up_to_date(struct run *run, struct centre *c)
{
    double now_s = simgrid_get_clock(), time_s = now_s - c->date_s;
    struct sums *sums = &c->sums[run->batch];
    for (unsigned r = 0; r < run->network->class_count; r++)
        sums->number_s[r] += c->inside[r] * time_s;
    sums->busy_s += c->busy * time_s;
    c->date_s = now_s;
}

static void end_batch(struct run *run)
{
    double now_s = simgrid_get_clock();
    for (unsigned i = 0; i < run->network->centre_count; i++)
        bring_up_to_date(run, &run->centres[i]);
    run->lengths_s[run->batch] += now_s - run->batch_begin_s;
    run->batch_begin_s = now_s;
    run->batch++;
    run->next_end += run->batch_services;
}

/* --- estimates ------------------------------------------------------------------------------------------- */

static struct estimate estimate(struct run *run, const struct batch_term *terms)
{
    struct estimate e = batch_means(terms, run->network->batches);
    run->result->correlated += batch_means_are_correlated(&e, run->network->batches);
    run->result->widest = fmax(run->result->widest, queue_network_width(&e));
    return e;
}

static double sum_of_classes(const struct run *run, const double *by_class)
{
    double sum = 0;
    for (unsigned r = 0; r < run->network->class_count; r++)
        sum += by_class[r];
    return sum;
}

static struct batch_term term_of(const struct run *run, const struct centre *c, size_t batch,
                                 enum queue_network_quantity quantity)
{
    const struct sums *s = &c->sums[batch];
    double length_s = run->lengths_s[batch];
    double number_s = sum_of_classes(run, s->number_s);
    bool queues = c->rules->servers > 0 || c->rules->speeds;
    switch (quantity) {
    case QUEUE_NETWORK_UTILISATION:
        return (struct batch_term){queues ? s->busy_s / c->servers : NAN, length_s};
    case QUEUE_NETWORK_N:
        return (struct batch_term){number_s, length_s};
    case QUEUE_NETWORK_N_Q:
        return (struct batch_term){queues ? number_s - s->busy_s : NAN, length_s};
    case QUEUE_NETWORK_W:
    case QUEUE_NETWORK_QUANTITIES:
        break;
    }
    return (struct batch_term){sum_of_classes(run, s->time_s), sum_of_classes(run, s->ended)};
}

static void estimate_centre(struct run *run, unsigned i)
{
    struct batch_term terms[QUEUE_LINE_MOST_BATCHES];
    const struct centre *c = &run->centres[i];
    size_t batches = run->network->batches;
    for (unsigned q = 0; q < QUEUE_NETWORK_QUANTITIES; q++) {
        for (size_t b = 0; b < batches; b++)
            terms[b] = term_of(run, c, b + 1, q);
        run->result->centre[i][q] = estimate(run, terms);
    }
    for (unsigned r = 0; r < run->network->class_count; r++) {
        for (size_t b = 0; b < batches; b++)
            terms[b] = (struct batch_term){c->sums[b + 1].number_s[r], run->lengths_s[b + 1]};
        run->result->number[i][r] = estimate(run, terms);
        for (size_t b = 0; b < batches; b++)
            terms[b] = (struct batch_term){c->sums[b + 1].time_s[r], c->sums[b + 1].ended[r]};
        run->result->time_s[i][r] = estimate(run, terms);
    }
}

/* All visits of a passage count, so that fewer passages say as much. */
static void estimate_throughput(struct run *run, unsigned r)
{
    struct batch_term terms[QUEUE_LINE_MOST_BATCHES];
    double visits = 0;
    for (unsigned i = 0; i < run->network->centre_count; i++)
        visits += run->network->classes[r].visits[i];
    for (size_t b = 0; b < run->network->batches; b++) {
        terms[b] = (struct batch_term){0, run->lengths_s[b + 1]};
        for (unsigned i = 0; i < run->network->centre_count; i++)
            terms[b].part += run->centres[i].sums[b + 1].ended[r] / visits;
    }
    run->result->throughput[r] = estimate(run, terms);
}

static void estimate_all(struct run *run)
{
    run->result->correlated = 0;
    run->result->widest = 0;
    for (unsigned i = 0; i < run->network->centre_count; i++)
        estimate_centre(run, i);
    for (unsigned r = 0; r < run->network->class_count; r++)
        estimate_throughput(run, r);
    run->result->warm_up_s = run->lengths_s[0];
    run->result->measured_s = 0;
    for (size_t b = 1; b <= run->network->batches; b++)
        run->result->measured_s += run->lengths_s[b];
}

/* --- the length of the run ------------------------------------------------------------------------------- */

static void sums_move(struct sums *to, struct sums *from)
{
    double *sums = (double *)to, *terms = (double *)from;
    for (size_t i = 0; i < sizeof *to / sizeof *sums; i++)
        sums[i] += terms[i];
    *from = (struct sums){.busy_s = 0};
}

/* Merge each pair of batches into one; the second half of the batches is still to come. */
static void merge_batches(struct run *run)
{
    size_t batches = run->network->batches;
    for (size_t b = 2; b <= batches; b++) {
        for (unsigned i = 0; i < run->network->centre_count; i++)
            sums_move(&run->centres[i].sums[(b + 1) / 2], &run->centres[i].sums[b]);
        run->lengths_s[(b + 1) / 2] += run->lengths_s[b];
        run->lengths_s[b] = 0;
    }
    run->batch = batches / 2 + 1;
    run->batch_services *= 2;
    run->next_end += run->batch_services / 2; /* end_batch() has added the former length */
}

/* After the last batch: go on with longer batches if the intervals are not narrow yet. */
static void end_run(struct run *run)
{
    const struct queue_network *n = run->network;
    double longer = (double)run->batch_services * n->batches * 2 + n->services * n->warm_up;
    estimate_all(run);
    if (n->until_width > 0 && run->result->widest > n->until_width && longer <= n->most_services)
        merge_batches(run);
    else
        run->over = true;
}

static void count_service(struct run *run)
{
    run->result->services++;
    if (run->result->services % PROGRESS_SERVICES == 0)
        progress_update(&run->progress, (double)run->result->services);
    if (run->over || run->result->services < run->next_end)
        return;
    end_batch(run);
    if (run->batch > run->network->batches)
        end_run(run);
}

/* --- customers ------------------------------------------------------------------------------------------- */

/* Come to a centre, and wait until a server is free. */
static void enter(struct customer *customer, struct centre *c)
{
    bring_up_to_date(customer->run, c);
    customer->came_s = c->date_s;
    c->customers++;
    c->inside[customer->class]++;
    if (c->busy < c->servers) {
        c->busy++;
        return;
    }
    customer->next = NULL;
    if (c->last)
        c->last->next = customer;
    else
        c->first = customer;
    c->last = customer;
    sg_sem_acquire(customer->bell); /* whoever leaves gives it the server */
}

static void leave(struct customer *customer, struct centre *c)
{
    bring_up_to_date(customer->run, c);
    struct sums *sums = &c->sums[customer->run->batch];
    sums->ended[customer->class]++;
    sums->time_s[customer->class] += c->date_s - customer->came_s;
    c->customers--;
    c->inside[customer->class]--;
    struct customer *next = c->first;
    if (!next) {
        c->busy--;
        return;
    }
    c->first = next->next;
    c->last = c->first ? c->last : NULL;
    sg_sem_release(next->bell);
}

static double speed_of(const struct queue_network_centre *rules, unsigned customers)
{
    return rules->speeds[customers < rules->speed_count ? customers - 1 : rules->speed_count - 1];
}

static void serve(struct centre *c)
{
    if (!c->rules->speeds) {
        sg_actor_sleep_for(queue_line_draw_service_s(&c->rules->service, c->random));
        return;
    }
    double mean_s = 1 / (c->rules->service.mu_per_s * c->greatest_speed);
    do
        sg_actor_sleep_for(gsl_ran_exponential(c->random, mean_s));
    while (gsl_rng_uniform(c->random) * c->greatest_speed >= speed_of(c->rules, c->customers));
}

static unsigned draw_next(struct run *run, unsigned class, unsigned from)
{
    const double *route = run->network->classes[class].route[from];
    double left = gsl_rng_uniform(run->routes[class]);
    unsigned to = 0, last = 0;
    for (; to < run->network->centre_count; to++) {
        if (route[to] > 0)
            last = to;
        left -= route[to];
        if (left < 0)
            return to;
    }
    return last; /* probabilities whose sum was rounded to less than 1 */
}

static unsigned first_centre(const struct queue_network *n, unsigned class)
{
    unsigned i = 0;
    while (i + 1 < n->centre_count && n->classes[class].visits[i] == 0)
        i++;
    return i;
}

static void customer_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct customer *customer = sg_actor_self_get_data();
    struct run *run = customer->run;
    unsigned at = first_centre(run->network, customer->class);
    while (!run->over) {
        struct centre *c = &run->centres[at];
        enter(customer, c);
        bool serves = !run->over;
        if (serves)
            serve(c);
        leave(customer, c);
        if (serves)
            count_service(run);
        at = draw_next(run, customer->class, at);
    }
}

/* --- the run --------------------------------------------------------------------------------------------- */

static gsl_rng *random_new(gsl_rng *seeds)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    if (random)
        gsl_rng_set(random, gsl_rng_get(seeds));
    return random;
}

static bool centre_init(struct run *run, unsigned i, gsl_rng *seeds)
{
    struct centre *c = &run->centres[i];
    c->rules = &run->network->centres[i];
    c->servers = c->rules->speeds ? 1 : c->rules->servers ? c->rules->servers : run->customer_count;
    for (unsigned k = 0; c->rules->speeds && k < c->rules->speed_count; k++)
        c->greatest_speed = fmax(c->greatest_speed, c->rules->speeds[k]);
    c->random = random_new(seeds);
    c->sums = calloc(run->network->batches + 2, sizeof *c->sums);
    return c->random && c->sums;
}

/* The generators' seeds are drawn by a generator that has the run's seed. */
static bool run_init(struct run *run)
{
    const struct queue_network *n = run->network;
    gsl_rng *seeds = gsl_rng_alloc(gsl_rng_mt19937);
    for (unsigned r = 0; r < n->class_count; r++)
        run->customer_count += n->classes[r].population;
    run->customers = calloc(run->customer_count, sizeof *run->customers);
    run->lengths_s = calloc(n->batches + 2, sizeof *run->lengths_s);
    bool made = seeds && run->customers && run->lengths_s;
    if (made)
        gsl_rng_set(seeds, n->seed);
    for (unsigned i = 0; made && i < n->centre_count; i++)
        made = centre_init(run, i, seeds);
    for (unsigned r = 0; made && r < n->class_count; r++)
        made = (run->routes[r] = random_new(seeds)) != NULL;
    if (seeds)
        gsl_rng_free(seeds);
    return made;
}

static void run_destroy(struct run *run)
{
    for (unsigned i = 0; i < run->network->centre_count; i++) {
        if (run->centres[i].random)
            gsl_rng_free(run->centres[i].random);
        free(run->centres[i].sums);
    }
    for (unsigned r = 0; r < run->network->class_count; r++)
        if (run->routes[r])
            gsl_rng_free(run->routes[r]);
    free(run->customers);
    free(run->lengths_s);
}

static void simulate(struct run *run)
{
    const struct queue_network *n = run->network;
    sg_host_t *hosts = sg_host_list(), host = hosts[0];
    free(hosts);
    unsigned count = 0;
    for (unsigned r = 0; r < n->class_count; r++)
        for (unsigned k = 0; k < n->classes[r].population; k++, count++) {
            run->customers[count] = (struct customer){.run = run, .class = r, .bell = sg_sem_init(0)};
            simgrid_engine_add_actor("customer", host, customer_actor, &run->customers[count]);
        }
    progress_begin(&run->progress, n->until_width > 0 ? "services at most" : "services",
                   n->until_width > 0 ? n->most_services : n->services, false);
    simgrid_run();
    progress_end(&run->progress);
    for (unsigned k = 0; k < count; k++)
        sg_sem_destroy(run->customers[k].bell);
}

int queue_network_run(const struct queue_network *n, struct queue_network_result *result, struct why *why)
{
    uint64_t warm_up = (uint64_t)(n->services * n->warm_up);
    struct run run = {
        .network = n,
        .result = result,
        .batch_services = (uint64_t)((n->services - (double)warm_up) / n->batches),
        .next_end = warm_up,
    };
    *result = (struct queue_network_result){.services = 0};
    int status = run_init(&run) ? 0 : QUEUE_NETWORK_EMEMORY;
    if (status == 0 && !simgrid_engine_start_one_host())
        status = QUEUE_NETWORK_EENGINE;
    if (status == 0) {
        simgrid_engine_make_stacks_small();
        simulate(&run);
    }
    run_destroy(&run);
    if (status == QUEUE_NETWORK_EENGINE)
        return why_say(why, status, "SimGrid's platform cannot be written");
    return status ? why_no_memory(why, status) : 0;
}
