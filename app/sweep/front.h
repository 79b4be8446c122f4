/* front.h - which points of a sweep are worth their memory: the Pareto front, the best, and the knee.
 *
 * Front     A point is on the front if no other one is as quick with fewer bits, and none with as many bits is quicker.
 *           As quick is what is slower by at most 0.01%: nobody builds larger tables for less.
 * Knee      The point with the fewest bits that keeps a share of the best throughput, by default FRONT_KEEP; of
 *           several with as few bits, the quickest.
 * Use       `mercury advise`, the end of a sweep, its pictures and its page all ask here, so that they agree.
 */
#ifndef MERCURY_APP_SWEEP_FRONT_H
#define MERCURY_APP_SWEEP_FRONT_H

#include <stdbool.h>
#include <stddef.h>

#define FRONT_KEEP 0.95

struct front_point {
    double bits, speed;
    bool counts; /* whether the point is a machine to choose from; others are passed over */
};

/** @return the index of the quickest point, SIZE_MAX if none counts; of equally quick ones that with fewer bits */
size_t front_find_best(const struct front_point *points, size_t count);

/** @param keep  share of the best throughput, from 0 to 1; @return SIZE_MAX if none counts */
size_t front_find_knee(const struct front_point *points, size_t count, double keep);

bool front_has(const struct front_point *points, size_t count, size_t point);

/** The point on the front with the fewest bits above `beyond`, which is -1 at first. @return SIZE_MAX after the last */
size_t front_next(const struct front_point *points, size_t count, double beyond);

#endif
