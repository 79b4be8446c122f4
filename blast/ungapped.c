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

/* --- the fast form --------------------------------------------------------------------------------------- */

enum {
    ARM_BITS = 32,
    STEP_BITS = 8,
    STEPS = ARM_BITS / STEP_BITS,
    PADDING_WORDS = ARM_BITS / BASES_PER_WORD + 1
};

/* What eight columns do to an arm, by their match mask. */
struct step {
    int16_t sum;
    int16_t best;   /* largest sum of the first 1 .. 8 columns */
    uint16_t bases; /* columns it takes, the most of equals */
};

struct ungapped_kernel {
    struct ungapped_rule rule;
    enum cpu_level level;
    uint32_t segment_length;
    const struct sequences *database;
    uint32_t left_mask, right_mask;    /* the columns inside the window */
    int most;                          /* what the columns behind the first step can add at most */
    struct step left[1 << STEP_BITS];  /* column 1 is the highest bit */
    struct step right[1 << STEP_BITS]; /* column 1 is the lowest bit */
    uint8_t *codes;                    /* copy of the segment */
    uint64_t words[]; /* the segment, packed, PADDING_WORDS of separators before and behind it */
};

static struct step step_of(const struct ungapped_rule *rule, unsigned matches, bool from_high)
{
    struct step step = {0, INT16_MIN, 0};
    for (unsigned i = 0; i < STEP_BITS; i++) {
        bool match = matches >> (from_high ? STEP_BITS - 1 - i : i) & 1;
        step.sum = (int16_t)(step.sum + (match ? rule->match : rule->mismatch));
        if (step.sum >= step.best) {
            step.best = step.sum;
            step.bases = (uint16_t)(i + 1);
        }
    }
    return step;
}

static void pack_segment(struct ungapped_kernel *k, uint64_t word_count)
{
    memset(k->words, 0xff, word_count * sizeof k->words[0]);
    for (uint32_t i = 0; i < k->segment_length; i++) {
        uint32_t position = i + PADDING_WORDS * BASES_PER_WORD;
        k->words[position / BASES_PER_WORD] ^= (uint64_t)(k->codes[i] ^ BASE_SEPARATOR)
                                               << (4 * (position % BASES_PER_WORD));
    }
}

struct ungapped_kernel *ungapped_kernel_new(const struct ungapped_rule *rule, const uint8_t *segment,
                                            uint32_t segment_length, const struct sequences *database,
                                            enum cpu_level level)
{
    uint64_t word_count = segment_length / BASES_PER_WORD + 1 + 2 * PADDING_WORDS;
    struct ungapped_kernel *k = calloc(1, sizeof *k + word_count * sizeof k->words[0]);
    if (!k)
        return NULL;
    *k = (struct ungapped_kernel){
        .rule = *rule, .level = level, .segment_length = segment_length, .database = database};
    k->codes = malloc(segment_length);
    if (!k->codes) {
        free(k);
        return NULL;
    }
    memcpy(k->codes, segment, segment_length);
    for (unsigned matches = 0; matches < 1 << STEP_BITS; matches++) {
        k->left[matches] = step_of(rule, matches, true);
        k->right[matches] = step_of(rule, matches, false);
    }
    unsigned left = bases_left(rule), right = bases_right(rule);
    k->left_mask = left < ARM_BITS ? ~(UINT32_MAX >> left) : UINT32_MAX;
    k->right_mask = right < ARM_BITS ? (UINT32_C(1) << right) - 1 : UINT32_MAX;
    k->most = (ARM_BITS - STEP_BITS) * rule->match;
    pack_segment(k, word_count);
    return k;
}

void ungapped_kernel_destroy(struct ungapped_kernel *k)
{
    if (!k)
        return;
    free(k->codes);
    free(k);
}

/* Whether the masks are inside the packed sequences, and hold the whole window. */
static inline bool masks_fit(const struct ungapped_kernel *k, uint64_t database_position)
{
    return bases_right(&k->rule) <= ARM_BITS && database_position + 1 >= WMER_BASES + ARM_BITS &&
           (database_position + 1 + ARM_BITS) / BASES_PER_WORD + 2 <= k->database->word_count;
}

/* Match masks of both sides: the left one's highest bit and the right one's lowest are next to the w-mer. */
struct masks {
    uint32_t left, right;
};

/* Sixteen bases from any position on. */
static inline uint64_t bases_at(const uint64_t *words, uint64_t position)
{
    uint64_t word = position / BASES_PER_WORD;
    unsigned shift = 4 * (unsigned)(position % BASES_PER_WORD);
    return words[word] >> shift | words[word + 1] << 1 << (63 - shift);
}

/* Bit i: base i of both words is the same one of A, C, G and T. */
static inline uint32_t match_mask(uint64_t a, uint64_t b)
{
    uint64_t differs = (a ^ b) | ((a | b) & 0xccccccccccccccccu);
    differs |= differs >> 1;
    uint64_t same = ~(differs | differs >> 2) & 0x1111111111111111u;
    same = (same | same >> 3) & 0x0303030303030303u;
    same = (same | same >> 6) & 0x000f000f000f000fu;
    same = (same | same >> 12) & 0x000000ff000000ffu;
    return (uint32_t)((same | same >> 24) & 0xffffu);
}

static inline uint32_t arm_mask(const uint64_t *query, uint64_t query_first, const uint64_t *database,
                                uint64_t database_first)
{
    uint32_t low = match_mask(bases_at(query, query_first), bases_at(database, database_first));
    uint32_t high = match_mask(bases_at(query, query_first + BASES_PER_WORD),
                               bases_at(database, database_first + BASES_PER_WORD));
    return low | high << BASES_PER_WORD;
}

static inline struct masks masks_portable(const uint64_t *query, uint64_t query_first,
                                          const uint64_t *database, uint64_t database_first)
{
    return (struct masks){
        arm_mask(query, query_first - ARM_BITS, database, database_first - ARM_BITS),
        arm_mask(query, query_first + WMER_BASES, database, database_first + WMER_BASES),
    };
}

/* Follow an arm eight columns at a time. Around a chance match the first eight have lost more than all that are left
 * could win back. */
static inline struct arm follow_arm(const struct step *steps, uint32_t matches, bool from_high, int most_left)
{
    struct arm best = {0, 0};
    int running = 0;
    for (unsigned i = 0; i < STEPS && running + most_left >= best.score; i++) {
        const struct step *step =
            &steps[from_high ? matches >> (24 - STEP_BITS * i) & 255 : matches >> STEP_BITS * i & 255];
        int top = running + step->best;
        bool better = top >= best.score;
        best.score = better ? top : best.score;
        best.bases = better ? STEP_BITS * i + step->bases : best.bases;
        running += step->sum;
    }
    return best;
}

static inline struct ungapped_result judge_masks(const struct ungapped_kernel *k, struct masks m)
{
    return judge_arms(&k->rule, follow_arm(k->left, m.left & k->left_mask, true, k->most),
                      follow_arm(k->right, m.right & k->right_mask, false, k->most));
}

static struct ungapped_result extend_portable(const struct ungapped_kernel *k, uint64_t query_first,
                                              uint64_t database_first)
{
    return judge_masks(k, masks_portable(k->words, query_first, k->database->words, database_first));
}

#if CPU_HAS_VECTORS
#include <immintrin.h>

/* 32 bases on either side of a w-mer, left ones in the low half. A position is a byte and half of one, so two loads a
 * byte apart, shifted by what is left of a byte, are 16 bases a lane. */
CPU_TARGET_AVX2 static inline __m256i sides_avx2(const uint64_t *words, uint64_t first)
{
    const char *bytes = (const char *)words;
    uint64_t left = first - ARM_BITS, right = first + WMER_BASES;
    __m256i near =
        _mm256_loadu2_m128i((const __m128i *)(bytes + right / 2), (const __m128i *)(bytes + left / 2));
    __m256i next = _mm256_loadu2_m128i((const __m128i *)(bytes + right / 2 + 1),
                                       (const __m128i *)(bytes + left / 2 + 1));
    long long down_left = 4 * (long long)(left & 1), down_right = 4 * (long long)(right & 1);
    __m256i down = _mm256_setr_epi64x(down_left, down_left, down_right, down_right);
    __m256i up = _mm256_sub_epi64(_mm256_set1_epi64x(8), down);
    return _mm256_or_si256(_mm256_srlv_epi64(near, down), _mm256_sllv_epi64(next, up));
}

CPU_TARGET_AVX2 static struct ungapped_result extend_avx2(const struct ungapped_kernel *k,
                                                          uint64_t query_first, uint64_t database_first)
{
    __m256i a = sides_avx2(k->words, query_first), b = sides_avx2(k->database->words, database_first);
    __m256i high = _mm256_and_si256(_mm256_or_si256(a, b), _mm256_set1_epi8((char)0xcc));
    __m256i differs = _mm256_or_si256(_mm256_xor_si256(a, b), high);
    differs = _mm256_or_si256(differs, _mm256_srli_epi64(differs, 1));
    differs = _mm256_or_si256(differs, _mm256_srli_epi64(differs, 2));
    uint32_t even = ~(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi64(differs, 7));
    uint32_t odd = ~(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi64(differs, 3));
    uint64_t same = _pdep_u64(even, 0x5555555555555555u) | _pdep_u64(odd, 0xaaaaaaaaaaaaaaaau);
    return judge_masks(k, (struct masks){(uint32_t)same, (uint32_t)(same >> 32)});
}
#endif

static inline struct ungapped_result extend_masks(const struct ungapped_kernel *k, uint32_t query_position,
                                                  uint64_t database_position)
{
    uint64_t query_first = query_position + 1 - WMER_BASES + PADDING_WORDS * (uint64_t)BASES_PER_WORD;
    uint64_t database_first = database_position + 1 - WMER_BASES;
#if CPU_HAS_VECTORS
    if (k->level >= CPU_AVX2)
        return extend_avx2(k, query_first, database_first);
#endif
    return extend_portable(k, query_first, database_first);
}

struct ungapped_result ungapped_kernel_extend(const struct ungapped_kernel *k, uint32_t query_position,
                                              uint64_t database_position)
{
    if (masks_fit(k, database_position))
        return extend_masks(k, query_position, database_position);
    return ungapped_extend(&k->rule, k->codes, k->segment_length, query_position, k->database,
                           database_position);
}

bool ungapped_kernel_passes(const struct ungapped_kernel *k, uint32_t query_position,
                            uint64_t database_position)
{
    return ungapped_kernel_extend(k, query_position, database_position).passed;
}
