#include "blast/stages12/hash.h"

#include <assert.h>

bool hash_family_allows_range(enum hash_family family, uint64_t range)
{
    if (range < 1 || range > UINT64_C(1) << 31)
        return false;
    return family != HASH_H3 || (range & (range - 1)) == 0;
}

uint64_t hash_derive_seed(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The rank of the rows over GF(2), by elimination. */
static unsigned rank_of(const uint32_t rows[WMER_BITS])
{
    uint32_t basis[32] = {0};
    unsigned rank = 0;
    for (unsigned i = 0; i < WMER_BITS; i++) {
        uint32_t row = rows[i];
        for (int bit = 31; bit >= 0 && row; bit--) {
            if (!(row >> bit & 1))
                continue;
            if (!basis[bit]) {
                basis[bit] = row;
                rank++;
                break;
            }
            row ^= basis[bit];
        }
    }
    return rank;
}

static void draw_full_rank_rows(struct wmer_hash *hash)
{
    unsigned range_bits = (unsigned)__builtin_ctz(hash->range);
    unsigned full_rank = range_bits < WMER_BITS ? range_bits : WMER_BITS;
    uint64_t draw = 0;
    do {
        for (unsigned i = 0; i < WMER_BITS; i++)
            hash->rows[i] = (uint32_t)hash_derive_seed(hash->seed, draw++) & (hash->range - 1);
    } while (rank_of(hash->rows) < full_rank);
}

/* What XXH3 XORs with an input of 4 bytes: bytes 8 to 23 of its default secret, two words XORed, and the seed. */
static uint64_t xxh3_flip(uint64_t seed)
{
    seed ^= (uint64_t)__builtin_bswap32((uint32_t)seed) << 32;
    return (UINT64_C(0x1cad21f72c81017c) ^ UINT64_C(0xdb979083e96dd4de)) - seed;
}

void wmer_hash_init(struct wmer_hash *hash, enum hash_family family, uint32_t range, uint64_t seed)
{
    assert(family != HASH_DISPLACED && hash_family_allows_range(family, range));
    *hash = (struct wmer_hash){.family = family, .range = range, .seed = seed, .flip = xxh3_flip(seed)};
    if (family == HASH_H3)
        draw_full_rank_rows(hash);
}

uint32_t wmer_h3(const struct wmer_hash *hash, uint32_t wmer)
{
    uint32_t value = 0;
    for (; wmer; wmer &= wmer - 1)
        value ^= hash->rows[__builtin_ctz(wmer)];
    return value;
}

/* --- many at a time ------------------------------------------------------------------------------------------- */

static void hash_portable(const struct wmer_hash *hash, const uint32_t *wmers, uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = wmer_hash(hash, wmers[i]);
}

#if CPU_HAS_VECTORS
#include <immintrin.h>

/* The seed's part of a hash: XXH3 begins with steps that are linear over GF(2), so that what the w-mer and the
 * seed become there can be XORed. */
static inline uint64_t linear_part(const struct wmer_hash *hash)
{
    uint64_t flip = hash->flip;
    return flip ^ (flip << 49 | flip >> 15) ^ (flip << 24 | flip >> 40);
}

/* Scaling to 2^n, n <= 28, keeps the n highest bits, which XXH3's last step, h ^ h >> 28, does not change. */
static inline bool keeps_top_bits(uint32_t range)
{
    return (range & (range - 1)) == 0 && range <= UINT32_C(1) << 28;
}

/* Eight 64-bit numbers. */
struct halves {
    __m256i low, high;
};

CPU_TARGET_AVX2 static inline __m256i rotate_left(__m256i v, int bits)
{
    return _mm256_or_si256(_mm256_slli_epi32(v, bits), _mm256_srli_epi32(v, 32 - bits));
}

/* Bits 32 and up of the products with `factor`, which is the same in all lanes. */
CPU_TARGET_AVX2 static inline __m256i product_high(__m256i a, __m256i factor)
{
    __m256i even = _mm256_mul_epu32(a, factor), odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), factor);
    return _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}

CPU_TARGET_AVX2 static inline struct halves times_prime(struct halves h)
{
    const __m256i low = _mm256_set1_epi32((int)(uint32_t)wmer_xxh3_prime);
    const __m256i high = _mm256_set1_epi32((int)(uint32_t)(wmer_xxh3_prime >> 32));
    __m256i crossed = _mm256_add_epi32(_mm256_mullo_epi32(h.low, high), _mm256_mullo_epi32(h.high, low));
    return (struct halves){_mm256_mullo_epi32(h.low, low),
                           _mm256_add_epi32(product_high(h.low, low), crossed)};
}

/* Bits 32 and up of eight hashes before XXH3's last step. Both halves of the number that XXH3 rotates are the
 * w-mer, so that rotating it by 49 is rotating the halves by 17. */
CPU_TARGET_AVX2 static inline __m256i mix_lanes(__m256i wmers, uint64_t linear)
{
    __m256i turned = _mm256_xor_si256(rotate_left(wmers, 17), rotate_left(wmers, 24));
    __m256i both = _mm256_xor_si256(wmers, turned);
    struct halves h = {_mm256_xor_si256(both, _mm256_set1_epi32((int)(uint32_t)linear)),
                       _mm256_xor_si256(both, _mm256_set1_epi32((int)(uint32_t)(linear >> 32)))};
    h = times_prime(h);
    __m256i shifted = _mm256_add_epi32(_mm256_srli_epi32(h.high, 3), _mm256_set1_epi32(sizeof(uint32_t)));
    return times_prime((struct halves){_mm256_xor_si256(h.low, shifted), h.high}).high;
}

CPU_TARGET_AVX2 static inline __m256i scale_lanes(__m256i high, uint32_t range, bool top_bits)
{
    if (top_bits)
        return _mm256_srl_epi32(high, _mm_cvtsi32_si128(__builtin_clz(range) + 1));
    __m256i last = _mm256_xor_si256(high, _mm256_srli_epi32(high, 28));
    return product_high(last, _mm256_set1_epi32((int)range));
}

CPU_TARGET_AVX2 static inline __attribute__((always_inline)) void hash_eights(const struct wmer_hash *hash,
                                                                              const uint32_t *wmers,
                                                                              uint32_t *values, size_t count,
                                                                              bool top_bits)
{
    uint64_t linear = linear_part(hash);
    for (size_t i = 0; i < count; i += 8) {
        __m256i high = mix_lanes(_mm256_loadu_si256((const __m256i *)(wmers + i)), linear);
        _mm256_storeu_si256((__m256i *)(values + i), scale_lanes(high, hash->range, top_bits));
    }
}

CPU_TARGET_AVX2 static void hash_avx2(const struct wmer_hash *hash, const uint32_t *wmers, uint32_t *values,
                                      size_t count)
{
    size_t eights = count - count % 8;
    if (keeps_top_bits(hash->range))
        hash_eights(hash, wmers, values, eights, true);
    else
        hash_eights(hash, wmers, values, eights, false);
    hash_portable(hash, wmers + eights, values + eights, count - eights);
}

/* What mix_lanes() computes, of one w-mer and in 64 bits. AVX-512 multiplies numbers of 64 bits, so that the
 * compiler's vectors are as fast as hand-written ones. */
static inline uint64_t mix(uint32_t wmer, uint64_t linear)
{
    uint32_t both = wmer ^ (wmer << 17 | wmer >> 15) ^ (wmer << 24 | wmer >> 8);
    uint64_t h = (((uint64_t)both << 32 | both) ^ linear) * wmer_xxh3_prime;
    return (h ^ ((h >> 35) + sizeof(uint32_t))) * wmer_xxh3_prime;
}

CPU_TARGET_AVX512 static void hash_avx512(const struct wmer_hash *hash, const uint32_t *wmers,
                                          uint32_t *values, size_t count)
{
    uint64_t linear = linear_part(hash);
    uint32_t range = hash->range;
    int zeros = __builtin_clz(range);
    if (keeps_top_bits(range))
        for (size_t i = 0; i < count; i++)
            values[i] = (uint32_t)(mix(wmers[i], linear) >> 33 >> zeros);
    else
        for (size_t i = 0; i < count; i++) {
            uint64_t h = mix(wmers[i], linear);
            values[i] = hash_scale(h ^ h >> 28, range);
        }
}
#endif

void wmer_hash_many(const struct wmer_hash *hash, enum cpu_level level, const uint32_t *wmers,
                    uint32_t *values, size_t count)
{
#if CPU_HAS_VECTORS
    if (level >= CPU_AVX2 && hash->family == HASH_XXH3) {
        (level >= CPU_AVX512 ? hash_avx512 : hash_avx2)(hash, wmers, values, count);
        return;
    }
#endif
    (void)level;
    hash_portable(hash, wmers, values, count);
}
