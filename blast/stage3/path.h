/* path.h - the columns of an alignment of which only the ends are known.
 *
 * Models    a table of alignments has ends and counts, not columns. Between the ends of a best local alignment the
 *           best path is its own, up to equally good ones: so the path is computed again, by gapped extension
 *           (gapped.h) from the first pair inside the alignment's own box, with the X-drop of BLAST's traceback.
 * Leaves out alignments that are not the best between their ends under these scores, or do not begin with a pair:
 *           they have no path here.
 * Units     positions as in gapped.h: of the query's strand and of the database's concatenation.
 * Memory    the path belongs to the caller, for path_destroy().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/stage3/gapped.h"
#include "blast/stage3/scoring.h"

/* A stretch without gaps. */
struct path_block {
    uint64_t query, database, length;
};

struct path {
    struct path_block *blocks; /* in order; NULL if the path is not known */
    size_t count;
    uint64_t pairs; /* columns without a gap */
    int score;
};

/** Follow an alignment from end to end.
 *
 * @param extender  computes with the alignment's scores
 * @param box       the alignment's ends, and the sequences
 * @param columns   number of the alignment's columns
 * @param path      out; has no blocks if no path from end to end has as many columns
 */
void path_follow(gapped *extender, const struct scoring_statistics *statistics,
                 const struct gapped_bounds *box, uint64_t columns, struct path *path);

/** The path of an extension's runs, which begin at (query, database).
 *
 * @param path  out; its score is not set
 */
void path_from_runs(const struct gapped_run *runs, size_t count, uint64_t query, uint64_t database,
                    struct path *path);

/** Part of a path on one side of a corner.
 *
 * @param after  true: the pairs of which both positions are at or after the corner's; false: the other pairs
 * @param part   out; may have no blocks
 */
void path_cut(const struct path *path, uint64_t query, uint64_t database, bool after, struct path *part);

/** Reduce a path to its best scoring part, prolonged by equal bases at its ends, and set its score (0 if nothing is
 * left).
 *
 * @param least  a part of at least this score is replaced only by a better one
 * Source: NCBI BLAST 2.12, blast_hits.c, Blast_HSPReevaluateWithAmbiguitiesGapped.
 */
void path_keep_best_part(struct path *path, const struct gapped_bounds *bounds,
                         const struct scoring_statistics *statistics, int least);

/** Numbers of columns between a block and the one before it that have a gap in the query, and in the database. */
void path_gaps(const struct path *path, size_t block, uint64_t *query, uint64_t *database);

/** Whether a pair of a query, given by its codes, and a database has equal bases, A, C, G or T. */
static inline bool path_pair_is_match(const uint8_t *codes, uint64_t query, const struct sequences *database,
                                      uint64_t position)
{
    return codes[query] <= BASE_T && codes[query] == sequences_code(database, position);
}

/** Whether the `length` pairs that end with (query, database) lie in one block of a path. */
bool path_contains(const struct path *path, uint64_t query, uint64_t database, uint64_t length);

void path_destroy(struct path *path);
