/* gapped_band.h - the band of cells that a gapped extension computes row by row, and its forms in vector lanes (for
 * gapped.c, gapped_lanes.c and gapped_short.c only).
 *
 * Models    one direction of an extension: row r comes after its r-th query base, column c after its c-th database
 *           base. A row's live cells are those within the X-drop of the best cell so far. Both forms give the same
 *           cells, scores, paths and cell counts as gapped.c's scan_row() and end_row(). A lane is a diagonal, so a
 *           pair stays in its lane.
 * Lanes     gapped_lanes.c computes the rows of one side, 32 or 64 columns at a time. Scores are bytes, counted from
 *           the best score so far; what a byte cannot hold is far below the X-drop. A row's gaps of database bases
 *           spread by doubling distances. It leaves out bands that are wider than the lanes or come near their edge,
 *           and columns near the database's end: for these the caller computes a row, and tries again. Gap scores of
 *           dropped cells differ from gapped.c's; no path contains such a cell.
 * Short     gapped_short.c computes the scores of many short sides, four at a time, 16 columns each. A side begins
 *           with a run of equal bases, which takes no rows: after r equal pairs the live cells are known, whatever
 *           the other bases are, because a path beside the run scores at most what the best gap from the run to its
 *           cell scores. It leaves out sides that take more than SHORT_ROWS rows after their run, whose band does
 *           not fit the lanes, that do not begin with equal bases, that have ambiguous ones, or that are near the
 *           ends of their records or of the database: they do not end here.
 * Errors    none; lanes need AVX2, for which the caller has asked the processor (cpu.h).
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "blast/sequence/sequence.h"
#include "blast/stage3/extent.h"
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

/* --- rows of one side ------------------------------------------------------------------------------------ */

enum { GAPPED_LANES = 64 };

/* The rows of a side to compute: after `row`, up to last_row. */
struct lanes_rows {
    const struct scoring *scoring;
    const struct pair_scores *pairs; /* of `scoring` */
    const struct side *side;
    int64_t row, last_row;
    /* Code of column 0. Codes from band->first - GAPPED_LANES on can be read, up to GAPPED_LANES codes plus one per row
     * after the band's end. */
    const uint8_t *window;
    struct cell *cells; /* of column 0; [band->first, band->size) are read and replaced */
    /* NULL without traceback. It has room for GAPPED_LANES bytes and one trace_row for every row; rows are added while
     * fewer than trace->limit bytes are used. */
    struct traceback *trace;
};

/** Whether bytes suffice: every score within the X-drop fits one and stays apart from dropped scores, and no gap is
 * longer, in cells, before it is dropped. A match of 1 lets the best score rise by at most 1 per row. */
bool gapped_bytes_suffice(const struct scoring *scoring, int xdrop, int longest_gap);

/** Number of lanes that these scores need; 0 if bytes or lanes do not suffice. */
int gapped_lanes_needed(const struct scoring *scoring, int xdrop);

/** Compute rows of a side that uses lanes.
 *
 * @param cells  the number of computed cells is added to it
 * @return the last row computed; rows->row if none can be computed
 */
int64_t gapped_lanes_advance(const struct lanes_rows *rows, struct band *band, uint64_t *cells);

/* --- many short sides ------------------------------------------------------------------------------------ */

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

/* --- lanes ----------------------------------------------------------------------------------------------- */

/* 64 scores of a byte each, in two vector registers: arithmetic that saturates, and choices, lane by lane. */

enum { DEAD_LANE = -128 };

#if CPU_HAS_VECTORS
#include <immintrin.h>

#define LANES_FUNCTION CPU_TARGET_AVX2 __attribute__((always_inline)) static inline

/* Lanes 0 to 31 and 32 to 63; a narrow row does not use the high half. */
struct lanes {
    __m256i low, high;
};

LANES_FUNCTION __m256i every(int value)
{
    return _mm256_set1_epi8((char)value);
}

LANES_FUNCTION struct lanes load_lanes(const void *bytes)
{
    const __m256i *halves = bytes;
    return (struct lanes){_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1)};
}

LANES_FUNCTION void store_lanes(struct lanes v, void *bytes, bool wide)
{
    __m256i *halves = bytes;
    _mm256_storeu_si256(halves, v.low);
    if (wide)
        _mm256_storeu_si256(halves + 1, v.high);
}

LANES_FUNCTION struct lanes are_equal(struct lanes a, struct lanes b)
{
    return (struct lanes){_mm256_cmpeq_epi8(a.low, b.low), _mm256_cmpeq_epi8(a.high, b.high)};
}

LANES_FUNCTION struct lanes subtract(struct lanes a, __m256i b)
{
    return (struct lanes){_mm256_subs_epi8(a.low, b), _mm256_subs_epi8(a.high, b)};
}

LANES_FUNCTION struct lanes larger(struct lanes a, struct lanes b)
{
    return (struct lanes){_mm256_max_epi8(a.low, b.low), _mm256_max_epi8(a.high, b.high)};
}

LANES_FUNCTION struct lanes is_greater(struct lanes a, struct lanes b)
{
    return (struct lanes){_mm256_cmpgt_epi8(a.low, b.low), _mm256_cmpgt_epi8(a.high, b.high)};
}

/* Take b in lanes of which the mask is set, else a. */
LANES_FUNCTION struct lanes choose(struct lanes a, struct lanes b, struct lanes mask)
{
    return (struct lanes){_mm256_blendv_epi8(a.low, b.low, mask.low),
                          _mm256_blendv_epi8(a.high, b.high, mask.high)};
}

LANES_FUNCTION struct lanes all(__m256i value)
{
    return (struct lanes){value, value};
}

LANES_FUNCTION uint64_t bits_of(struct lanes mask, bool wide)
{
    uint64_t low = (uint32_t)_mm256_movemask_epi8(mask.low);
    return wide ? low | (uint64_t)(uint32_t)_mm256_movemask_epi8(mask.high) << GAPPED_LANES / 2 : low;
}

/* --- sixteen pairs ---------------------------------------------------------------------------------------- */

/* Sixteen codes in the direction of a side. */
LANES_FUNCTION __m128i turn(const struct side *side, __m128i codes)
{
    const __m128i backwards = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return side->step > 0 ? codes : _mm_shuffle_epi8(codes, backwards);
}

LANES_FUNCTION __m128i database_codes(const struct side *side, int64_t column)
{
    uint64_t position = side->database + (uint64_t)(side->step > 0 ? column : -column - (SHORT_LANES - 1));
    uint64_t codes = sequences_codes_from(side->sequences, position);
    const __m128i low_halves = _mm_set1_epi8(15), packed = _mm_cvtsi64_si128((long long)codes);
    return turn(side, _mm_unpacklo_epi8(_mm_and_si128(packed, low_halves),
                                        _mm_and_si128(_mm_srli_epi16(packed, 4), low_halves)));
}

LANES_FUNCTION __m128i query_codes(const struct side *side, int64_t row)
{
    const uint8_t *first = side->query + (side->step > 0 ? row : -row - (SHORT_LANES - 1));
    return turn(side, _mm_loadu_si128((const __m128i *)first));
}

LANES_FUNCTION __m128i is_no_base(__m128i codes)
{
    return _mm_cmpgt_epi8(codes, _mm_set1_epi8(BASE_T));
}

/* Whether the pairs on a side's diagonal are equal, from row and column `first` on. */
LANES_FUNCTION __m128i equal_pairs(const struct side *side, int64_t first)
{
    const __m128i codes = query_codes(side, first);
    return _mm_andnot_si128(is_no_base(codes), _mm_cmpeq_epi8(codes, database_codes(side, first)));
}

#endif
