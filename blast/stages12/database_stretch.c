#include "blast/stages12/database_stretch.h"

#include <string.h>

static const uint64_t high_bits = 0xccccccccccccccccu;

/* Pack words into two bits per base. @return 0 if no word has a bit that bases up to T do not have */
static uint64_t squeeze_portable(const uint64_t *words, uint64_t count, uint32_t *squeezed)
{
    uint64_t seen = 0;
    for (uint64_t i = 0; i < count; i++) {
        squeezed[i] = wmer_squeeze(words[i]);
        seen |= words[i];
    }
    return seen & high_bits;
}

#if CPU_HAS_VECTORS
#include <immintrin.h>

/* The bases of four words, a byte of four bases in every 16 bits. */
CPU_TARGET_AVX2 static inline __m256i squeeze_four(__m256i words)
{
    __m256i bases = _mm256_and_si256(words, _mm256_set1_epi8(0x33));
    __m256i pairs = _mm256_or_si256(bases, _mm256_srli_epi16(bases, 2));
    return _mm256_maddubs_epi16(_mm256_and_si256(pairs, _mm256_set1_epi8(0x0f)), _mm256_set1_epi16(0x1001));
}

CPU_TARGET_AVX2 static uint64_t squeeze_avx2(const uint64_t *words, uint64_t count, uint32_t *squeezed)
{
    enum { IN_ORDER = 0xd8 }; /* 64 bits of the one, 64 of the other: first those of the one */
    uint64_t eights = count / 8 * 8;
    __m256i seen = _mm256_setzero_si256();
    for (uint64_t i = 0; i < eights; i += 8) {
        cpu_prefetch(words + i + STRETCH_WORDS); /* of the next stretch */
        __m256i low = _mm256_loadu_si256((const __m256i *)(words + i));
        __m256i high = _mm256_loadu_si256((const __m256i *)(words + i + 4));
        __m256i both = _mm256_packus_epi16(squeeze_four(low), squeeze_four(high));
        _mm256_storeu_si256((__m256i *)(squeezed + i), _mm256_permute4x64_epi64(both, IN_ORDER));
        seen = _mm256_or_si256(seen, _mm256_or_si256(low, high));
    }
    uint64_t others = !_mm256_testz_si256(seen, _mm256_set1_epi64x((long long)high_bits));
    return others | squeeze_portable(words + eights, count - eights, squeezed + eights);
}
#endif

static uint64_t squeeze(const uint64_t *words, uint64_t count, uint32_t *squeezed, enum cpu_level level)
{
#if CPU_HAS_VECTORS
    if (level >= CPU_AVX2)
        return squeeze_avx2(words, count, squeezed);
#endif
    (void)level;
    return squeeze_portable(words, count, squeezed);
}

static void find_others(struct database_stretch *s)
{
    memset(s->near_others, 0, s->count);
    for (uint64_t i = 0; i < s->count + 2 * STRETCH_BEFORE; i++) {
        if ((sequences_word(s->sequences, s->first + i - STRETCH_BEFORE) & high_bits) == 0)
            continue;
        uint64_t begin = i < 2 * STRETCH_BEFORE ? 0 : i - 2 * STRETCH_BEFORE;
        for (uint64_t near = begin; near <= i && near < s->count; near++)
            s->near_others[near] = 1;
    }
}

void database_stretch_load(struct database_stretch *s, const struct sequences *sequences, uint64_t first,
                           uint64_t count, enum cpu_level level)
{
    enum { AROUND = STRETCH_BEFORE + STRETCH_AFTER };
    s->sequences = sequences;
    s->first = first;
    s->count = count;
    uint64_t others = 0;
    if (first >= STRETCH_BEFORE && first + count + STRETCH_AFTER <= sequences->word_count) {
        others = squeeze(sequences->words + first - STRETCH_BEFORE, count + AROUND, s->words, level);
    } else {
        others = squeeze(sequences->words + first, count, s->words + STRETCH_BEFORE, level) | 1;
        for (uint64_t i = 0; i < STRETCH_BEFORE; i++)
            s->words[i] = wmer_squeeze(sequences_word(sequences, first + i - STRETCH_BEFORE));
        for (uint64_t i = count; i < count + STRETCH_AFTER; i++)
            s->words[STRETCH_BEFORE + i] = wmer_squeeze(sequences_word(sequences, first + i));
    }
    s->plain = others == 0;
    if (!s->plain)
        find_others(s);
}
