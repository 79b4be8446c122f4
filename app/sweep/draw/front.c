#include "app/sweep/draw/front.h"

#include <math.h>
#include <stdint.h>

/* A shorter time or less energy up to the first share is no reason for other costs; less energy up to the second is no
 * price: energies are shown with four digits. */
static const double SAME = 1e-4, NO_PRICE = 1e-3;

const char *const front_cost_measures[FRONT_COSTS] = {"ramb18", "sram_chips", "energy_j"};

/* @param same  share by which a may have a longer time or more energy */
static bool is_as_good(const struct front_point *a, const struct front_point *b, double same)
{
    return a->time_s <= b->time_s * (1 + same) && a->costs[FRONT_RAMB18] <= b->costs[FRONT_RAMB18] &&
           a->costs[FRONT_SRAM_CHIPS] <= b->costs[FRONT_SRAM_CHIPS] &&
           a->costs[FRONT_ENERGY] <= b->costs[FRONT_ENERGY] * (1 + same);
}

bool front_dominates(const struct front_point *a, const struct front_point *b)
{
    return is_as_good(a, b, 0) && !is_as_good(b, a, 0);
}

static double product(const struct front_point *p)
{
    return p->costs[FRONT_RAMB18] * p->costs[FRONT_SRAM_CHIPS] * p->costs[FRONT_ENERGY];
}

bool front_is_cheaper(const struct front_point *a, const struct front_point *b)
{
    double left = product(a), right = product(b);
    return left < right || (left <= right && a->time_s < b->time_s);
}

size_t front_find_cheapest(const struct front_point *points, size_t count, double keep, double slowest_s)
{
    double shortest_s = INFINITY;
    size_t cheapest = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        shortest_s = points[i].counts ? fmin(shortest_s, points[i].time_s) : shortest_s;
    for (size_t i = 0; i < count; i++)
        if (points[i].counts && keep * points[i].time_s <= shortest_s && points[i].time_s <= slowest_s &&
            (cheapest == SIZE_MAX || front_is_cheaper(&points[i], &points[cheapest])))
            cheapest = i;
    return cheapest;
}

size_t front_find_knee(const struct front_point *points, size_t count, double keep, bool *is_unpriced)
{
    const size_t quickest = front_find_cheapest(points, count, 1, INFINITY);
    size_t slowest = quickest;
    bool differs = false;
    for (size_t i = 0; i < count && quickest != SIZE_MAX; i++) {
        const struct front_point *p = &points[i], *best = &points[quickest];
        if (!p->counts || keep * p->time_s > best->time_s)
            continue;
        differs = differs || p->costs[FRONT_RAMB18] != best->costs[FRONT_RAMB18] ||
                  p->costs[FRONT_SRAM_CHIPS] != best->costs[FRONT_SRAM_CHIPS] ||
                  p->costs[FRONT_ENERGY] < best->costs[FRONT_ENERGY] * (1 - NO_PRICE);
        slowest = p->time_s > points[slowest].time_s ? i : slowest;
    }
    *is_unpriced = !differs && slowest != quickest;
    return *is_unpriced ? slowest : front_find_cheapest(points, count, keep, INFINITY);
}

/* Whether a keeps b from the front; of equal ones the first does. */
static bool beats(const struct front_point *a, const struct front_point *b, bool first)
{
    bool fewer = a->costs[FRONT_RAMB18] < b->costs[FRONT_RAMB18] ||
                 a->costs[FRONT_SRAM_CHIPS] < b->costs[FRONT_SRAM_CHIPS];
    return is_as_good(a, b, fewer ? SAME : 0) && (fewer || first || !is_as_good(b, a, 0));
}

bool front_has(const struct front_point *points, size_t count, size_t point)
{
    for (size_t i = 0; i < count && points[point].counts; i++)
        if (points[i].counts && i != point && beats(&points[i], &points[point], i < point))
            return false;
    return points[point].counts;
}

static bool comes_after(const struct front_point *points, size_t a, size_t b)
{
    return points[a].time_s > points[b].time_s || (points[a].time_s >= points[b].time_s && a > b);
}

size_t front_next(const struct front_point *points, size_t count, bool on_front, size_t after)
{
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if ((after == SIZE_MAX || comes_after(points, i, after)) &&
            (next == SIZE_MAX || comes_after(points, next, i)) && (!on_front || front_has(points, count, i)))
            next = i;
    return next;
}
