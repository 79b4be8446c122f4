/* hash.h - hash functions of w-mers: what the FPGA's block RAM and SRAM are addressed with.
 *
 * Families  HASH_XXH3       XXH3 (64 bits) with a seed, scaled to the range; any range. A good hash in software.
 *           HASH_H3         a full-rank random linear map over GF(2): one XOR of a row per set input bit, as hardware
 *                           does it (Carter and Wegman 1979, class H3); the range is a power of two.
 *           HASH_DISPLACED  not a family of its own: sram_table.h makes it of two XXH3 functions.
 * Errors    none; hash_family_allows_range() tells beforehand whether a range is possible.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "blast/stages12/wmer.h"

enum hash_family { HASH_XXH3, HASH_H3, HASH_DISPLACED };

struct wmer_hash {
    enum hash_family family; /* HASH_XXH3 or HASH_H3 */
    uint32_t range;
    uint64_t seed;
    uint64_t flip;            /* XXH3: what is XORed with a w-mer */
    uint32_t rows[WMER_BITS]; /* H3: what input bit i contributes to the value */
};

/** Whether a range is possible: it is in [1, 2^31], and for H3 a power of two. */
bool hash_family_allows_range(enum hash_family family, uint64_t range);

/** Set up function number `seed` of a family; different seeds give independent functions. */
void wmer_hash_init(struct wmer_hash *hash, enum hash_family family, uint32_t range, uint64_t seed);

/* XXH3_64bits_withSeed() of the 4 bytes of a w-mer (xxhash.h of xxHash 0.8, "len 4 to 8"), written out for vectors; the
 * tests compare it with the library's. */
static const uint64_t wmer_xxh3_prime = UINT64_C(0x9FB21C651E98DF25);

static inline uint64_t wmer_xxh3(uint32_t wmer, uint64_t flip)
{
    uint64_t h = ((uint64_t)wmer << 32 | wmer) ^ flip;
    h ^= (h << 49 | h >> 15) ^ (h << 24 | h >> 40);
    h *= wmer_xxh3_prime;
    h ^= (h >> 35) + sizeof(uint32_t);
    h *= wmer_xxh3_prime;
    return h ^ h >> 28;
}

/** Scale a 64-bit hash to [0, range). */
static inline uint32_t hash_scale(uint64_t value, uint32_t range)
{
    return (uint32_t)((value >> 32) * range >> 32);
}

/** The H3 value: the XOR of the rows of the bits that are set. */
uint32_t wmer_h3(const struct wmer_hash *hash, uint32_t wmer);

/** The hash value of a w-mer, in [0, range). */
static inline uint32_t wmer_hash(const struct wmer_hash *hash, uint32_t wmer)
{
    return hash->family == HASH_H3 ? wmer_h3(hash, wmer)
                                   : hash_scale(wmer_xxh3(wmer, hash->flip), hash->range);
}

/** Compute the hash values of many w-mers.
 *
 * @param level   vector instructions to use; the values are the same with any
 * @param values  receives a value per w-mer
 */
void wmer_hash_many(const struct wmer_hash *hash, enum cpu_level level, const uint32_t *wmers,
                    uint32_t *values, size_t count);

/** Seed `index` of the sequence that starts from `seed` (SplitMix64, Steele et al. 2014). */
uint64_t hash_derive_seed(uint64_t seed, uint64_t index);
