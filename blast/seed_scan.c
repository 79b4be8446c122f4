#include "blast/seed_scan.h"

#include "blast/wmer.h"

static inline uint64_t word_before(const struct sequences *s, uint64_t index)
{
    return index > 0 ? s->words[index - 1] : UINT64_MAX;
}

/* One word the plain way; invalid w-mers are counted. */
static uint16_t scan_word(uint64_t previous, uint64_t word, const uint64_t *bits, uint64_t *invalid)
{
    struct wmer_window window = wmer_window(previous, word);
    unsigned mask = 0;
    for (unsigned last = 0; last < BASES_PER_WORD; last++) {
        uint32_t wmer = wmer_ending_at(window, last);
        bool valid = wmer_is_valid(window, last);
        *invalid += !valid;
        mask |= (valid && (bits[wmer / 64] >> (wmer % 64) & 1)) << last;
    }
    return (uint16_t)mask;
}

static const uint64_t low_bits = 0x3333333333333333u, high_bits = 0xccccccccccccccccu;

typedef uint32_t squeeze(uint64_t word);

/* Sixteen tests without a branch. Bits 2 (last + 6) up of a window are the w-mer that ends at `last`: its lowest six choose
 * a bit of the word that the others choose. */
static inline __attribute__((always_inline)) unsigned mask_of(uint64_t window, const uint64_t *bits)
{
    unsigned mask = 0;
#pragma GCC unroll 16
    for (unsigned last = 0; last < BASES_PER_WORD; last++) {
        uint64_t word = bits[window >> (2 * last + 18) & (WMER_COUNT / 64 - 1)];
        mask |= (unsigned)(word >> (window >> (2 * last + 12) & 63) & 1) << last;
    }
    return mask;
}

static inline __attribute__((always_inline)) uint64_t scan_any(squeeze *squeezed, const uint64_t *words,
                                                               uint64_t previous, uint64_t count,
                                                               const uint64_t *bits, uint16_t *masks)
{
    uint64_t invalid = 0, window = squeezed(previous);
    for (uint64_t i = 0; i < count; i++) {
        window |= (uint64_t)squeezed(words[i]) << 32;
        if (__builtin_expect(((previous | words[i]) & high_bits) != 0, 0))
            masks[i] = scan_word(previous, words[i], bits, &invalid);
        else
            masks[i] = (uint16_t)mask_of(window, bits);
        previous = words[i];
        window >>= 32;
    }
    return invalid;
}

static uint64_t scan_portable(const uint64_t *words, uint64_t previous, uint64_t count, const uint64_t *bits,
                              uint16_t *masks)
{
    return scan_any(wmer_squeeze, words, previous, count, bits, masks);
}

#if CPU_HAS_VECTORS
#include <immintrin.h>

CPU_TARGET_AVX2 static inline uint32_t squeeze_avx2(uint64_t word)
{
    return (uint32_t)_pext_u64(word, low_bits);
}

/* Eight gathered at a time are no faster than one by one; it is the shifts and the squeezing that gain. */
CPU_TARGET_AVX2 static uint64_t scan_avx2(const uint64_t *words, uint64_t previous, uint64_t count,
                                          const uint64_t *bits, uint16_t *masks)
{
    return scan_any(squeeze_avx2, words, previous, count, bits, masks);
}

CPU_TARGET_AVX512 static inline unsigned mask_avx512(uint64_t squeezed, const void *table)
{
    const __m512i first = _mm512_setr_epi64(12, 14, 16, 18, 20, 22, 24, 26);
    const __m512i evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    __m512i window = _mm512_set1_epi64((long long)squeezed);
    __m512i low = _mm512_srlv_epi64(window, first);
    __m512i high = _mm512_srlv_epi64(window, _mm512_add_epi64(first, _mm512_set1_epi64(16)));
    __m512i wmers = _mm512_permutex2var_epi32(low, evens, high);
    wmers = _mm512_and_si512(wmers, _mm512_set1_epi32(WMER_COUNT - 1));
    __m512i found = _mm512_i32gather_epi32(_mm512_srli_epi32(wmers, 5), table, 4);
    __m512i bit = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(wmers, _mm512_set1_epi32(31)));
    return _mm512_test_epi32_mask(found, bit);
}

CPU_TARGET_AVX512 static uint64_t scan_avx512(const uint64_t *words, uint64_t previous, uint64_t count,
                                              const uint64_t *bits, uint16_t *masks)
{
    uint64_t invalid = 0, squeezed = _pext_u64(previous, low_bits);
    for (uint64_t i = 0; i < count; i++) {
        squeezed |= _pext_u64(words[i], low_bits) << 32;
        if (__builtin_expect(((previous | words[i]) & high_bits) != 0, 0))
            masks[i] = scan_word(previous, words[i], bits, &invalid);
        else
            masks[i] = (uint16_t)mask_avx512(squeezed, bits);
        previous = words[i];
        squeezed >>= 32;
    }
    return invalid;
}
#endif

uint64_t seed_scan(const struct sequences *s, uint64_t first, uint64_t count, const uint64_t *bits,
                   enum cpu_level level, uint16_t *masks)
{
    const uint64_t *words = s->words + first;
    uint64_t previous = word_before(s, first);
#if CPU_HAS_VECTORS
    if (level == CPU_AVX512)
        return scan_avx512(words, previous, count, bits, masks);
    if (level == CPU_AVX2)
        return scan_avx2(words, previous, count, bits, masks);
#endif
    (void)level;
    return scan_portable(words, previous, count, bits, masks);
}
