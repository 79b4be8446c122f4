#include "sim/drawing/busy_steps.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"

void busy_steps_init(struct busy_steps *s, uint32_t tracks, size_t most, size_t spans_most)
{
    assert(tracks >= 1 && most >= 1);
    *s = (struct busy_steps){.tracks = tracks, .most = most, .spans_most = spans_most};
}

void busy_steps_destroy(struct busy_steps *s)
{
    free(s->busy);
    free(s->spans);
    *s = (struct busy_steps){0};
}

static size_t step_of(const struct busy_steps *s, int64_t time)
{
    return (size_t)((uint64_t)time >> s->step);
}

static int64_t begin_of(const struct busy_steps *s, size_t step)
{
    return (int64_t)((uint64_t)step << s->step);
}

static bool is_long(const struct busy_steps *s, const struct busy_span *span)
{
    return (uint64_t)(span->end - span->begin) >> s->step > 0;
}

/* --- adding ---------------------------------------------------------------------------------------------- */

/* Add busy time for which there are steps. */
static void spread(struct busy_steps *s, uint32_t track, int64_t begin, int64_t end)
{
    while (begin < end) {
        const size_t step = step_of(s, begin);
        const int64_t step_end = begin_of(s, step + 1), until = end < step_end ? end : step_end;
        s->busy[step * s->tracks + track] += (uint64_t)(until - begin);
        begin = until;
    }
}

/* Spans that are shorter than a step become part of the steps. */
void busy_steps_join(struct busy_steps *s)
{
    const size_t count = (s->count + 1) / 2;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        for (uint32_t track = 0; track < s->tracks; track++)
            s->busy[i * s->tracks + track] = busy_steps_of(s, 2 * i, track) +
                                             (2 * i + 1 < s->count ? busy_steps_of(s, 2 * i + 1, track) : 0);
    s->count = count;
    s->step++;
    for (size_t i = 0; i < s->span_count; i++) {
        const struct busy_span span = s->spans[i];
        if (is_long(s, &span))
            s->spans[kept++] = span;
        else
            spread(s, span.track, span.begin, span.end);
    }
    s->span_count = kept;
}

void busy_steps_reach(struct busy_steps *s, int64_t time)
{
    const size_t bytes = s->tracks * sizeof *s->busy;
    assert(time >= 0);
    while (step_of(s, time) >= s->most)
        busy_steps_join(s);
    const size_t count = step_of(s, time) + 1;
    if (count <= s->count)
        return;
    array_reserve(&s->busy, &s->room, s->count, count - s->count, bytes);
    memset(s->busy + s->count * s->tracks, 0, (count - s->count) * bytes);
    s->count = count;
}

void busy_steps_add(struct busy_steps *s, uint32_t track, int64_t begin, int64_t end)
{
    assert(track < s->tracks);
    if (begin >= end)
        return;
    busy_steps_reach(s, end - 1);
    spread(s, track, begin, end);
}

void busy_steps_add_span(struct busy_steps *s, const struct busy_span *span)
{
    assert(span->track < s->tracks && s->spans_most >= 1);
    if (span->begin >= span->end)
        return;
    busy_steps_reach(s, span->end - 1);
    array_reserve(&s->spans, &s->span_room, s->span_count, 1, sizeof *s->spans);
    while (s->span_count == s->spans_most && is_long(s, span))
        busy_steps_join(s);
    if (is_long(s, span))
        s->spans[s->span_count++] = *span;
    else
        spread(s, span->track, span->begin, span->end);
}

/* --- slices ---------------------------------------------------------------------------------------------- */

static int compare_spans(const void *a, const void *b)
{
    const struct busy_span *x = a, *y = b;
    return ORDER_BY({x->track, y->track}, {(int64_t)x->begin, (int64_t)y->begin});
}

void busy_steps_sort(struct busy_steps *s)
{
    if (s->span_count > 0)
        qsort(s->spans, s->span_count, sizeof *s->spans, compare_spans);
}

struct busy_cursor busy_steps_begin(const struct busy_steps *s, uint32_t track)
{
    struct busy_cursor cursor = {.track = track};
    while (cursor.span < s->span_count && s->spans[cursor.span].track < track)
        cursor.span++;
    return cursor;
}

bool busy_steps_next(const struct busy_steps *s, struct busy_cursor *c, struct busy_slice *slice)
{
    const struct busy_span *span = c->span < s->span_count ? &s->spans[c->span] : NULL;
    while (c->step < s->count && busy_steps_of(s, c->step, c->track) == 0)
        c->step++;
    if (span && span->track == c->track && step_of(s, span->begin) < c->step) {
        *slice = (struct busy_slice){span->begin, span->end, span};
        c->free = span->end;
        c->span++;
        return true;
    }
    if (c->step == s->count)
        return false;
    /* the time of a step is that of its slice, and of slices right after it */
    const int64_t begin = begin_of(s, c->step), from = begin > c->free ? begin : c->free;
    *slice = (struct busy_slice){from, from, NULL};
    do
        slice->end += (int64_t)busy_steps_of(s, c->step++, c->track);
    while (c->step < s->count && slice->end == begin_of(s, c->step) &&
           busy_steps_of(s, c->step, c->track) > 0);
    return true;
}
