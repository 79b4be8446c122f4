#include "blast/stages12/plain_seeds.h"

#if CPU_HAS_VECTORS
#include <immintrin.h>
#endif

static bool is_plain(const struct seed_token *seed, struct group_token group)
{
    return seed->outcome != LOOKUP_DUPLICATE && seed->groups <= 1 && group.matches <= 2 && group.entries == 0;
}

static struct plain_seeds find_portable(const struct tokens *t, struct token_place at, size_t end)
{
    struct plain_seeds plain = {0};
    for (; plain.count < PLAIN_SEEDS_MOST && at.seed < end; at.seed++, plain.count++) {
        const struct seed_token *seed = &t->seeds[at.seed];
        const struct group_token group = seed->groups > 0 ? t->groups[at.group] : (struct group_token){0};
        if (!is_plain(seed, group))
            break;
        plain.grouped += seed->groups;
        at.group += seed->groups;
        plain.twice += group.matches == 2;
        for (unsigned i = 0; i < group.matches; i++) {
            const uint64_t passed = t->matches[at.match++] > 0;
            plain.passed |= passed << (2 * plain.count + i);
            plain.passed_matches |= passed << plain.matches++;
        }
    }
    return plain;
}

#if CPU_HAS_VECTORS
/* A bit for each of PLAIN_SEEDS_MOST seeds: whether it has one group, and whether it makes trips or has several
 * groups. */
CPU_TARGET_AVX2 static inline void look_at_seeds(const struct seed_token *seeds, uint32_t *grouped,
                                                 uint32_t *odd)
{
    const __m256i one = _mm256_set1_epi32(1), duplicate = _mm256_set1_epi32(LOOKUP_DUPLICATE);
    const __m256i outcomes = _mm256_set1_epi32(UINT8_MAX);
    *grouped = *odd = 0;
#pragma GCC unroll 4
    for (unsigned i = 0; i < PLAIN_SEEDS_MOST; i += 8) {
        const __m256i eight = _mm256_loadu_si256((const __m256i *)(seeds + i));
        const __m256i groups = _mm256_srli_epi32(eight, 16);
        const __m256i trips = _mm256_cmpeq_epi32(_mm256_and_si256(eight, outcomes), duplicate);
        const __m256i bad = _mm256_or_si256(trips, _mm256_cmpgt_epi32(groups, one));
        const __m256i single = _mm256_cmpeq_epi32(groups, one);
        *grouped |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(single)) << i;
        *odd |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(bad)) << i;
    }
}

/* A bit for each of two vectors' 16-bit lanes that are set, in order. */
CPU_TARGET_AVX2 static inline uint32_t bits_of(__m256i lower, __m256i upper)
{
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(lower, upper), 0xd8);
    return (uint32_t)_mm256_movemask_epi8(bytes);
}

/* Groups without an entry, by their number of matches. */
struct group_bits {
    uint32_t one, two, odd; /* odd: neither of these nor empty */
};

CPU_TARGET_AVX2 static inline struct group_bits look_at_groups(const struct group_token *groups)
{
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi16(1), two = _mm256_set1_epi16(2);
    const __m256i lower = _mm256_loadu_si256((const __m256i *)groups);
    const __m256i upper = _mm256_loadu_si256((const __m256i *)(groups + 16));
    const uint32_t none = bits_of(_mm256_cmpeq_epi16(lower, zero), _mm256_cmpeq_epi16(upper, zero));
    const uint32_t once = bits_of(_mm256_cmpeq_epi16(lower, one), _mm256_cmpeq_epi16(upper, one));
    const uint32_t twice = bits_of(_mm256_cmpeq_epi16(lower, two), _mm256_cmpeq_epi16(upper, two));
    return (struct group_bits){once, twice, ~(none | once | twice)};
}

CPU_TARGET_AVX2 static inline uint64_t look_at_matches(const uint8_t *matches)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i lower = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)matches), zero);
    const __m256i upper = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(matches + 32)), zero);
    return ~((uint64_t)(uint32_t)_mm256_movemask_epi8(upper) << 32 | (uint32_t)_mm256_movemask_epi8(lower));
}

enum { MATCHES_MOST = 2 * PLAIN_SEEDS_MOST };

/* Look at PLAIN_SEEDS_MOST seeds and groups, and MATCHES_MOST matches. What comes after a seed that is not plain stands
 * in the wrong place, and is cut off, as are the seeds after the first `most`. */
CPU_TARGET_AVX2 static struct plain_seeds find_avx2(const struct tokens *t, struct token_place at,
                                                    size_t most)
{
    const uint64_t firsts = UINT64_C(0x5555555555555555);
    uint32_t grouped, odd_seeds;
    look_at_seeds(t->seeds + at.seed, &grouped, &odd_seeds);
    const struct group_bits groups = look_at_groups(t->groups + at.group);
    const uint64_t passed = look_at_matches(t->matches + at.match);
    const uint64_t odd = odd_seeds | _pdep_u64(groups.odd, grouped);
    const uint64_t end = UINT64_C(1) << (most < PLAIN_SEEDS_MOST ? most : PLAIN_SEEDS_MOST);
    const unsigned count = (unsigned)_tzcnt_u64(odd | end);
    grouped = (uint32_t)_bzhi_u64(grouped, count);
    const uint64_t once = _pdep_u64(groups.one | groups.two, grouped), twice = _pdep_u64(groups.two, grouped);
    const uint64_t matched = _pdep_u64(once, firsts) | _pdep_u64(twice, ~firsts);
    const unsigned matches = (unsigned)_mm_popcnt_u64(matched);
    return (struct plain_seeds){.count = count,
                                .grouped = (unsigned)_mm_popcnt_u32(grouped),
                                .twice = (unsigned)_mm_popcnt_u64(twice),
                                .matches = matches,
                                .passed = _pdep_u64(passed, matched),
                                .passed_matches = _bzhi_u64(passed, matches)};
}
#endif

struct plain_seeds plain_seeds_at(enum cpu_level level, const struct tokens *t, struct token_place at,
                                  size_t end)
{
#if CPU_HAS_VECTORS
    if (level >= CPU_AVX2 && t->seed_count - at.seed >= PLAIN_SEEDS_MOST &&
        t->group_count - at.group >= PLAIN_SEEDS_MOST && t->match_count - at.match >= MATCHES_MOST)
        return find_avx2(t, at, end - at.seed);
#endif
    (void)level;
    return find_portable(t, at, end);
}
