/* path.h - the columns of an alignment of which only the ends are known.
 *
 * Models    a table of alignments has ends and counts, not columns. Between the ends of a best local alignment the
 *           best path is its own, but for equally good ones: so the path is computed again, by gapped extension
 *           (gapped.h) from the first pair inside the alignment's own box, with the X-drop of BLAST's traceback.
 * Leaves out alignments that are not the best between their ends under these scores, or do not begin with a pair:
 *           they have no path here.
 * Units     positions as in gapped.h: of the query's strand and of the database's concatenation.
 * Memory    the path belongs to the caller, for path_destroy().
 * Errors    0 or PATH_EMEMORY.
 */
#ifndef MERCURY_BLAST_STAGE3_PATH_H
#define MERCURY_BLAST_STAGE3_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "blast/stage3/gapped.h"
#include "blast/stage3/scoring.h"

enum path_error { PATH_EMEMORY = -1 };

/* A stretch without gaps. */
struct path_block {
    uint64_t query, database, length;
};

struct path {
    struct path_block *blocks; /* in order; NULL: not known */
    size_t count;
    uint64_t pairs; /* columns without a gap */
    int score;
};

/** Follow an alignment from end to end.
 *
 * @param extender  of the same scores
 * @param box      its ends, and the sequences
 * @param columns  it has
 * @param path     out; without blocks where no path from end to end has as many columns
 */
int path_follow(gapped *extender, const struct scoring_statistics *statistics,
                const struct gapped_bounds *box, uint64_t columns, struct path *path);

/** The path of an extension's runs, which begin at (query, database).
 *
 * @param path  out; its score is not set
 */
int path_from_runs(const struct gapped_run *runs, size_t count, uint64_t query, uint64_t database,
                   struct path *path);

/** Part of a path on one side of a corner: pairs behind it (both positions at or behind the corner's), or the others.
 *
 * @param part  out; may have no blocks
 */
int path_cut(const struct path *path, uint64_t query, uint64_t database, int behind, struct path *part);

/** Leave of a path its best scoring part, prolonged by equal bases at its ends, and set its score (0: nothing is left).
 *
 * @param least  once a part scores that, only a better one takes its place
 * Source: NCBI BLAST 2.12, blast_hits.c, Blast_HSPReevaluateWithAmbiguitiesGapped.
 */
void path_keep_best_part(struct path *path, const struct gapped_bounds *bounds, const struct scoring *scoring,
                         int least);

/** Columns with a gap between a block and the one before it: of the query and of the database. */
void path_gaps(const struct path *path, size_t block, uint64_t *query, uint64_t *database);

/** Whether `length` pairs of which the last is (query, database) lie in one block of a path. */
int path_contains(const struct path *path, uint64_t query, uint64_t database, uint64_t length);

void path_destroy(struct path *path);

#endif
