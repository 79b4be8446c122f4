#include "sim/host/run_events.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A pass whose events are not all measured. */
struct told_pass {
    size_t number;
    struct host_happening *events; /* in clocks of the run */
    size_t count, next;
    int64_t *stamps; /* of its HSPs, in clocks of the run */
};

struct run_events {
    const struct run_times *times;
    struct measure *measure;
    FILE *records;
    size_t pass_count;
    bool *told;                /* of every pass */
    size_t first_untold;       /* passes before it were told */
    int64_t *origins_from;     /* of every pass: least origin of it and of all later passes */
    struct told_pass **passes; /* a heap by their next event */
    size_t count;
    struct told_pass *telling; /* the pass that is being told */
};

static void told_pass_destroy(struct told_pass *p)
{
    if (!p)
        return;
    free(p->events);
    free(p->stamps);
    free(p);
}

static void find_origins(struct run_events *r)
{
    int64_t least = INT64_MAX;
    for (size_t i = r->pass_count; i-- > 0;)
        r->origins_from[i] = least = r->times->origins[i] < least ? r->times->origins[i] : least;
}

struct run_events *run_events_new(const struct measure_plan *plan, const struct run_times *times,
                                  size_t pass_count)
{
    struct run_events *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    *r = (struct run_events){.times = times,
                             .pass_count = pass_count,
                             .records = tmpfile(),
                             .told = calloc(pass_count + 1, sizeof *r->told),
                             .origins_from = calloc(pass_count + 1, sizeof *r->origins_from),
                             .passes = calloc(pass_count + 1, sizeof(struct told_pass *))};
    r->measure = r->records ? measure_new(plan, SIDE_HOST_OF_RUN, r->records) : NULL;
    if (r->measure && r->told && r->origins_from && r->passes) {
        find_origins(r);
        return r;
    }
    run_events_destroy(r);
    return NULL;
}

void run_events_destroy(struct run_events *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->count; i++)
        told_pass_destroy(r->passes[i]);
    told_pass_destroy(r->telling);
    measure_destroy(r->measure);
    if (r->records)
        fclose(r->records);
    free(r->told);
    free(r->origins_from);
    free(r->passes);
    free(r);
}

/* --- a pass ---------------------------------------------------------------------------------------------- */

bool run_events_begin_pass(struct run_events *r, size_t pass, size_t count, const int64_t *stamps,
                           size_t stamp_count)
{
    struct told_pass *p = r->telling = calloc(1, sizeof *p);
    if (!p)
        return false;
    p->number = pass;
    p->events = malloc((count + 1) * sizeof *p->events);
    p->stamps = malloc((stamp_count + 1) * sizeof *p->stamps);
    for (size_t i = 0; p->stamps && i < stamp_count; i++)
        p->stamps[i] = stamps[i] + r->times->origins[pass];
    return p->events && p->stamps;
}

void run_events_add(struct run_events *r, const struct host_happening *happening, size_t first_stamp)
{
    struct told_pass *p = r->telling;
    struct host_happening *event = &p->events[p->count++];
    const int64_t origin = r->times->origins[p->number];
    *event = *happening;
    event->clock += origin;
    for (unsigned i = 0; i < HOST_EVENTS; i++)
        event->hsp.clocks[i] += origin;
    event->hsp.stamps = p->stamps + first_stamp;
}

/* --- all passes in order --------------------------------------------------------------------------------- */

static bool is_earlier(const struct told_pass *a, const struct told_pass *b)
{
    int64_t left = a->events[a->next].clock, right = b->events[b->next].clock;
    return left != right ? left < right : a->number < b->number;
}

static void swap(struct run_events *r, size_t a, size_t b)
{
    struct told_pass *pass = r->passes[a];
    r->passes[a] = r->passes[b];
    r->passes[b] = pass;
}

static void push_pass(struct run_events *r, struct told_pass *pass)
{
    size_t at = r->count++;
    r->passes[at] = pass;
    for (; at > 0 && is_earlier(r->passes[at], r->passes[(at - 1) / 2]); at = (at - 1) / 2)
        swap(r, at, (at - 1) / 2);
}

/* The first pass's next event is another one, or there is another first pass. */
static void sink_first(struct run_events *r)
{
    for (size_t at = 0, child; (child = 2 * at + 1) < r->count; at = child) {
        child += child + 1 < r->count && is_earlier(r->passes[child + 1], r->passes[child]);
        if (!is_earlier(r->passes[child], r->passes[at]))
            break;
        swap(r, at, child);
    }
}

/* Measure all events before a clock. */
static void measure_before(struct run_events *r, int64_t clock)
{
    while (r->count > 0 && r->passes[0]->events[r->passes[0]->next].clock < clock) {
        struct told_pass *p = r->passes[0];
        measure_happening(r->measure, &p->events[p->next++]);
        if (p->next == p->count) {
            told_pass_destroy(p);
            r->passes[0] = r->passes[--r->count];
        }
        sink_first(r);
    }
}

void run_events_end_pass(struct run_events *r)
{
    struct told_pass *p = r->telling;
    r->telling = NULL;
    assert(!r->told[p->number]);
    r->told[p->number] = true;
    if (p->count > 0)
        push_pass(r, p);
    else
        told_pass_destroy(p);
    while (r->first_untold < r->pass_count && r->told[r->first_untold])
        r->first_untold++;
    measure_before(r, r->first_untold < r->pass_count ? r->origins_from[r->first_untold] : INT64_MAX);
}

int run_events_end(struct run_events *r, struct why *why)
{
    measure_end_host(r->measure, r->times->end);
    int status = measure_finish(r->measure, why);
    return status == 0 && fflush(r->records) != 0 ? MEASURE_EWRITE : status;
}

int run_events_records(const struct run_events *r)
{
    return fileno(r->records);
}
