#include "traces/clocks.h"

#include <math.h>
#include <stdlib.h>

/* --- clocks as they are ---------------------------------------------------------------------------------- */

double local_clock_stamp_s(const struct local_clock *c, double t_s)
{
    double shown = (1 + c->rate_error) * t_s + c->offset_s;
    return c->resolution_s > 0 ? floor(shown / c->resolution_s) * c->resolution_s : shown;
}

struct clock_line local_clock_line(const struct local_clock *from, const struct local_clock *reference)
{
    double rate = (1 + reference->rate_error) / (1 + from->rate_error);
    return (struct clock_line){.rate = rate, .offset_s = reference->offset_s - rate * from->offset_s};
}

/* --- bounds ---------------------------------------------------------------------------------------------- */

struct point {
    double x, y; /* time of the clock, time of the reference */
};

/* The points that the line lies above (from messages to the clock) or below: only their hull, in order of x. */
struct chain {
    struct point *points;
    size_t count;
};

struct clock_map {
    struct chain below, above; /* the line passes between them */
    double rate_least, rate_most;
    struct clock_line line;
};

static int compare_points(const void *a, const void *b)
{
    const struct point *left = a, *right = b;
    if (left->x != right->x)
        return left->x < right->x ? -1 : 1;
    return (left->y > right->y) - (left->y < right->y);
}

/* Positive if c lies to the left of the line from a to b. */
static double turn(struct point a, struct point b, struct point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Andrew's monotone chain: the points that bound a line from below (side 1: their upper hull) or from above (side
 * -1). */
static void keep_hull(struct chain *chain, double side)
{
    struct point *p = chain->points;
    size_t kept = 0;
    qsort(p, chain->count, sizeof *p, compare_points);
    for (size_t i = 0; i < chain->count; i++) {
        while (kept >= 2 && side * turn(p[kept - 2], p[kept - 1], p[i]) >= 0)
            kept--;
        p[kept++] = p[i];
    }
    chain->count = kept;
}

static size_t put_chain(const struct chain *chain, enum stamp_direction direction, struct stamp_pair *pairs)
{
    for (size_t i = 0; i < chain->count; i++)
        pairs[i] = (struct stamp_pair){chain->points[i].x, chain->points[i].y, direction};
    return chain->count;
}

size_t stamp_pairs_thin(struct stamp_pair *pairs, size_t count)
{
    struct chain to = {.points = malloc((count + 1) * sizeof(struct point))};
    struct chain from = {.points = malloc((count + 1) * sizeof(struct point))};
    if (to.points && from.points) {
        for (size_t i = 0; i < count; i++) {
            struct chain *chain = pairs[i].direction == STAMP_TO_CLOCK ? &to : &from;
            chain->points[chain->count++] = (struct point){pairs[i].clock_s, pairs[i].reference_s};
        }
        keep_hull(&to, 1);
        keep_hull(&from, -1);
        count = put_chain(&to, STAMP_TO_CLOCK, pairs);
        count += put_chain(&from, STAMP_FROM_CLOCK, pairs + count);
    }
    free(to.points);
    free(from.points);
    return count;
}

/* A stamp shows the beginning of a tick, so the event may lie up to a tick later. To keep every bound true, messages to
 * the clock are taken a tick later on the clock's side and messages from it a tick later on the reference's side (s >
 * 0). */
static void add_bound(struct clock_map *map, const struct stamp_pair *pair, const struct stamp_exchange *e)
{
    if (pair->direction == STAMP_TO_CLOCK)
        map->below.points[map->below.count++] =
            (struct point){pair->clock_s + e->clock_resolution_s, pair->reference_s + e->to_clock_least_s};
    else
        map->above.points[map->above.count++] = (struct point){
            pair->clock_s, pair->reference_s + e->reference_resolution_s - e->from_clock_least_s};
}

/* Bounds that touch may cross by the rounding of a double. */
static const double ROUNDING = 1e-15, RATE_ROUNDING = 1e-12;

/* An offset exists for a slope s if below_i - above_j <= s (x_i - x_j) for all i, j. */
static bool bound_rate(struct clock_map *map)
{
    bool feasible = true;
    map->rate_least = 0;
    map->rate_most = INFINITY;
    for (size_t i = 0; i < map->below.count; i++)
        for (size_t j = 0; j < map->above.count; j++) {
            double dx = map->below.points[i].x - map->above.points[j].x;
            double dy = map->below.points[i].y - map->above.points[j].y;
            if (dx > 0)
                map->rate_least = fmax(map->rate_least, dy / dx);
            else if (dx < 0)
                map->rate_most = fmin(map->rate_most, dy / dx);
            else
                feasible = feasible && dy <= ROUNDING * (1 + fabs(map->above.points[j].y));
        }
    return feasible && map->rate_least <= map->rate_most * (1 + RATE_ROUNDING);
}

/* The greater of two numbers (side 1), or the lesser (side -1). */
static double farther(double side, double a, double b)
{
    return side > 0 ? fmax(a, b) : fmin(a, b);
}

/* The offsets that are possible at a slope go from the highest of the points below (side 1) to the lowest of those
 * above (side -1). */
static double offset_end(const struct chain *chain, double side, double rate)
{
    double end = -side * INFINITY;
    for (size_t i = 0; i < chain->count; i++)
        end = farther(side, end, chain->points[i].y - rate * chain->points[i].x);
    return end;
}

static int fit(struct clock_map *map)
{
    if (map->below.count == 0 || map->above.count == 0)
        return CLOCKS_EFEW;
    keep_hull(&map->below, 1);
    keep_hull(&map->above, -1);
    if (!bound_rate(map))
        return CLOCKS_EINCONSISTENT;
    if (!isfinite(map->rate_most) || map->rate_least <= 0)
        return CLOCKS_EFEW;
    map->line.rate = (map->rate_least + map->rate_most) / 2;
    map->line.offset_s =
        (offset_end(&map->below, 1, map->line.rate) + offset_end(&map->above, -1, map->line.rate)) / 2;
    return 0;
}

int clock_map_estimate(const struct stamp_pair *pairs, size_t count, const struct stamp_exchange *exchange,
                       struct clock_map **out)
{
    struct clock_map *map = calloc(1, sizeof *map);
    *out = NULL;
    if (!map)
        return CLOCKS_EMEMORY;
    map->below.points = malloc((count + 1) * sizeof(struct point));
    map->above.points = malloc((count + 1) * sizeof(struct point));
    int status = map->below.points && map->above.points ? 0 : CLOCKS_EMEMORY;
    for (size_t i = 0; status == 0 && i < count; i++)
        add_bound(map, &pairs[i], exchange);
    if (status == 0)
        status = fit(map);
    if (status != 0) {
        clock_map_destroy(map);
        return status;
    }
    *out = map;
    return 0;
}

void clock_map_destroy(struct clock_map *map)
{
    if (!map)
        return;
    free(map->below.points);
    free(map->above.points);
    free(map);
}

/* --- virtual time ---------------------------------------------------------------------------------------- */

struct clock_line clock_map_line(const struct clock_map *map)
{
    return map->line;
}

void clock_map_rate_bounds(const struct clock_map *map, double *least, double *most)
{
    *least = map->rate_least;
    *most = map->rate_most;
}

double clock_map_virtual_s(const struct clock_map *map, double clock_s)
{
    return map->line.rate * clock_s + map->line.offset_s;
}

/* The greatest s x + offset(s) over all possible slopes s, with the offsets that the points above allow (side -1), or
 * the least one with those that the points below allow (side 1). It is concave or convex in s, so it lies at a kink of
 * the offset or at an end; the kinks are the slopes between neighbours of the hull. */
static double virtual_end(const struct clock_map *map, const struct chain *chain, double side, double x)
{
    double end = farther(-side, map->rate_least * x + offset_end(chain, side, map->rate_least),
                         map->rate_most * x + offset_end(chain, side, map->rate_most));
    for (size_t i = 1; i < chain->count; i++) {
        const struct point *a = &chain->points[i - 1], *b = &chain->points[i];
        double rate = (b->y - a->y) / (b->x - a->x);
        if (b->x > a->x && rate > map->rate_least && rate < map->rate_most)
            end = farther(-side, end, rate * x + offset_end(chain, side, rate));
    }
    return end;
}

void clock_map_bounds_s(const struct clock_map *map, double clock_s, double *least_s, double *most_s)
{
    *least_s = virtual_end(map, &map->below, 1, clock_s);
    *most_s = virtual_end(map, &map->above, -1, clock_s);
}

/* Add one stamp to the worst error so far. */
static void take_error(const struct clock_map *map, struct clock_line truth, double clock_s,
                       struct clock_error *error)
{
    double least_s, most_s, virtual_s = clock_map_virtual_s(map, clock_s);
    double true_s = truth.rate * clock_s + truth.offset_s, rounding_s = RATE_ROUNDING * (1 + fabs(true_s));
    clock_map_bounds_s(map, clock_s, &least_s, &most_s);
    error->worst_s = fmax(error->worst_s, fabs(virtual_s - true_s));
    error->bound_s = fmax(error->bound_s, fmax(most_s - virtual_s, virtual_s - least_s));
    error->within = error->within && least_s <= true_s + rounding_s && true_s <= most_s + rounding_s;
}

/* The bounds are convex around a straight line, so the largest error is at an end. */
struct clock_error clock_map_error(const struct clock_map *map, struct clock_line truth, double first_s,
                                   double last_s)
{
    struct clock_error error = {.rate = map->line.rate - truth.rate, .within = true};
    take_error(map, truth, first_s, &error);
    take_error(map, truth, last_s, &error);
    return error;
}
