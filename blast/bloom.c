#include "blast/bloom.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct bloom {
    unsigned hashes;
    uint64_t bank_words;
    struct wmer_hash hash[BLOOM_HASHES_MAX];
    uint64_t bits[]; /* bank after bank */
};

struct bloom *bloom_new(const struct bloom_geometry *g)
{
    assert(g->hashes >= 1 && g->hashes <= BLOOM_HASHES_MAX);
    uint64_t bank_words = ((uint64_t)g->bank_bits + 63) / 64;
    struct bloom *b = calloc(1, sizeof *b + g->hashes * bank_words * sizeof b->bits[0]);
    if (!b)
        return NULL;
    b->hashes = g->hashes;
    b->bank_words = bank_words;
    for (unsigned i = 0; i < g->hashes; i++)
        wmer_hash_init(&b->hash[i], g->family, g->bank_bits, hash_derive_seed(g->seed, i));
    return b;
}

void bloom_destroy(struct bloom *b)
{
    free(b);
}

static bool bank_has(const struct bloom *b, unsigned bank, uint32_t wmer)
{
    uint32_t bit = wmer_hash(&b->hash[bank], wmer);
    return b->bits[bank * b->bank_words + bit / 64] >> (bit % 64) & 1;
}

void bloom_add(struct bloom *b, uint32_t wmer)
{
    for (unsigned bank = 0; bank < b->hashes; bank++) {
        uint32_t bit = wmer_hash(&b->hash[bank], wmer);
        b->bits[bank * b->bank_words + bit / 64] |= UINT64_C(1) << (bit % 64);
    }
}

bool bloom_may_contain(const struct bloom *b, uint32_t wmer)
{
    for (unsigned bank = 0; bank < b->hashes; bank++)
        if (!bank_has(b, bank, wmer))
            return false;
    return true;
}

void bloom_tabulate(const struct bloom *b, uint64_t *bits)
{
    for (uint32_t first = 0; first < WMER_COUNT; first += 64) {
        uint64_t answers = 0;
        for (uint32_t i = 0; i < 64; i++)
            answers |= (uint64_t)bloom_may_contain(b, first + i) << i;
        bits[first / 64] = answers;
    }
}

double bloom_bank_load(const struct bloom *b, unsigned bank)
{
    uint64_t set = 0;
    for (uint64_t i = 0; i < b->bank_words; i++)
        set += (uint64_t)__builtin_popcountll(b->bits[bank * b->bank_words + i]);
    return (double)set / b->hash[bank].range;
}
