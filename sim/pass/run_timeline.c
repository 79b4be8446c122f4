#include "sim/pass/run_timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "traces/drawing/timeline.h"
#include "sim/board/board_fifos.h"
#include "sim/drawing/machine_timeline.h"

/* What is shown at most, so that there are tracks for everything. */
enum { BOARDS_SHOWN = 64, TAILS_SHOWN = 40 };

/* A track of tails, and until when it is taken. */
struct tail {
    int track;
    uint32_t host;
    uint64_t end_ps;
};

/* A step of a counter. */
struct step {
    int change;
    uint64_t at_ps;
};

struct writer {
    const struct run_timeline *run;
    struct timeline *timeline;
    uint32_t boards; /* shown */
    struct timeline_grain grain;
    struct board_tracks {
        int passes, blocks, stages[BOARD_STAGES];
    } board_tracks[BOARDS_SHOWN];
    int host_processes[HOST_OUTLINE_HOSTS], core_tracks[HOST_OUTLINE_CORES], inboxes[HOST_OUTLINE_HOSTS];
    struct tail tails[TAILS_SHOWN];
    unsigned tail_count;
    int fifos[BOARD_FIFOS], stages[BOARD_STAGES], bus_held, queue; /* of the pass that is drawn */
    uint64_t end_ps;                                               /* of the run */
    uint64_t origin_ps;                                            /* clock 0 of the pass that is drawn */
};

static uint64_t ps_of(double time_s)
{
    return (uint64_t)drawing_ps(time_s);
}

/* --- tracks ---------------------------------------------------------------------------------------------- */

/* Microseconds of a step of the passes' outlines, and of the hosts'. */
static double step_us(const struct writer *w)
{
    return (double)(UINT64_C(1) << w->grain.passes.step) / w->run->hardware->fpga_clock_hz * 1e6;
}

static double host_step_us(const struct writer *w)
{
    return 1e-6 * (double)(UINT64_C(1) << w->grain.host_step);
}

/* A number counts over all hosts. */
static const char *name_board(const struct run_timeline *run, uint32_t number, char name[64])
{
    const unsigned each = (unsigned)run->hardware->boards;
    int length = snprintf(name, 64, "board %" PRIu32, number + 1);
    if (run->hardware->hosts > 1)
        snprintf(name + length, 64 - (size_t)length, " (host %u, board %u)", number / each + 1,
                 number % each + 1);
    return name;
}

static void add_boards(struct writer *w)
{
    for (unsigned number = 0; number < w->boards; number++) {
        struct board_tracks *board = &w->board_tracks[number];
        char name[64];
        const int process = timeline_add_process(w->timeline, "%s", name_board(w->run, number, name));
        board->passes = timeline_add_track(w->timeline, process, NULL, "passes");
        board->blocks = timeline_add_track(w->timeline, process, NULL, "bus: blocks");
        for (unsigned stage = 0; stage < BOARD_STAGES; stage++)
            board->stages[stage] =
                timeline_add_track(w->timeline, process, NULL, "stage %s, in steps of %.4g us",
                                   board_stages[stage].name, step_us(w));
    }
}

static void add_hosts(struct writer *w)
{
    const struct host_outline *shown = w->run->host;
    for (unsigned host = 0; host < shown->hosts; host++) {
        w->host_processes[host] = timeline_add_process(w->timeline, "host %u", host + 1);
        w->inboxes[host] = timeline_add_track(w->timeline, w->host_processes[host], "HSPs",
                                              "inbox, mean in steps of %.4g us", host_step_us(w));
    }
    for (unsigned core = 0; core < shown->cores; core++)
        w->core_tracks[core] = timeline_add_track(w->timeline, w->host_processes[core / shown->host_cores],
                                                  NULL, "stage 3, core %u, in steps of %.4g us",
                                                  core % shown->host_cores + 1, host_step_us(w));
}

static void add_details(struct writer *w, int process)
{
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++)
        w->fifos[fifo] = timeline_add_track(w->timeline, process, board_fifos[fifo].element, "%s",
                                            board_fifos[fifo].title);
    w->queue = timeline_add_track(w->timeline, process, "blocks", "host queue");
    w->bus_held = timeline_add_track(w->timeline, process, NULL, "bus");
    for (unsigned stage = 0; stage < BOARD_STAGES; stage++)
        w->stages[stage] =
            timeline_add_track(w->timeline, process, NULL, "stage %s", board_stages[stage].name);
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
    if (w->tail_count == TAILS_SHOWN || host >= w->run->host->hosts)
        return NULL;
    struct tail *tail = &w->tails[w->tail_count++];
    *tail = (struct tail){
        .host = host,
        .track = timeline_add_track(w->timeline, w->host_processes[host], NULL, "tails of passes")};
    return tail;
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
    auto_free const struct pass_times **order = memory_take(run->pass_count * sizeof *order);
    for (size_t i = 0; i < run->pass_count; i++)
        order[i] = &run->passes[i];
    qsort(order, run->pass_count, sizeof *order, compare_tails);
    for (size_t i = 0; i < run->pass_count; i++) {
        size_t pass = (size_t)(order[i] - run->passes);
        uint64_t begin_ps = ps_of(order[i]->board_free_s), end_ps = ps_of(order[i]->end_s);
        struct tail *tail =
            end_ps > begin_ps ? find_tail(w, hardware_host_of(run->hardware, pass), begin_ps) : NULL;
        if (!tail)
            continue;
        show_phase(w, tail->track, pass, "tail", begin_ps, end_ps);
        tail->end_ps = end_ps;
    }
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

/* Make all outlines of passes as fine as the coarsest. */
static struct outline_grain even_out(const struct run_timeline *run)
{
    struct outline_grain grain = {0};
    for (size_t i = 0; i < run->pass_count; i++) {
        const struct outline_grain of_pass = pass_outline_grain(&run->outlines[i]);
        grain.step = of_pass.step > grain.step ? of_pass.step : grain.step;
        grain.blocks = of_pass.blocks > grain.blocks ? of_pass.blocks : grain.blocks;
    }
    for (size_t i = 0; i < run->pass_count; i++)
        pass_outline_coarsen(&run->outlines[i], grain);
    return grain;
}

static void name_blocks(const struct pass_outline *outline, size_t number, char *name, size_t room)
{
    uint64_t first = ((uint64_t)number << outline->block_grain) + 1, last = ((uint64_t)number + 1)
                                                                            << outline->block_grain;
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
            (struct timeline_argument){"block", NULL, (double)(i << outline->block_grain) + 1};
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
    struct busy_cursor cursor = busy_steps_begin(&outline->busy, stage);
    struct busy_slice slice;
    while (busy_steps_next(&outline->busy, &cursor, &slice))
        timeline_slice(w->timeline, track, origin_ps + drawing_clock_ps(slice.begin, clock_hz),
                       origin_ps + drawing_clock_ps(slice.end, clock_hz), "busy");
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
    timeline_add_fact(w->timeline, "busy_step_us", step_us(w));
    timeline_add_fact(w->timeline, "busy_step_clocks", (double)(UINT64_C(1) << w->grain.passes.step));
    timeline_add_fact(w->timeline, "blocks_per_slice", (double)(UINT64_C(1) << w->grain.passes.blocks));
}

/* --- hosts ----------------------------------------------------------------------------------------------- */

static void show_work(struct writer *w, int track, uint64_t origin_ps, const struct busy_slice *slice)
{
    const struct busy_span *span = slice->span;
    const uint64_t begin_ps = origin_ps + (uint64_t)slice->begin, end_ps = origin_ps + (uint64_t)slice->end;
    char what[40] = "cluster";
    if (!span) {
        timeline_slice(w->timeline, track, begin_ps, end_ps, "busy");
        return;
    }
    if (span->hsps == BUSY_BUILDING)
        snprintf(what, sizeof what, "building tables");
    else if (span->hsps > 0)
        snprintf(what, sizeof what, "%" PRIu32 " HSP%s", span->hsps, span->hsps == 1 ? "" : "s");
    timeline_slice_with(w->timeline, track, begin_ps, end_ps, what,
                        &(struct timeline_argument){"pass", NULL, (double)span->pass + 1}, 1);
}

static void show_hosts(struct writer *w)
{
    const struct host_outline *outline = w->run->host;
    const double *begins_s = w->run->host_begins_s;
    struct busy_slice slice;
    int64_t at_ps;
    for (uint32_t core = 0; core < outline->cores; core++)
        for (struct busy_cursor c = busy_steps_begin(&outline->busy, core);
             busy_steps_next(&outline->busy, &c, &slice);)
            show_work(w, w->core_tracks[core], ps_of(begins_s[core / outline->host_cores]), &slice);
    for (uint32_t host = 0; host < outline->hosts; host++) {
        timeline_count(w->timeline, w->inboxes[host], 0, 0);
        for (struct inbox_cursor c = {.host = host}; host_outline_next_level(outline, &c, &at_ps);)
            timeline_count(w->timeline, w->inboxes[host], ps_of(begins_s[host]) + (uint64_t)at_ps, c.mean);
    }
    timeline_add_fact(w->timeline, "host_step_us", host_step_us(w));
}

/* --- the pass that is drawn ------------------------------------------------------------------------------ */

/* @return NULL if the file cannot be read */
static struct drawn_event *read_events(FILE *file, size_t *count)
{
    struct drawn_event *events = NULL;
    long bytes = fflush(file) == 0 && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    *count = bytes > 0 ? (size_t)bytes / sizeof *events : 0;
    if (bytes >= 0)
        events = memory_take(*count * sizeof *events);
    if (events && fread(events, sizeof *events, *count, file) == *count)
        return events;
    free(events);
    return NULL;
}

static int compare_steps(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    return ORDER_BY({(int64_t)x->at_ps, (int64_t)y->at_ps},
                    {y->change, x->change}); /* what comes before what goes */
}

/* Draw the host queue, in which each block is from its begin to its end. */
static void show_queue(struct writer *w, const struct drawn_event *events, size_t count)
{
    auto_free struct step *steps = memory_take(2 * count * sizeof *steps);
    size_t n = 0;
    int64_t blocks = 0;
    for (size_t i = 0; i < count; i++)
        if (events[i].kind == DRAWN_QUEUE) {
            steps[n++] = (struct step){1, w->origin_ps + events[i].begin_ps};
            steps[n++] = (struct step){-1, w->origin_ps + events[i].end_ps};
        }
    qsort(steps, n, sizeof *steps, compare_steps);
    for (size_t i = 0; i < n; i++) {
        blocks += steps[i].change;
        timeline_count(w->timeline, w->queue, steps[i].at_ps, (double)blocks);
    }
}

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

/* @return false if its events cannot be read back */
static bool show_details(struct writer *w)
{
    const struct run_timeline *run = w->run;
    const struct pass_times *pass = &run->passes[run->request->pass - 1];
    uint64_t end_ps = drawing_end_ps(run->request);
    size_t count;
    auto_free struct drawn_event *events = read_events(run->board, &count);
    if (!events)
        return false;
    w->origin_ps = ps_of(pass->stream_begin_s);
    timeline_begin_window(w->timeline, w->origin_ps + drawing_begin_ps(run->request),
                          end_ps == UINT64_MAX ? end_ps : w->origin_ps + end_ps, w->end_ps);
    char name[64];
    add_details(w, timeline_add_process(w->timeline, "pass %" PRIu64 " on %s, in detail", run->request->pass,
                                        name_board(run, pass->board, name)));
    for (size_t i = 0; i < count; i++)
        show_event(w, &events[i]);
    show_queue(w, events, count);
    return true;
}

/* --- the whole ------------------------------------------------------------------------------------------- */

struct timeline_grain run_timeline_write(const struct run_timeline *run, FILE *out, struct drawn *drawn)
{
    const struct hardware *h = run->hardware;
    struct writer w = {.run = run, .timeline = timeline_open(out, run->request->bytes_max)};
    host_outline_fit(run->host);
    w.grain = (struct timeline_grain){even_out(run), run->host->busy.step};
    w.boards = h->boards * h->hosts < BOARDS_SHOWN ? h->boards * h->hosts : BOARDS_SHOWN;
    add_boards(&w);
    add_hosts(&w);
    show_passes(&w);
    show_outlines(&w);
    show_hosts(&w);
    const bool read = show_details(&w);
    uint64_t end_ps = w.origin_ps + drawing_clock_ps(run->drawn_end, h->fpga_clock_hz);
    drawn->report.missing = run->board_missing;
    drawn->status = timeline_close(w.timeline, end_ps, &drawn->report);
    drawn->report.end_ps = end_ps - w.origin_ps;
    if (!read)
        drawn->status = DRAWING_EWRITE;
    return w.grain;
}
