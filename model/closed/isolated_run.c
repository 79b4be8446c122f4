#include "model/closed/isolated_run.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/model_error.h"

/* --- k-means --------------------------------------------------------------------------------------------- */

enum { ITERATIONS_MAX = 200 };

struct grouping {
    struct k_means_point *points; /* whose coordinates are at most 1 */
    size_t count;
    unsigned found;
    struct k_means_point means[K_MEANS_GROUPS_MAX];
    double *distances; /* of each point: square of that to the nearest mean */
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

static double distance(struct k_means_point a, struct k_means_point b)
{
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

static void begin_group(struct grouping *g, size_t point)
{
    struct k_means_point mean = g->means[g->found++] = g->points[point];
    for (size_t i = 0; i < g->count; i++)
        g->distances[i] = fmin(g->distances[i], distance(g->points[i], mean));
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
        struct k_means_point at = g->points[i];
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
        struct k_means_point at = g->points[i];
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
    struct grouping g = {.points = memory_take(count * sizeof *points),
                         .distances = memory_take(count * sizeof *g.distances),
                         .count = count,
                         .group = group,
                         .state = seed};
    double most_x = 0, most_y = 0;
    for (size_t i = 0; i < count; i++) {
        most_x = fmax(most_x, points[i].x);
        most_y = fmax(most_y, points[i].y);
    }
    for (size_t i = 0; i < count; i++) {
        g.points[i] = (struct k_means_point){points[i].x * (most_x > 0 ? 1 / most_x : 0),
                                             points[i].y * (most_y > 0 ? 1 / most_y : 0)};
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
    free(g.points);
    free(g.distances);
    *found = g.found;
    return 0;
}

/* --- frames, groups and centres -------------------------------------------------------------------------- */

static const double BUSY_MOST = 1 - 1e-6; /* of the shared centre, so that there is a private one */

static double part(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static int find_groups(struct isolated_run *run, unsigned groups, uint64_t seed)
{
    auto_free struct k_means_point *points = memory_take(run->frame_count * sizeof *points);
    run->group = memory_take(run->frame_count * sizeof *run->group);
    for (size_t i = 0; i < run->frame_count; i++) {
        const struct isolated_frame *f = &run->frames[i];
        points[i] = (struct k_means_point){part(f->requests, f->length_s), part(f->at_centre_s, f->requests)};
    }
    return k_means(points, run->frame_count, groups, seed, run->group, &run->group_count);
}

static int fit_group(const struct isolated_run *run, unsigned group, double service_s, unsigned servers,
                     double alpha, struct isolated_group *g)
{
    struct isolated_frame sum = {0};
    for (size_t i = 0; i < run->frame_count; i++) {
        const struct isolated_frame *f = &run->frames[i];
        if (run->group[i] != group)
            continue;
        sum.length_s += f->length_s;
        sum.requests += f->requests;
        sum.at_centre_s += f->at_centre_s;
        sum.number_s += f->number_s;
        sum.others += f->others;
    }
    *g = (struct isolated_group){
        .length_s = sum.length_s,
        .x_per_s = part(sum.requests, sum.length_s),
        .w_s = part(sum.at_centre_s, sum.requests),
        .n = part(sum.number_s, sum.length_s),
        .others_per_s = part(sum.others, sum.length_s),
    };
    bool met;
    return g->x_per_s > 0 ? private_centre_fit(fmin(g->x_per_s, BUSY_MOST / service_s), g->w_s, service_s,
                                               servers, alpha, &g->centre, &met)
                          : 0;
}

int isolated_run_fit(const struct isolated_frame *frames, size_t frame_count, unsigned groups, uint64_t seed,
                     double service_s, unsigned servers, double alpha, struct isolated_run *out)
{
    *out = (struct isolated_run){.frames = frames, .frame_count = frame_count};
    double requests = 0;
    for (size_t i = 0; i < frame_count; i++) {
        requests += frames[i].requests;
        out->length_s += frames[i].length_s;
    }
    if (!(requests > 0))
        return MODEL_EREQUESTS;
    int status = find_groups(out, groups, seed);
    for (unsigned k = 0; k < out->group_count && status == 0; k++)
        status = fit_group(out, k, service_s, servers, alpha, &out->groups[k]);
    return status;
}

struct isolated_fit isolated_run_find_fit(const struct isolated_run *run)
{
    struct isolated_fit off = {0, 0, 0, 0};
    double requests = 0, at_centre_s = 0, number_s = 0;
    for (unsigned k = 0; k < run->group_count; k++) {
        const struct isolated_group *g = &run->groups[k];
        const struct private_centre *c = &g->centre;
        off.throughput += g->length_s * fabs(c->x_per_s - g->x_per_s);
        off.time += g->length_s * g->x_per_s * fabs(c->w_s - g->w_s);
        off.number += g->length_s * fabs(c->x_per_s * c->w_s - g->n);
    }
    for (size_t i = 0; i < run->frame_count; i++) {
        const struct isolated_frame *f = &run->frames[i];
        off.little += fabs(f->at_centre_s - f->number_s);
        requests += f->requests;
        at_centre_s += f->at_centre_s;
        number_s += f->number_s;
    }
    return (struct isolated_fit){part(off.throughput, requests), part(off.time, at_centre_s),
                                 part(off.number, number_s), part(off.little, number_s)};
}

void isolated_run_destroy(struct isolated_run *run)
{
    free(run->group);
    *run = (struct isolated_run){0};
}
