/* gapped_lanes.h - rows of a gapped extension in the lanes of vector registers.
 *
 * Models    the same cells, scores, paths and cell counts as gapped.c's row_scan() and row_end(), 32 or 64 columns at a
 *           time. A lane is a diagonal, so a pair stays in its lane. Scores are bytes below the best one so far; what
 *           a byte cannot hold is far below the X-drop. A row's gaps of database bases spread by doubling distances.
 * Leaves out bands that are wider than the lanes or come near their edge, and columns near the database's end: there
 *           the caller computes a row, and tries again. Of cells that are dropped, gap scores differ; no path has any.
 * Errors    none; needs AVX2, which the caller has asked for (cpu.h).
 */
#ifndef MERCURY_BLAST_STAGE3_GAPPED_LANES_H
#define MERCURY_BLAST_STAGE3_GAPPED_LANES_H

#include <stdint.h>

#include "blast/stage3/gapped_band.h"
#include "blast/stage3/scoring.h"

enum { GAPPED_LANES = 64 };

/* A traceback with room for GAPPED_LANES bytes and one trace_row for every row asked for. */
struct lanes_trace {
    uint8_t *bytes;
    size_t used, limit; /* rows are added while fewer bytes are used */
    struct trace_row *rows;
    size_t rows_used;
};

/* The rows to compute: behind `row`, up to last_row. */
struct lanes_rows {
    const struct scoring *scoring;
    int xdrop;
    const uint8_t *query; /* row r's base is query[step r] */
    int step;
    int64_t row, last_row;
    int64_t columns;
    const uint8_t
        *window; /* code of column 0; readable from band->first - GAPPED_LANES on, and for as many columns
                              behind the band's end as there are rows, and GAPPED_LANES more */
    struct cell *cells;        /* of column 0; [band->first, band->size) in and out */
    struct lanes_trace *trace; /* NULL: none */
};

/** Number of lanes these scores need; 0 if bytes do not suffice. */
int gapped_lanes_needed(const struct scoring *scoring, int xdrop);

/** Compute rows.
 *
 * @param lanes  of gapped_lanes_needed()
 * @param cells  cells computed are added to it
 * @return the last row computed, rows->row if none can be
 */
int64_t gapped_lanes_advance(const struct lanes_rows *rows, int lanes, struct band *band, uint64_t *cells);

#endif
