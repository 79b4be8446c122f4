#include "sim/pass/run_timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/timeline.h"
#include "sim/board/board_fifos.h"
#include "sim/measure/drawn_events.h"

/* What is shown at most, so that there are tracks for everything. */
enum { BOARDS_SHOWN = 64, HOSTS_SHOWN = 16, CORES_SHOWN = 64, TAILS_SHOWN = 40 };

/* A track of tails, and until when it is taken. */
struct tail {
    int track;
    uint32_t host;
    uint64_t end_ps;
};

/* A step of a counter. */
struct step {
    uint32_t host;
    int change;
    uint64_t at_ps;
};

struct writer {
    const struct run_timeline *run;
    struct timeline *timeline;
    uint32_t boards, hosts, cores; /* shown; cores are those of all hosts */
    struct outline_grain grain;
    struct board_tracks {
        int process, passes, blocks, stages[BOARD_STAGES];
    } board_tracks[BOARDS_SHOWN];
    int host_processes[HOSTS_SHOWN], core_tracks[CORES_SHOWN], inboxes[HOSTS_SHOWN];
    struct tail tails[TAILS_SHOWN];
    unsigned tail_count;
    int fifos[BOARD_FIFOS], stages[BOARD_STAGES], bus_held, queue; /* of the pass that is drawn */
    uint64_t end_ps;                                               /* of the run */
    uint64_t origin_ps;                                            /* clock 0 of the pass that is drawn */
    bool whole;                                                    /* memory has sufficed */
};

static uint64_t ps_of(double time_s)
{
    return time_s > 0 ? (uint64_t)llround(time_s * 1e12) : 0;
}

static int keep(struct writer *w, int number)
{
    w->whole &= number >= 0;
    return number >= 0 ? number : 0;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* --- tracks ---------------------------------------------------------------------------------------------- */

static int add_process(struct writer *w, const char *what, unsigned number)
{
    char name[40];
    snprintf(name, sizeof name, "%s %u", what, number);
    return keep(w, timeline_add_process(w->timeline, name));
}

/* Seconds of a step of the outlines. */
static double step_s(const struct writer *w)
{
    return (double)(UINT64_C(1) << w->grain.step) / w->run->hardware->fpga_clock_hz;
}

static void add_board(struct writer *w, unsigned number)
{
    struct board_tracks *board = &w->board_tracks[number];
    board->process = add_process(w, "board", number + 1);
    if (!w->whole)
        return;
    board->passes = keep(w, timeline_add_slices(w->timeline, board->process, "passes"));
    board->blocks = keep(w, timeline_add_slices(w->timeline, board->process, "bus: blocks"));
    for (unsigned stage = 0; stage < BOARD_STAGES; stage++) {
        char name[80];
        snprintf(name, sizeof name, "stage %s, in steps of %.4g us", board_stages[stage].name,
                 step_s(w) * 1e6);
        board->stages[stage] = keep(w, timeline_add_slices(w->timeline, board->process, name));
    }
}

static void add_boards(struct writer *w)
{
    for (unsigned board = 0; board < w->boards && w->whole; board++)
        add_board(w, board);
}

static void add_hosts(struct writer *w)
{
    for (unsigned host = 0; host < w->hosts && w->whole; host++) {
        w->host_processes[host] = add_process(w, "host", host + 1);
        if (w->whole)
            w->inboxes[host] =
                keep(w, timeline_add_counter(w->timeline, w->host_processes[host], "inbox", "HSPs"));
    }
    for (unsigned core = 0; core < w->cores && w->whole; core++) {
        char name[32];
        unsigned host = core / w->run->hardware->host_cores;
        snprintf(name, sizeof name, "stage 3, core %u", core % w->run->hardware->host_cores + 1);
        w->core_tracks[core] = keep(w, timeline_add_slices(w->timeline, w->host_processes[host], name));
    }
}

static void add_details(struct writer *w, int process)
{
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++)
        w->fifos[fifo] = keep(w, timeline_add_counter(w->timeline, process, board_fifos[fifo].title,
                                                      board_fifos[fifo].element));
    w->queue = keep(w, timeline_add_counter(w->timeline, process, "host queue", "blocks"));
    w->bus_held = keep(w, timeline_add_slices(w->timeline, process, "bus"));
    for (unsigned stage = 0; stage < BOARD_STAGES; stage++) {
        char name[32];
        snprintf(name, sizeof name, "stage %s", board_stages[stage].name);
        w->stages[stage] = keep(w, timeline_add_slices(w->timeline, process, name));
    }
}

/* --- passes ---------------------------------------------------------------------------------------------- */

enum { PASS_ARGUMENTS = 4 };

static void describe_pass(const struct run_timeline *run, size_t pass,
                          struct timeline_argument arguments[PASS_ARGUMENTS])
{
    const struct query_segment *segment = &run->segments[pass];
    arguments[0] = (struct timeline_argument){"pass", NULL, (double)(pass + 1)};
    arguments[1] = (struct timeline_argument){"strand", segment->strand == STRAND_PLUS ? "plus" : "minus", 0};
    arguments[2] = (struct timeline_argument){"first base of segment", NULL, (double)(segment->begin + 1)};
    arguments[3] =
        (struct timeline_argument){"last base of segment", NULL, (double)(segment->begin + segment->length)};
}

static void show_phase(struct writer *w, int track, size_t pass, const char *phase, uint64_t begin_ps,
                       uint64_t end_ps)
{
    char name[60];
    struct timeline_argument arguments[PASS_ARGUMENTS];
    snprintf(name, sizeof name, "pass %zu: %s", pass + 1, phase);
    describe_pass(w->run, pass, arguments);
    if (end_ps > begin_ps)
        timeline_slice_with(w->timeline, track, begin_ps, end_ps, name, arguments, PASS_ARGUMENTS);
}

/* Find a track of a host for a tail, or add one. @return NULL if there are too many */
static struct tail *find_tail(struct writer *w, uint32_t host, uint64_t begin_ps)
{
    for (unsigned i = 0; i < w->tail_count; i++)
        if (w->tails[i].host == host && w->tails[i].end_ps <= begin_ps)
            return &w->tails[i];
    if (w->tail_count == TAILS_SHOWN || host >= w->hosts)
        return NULL;
    struct tail *tail = &w->tails[w->tail_count++];
    *tail = (struct tail){.host = host};
    tail->track = keep(w, timeline_add_slices(w->timeline, w->host_processes[host], "tails of passes"));
    return w->whole ? tail : NULL;
}

static int compare_tails(const void *a, const void *b)
{
    const struct pass_times *x = *(const struct pass_times *const *)a,
                            *y = *(const struct pass_times *const *)b;
    return (x->board_free_s > y->board_free_s) - (x->board_free_s < y->board_free_s);
}

/* Tails begin in another order than passes, if there are several boards. */
static void show_tails(struct writer *w)
{
    const struct run_timeline *run = w->run;
    const struct pass_times **order = malloc((run->pass_count + 1) * sizeof *order);
    w->whole &= order != NULL;
    for (size_t i = 0; order && i < run->pass_count; i++)
        order[i] = &run->passes[i];
    if (order)
        qsort(order, run->pass_count, sizeof *order, compare_tails);
    for (size_t i = 0; order && i < run->pass_count && w->whole; i++) {
        size_t pass = (size_t)(order[i] - run->passes);
        uint64_t begin_ps = ps_of(order[i]->board_free_s), end_ps = ps_of(order[i]->end_s);
        struct tail *tail =
            end_ps > begin_ps ? find_tail(w, hardware_host_of(run->hardware, pass), begin_ps) : NULL;
        if (!tail)
            continue;
        show_phase(w, tail->track, pass, "tail", begin_ps, end_ps);
        tail->end_ps = end_ps;
    }
    free(order);
}

static void show_passes(struct writer *w)
{
    for (size_t i = 0; i < w->run->pass_count; i++) {
        const struct pass_times *p = &w->run->passes[i];
        w->end_ps = ps_of(p->end_s) > w->end_ps ? ps_of(p->end_s) : w->end_ps;
        if (p->board >= w->boards)
            continue;
        int track = w->board_tracks[p->board].passes;
        show_phase(w, track, i, "load", ps_of(p->begin_s), ps_of(p->stream_begin_s));
        show_phase(w, track, i, "stream", ps_of(p->stream_begin_s), ps_of(p->board_free_s));
    }
    show_tails(w);
}

/* --- outlines -------------------------------------------------------------------------------------------- */

/* Make all outlines as fine as the coarsest. */
static struct outline_grain even_out(const struct run_timeline *run)
{
    struct outline_grain grain = {0};
    for (size_t i = 0; i < run->pass_count; i++) {
        const struct outline_grain *of_pass = &run->outlines[i].grain;
        grain.step = of_pass->step > grain.step ? of_pass->step : grain.step;
        grain.blocks = of_pass->blocks > grain.blocks ? of_pass->blocks : grain.blocks;
    }
    for (size_t i = 0; i < run->pass_count; i++)
        pass_outline_coarsen(&run->outlines[i], grain);
    return grain;
}

static void name_blocks(const struct pass_outline *outline, size_t number, char *name, size_t room)
{
    uint64_t first = ((uint64_t)number << outline->grain.blocks) + 1, last = ((uint64_t)number + 1)
                                                                             << outline->grain.blocks;
    last = last < outline->blocks_added ? last : outline->blocks_added;
    if (first == last)
        snprintf(name, room, "block %" PRIu64, first);
    else
        snprintf(name, room, "blocks %" PRIu64 " to %" PRIu64, first, last);
}

static void show_blocks(struct writer *w, int track, size_t pass, uint64_t origin_ps)
{
    const struct pass_outline *outline = &w->run->outlines[pass];
    const double bus = hardware_bus_bytes_per_s(w->run->hardware);
    struct timeline_argument arguments[PASS_ARGUMENTS + 3];
    char name[60];
    describe_pass(w->run, pass, arguments);
    for (size_t i = 0; i < outline->block_count; i++) {
        const struct outline_blocks *b = &outline->blocks[i];
        double bytes = (double)b->bytes, seconds = (double)(b->end_ps - b->begin_ps) * 1e-12;
        name_blocks(outline, i, name, sizeof name);
        arguments[PASS_ARGUMENTS] =
            (struct timeline_argument){"block", NULL, (double)(i << outline->grain.blocks) + 1};
        arguments[PASS_ARGUMENTS + 1] = (struct timeline_argument){"bytes", NULL, bytes};
        arguments[PASS_ARGUMENTS + 2] =
            (struct timeline_argument){"share of the bus", NULL, seconds > 0 ? bytes / seconds / bus : 0};
        timeline_slice_with(w->timeline, track, origin_ps + b->begin_ps, origin_ps + b->end_ps, name,
                            arguments, PASS_ARGUMENTS + 3);
    }
}

static void show_stage(struct writer *w, const struct pass_outline *outline, enum board_stage stage,
                       int track, uint64_t origin_ps)
{
    const double clock_hz = w->run->hardware->fpga_clock_hz;
    int64_t begin = 0, end = 0; /* clocks of the slice */
    for (size_t i = 0; i <= outline->step_count; i++) {
        int64_t step = (int64_t)i << outline->grain.step;
        uint32_t busy = i < outline->step_count ? outline->busy[i][stage] : 0;
        if (end == step && busy > 0) {
            end = step + busy;
            continue;
        }
        timeline_slice(w->timeline, track, origin_ps + drawing_clock_ps(begin, clock_hz),
                       origin_ps + drawing_clock_ps(end, clock_hz), "busy");
        begin = step;
        end = step + busy;
    }
}

/* What all passes do on their boards, so that each is there if the file reaches its cap later. */
static void show_outlines(struct writer *w)
{
    for (size_t i = 0; i < w->run->pass_count; i++) {
        const struct pass_times *pass = &w->run->passes[i];
        const uint64_t origin_ps = ps_of(pass->stream_begin_s);
        if (pass->board >= w->boards)
            continue;
        const struct board_tracks *board = &w->board_tracks[pass->board];
        show_blocks(w, board->blocks, i, origin_ps);
        for (enum board_stage stage = 0; stage < BOARD_STAGES; stage++)
            show_stage(w, &w->run->outlines[i], stage, board->stages[stage], origin_ps);
    }
    timeline_add_fact(w->timeline, "busy_step_us", step_s(w) * 1e6);
    timeline_add_fact(w->timeline, "busy_step_clocks", (double)(UINT64_C(1) << w->grain.step));
    timeline_add_fact(w->timeline, "blocks_per_slice", (double)(UINT64_C(1) << w->grain.blocks));
}

/* --- hosts ----------------------------------------------------------------------------------------------- */

/* @return NULL if memory is exhausted or the file cannot be read */
static struct drawn_event *read_events(FILE *file, size_t *count)
{
    struct drawn_event *events = NULL;
    long bytes = fflush(file) == 0 && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    *count = bytes > 0 ? (size_t)bytes / sizeof *events : 0;
    if (bytes >= 0)
        events = malloc((*count + 1) * sizeof *events);
    if (events && fread(events, sizeof *events, *count, file) == *count)
        return events;
    free(events);
    return NULL;
}

static int compare_events(const void *a, const void *b)
{
    const struct drawn_event *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->kind == DRAWN_CORE && x->track != y->track)
        return x->track < y->track ? -1 : 1;
    return x->begin_ps != y->begin_ps ? (x->begin_ps < y->begin_ps ? -1 : 1)
                                      : (x->end_ps > y->end_ps) - (x->end_ps < y->end_ps);
}

/* Put the events of a host at their times of the run. */
static void place_event(const struct writer *w, struct drawn_event *event)
{
    uint32_t host = hardware_host_of(w->run->hardware, event->pass);
    uint64_t begin_ps = ps_of(w->run->host_begins_s[host]);
    event->begin_ps += begin_ps;
    event->end_ps += begin_ps;
    if (event->kind == DRAWN_CORE)
        event->track += host * w->run->hardware->host_cores;
}

static void show_core(struct writer *w, const struct drawn_event *event)
{
    char what[40] = "cluster";
    const struct timeline_argument pass = {"pass", NULL, (double)event->pass + 1};
    if (event->track >= w->cores)
        return;
    if (event->value > 0)
        snprintf(what, sizeof what, "%" PRIu32 " HSP%s", event->value, event->value == 1 ? "" : "s");
    timeline_slice_with(w->timeline, w->core_tracks[event->track], event->begin_ps, event->end_ps, what,
                        &pass, 1);
}

static int compare_steps(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    return y->change - x->change; /* what comes before what goes */
}

/* Draw counters from their steps, in any order. @param counters  of each host */
static void show_steps(struct writer *w, struct step *steps, size_t count, const int *counters)
{
    uint64_t values[HOSTS_SHOWN] = {0};
    qsort(steps, count, sizeof *steps, compare_steps);
    for (size_t i = 0; i < count; i++) {
        uint64_t *value = &values[steps[i].host];
        *value += (uint64_t)steps[i].change;
        timeline_count(w->timeline, counters[steps[i].host], steps[i].at_ps, *value);
    }
}

static bool is_queue(const struct drawn_event *event)
{
    return event->kind == DRAWN_INBOX || event->kind == DRAWN_QUEUE;
}

/* Draw the queue that events of a kind make, each being an element from its begin to its end. */
static void show_queue(struct writer *w, const struct drawn_event *events, size_t count, uint64_t origin_ps,
                       const int *counters)
{
    struct step *steps = malloc((2 * count + 1) * sizeof *steps);
    size_t n = 0;
    w->whole &= steps != NULL;
    for (size_t i = 0; steps && i < count; i++) {
        const struct drawn_event *e = &events[i];
        uint32_t host = e->kind == DRAWN_INBOX ? hardware_host_of(w->run->hardware, e->pass) : 0;
        if (!is_queue(e) || host >= w->hosts)
            continue;
        steps[n++] = (struct step){host, 1, origin_ps + e->begin_ps};
        steps[n++] = (struct step){host, -1, origin_ps + e->end_ps};
    }
    if (steps)
        show_steps(w, steps, n, counters);
    free(steps);
}

static void show_hosts(struct writer *w)
{
    size_t count;
    if (w->run->host_missing > 0) {
        timeline_add_fact(w->timeline, "host_events_missing", (double)w->run->host_missing);
        timeline_add_fact(w->timeline, "host_cut_us", (double)w->run->host_missing_ps * 1e-6);
    }
    struct drawn_event *events = read_events(w->run->host, &count);
    w->whole &= events != NULL;
    for (size_t i = 0; events && i < count; i++)
        place_event(w, &events[i]);
    if (events)
        qsort(events, count, sizeof *events, compare_events);
    for (size_t i = 0; events && i < count; i++)
        if (events[i].kind == DRAWN_CORE)
            show_core(w, &events[i]);
    if (events)
        show_queue(w, events, count, 0, w->inboxes);
    free(events);
}

/* --- the pass that is drawn ------------------------------------------------------------------------------ */

static void show_trips(struct writer *w, const struct drawn_event *event, uint64_t begin_ps, uint64_t end_ps)
{
    char trips[32];
    snprintf(trips, sizeof trips, "%" PRIu32 " trip%s", event->value, event->value == 1 ? "" : "s");
    timeline_slice(w->timeline, w->stages[event->track], begin_ps, end_ps, trips);
}

static void show_event(struct writer *w, const struct drawn_event *event)
{
    uint64_t begin_ps = w->origin_ps + event->begin_ps, end_ps = w->origin_ps + event->end_ps;
    if (event->kind == DRAWN_LEVEL)
        timeline_count(w->timeline, w->fifos[event->track], begin_ps, event->value);
    else if (event->kind == DRAWN_BUS_HELD)
        timeline_slice(w->timeline, w->bus_held, begin_ps, end_ps, "held");
    else if (event->kind == DRAWN_TRIPS)
        show_trips(w, event, begin_ps, end_ps);
    else if (event->kind != DRAWN_QUEUE)
        timeline_slice(w->timeline, w->stages[event->track], begin_ps, end_ps,
                       event->kind == DRAWN_BUSY ? "busy" : "held");
}

static void show_details(struct writer *w)
{
    const struct run_timeline *run = w->run;
    const struct pass_times *pass = &run->passes[run->request->pass - 1];
    uint64_t end_ps = drawing_end_ps(run->request);
    char name[80];
    size_t count;
    struct drawn_event *events = pass->board < w->boards ? read_events(run->board, &count) : NULL;
    w->whole &= events != NULL;
    if (!events)
        return;
    w->origin_ps = ps_of(pass->stream_begin_s);
    timeline_begin_window(w->timeline, w->origin_ps + drawing_begin_ps(run->request),
                          end_ps == UINT64_MAX ? end_ps : w->origin_ps + end_ps, w->end_ps);
    snprintf(name, sizeof name, "pass %" PRIu64 " on board %" PRIu32 ", in detail", run->request->pass,
             pass->board + 1);
    int process = keep(w, timeline_add_process(w->timeline, name));
    if (w->whole)
        add_details(w, process);
    for (size_t i = 0; i < count && w->whole; i++)
        show_event(w, &events[i]);
    if (w->whole)
        show_queue(w, events, count, w->origin_ps, &w->queue);
    free(events);
}

/* --- the whole ------------------------------------------------------------------------------------------- */

static void write_all(struct writer *w)
{
    add_boards(w);
    if (w->whole)
        add_hosts(w);
    if (w->whole)
        show_passes(w);
    if (w->whole)
        show_outlines(w);
    if (w->whole)
        show_hosts(w);
    if (w->whole)
        show_details(w);
}

struct outline_grain run_timeline_write(const struct run_timeline *run, FILE *out, struct drawn *drawn)
{
    const struct hardware *h = run->hardware;
    struct writer w = {
        .run = run, .timeline = timeline_open(out, run->request->bytes_max), .whole = true, .end_ps = 0};
    drawn->status = DRAWING_EMEMORY;
    if (!w.timeline)
        return w.grain;
    w.grain = even_out(run);
    w.hosts = least(h->hosts, HOSTS_SHOWN);
    w.boards = least(h->boards * h->hosts, BOARDS_SHOWN);
    w.cores = least(h->host_cores * w.hosts, CORES_SHOWN);
    write_all(&w);
    uint64_t end_ps = w.origin_ps + drawing_clock_ps(run->drawn_end, h->fpga_clock_hz);
    drawn->status = timeline_close(w.timeline, end_ps, &drawn->report);
    drawn->report.end_ps = end_ps - w.origin_ps;
    drawn->report.missing += run->host_missing + run->board_missing;
    if (run->host_missing > 0 && drawn->status == DRAWING_WHOLE) {
        drawn->status = DRAWING_CUT;
        drawn->report.cut_ps = run->host_missing_ps;
    }
    if (!w.whole)
        drawn->status = DRAWING_EMEMORY;
    return w.grain;
}
