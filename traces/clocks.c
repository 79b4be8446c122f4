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

static int compare_pairs(const void *a, const void *b)
{
    const struct stamp_pair *left = a, *right = b;
    if (left->direction != right->direction)
        return left->direction == STAMP_TO_CLOCK ? -1 : 1;
    if (left->clock_s != right->clock_s)
        return left->clock_s < right->clock_s ? -1 : 1;
    return (left->reference_s > right->reference_s) - (left->reference_s < right->reference_s);
}

/* Andrew's monotone chain: of `count` sorted pairs, those that bound a line from below (side 1: their upper hull) or
 * from above (side -1). `turn` is positive if a pair lies to the left of the line through the two before it.
 * @return their number */
static size_t keep_hull(const struct stamp_pair *pairs, size_t count, double side, struct stamp_pair *hull)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        for (; kept >= 2; kept--) {
            const struct stamp_pair a = hull[kept - 2], b = hull[kept - 1], c = pairs[i];
            const double turn = (b.clock_s - a.clock_s) * (c.reference_s - a.reference_s) -
                                (b.reference_s - a.reference_s) * (c.clock_s - a.clock_s);
            if (!(side * turn >= 0))
                break;
        }
        hull[kept++] = pairs[i];
    }
    return kept;
}

/* Thin pairs, those to the clock first. @return number of these; *count becomes that of all */
static size_t thin(struct stamp_pair *pairs, size_t *count)
{
    size_t to = 0;
    if (*count == 0)
        return 0;
    qsort(pairs, *count, sizeof *pairs, compare_pairs);
    while (to < *count && pairs[to].direction == STAMP_TO_CLOCK)
        to++;
    const size_t kept = keep_hull(pairs, to, 1, pairs);
    *count = kept + keep_hull(pairs + to, *count - to, -1, pairs + kept);
    return kept;
}

size_t stamp_pairs_thin(struct stamp_pair *pairs, size_t count)
{
    thin(pairs, &count);
    return count;
}

/* The point that a pair bounds the line at: the line lies above it (of messages to the clock), or below. A stamp shows
 * the beginning of a tick, so the event may lie up to a tick later. To keep every bound true, messages to the clock
 * are taken a tick later on the clock's side and messages from it a tick later on the reference's side (s > 0). */
static struct stamp_pair bound_of(const struct clock_map *map, size_t i)
{
    const struct stamp_exchange *e = &map->exchange;
    struct stamp_pair at = map->pairs[i];
    if (at.direction == STAMP_TO_CLOCK) {
        at.clock_s += e->clock_resolution_s;
        at.reference_s += e->to_clock_least_s;
    } else {
        at.reference_s = at.reference_s + e->reference_resolution_s - e->from_clock_least_s;
    }
    return at;
}

/* Bounds that touch may cross by the rounding of a double. */
static const double ROUNDING = 1e-15, RATE_ROUNDING = 1e-12;

/* An offset exists for a slope s if below_i - above_j <= s (x_i - x_j) for all i, j. */
static bool bound_rate(struct clock_map *map)
{
    bool feasible = true;
    map->rate_least = 0;
    map->rate_most = INFINITY;
    for (size_t i = 0; i < map->below; i++)
        for (size_t j = map->below; j < map->count; j++) {
            const struct stamp_pair below = bound_of(map, i), above = bound_of(map, j);
            double dx = below.clock_s - above.clock_s, dy = below.reference_s - above.reference_s;
            if (dx > 0)
                map->rate_least = fmax(map->rate_least, dy / dx);
            else if (dx < 0)
                map->rate_most = fmin(map->rate_most, dy / dx);
            else
                feasible = feasible && dy <= ROUNDING * (1 + fabs(above.reference_s));
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
static double offset_end(const struct clock_map *map, double side, double rate)
{
    double end = -side * INFINITY;
    for (size_t i = side > 0 ? 0 : map->below; i < (side > 0 ? map->below : map->count); i++) {
        const struct stamp_pair at = bound_of(map, i);
        end = farther(side, end, at.reference_s - rate * at.clock_s);
    }
    return end;
}

int clock_map_estimate(struct clock_map *map, struct stamp_pair *pairs, size_t count,
                       const struct stamp_exchange *exchange)
{
    const size_t below = thin(pairs, &count);
    *map = (struct clock_map){.pairs = pairs, .below = below, .count = count, .exchange = *exchange};
    if (below == 0 || below == count)
        return CLOCKS_EFEW;
    if (!bound_rate(map))
        return CLOCKS_EINCONSISTENT;
    if (!isfinite(map->rate_most) || map->rate_least <= 0)
        return CLOCKS_EFEW;
    map->line.rate = (map->rate_least + map->rate_most) / 2;
    map->line.offset_s = (offset_end(map, 1, map->line.rate) + offset_end(map, -1, map->line.rate)) / 2;
    return 0;
}

/* --- virtual time ---------------------------------------------------------------------------------------- */

double clock_map_virtual_s(const struct clock_map *map, double clock_s)
{
    return map->line.rate * clock_s + map->line.offset_s;
}

/* The greatest s x + offset(s) over all possible slopes s, with the offsets that the points above allow (side -1), or
 * the least one with those that the points below allow (side 1). It is concave or convex in s, so it lies at a kink of
 * the offset or at an end; the kinks are the slopes between neighbours of the hull. */
static double virtual_end(const struct clock_map *map, double side, double x)
{
    const size_t first = side > 0 ? 0 : map->below, stop = side > 0 ? map->below : map->count;
    double end = farther(-side, map->rate_least * x + offset_end(map, side, map->rate_least),
                         map->rate_most * x + offset_end(map, side, map->rate_most));
    for (size_t i = first + 1; i < stop; i++) {
        const struct stamp_pair a = bound_of(map, i - 1), b = bound_of(map, i);
        double rate = (b.reference_s - a.reference_s) / (b.clock_s - a.clock_s);
        if (b.clock_s > a.clock_s && rate > map->rate_least && rate < map->rate_most)
            end = farther(-side, end, rate * x + offset_end(map, side, rate));
    }
    return end;
}

void clock_map_bounds_s(const struct clock_map *map, double clock_s, double *least_s, double *most_s)
{
    *least_s = virtual_end(map, 1, clock_s);
    *most_s = virtual_end(map, -1, clock_s);
}

/* The bounds are convex around a straight line, so the largest error is at an end. */
struct clock_error clock_map_error(const struct clock_map *map, struct clock_line truth, double first_s,
                                   double last_s)
{
    struct clock_error error = {.rate = map->line.rate - truth.rate, .within = true};
    const double ends_s[] = {first_s, last_s};
    for (unsigned i = 0; i < 2; i++) {
        double least_s, most_s, virtual_s = clock_map_virtual_s(map, ends_s[i]);
        double true_s = truth.rate * ends_s[i] + truth.offset_s,
               rounding_s = RATE_ROUNDING * (1 + fabs(true_s));
        clock_map_bounds_s(map, ends_s[i], &least_s, &most_s);
        error.worst_s = fmax(error.worst_s, fabs(virtual_s - true_s));
        error.bound_s = fmax(error.bound_s, fmax(most_s - virtual_s, virtual_s - least_s));
        error.within = error.within && least_s <= true_s + rounding_s && true_s <= most_s + rounding_s;
    }
    return error;
}
