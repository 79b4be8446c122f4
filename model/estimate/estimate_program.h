/* estimate_program.h - what the texts of an estimate mean on a number of nodes: steps, the resources that they use, and
 * what waits for what. Arithmetic (estimate_arithmetic.h) and SimGrid (sim/simgrid/script_actors.h) run the same
 * program.
 *
 * Nodes     what --nodes counts. Numbers `per node` are multiplied by it. In a text without any, a node is a member of
 *           the first nodeset of type memory, and all numbers that are multiples of its number grow with it.
 * Steps     a transfer is made of flows: one for each member of the nodeset at its greater end. Its route is the
 *           shortest chain of linksets; each flow uses one member of each resource on it. A computation is made by the
 *           members of its CPU.
 * Resources a member of a linkset moves `bandwidth`, both directions together if it is full duplex; if it is half
 *           duplex, it moves only from its `from` to its `to`. A nodeset's bandwidth bounds what begins, ends or passes
 *           at a member, each transfer counting once. With `ports`, a member's traffic with a linkset is bounded by as
 *           many of the linkset's members.
 * Data      a dataset with a distribution is dealt over the units of a step, in whole units of its own; one without is
 *           whole in each unit of the step.
 * Pipeline  consecutive steps form a group, whose data go through in pieces (`aggregate`). A `send` to a CPU is a group
 *           of its own: the CPU waits until it has everything. Steps wait for the last step before them, of the same
 *           repeat and since the last `synchronize`, that ended where they begin or had their data.
 * Varies    in a repeat that deals its iterations over members, a dataset that varies has its own factor in each
 *           iteration. Then every node is a lane, with times of its own: iteration i is on lane i modulo their number,
 *           and what is dealt there is dealt over the members of that node only. Without such a dataset there are no
 *           lanes: all nodes do the same.
 * Unlike    CPUs whose speed differs from node to node, and shares of dealt data, also make every node a lane.
 * Kept      a nodeset with a cacherule keeps the datasets that were last moved into it or through it, as far as all of
 *           each fit. What it has is moved from there. The first iteration of a repeat is then made apart from the
 *           further ones. Iterations that are dealt over members have data of their own, which are not kept.
 * Time      of a transfer is latency + bytes / bandwidth, of a computation operations / floatspeed.
 * Errors    ESTIMATE_PROGRAM_E* and one line: file, line, what was expected.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/why.h"
#include "model/estimate/estimate_text.h"

enum { ESTIMATE_PROGRAM_EREFUSED = -2 };

enum {
    ESTIMATE_HOPS_MAX = 32, /* uses of resources by one flow */
    ESTIMATE_RESOURCES_MAX = 128,
    ESTIMATE_PIECES_MAX = 10000, /* of a group */
    ESTIMATE_PIECES_DEFAULT = 32,
    ESTIMATE_LANES_MAX = 4096,
};

/** The most nodes, and the most steps of a program, repeats counted. */
#define ESTIMATE_NODES_MAX 1e6
#define ESTIMATE_STEPS_MAX 1e7

/** The most of an execution: actors, members that send or receive, pieces that are moved or computed, and bytes of a
 * flow. */
#define ESTIMATE_ACTORS_MAX 20000.0
#define ESTIMATE_ENDS_MAX   6000.0
#define ESTIMATE_EVENTS_MAX 1e8
#define ESTIMATE_FLOW_MAX   1e15

struct estimate_resource {
    char name[2 * ESTIMATE_NAME_BYTES + 8]; /* "pcix", "host", "ports of host" */
    double capacity;                        /* B/s of a member */
    uint32_t members;
    int linkset, nodeset; /* what it is of; -1 if it is not of that kind */
};

/** A use of a resource: flow u of F uses member (u * members / F + shift) % members. */
struct estimate_hop {
    unsigned resource;
    uint32_t shift;
};

struct estimate_step {
    const struct estimate_statement *statement;
    unsigned verb;
    uint32_t units;                     /* flows, or members that compute */
    bool is_dealt;                      /* its data are dealt over its units */
    bool blocks;                        /* a CPU waits for all of it */
    bool pipelined;                     /* the datasets of a computation are computed side by side */
    bool exchanges;                     /* it moves the ghosts of its data only */
    bool alike;                         /* each flow moves as much as the largest */
    bool is_uneven;                     /* its data are dealt, and not all parts are the same */
    bool has_shares;                    /* by node, of dealt data */
    double cost[ESTIMATE_COMPUTED_MAX]; /* by dataset: bytes of a unit, or seconds of a member for it */
    double bytes;                       /* of the largest flow, with one instance of the data */
    double parallel;                    /* members that can compute an instance at once; 0: all */
    int from;           /* nodeset where it begins: the statement's, or one that keeps the data */
    double latency_s;   /* of the route */
    double seek_s;      /* the part of a disk's linkset, for each further piece that is read or written */
    double aggregate;   /* bytes of such a piece; 0: all is one */
    unsigned seeks_hop; /* the hop that is this linkset; ESTIMATE_HOPS_MAX: none is */
    struct estimate_hop hops[ESTIMATE_HOPS_MAX];
    unsigned hop_count;
    int before;     /* step that it waits for; -1: none */
    unsigned group; /* item that is its group */
};

struct estimate_group {
    unsigned first, count; /* steps */
    unsigned pieces;
};

enum estimate_item_kind { ESTIMATE_ITEM_GROUP, ESTIMATE_ITEM_SYNCHRONIZE, ESTIMATE_ITEM_REPEAT };

struct estimate_item {
    enum estimate_item_kind kind;
    double times; /* how often it is done, by all rounds of the repeats around it */
    struct estimate_group group;
    uint32_t rounds; /* of a repeat: iterations that the busiest member does */
    uint32_t count,
        over;     /* iterations in all, and the members that they are dealt over; over is 1 if all do each */
    bool deals;   /* it has an `over` */
    unsigned end; /* index of the first item after its body */
};

struct estimate_program {
    const struct estimate_text *text;
    uint32_t nodes;
    uint32_t members[ESTIMATE_NODESETS_MAX];
    struct estimate_resource resources[ESTIMATE_RESOURCES_MAX];
    struct estimate_step steps[ESTIMATE_STATEMENTS_MAX];
    struct estimate_item items[2 * ESTIMATE_STATEMENTS_MAX];
    unsigned resource_count, step_count, item_count;
    uint32_t lanes; /* nodes if data vary or nodes are unlike, else 0 */
};

/** A round of a repeat: which of its members take part, and how often the repeat was gone through before. */
struct estimate_round {
    uint32_t active,
        over; /* members that do an iteration, of those over which iterations are dealt; 1 of 1: no over */
    uint64_t number; /* of rounds before, of all repeats around */
    uint32_t lanes;  /* of the program; 0 also in a repeat that deals no iterations */
    uint64_t first;  /* with lanes: the round's first iteration */
    bool is_last;    /* with lanes: the repeat's last one, in which the longest iteration of a node counts */
};

/** What a step does in a round. */
struct estimate_amount {
    uint32_t active;  /* units that take part */
    uint32_t rotated; /* if not 0: they are not always the same, but the next ones of each round */
    double work;      /* bytes of each flow, or seconds of each member */
    double all;       /* of a lane: bytes of all flows together */
    double longest_s; /* of a lane with `parallel` data: of the member with the most of it */
};

/** Number of nodes that the texts describe. */
uint32_t estimate_program_nodes(const struct estimate_text *text);

/** Make a program, which points into the text. @param nodes  0: as the texts say */
int estimate_program_make(const struct estimate_text *text, uint32_t nodes, struct estimate_program *program,
                          struct why *why);

/** Check that SimGrid can execute a program in reasonable time: actors, and events of all of them. */
int estimate_execution_check(const struct estimate_program *program, struct why *why);

/** The time for which a flow of so many bytes makes a disk seek after its first piece. */
double estimate_seeks_s(const struct estimate_step *step, double bytes);

/** Number of iterations of a round that are on a lane; without lanes, of all. */
uint32_t estimate_lane_active(const struct estimate_round *round, uint32_t lane);

/** What a step does if all nodes do what a lane does that has an iteration in this round; without lanes, what it
 *  does. */
struct estimate_amount estimate_lane_amount(const struct estimate_program *program,
                                            const struct estimate_step *step,
                                            const struct estimate_round *round, uint32_t lane);

/** What a unit of a step does; it takes part if `active` is not 0. */
struct estimate_amount estimate_unit_amount(const struct estimate_program *program,
                                            const struct estimate_step *step,
                                            const struct estimate_round *round, uint32_t unit);

/** The part of `parallel` data that is a unit's if all share their work. */
double estimate_unit_share_s(const struct estimate_program *program, const struct estimate_step *step,
                             const struct estimate_round *round, uint32_t unit);

/** A group, or, if it is NULL, a `synchronize`, in one round of the repeats around it. */
typedef void estimate_visit(void *data, const struct estimate_group *group,
                            const struct estimate_round *round);

/** Go through a program in the order in which it is done. */
void estimate_program_walk(const struct estimate_program *program, estimate_visit *visit, void *data);

/** The member of a resource that a flow uses. */
static inline uint32_t estimate_hop_member(const struct estimate_program *p, const struct estimate_step *step,
                                           const struct estimate_hop *hop, uint64_t flow)
{
    uint64_t members = p->resources[hop->resource].members;
    return (uint32_t)((flow * members / step->units + hop->shift) % members);
}
