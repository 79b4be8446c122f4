#include "sim/simgrid/script_actors.h"

#include <alloca.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <simgrid/barrier.h>

#include "base/memory.h"
#include "sim/simgrid/simgrid_engine.h"

enum { AHEAD = 4 /* pieces that may arrive before a CPU has computed an earlier one */ };

/* What a step waits for: the step before it. Producers and consumers are matched in pairs, pair i being of producer
 * i * producers / pairs and of consumer i * consumers / pairs. If one of the steps has other members in each round, a
 * relay waits for all producers, and then tells all consumers. */
struct edge {
    unsigned from, to; /* steps */
    bool piecewise;    /* in one group: every piece; otherwise once a round */
    bool relayed;
    uint32_t pairs;
    sg_sem_t *ready; /* by pair; relayed: by producer */
    sg_sem_t *told;  /* relayed: by consumer */
};

struct run {
    const struct estimate_program *program;
    struct edge edges[ESTIMATE_STATEMENTS_MAX]; /* by the step that waits; without pairs: it does not */
    sg_sem_t *credits[ESTIMATE_STATEMENTS_MAX]; /* of a transfer to a CPU, by flow: pieces that may come */
    sg_sem_t *disks[ESTIMATE_RESOURCES_MAX];    /* of a linkset's disks: 1 if one neither seeks nor reads */
    sg_sem_t *arrived[ESTIMATE_STATEMENTS_MAX]; /* of one that the CPU waits for, by flow */
    sg_bar_t barrier;
    unsigned actors, ended;
};

/* A chain computes what one member would of `parallel` data, beside the members, who share this work. */
enum role { FLOW, MEMBER, CHAIN, RELAY };

struct actor {
    struct run *run;
    enum role role;
    unsigned of;   /* step of a flow, chain or relay; nodeset of a member */
    uint32_t unit; /* flow, or member */
    unsigned number;
    sg_host_t from, to; /* of a flow that moves something */
};

/* --- who takes part -------------------------------------------------------------------------------------- */

static bool is_active(const struct run *r, unsigned step, const struct estimate_round *round, uint32_t unit)
{
    const struct estimate_step *s = &r->program->steps[step];
    return s->is_dealt || estimate_unit_amount(r->program, s, round, unit).active > 0;
}

/* The first of `total` that belongs to a unit. */
static uint64_t first_of(uint64_t unit, uint64_t units, uint64_t total)
{
    return (unit * total + units - 1) / units;
}

/* --- waiting for each other ------------------------------------------------------------------------------ */

/* A producer tells, or a consumer waits for, all on the other side of an edge that take part and are paired with it. */
static void meet(const struct run *r, const struct edge *e, const struct estimate_round *round, uint32_t unit,
                 bool produces)
{
    const unsigned own = produces ? e->from : e->to, other = produces ? e->to : e->from;
    const uint32_t units = r->program->steps[own].units, others = r->program->steps[other].units;
    const uint64_t end = first_of(unit + 1, units, e->pairs);
    for (uint64_t i = first_of(unit, units, e->pairs); i < end; i++) {
        if (!is_active(r, other, round, (uint32_t)(i * others / e->pairs)))
            continue;
        if (produces)
            sg_sem_release(e->ready[i]);
        else
            sg_sem_acquire(e->ready[i]);
    }
}

static void wait_for_input(const struct run *r, unsigned step, const struct estimate_round *round,
                           uint32_t unit, unsigned piece)
{
    const struct edge *e = &r->edges[step];
    if (e->pairs == 0 || (piece > 0 && !e->piecewise))
        return;
    if (e->relayed)
        sg_sem_acquire(e->told[unit]);
    else
        meet(r, e, round, unit, false);
}

static void tell_all(const struct run *r, unsigned step, const struct estimate_round *round, uint32_t unit,
                     unsigned piece, unsigned pieces)
{
    for (unsigned i = step + 1; i < r->program->step_count; i++) {
        const struct edge *e = &r->edges[i];
        if (e->pairs == 0 || e->from != step || (!e->piecewise && piece + 1 < pieces))
            continue;
        if (e->relayed)
            sg_sem_release(e->ready[unit]);
        else
            meet(r, e, round, unit, true);
    }
}

static void relay(const struct run *r, unsigned step, const struct estimate_round *round)
{
    const struct edge *e = &r->edges[step];
    for (uint32_t i = 0; i < r->program->steps[e->from].units; i++)
        if (is_active(r, e->from, round, i))
            sg_sem_acquire(e->ready[i]);
    for (uint32_t i = 0; i < r->program->steps[step].units; i++)
        if (is_active(r, step, round, i))
            sg_sem_release(e->told[i]);
}

/* --- flows ----------------------------------------------------------------------------------------------- */

static uint32_t end_of_flow(const struct estimate_program *p, const struct estimate_step *s, uint32_t flow,
                            bool to)
{
    uint64_t members = p->members[to ? s->statement->to : s->from];
    return s->from == s->statement->to ? (flow + to) % s->units : (uint32_t)(flow * members / s->units);
}

/* SimGrid moves whole bytes: what a piece lacks comes with a later one. */
static double bytes_of_piece(double bytes, unsigned piece, unsigned pieces)
{
    double begin = (double)(uint64_t)(bytes * piece / pieces),
           end = (double)(uint64_t)(bytes * (piece + 1) / pieces);
    return end - begin;
}

/* What a flow has for itself while it seeks and reads a piece; NULL if it does not seek. */
static sg_sem_t disk_of(const struct run *r, const struct estimate_step *s, uint32_t flow)
{
    if (s->seek_s <= 0 || s->seeks_hop == ESTIMATE_HOPS_MAX)
        return NULL;
    const struct estimate_hop *hop = &s->hops[s->seeks_hop];
    return r->disks[hop->resource][estimate_hop_member(r->program, s, hop, flow)];
}

static void flow_group(struct actor *a, const struct estimate_group *g, const struct estimate_round *round)
{
    struct run *r = a->run;
    const struct estimate_step *s = &r->program->steps[a->of];
    struct estimate_amount amount = estimate_unit_amount(r->program, s, round, a->unit);
    if (amount.active == 0)
        return;
    const double seeks_s = estimate_seeks_s(s, amount.work) / fmax(g->pieces - 1.0, 1);
    const bool is_idle = s->bytes > 0 && amount.work == 0; /* its share is less than a unit: it has none */
    sg_sem_t disk = is_idle ? NULL : disk_of(r, s, a->unit);
    for (unsigned k = 0; k < g->pieces; k++) {
        double bytes = bytes_of_piece(amount.work, k, g->pieces);
        wait_for_input(r, a->of, round, a->unit, k);
        if (r->credits[a->of])
            sg_sem_acquire(r->credits[a->of][a->unit]);
        const double wait_s =
            is_idle ? 0 : (k == 0 ? s->latency_s : 0) + (k > 0 || g->pieces == 1 ? seeks_s : 0);
        if (disk)
            sg_sem_acquire(disk);
        if (wait_s > 0)
            sg_actor_sleep_for(wait_s);
        if (bytes > 0 && s->hop_count > 0)
            sg_host_sendto(a->from, a->to, bytes);
        if (disk)
            sg_sem_release(disk);
        tell_all(r, a->of, round, a->unit, k, g->pieces);
    }
    if (r->arrived[a->of])
        sg_sem_release(r->arrived[a->of][a->unit]);
}

/* --- members that compute -------------------------------------------------------------------------------- */

/* Let pieces of all active flows to a member come, for steps of a group. @param pieces  0: wait for all that come */
static void attend(const struct actor *a, const struct estimate_group *g, const struct estimate_round *round,
                   unsigned pieces)
{
    const struct run *r = a->run;
    const uint32_t members = r->program->members[a->of];
    for (unsigned i = g->first; i < g->first + g->count; i++) {
        const struct estimate_step *s = &r->program->steps[i];
        sg_sem_t *semaphores = pieces > 0 ? r->credits[i] : r->arrived[i];
        if (!semaphores || s->statement->to != (int)a->of)
            continue;
        const uint64_t end = first_of(a->unit + 1, members, s->units);
        for (uint64_t flow = first_of(a->unit, members, s->units); flow < end; flow++) {
            if (!is_active(r, i, round, (uint32_t)flow))
                continue;
            if (pieces == 0)
                sg_sem_acquire(semaphores[flow]);
            for (unsigned k = 0; k < pieces; k++)
                sg_sem_release(semaphores[flow]);
        }
    }
}

/* Compute a piece of a step, if the member or chain takes part. */
static void compute_step(const struct run *r, unsigned step, const struct estimate_group *g,
                         const struct estimate_round *round, uint32_t unit, unsigned piece)
{
    struct estimate_amount amount = estimate_unit_amount(r->program, &r->program->steps[step], round, unit);
    if (amount.active == 0)
        return;
    wait_for_input(r, step, round, unit, piece);
    if (amount.work > 0)
        sg_actor_sleep_for(amount.work / g->pieces);
    tell_all(r, step, round, unit, piece, g->pieces);
}

/* Compute a piece of all steps of a group that are this member's. */
static void compute_piece(struct actor *a, const struct estimate_group *g, const struct estimate_round *round,
                          unsigned piece)
{
    struct run *r = a->run;
    for (unsigned i = g->first; i < g->first + g->count; i++) {
        const struct estimate_step *s = &r->program->steps[i];
        if (s->verb != ESTIMATE_COMPUTE || s->statement->to != (int)a->of)
            continue;
        if (s->parallel > 0)
            sg_actor_sleep_for(estimate_unit_share_s(r->program, s, round, a->unit));
        else
            compute_step(r, i, g, round, a->unit, piece);
    }
}

static bool computes(const struct actor *a, const struct estimate_group *g,
                     const struct estimate_round *round)
{
    for (unsigned i = g->first; i < g->first + g->count; i++) {
        const struct estimate_step *s = &a->run->program->steps[i];
        if (s->verb == ESTIMATE_COMPUTE && s->statement->to == (int)a->of &&
            (s->parallel > 0 || is_active(a->run, i, round, a->unit)))
            return true;
    }
    return false;
}

/* Actors are many, and take turns: what each has on its stack is small, so that processors can keep it. */
static void member_group(struct actor *a, const struct estimate_group *g, const struct estimate_round *round)
{
    bool any = computes(a, g, round);
    attend(a, g, round, !any || g->pieces < AHEAD ? g->pieces : AHEAD);
    for (unsigned k = 0; k < g->pieces && any; k++) {
        compute_piece(a, g, round, k);
        if (k + AHEAD < g->pieces)
            attend(a, g, round, 1);
    }
    attend(a, g, round, 0);
}

/* --- actors ---------------------------------------------------------------------------------------------- */

static void do_group(void *actor, const struct estimate_group *g, const struct estimate_round *round)
{
    struct actor *a = actor;
    if (!g)
        sg_barrier_wait(a->run->barrier);
    else if (a->role == MEMBER)
        member_group(a, g, round);
    else if (a->of < g->first || a->of >= g->first + g->count)
        return;
    else if (a->role == FLOW)
        flow_group(a, g, round);
    else if (a->role == CHAIN)
        compute_step(a->run, a->of, g, round, a->unit, 0);
    else
        relay(a->run, a->of, round);
}

/* Stacks are all aligned alike: without an offset of its own, what the actors use of theirs would compete for a few
 * places of the processor's caches. */
static void act(int argc, char **argv)
{
    (void)argc, (void)argv;
    auto_free struct actor *a = sg_actor_self_get_data();
    volatile char *offset = alloca((size_t)64 * (1 + a->number % 64));
    *offset = 0;
    estimate_program_walk(a->run->program, do_group, a);
    a->run->ended++;
}

/* --- the platform ---------------------------------------------------------------------------------------- */

/* Whether a step moves something over resources. */
static bool is_transfer(const struct estimate_step *s)
{
    return s->verb != ESTIMATE_COMPUTE && s->hop_count > 0;
}

static bool is_end(const struct estimate_program *p, unsigned nodeset)
{
    bool is = false;
    for (unsigned i = 0; i < p->step_count; i++)
        is |= is_transfer(&p->steps[i]) &&
              (p->steps[i].from == (int)nodeset || p->steps[i].statement->to == (int)nodeset);
    return is;
}

static void write_routes(const struct estimate_program *p, const struct estimate_step *s, FILE *out)
{
    for (uint32_t flow = 0; flow < s->units; flow++) {
        fprintf(out, "<route src=\"n%d.%u\" dst=\"n%d.%u\" symmetrical=\"NO\">", s->from,
                end_of_flow(p, s, flow, false), s->statement->to, end_of_flow(p, s, flow, true));
        for (unsigned i = 0; i < s->hop_count; i++)
            fprintf(out, "<link_ctn id=\"r%u.%u\"/>", s->hops[i].resource,
                    estimate_hop_member(p, s, &s->hops[i], flow));
        fputs("</route>\n", out);
    }
}

/* Steps with the same ends have the same way. */
static void write_platform(const struct estimate_program *p, FILE *out)
{
    bool has_routes[ESTIMATE_NODESETS_MAX][ESTIMATE_NODESETS_MAX] = {{false}};
    fputs("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\"><zone id=\"machine\" routing=\"Full\">\n",
          out);
    fputs("<host id=\"clock\" speed=\"1f\"/>\n", out);
    for (unsigned n = 0; n < p->text->nodeset_count; n++)
        for (uint32_t i = 0; is_end(p, n) && i < p->members[n]; i++)
            fprintf(out, "<host id=\"n%u.%u\" speed=\"1f\"/>\n", n, i);
    for (unsigned k = 0; k < p->resource_count; k++)
        for (uint32_t i = 0; i < p->resources[k].members; i++)
            fprintf(out, "<link id=\"r%u.%u\" bandwidth=\"%.17gBps\" latency=\"0s\"/>\n", k, i,
                    p->resources[k].capacity);
    for (unsigned i = 0; i < p->step_count; i++) {
        bool *has = p->steps[i].from >= 0 ? &has_routes[p->steps[i].from][p->steps[i].statement->to] : NULL;
        if (!is_transfer(&p->steps[i]) || *has)
            continue;
        *has = true;
        write_routes(p, &p->steps[i], out);
    }
    fputs("</zone></platform>\n", out);
}

static int start_engine(const struct estimate_program *p, struct why *why)
{
    auto_free char *text = NULL;
    size_t bytes = 0;
    FILE *out = memory_stream(&text, &bytes);
    write_platform(p, out);
    memory_stream_end(out);
    return simgrid_engine_start_text(text, bytes)
               ? 0
               : why_say(why, WHY_SAID, "SimGrid's platform cannot be written: %s", why_error(errno));
}

/* --- making and ending ----------------------------------------------------------------------------------- */

/* @return the semaphores, and then NULL */
static sg_sem_t *semaphores_new(uint32_t count)
{
    sg_sem_t *semaphores = memory_new((size_t)count + 1, sizeof(sg_sem_t));
    for (uint32_t i = 0; i < count; i++)
        semaphores[i] = sg_sem_init(0);
    return semaphores;
}

static void semaphores_destroy(sg_sem_t *semaphores)
{
    for (size_t i = 0; semaphores && semaphores[i]; i++)
        sg_sem_destroy(semaphores[i]);
    free(semaphores);
}

static void make_waits(struct run *r)
{
    const struct estimate_program *p = r->program;
    for (unsigned i = 0; i < p->step_count; i++) {
        const struct estimate_step *to = &p->steps[i];
        const struct estimate_statement *t = to->statement;
        if (to->before >= 0) {
            const struct estimate_step *from = &p->steps[to->before];
            struct edge *e = &r->edges[i];
            *e = (struct edge){.from = (unsigned)to->before, .to = i, .piecewise = from->group == to->group};
            e->relayed = from->parallel > 0 || to->parallel > 0;
            e->pairs = from->units > to->units ? from->units : to->units;
            e->ready = semaphores_new(e->relayed ? from->units : e->pairs);
            if (e->relayed)
                e->told = semaphores_new(to->units);
        }
        if (t->from >= 0 && t->from != t->to && p->text->nodesets[t->to].type == ESTIMATE_CPU)
            r->credits[i] = semaphores_new(p->steps[i].units);
        if (p->steps[i].blocks)
            r->arrived[i] = semaphores_new(p->steps[i].units);
        if (to->seek_s <= 0 || to->seeks_hop == ESTIMATE_HOPS_MAX ||
            r->disks[to->hops[to->seeks_hop].resource])
            continue;
        const unsigned disk = to->hops[to->seeks_hop].resource;
        r->disks[disk] = semaphores_new(p->resources[disk].members);
        for (size_t k = 0; r->disks[disk] && r->disks[disk][k]; k++)
            sg_sem_release(r->disks[disk][k]);
    }
}

static sg_host_t host_of(const struct estimate_program *p, const struct estimate_step *s, uint32_t flow,
                         bool to)
{
    char name[40];
    snprintf(name, sizeof name, "n%d.%u", to ? s->statement->to : s->from, end_of_flow(p, s, flow, to));
    return sg_host_by_name(name);
}

static void add_actor(struct run *r, enum role role, unsigned of, uint32_t unit)
{
    static const char *const names[] = {"flow", "member", "chain", "relay"};
    struct actor *a = memory_take(sizeof *a);
    *a = (struct actor){.run = r, .role = role, .of = of, .unit = unit, .number = r->actors++};
    if (role == FLOW && is_transfer(&r->program->steps[of])) {
        a->from = host_of(r->program, &r->program->steps[of], unit, false);
        a->to = host_of(r->program, &r->program->steps[of], unit, true);
    }
    simgrid_engine_add_actor(names[role], sg_host_by_name("clock"), act, a);
}

/* A CPU that nothing is computed on and nothing is sent to has no actors. */
static bool has_members(const struct estimate_program *p, unsigned nodeset)
{
    for (unsigned i = 0; i < p->step_count; i++)
        if (p->steps[i].statement->to == (int)nodeset && p->text->nodesets[nodeset].type == ESTIMATE_CPU)
            return true;
    return false;
}

static void add_actors(struct run *r)
{
    const struct estimate_program *p = r->program;
    for (unsigned n = 0; n < p->text->nodeset_count; n++)
        for (uint32_t i = 0; has_members(p, n) && i < p->members[n]; i++)
            add_actor(r, MEMBER, n, i);
    for (unsigned i = 0; i < p->step_count; i++) {
        for (uint32_t k = 0; p->steps[i].verb != ESTIMATE_COMPUTE && k < p->steps[i].units; k++)
            add_actor(r, FLOW, i, k);
        for (uint32_t k = 0; p->steps[i].parallel > 0 && k < p->steps[i].units; k++)
            add_actor(r, CHAIN, i, k);
        if (r->edges[i].relayed)
            add_actor(r, RELAY, i, 0);
    }
    r->barrier = sg_barrier_init(r->actors);
}

static void release(struct run *r)
{
    if (r->barrier)
        sg_barrier_destroy(r->barrier);
    for (unsigned i = 0; i < ESTIMATE_RESOURCES_MAX; i++)
        semaphores_destroy(r->disks[i]);
    for (unsigned i = 0; i < ESTIMATE_STATEMENTS_MAX; i++) {
        semaphores_destroy(r->edges[i].ready);
        semaphores_destroy(r->edges[i].told);
        semaphores_destroy(r->credits[i]);
        semaphores_destroy(r->arrived[i]);
    }
    free(r);
}

int script_actors_run(const struct estimate_program *program, double *time_s, struct why *why)
{
    struct run *r = memory_new(1, sizeof *r);
    r->program = program;
    int status = start_engine(program, why);
    if (status == 0) {
        make_waits(r);
        add_actors(r);
        simgrid_run();
        *time_s = simgrid_get_clock();
        if (r->ended < r->actors)
            status = why_say(why, WHY_SAID, "%u of %u actors wait for each other: a fault of Mercury",
                             r->actors - r->ended, r->actors);
    }
    release(r);
    return status;
}
