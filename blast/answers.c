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

static bool answer_wmer(struct answers *a, const struct sram_table *table, uint32_t slot, uint32_t wmer,
                        uint32_t *answer)
{
    struct lookup found = sram_table_read(table, slot, wmer);
    if (found.outcome == LOOKUP_EMPTY || found.outcome == LOOKUP_MISMATCH) {
        *answer = found.outcome == LOOKUP_EMPTY ? ANSWER_EMPTY : ANSWER_MISMATCH;
        return true;
    }
    if (found.outcome == LOOKUP_MATCH && found.entry_count == 1) {
        *answer = found.entries->position << ANSWER_KIND_BITS | ANSWER_ONE;
        return true;
    }
    uint32_t list = add_list(a, table, &found, wmer);
    *answer = list << ANSWER_KIND_BITS | ANSWER_LIST;
    return list != UINT32_MAX;
}

bool answers_load(struct answers *a, const struct sram_table *table, const uint64_t *bits)
{
    *a = (struct answers){0};
    bool loaded = rank_blocks(a, bits);
    uint32_t *wmers = loaded ? list_passing(a) : NULL;
    a->of_passing = malloc((a->passing_count + UINT64_C(1)) * sizeof *a->of_passing);
    loaded = wmers && a->of_passing;
    if (loaded) /* the slots' numbers first, then in their places the answers */
        sram_table_find_slots(table, wmers, a->of_passing, a->passing_count);
    for (uint32_t i = 0; loaded && i < a->passing_count; i++)
        loaded = answer_wmer(a, table, a->of_passing[i], wmers[i], &a->of_passing[i]);
    free(wmers);
    return loaded;
}

void answers_free(struct answers *a)
{
    free(a->blocks);
    free(a->of_passing);
    free(a->lists);
}
