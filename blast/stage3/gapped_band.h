/* gapped_band.h - the band of cells that a gapped extension computes row by row (for gapped.c and gapped_lanes.c only).
 *
 * Models    one direction of an extension: row r comes after its r-th query base, column c after its c-th database
 *           base. A row's live cells are those within the X-drop of the best cell so far.
 */
#ifndef MERCURY_BLAST_STAGE3_GAPPED_BAND_H
#define MERCURY_BLAST_STAGE3_GAPPED_BAND_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

enum { GAPPED_DEAD = INT_MIN / 2, GAPPED_NEVER_MATCHES = 255 };

/* A traceback byte: the step that made the cell best, and whether the gaps that leave the cell prolong gaps that
 * entered it. */
enum { STEP_MASK = 3, QUERY_GAP_GOES_ON = 4, DATABASE_GAP_GOES_ON = 8 };

struct cell {
    int best; /* GAPPED_DEAD if the cell is dropped */
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

struct traceback {
    uint8_t *bytes; /* one per cell */
    size_t used, room;
    size_t limit; /* certain parts of the path are written down when so many bytes are used */
    struct trace_row *rows;
    size_t row_count, row_room;
};

/* Begin a row, whose first byte is that of column `first`. */
static inline void traceback_add_row(struct traceback *t, int64_t first)
{
    t->rows[t->row_count++] = (struct trace_row){.offset = t->used, .first = first};
}

#endif
