#include <string.h>

#include "blast/stage3/gapped_band.h"

enum { NARROW = 32, WIDE = GAPPED_LANES, LEAST_SPARE = 2 };

/* Longest gaps that spread_gaps() finds, in cells. */
enum { NARROW_GAP = 6, WIDE_GAP = 32 };

/* The gap is one that begins at a cell which has just become the best one. */
bool gapped_bytes_suffice(const struct scoring *s, int xdrop, int longest_gap)
{
    enum { MOST = 100 };
    return s->match == 1 && s->mismatch >= -MOST && s->gap_open + s->gap_extend <= MOST &&
           s->gap_extend >= 1 && s->gap_extend <= 7 && xdrop <= MOST &&
           (xdrop + s->match - s->gap_open) / s->gap_extend <= longest_gap;
}

int gapped_lanes_needed(const struct scoring *scoring, int xdrop)
{
    if (gapped_bytes_suffice(scoring, xdrop, NARROW_GAP))
        return NARROW;
    return gapped_bytes_suffice(scoring, xdrop, WIDE_GAP) ? WIDE : 0;
}

#if CPU_HAS_VECTORS
/* Where `wide` is false, a function's result does not depend on the high half of the lanes. The compiler leaves out
 * what is computed there. */

/* A row's cells. */
struct lane_row {
    struct lanes best, gap; /* as in struct cell, minus the best score so far */
    int64_t column;         /* of lane 0 */
};

/* Scores of the cells of the next row. */
struct lane_steps {
    struct lanes pair, up, left, score; /* after a pair, a query gap, a database gap; the best of them */
    struct lanes opened;                /* of a gap that the cell opens */
};

struct penalties {
    __m256i open_extend;
    __m256i extend[NARROW_GAP], extend_8, extend_16; /* extend[i]: of i cells */
};

/* Move all lanes up by 16; dead lanes enter. */
LANES_FUNCTION struct lanes up_16(struct lanes v)
{
    return (struct lanes){_mm256_permute2x128_si256(v.low, every(DEAD_LANE), 0x02),
                          _mm256_permute2x128_si256(v.high, v.low, 0x03)};
}

/* Move all lanes down by 1; a dead lane enters. */
LANES_FUNCTION struct lanes down_1(struct lanes v, bool wide)
{
    const __m256i dead = every(DEAD_LANE);
    __m256i next = _mm256_permute2x128_si256(v.low, wide ? v.high : dead, 0x21);
    __m256i last = _mm256_permute2x128_si256(v.high, dead, 0x21);
    return (struct lanes){_mm256_alignr_epi8(next, v.low, 1), _mm256_alignr_epi8(last, v.high, 1)};
}

LANES_FUNCTION struct penalties penalties_of(const struct scoring *s)
{
    struct penalties p = {.open_extend = every(s->gap_open + s->gap_extend),
                          .extend_8 = every(8 * s->gap_extend),
                          .extend_16 = every(16 * s->gap_extend)};
    for (int i = 0; i < NARROW_GAP; i++)
        p.extend[i] = every(i * s->gap_extend);
    return p;
}

/* @param scores  of the row's base with every code */
LANES_FUNCTION struct lanes score_pairs(const int8_t *scores, const uint8_t *window)
{
    const __m256i of_codes = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)scores));
    const struct lanes codes = load_lanes(window);
    return (struct lanes){_mm256_shuffle_epi8(of_codes, codes.low),
                          _mm256_shuffle_epi8(of_codes, codes.high)};
}

/* Move all lanes of v up by `count` < 16; by_16 is v moved up by 16. A macro, because the instruction needs a
 * constant. */
#define UP(v, by_16, count)                                                                                  \
    ((struct lanes){_mm256_alignr_epi8((v).low, (by_16).low, 16 - (count)),                                  \
                    _mm256_alignr_epi8((v).high, (by_16).high, 16 - (count))})

/* Gaps of database bases: the best score of each cell from any cell to its left. The first few lengths are computed
 * independently of each other. */
LANES_FUNCTION struct lanes spread_gaps(const struct penalties *p, struct lanes from, bool wide)
{
    struct lanes opened = subtract(from, p->open_extend), by_16 = up_16(opened);
    struct lanes one = UP(opened, by_16, 1), two = subtract(UP(opened, by_16, 2), p->extend[1]);
    struct lanes three = subtract(UP(opened, by_16, 3), p->extend[2]);
    struct lanes four = subtract(UP(opened, by_16, 4), p->extend[3]);
    struct lanes gap = larger(larger(one, two), larger(three, four));
    if (!wide)
        return larger(gap, larger(subtract(UP(opened, by_16, 5), p->extend[4]),
                                  subtract(UP(opened, by_16, 6), p->extend[5])));
    by_16 = up_16(gap);
    gap = larger(gap, subtract(UP(gap, by_16, 4), p->extend[4]));
    by_16 = up_16(gap);
    gap = larger(gap, subtract(UP(gap, by_16, 8), p->extend_8));
    return larger(gap, subtract(up_16(gap), p->extend_16));
}

LANES_FUNCTION struct lane_steps step_row(const struct penalties *p, const struct lane_row *row,
                                          const uint8_t *window, const int8_t *of_codes, bool wide)
{
    struct lanes scores = score_pairs(of_codes, window), from;
    struct lane_steps s = {
        .pair = {_mm256_adds_epi8(row->best.low, scores.low), _mm256_adds_epi8(row->best.high, scores.high)},
        .up = down_1(row->gap, wide)};
    from = larger(s.pair, s.up);
    s.left = spread_gaps(p, from, wide);
    s.score = larger(from, s.left);
    s.opened = subtract(s.score, p->open_extend);
    return s;
}

/* Set the flag in lanes of which the mask is not set. */
LANES_FUNCTION struct lanes add_flag(struct lanes v, __m256i flag, struct lanes mask)
{
    return (struct lanes){_mm256_or_si256(v.low, _mm256_andnot_si256(mask.low, flag)),
                          _mm256_or_si256(v.high, _mm256_andnot_si256(mask.high, flag))};
}

/* Store the traceback bytes of a row's lanes, from lane `begin` on. */
LANES_FUNCTION void store_trace(const struct penalties *p, const struct lane_steps *s, unsigned begin,
                                uint8_t *out, bool wide)
{
    uint8_t aligned[2 * GAPPED_LANES] __attribute__((aligned(32)));
    struct lanes step = choose(all(every(GAPPED_PAIR)), all(every(GAPPED_QUERY)), is_greater(s->up, s->pair));
    step = choose(step, all(every(GAPPED_DATABASE)), is_greater(s->left, larger(s->pair, s->up)));
    step = add_flag(step, every(QUERY_GAP_GOES_ON), is_greater(s->opened, subtract(s->up, p->extend[1])));
    step =
        add_flag(step, every(DATABASE_GAP_GOES_ON), is_greater(s->opened, subtract(s->left, p->extend[1])));
    store_lanes(step, aligned, wide);
    store_lanes(load_lanes(aligned + begin), out, wide);
}

/* The last row in which the best score rose. */
struct rise {
    unsigned lane;
    struct lanes risen; /* mask of the lanes from that one on */
};

/* The bound below which the cells of a row are dropped in which the best score rises in a lane: from that one on it has
 * risen already when a row is computed from left to right. The lane is often that of the last rise; its mask is kept,
 * so that the processor need not wait for the lane. */
LANES_FUNCTION struct lanes raise_bound(struct lanes least, unsigned lane, struct rise *rise)
{
    if (lane != rise->lane) {
        const __m256i numbers = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
                                                 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
        const struct lanes all_numbers = {numbers, _mm256_add_epi8(numbers, every(NARROW))};
        *rise = (struct rise){lane, is_greater(all_numbers, all(every((int)lane - 1)))};
    }
    return (struct lanes){_mm256_sub_epi8(least.low, rise->risen.low),
                          _mm256_sub_epi8(least.high, rise->risen.high)};
}

/* Row 0 ends without a dead cell: row 1 has no pair after row 0's last cell, whose best score is left out. */
LANES_FUNCTION struct lane_row load_row(const struct cell *cells, const struct band *band, int64_t column,
                                        bool is_first)
{
    int8_t best[GAPPED_LANES], gap[GAPPED_LANES];
    memset(best, DEAD_LANE, sizeof best);
    memset(gap, DEAD_LANE, sizeof gap);
    for (int64_t c = band->first; c < band->size; c++) {
        int score = cells[c].best - band->best, leaving = cells[c].gap - band->best;
        best[c - column] = (int8_t)(score > DEAD_LANE ? score : DEAD_LANE);
        gap[c - column] = (int8_t)(leaving > DEAD_LANE ? leaving : DEAD_LANE);
    }
    if (is_first)
        best[band->size - 1 - column] = DEAD_LANE;
    return (struct lane_row){load_lanes(best), load_lanes(gap), column};
}

LANES_FUNCTION void unload_row(const struct lane_row *row, const struct band *band, bool wide,
                               struct cell *cells)
{
    int8_t best[GAPPED_LANES], gap[GAPPED_LANES];
    store_lanes(row->best, best, wide);
    store_lanes(row->gap, gap, wide);
    for (int64_t c = band->first; c < band->size; c++) {
        int8_t score = best[c - row->column], leaving = gap[c - row->column];
        cells[c] = (struct cell){.best = score > DEAD_LANE ? score + band->best : GAPPED_DEAD,
                                 .gap = leaving > DEAD_LANE ? leaving + band->best : GAPPED_DEAD};
    }
}

/* Prepare the next row and set the band's new ends.
 *
 * @param live  bits of the lanes that are not dropped
 */
LANES_FUNCTION void finish_row(const struct penalties *p, const struct lane_steps *s, struct lanes dropped,
                               uint64_t live, struct lane_row *row, struct band *band)
{
    row->gap = larger(subtract(s->up, p->extend[1]), s->opened);
    row->best = choose(s->score, all(every(DEAD_LANE)), dropped);
    band->first = row->column + __builtin_ctzll(live);
    band->size =
        row->column + (63 - __builtin_clzll(live)) + 2; /* one dead cell follows, for the next pair */
}

LANES_FUNCTION void lower_row(struct lane_row *row, struct band *band, int64_t number, unsigned lane)
{
    row->best = subtract(row->best, every(1));
    row->gap = subtract(row->gap, every(1));
    band->best++;
    band->best_at = (struct point){.row = number, .column = row->column + lane};
}

/* --- runs of equal bases ----------------------------------------------------------------------------------- */

/* Rows after a run, with the run's diagonal in any lane. */
struct run_rows {
    int8_t best[2 * GAPPED_LANES],
        gap[2 * GAPPED_LANES];   /* as in a lane_row; the diagonal is at GAPPED_LANES */
    uint64_t live;               /* lanes, if the diagonal were in lane `left` */
    uint8_t trace[GAPPED_LANES]; /* traceback of a row, from its dead cell on, where no bases are equal */
    struct run_band band;
};

LANES_FUNCTION void make_run_rows(const struct lanes_rows *r, struct run_rows *out)
{
    out->band = run_band_of(r->scoring, r->side->xdrop);
    out->live = UINT64_MAX >> (63 - out->band.left - out->band.right);
    memset(out->best, DEAD_LANE, sizeof out->best);
    memset(out->gap, DEAD_LANE, sizeof out->gap);
    for (int away = -out->band.left; away <= out->band.right; away++) {
        struct cell cell = run_cell(r->scoring, out->band, away);
        out->best[GAPPED_LANES + away] = (int8_t)cell.best;
        out->gap[GAPPED_LANES + away] = (int8_t)cell.gap;
    }
    memset(out->trace, GAPPED_DATABASE | DATABASE_GAP_GOES_ON, sizeof out->trace);
    memset(out->trace, GAPPED_QUERY | QUERY_GAP_GOES_ON, (size_t)out->band.left + 1);
    out->trace[out->band.left + 1] = GAPPED_PAIR;
}

/* Whether a row is as after a run. Gap scores of dropped cells do not matter. */
LANES_FUNCTION bool follows_run(const struct run_rows *run, const struct lane_row *row, uint64_t live,
                                unsigned lane, bool wide)
{
    if (lane < (unsigned)run->band.left || live != run->live << (lane - (unsigned)run->band.left))
        return false;
    const uint64_t best = bits_of(are_equal(row->best, load_lanes(run->best + GAPPED_LANES - lane)), wide);
    const uint64_t gap = bits_of(are_equal(row->gap, load_lanes(run->gap + GAPPED_LANES - lane)), wide);
    return (~(best & gap) & live) == 0;
}

/* Number of equal pairs from a point on, at most `most`. */
LANES_FUNCTION int64_t count_pairs(const struct lanes_rows *r, struct point first, int64_t most)
{
    const __m256i backwards = _mm256_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14,
                                               13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const uint8_t *window = r->window + first.column;
    int64_t n = 0;
    for (; n + NARROW <= most; n += NARROW) {
        int64_t row = first.row + n + (r->side->step < 0 ? NARROW - 1 : 0);
        __m256i codes = _mm256_loadu_si256((const __m256i *)(r->side->query + r->side->step * row)), equal;
        if (r->side->step < 0)
            codes = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(codes, backwards), 0x4e);
        equal = _mm256_cmpeq_epi8(codes, _mm256_loadu_si256((const __m256i *)(window + n)));
        equal = _mm256_andnot_si256(_mm256_cmpgt_epi8(codes, every(BASE_T)), equal);
        uint32_t differ = ~(uint32_t)_mm256_movemask_epi8(equal);
        if (differ != 0)
            return n + __builtin_ctz(differ);
    }
    while (n < most && r->side->query[r->side->step * (first.row + n)] == window[n] && window[n] <= BASE_T)
        n++;
    return n;
}

/* Trace the rows of a run of equal bases, while there is room. @return number of rows traced */
LANES_FUNCTION int64_t trace_run(const struct lanes_rows *r, const struct run_rows *after_run, int64_t row,
                                 int64_t rows, const struct band *band, bool wide)
{
    const struct lanes unequal = load_lanes(after_run->trace);
    const struct lanes flags = {_mm256_andnot_si256(every(STEP_MASK), unequal.low),
                                _mm256_andnot_si256(every(STEP_MASK), unequal.high)};
    int64_t n = 0;
    for (; n < rows && r->trace->used < r->trace->limit; n++) {
        const __m256i base = every(r->side->query[r->side->step * (row + n)]);
        const struct lanes equal = are_equal(load_lanes(r->window + band->first + n), all(base));
        traceback_add_row(r->trace, band->first + n);
        store_lanes(choose(unequal, flags, equal), r->trace->bytes + r->trace->used, wide);
        r->trace->used += (size_t)(band->size - band->first);
    }
    return n;
}

/* Take the rows of the run of equal bases that follows a row, which is as after a run.
 *
 * @param lane  of the run's diagonal
 * @return number of rows
 */
LANES_FUNCTION int64_t take_run(const struct lanes_rows *r, const struct run_rows *after_run, int64_t number,
                                int64_t last, unsigned lane, struct lane_row *row, struct band *band,
                                uint64_t *cells, bool wide)
{
    const struct point first = {.row = number + 1, .column = row->column + lane + 1};
    int64_t run = count_pairs(r, first, last - number);
    if (r->trace)
        run = trace_run(r, after_run, first.row, run, band, wide);
    if (run == 0)
        return 0;
    *cells += (uint64_t)(run * (band->size - band->first));
    row->column += run;
    band->first += run;
    band->size += run;
    band->best += (int)run;
    band->best_at = (struct point){.row = first.row + run - 1, .column = first.column + run - 1};
    return run;
}

/* --- rows -------------------------------------------------------------------------------------------------- */

LANES_FUNCTION int64_t advance(const struct lanes_rows *r, struct band *band, uint64_t *cells, bool wide,
                               bool tracing)
{
    const int lanes = wide ? WIDE : NARROW;
    const struct penalties p = penalties_of(r->scoring);
    const uint64_t edges = UINT64_C(1) | UINT64_C(1) << (lanes - 1);
    const uint64_t every_lane = UINT64_MAX >> (64 - lanes);
    const struct lanes least = all(every(-r->side->xdrop));
    struct lane_row row =
        load_row(r->cells, band, band->first - (lanes - (band->size - band->first)) / 2, r->row == 0);
    int64_t number = r->row, last = r->last_row;
    struct rise rise = {.risen = all(every(-1))};
    struct run_rows after_run;
    make_run_rows(r, &after_run);
    if (r->side->columns - lanes + 1 - row.column < last - number)
        last = number + r->side->columns - lanes + 1 - row.column;
    while (number < last && (!tracing || r->trace->used < r->trace->limit)) {
        const int8_t *of_codes = r->pairs->bytes[r->side->query[r->side->step * (number + 1)]];
        struct lane_steps s = step_row(&p, &row, r->window + row.column + 1, of_codes, wide);
        uint64_t above = bits_of(is_greater(s.score, all(_mm256_setzero_si256())), wide), live;
        struct lanes bound = least, dropped;
        if (above != 0)
            bound = raise_bound(least, (unsigned)__builtin_ctzll(above), &rise);
        dropped = is_greater(bound, s.score);
        live = ~bits_of(dropped, wide) & every_lane;
        if ((live & edges) != 0)
            break;
        number++;
        row.column++;
        *cells += (uint64_t)(band->size - band->first);
        if (tracing) {
            traceback_add_row(r->trace, band->first);
            store_trace(&p, &s, (unsigned)(band->first - row.column), r->trace->bytes + r->trace->used, wide);
        }
        if (live == 0) {
            band->first = band->size;
            return number;
        }
        if (tracing)
            r->trace->used -= (size_t)band->first;
        finish_row(&p, &s, dropped, live, &row, band);
        if (tracing)
            r->trace->used += (size_t)band->size - 1;
        if (above == 0)
            continue;
        lower_row(&row, band, number, rise.lane);
        if (follows_run(&after_run, &row, live, rise.lane, wide))
            number += take_run(r, &after_run, number, last, rise.lane, &row, band, cells, wide);
    }
    unload_row(&row, band, wide, r->cells);
    return number;
}

CPU_TARGET_AVX2 static int64_t advance_narrow(const struct lanes_rows *rows, struct band *band,
                                              uint64_t *cells)
{
    return rows->trace ? advance(rows, band, cells, false, true) : advance(rows, band, cells, false, false);
}

CPU_TARGET_AVX2 static int64_t advance_wide(const struct lanes_rows *rows, struct band *band, uint64_t *cells)
{
    return rows->trace ? advance(rows, band, cells, true, true) : advance(rows, band, cells, true, false);
}

int64_t gapped_lanes_advance(const struct lanes_rows *rows, struct band *band, uint64_t *cells)
{
    const int lanes = rows->side->lanes;
    if (band->size - band->first > lanes - 2 * LEAST_SPARE)
        return rows->row;
    return lanes == NARROW ? advance_narrow(rows, band, cells) : advance_wide(rows, band, cells);
}
#else
int64_t gapped_lanes_advance(const struct lanes_rows *rows, struct band *band, uint64_t *cells)
{
    (void)band, (void)cells;
    return rows->row;
}
#endif
