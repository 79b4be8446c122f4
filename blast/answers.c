#include "blast/answers.h"

#include <stdlib.h>

enum { BLOCKS = WMER_COUNT / 64 };

static bool rank_blocks(struct answers *a, const uint64_t *bits)
{
    a->blocks = malloc(BLOCKS * sizeof *a->blocks);
    for (uint32_t i = 0; a->blocks && i < BLOCKS; i++) {
        a->blocks[i] = (struct wmer_block){bits[i], a->passing_count};
        a->passing_count += (uint32_t)__builtin_popcountll(bits[i]);
    }
    return a->blocks != NULL;
}

/* For free(). */
static uint32_t *list_passing(const struct answers *a)
{
    uint32_t *wmers = malloc((a->passing_count + UINT64_C(1)) * sizeof *wmers), *next = wmers;
    for (uint32_t i = 0; wmers && i < BLOCKS; i++)
        for (uint64_t left = a->blocks[i].passing; left; left &= left - 1)
            *next++ = i * 64 + (uint32_t)__builtin_ctzll(left);
    return wmers;
}

/* @return the list's number, or UINT32_MAX when memory is out */
static uint32_t add_list(struct answers *a, const struct sram_table *table, const struct lookup *found,
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

static bool answer_wmer(struct answers *a, const struct sram_table *table, uint32_t slot, uint32_t wmer,
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

/* In batches, so that the slots come into the cache together. */
static bool answer_all(struct answers *a, const struct sram_table *table, const uint32_t *wmers)
{
    enum { BATCH = 256 };
    uint32_t slots[BATCH];
    for (uint32_t begin = 0; begin < a->passing_count; begin += BATCH) {
        uint32_t some = a->passing_count - begin < BATCH ? a->passing_count - begin : BATCH;
        sram_table_find_slots(table, wmers + begin, slots, some);
        for (uint32_t i = 0; i < some; i++)
            if (!answer_wmer(a, table, slots[i], wmers[begin + i], &a->of_passing[begin + i]))
                return false;
    }
    return true;
}

bool answers_load(struct answers *a, const struct sram_table *table, const uint64_t *bits)
{
    *a = (struct answers){0};
    uint32_t *wmers = rank_blocks(a, bits) ? list_passing(a) : NULL;
    a->of_passing = malloc((a->passing_count + UINT64_C(1)) * sizeof *a->of_passing);
    bool loaded = wmers && a->of_passing && answer_all(a, table, wmers);
    free(wmers);
    return loaded;
}

void answers_free(struct answers *a)
{
    free(a->blocks);
    free(a->of_passing);
    free(a->lists);
}
