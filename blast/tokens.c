#include "blast/tokens.h"

#include <stdlib.h>

static bool make_room(struct tokens *t, void **array, size_t used, size_t *room, size_t element_bytes)
{
    if (used < *room)
        return true;
    size_t bigger = *room * 2 + 256;
    void *moved = realloc(*array, bigger * element_bytes);
    if (!moved) {
        t->out_of_memory = true;
        return false;
    }
    *array = moved;
    *room = bigger;
    return true;
}

void tokens_clear(struct tokens *t)
{
    t->word_count = t->seed_count = t->group_count = t->match_count = t->hsp_count = 0;
    t->out_of_memory = false;
}

void tokens_destroy(struct tokens *t)
{
    free(t->words);
    free(t->seeds);
    free(t->groups);
    free(t->matches);
    free(t->hsps);
    *t = (struct tokens){0};
}

void tokens_add_word(struct tokens *t, unsigned seeds)
{
    if (make_room(t, (void **)&t->words, t->word_count, &t->word_room, sizeof *t->words))
        t->words[t->word_count++] = (uint8_t)seeds;
}

void tokens_add_seed(struct tokens *t, enum lookup_outcome outcome, unsigned groups)
{
    if (make_room(t, (void **)&t->seeds, t->seed_count, &t->seed_room, sizeof *t->seeds))
        t->seeds[t->seed_count++] = (struct seed_token){(uint8_t)outcome, (uint16_t)groups};
}

void tokens_add_group(struct tokens *t, unsigned matches, unsigned entries)
{
    if (make_room(t, (void **)&t->groups, t->group_count, &t->group_room, sizeof *t->groups))
        t->groups[t->group_count++] = (struct group_token){(uint8_t)matches, (uint8_t)entries};
}

void tokens_add_match(struct tokens *t, bool passed)
{
    if (make_room(t, (void **)&t->matches, t->match_count, &t->match_room, sizeof *t->matches))
        t->matches[t->match_count++] = passed;
}

void tokens_add_hsp(struct tokens *t, struct hsp hsp)
{
    if (make_room(t, (void **)&t->hsps, t->hsp_count, &t->hsp_room, sizeof *t->hsps))
        t->hsps[t->hsp_count++] = hsp;
}
