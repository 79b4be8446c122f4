#include "blast/stages12/lookup_cache.h"

#include <stdlib.h>

#include "base/huge_pages.h"

enum { BLOCKS = WMER_COUNT / 64 };

/* Room for as many answers as there can be: where none is written, there is no page. */
struct memory {
    struct wmer_block blocks[BLOCKS];
    struct answer of_passing[WMER_COUNT];
};

/* @return the list's number, or UINT32_MAX when memory is out */
static uint32_t add_list(struct lookup_cache *a, const struct sram_table *table, const struct lookup *found,
                         uint32_t wmer)
{
    if (a->list_count == a->list_room) {
        uint32_t room = 2 * a->list_room + 256;
        struct answer_list *moved = realloc(a->lists, room * sizeof *moved);
        if (!moved)
            return UINT32_MAX;
        a->lists = moved;
        a->list_room = room;
    }
    struct answer_list *list = &a->lists[a->list_count];
    *list = (struct answer_list){
        .first = sram_table_index(table, found->entries),
        .entries = found->entry_count,
        .duplicate = found->outcome == LOOKUP_DUPLICATE,
    };
    for (uint32_t i = 0; i < found->entry_count; i++)
        list->own += found->entries[i].wmer == wmer;
    return a->list_count++;
}

static struct answer answer_of(enum answer_kind kind, uint32_t first, uint32_t second)
{
    return (struct answer){first << ANSWER_KIND_BITS | kind, second};
}

static bool answer_wmer(struct lookup_cache *a, const struct sram_table *table, uint32_t slot, uint32_t wmer,
                        struct answer *answer)
{
    struct lookup found = sram_table_read(table, slot, wmer);
    const struct sram_entry *entries = found.entries;
    if (found.outcome == LOOKUP_EMPTY || found.outcome == LOOKUP_MISMATCH) {
        *answer = answer_of(found.outcome == LOOKUP_EMPTY ? ANSWER_EMPTY : ANSWER_MISMATCH, 0, 0);
        return true;
    }
    if (found.outcome == LOOKUP_MATCH && found.entry_count <= 2) {
        bool two = found.entry_count == 2;
        *answer =
            answer_of(two ? ANSWER_TWO : ANSWER_ONE, entries[0].position, two ? entries[1].position : 0);
        return true;
    }
    uint32_t list = add_list(a, table, &found, wmer);
    *answer = answer_of(ANSWER_LIST, list, 0);
    return list != UINT32_MAX;
}

/* At most ANSWERED w-mers at a time, so that their slots come into the cache together. */
enum { ANSWERED = 256 };

static bool answer_some(struct lookup_cache *a, const struct sram_table *table, const uint32_t *wmers,
                        uint32_t count)
{
    uint32_t slots[ANSWERED];
    sram_table_find_slots(table, wmers, slots, count);
    for (uint32_t i = 0; i < count; i++)
        if (!answer_wmer(a, table, slots[i], wmers[i], &a->of_passing[a->passing_count++]))
            return false;
    return true;
}

static bool answer_all(struct lookup_cache *a, const struct sram_table *table, const uint64_t *bits)
{
    uint32_t wmers[ANSWERED], count = 0;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        a->blocks[i] = (struct wmer_block){bits[i], a->passing_count + count};
        for (uint64_t left = bits[i]; left; left &= left - 1)
            wmers[count++] = i * 64 + (uint32_t)__builtin_ctzll(left);
        if (count <= ANSWERED - 64 && i + 1 < BLOCKS)
            continue;
        if (!answer_some(a, table, wmers, count))
            return false;
        count = 0;
    }
    return true;
}

bool lookup_cache_load(struct lookup_cache *a, const struct sram_table *table, const uint64_t *bits)
{
    struct memory *memory = huge_pages_new(sizeof *memory);
    *a = (struct lookup_cache){0};
    if (!memory)
        return false;
    a->blocks = memory->blocks;
    a->of_passing = memory->of_passing;
    return answer_all(a, table, bits);
}

void lookup_cache_destroy(struct lookup_cache *a)
{
    huge_pages_destroy(a->blocks, sizeof(struct memory));
    free(a->lists);
}
