/* sweep_plan.h - the points of a sweep: which machines on which inputs, and what they share.
 *
 * Models    every pair of inputs under every combination of the axes' values (a grid), or under a Latin hypercube
 *           sample of them (McKay, Beckman, Conover 1979): of `samples` points, every axis is cut into as many equal
 *           strata of its list of values, and one value is drawn from each stratum.
 * Sharing   points of one search (same input, same parameters of HARDWARE_SEARCH) find the same HSPs and need stage 3
 *           once; points of one structure (same search, same Bloom filter and tables) share their tokens.
 * Identity  a point is known by 128 bits of XXH3 over the program's version, the digests of the inputs, strand,
 *           E-value, the platform file's bytes and every parameter of the machine as text. Points of one identity are
 *           one point.
 * Left out  combinations of table.inline_positions and table.slot_bytes, if both vary, that no slot holds.
 * Errors    WHY_SAID and one line; any other impossible machine is refused here.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "blast/sequence/segment.h"
#include "blast/sequence/sequence.h"
#include "blast/stage3/scoring.h"
#include "sim/board/hardware.h"

/* The values that a parameter takes in a sweep, parsed from text.
 *
 * Text      NAME=ITEM,ITEM,...   An item is a value ("64", "xxh3", "2^14", "133e6") or a range:
 *               2^14..2^20       every power of the base
 *               16..20           every whole number
 *               32..512+32       steps of 32, none beyond 512
 *               1e6..8e6*2       factors of 2
 * Order     as written; a value that is written twice counts once.
 * Errors    one line: what was found, and what a range looks like.
 */

enum { SWEEP_VALUES_MAX = 10000, SWEEP_VALUE_TEXT = 64 };

struct sweep_axis {
    size_t parameter; /* of hardware.h */
    const char *name; /* of that parameter */
    char (*values)[SWEEP_VALUE_TEXT];
    size_t count, room;
};

/** Write a value as whatever it is for writes it. @return 0, or negative and one line if it does not allow the value */
typedef int sweep_value_write(void *data, const char *text, char value[SWEEP_VALUE_TEXT], struct why *why);

/** Parse the values of an axis, whose name and parameter the caller has set.
 *
 * @param items  what stands after the =; NULL: nothing, which is refused
 * @param unit   of the numbers, or NULL
 */
int sweep_axis_fill(struct sweep_axis *axis, const char *items, const char *unit, sweep_value_write *write,
                    void *data, struct why *why);

/** Parse one axis of the machine.
 *
 * @param axis  filled on success, for sweep_axis_destroy(); every value is one that hardware_set() takes
 */
int sweep_axis_parse(const char *text, struct sweep_axis *axis, struct why *why);
void sweep_axis_destroy(struct sweep_axis *axis);

enum { SWEEP_POINTS_MAX = 1000000, SWEEP_AXES_MAX = 32, SWEEP_IDENTITY_TEXT = 33 };

/** A query and a database. */
struct sweep_input {
    const char *query_path, *database_path;
    const struct sequences *query, *database;
};

struct platform;

struct sweep_request {
    struct hardware hardware;  /* the parameters that are not varied */
    struct scoring chosen_for; /* the scores that stage 2's threshold was chosen for */
    bool keeps_threshold; /* do not convert the threshold to the scores of a point; implied if it is varied */
    struct sweep_axis axes[SWEEP_AXES_MAX];
    size_t axis_count;
    const struct sweep_input *inputs;
    size_t input_count;
    size_t samples; /* number of points of a Latin hypercube; 0 for the grid */
    uint64_t seed;  /* of the Latin hypercube */
    enum strand_choice strands;
    double e_value;
    struct platform *platform; /* that SimGrid has accepted */
    uint64_t platform_digest;
};

struct sweep_search {
    size_t input;
    struct query_segment *segments;
    size_t pass_count;
    struct scoring_statistics statistics;
    int *least_scores; /* of the query's records */
};

struct sweep_structure {
    size_t search, point_count;
    size_t first_pass; /* index of its first pass among the passes of all structures */
};

struct sweep_point {
    struct hardware hardware;
    size_t structure;
    char identity[SWEEP_IDENTITY_TEXT];
};

struct sweep_plan {
    const struct sweep_request *request;
    struct sweep_search *searches;
    struct sweep_structure *structures;
    struct sweep_point *points;
    size_t search_count, structure_count, point_count;
    size_t unbuildable;      /* number of points left out */
    size_t structure_passes; /* sum over all structures */
    size_t search_room, structure_room, point_room;
    void *keys; /* a tree that finds searches, structures and points by their digests; each kind has others */
};

/** Lay out the points; the request and what it points to must outlive the plan.
 *
 * @param plan  filled on success, for sweep_plan_destroy()
 */
int sweep_plan_make(const struct sweep_request *request, struct sweep_plan *plan, struct why *why);

/** Add a machine on an input as a point, unless the plan has that point.
 *
 * @param point  out: the point's index
 */
int sweep_plan_add(struct sweep_plan *plan, size_t input, const struct hardware *hardware, size_t *point,
                   struct why *why);
void sweep_plan_destroy(struct sweep_plan *plan);

/** XXH3 over the identities of all points: ranks whose plans differ must not share work. */
uint64_t sweep_plan_digest(const struct sweep_plan *plan);

static inline const struct sweep_search *sweep_plan_search(const struct sweep_plan *plan, size_t point)
{
    return &plan->searches[plan->structures[plan->points[point].structure].search];
}

static inline const struct sweep_input *sweep_plan_input(const struct sweep_plan *plan, size_t point)
{
    return &plan->request->inputs[sweep_plan_search(plan, point)->input];
}
