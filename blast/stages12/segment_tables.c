#include "blast/stages12/segment_tables.h"

#include <stdlib.h>

#include "base/huge_pages.h"
#include "blast/stages12/bloom.h"
#include "blast/stages12/wmer.h"

/* List every valid w-mer of `length` codes with its position. @return the number of entries */
static size_t list_entries(const uint8_t *codes, uint32_t length, struct sram_entry *entries)
{
    size_t n = 0;
    uint32_t wmer = 0;
    unsigned bases = 0; /* number of bases since the last code that is not A, C, G or T */
    for (uint32_t i = 0; i < length; i++) {
        unsigned code = codes[i];
        bases = code <= BASE_T ? bases + 1 : 0;
        wmer = wmer >> 2 | (code & 3u) << (WMER_BITS - 2);
        if (bases >= WMER_BASES)
            entries[n++] = (struct sram_entry){wmer, i};
    }
    return n;
}

/* Where in the memory everything lies. The lines are written last: until then their place, or more if it is not enough,
 * holds the segment's entries and what building the SRAM tables needs, which come and go in this order. */
struct layout {
    size_t building, blocks, kept, answers, lists; /* where these begin; entries and lines begin at 0 */
    size_t bytes;
};

static size_t whole_lines(size_t bytes)
{
    return (bytes + SEED_LINES_ALIGNMENT - 1) / SEED_LINES_ALIGNMENT * SEED_LINES_ALIGNMENT;
}

/* There is room for all answers that are possible; pages that are never written take no memory. */
static struct layout lay_out(const struct sram_geometry *sram, uint32_t length)
{
    const struct sram_memory_bytes table = sram_memory_bytes(sram, length);
    struct layout at = {.building = whole_lines(length * sizeof(struct sram_entry))};
    const size_t before = at.building + whole_lines(table.building);
    at.blocks = before > SEED_LINES_BYTES ? before : SEED_LINES_BYTES;
    at.kept = at.blocks + LOOKUP_BLOCKS * sizeof(struct wmer_block);
    at.answers = at.kept + whole_lines(table.kept);
    at.lists = at.answers + WMER_COUNT * sizeof(struct answer);
    at.bytes = at.lists + table.lists;
    return at;
}

/* @return false if memory is exhausted */
static bool build_sram_table(struct segment_tables *t, const struct layout *at,
                             const struct sram_geometry *geometry, const uint8_t *codes, uint32_t length)
{
    const struct sram_memory memory = {
        .kept = t->memory + at->kept, .building = t->memory + at->building, .lists = t->memory + at->lists};
    struct sram_entry *entries = (struct sram_entry *)t->memory;
    t->table = sram_table_new_in(&memory, geometry, entries, list_entries(codes, length, entries));
    return t->table != NULL;
}

/* List the w-mers of a table, each once. @param wmers  room for one per entry, and one more  @return their number */
static size_t list_wmers(const struct sram_table *table, uint32_t *wmers)
{
    size_t count = 0;
    for (const struct sram_entry *entry = sram_table_entries(table); entry->wmer < WMER_COUNT; entry++) {
        wmers[count] = entry->wmer;
        count += entry[1].wmer != entry->wmer;
    }
    return count;
}

/* Fill the filter with the w-mers of the SRAM table, and ask it about all.
 *
 * @param passing  out: number of w-mers that pass
 * @return false if memory is exhausted
 */
static bool tabulate_filter(const struct segment_tables *t, const struct layout *at, enum cpu_level level,
                            const struct bloom_geometry *geometry, const struct bloom_index *index,
                            uint32_t *passing)
{
    uint32_t *wmers = (uint32_t *)(t->memory + at->building);
    uint64_t *bits = lookup_cache_bits(&t->answers);
    struct bloom *bloom = bloom_new(geometry);
    if (!bloom)
        return false;
    bloom_add_many(bloom, level, wmers, list_wmers(t->table, wmers));
    *passing = index ? bloom_tabulate_index(bloom, level, index, bits) : bloom_tabulate(bloom, level, bits);
    bloom_destroy(bloom);
    return true;
}

bool segment_tables_load(struct segment_tables *t, enum cpu_level level, const struct bloom_geometry *filter,
                         const struct sram_geometry *sram, const uint8_t *codes, uint32_t length,
                         const struct bloom_index *index)
{
    const struct layout at = lay_out(sram, length);
    uint32_t passing;
    t->bytes = at.bytes;
    t->memory = huge_pages_new(at.bytes);
    if (!t->memory)
        return false;
    huge_pages_expect(t->memory, at.bytes, at.answers);
    t->answers.blocks = (struct wmer_block *)(t->memory + at.blocks);
    t->answers.of_passing = (struct answer *)(t->memory + at.answers);
    if (!build_sram_table(t, &at, sram, codes, length) ||
        !tabulate_filter(t, &at, level, filter, index, &passing))
        return false;
    huge_pages_expect(t->memory, at.bytes, at.answers + passing * sizeof(struct answer));
    t->lines = seed_lines_make(t->memory, lookup_cache_bits(&t->answers));
    return lookup_cache_load(&t->answers, t->table, lookup_cache_bits(&t->answers));
}

void segment_tables_destroy(struct segment_tables *t)
{
    sram_table_destroy(t->table);
    lookup_cache_destroy(&t->answers);
    huge_pages_destroy(t->memory, t->bytes);
    *t = (struct segment_tables){0};
}

bool segment_tables_find_load(const struct sram_geometry *sram, const uint8_t *codes, uint32_t length,
                              struct sram_load *load)
{
    struct sram_entry *entries = malloc((length + UINT64_C(1)) * sizeof *entries);
    struct sram_table *table =
        entries ? sram_table_new(sram, entries, list_entries(codes, length, entries)) : NULL;
    if (table)
        *load = sram_table_load(table);
    sram_table_destroy(table);
    free(entries);
    return table != NULL;
}
