/* waiting_marks.h - marks of a port that lie after the end of the tapes, in order.
 *
 * Workload  usually those of some words. But a word of a repeat has thousands of matches, and a thousand such words
 *           stand in the ingress FIFO: their matches come in billions, one a clock or as records leave, over and over.
 * Memory    at most 1 MiB a port, whatever their number: runs of marks, and those between the first and the last
 *           of very many in a file (base/file/scratch_file.h).
 * Errors    false if the file cannot be written or read: file_failed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/scratch_file.h"

/** Marks at equal distances: at `time`, `time + step`, ..., in clocks or in ticks, as the port's elements have them. */
struct mark_run {
    int64_t time, step, marks;
    uint64_t count; /* number of elements at each mark */
};

/** Start with {0}.
 *
 *     first ...   head: first .. head_count | pieces of the file: next_piece .. | tail: 0 .. tail_count
 */
struct waiting_marks {
    struct mark_run *head, *tail;
    size_t first, head_count, head_room, tail_count, tail_room;
    struct overflow file;
    size_t next_piece;
    bool file_failed;
};

void waiting_marks_destroy(struct waiting_marks *waiting);

/** Overwrite `to` with a copy, to be destroyed in any case. */
bool waiting_marks_copy(struct waiting_marks *to, const struct waiting_marks *from);

/** Add a mark, at or after the time of all that wait. */
bool waiting_marks_add(struct waiting_marks *waiting, int64_t time, uint8_t count);

/** Do what waiting_marks_first() does if the head has no run. */
struct mark_run *waiting_marks_refill(struct waiting_marks *waiting);

/** The run of the first mark that waits, or NULL if none does, or if the file cannot be read. */
static inline struct mark_run *waiting_marks_first(struct waiting_marks *w)
{
    return w->first < w->head_count ? &w->head[w->first] : waiting_marks_refill(w);
}

/** Take the first mark of waiting_marks_first(). */
static inline void waiting_marks_take(struct waiting_marks *w)
{
    struct mark_run *run = &w->head[w->first];
    run->time += run->step;
    w->first += --run->marks == 0;
}
