/* gapped_band.h - the band of cells that a gapped extension computes row by row (inside gapped.c's modules only).
 *
 * Models    one direction of an extension: row r stands behind its r-th query base, column c behind its c-th database
 *           base. A row's live cells are those within the X-drop of the best cell so far.
 */
#ifndef MERCURY_BLAST_STAGE3_GAPPED_BAND_H
#define MERCURY_BLAST_STAGE3_GAPPED_BAND_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

enum { GAPPED_DEAD = INT_MIN / 2, GAPPED_NEVER_MATCHES = 255 };

/* A traceback byte: the step that made the cell best, and whether the gaps that leave the cell are older than
 * it. */
enum { STEP_MASK = 3, QUERY_GAP_GOES_ON = 4, DATABASE_GAP_GOES_ON = 8 };

struct cell {
    int best; /* GAPPED_DEAD: dropped */
    int gap;  /* best score of a path that goes on from here with a query base against a gap */
};

struct point {
    int64_t row, column;
};

struct band {
    int64_t first, size; /* live columns are in [first, size) */
    int best;
    struct point best_at;
};

struct trace_row {
    size_t offset; /* of its first byte in the traceback */
    int64_t first; /* column of that byte */
};

#endif
