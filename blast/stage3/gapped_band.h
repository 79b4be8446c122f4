/* gapped_band.h - the band of cells that a gapped extension computes row by row (for gapped*.c only).
 *
 * Models    one direction of an extension: row r comes after its r-th query base, column c after its c-th database
 *           base. A row's live cells are those within the X-drop of the best cell so far.
 */
#ifndef MERCURY_BLAST_STAGE3_GAPPED_BAND_H
#define MERCURY_BLAST_STAGE3_GAPPED_BAND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/sequence/sequence.h"
#include "blast/stage3/gapped.h"
#include "blast/stage3/scoring.h"

enum { GAPPED_DEAD = INT_MIN / 2 };

/* A traceback byte: the step that made the cell best, and whether the gaps that leave the cell prolong gaps that
 * entered it. */
enum { STEP_MASK = 3, QUERY_GAP_GOES_ON = 4, DATABASE_GAP_GOES_ON = 8 };

/* One direction: row r is query[step r], column c the database position database + step c; both count from 1. */
struct side {
    const uint8_t *query;
    const struct sequences *sequences;
    uint64_t database; /* position before column 1 in this direction; may wrap around 0 */
    int step;
    int64_t rows, columns;
    int xdrop;
    bool tracing;
    int lanes; /* number of vector lanes; 0 if vectors are not used */
};

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

/* The live cells of a row after a run of equal bases, on both sides of the run's diagonal. The row is the same whatever
 * the other bases are: a path beside the run scores at most what the best gap from the run to its cell scores. */
struct run_band {
    int left;  /* after gaps of query bases; the best score rises only after these are computed */
    int right; /* after gaps of database bases */
};

static inline struct run_band run_band_of(const struct scoring *s, int xdrop)
{
    return (struct run_band){.left = (xdrop + s->match - s->gap_open) / (s->gap_extend + s->match),
                             .right = (xdrop - s->gap_open) / s->gap_extend};
}

/* A cell of that row, `away` columns from the run's diagonal, minus the best score. A gap of query bases begins where
 * the best score was lower. */
static inline struct cell run_cell(const struct scoring *s, struct run_band band, int away)
{
    int open_extend = s->gap_open + s->gap_extend;
    if (away < -band.left || away > band.right)
        return (struct cell){.best = GAPPED_DEAD, .gap = GAPPED_DEAD};
    if (away < 0)
        return (struct cell){.best = away * (s->gap_extend + s->match) - s->gap_open,
                             .gap = away * (s->gap_extend + s->match) - open_extend};
    int score = away == 0 ? 0 : -s->gap_open - away * s->gap_extend;
    return (struct cell){.best = score, .gap = score - open_extend};
}

/* The traceback byte of that cell, if the row is computed.
 *
 * @param is_pair  whether its bases are equal
 */
static inline uint8_t run_trace(int away, bool is_pair)
{
    if (away < 0)
        return (uint8_t)((is_pair ? GAPPED_PAIR : GAPPED_QUERY) | QUERY_GAP_GOES_ON);
    if (away > 0)
        return (uint8_t)((is_pair ? GAPPED_PAIR : GAPPED_DATABASE) | DATABASE_GAP_GOES_ON);
    return GAPPED_PAIR;
}

struct trace_row {
    size_t offset; /* of its first byte in the traceback */
    int64_t first; /* column of that byte */
};

/* Rows that a run of equal bases takes. Their bytes, and all but the first of their trace_rows, have places but are not
 * written. */
struct trace_run {
    int64_t row, column; /* the first pair */
    int64_t rows;
};

struct traceback {
    uint8_t *bytes; /* one per cell */
    size_t used, room;
    size_t limit; /* certain parts of the path are written down when so many bytes are used */
    struct trace_row *rows;
    size_t row_count, row_room;
    struct trace_run *runs;
    size_t run_count, run_room;
};

/* Begin a row, whose first byte is that of column `first`. */
static inline void traceback_add_row(struct traceback *t, int64_t first)
{
    t->rows[t->row_count++] = (struct trace_row){.offset = t->used, .first = first};
}

#endif
