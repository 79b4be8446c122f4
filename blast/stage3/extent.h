/* extent.h - boxes of extensions: which comes first, which encloses or hides which.
 *
 * Models    BLAST's orders of HSPs and its rules for those that share an end. Comparisons are qsort's, on values.
 * Source    NCBI BLAST 2.12: blast_hits.c, blast_itree.c.
 */
#ifndef MERCURY_BLAST_STAGE3_EXTENT_H
#define MERCURY_BLAST_STAGE3_EXTENT_H

#include "blast/stage3/alignment.h"
#include "blast/stage3/gapped.h"

int extents_begin_together(const struct gapped_extent *a, const struct gapped_extent *b);
int extents_end_together(const struct gapped_extent *a, const struct gapped_extent *b);

/** Of two that begin or end together, whether the first is the better one (the shorter of equals): then the other
 * encloses nothing. */
int extent_hides(const struct gapped_extent *a, const struct gapped_extent *b);

/** Whether b, of no better score, lies inside a and close to its diagonals (alignment_encloses). */
int extent_encloses(const struct gapped_extent *a, const struct gapped_extent *b);

/** The best first. */
int extent_compare(const struct gapped_extent *a, const struct gapped_extent *b);

/** By begin; of those that begin together the best first, of equals the longest. */
int extent_compare_begins(const struct gapped_extent *a, const struct gapped_extent *b);

/** By end; of those that end together the best first, of equals the shortest. */
int extent_compare_ends(const struct gapped_extent *a, const struct gapped_extent *b);

#endif
