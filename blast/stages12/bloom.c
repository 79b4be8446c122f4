#include "blast/stages12/bloom.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "blast/stages12/bloom_index.h"

struct bloom {
    unsigned hashes;
    uint64_t bank_words;
    struct wmer_hash hash[BLOOM_HASHES_MAX];
    uint64_t bits[]; /* the banks, one after the other */
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

void bloom_add(struct bloom *b, uint32_t wmer)
{
    bloom_add_many(b, CPU_PORTABLE, &wmer, 1);
}

void bloom_add_many(struct bloom *b, enum cpu_level level, const uint32_t *wmers, size_t count)
{
    enum { BATCH = 512 };
    uint32_t bits[BATCH];
    for (size_t begin = 0; begin < count; begin += BATCH) {
        size_t batch = count - begin < BATCH ? count - begin : BATCH;
        for (unsigned bank = 0; bank < b->hashes; bank++) {
            uint64_t *words = b->bits + bank * b->bank_words;
            wmer_hash_many(&b->hash[bank], level, wmers + begin, bits, batch);
            for (size_t i = 0; i < batch; i++)
                words[bits[i] / 64] |= UINT64_C(1) << (bits[i] % 64);
        }
    }
}

bool bloom_may_contain(const struct bloom *b, uint32_t wmer)
{
    for (unsigned bank = 0; bank < b->hashes; bank++) {
        uint32_t bit = wmer_hash(&b->hash[bank], wmer);
        if (!(b->bits[bank * b->bank_words + bit / 64] >> (bit % 64) & 1))
            return false;
    }
    return true;
}

/* --- all answers at once --------------------------------------------------------------------------------------
 *
 * The banks are asked about lists of w-mers, one bank after the other; a list keeps the w-mers that no bank has
 * ruled out. */

enum {
    FIRST_LIST = 256, /* w-mers that the first bank is asked about at a time */
    LIST = 1024,      /* w-mers that the other banks are asked about at a time */
    LIST_SPARE = 16   /* w-mers after a list that can be read and written: the lanes of a vector */
};

struct list {
    uint32_t count;
    uint32_t wmers[LIST + LIST_SPARE];
    uint32_t bits[LIST + LIST_SPARE]; /* their bits' numbers in the bank that is asked */
};

/* Copy the w-mers whose bits are set to `kept`, which may be `wmers`; LIST_SPARE more may be written.
 *
 * @return the number of w-mers kept
 */
static uint32_t keep_set_portable(const uint32_t *wmers, const uint32_t *bits, uint32_t count,
                                  const uint32_t *bank, uint32_t *kept)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bit = bits[i];
        kept[n] = wmers[i];
        n += bank[bit / 32] >> (bit % 32) & 1;
    }
    return n;
}

#if CPU_HAS_VECTORS
#include <immintrin.h>

/* The numbers of the lanes whose bits are set in a mask of eight, in order. */
CPU_TARGET_AVX2 static inline __m256i lanes_of(unsigned mask)
{
    uint64_t bytes = _pdep_u64(mask, 0x0101010101010101u) * 0xff;
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)_pext_u64(0x0706050403020100u, bytes)));
}

static inline int word_of(const uint32_t *bank, uint32_t bit)
{
    return (int)bank[bit / 32];
}

/* Load the words of eight bits one after the other, which takes less time than a gather instruction. */
CPU_TARGET_AVX2 static inline __m256i words_of(const uint32_t *bank, const uint32_t *bits)
{
    return _mm256_setr_epi32(word_of(bank, bits[0]), word_of(bank, bits[1]), word_of(bank, bits[2]),
                             word_of(bank, bits[3]), word_of(bank, bits[4]), word_of(bank, bits[5]),
                             word_of(bank, bits[6]), word_of(bank, bits[7]));
}

/* Work on eight w-mers at a time; of those after the last none is kept. */
CPU_TARGET_AVX2 static uint32_t keep_set_avx2(const uint32_t *wmers, const uint32_t *bits, uint32_t count,
                                              const uint32_t *bank, uint32_t *kept)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += 8) {
        __m256i bit = _mm256_loadu_si256((const __m256i *)(bits + i));
        __m256i to_highest = _mm256_andnot_si256(bit, _mm256_set1_epi32(31));
        __m256i word = _mm256_sllv_epi32(words_of(bank, bits + i), to_highest);
        unsigned set = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(word));
        set = _bzhi_u32(set, count - i < 8 ? count - i : 8);
        __m256i eight = _mm256_loadu_si256((const __m256i *)(wmers + i));
        _mm256_storeu_si256((__m256i *)(kept + n), _mm256_permutevar8x32_epi32(eight, lanes_of(set)));
        n += (unsigned)__builtin_popcount(set);
    }
    return n;
}

CPU_TARGET_AVX512 static uint32_t keep_set_avx512(const uint32_t *wmers, const uint32_t *bits, uint32_t count,
                                                  const uint32_t *bank, uint32_t *kept)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += 16) {
        __m512i bit = _mm512_loadu_si512(bits + i);
        __m512i to_highest = _mm512_andnot_si512(bit, _mm512_set1_epi32(31));
        __m512i word = _mm512_inserti64x4(_mm512_castsi256_si512(words_of(bank, bits + i)),
                                          words_of(bank, bits + i + 8), 1);
        uint32_t set = _bzhi_u32(_mm512_movepi32_mask(_mm512_sllv_epi32(word, to_highest)),
                                 count - i < 16 ? count - i : 16);
        __m512i sixteen = _mm512_loadu_si512(wmers + i);
        _mm512_storeu_si512(kept + n, _mm512_maskz_compress_epi32((__mmask16)set, sixteen));
        n += (unsigned)__builtin_popcount(set);
    }
    return n;
}
#endif

/* Ask a bank about w-mers; LIST_SPARE more of `wmers` and `bits` can be accessed. @return the number of w-mers kept */
static uint32_t keep_set(const struct bloom *b, enum cpu_level level, unsigned bank, const uint32_t *wmers,
                         uint32_t *bits, uint32_t count, uint32_t *kept)
{
    const uint32_t *words = (const uint32_t *)(b->bits + bank * b->bank_words);
    wmer_hash_many(&b->hash[bank], level, wmers, bits, (count + LIST_SPARE - 1) / LIST_SPARE * LIST_SPARE);
#if CPU_HAS_VECTORS
    if (level >= CPU_AVX512)
        return keep_set_avx512(wmers, bits, count, words, kept);
    if (level >= CPU_AVX2)
        return keep_set_avx2(wmers, bits, count, words, kept);
#endif
    return keep_set_portable(wmers, bits, count, words, kept);
}

/* Set the bits of the w-mers of a list that all banks but the first have, and empty the list. @return their number */
static uint32_t tabulate_list(const struct bloom *b, enum cpu_level level, struct list *list, uint64_t *bits)
{
    for (unsigned bank = 1; bank < b->hashes; bank++)
        list->count = keep_set(b, level, bank, list->wmers, list->bits, list->count, list->wmers);
    const uint32_t passing = list->count;
    for (uint32_t i = 0; i < passing; i++)
        bits[list->wmers[i] / 64] |= UINT64_C(1) << (list->wmers[i] % 64);
    list->count = 0;
    return passing;
}

uint32_t bloom_tabulate(const struct bloom *b, enum cpu_level level, uint64_t *bits)
{
    struct list list = {.count = 0};
    uint32_t wmers[FIRST_LIST], first_bits[FIRST_LIST], passing = 0;
    memset(bits, 0, WMER_COUNT / 8);
    for (uint32_t first = 0; first < WMER_COUNT; first += FIRST_LIST) {
        for (uint32_t i = 0; i < FIRST_LIST; i++)
            wmers[i] = first + i;
        list.count += keep_set(b, level, 0, wmers, first_bits, FIRST_LIST, list.wmers + list.count);
        if (list.count > LIST - FIRST_LIST)
            passing += tabulate_list(b, level, &list, bits);
    }
    return passing + tabulate_list(b, level, &list, bits);
}

/* Move w-mers into a list until it is full; few at a time, since most runs of w-mers are short.
 *
 * @return the first w-mer that is not moved
 */
static inline const uint32_t *fill_list(struct list *list, const uint32_t *wmers, const uint32_t *end)
{
    size_t count = (size_t)(end - wmers) < LIST - list->count ? (size_t)(end - wmers) : LIST - list->count;
    for (size_t i = 0; i < count; i += BLOOM_INDEX_SPARE)
        memcpy(list->wmers + list->count + i, wmers + i, BLOOM_INDEX_SPARE * sizeof *wmers);
    list->count += (uint32_t)count;
    return wmers + count;
}

uint32_t bloom_tabulate_index(const struct bloom *b, enum cpu_level level, const struct bloom_index *index,
                              uint64_t *bits)
{
    struct list list = {.count = 0};
    uint32_t passing = 0;
    memset(bits, 0, WMER_COUNT / 8);
    for (uint64_t i = 0; i < b->bank_words; i++)
        for (uint64_t left = b->bits[i]; left; left &= left - 1) {
            uint64_t bit = i * 64 + (unsigned)__builtin_ctzll(left);
            const uint32_t *wmers = index->wmers + index->begins[bit];
            const uint32_t *end = index->wmers + index->begins[bit + 1];
            while (wmers < end) {
                wmers = fill_list(&list, wmers, end);
                if (list.count == LIST)
                    passing += tabulate_list(b, level, &list, bits);
            }
        }
    return passing + tabulate_list(b, level, &list, bits);
}

double bloom_bank_load(const struct bloom *b, unsigned bank)
{
    uint64_t set = 0;
    for (uint64_t i = 0; i < b->bank_words; i++)
        set += (uint64_t)__builtin_popcountll(b->bits[bank * b->bank_words + i]);
    return (double)set / b->hash[bank].range;
}
