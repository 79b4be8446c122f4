#include "sim/host/host_taps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "traces/queue_tap.h"
#include "sim/board/board.h"
#include "sim/host/task_log.h"
#include "sim/drawing/drawing_request.h"
#include "sim/measure/machine_frame.h"

/* What happens to a pass's tasks, or to some consecutive HSPs of it, in clocks of its board. */
struct host_clocks {
    int64_t *hsps[HOST_EVENTS];              /* in stream order */
    int64_t *clusters_begun, *clusters_done; /* of clusters with cells */
    size_t hsp_count, cluster_count;
    bool only_waiting; /* nothing is asked of HSPs after their begin, nor of their stamps */
    /* Sums over all HSPs that have been taken in: the time of cores, the cells, and the number of those without. */
    double busy_s;
    uint64_t cells, contained;
    const struct host_pass *pass;
    const struct hardware *hardware;
};

/* The clock of the pass's board at a time since the run began. */
static int64_t clock_in_run(const struct host_clocks *c, double time_s)
{
    return board_clock_after((time_s - c->pass->begin_s - c->pass->stream_begin_s) *
                             c->hardware->fpga_clock_hz);
}

/* Find the clocks of HSPs, and sum up what they cost. Rounding lets nothing happen before what it follows. */
static void take_hsps(struct host_clocks *c, const struct stage3_hsp *hsps, const struct task_times *times,
                      size_t count)
{
    int64_t *arrived = c->hsps[HOST_ARRIVED], *taken = c->hsps[HOST_TAKEN], *done = c->hsps[HOST_DONE];
    c->hsp_count = count;
    for (size_t i = 0; i < count; i++) {
        c->cells += hsps[i].cells;
        c->contained += hsps[i].cells == 0;
        c->busy_s += times[i].end_s - times[i].begin_s;
        arrived[i] = board_clock_at(hsps[i].arrived);
        taken[i] = later(clock_in_run(c, times[i].begin_s), arrived[i]);
        if (!c->only_waiting)
            done[i] = later(clock_in_run(c, times[i].end_s), taken[i]);
    }
}

static void take_clusters(struct host_clocks *c)
{
    const struct host_pass *p = c->pass;
    for (size_t i = 0; i < p->cluster_count; i++) {
        c->clusters_begun[i] = clock_in_run(c, p->clusters[i].begin_s);
        c->clusters_done[i] = later(clock_in_run(c, p->clusters[i].end_s), c->clusters_begun[i]);
    }
    c->cluster_count = p->cluster_count;
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

/* Tell the run of a pass. For its frames, building the pass's tables keeps a core busy as a cluster does. */
static void tell_run(struct host_events *run, struct host_clocks *c, const struct host_part *part)
{
    const struct host_pass *p = c->pass;
    const double clock_hz = c->hardware->fpga_clock_hz;
    const int64_t origin = llround((p->begin_s + p->stream_begin_s) * clock_hz);
    struct host_part of_run = *part;
    if (p->build.end_s != 0) {
        c->clusters_begun[c->cluster_count] = board_clock_after(p->build.begin_s * clock_hz) - origin;
        c->clusters_done[c->cluster_count] = board_clock_after(p->build.end_s * clock_hz) - origin;
        of_run.lists[HOST_CLUSTER_BEGUN].count++;
        of_run.lists[HOST_CLUSTER_DONE].count++;
    }
    host_events_add(run, p->number, &of_run);
}

/* --- timeline -------------------------------------------------------------------------------------------- */

static void draw_task(const struct host_pass *pass, const struct task_times *times, uint32_t hsps,
                      struct host_outline *outline)
{
    const struct busy_span span = {drawing_ps(times->begin_s), drawing_ps(times->end_s), times->core,
                                   (uint32_t)pass->number, hsps};
    host_outline_add_work(outline, pass->host, &span);
}

/* HSPs that a core did without a pause are one span. */
static void draw_core(const struct host_pass *p, uint32_t core, struct host_outline *outline)
{
    size_t hsp = 0;
    while (hsp < p->tasks.hsp_count) {
        struct task_times times = p->hsps[hsp++];
        uint32_t count = 1;
        if (times.core != core)
            continue;
        for (; hsp < p->tasks.hsp_count && p->hsps[hsp].core == core && p->hsps[hsp].begin_s <= times.end_s;
             hsp++, count++)
            times.end_s = p->hsps[hsp].end_s;
        draw_task(p, &times, count, outline);
    }
}

static void draw_inbox(const struct host_pass *p, const struct hardware *hardware,
                       struct host_outline *outline)
{
    const struct pass_clock clock = pass_clock_of(p, hardware);
    for (size_t i = 0; i < p->tasks.hsp_count; i++)
        host_outline_add_waiting(outline, p->host,
                                 drawing_ps(pass_clock_arrival_s(&clock, &p->tasks.hsps[i])),
                                 drawing_ps(p->hsps[i].begin_s));
}

static void draw_pass(const struct host_pass *p, const struct hardware *hardware,
                      struct host_outline *outline)
{
    for (uint32_t core = 0; core < hardware->host_cores; core++)
        draw_core(p, core, outline);
    for (size_t i = 0; i < p->cluster_count; i++)
        draw_task(p, &p->clusters[i], 0, outline);
    if (p->build.end_s > p->build.begin_s)
        draw_task(p, &p->build, BUSY_BUILDING, outline);
    draw_inbox(p, hardware, outline);
}

/* --- parts ------------------------------------------------------------------------------------------------- */

/* What sees a pass, part by part, or as one part. */
struct parts {
    struct host_clocks clocks;
    const struct host_instruments *instruments;
    struct task_reader reader;
    struct queue_tap inbox;
    int64_t end;
    bool is_done;
};

/* Whether a pass must be one part, in memory: frames in the order of time, and drawings, look at it so. */
static bool needs_whole(const struct host_instruments *instruments)
{
    return instruments->run || instruments->outline ||
           (instruments->measure && measure_needs_order(instruments->measure));
}

/* Show the HSPs that were read, which are those of the pass. */
static void draw_whole(const struct parts *p)
{
    struct host_pass drawn = *p->clocks.pass;
    drawn.hsps = p->reader.times;
    draw_pass(&drawn, p->clocks.hardware, p->instruments->outline);
}

/* The next HSPs, up to the clock in which the last of them arrives: no other arrives before. */
static bool see_next(struct parts *p)
{
    struct host_clocks *c = &p->clocks;
    const struct task_reader *r = &p->reader;
    const struct host_instruments *to = p->instruments;
    if (c->pass->tasks.hsp_count > 0) {
        if (!task_reader_next(&p->reader))
            return false;
        take_hsps(c, r->hsps, r->times, r->count);
        queue_tap_add(&p->inbox, c->hsps[HOST_ARRIVED], r->count, c->hsps[HOST_TAKEN], r->count);
    }
    p->is_done = task_reader_is_done(r);
    if (p->is_done && !c->only_waiting)
        take_clusters(c);
    const int64_t end = p->is_done ? p->end : c->hsps[HOST_ARRIVED][r->count - 1];
    const struct host_part part = part_of(c, r->stamps, end);
    if (to->outline)
        draw_whole(p);
    if (to->run)
        tell_run(to->run, c, &part);
    if (to->measure)
        measure_host(to->measure, &part, &p->inbox);
    else
        queue_tap_run(&p->inbox, end);
    return true;
}

static bool see_parts(struct host_clocks *c, int64_t end, const struct host_instruments *instruments,
                      struct fifo_measure *inbox)
{
    struct parts p = {.clocks = *c, .instruments = instruments, .end = end};
    const size_t most = needs_whole(instruments) ? c->pass->tasks.hsp_count + 1 : TASK_READER_HSPS,
                 clusters = c->pass->cluster_count + 1; /* and building tables */
    auto_free int64_t *clocks = memory_take((HOST_EVENTS * most + 2 * clusters) * sizeof *clocks);
    p.clocks.only_waiting = !instruments->measure && !instruments->run;
    queue_tap_init(&p.inbox, 0, instruments->measure);
    for (unsigned event = 0; event < HOST_EVENTS; event++)
        p.clocks.hsps[event] = clocks + event * most;
    p.clocks.clusters_begun = clocks + HOST_EVENTS * most;
    p.clocks.clusters_done = p.clocks.clusters_begun + clusters;
    bool whole = true;
    task_reader_begin(&p.reader, c->pass, c->hardware, most);
    while (whole && !p.is_done)
        whole = see_next(&p);
    if (whole && instruments->measure)
        measure_end_host(instruments->measure, end);
    *inbox = p.inbox.measure;
    *c = p.clocks;
    queue_tap_destroy(&p.inbox);
    task_reader_destroy(&p.reader);
    return whole;
}

/* See a pass, of which all HSPs come into memory before if it must be one part. */
static bool see_pass(struct host_clocks *c, int64_t end, const struct host_instruments *instruments,
                     struct fifo_measure *inbox)
{
    const struct host_pass *pass = c->pass;
    struct host_pass all = *pass;
    if (pass->tasks.in_file == 0 || !needs_whole(instruments))
        return see_parts(c, end, instruments, inbox);
    if (!stage3_tasks_copy_back(&all.tasks))
        return false;
    c->pass = &all;
    const bool whole = see_parts(c, end, instruments, inbox);
    c->pass = pass;
    stage3_tasks_destroy(&all.tasks);
    return whole;
}

/* --- the frame ------------------------------------------------------------------------------------------- */

static struct host_counts find_counts(const struct host_clocks *c)
{
    const struct host_pass *p = c->pass;
    double drained_s = p->begin_s + p->stream_begin_s + (double)p->board_end / c->hardware->fpga_clock_hz;
    double busy_s = c->busy_s;
    uint64_t cells = c->cells;
    for (size_t i = 0; i < p->cluster_count; i++)
        busy_s += p->clusters[i].end_s - p->clusters[i].begin_s;
    for (size_t i = 0; i < p->tasks.cluster_count; i++)
        cells += p->tasks.clusters[i];
    return (struct host_counts){.hsps = p->tasks.hsp_count,
                                .hsps_contained = c->contained,
                                .cells = cells,
                                .begin_s = p->begin_s,
                                .busy_s = busy_s,
                                .build_s = p->build.end_s - p->build.begin_s,
                                .build_wait_s = p->build_wait_s,
                                .build_operations = p->build_operations,
                                .drain_s = fmax(0, p->end_s - drained_s),
                                .duration_s = p->end_s - p->begin_s};
}

bool host_taps_fill_frame(const struct host_pass *pass, const struct hardware *hardware,
                          struct host_instruments *instruments, struct frame *frame)
{
    struct host_clocks clocks = {.pass = pass, .hardware = hardware};
    struct fifo_measure inbox;
    int64_t end = later(clock_in_run(&clocks, pass->end_s), pass->board_end) + 1;
    const bool whole = see_pass(&clocks, end, instruments, &inbox);
    if (whole) {
        const struct host_counts counts = find_counts(&clocks);
        machine_frame_fill_host(frame, hardware, &counts, &inbox);
    }
    instruments->end_clock = end;
    return whole;
}
