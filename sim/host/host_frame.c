#include "sim/host/host_frame.h"

#include <math.h>
#include <stdlib.h>

#include "traces/list_tap.h"
#include "sim/board/board.h"
#include "sim/measure/machine_frame.h"

/* What happens to a pass's tasks, in clocks of its board. */
struct host_clocks {
    int64_t *hsps[HOST_EVENTS];              /* in stream order */
    int64_t *taken;                          /* those of HOST_TAKEN, in order of time */
    int64_t *clusters_begun, *clusters_done; /* of clusters with cells */
    size_t *clusters;                        /* which these are: in the order in which cores begin them */
    size_t cluster_count;
    const struct host_pass *pass;
    const struct hardware *hardware;
};

/* llround() without a call: half-way cases are rounded away from 0. */
static int64_t rounded(double number)
{
    int64_t whole = (int64_t)number;
    double rest = number - (double)whole;
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

/* The clock of the pass's board at a time since the run began. */
static int64_t clock_in_run(const struct host_clocks *c, double time_s)
{
    double clocks = (time_s - c->pass->begin_s - c->pass->stream_begin_s) * c->hardware->fpga_clock_hz;
    return board_clock_at(rounded(clocks * (double)BOARD_TICKS_PER_CLOCK));
}

static bool reserve_clocks(struct host_clocks *c, struct scratch *scratch)
{
    const struct stage3_tasks *t = &c->pass->tasks;
    const size_t hsps = t->hsp_count * sizeof(int64_t), clusters = t->cluster_count * sizeof(int64_t);
    if (!scratch_begin(scratch, (HOST_EVENTS + 1) * hsps + 3 * clusters))
        return false;
    for (enum host_event event = 0; event < HOST_EVENTS; event++)
        c->hsps[event] = scratch_take(scratch, hsps);
    c->taken = scratch_take(scratch, hsps);
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

/* Rounding lets nothing happen before what it follows. */
static bool host_clocks_init(struct host_clocks *c, struct scratch *scratch)
{
    const struct host_pass *p = c->pass;
    if (!reserve_clocks(c, scratch))
        return false;
    for (size_t i = 0; i < p->tasks.hsp_count; i++) {
        int64_t arrived = board_clock_at(p->tasks.hsps[i].arrived);
        int64_t begun = later(clock_in_run(c, p->hsps[i].begin_s), arrived);
        c->hsps[HOST_ARRIVED][i] = arrived;
        c->hsps[HOST_TAKEN][i] = begun;
        c->hsps[HOST_DONE][i] = later(clock_in_run(c, p->hsps[i].end_s), begun);
    }
    for (size_t i = 0; i < p->tasks.cluster_count; i++) {
        int64_t begun = clock_in_run(c, p->clusters[i].begin_s);
        if (p->tasks.clusters[i] > 0)
            add_cluster(c, i, begun, later(clock_in_run(c, p->clusters[i].end_s), begun));
    }
    list_tap_sort(c->taken, c->hsps[HOST_TAKEN], p->tasks.hsp_count);
    return true;
}

/* --- measuring ------------------------------------------------------------------------------------------- */

/* All that happens in the pass. */
static struct host_part part_of(const struct host_clocks *c, int64_t end)
{
    const struct stage3_tasks *t = &c->pass->tasks;
    struct host_part part = {.stamps = t->stamps, .stamp_count = t->stamp_count, .end = end};
    for (unsigned event = 0; event < HOST_EVENTS; event++) {
        part.lists[event] = (struct host_list){c->hsps[event], NULL, t->hsp_count};
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
static bool tap_host(const struct host_clocks *c, int64_t end, const struct host_instruments *instruments,
                     struct fifo_measure *inbox)
{
    const struct stage3_tasks *t = &c->pass->tasks;
    const struct host_part part = part_of(c, end);
    struct list_tap tap;
    list_tap_init(&tap);
    list_tap_part(&tap, c->hsps[HOST_ARRIVED], t->hsp_count, c->taken, t->hsp_count);
    bool whole = (!instruments->run || run_events_add(instruments->run, c->pass->number, &part)) &&
                 (!instruments->measure || measure_part(instruments->measure, &part, &tap)) &&
                 list_tap_close(&tap, end);
    *inbox = tap.measure;
    list_tap_destroy(&tap);
    return whole;
}

/* --- timeline -------------------------------------------------------------------------------------------- */

static int64_t ps_of(double time_s)
{
    return time_s > 0 ? llround(time_s * 1e12) : 0;
}

static bool draw_task(const struct host_pass *pass, const struct task_times *times, uint32_t hsps,
                      struct host_outline *outline)
{
    const struct busy_span span = {ps_of(times->begin_s), ps_of(times->end_s), times->core,
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
        whole = host_outline_add_waiting(outline, p->host, ps_of(arrived_s), ps_of(p->hsps[i].begin_s));
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

/* --- the frame ------------------------------------------------------------------------------------------- */

static double busy_seconds(const struct host_pass *pass)
{
    double busy_s = 0;
    for (size_t i = 0; i < pass->tasks.hsp_count; i++)
        busy_s += pass->hsps[i].end_s - pass->hsps[i].begin_s;
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

static struct host_counts counts_of(const struct host_pass *pass, const struct hardware *hardware)
{
    double drained_s =
        pass->begin_s + pass->stream_begin_s + (double)pass->board_end / hardware->fpga_clock_hz;
    struct host_counts counts = {.hsps = pass->tasks.hsp_count,
                                 .begin_s = pass->begin_s,
                                 .busy_s = busy_seconds(pass),
                                 .drain_s = fmax(0, pass->end_s - drained_s),
                                 .duration_s = pass->end_s - pass->begin_s};
    stage3_tasks_sum(&pass->tasks, &counts.hsps_contained, &counts.cells);
    return counts;
}

bool host_frame_fill(const struct host_pass *pass, const struct hardware *hardware,
                     struct host_instruments *instruments, struct frame *frame)
{
    struct host_clocks clocks = {.pass = pass, .hardware = hardware};
    struct host_counts counts = counts_of(pass, hardware);
    struct fifo_measure inbox;
    struct scratch own = {0};
    bool whole = host_clocks_init(&clocks, instruments->scratch ? instruments->scratch : &own);
    int64_t end = later(clock_in_run(&clocks, pass->end_s), pass->board_end) + 1;
    whole = whole && (!instruments->outline || draw_pass(pass, hardware, instruments->outline)) &&
            tap_host(&clocks, end, instruments, &inbox);
    if (whole)
        machine_frame_fill_host(frame, hardware, &counts, &inbox);
    scratch_destroy(&own);
    instruments->end_clock = end;
    instruments->events = count_events(&pass->tasks);
    return whole;
}
