#include "blast/stages12/tokens.h"

#include <stdlib.h>

#include "base/array.h"

void tokens_reserve(struct tokens *t, size_t words, size_t seeds, size_t groups, size_t matches)
{
    size_t match_count = t->match_count > t->hsp_count ? t->match_count : t->hsp_count;
    array_reserve(&t->words, &t->word_room, t->word_count, words, sizeof *t->words);
    array_reserve(&t->seeds, &t->seed_room, t->seed_count, seeds, sizeof *t->seeds);
    array_reserve(&t->groups, &t->group_room, t->group_count, groups, sizeof *t->groups);
    array_reserve(&t->matches, &t->match_room, match_count, matches, sizeof *t->matches);
    array_reserve_long(&t->hsps, &t->hsp_room, t->hsp_count, t->match_room - t->hsp_count, sizeof *t->hsps);
}

void tokens_clear(struct tokens *t)
{
    t->word_count = t->seed_count = t->group_count = t->match_count = t->hsp_count = 0;
    t->has_positions = false;
}

void tokens_destroy(struct tokens *t)
{
    free(t->words);
    free(t->seeds);
    free(t->groups);
    free(t->matches);
    array_free_long(t->hsps, t->hsp_room, sizeof *t->hsps);
    *t = (struct tokens){0};
}
