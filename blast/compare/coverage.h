/* coverage.h - how much of one program's alignments another program's have.
 *
 * Models    an alignment's share that is covered: of its pairs of aligned positions (columns without a gap), those
 *           that some alignment of the other list pairs, too: the same query and subject, the same strand, the same
 *           two positions. Several alignments may cover it together.
 * Where a path is not known, on either side, positions take its place: alignments on the same records and strand
 *           whose diagonals meet (a gap of n bases moves by n) cover the positions that both have; the share
 *           is that of the query's or of the subject's positions, whichever is less.
 * Errors    0 or COVERAGE_EMEMORY.
 */
#ifndef MERCURY_BLAST_COMPARE_COVERAGE_H
#define MERCURY_BLAST_COMPARE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "blast/compare/located_hits.h"

enum coverage_error { COVERAGE_EMEMORY = -1 };

/** What covers an alignment. */
struct coverage {
    double share; /* 0 to 1 */
    long
        best; /* index of the alignment that covers most of it, one with the same ends first; -1: none covers any */
    double best_share;
    bool same; /* that one has the same ends */
};

/** Measure every alignment of one list against another.
 *
 * @param coverages  out, of_count
 */
int coverage_measure(const struct located_hit *of, size_t of_count, const struct located_hit *by,
                     size_t by_count, struct coverage *coverages);

#endif
