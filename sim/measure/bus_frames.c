#include "sim/measure/bus_frames.h"

#include <stdlib.h>
#include <sys/param.h>

#include "base/array.h"

bool bus_frames_add(struct bus_frames *f, const struct bus_frame *frame)
{
    if (!array_reserve(&f->frames, &f->room, f->count, 1, sizeof *f->frames))
        return false;
    f->frames[f->count++] = *frame;
    return true;
}

void bus_frames_destroy(struct bus_frames *f)
{
    free(f->frames);
    *f = (struct bus_frames){0};
}

/* Move what is too much for a frame into the frames after it. @return what is left after the last one */
static uint64_t move_later(struct bus_frames *f)
{
    uint64_t waits = 0;
    for (size_t i = 0; i < f->count; i++) {
        struct bus_frame *frame = &f->frames[i];
        const uint64_t there = frame->came + waits;
        frame->moved = MIN(there, frame->can);
        waits = there - frame->moved;
    }
    return waits;
}

uint64_t bus_frames_settle(struct bus_frames *f, uint64_t most)
{
    uint64_t waits = move_later(f), sum = 0;
    for (size_t i = 0; i < f->count; i++)
        sum += f->frames[i].moved;
    uint64_t over = sum > most ? sum - most : 0, under = sum < most ? MIN(most - sum, waits) : 0;
    for (size_t i = f->count; i-- > 0 && over + under > 0;) {
        struct bus_frame *frame = &f->frames[i];
        const uint64_t less = MIN(over, frame->moved), more = MIN(under, frame->can - frame->moved);
        frame->moved = frame->moved - less + more;
        over -= less;
        under -= more;
        sum = sum - less + more;
    }
    return sum;
}
