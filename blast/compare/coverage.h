/* coverage.h - how much of one program's alignments another program's alignments cover.
 *
 * Models    the covered share of an alignment: of its pairs of aligned positions (columns without a gap), those
 *           that some alignment of the other list pairs, too: the same query and subject, the same strand, the same
 *           two positions. Several alignments may cover it together.
 *           If the path is not known, on either side, positions take its place: alignments on the same records and
 *           strand whose diagonals meet (a gap of n bases moves by n) cover the positions that both have; the share
 *           is that of the query's or of the subject's positions, whichever is less.
 * Errors    0, or -1 if memory is exhausted.
 */
#ifndef MERCURY_BLAST_COMPARE_COVERAGE_H
#define MERCURY_BLAST_COMPARE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "blast/compare/located_hits.h"

/** What covers an alignment. */
struct coverage {
    double share; /* 0 to 1 */
    long best; /* index of the alignment that covers most, preferably with the same ends; -1 if none does */
    double best_share;
    bool same; /* the best one has the same ends */
};

/** Measure every alignment of one list against another.
 *
 * @param coverages  out: of_count elements
 */
int coverage_measure(const struct located_hit *of, size_t of_count, const struct located_hit *by,
                     size_t by_count, struct coverage *coverages);

#endif
