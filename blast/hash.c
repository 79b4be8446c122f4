#include "blast/hash.h"

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

/* Rank over GF(2) of the rows, by elimination. */
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

/* Bytes 8 to 23 of XXH3's default secret, two words XORed, and the seed. */
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
