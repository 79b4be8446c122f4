#include "blast/seed_scan.h"

#include <stdlib.h>
#include <string.h>

#include "blast/wmer.h"

/* Four w-mers that end at successive bases share a core of eight:
 *
 *     base      0 1 2 | 3 4 5 6 7 8 9 10 | 11 12 13
 *     w-mer 0   . . .   . . . . . . . .
 *     w-mer 1     . .   . . . . . . . .    .
 *     w-mer 2       .   . . . . . . . .    .  .
 *     w-mer 3           . . . . . . . .    .  .  .
 *
 * The core chooses a line; w-mer i's other three bases, in this order, choose a bit of the line's word i. */
enum {
    GROUP = 4,
    CORE_BASES = WMER_BASES - (GROUP - 1),
    CORES = 1 << 2 * CORE_BASES,
    CORE_SHIFT = 2 * (GROUP - 1), /* of the core in the bases of a group */
    FLANK_MASK = (1 << CORE_SHIFT) - 1,
};

struct seed_lines {
    _Alignas(64) uint64_t bits[CORES][GROUP];
};

/* Enter a w-mer as number `i` of a group. */
static void add_wmer(struct seed_lines *lines, uint32_t wmer, unsigned i)
{
    unsigned before = 2 * (GROUP - 1 - i);
    uint32_t core = wmer >> before & (CORES - 1);
    uint32_t flanks = (wmer & ((1u << before) - 1)) | wmer >> (before + 2 * CORE_BASES) << before;
    lines->bits[core][i] |= UINT64_C(1) << flanks;
}

struct seed_lines *seed_lines_new(const uint64_t *bits)
{
    struct seed_lines *lines = aligned_alloc(_Alignof(struct seed_lines), sizeof *lines);
    if (!lines)
        return NULL;
    memset(lines, 0, sizeof *lines);
    for (uint32_t i = 0; i < WMER_COUNT / 64; i++)
        for (uint64_t left = bits[i]; left; left &= left - 1)
            for (unsigned number = 0; number < GROUP; number++)
                add_wmer(lines, i * 64 + (uint32_t)__builtin_ctzll(left), number);
    return lines;
}

void seed_lines_destroy(struct seed_lines *lines)
{
    free(lines);
}

static inline uint64_t word_before(const struct sequences *s, uint64_t index)
{
    return index > 0 ? s->words[index - 1] : UINT64_MAX;
}

static const uint64_t low_bits = 0x3333333333333333u, high_bits = 0xccccccccccccccccu;

/* Which of the w-mers that end in a word have nothing but A, C, G and T. */
static unsigned valid_wmers(uint64_t previous, uint64_t word)
{
    struct wmer_window window = wmer_window(previous, word);
    unsigned valid = 0;
    for (unsigned last = 0; last < BASES_PER_WORD; last++)
        valid |= (unsigned)wmer_is_valid(window, last) << last;
    return valid;
}

/* Bits 2 (last + 6) up of a window of 32 bases are the w-mer that ends at base `last` of the second 16. */
enum { FIRST_WMER = 2 * (BASES_PER_WORD + 1 - WMER_BASES) };

/* Words ahead of the one that is tested whose lines are asked for: enough to keep the level-3 cache busy. */
enum { AHEAD = 4 };

static inline uint32_t core_of(uint64_t bases)
{
    return bases >> CORE_SHIFT & (CORES - 1);
}

static inline void prefetch_lines(const struct seed_lines *lines, uint64_t window)
{
#pragma GCC unroll 4
    for (unsigned first = 0; first < BASES_PER_WORD; first += GROUP)
        __builtin_prefetch(lines->bits[core_of(window >> (FIRST_WMER + 2 * first))]);
}

/* The mask of a group whose bases are lowest in `bases`. */
typedef unsigned group_mask(const struct seed_lines *lines, uint64_t bases);
typedef uint32_t squeeze(uint64_t word);

static inline unsigned mask_portable(const struct seed_lines *lines, uint64_t bases)
{
    const uint64_t *line = lines->bits[core_of(bases)];
    uint64_t flanks = (bases & FLANK_MASK) | (bases >> 2 * CORE_BASES & FLANK_MASK << CORE_SHIFT);
    unsigned mask = 0;
    for (unsigned i = 0; i < GROUP; i++)
        mask |= (unsigned)(line[i] >> (flanks >> 2 * i & FLANK_MASK) & 1) << i;
    return mask;
}

static inline __attribute__((always_inline)) uint64_t scan_any(squeeze *squeezed, group_mask *mask_of,
                                                               const uint64_t *words, uint64_t previous,
                                                               uint64_t count, const struct seed_lines *lines,
                                                               uint16_t *masks)
{
    uint64_t invalid = 0, window = squeezed(previous), ahead = 0;
    for (uint64_t i = 0; i < count; i++) {
        window |= (uint64_t)squeezed(words[i]) << 32;
        ahead |= (uint64_t)squeezed(words[i + AHEAD < count ? i + AHEAD : i]) << 32;
        prefetch_lines(lines, ahead);
        unsigned mask = 0;
#pragma GCC unroll 4
        for (unsigned first = 0; first < BASES_PER_WORD; first += GROUP)
            mask |= mask_of(lines, window >> (FIRST_WMER + 2 * first)) << first;
        if (__builtin_expect(((previous | words[i]) & high_bits) != 0, 0)) {
            unsigned valid = valid_wmers(previous, words[i]);
            mask &= valid;
            invalid += BASES_PER_WORD - (unsigned)__builtin_popcount(valid);
        }
        masks[i] = (uint16_t)mask;
        previous = words[i];
        window >>= 32;
        ahead >>= 32;
    }
    return invalid;
}

static uint64_t scan_portable(const uint64_t *words, uint64_t previous, uint64_t count,
                              const struct seed_lines *lines, uint16_t *masks)
{
    return scan_any(wmer_squeeze, mask_portable, words, previous, count, lines, masks);
}

#if CPU_HAS_VECTORS
#include <immintrin.h>

CPU_TARGET_AVX2 static inline uint32_t squeeze_avx2(uint64_t word)
{
    return (uint32_t)_pext_u64(word, low_bits);
}

/* The bits that are asked for are shifted to their words' highest. */
CPU_TARGET_AVX2 static inline unsigned mask_avx2(const struct seed_lines *lines, uint64_t bases)
{
    const __m256i *line = (const __m256i *)lines->bits[core_of(bases)];
    uint64_t flanks = _pext_u64(bases, FLANK_MASK | (uint64_t)FLANK_MASK << (CORE_SHIFT + 2 * CORE_BASES));
    __m256i each = _mm256_srlv_epi64(_mm256_set1_epi64x((long long)flanks), _mm256_setr_epi64x(0, 2, 4, 6));
    __m256i to_highest = _mm256_andnot_si256(each, _mm256_set1_epi64x(FLANK_MASK));
    return (unsigned)_mm256_movemask_pd(
        _mm256_castsi256_pd(_mm256_sllv_epi64(_mm256_load_si256(line), to_highest)));
}

CPU_TARGET_AVX2 static uint64_t scan_avx2(const uint64_t *words, uint64_t previous, uint64_t count,
                                          const struct seed_lines *lines, uint16_t *masks)
{
    return scan_any(squeeze_avx2, mask_avx2, words, previous, count, lines, masks);
}
#endif

uint64_t seed_scan(const struct sequences *s, uint64_t first, uint64_t count, const struct seed_lines *lines,
                   enum cpu_level level, uint16_t *masks)
{
    const uint64_t *words = s->words + first;
    uint64_t previous = word_before(s, first);
#if CPU_HAS_VECTORS
    if (level >= CPU_AVX2)
        return scan_avx2(words, previous, count, lines, masks);
#endif
    (void)level;
    return scan_portable(words, previous, count, lines, masks);
}
