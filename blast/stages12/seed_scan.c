#include "blast/stages12/seed_scan.h"

#include <assert.h>
#include <string.h>

/* Four w-mers that end at successive bases share a core of eight:
 *
 *     base      0 1 2 | 3 4 5 6 7 8 9 10 | 11 12 13
 *     w-mer 0   . . .   . . . . . . . .
 *     w-mer 1     . .   . . . . . . . .    .
 *     w-mer 2       .   . . . . . . . .    .  .
 *     w-mer 3           . . . . . . . .    .  .  .
 *
 * The core chooses a line; the other three bases of w-mer i, its flanks, choose a bit of the line's word i. */
enum {
    GROUP = 4,
    CORE_BASES = WMER_BASES - (GROUP - 1),
    CORES = 1 << 2 * CORE_BASES,
    CORE_SHIFT = 2 * (GROUP - 1), /* place of the core in the bases of a group */
    FLANK_MASK = (1 << CORE_SHIFT) - 1,
};

struct seed_lines {
    _Alignas(SEED_LINES_ALIGNMENT) uint64_t bits[CORES][GROUP];
};

static_assert(sizeof(struct seed_lines) == SEED_LINES_BYTES, "a bit per w-mer and number");

/* The bits of number 0 are those of the w-mers in order: its flanks are the lowest bases of a w-mer. From each number
 * to the next, the uppermost base of the core becomes a flank, and the uppermost of the lower flanks becomes the lowest
 * base of the core. In the words of four cores that differ in their uppermost base only, this transposes squares of
 * four by four fields of `width` bits: field i of word k becomes field k of word i, in every group of four fields. */
struct four_words {
    uint64_t word[4];
};

/* Exchange the fields of `a` that lie `shift` bits above `mask` with those of `b` under it. */
static inline void exchange_fields(uint64_t *a, uint64_t *b, unsigned shift, uint64_t mask)
{
    uint64_t differing = (*a >> shift ^ *b) & mask;
    *a ^= differing << shift;
    *b ^= differing;
}

static inline struct four_words transpose_fields(struct four_words w, unsigned width)
{
    const uint64_t quarters =
        UINT64_MAX / ((UINT64_C(1) << (4 * width - 1) << 1) - 1) * ((UINT64_C(1) << width) - 1);
    const uint64_t even = quarters | quarters << 2 * width, low = quarters | quarters << width;
    exchange_fields(&w.word[0], &w.word[1], width, even);
    exchange_fields(&w.word[2], &w.word[3], width, even);
    exchange_fields(&w.word[0], &w.word[2], 2 * width, low);
    exchange_fields(&w.word[1], &w.word[3], 2 * width, low);
    return w;
}

/* Make the words of number `i` + 1 from those of number `i`. */
static inline __attribute__((always_inline)) void make_next(struct seed_lines *lines, unsigned i)
{
    for (uint32_t core = 0; core < CORES / 4; core++) {
        struct four_words words;
        for (unsigned upper = 0; upper < 4; upper++)
            words.word[upper] = lines->bits[upper * (CORES / 4) + core][i];
        words = transpose_fields(words, 1u << 2 * (GROUP - 2 - i));
        for (unsigned lower = 0; lower < 4; lower++)
            lines->bits[4 * core + lower][i + 1] = words.word[lower];
    }
}

struct seed_lines *seed_lines_make(void *memory, const uint64_t *bits)
{
    struct seed_lines *lines = memory;
    static_assert(WMER_COUNT / 64 == CORES, "the flanks of a core choose one bit of a word");
    for (uint32_t core = 0; core < CORES; core++)
        lines->bits[core][0] = bits[core];
    make_next(lines, 0);
    make_next(lines, 1);
    make_next(lines, 2);
    return lines;
}

/* Bit i: whether the w-mer that ends at base i of the second word is valid. */
static unsigned valid_wmers(uint64_t previous, uint64_t word)
{
    struct wmer_window window = wmer_window(previous, word);
    unsigned valid = 0;
    for (unsigned last = 0; last < BASES_PER_WORD; last++)
        valid |= (unsigned)wmer_is_valid(window, last) << last;
    return valid;
}

/* Clear the bits of w-mers that are not valid. @return the number of such w-mers */
static uint64_t clear_invalid(const struct database_stretch *s, uint16_t *masks)
{
    const uint64_t *words = s->sequences->words + s->first;
    uint64_t invalid = 0, previous = sequences_word(s->sequences, s->first - 1);
    for (uint64_t i = 0; i < s->count; previous = words[i++]) {
        if (((previous | words[i]) & 0xccccccccccccccccu) == 0)
            continue;
        unsigned valid = valid_wmers(previous, words[i]);
        masks[i] &= (uint16_t)valid;
        invalid += BASES_PER_WORD - (unsigned)__builtin_popcount(valid);
    }
    return invalid;
}

/* Groups are aligned so that their cores lie on bytes of the stretch: the first w-mer of a word's group g ends at base
 * 4 g - 1 of the word. */
enum { GROUPS = BASES_PER_WORD / GROUP };

/* Number of words by which lines are prefetched before they are tested: other work drives them out of the caches
 * between blocks, so that many must be under way at once. */
enum { AHEAD = 64 };

static_assert((int)AHEAD < STRETCH_AFTER, "words ahead can be read");

/* The base before a group of the first of `words`, then the bases of the group, then others. */
static inline uint64_t group_bases(const uint32_t *words, unsigned group)
{
    enum { BEFORE = CORE_BASES + GROUP };
    uint64_t window = (uint64_t)words[0] << 32 | words[-1];
    return window >> 2 * (BASES_PER_WORD - BEFORE + GROUP * group);
}

static inline uint32_t core_of(const uint32_t *words, unsigned group)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint16_t core;
    memcpy(&core, (const uint8_t *)words + group - 2, sizeof core);
    return core;
#else
    return group_bases(words, group) >> 2 * GROUP & (CORES - 1);
#endif
}

/* Computes the mask of the w-mers in a word's groups. */
typedef unsigned word_mask(const struct seed_lines *lines, const uint32_t *words);

static inline unsigned group_mask(const struct seed_lines *lines, const uint32_t *words, unsigned group)
{
    uint64_t bases = group_bases(words, group) >> 2;
    const uint64_t *line = lines->bits[core_of(words, group)];
    uint64_t flanks = (bases & FLANK_MASK) | (bases >> 2 * CORE_BASES & FLANK_MASK << CORE_SHIFT);
    unsigned mask = 0;
    for (unsigned i = 0; i < GROUP; i++)
        mask |= (unsigned)(line[i] >> (flanks >> 2 * i & FLANK_MASK) & 1) << i;
    return mask;
}

static inline unsigned mask_portable(const struct seed_lines *lines, const uint32_t *words)
{
    unsigned mask = 0;
    for (unsigned group = 0; group < GROUPS; group++)
        mask |= group_mask(lines, words, group) << GROUP * group;
    return mask;
}

/* Scan with any form. The first w-mer of a word's groups ends in the word before. */
static inline __attribute__((always_inline)) void scan_any(word_mask *mask_of,
                                                           const struct database_stretch *s,
                                                           const struct seed_lines *lines, uint16_t *masks)
{
    const uint32_t *words = database_stretch_bases(s);
    unsigned before = mask_of(lines, words);
    for (uint64_t i = 0; i < s->count; i++) {
        for (unsigned group = 0; group < GROUPS; group++)
            cpu_prefetch(lines->bits[core_of(words + i + AHEAD, group)]);
        unsigned mask = mask_of(lines, words + i + 1);
        masks[i] = (uint16_t)(before >> 1 | mask << (BASES_PER_WORD - 1));
        before = mask;
    }
}

#if CPU_HAS_VECTORS
#include <immintrin.h>

/* The mask of a group: the four bits are shifted to the highest bits of the line's words. */
CPU_TARGET_AVX2 static inline unsigned group_mask_avx2(const struct seed_lines *lines, const uint32_t *words,
                                                       unsigned group)
{
    const __m256i flanks_of = _mm256_set1_epi64x((long long)0x8080808080800300u);
    const __m256i *line = (const __m256i *)lines->bits[core_of(words, group)];
    uint32_t bases;
    memcpy(&bases, (const uint8_t *)words + group - 3, sizeof bases);
    __m256i flanks = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bases), flanks_of);
    __m256i each = _mm256_srlv_epi64(flanks, _mm256_setr_epi64x(2, 4, 6, 8));
    __m256i to_highest = _mm256_andnot_si256(each, _mm256_set1_epi64x(FLANK_MASK));
    return (unsigned)_mm256_movemask_pd(
        _mm256_castsi256_pd(_mm256_sllv_epi64(_mm256_load_si256(line), to_highest)));
}

CPU_TARGET_AVX2 static inline unsigned mask_avx2(const struct seed_lines *lines, const uint32_t *words)
{
    unsigned mask = 0;
#pragma GCC unroll 4
    for (unsigned group = 0; group < GROUPS; group++)
        mask |= group_mask_avx2(lines, words, group) << GROUP * group;
    return mask;
}

CPU_TARGET_AVX2 static void scan_avx2(const struct database_stretch *s, const struct seed_lines *lines,
                                      uint16_t *masks)
{
    scan_any(mask_avx2, s, lines, masks);
}
#endif

uint64_t seed_scan(const struct database_stretch *s, const struct seed_lines *lines, enum cpu_level level,
                   uint16_t *masks)
{
    if (s->count == 0)
        return 0;
#if CPU_HAS_VECTORS
    if (level >= CPU_AVX2)
        scan_avx2(s, lines, masks);
    else
#endif
        scan_any(mask_portable, s, lines, masks);
    (void)level;
    return s->plain ? 0 : clear_invalid(s, masks);
}
