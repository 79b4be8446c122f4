#include "blast/ungapped.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "blast/wmer.h"

/* One direction's best extension: the gain over stopping at once, and the bases it takes. */
struct arm {
    int score;
    unsigned bases;
};

static void arm_take_base(struct arm *best, int *running, unsigned bases, bool matches,
                          const struct ungapped_rule *rule)
{
    *running += matches ? rule->match : rule->mismatch;
    if (*running >= best->score)
        *best = (struct arm){*running, bases};
}

static bool is_match(unsigned query_code, unsigned database_code)
{
    return query_code == database_code && query_code <= BASE_T;
}

static unsigned least(uint64_t a, uint64_t b)
{
    return (unsigned)(a < b ? a : b);
}

static unsigned bases_left(const struct ungapped_rule *rule)
{
    return (rule->window - WMER_BASES) / 2;
}

static unsigned bases_right(const struct ungapped_rule *rule)
{
    return rule->window - WMER_BASES - bases_left(rule);
}

static struct ungapped_result judge_arms(const struct ungapped_rule *rule, struct arm left, struct arm right)
{
    struct ungapped_result result = {
        .score = WMER_BASES * rule->match + left.score + right.score,
        .left = left.bases,
        .right = right.bases,
    };
    bool touches_edge = (left.bases == bases_left(rule) && left.bases > 0) ||
                        (right.bases == bases_right(rule) && right.bases > 0);
    result.passed = result.score >= rule->threshold || (rule->edge_rule && touches_edge);
    return result;
}

struct ungapped_result ungapped_extend(const struct ungapped_rule *rule, const uint8_t *segment,
                                       uint32_t segment_length, uint32_t query_position,
                                       const struct sequences *database, uint64_t database_position)
{
    uint32_t query_first = query_position + 1 - WMER_BASES;
    uint64_t database_first = database_position + 1 - WMER_BASES;
    unsigned room_left = least(bases_left(rule), least(query_first, database_first));
    unsigned room_right = least(bases_right(rule), least(segment_length - 1 - query_position,
                                                         database->positions - 1 - database_position));
    struct arm left = {0, 0}, right = {0, 0};
    int running = 0;
    for (unsigned i = 1; i <= room_left; i++)
        arm_take_base(&left, &running, i,
                      is_match(segment[query_first - i], sequences_code(database, database_first - i)), rule);
    running = 0;
    for (unsigned i = 1; i <= room_right; i++)
        arm_take_base(&right, &running, i,
                      is_match(segment[query_position + i], sequences_code(database, database_position + i)),
                      rule);
    return judge_arms(rule, left, right);
}

/* --- the fast form ---------------------------------------------------------------------------------------
 *
 * Either arm of the window is a mask, a bit a column, set where the bases match. Three steps of nine columns, each an
 * entry of a table, take it from the w-mer to the window's edge. */

enum {
    STEP_COLUMNS = 9,
    STEPS = 3,
    ARM_COLUMNS_MAX = STEP_COLUMNS * STEPS,
    STEP_MASKS = 1 << STEP_COLUMNS,
    ARM_BASES = 32,  /* loaded on either side */
    PADDING = 64,    /* bases before and behind the segment that match nothing */
    NO_SUCH_BASE = 8 /* in no database */
};

/* What the columns of a step do to an arm, by their match mask. */
struct step {
    int16_t sum;
    int16_t best; /* largest sum of the first 1, 2, ... columns; 0 where there is none */
};

/* The same for four columns, in bytes, as a vector's shuffle looks them up: small enough for many matches at a time. */
enum { SHORT_COLUMNS = 4, SHORT_STEPS = 7, SHORT_MASKS = 1 << SHORT_COLUMNS, LANES = 32 };

struct short_step {
    int8_t sum[SHORT_MASKS];
    int8_t best[SHORT_MASKS];
};

static_assert(SHORT_COLUMNS * SHORT_STEPS >= ARM_COLUMNS_MAX, "short steps reach the window's edge");

struct ungapped_kernel {
    struct ungapped_rule rule;
    enum cpu_level level;
    uint32_t segment_length;
    const struct sequences *database;
    int needed;                              /* of both arms together */
    bool left_edge, right_edge;              /* touching it is enough */
    uint64_t first_position, position_count; /* of the database, around which the arms can be loaded */
    struct step left[STEPS][STEP_MASKS];     /* column 1 is the highest bit */
    struct step right[STEPS][STEP_MASKS];    /* column 1 is the lowest bit */
    bool short_steps; /* whether sums of both arms fit a byte, so that these can be used: */
    struct short_step short_left[SHORT_STEPS], short_right[SHORT_STEPS];
    uint8_t *codes; /* copy of the segment */
    uint8_t
        *packed[2]; /* two bases a byte, PADDING before and behind; base 0 in a low nibble, in a high one */
};

/* @param mask  of `width` columns, the first `columns` of which belong to the arm */
static struct step step_of(const struct ungapped_rule *rule, unsigned columns, unsigned width, unsigned mask,
                           bool from_high)
{
    struct step step = {0, 0};
    for (unsigned i = 0; i < columns; i++) {
        bool match = mask >> (from_high ? width - 1 - i : i) & 1;
        step.sum = (int16_t)(step.sum + (match ? rule->match : rule->mismatch));
        step.best = i == 0 || step.sum > step.best ? step.sum : step.best;
    }
    return step;
}

static void make_steps(struct step steps[STEPS][STEP_MASKS], const struct ungapped_rule *rule, unsigned arm,
                       bool from_high)
{
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned columns = least(arm, STEP_COLUMNS);
        for (unsigned mask = 0; mask < STEP_MASKS; mask++)
            steps[i][mask] = step_of(rule, columns, STEP_COLUMNS, mask, from_high);
        arm -= columns;
    }
}

static void make_short_steps(struct short_step steps[SHORT_STEPS], const struct ungapped_rule *rule,
                             unsigned arm, bool from_high)
{
    for (unsigned i = 0; i < SHORT_STEPS; i++) {
        unsigned columns = least(arm, SHORT_COLUMNS);
        for (unsigned mask = 0; mask < SHORT_MASKS; mask++) {
            struct step step = step_of(rule, columns, SHORT_COLUMNS, mask, from_high);
            steps[i].sum[mask] = (int8_t)step.sum;
            steps[i].best[mask] = (int8_t)step.best;
        }
        arm -= columns;
    }
}

static bool sums_fit_bytes(const struct ungapped_rule *rule)
{
    return 2 * ARM_COLUMNS_MAX * rule->match <= INT8_MAX && ARM_COLUMNS_MAX * rule->mismatch >= INT8_MIN;
}

static bool pack_segment(struct ungapped_kernel *k)
{
    size_t bytes = (k->segment_length + 1) / 2 + PADDING;
    for (unsigned odd = 0; odd < 2; odd++) {
        uint8_t *packed = k->packed[odd] = malloc(bytes);
        if (!packed)
            return false;
        memset(packed, NO_SUCH_BASE << 4 | NO_SUCH_BASE, bytes);
        for (uint32_t i = 0; i < k->segment_length; i++) {
            unsigned code = k->codes[i] <= BASE_T ? k->codes[i] : NO_SUCH_BASE;
            uint32_t position = i + PADDING + odd;
            packed[position / 2] ^= (uint8_t)((code ^ NO_SUCH_BASE) << (4 * (position % 2)));
        }
    }
    return true;
}

/* Positions around which ARM_BASES on either side, and the byte they begin in, lie inside the packed database, if its
 * words' bytes lie in memory in the order of the bases. */
static void find_positions(struct ungapped_kernel *k)
{
    const bool bytes_in_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    uint64_t bases = k->database->word_count * BASES_PER_WORD;
    k->first_position = WMER_BASES + ARM_BASES;
    bool some = bytes_in_order && bases > k->first_position + ARM_BASES + 2 &&
                bases_right(&k->rule) <= ARM_COLUMNS_MAX;
    k->position_count = some ? bases - ARM_BASES - 2 - k->first_position : 0;
}

struct ungapped_kernel *ungapped_kernel_new(const struct ungapped_rule *rule, const uint8_t *segment,
                                            uint32_t segment_length, const struct sequences *database,
                                            enum cpu_level level)
{
    struct ungapped_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    *k = (struct ungapped_kernel){
        .rule = *rule, .level = level, .segment_length = segment_length, .database = database};
    k->needed = rule->threshold - WMER_BASES * rule->match;
    k->left_edge = rule->edge_rule && bases_left(rule) > 0;
    k->right_edge = rule->edge_rule && bases_right(rule) > 0;
    find_positions(k);
    make_steps(k->left, rule, bases_left(rule), true);
    make_steps(k->right, rule, bases_right(rule), false);
    k->short_steps = sums_fit_bytes(rule);
    make_short_steps(k->short_left, rule, bases_left(rule), true);
    make_short_steps(k->short_right, rule, bases_right(rule), false);
    k->codes = malloc(segment_length);
    if (k->codes)
        memcpy(k->codes, segment, segment_length);
    if (k->codes && pack_segment(k))
        return k;
    ungapped_kernel_destroy(k);
    return NULL;
}

void ungapped_kernel_destroy(struct ungapped_kernel *k)
{
    if (!k)
        return;
    free(k->codes);
    free(k->packed[0]);
    free(k->packed[1]);
    free(k);
}

/* Match masks of both arms: the left one's highest bit and the right one's lowest are next to the w-mer. */
struct masks {
    uint32_t left, right;
};

/* Where the arms of a match are loaded from: bytes of the database, and of the copy of the segment in which bases lie in
 * nibbles as there. The bytes hold one base of the w-mer, too: beside the right arm where `odd`, else the left one. */
struct arms {
    const uint8_t *query_left, *query_right, *database_left, *database_right;
    unsigned odd;
};

static inline struct arms arms_of(const struct ungapped_kernel *k, struct hsp match)
{
    uint64_t right = match.database_position + 1;
    unsigned odd = right % 2, copy = (match.query_position + 1 + odd) % 2;
    const uint8_t *query = k->packed[copy] + (match.query_position + 1 + PADDING + copy) / 2;
    const uint8_t *database = (const uint8_t *)k->database->words + right / 2;
    /* The base before the w-mer, 12 before `right`, is 6 bytes back, in a nibble of the same kind. */
    enum { LEFT = -(WMER_BASES + 1) / 2 + 1 - ARM_BASES / 2 };
    return (struct arms){query + LEFT, query, database + LEFT, database, odd};
}

static inline struct masks align_masks(uint32_t left, uint32_t right, unsigned odd)
{
    return (struct masks){left << (1 - odd), right >> odd};
}

/* Bit i: nibble i of both is the same. */
static inline uint32_t match_mask(const uint8_t *a, const uint8_t *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    uint64_t differs = x ^ y;
    differs |= differs >> 1;
    uint64_t same = ~(differs | differs >> 2) & 0x1111111111111111u;
    same = (same | same >> 3) & 0x0303030303030303u;
    same = (same | same >> 6) & 0x000f000f000f000fu;
    same = (same | same >> 12) & 0x000000ff000000ffu;
    return (uint32_t)((same | same >> 24) & 0xffffu);
}

static inline struct masks masks_portable(const struct ungapped_kernel *k, struct hsp match)
{
    struct arms arms = arms_of(k, match);
    uint32_t left = match_mask(arms.query_left, arms.database_left) |
                    match_mask(arms.query_left + 8, arms.database_left + 8) << 16;
    uint32_t right = match_mask(arms.query_right, arms.database_right) |
                     match_mask(arms.query_right + 8, arms.database_right + 8) << 16;
    return align_masks(left, right, arms.odd);
}

static inline int larger(int a, int b)
{
    return a > b ? a : b;
}

/* What an arm adds to the score at best; whether that takes all of it. */
static inline int follow_arm(struct step first, struct step second, struct step third, bool *touches)
{
    int sum = first.sum, best = larger(0, first.best);
    best = larger(best, sum + second.best);
    sum += second.sum;
    best = larger(best, sum + third.best);
    *touches = sum + third.sum >= best;
    return best;
}

static inline bool judge_masks(const struct ungapped_kernel *k, struct masks m)
{
    const unsigned step = STEP_MASKS - 1;
    bool left_edge, right_edge;
    int left = follow_arm(k->left[0][m.left >> 23], k->left[1][m.left >> 14 & step],
                          k->left[2][m.left >> 5 & step], &left_edge);
    int right = follow_arm(k->right[0][m.right & step], k->right[1][m.right >> 9 & step],
                           k->right[2][m.right >> 18 & step], &right_edge);
    return (left + right >= k->needed) | (left_edge & k->left_edge) | (right_edge & k->right_edge);
}

/* Whether the arms of a match can be loaded. */
static inline bool is_inside(const struct ungapped_kernel *k, struct hsp match)
{
    return match.database_position - k->first_position < k->position_count;
}

static bool passes_plainly(const struct ungapped_kernel *k, struct hsp match)
{
    return ungapped_extend(&k->rule, k->codes, k->segment_length, match.query_position, k->database,
                           match.database_position)
        .passed;
}

static size_t filter_portable(const struct ungapped_kernel *k, struct hsp *matches, size_t count,
                              uint8_t *passed)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct hsp match = matches[i];
        bool passes =
            is_inside(k, match) ? judge_masks(k, masks_portable(k, match)) : passes_plainly(k, match);
        passed[i] = passes;
        matches[kept] = match;
        kept += passes;
    }
    return kept;
}

#if CPU_HAS_VECTORS
#include <immintrin.h>

CPU_TARGET_AVX2 static inline __m256i load_two(const uint8_t *low, const uint8_t *high)
{
    return _mm256_loadu2_m128i((const __m128i *)high, (const __m128i *)low);
}

CPU_TARGET_AVX2 static inline struct masks masks_avx2(const struct ungapped_kernel *k, struct hsp match)
{
    struct arms arms = arms_of(k, match);
    const __m256i low_nibbles = _mm256_set1_epi8(0x0f), zero = _mm256_setzero_si256();
    __m256i differs = _mm256_xor_si256(load_two(arms.query_left, arms.query_right),
                                       load_two(arms.database_left, arms.database_right));
    __m256i low = _mm256_and_si256(differs, low_nibbles), high = _mm256_andnot_si256(low_nibbles, differs);
    uint32_t even = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, zero));
    uint32_t odd = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, zero));
    uint64_t same = _pdep_u64(even, 0x5555555555555555u) | _pdep_u64(odd, 0xaaaaaaaaaaaaaaaau);
    return align_masks((uint32_t)same, (uint32_t)(same >> 32), arms.odd);
}

/* Masks of up to LANES matches. */
struct mask_lanes {
    uint32_t left[LANES], right[LANES];
};

/* A match a byte. */
struct sum_lanes {
    __m256i sum, best;
};

/* Byte i of every mask in plane i. Lanes come in the order 0-3 8-11 16-19 24-27, 4-7 12-15 20-23 28-31. */
CPU_TARGET_AVX2 static inline void split_masks(const uint32_t masks[LANES], __m256i plane[4])
{
    const __m256i bytes =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    const __m256i *from = (const __m256i *)masks;
    __m256i a = _mm256_shuffle_epi8(_mm256_loadu_si256(from), bytes);
    __m256i b = _mm256_shuffle_epi8(_mm256_loadu_si256(from + 1), bytes);
    __m256i c = _mm256_shuffle_epi8(_mm256_loadu_si256(from + 2), bytes);
    __m256i d = _mm256_shuffle_epi8(_mm256_loadu_si256(from + 3), bytes);
    __m256i ab_low = _mm256_unpacklo_epi32(a, b), ab_high = _mm256_unpackhi_epi32(a, b);
    __m256i cd_low = _mm256_unpacklo_epi32(c, d), cd_high = _mm256_unpackhi_epi32(c, d);
    plane[0] = _mm256_unpacklo_epi64(ab_low, cd_low);
    plane[1] = _mm256_unpackhi_epi64(ab_low, cd_low);
    plane[2] = _mm256_unpacklo_epi64(ab_high, cd_high);
    plane[3] = _mm256_unpackhi_epi64(ab_high, cd_high);
}

CPU_TARGET_AVX2 static inline void take_step(struct sum_lanes *arm, const struct short_step *step,
                                             __m256i masks)
{
    __m256i sums = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)step->sum));
    __m256i bests = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)step->best));
    __m256i best = _mm256_add_epi8(arm->sum, _mm256_shuffle_epi8(bests, masks));
    arm->best = _mm256_max_epi8(arm->best, best);
    arm->sum = _mm256_add_epi8(arm->sum, _mm256_shuffle_epi8(sums, masks));
}

/* The arms of all lanes, from the w-mer to the window's edge. */
CPU_TARGET_AVX2 static inline struct sum_lanes follow_arms(const struct short_step steps[SHORT_STEPS],
                                                           const uint32_t masks[LANES], bool from_high)
{
    struct sum_lanes arm = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    const __m256i nibble = _mm256_set1_epi8(0x0f);
    __m256i plane[4];
    split_masks(masks, plane);
    for (unsigned i = 0; i < SHORT_STEPS; i++) {
        bool high = (i % 2 == 0) == from_high;
        __m256i masks_of_two = plane[from_high ? 3 - i / 2 : i / 2];
        masks_of_two = high ? _mm256_srli_epi16(masks_of_two, 4) : masks_of_two;
        take_step(&arm, &steps[i], _mm256_and_si256(masks_of_two, nibble));
    }
    return arm;
}

/* Where an arm's best sum takes all of it. */
CPU_TARGET_AVX2 static inline __m256i touching(struct sum_lanes arm, bool edge)
{
    __m256i stops_before = _mm256_cmpgt_epi8(arm.best, arm.sum);
    return _mm256_andnot_si256(stops_before, _mm256_set1_epi8(edge ? -1 : 0));
}

/* judge_masks() of every lane. @return bit i: lane i passes */
CPU_TARGET_AVX2 static inline uint32_t judge_lanes(const struct ungapped_kernel *k,
                                                   const struct mask_lanes *masks)
{
    struct sum_lanes left = follow_arms(k->short_left, masks->left, true);
    struct sum_lanes right = follow_arms(k->short_right, masks->right, false);
    int needed = k->needed < 0 ? 0 : k->needed < INT8_MAX ? k->needed : INT8_MAX;
    __m256i score = _mm256_add_epi8(left.best, right.best);
    __m256i passes = _mm256_cmpgt_epi8(score, _mm256_set1_epi8((char)(needed - 1)));
    passes = _mm256_or_si256(passes, touching(left, k->left_edge));
    passes = _mm256_or_si256(passes, touching(right, k->right_edge));
    const __m256i in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return (uint32_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(passes, in_order));
}

/* @return bit i: match i, of at most LANES, passes */
CPU_TARGET_AVX2 static inline uint32_t judge_avx2(const struct ungapped_kernel *k, const struct hsp *matches,
                                                  size_t count)
{
    struct mask_lanes lanes;
    uint32_t passes = 0, plain = 0;
    for (size_t i = 0; i < count; i++) {
        if (__builtin_expect(!is_inside(k, matches[i]), 0)) {
            plain |= UINT32_C(1) << i;
            passes |= (uint32_t)passes_plainly(k, matches[i]) << i;
            continue;
        }
        struct masks masks = masks_avx2(k, matches[i]);
        lanes.left[i] = masks.left;
        lanes.right[i] = masks.right;
    }
    return passes | (judge_lanes(k, &lanes) & ~plain);
}

CPU_TARGET_AVX2 static size_t filter_avx2(const struct ungapped_kernel *k, struct hsp *matches, size_t count,
                                          uint8_t *passed)
{
    size_t kept = 0;
    for (size_t begin = 0; begin < count; begin += LANES) {
        size_t some = count - begin < LANES ? count - begin : LANES;
        uint32_t passes = judge_avx2(k, matches + begin, some);
        for (size_t i = 0; i < some; i++)
            passed[begin + i] = passes >> i & 1;
        if (some < LANES)
            passes &= (UINT32_C(1) << some) - 1;
        for (; passes; passes &= passes - 1)
            matches[kept++] = matches[begin + (unsigned)__builtin_ctz(passes)];
    }
    return kept;
}
#endif

size_t ungapped_kernel_filter(const struct ungapped_kernel *k, struct hsp *matches, size_t count,
                              uint8_t *passed)
{
#if CPU_HAS_VECTORS
    if (k->level >= CPU_AVX2 && k->short_steps)
        return filter_avx2(k, matches, count, passed);
#endif
    return filter_portable(k, matches, count, passed);
}
