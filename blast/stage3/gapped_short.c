#include "blast/stage3/gapped_short.h"

#include "base/cpu.h"
#include "blast/sequence/sequence.h"
#include "blast/stage3/gapped_vectors.h"

/* SLOTS sides are extended at a time, each in half a register. LEAST_SPARE lanes stay free beside the live lanes of a
 * run. */
enum { SLOTS = 4, LEAST_SPARE = 2, LONGEST_GAP = 6 };

/* Lane of the run's diagonal: as many lanes are free on the left as on the right. */
static int origin_of(struct run_band lanes)
{
    return lanes.left + (SHORT_LANES - 1 - lanes.left - lanes.right) / 2;
}

bool gapped_short_fits(const struct scoring *s, int xdrop)
{
    enum { MOST = 100 };
    if (s->match != 1 || s->mismatch < -MOST || s->gap_open + s->gap_extend > MOST || s->gap_extend < 1 ||
        s->gap_extend > 7 || xdrop > MOST || xdrop < s->gap_open + s->gap_extend)
        return false;
    struct run_band lanes = run_band_of(s, xdrop);
    return (xdrop + s->match - s->gap_open) / s->gap_extend <= LONGEST_GAP &&
           lanes.left + 1 + lanes.right + 2 * LEAST_SPARE <= SHORT_LANES;
}

#if CPU_HAS_VECTORS
/* --- codes ------------------------------------------------------------------------------------------------- */

/* Sixteen codes in the direction of a side. */
LANES_FUNCTION __m128i turn(const struct side *side, __m128i codes)
{
    const __m128i backwards = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return side->step > 0 ? codes : _mm_shuffle_epi8(codes, backwards);
}

LANES_FUNCTION __m128i database_codes(const struct side *side, int64_t column)
{
    uint64_t position = side->database + (uint64_t)(side->step > 0 ? column : -column - (SHORT_LANES - 1));
    uint64_t word = position / BASES_PER_WORD;
    unsigned shift = 4 * (unsigned)(position % BASES_PER_WORD);
    uint64_t codes = sequences_word(side->sequences, word) >> shift |
                     sequences_word(side->sequences, word + 1) << 1 << (63 - shift);
    const __m128i low_halves = _mm_set1_epi8(15), packed = _mm_cvtsi64_si128((long long)codes);
    return turn(side, _mm_unpacklo_epi8(_mm_and_si128(packed, low_halves),
                                        _mm_and_si128(_mm_srli_epi16(packed, 4), low_halves)));
}

/* Codes above BASE_T become GAPPED_NEVER_MATCHES. */
LANES_FUNCTION __m128i query_codes(const struct side *side, int64_t row)
{
    const uint8_t *first = side->query + (side->step > 0 ? row : -row - (SHORT_LANES - 1));
    __m128i codes = turn(side, _mm_loadu_si128((const __m128i *)first));
    return _mm_or_si128(codes, _mm_cmpgt_epi8(codes, _mm_set1_epi8(BASE_T)));
}

/* Number of equal pairs before the first one that differs; any number above `most` if it is above that. */
LANES_FUNCTION int64_t find_run(const struct side *side, int64_t most)
{
    for (int64_t run = 0; run <= most; run += SHORT_LANES) {
        __m128i equal = _mm_cmpeq_epi8(query_codes(side, run + 1), database_codes(side, run + 1));
        unsigned different = ~(unsigned)_mm_movemask_epi8(equal) & 0xffff;
        if (different != 0)
            return run + __builtin_ctz(different);
    }
    return most + 1;
}

CPU_TARGET_AVX2 static bool fetch(const struct scoring *scoring, const struct side *side,
                                  struct short_side *out)
{
    int64_t shorter = side->rows < side->columns ? side->rows : side->columns;
    int64_t most = shorter - SHORT_ROWS - 2 * SHORT_LANES, run = find_run(side, most);
    int64_t first = run + 1 - origin_of(run_band_of(scoring, side->xdrop));
    if (run < 1 || run > most)
        return false;
    for (int i = 0; i < SHORT_ROWS; i += SHORT_LANES)
        _mm_storeu_si128((__m128i *)(out->query + i), query_codes(side, run + 1 + i));
    for (int i = 0; i < SHORT_ROWS + SHORT_LANES; i += SHORT_LANES)
        _mm_storeu_si128((__m128i *)(out->window + i), database_codes(side, first + i));
    out->run = run;
    out->ended = false;
    return true;
}

/* --- slots ------------------------------------------------------------------------------------------------- */

/* What all sides have in common. */
struct rules {
    struct run_band lanes;
    int origin;
    __m256i match, mismatch, open_extend, least;
    __m256i extend[LONGEST_GAP]; /* extend[i]: of i cells */
    __m128i best, gap;           /* of a row after a long run */
};

/* A row of each of four sides. A slot's live lanes are 16 bits of `live`; an idle slot has one, which is in `idle`. */
struct slots {
    struct lanes best, gap; /* as in struct cell, minus the best score so far */
    uint64_t live, idle;
    int64_t rows, limit;      /* number of rows so far; when the oldest side has had SHORT_ROWS of them */
    struct short_side *sides; /* all of them */
    size_t next, count;       /* the side that enters next */
    struct short_side *side[SLOTS];      /* NULL: the slot is idle */
    int64_t begin[SLOTS];                /* number of rows when the side entered */
    int64_t query[SLOTS], window[SLOTS]; /* where the codes of row 0 would be, in bytes from `sides` */
    int64_t rises[SLOTS], best_row[SLOTS], best_lane[SLOTS];
    uint64_t cells[SLOTS];
};

enum { IDLE_LANE = 0x0080, EDGE_LANES = 0x8001, ALL_LANES = 0xffff };

#define IN_EVERY_SLOT(lanes) ((lanes)*UINT64_C(0x0001000100010001))

LANES_FUNCTION struct rules rules_of(const struct scoring *s, int xdrop)
{
    int8_t best[SHORT_LANES], gap[SHORT_LANES];
    struct rules r = {.lanes = run_band_of(s, xdrop),
                      .match = every(s->match),
                      .mismatch = every(s->mismatch),
                      .open_extend = every(s->gap_open + s->gap_extend),
                      .least = every(-xdrop)};
    r.origin = origin_of(r.lanes);
    for (int i = 0; i < LONGEST_GAP; i++)
        r.extend[i] = every(i * s->gap_extend);
    for (int lane = 0; lane < SHORT_LANES; lane++) {
        struct cell cell = run_cell(s, r.lanes, lane - r.origin);
        best[lane] = (int8_t)(cell.best > DEAD_LANE ? cell.best : DEAD_LANE);
        gap[lane] = (int8_t)(cell.gap > DEAD_LANE ? cell.gap : DEAD_LANE);
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

LANES_FUNCTION void put(struct lanes *v, int slot, __m128i lanes)
{
    switch (slot) {
    case 0:
        v->low = _mm256_inserti128_si256(v->low, lanes, 0);
        break;
    case 1:
        v->low = _mm256_inserti128_si256(v->low, lanes, 1);
        break;
    case 2:
        v->high = _mm256_inserti128_si256(v->high, lanes, 0);
        break;
    default:
        v->high = _mm256_inserti128_si256(v->high, lanes, 1);
    }
}

LANES_FUNCTION void set_live(struct slots *s, int slot, uint64_t lanes)
{
    s->live = (s->live & ~((uint64_t)ALL_LANES << SHORT_LANES * slot)) | lanes << SHORT_LANES * slot;
}

LANES_FUNCTION void make_idle(struct slots *s, int slot)
{
    s->side[slot] = NULL;
    s->idle |= (uint64_t)IDLE_LANE << SHORT_LANES * slot;
    s->query[slot] = s->window[slot] =
        -s->rows; /* of the first side: no side goes on for more than SHORT_ROWS rows */
    put(&s->best, slot, _mm_set1_epi8(DEAD_LANE));
    put(&s->gap, slot, _mm_set1_epi8(DEAD_LANE));
    set_live(s, slot, IDLE_LANE);
}

/* Let the next side enter, with the row after its run. */
LANES_FUNCTION void fill_slot(const struct rules *r, struct slots *s, int slot)
{
    if (s->next == s->count) {
        make_idle(s, slot);
        return;
    }
    const __m128i numbers = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    struct short_side *side = &s->sides[s->next++];
    int left = side->run < r->lanes.left ? (int)side->run : r->lanes.left;
    __m128i outside = _mm_cmpgt_epi8(_mm_set1_epi8((char)(r->origin - left)), numbers);
    put(&s->best, slot, _mm_blendv_epi8(r->best, _mm_set1_epi8(DEAD_LANE), outside));
    put(&s->gap, slot, _mm_blendv_epi8(r->gap, _mm_set1_epi8(DEAD_LANE), outside));
    set_live(s, slot, ((UINT64_C(1) << (left + 1 + r->lanes.right)) - 1) << (r->origin - left));
    s->side[slot] = side;
    s->begin[slot] = s->rows;
    s->query[slot] = (const uint8_t *)side->query - (const uint8_t *)s->sides - s->rows;
    s->window[slot] = (const uint8_t *)side->window - (const uint8_t *)s->sides - s->rows;
    s->rises[slot] = 0;
    s->cells[slot] = run_cells(r->lanes, side->run);
}

LANES_FUNCTION void end_side(const struct rules *r, const struct slots *s, int slot)
{
    struct short_side *side = s->side[slot];
    side->ended = true;
    side->best = (int)(side->run + s->rises[slot]);
    side->best_at = (struct point){side->run, side->run};
    side->cells = s->cells[slot];
    if (s->rises[slot] > 0) {
        int64_t row = side->run + 1 + s->best_row[slot] - s->begin[slot];
        side->best_at = (struct point){.row = row, .column = row + s->best_lane[slot] - r->origin};
    }
}

/* Replace the slot's side if it has ended, or cannot go on. */
LANES_FUNCTION void change_slot(const struct rules *r, struct slots *s, int slot)
{
    unsigned live = s->live >> SHORT_LANES * slot & ALL_LANES;
    if (!s->side[slot])
        return;
    if (live == 0)
        end_side(r, s, slot);
    else if ((live & EDGE_LANES) == 0 && s->rows - s->begin[slot] < SHORT_ROWS)
        return;
    fill_slot(r, s, slot);
}

LANES_FUNCTION void find_limit(struct slots *s)
{
    s->limit = INT64_MAX;
    for (int slot = 0; slot < SLOTS; slot++)
        if (s->side[slot] && s->begin[slot] + SHORT_ROWS < s->limit)
            s->limit = s->begin[slot] + SHORT_ROWS;
}

/* Whether a slot has no live lane or one at an edge; a slot above one without may be taken for one. */
LANES_FUNCTION bool is_change_due(const struct slots *s)
{
    uint64_t empty = (s->live - IN_EVERY_SLOT(1)) & ~s->live & IN_EVERY_SLOT(UINT64_C(0x8000));
    return (empty | (s->live & IN_EVERY_SLOT(EDGE_LANES))) != 0 || s->rows == s->limit;
}

/* --- rows -------------------------------------------------------------------------------------------------- */

LANES_FUNCTION uint64_t bits_of(struct lanes mask)
{
    uint64_t low = (uint32_t)_mm256_movemask_epi8(mask.low), high = (uint32_t)_mm256_movemask_epi8(mask.high);
    return low | high << 32;
}

LANES_FUNCTION struct lanes four(const int8_t *a, const int8_t *b, const int8_t *c, const int8_t *d)
{
    return (struct lanes){_mm256_loadu2_m128i((const __m128i *)b, (const __m128i *)a),
                          _mm256_loadu2_m128i((const __m128i *)d, (const __m128i *)c)};
}

LANES_FUNCTION struct lanes add(struct lanes a, struct lanes b)
{
    return (struct lanes){_mm256_adds_epi8(a.low, b.low), _mm256_adds_epi8(a.high, b.high)};
}

/* Move the lanes of every slot up by `count`; dead lanes enter. A macro, because the instruction needs a constant. */
#define UP(v, count)                                                                                         \
    ((struct lanes){_mm256_alignr_epi8((v).low, every(DEAD_LANE), 16 - (count)),                             \
                    _mm256_alignr_epi8((v).high, every(DEAD_LANE), 16 - (count))})

LANES_FUNCTION struct lanes down_1(struct lanes v)
{
    return (struct lanes){_mm256_alignr_epi8(every(DEAD_LANE), v.low, 1),
                          _mm256_alignr_epi8(every(DEAD_LANE), v.high, 1)};
}

LANES_FUNCTION struct lanes pair_scores(const struct rules *r, const struct slots *s)
{
    const uint8_t *bytes = (const uint8_t *)s->sides;
    __m128i base[SLOTS], window[SLOTS];
    for (int slot = 0; slot < SLOTS; slot++) {
        base[slot] = _mm_set1_epi8((char)bytes[s->query[slot] + s->rows]);
        window[slot] = _mm_loadu_si128((const __m128i *)(bytes + (s->window[slot] + s->rows)));
    }
    struct lanes bases = {_mm256_set_m128i(base[1], base[0]), _mm256_set_m128i(base[3], base[2])};
    struct lanes codes = {_mm256_set_m128i(window[1], window[0]), _mm256_set_m128i(window[3], window[2])};
    return choose(
        all(r->mismatch), all(r->match),
        (struct lanes){_mm256_cmpeq_epi8(bases.low, codes.low), _mm256_cmpeq_epi8(bases.high, codes.high)});
}

/* Gaps of database bases: of up to 2 cells, and then up to 6. */
LANES_FUNCTION struct lanes spread_gaps(const struct rules *r, struct lanes from)
{
    struct lanes opened = subtract(from, r->open_extend);
    struct lanes gap = larger(UP(opened, 1), subtract(UP(opened, 2), r->extend[1]));
    return larger(gap, larger(subtract(UP(gap, 2), r->extend[2]), subtract(UP(gap, 4), r->extend[4])));
}

/* Note where best scores rise.
 *
 * @param above  the lanes that are better than the best so far
 * @return 1 in the lanes from the first of them on: there the best score has risen already when a row is computed from
 *         left to right
 */
LANES_FUNCTION struct lanes note_rises(struct slots *s, uint64_t above)
{
    static const int8_t from[2 * SHORT_LANES] = {
        [SHORT_LANES] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const int8_t *risen[SLOTS];
    for (int slot = 0; slot < SLOTS; slot++) {
        unsigned lanes = above >> SHORT_LANES * slot & ALL_LANES;
        int lane = __builtin_ctz(lanes | (ALL_LANES + 1));
        risen[slot] = from + SHORT_LANES - lane;
        s->rises[slot] += lanes != 0;
        s->best_row[slot] = lanes != 0 ? s->rows : s->best_row[slot];
        s->best_lane[slot] = lanes != 0 ? lane : s->best_lane[slot];
    }
    return four(risen[0], risen[1], risen[2], risen[3]);
}

/* Count the cells of the next row: the live lanes, all between them, and a dead one. */
LANES_FUNCTION void count_cells(struct slots *s)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        unsigned lanes = s->live >> SHORT_LANES * slot & ALL_LANES;
        s->cells[slot] += (uint64_t)(33 - __builtin_clz(lanes) - __builtin_ctz(lanes));
    }
}

LANES_FUNCTION void step_rows(const struct rules *r, struct slots *s)
{
    const __m256i last = every(SHORT_LANES - 1);
    struct lanes pair = add(s->best, pair_scores(r, s)), up = down_1(s->gap), from = larger(pair, up);
    struct lanes score = larger(from, spread_gaps(r, from)), bound = all(r->least), lower, dropped;
    uint64_t above = bits_of(is_greater(score, all(_mm256_setzero_si256())));
    s->best = score;
    s->gap = larger(subtract(up, r->extend[1]), subtract(score, r->open_extend));
    count_cells(s);
    if (above != 0) {
        struct lanes risen = note_rises(s, above);
        bound = add(bound, risen);
        lower.low = _mm256_sub_epi8(_mm256_setzero_si256(), _mm256_shuffle_epi8(risen.low, last));
        lower.high = _mm256_sub_epi8(_mm256_setzero_si256(), _mm256_shuffle_epi8(risen.high, last));
        s->best = add(s->best, lower);
        s->gap = add(s->gap, lower);
    }
    dropped = is_greater(bound, score);
    s->best = choose(s->best, all(every(DEAD_LANE)), dropped);
    s->live = ~bits_of(dropped) | s->idle;
    s->rows++;
}

CPU_TARGET_AVX2 static void extend(const struct scoring *scoring, int xdrop, struct short_side *sides,
                                   size_t count)
{
    const struct rules r = rules_of(scoring, xdrop);
    struct slots s = {.sides = sides, .count = count};
    for (int slot = 0; slot < SLOTS; slot++)
        fill_slot(&r, &s, slot);
    find_limit(&s);
    while (s.limit < INT64_MAX) {
        step_rows(&r, &s);
        if (!is_change_due(&s))
            continue;
        change_slot(&r, &s, 0);
        change_slot(&r, &s, 1);
        change_slot(&r, &s, 2);
        change_slot(&r, &s, 3);
        find_limit(&s);
    }
}
#endif

bool gapped_short_fetch(const struct scoring *scoring, const struct side *side, struct short_side *out)
{
#if CPU_HAS_VECTORS
    return fetch(scoring, side, out);
#else
    (void)scoring, (void)side, (void)out;
    return false;
#endif
}

void gapped_short_extend(const struct scoring *scoring, int xdrop, struct short_side *sides, size_t count)
{
#if CPU_HAS_VECTORS
    extend(scoring, xdrop, sides, count);
#else
    (void)scoring, (void)xdrop, (void)sides, (void)count;
#endif
}
