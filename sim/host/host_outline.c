#include "sim/host/host_outline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"

/* Bytes of a slice of steps, of one of a span, and of a value of an inbox in the file, at most as a rule. Of the cap a
 * SHARE_PART-th is for them, and a MEMORY_PART-th is the memory of steps. CELLS_MOST is the greatest number of steps x
 * tracks. */
enum {
    SLICE_BYTES = 110,
    SPAN_BYTES = 125,
    LEVEL_BYTES = 130,
    SHARE_PART = 8,
    MEMORY_PART = 4,
    CELLS_MOST = 1 << 22,
    INBOX_BYTES = 16 /* for which a step of an inbox counts in this memory */
};

void host_outline_init(struct host_outline *o, uint64_t bytes_max, uint32_t hosts, uint32_t host_cores)
{
    assert(hosts >= 1 && host_cores >= 1);
    *o = (struct host_outline){
        .hosts = (uint32_t)MIN(hosts, HOST_OUTLINE_HOSTS),
        .host_cores = host_cores,
        .share = bytes_max / SHARE_PART,
    };
    o->cores = (uint32_t)MIN((uint64_t)o->hosts * host_cores, HOST_OUTLINE_CORES);
    const uint64_t step_bytes = o->cores * sizeof *o->busy.busy + o->hosts * INBOX_BYTES;
    const uint64_t most = MIN(bytes_max / MEMORY_PART / step_bytes, CELLS_MOST / (o->cores + o->hosts));
    const uint64_t spans_most = MIN(o->share / SPAN_BYTES, CELLS_MOST); /* more would not fit */
    busy_steps_init(&o->busy, o->cores, MAX(most, 1), MAX(spans_most, 1));
}

void host_outline_destroy(struct host_outline *o)
{
    busy_steps_destroy(&o->busy);
    free(o->inbox);
    *o = (struct host_outline){0};
}

void host_outline_add_work(struct host_outline *o, uint32_t host, const struct busy_span *span)
{
    struct busy_span of_run = *span;
    of_run.track += host * o->host_cores;
    if (of_run.track < o->cores)
        busy_steps_add_span(&o->busy, &of_run);
}

/* --- inboxes --------------------------------------------------------------------------------------------- */

static uint64_t step_ps(const struct host_outline *o)
{
    return UINT64_C(1) << o->inbox_step;
}

/* What changes in the first of two steps holds in all of the second. */
static void join_inboxes(struct host_outline *o)
{
    const size_t count = (o->inbox_count + 1) / 2;
    for (size_t i = 0; i < count; i++)
        for (uint32_t host = 0; host < o->hosts; host++) {
            struct inbox_step joined = o->inbox[2 * i * o->hosts + host];
            joined.area += (wide_int)joined.change * step_ps(o);
            if (2 * i + 1 < o->inbox_count) {
                const struct inbox_step *second = &o->inbox[(2 * i + 1) * o->hosts + host];
                joined.change += second->change;
                joined.area += second->area;
            }
            o->inbox[i * o->hosts + host] = joined;
        }
    o->inbox_count = count;
    o->inbox_step++;
}

/* Have the inboxes in the same steps as the cores. */
static void follow_cores(struct host_outline *o)
{
    const size_t bytes = o->hosts * sizeof *o->inbox;
    while (o->inbox_step < o->busy.step)
        join_inboxes(o);
    if (o->inbox_count >= o->busy.count)
        return;
    const size_t more = o->busy.count - o->inbox_count;
    array_reserve(&o->inbox, &o->inbox_room, o->inbox_count, more, bytes);
    memset(o->inbox + o->inbox_count * o->hosts, 0, more * bytes);
    o->inbox_count = o->busy.count;
}

/* HSPs come, or go. @param change  1 or -1 */
static void add_change(struct host_outline *o, uint32_t host, int64_t at_ps, int64_t change)
{
    const size_t number = (size_t)((uint64_t)at_ps >> o->inbox_step);
    struct inbox_step *step = &o->inbox[number * o->hosts + host];
    step->change += change;
    step->area += change * (int64_t)(step_ps(o) - ((uint64_t)at_ps & (step_ps(o) - 1)));
}

void host_outline_add_waiting(struct host_outline *o, uint32_t host, int64_t arrived_ps, int64_t begun_ps)
{
    if (host >= o->hosts || arrived_ps >= begun_ps)
        return;
    busy_steps_reach(&o->busy, begun_ps);
    follow_cores(o);
    add_change(o, host, arrived_ps, 1);
    add_change(o, host, begun_ps, -1);
    if (begun_ps > o->inbox_ends_ps[host])
        o->inbox_ends_ps[host] = begun_ps;
}

/* Go over one step. @return the mean number of HSPs in it, up to `end_ps` */
static double pass_step(const struct host_outline *o, struct inbox_cursor *c, int64_t end_ps)
{
    const struct inbox_step *step = &o->inbox[c->step * o->hosts + c->host];
    const uint64_t left_ps = (uint64_t)end_ps - ((uint64_t)c->step << o->inbox_step);
    const wide_int area = (wide_int)c->level * step_ps(o) + step->area;
    c->level += (uint64_t)step->change;
    c->step++;
    return (double)area / (double)MIN(left_ps, step_ps(o));
}

bool host_outline_next_level(const struct host_outline *o, struct inbox_cursor *c, int64_t *at_ps)
{
    const int64_t end_ps = o->inbox_ends_ps[c->host];
    const double before = c->mean;
    while (c->mean == before && (*at_ps = (int64_t)((uint64_t)c->step << o->inbox_step)) < end_ps)
        c->mean = pass_step(o, c, end_ps);
    if (c->mean == before && before > 0) { /* the end */
        *at_ps = end_ps;
        c->mean = 0;
    }
    return c->mean != before;
}

/* --- the size -------------------------------------------------------------------------------------------- */

static uint64_t count_bytes(const struct host_outline *o)
{
    uint64_t bytes = 0;
    struct busy_slice slice;
    int64_t at_ps;
    for (uint32_t core = 0; core < o->cores; core++)
        for (struct busy_cursor c = busy_steps_begin(&o->busy, core); busy_steps_next(&o->busy, &c, &slice);)
            bytes += slice.span ? SPAN_BYTES : SLICE_BYTES;
    for (uint32_t host = 0; host < o->hosts; host++)
        for (struct inbox_cursor c = {.host = host}; host_outline_next_level(o, &c, &at_ps);)
            bytes += LEVEL_BYTES;
    return bytes;
}

void host_outline_fit(struct host_outline *o)
{
    follow_cores(o);
    busy_steps_sort(&o->busy);
    while (count_bytes(o) > o->share && o->busy.count > 1) {
        busy_steps_join(&o->busy);
        follow_cores(o);
    }
}
