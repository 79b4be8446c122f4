#include "model/estimate/estimate_program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What a nodeset keeps: when each dataset was used last (0: it is not there), and its bytes. */
struct kept {
    unsigned used[ESTIMATE_DATASETS_MAX];
    double bytes[ESTIMATE_DATASETS_MAX];
};

/* A program that is being made. After a fault nothing more is refused. */
struct maker {
    struct estimate_program *program;
    struct kept *kept;              /* by nodeset; NULL: none keeps data */
    int way[ESTIMATE_NODESETS_MAX]; /* nodesets that the present transfer passes, from its end on */
    unsigned way_count, uses;
    const struct estimate_text *text;
    const struct estimate_statement *statement; /* the present one */
    /* What steps of the present block wait for: steps since its beginning or its last synchronize. */
    bool known[ESTIMATE_STATEMENTS_MAX];
    uint32_t over; /* of the repeat around; 1 if it deals no iterations */
    double times;  /* rounds of all repeats around */
    int status;
    struct why *why;
};

static void refuse(struct maker *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void refuse(struct maker *m, const char *format, ...)
{
    va_list arguments;
    const struct estimate_statement *s = m->statement;
    if (m->status)
        return;
    m->status = ESTIMATE_PROGRAM_EREFUSED;
    m->why->line[0] = '\0';
    if (s)
        why_say(m->why, 0, "%.300s:%llu: ", m->text->files[s->file], (unsigned long long)s->line);
    va_start(arguments, format);
    why_append_list(m->why, format, arguments);
    va_end(arguments);
}

/* --- numbers of members ---------------------------------------------------------------------------------- */

static bool says_per_node(const struct estimate_text *t)
{
    for (unsigned i = 0; i < t->nodeset_count; i++)
        if (t->nodesets[i].per_node)
            return true;
    for (unsigned i = 0; i < t->linkset_count; i++)
        if (t->linksets[i].per_node)
            return true;
    return false;
}

uint32_t estimate_program_nodes(const struct estimate_text *t)
{
    unsigned first = 0;
    if (says_per_node(t) || t->nodeset_count == 0)
        return 1;
    while (first < t->nodeset_count && t->nodesets[first].type != ESTIMATE_MEMORY)
        first++;
    return (uint32_t)t->nodesets[first < t->nodeset_count ? first : 0].number;
}

static double scale(const struct estimate_text *t, double number, bool per_node, uint32_t nodes)
{
    uint32_t own = estimate_program_nodes(t);
    bool grows = says_per_node(t) ? per_node : fmod(number, own) == 0;
    return grows ? number * nodes / own : number;
}

/* --- resources ------------------------------------------------------------------------------------------- */

/* The resource of a linkset, of a nodeset, or, if neither is -1, of a nodeset's ports to a linkset. */
static unsigned find_resource(struct maker *m, int linkset, int nodeset, double capacity, double members)
{
    struct estimate_program *p = m->program;
    const struct estimate_text *t = m->text;
    for (unsigned i = 0; i < p->resource_count; i++)
        if (p->resources[i].linkset == linkset && p->resources[i].nodeset == nodeset)
            return i;
    if (p->resource_count == ESTIMATE_RESOURCES_MAX) {
        refuse(m, "the machine has more than %d places where data can queue", ESTIMATE_RESOURCES_MAX);
        return 0;
    }
    struct estimate_resource *r = &p->resources[p->resource_count];
    *r = (struct estimate_resource){
        .capacity = capacity, .members = (uint32_t)members, .linkset = linkset, .nodeset = nodeset};
    snprintf(r->name, sizeof r->name, "%s%.32s", nodeset >= 0 && linkset >= 0 ? "ports of " : "",
             nodeset >= 0   ? t->nodesets[nodeset].object.name
             : linkset >= 0 ? t->linksets[linkset].object.name
                            : "");
    return p->resource_count++;
}

/* What has no bound is no resource. */
static void add_hop(struct maker *m, struct estimate_step *s, int linkset, int nodeset, double capacity,
                    double members, uint32_t shift)
{
    if (capacity == 0)
        return;
    unsigned resource = find_resource(m, linkset, nodeset, capacity, members);
    if (s->hop_count == ESTIMATE_HOPS_MAX)
        refuse(m, "the way has more than %d parts", ESTIMATE_HOPS_MAX);
    else
        s->hops[s->hop_count++] = (struct estimate_hop){resource, shift};
}

static void add_nodeset(struct maker *m, struct estimate_step *s, int nodeset, uint32_t shift)
{
    add_hop(m, s, -1, nodeset, m->text->nodesets[nodeset].bandwidth, m->program->members[nodeset], shift);
}

static void add_ports(struct maker *m, struct estimate_step *s, int linkset, int nodeset, uint32_t shift)
{
    add_hop(m, s, linkset, nodeset, m->text->linksets[linkset].bandwidth * m->text->nodesets[nodeset].ports,
            m->program->members[nodeset], shift);
}

static void add_linkset(struct maker *m, struct estimate_step *s, int linkset, uint32_t shift)
{
    const struct estimate_linkset *l = &m->text->linksets[linkset];
    const uint32_t *members = m->program->members;
    double links = l->type == ESTIMATE_ACROSS && l->topology == ESTIMATE_BUS ? 1
                   : m->text->nodesets[l->from].type == ESTIMATE_DISK        ? members[l->from]
                   : m->text->nodesets[l->to].type == ESTIMATE_DISK          ? members[l->to]
                                                                    : fmax(members[l->from], members[l->to]);
    if (l->number > 0)
        links = scale(m->text, l->number, l->per_node, m->program->nodes);
    if (links > ESTIMATE_MEMBERS_MAX)
        refuse(m, "linkset '%s' has %.0f members: expected at most %g", l->object.name, links,
               ESTIMATE_MEMBERS_MAX);
    else
        add_hop(m, s, linkset, -1, l->bandwidth, links, shift);
}

/* --- ways ------------------------------------------------------------------------------------------------ */

/* Breadth first. @return whether there is a way; by[n] is the linkset that leads to n */
static bool find_way(const struct estimate_text *t, int from, int to, int by[ESTIMATE_NODESETS_MAX],
                     int source[ESTIMATE_NODESETS_MAX])
{
    int queue[ESTIMATE_NODESETS_MAX];
    unsigned head = 0, tail = 0;
    bool seen[ESTIMATE_NODESETS_MAX] = {false};
    seen[from] = true;
    queue[tail++] = from;
    while (head < tail && !seen[to]) {
        int at = queue[head++];
        for (unsigned i = 0; i < t->linkset_count; i++) {
            const struct estimate_linkset *l = &t->linksets[i];
            bool leads =
                l->type == ESTIMATE_UPDOWN && (l->from == at || (l->to == at && l->duplex == ESTIMATE_FULL));
            int other = l->from == at ? l->to : l->from;
            if (!leads || seen[other])
                continue;
            seen[other] = true;
            by[other] = (int)i;
            source[other] = at;
            queue[tail++] = other;
        }
    }
    return seen[to];
}

static void refuse_way(struct maker *m, int from, int to)
{
    const struct estimate_text *t = m->text;
    const char *from_name = t->nodesets[from].object.name, *to_name = t->nodesets[to].object.name;
    for (unsigned i = 0; i < t->linkset_count; i++)
        if (t->linksets[i].from == to && t->linksets[i].to == from)
            refuse(m, "linkset '%s' is half duplex and leads from '%s' to '%s' only",
                   t->linksets[i].object.name, to_name, from_name);
    refuse(m, "no linkset leads from '%s' to '%s'", from_name, to_name);
}

static bool has_kept(const struct maker *m, int nodeset, int dataset)
{
    return m->kept && m->kept[nodeset].used[dataset] > 0;
}

/* A dataset comes to a nodeset with a rule, which drops what was not used for longest until all fit. */
static void keep(struct maker *m, int nodeset, int dataset, double bytes)
{
    struct kept *k = &m->kept[nodeset];
    double held;
    k->used[dataset] = ++m->uses;
    k->bytes[dataset] = bytes;
    do {
        unsigned last = (unsigned)dataset;
        held = 0;
        for (unsigned i = 0; i < m->text->dataset_count; i++) {
            held += k->used[i] > 0 ? k->bytes[i] : 0;
            last = k->used[i] > 0 && k->used[i] < k->used[last] ? i : last;
        }
        if (held > m->text->nodesets[nodeset].grainsize)
            k->used[last] = 0;
    } while (held > m->text->nodesets[nodeset].grainsize);
}

static void keep_way(struct maker *m, const struct estimate_step *s)
{
    for (unsigned i = 0; m->kept && i < m->way_count; i++)
        if (m->text->nodesets[m->way[i]].cacherule > 0)
            keep(m, m->way[i], s->statement->datasets[0],
                 s->bytes * s->units / m->program->members[m->way[i]]);
}

static void add_way(struct maker *m, struct estimate_step *s, int from, int to)
{
    const struct estimate_text *t = m->text;
    int by[ESTIMATE_NODESETS_MAX], source[ESTIMATE_NODESETS_MAX];
    if (!find_way(t, from, to, by, source)) {
        refuse_way(m, from, to);
        return;
    }
    const int dataset = s->statement->datasets[0];
    int at = to;
    m->way[0] = to;
    m->way_count = 1;
    if (!has_kept(m, to, dataset))
        add_nodeset(m, s, to, 0);
    for (; m->status == 0 && at != from && !has_kept(m, at, dataset); at = source[at]) {
        const struct estimate_linkset *l = &t->linksets[by[at]];
        const bool seeks =
            t->nodesets[at].type == ESTIMATE_DISK || t->nodesets[source[at]].type == ESTIMATE_DISK;
        s->latency_s += l->latency_s;
        s->seek_s += seeks ? l->latency_s : 0;
        add_ports(m, s, by[at], at, 0);
        if (seeks && l->bandwidth > 0)
            s->seeks_hop = s->hop_count;
        add_linkset(m, s, by[at], 0);
        add_ports(m, s, by[at], source[at], 0);
        add_nodeset(m, s, source[at], 0);
        m->way[m->way_count++] = source[at];
    }
    s->from = at;
    /* Flows are as many as members at the greater end; a narrow place between the ends concentrates them. */
    uint32_t first = m->program->members[from], last = m->program->members[to];
    s->units = first > last ? first : last;
}

/* Every member sends to the next one. */
static void add_exchange(struct maker *m, struct estimate_step *s, int on)
{
    const struct estimate_text *t = m->text;
    unsigned i = 0;
    while (i < t->linkset_count && (t->linksets[i].type != ESTIMATE_ACROSS || t->linksets[i].from != on))
        i++;
    if (i == t->linkset_count) {
        refuse(m, "no linkset of type across is on '%s'", t->nodesets[on].object.name);
        return;
    }
    const struct estimate_linkset *l = &t->linksets[i];
    s->units = m->program->members[on];
    if (s->units == 1)
        return; /* there is no other one */
    s->latency_s = l->latency_s;
    bool both = l->topology == ESTIMATE_CROSSBAR && l->duplex == ESTIMATE_FULL;
    for (uint32_t shift = 0; shift < 2; shift++) {
        add_nodeset(m, s, on, shift);
        add_ports(m, s, (int)i, on, shift);
        if (shift == 0 || both)
            add_linkset(m, s, (int)i, shift);
    }
}

/* --- data ------------------------------------------------------------------------------------------------ */

static double count_units(const struct estimate_dataset *d)
{
    return d->units[0] * d->units[1] * d->units[2];
}

/* Deal parts over the dimensions, so that they are as near to cubes as whole numbers of parts allow. */
static void deal(uint32_t parts, unsigned dimensions, double by[3])
{
    by[0] = by[1] = by[2] = 1;
    for (unsigned i = dimensions; i > 0; i--) {
        uint32_t part = (uint32_t)(pow(parts, 1.0 / (i + 1)) + 1e-9);
        while (part > 1 && parts % part != 0)
            part--;
        by[i] = part > 0 ? part : 1;
        parts /= (uint32_t)by[i];
    }
    by[0] = parts;
}

/* Instead of the number of a part or of a unit: the largest that there may be, and all together. */
enum { LARGEST = -1, ALL = -2 };

/* Units of one of the parts, and of those before it: whole ones, of which the first parts have one more if they do not
 * divide. */
static double deal_units(double units, double parts, double part, double *before)
{
    bool whole = units == floor(units) && units >= parts;
    double least = whole ? floor(units / parts) : units / parts, more = whole ? units - least * parts : 0;
    *before = part * least + fmin(part, more);
    return least + (part < more);
}

/* Units of a part.
 *
 * @param corner  of the largest: bits of the dimensions in which it is the second one, with neighbours on both sides
 * @param ghosts  out: how many units its neighbours' layers are */
static double find_part(const struct estimate_text *t, const struct estimate_dataset *d, uint32_t parts,
                        int64_t part, unsigned corner, double *ghosts)
{
    const struct estimate_distribution *deals = &t->distributions[d->distribution];
    unsigned dimensions = deals->dimensions < d->dimensions ? deals->dimensions : d->dimensions;
    double by[3], own = 1, with = 1, before;
    deal(parts, dimensions, by);
    for (unsigned i = 0; i < 3; i++) {
        const double units = d->units[i], ghost = deals->ghost;
        if (by[i] == 1) {
            own *= units;
            with *= units;
            continue;
        }
        const double second = corner >> i & 1, place = part >= 0 ? (double)(part % (int64_t)by[i]) : second;
        double side = deal_units(units, by[i], place, &before);
        double layers = part >= 0 ? fmin(before, ghost) + fmin(fmax(units - before - side, 0), ghost)
                                  : fmin(fmin(by[i] - 1, 1 + second) * ghost, units - side);
        if (part == ALL) {
            side = units;
            layers = fmin(2 * ghost, units) * (by[i] - 1);
        }
        own *= side;
        with *= side + layers;
        part = part >= 0 ? part / (int64_t)by[i] : part;
    }
    *ghosts = with - own;
    return own;
}

/* The first of the members of a block, if there are so many blocks. */
static uint64_t first_of(uint64_t block, uint64_t blocks, uint64_t members)
{
    return (block * members + blocks - 1) / blocks;
}

static double factor_at(const struct estimate_program *p, struct estimate_factors f, uint64_t i)
{
    return f.count > 0 ? p->text->factors[f.first + i % f.count] : 1;
}

static struct estimate_factors shares_of(const struct estimate_program *p, const struct estimate_dataset *d)
{
    return d->distribution >= 0 ? p->text->distributions[d->distribution].shares
                                : (struct estimate_factors){0};
}

uint32_t estimate_lane_active(const struct estimate_round *r, uint32_t lane)
{
    return r->lanes == 0 ? r->active : lane < r->active ? (r->active - lane - 1) / r->lanes + 1 : 0;
}

/* Units of a node by its share, of those of all nodes that have iterations in a round: whole ones, rounded down, and
 * one more for the nodes with the largest remainders. */
static double find_share(const struct estimate_program *p, const struct estimate_dataset *d,
                         const struct estimate_round *r, uint32_t node)
{
    const double units = count_units(d);
    const struct estimate_factors shares = shares_of(p, d);
    double sum = 0, left = units;
    uint32_t before = 0;
    for (uint32_t i = 0; i < p->nodes; i++)
        sum += factor_at(p, shares, i) * estimate_lane_active(r, i);
    const double due = units * factor_at(p, shares, node) * estimate_lane_active(r, node) / sum;
    if (units != floor(units) || units < p->nodes)
        return due;
    for (uint32_t i = 0; i < p->nodes; i++) {
        double other = units * factor_at(p, shares, i) * estimate_lane_active(r, i) / sum;
        left -= floor(other);
        before +=
            other - floor(other) > due - floor(due) || (other - floor(other) == due - floor(due) && i < node);
    }
    return floor(due) + (before < left);
}

/* Whether what is dealt in a round's iteration is dealt over the units of its node only. */
static bool stays_on_node(const struct estimate_step *s, const struct estimate_round *r)
{
    return r->lanes > 0 && s->units >= r->lanes && !s->has_shares;
}

/* The node that a unit is on. */
static uint32_t node_of(const struct estimate_program *p, const struct estimate_step *s, int64_t unit)
{
    return (uint32_t)((uint64_t)unit * p->nodes / s->units);
}

/* The units of its node's share that a member has, or of the shares of all nodes that it works for. */
static double find_own_share(const struct estimate_program *p, const struct estimate_step *s,
                             const struct estimate_round *r, const struct estimate_dataset *d, uint32_t node,
                             int64_t unit)
{
    const uint64_t first = first_of(node, p->nodes, s->units), worker = (uint64_t)node * s->units / p->nodes;
    double before, own = 0;
    if (s->units >= p->nodes)
        return deal_units(find_share(p, d, r, node),
                          (double)(first_of((uint64_t)node + 1, p->nodes, s->units) - first),
                          unit >= 0 ? (double)((uint64_t)unit - first) : 0, &before);
    for (uint64_t i = first_of(worker, s->units, p->nodes); i < first_of(worker + 1, s->units, p->nodes); i++)
        own += find_share(p, d, r, (uint32_t)i);
    return own;
}

/* Units of dealt data that a step moves or computes: one of its units, the largest on a node, or all. */
static double units_of(const struct estimate_program *p, const struct estimate_step *s,
                       const struct estimate_round *r, const struct estimate_dataset *d, uint32_t node,
                       int64_t unit)
{
    const bool stays = stays_on_node(s, r), shares = s->has_shares && unit != ALL;
    const uint64_t first = stays ? first_of(node, p->nodes, s->units) : 0;
    const uint64_t members = (stays ? first_of((uint64_t)node + 1, p->nodes, s->units) : s->units) - first;
    const uint64_t over = d->over >= 0 ? p->members[d->over] * members / s->units : members;
    const uint64_t parts = over < 1 ? 1 : over < members ? over : members;
    const uint64_t part = unit >= 0 ? ((uint64_t)unit - first) * parts / members : 0;
    const uint64_t sharers = unit == ALL ? 1
                             : unit == LARGEST
                                 ? members / parts
                                 : first_of(part + 1, parts, members) - first_of(part, parts, members);
    const unsigned corners = unit == LARGEST && p->text->distributions[d->distribution].ghost > 0 ? 8 : 1;
    const double share = shares ? find_own_share(p, s, r, d, node, unit) * (double)sharers : 0;
    double most = 0, ghosts;
    for (unsigned i = 0; i < corners; i++) {
        double own = find_part(p->text, d, (uint32_t)parts, unit >= 0 ? (int64_t)part : unit, i, &ghosts);
        own = shares ? share : own;
        most = fmax(most, s->exchanges ? ghosts : s->verb == ESTIMATE_COMPUTE ? own : own + ghosts);
    }
    return most / (double)sharers;
}

/* What a step does once with each of its datasets, in bytes or seconds: a unit, the largest on a node, or all. */
static void find_work(const struct estimate_program *p, const struct estimate_step *s,
                      const struct estimate_round *r, uint32_t node, int64_t unit, double *work)
{
    const struct estimate_statement *t = s->statement;
    for (unsigned i = 0; i < t->dataset_count; i++) {
        const struct estimate_dataset *d = &p->text->datasets[t->datasets[i]];
        work[i] = s->cost[i] * (s->is_dealt ? units_of(p, s, r, d, node, unit) : count_units(d));
    }
}

/* The work of a step in an iteration: of datasets that are computed one after the other, or side by side. */
static double join_work(const struct estimate_program *p, const struct estimate_step *s,
                        const struct estimate_round *r, const double *work, uint64_t iteration)
{
    const struct estimate_statement *t = s->statement;
    double joined = 0;
    for (unsigned i = 0; i < t->dataset_count; i++) {
        double own = work[i];
        if (r->lanes > 0)
            own *= factor_at(p, p->text->datasets[t->datasets[i]].varies, iteration);
        joined = s->pipelined ? fmax(joined, own) : joined + own;
    }
    return joined;
}

/* What the largest unit does, whichever node it is on, and whether others do less. */
static double find_largest(const struct estimate_program *p, struct estimate_step *s)
{
    const struct estimate_factors shares = shares_of(p, &p->text->datasets[s->statement->datasets[0]]);
    const struct estimate_round once = {.active = 1, .over = 1};
    double largest[ESTIMATE_COMPUTED_MAX], all[ESTIMATE_COMPUTED_MAX];
    uint32_t node = 0;
    s->has_shares = s->is_dealt && shares.count > 0;
    for (uint32_t i = 1; i < shares.count && i < p->nodes; i++)
        node = factor_at(p, shares, i) > factor_at(p, shares, node) ? i : node;
    find_work(p, s, &once, node, LARGEST, largest);
    find_work(p, s, &once, node, ALL, all);
    for (unsigned i = 0; i < s->statement->dataset_count; i++)
        s->is_uneven |= s->is_dealt && all[i] < (1 - 1e-9) * largest[i] * s->units;
    return largest[0];
}

/* --- steps ----------------------------------------------------------------------------------------------- */

static void add_transfer(struct maker *m, struct estimate_step *s)
{
    const struct estimate_statement *t = s->statement;
    const struct estimate_dataset *d = &m->text->datasets[t->datasets[0]];
    const struct estimate_nodeset *to = &m->text->nodesets[t->to];
    bool across = t->from == t->to;
    if (across)
        add_exchange(m, s, t->from);
    else
        add_way(m, s, t->from, t->to);
    if (m->status)
        return;
    s->is_dealt = d->distribution >= 0;
    s->exchanges = s->alike = across && s->is_dealt && m->text->distributions[d->distribution].ghost > 0;
    s->aggregate = d->aggregate;
    s->blocks = t->verb == ESTIMATE_SEND && to->type == ESTIMATE_CPU && !across;
    for (unsigned i = 0; i < s->hop_count; i++)
        s->alike &= m->program->resources[s->hops[i].resource].members >= s->units;
    s->cost[0] = d->bytes;
    s->bytes = find_largest(m->program, s);
    if (!across)
        keep_way(m, s);
    if (across ? s->units == 1 : s->from == t->to) /* it has them */
        s->bytes = s->cost[0] = 0;
    if ((to->type == ESTIMATE_MEMORY || to->type == ESTIMATE_DISK) && to->grainsize > 0 &&
        s->bytes > to->grainsize)
        refuse(
            m,
            "dataset '%s' has %g bytes on each '%s', which holds %g: expected more members or a distribution",
            d->object.name, s->bytes, to->object.name, to->grainsize);
}

static void add_computation(struct maker *m, struct estimate_step *s)
{
    const struct estimate_statement *t = s->statement;
    const struct estimate_dataset *first = &m->text->datasets[t->datasets[0]];
    const struct estimate_nodeset *on = &m->text->nodesets[t->to];
    s->units = m->program->members[t->to];
    s->pipelined = on->compute == 1;
    s->is_dealt = first->distribution >= 0 && (first->parallel == 0 || first->parallel >= s->units);
    s->parallel = s->is_dealt ? 0 : first->parallel;
    for (unsigned i = 0; i < t->dataset_count; i++) {
        const struct estimate_dataset *d = &m->text->datasets[t->datasets[i]];
        if ((first->distribution >= 0) != (d->distribution >= 0))
            refuse(m,
                   "datasets '%s' and '%s' are computed together: expected a distribution of both or neither",
                   first->object.name, d->object.name);
        if (d->distribution != first->distribution &&
            shares_of(m->program, d).count + shares_of(m->program, first).count > 0)
            refuse(m, "datasets '%s' and '%s' are computed together: expected the same shares of both",
                   first->object.name, d->object.name);
        if (d->parallel > 0 && t->dataset_count > 1)
            refuse(m, "dataset '%s' has a parallel: expected a statement of its own", d->object.name);
        s->cost[i] = (d->operations + d->floats) / on->floatspeed;
    }
    if (m->status == 0)
        find_largest(m->program, s);
}

static bool shares_data(const struct estimate_statement *a, const struct estimate_statement *b)
{
    for (unsigned i = 0; i < a->dataset_count; i++)
        for (unsigned k = 0; k < b->dataset_count; k++)
            if (a->datasets[i] == b->datasets[k])
                return true;
    return false;
}

static int find_before(const struct maker *m, const struct estimate_step *s)
{
    const struct estimate_statement *t = s->statement;
    int begins = t->verb == ESTIMATE_COMPUTE ? t->to : t->from;
    for (int i = (int)m->program->step_count - 1; i >= 0; i--) {
        const struct estimate_statement *other = m->program->steps[i].statement;
        if (m->known[i] && (other->to == begins || shares_data(other, t)))
            return i;
    }
    return -1;
}

/* First iterations that are made apart can make a program longer than its text. */
static void refuse_length(struct maker *m)
{
    refuse(m, "a cacherule makes each repeat's first iteration apart: that makes more than %d steps",
           ESTIMATE_STATEMENTS_MAX);
}

static void add_step(struct maker *m, const struct estimate_statement *t)
{
    struct estimate_program *p = m->program;
    struct estimate_step *s = &p->steps[p->step_count];
    if (p->step_count == ESTIMATE_STATEMENTS_MAX) {
        refuse_length(m);
        return;
    }
    *s = (struct estimate_step){
        .statement = t, .verb = t->verb, .from = t->from, .seeks_hop = ESTIMATE_HOPS_MAX};
    m->statement = t;
    if (t->verb == ESTIMATE_COMPUTE)
        add_computation(m, s);
    else
        add_transfer(m, s);
    s->before = find_before(m, s);
    m->known[p->step_count] = true;
}

/* A transfer decides on the pieces: a cache holds one at a time. */
static void cut(const struct maker *m, struct estimate_group *g)
{
    double pieces = 0;
    for (unsigned i = g->first; i < g->first + g->count; i++) {
        const struct estimate_step *s = &m->program->steps[i];
        const struct estimate_dataset *d = &m->text->datasets[s->statement->datasets[0]];
        const struct estimate_nodeset *to = &m->text->nodesets[s->statement->to];
        if (s->verb == ESTIMATE_COMPUTE)
            continue;
        if (pieces == 0 && d->aggregate > 0)
            pieces = ceil(s->bytes / d->aggregate);
        if (to->type == ESTIMATE_CACHE && to->grainsize > 0)
            pieces = fmax(pieces, ceil(s->bytes / to->grainsize));
    }
    if (pieces == 0)
        pieces = ESTIMATE_PIECES_DEFAULT;
    g->pieces = g->count == 1 ? 1 : (unsigned)fmin(fmax(pieces, 1), ESTIMATE_PIECES_MAX);
}

/* --- blocks ---------------------------------------------------------------------------------------------- */

static void add_block(struct maker *m, unsigned from, unsigned to);

static void forget(struct maker *m)
{
    for (unsigned i = 0; m->kept && i < m->text->nodeset_count; i++)
        m->kept[i] = (struct kept){{0}};
}

static struct estimate_item *add_item(struct maker *m, enum estimate_item_kind kind)
{
    struct estimate_program *p = m->program;
    const bool fits = p->item_count < 2 * ESTIMATE_STATEMENTS_MAX;
    if (!fits)
        refuse_length(m);
    struct estimate_item *item = &p->items[fits ? p->item_count++ : p->item_count - 1];
    *item = (struct estimate_item){.kind = kind, .times = m->times, .group = {.first = p->step_count}};
    return item;
}

static void add_repeat(struct maker *m, unsigned at)
{
    struct estimate_program *p = m->program;
    const struct estimate_statement *s = &m->text->statements[at];
    uint32_t count = (uint32_t)s->count;
    const uint32_t over = s->over >= 0 ? p->members[s->over] : 1, around = m->over;
    if (m->kept && s->over < 0 && count > 1) {
        add_block(m, at + 1, s->end);
        count--;
    } else if (s->over >= 0)
        forget(m);
    struct estimate_item *repeat = add_item(m, ESTIMATE_ITEM_REPEAT);
    repeat->count = count;
    repeat->over = over;
    repeat->deals = s->over >= 0;
    repeat->rounds = (count + over - 1) / over;
    m->over = over > 1 ? over : around;
    m->times *= repeat->rounds;
    add_block(m, at + 1, s->end);
    m->times /= repeat->rounds;
    m->over = around;
    repeat->end = p->item_count;
    if (s->over >= 0)
        forget(m);
}

static void add_block(struct maker *m, unsigned from, unsigned to)
{
    struct estimate_program *p = m->program;
    bool begins = true, around[ESTIMATE_STATEMENTS_MAX];
    memcpy(around, m->known, sizeof around);
    memset(m->known, 0, sizeof m->known);
    for (unsigned i = from, next; i < to && m->status == 0; i = next) {
        const struct estimate_statement *s = &m->text->statements[i];
        next = s->verb == ESTIMATE_REPEAT ? s->end : i + 1;
        if (s->verb == ESTIMATE_REPEAT)
            add_repeat(m, i);
        else if (s->verb == ESTIMATE_SYNCHRONIZE) {
            add_item(m, ESTIMATE_ITEM_SYNCHRONIZE);
            memset(m->known, 0, sizeof m->known);
        } else {
            add_step(m, s);
            if (m->status)
                return;
            const struct estimate_step *step = &p->steps[p->step_count];
            if (begins || step->blocks || step[-1].blocks || step->parallel > 0 || step[-1].parallel > 0)
                add_item(m, ESTIMATE_ITEM_GROUP);
            p->steps[p->step_count++].group = p->item_count - 1;
            p->items[p->item_count - 1].group.count++;
        }
        begins = s->verb == ESTIMATE_REPEAT || s->verb == ESTIMATE_SYNCHRONIZE;
    }
    memcpy(m->known, around, sizeof around);
}

/* Number of steps that are done, or of pieces of all their units; a synchronize counts 1. */
static double sum_up(const struct estimate_program *p, bool pieces)
{
    double sum = 0;
    for (const struct estimate_item *item = p->items; item < p->items + p->item_count; item++) {
        const struct estimate_group *g = &item->group;
        double count = item->kind == ESTIMATE_ITEM_SYNCHRONIZE;
        for (unsigned i = g->first; i < g->first + g->count; i++)
            count += pieces ? (double)p->steps[i].units * g->pieces : 1;
        sum += item->times * count;
    }
    return sum;
}

static double count_actors(const struct estimate_program *p)
{
    double actors = 0;
    for (unsigned n = 0; n < p->text->nodeset_count; n++)
        actors += p->text->nodesets[n].type == ESTIMATE_CPU ? p->members[n] : 0;
    for (unsigned i = 0; i < p->step_count; i++)
        actors += p->steps[i].verb == ESTIMATE_COMPUTE && p->steps[i].parallel == 0 ? 0 : p->steps[i].units;
    return actors;
}

static double count_ends(const struct estimate_program *p)
{
    double ends = 0;
    for (int n = 0; n < (int)p->text->nodeset_count; n++) {
        bool is_end = false;
        for (unsigned i = 0; i < p->step_count; i++) {
            const struct estimate_statement *t = p->steps[i].statement;
            is_end |= t->from >= 0 && (n == t->from || n == t->to);
        }
        ends += is_end ? p->members[n] : 0;
    }
    return ends;
}

/* The most bytes that a flow moves in a round. */
static double largest_flow(const struct estimate_program *p)
{
    double bytes = 0, over = 1;
    for (unsigned i = 0; i < p->item_count; i++)
        over = p->items[i].kind == ESTIMATE_ITEM_REPEAT ? fmax(over, p->items[i].over) : over;
    for (unsigned i = 0; i < p->step_count; i++)
        bytes = fmax(bytes, p->steps[i].bytes * over);
    return bytes;
}

int estimate_execution_check(const struct estimate_program *p, struct why *why)
{
    if (largest_flow(p) > ESTIMATE_FLOW_MAX)
        return why_say(why, ESTIMATE_PROGRAM_EREFUSED,
                       "a transfer moves %.3g bytes: execution has at most %g; use --mode arithmetic",
                       largest_flow(p), ESTIMATE_FLOW_MAX);
    double actors = count_actors(p), ends = count_ends(p), events = sum_up(p, true);
    double links = 0;
    for (unsigned r = 0; r < p->resource_count; r++)
        links += p->resources[r].members;
    if (actors > ESTIMATE_ACTORS_MAX || ends > ESTIMATE_ENDS_MAX || links > 10 * ESTIMATE_ACTORS_MAX)
        return why_say(
            why, ESTIMATE_PROGRAM_EREFUSED,
            "%u nodes have %.0f members and flows, %.0f ends of transfers and %.0f links: execution has at "
            "most %.0f, %.0f and %.0f; use fewer --nodes or --mode arithmetic",
            p->nodes, actors, ends, links, ESTIMATE_ACTORS_MAX, ESTIMATE_ENDS_MAX, 10 * ESTIMATE_ACTORS_MAX);
    if (events > ESTIMATE_EVENTS_MAX || actors * sum_up(p, false) > 100 * ESTIMATE_EVENTS_MAX)
        return why_say(
            why, ESTIMATE_PROGRAM_EREFUSED,
            "%u nodes move and compute %.3g pieces: execution has at most %.3g; use fewer --nodes, a larger "
            "aggregate or --mode arithmetic",
            p->nodes, events, ESTIMATE_EVENTS_MAX);
    return 0;
}

/* There are lanes if data vary where iterations are dealt over whole nodes, and if they are not too many; if nodes are
 * unlike, they are needed. */
static void find_lanes(struct maker *m)
{
    struct estimate_program *p = m->program;
    bool varies = false, fits = p->nodes <= ESTIMATE_LANES_MAX, unlike = false;
    double work = 0;
    for (unsigned i = 0; i < p->step_count; i++) {
        const struct estimate_step *s = &p->steps[i];
        for (unsigned k = 0; k < s->statement->dataset_count; k++)
            varies |= p->text->datasets[s->statement->datasets[k]].varies.count > 0;
        unlike |= s->has_shares ||
                  (s->verb == ESTIMATE_COMPUTE && p->text->nodesets[s->statement->to].unlike.count > 0);
    }
    for (unsigned i = 0; i < p->item_count; i++)
        if (p->items[i].kind == ESTIMATE_ITEM_REPEAT && p->items[i].deals) {
            fits = fits && p->items[i].over % p->nodes == 0;
            work += (double)p->items[i].count * p->step_count;
        }
    if (unlike && !fits)
        refuse(m, "%u nodes are unlike: expected at most %d, and members of each over which a repeat deals",
               p->nodes, ESTIMATE_LANES_MAX);
    p->lanes = unlike || (varies && fits && work > 0 && work <= ESTIMATE_STEPS_MAX) ? p->nodes : 0;
}

int estimate_program_make(const struct estimate_text *text, uint32_t nodes, struct estimate_program *p,
                          struct why *why)
{
    struct maker m = {.program = p, .text = text, .over = 1, .times = 1, .why = why};
    memset(p, 0, sizeof *p);
    p->text = text;
    p->nodes = nodes > 0 ? nodes : estimate_program_nodes(text);
    for (unsigned i = 0; i < text->nodeset_count; i++) {
        const struct estimate_nodeset *n = &text->nodesets[i];
        double members = scale(text, n->number, n->per_node, p->nodes);
        if (members > ESTIMATE_MEMBERS_MAX)
            refuse(&m, "nodeset '%s' has %.0f members on %u nodes: expected at most %g", n->object.name,
                   members, p->nodes, ESTIMATE_MEMBERS_MAX);
        else
            p->members[i] = (uint32_t)members;
    }
    for (unsigned i = 0; i < text->nodeset_count && !m.kept; i++)
        if (text->nodesets[i].cacherule > 0)
            m.kept = memory_new(text->nodeset_count, sizeof *m.kept);
    add_block(&m, 0, text->statement_count);
    free(m.kept);
    m.statement = NULL;
    if (p->step_count == 0)
        refuse(&m, "no script: expected statements such as send, move or compute in one of the files");
    if (m.status)
        return m.status;
    for (unsigned i = 0; i < p->item_count; i++)
        if (p->items[i].kind == ESTIMATE_ITEM_GROUP)
            cut(&m, &p->items[i].group);
    find_lanes(&m);
    double steps = sum_up(p, false);
    if (steps > ESTIMATE_STEPS_MAX)
        refuse(&m, "the script has %.3g steps with all its repeats: expected at most %g", steps,
               ESTIMATE_STEPS_MAX);
    return m.status;
}

/* --- what a step does in a round ------------------------------------------------------------------------- */

double estimate_seeks_s(const struct estimate_step *s, double bytes)
{
    return s->aggregate > 0 && bytes > s->aggregate ? s->seek_s * (ceil(bytes / s->aggregate) - 1) : 0;
}

/* What a step does in a round with data that are not dealt: `work` and `all` are in what it does in one iteration. */
static struct estimate_amount amount_of(const struct estimate_step *s, const struct estimate_round *r)
{
    const uint32_t active = (uint32_t)((uint64_t)s->units * r->active / r->over);
    if (s->parallel > 0) { /* each member has data of its own; they are dealt over all units */
        double instances = r->active, members = fmin(s->units, s->parallel * instances);
        uint32_t used = (uint32_t)fmax(ceil(members - 1e-9), 1);
        return (struct estimate_amount){.active = used, .rotated = used, .work = instances / members};
    }
    if (s->units < r->over) /* a unit works for several members, one after the other */
        return (struct estimate_amount){.active = s->units < r->active ? s->units : r->active,
                                        .work = ceil((double)r->active / s->units),
                                        .all = r->active};
    return (struct estimate_amount){.active = active, .work = 1, .all = active};
}

/* --- iterations that differ ------------------------------------------------------------------------------ */

/* Work of some iterations. */
struct sums {
    double sum, most;
    uint32_t count;
};

/* The work of the iterations of a round that members from `low` to before `high` do. Members of a node are neighbours,
 * and neighbouring iterations are on neighbouring nodes. */
static struct sums sum_work(const struct estimate_program *p, const struct estimate_step *s,
                            const struct estimate_round *r, const double *work, uint64_t low, uint64_t high)
{
    struct sums f = {0};
    if (r->lanes == 0) { /* all are the same */
        f.count = (uint32_t)(high * r->active / r->over - low * r->active / r->over);
        f.most = join_work(p, s, r, work, 0);
        f.sum = f.most * f.count;
        return f;
    }
    uint32_t of_node = r->over / r->lanes;
    for (uint64_t m = low; m < high; m++) {
        uint64_t i = m % of_node * r->lanes + m / of_node;
        if (i >= r->active)
            continue;
        double own = join_work(p, s, r, work, r->first + i);
        f.sum += own;
        f.most = fmax(f.most, own);
        f.count++;
    }
    return f;
}

static double speed_on(const struct estimate_program *p, const struct estimate_step *s, uint32_t node)
{
    return s->verb == ESTIMATE_COMPUTE ? factor_at(p, p->text->nodesets[s->statement->to].unlike, node) : 1;
}

struct estimate_amount estimate_lane_amount(const struct estimate_program *p, const struct estimate_step *s,
                                            const struct estimate_round *r, uint32_t lane)
{
    const bool by_lane = s->is_dealt ? stays_on_node(s, r) : r->lanes > 0;
    const uint32_t lanes = by_lane ? r->lanes : 1;
    const uint64_t of_lane = r->over / lanes, low = by_lane ? lane * of_lane : 0;
    struct estimate_amount amount;
    double work[ESTIMATE_COMPUTED_MAX];
    find_work(p, s, r, lane, LARGEST, work);
    struct sums own = sum_work(p, s, r, work, low, low + of_lane);
    if (s->is_dealt) {
        amount = (struct estimate_amount){.active = s->units, .work = own.sum};
        if (s->hop_count > 0) {
            find_work(p, s, r, lane, ALL, work);
            amount.all = sum_work(p, s, r, work, low, low + of_lane).sum * lanes;
        }
    } else {
        struct estimate_round alike = *r; /* if every node had the iterations of this one */
        alike.active = own.count * lanes;
        amount = amount_of(s, &alike);
        amount.longest_s = amount.work * own.most;
        amount.work *=
            s->verb == ESTIMATE_COMPUTE && s->parallel == 0 && r->is_last ? own.most : own.sum / own.count;
        amount.all *= own.sum / own.count;
    }
    amount.work /= speed_on(p, s, lane);
    amount.longest_s /= speed_on(p, s, lane);
    return amount;
}

/* The members, of those over which iterations are dealt, whose iterations a unit does: from `low` on, before `high`. */
static void find_served(const struct estimate_program *p, const struct estimate_step *s,
                        const struct estimate_round *r, uint32_t unit, uint64_t *low, uint64_t *high)
{
    const bool stays = stays_on_node(s, r), is_whole = !s->is_dealt && s->parallel == 0;
    const uint64_t of_node = stays ? r->over / r->lanes : r->over;
    *low = is_whole ? (uint64_t)unit * r->over / s->units : stays ? node_of(p, s, unit) * of_node : 0;
    *high = is_whole ? ((uint64_t)unit + 1) * r->over / s->units : *low + of_node;
    if (*high == *low)
        *high = *low + 1; /* several units work for one member */
}

struct estimate_amount estimate_unit_amount(const struct estimate_program *p, const struct estimate_step *s,
                                            const struct estimate_round *r, uint32_t unit)
{
    const uint32_t node = node_of(p, s, unit);
    struct estimate_amount amount;
    double work[ESTIMATE_COMPUTED_MAX];
    uint64_t low, high;
    /* A member's own link has what it sends and what it gets: as much as that of the member with most. */
    find_work(p, s, r, node, s->alike ? LARGEST : (int64_t)unit, work);
    if (s->parallel > 0) { /* some members compute the data: each takes the next iteration */
        uint64_t stride = (uint64_t)fmax(ceil(fmin(s->units, s->parallel * r->over) - 1e-9), 1);
        uint64_t first = r->number * stride % s->units, rank = (unit + s->units - first) % s->units;
        amount = amount_of(s, r);
        amount.active = rank < amount.rotated;
        if (amount.rotated < r->active) /* on the mean, several iterations each */
            amount.work *= sum_work(p, s, r, work, 0, r->over).sum / r->active;
        else
            amount.work *= join_work(p, s, r, work, r->first + rank * r->active / amount.rotated);
    } else {
        find_served(p, s, r, unit, &low, &high);
        struct sums own = sum_work(p, s, r, work, low, high);
        amount = (struct estimate_amount){.active = s->is_dealt || own.count > 0, .work = own.sum};
    }
    amount.work /= speed_on(p, s, node);
    return amount;
}

double estimate_unit_share_s(const struct estimate_program *p, const struct estimate_step *s,
                             const struct estimate_round *r, uint32_t unit)
{
    const uint32_t node = node_of(p, s, unit), nodes = stays_on_node(s, r) ? r->lanes : 1;
    double work[ESTIMATE_COMPUTED_MAX];
    uint64_t low, high;
    find_work(p, s, r, node, unit, work);
    find_served(p, s, r, unit, &low, &high);
    return sum_work(p, s, r, work, low, high).sum * nodes / s->units / speed_on(p, s, node);
}

/* --- the way through a program ------------------------------------------------------------------------------- */

struct walk {
    const struct estimate_program *program;
    estimate_visit *visit;
    void *data;
    uint64_t rounds;
};

static void walk_items(struct walk *w, unsigned from, unsigned to, const struct estimate_round *round)
{
    for (unsigned i = from; i < to;) {
        const struct estimate_item *item = &w->program->items[i++];
        if (item->kind != ESTIMATE_ITEM_REPEAT) {
            w->visit(w->data, item->kind == ESTIMATE_ITEM_GROUP ? &item->group : NULL, round);
            continue;
        }
        for (uint32_t k = 0; k < item->rounds; k++) {
            const uint32_t lanes = item->deals ? w->program->lanes : 0, left = item->count - k * item->over;
            struct estimate_round inner = *round;
            if (item->over > 1 || lanes > 0)
                inner = (struct estimate_round){.active = left < item->over ? left : item->over,
                                                .over = item->over,
                                                .lanes = lanes,
                                                .is_last = k + 1 == item->rounds,
                                                .first = (uint64_t)k * item->over};
            inner.number = w->rounds++;
            walk_items(w, i, item->end, &inner);
        }
        i = item->end;
    }
}

void estimate_program_walk(const struct estimate_program *program, estimate_visit *visit, void *data)
{
    struct walk w = {program, visit, data, 0};
    walk_items(&w, 0, program->item_count, &(struct estimate_round){.active = 1, .over = 1});
}
