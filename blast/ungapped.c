#include "blast/ungapped.h"

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
    int16_t best; /* largest sum of the first 1, 2, ... columns */
};

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
    uint8_t *codes;                          /* copy of the segment */
    uint8_t
        *packed[2]; /* two bases a byte, PADDING before and behind; base 0 in a low nibble, in a high one */
};

static struct step step_of(const struct ungapped_rule *rule, unsigned columns, unsigned matches,
                           bool from_high)
{
    struct step step = {0, INT16_MIN / 2};
    for (unsigned i = 0; i < columns; i++) {
        bool match = matches >> (from_high ? STEP_COLUMNS - 1 - i : i) & 1;
        step.sum = (int16_t)(step.sum + (match ? rule->match : rule->mismatch));
        step.best = step.sum > step.best ? step.sum : step.best;
    }
    return step;
}

static void make_steps(struct step steps[STEPS][STEP_MASKS], const struct ungapped_rule *rule, unsigned arm,
                       bool from_high)
{
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned columns = arm < STEP_COLUMNS ? arm : STEP_COLUMNS;
        for (unsigned matches = 0; matches < STEP_MASKS; matches++)
            steps[i][matches] = step_of(rule, columns, matches, from_high);
        arm -= columns;
    }
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

static inline struct masks masks_portable(const struct arms *arms)
{
    uint32_t left = match_mask(arms->query_left, arms->database_left) |
                    match_mask(arms->query_left + 8, arms->database_left + 8) << 16;
    uint32_t right = match_mask(arms->query_right, arms->database_right) |
                     match_mask(arms->query_right + 8, arms->database_right + 8) << 16;
    return align_masks(left, right, arms->odd);
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

typedef struct masks find_masks(const struct arms *);

static inline __attribute__((always_inline)) size_t filter_with(find_masks *masks_of,
                                                                const struct ungapped_kernel *k,
                                                                struct hsp *matches, size_t count,
                                                                uint8_t *passed)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct hsp match = matches[i];
        bool passes;
        if (match.database_position - k->first_position < k->position_count) {
            struct arms arms = arms_of(k, match);
            passes = judge_masks(k, masks_of(&arms));
        } else {
            passes = ungapped_extend(&k->rule, k->codes, k->segment_length, match.query_position, k->database,
                                     match.database_position)
                         .passed;
        }
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

CPU_TARGET_AVX2 static inline struct masks masks_avx2(const struct arms *arms)
{
    const __m256i low_nibbles = _mm256_set1_epi8(0x0f), zero = _mm256_setzero_si256();
    __m256i differs = _mm256_xor_si256(load_two(arms->query_left, arms->query_right),
                                       load_two(arms->database_left, arms->database_right));
    __m256i low = _mm256_and_si256(differs, low_nibbles), high = _mm256_andnot_si256(low_nibbles, differs);
    uint32_t even = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, zero));
    uint32_t odd = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, zero));
    uint64_t same = _pdep_u64(even, 0x5555555555555555u) | _pdep_u64(odd, 0xaaaaaaaaaaaaaaaau);
    return align_masks((uint32_t)same, (uint32_t)(same >> 32), arms->odd);
}

CPU_TARGET_AVX2 static size_t filter_avx2(const struct ungapped_kernel *k, struct hsp *matches, size_t count,
                                          uint8_t *passed)
{
    return filter_with(masks_avx2, k, matches, count, passed);
}
#endif

size_t ungapped_kernel_filter(const struct ungapped_kernel *k, struct hsp *matches, size_t count,
                              uint8_t *passed)
{
#if CPU_HAS_VECTORS
    if (k->level >= CPU_AVX2)
        return filter_avx2(k, matches, count, passed);
#endif
    return filter_with(masks_portable, k, matches, count, passed);
}
