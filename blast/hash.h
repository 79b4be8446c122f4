/* hash.h - hash functions of w-mers: what the FPGA's block RAM and SRAM are addressed with.
 *
 * Families  HASH_XXH3       XXH3 (64 bits) with a seed, scaled to the range; any range. A good hash in software.
 *           HASH_H3         a full-rank random linear map over GF(2): one XOR of a row a set input bit, as hardware
 *                           does it (Carter and Wegman 1979, class H3); the range is a power of two.
 *           HASH_DISPLACED  no family of its own: sram_table.h builds it out of two XXH3 functions.
 * Errors    none: hash_family_allows_range() tells beforehand.
 */
#ifndef MERCURY_BLAST_HASH_H
#define MERCURY_BLAST_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include "blast/wmer.h"

enum hash_family { HASH_XXH3, HASH_H3, HASH_DISPLACED };

struct wmer_hash {
    enum hash_family family; /* HASH_XXH3 or HASH_H3 */
    uint32_t range;
    uint64_t seed;
    uint32_t rows[WMER_BITS]; /* H3: what input bit i contributes */
};

/** A range in [1, 2^31]; for H3 a power of two. */
bool hash_family_allows_range(enum hash_family family, uint64_t range);

/** Set up function number `seed` of a family; different seeds give independent functions. */
void wmer_hash_init(struct wmer_hash *hash, enum hash_family family, uint32_t range, uint64_t seed);

/** A value in [0, range). */
uint32_t wmer_hash(const struct wmer_hash *hash, uint32_t wmer);

/** Seed `index` of the sequence that starts from `seed` (SplitMix64, Steele et al. 2014). */
uint64_t hash_derive_seed(uint64_t seed, uint64_t index);

#endif
