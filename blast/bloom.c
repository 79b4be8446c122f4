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

/* --- all answers at once --------------------------------------------------------------------------------------
 *
 * A chunk of w-mers after the other; of a chunk, those that bank after bank has not ruled out are kept in a list. */

enum { CHUNK = 512, CHUNK_ROOM = CHUNK + 16 };

struct chunk {
    uint32_t first; /* w-mer */
    uint32_t count;
    uint32_t wmers[CHUNK_ROOM];
    uint32_t bits[CHUNK_ROOM]; /* addressed in the bank that is asked */
    uint64_t begins[CHUNK];    /* wmer_xxh3_begin() of the bits that differ within a chunk */
};

static inline __attribute__((always_inline)) void hash_chunk(struct chunk *c, const struct wmer_hash *hash)
{
    uint64_t flip = hash->flip;
    uint32_t range = hash->range;
    if (hash->family == HASH_H3)
        for (uint32_t i = 0; i < c->count; i++)
            c->bits[i] = wmer_h3(hash, c->wmers[i]);
    else if (c->count == CHUNK) {
        uint64_t begin = wmer_xxh3_begin(c->first, flip);
        for (uint32_t i = 0; i < CHUNK; i++)
            c->bits[i] = hash_scale(wmer_xxh3_end(begin ^ c->begins[i]), range);
    } else
        for (uint32_t i = 0; i < c->count; i++)
            c->bits[i] = hash_scale(wmer_xxh3(c->wmers[i], flip), range);
}

static inline __attribute__((always_inline)) void keep_set(struct chunk *c, const uint32_t *bank)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t bit = c->bits[i];
        c->wmers[kept] = c->wmers[i];
        kept += bank[bit / 32] >> (bit % 32) & 1;
    }
    c->count = kept;
}

static void filter_portable(struct chunk *c, const struct wmer_hash *hash, const uint32_t *bank)
{
    hash_chunk(c, hash);
    keep_set(c, bank);
}

#if CPU_HAS_VECTORS
#include <immintrin.h>

CPU_TARGET_AVX2 static void filter_avx2(struct chunk *c, const struct wmer_hash *hash, const uint32_t *bank)
{
    hash_chunk(c, hash);
    keep_set(c, bank);
}

CPU_TARGET_AVX512 static void filter_avx512(struct chunk *c, const struct wmer_hash *hash,
                                            const uint32_t *bank)
{
    hash_chunk(c, hash);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->count; i += 16) {
        __mmask16 inside = c->count - i >= 16 ? 0xffff : (__mmask16)((1u << (c->count - i)) - 1);
        __m512i bit = _mm512_maskz_loadu_epi32(inside, c->bits + i);
        __m512i word =
            _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), inside, _mm512_srli_epi32(bit, 5), bank, 4);
        __m512i one = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(bit, _mm512_set1_epi32(31)));
        __mmask16 set = _mm512_mask_test_epi32_mask(inside, word, one);
        _mm512_mask_compressstoreu_epi32(c->wmers + kept, set, _mm512_loadu_si512(c->wmers + i));
        kept += (uint32_t)__builtin_popcount(set);
    }
    c->count = kept;
}
#endif

typedef void chunk_filter(struct chunk *, const struct wmer_hash *, const uint32_t *);

static chunk_filter *filter_for(enum cpu_level level)
{
#if CPU_HAS_VECTORS
    if (level == CPU_AVX512)
        return filter_avx512;
    if (level == CPU_AVX2)
        return filter_avx2;
#endif
    (void)level;
    return filter_portable;
}

void bloom_tabulate(const struct bloom *b, enum cpu_level level, uint64_t *bits)
{
    struct chunk chunk;
    chunk_filter *filter = filter_for(level);
    memset(bits, 0, WMER_COUNT / 8);
    for (uint32_t i = 0; i < CHUNK; i++)
        chunk.begins[i] = wmer_xxh3_begin(i, 0);
    for (uint32_t first = 0; first < WMER_COUNT; first += CHUNK) {
        chunk.first = first;
        chunk.count = CHUNK;
        for (uint32_t i = 0; i < CHUNK; i++)
            chunk.wmers[i] = first + i;
        for (unsigned bank = 0; bank < b->hashes && chunk.count > 0; bank++)
            filter(&chunk, &b->hash[bank], (const uint32_t *)(b->bits + bank * b->bank_words));
        for (uint32_t i = 0; i < chunk.count; i++)
            bits[chunk.wmers[i] / 64] |= UINT64_C(1) << (chunk.wmers[i] % 64);
    }
}

double bloom_bank_load(const struct bloom *b, unsigned bank)
{
    uint64_t set = 0;
    for (uint64_t i = 0; i < b->bank_words; i++)
        set += (uint64_t)__builtin_popcountll(b->bits[bank * b->bank_words + i]);
    return (double)set / b->hash[bank].range;
}
