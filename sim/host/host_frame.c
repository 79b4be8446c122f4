#include "sim/host/host_frame.h"

#include <math.h>
#include <stdlib.h>

#include "traces/fifo_tap.h"
#include "sim/board/board.h"
#include "sim/measure/machine_frame.h"

/* Something that happens to a task in a clock. */
struct event {
    int64_t clock;
    size_t task;
};

/* The events of a pass's tasks, each kind in order of its clocks. */
enum event_kind { HSP_ARRIVED, HSP_TAKEN, HSP_DONE, CLUSTER_TAKEN, CLUSTER_DONE, EVENT_KINDS };

struct host_clocks {
    struct event *events[EVENT_KINDS];
    size_t counts[EVENT_KINDS];
    int64_t *begun; /* of each HSP */
    const struct host_pass *pass;
    const struct hardware *hardware;
};

/* The clock of the pass's board at a time since the pass began. */
static int64_t clock_at(const struct host_clocks *c, double since_s)
{
    double clocks = (since_s - c->pass->stream_begin_s) * c->hardware->fpga_clock_hz;
    return board_clock_at(llround(clocks * (double)BOARD_TICKS_PER_CLOCK));
}

/* The same at a time since the run began. */
static int64_t clock_in_run(const struct host_clocks *c, double time_s)
{
    return clock_at(c, time_s - c->pass->begin_s);
}

static void add_event(struct host_clocks *c, enum event_kind kind, int64_t clock, size_t task)
{
    c->events[kind][c->counts[kind]++] = (struct event){clock, task};
}

/* Sort events that are almost in order: cores begin HSPs within a batch of each other. */
static void sort_events(struct event *events, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct event event = events[i];
        size_t at = i;
        for (; at > 0 && events[at - 1].clock > event.clock; at--)
            events[at] = events[at - 1];
        events[at] = event;
    }
}

static bool reserve_events(struct host_clocks *c)
{
    const struct stage3_tasks *t = &c->pass->tasks;
    bool reserved = (c->begun = malloc((t->hsp_count + 1) * sizeof *c->begun)) != NULL;
    for (enum event_kind kind = 0; kind < EVENT_KINDS && reserved; kind++) {
        size_t count = kind < CLUSTER_TAKEN ? t->hsp_count : t->cluster_count;
        reserved = (c->events[kind] = malloc((count + 1) * sizeof *c->events[kind])) != NULL;
    }
    return reserved;
}

/* Rounding lets nothing happen before what it follows. */
static bool host_clocks_init(struct host_clocks *c)
{
    const struct host_pass *p = c->pass;
    if (!reserve_events(c))
        return false;
    for (size_t i = 0; i < p->tasks.hsp_count; i++) {
        int64_t arrived = board_clock_at(p->tasks.hsps[i].arrived);
        c->begun[i] = later(clock_in_run(c, p->hsps[i].begin_s), arrived);
        add_event(c, HSP_ARRIVED, arrived, i);
        add_event(c, HSP_TAKEN, c->begun[i], i);
        add_event(c, HSP_DONE, later(clock_in_run(c, p->hsps[i].end_s), c->begun[i]), i);
    }
    for (size_t i = 0; i < p->tasks.cluster_count; i++) {
        int64_t begun = clock_in_run(c, p->clusters[i].begin_s);
        if (p->tasks.clusters[i] == 0)
            continue;
        add_event(c, CLUSTER_TAKEN, begun, i);
        add_event(c, CLUSTER_DONE, later(clock_in_run(c, p->clusters[i].end_s), begun), i);
    }
    for (enum event_kind kind = HSP_TAKEN; kind < EVENT_KINDS; kind++)
        sort_events(c->events[kind], c->counts[kind]);
    return true;
}

static void host_clocks_destroy(struct host_clocks *c)
{
    for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++)
        free(c->events[kind]);
    free(c->begun);
}

/* --- the inbox ------------------------------------------------------------------------------------------- */

static bool tap_inbox(const struct host_clocks *c, int64_t end, struct fifo_measure *inbox)
{
    struct fifo_tap tap;
    bool whole = true;
    fifo_tap_init(&tap, 0);
    for (size_t i = 0; i < c->counts[HSP_ARRIVED] && whole; i++)
        whole = fifo_tap_element(&tap, c->events[HSP_ARRIVED][i].clock, c->events[HSP_TAKEN][i].clock);
    *inbox = *fifo_tap_close(&tap, end);
    fifo_tap_destroy(&tap);
    return whole;
}

/* --- measuring ------------------------------------------------------------------------------------------- */

static void let_happen(const struct host_clocks *c, enum event_kind kind, const struct event *event,
                       const struct host_instruments *instruments)
{
    static const enum host_event events[] = {HOST_ARRIVED, HOST_TAKEN, HOST_DONE, HOST_EVENTS, HOST_EVENTS};
    const struct stage3_tasks *t = &c->pass->tasks;
    const size_t first_stamp = kind <= HSP_DONE ? event->task * t->stamp_count : 0;
    struct host_happening happening = {.clock = event->clock, .event = events[kind]};
    if (kind <= HSP_DONE) {
        struct measured_hsp *hsp = &happening.hsp;
        hsp->stamps = t->stamps + first_stamp;
        hsp->clocks[HOST_ARRIVED] = board_clock_at(t->hsps[event->task].arrived);
        hsp->clocks[HOST_TAKEN] = c->begun[event->task];
        hsp->clocks[events[kind]] = event->clock;
    }
    if (kind != HSP_ARRIVED)
        happening.core_change = kind == HSP_TAKEN || kind == CLUSTER_TAKEN ? 1 : -1;
    if (instruments->measure)
        measure_happening(instruments->measure, &happening);
    if (instruments->run)
        run_events_add(instruments->run, &happening, first_stamp);
}

/* Let all events happen in order of their clocks; of events of one clock, earlier kinds first. */
static void let_all_happen(const struct host_clocks *c, const struct host_instruments *instruments)
{
    size_t next[EVENT_KINDS] = {0};
    for (;;) {
        enum event_kind first = EVENT_KINDS;
        int64_t clock = INT64_MAX;
        for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++)
            if (next[kind] < c->counts[kind] && c->events[kind][next[kind]].clock < clock) {
                first = kind;
                clock = c->events[kind][next[kind]].clock;
            }
        if (first == EVENT_KINDS)
            break;
        let_happen(c, first, &c->events[first][next[first]++], instruments);
    }
}

static bool begin_telling(const struct host_clocks *c, struct run_events *run)
{
    const struct stage3_tasks *t = &c->pass->tasks;
    size_t count = 0;
    for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++)
        count += c->counts[kind];
    return run_events_begin_pass(run, c->pass->number, count, t->stamps, t->hsp_count * t->stamp_count);
}

/* @return false if memory is exhausted */
static bool measure_events(const struct host_clocks *c, int64_t end,
                           const struct host_instruments *instruments)
{
    if (!instruments->measure && !instruments->run)
        return true;
    if (instruments->run && !begin_telling(c, instruments->run))
        return false;
    let_all_happen(c, instruments);
    if (instruments->measure)
        measure_end_host(instruments->measure, end);
    if (instruments->run)
        run_events_end_pass(instruments->run);
    return true;
}

/* --- timeline -------------------------------------------------------------------------------------------- */

static void draw_task(const struct host_clocks *c, const struct task_times *times, uint64_t hsps,
                      struct machine_timeline *timeline)
{
    int64_t begun = clock_in_run(c, times->begin_s), done = clock_in_run(c, times->end_s);
    machine_timeline_core(timeline, times->core, begun, later(done, begun), hsps);
}

/* HSPs that a core did without a pause are one slice. Clusters come in the order in which they were begun. */
static void draw_core(const struct host_clocks *c, uint32_t core, struct machine_timeline *timeline)
{
    const struct host_pass *p = c->pass;
    const struct event *clusters = c->events[CLUSTER_TAKEN];
    size_t cluster = 0, hsp = 0, hsps = p->tasks.hsp_count, cluster_count = c->counts[CLUSTER_TAKEN];
    while (hsp < hsps || cluster < cluster_count) {
        const struct task_times *next = cluster < cluster_count ? &p->clusters[clusters[cluster].task] : NULL;
        if (hsp < hsps && p->hsps[hsp].core != core) {
            hsp++;
        } else if (next && next->core != core) {
            cluster++;
        } else if (!next || (hsp < hsps && p->hsps[hsp].begin_s < next->begin_s)) {
            struct task_times times = p->hsps[hsp++];
            uint64_t count = 1;
            for (; hsp < hsps && p->hsps[hsp].core == core && p->hsps[hsp].begin_s <= times.end_s;
                 hsp++, count++)
                times.end_s = p->hsps[hsp].end_s;
            draw_task(c, &times, count, timeline);
        } else {
            draw_task(c, next, 0, timeline);
            cluster++;
        }
    }
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
    bool whole = host_clocks_init(&clocks);
    int64_t end = later(clock_in_run(&clocks, pass->end_s), pass->board_end) + 1;
    whole = whole && measure_events(&clocks, end, instruments);
    for (uint32_t core = 0; whole && instruments->timeline && core < hardware->host_cores; core++)
        draw_core(&clocks, core, instruments->timeline);
    whole = whole && tap_inbox(&clocks, end, &inbox);
    if (whole)
        machine_frame_fill_host(frame, hardware, &counts, &inbox);
    instruments->end_clock = end;
    instruments->events = count_events(&pass->tasks);
    host_clocks_destroy(&clocks);
    return whole;
}
