#include "sim/host/host_taps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"
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

/* --- the inbox --------------------------------------------------------------------------------------------- */

enum { BLOCK_CLOCKS = 512 };

/* Clocks that are known and lie at or after the clock up to which the inbox has been seen, in any order: to sort them
 * takes long where batches of several cores overlap. */
struct clocks_ahead {
    int64_t *clocks;       /* with room for those of all HSPs */
    int64_t *block_leasts; /* of each block of the array: its least clock */
    int64_t *least_from;   /* the least clock in a block and those after it: find_least() */
    int64_t *taken;        /* with room for all */
    size_t first, count;
};

static size_t clocks_end(const struct clocks_ahead *a)
{
    return a->first + a->count;
}

static void add_clocks(struct clocks_ahead *a, const int64_t *clocks, size_t count)
{
    for (size_t i = 0; i < count;) {
        const size_t at = clocks_end(a), room = BLOCK_CLOCKS - at % BLOCK_CLOCKS;
        const size_t some = room < count - i ? room : count - i;
        int64_t *least = &a->block_leasts[at / BLOCK_CLOCKS], of_some = INT64_MAX;
        for (size_t k = 0; k < some; k++) {
            a->clocks[at + k] = clocks[i + k];
            of_some = clocks[i + k] < of_some ? clocks[i + k] : of_some;
        }
        *least = at > a->first && at % BLOCK_CLOCKS > 0 && *least < of_some ? *least : of_some;
        a->count += some;
        i += some;
    }
}

static void find_least(struct clocks_ahead *a)
{
    int64_t least = INT64_MAX;
    for (size_t block = (clocks_end(a) + BLOCK_CLOCKS - 1) / BLOCK_CLOCKS; block > a->first / BLOCK_CLOCKS;
         block--) {
        least = a->block_leasts[block - 1] < least ? a->block_leasts[block - 1] : least;
        a->least_from[block - 1] = least;
    }
}

/* The least clock in the block that begins at a place, and in those after it. */
static int64_t least_from(const struct clocks_ahead *a, size_t place)
{
    return place < clocks_end(a) ? a->least_from[place / BLOCK_CLOCKS] : INT64_MAX;
}

/* Take out those before a clock. @return their number */
static size_t take_clocks(struct clocks_ahead *a, int64_t clock)
{
    int64_t *from = a->clocks + a->first;
    size_t stop = a->first, taken = 0, left = 0;
    do
        stop = (stop / BLOCK_CLOCKS + 1) * BLOCK_CLOCKS;
    while (least_from(a, stop) < clock);
    stop = stop < clocks_end(a) ? stop : clocks_end(a);
    const size_t count = stop - a->first;
    for (size_t i = 0; i < count; i++) {
        const int64_t next = from[i];
        const bool is_before = next < clock;
        a->taken[taken] = next;
        from[left] = next;
        taken += is_before;
        left += !is_before;
    }
    memmove(from + count - left, from, left * sizeof *from);
    for (size_t block = a->first / BLOCK_CLOCKS; block * BLOCK_CLOCKS < stop; block++)
        a->block_leasts[block] = a->least_from[block] = clock; /* of what has moved there, or less */
    a->first += taken;
    a->count -= taken;
    return taken;
}

/* Move what is left to the begin of the array, if it is little. */
static void tidy_clocks(struct clocks_ahead *a)
{
    const struct clocks_ahead before = *a;
    if (a->first < a->count + 4 * BLOCK_CLOCKS)
        return;
    a->first = a->count = 0;
    add_clocks(a, before.clocks + before.first, before.count);
}

/* What sees a pass, part by part, or as one part. */
struct parts {
    struct host_clocks clocks;
    const struct host_instruments *instruments;
    struct task_reader reader;
    struct clocks_ahead arrived, taken;
    struct queue_tap inbox;
    int64_t end;
    bool is_done;
};

/* See the inbox up to a clock, before which no event is left, in short stretches: in most of them it stays deep if it
 * is. A stretch ends before any clock of the blocks that it does not look at. */
static void see_inbox(struct parts *p, int64_t end)
{
    for (int64_t until = 0; until < end;) {
        size_t stop = p->taken.first;
        do {
            stop = (stop / BLOCK_CLOCKS + 1) * BLOCK_CLOCKS;
            until = least_from(&p->taken, stop) < end ? least_from(&p->taken, stop) : end;
        } while (until <= p->inbox.clock && until < end);
        const size_t taken = take_clocks(&p->taken, until), arrived = take_clocks(&p->arrived, until);
        queue_tap_take(&p->inbox, p->arrived.taken, arrived, p->taken.taken, taken, until);
    }
}

/* Measure a part, with what its frames see of the inbox. */
static void measure_inbox(struct parts *p, const struct host_part *part)
{
    const size_t taken = take_clocks(&p->taken, part->end), arrived = take_clocks(&p->arrived, part->end);
    queue_tap_part(&p->inbox, p->arrived.taken, arrived, p->taken.taken, taken);
    measure_host(p->instruments->measure, part, &p->inbox);
}

/* --- parts ------------------------------------------------------------------------------------------------- */

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
        add_clocks(&p->arrived, c->hsps[HOST_ARRIVED], r->count);
        add_clocks(&p->taken, c->hsps[HOST_TAKEN], r->count);
    }
    p->is_done = task_reader_is_done(r);
    if (p->is_done && !c->only_waiting)
        take_clusters(c);
    const int64_t end = p->is_done ? p->end : c->hsps[HOST_ARRIVED][r->count - 1];
    const struct host_part part = part_of(c, r->stamps, end);
    find_least(&p->arrived);
    find_least(&p->taken);
    if (to->outline)
        draw_whole(p);
    if (to->run)
        tell_run(to->run, c, &part);
    if (to->measure)
        measure_inbox(p, &part);
    else
        see_inbox(p, end);
    tidy_clocks(&p->arrived);
    tidy_clocks(&p->taken);
    return true;
}

/* @param most  number of HSPs in a part */
static void reserve_parts(struct parts *p, size_t most, struct scratch *scratch)
{
    struct host_clocks *c = &p->clocks;
    const size_t clusters = c->pass->cluster_count + 1, /* and building tables */
        all = c->pass->tasks.hsp_count + 1, blocks = c->pass->tasks.hsp_count / BLOCK_CLOCKS + 1;
    const struct {
        int64_t **array;
        size_t count;
    } arrays[] = {
        {&c->hsps[HOST_ARRIVED], most},   {&c->hsps[HOST_TAKEN], most},
        {&c->hsps[HOST_DONE], most},      {&c->clusters_begun, clusters},
        {&c->clusters_done, clusters},    {&p->arrived.clocks, all},
        {&p->arrived.taken, all},         {&p->arrived.block_leasts, blocks},
        {&p->arrived.least_from, blocks}, {&p->taken.clocks, all},
        {&p->taken.taken, all},           {&p->taken.block_leasts, blocks},
        {&p->taken.least_from, blocks},
    };
    const size_t count = sizeof arrays / sizeof arrays[0];
    size_t clocks = 0;
    for (size_t i = 0; i < count; i++)
        clocks += arrays[i].count;
    scratch_begin(scratch, clocks * sizeof(int64_t));
    /* most of it is touched only if the inbox is deep */
    huge_pages_expect(scratch->memory, scratch->room, 0);
    for (size_t i = 0; i < count; i++)
        *arrays[i].array = scratch_take(scratch, arrays[i].count * sizeof(int64_t));
}

static bool see_parts(struct host_clocks *c, int64_t end, const struct host_instruments *instruments,
                      struct scratch *scratch, struct fifo_measure *inbox)
{
    struct parts p = {.clocks = *c, .instruments = instruments, .end = end};
    const size_t most = needs_whole(instruments) ? c->pass->tasks.hsp_count + 1 : TASK_READER_HSPS;
    p.clocks.only_waiting = !instruments->measure && !instruments->run;
    queue_tap_init(&p.inbox, 0, instruments->measure);
    reserve_parts(&p, most, scratch);
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
                     struct scratch *scratch, struct fifo_measure *inbox)
{
    const struct host_pass *pass = c->pass;
    struct host_pass all = *pass;
    if (pass->tasks.in_file == 0 || !needs_whole(instruments))
        return see_parts(c, end, instruments, scratch, inbox);
    if (!stage3_tasks_copy_back(&all.tasks))
        return false;
    c->pass = &all;
    const bool whole = see_parts(c, end, instruments, scratch, inbox);
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
    struct scratch own = {0}, *scratch = instruments->scratch ? instruments->scratch : &own;
    int64_t end = later(clock_in_run(&clocks, pass->end_s), pass->board_end) + 1;
    const bool whole = see_pass(&clocks, end, instruments, scratch, &inbox);
    if (whole) {
        const struct host_counts counts = find_counts(&clocks);
        machine_frame_fill_host(frame, hardware, &counts, &inbox);
    }
    scratch_destroy(&own);
    instruments->end_clock = end;
    return whole;
}
