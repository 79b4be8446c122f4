#include "sim/board/waiting_marks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/equal_steps.h"
#include "base/memory.h"

enum { RUNS = 1 << 14 }; /* in the head, in the tail, and in a piece of the file */

void waiting_marks_destroy(struct waiting_marks *w)
{
    free(w->head);
    free(w->tail);
    overflow_destroy(&w->file);
    *w = (struct waiting_marks){0};
}

bool waiting_marks_copy(struct waiting_marks *to, const struct waiting_marks *from)
{
    const size_t pieces = from->file.count * sizeof *from->file.pieces;
    *to = *from;
    to->file = (struct overflow){.count = from->file.count, .room = from->file.count};
    to->head = to->tail = NULL;
    to->head_room = to->tail_room = 0;
    if (from->file.is_open) {
        to->file.file = dup(from->file.file);
        to->file.is_open = to->file.file >= 0;
        to->file_failed = !to->file.is_open;
        to->file.pieces = memory_take(pieces);
        memcpy(to->file.pieces, from->file.pieces, pieces);
    }
    array_reserve(&to->head, &to->head_room, 0, from->head_count, sizeof *to->head);
    array_reserve(&to->tail, &to->tail_room, 0, from->tail_count, sizeof *to->tail);
    if (from->head_count > 0)
        memcpy(to->head, from->head, from->head_count * sizeof *to->head);
    if (from->tail_count > 0)
        memcpy(to->tail, from->tail, from->tail_count * sizeof *to->tail);
    return !to->file_failed;
}

/* The tail becomes the head, which has nothing left, as the file. */
static void turn(struct waiting_marks *w)
{
    const struct waiting_marks before = *w;
    w->head = before.tail;
    w->head_count = before.tail_count;
    w->head_room = before.tail_room;
    w->tail = before.head;
    w->tail_room = before.head_room;
    w->first = w->tail_count = 0;
}

/* Times that grow do not repeat themselves; the differences between them do. */
static bool move_tail_to_file(struct waiting_marks *w)
{
    for (size_t i = RUNS - 1; i > 0; i--)
        w->tail[i].time -= w->tail[i - 1].time;
    w->tail_count = 0;
    w->file_failed = !overflow_add(&w->file, w->tail, RUNS * sizeof *w->tail);
    return !w->file_failed;
}

static bool make_room(struct waiting_marks *w)
{
    if (w->tail_count == RUNS && (w->first < w->head_count || w->next_piece < w->file.count))
        return move_tail_to_file(w);
    if (w->tail_count == RUNS)
        turn(w);
    array_reserve(&w->tail, &w->tail_room, w->tail_count, 1, sizeof *w->tail);
    return true;
}

bool waiting_marks_add(struct waiting_marks *w, int64_t time, uint8_t count)
{
    struct mark_run *last = w->tail_count > 0 ? &w->tail[w->tail_count - 1] : NULL;
    if (last && last->count == count && equal_steps_go_on(last->time, &last->step, last->marks, time)) {
        last->marks++;
        return true;
    }
    if ((w->tail_count == w->tail_room || w->tail_count == RUNS) && !make_room(w))
        return false;
    w->tail[w->tail_count++] = (struct mark_run){.time = time, .marks = 1, .count = count};
    return true;
}

struct mark_run *waiting_marks_refill(struct waiting_marks *w)
{
    if (w->next_piece == w->file.count) {
        overflow_destroy(
            &w->file); /* of a file that has been read, the room on the disk is free for others */
        w->next_piece = 0;
        turn(w);
        return w->head_count > 0 ? w->head : NULL;
    }
    array_reserve(&w->head, &w->head_room, 0, RUNS, sizeof *w->head);
    w->file_failed = !overflow_read(&w->file, w->next_piece++, w->head);
    w->head_count = w->file_failed ? 0 : RUNS;
    w->first = 0;
    for (size_t i = 1; i < w->head_count; i++)
        w->head[i].time += w->head[i - 1].time;
    return w->file_failed ? NULL : w->head;
}
