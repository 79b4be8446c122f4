#include "blast/stages12/bloom_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/huge_pages.h"
#include "blast/stages12/database_stretch.h"

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

static void mark_database(const struct sequences *database, enum cpu_level level, uint64_t *has)
{
    struct database_stretch stretch;
    for (uint64_t first = 0; first < database->word_count; first += STRETCH_WORDS) {
        uint64_t left = database->word_count - first;
        database_stretch_load(&stretch, database, first, left < STRETCH_WORDS ? left : STRETCH_WORDS, level);
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

enum { BATCH = 4096 };

/* @return the number of items, at most BATCH; 0 at the end */
static size_t next_items(struct marked *m, struct item *items)
{
    uint32_t wmers[BATCH], bits[BATCH];
    size_t count = 0;
    for (; m->next < WMER_COUNT && count <= BATCH - 64; m->next += 64)
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
    struct item items[BATCH];
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
    struct item items[BATCH];
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

static uint32_t *allocate_wmers(struct bloom_index *index, uint32_t count)
{
    index->bytes = (count + (size_t)BLOOM_INDEX_SPARE) * sizeof *index->wmers;
    index->wmers = huge_pages_new(index->bytes);
    return index->wmers;
}

static bool fill(struct bloom_index *index, const struct bloom_geometry *geometry, const uint64_t *has)
{
    struct marked marked = {.has = has, .level = cpu_best_level()};
    bloom_bank_hash(geometry, 0, &marked.hash);
    index->begins = calloc(geometry->bank_bits + UINT64_C(1), sizeof *index->begins);
    uint32_t count = index->begins ? count_bits(marked, index->begins, geometry->bank_bits) : 0;
    size_t bytes = count * sizeof(struct item);
    struct item *sorted = huge_pages_new(bytes);
    bool filled = sorted && index->begins && allocate_wmers(index, count);
    if (filled) {
        sort_by_high(marked, index->begins, geometry->bank_bits, sorted);
        sort_by_low(index->begins, geometry->bank_bits, sorted, count, index->wmers);
    }
    huge_pages_destroy(sorted, bytes);
    return filled;
}

struct bloom_index *bloom_index_new(const struct bloom_geometry *geometry, const struct sequences *database)
{
    struct bloom_index *index = calloc(1, sizeof *index);
    uint64_t *has = huge_pages_new(WMER_COUNT / 8);
    if (has && database->word_count <= DATABASE_MOST / BASES_PER_WORD)
        mark_database(database, cpu_best_level(), has);
    else if (has)
        memset(has, 0xff, WMER_COUNT / 8);
    bool filled = index && has && fill(index, geometry, has);
    huge_pages_destroy(has, WMER_COUNT / 8);
    if (filled)
        return index;
    bloom_index_destroy(index);
    return NULL;
}

void bloom_index_destroy(struct bloom_index *index)
{
    if (!index)
        return;
    free(index->begins);
    huge_pages_destroy(index->wmers, index->bytes);
    free(index);
}
