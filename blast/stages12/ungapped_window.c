#include "blast/stages12/ungapped_window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "blast/stages12/wmer.h"

/* The best extension in one direction: the score it adds, and its bases. */
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
 * The bases of both sequences lie in two bits each, so that one XOR compares an arm of the window. What two bits
 * do not tell, the window's part outside the sequences and bases that are not A, C, G or T, is looked up only near
 * such places. Steps of two columns, each an entry of a table, follow an arm from the w-mer to the window's edge. A
 * table has bytes, as a vector's shuffle looks them up for many matches at a time. */

enum {
    STEP_COLUMNS = 2,
    STEPS = 14,
    STEP_BITS = 2 * STEP_COLUMNS,
    STEP_MASKS = 1 << STEP_BITS,
    ARM_BASES = STEP_COLUMNS *
                STEPS, /* bases loaded per arm: what 8 bytes hold after any shift to a base's first bit */
    ARM_COLUMNS_MAX = 27,
    LANES = 32,   /* matches of a vector */
    PADDING = 64, /* positions before and after the segment that can be read */
    BASES_PER_BYTE = 4
};

static_assert(ARM_COLUMNS_MAX <= ARM_BASES, "an arm is loaded whole");

/* What the columns of a step add to an arm, by two bits per column that are 0 if the bases match. */
struct step {
    int8_t sum[STEP_MASKS];
    int8_t best[STEP_MASKS]; /* largest sum of the first 1 or 2 columns; 0 if the step has no columns */
};

struct ungapped_kernel {
    struct ungapped_rule rule;
    enum cpu_level level;
    const uint8_t *segment; /* the caller's codes */
    uint32_t segment_length;
    int needed;                            /* least score of both arms together that passes */
    bool left_edge, right_edge;            /* whether touching this edge is enough to pass */
    bool fits;                             /* whether steps fit the window and its scores; else all is slow */
    bool sums_fit;                         /* whether sums of both arms fit a byte, too */
    struct step left[STEPS], right[STEPS]; /* column 1 is the highest, and the lowest, of a mask */
    uint8_t *two_bit;                      /* the segment, BASES_PER_BYTE; its first base is number PADDING */
    uint8_t *others; /* laid out likewise: 3 if a position is outside, or not A, C, G or T */
    uint32_t first_whole, whole_count; /* positions of the matches whose whole window the segment holds */
    bool plain;                        /* whether the segment has nothing but A, C, G and T */
    uint8_t *near_others; /* for every 16 positions: 1 if the window of a match there has others */
};

/* Make the steps of an arm of `columns` columns. */
static void make_steps(struct step steps[STEPS], const struct ungapped_rule *rule, unsigned columns,
                       bool from_high)
{
    for (unsigned i = 0; i < STEPS; i++) {
        const unsigned count = least(columns, STEP_COLUMNS);
        columns -= count;
        for (unsigned mask = 0; mask < STEP_MASKS; mask++) {
            int sum = 0, best = 0;
            for (unsigned c = 0; c < count; c++) {
                bool match = (mask >> 2 * (from_high ? STEP_COLUMNS - 1 - c : c) & 3) == 0;
                sum += match ? rule->match : rule->mismatch;
                best = c == 0 || sum > best ? sum : best;
            }
            steps[i].sum[mask] = (int8_t)sum;
            steps[i].best[mask] = (int8_t)best;
        }
    }
}

/* Whether sums of so many columns fit a byte. */
static bool columns_fit(const struct ungapped_rule *rule, int matches, int mismatches)
{
    return matches * rule->match <= INT8_MAX && mismatches * rule->mismatch >= INT8_MIN;
}

/* Mark the matches near a position of the segment that is not A, C, G or T. */
static void mark_near(struct ungapped_kernel *k, uint32_t position)
{
    unsigned before = least(position, bases_right(&k->rule)), after = k->rule.window - bases_right(&k->rule);
    for (uint32_t near = position - before; near < position + after && near < k->segment_length; near++)
        k->near_others[near / BASES_PER_WORD] = 1;
}

/* Pack positions one by one. */
static void pack_positions(struct ungapped_kernel *k, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) {
        uint32_t place = i + PADDING;
        if (k->segment[i] <= BASE_T) {
            k->two_bit[place / BASES_PER_BYTE] |= (uint8_t)(k->segment[i] << 2 * (place % BASES_PER_BYTE));
            k->others[place / BASES_PER_BYTE] &= (uint8_t) ~(3u << 2 * (place % BASES_PER_BYTE));
        } else {
            mark_near(k, i);
            k->plain = false;
        }
    }
}

/* Pack eight positions, two whole bytes. @return false, and nothing packed, if not all are A, C, G or T */
static inline bool pack_eight(struct ungapped_kernel *k, uint32_t begin)
{
    const uint8_t *codes = k->segment + begin;
    const uint32_t place = begin + PADDING;
    unsigned any = 0, packed = 0;
    for (unsigned i = 0; i < 8; i++) {
        any |= codes[i];
        packed |= (unsigned)codes[i] << 2 * i;
    }
    if (any > BASE_T)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        k->two_bit[place / BASES_PER_BYTE + i] = (uint8_t)(packed >> 8 * i);
        k->others[place / BASES_PER_BYTE + i] = 0;
    }
    return true;
}

static_assert(BASE_T == 3 && PADDING % 8 == 0, "any code above BASE_T has a bit above BASE_T's");

static void pack_segment(struct ungapped_kernel *k)
{
    size_t room = (k->segment_length + 2 * (size_t)PADDING) / BASES_PER_BYTE + 1;
    k->two_bit = memory_new(room, 1);
    k->others = memory_take(room);
    k->near_others = memory_new(k->segment_length / BASES_PER_WORD + 1, 1);
    memset(k->others, 0xff, room);
    k->plain = true;
    const uint32_t eights = k->segment_length / 8 * 8;
    for (uint32_t i = 0; i < eights; i += 8)
        if (!pack_eight(k, i))
            pack_positions(k, i, i + 8);
    pack_positions(k, eights, k->segment_length);
}

struct ungapped_kernel *ungapped_kernel_new(const struct ungapped_rule *rule, const uint8_t *segment,
                                            uint32_t segment_length, enum cpu_level level)
{
    struct ungapped_kernel *k = memory_new(1, sizeof *k);
    const bool bytes_in_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    unsigned left = bases_left(rule), right = bases_right(rule);
    k->rule = *rule;
    k->level = level;
    k->segment = segment;
    k->segment_length = segment_length;
    k->needed = rule->threshold - WMER_BASES * rule->match;
    k->left_edge = rule->edge_rule && left > 0;
    k->right_edge = rule->edge_rule && right > 0;
    k->fits = bytes_in_order && right <= ARM_COLUMNS_MAX && columns_fit(rule, STEP_COLUMNS, STEP_COLUMNS);
    k->sums_fit = k->fits && columns_fit(rule, 2 * ARM_COLUMNS_MAX, ARM_COLUMNS_MAX);
    make_steps(k->left, rule, left, true);
    make_steps(k->right, rule, right, false);
    k->first_whole = WMER_BASES - 1 + left;
    k->whole_count = segment_length < rule->window ? 0 : segment_length - rule->window + 1;
    pack_segment(k);
    return k;
}

void ungapped_kernel_destroy(struct ungapped_kernel *k)
{
    if (!k)
        return;
    free(k->two_bit);
    free(k->others);
    free(k->near_others);
    free(k);
}

/* Where the arms begin, counted from the last base of the w-mer. */
enum { LEFT_ARM = 1 - WMER_BASES - ARM_BASES, RIGHT_ARM = 1 };

/* Two bits of each of the bases from a number on, at least ARM_BASES of them. */
static inline uint64_t bases_from(const uint8_t *bytes, uint32_t base)
{
    uint64_t bits;
    memcpy(&bits, bytes + base / BASES_PER_BYTE, sizeof bits);
    return bits >> 2 * (base % BASES_PER_BYTE);
}

/* Likewise, 3 for each base that is not A, C, G or T; bases are counted from the first of a stretch's `words`. */
static uint64_t other_bases(const struct database_stretch *stretch, uint32_t base)
{
    const uint64_t first = stretch->first - STRETCH_BEFORE + base / BASES_PER_WORD;
    const unsigned shift = 2 * (base % BASES_PER_WORD);
    uint64_t others[3];
    for (unsigned i = 0; i < 3; i++) {
        uint64_t word = sequences_word(stretch->sequences, first + i);
        others[i] = wmer_squeeze(((word >> 2 | word >> 3) & 0x1111111111111111u) * 3);
    }
    return (others[0] | others[1] << 32) >> shift | others[2] << 1 << (63 - shift);
}

/* Whether two bits per base do not tell all about a match's window: an end of the segment, or another base. */
static inline bool is_odd(const struct ungapped_kernel *k, const struct database_stretch *stretch,
                          struct match match)
{
    return match.query_position - k->first_whole >= k->whole_count ||
           (!k->plain && k->near_others[match.query_position / BASES_PER_WORD]) ||
           (!stretch->plain && stretch->near_others[match.offset / BASES_PER_WORD]);
}

/* Compare an arm that begins at some place of a match. @return two bits per column that are 0 if the bases match */
static inline uint64_t compare_arm(const struct ungapped_kernel *k, const struct database_stretch *stretch,
                                   struct match match, int arm)
{
    const uint32_t query = match.query_position + PADDING + (uint32_t)arm;
    const uint32_t base = match.offset + STRETCH_BEFORE * BASES_PER_WORD + (uint32_t)arm;
    uint64_t differs = bases_from(k->two_bit, query) ^ bases_from((const uint8_t *)stretch->words, base);
    if (__builtin_expect(is_odd(k, stretch, match), 0))
        differs |= bases_from(k->others, query) | other_bases(stretch, base);
    return differs;
}

static inline int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The most that an arm can add to the score; `touches` tells whether that takes the whole arm. */
static inline int follow_arm(const struct step steps[STEPS], uint64_t differs, bool from_high, bool *touches)
{
    int sum = 0, best = 0;
    for (unsigned i = 0; i < STEPS; i++) {
        const unsigned mask = differs >> STEP_BITS * (from_high ? STEPS - 1 - i : i) & (STEP_MASKS - 1);
        best = larger(best, sum + steps[i].best[mask]);
        sum += steps[i].sum[mask];
    }
    *touches = sum >= best;
    return best;
}

static inline struct hsp hsp_of(struct match match, const struct database_stretch *stretch)
{
    return (struct hsp){match.query_position, stretch->first * BASES_PER_WORD + match.offset};
}

/* Judge a match under any rule, whatever bases there are. */
static bool passes_alone(const struct ungapped_kernel *k, const struct database_stretch *stretch,
                         struct match match)
{
    bool left_edge, right_edge;
    if (!k->fits)
        return ungapped_extend(&k->rule, k->segment, k->segment_length, match.query_position,
                               stretch->sequences, hsp_of(match, stretch).database_position)
            .passed;
    int left = follow_arm(k->left, compare_arm(k, stretch, match, LEFT_ARM), true, &left_edge);
    int right = follow_arm(k->right, compare_arm(k, stretch, match, RIGHT_ARM), false, &right_edge);
    return (left + right >= k->needed) | (left_edge & k->left_edge) | (right_edge & k->right_edge);
}

#if CPU_HAS_VECTORS
#include <immintrin.h>

/* The bases before and after a w-mer whose last base is number `last` of `bases`, four per byte, in two halves:
 * the base before the w-mer is the highest of byte 6 of the one, the base after it the lowest of byte 0 of the
 * other. */
CPU_TARGET_AVX2 static inline __m128i sides_of(const uint8_t *bases, uint32_t last)
{
    static const uint64_t shifts[BASES_PER_BYTE][2] = {{2, 0}, {4, 2}, {6, 4}, {8, 6}};
    /* The base before the w-mer, 12 before the base after it, is 3 bytes back, and in byte 7 of what is loaded. */
    enum { LEFT = -(WMER_BASES + 1) / BASES_PER_BYTE - 7 };
    const uint8_t *right = bases + (last + 1) / BASES_PER_BYTE;
    __m128i both = _mm_loadl_epi64((const __m128i *)(right + LEFT));
    both = _mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(both), (const __m64 *)right));
    return _mm_srlv_epi64(both, _mm_loadu_si128((const __m128i *)shifts[(last + 1) % BASES_PER_BYTE]));
}

/* Two bits per base, which are 0 if the bases are the same. */
CPU_TARGET_AVX2 static inline __m128i compare_sides(const uint8_t *segment, const uint8_t *stretch,
                                                    const struct match *match)
{
    return _mm_xor_si128(sides_of(segment, match->query_position + PADDING),
                         sides_of(stretch, match->offset));
}

/* The compared sides of LANES matches, in the order that split_bytes() takes. */
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

/* Sums of an arm, a byte per match. */
struct sum_lanes {
    __m256i sum, best;
};

/* Collect byte i of every match in plane i. */
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

CPU_TARGET_AVX2 static inline void take_step(struct sum_lanes *arm, const struct step *step, __m256i differs)
{
    __m256i sums = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)step->sum));
    __m256i bests = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)step->best));
    __m256i best = _mm256_add_epi8(arm->sum, _mm256_shuffle_epi8(bests, differs));
    arm->best = _mm256_max_epi8(arm->best, best);
    arm->sum = _mm256_add_epi8(arm->sum, _mm256_shuffle_epi8(sums, differs));
}

/* Follow the arms of all lanes from the w-mer to the window's edge. */
CPU_TARGET_AVX2 static inline struct sum_lanes follow_arms(const struct step steps[STEPS],
                                                           const __m256i lanes[LANES / 4], bool from_high)
{
    struct sum_lanes arm = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    const __m256i nibble = _mm256_set1_epi8(0x0f);
    __m256i plane[8];
    split_bytes(lanes, plane);
#pragma GCC unroll 7
    for (unsigned i = 0; i < STEPS / 2; i++) {
        __m256i byte = plane[from_high ? 6 - i : i];
        __m256i low = _mm256_and_si256(byte, nibble);
        __m256i high = _mm256_and_si256(_mm256_srli_epi16(byte, 4), nibble);
        take_step(&arm, &steps[2 * i], from_high ? high : low);
        take_step(&arm, &steps[2 * i + 1], from_high ? low : high);
    }
    return arm;
}

/* The lanes in which an arm's best sum takes the whole arm, if touching its edge is enough. */
CPU_TARGET_AVX2 static inline __m256i touching(struct sum_lanes arm, bool edge)
{
    __m256i stops_before = _mm256_cmpgt_epi8(arm.best, arm.sum);
    return _mm256_andnot_si256(stops_before, _mm256_set1_epi8(edge ? -1 : 0));
}

/* Do what passes_alone() does for every match. @return byte i: -1 if match i passes, else 0 */
CPU_TARGET_AVX2 static inline __m256i judge_lanes(const struct ungapped_kernel *k,
                                                  const struct differing *differing)
{
    struct sum_lanes left = follow_arms(k->left, differing->left, true);
    struct sum_lanes right = follow_arms(k->right, differing->right, false);
    int needed = k->needed < 0 ? 0 : k->needed < INT8_MAX ? k->needed : INT8_MAX;
    __m256i score = _mm256_add_epi8(left.best, right.best);
    __m256i passes = _mm256_cmpgt_epi8(score, _mm256_set1_epi8((char)(needed - 1)));
    passes = _mm256_or_si256(passes, touching(left, k->left_edge));
    return _mm256_or_si256(passes, touching(right, k->right_edge));
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

/* Judge the odd matches again. @return `passes` with their bits corrected */
static uint32_t judge_odd(const struct ungapped_kernel *k, const struct database_stretch *stretch,
                          const struct match *matches, uint32_t passes, uint8_t *passed)
{
    for (unsigned i = 0; i < LANES; i++) {
        if (!is_odd(k, stretch, matches[i]))
            continue;
        passed[i] = passes_alone(k, stretch, matches[i]);
        passes = (passes & ~(UINT32_C(1) << i)) | (uint32_t)passed[i] << i;
    }
    return passes;
}

/* Judge LANES matches; byte i of `passed` tells whether match i passes. @return the same in bit i */
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

/* Append the passing matches to the HSPs. @return the end of the HSPs */
CPU_TARGET_AVX2 static inline struct hsp *keep_passing(uint32_t passes, const struct match *matches,
                                                       const struct database_stretch *stretch,
                                                       struct hsp *hsps)
{
    for (; passes; passes &= passes - 1)
        *hsps++ = hsp_of(matches[__builtin_ctz(passes)], stretch);
    return hsps;
}

CPU_TARGET_AVX2 static size_t filter_avx2(const struct ungapped_kernel *k,
                                          const struct database_stretch *stretch, const struct match *matches,
                                          size_t count, uint8_t *passed, struct hsp *hsps)
{
    struct hsp *next = hsps;
    size_t begin = 0;
    for (; begin + LANES <= count; begin += LANES) {
        uint32_t passes = judge_avx2(k, stretch, matches + begin, passed + begin);
        next = keep_passing(passes, matches + begin, stretch, next);
    }
    const size_t rest = count - begin;
    if (rest > 0) {
        struct match last[LANES];
        uint8_t last_passed[LANES];
        for (size_t i = 0; i < LANES; i++)
            last[i] = matches[begin + (i < rest ? i : 0)];
        uint32_t passes = judge_avx2(k, stretch, last, last_passed) & ((UINT32_C(1) << rest) - 1);
        memcpy(passed + begin, last_passed, rest);
        next = keep_passing(passes, last, stretch, next);
    }
    return (size_t)(next - hsps);
}

#endif

size_t ungapped_kernel_filter(const struct ungapped_kernel *k, const struct database_stretch *stretch,
                              const struct match *matches, size_t count, uint8_t *passed, struct hsp *hsps)
{
#if CPU_HAS_VECTORS
    if (k->level >= CPU_AVX2 && k->sums_fit)
        return filter_avx2(k, stretch, matches, count, passed, hsps);
#endif
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        passed[i] = passes_alone(k, stretch, matches[i]);
        hsps[kept] = hsp_of(matches[i], stretch);
        kept += passed[i];
    }
    return kept;
}
