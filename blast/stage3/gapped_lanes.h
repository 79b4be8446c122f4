/* gapped_lanes.h - rows of a gapped extension in the lanes of vector registers.
 *
 * Models    the same cells, scores, paths and cell counts as gapped.c's scan_row() and end_row(), 32 or 64 columns at a
 *           time. A lane is a diagonal, so a pair stays in its lane. Scores are bytes, counted from the best score so
 *           far; what a byte cannot hold is far below the X-drop. A row's gaps of database bases spread by doubling
 *           distances.
 * Leaves out bands that are wider than the lanes or come near their edge, and columns near the database's end: for
 *           these the caller computes a row, and tries again. Gap scores of dropped cells differ from gapped.c's; no
 *           path contains such a cell.
 * Errors    none; needs AVX2, for which the caller has asked the processor (cpu.h).
 */
#ifndef MERCURY_BLAST_STAGE3_GAPPED_LANES_H
#define MERCURY_BLAST_STAGE3_GAPPED_LANES_H

#include <stdint.h>

#include "blast/stage3/gapped_band.h"
#include "blast/stage3/scoring.h"

enum { GAPPED_LANES = 64 };

/* The rows to compute: after `row`, up to last_row. */
struct lanes_rows {
    const struct scoring *scoring;
    const struct pair_scores *pairs; /* of `scoring` */
    int xdrop;
    const uint8_t *query; /* row r's base is query[step r] */
    int step;
    int64_t row, last_row;
    int64_t columns;
    /* Code of column 0. Codes from band->first - GAPPED_LANES on can be read, up to GAPPED_LANES codes plus one per row
     * after the band's end. */
    const uint8_t *window;
    struct cell *cells; /* of column 0; [band->first, band->size) are read and replaced */
    /* NULL without traceback. It has room for GAPPED_LANES bytes and one trace_row for every row; rows are added while
     * fewer than trace->limit bytes are used. */
    struct traceback *trace;
};

/** Number of lanes that these scores need; 0 if bytes do not suffice. */
int gapped_lanes_needed(const struct scoring *scoring, int xdrop);

/** Compute rows.
 *
 * @param lanes  result of gapped_lanes_needed()
 * @param cells  the number of computed cells is added to it
 * @return the last row computed; rows->row if none can be computed
 */
int64_t gapped_lanes_advance(const struct lanes_rows *rows, int lanes, struct band *band, uint64_t *cells);

#endif
