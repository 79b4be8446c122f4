#include "blast/bloom.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "blast/bloom_index.h"

struct bloom {
    unsigned hashes;
    uint64_t bank_words;
    struct wmer_hash hash[BLOOM_HASHES_MAX];
    uint64_t bits[]; /* bank after bank */
};

void bloom_bank_hash(const struct bloom_geometry *g, unsigned bank, struct wmer_hash *hash)
{
    wmer_hash_init(hash, g->family, g->bank_bits, hash_derive_seed(g->seed, bank));
}

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
        bloom_bank_hash(g, i, &b->hash[i]);
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
    bloom_add_many(b, CPU_PORTABLE, &wmer, 1);
}

void bloom_add_many(struct bloom *b, enum cpu_level level, const uint32_t *wmers, size_t count)
{
    enum { SOME = 512 };
    uint32_t bits[SOME];
    for (size_t begin = 0; begin < count; begin += SOME) {
        size_t some = count - begin < SOME ? count - begin : SOME;
        for (unsigned bank = 0; bank < b->hashes; bank++) {
            uint64_t *words = b->bits + bank * b->bank_words;
            wmer_hash_many(&b->hash[bank], level, wmers + begin, bits, some);
            for (size_t i = 0; i < some; i++)
                words[bits[i] / 64] |= UINT64_C(1) << (bits[i] % 64);
        }
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

enum { CHUNK = 2048 };

struct chunk {
    uint32_t count;
    uint32_t wmers[CHUNK + BLOOM_INDEX_BEHIND];
    uint32_t bits[CHUNK]; /* addressed in the bank that is asked */
};

/* Move the w-mers from number `begin` on whose bits are set to `kept` and behind. */
static void keep_set_from(struct chunk *c, const uint32_t *bank, uint32_t begin, uint32_t kept)
{
    for (uint32_t i = begin; i < c->count; i++) {
        uint32_t bit = c->bits[i];
        c->wmers[kept] = c->wmers[i];
        kept += bank[bit / 32] >> (bit % 32) & 1;
    }
    c->count = kept;
}

static void keep_set_portable(struct chunk *c, const uint32_t *bank)
{
    keep_set_from(c, bank, 0, 0);
}

#if CPU_HAS_VECTORS
#include <immintrin.h>

/* The lanes whose bits are set in a mask of eight, in order. */
CPU_TARGET_AVX2 static inline __m256i lanes_of(unsigned mask)
{
    uint64_t bytes = _pdep_u64(mask, 0x0101010101010101u) * 0xff;
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)_pext_u64(0x0706050403020100u, bytes)));
}

CPU_TARGET_AVX2 static void keep_set_avx2(struct chunk *c, const uint32_t *bank)
{
    uint32_t kept = 0, i = 0;
    for (; i + 8 <= c->count; i += 8) {
        __m256i bit = _mm256_loadu_si256((const __m256i *)(c->bits + i));
        __m256i word = _mm256_i32gather_epi32((const int *)bank, _mm256_srli_epi32(bit, 5), sizeof *bank);
        __m256i to_highest = _mm256_andnot_si256(bit, _mm256_set1_epi32(31));
        unsigned set = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(word, to_highest)));
        __m256i wmers = _mm256_loadu_si256((const __m256i *)(c->wmers + i));
        _mm256_storeu_si256((__m256i *)(c->wmers + kept), _mm256_permutevar8x32_epi32(wmers, lanes_of(set)));
        kept += (unsigned)__builtin_popcount(set);
    }
    keep_set_from(c, bank, i, kept);
}
#endif

static void keep_set(struct chunk *c, enum cpu_level level, const uint32_t *bank)
{
#if CPU_HAS_VECTORS
    if (level >= CPU_AVX2) {
        keep_set_avx2(c, bank);
        return;
    }
#endif
    (void)level;
    keep_set_portable(c, bank);
}

/* Enter the w-mers of a chunk that all banks from `bank` on have. */
static void tabulate_chunk(const struct bloom *b, enum cpu_level level, unsigned bank, struct chunk *c,
                           uint64_t *bits)
{
    for (; bank < b->hashes; bank++) {
        wmer_hash_many(&b->hash[bank], level, c->wmers, c->bits, c->count);
        keep_set(c, level, (const uint32_t *)(b->bits + bank * b->bank_words));
    }
    for (uint32_t i = 0; i < c->count; i++)
        bits[c->wmers[i] / 64] |= UINT64_C(1) << (c->wmers[i] % 64);
    c->count = 0;
}

void bloom_tabulate(const struct bloom *b, enum cpu_level level, uint64_t *bits)
{
    struct chunk chunk;
    memset(bits, 0, WMER_COUNT / 8);
    for (uint32_t first = 0; first < WMER_COUNT; first += CHUNK) {
        chunk.count = CHUNK;
        for (uint32_t i = 0; i < CHUNK; i++)
            chunk.wmers[i] = first + i;
        tabulate_chunk(b, level, 0, &chunk, bits);
    }
}

/* Move as many of the w-mers as there is room for into a chunk: few at a time, most lists are short.
 *
 * @return behind the last of them
 */
static inline const uint32_t *fill_chunk(struct chunk *c, const uint32_t *wmers, const uint32_t *end)
{
    size_t count = (size_t)(end - wmers) < CHUNK - c->count ? (size_t)(end - wmers) : CHUNK - c->count;
    for (size_t i = 0; i < count; i += BLOOM_INDEX_BEHIND)
        memcpy(c->wmers + c->count + i, wmers + i, BLOOM_INDEX_BEHIND * sizeof *wmers);
    c->count += (uint32_t)count;
    return wmers + count;
}

void bloom_tabulate_index(const struct bloom *b, enum cpu_level level, const struct bloom_index *index,
                          uint64_t *bits)
{
    struct chunk chunk = {.count = 0};
    memset(bits, 0, WMER_COUNT / 8);
    for (uint64_t i = 0; i < b->bank_words; i++)
        for (uint64_t left = b->bits[i]; left; left &= left - 1) {
            uint64_t bit = i * 64 + (unsigned)__builtin_ctzll(left);
            const uint32_t *wmers = index->wmers + index->begins[bit];
            const uint32_t *end = index->wmers + index->begins[bit + 1];
            while (wmers < end) {
                wmers = fill_chunk(&chunk, wmers, end);
                if (chunk.count == CHUNK)
                    tabulate_chunk(b, level, 1, &chunk, bits);
            }
        }
    tabulate_chunk(b, level, 1, &chunk, bits);
}

double bloom_bank_load(const struct bloom *b, unsigned bank)
{
    uint64_t set = 0;
    for (uint64_t i = 0; i < b->bank_words; i++)
        set += (uint64_t)__builtin_popcountll(b->bits[bank * b->bank_words + i]);
    return (double)set / b->hash[bank].range;
}
