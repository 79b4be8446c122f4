#include "blast/stages12/database_stretch.h"

static const uint64_t high_bits = 0xccccccccccccccccu;

/* Pack words into two bits per base. @return 0 if no word has a bit that bases up to T do not have */
static inline __attribute__((always_inline)) uint64_t squeeze_any(const uint64_t *words, uint64_t count,
                                                                  uint32_t *squeezed)
{
    enum { LINE_WORDS = 8 };
    uint64_t seen = 0;
    for (uint64_t begin = 0; begin < count; begin += LINE_WORDS) {
        const uint64_t end = begin + LINE_WORDS < count ? begin + LINE_WORDS : count;
        cpu_prefetch(words + begin + STRETCH_WORDS); /* of the next stretch */
        for (uint64_t i = begin; i < end; i++) {
            squeezed[i] = wmer_squeeze(words[i]);
            seen |= words[i];
        }
    }
    return seen & high_bits;
}

#if CPU_HAS_VECTORS
CPU_TARGET_AVX2 static uint64_t squeeze_avx2(const uint64_t *words, uint64_t count, uint32_t *squeezed)
{
    return squeeze_any(words, count, squeezed);
}
#endif

static uint64_t squeeze(const uint64_t *words, uint64_t count, uint32_t *squeezed)
{
#if CPU_HAS_VECTORS
    if (cpu_best_level() >= CPU_AVX2)
        return squeeze_avx2(words, count, squeezed);
#endif
    return squeeze_any(words, count, squeezed);
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
                           uint64_t count)
{
    enum { AROUND = STRETCH_BEFORE + STRETCH_AFTER };
    s->sequences = sequences;
    s->first = first;
    s->count = count;
    uint64_t others = 0;
    if (first >= STRETCH_BEFORE && first + count + STRETCH_AFTER <= sequences->word_count) {
        others = squeeze(sequences->words + first - STRETCH_BEFORE, count + AROUND, s->words);
    } else {
        others = squeeze(sequences->words + first, count, s->words + STRETCH_BEFORE) | 1;
        for (uint64_t i = 0; i < STRETCH_BEFORE; i++)
            s->words[i] = wmer_squeeze(sequences_word(sequences, first + i - STRETCH_BEFORE));
        for (uint64_t i = count; i < count + STRETCH_AFTER; i++)
            s->words[STRETCH_BEFORE + i] = wmer_squeeze(sequences_word(sequences, first + i));
    }
    s->plain = others == 0;
    if (!s->plain)
        find_others(s);
}
