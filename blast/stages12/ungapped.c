#include "blast/stages12/ungapped.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "blast/stages12/wmer.h"

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

/* --- the fast forms --------------------------------------------------------------------------------------
 *
 * Either arm of the window is a mask, a bit a column, set where the bases match. Steps, each an entry of a table, take it
 * from the w-mer to the window's edge: a single match three of nine columns, matches side by side in vectors fourteen of
 * two. */

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

/* The same for two columns, by two bits each that are 0 where the bases match, in bytes as a vector's shuffle looks them up:
 * small enough for many matches at a time. */
enum { SHORT_COLUMNS = 2, SHORT_STEPS = 14, SHORT_MASKS = 1 << 2 * SHORT_COLUMNS, LANES = 32 };

struct short_step {
    int8_t sum[SHORT_MASKS];
    int8_t best[SHORT_MASKS];
};

static_assert(SHORT_COLUMNS * SHORT_STEPS >= ARM_COLUMNS_MAX, "short steps reach the window's edge");

/* Bases before and behind the segment in two bits, more than the 64-bit words of its arms reach; four bases a byte. */
enum { TWO_BIT_PADDING = 64, BASES_PER_BYTE = 4 };

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
    uint8_t *two_bit;                  /* the segment, BASES_PER_BYTE; base 0 is TWO_BIT_PADDING in */
    uint32_t first_whole, whole_count; /* of the segment: both arms of the window lie in it */
    bool plain;                        /* it has nothing but A, C, G and T; */
    uint8_t *near_others;              /* else, for every 16 positions: 1 where a window has others */
    uint8_t *codes;                    /* copy of the segment */
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
        for (unsigned differs = 0; differs < SHORT_MASKS; differs++) {
            unsigned mask = (unsigned)((differs & 3) == 0) | (unsigned)(differs >> 2 == 0) << 1;
            struct step step = step_of(rule, columns, SHORT_COLUMNS, mask, from_high);
            steps[i].sum[differs] = (int8_t)step.sum;
            steps[i].best[differs] = (int8_t)step.best;
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

static bool find_others(struct ungapped_kernel *k)
{
    k->plain = true;
    k->near_others = calloc(k->segment_length / BASES_PER_WORD + 1, 1);
    for (uint32_t i = 0; k->near_others && i < k->segment_length; i++) {
        if (k->codes[i] <= BASE_T)
            continue;
        unsigned before = least(i, bases_right(&k->rule)), behind = k->rule.window - bases_right(&k->rule);
        for (uint32_t near = i - before; near < i + behind && near < k->segment_length; near++)
            k->near_others[near / BASES_PER_WORD] = 1;
        k->plain = false;
    }
    return k->near_others != NULL;
}

static bool pack_two_bits(struct ungapped_kernel *k)
{
    k->two_bit = calloc((k->segment_length + 2 * TWO_BIT_PADDING) / BASES_PER_BYTE + 1, 1);
    for (uint32_t i = 0; k->two_bit && i < k->segment_length; i++) {
        uint32_t position = i + TWO_BIT_PADDING;
        k->two_bit[position / BASES_PER_BYTE] |=
            (uint8_t)((k->codes[i] & 3) << 2 * (position % BASES_PER_BYTE));
    }
    return k->two_bit != NULL;
}

/* Matches whose window the segment holds. */
static void find_whole(struct ungapped_kernel *k)
{
    uint32_t window = k->rule.window;
    k->first_whole = WMER_BASES - 1 + bases_left(&k->rule);
    k->whole_count = k->segment_length < window ? 0 : k->segment_length - window + 1;
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
    find_whole(k);
    make_steps(k->left, rule, bases_left(rule), true);
    make_steps(k->right, rule, bases_right(rule), false);
    k->short_steps = sums_fit_bytes(rule) && bases_right(rule) <= ARM_COLUMNS_MAX;
    make_short_steps(k->short_left, rule, bases_left(rule), true);
    make_short_steps(k->short_right, rule, bases_right(rule), false);
    k->codes = malloc(segment_length);
    if (k->codes)
        memcpy(k->codes, segment, segment_length);
    if (k->codes && pack_segment(k) && pack_two_bits(k) && find_others(k))
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
    free(k->two_bit);
    free(k->near_others);
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

/* Whatever the rule, and whatever bases there are. */
static bool passes_alone(const struct ungapped_kernel *k, struct hsp match)
{
    return is_inside(k, match) ? judge_masks(k, masks_portable(k, match)) : passes_plainly(k, match);
}

static inline struct hsp hsp_of(struct match match, uint64_t first_position)
{
    return (struct hsp){match.query_position, first_position + match.offset};
}

static size_t filter_portable(const struct ungapped_kernel *k, uint64_t first_position,
                              const struct match *matches, size_t count, uint8_t *passed, struct hsp *hsps)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct hsp match = hsp_of(matches[i], first_position);
        bool passes = passes_alone(k, match);
        passed[i] = passes;
        hsps[kept] = match;
        kept += passes;
    }
    return kept;
}

#if CPU_HAS_VECTORS
#include <immintrin.h>

/* The bases before a w-mer whose last is number `last` of `bases`, four a byte, and those behind it, in the two halves: the
 * base before it is the highest of byte 6, the one behind it the lowest of byte 0. */
CPU_TARGET_AVX2 static inline __m128i sides_of(const uint8_t *bases, uint32_t last)
{
    static const uint64_t shifts[BASES_PER_BYTE][2] = {{2, 0}, {4, 2}, {6, 4}, {8, 6}};
    /* The base before the w-mer, 12 before the one behind it, is 3 bytes back, and in byte 7 of what is loaded. */
    enum { LEFT = -(WMER_BASES + 1) / BASES_PER_BYTE - 7 };
    const uint8_t *right = bases + (last + 1) / BASES_PER_BYTE;
    __m128i both = _mm_loadl_epi64((const __m128i *)(right + LEFT));
    both = _mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(both), (const __m64 *)right));
    return _mm_srlv_epi64(both, _mm_loadu_si128((const __m128i *)shifts[(last + 1) % BASES_PER_BYTE]));
}

/* Two bits a base that are 0 where they are the same. */
CPU_TARGET_AVX2 static inline __m128i compare_sides(const uint8_t *segment, const uint8_t *stretch,
                                                    const struct match *match)
{
    return _mm_xor_si128(sides_of(segment, match->query_position + TWO_BIT_PADDING),
                         sides_of(stretch, match->offset));
}

/* Where the sides of LANES matches differ, in the order that split_bytes() takes. */
struct differing {
    __m256i left[LANES / 4], right[LANES / 4];
};

CPU_TARGET_AVX2 static inline void compare_matches(const uint8_t *segment, const uint8_t *stretch,
                                                   const struct match matches[LANES], struct differing *to)
{
    const struct match *low = matches, *high = matches + LANES / 2;
    for (size_t i = 0; i < LANES / 4; i++, low += 2, high += 2) {
        __m256i even = _mm256_set_m128i(compare_sides(segment, stretch, &high[0]),
                                        compare_sides(segment, stretch, &low[0]));
        __m256i odd = _mm256_set_m128i(compare_sides(segment, stretch, &high[1]),
                                       compare_sides(segment, stretch, &low[1]));
        to->left[i] = _mm256_unpacklo_epi64(even, odd);
        to->right[i] = _mm256_unpackhi_epi64(even, odd);
    }
}

/* A match a byte. */
struct sum_lanes {
    __m256i sum, best;
};

/* Byte i of every match in plane i. */
CPU_TARGET_AVX2 static inline void split_bytes(const __m256i lanes[LANES / 4], __m256i plane[8])
{
    const __m256i pairs =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    __m256i v[8], low[4], high[4];
    for (unsigned i = 0; i < 8; i++)
        v[i] = _mm256_shuffle_epi8(lanes[i], pairs);
    for (unsigned i = 0; i < 4; i++) {
        low[i] = _mm256_unpacklo_epi16(v[2 * i], v[2 * i + 1]);
        high[i] = _mm256_unpackhi_epi16(v[2 * i], v[2 * i + 1]);
    }
    for (unsigned i = 0; i < 2; i++) {
        const __m256i *from = i == 0 ? low : high;
        __m256i a = _mm256_unpacklo_epi32(from[0], from[1]), b = _mm256_unpacklo_epi32(from[2], from[3]);
        __m256i c = _mm256_unpackhi_epi32(from[0], from[1]), d = _mm256_unpackhi_epi32(from[2], from[3]);
        plane[4 * i] = _mm256_unpacklo_epi64(a, b);
        plane[4 * i + 1] = _mm256_unpackhi_epi64(a, b);
        plane[4 * i + 2] = _mm256_unpacklo_epi64(c, d);
        plane[4 * i + 3] = _mm256_unpackhi_epi64(c, d);
    }
}

CPU_TARGET_AVX2 static inline void take_step(struct sum_lanes *arm, const struct short_step *step,
                                             __m256i differs)
{
    __m256i sums = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)step->sum));
    __m256i bests = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)step->best));
    __m256i best = _mm256_add_epi8(arm->sum, _mm256_shuffle_epi8(bests, differs));
    arm->best = _mm256_max_epi8(arm->best, best);
    arm->sum = _mm256_add_epi8(arm->sum, _mm256_shuffle_epi8(sums, differs));
}

/* The arms of all lanes, from the w-mer to the window's edge. */
CPU_TARGET_AVX2 static inline struct sum_lanes follow_arms(const struct short_step steps[SHORT_STEPS],
                                                           const __m256i lanes[LANES / 4], bool from_high)
{
    struct sum_lanes arm = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    const __m256i nibble = _mm256_set1_epi8(0x0f);
    __m256i plane[8];
    split_bytes(lanes, plane);
#pragma GCC unroll 7
    for (unsigned i = 0; i < SHORT_STEPS / 2; i++) {
        __m256i byte = plane[from_high ? 6 - i : i];
        __m256i low = _mm256_and_si256(byte, nibble);
        __m256i high = _mm256_and_si256(_mm256_srli_epi16(byte, 4), nibble);
        take_step(&arm, &steps[2 * i], from_high ? high : low);
        take_step(&arm, &steps[2 * i + 1], from_high ? low : high);
    }
    return arm;
}

/* Where an arm's best sum takes all of it. */
CPU_TARGET_AVX2 static inline __m256i touching(struct sum_lanes arm, bool edge)
{
    __m256i stops_before = _mm256_cmpgt_epi8(arm.best, arm.sum);
    return _mm256_andnot_si256(stops_before, _mm256_set1_epi8(edge ? -1 : 0));
}

/* judge_masks() of every match. @return byte i: -1 where match i passes, else 0 */
CPU_TARGET_AVX2 static inline __m256i judge_lanes(const struct ungapped_kernel *k,
                                                  const struct differing *differing)
{
    struct sum_lanes left = follow_arms(k->short_left, differing->left, true);
    struct sum_lanes right = follow_arms(k->short_right, differing->right, false);
    int needed = k->needed < 0 ? 0 : k->needed < INT8_MAX ? k->needed : INT8_MAX;
    __m256i score = _mm256_add_epi8(left.best, right.best);
    __m256i passes = _mm256_cmpgt_epi8(score, _mm256_set1_epi8((char)(needed - 1)));
    passes = _mm256_or_si256(passes, touching(left, k->left_edge));
    return _mm256_or_si256(passes, touching(right, k->right_edge));
}

/* Whether two bits a base do not tell all about a match's window: an end of the segment, or another base. */
static inline bool is_odd(const struct ungapped_kernel *k, const struct database_stretch *stretch,
                          struct match match)
{
    return match.query_position - k->first_whole >= k->whole_count ||
           (!k->plain && k->near_others[match.query_position / BASES_PER_WORD]) ||
           (!stretch->plain && stretch->near_others[match.offset / BASES_PER_WORD]);
}

/* Whether one of LANES matches may be at an end of the segment. */
CPU_TARGET_AVX2 static inline bool may_be_at_end(const struct ungapped_kernel *k, const struct match *matches)
{
    const __m256i *pairs = (const __m256i *)matches;
    __m256i first = _mm256_set1_epi32((int)k->first_whole), least = _mm256_set1_epi32(-1);
    __m256i most = _mm256_setzero_si256(),
            last = _mm256_set1_epi32((int)(k->first_whole + k->whole_count - 1));
    for (unsigned i = 0; i < LANES / 4; i++) {
        __m256i four = _mm256_loadu_si256(pairs + i);
        least = _mm256_min_epu32(least, four);
        most = _mm256_max_epu32(most, four);
    }
    __m256i inside = _mm256_and_si256(_mm256_cmpeq_epi32(_mm256_max_epu32(least, first), least),
                                      _mm256_cmpeq_epi32(_mm256_min_epu32(most, last), most));
    enum { POSITIONS = 0x55 };
    unsigned lanes = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(inside)) & POSITIONS;
    return k->whole_count == 0 || lanes != POSITIONS;
}

/* Judge those matches again that are not told all about. @return the passing ones with these */
static uint32_t judge_odd(const struct ungapped_kernel *k, const struct database_stretch *stretch,
                          const struct match *matches, uint32_t passes, uint8_t *passed)
{
    for (unsigned i = 0; i < LANES; i++) {
        if (!is_odd(k, stretch, matches[i]))
            continue;
        passed[i] = passes_alone(k, hsp_of(matches[i], stretch->first * BASES_PER_WORD));
        passes = (passes & ~(UINT32_C(1) << i)) | (uint32_t)passed[i] << i;
    }
    return passes;
}

/* Judge LANES matches. @return bit i: match i passes, as byte i of `passed` tells */
CPU_TARGET_AVX2 static inline uint32_t judge_avx2(const struct ungapped_kernel *k,
                                                  const struct database_stretch *stretch,
                                                  const struct match *matches, uint8_t *passed)
{
    struct differing differing;
    compare_matches(k->two_bit, (const uint8_t *)database_stretch_bases(stretch), matches, &differing);
    __m256i judged = judge_lanes(k, &differing);
    uint32_t passes = (uint32_t)_mm256_movemask_epi8(judged);
    _mm256_storeu_si256((__m256i *)passed, _mm256_and_si256(judged, _mm256_set1_epi8(1)));
    bool plain = k->plain && stretch->plain;
    if (__builtin_expect(!plain || may_be_at_end(k, matches), 0))
        return judge_odd(k, stretch, matches, passes, passed);
    return passes;
}

/* @return behind the last of the HSPs */
CPU_TARGET_AVX2 static inline struct hsp *keep_passing(uint32_t passes, const struct match *matches,
                                                       uint64_t first_position, struct hsp *hsps)
{
    for (; passes; passes &= passes - 1)
        *hsps++ = hsp_of(matches[__builtin_ctz(passes)], first_position);
    return hsps;
}

CPU_TARGET_AVX2 static size_t filter_avx2(const struct ungapped_kernel *k,
                                          const struct database_stretch *stretch, const struct match *matches,
                                          size_t count, uint8_t *passed, struct hsp *hsps)
{
    uint64_t first_position = stretch->first * BASES_PER_WORD;
    struct hsp *next = hsps;
    size_t begin = 0;
    for (; begin + LANES <= count; begin += LANES) {
        uint32_t passes = judge_avx2(k, stretch, matches + begin, passed + begin);
        next = keep_passing(passes, matches + begin, first_position, next);
    }
    size_t rest = count - begin;
    if (rest == 0)
        return (size_t)(next - hsps);
    struct match last[LANES];
    uint8_t last_passed[LANES];
    for (size_t i = 0; i < LANES; i++)
        last[i] = matches[begin + (i < rest ? i : 0)];
    uint32_t passes = judge_avx2(k, stretch, last, last_passed) & ((UINT32_C(1) << rest) - 1);
    memcpy(passed + begin, last_passed, rest);
    return (size_t)(keep_passing(passes, last, first_position, next) - hsps);
}

#endif

size_t ungapped_kernel_filter(const struct ungapped_kernel *k, const struct database_stretch *stretch,
                              const struct match *matches, size_t count, uint8_t *passed, struct hsp *hsps)
{
#if CPU_HAS_VECTORS
    if (k->level >= CPU_AVX2 && k->short_steps)
        return filter_avx2(k, stretch, matches, count, passed, hsps);
#endif
    return filter_portable(k, stretch->first * BASES_PER_WORD, matches, count, passed, hsps);
}
