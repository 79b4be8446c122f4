#include "blast/stage3/stage3_ungapped.h"

#include <endian.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "blast/stages12/wmer.h"

#if CPU_HAS_VECTORS
#include <immintrin.h>
#endif

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

int base_pairs_new(struct base_pairs *p, const struct sequences *database, const uint8_t *query,
                   uint64_t positions, uint64_t begin, uint64_t end)
{
    *p = (struct base_pairs){
        .database = database,
        .codes = query,
        .query_begin = begin,
        .query_words = (end - begin) / BASES_PER_WORD + 2,
        .level = cpu_best_level(),
    };
    p->query = calloc(p->query_words, sizeof *p->query);
    if (!p->query)
        return -1;
    for (uint64_t i = 0; i < p->query_words; i++) {
        uint64_t first = begin + i * BASES_PER_WORD;
        if (first + BASES_PER_WORD <= positions)
            p->query[i] = pack_eight(query + first) | pack_eight(query + first + 8) << 8 * BITS_PER_CODE;
        else
            for (uint64_t j = 0; j < BASES_PER_WORD; j++)
                p->query[i] |= (first + j < positions ? query[first + j] : UINT64_C(0) + BASE_SEPARATOR)
                               << BITS_PER_CODE * j;
    }
    return 0;
}

void base_pairs_destroy(struct base_pairs *p)
{
    free(p->query);
    p->query = NULL;
}

/* 16 codes from a position on, the first one in the lowest bits. */
static inline uint64_t codes_from(const uint64_t *words, uint64_t word_count, uint64_t position)
{
    uint64_t i = position / BASES_PER_WORD;
    unsigned shift = BITS_PER_CODE * (unsigned)(position % BASES_PER_WORD);
    uint64_t next = i + 1 < word_count ? words[i + 1] : 0;
    return words[i] >> shift | next << 1 << (63 - shift);
}

/* 16 codes up to a position, the last one in the highest bits. */
static inline uint64_t codes_to(const uint64_t *words, uint64_t position)
{
    uint64_t i = position / BASES_PER_WORD;
    unsigned shift = 60 - BITS_PER_CODE * (unsigned)(position % BASES_PER_WORD);
    uint64_t before = i > 0 ? words[i - 1] : 0;
    return words[i] << shift | before >> 1 >> (63 - shift);
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
    query -= p->query_begin;
    if (step > 0)
        return differ(codes_from(p->query, p->query_words, query),
                      codes_from(p->database->words, p->database->word_count, database));
    return reverse_codes(differ(codes_to(p->query, query), codes_to(p->database->words, database)));
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

/* --- thirty-two columns of both sides at a time ------------------------------------------------------------ */

enum { LEFT, RIGHT, SIDES, BOTH_WORDS = 2, BOTH_COLUMNS = BOTH_WORDS * BASES_PER_WORD };

/* Score along the columns of one side. */
struct climb {
    int match, mismatch, xdrop;
    int sum, best;
    uint64_t column, best_length; /* columns before `column` are in the sum */
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

#if CPU_HAS_VECTORS
/* The left side's lanes are the low half of a register. */
#define LANES_FUNCTION CPU_TARGET_AVX2 __attribute__((always_inline)) static inline

/* Whether lanes_around() may be asked: it reads a few bases of the database more. */
static inline bool has_lanes(const struct base_pairs *p, const struct sides *s)
{
    enum { BYTES_READ = BOTH_COLUMNS / 2 + 8 };
    return p->level >= CPU_AVX2 && s->columns[LEFT] >= BOTH_COLUMNS && s->columns[RIGHT] >= BOTH_COLUMNS &&
           s->database[RIGHT] / 2 + BYTES_READ <= p->database->word_count * sizeof *p->database->words;
}

/* Thirty-two codes of the database, a byte each. */
LANES_FUNCTION __m256i database_codes(const struct base_pairs *p, uint64_t position)
{
    const uint8_t *bytes = (const uint8_t *)p->database->words + position / 2;
    const __m128i shift = _mm_cvtsi32_si128((int)(position % 2) * BITS_PER_CODE),
                  rest = _mm_cvtsi32_si128(64 - (int)(position % 2) * BITS_PER_CODE);
    __m128i packed = _mm_or_si128(_mm_srl_epi64(_mm_loadu_si128((const __m128i *)bytes), shift),
                                  _mm_sll_epi64(_mm_loadu_si128((const __m128i *)(bytes + 8)), rest));
    __m256i pairs = _mm256_cvtepu8_epi16(packed);
    return _mm256_and_si256(_mm256_or_si256(pairs, _mm256_slli_epi16(pairs, BITS_PER_CODE)),
                            _mm256_set1_epi8(15));
}

/* Lanes of the columns whose bases are equal, A, C, G or T, in the order of the sequences. */
LANES_FUNCTION __m256i equal_lanes(const struct base_pairs *p, uint64_t query, uint64_t database)
{
    __m256i q = _mm256_loadu_si256((const __m256i *)(p->codes + query)), d = database_codes(p, database);
    return _mm256_and_si256(_mm256_cmpeq_epi8(q, d), _mm256_cmpgt_epi8(_mm256_set1_epi8(BASE_T + 1), d));
}

/* Whether columns are equal: words[i] has word i of the left side, reversed, and of the right side.
 * @return the same, in the order of the sequences */
LANES_FUNCTION uint64_t lanes_around(const struct base_pairs *p, const struct sides *s,
                                     __m256i words[BOTH_WORDS])
{
    const __m256i reversed =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
    __m256i right = equal_lanes(p, s->query[RIGHT], s->database[RIGHT]);
    __m256i left = equal_lanes(p, s->query[RIGHT] - BOTH_COLUMNS, s->database[RIGHT] - BOTH_COLUMNS);
    uint64_t equal = (uint32_t)_mm256_movemask_epi8(left);
    equal |= (uint64_t)(uint32_t)_mm256_movemask_epi8(right) << BOTH_COLUMNS;
    left = _mm256_shuffle_epi8(left, reversed);
    words[0] = _mm256_permute2x128_si256(left, right, 0x21);
    words[1] = _mm256_permute2x128_si256(left, right, 0x30);
    return equal;
}

LANES_FUNCTION __m256i larger(__m256i a, __m256i b)
{
    return _mm256_max_epi8(a, b);
}

LANES_FUNCTION __m256i last_of_each(__m256i v)
{
    return _mm256_shuffle_epi8(v, _mm256_set1_epi8(15));
}

/* A macro, because the instruction needs a constant. */
#define SUM_UP(v, bytes) _mm256_adds_epi8(v, _mm256_slli_si256(v, bytes))
#define RISE(v, bytes)   larger(v, _mm256_slli_si256(v, bytes))

LANES_FUNCTION __m256i running_sums(__m256i v)
{
    v = SUM_UP(v, 1);
    v = SUM_UP(v, 2);
    v = SUM_UP(v, 4);
    return SUM_UP(v, 8);
}

/* The greatest value up to every lane, or 0. */
LANES_FUNCTION __m256i running_maxima(__m256i v)
{
    v = RISE(v, 1);
    v = RISE(v, 2);
    v = RISE(v, 4);
    return larger(RISE(v, 8), _mm256_setzero_si256());
}

/* Bits of a side's columns, from the lanes of two words. */
LANES_FUNCTION uint64_t side_bits(__m256i first, __m256i second, int side)
{
    unsigned low = (unsigned)_mm256_movemask_epi8(first), high = (unsigned)_mm256_movemask_epi8(second);
    return side == LEFT ? (low & 0xffff) | high << 16 : low >> 16 | (high & 0xffff0000);
}

LANES_FUNCTION int score_of(const struct climb *c, uint64_t differing, uint64_t length)
{
    uint64_t differ = differing & ((UINT64_C(1) << length) - 1);
    return (int)length * c->match - __builtin_popcountll(differ) * (c->match - c->mismatch);
}

/* @return whether the side goes on after these columns */
LANES_FUNCTION bool climb_lanes(struct climb *c, uint64_t columns, uint64_t dropped, uint64_t rises,
                                uint64_t differing)
{
    uint64_t end = (uint64_t)__builtin_ctzll(dropped | UINT64_C(1) << BOTH_COLUMNS);
    c->column = end + (end < BOTH_COLUMNS);
    rises &= (UINT64_C(1) << c->column) - 1;
    c->best_length = 63 - (uint64_t)__builtin_clzll(rises << 1 | 1);
    c->best = score_of(c, differing, c->best_length);
    c->sum = score_of(c, differing, c->column);
    return end == BOTH_COLUMNS && columns > BOTH_COLUMNS;
}

/* Sums before an X-drop are exact: neither they nor what they consist of can be out of a byte's range. */
static bool lanes_fit(const struct climb *c)
{
    return c->xdrop >= 0 && c->match > 0 && c->xdrop + BOTH_COLUMNS * c->match <= INT8_MAX &&
           c->mismatch >= INT8_MIN;
}

CPU_TARGET_AVX2 static void climb_both(const struct base_pairs *p, const struct sides *s,
                                       struct climb sides[SIDES], bool goes_on[SIDES],
                                       struct columns_around *around)
{
    const __m256i xdrop = _mm256_set1_epi8((char)sides[LEFT].xdrop), zero = _mm256_setzero_si256();
    const __m256i match = _mm256_set1_epi8((char)sides[LEFT].match),
                  mismatch = _mm256_set1_epi8((char)sides[LEFT].mismatch);
    __m256i equal[BOTH_WORDS];
    around->equal = lanes_around(p, s, equal);
    around->known = true;
    __m256i score[] = {_mm256_blendv_epi8(mismatch, match, equal[0]),
                       _mm256_blendv_epi8(mismatch, match, equal[1])};
    __m256i sum[] = {running_sums(score[0]), running_sums(score[1])};
    sum[1] = _mm256_adds_epi8(sum[1], last_of_each(sum[0]));
    __m256i best[] = {running_maxima(sum[0]), running_maxima(sum[1])};
    best[1] = larger(best[1], last_of_each(best[0]));
    __m256i dropped[] = {_mm256_cmpgt_epi8(_mm256_subs_epi8(best[0], sum[0]), xdrop),
                         _mm256_cmpgt_epi8(_mm256_subs_epi8(best[1], sum[1]), xdrop)};
    __m256i rises[] = {_mm256_cmpgt_epi8(sum[0], _mm256_alignr_epi8(best[0], zero, 15)),
                       _mm256_cmpgt_epi8(sum[1], _mm256_alignr_epi8(best[1], best[0], 15))};
    for (int side = 0; side < SIDES; side++)
        goes_on[side] = climb_lanes(&sides[side], s->columns[side], side_bits(dropped[0], dropped[1], side),
                                    side_bits(rises[0], rises[1], side), side_bits(score[0], score[1], side));
}
#endif

/* --- to both sides --------------------------------------------------------------------------------------- */

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
    bool rises = true;
    while (rises && c->column < s->columns[side]) {
        uint64_t shift = (uint64_t)step * c->column,
                 count = less(s->columns[side] - c->column, BASES_PER_WORD);
        uint64_t bits = columns_differ(p, s->query[side] + shift, s->database[side] + shift, step);
        rises = climb_word(c, bits & first_columns(count), c->column + count);
    }
}

struct ungapped_segment stage3_ungapped_extend(const struct base_pairs *p,
                                               const struct scoring_statistics *statistics,
                                               const struct gapped_bounds *bounds, uint64_t query,
                                               uint64_t database, uint64_t *cells,
                                               struct columns_around *around)
{
    const struct sides s = sides_at(bounds, query + 1, database + 1);
    const struct climb begin = {.match = statistics->scoring.match,
                                .mismatch = statistics->scoring.mismatch,
                                .xdrop = statistics->xdrop_ungapped};
    struct climb sides[SIDES] = {begin, begin};
    bool goes_on[SIDES] = {true, true};
    *around = (struct columns_around){.query = query + 1, .database = database + 1};
#if CPU_HAS_VECTORS
    if (has_lanes(p, &s) && lanes_fit(&begin))
        climb_both(p, &s, sides, goes_on, around);
#endif
    for (int side = 0; side < SIDES; side++)
        if (goes_on[side])
            climb_side(&sides[side], p, &s, side);
    const struct climb *left = &sides[LEFT], *right = &sides[RIGHT];
    *cells += left->column + right->column;
    return (struct ungapped_segment){.query = query + 1 - left->best_length,
                                     .database = database + 1 - left->best_length,
                                     .length = left->best_length + right->best_length,
                                     .score = left->best + right->best};
}

/* --- inside a segment ------------------------------------------------------------------------------------ */

/* The columns from which WMER_BASES columns are equal. */
static uint64_t wmers_begin(uint64_t equal)
{
    _Static_assert(WMER_BASES == 11, "11 columns are 8 and 2 and 1");
    uint64_t two = equal & equal >> 1, four = two & two >> 2, eight = four & four >> 4;
    return eight & two >> 8 & equal >> 10;
}

static uint64_t find_start(const struct base_pairs *p, const struct ungapped_segment *segment)
{
    uint64_t run_begin = 0;
    for (uint64_t column = 0; column < segment->length; column += BASES_PER_WORD) {
        uint64_t count = less(segment->length - column, BASES_PER_WORD);
        uint64_t bits = columns_differ(p, segment->query + column, segment->database + column, 1);
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

uint64_t stage3_ungapped_start(const struct base_pairs *p, const struct columns_around *around,
                               const struct ungapped_segment *segment)
{
    uint64_t first = segment->query + EQUAL_BEFORE - around->query, end = first + segment->length;
    if (!around->known || first >= EQUAL_BEFORE || end > 63)
        return find_start(p, segment);
    uint64_t begins = wmers_begin(around->equal & ((UINT64_C(1) << end) - 1)) >> first;
    return begins != 0 ? (uint64_t)__builtin_ctzll(begins) : find_start(p, segment);
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

/* Number of ones of every four bits. */
static uint64_t count_fours(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555;
    return (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
}

/* Score of `bytes` bytes.
 *
 * @param equal  four bits per byte, those of the first byte lowest
 * @param ended  out: whether the X-drop ended it
 */
static inline int near_side(const struct scoring_statistics *t, uint64_t equal, int bytes, bool *ended)
{
    const int none = BASES_PER_BYTE * t->scoring.mismatch, more_each = t->scoring.match - t->scoring.mismatch;
    int score = 0, sum = 0, counts_on = -1;
    equal = count_fours(equal);
    for (int i = 0; i < bytes; i++) {
        sum += none + (int)(equal >> BASES_PER_BYTE * i & 15) * more_each;
        int rise = sum > 0 ? sum : 0;
        score += rise & counts_on;
        sum -= rise;
        counts_on &= -(-sum <= t->xdrop_ungapped);
    }
    *ended = !counts_on;
    return score;
}

enum { NEAR_BEFORE = 4, NEAR_AFTER = 8 }; /* bytes */

/* Find the answer among the columns around the w-mer. @return whether it could be found */
static inline bool is_clear_near(const struct columns_around *around, const struct scoring_statistics *t,
                                 uint64_t query, int score, bool *reaches)
{
    uint64_t first = query + EQUAL_BEFORE - around->query;
    bool left_ended, right_ended;
    if (!around->known || first < BASES_PER_BYTE * NEAR_BEFORE || first > 64 - BASES_PER_BYTE * NEAR_AFTER)
        return false;
    uint64_t before = reverse_codes(around->equal << (64 - first)), after = around->equal >> first;
    int run = __builtin_ctzll(~after | UINT64_C(1) << BASES_PER_BYTE * NEAR_AFTER);
    *reaches = run / BASES_PER_BYTE * BASES_PER_BYTE * t->scoring.match >= score;
    if (*reaches)
        return true;
    *reaches =
        near_side(t, before, NEAR_BEFORE, &left_ended) + near_side(t, after, NEAR_AFTER, &right_ended) >=
        score;
    return *reaches || (left_ended && right_ended);
}

bool stage3_ungapped_coarse_reaches(const struct base_pairs *p, const struct columns_around *around,
                                    const struct scoring_statistics *statistics,
                                    const struct gapped_bounds *bounds, uint64_t query, uint64_t database,
                                    int score)
{
    uint64_t skip = -(database - bounds->database_begin) % BASES_PER_BYTE;
    skip = less(skip, less(left_until(bounds->query_end, query), left_until(bounds->database_end, database)));
    bool reaches;
    if (is_clear_near(around, statistics, query + skip, score, &reaches))
        return reaches;
    const struct sides s = sides_at(bounds, query + skip, database + skip);
    int right = coarse_side(p, statistics, &s, RIGHT, score);
    return right >= score || right + coarse_side(p, statistics, &s, LEFT, score - right) >= score;
}
