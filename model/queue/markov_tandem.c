#include "model/queue/markov_tandem.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "model/model_error.h"

/* Places in the table of states: a state's code is its digits, and most codes are no state. */
enum { CODES_MAX = 1 << 24, SWEEPS_MAX = 20000 };

/* The sum of all changes of a sweep that ends the iteration. */
static const double SETTLED = 1e-14;

struct state {
    unsigned in[MARKOV_STAGES_MAX]; /* customers in each stage, those that it holds included */
    unsigned held[MARKOV_STAGES_MAX +
                  1]; /* customers before each stage who wait for a place; [0]: in the source */
};

struct flow {
    uint32_t from, to; /* numbers of states */
    double per_s;
};

struct chain {
    const struct markov_stage *stages;
    unsigned count;
    double lambda_per_s;
    bool blocks;
    uint32_t *number_of; /* per code: 1 + the number of its state; 0: not met yet */
    uint32_t *code_of;   /* per state */
    double *leaves;      /* per state: rate of all flows from it */
    size_t state_count;
    struct flow *flows;
    size_t flow_count, flow_room;
    int status;
};

/* --- states ---------------------------------------------------------------------------------------------- */

/* The greatest number of customers that stage i - 1, or the source, holds for stage i. */
static unsigned held_most(const struct chain *c, unsigned i)
{
    return !c->blocks ? 0 : i == 0 ? 1 : c->stages[i - 1].servers;
}

static uint64_t code_count(const struct chain *c)
{
    uint64_t codes = 1;
    for (unsigned i = 0; i < c->count && codes <= CODES_MAX; i++)
        codes *= ((uint64_t)c->stages[i].places + 1) * (held_most(c, i) + 1);
    return codes;
}

static uint32_t code(const struct chain *c, const struct state *s)
{
    uint32_t all = 0;
    for (unsigned i = c->count; i-- > 0;)
        all = (all * (c->stages[i].places + 1) + s->in[i]) * (held_most(c, i) + 1) + s->held[i];
    return all;
}

static struct state decode(const struct chain *c, uint32_t all)
{
    struct state s = {{0}, {0}};
    for (unsigned i = 0; i < c->count; i++) {
        s.held[i] = all % (held_most(c, i) + 1);
        all /= held_most(c, i) + 1;
        s.in[i] = all % (c->stages[i].places + 1);
        all /= c->stages[i].places + 1;
    }
    return s;
}

/* Servers of a stage that serve: some may hold a customer for the next one. */
static unsigned serving(const struct chain *c, const struct state *s, unsigned i)
{
    const unsigned busy = s->in[i] < c->stages[i].servers ? s->in[i] : c->stages[i].servers;
    return busy - (i + 1 < c->count ? s->held[i + 1] : 0);
}

/* A customer leaves a stage: one that is held for it comes in, which leaves a place in the stage before, and so on. */
static void leave(struct state *s, unsigned i)
{
    s->in[i]--;
    if (s->held[i] == 0)
        return;
    s->held[i]--;
    s->in[i]++;
    if (i > 0)
        leave(s, i - 1);
}

/* --- the generator --------------------------------------------------------------------------------------- */

static void add_flow(struct chain *c, size_t from, const struct state *to, double per_s)
{
    const uint32_t code_to = code(c, to);
    if (per_s == 0 || c->status)
        return;
    if (c->number_of[code_to] == 0 && c->state_count == MARKOV_STATES_MAX) {
        c->status = MODEL_ESTATES;
        return;
    }
    array_reserve(&c->flows, &c->flow_room, c->flow_count, 1, sizeof *c->flows);
    if (c->number_of[code_to] == 0) {
        c->code_of[c->state_count++] = code_to;
        c->number_of[code_to] = (uint32_t)c->state_count;
    }
    c->flows[c->flow_count++] = (struct flow){(uint32_t)from, c->number_of[code_to] - 1, per_s};
    c->leaves[from] += per_s;
}

static void add_arrival(struct chain *c, size_t from, struct state s)
{
    if (s.in[0] < c->stages[0].places)
        s.in[0]++;
    else if (c->blocks && s.held[0] == 0)
        s.held[0] = 1;
    else
        return;
    add_flow(c, from, &s, c->lambda_per_s);
}

static void add_service(struct chain *c, size_t from, const struct state *s, unsigned i)
{
    const double per_s = serving(c, s, i) * c->stages[i].mu_per_s;
    const double on = i + 1 < c->count ? c->stages[i].pass_fraction : 0;
    struct state left = *s, passed = *s;
    if (per_s == 0)
        return;
    leave(&left, i);
    add_flow(c, from, &left, per_s * (1 - on));
    if (on == 0)
        return;
    if (s->in[i + 1] < c->stages[i + 1].places) {
        passed.in[i + 1]++;
        leave(&passed, i);
    } else if (c->blocks) {
        passed.held[i + 1]++;
    } else {
        leave(&passed, i);
    }
    add_flow(c, from, &passed, per_s * on);
}

/* Meet all states, from the empty tandem on. */
static void make_flows(struct chain *c)
{
    c->number_of[0] = 1;
    c->code_of[0] = 0;
    c->state_count = 1;
    for (size_t from = 0; from < c->state_count && c->status == 0; from++) {
        const struct state s = decode(c, c->code_of[from]);
        if (s.held[0] == 0)
            add_arrival(c, from, s);
        for (unsigned i = 0; i < c->count; i++)
            add_service(c, from, &s, i);
    }
}

/* --- its balance ----------------------------------------------------------------------------------------- */

/* Set a state's probability by its balance. @return the change */
static double balance(const struct chain *c, const struct flow *flows, const size_t *begin, size_t state,
                      double *p)
{
    const double before = p[state];
    double in = 0;
    for (size_t i = begin[state]; i < begin[state + 1]; i++)
        in += p[flows[i].from] * flows[i].per_s;
    p[state] = in / c->leaves[state];
    return fabs(p[state] - before);
}

/* @param sorted  room for the flows in the order of the states to which they go  @param begin  room for a number more
 * than there are states */
static int solve(const struct chain *c, struct flow *sorted, size_t *begin, double *p)
{
    const size_t n = c->state_count;
    for (size_t i = 0; i < c->flow_count; i++)
        begin[c->flows[i].to + 1]++;
    for (size_t i = 0; i < n; i++)
        begin[i + 1] += begin[i];
    for (size_t i = c->flow_count; i-- > 0;)
        sorted[--begin[c->flows[i].to + 1]] = c->flows[i];
    memmove(begin, begin + 1, n * sizeof *begin);
    begin[n] = c->flow_count;
    for (size_t i = 0; i < n; i++)
        p[i] = 1 / (double)n;
    double changed = INFINITY;
    for (unsigned sweep = 0; sweep < SWEEPS_MAX && changed > SETTLED; sweep++) {
        double sum = 0;
        changed = 0;
        for (size_t i = 0; i < n; i++)
            balance(c, sorted, begin, i, p);
        for (size_t i = n; i-- > 0;)
            changed += balance(c, sorted, begin, i, p);
        for (size_t i = 0; i < n; i++)
            sum += p[i];
        for (size_t i = 0; i < n; i++)
            p[i] /= sum;
    }
    return changed <= SETTLED ? 0 : MODEL_ECONVERGE;
}

/* --- what is found --------------------------------------------------------------------------------------- */

static void find_stage(const struct chain *c, const double *p, unsigned i, struct markov_stage *stage)
{
    struct queue_result r = {.p_k = 0};
    double working = 0, outside = 0, before = c->lambda_per_s;
    for (unsigned n = 0; stage->p && n <= stage->places; n++)
        stage->p[n] = 0;
    for (size_t number = 0; number < c->state_count; number++) {
        const struct state s = decode(c, c->code_of[number]);
        if (stage->p)
            stage->p[s.in[i]] += p[number];
        r.p_0 += s.in[i] == 0 ? p[number] : 0;
        r.p_k += s.in[i] == stage->places ? p[number] : 0;
        r.n_g += s.in[i] * p[number];
        r.n_q += s.in[i] > stage->servers ? (s.in[i] - stage->servers) * p[number] : 0;
        working += serving(c, &s, i) * p[number];
        outside += s.held[i] > 0 ? p[number] : 0;
    }
    if (i > 0)
        before = stage[-1].found.lambda_per_s * stage[-1].pass_fraction;
    r.rho = working / stage->servers;
    r.lambda_per_s = working * stage->mu_per_s;
    r.lambda_offered_per_s = c->blocks ? r.lambda_per_s : before;
    r.rho_offered = r.lambda_offered_per_s / (stage->servers * stage->mu_per_s);
    r.w_g_s = r.n_g / r.lambda_per_s;
    r.w_q_s = r.n_q / r.lambda_per_s;
    r.p_bp = r.p_k;
    stage->found = r;
    stage->p_outside = outside;
}

static int check(double lambda_per_s, const struct markov_stage *stages, unsigned count)
{
    if (count < 1 || count > MARKOV_STAGES_MAX)
        return MODEL_ESTAGES;
    for (unsigned i = 0; i < count; i++) {
        const int status = queue_rates_check(lambda_per_s, stages[i].mu_per_s);
        if (status || stages[i].servers < 1 || stages[i].places < stages[i].servers)
            return status ? status : MODEL_ECAPACITY;
    }
    return lambda_per_s > 0 ? 0 : MODEL_EARRIVALS;
}

int markov_tandem_solve(double lambda_per_s, bool blocks, struct markov_stage *stages, unsigned count)
{
    struct chain c = {.stages = stages, .count = count, .lambda_per_s = lambda_per_s, .blocks = blocks};
    const int status = check(lambda_per_s, stages, count);
    const uint64_t codes = status ? 0 : code_count(&c);
    if (status || codes > CODES_MAX)
        return status ? status : MODEL_ESTATES;
    c.number_of = memory_new(codes, sizeof *c.number_of);
    c.code_of = memory_take(MARKOV_STATES_MAX * sizeof *c.code_of);
    c.leaves = memory_new(MARKOV_STATES_MAX, sizeof *c.leaves);
    make_flows(&c);
    auto_free struct flow *sorted = memory_take((c.flow_count + 1) * sizeof *sorted);
    auto_free size_t *begin = memory_new(c.state_count + 2, sizeof *begin);
    auto_free double *p = memory_take((c.state_count + 1) * sizeof *p);
    if (c.status == 0)
        c.status = solve(&c, sorted, begin, p);
    for (unsigned i = 0; i < count && c.status == 0; i++)
        find_stage(&c, p, i, &stages[i]);
    free(c.flows);
    free(c.leaves);
    free(c.code_of);
    free(c.number_of);
    return c.status;
}
