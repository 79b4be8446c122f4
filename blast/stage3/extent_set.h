/* extent_set.h - boxes of extensions, asked whether one of them encloses another box.
 *
 * Models    BLAST's interval tree: of boxes that begin or end together only the best encloses others (extent_hides()).
 * Cost      a question looks at the boxes that begin or end near its diagonals only, a new box at the two that may hide it.
 * Order     where a box meets one that begins and another that ends with it, the one of the lower number comes first.
 * Memory    100 bytes a box.
 * Errors    0 or EXTENT_SET_EMEMORY.
 */
#ifndef MERCURY_BLAST_STAGE3_EXTENT_SET_H
#define MERCURY_BLAST_STAGE3_EXTENT_SET_H

#include "blast/stage3/extent.h"

enum extent_set_error { EXTENT_SET_EMEMORY = -1 };

/* By what boxes are found. */
enum extent_key { EXTENT_BEGIN, EXTENT_END, EXTENT_BEGIN_DIAGONAL, EXTENT_END_DIAGONAL, EXTENT_KEYS };

struct extent_set_item {
    struct gapped_extent extent;
    int hidden;
    uint32_t next[EXTENT_KEYS]; /* number of the next box in its bucket, plus 1 */
};

/* All zero: empty. */
struct extent_set {
    struct extent_set_item *items; /* by number, from 0, as they were added */
    uint32_t count, capacity;
    uint32_t *buckets; /* [EXTENT_KEYS][bucket_count]: number of the first box, plus 1 */
    uint32_t bucket_count;
};

/** Add a box; it is hidden, or hides others, or is given as hidden. */
int extent_set_add(struct extent_set *set, const struct gapped_extent *extent, int hidden);

/** Whether a box that is not hidden encloses this one. */
int extent_set_encloses(const struct extent_set *set, const struct gapped_extent *extent);

/** Forget all boxes. */
void extent_set_clear(struct extent_set *set);

void extent_set_destroy(struct extent_set *set);

#endif
