/* extent.h - boxes of extensions: which comes first, which encloses or hides which.
 *
 * Models    BLAST's orders of HSPs and its rules for those that share an end.
 * Source    NCBI BLAST 2.12: blast_hits.c, blast_itree.c.
 */
#ifndef MERCURY_BLAST_STAGE3_EXTENT_H
#define MERCURY_BLAST_STAGE3_EXTENT_H

#include <stdbool.h>

#include "blast/stage3/gapped.h"

/* Diagonals nearer to each other than this belong to one alignment: BLASTN's minimal diagonal separation. */
enum { EXTENT_DIAGONALS_CLOSE = 50 };

bool extents_begin_together(const struct gapped_extent *a, const struct gapped_extent *b);
bool extents_end_together(const struct gapped_extent *a, const struct gapped_extent *b);

/** Of two boxes that begin or end together, whether a is the better one (the shorter of equals): then b encloses
 * nothing. */
bool extent_hides(const struct gapped_extent *a, const struct gapped_extent *b);

/** Whether b, of no better score, lies inside a and begins or ends close to the diagonal on which a does. */
bool extent_encloses(const struct gapped_extent *a, const struct gapped_extent *b);

/** Order by score, the best first. */
int extent_compare(const struct gapped_extent *a, const struct gapped_extent *b);

/** Order by begin; of boxes that begin together the best first, of equals the longest. This order and the next one are
 * for qsort() of boxes, or of structs whose first member is a box. */
int extent_compare_begins(const void *left, const void *right);

/** Order by end; of boxes that end together the best first, of equals the shortest. */
int extent_compare_ends(const void *left, const void *right);

#endif
