#include "sim/queue_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "sim/progress.h"
#include "sim/simgrid_engine.h"

enum { PROGRESS_CUSTOMERS = 100000 }; /* between two looks at the clock on the wall */

/* --- what is asked for ----------------------------------------------------------------------------------- */

#define CUSTOMERS_LEAST    1000
#define CUSTOMERS_MOST     1e9
#define CUSTOMERS_A_BATCH  20
#define PLACES_MOST        1000000
#define ARRIVAL_BATCH_MOST 10000
#define RATE_LEAST         1e-6
#define RATE_MOST          1e6
#define LONG_RATIO_MOST    1e6
#define WARM_UP_MOST       0.9
#define DATE_RESOLUTION    0x1p-52
#define SERVICE_RESOLUTION 1e-6 /* of the last date, as a part of the shortest mean time */

struct queue_line queue_line_default(void)
{
    return (struct queue_line){
        .lambda_per_s = 0.5,
        .batch = 1,
        .stage_count = 1,
        .stages = {{.mu_per_s = 1}},
        .customers = 200000,
        .warm_up = 0.1,
        .batches = 30,
        .seed = 1,
    };
}

static int refuse(char *why, size_t why_size, const char *what, double value, const char *expected)
{
    snprintf(why, why_size, "%s %g: expected %s", what, value, expected);
    return QUEUE_LINE_ERANGE;
}

static bool is_within(double value, double least, double most)
{
    return value >= least && value <= most;
}

static int check_run(const struct queue_line *t, char *why, size_t why_size)
{
    if (!is_within(t->lambda_per_s, RATE_LEAST, RATE_MOST))
        return refuse(why, why_size, "lambda", t->lambda_per_s, "1e-6 to 1e6 customers a second");
    if (t->batch < 1 || t->batch > ARRIVAL_BATCH_MOST)
        return refuse(why, why_size, "batch", t->batch, "1 to 10000 customers that come together");
    if (!is_within(t->customers, CUSTOMERS_LEAST, CUSTOMERS_MOST))
        return refuse(why, why_size, "customers", t->customers, "1000 to 1e9");
    if (!is_within(t->warm_up, 0, WARM_UP_MOST))
        return refuse(why, why_size, "warm-up", t->warm_up, "a fraction of the run from 0 to 0.9");
    if (t->batches < QUEUE_LINE_LEAST_BATCHES || t->batches > QUEUE_LINE_MOST_BATCHES)
        return refuse(why, why_size, "batches", t->batches, "10 to 1000");
    if (t->customers * (1 - t->warm_up) < CUSTOMERS_A_BATCH * (double)t->batches)
        return refuse(why, why_size, "batches", t->batches,
                      "at least 20 customers in each, behind the warm-up");
    return 0;
}

static int check_stage(const struct queue_line_stage *s, char *why, size_t why_size)
{
    if (!is_within(s->mu_per_s, RATE_LEAST, RATE_MOST))
        return refuse(why, why_size, "mu", s->mu_per_s, "1e-6 to 1e6 services a second");
    if (s->places > PLACES_MOST)
        return refuse(why, why_size, "capacity", s->places, "0 (unbounded) to 1000000 places");
    if (s->service != SERVICE_MIXTURE)
        return 0;
    if (!is_within(s->long_fraction, 0, 1))
        return refuse(why, why_size, "mixture", s->long_fraction, "a fraction of long services from 0 to 1");
    if (!is_within(s->long_ratio, 1, LONG_RATIO_MOST))
        return refuse(why, why_size, "mixture", s->long_ratio,
                      "long services 1 to 1e6 times as long as short ones");
    return 0;
}

static int check_resolution(const struct queue_line *t, char *why, size_t why_size)
{
    double shortest_s = 1 / t->lambda_per_s;
    for (unsigned i = 0; i < t->stage_count; i++)
        shortest_s = fmin(shortest_s, 1 / t->stages[i].mu_per_s);
    double end_s = t->customers / t->lambda_per_s;
    if (end_s * DATE_RESOLUTION <= SERVICE_RESOLUTION * shortest_s)
        return 0;
    snprintf(why, why_size,
             "a run of %g s is too long to tell services of %g s apart: fewer customers, or rates nearer to "
             "each other",
             end_s, shortest_s);
    return QUEUE_LINE_ERANGE;
}

/* What no stage before it can pass on does not come. */
static int check_steady(const struct queue_line *t, char *why, size_t why_size)
{
    double inflow_per_s = t->lambda_per_s;
    for (unsigned i = 0; i < t->stage_count; i++) {
        double mu_per_s = t->stages[i].mu_per_s;
        if (t->stages[i].places == 0 && inflow_per_s >= mu_per_s) {
            snprintf(
                why, why_size,
                "stage %u has no steady state: %g customers a second come, %g can be served; bound it with a "
                "capacity",
                i + 1, inflow_per_s, mu_per_s);
            return QUEUE_LINE_ERANGE;
        }
        inflow_per_s = fmin(inflow_per_s, mu_per_s);
    }
    return 0;
}

int queue_line_check(const struct queue_line *t, char *why, size_t why_size)
{
    if (t->stage_count < 1 || t->stage_count > QUEUE_LINE_STAGES_MAX)
        return refuse(why, why_size, "stages", t->stage_count, "1 to 16");
    int status = check_run(t, why, why_size);
    for (unsigned i = 0; status == 0 && i < t->stage_count; i++)
        status = check_stage(&t->stages[i], why, why_size);
    if (status == 0)
        status = check_resolution(t, why, why_size);
    return status ? status : check_steady(t, why, why_size);
}

static const struct {
    const char *name, *unit;
} quantities[QUEUE_LINE_QUANTITIES] = {
    [QUEUE_LINE_OFFERED] = {"offered", "1/s"},
    [QUEUE_LINE_THROUGHPUT] = {"throughput", "1/s"},
    [QUEUE_LINE_UTILISATION] = {"rho", "1"},
    [QUEUE_LINE_N] = {"N_G", "customers"},
    [QUEUE_LINE_N_Q] = {"N_Q", "customers"},
    [QUEUE_LINE_W_Q] = {"W_Q", "s"},
    [QUEUE_LINE_W] = {"W_G", "s"},
    [QUEUE_LINE_LOSS] = {"loss", "1"},
    [QUEUE_LINE_FULL] = {"P_BP", "1"},
    [QUEUE_LINE_BLOCKING] = {"blocking", "1"},
};

const char *queue_line_quantity_name(enum queue_line_quantity quantity)
{
    return quantities[quantity].name;
}

const char *queue_line_quantity_unit(enum queue_line_quantity quantity)
{
    return quantities[quantity].unit;
}

/* --- stages ---------------------------------------------------------------------------------------------- */

/* What happened in a batch. */
struct sums {
    double offered, lost, started, departed;                 /* customers */
    double wait_s, time_s;                                   /* of those started, of those departed */
    double busy_s, full_s, blocking_s, number_s, in_queue_s; /* time integrals */
};

struct run;

struct stage {
    struct run *run;
    const struct queue_line_stage *rules;
    struct stage *next; /* NULL: the last */
    gsl_rng *random;
    double short_s, long_s; /* mixture */

    double *came; /* dates of those inside, a ring: came[head] .. */
    size_t room, head, inside;
    bool serving, holding; /* its first customer */
    bool no_more;          /* nobody comes any more */
    bool idle;             /* its actor waits for a customer */
    sg_sem_t bell;         /* its actor waits for it, be it for a customer or for room in the next stage */
    sg_sem_t outside;      /* bell of who waits for a place, or NULL */

    double date_s;     /* up to which it is in the sums */
    size_t batch;      /* of that date; 0 is the warm-up, the last one what comes behind the end */
    struct sums *sums; /* by batch */
};

struct run {
    const struct queue_line *tandem;
    struct queue_line_result *result;
    struct stage stages[QUEUE_LINE_STAGES_MAX];
    gsl_rng *random; /* the source's */
    sg_sem_t source_bell;
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
    return s->rules->places > 0 && s->inside >= s->rules->places;
}

static void add_time(struct stage *s, double time_s)
{
    struct sums *sums = &s->sums[s->batch];
    bool at_server = s->serving || s->holding;
    sums->number_s += (double)s->inside * time_s;
    sums->in_queue_s += (double)(s->inside - at_server) * time_s;
    sums->busy_s += s->serving ? time_s : 0;
    sums->full_s += is_full(s) ? time_s : 0;
    sums->blocking_s += s->outside ? time_s : 0;
}

/* The stage has been as it is from its date until now. @return the sums of this moment */
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
    if (s->inside < s->room)
        return true;
    size_t room = 2 * s->room + 64;
    double *came = malloc(room * sizeof *came);
    if (!came)
        return false;
    for (size_t i = 0; i < s->inside; i++)
        came[i] = s->came[(s->head + i) % s->room];
    free(s->came);
    s->came = came;
    s->room = room;
    s->head = 0;
    return true;
}

static void ring(struct stage *s)
{
    if (!s->idle)
        return;
    s->idle = false;
    sg_sem_release(s->bell);
}

/* A customer has a place; the stage is up to date. */
static void enter(struct stage *s)
{
    if (!make_room(s)) {
        s->run->out_of_memory = true;
        s->run->result->lost++;
        return;
    }
    size_t place = s->head + s->inside;
    s->came[place < s->room ? place : place - s->room] = s->date_s;
    s->inside++;
    ring(s);
}

/* A customer comes to the stage's door; its bearer waits at `bell` where it has to. */
static void arrive(struct stage *s, sg_sem_t bell)
{
    struct sums *sums = bring_up_to_date(s);
    sums->offered++;
    if (!is_full(s)) {
        enter(s);
    } else if (s->run->tandem->overflow == OVERFLOW_LOSS) {
        sums->lost++;
        s->run->result->lost++;
    } else {
        s->outside = bell;
        sg_sem_acquire(bell);
        bring_up_to_date(s);
        enter(s);
    }
}

/* The first customer leaves. */
static void leave(struct stage *s)
{
    struct sums *sums = bring_up_to_date(s);
    sums->departed++;
    sums->time_s += s->date_s - s->came[s->head];
    s->holding = false;
    s->head = s->head + 1 < s->room ? s->head + 1 : 0;
    s->inside--;
    sg_sem_t outside = s->outside;
    s->outside = NULL;
    if (outside)
        sg_sem_release(outside);
}

/* --- actors ---------------------------------------------------------------------------------------------- */

static double draw_service_s(const struct stage *s)
{
    switch (s->rules->service) {
    case SERVICE_EXPONENTIAL:
        return gsl_ran_exponential(s->random, 1 / s->rules->mu_per_s);
    case SERVICE_MIXTURE:
        return gsl_rng_uniform(s->random) < s->rules->long_fraction ? s->long_s : s->short_s;
    case SERVICE_DETERMINISTIC:
        break;
    }
    return 1 / s->rules->mu_per_s;
}

static void serve(struct stage *s)
{
    struct sums *sums = bring_up_to_date(s);
    sums->started++;
    sums->wait_s += s->date_s - s->came[s->head];
    s->serving = true;
    sg_actor_sleep_for(draw_service_s(s));
    bring_up_to_date(s);
    s->serving = false;
    s->holding = true;
}

static void stage_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct stage *s = sg_actor_self_get_data();
    while (s->inside > 0 || !s->no_more) {
        if (s->inside == 0) {
            s->idle = true;
            sg_sem_acquire(s->bell);
            continue;
        }
        serve(s);
        if (s->next)
            arrive(s->next, s->bell);
        else
            s->run->result->departed++;
        leave(s);
    }
    if (s->next) {
        s->next->no_more = true;
        ring(s->next);
    }
}

static double draw_interarrival_s(const struct run *run)
{
    double mean_s = run->tandem->batch / run->tandem->lambda_per_s;
    return run->tandem->arrivals == ARRIVALS_DETERMINISTIC ? mean_s
                                                           : gsl_ran_exponential(run->random, mean_s);
}

static void show_progress(struct run *run, uint64_t arrived)
{
    if (arrived / PROGRESS_CUSTOMERS != (arrived - run->tandem->batch) / PROGRESS_CUSTOMERS)
        progress_update(&run->progress, simgrid_get_clock());
}

static void source_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct run *run = sg_actor_self_get_data();
    struct stage *first = &run->stages[0];
    for (;;) {
        double wait_s = draw_interarrival_s(run);
        if (simgrid_get_clock() + wait_s >= run->end_s)
            break;
        sg_actor_sleep_for(wait_s);
        run->result->arrived += run->tandem->batch;
        show_progress(run, run->result->arrived);
        for (uint32_t i = 0; i < run->tandem->batch; i++)
            arrive(first, run->source_bell);
    }
    sg_actor_sleep_until(run->end_s);
    first->no_more = true;
    ring(first);
}

/* --- the run --------------------------------------------------------------------------------------------- */

static bool stage_init(struct run *run, unsigned i, unsigned long seed)
{
    const struct queue_line_stage *rules = &run->tandem->stages[i];
    struct stage *s = &run->stages[i];
    double short_s = 1 / (rules->mu_per_s * (1 + rules->long_fraction * (rules->long_ratio - 1)));
    *s = (struct stage){
        .run = run,
        .rules = rules,
        .next = i + 1 < run->tandem->stage_count ? s + 1 : NULL,
        .random = gsl_rng_alloc(gsl_rng_mt19937),
        .short_s = short_s,
        .long_s = short_s * rules->long_ratio,
        .sums = calloc(run->tandem->batches + 2, sizeof *s->sums),
    };
    if (!s->random || !s->sums)
        return false;
    gsl_rng_set(s->random, seed);
    return true;
}

/* Seeds of the generators are drawn by one that has the run's. */
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
        free(s->came);
        free(s->sums);
    }
    if (run->random)
        gsl_rng_free(run->random);
}

static void simulate(struct run *run)
{
    sg_host_t *hosts = sg_host_list(), host = hosts[0];
    free(hosts);
    run->source_bell = sg_sem_init(0);
    simgrid_engine_add_actor("source", host, source_actor, run);
    for (unsigned i = 0; i < run->tandem->stage_count; i++) {
        run->stages[i].bell = sg_sem_init(0);
        simgrid_engine_add_actor("stage", host, stage_actor, &run->stages[i]);
    }
    progress_begin(&run->progress, "simulated seconds", run->end_s, false);
    simgrid_run();
    progress_end(&run->progress);
    for (unsigned i = 0; i < run->tandem->stage_count; i++) {
        bring_up_to_date(&run->stages[i]);
        sg_sem_destroy(run->stages[i].bell);
    }
    sg_sem_destroy(run->source_bell);
}

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

static void estimate_stage(const struct run *run, const struct stage *s, struct estimate *estimates)
{
    struct batch_term terms[QUEUE_LINE_MOST_BATCHES];
    size_t batches = run->tandem->batches;
    for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++) {
        for (size_t batch = 0; batch < batches; batch++)
            terms[batch] = term_of(&s->sums[batch + 1], q, run->batch_s);
        estimates[q] = batch_means(terms, batches);
        run->result->correlated += batch_means_are_correlated(&estimates[q], batches);
    }
}

int queue_line_run(const struct queue_line *t, struct queue_line_result *result, char *why, size_t why_size)
{
    double end_s = t->customers / t->lambda_per_s;
    struct run run = {
        .tandem = t,
        .result = result,
        .warm_up_s = end_s * t->warm_up,
        .batch_s = end_s * (1 - t->warm_up) / t->batches,
        .end_s = end_s,
    };
    *result = (struct queue_line_result){.batch_s = run.batch_s, .warm_up_s = run.warm_up_s};
    int status = run_init(&run) ? 0 : QUEUE_LINE_EMEMORY;
    if (status == 0 && !simgrid_engine_start_one_host())
        status = QUEUE_LINE_EENGINE;
    if (status == 0) {
        simulate(&run);
        for (unsigned i = 0; i < t->stage_count; i++)
            estimate_stage(&run, &run.stages[i], result->stage[i]);
        status = run.out_of_memory ? QUEUE_LINE_EMEMORY : 0;
    }
    run_destroy(&run);
    if (status)
        snprintf(why, why_size,
                 status == QUEUE_LINE_EMEMORY ? "out of memory" : "SimGrid's platform cannot be written");
    return status;
}
