#include "blast/stages12/bloom.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"
#include "base/memory.h"
#include "blast/stages12/database_stretch.h"

void bloom_bank_hash(const struct bloom_geometry *g, unsigned bank, struct wmer_hash *hash)
{
    wmer_hash_init(hash, g->family, g->bank_bits, hash_derive_seed(g->seed, bank));
}

struct bloom *bloom_new(const struct bloom_geometry *g)
{
    assert(g->hashes >= 1 && g->hashes <= BLOOM_HASHES_MAX);
    uint64_t bank_words = ((uint64_t)g->bank_bits + 63) / 64;
    struct bloom *b = memory_new(1, sizeof *b + g->hashes * bank_words * sizeof b->bits[0]);
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

/* --- the index ------------------------------------------------------------------------------------------- */

/* If the database has all w-mers, a pass saves 5 to 9 ms; the index takes 20 to 40 ms, during which other passes could
 * run. The fewer w-mers, the less time the index takes. */
enum { PASSES_ENOUGH = 16 };

enum {
    BANK_BITS_MOST = WMER_COUNT / 4, /* in larger banks there are few w-mers per bit */
    DATABASE_MOST = 8 * WMER_COUNT   /* larger databases have nearly all w-mers, and take long to read */
};

bool bloom_index_pays(const struct bloom_geometry *geometry, uint64_t words, size_t passes)
{
    const uint64_t most = WMER_COUNT / BASES_PER_WORD; /* words that may have all w-mers */
    return passes * most >= PASSES_ENOUGH * (words < most ? words : most) &&
           geometry->bank_bits <= BANK_BITS_MOST;
}

/* Set the bits of the w-mers that end in a stretch, whether they are valid or not. */
static void mark_wmers(const struct database_stretch *stretch, uint64_t *has)
{
    const uint32_t *words = database_stretch_bases(stretch);
    for (int64_t i = 0; i < (int64_t)stretch->count; i++) {
        struct wmer_window window = {(uint64_t)words[i] << 32 | words[i - 1], 0};
        for (unsigned last = 0; last < BASES_PER_WORD; last++) {
            uint32_t wmer = wmer_ending_at(window, last);
            has[wmer / 64] |= UINT64_C(1) << wmer % 64;
        }
    }
}

static void mark_database(const struct sequences *database, uint64_t *has)
{
    struct database_stretch stretch;
    for (uint64_t first = 0; first < database->word_count; first += STRETCH_WORDS) {
        uint64_t left = database->word_count - first;
        database_stretch_load(&stretch, database, first, left < STRETCH_WORDS ? left : STRETCH_WORDS);
        mark_wmers(&stretch, has);
    }
}

/* A w-mer and its bit. */
struct item {
    uint32_t wmer, bit;
};

/* Yields the marked w-mers in order, a batch at a time. */
struct marked {
    const uint64_t *has;
    struct wmer_hash hash;
    enum cpu_level level;
    uint32_t next; /* first w-mer of the next batch, a multiple of 64 */
};

enum { MARKED = 4096 }; /* w-mers of a batch */

/* @return the number of items, at most MARKED; 0 at the end */
static size_t next_items(struct marked *m, struct item *items)
{
    uint32_t wmers[MARKED], bits[MARKED];
    size_t count = 0;
    for (; m->next < WMER_COUNT && count <= MARKED - 64; m->next += 64)
        for (uint64_t left = m->has[m->next / 64]; left; left &= left - 1)
            wmers[count++] = m->next + (uint32_t)__builtin_ctzll(left);
    if (count == 0)
        return 0;
    wmer_hash_many(&m->hash, m->level, wmers, bits, count);
    for (size_t i = 0; i < count; i++)
        items[i] = (struct item){wmers[i], bits[i]};
    return count;
}

/* Items are sorted by the higher bits of their bit numbers first, which gives few enough places to write to, then
 * by the lower ones. */
enum { LOW_BITS = 10, LOW = 1 << LOW_BITS, HIGH = BANK_BITS_MOST / LOW };

/* Count the w-mers of each bit. @return the number of w-mers */
static uint32_t count_bits(struct marked marked, uint32_t *begins, uint32_t bank_bits)
{
    struct item items[MARKED];
    for (size_t count; (count = next_items(&marked, items)) > 0;)
        for (size_t i = 0; i < count; i++)
            begins[items[i].bit + 1]++;
    for (uint32_t bit = 0; bit < bank_bits; bit++)
        begins[bit + 1] += begins[bit];
    return begins[bank_bits];
}

static void sort_by_high(struct marked marked, const uint32_t *begins, uint32_t bank_bits,
                         struct item *sorted)
{
    struct item items[MARKED];
    uint32_t next[HIGH];
    assert(bank_bits <= BANK_BITS_MOST);
    for (uint32_t bit = 0; bit < bank_bits; bit += LOW)
        next[bit / LOW] = begins[bit];
    for (size_t count; (count = next_items(&marked, items)) > 0;)
        for (size_t i = 0; i < count; i++)
            sorted[next[items[i].bit / LOW]++] = items[i];
}

static void sort_by_low(uint32_t *begins, uint32_t bank_bits, const struct item *items, uint32_t count,
                        uint32_t *wmers)
{
    for (uint32_t i = 0; i < count; i++) /* each begin moves to its end */
        wmers[begins[items[i].bit]++] = items[i].wmer;
    memmove(begins + 1, begins, bank_bits * sizeof *begins);
    begins[0] = 0;
}

static void fill(struct bloom_index *index, const struct bloom_geometry *geometry, const uint64_t *has)
{
    struct marked marked = {.has = has, .level = cpu_best_level()};
    bloom_bank_hash(geometry, 0, &marked.hash);
    index->begins = memory_new(geometry->bank_bits + UINT64_C(1), sizeof *index->begins);
    uint32_t count = count_bits(marked, index->begins, geometry->bank_bits);
    size_t bytes = count * sizeof(struct item);
    struct item *sorted = huge_pages_new(bytes);
    index->bytes = (count + (size_t)BLOOM_INDEX_SPARE) * sizeof *index->wmers;
    index->wmers = huge_pages_new(index->bytes);
    sort_by_high(marked, index->begins, geometry->bank_bits, sorted);
    sort_by_low(index->begins, geometry->bank_bits, sorted, count, index->wmers);
    huge_pages_destroy(sorted, bytes);
}

struct bloom_index *bloom_index_new(const struct bloom_geometry *geometry, const struct sequences *database)
{
    struct bloom_index *index = memory_new(1, sizeof *index);
    uint64_t *has = huge_pages_new(WMER_COUNT / 8);
    if (database->word_count <= DATABASE_MOST / BASES_PER_WORD)
        mark_database(database, has);
    else
        memset(has, 0xff, WMER_COUNT / 8);
    fill(index, geometry, has);
    huge_pages_destroy(has, WMER_COUNT / 8);
    return index;
}

void bloom_index_destroy(struct bloom_index *index)
{
    if (!index)
        return;
    free(index->begins);
    huge_pages_destroy(index->wmers, index->bytes);
    free(index);
}
