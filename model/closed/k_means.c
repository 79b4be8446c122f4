#include "model/closed/k_means.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/model_error.h"

enum { ITERATIONS_MAX = 200 };

struct grouping {
    const struct k_means_point *points;
    size_t count;
    double scale_x, scale_y; /* a coordinate times its scale is at most 1 */
    unsigned found;
    struct k_means_point means[K_MEANS_GROUPS_MAX]; /* scaled */
    double *distances;                              /* of each point: square of that to the nearest mean */
    unsigned *group;
    uint64_t state; /* of the random numbers */
};

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). @return a number from 0 to below 1 */
static double draw(struct grouping *g)
{
    uint64_t z = g->state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static struct k_means_point scaled(const struct grouping *g, size_t i)
{
    return (struct k_means_point){g->points[i].x * g->scale_x, g->points[i].y * g->scale_y};
}

static double distance(struct k_means_point a, struct k_means_point b)
{
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

static void find_scales(struct grouping *g)
{
    double most_x = 0, most_y = 0;
    for (size_t i = 0; i < g->count; i++) {
        most_x = fmax(most_x, g->points[i].x);
        most_y = fmax(most_y, g->points[i].y);
    }
    g->scale_x = most_x > 0 ? 1 / most_x : 0;
    g->scale_y = most_y > 0 ? 1 / most_y : 0;
}

static void begin_group(struct grouping *g, size_t point)
{
    struct k_means_point mean = g->means[g->found++] = scaled(g, point);
    for (size_t i = 0; i < g->count; i++)
        g->distances[i] = fmin(g->distances[i], distance(scaled(g, i), mean));
}

/* @return false if every point is a mean already */
static bool draw_mean(struct grouping *g)
{
    double sum = 0, below = 0;
    size_t last = g->count;
    for (size_t i = 0; i < g->count; i++)
        sum += g->distances[i];
    double limit = draw(g) * sum;
    for (size_t i = 0; i < g->count && (last == g->count || below <= limit); i++) {
        below += g->distances[i];
        if (g->distances[i] > DBL_EPSILON * DBL_EPSILON)
            last = i;
    }
    if (last < g->count)
        begin_group(g, last);
    return last < g->count;
}

/* @return whether a point has changed its group */
static bool assign(struct grouping *g)
{
    bool changed = false;
    for (size_t i = 0; i < g->count; i++) {
        struct k_means_point at = scaled(g, i);
        unsigned nearest = 0;
        for (unsigned k = 1; k < g->found; k++)
            if (distance(at, g->means[k]) < distance(at, g->means[nearest]))
                nearest = k;
        changed = changed || g->group[i] != nearest;
        g->group[i] = nearest;
    }
    return changed;
}

/* A group without points keeps its mean. */
static void find_means(struct grouping *g)
{
    struct k_means_point sums[K_MEANS_GROUPS_MAX] = {{0, 0}};
    size_t counts[K_MEANS_GROUPS_MAX] = {0};
    for (size_t i = 0; i < g->count; i++) {
        struct k_means_point at = scaled(g, i);
        sums[g->group[i]].x += at.x;
        sums[g->group[i]].y += at.y;
        counts[g->group[i]]++;
    }
    for (unsigned k = 0; k < g->found; k++)
        if (counts[k] > 0)
            g->means[k] =
                (struct k_means_point){sums[k].x / (double)counts[k], sums[k].y / (double)counts[k]};
}

int k_means(const struct k_means_point *points, size_t count, unsigned groups, uint64_t seed, unsigned *group,
            unsigned *found)
{
    *found = 0;
    if (groups < 1 || groups > K_MEANS_GROUPS_MAX)
        return MODEL_EGROUPS;
    if (count == 0)
        return 0;
    struct grouping g = {.points = points, .count = count, .group = group, .state = seed};
    g.distances = malloc(count * sizeof g.distances[0]);
    if (!g.distances)
        return MODEL_EMEMORY;
    find_scales(&g);
    for (size_t i = 0; i < count; i++) {
        g.distances[i] = INFINITY;
        group[i] = 0;
    }
    begin_group(&g, (size_t)(draw(&g) * (double)count));
    while (g.found < groups && draw_mean(&g))
        ;
    bool changes = true;
    for (unsigned i = 0; i < ITERATIONS_MAX && changes; i++) {
        changes = assign(&g);
        find_means(&g);
    }
    free(g.distances);
    *found = g.found;
    return 0;
}
