#include "blast/stage3/ungapped_xdrop.h"

#include <endian.h>
#include <string.h>

#include "blast/stage3/gapped_band.h"
#include "blast/stages12/wmer.h"

enum { BASES_PER_BYTE = 4, BITS_PER_CODE = BASE_PAIRS_BITS };

/* The lowest bit of every code. */
static const uint64_t every_code = 0x1111111111111111;

/* --- sixteen columns at a time --------------------------------------------------------------------------- */

/* Eight codes of a byte each, packed into the lower half. */
static uint64_t pack_eight(const uint8_t *codes)
{
    uint64_t bytes;
    memcpy(&bytes, codes, sizeof bytes);
    bytes = le64toh(bytes);
    bytes = (bytes | bytes >> 4) & 0x00ff00ff00ff00ff;
    bytes = (bytes | bytes >> 8) & 0x0000ffff0000ffff;
    return (bytes | bytes >> 16) & 0xffffffff;
}

/* 16 codes of the query from a position on, packed as the database's are; those outside of it are undefined. */
static inline uint64_t query_codes_from(const struct base_pairs *p, uint64_t position)
{
    uint64_t word = 0;
    if (position < p->positions && p->positions - position >= BASES_PER_WORD)
        return pack_eight(p->query + position) | pack_eight(p->query + position + 8) << 8 * BITS_PER_CODE;
    for (uint64_t i = 0; i < BASES_PER_WORD; i++)
        if (position + i < p->positions)
            word |= (uint64_t)p->query[position + i] << BITS_PER_CODE * i;
    return word;
}

static inline uint64_t differ(uint64_t query, uint64_t database)
{
    uint64_t bits = (query ^ database) | (database & (every_code * (uint64_t)(~BASE_T & 15)));
    bits |= bits >> 2;
    return (bits | bits >> 1) & every_code;
}

static inline uint64_t reverse_codes(uint64_t word)
{
    const uint64_t low_halves = 0x0f0f0f0f0f0f0f0f;
    word = __builtin_bswap64(word);
    return (word >> 4 & low_halves) | (word & low_halves) << 4;
}

static inline uint64_t columns_differ(const struct base_pairs *p, uint64_t query, uint64_t database, int step)
{
    const uint64_t before = step > 0 ? 0 : BASES_PER_WORD - 1;
    const uint64_t bits =
        differ(query_codes_from(p, query - before), sequences_codes_from(p->database, database - before));
    return step > 0 ? bits : reverse_codes(bits);
}

uint64_t base_pairs_differ(const struct base_pairs *p, uint64_t query, uint64_t database, int step)
{
    return columns_differ(p, query, database, step);
}

/* Bits of the first columns, at most 16. */
static inline uint64_t first_columns(uint64_t count)
{
    return count < BASES_PER_WORD ? (UINT64_C(1) << BITS_PER_CODE * count) - 1 : UINT64_MAX;
}

static inline uint64_t first_column(uint64_t bits)
{
    return (uint64_t)__builtin_ctzll(bits) / BITS_PER_CODE;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t left_until(uint64_t end, uint64_t position)
{
    return end > position ? end - position : 0;
}

/* --- to both sides --------------------------------------------------------------------------------------- */

enum { LEFT, RIGHT, SIDES };

/* Score along the columns of one side. */
struct climb {
    int match, mismatch, xdrop;
    int sum, best;
    uint64_t column, best_length; /* columns before `column` are in the sum */
    bool dropped;                 /* too far: it does not go on */
};

/* Where the columns of the two sides begin, and how many there are. */
struct sides {
    uint64_t query[SIDES], database[SIDES], columns[SIDES];
};

static inline int step_of(int side)
{
    return side == LEFT ? -1 : 1;
}

/* Columns that are the first of the right side, and the last ones before it of the left side. */
static inline struct sides sides_at(const struct gapped_bounds *b, uint64_t query, uint64_t database)
{
    return (struct sides){
        .query = {query - 1, query},
        .database = {database - 1, database},
        .columns = {less(query - b->query_begin, database - b->database_begin),
                    less(left_until(b->query_end, query), left_until(b->database_end, database))},
    };
}

static inline void climb_matches(struct climb *c, uint64_t end)
{
    c->sum += (int)(end - c->column) * c->match;
    c->column = end;
    if (c->sum > c->best) {
        c->best = c->sum;
        c->best_length = end;
    }
}

/* Add the columns from c->column to end, which differ where bits are set. @return false if the score drops too far */
static inline bool climb_word(struct climb *c, uint64_t bits, uint64_t end)
{
    uint64_t begin = c->column;
    for (; bits != 0; bits &= bits - 1) {
        climb_matches(c, begin + first_column(bits));
        c->sum += c->mismatch;
        c->column++;
        if (c->best - c->sum > c->xdrop)
            return false;
    }
    climb_matches(c, end);
    return true;
}

/* Go on to the end of a side. */
static inline void climb_side(struct climb *c, const struct base_pairs *p, const struct sides *s, int side)
{
    const int step = step_of(side);
    while (!c->dropped && c->column < s->columns[side]) {
        uint64_t shift = (uint64_t)step * c->column,
                 count = less(s->columns[side] - c->column, BASES_PER_WORD);
        uint64_t bits = columns_differ(p, s->query[side] + shift, s->database[side] + shift, step);
        c->dropped = !climb_word(c, bits & first_columns(count), c->column + count);
    }
}

#if CPU_HAS_VECTORS
/* The first columns of both sides at a time: a register has sixteen of the left side in its low half, and sixteen of
 * the right side. */
enum { LANES = 16, BOTH_COLUMNS = 2 * LANES };

LANES_FUNCTION __m256i equal_columns(const struct side sides[SIDES], int64_t first)
{
    return _mm256_set_m128i(equal_pairs(&sides[RIGHT], first), equal_pairs(&sides[LEFT], first));
}

/* Macros, because the instruction needs a constant. */
#define SUM_UP(v, count) _mm256_adds_epi8(v, _mm256_slli_si256(v, count))
#define RISE(v, count)   _mm256_max_epi8(v, _mm256_slli_si256(v, count))

LANES_FUNCTION __m256i last_of_each(__m256i v)
{
    return _mm256_shuffle_epi8(v, every(LANES - 1));
}

LANES_FUNCTION struct lanes running_sums(struct lanes v)
{
    v = (struct lanes){SUM_UP(v.low, 1), SUM_UP(v.high, 1)};
    v = (struct lanes){SUM_UP(v.low, 2), SUM_UP(v.high, 2)};
    v = (struct lanes){SUM_UP(v.low, 4), SUM_UP(v.high, 4)};
    v = (struct lanes){SUM_UP(v.low, 8), SUM_UP(v.high, 8)};
    return (struct lanes){v.low, _mm256_adds_epi8(v.high, last_of_each(v.low))};
}

/* The greatest value up to every lane, or 0. */
LANES_FUNCTION struct lanes running_maxima(struct lanes v)
{
    v = (struct lanes){RISE(v.low, 1), RISE(v.high, 1)};
    v = (struct lanes){RISE(v.low, 2), RISE(v.high, 2)};
    v = (struct lanes){RISE(v.low, 4), RISE(v.high, 4)};
    v = larger((struct lanes){RISE(v.low, 8), RISE(v.high, 8)}, all(every(0)));
    return (struct lanes){v.low, _mm256_max_epi8(v.high, last_of_each(v.low))};
}

LANES_FUNCTION uint64_t bits_of_side(struct lanes mask, int side)
{
    const uint64_t bits = bits_of(mask, true) >> LANES * side;
    return (bits & 0xffff) | (bits >> LANES & 0xffff0000);
}

/* Score of the first columns, of which some are equal. */
LANES_FUNCTION int score_of(const struct climb *c, uint64_t equal, uint64_t length)
{
    const int matches = __builtin_popcountll(equal & ((UINT64_C(1) << length) - 1));
    return matches * (c->match - c->mismatch) + (int)length * c->mismatch;
}

LANES_FUNCTION void climb_columns(struct climb *c, uint64_t equal, uint64_t dropped, uint64_t rises)
{
    c->dropped = dropped != 0;
    c->column = c->dropped ? (uint64_t)__builtin_ctzll(dropped) + 1 : BOTH_COLUMNS;
    rises &= (UINT64_C(1) << c->column) - 1;
    c->best_length = 63 - (uint64_t)__builtin_clzll(rises << 1 | 1);
    c->best = score_of(c, equal, c->best_length);
    c->sum = score_of(c, equal, c->column);
}

/* Whether sums are exact before they drop too far: neither they nor what they consist of are out of a byte's range. */
static inline bool sums_fit(const struct climb *c)
{
    return c->xdrop >= 0 && c->match > 0 && c->xdrop + BOTH_COLUMNS * c->match <= INT8_MAX &&
           c->mismatch >= INT8_MIN;
}

/* @return whether columns are equal, in the order of the sequences */
CPU_TARGET_AVX2 static uint64_t climb_both(const struct base_pairs *p, uint64_t query, uint64_t database,
                                           struct climb climbs[SIDES])
{
    const uint8_t *codes = p->query + query;
    const struct side sides[SIDES] = {
        {.query = codes + 1, .sequences = p->database, .database = database + 1, .step = -1},
        {.query = codes, .sequences = p->database, .database = database, .step = 1}};
    const __m256i backwards =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
    const struct climb *c = &climbs[LEFT];
    const struct lanes equal = {equal_columns(sides, 1), equal_columns(sides, 1 + LANES)};
    const struct lanes score = choose(all(every(c->mismatch)), all(every(c->match)), equal);
    const struct lanes sum = running_sums(score), best = running_maxima(sum);
    const struct lanes before = {_mm256_alignr_epi8(best.low, every(0), LANES - 1),
                                 _mm256_alignr_epi8(best.high, best.low, LANES - 1)};
    const struct lanes dropped = is_greater(subtract(best, every(c->xdrop)), sum),
                       rises = is_greater(sum, before);
    for (int side = 0; side < SIDES; side++)
        climb_columns(&climbs[side], bits_of_side(equal, side), bits_of_side(dropped, side),
                      bits_of_side(rises, side));
    const struct lanes reversed = {_mm256_shuffle_epi8(equal.high, backwards),
                                   _mm256_shuffle_epi8(equal.low, backwards)};
    return bits_of_side(reversed, LEFT) | bits_of_side(equal, RIGHT) << EQUAL_BEFORE;
}
#endif

struct gapped_extent stage3_ungapped_extend(const struct base_pairs *p,
                                            const struct scoring_statistics *statistics,
                                            const struct gapped_bounds *bounds, uint64_t query,
                                            uint64_t database, uint64_t *cells, struct columns_around *around)
{
    const struct sides s = sides_at(bounds, query + 1, database + 1);
    const struct climb begin = {.match = statistics->scoring.match,
                                .mismatch = statistics->scoring.mismatch,
                                .xdrop = statistics->xdrop_ungapped};
    struct climb sides[SIDES] = {begin, begin};
    *around = (struct columns_around){.query = query + 1};
#if CPU_HAS_VECTORS
    if (cpu_best_level() >= CPU_AVX2 && s.columns[LEFT] >= BOTH_COLUMNS && s.columns[RIGHT] >= BOTH_COLUMNS &&
        sums_fit(&begin))
        around->equal = climb_both(p, query, database, sides);
#endif
    for (int side = 0; side < SIDES; side++)
        climb_side(&sides[side], p, &s, side);
    const struct climb *left = &sides[LEFT], *right = &sides[RIGHT];
    *cells += left->column + right->column;
    return (struct gapped_extent){.score = left->best + right->best,
                                  .query_begin = query + 1 - left->best_length,
                                  .query_end = query + 1 + right->best_length,
                                  .database_begin = database + 1 - left->best_length,
                                  .database_end = database + 1 + right->best_length};
}

/* --- inside a segment ------------------------------------------------------------------------------------ */

/* The columns from which WMER_BASES columns are equal. */
static uint64_t wmers_begin(uint64_t equal)
{
    _Static_assert(WMER_BASES == 11, "11 columns are 8 and 2 and 1");
    uint64_t two = equal & equal >> 1, four = two & two >> 2, eight = four & four >> 4;
    return eight & two >> 8 & equal >> 10;
}

uint64_t stage3_ungapped_start(const struct base_pairs *p, const struct columns_around *around,
                               const struct gapped_extent *segment)
{
    const uint64_t length = segment->query_end - segment->query_begin;
    const uint64_t first = segment->query_begin + EQUAL_BEFORE - around->query, end = first + length;
    uint64_t run_begin = 0;
    if (first < EQUAL_BEFORE) {
        const uint64_t inside = end < 64 ? (UINT64_C(1) << end) - 1 : UINT64_MAX;
        const uint64_t begins = wmers_begin(around->equal & inside) >> first;
        if (begins != 0)
            return (uint64_t)__builtin_ctzll(begins);
    }
    for (uint64_t column = 0; column < length; column += BASES_PER_WORD) {
        uint64_t count = less(length - column, BASES_PER_WORD);
        uint64_t bits = columns_differ(p, segment->query_begin + column, segment->database_begin + column, 1);
        for (bits &= first_columns(count); bits != 0; bits &= bits - 1) {
            uint64_t at = column + first_column(bits);
            if (at - run_begin >= WMER_BASES)
                return run_begin;
            run_begin = at + 1;
        }
        if (column + count - run_begin >= WMER_BASES)
            return run_begin;
    }
    return run_begin;
}

/* --- whole bytes ----------------------------------------------------------------------------------------- */

/* Number of columns of a byte that differ. */
static inline int differing(uint64_t bits)
{
    return (int)((bits & 0x1111) * 0x1111 >> 12 & 7);
}

/* Score of one side, byte by byte, until the X-drop ends it or it is `enough`. */
static inline int coarse_side(const struct base_pairs *p, const struct scoring_statistics *t,
                              const struct sides *s, int side, int enough)
{
    const int whole = BASES_PER_BYTE * t->scoring.match, less_each = t->scoring.match - t->scoring.mismatch;
    int score = 0, sum = 0;
    const uint64_t bytes = s->columns[side] / BASES_PER_BYTE;
    uint64_t bits = 0;
    for (uint64_t i = 0; i < bytes && score < enough && -sum <= t->xdrop_ungapped; i++) {
        uint64_t shift = (uint64_t)step_of(side) * BASES_PER_BYTE * i;
        if (i % (BASES_PER_WORD / BASES_PER_BYTE) == 0)
            bits = columns_differ(p, s->query[side] + shift, s->database[side] + shift, step_of(side));
        sum += whole - differing(bits) * less_each;
        bits >>= BASES_PER_BYTE * BITS_PER_CODE;
        if (sum > 0) {
            score += sum;
            sum = 0;
        }
    }
    return score;
}

/* Score of the first bytes of a side, four equal bits each, without branches that cannot be predicted.
 *
 * @param ended  out: whether the X-drop ends the side there
 */
static inline int near_side(const struct scoring_statistics *t, uint64_t equal, int bytes, bool *ended)
{
    const int none = BASES_PER_BYTE * t->scoring.mismatch, more_each = t->scoring.match - t->scoring.mismatch;
    int score = 0, sum = 0, counts = -1; /* counts: a mask */
    equal -= equal >> 1 & 0x5555555555555555;
    equal = (equal & 0x3333333333333333) + (equal >> 2 & 0x3333333333333333); /* the number of every four */
    for (int i = 0; i < bytes; i++) {
        sum += none + (int)(equal >> BASES_PER_BYTE * i & 15) * more_each;
        const int rise = sum > 0 ? sum : 0;
        score += rise & counts;
        sum -= rise;
        counts &= -(-sum <= t->xdrop_ungapped);
    }
    *ended = !counts;
    return score;
}

/* Score of the bytes around a query position, or of its equal bytes, if that is `enough`.
 *
 * @return whether the X-drop ends both sides there
 */
static inline bool near_sides(const struct columns_around *around, const struct scoring_statistics *t,
                              uint64_t query, int enough, int *score)
{
    enum { BEFORE = 4, AFTER = 8 }; /* bytes */
    const uint64_t first = query + EQUAL_BEFORE - around->query;
    bool left_ended, right_ended;
    *score = 0;
    if (around->equal == 0 || first < BASES_PER_BYTE * BEFORE || first > 64 - BASES_PER_BYTE * AFTER)
        return false;
    const int run = __builtin_ctzll(~(around->equal >> first) | UINT64_C(1) << BASES_PER_BYTE * AFTER);
    *score = run / BASES_PER_BYTE * BASES_PER_BYTE * t->scoring.match;
    if (*score >= enough)
        return false;
    *score = near_side(t, reverse_codes(around->equal << (64 - first)), BEFORE, &left_ended) +
             near_side(t, around->equal >> first, AFTER, &right_ended);
    return left_ended && right_ended;
}

bool stage3_ungapped_coarse_reaches(const struct base_pairs *p, const struct columns_around *around,
                                    const struct scoring_statistics *statistics,
                                    const struct gapped_bounds *bounds, uint64_t query, uint64_t database,
                                    int score)
{
    uint64_t skip = -(database - bounds->database_begin) % BASES_PER_BYTE;
    skip = less(skip, less(left_until(bounds->query_end, query), left_until(bounds->database_end, database)));
    int near;
    if (near_sides(around, statistics, query + skip, score, &near) || near >= score)
        return near >= score;
    const struct sides s = sides_at(bounds, query + skip, database + skip);
    int right = coarse_side(p, statistics, &s, RIGHT, score);
    return right >= score || right + coarse_side(p, statistics, &s, LEFT, score - right) >= score;
}
