/* gapped_short.h - scores of many short extensions at a time (for gapped.c only).
 *
 * Models    the same cells, scores and cell counts as gapped.c's scan_row() and end_row(), for four sides of extensions
 *           at a time, 16 columns each. A lane is a diagonal. A side begins with a run of equal bases, which takes no
 *           rows: after r equal pairs the live cells are known, whatever the other bases are, because a path beside the
 *           run scores at most what the best gap from the run to its cell scores.
 * Leaves out sides that take more than SHORT_ROWS rows after their run, whose band does not fit the lanes, that do not
 *           begin with equal bases, that have ambiguous ones, or that are near the ends of their records or of the
 *           database: they do not end here.
 * Memory    200 bytes per side, of the caller.
 * Errors    none; needs AVX2, for which the caller has asked the processor (cpu.h).
 */
#ifndef MERCURY_BLAST_STAGE3_GAPPED_SHORT_H
#define MERCURY_BLAST_STAGE3_GAPPED_SHORT_H

#include <stdbool.h>

#include "blast/stage3/gapped_band.h"
#include "blast/stage3/scoring.h"

enum { SHORT_LANES = 16, SHORT_ROWS = 48 };

struct short_side {
    uint8_t query[SHORT_ROWS]; /* codes of the rows after the run */
    /* Codes of the columns, from lane 0 of the first of these rows on. */
    uint8_t window[SHORT_ROWS + SHORT_LANES];
    int64_t run; /* number of equal pairs that the side begins with, >= 1 */
    bool ended;  /* whether it has been extended to its end; if not, nothing below is set */
    int best;
    struct point best_at;
    uint64_t cells;
};

/** Whether bytes and lanes suffice for these scores. */
bool gapped_short_fits(const struct scoring *scoring, int xdrop);

/** Find the run and the codes of a side.
 *
 * @param side  gapped_short_fits() its X-drop
 * @return false if the side is left out
 */
bool gapped_short_fetch(const struct scoring *scoring, const struct side *side, struct short_side *out);

/** Extend sides that have been fetched, all with the same X-drop. */
void gapped_short_extend(const struct scoring *scoring, int xdrop, struct short_side *sides, size_t count);

#endif
