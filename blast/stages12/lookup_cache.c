#include "blast/stages12/lookup_cache.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/huge_pages.h"

enum { BLOCKS = WMER_COUNT / 64 };

/* There is room for all answers that are possible; pages that are never written take no memory. */
struct memory {
    struct wmer_block blocks[BLOCKS];
    struct answer of_passing[WMER_COUNT];
};

/* @return the number of the list, or UINT32_MAX if memory is exhausted */
static uint32_t add_list(struct lookup_cache *c, const struct sram_table *table, const struct lookup *lookup,
                         uint32_t wmer)
{
    if (!array_reserve(&c->lists, &c->list_room, c->list_count, 1, sizeof *c->lists))
        return UINT32_MAX;
    struct answer_list *list = &c->lists[c->list_count];
    *list = (struct answer_list){
        .first = sram_table_index(table, lookup->entries),
        .entries = lookup->entry_count,
        .duplicate = lookup->outcome == LOOKUP_DUPLICATE,
    };
    for (uint32_t i = 0; i < lookup->entry_count; i++)
        list->own += lookup->entries[i].wmer == wmer;
    return c->list_count++;
}

static struct answer answer_of(enum answer_kind kind, uint32_t first, uint32_t second)
{
    return (struct answer){first << ANSWER_KIND_BITS | kind, second};
}

static bool answer_wmer(struct lookup_cache *c, const struct sram_table *table, uint32_t slot, uint32_t wmer,
                        struct answer *answer)
{
    struct lookup lookup = sram_table_read(table, slot, wmer);
    const struct sram_entry *entries = lookup.entries;
    if (lookup.outcome == LOOKUP_EMPTY || lookup.outcome == LOOKUP_MISMATCH) {
        *answer = answer_of(lookup.outcome == LOOKUP_EMPTY ? ANSWER_EMPTY : ANSWER_MISMATCH, 0, 0);
        return true;
    }
    if (lookup.outcome == LOOKUP_MATCH && lookup.entry_count <= 2) {
        bool two = lookup.entry_count == 2;
        *answer =
            answer_of(two ? ANSWER_TWO : ANSWER_ONE, entries[0].position, two ? entries[1].position : 0);
        return true;
    }
    uint32_t list = add_list(c, table, &lookup, wmer);
    *answer = answer_of(ANSWER_LIST, list, 0);
    return list != UINT32_MAX;
}

/* Number of w-mers whose slots are fetched into the processor's cache together. */
enum { BATCH = 256 };

static bool answer_batch(struct lookup_cache *c, const struct sram_table *table, const uint32_t *wmers,
                         uint32_t count)
{
    uint32_t slots[BATCH];
    sram_table_find_slots(table, wmers, slots, count);
    for (uint32_t i = 0; i < count; i++)
        if (!answer_wmer(c, table, slots[i], wmers[i], &c->of_passing[c->passing_count++]))
            return false;
    return true;
}

static bool answer_all(struct lookup_cache *c, const struct sram_table *table, const uint64_t *bits)
{
    uint32_t wmers[BATCH], count = 0;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        c->blocks[i] = (struct wmer_block){bits[i], c->passing_count + count};
        for (uint64_t left = bits[i]; left; left &= left - 1)
            wmers[count++] = i * 64 + (uint32_t)__builtin_ctzll(left);
        if (count <= BATCH - 64 && i + 1 < BLOCKS)
            continue;
        if (!answer_batch(c, table, wmers, count))
            return false;
        count = 0;
    }
    return true;
}

bool lookup_cache_load(struct lookup_cache *c, const struct sram_table *table, const uint64_t *bits)
{
    struct memory *memory = huge_pages_new(sizeof *memory);
    *c = (struct lookup_cache){0};
    if (!memory)
        return false;
    c->blocks = memory->blocks;
    c->of_passing = memory->of_passing;
    return answer_all(c, table, bits);
}

void lookup_cache_destroy(struct lookup_cache *c)
{
    huge_pages_destroy(c->blocks, sizeof(struct memory));
    free(c->lists);
}
