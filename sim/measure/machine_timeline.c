#include "sim/measure/machine_timeline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim/board/board_holds.h"

struct machine_timeline {
    struct timeline *timeline;
    struct tape_watch watch;
    double clock_hz;
    int64_t fetch;
    uint32_t trip_cycles;
    int counters[BOARD_FIFOS], bus, stages[BOARD_STAGES], cores[CORES_SHOWN];
    uint64_t inside[BOARD_FIFOS];
    struct bus_hold hold;
    int64_t left[BOARD_STAGES]; /* clock in which the last element left the stage's FIFO */
};

static uint64_t ps_at(const struct machine_timeline *m, int64_t clock)
{
    return drawing_clock_ps(clock, m->clock_hz);
}

/* @return false if memory is exhausted */
static bool add_slices(struct machine_timeline *m, int *track, const char *name)
{
    return (*track = timeline_add_slices(m->timeline, name)) >= 0;
}

static bool add_cores(struct machine_timeline *m, uint32_t cores)
{
    bool added = true;
    for (unsigned core = 0; core < cores && core < CORES_SHOWN; core++) {
        char name[32];
        snprintf(name, sizeof name, "stage 3, core %u", core + 1);
        added &= add_slices(m, &m->cores[core], name);
    }
    return added;
}

static bool add_tracks(struct machine_timeline *m, uint32_t cores)
{
    bool added = true;
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++) {
        m->counters[fifo] =
            timeline_add_counter(m->timeline, board_fifos[fifo].title, board_fifos[fifo].element);
        added &= m->counters[fifo] >= 0;
    }
    added &= add_slices(m, &m->bus, "bus");
    for (unsigned stage = 0; stage < BOARD_STAGES; stage++) {
        char name[32];
        snprintf(name, sizeof name, "stage %s", board_stages[stage].name);
        added &= add_slices(m, &m->stages[stage], name);
    }
    return added && add_cores(m, cores);
}

struct machine_timeline *machine_timeline_new(FILE *out, const struct drawing_request *request,
                                              const struct hardware *hardware,
                                              const struct timeline_state *suspended)
{
    struct machine_timeline *m = calloc(1, sizeof *m);
    char process[40];
    snprintf(process, sizeof process, "Mercury, pass %" PRIu64, request->pass);
    struct timeline_options options = {
        .process = process,
        .begin_ps = drawing_begin_ps(request),
        .end_ps = drawing_end_ps(request),
        .bytes_max = request->bytes_max,
    };
    if (!m)
        return NULL;
    *m = (struct machine_timeline){.timeline = suspended ? timeline_resume(out, &options, suspended)
                                                         : timeline_open(out, &options),
                                   .clock_hz = hardware->fpga_clock_hz,
                                   .fetch = board_latency(hardware->board.stage2_fetch_cycles),
                                   .trip_cycles = hardware->board.sram_trip_cycles,
                                   .hold = bus_hold_none()};
    for (unsigned stage = 0; stage < BOARD_STAGES; stage++)
        m->left[stage] = -1;
    if (!m->timeline) {
        free(m);
        return NULL;
    }
    if (!add_tracks(m, hardware->host_cores)) {
        timeline_close(m->timeline, 0, NULL);
        free(m);
        return NULL;
    }
    return m;
}

/* --- counters -------------------------------------------------------------------------------------------- */

static void count_fifo(struct machine_timeline *m, const struct board_taps *taps, unsigned fifo,
                       int64_t begin, int64_t end)
{
    const uint16_t *in = board_taps_tape(taps, board_fifos[fifo].in, begin);
    const uint16_t *out = board_taps_tape(taps, board_fifos[fifo].out, begin);
    for (int64_t i = 0; i < end - begin; i++)
        if (in[i] != out[i]) {
            m->inside[fifo] += (uint64_t)in[i] - out[i];
            timeline_count(m->timeline, m->counters[fifo], ps_at(m, begin + i), m->inside[fifo]);
        }
}

static void watch_tapes(void *data, const struct board_taps *taps, int64_t begin, int64_t end)
{
    for (unsigned fifo = 0; fifo < BOARD_FIFOS; fifo++)
        count_fifo(data, taps, fifo, begin, end);
}

void machine_timeline_attach(struct machine_timeline *m, struct board_taps *taps)
{
    m->watch = (struct tape_watch){.tapes = watch_tapes, .data = m};
    board_taps_add_watch(taps, &m->watch);
}

/* --- slices ---------------------------------------------------------------------------------------------- */

static void slice(struct machine_timeline *m, int track, int64_t begin, int64_t end, const char *what)
{
    if (end > begin)
        timeline_slice(m->timeline, track, ps_at(m, begin), ps_at(m, end), what);
}

/* Show how long a stage that takes an element per clock could not take one that was ready after clock `ready`. */
static void show_held(struct machine_timeline *m, enum board_stage stage, int64_t ready, int64_t left)
{
    slice(m, m->stages[stage], later(m->left[stage], ready) + 1, left, "held");
    m->left[stage] = left;
}

static void show_word_held(void *data, int64_t begin, int64_t end)
{
    struct machine_timeline *m = data;
    slice(m, m->bus, begin, end, "held");
}

static void show_words(struct machine_timeline *m, const struct tokens *t, const struct board_times *times,
                       const struct bus_share *share)
{
    board_hold_words(&m->hold, t, times, share, show_word_held, m);
    for (size_t i = 0; i < t->word_count; i++)
        show_held(m, BOARD_STAGE_1A, times->word_delivered[i], times->word_taken[i]);
}

static void show_reads(struct machine_timeline *m, const struct tokens *t, const struct board_times *times)
{
    size_t seed = 0;
    for (size_t i = 0; i < t->word_count; i++)
        for (unsigned n = t->words[i]; n > 0; n--, seed++)
            show_held(m, BOARD_STAGE_1BP, times->word_taken[i], times->seed_issued[seed]);
}

static void show_trips(void *data, unsigned trips, int64_t begin, int64_t end)
{
    struct machine_timeline *m = data;
    char what[32];
    snprintf(what, sizeof what, "%u trip%s", trips, trips == 1 ? "" : "s");
    slice(m, m->stages[BOARD_STAGE_1BD], begin, end, what);
}

static void show_matches_held(void *data, int64_t begin, int64_t end)
{
    struct machine_timeline *m = data;
    slice(m, m->stages[BOARD_STAGE_1BD], begin, end, "held");
}

static void show_lookups(struct machine_timeline *m, const struct tokens *t, const struct board_times *times)
{
    const struct lookup_visitor visitor = {.trips = show_trips, .held = show_matches_held, .data = m};
    board_visit_lookups(t, times, m->trip_cycles, &visitor);
}

static void show_extension(struct machine_timeline *m, const struct tokens *t,
                           const struct board_times *times)
{
    size_t match = 0;
    for (size_t i = 0; i < t->group_count; i++)
        for (unsigned n = t->groups[i].matches; n > 0; n--, match++)
            show_held(m, BOARD_STAGE_2, times->group_entered[i] + m->fetch - 1, times->match_taken[match]);
}

void machine_timeline_block(struct machine_timeline *m, const struct tokens *tokens,
                            const struct board_times *times, const struct bus_share *share)
{
    show_words(m, tokens, times, share);
    show_reads(m, tokens, times);
    show_lookups(m, tokens, times);
    show_extension(m, tokens, times);
}

/* --- the host -------------------------------------------------------------------------------------------- */

void machine_timeline_core(struct machine_timeline *m, uint32_t core, int64_t begin, int64_t end,
                           uint64_t hsps)
{
    char what[40] = "cluster";
    if (core >= CORES_SHOWN)
        return;
    if (hsps > 0)
        snprintf(what, sizeof what, "%" PRIu64 " HSP%s", hsps, hsps == 1 ? "" : "s");
    slice(m, m->cores[core], begin, end, what);
}

void machine_timeline_suspend(struct machine_timeline *m, struct timeline_state *state)
{
    timeline_suspend(m->timeline, state);
    free(m);
}

int machine_timeline_close(struct machine_timeline *m, int64_t end, struct drawing_report *report)
{
    int status = timeline_close(m->timeline, ps_at(m, end), report);
    free(m);
    return status;
}
