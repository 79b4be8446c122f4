#include "sim/drawing/board_waves.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "traces/drawing/vcd.h"
#include "sim/board/board_holds.h"

/* Clocks in which something is held, in order of time. */
struct spans {
    struct span {
        int64_t begin, end;
    } * items;
    size_t first, count, room;
};

struct fifo_signals {
    unsigned valid, ready, level, back_pressure;
};

struct stage_signals {
    unsigned busy, stall;
};

struct board_waves {
    struct vcd *vcd;
    const struct board_rules *rules;
    double clock_hz;
    struct tape_watch watch;
    struct fifo_signals fifos[BOARD_FIFOS];
    struct stage_signals stages[BOARD_STAGES], bus_in;
    unsigned bus_out;             /* busy */
    uint64_t levels[BOARD_FIFOS]; /* at the end of the last clock */
    uint64_t thresholds[BOARD_FIFOS];
    uint64_t server;   /* number of lookups in 1bd at the end of the last clock */
    uint64_t fetched;  /* number of matches in the stage-2 FIFO that may be taken */
    uint16_t *fetches; /* number of matches that entered in each of the last clocks, a ring */
    size_t fetch;      /* its length in clocks */
    uint64_t fetching; /* number of matches in it */
    struct spans words_held, matches_held;
    struct bus_hold bus;
    struct lookup_hold lookups;
};

/* --- definitions ----------------------------------------------------------------------------------------- */

static void add_fifo(struct board_waves *w, unsigned fifo)
{
    char level[40];
    struct fifo_signals *s = &w->fifos[fifo];
    const uint64_t places = board_fifo_places(fifo, w->rules);
    snprintf(level, sizeof level, "level_%s", board_fifos[fifo].element);
    vcd_begin_scope(w->vcd, board_fifos[fifo].name);
    s->valid = vcd_add_signal(w->vcd, "valid", 1);
    s->ready = vcd_add_signal(w->vcd, "ready", 1);
    s->level = vcd_add_signal(w->vcd, level, places ? 64 - (unsigned)__builtin_clzll(places) : 1);
    s->back_pressure = vcd_add_signal(w->vcd, "back_pressure", 1);
    vcd_end_scope(w->vcd);
}

static struct stage_signals add_stage(struct board_waves *w)
{
    unsigned busy = vcd_add_signal(w->vcd, "busy", 1);
    return (struct stage_signals){busy, vcd_add_signal(w->vcd, "stall", 1)};
}

/* A scope for each end of the bus and each stage, with the FIFO that it takes from. */
static void add_definitions(struct board_waves *w, const struct drawing_request *request)
{
    char name[40];
    snprintf(name, sizeof name, "pass_%" PRIu64, request->pass);
    vcd_begin_scope(w->vcd, "mercury");
    vcd_begin_scope(w->vcd, name);
    vcd_begin_scope(w->vcd, "bus_in");
    w->bus_in = add_stage(w);
    vcd_end_scope(w->vcd);
    for (unsigned stage = 0; stage < BOARD_STAGES; stage++) {
        snprintf(name, sizeof name, "stage_%s", board_stages[stage].name);
        vcd_begin_scope(w->vcd, name);
        w->stages[stage] = add_stage(w);
        add_fifo(w, board_stages[stage].takes);
        vcd_end_scope(w->vcd);
    }
    vcd_begin_scope(w->vcd, "bus_out");
    w->bus_out = vcd_add_signal(w->vcd, "busy", 1);
    add_fifo(w, FIFO_EGRESS);
    vcd_end_scope(w->vcd);
    vcd_end_scope(w->vcd);
    vcd_end_scope(w->vcd);
}

struct board_waves *board_waves_new(FILE *out, const struct drawing_request *request,
                                    const struct hardware *hardware)
{
    const double clock_hz = hardware->fpga_clock_hz;
    char comment[400];
    snprintf(comment, sizeof comment,
             "Pass %" PRIu64 " of a run on Mercury's board, clock by clock; time 0 is the board's clock 0.\n"
             "A clock has %.17g ps: clock k begins at round(k x %.17g / %.17g) ps.\n",
             request->pass, 1e12 / clock_hz, 1e12, clock_hz);
    const struct vcd_options options = {
        .comment = comment,
        .begin_ps = drawing_begin_ps(request),
        .end_ps = drawing_end_ps(request),
        .bytes_max = request->waves_bytes,
    };
    struct board_waves *w = memory_new(1, sizeof *w);
    w->rules = &hardware->board;
    w->clock_hz = clock_hz;
    w->bus = bus_hold_none();
    w->fetch = (size_t)board_latency(hardware->board.stage2_fetch_cycles);
    w->fetches = memory_new(w->fetch, sizeof *w->fetches);
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++)
        w->thresholds[fifo] = board_fifo_back_pressure_at(fifo, w->rules);
    w->vcd = vcd_open(out, &options);
    add_definitions(w, request);
    return w;
}

/* --- spans ----------------------------------------------------------------------------------------------- */

static void add_span(void *data, int64_t begin, int64_t end)
{
    struct spans *s = data;
    if (s->first > 0 && s->first == s->count)
        s->first = s->count = 0;
    *ARRAY_NEXT(s->items, s->count, s->room) = (struct span){begin, end};
}

/* Whether something is held in a clock; clocks come in order. */
static bool is_held(struct spans *s, int64_t clock)
{
    while (s->first < s->count && s->items[s->first].end <= clock)
        s->first++;
    return s->first < s->count && s->items[s->first].begin <= clock;
}

void board_waves_block(struct board_waves *w, const struct tokens *tokens, const struct board_times *times,
                       const struct bus_share *share)
{
    const struct lookup_visitor visitor = {.held = add_span, .data = &w->matches_held};
    board_hold_words(&w->bus, tokens, times, share, add_span, &w->words_held);
    board_visit_lookups(&w->lookups, w->rules, tokens, times, &visitor);
}

/* --- a clock --------------------------------------------------------------------------------------------- */

/* What went through the ports of a FIFO in a clock. */
struct moved {
    unsigned in, out;
};

/* Matches that entered the stage-2 FIFO `fetch` clocks ago may be taken from now on, a record by the bus at once. */
static bool has_head(struct board_waves *w, unsigned fifo, int64_t clock, struct moved moved)
{
    if (fifo != FIFO_STAGE2)
        return w->levels[fifo] + (fifo == FIFO_EGRESS ? moved.in : 0) > 0;
    uint16_t *entered = &w->fetches[(size_t)clock % w->fetch];
    w->fetched += *entered;
    w->fetching = w->fetching + moved.in - *entered;
    *entered = (uint16_t)moved.in;
    bool is_fetched = w->fetched > 0;
    w->fetched -= moved.out;
    return is_fetched;
}

/* @return whether its head waits */
static bool draw_fifo(struct board_waves *w, unsigned fifo, int64_t clock, uint64_t at_ps, struct moved moved)
{
    const struct fifo_signals *s = &w->fifos[fifo];
    bool valid = has_head(w, fifo, clock, moved), waits = valid && moved.out == 0;
    uint64_t seen = w->levels[fifo] - moved.out; /* in the egress FIFO what enters may also leave */
    assert(moved.out == 0 || valid);
    w->levels[fifo] = w->levels[fifo] + moved.in - moved.out;
    if (board_fifos[fifo].signal == SIGNAL_RESERVE)
        seen = w->levels[fifo];
    vcd_change(w->vcd, s->valid, at_ps, valid);
    vcd_change(w->vcd, s->ready, at_ps, !waits);
    vcd_change(w->vcd, s->level, at_ps, w->levels[fifo]);
    vcd_change(w->vcd, s->back_pressure, at_ps, (int64_t)seen >= 0 && seen >= w->thresholds[fifo]);
    return waits;
}

static void draw_stage(struct board_waves *w, struct stage_signals signals, uint64_t at_ps, bool busy,
                       bool stall)
{
    vcd_change(w->vcd, signals.busy, at_ps, busy);
    vcd_change(w->vcd, signals.stall, at_ps, stall);
}

static void draw_clock(struct board_waves *w, int64_t clock, const struct moved moved[BOARD_QUEUES])
{
    const uint64_t at_ps = drawing_clock_ps(clock, w->clock_hz);
    bool waits[BOARD_FIFOS];
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++)
        waits[fifo] = draw_fifo(w, fifo, clock, at_ps, moved[fifo]);
    w->server += moved[BOARD_SERVER].in - (uint64_t)moved[BOARD_SERVER].out;
    draw_stage(w, w->bus_in, at_ps, moved[FIFO_INGRESS].in > 0, is_held(&w->words_held, clock));
    for (unsigned stage = 0; stage < BOARD_STAGES; stage++) {
        unsigned fifo = board_stages[stage].takes;
        if (stage == BOARD_STAGE_1BD)
            draw_stage(w, w->stages[stage], at_ps, w->server > 0, is_held(&w->matches_held, clock));
        else
            draw_stage(w, w->stages[stage], at_ps, moved[fifo].out > 0, waits[fifo]);
    }
    vcd_change(w->vcd, w->bus_out, at_ps, moved[FIFO_EGRESS].out > 0);
}

static void watch_tapes(void *data, const struct board_taps *taps, int64_t begin, int64_t end)
{
    struct moved moved[BOARD_QUEUES];
    for (int64_t clock = begin; clock < end; clock++) {
        for (unsigned queue = 0; queue < BOARD_QUEUES; queue++)
            moved[queue] = (struct moved){*board_taps_tape(taps, board_fifos[queue].in, clock),
                                          *board_taps_tape(taps, board_fifos[queue].out, clock)};
        draw_clock(data, clock, moved);
    }
}

/* The next clock in which something begins or ends to be held. */
static int64_t next_edge(const struct spans *s, int64_t clock)
{
    size_t at = s->first;
    while (at < s->count && s->items[at].end <= clock)
        at++;
    if (at == s->count)
        return INT64_MAX;
    return s->items[at].begin > clock ? s->items[at].begin : s->items[at].end;
}

/* While nothing moves, only the ends of what is held, and matches that have been fetched, change a signal. */
static void watch_rest(void *data, int64_t begin, int64_t end)
{
    static const struct moved nothing[BOARD_QUEUES];
    struct board_waves *w = data;
    for (int64_t clock = begin; clock < end;) {
        draw_clock(w, clock, nothing);
        int64_t next = sooner(next_edge(&w->words_held, clock), next_edge(&w->matches_held, clock));
        for (size_t later = w->fetch; w->fetching > 0 && --later > 0;)
            if (w->fetches[((size_t)clock + later) % w->fetch] > 0)
                next = sooner(next, clock + (int64_t)later);
        clock = next;
    }
}

void board_waves_attach(struct board_waves *w, struct board_taps *taps)
{
    w->watch = (struct tape_watch){.tapes = watch_tapes, .rest = watch_rest, .data = w};
    board_taps_add_watch(taps, &w->watch);
    taps->watch_server = true;
}

int board_waves_close(struct board_waves *w, int64_t end, struct drawing_report *report)
{
    int status = vcd_close(w->vcd, drawing_clock_ps(end, w->clock_hz), report);
    free(w->fetches);
    free(w->words_held.items);
    free(w->matches_held.items);
    free(w);
    return status;
}
