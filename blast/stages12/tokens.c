#include "blast/stages12/tokens.h"

#include <stdlib.h>

static bool make_room(void **array, size_t room, size_t element_bytes)
{
    void *moved = realloc(*array, room * element_bytes);
    if (!moved)
        return false;
    *array = moved;
    return true;
}

/* How much room an array needs that has `room` for `used` elements and shall take `more`; 0: it has enough. */
static size_t room_for(size_t used, size_t room, size_t more)
{
    return used + more <= room ? 0 : 2 * (used + more) + 256;
}

bool tokens_reserve(struct tokens *t, size_t words, size_t seeds, size_t groups, size_t matches)
{
    size_t word_room = room_for(t->word_count, t->word_room, words);
    size_t seed_room = room_for(t->seed_count, t->seed_room, seeds);
    size_t group_room = room_for(t->group_count, t->group_room, groups);
    size_t match_room =
        room_for(t->match_count > t->hsp_count ? t->match_count : t->hsp_count, t->match_room, matches);
    bool made = (!word_room || make_room((void **)&t->words, word_room, sizeof *t->words)) &&
                (!seed_room || make_room((void **)&t->seeds, seed_room, sizeof *t->seeds)) &&
                (!group_room || make_room((void **)&t->groups, group_room, sizeof *t->groups)) &&
                (!match_room || (make_room((void **)&t->matches, match_room, sizeof *t->matches) &&
                                 make_room((void **)&t->hsps, match_room, sizeof *t->hsps)));
    if (!made) {
        t->out_of_memory = true;
        return false;
    }
    t->word_room = word_room ? word_room : t->word_room;
    t->seed_room = seed_room ? seed_room : t->seed_room;
    t->group_room = group_room ? group_room : t->group_room;
    t->match_room = match_room ? match_room : t->match_room;
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
