#include "sim/drawing/machine_timeline.h"

#include <math.h>
#include <stdlib.h>

#include "base/file/file_io.h"
#include "base/memory.h"
#include "sim/board/board_holds.h"

/* Bytes that an event takes in a timeline at least: more events than fit are not kept. */
enum { EVENT_BYTES = 64 };

/* Clocks in which a stage took elements, one after the other. */
struct busy_clocks {
    int64_t begin, end;
};

struct machine_timeline {
    struct pass_outline outline;
    FILE *details;                                /* a file of events; NULL: there are none */
    uint64_t events, events_most, events_missing; /* numbers: in the file, that may be, and left out */
    struct tape_watch watch;
    uint64_t begin_ps, end_ps; /* the window */
    double clock_hz;
    int64_t fetch;
    const struct board_rules *rules;
    uint64_t inside[BOARD_FIFOS];
    struct bus_hold hold;
    struct lookup_hold lookups;
    int64_t left[BOARD_STAGES]; /* clock in which the last element left the stage's FIFO */
    struct busy_clocks busy[BOARD_STAGES];
};

static uint64_t ps_at(const struct machine_timeline *m, int64_t clock)
{
    return drawing_clock_ps(clock, m->clock_hz);
}

static uint64_t ps_at_tick(const struct machine_timeline *m, int64_t tick)
{
    double clocks = (double)tick / (double)BOARD_TICKS_PER_CLOCK;
    return tick > 0 ? (uint64_t)fmin(clocks * (1e12 / m->clock_hz) + 0.5, (double)DRAWING_PS_MAX) : 0;
}

struct machine_timeline *machine_timeline_new(const struct drawing_request *request,
                                              const struct hardware *hardware, size_t pass_count,
                                              FILE *details)
{
    struct machine_timeline *m = memory_take(sizeof *m);
    *m = (struct machine_timeline){
        .details = details,
        .events_most = request->bytes_max / EVENT_BYTES,
        .begin_ps = drawing_begin_ps(request),
        .end_ps = drawing_end_ps(request),
        .clock_hz = hardware->fpga_clock_hz,
        .fetch = board_latency(hardware->board.stage2_fetch_cycles),
        .rules = &hardware->board,
        .hold = bus_hold_none(),
    };
    for (unsigned stage = 0; stage < BOARD_STAGES; stage++)
        m->left[stage] = -1;
    pass_outline_init(&m->outline, request->bytes_max, pass_count);
    return m;
}

static void add_event(struct machine_timeline *m, const struct drawn_event *event)
{
    if (m->events < m->events_most && fwrite(event, sizeof *event, 1, m->details) == 1)
        m->events++;
    else
        m->events_missing++;
}

/* --- counters -------------------------------------------------------------------------------------------- */

static void add_level(struct machine_timeline *m, unsigned fifo, int64_t clock)
{
    uint64_t at_ps = ps_at(m, clock);
    if (at_ps < m->end_ps)
        add_event(m, &(struct drawn_event){.kind = DRAWN_LEVEL,
                                           .track = fifo,
                                           .value = (uint32_t)m->inside[fifo],
                                           .begin_ps = at_ps,
                                           .end_ps = at_ps});
}

/* What lies before the window is drawn, too: its last value holds at the window's begin. */
static void watch_tapes(void *data, const struct board_taps *taps, int64_t begin, int64_t end)
{
    struct machine_timeline *m = data;
    bool is_before = ps_at(m, end) <= m->begin_ps;
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++) {
        const uint16_t *in = board_taps_tape(taps, board_fifos[fifo].in, begin);
        const uint16_t *out = board_taps_tape(taps, board_fifos[fifo].out, begin);
        uint64_t inside = m->inside[fifo];
        for (int64_t i = 0; i < end - begin; i++)
            if (in[i] != out[i]) {
                m->inside[fifo] += (uint64_t)in[i] - out[i];
                if (!is_before)
                    add_level(m, fifo, begin + i);
            }
        if (is_before && m->inside[fifo] != inside)
            add_level(m, fifo, end - 1);
    }
}

void machine_timeline_attach(struct machine_timeline *m, struct board_taps *taps)
{
    m->watch = (struct tape_watch){.tapes = watch_tapes, .data = m};
    if (m->details)
        board_taps_add_watch(taps, &m->watch);
}

/* --- slices ---------------------------------------------------------------------------------------------- */

static void slice(struct machine_timeline *m, enum drawn_kind kind, unsigned track, int64_t begin,
                  int64_t end, unsigned value)
{
    uint64_t begin_ps = ps_at(m, begin), end_ps = ps_at(m, end);
    if (m->details && begin_ps < end_ps && begin_ps < m->end_ps && end_ps > m->begin_ps)
        add_event(m, &(struct drawn_event){kind, track, value, begin_ps, end_ps});
}

static void outline_busy(struct machine_timeline *m, enum board_stage stage, int64_t begin, int64_t end)
{
    busy_steps_add(&m->outline.busy, stage, begin, end);
}

static void end_busy(struct machine_timeline *m, unsigned stage)
{
    slice(m, DRAWN_BUSY, stage, m->busy[stage].begin, m->busy[stage].end, 0);
    m->busy[stage] = (struct busy_clocks){0};
}

static void show_busy(struct machine_timeline *m, unsigned stage, int64_t begin, int64_t end)
{
    struct busy_clocks *busy = &m->busy[stage];
    if (begin >= end)
        return;
    if (busy->end != begin || busy->begin == busy->end) {
        end_busy(m, stage);
        busy->begin = begin;
    }
    busy->end = end;
}

static void show_held_span(struct machine_timeline *m, unsigned stage, int64_t begin, int64_t end)
{
    if (end <= begin)
        return;
    end_busy(m, stage);
    slice(m, DRAWN_HELD, stage, begin, end, 0);
}

/* A stage that takes an element per clock could not take one that was ready after clock `ready`, until clock `left`. */
static void show_taken(struct machine_timeline *m, enum board_stage stage, int64_t ready, int64_t left)
{
    outline_busy(m, stage, left, left + 1);
    if (!m->details)
        return;
    show_held_span(m, stage, later(m->left[stage], ready) + 1, left);
    show_busy(m, stage, left, left + 1);
    m->left[stage] = left;
}

static void show_word_held(void *data, int64_t begin, int64_t end)
{
    struct machine_timeline *m = data;
    slice(m, DRAWN_BUS_HELD, 0, begin, end, 0);
}

static void show_lookup(void *data, int64_t begin, int64_t end)
{
    outline_busy(data, BOARD_STAGE_1BD, begin, end);
    show_busy(data, BOARD_STAGE_1BD, begin, end);
}

static void show_trips(void *data, unsigned trips, int64_t begin, int64_t end)
{
    outline_busy(data, BOARD_STAGE_1BD, begin, end);
    end_busy(data, BOARD_STAGE_1BD);
    slice(data, DRAWN_TRIPS, BOARD_STAGE_1BD, begin, end, trips);
}

static void show_matches_held(void *data, int64_t begin, int64_t end)
{
    show_held_span(data, BOARD_STAGE_1BD, begin, end);
}

void machine_timeline_part(struct machine_timeline *m, const struct tokens *t,
                           const struct board_times *times, const struct bus_share *share,
                           uint64_t block_words)
{
    const struct lookup_visitor visitor = {show_lookup, show_trips, show_matches_held, m};
    size_t seed = 0, match = 0;
    board_hold_words(&m->hold, t, times, share, show_word_held, m);
    for (size_t i = 0; i < t->word_count; i++)
        show_taken(m, BOARD_STAGE_1A, times->word_delivered[i], times->word_taken[i]);
    if (block_words > 0) { /* whose first word's place in the host queue is that of the block */
        const int64_t words_before = (int64_t)(block_words - t->word_count);
        const struct outline_blocks block = {.begin_ps = ps_at_tick(m, share->begin),
                                             .end_ps = ps_at_tick(m, m->hold.bus.free),
                                             .bytes = block_words * BYTES_PER_WORD};
        const struct drawn_event queued = {
            .kind = DRAWN_QUEUE,
            .begin_ps = ps_at_tick(m, share->supply_first - (words_before + 1) * share->supply_ticks),
            .end_ps = block.end_ps};
        pass_outline_add_block(&m->outline, &block);
        if (m->details)
            add_event(m, &queued);
    }
    for (size_t i = 0; i < t->word_count; i++)
        for (unsigned n = t->words[i]; n > 0; n--, seed++)
            show_taken(m, BOARD_STAGE_1BP, times->word_taken[i], times->seed_issued[seed]);
    board_visit_lookups(&m->lookups, m->rules, t, times, &visitor);
    for (size_t i = 0; i < t->group_count; i++)
        for (unsigned n = t->groups[i].matches; n > 0; n--, match++)
            show_taken(m, BOARD_STAGE_2, times->group_entered[i] + m->fetch - 1, times->match_taken[match]);
}

enum drawing_status machine_timeline_close(struct machine_timeline *m, struct pass_outline *outline,
                                           uint64_t *missing)
{
    FILE *file = m->details;
    for (unsigned stage = 0; stage < BOARD_STAGES; stage++)
        end_busy(m, stage);
    *missing = m->events_missing;
    *outline = m->outline;
    free(m);
    return file && !file_io_flush(file) ? DRAWING_EWRITE : DRAWING_WHOLE;
}
