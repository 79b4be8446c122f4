#include "base/scratch.h"

#include <assert.h>
#include <sys/mman.h>

#include "base/huge_pages.h"

void scratch_destroy(struct scratch *s)
{
    huge_pages_destroy(s->memory, s->room);
    *s = (struct scratch){0};
}

bool scratch_begin(struct scratch *s, size_t bytes)
{
    s->used = 0;
    if (bytes < s->room)
        return true;
    scratch_destroy(s);
    const size_t enough = bytes + bytes / 2 + 1, room = huge_pages_room(enough);
    if (!(s->memory = huge_pages_new(enough)))
        return false;
    s->room = room;
    /* A hint: a child that inherits it is slower, not wrong. It is given for whole pages, since the system makes no
     * huge page of which only a part is inherited. */
    madvise(s->memory, s->room, MADV_DONTFORK);
    return true;
}

void *scratch_take(struct scratch *s, size_t bytes)
{
    char *memory = s->memory + s->used;
    assert(bytes <= s->room - s->used && bytes % sizeof(long long) == 0);
    s->used += bytes;
    return memory;
}
