/* gapped.h - gapped extension with affine gaps and X-drop, from a start point in both directions.
 *
 * Models    BLAST's dynamic programming: rows are query bases, columns database bases; a cell whose score
 *           lies more than X below the best one is dropped, and a row computes only what lies between the
 *           outermost live cells of the row before. Left of the start point (the point included) and right of
 *           it are extended separately. Among equal scores a pair wins over a gap, and prolonging a gap wins over
 *           opening another.
 * Leaves out greedy extension, frame shifts.
 * Units     positions are codes of the query's strand and of the database's concatenation; the number of cells counts
 *           the computed cells of both directions together.
 * Memory    a band of cells, a window of unpacked database and, for alignments, one byte of traceback per cell.
 *           When GAPPED_TRACEBACK_BYTES of it are full, all paths that are still possible are followed back
 *           to the row where they are one: up to there the alignment is certain, is written down as runs, and
 *           its traceback is dropped. If the paths stay apart, the limit doubles up to GAPPED_TRACEBACK_MOST;
 *           past that the extension ends at its best cell so far. So 5 Mb against itself needs a few MB.
 *           Scores must fit an int.
 * Source    Zhang, Berman, Miller, J. Comput. Biol. 5 (1998) 197 (X-drop); Altschul et al., Nucl. Acids Res.
 *           25 (1997) 3389; Gotoh, J. Mol. Biol. 162 (1982) 705.
 */
#pragma once

#include <stdbool.h>

#include "base/cpu.h"
#include "blast/sequence/sequence.h"
#include "blast/stage3/extent.h"
#include "blast/stage3/scoring.h"

enum { GAPPED_TRACEBACK_BYTES = 4 << 20, GAPPED_TRACEBACK_MOST = 256 << 20 };

/* What may be aligned: a part of one record of the query and of one record of the database. */
struct gapped_bounds {
    const uint8_t *query; /* codes of the whole strand */
    uint64_t query_begin, query_end;
    const struct sequences *database;
    uint64_t database_begin, database_end;
};

/* A pair that belongs to the alignment, inside the bounds. */
struct gapped_start {
    struct gapped_bounds bounds;
    uint64_t query, database;
};

/* The result of a short extension. */
struct gapped_glance {
    bool ended; /* false: nothing else is set */
    struct gapped_extent extent;
    uint64_t cells;
};

enum { GAPPED_TOGETHER = 32 };

typedef struct gapped gapped;

/** Context with the buffers for any number of extensions, one after the other. */
gapped *gapped_new(const struct scoring *scoring);

void gapped_destroy(gapped *g);

/** Extend without traceback.
 *
 * @param query, database  start point: a pair that belongs to the alignment, inside the bounds
 * @param xdrop  raw score, >= 0; at least gap_open + gap_extend is used
 * @param cells  the number of computed cells is added to it
 */
void gapped_score(gapped *g, const struct gapped_bounds *bounds, uint64_t query, uint64_t database, int xdrop,
                  struct gapped_extent *out, uint64_t *cells);

/** Extend without traceback, many starts together, those whose extensions take few rows. The others have not ended:
 * gapped_score() extends them.
 *
 * @param count  number of starts, <= GAPPED_TOGETHER
 * @param xdrop  as for gapped_score()
 * @param out    out: one for each start
 */
void gapped_glance_at(gapped *g, const struct gapped_start *starts, size_t count, int xdrop,
                      struct gapped_glance *out);

/** Extend with traceback: as gapped_score, and the path. A gap that both sides open at the start point is one
 * gap, and the score says so.
 *
 * @param runs  out: the path from the extent's begin to its end; belongs to g and lives until its next call
 */
void gapped_align(gapped *g, const struct gapped_bounds *bounds, uint64_t query, uint64_t database, int xdrop,
                  struct gapped_extent *out, const struct gapped_run **runs, size_t *run_count,
                  uint64_t *cells);

/** For tests: set the traceback bytes at which certain parts are written down, and to which that limit may double; the
 * defaults are GAPPED_TRACEBACK_BYTES and GAPPED_TRACEBACK_MOST. */
void gapped_limit_traceback(gapped *g, size_t soft_bytes, size_t most_bytes);

/** For tests: use at most these vector instructions; the default is the best of the processor. */
void gapped_limit_level(gapped *g, enum cpu_level level);
