/* k_means.h - points of a plane in groups: k-means.
 *
 * Models    nothing. Every point goes to the group whose mean is nearest, and every mean is that of its group's points,
 *           until no point changes its group (Lloyd). Before that, each coordinate is divided by its greatest value, so
 *           that units do not matter.
 * Begin     means that lie apart: each is a point, drawn with a probability in proportion to the square of its distance
 *           from those that were drawn before (k-means++: Arthur and Vassilvitskii, SODA 2007).
 * Answers   the same for the same points and seed, on every machine whose doubles are IEEE 754's.
 * Why own   of Debian's libraries with k-means, VLFeat is C, but has had no release since 2018 and is one of computer
 *           vision; FAISS and mlpack are C++. This is a page.
 * Memory    8 bytes per point, during a call.
 * Errors    0 or a negative code of model_error.h
 */
#ifndef MERCURY_MODEL_K_MEANS_H
#define MERCURY_MODEL_K_MEANS_H

#include <stddef.h>
#include <stdint.h>

enum { K_MEANS_GROUPS_MAX = 64 };

struct k_means_point {
    double x, y; /* finite, >= 0 */
};

/** Put points into groups.
 *
 * @param groups  number of groups that are wanted, 1 to K_MEANS_GROUPS_MAX
 * @param group   out: the group of each point, from 0
 * @param found   out: number of groups; fewer than `groups` if there are fewer different points; 0 without points
 * @return 0, MODEL_EGROUPS or MODEL_EMEMORY
 */
int k_means(const struct k_means_point *points, size_t count, unsigned groups, uint64_t seed, unsigned *group,
            unsigned *found);

#endif
