#include "blast/stage3/gapped_band.h"

/* SLOTS sides are extended at a time, each in a quarter of the lanes. LEAST_SPARE lanes stay free beside the live lanes
 * of a run. */
enum { SLOTS = 4, LEAST_SPARE = 2, LONGEST_GAP = 6 };

/* Lane of the run's diagonal: as many lanes are free on the left as on the right. */
static int origin_of(struct run_band lanes)
{
    return lanes.left + (SHORT_LANES - 1 - lanes.left - lanes.right) / 2;
}

bool gapped_short_fits(const struct scoring *s, int xdrop)
{
    return gapped_bytes_suffice(s, xdrop, LONGEST_GAP) && xdrop >= s->gap_open + s->gap_extend &&
           run_band_of(s, xdrop).left + 1 + run_band_of(s, xdrop).right + 2 * LEAST_SPARE <= SHORT_LANES;
}

#if CPU_HAS_VECTORS
/* --- codes ------------------------------------------------------------------------------------------------- */

/* Number of equal pairs before the first one that differs; any number above `most` if it is above that. */
LANES_FUNCTION int64_t find_run(const struct side *side, int64_t most)
{
    for (int64_t run = 0; run <= most; run += SHORT_LANES) {
        unsigned different = ~(unsigned)_mm_movemask_epi8(equal_pairs(side, run + 1)) & 0xffff;
        if (different != 0)
            return run + __builtin_ctz(different);
    }
    return most + 1;
}

/* Every second code from a position on. */
LANES_FUNCTION __m256i second_codes(const uint8_t *bytes, uint64_t position)
{
    const __m256i packed = _mm256_loadu_si256((const __m256i *)(bytes + position / 2));
    const __m128i shift = _mm_cvtsi32_si128(4 * (int)(position % 2));
    return _mm256_and_si256(_mm256_srl_epi16(packed, shift), every(15));
}

enum { WINDOW = SHORT_ROWS + SHORT_LANES };

/* Fetch the codes of a window's columns, the first of which is `column`.
 *
 * @return false if one is no base, or the window is so near an end of the database that bytes beyond it would be read
 */
LANES_FUNCTION bool fetch_window(const struct side *side, int64_t column, uint8_t *window)
{
    enum { REGISTERS = WINDOW / SHORT_LANES, BYTES_READ = WINDOW / 2 + 1 };
    _Static_assert(WINDOW == 64, "two registers hold every second code each");
    const struct sequences *s = side->sequences;
    const uint8_t *bytes = (const uint8_t *)s->words;
    uint64_t first = side->database + (uint64_t)(side->step > 0 ? column : -column - (WINDOW - 1));
    if (first / 2 + BYTES_READ > s->word_count * sizeof *s->words)
        return false;
    const __m256i even = second_codes(bytes, first), odd = second_codes(bytes, first + 1);
    const __m256i low = _mm256_unpacklo_epi8(even, odd), high = _mm256_unpackhi_epi8(even, odd);
    const __m128i codes[REGISTERS] = {_mm256_castsi256_si128(low), _mm256_castsi256_si128(high),
                                      _mm256_extracti128_si256(low, 1), _mm256_extracti128_si256(high, 1)};
    for (int i = 0; i < REGISTERS; i++)
        _mm_storeu_si128((__m128i *)window + (side->step > 0 ? i : REGISTERS - 1 - i), turn(side, codes[i]));
    return _mm256_testz_si256(_mm256_or_si256(even, odd), every(15 - BASE_T));
}

CPU_TARGET_AVX2 bool gapped_short_fetch(const struct scoring *scoring, const struct side *side,
                                        struct short_side *out)
{
    int64_t shorter = side->rows < side->columns ? side->rows : side->columns;
    int64_t most = shorter - SHORT_ROWS - 2 * SHORT_LANES, run = find_run(side, most);
    int64_t first = run + 1 - origin_of(run_band_of(scoring, side->xdrop));
    if (run < 1 || run > most || !fetch_window(side, first, out->window))
        return false;
    __m128i odd = _mm_setzero_si128();
    for (int i = 0; i < SHORT_ROWS; i += SHORT_LANES) {
        const __m128i codes = query_codes(side, run + 1 + i);
        odd = _mm_or_si128(odd, is_no_base(codes));
        _mm_storeu_si128((__m128i *)(out->query + i), codes);
    }
    out->run = run;
    out->ended = false;
    return _mm_testz_si128(odd, odd);
}

/* --- slots ------------------------------------------------------------------------------------------------- */

/* What all sides have in common. */
struct rules {
    struct run_band lanes;
    int origin;
    __m256i match, differs; /* what an equal pair scores, and how much less another does */
    __m256i open_extend, least;
    __m256i extend[LONGEST_GAP]; /* extend[i]: of i cells */
    __m128i best, gap;           /* of a row after a long run */
};

/* Scores of a row are bytes: BIAS more than they are minus the best score so far, but 0 if the cell is dropped. Rows
 * are looked back upon TOGETHER at a time. */
enum { BIAS = 128, TOGETHER = 4 };

/* A row of each of four sides, which are extended until all have ended: a slot for another side would be free now and
 * then, but when that is, the processor cannot predict. A slot's lanes are 16 bits of masks. */
struct slots {
    struct lanes best, gap; /* as in struct cell */
    int64_t rows;           /* number of rows so far */
    struct short_side *side[SLOTS];
    /* The lanes of each row that are live, and those that are better than the best of the rows before. */
    uint64_t live[SHORT_ROWS + TOGETHER], above[SHORT_ROWS + TOGETHER];
};

enum { EDGE_LANES = 0x8001, ALL_LANES = 0xffff };

#define IN_EVERY_SLOT(lanes) ((lanes)*UINT64_C(0x0001000100010001))

LANES_FUNCTION struct rules rules_of(const struct scoring *s, int xdrop)
{
    uint8_t best[SHORT_LANES], gap[SHORT_LANES];
    struct rules r = {.lanes = run_band_of(s, xdrop),
                      .match = every(s->match),
                      .differs = every(s->match - s->mismatch),
                      .open_extend = every(s->gap_open + s->gap_extend),
                      .least = every(BIAS - xdrop)};
    r.origin = origin_of(r.lanes);
    for (int i = 0; i < LONGEST_GAP; i++)
        r.extend[i] = every(i * s->gap_extend);
    for (int lane = 0; lane < SHORT_LANES; lane++) {
        struct cell cell = run_cell(s, r.lanes, lane - r.origin);
        best[lane] = (uint8_t)(cell.best > -BIAS ? cell.best + BIAS : 0);
        gap[lane] = (uint8_t)(cell.gap > -BIAS ? cell.gap + BIAS : 0);
    }
    r.best = _mm_loadu_si128((const __m128i *)best);
    r.gap = _mm_loadu_si128((const __m128i *)gap);
    return r;
}

/* Number of cells that the rows of a run compute: the first one those of row 0, the others also a dead one. */
static uint64_t run_cells(struct run_band lanes, int64_t run)
{
    int64_t growing =
        run - 1 < lanes.left ? run - 1 : lanes.left; /* rows that each have one more left cell */
    return (uint64_t)(run * (lanes.right + 2) - 1 + growing * (growing + 1) / 2 +
                      (run - 1 - growing) * lanes.left);
}

LANES_FUNCTION struct lanes four(const __m128i v[SLOTS])
{
    return (struct lanes){_mm256_set_m128i(v[1], v[0]), _mm256_set_m128i(v[3], v[2])};
}

/* Begin with the rows after the runs of the next sides. If there are fewer than slots, the last one takes several. */
LANES_FUNCTION void fill_slots(const struct rules *r, struct short_side *sides, size_t count, struct slots *s)
{
    const __m128i numbers = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m128i best[SLOTS], gap[SLOTS];
    s->rows = 0;
    s->live[0] = 0;
    for (size_t slot = 0; slot < SLOTS; slot++) {
        struct short_side *side = &sides[slot < count ? slot : count - 1];
        int left = side->run < r->lanes.left ? (int)side->run : r->lanes.left;
        __m128i outside = _mm_cmpgt_epi8(_mm_set1_epi8((char)(r->origin - left)), numbers);
        best[slot] = _mm_andnot_si128(outside, r->best);
        gap[slot] = _mm_andnot_si128(outside, r->gap);
        s->live[0] |= ((UINT64_C(1) << (left + 1 + r->lanes.right)) - 1)
                      << (r->origin - left) << SHORT_LANES * slot;
        s->side[slot] = side;
        side->ended = true;
    }
    s->best = four(best);
    s->gap = four(gap);
}

/* Leave out the sides that have live lanes among `lanes` of their slots. */
LANES_FUNCTION void leave_out(struct slots *s, uint64_t lanes)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        const uint64_t own = (uint64_t)ALL_LANES << SHORT_LANES * slot;
        if ((s->live[s->rows] & own & lanes) == 0)
            continue;
        s->side[slot]->ended = false;
        s->live[s->rows] &= ~own;
        _mm_storeu_si128((__m128i *)&s->best + slot, _mm_setzero_si128());
        _mm_storeu_si128((__m128i *)&s->gap + slot, _mm_setzero_si128());
    }
}

/* --- ends -------------------------------------------------------------------------------------------------- */

/* Number of bits of every 16. */
LANES_FUNCTION __m256i count_bits(__m256i v)
{
    const __m256i counts =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m256i low = _mm256_shuffle_epi8(counts, _mm256_and_si256(v, every(15)));
    const __m256i high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(v, 4), every(15)));
    return _mm256_maddubs_epi16(_mm256_add_epi8(low, high), every(1));
}

/* Number of cells that the next rows of four rows compute: the live lanes, all between them, and a dead one; 0 if none
 * is live. */
LANES_FUNCTION __m256i count_cells(__m256i live)
{
    const __m256i none = _mm256_cmpeq_epi16(live, _mm256_setzero_si256());
    const __m256i up = _mm256_or_si256(live, _mm256_sub_epi16(_mm256_setzero_si256(), live));
    __m256i down = _mm256_or_si256(live, _mm256_srli_epi16(live, 1));
    down = _mm256_or_si256(down, _mm256_srli_epi16(down, 2));
    down = _mm256_or_si256(down, _mm256_srli_epi16(down, 4));
    down = _mm256_or_si256(down, _mm256_srli_epi16(down, 8));
    return _mm256_add_epi16(count_bits(_mm256_and_si256(up, down)),
                            _mm256_add_epi16(none, _mm256_set1_epi16(1)));
}

/* What the rows of every side come to. */
struct ends {
    uint16_t cells[SLOTS], rises[SLOTS];
    uint16_t best_row[SLOTS]; /* the last one in which the best score rose, if any */
};

/* Fold four rows into one. */
LANES_FUNCTION void fold_sums(__m256i v, uint16_t sums[SLOTS])
{
    const __m128i half = _mm_add_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storel_epi64((__m128i *)sums, _mm_add_epi16(half, _mm_srli_si128(half, 8)));
}

LANES_FUNCTION void fold_maxima(__m256i v, uint16_t maxima[SLOTS])
{
    const __m128i half = _mm_max_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storel_epi64((__m128i *)maxima, _mm_max_epi16(half, _mm_srli_si128(half, 8)));
}

/* Look back upon the rows. */
LANES_FUNCTION struct ends find_ends(struct slots *s)
{
    const __m256i one = _mm256_set1_epi16(1);
    __m256i cells = _mm256_setzero_si256(), rises = cells, last = cells;
    __m256i number = _mm256_setr_epi16(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    struct ends ends;
    for (int64_t i = 0; i < TOGETHER - 1; i++)
        s->live[s->rows + i] = s->above[s->rows + i] = 0;
    for (int64_t row = 0; row < s->rows; row += TOGETHER) {
        const __m256i above = _mm256_loadu_si256((const __m256i *)(s->above + row));
        const __m256i none = _mm256_cmpeq_epi16(above, _mm256_setzero_si256());
        cells = _mm256_add_epi16(cells, count_cells(_mm256_loadu_si256((const __m256i *)(s->live + row))));
        rises = _mm256_add_epi16(rises, _mm256_add_epi16(none, one));
        last = _mm256_max_epi16(last, _mm256_andnot_si256(none, number));
        number = _mm256_add_epi16(number, _mm256_set1_epi16(TOGETHER));
    }
    fold_sums(cells, ends.cells);
    fold_sums(rises, ends.rises);
    fold_maxima(last, ends.best_row);
    return ends;
}

LANES_FUNCTION void end_side(const struct rules *r, const struct slots *s, const struct ends *ends, int slot)
{
    struct short_side *side = s->side[slot];
    side->best = (int)side->run + ends->rises[slot];
    side->best_at = (struct point){side->run, side->run};
    side->cells = run_cells(r->lanes, side->run) + ends->cells[slot];
    if (ends->rises[slot] > 0) {
        const int lane = __builtin_ctzll(s->above[ends->best_row[slot]] >> SHORT_LANES * slot);
        int64_t row = side->run + 1 + ends->best_row[slot];
        side->best_at = (struct point){.row = row, .column = row + lane - r->origin};
    }
}

/* --- rows -------------------------------------------------------------------------------------------------- */

/* What follows is done for each register of two slots. */

LANES_FUNCTION __m256i less(__m256i a, __m256i b)
{
    return _mm256_subs_epu8(a, b);
}

LANES_FUNCTION __m256i most(__m256i a, __m256i b)
{
    return _mm256_max_epu8(a, b);
}

/* The best scores after a pair. */
LANES_FUNCTION __m256i take_pair(const struct rules *r, __m256i best, __m256i bases, __m256i codes)
{
    const __m256i equal = _mm256_cmpeq_epi8(bases, codes);
    return less(_mm256_add_epi8(best, r->match), _mm256_andnot_si256(equal, r->differs));
}

/* Gaps of database bases: of up to 2 cells, and then up to 6. */
LANES_FUNCTION __m256i spread_gaps(const struct rules *r, __m256i from)
{
    const __m256i opened = less(from, r->open_extend);
    const __m256i gap = most(_mm256_slli_si256(opened, 1), less(_mm256_slli_si256(opened, 2), r->extend[1]));
    return most(gap, most(less(_mm256_slli_si256(gap, 2), r->extend[2]),
                          less(_mm256_slli_si256(gap, 4), r->extend[4])));
}

/* Where best scores rise: -1 in the lanes from the first one on that is better than the best so far. There the best
 * score has risen already when a row is computed from left to right.
 *
 * @param above  1 in the lanes that are better than the best so far, else 0: a match scores 1
 */
LANES_FUNCTION __m256i from_first(__m256i above)
{
    const __m256i low_into_high =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, 7, 7, 7, 7, 7, 7, 7, 7));
    const __m256i from = _mm256_or_si256(above, _mm256_sub_epi64(_mm256_setzero_si256(), above));
    return _mm256_or_si256(from, _mm256_shuffle_epi8(from, low_into_high));
}

/* @param pair  see take_pair()
 * @param gap   in and out, as `best`
 * @param above out: see from_first(); where it is 1, the lowest bit is set
 * @return -1 in the live lanes
 */
LANES_FUNCTION __m256i step_lanes(const struct rules *r, __m256i pair, __m256i *best, __m256i *gap,
                                  __m256i *above)
{
    const __m256i up = _mm256_srli_si256(*gap, 1), from = most(pair, up),
                  score = most(from, spread_gaps(r, from));
    *above = less(score, every(BIAS));
    const __m256i risen = from_first(*above), rises = _mm256_shuffle_epi8(risen, every(SHORT_LANES - 1));
    const __m256i bound = _mm256_sub_epi8(r->least, risen),
                  live = _mm256_cmpeq_epi8(most(score, bound), score);
    *best = _mm256_and_si256(_mm256_add_epi8(score, rises), live);
    *gap = less(most(less(up, r->extend[1]), less(score, r->open_extend)), _mm256_abs_epi8(rises));
    return live;
}

LANES_FUNCTION void step_rows(const struct rules *r, struct slots *s)
{
    __m128i base[SLOTS], window[SLOTS];
    struct lanes above, live;
    for (int slot = 0; slot < SLOTS; slot++) {
        base[slot] = _mm_set1_epi8((char)s->side[slot]->query[s->rows]);
        window[slot] = _mm_loadu_si128((const __m128i *)(s->side[slot]->window + s->rows));
    }
    const struct lanes bases = four(base), codes = four(window);
    const struct lanes pair = {take_pair(r, s->best.low, bases.low, codes.low),
                               take_pair(r, s->best.high, bases.high, codes.high)};
    live.low = step_lanes(r, pair.low, &s->best.low, &s->gap.low, &above.low);
    live.high = step_lanes(r, pair.high, &s->best.high, &s->gap.high, &above.high);
    above = (struct lanes){_mm256_slli_epi16(above.low, 7), _mm256_slli_epi16(above.high, 7)};
    s->above[s->rows++] = bits_of(above, true);
    s->live[s->rows] = bits_of(live, true);
}

LANES_FUNCTION void extend_slots(const struct rules *r, struct short_side *sides, size_t count)
{
    struct slots s;
    fill_slots(r, sides, count, &s);
    while (s.live[s.rows] != 0 && s.rows < SHORT_ROWS) {
        step_rows(r, &s);
        if (__builtin_expect((s.live[s.rows] & IN_EVERY_SLOT(EDGE_LANES)) != 0, 0))
            leave_out(&s, IN_EVERY_SLOT(EDGE_LANES));
    }
    leave_out(&s, UINT64_MAX);
    const struct ends ends = find_ends(&s);
    for (int slot = 0; slot < SLOTS; slot++)
        end_side(r, &s, &ends, slot);
}

CPU_TARGET_AVX2 void gapped_short_extend(const struct scoring *scoring, int xdrop, struct short_side *sides,
                                         size_t count)
{
    const struct rules r = rules_of(scoring, xdrop);
    for (size_t first = 0; first < count; first += SLOTS)
        extend_slots(&r, sides + first, count - first);
}
#else
bool gapped_short_fetch(const struct scoring *scoring, const struct side *side, struct short_side *out)
{
    (void)scoring, (void)side, (void)out;
    return false;
}

void gapped_short_extend(const struct scoring *scoring, int xdrop, struct short_side *sides, size_t count)
{
    (void)scoring, (void)xdrop, (void)sides, (void)count;
}
#endif
