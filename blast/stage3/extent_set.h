/* extent_set.h - boxes of extensions, asked whether one of them encloses another box.
 *
 * Models    BLAST's interval tree: of boxes that begin or end together only the best encloses others (extent_hides()).
 * Cost      a lookup visits only the boxes that begin or end near its diagonals; adding a box visits only the two that
 *           may hide it. Up to FEW boxes are searched linearly.
 * Order     if a new box begins with one box and ends with another, the one with the lower number is compared first.
 * Memory    100 bytes per box.
 * Errors    0, or -1 if memory is exhausted.
 */
#ifndef MERCURY_BLAST_STAGE3_EXTENT_SET_H
#define MERCURY_BLAST_STAGE3_EXTENT_SET_H

#include "blast/stage3/extent.h"

/* What boxes are looked up by. */
enum extent_key { EXTENT_BEGIN, EXTENT_END, EXTENT_BEGIN_DIAGONAL, EXTENT_END_DIAGONAL, EXTENT_KEYS };

struct extent_set_item {
    struct gapped_extent extent;
    bool hidden;
    uint32_t next[EXTENT_KEYS]; /* number of the next box in its bucket, plus 1 */
};

/* A set of zeros is empty. */
struct extent_set {
    struct extent_set_item *items; /* numbered from 0 in the order in which they were added */
    uint32_t count, room;
    uint32_t *buckets; /* [EXTENT_KEYS][bucket_count]: number of the first box, plus 1 */
    uint32_t bucket_count;
};

/** Add a box. It becomes hidden if a better box begins or ends with it, and hides worse ones.
 *
 * @param hidden  true: the box is already known to be hidden
 */
int extent_set_add(struct extent_set *set, const struct gapped_extent *extent, bool hidden);

/** Whether a box that is not hidden encloses this one. */
bool extent_set_encloses(const struct extent_set *set, const struct gapped_extent *extent);

/** Forget all boxes. */
void extent_set_clear(struct extent_set *set);

void extent_set_destroy(struct extent_set *set);

#endif
