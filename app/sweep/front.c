#include "app/sweep/front.h"

#include <stdint.h>

/* A gain in throughput up to this share is no reason for more memory. */
static const double NOT_QUICKER = 1e-4;

size_t front_find_best(const struct front_point *points, size_t count)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (points[i].counts &&
            (best == SIZE_MAX || points[i].speed > points[best].speed ||
             (points[i].speed >= points[best].speed && points[i].bits < points[best].bits)))
            best = i;
    return best;
}

size_t front_find_knee(const struct front_point *points, size_t count, double keep)
{
    size_t quickest = front_find_best(points, count), knee = quickest;
    for (size_t i = 0; i < count; i++)
        if (points[i].counts && points[i].speed >= keep * points[quickest].speed &&
            (points[i].bits < points[knee].bits ||
             (points[i].bits <= points[knee].bits && points[i].speed > points[knee].speed)))
            knee = i;
    return knee;
}

/* Of points that are equal in both, the first is on the front. */
bool front_has(const struct front_point *points, size_t count, size_t point)
{
    const struct front_point *p = &points[point];
    for (size_t i = 0; i < count && p->counts; i++) {
        const struct front_point *other = &points[i];
        if (!other->counts || i == point)
            continue;
        bool as_quick = other->speed * (1 + NOT_QUICKER) >= p->speed;
        bool first = other->speed > p->speed || (other->speed >= p->speed && i < point);
        if (as_quick && (other->bits < p->bits || (other->bits <= p->bits && first)))
            return false;
    }
    return p->counts;
}

size_t front_next(const struct front_point *points, size_t count, double beyond)
{
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (points[i].bits > beyond && (next == SIZE_MAX || points[i].bits < points[next].bits) &&
            front_has(points, count, i))
            next = i;
    return next;
}
