/* test_queue_routes.c - lines with everything that a stage can have, against a simulation of their own.
 *
 * Judge     an event list without actors, semaphores or SimGrid. It draws the same random numbers, so that it has to
 *           come to the same times and numbers, not to similar ones, on tables that are made at random.
 * One simulation a process: Check runs every test in a child.
 */
#include "sim/simgrid/queue_network.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "tests/assert_close.h"
#include "tests/run_suite.h"

enum { STAGES = 5, SERVERS = 3, ACTORS = STAGES * SERVERS + 1, QUEUE = 1 << 16, TIMES = 97, OUTPUTS = 7 };

/* --- the judge ------------------------------------------------------------------------------------------- */

enum doing { NOTHING, SERVING, MOVING, OUTSIDE, GONE };

/* The source, or a server. */
struct actor {
    enum doing doing;
    double date;       /* when it has served, or the source's next customer comes */
    double came;       /* its customer's date */
    unsigned at;       /* the stage that it serves */
    unsigned to, left; /* customers that it still has to bring to a stage */
    unsigned gates;    /* bits: the stages for whose places it waits */
};

struct judged {
    double came[QUEUE];
    unsigned number[QUEUE];
    size_t head, tail, inside, promised, serving, gated, time, output;
    unsigned outside[ACTORS], outside_count, idle[SERVERS], idle_count, packed;
    gsl_rng *random;
    double offered, lost, started, departed, wait, stay, n, n_q, busy, full, blocked;
};

struct judge {
    const struct queue_line *line;
    struct judged stage[STAGES];
    struct actor actor[ACTORS]; /* the source, then those of each stage */
    gsl_rng *random;
    size_t time;
    double now, end;
    unsigned came;
};

static unsigned port(const struct judge *j, unsigned i)
{
    return j->line->stages[i].on > 0 ? j->line->stages[i].on - 1 : i;
}

static bool has_no_place(const struct judge *j, unsigned i, unsigned margin)
{
    const struct queue_line_stage *s = &j->line->stages[i];
    return s->places > 0 && j->stage[i].inside + j->stage[i].promised + margin >= s->places;
}

static void choose_next(struct judge *j, unsigned number);
static void bring(struct judge *j, unsigned number);

/* A server that is woken looks around at once, before the one that woke it goes on. */
static void wake_server(struct judge *j, unsigned number)
{
    for (unsigned i = 0; i < STAGES; i++)
        j->stage[i].gated -= j->actor[number].gates >> i & 1;
    choose_next(j, number);
}

static void come_in(struct judge *j, unsigned i)
{
    struct judged *s = &j->stage[i];
    s->number[s->tail % QUEUE] = j->came++;
    s->came[s->tail++ % QUEUE] = j->now;
    s->inside++;
    struct judged *of = &j->stage[port(j, i)];
    if (of->idle_count > 0)
        wake_server(j, of->idle[--of->idle_count]);
}

static void choose_next(struct judge *j, unsigned number)
{
    struct actor *a = &j->actor[number];
    const unsigned of = (number - 1) / SERVERS, count = j->line->stage_count;
    int best = -1;
    a->gates = 0;
    for (unsigned i = 0; i < count; i++) {
        struct judged *s = &j->stage[i];
        if (port(j, i) != of || s->head == s->tail)
            continue;
        const uint32_t margin = i + 1 < count ? j->line->stages[i + 1].almost_full : 0;
        if (margin > 0 && has_no_place(j, i + 1, margin))
            a->gates |= 1U << (i + 1);
        else if (best < 0 || s->number[s->head % QUEUE] < j->stage[best].number[j->stage[best].head % QUEUE])
            best = (int)i;
    }
    if (best < 0) {
        a->doing = NOTHING;
        j->stage[of].idle[j->stage[of].idle_count++] = number;
        for (unsigned i = 0; i < STAGES; i++)
            j->stage[i].gated += a->gates >> i & 1;
        return;
    }
    const struct queue_line_stage *rules = &j->line->stages[best];
    struct judged *s = &j->stage[best];
    *a = (struct actor){.doing = SERVING, .at = (unsigned)best, .came = s->came[s->head++ % QUEUE]};
    a->date = j->now + rules->service.times[s->time++ % rules->service.count] / rules->mu_per_s;
    s->started++;
    s->wait += j->now - a->came;
    s->serving++;
}

static unsigned become(struct judge *j, unsigned to, gsl_rng *random)
{
    const double factor = j->line->stages[to].factor;
    if (factor < 1)
        return ++j->stage[to].packed % (unsigned)lround(1 / factor) == 0;
    return (unsigned)floor(factor) +
           (factor > floor(factor) && gsl_rng_uniform(random) < factor - floor(factor));
}

static void go_out(struct judge *j, unsigned number)
{
    struct actor *a = &j->actor[number];
    struct judged *s = &j->stage[a->at];
    s->departed++;
    s->stay += j->now - a->came;
    s->inside--;
    if (s->outside_count > 0) {
        const unsigned first = s->outside[0];
        s->promised++;
        if (j->actor[first].left == 1) /* those who came together enter together */
            memmove(s->outside, s->outside + 1, --s->outside_count * sizeof *s->outside);
        bring(j, first); /* as a server that is woken, before the one that woke it goes on */
    }
    if (a->at > 0 && s->gated > 0 && !has_no_place(j, a->at, j->line->stages[a->at].almost_full)) {
        struct judged *before = &j->stage[port(j, a->at - 1)];
        unsigned idle[SERVERS], count = before->idle_count;
        memcpy(idle, before->idle, sizeof idle);
        for (before->idle_count = 0; count > 0;)
            wake_server(j, idle[--count]);
    }
    choose_next(j, number);
}

/* The source's next customer; the time has been drawn already. */
static void let_come(struct judge *j, double wait)
{
    j->actor[0].doing = j->now + wait < j->end ? SERVING : GONE;
    j->actor[0].date = j->now + wait;
}

static double draw_arrival(struct judge *j)
{
    const struct queue_line *line = j->line;
    return line->arrivals.times[j->time++ % line->arrivals.count] * line->stages[0].factor /
           line->lambda_per_s;
}

static void bring(struct judge *j, unsigned number)
{
    struct actor *a = &j->actor[number];
    struct judged *to = &j->stage[a->to];
    if (a->doing == OUTSIDE) {
        to->promised--;
        come_in(j, a->to);
        a->left--;
    }
    a->doing = MOVING;
    for (; a->left > 0; a->left--) {
        to->offered++;
        if (!has_no_place(j, a->to, 0)) {
            come_in(j, a->to);
        } else if (j->line->overflow == OVERFLOW_LOSS) {
            to->lost++;
        } else {
            a->doing = OUTSIDE;
            if (to->outside_count == 0 || to->outside[0] != number)
                to->outside[to->outside_count++] = number;
            return;
        }
    }
    if (number > 0)
        go_out(j, number);
    else
        let_come(j, a->came); /* the source keeps its time there */
}

static void end_service(struct judge *j, unsigned number)
{
    struct actor *a = &j->actor[number];
    if (number == 0) {
        a->to = 0;
        a->left = become(j, 0, j->random);
        a->came = draw_arrival(j);
        bring(j, 0);
        return;
    }
    const struct queue_line_stage *rules = &j->line->stages[a->at];
    struct judged *s = &j->stage[a->at];
    const bool last = a->at + 1 == j->line->stage_count;
    s->serving--;
    a->to = last ? 0 : a->at + 1;
    if (rules->back_fraction > 0 && gsl_rng_uniform(s->random) < rules->back_fraction)
        a->to = rules->back_to, a->left = 1;
    else if (rules->outputs)
        a->left = last ? 0 : (unsigned)rules->outputs[s->output++ % rules->output_count];
    else if (last)
        a->left = 0;
    else
        a->left = rules->pass_fraction == 1 || gsl_rng_uniform(s->random) < rules->pass_fraction
                      ? become(j, a->to, s->random)
                      : 0;
    bring(j, number);
}

static void pass_time(struct judge *j, double until)
{
    const double time = until - j->now;
    for (unsigned i = 0; i < j->line->stage_count; i++) {
        struct judged *s = &j->stage[i];
        s->n += time * (double)s->inside;
        s->n_q += time * (double)(s->tail - s->head);
        s->busy += time * (double)s->serving / j->line->stages[i].servers;
        s->full += has_no_place(j, i, 0) ? time : 0;
        s->blocked += s->outside_count > 0 || s->gated > 0 ? time : 0;
    }
    j->now = until;
}

static void judge_line(struct judge *j)
{
    let_come(j, draw_arrival(j));
    for (unsigned i = 0; i < j->line->stage_count; i++)
        for (unsigned k = 0; k < j->line->stages[i].servers && port(j, i) == i; k++)
            choose_next(j, 1 + i * SERVERS + k);
    for (;;) {
        int first = -1;
        for (unsigned a = 0; a < ACTORS; a++)
            if (j->actor[a].doing == SERVING && (first < 0 || j->actor[a].date < j->actor[first].date))
                first = (int)a;
        if (first < 0 || j->actor[first].date >= j->end)
            break;
        pass_time(j, j->actor[first].date);
        end_service(j, (unsigned)first);
    }
    pass_time(j, j->end);
}

/* --- random tables --------------------------------------------------------------------------------------- */

static struct duration random_times(gsl_rng *random, double *times)
{
    double mean;
    for (unsigned i = 0; i < TIMES; i++)
        times[i] = gsl_ran_gamma(random, 2, 0.5);
    return duration_trace(times, TIMES, &mean);
}

static bool chance(gsl_rng *random, double probability)
{
    return gsl_rng_uniform(random) < probability;
}

struct table {
    struct queue_line line;
    double arrivals[TIMES], services[STAGES][TIMES], outputs[STAGES][OUTPUTS];
};

/* @param dense  many stages have margins, and share a server */
static void draw_stage(gsl_rng *random, struct table *t, unsigned i, bool dense)
{
    static const double factors[] = {1, 1, 2, 3.5, 0.5, 1.0 / 3};
    struct queue_line_stage *s = &t->line.stages[i];
    const bool listed = i > 0 && t->line.stages[i - 1].outputs;
    s->mu_per_s = 0.5 + gsl_rng_uniform(random);
    s->servers = dense ? 1 : 1 + (unsigned)gsl_rng_uniform_int(random, SERVERS);
    s->places = chance(random, 0.2) ? 0 : s->servers + (unsigned)gsl_rng_uniform_int(random, 8);
    s->factor = listed ? s->factor : factors[gsl_rng_uniform_int(random, 6)];
    s->pass_fraction = chance(random, 0.5) ? 0.6 : 1;
    s->service = random_times(random, t->services[i]);
    if (i > 0 && s->places > 1 && chance(random, dense ? 0.9 : 0.4))
        s->almost_full = 1 + (unsigned)gsl_rng_uniform_int(random, s->places - 1);
    if (i > 0 && chance(random, dense ? 0.7 : 0.4)) {
        const unsigned other = (unsigned)gsl_rng_uniform_int(random, i);
        struct queue_line_stage *port = &t->line.stages[other];
        if ((port->on == 0 || port->on == 1 + other) && port->servers == 1) {
            s->on = port->on = 1 + other;
            s->servers = 1;
        }
    }
    if (chance(random, 0.4)) {
        s->back_to = (unsigned)gsl_rng_uniform_int(random, i + 1);
        s->back_fraction = 0.3;
    }
    if (i + 1 < t->line.stage_count && chance(random, 0.3)) {
        double some = 0, sum = 0;
        for (unsigned k = 0; k < OUTPUTS; k++) {
            t->outputs[i][k] = (double)gsl_rng_uniform_int(random, 4);
            some += t->outputs[i][k] > 0;
            sum += t->outputs[i][k];
        }
        s->outputs = t->outputs[i];
        s->output_count = OUTPUTS;
        s->pass_fraction = some / OUTPUTS;
        s[1].factor = some > 0 ? sum / some : 1;
    }
}

/* Tables that cannot be simulated are drawn again. */
static void draw_table(gsl_rng *random, struct table *t, bool dense)
{
    struct why why;
    do {
        *t = (struct table){.line = queue_line_default()};
        t->line.lambda_per_s = 0.2 + gsl_rng_uniform(random);
        t->line.overflow = chance(random, 0.8) ? OVERFLOW_BLOCK : OVERFLOW_LOSS;
        t->line.stage_count = dense ? STAGES : 2 + (unsigned)gsl_rng_uniform_int(random, STAGES - 1);
        t->line.arrivals = random_times(random, t->arrivals);
        t->line.run = (struct queue_run){.customers = 3000,
                                         .most_customers = 3000,
                                         .batches = 10,
                                         .seed = 1 + gsl_rng_uniform_int(random, 1000)};
        for (unsigned i = 0; i < t->line.stage_count; i++)
            draw_stage(random, t, i, dense);
    } while (queue_line_check(&t->line, &why) != 0);
}

static void seed_judge(struct judge *j)
{
    gsl_rng *seeds = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(seeds, j->line->run.seed);
    j->random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(j->random, gsl_rng_get(seeds));
    for (unsigned i = 0; i < j->line->stage_count; i++) {
        j->stage[i].random = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(j->stage[i].random, gsl_rng_get(seeds));
    }
    gsl_rng_free(seeds);
}

static void assert_same(const struct judge *j, unsigned i, const double *measured)
{
    const struct judged *s = &j->stage[i];
    const double expected[QUEUE_LINE_QUANTITIES] = {
        [QUEUE_LINE_OFFERED] = s->offered / j->end,  [QUEUE_LINE_THROUGHPUT] = s->departed / j->end,
        [QUEUE_LINE_UTILISATION] = s->busy / j->end, [QUEUE_LINE_N] = s->n / j->end,
        [QUEUE_LINE_N_Q] = s->n_q / j->end,          [QUEUE_LINE_W_Q] = s->wait / s->started,
        [QUEUE_LINE_W] = s->stay / s->departed,      [QUEUE_LINE_LOSS] = s->lost / s->offered,
        [QUEUE_LINE_FULL] = s->full / j->end,        [QUEUE_LINE_BLOCKING] = s->blocked / j->end,
    };
    for (unsigned q = 0; q < QUEUE_LINE_QUANTITIES; q++)
        ck_assert_msg((isnan(expected[q]) && isnan(measured[q])) ||
                          fabs(measured[q] - expected[q]) <= 1e-7 * (fabs(expected[q]) + 1e-3),
                      "stage %u of %u, %s: %.12g, the judge has %.12g", i + 1, j->line->stage_count,
                      queue_line_quantities[q].name, measured[q], expected[q]);
}

START_TEST(test_as_the_judge_says)
{
    static struct table t;
    static struct judge j;
    static struct queue_line_result result;
    struct why why;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, 1000 + (unsigned)_i);
    draw_table(random, &t, _i % 2);
    j.line = &t.line;
    j.end = t.line.run.customers / t.line.lambda_per_s;
    seed_judge(&j);
    judge_line(&j);

    ck_assert_int_eq(queue_line_run(&t.line, &result, &why), 0);
    for (unsigned i = 0; i < t.line.stage_count; i++)
        assert_same(&j, i, result.measured[i]);
    free(result.frames);
    for (unsigned i = 0; i < t.line.stage_count; i++)
        gsl_rng_free(j.stage[i].random);
    gsl_rng_free(j.random);
    gsl_rng_free(random);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queue_routes");
    TCase *tcase = tcase_create("judge");
    tcase_add_loop_test(tcase, test_as_the_judge_says, 0, tests_some(60));
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
