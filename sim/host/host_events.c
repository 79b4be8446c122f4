#include "sim/host/host_events.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file/file_io.h"
#include "base/file/scratch_file.h"
#include "base/memory.h"
#include "traces/queue_tap.h"

struct host_events {
    const struct run_times *times;
    struct measure *measure;
    FILE *records;
    size_t pass_count;
    bool *told;           /* of every pass */
    size_t first_untold;  /* passes before it were told */
    int64_t *firsts_from; /* of every pass: the first clock of it and of all later passes */
    struct queue_tap inbox;
    /* What is not measured yet, in clocks of the run: events in order, and the HSPs that they name. */
    struct kept_list {
        int64_t *clocks;
        size_t *hsps, count, clock_room, hsp_room;
    } lists[HOST_LISTS];
    struct kept_hsps {
        int64_t *clocks[HOST_EVENTS], *stamps;
        size_t count, room[HOST_EVENTS], stamp_room;
        unsigned stamp_count; /* of each HSP */
    } hsps;
};

static void find_firsts(struct host_events *r)
{
    int64_t least = INT64_MAX;
    for (size_t i = r->pass_count; i-- > 0;)
        r->firsts_from[i] = least = r->times->firsts[i] < least ? r->times->firsts[i] : least;
}

struct host_events *host_events_new(const struct measure_plan *plan, const struct run_times *times,
                                    size_t pass_count)
{
    FILE *records = scratch_file_open();
    if (!records)
        return NULL;
    struct host_events *r = memory_take(sizeof *r);
    *r = (struct host_events){.times = times,
                              .pass_count = pass_count,
                              .records = records,
                              .measure = measure_new(plan, SIDE_HOST_OF_RUN, records),
                              .told = memory_new(pass_count, sizeof *r->told),
                              .firsts_from = memory_take(pass_count * sizeof *r->firsts_from)};
    queue_tap_init(&r->inbox, 0, true);
    find_firsts(r);
    return r;
}

void host_events_destroy(struct host_events *r)
{
    if (!r)
        return;
    for (unsigned i = 0; i < HOST_LISTS; i++) {
        free(r->lists[i].clocks);
        free(r->lists[i].hsps);
    }
    for (unsigned i = 0; i < HOST_EVENTS; i++)
        free(r->hsps.clocks[i]);
    free(r->hsps.stamps);
    queue_tap_destroy(&r->inbox);
    measure_destroy(r->measure);
    fclose(r->records);
    free(r->told);
    free(r->firsts_from);
    free(r);
}

/* --- what is kept ---------------------------------------------------------------------------------------- */

static void append_clocks(int64_t **clocks, size_t *room, size_t before, const int64_t *from, size_t count,
                          int64_t origin)
{
    array_reserve(clocks, room, before, count, sizeof **clocks);
    for (size_t i = 0; i < count; i++)
        (*clocks)[before + i] = from[i] + origin;
}

static void keep_hsps(struct kept_hsps *h, const struct host_part *part, int64_t origin)
{
    const size_t count = part->lists[HOST_ARRIVED].count;
    if (count == 0)
        return;
    h->stamp_count = part->stamp_count;
    append_clocks(&h->stamps, &h->stamp_room, h->count * h->stamp_count, part->stamps, count * h->stamp_count,
                  origin);
    for (unsigned i = 0; i < HOST_EVENTS; i++)
        append_clocks(&h->clocks[i], &h->room[i], h->count, part->hsps[i], count, origin);
    h->count += count;
}

/* Merge events in order into a list. @param first_hsp  number of their HSP 0 */
static void merge(struct kept_list *l, const struct host_list *events, int64_t origin, size_t first_hsp)
{
    size_t left = l->count, next = events->count;
    array_reserve(&l->clocks, &l->clock_room, left, next, sizeof *l->clocks);
    array_reserve(&l->hsps, &l->hsp_room, left, next, sizeof *l->hsps);
    l->count += next;
    for (size_t at = l->count; next > 0;) { /* the latest first */
        at--;
        if (left > 0 && l->clocks[left - 1] > events->clocks[next - 1] + origin) {
            left--;
            l->clocks[at] = l->clocks[left];
            l->hsps[at] = l->hsps[left];
        } else {
            next--;
            l->clocks[at] = events->clocks[next] + origin;
            l->hsps[at] = events->hsps[next] + first_hsp;
        }
    }
}

static void keep_events(struct host_events *r, const struct host_part *part, int64_t origin, size_t first_hsp)
{
    struct host_part ordered = *part;
    auto_by(host_order_destroy) struct host_order order = {0};
    host_order_make(&order, &ordered);
    for (unsigned i = 0; i < HOST_LISTS; i++)
        merge(&r->lists[i], &ordered.lists[i], origin, first_hsp);
}

/* Move an HSP to another number. */
static void move_hsp(struct kept_hsps *h, size_t from, size_t to)
{
    for (unsigned i = 0; i < HOST_EVENTS; i++)
        h->clocks[i][to] = h->clocks[i][from];
    for (unsigned i = 0; i < h->stamp_count; i++)
        h->stamps[to * h->stamp_count + i] = h->stamps[from * h->stamp_count + i];
}

/* Forget the HSPs that are done: those that are left get numbers from 0 on. */
static void forget_hsps(struct host_events *r)
{
    struct kept_list *undone = &r->lists[HOST_DONE];
    size_t *numbers = memory_new(r->hsps.count, sizeof *numbers), left = 0;
    for (size_t i = 0; i < undone->count; i++)
        numbers[undone->hsps[i]] = 1;
    for (size_t i = 0; i < r->hsps.count; i++)
        if (numbers[i] > 0) {
            move_hsp(&r->hsps, i, left);
            numbers[i] = left++;
        }
    r->hsps.count = left;
    for (unsigned event = 0; event < HOST_EVENTS; event++)
        for (size_t i = 0; i < r->lists[event].count; i++)
            r->lists[event].hsps[i] = numbers[r->lists[event].hsps[i]];
    free(numbers);
}

static void forget_events(struct kept_list *l, size_t count)
{
    if (count == 0)
        return;
    l->count -= count;
    memmove(l->clocks, l->clocks + count, l->count * sizeof *l->clocks);
    memmove(l->hsps, l->hsps + count, l->count * sizeof *l->hsps);
}

/* --- all passes in order --------------------------------------------------------------------------------- */

static size_t count_before(const struct kept_list *l, int64_t clock)
{
    size_t count = 0;
    while (count < l->count && l->clocks[count] < clock)
        count++;
    return count;
}

/* Measure all events before a clock. */
static void measure_before(struct host_events *r, int64_t clock)
{
    struct host_part part = {.stamps = r->hsps.stamps, .stamp_count = r->hsps.stamp_count, .end = clock};
    for (unsigned i = 0; i < HOST_LISTS; i++)
        part.lists[i] =
            (struct host_list){r->lists[i].clocks, r->lists[i].hsps, count_before(&r->lists[i], clock)};
    for (unsigned i = 0; i < HOST_EVENTS; i++)
        part.hsps[i] = r->hsps.clocks[i];
    queue_tap_add(&r->inbox, r->lists[HOST_ARRIVED].clocks, part.lists[HOST_ARRIVED].count,
                  r->lists[HOST_TAKEN].clocks, part.lists[HOST_TAKEN].count);
    measure_host(r->measure, &part, &r->inbox);
    for (unsigned i = 0; i < HOST_LISTS; i++)
        forget_events(&r->lists[i], part.lists[i].count);
    forget_hsps(r);
}

void host_events_add(struct host_events *r, size_t pass, const struct host_part *part)
{
    const int64_t origin = r->times->origins[pass];
    const size_t first_hsp = r->hsps.count;
    assert(!r->told[pass]);
    r->told[pass] = true;
    keep_hsps(&r->hsps, part, origin);
    keep_events(r, part, origin, first_hsp);
    while (r->first_untold < r->pass_count && r->told[r->first_untold])
        r->first_untold++;
    measure_before(r, r->first_untold < r->pass_count ? r->firsts_from[r->first_untold] : r->times->end);
}

int host_events_end(struct host_events *r, struct why *why)
{
    measure_before(r, r->times->end);
    measure_end_host(r->measure, r->times->end);
    int status = measure_finish(r->measure, why);
    return status == 0 && !file_io_flush(r->records) ? MEASURE_EWRITE : status;
}

struct frame_records host_events_records(const struct host_events *r)
{
    return (struct frame_records){r->records, 0, ftello(r->records)};
}
