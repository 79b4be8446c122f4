#include "blast/stage3/gapped.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "blast/stage3/gapped_band.h"

/* Vectors compute ROWS_AT_FIRST rows at a time, later ROWS_AT_MOST. */
enum { WINDOW_BASES = 1 << 14, ROWS_AT_FIRST = 32, ROWS_AT_MOST = 1024 };

/* The states in which a path can leave a cell, seen from the path's end. */
enum { VIA_BEST = 1, VIA_QUERY_GAP = 2, VIA_DATABASE_GAP = 4 };

struct run_list {
    struct gapped_run *runs;
    size_t count, room;
};

struct gapped {
    struct scoring scoring;
    struct pair_scores pairs;
    enum cpu_level level;
    struct cell *cells; /* cells[c - cells_origin] is column c */
    int64_t cells_origin, cells_room;
    uint8_t *window; /* window[c - window_origin] is the code of column c, of [window_origin, window_end) */
    int64_t window_origin, window_end, window_room;
    struct traceback trace;        /* its first row is base.row */
    size_t trace_soft, trace_most; /* bytes at which trace.limit begins and ends */
    struct point base;             /* up to here the path is written down */
    struct run_list left, right, piece;
    uint8_t *marks[2];
    size_t marks_room;
    struct short_side sides[2 * GAPPED_TOGETHER];
};

gapped *gapped_new(const struct scoring *scoring)
{
    gapped *g = memory_new(1, sizeof *g);
    g->scoring = *scoring;
    scoring_pair_scores(scoring, &g->pairs);
    g->level = cpu_best_level();
    gapped_limit_traceback(g, GAPPED_TRACEBACK_BYTES, GAPPED_TRACEBACK_MOST);
    return g;
}

void gapped_destroy(gapped *g)
{
    if (!g)
        return;
    free(g->cells);
    free(g->window);
    array_free_long(g->trace.bytes, g->trace.room, 1);
    free(g->trace.rows);
    free(g->left.runs);
    free(g->right.runs);
    free(g->piece.runs);
    free(g->marks[0]);
    free(g->marks[1]);
    free(g);
}

void gapped_limit_traceback(gapped *g, size_t soft_bytes, size_t most_bytes)
{
    g->trace_soft = soft_bytes;
    g->trace_most = most_bytes;
}

void gapped_limit_level(gapped *g, enum cpu_level level)
{
    g->level = level;
}

static void append_run(struct run_list *list, struct gapped_run run)
{
    if (list->count > 0 && list->runs[list->count - 1].step == run.step) {
        list->runs[list->count - 1].length += run.length;
        return;
    }
    *ARRAY_NEXT(list->runs, list->count, list->room) = run;
}

static void append_reversed(struct run_list *to, const struct run_list *from)
{
    for (size_t i = from->count; i > 0; i--)
        append_run(to, from->runs[i - 1]);
}

/* Greatest number of columns by which a row can grow: a gap at its right end that is not dropped yet. */
static int64_t row_growth(const gapped *g, const struct side *side)
{
    return side->xdrop / g->scoring.gap_extend + 4;
}

/* Make room for the columns from band->first to end; those before band->first are given up. */
static void reserve_cells(gapped *g, const struct band *band, int64_t end)
{
    if (end - g->cells_origin <= g->cells_room)
        return;
    if (end - band->first > g->cells_room / 2) {
        g->cells_room = 4 * (end - band->first);
        g->cells = memory_grow(g->cells, (size_t)g->cells_room * sizeof *g->cells);
    }
    memmove(g->cells, g->cells + (band->first - g->cells_origin),
            (size_t)(band->size - band->first) * sizeof *g->cells);
    g->cells_origin = band->first;
}

/* Eight codes at a time are exchanged between both ends, until these meet. */
static void reverse(uint8_t *codes, int64_t count)
{
    for (; count >= 16; codes += 8, count -= 16) {
        uint64_t first, last;
        memcpy(&first, codes, sizeof first);
        memcpy(&last, codes + count - 8, sizeof last);
        first = __builtin_bswap64(first);
        last = __builtin_bswap64(last);
        memcpy(codes, &last, sizeof last);
        memcpy(codes + count - 8, &first, sizeof first);
    }
    for (; count > 1; codes++, count -= 2) {
        uint8_t code = codes[0];
        codes[0] = codes[count - 1];
        codes[count - 1] = code;
    }
}

/* Fill the window with the codes of the columns up to end; a separator stands for a column that does not exist. */
static void fill_window(gapped *g, const struct side *side, int64_t end)
{
    uint8_t *window = g->window - g->window_origin;
    int64_t begin = g->window_end > 1 ? g->window_end : 1;
    int64_t inside = end <= side->columns ? end : side->columns + 1;
    memset(window + g->window_end, BASE_SEPARATOR, (size_t)(end - g->window_end));
    g->window_end = end;
    if (begin >= inside)
        return;
    sequences_unpack(side->sequences, STRAND_PLUS,
                     side->step > 0 ? side->database + (uint64_t)begin
                                    : side->database + 1 - (uint64_t)inside,
                     (uint64_t)(inside - begin), window + begin);
    if (side->step < 0)
        reverse(window + begin, inside - begin);
}

static void grow_window(gapped *g, int64_t room)
{
    if (room <= g->window_room)
        return;
    g->window = memory_grow(g->window, (size_t)room);
    g->window_room = room;
}

/* Slide the window to column first; its codes from there on stay. */
static void reserve_window(gapped *g, const struct side *side, int64_t first, int64_t end)
{
    if (end <= g->window_end)
        return;
    grow_window(g, 4 * (end - first) > WINDOW_BASES ? 4 * (end - first) : WINDOW_BASES);
    memmove(g->window, g->window + (first - g->window_origin), (size_t)(g->window_end - first));
    g->window_origin = first;
    fill_window(g, side, first + g->window_room / 4 > end ? first + g->window_room / 4 : end);
}

/* The first filling is small: most extensions end after a few dozen bases. */
static void start_window(gapped *g, const struct side *side)
{
    int64_t end = GAPPED_LANES + ROWS_AT_FIRST + 2 * row_growth(g, side);
    grow_window(g, GAPPED_LANES + end);
    g->window_origin = g->window_end = -GAPPED_LANES;
    fill_window(g, side, end);
}

static uint8_t *trace_at(const gapped *g, struct point at)
{
    const struct trace_row *row = &g->trace.rows[at.row - g->base.row];
    return &g->trace.bytes[row->offset + (size_t)(at.column - row->first)];
}

/* Make room in all buffers for rows that begin at band->first or after it. */
static void reserve_rows(gapped *g, const struct side *side, const struct band *band, int64_t rows)
{
    int64_t end = band->size + row_growth(g, side) + rows + GAPPED_LANES, width = end - rows - band->first;
    reserve_cells(g, band, end);
    reserve_window(g, side, band->first - GAPPED_LANES, end + 1);
    struct traceback *t = &g->trace;
    if (!side->tracing)
        return;
    array_reserve_long(&t->bytes, &t->room, t->used, (size_t)(width * rows), 1);
    array_reserve(&t->rows, &t->row_room, t->row_count, (size_t)rows, sizeof *t->rows);
}

static inline void set_cell(gapped *g, int64_t column, int best, int gap)
{
    g->cells[column - g->cells_origin] = (struct cell){.best = best, .gap = gap};
}

/* Row 0 is one gap of database bases. */
static void fill_first_row(gapped *g, const struct side *side, struct band *band, uint8_t *trace)
{
    int open_extend = g->scoring.gap_open + g->scoring.gap_extend;
    int score = -open_extend;
    int64_t c = 1;
    set_cell(g, 0, 0, -open_extend);
    if (trace)
        trace[0] = GAPPED_PAIR;
    for (; c <= side->columns && score >= -side->xdrop; c++) {
        set_cell(g, c, score, score - open_extend);
        if (trace)
            trace[c] = GAPPED_DATABASE;
        score -= g->scoring.gap_extend;
    }
    band->size = c;
}

/* Compute the cells of a row between the live cells of the row before.
 *
 * @param row_gap  out: the score of the gap that leaves the row at its right end
 * @param trace    address that column 0 would have; NULL without traceback
 * @return the last live column
 */
static inline int64_t scan_row(gapped *g, const struct side *side, struct band *band, int64_t row,
                               int *row_gap, uint8_t *trace)
{
    const int extend = g->scoring.gap_extend;
    const int open_extend = g->scoring.gap_open + extend, xdrop = side->xdrop;
    const int16_t *pairs = g->pairs.of[side->query[side->step * row]];
    const uint8_t *window = g->window - g->window_origin;
    struct cell *cells = g->cells - g->cells_origin;
    const int64_t size = band->size;
    int64_t first = band->first, last = band->first;
    int score = GAPPED_DEAD, gap = GAPPED_DEAD, best = band->best;
    for (int64_t c = first; c < size; c++) {
        int up = cells[c].gap;
        int next = cells[c].best + pairs[window[c + 1]];
        unsigned step = GAPPED_PAIR;
        if (score < up) {
            score = up;
            step = GAPPED_QUERY;
        }
        if (score < gap) {
            score = gap;
            step = GAPPED_DATABASE;
        }
        if (best - score > xdrop) {
            if (first == c)
                first++;
            else
                cells[c].best = GAPPED_DEAD;
        } else {
            int opened = score - open_extend;
            last = c;
            if (score > best) {
                best = score;
                band->best_at = (struct point){.row = row, .column = c};
            }
            up -= extend;
            gap -= extend;
            step |= up < opened ? 0 : QUERY_GAP_GOES_ON;
            step |= gap < opened ? 0 : DATABASE_GAP_GOES_ON;
            cells[c].gap = up < opened ? opened : up;
            cells[c].best = score;
            gap = gap < opened ? opened : gap;
        }
        if (trace)
            trace[c] = (uint8_t)step;
        score = next;
    }
    band->first = first;
    band->best = best;
    *row_gap = gap;
    return last;
}

/* Set the columns of the next row: fewer if the right end was dropped, else as many more as a gap reaches. */
static void end_row(gapped *g, const struct side *side, struct band *band, int64_t last, int gap,
                    uint8_t *trace)
{
    int open_extend = g->scoring.gap_open + g->scoring.gap_extend;
    if (last < band->size - 1) {
        band->size = last + 1;
    } else {
        for (; gap >= band->best - side->xdrop && band->size <= side->columns; band->size++) {
            set_cell(g, band->size, gap, gap - open_extend);
            if (trace)
                trace[band->size] = GAPPED_DATABASE;
            gap -= g->scoring.gap_extend;
        }
    }
    if (trace)
        g->trace.used = (size_t)(trace + band->size - g->trace.bytes);
    if (band->size <= side->columns)
        set_cell(g, band->size++, GAPPED_DEAD, GAPPED_DEAD);
}

/* One step back along a path that leaves a cell in one of the VIA_* states. */
static enum gapped_step step_back(uint8_t trace, unsigned via)
{
    if (via == VIA_QUERY_GAP && (trace & QUERY_GAP_GOES_ON))
        return GAPPED_QUERY;
    if (via == VIA_DATABASE_GAP && (trace & DATABASE_GAP_GOES_ON))
        return GAPPED_DATABASE;
    return (enum gapped_step)(trace & STEP_MASK);
}

/* Write down the path from g->base to a point, in the direction of the extension. */
static void commit_path(gapped *g, struct point at, struct run_list *runs)
{
    unsigned via = VIA_BEST;
    g->piece.count = 0;
    while (at.row > g->base.row || at.column > g->base.column) {
        enum gapped_step step = step_back(*trace_at(g, at), via);
        int64_t length = 1;
        while (step == GAPPED_PAIR && at.row - length > g->base.row &&
               (*trace_at(g, (struct point){at.row - length, at.column - length}) & STEP_MASK) == GAPPED_PAIR)
            length++;
        append_run(&g->piece, (struct gapped_run){.step = step, .length = (uint32_t)length});
        at.row -= step != GAPPED_DATABASE ? length : 0;
        at.column -= step != GAPPED_QUERY ? length : 0;
        via = step == GAPPED_PAIR ? VIA_BEST : step == GAPPED_QUERY ? VIA_QUERY_GAP : VIA_DATABASE_GAP;
    }
    append_reversed(runs, &g->piece);
}

static int64_t row_length(const gapped *g, int64_t row)
{
    size_t i = (size_t)(row - g->base.row);
    size_t end = i + 1 < g->trace.row_count ? g->trace.rows[i + 1].offset : g->trace.used;
    return (int64_t)(end - g->trace.rows[i].offset);
}

/* Carry all marks of a row to the row above. A mark is a VIA_* state in which a possible path leaves the cell. */
static void lift_marks(const gapped *g, int64_t row, uint8_t *marks, uint8_t *above)
{
    const struct trace_row *here = &g->trace.rows[row - g->base.row];
    int64_t shift = here->first - here[-1].first; /* columns between the first elements of the two arrays */
    for (int64_t i = row_length(g, row) - 1; i >= 0; i--) {
        for (unsigned via = VIA_BEST; via <= VIA_DATABASE_GAP; via *= 2) {
            if ((marks[i] & via) == 0)
                continue;
            enum gapped_step step = step_back(g->trace.bytes[here->offset + (size_t)i], via);
            if (step == GAPPED_PAIR)
                above[i + shift - 1] |= VIA_BEST;
            else if (step == GAPPED_QUERY)
                above[i + shift] |= VIA_QUERY_GAP;
            else if (i > 0)
                marks[i - 1] |= VIA_DATABASE_GAP;
        }
    }
}

/* The column of a row's only marked cell if paths leave it by a pair; -1 if several cells are marked or by a gap. */
static int64_t find_single_mark(const uint8_t *marks, int64_t length)
{
    int64_t column = -1;
    for (int64_t i = 0; i < length; i++) {
        if (marks[i] == 0)
            continue;
        if (column >= 0 || marks[i] != VIA_BEST)
            return -1;
        column = i;
    }
    return column;
}

static void reserve_marks(gapped *g, int64_t row)
{
    size_t most = 0;
    for (int64_t r = g->base.row; r <= row; r++)
        most = (size_t)row_length(g, r) > most ? (size_t)row_length(g, r) : most;
    most += 2;
    if (most <= g->marks_room)
        return;
    for (int i = 0; i < 2; i++)
        g->marks[i] = memory_grow(g->marks[i], most);
    g->marks_room = most;
}

/* Mark the states of a row in which possible paths leave it: those that are not dropped. */
static void begin_marks(const gapped *g, const struct side *side, const struct band *band, int64_t row,
                        uint8_t *marks)
{
    const struct cell *cells = g->cells - g->cells_origin;
    int64_t first = g->trace.rows[row - g->base.row].first, length = row_length(g, row);
    memset(marks, 0, (size_t)length);
    for (int64_t c = band->first; c < band->size && c < first + length; c++) {
        marks[c - first] |= cells[c].best > GAPPED_DEAD / 2 ? VIA_BEST : 0;
        marks[c - first] |= cells[c].gap >= band->best - side->xdrop ? VIA_QUERY_GAP : 0;
    }
}

/* The last point through which every path from the live cells of a row, and the path to the best cell, goes by a pair;
 * g->base if there is none after it. */
static void find_certain_point(gapped *g, const struct side *side, const struct band *band, int64_t row,
                               struct point *certain)
{
    *certain = g->base;
    reserve_marks(g, row);
    uint8_t *marks = g->marks[0], *above = g->marks[1];
    begin_marks(g, side, band, row, marks);
    for (; row > g->base.row + 1; row--) {
        uint8_t *swap = marks;
        int64_t length = row_length(g, row - 1), single;
        if (row == band->best_at.row)
            marks[band->best_at.column - g->trace.rows[row - g->base.row].first] |= VIA_BEST;
        memset(above, 0, (size_t)length);
        lift_marks(g, row, marks, above);
        single = row <= band->best_at.row ? find_single_mark(above, length) : -1;
        if (single >= 0) {
            *certain = (struct point){row - 1, g->trace.rows[row - 1 - g->base.row].first + single};
            return;
        }
        marks = above;
        above = swap;
    }
}

static void forget_trace(gapped *g, struct point certain)
{
    size_t rows = (size_t)(certain.row - g->base.row);
    size_t bytes = g->trace.rows[rows].offset;
    memmove(g->trace.bytes, g->trace.bytes + bytes, g->trace.used - bytes);
    memmove(g->trace.rows, g->trace.rows + rows, (g->trace.row_count - rows) * sizeof *g->trace.rows);
    g->trace.used -= bytes;
    g->trace.row_count -= rows;
    for (size_t i = 0; i < g->trace.row_count; i++)
        g->trace.rows[i].offset -= bytes;
    g->base = certain;
}

/* Keep the traceback within its limit. @return false if that is impossible */
static bool bound_trace(gapped *g, const struct side *side, const struct band *band, int64_t row,
                        struct run_list *runs)
{
    if (g->trace.used < g->trace.limit)
        return true;
    struct point certain;
    find_certain_point(g, side, band, row, &certain);
    if (certain.row > g->base.row) {
        commit_path(g, certain, runs);
        forget_trace(g, certain);
    }
    while (2 * g->trace.used > g->trace.limit && g->trace.limit < g->trace_most)
        g->trace.limit *= 2;
    return g->trace.used < g->trace.limit;
}

static void start_side(gapped *g, const struct side *side, struct band *band)
{
    *band = (struct band){.first = 0, .size = 1};
    g->cells_origin = 0;
    g->trace.used = 0;
    g->trace.row_count = 0;
    g->base = (struct point){0, 0};
    g->trace.limit = g->trace_soft;
    start_window(g, side);
    reserve_rows(g, side, band, 1);
    fill_first_row(g, side, band, side->tracing ? g->trace.bytes : NULL);
    if (side->tracing) {
        traceback_add_row(&g->trace, 0);
        g->trace.used = (size_t)band->size;
    }
}

/* Compute one row. The two calls let the compiler make one scan_row with traceback and one without. */
static void advance_row(gapped *g, const struct side *side, struct band *band, int64_t row, uint64_t *cells)
{
    uint8_t *trace = NULL;
    int64_t last;
    int gap;
    reserve_rows(g, side, band, 1);
    *cells += (uint64_t)(band->size - band->first);
    if (side->tracing) {
        traceback_add_row(&g->trace, band->first);
        trace = g->trace.bytes + g->trace.used - band->first;
        last = scan_row(g, side, band, row, &gap, trace);
    } else {
        last = scan_row(g, side, band, row, &gap, NULL);
    }
    if (band->first < band->size)
        end_row(g, side, band, last, gap, trace);
}

/* Compute as many rows in vector lanes as possible, `most` at most. @param row  in and out: the last row computed */
static void advance_lanes(gapped *g, const struct side *side, struct band *band, int64_t most, int64_t *row,
                          uint64_t *cells)
{
    if (side->lanes == 0)
        return;
    struct lanes_rows rows = {
        .scoring = &g->scoring,
        .pairs = &g->pairs,
        .side = side,
        .row = *row,
        .last_row = side->rows - *row < most ? side->rows : *row + most,
        .trace = side->tracing ? &g->trace : NULL,
    };
    reserve_rows(g, side, band, rows.last_row - *row);
    rows.window = g->window - g->window_origin;
    rows.cells = g->cells - g->cells_origin;
    *row = gapped_lanes_advance(&rows, band, cells);
}

/* Compute the next row, or the next few. */
static void advance_rows(gapped *g, const struct side *side, struct band *band, int64_t *row, uint64_t *cells)
{
    int64_t before = *row, most = before < ROWS_AT_MOST ? before + ROWS_AT_FIRST : ROWS_AT_MOST;
    advance_lanes(g, side, band, most, row, cells);
    if (*row == before)
        advance_row(g, side, band, ++*row, cells);
}

/* Extend in one direction. @param runs  out; NULL without traceback */
static void extend_side(gapped *g, const struct side *side, struct band *band, struct run_list *runs,
                        uint64_t *cells)
{
    int64_t row = 0;
    bool goes_on = true;
    *band = (struct band){.first = 0};
    if (side->rows <= 0 || side->columns <= 0)
        return;
    start_side(g, side, band);
    while (goes_on && row < side->rows && band->first < band->size) {
        advance_rows(g, side, band, &row, cells);
        if (runs && band->first < band->size)
            goes_on = bound_trace(g, side, band, row, runs);
    }
    if (runs)
        commit_path(g, band->best_at, runs);
}

/* The X-drop that is used: enough for the shortest gap. */
static int least_xdrop(const gapped *g, int xdrop)
{
    int least = g->scoring.gap_open + g->scoring.gap_extend;
    return xdrop > least ? xdrop : least;
}

/* The side of a start that goes in the direction of a step; the start itself belongs to the left one. */
static struct side side_of(const struct gapped_bounds *b, uint64_t query, uint64_t database, int step,
                           int xdrop)
{
    const uint64_t before = step < 0;
    return (struct side){
        .query = b->query + query + before,
        .sequences = b->database,
        .database = database + before,
        .step = step,
        .rows = (int64_t)(step < 0 ? query + 1 - b->query_begin : b->query_end - query - 1),
        .columns = (int64_t)(step < 0 ? database + 1 - b->database_begin : b->database_end - database - 1),
        .xdrop = xdrop,
    };
}

/* @param runs  out, of the two sides; NULL without traceback */
static void extend_both(gapped *g, const struct gapped_bounds *bounds, uint64_t query, uint64_t database,
                        int xdrop, struct run_list *const runs[2], struct band bands[2], uint64_t *cells)
{
    xdrop = least_xdrop(g, xdrop);
    for (int i = 0; i < 2; i++) {
        struct side side = side_of(bounds, query, database, i == 0 ? -1 : 1, xdrop);
        side.tracing = runs != NULL;
        side.lanes = g->level >= CPU_AVX2 ? gapped_lanes_needed(&g->scoring, side.xdrop) : 0;
        extend_side(g, &side, &bands[i], runs ? runs[i] : NULL, cells);
    }
}

static struct gapped_extent extent_of(const struct band bands[2], uint64_t query, uint64_t database)
{
    return (struct gapped_extent){
        .score = bands[0].best + bands[1].best,
        .query_begin = query + 1 - (uint64_t)bands[0].best_at.row,
        .query_end = query + 1 + (uint64_t)bands[1].best_at.row,
        .database_begin = database + 1 - (uint64_t)bands[0].best_at.column,
        .database_end = database + 1 + (uint64_t)bands[1].best_at.column,
    };
}

void gapped_score(gapped *g, const struct gapped_bounds *bounds, uint64_t query, uint64_t database, int xdrop,
                  struct gapped_extent *out, uint64_t *cells)
{
    struct band bands[2];
    extend_both(g, bounds, query, database, xdrop, NULL, bands, cells);
    *out = extent_of(bands, query, database);
}

/* What a start is extended to from its two sides; nothing if they have not ended. */
static struct gapped_glance join_sides(const struct gapped_start *start, const struct short_side sides[2])
{
    const struct band bands[2] = {{.best = sides[0].best, .best_at = sides[0].best_at},
                                  {.best = sides[1].best, .best_at = sides[1].best_at}};
    if (!sides[0].ended || !sides[1].ended)
        return (struct gapped_glance){.ended = false};
    return (struct gapped_glance){.ended = true,
                                  .extent = extent_of(bands, start->query, start->database),
                                  .cells = sides[0].cells + sides[1].cells};
}

void gapped_glance_at(gapped *g, const struct gapped_start *starts, size_t count, int xdrop,
                      struct gapped_glance *out)
{
    size_t fetched[GAPPED_TOGETHER], fetched_count = 0;
    xdrop = least_xdrop(g, xdrop);
    const bool fits = g->level >= CPU_AVX2 && gapped_short_fits(&g->scoring, xdrop);
    for (size_t i = 0; i < count; i++) {
        bool both = fits;
        for (int j = 0; j < 2 && both; j++) {
            const struct side side =
                side_of(&starts[i].bounds, starts[i].query, starts[i].database, j == 0 ? -1 : 1, xdrop);
            both = gapped_short_fetch(&g->scoring, &side, &g->sides[2 * fetched_count + (size_t)j]);
        }
        out[i] = (struct gapped_glance){.ended = false};
        fetched[fetched_count] = i;
        fetched_count += both;
    }
    if (fetched_count > 0) /* a processor without vectors must not even enter it */
        gapped_short_extend(&g->scoring, xdrop, g->sides, 2 * fetched_count);
    for (size_t i = 0; i < fetched_count; i++)
        out[fetched[i]] = join_sides(&starts[fetched[i]], &g->sides[2 * i]);
}

/* Whether both sides begin with the same kind of gap: it is one gap that was opened twice. */
static bool gaps_meet(const gapped *g)
{
    return g->left.count > 0 && g->right.count > 0 && g->left.runs[0].step != GAPPED_PAIR &&
           g->left.runs[0].step == g->right.runs[0].step;
}

void gapped_align(gapped *g, const struct gapped_bounds *bounds, uint64_t query, uint64_t database, int xdrop,
                  struct gapped_extent *out, const struct gapped_run **runs, size_t *run_count,
                  uint64_t *cells)
{
    struct run_list *const lists[2] = {&g->left, &g->right};
    struct band bands[2];
    g->left.count = g->right.count = 0;
    extend_both(g, bounds, query, database, xdrop, lists, bands, cells);
    g->piece.count = 0;
    append_reversed(&g->piece, &g->left);
    for (size_t i = 0; i < g->right.count; i++)
        append_run(&g->piece, g->right.runs[i]);
    *out = extent_of(bands, query, database);
    if (gaps_meet(g))
        out->score += g->scoring.gap_open;
    *runs = g->piece.runs;
    *run_count = g->piece.count;
}
