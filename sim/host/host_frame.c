#include "sim/host/host_frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "traces/list_tap.h"
#include "sim/board/board.h"
#include "sim/board/board_clocks.h"
#include "sim/host/task_log.h"
#include "sim/measure/drawing_request.h"
#include "sim/measure/machine_frame.h"

enum { CLOCKS_AT_A_TIME = 256 };

/* What happens to a pass's tasks, or to some consecutive HSPs of it, in clocks of its board. */
struct host_clocks {
    int64_t *hsps[HOST_EVENTS];              /* in stream order */
    int64_t *taken;                          /* those of HOST_TAKEN, in order of time */
    int64_t *stamps;                         /* of HSPs that have them as ages; else NULL */
    int64_t *clusters_begun, *clusters_done; /* of clusters with cells */
    size_t *clusters;                        /* which these are: in the order in which cores begin them */
    uint64_t *inbox;                         /* for the inbox's tap: list_tap_lend() */
    size_t hsp_count, cluster_count;
    double busy_s; /* sum over the HSPs that have been taken in */
    const struct host_pass *pass;
    const struct hardware *hardware;
};

/* The clock of the pass's board at a time since the run began. */
static int64_t clock_in_run(const struct host_clocks *c, double time_s)
{
    return board_clock_after((time_s - c->pass->begin_s - c->pass->stream_begin_s) *
                             c->hardware->fpga_clock_hz);
}

/* Make room for the clocks of all clusters, and of a number of HSPs at a time. */
static bool reserve_clocks(struct host_clocks *c, size_t hsp_count, struct scratch *scratch)
{
    const struct stage3_tasks *t = &c->pass->tasks;
    const size_t hsps = hsp_count * sizeof(int64_t), clusters = t->cluster_count * sizeof(int64_t);
    const bool has_ages = stage3_tasks_has_ages(t);
    const size_t inbox = (hsp_count + 1) * sizeof *c->inbox;
    if (!scratch_begin(scratch, (HOST_EVENTS + 1 + has_ages) * hsps + 3 * clusters + inbox))
        return false;
    c->inbox = scratch_take(scratch, inbox);
    for (enum host_event event = 0; event < HOST_EVENTS; event++)
        c->hsps[event] = scratch_take(scratch, hsps);
    c->taken = scratch_take(scratch, hsps);
    c->stamps = has_ages ? scratch_take(scratch, hsps) : NULL;
    c->clusters = scratch_take(scratch, clusters);
    c->clusters_begun = scratch_take(scratch, clusters);
    c->clusters_done = scratch_take(scratch, clusters);
    return true;
}

/* Insert a cluster that is begun in a clock; clusters of one clock stay in their order. */
static void add_cluster(struct host_clocks *c, size_t cluster, int64_t begun, int64_t done)
{
    size_t at = c->cluster_count++;
    for (; at > 0 && c->clusters_begun[at - 1] > begun; at--) {
        c->clusters[at] = c->clusters[at - 1];
        c->clusters_begun[at] = c->clusters_begun[at - 1];
        c->clusters_done[at] = c->clusters_done[at - 1];
    }
    c->clusters[at] = cluster;
    c->clusters_begun[at] = begun;
    c->clusters_done[at] = done;
}

/* Find the clocks of some HSPs, from number `first` of those that are looked at. Rounding lets nothing happen before
 * what it follows. */
static void take_some_hsps(struct host_clocks *c, const struct stage3_hsp *hsps,
                           const struct task_times *times, size_t first, size_t count)
{
    int64_t *arrived = c->hsps[HOST_ARRIVED] + first, *taken = c->hsps[HOST_TAKEN] + first,
            *done = c->hsps[HOST_DONE] + first;
    double begins_s[CLOCKS_AT_A_TIME], ends_s[CLOCKS_AT_A_TIME], busy_s = c->busy_s;
    for (size_t i = 0; i < count; i++) {
        const double begin_s = times[first + i].begin_s, end_s = times[first + i].end_s;
        busy_s += end_s - begin_s;
        begins_s[i] = begin_s - c->pass->begin_s - c->pass->stream_begin_s;
        ends_s[i] = end_s - c->pass->begin_s - c->pass->stream_begin_s;
    }
    c->busy_s = busy_s;
    board_clocks_after(begins_s, count, c->hardware->fpga_clock_hz, taken);
    board_clocks_after(ends_s, count, c->hardware->fpga_clock_hz, done);
    for (size_t i = 0; i < count; i++) {
        arrived[i] = board_clock_at(hsps[first + i].arrived);
        taken[i] = later(taken[i], arrived[i]);
        done[i] = later(done[i], taken[i]);
        if (c->stamps)
            c->stamps[first + i] = arrived[i] - hsps[first + i].age;
    }
}

static void take_hsps(struct host_clocks *c, const struct stage3_hsp *hsps, const struct task_times *times,
                      size_t count)
{
    c->hsp_count = count;
    for (size_t i = 0, some; i < count; i += some) {
        some = count - i < CLOCKS_AT_A_TIME ? count - i : CLOCKS_AT_A_TIME;
        take_some_hsps(c, hsps, times, i, some);
    }
}

/* The stamps of the HSPs in memory. */
static const int64_t *stamps_of(const struct host_clocks *c)
{
    return c->stamps ? c->stamps : c->pass->tasks.stamps;
}

static void take_clusters(struct host_clocks *c)
{
    const struct host_pass *p = c->pass;
    for (size_t i = 0; i < p->tasks.cluster_count; i++) {
        int64_t begun = clock_in_run(c, p->clusters[i].begin_s);
        if (p->tasks.clusters[i] > 0)
            add_cluster(c, i, begun, later(clock_in_run(c, p->clusters[i].end_s), begun));
    }
}

/* --- measuring ------------------------------------------------------------------------------------------- */

/* What happens to the HSPs that are looked at, and to all clusters that are listed. */
static struct host_part part_of(const struct host_clocks *c, const int64_t *stamps, int64_t end)
{
    struct host_part part = {.stamps = stamps, .stamp_count = c->pass->tasks.stamp_count, .end = end};
    for (unsigned event = 0; event < HOST_EVENTS; event++) {
        part.lists[event] = (struct host_list){c->hsps[event], NULL, c->hsp_count};
        part.hsps[event] = c->hsps[event];
    }
    part.lists[HOST_CLUSTER_BEGUN] = (struct host_list){c->clusters_begun, NULL, c->cluster_count};
    part.lists[HOST_CLUSTER_DONE] = (struct host_list){c->clusters_done, NULL, c->cluster_count};
    return part;
}

static bool measure_part(struct measure *measure, const struct host_part *part, struct list_tap *inbox)
{
    struct host_order order = {0};
    struct host_part ordered = *part;
    bool whole = !measure_needs_order(measure) || host_order_make(&order, &ordered);
    whole = whole && measure_host(measure, &ordered, inbox);
    if (whole)
        measure_end_host(measure, part->end);
    host_order_destroy(&order);
    return whole;
}

/* See the inbox up to a clock, with everything that is measured. */
static bool tap_host(struct host_clocks *c, int64_t end, const struct host_instruments *instruments,
                     struct fifo_measure *inbox)
{
    const struct host_part part = part_of(c, stamps_of(c), end);
    struct list_tap tap;
    list_tap_init(&tap);
    list_tap_lend(&tap, c->inbox, c->hsp_count + 1);
    list_tap_sort(c->taken, c->hsps[HOST_TAKEN], c->hsp_count);
    list_tap_part(&tap, c->hsps[HOST_ARRIVED], c->hsp_count, c->taken, c->hsp_count);
    bool whole = (!instruments->run || run_events_add(instruments->run, c->pass->number, &part)) &&
                 (!instruments->measure || measure_part(instruments->measure, &part, &tap)) &&
                 list_tap_close(&tap, end);
    *inbox = tap.measure;
    list_tap_destroy(&tap);
    return whole;
}

/* --- timeline -------------------------------------------------------------------------------------------- */

static bool draw_task(const struct host_pass *pass, const struct task_times *times, uint32_t hsps,
                      struct host_outline *outline)
{
    const struct busy_span span = {drawing_ps(times->begin_s), drawing_ps(times->end_s), times->core,
                                   (uint32_t)pass->number, hsps};
    return host_outline_add_work(outline, pass->host, &span);
}

/* HSPs that a core did without a pause are one span. */
static bool draw_core(const struct host_pass *p, uint32_t core, struct host_outline *outline)
{
    bool whole = true;
    size_t hsp = 0;
    while (hsp < p->tasks.hsp_count && whole) {
        struct task_times times = p->hsps[hsp++];
        uint32_t count = 1;
        if (times.core != core)
            continue;
        for (; hsp < p->tasks.hsp_count && p->hsps[hsp].core == core && p->hsps[hsp].begin_s <= times.end_s;
             hsp++, count++)
            times.end_s = p->hsps[hsp].end_s;
        whole = draw_task(p, &times, count, outline);
    }
    return whole;
}

static bool draw_inbox(const struct host_pass *p, const struct hardware *hardware,
                       struct host_outline *outline)
{
    const double tick_s = 1 / (hardware->fpga_clock_hz * (double)BOARD_TICKS_PER_CLOCK);
    const double clock_0_s = p->begin_s + p->stream_begin_s;
    bool whole = true;
    for (size_t i = 0; i < p->tasks.hsp_count && whole; i++) {
        double arrived_s = clock_0_s + (double)p->tasks.hsps[i].arrived * tick_s;
        whole =
            host_outline_add_waiting(outline, p->host, drawing_ps(arrived_s), drawing_ps(p->hsps[i].begin_s));
    }
    return whole;
}

static bool draw_pass(const struct host_pass *p, const struct hardware *hardware,
                      struct host_outline *outline)
{
    bool whole = true;
    for (uint32_t core = 0; core < hardware->host_cores && whole; core++)
        whole = draw_core(p, core, outline);
    for (size_t i = 0; i < p->tasks.cluster_count && whole; i++)
        whole = p->tasks.clusters[i] == 0 || draw_task(p, &p->clusters[i], 0, outline);
    return whole && draw_inbox(p, hardware, outline);
}

/* --- a pass with HSPs in a file ---------------------------------------------------------------------------- */

/* Clocks that are known and lie at or after the clock up to which the inbox has been seen. */
struct clocks_ahead {
    int64_t *clocks;
    size_t count, room;
};

static bool add_clocks(struct clocks_ahead *a, const int64_t *clocks, size_t count)
{
    if (!array_reserve(&a->clocks, &a->room, a->count, count, sizeof *a->clocks))
        return false;
    for (size_t i = 0; i < count; i++) { /* almost in order */
        size_t at = a->count++;
        for (; at > 0 && a->clocks[at - 1] > clocks[i]; at--)
            a->clocks[at] = a->clocks[at - 1];
        a->clocks[at] = clocks[i];
    }
    return true;
}

static size_t count_before(const struct clocks_ahead *a, int64_t clock)
{
    size_t low = 0, high = a->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a->clocks[middle] < clock)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void drop_clocks(struct clocks_ahead *a, size_t count)
{
    a->count -= count;
    memmove(a->clocks, a->clocks + count, a->count * sizeof *a->clocks);
}

/* What sees the pass, part by part. */
struct parts {
    struct host_clocks clocks;
    struct measure *measure;
    struct task_reader reader;
    struct clocks_ahead arrived, taken;
    struct list_tap inbox;
    int64_t end;
};

/* See the inbox and what is measured up to a clock, before which no event is left. */
static bool see_part(struct parts *p, const struct host_part *part)
{
    size_t arrived = count_before(&p->arrived, part->end), taken = count_before(&p->taken, part->end);
    list_tap_part(&p->inbox, p->arrived.clocks, arrived, p->taken.clocks, taken);
    bool seen = p->measure ? measure_host(p->measure, part, &p->inbox) : list_tap_run(&p->inbox, part->end);
    drop_clocks(&p->arrived, arrived);
    drop_clocks(&p->taken, taken);
    return seen;
}

/* The next HSPs, up to the clock in which the first of the HSPs after them arrives. */
static bool see_next(struct parts *p)
{
    struct host_clocks *c = &p->clocks;
    const struct stage3_tasks *t = &c->pass->tasks;
    if (!task_reader_next(&p->reader))
        return false;
    const struct stage3_cursor *hsps = &p->reader.hsps;
    bool is_last = hsps->first + hsps->count == t->hsp_count;
    take_hsps(c, hsps->hsps, p->reader.times, hsps->count);
    if (is_last)
        take_clusters(c);
    const struct host_part part = part_of(c, hsps->stamps ? hsps->stamps : stamps_of(c),
                                          is_last ? p->end : c->hsps[HOST_ARRIVED][hsps->count - 1]);
    return add_clocks(&p->arrived, c->hsps[HOST_ARRIVED], hsps->count) &&
           add_clocks(&p->taken, c->hsps[HOST_TAKEN], hsps->count) && see_part(p, &part);
}

/* The same as tap_host(), for frames that are passes.
 * @param busy_s  out: sum over the HSPs */
static bool tap_parts(const struct host_clocks *c, int64_t end, const struct host_instruments *instruments,
                      struct scratch *scratch, struct fifo_measure *inbox, double *busy_s)
{
    const struct stage3_tasks *t = &c->pass->tasks;
    size_t in_memory = t->hsp_count - t->in_file;
    struct parts p = {.clocks = *c, .measure = instruments->measure, .end = end};
    list_tap_init(&p.inbox);
    bool whole =
        reserve_clocks(&p.clocks, in_memory > STAGE3_CHUNK_HSPS ? in_memory : STAGE3_CHUNK_HSPS, scratch) &&
        task_reader_begin(&p.reader, c->pass, c->hardware);
    while (whole && p.reader.next < t->hsp_count)
        whole = see_next(&p);
    whole = whole && list_tap_close(&p.inbox, end);
    if (whole && p.measure)
        measure_end_host(p.measure, end);
    *inbox = p.inbox.measure;
    *busy_s = p.clocks.busy_s;
    list_tap_destroy(&p.inbox);
    task_reader_destroy(&p.reader);
    free(p.arrived.clocks);
    free(p.taken.clocks);
    return whole;
}

/* Whether a pass must be in memory as a whole: frames in the order of time, and drawings, look at it so. */
static bool needs_whole(const struct host_instruments *instruments)
{
    return instruments->run || instruments->outline ||
           (instruments->measure && measure_needs_order(instruments->measure));
}

/* The pass with all its HSPs and their times in memory. @return false if memory is exhausted or the file cannot be
 * read */
static bool bring_back(struct host_pass *whole, const struct hardware *hardware)
{
    struct task_reader reader;
    whole->hsps = malloc(whole->tasks.hsp_count * sizeof *whole->hsps);
    bool read = whole->hsps && task_reader_begin(&reader, whole, hardware);
    while (read && reader.next < whole->tasks.hsp_count) {
        read = task_reader_next(&reader);
        if (read)
            memcpy(whole->hsps + reader.hsps.first, reader.times, reader.hsps.count * sizeof *whole->hsps);
    }
    if (whole->hsps)
        task_reader_destroy(&reader);
    return read && stage3_tasks_copy_back(&whole->tasks);
}

/* --- the frame ------------------------------------------------------------------------------------------- */

static double add_busy_of_clusters(double busy_s, const struct host_pass *pass)
{
    for (size_t i = 0; i < pass->tasks.cluster_count; i++)
        busy_s += pass->clusters[i].end_s - pass->clusters[i].begin_s;
    return busy_s;
}

/* An HSP arrives, is begun and done; a cluster with cells is begun and done. */
static uint64_t count_events(const struct stage3_tasks *tasks)
{
    uint64_t events = 3 * tasks->hsp_count;
    for (size_t i = 0; i < tasks->cluster_count; i++)
        events += tasks->clusters[i] > 0 ? 2 : 0;
    return events;
}

static bool find_counts(const struct host_pass *pass, const struct hardware *hardware, double busy_of_hsps_s,
                        struct host_counts *counts)
{
    double drained_s =
        pass->begin_s + pass->stream_begin_s + (double)pass->board_end / hardware->fpga_clock_hz;
    *counts = (struct host_counts){.hsps = pass->tasks.hsp_count,
                                   .begin_s = pass->begin_s,
                                   .busy_s = add_busy_of_clusters(busy_of_hsps_s, pass),
                                   .drain_s = fmax(0, pass->end_s - drained_s),
                                   .duration_s = pass->end_s - pass->begin_s};
    return stage3_tasks_sum(&pass->tasks, &counts->hsps_contained, &counts->cells);
}

/* Of a pass in memory. */
static bool tap_whole(const struct host_clocks *clocks, int64_t end,
                      const struct host_instruments *instruments, struct scratch *scratch,
                      struct fifo_measure *inbox, double *busy_s)
{
    struct host_clocks c = *clocks;
    if (!reserve_clocks(&c, c.pass->tasks.hsp_count, scratch))
        return false;
    take_hsps(&c, c.pass->tasks.hsps, c.pass->hsps, c.pass->tasks.hsp_count);
    take_clusters(&c);
    *busy_s = c.busy_s;
    return (!instruments->outline || draw_pass(c.pass, c.hardware, instruments->outline)) &&
           tap_host(&c, end, instruments, inbox);
}

/* Of a pass with HSPs in a file, which is brought back into memory if it has to be. */
static bool tap_from_file(const struct host_clocks *clocks, int64_t end,
                          const struct host_instruments *instruments, struct scratch *scratch,
                          struct fifo_measure *inbox, double *busy_s)
{
    if (!needs_whole(instruments))
        return tap_parts(clocks, end, instruments, scratch, inbox, busy_s);
    struct host_pass pass = *clocks->pass;
    struct host_clocks c = {.pass = &pass, .hardware = clocks->hardware};
    bool whole = bring_back(&pass, c.hardware) && tap_whole(&c, end, instruments, scratch, inbox, busy_s);
    if (pass.tasks.hsps != clocks->pass->tasks.hsps)
        stage3_tasks_destroy(&pass.tasks);
    free(pass.hsps);
    return whole;
}

bool host_frame_fill(const struct host_pass *pass, const struct hardware *hardware,
                     struct host_instruments *instruments, struct frame *frame)
{
    struct host_clocks clocks = {.pass = pass, .hardware = hardware};
    struct host_counts counts;
    struct fifo_measure inbox;
    struct scratch own = {0}, *scratch = instruments->scratch ? instruments->scratch : &own;
    int64_t end = later(clock_in_run(&clocks, pass->end_s), pass->board_end) + 1;
    double busy_s = 0;
    bool whole = pass->log ? tap_from_file(&clocks, end, instruments, scratch, &inbox, &busy_s)
                           : tap_whole(&clocks, end, instruments, scratch, &inbox, &busy_s);
    whole = whole && find_counts(pass, hardware, busy_s, &counts);
    if (whole)
        machine_frame_fill_host(frame, hardware, &counts, &inbox);
    scratch_destroy(&own);
    instruments->end_clock = end;
    instruments->events = count_events(&pass->tasks);
    return whole;
}
