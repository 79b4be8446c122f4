/* sweep_plan.h - the points of a sweep: which machines on which inputs, and what they share.
 *
 * Models    every pair of inputs under every combination of the axes' values (a grid), or under a Latin hypercube
 *           sample of them (McKay, Beckman, Conover 1979): `samples` points, every axis cut into as many equal strata of
 *           its list of values and each stratum drawn from once.
 * Sharing   points of one search (same input, same numbers of HARDWARE_SEARCH) find the same HSPs and need stage 3 once;
 *           points of one structure (same search, same Bloom filter and tables) share their tokens.
 * Identity  of a point: 128 bits of XXH3 over the program's version, the inputs' digests, strand, E-value, the platform
 *           file's bytes and every number of the machine as text. Points that come twice are one.
 * Errors    a negative SWEEP_PLAN_E* code and one line; a machine that makes no sense is found here.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_PLAN_H
#define MERCURY_APP_SWEEP_SWEEP_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "blast/stage3/scoring.h"
#include "blast/sequence/segment.h"
#include "blast/sequence/sequence.h"
#include "sim/board/hardware.h"
#include "app/sweep/sweep_range.h"

enum sweep_plan_error {
    SWEEP_PLAN_EMEMORY = -1,
    SWEEP_PLAN_EPOINT = -2, /* a point's machine makes no sense */
    SWEEP_PLAN_ESIZE = -3,  /* too many points */
};

enum { SWEEP_POINTS_MAX = 1000000, SWEEP_IDENTITY_TEXT = 33 };

/** A query and a database. */
struct sweep_input {
    const char *query_path, *database_path;
    const struct sequences *query, *database;
};

struct sweep_request {
    struct hardware hardware;  /* what is not varied */
    struct scoring chosen_for; /* the scores of stage 2's threshold: it is converted to a point's own */
    bool keeps_threshold;      /* it is not, as where it is varied */
    const struct sweep_axis *axes;
    size_t axis_count;
    const struct sweep_input *inputs;
    size_t input_count;
    size_t samples; /* of a Latin hypercube; 0: the grid */
    uint64_t seed;  /* of the sample */
    enum strand_choice strands;
    double e_value;
    uint64_t platform_digest;
};

struct sweep_search {
    size_t input;
    struct query_segment *segments;
    size_t pass_count;
    size_t first_pass; /* number of its first pass among those of all searches */
    struct scoring_statistics statistics;
    int least_score;
};

struct sweep_structure {
    size_t search, point_count;
    size_t first_pass; /* number of its first pass among those of all structures */
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
    size_t search_passes, structure_passes; /* over all of them */
    size_t search_room, structure_room, point_room;
    void *search_keys, *structure_keys, *point_keys; /* by digest */
};

/** Lay out the points; the request and what it points to must outlive the plan.
 *
 * @param plan  filled on success, for sweep_plan_destroy()
 */
int sweep_plan_make(const struct sweep_request *request, struct sweep_plan *plan, struct why *why);

/** Add a machine on an input, or find it among the points.
 *
 * @param point  out: its number
 */
int sweep_plan_add(struct sweep_plan *plan, size_t input, const struct hardware *hardware, size_t *point,
                   struct why *why);
void sweep_plan_destroy(struct sweep_plan *plan);

/** XXH3 over the points' identities: ranks whose plans differ must not share work. */
uint64_t sweep_plan_digest(const struct sweep_plan *plan);

static inline const struct sweep_search *sweep_plan_search(const struct sweep_plan *plan, size_t point)
{
    return &plan->searches[plan->structures[plan->points[point].structure].search];
}

static inline const struct sweep_input *sweep_plan_input(const struct sweep_plan *plan, size_t point)
{
    return &plan->request->inputs[sweep_plan_search(plan, point)->input];
}

#endif
