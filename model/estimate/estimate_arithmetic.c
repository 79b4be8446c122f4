#include "model/estimate/estimate_arithmetic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* All times are seconds since the program began. */
struct clocks {
    const struct estimate_program *program;
    struct estimate_result result; /* the time is that of all steps so far */
    uint32_t lane;                 /* whose iterations all nodes are taken to have; 0 without lanes */
    /* Without a pause since its first work after the last synchronize, a resource would have done its work by then. */
    double link_free[ESTIMATE_RESOURCES_MAX];
    double cpu_free[ESTIMATE_NODESETS_MAX]; /* a member has done its steps so far */
    double first[ESTIMATE_STATEMENTS_MAX];  /* a step's first piece is done */
    double ended[ESTIMATE_STATEMENTS_MAX];  /* all of a step is done */
    double floor;                           /* of the last synchronize */
};

/* The clocks of each lane; without lanes, of all nodes. */
struct lanes {
    struct clocks *clocks;
    uint32_t count;
    struct clocks *before;
};

/* Work of a group in a round. */
struct work {
    double links_s[ESTIMATE_RESOURCES_MAX], cpus_s[ESTIMATE_NODESETS_MAX];
    double own_s[ESTIMATE_STATEMENTS_MAX]; /* of a step alone, by its index in the group */
};

/* Flows through the busiest member, as many as follow from an even spread; or, if they are fewer, as many of the
 * largest one as move what all do. */
static double busiest_flows(const struct estimate_program *p, const struct estimate_hop *hop,
                            const struct estimate_amount *a)
{
    double flows = ceil((double)a->active / p->resources[hop->resource].members);
    return a->work > 0 ? fmin(flows, a->all / a->work) : flows;
}

/* Whether a hop moves nothing while its disk seeks: the disk, and its linkset. */
static bool stands_still(const struct estimate_program *p, const struct estimate_step *s, unsigned hop)
{
    const struct estimate_resource *r = &p->resources[s->hops[hop].resource];
    return hop == s->seeks_hop || (r->linkset < 0 && p->text->nodesets[r->nodeset].type == ESTIMATE_DISK);
}

static void add_transfer(struct clocks *c, const struct estimate_step *s, const struct estimate_amount *a,
                         struct work *w, double *own_s)
{
    const double seeks_s = estimate_seeks_s(s, a->work);
    for (unsigned i = 0; i < s->hop_count; i++) {
        const struct estimate_hop *hop = &s->hops[i];
        const double flows = busiest_flows(c->program, hop, a);
        double time_s = flows * a->work / c->program->resources[hop->resource].capacity;
        double member_s = time_s;
        for (unsigned k = 0; k < i; k++) /* in and out of one member */
            if (s->hops[k].resource == hop->resource)
                member_s += time_s;
        w->links_s[hop->resource] +=
            time_s + (stands_still(c->program, s, i) ? flows * seeks_s + (flows - 1) * s->seek_s : 0);
        *own_s = fmax(*own_s, member_s);
    }
    *own_s += seeks_s;
}

static void add_work(struct clocks *c, const struct estimate_group *g, const struct estimate_round *round,
                     struct work *w)
{
    memset(w, 0, sizeof *w);
    for (unsigned i = 0; i < g->count; i++) {
        const struct estimate_step *s = &c->program->steps[g->first + i];
        struct estimate_amount a = estimate_lane_amount(c->program, s, round, c->lane);
        if (s->verb != ESTIMATE_COMPUTE) {
            add_transfer(c, s, &a, w, &w->own_s[i]);
            continue;
        }
        w->own_s[i] = s->parallel > 0 ? a.longest_s : a.work;
        w->cpus_s[s->statement->to] += a.work * (a.rotated > 0 ? (double)a.rotated / s->units : 1);
    }
}

static double start_of(const struct clocks *c, const struct estimate_step *s, const struct clocks *before)
{
    unsigned own = (unsigned)(s - c->program->steps);
    double start = c->floor;
    if (s->before >= 0) {
        bool piecewise = c->program->steps[s->before].group == s->group;
        start = fmax(start, piecewise ? c->first[s->before] : c->ended[s->before]);
    }
    if (s->parallel == 0)
        start = fmax(start, before->ended[own]);
    for (unsigned i = 0; i < s->hop_count; i++)
        start = fmax(start, before->link_free[s->hops[i].resource]);
    /* a step that a CPU waits for takes the time of that CPU */
    if (s->verb == ESTIMATE_COMPUTE || (s->statement->from != s->statement->to &&
                                        c->program->text->nodesets[s->statement->to].type == ESTIMATE_CPU))
        start = fmax(start, before->cpu_free[s->statement->to]);
    return start;
}

static double duration_of(const struct estimate_step *s, const struct work *w, double own_s)
{
    double time_s = s->verb == ESTIMATE_COMPUTE && s->parallel == 0 ? w->cpus_s[s->statement->to] : own_s;
    for (unsigned i = 0; i < s->hop_count; i++) /* a computation has none */
        time_s = fmax(time_s, w->links_s[s->hops[i].resource]);
    return time_s;
}

/* What of the clocks from before a group its steps look at: copied, because they change as steps are placed. */
static void run_group(struct clocks *c, const struct estimate_group *g, const struct estimate_round *round,
                      struct clocks *before)
{
    const struct estimate_program *p = c->program;
    struct work w;
    double begins[ESTIMATE_RESOURCES_MAX];
    add_work(c, g, round, &w);
    memcpy(before->link_free, c->link_free, p->resource_count * sizeof *c->link_free);
    memcpy(before->cpu_free, c->cpu_free, sizeof c->cpu_free);
    memcpy(before->ended + g->first, c->ended + g->first, g->count * sizeof *c->ended);
    for (unsigned r = 0; r < p->resource_count; r++)
        begins[r] = INFINITY;
    for (unsigned i = 0; i < g->count; i++) {
        unsigned index = g->first + i;
        const struct estimate_step *s = &p->steps[index];
        double own_s = w.own_s[i], time_s = duration_of(s, &w, own_s), latency_s = s->latency_s;
        double start = start_of(c, s, before) + latency_s, end = start + time_s;
        if (s->before >= 0 && p->steps[s->before].group == s->group)
            end = fmax(end, c->ended[s->before] + own_s / g->pieces);
        c->first[index] = start + time_s / g->pieces;
        c->ended[index] = end;
        for (unsigned k = 0; k < s->hop_count; k++)
            begins[s->hops[k].resource] = fmin(begins[s->hops[k].resource], start);
        double *cpu_free = &c->cpu_free[s->statement->to], *cpu_s = &c->result.cpu_s[s->statement->to];
        if (s->verb == ESTIMATE_COMPUTE)
            *cpu_free = fmax(*cpu_free, s->parallel > 0 ? start + w.cpus_s[s->statement->to] : end);
        else if (s->blocks) {
            *cpu_free = end;
            *cpu_s += time_s + latency_s;
        }
        c->result.ended_s[index] += fmax(0, end - c->result.time_s);
        c->result.time_s = fmax(c->result.time_s, end);
    }
    for (unsigned r = 0; r < p->resource_count; r++)
        if (w.links_s[r] > 0) {
            c->link_free[r] = (c->link_free[r] > c->floor ? c->link_free[r] : begins[r]) + w.links_s[r];
            c->result.resource_s[r] += w.links_s[r];
        }
    for (unsigned n = 0; n < p->text->nodeset_count; n++)
        c->result.cpu_s[n] += w.cpus_s[n];
}

static const struct clocks *find_last(const struct lanes *l)
{
    const struct clocks *last = l->clocks;
    for (uint32_t i = 1; i < l->count; i++)
        last = l->clocks[i].result.time_s > last->result.time_s ? &l->clocks[i] : last;
    return last;
}

/* All wait for the last one, and for the steps that made it the last one. */
static void synchronize(struct lanes *l)
{
    const struct clocks *last = find_last(l);
    for (uint32_t i = 0; i < l->count; i++) {
        if (&l->clocks[i] != last)
            memcpy(l->clocks[i].result.ended_s, last->result.ended_s, sizeof last->result.ended_s);
        l->clocks[i].floor = l->clocks[i].result.time_s = last->result.time_s;
    }
}

static void visit(void *lanes, const struct estimate_group *group, const struct estimate_round *round)
{
    struct lanes *l = lanes;
    if (!group)
        synchronize(l);
    for (uint32_t k = 0; group && k < l->count; k++)
        if (estimate_lane_active(round, k) > 0)
            run_group(&l->clocks[k], group, round, l->before);
}

void estimate_arithmetic(const struct estimate_program *program, struct estimate_result *result)
{
    struct clocks before = {.program = program};
    struct lanes lanes = {.count = program->lanes > 1 ? program->lanes : 1, .before = &before};
    lanes.clocks = memory_take(lanes.count * sizeof *lanes.clocks);
    for (uint32_t i = 0; i < lanes.count; i++)
        lanes.clocks[i] = (struct clocks){.program = program, .lane = i};
    estimate_program_walk(program, visit, &lanes);
    *result = find_last(&lanes)->result;
    free(lanes.clocks);
}

/* --- what limits ----------------------------------------------------------------------------------------- */

static void note_busy(const char *name, double work_s, struct estimate_limits *out)
{
    if (work_s <= out->busy_s)
        return;
    snprintf(out->busy, sizeof out->busy, "%s", name);
    out->busy_s = work_s;
}

/* `send`, `move` or `compute` with its names. */
static void describe(const struct estimate_program *p, const struct estimate_statement *s, char *text,
                     size_t size)
{
    static const char *const verbs[] = {"send", "move", "compute"};
    size_t length = (size_t)snprintf(text, size, "%s", verbs[s->verb]);
    for (unsigned i = 0; i < s->dataset_count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s %s", i > 0 ? "," : "",
                                   p->text->datasets[s->datasets[i]].object.name);
    if (length < size && s->from >= 0)
        length += (size_t)snprintf(text + length, size - length, " from %s",
                                   p->text->nodesets[s->from].object.name);
    if (length < size)
        snprintf(text + length, size - length, " %s %s", s->from >= 0 ? "to" : "on",
                 p->text->nodesets[s->to].object.name);
}

void estimate_limits(const struct estimate_program *p, const struct estimate_result *result,
                     struct estimate_limits *out)
{
    unsigned longest = 0;
    *out = (struct estimate_limits){.busy = "-"};
    for (unsigned r = 0; r < p->resource_count; r++)
        note_busy(p->resources[r].name, result->resource_s[r], out);
    for (unsigned n = 0; n < p->text->nodeset_count; n++)
        note_busy(p->text->nodesets[n].object.name, result->cpu_s[n], out);
    for (unsigned i = 1; i < p->step_count; i++)
        longest = result->ended_s[i] > result->ended_s[longest] ? i : longest;
    describe(p, p->steps[longest].statement, out->serial, sizeof out->serial);
    out->serial_share = result->time_s > 0 ? result->ended_s[longest] / result->time_s : 0;
}

/* --- what arithmetic leaves out -------------------------------------------------------------------------- */

/* @param users  number of steps so far that use a resource */
static unsigned differences_of(const struct estimate_program *p, const struct estimate_group *g,
                               unsigned *users)
{
    unsigned found = 0;
    for (unsigned i = g->first; i < g->first + g->count; i++) {
        const struct estimate_step *s = &p->steps[i];
        unsigned seen[ESTIMATE_RESOURCES_MAX] = {0};
        uint32_t ends = s->statement->from >= 0 ? p->members[s->statement->to] : 1;
        if (s->parallel > 0)
            found |= 1U << ESTIMATE_LIMITED_DATA;
        for (unsigned k = g->first; k < i && s->verb == ESTIMATE_COMPUTE; k++)
            if (p->steps[k].verb == ESTIMATE_COMPUTE && p->steps[k].statement->to == s->statement->to)
                found |= 1U << ESTIMATE_SHARED_CPUS;
        if (s->is_uneven)
            found |= 1U << ESTIMATE_UNEVEN_PARTS;
        if (s->units % ends != 0)
            found |= 1U << ESTIMATE_UNMATCHED_FLOWS;
        for (unsigned k = 0; k < s->hop_count; k++) {
            const struct estimate_resource *r = &p->resources[s->hops[k].resource];
            if (s->units % r->members != 0)
                found |= 1U << ESTIMATE_UNEVEN_FLOWS;
            if (seen[s->hops[k].resource]++ == 0 && users[s->hops[k].resource]++ > 0)
                found |= 1U << ESTIMATE_SHARED_LINKS;
        }
    }
    return found;
}

unsigned estimate_differences(const struct estimate_program *p)
{
    unsigned found = p->lanes > 1 ? 1U << ESTIMATE_UNLIKE_NODES : 0, users[ESTIMATE_RESOURCES_MAX] = {0};
    for (unsigned i = 0; i < p->item_count; i++) {
        found |= differences_of(p, &p->items[i].group, users);
        if (p->items[i].kind == ESTIMATE_ITEM_REPEAT && p->items[i].count % p->items[i].over != 0)
            found |= 1U << ESTIMATE_UNEVEN_ROUNDS;
    }
    return found;
}

#define DIFFERENCE_TEXT(id, text) text

const char *estimate_difference_text(enum estimate_difference difference)
{
    static const char *const texts[ESTIMATE_DIFFERENCES] = {ESTIMATE_DIFFERENCE_ROWS(DIFFERENCE_TEXT)};
    return texts[difference];
}
