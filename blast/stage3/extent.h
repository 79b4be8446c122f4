/* extent.h - boxes of extensions: which comes first, which encloses or hides which; and many boxes, asked whether
 * one of them encloses another box.
 *
 * Models    BLAST's orders of HSPs, its rules for those that share an end, and its interval tree: of boxes that
 *           begin or end together only the best encloses others (extent_hides()).
 * Cost      a lookup in a set visits only the boxes that begin or end near its diagonals, and so does removing a box;
 *           adding one visits only the two that may hide it.
 * Order     if a new box begins with one box and ends with another, the one with the lower number is compared first.
 * Memory    100 bytes per box of a set.
 * Source    NCBI BLAST 2.12: blast_hits.c, blast_itree.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum gapped_step {
    GAPPED_PAIR = 0,     /* query base against database base */
    GAPPED_QUERY = 1,    /* query base against a gap */
    GAPPED_DATABASE = 2, /* database base against a gap */
};

struct gapped_run {
    enum gapped_step step;
    uint32_t length; /* columns, >= 1 */
};

struct gapped_extent {
    int score;
    uint64_t query_begin, query_end; /* half open, like all ranges */
    uint64_t database_begin, database_end;
};

/* Diagonals nearer to each other than this belong to one alignment: BLASTN's minimal diagonal separation. */
enum { EXTENT_DIAGONALS_CLOSE = 50 };

bool extents_begin_together(const struct gapped_extent *a, const struct gapped_extent *b);
bool extents_end_together(const struct gapped_extent *a, const struct gapped_extent *b);

/** Whether a is the better one (the shorter of equals) of two boxes that begin or end together: then b encloses
 * nothing. */
bool extent_hides(const struct gapped_extent *a, const struct gapped_extent *b);

/** Whether b, of no better score, lies inside a and begins or ends close to the diagonal on which a does. */
bool extent_encloses(const struct gapped_extent *a, const struct gapped_extent *b);

/** Order by score, the best first. This order and the next ones are for qsort() of boxes, or of structs whose first
 * member is a box. */
int extent_compare(const void *left, const void *right);

/** Order by begin; of boxes that begin together the best first, of equals the longest. */
int extent_compare_begins(const void *left, const void *right);

/** Order by end; of boxes that end together the best first, of equals the shortest. */
int extent_compare_ends(const void *left, const void *right);

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
void extent_set_add(struct extent_set *set, const struct gapped_extent *extent, bool hidden);

/** Whether a box that is not hidden encloses this one. */
bool extent_set_encloses(const struct extent_set *set, const struct gapped_extent *extent);

/** Forget a box. The last one gets its number; what it hides stays hidden. */
void extent_set_remove(struct extent_set *set, uint32_t number);

/** Forget all boxes. */
void extent_set_clear(struct extent_set *set);

void extent_set_destroy(struct extent_set *set);
