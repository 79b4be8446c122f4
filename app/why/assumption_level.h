/* assumption_level.h - how long a first-in first-out queue holds a number of elements or more.
 *
 * Models    elements n = 0, 1, ... come at times c_n and go at times g_n, neither of which decreases. The queue holds
 *           `level` elements or more from c_n until g_(n - level + 1), if that is later: the union of these intervals.
 * Memory    `level` times; assumption_level_destroy() frees them.
 */
#ifndef MERCURY_APP_THEORY_ASSUMPTION_LEVEL_H
#define MERCURY_APP_THEORY_ASSUMPTION_LEVEL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { ASSUMPTION_LEVEL_MOST = 1 << 24 }; /* larger levels count as never reached */

struct assumption_level {
    double *gone; /* times of the last `level` elements; NULL: never reached */
    size_t level;
    uint64_t count;
    double covered; /* end of the last interval */
};

/** @return false if memory is exhausted */
static inline bool assumption_level_begin(struct assumption_level *l, uint64_t level)
{
    *l = (struct assumption_level){.covered = -INFINITY};
    if (level < 1 || level > ASSUMPTION_LEVEL_MOST)
        return true;
    l->level = (size_t)level;
    l->gone = malloc(l->level * sizeof *l->gone);
    return l->gone != NULL;
}

static inline void assumption_level_destroy(struct assumption_level *l)
{
    free(l->gone);
    l->gone = NULL;
}

/** Forget all elements: time begins again. */
static inline void assumption_level_restart(struct assumption_level *l)
{
    l->count = 0;
    l->covered = -INFINITY;
}

/** Add an element. @return the time that it adds to the union */
static inline double assumption_level_add(struct assumption_level *l, double came, double gone)
{
    if (!l->gone)
        return 0;
    l->gone[l->count % l->level] = gone;
    uint64_t number = l->count++;
    if (number + 1 < l->level)
        return 0;
    double from = fmax(came, l->covered), to = l->gone[(number + 1) % l->level];
    if (!(to > from))
        return 0;
    l->covered = to;
    return to - from;
}

#endif
