#include "sim/events.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/paje.h"
#include "sim/simgrid_engine.h"

enum { PHASES = 8 };
#define NO_LIMIT UINT64_MAX

/* In the order of the pipeline; FIFO f lies between stages f and f + 1. */
enum { BUS_IN, STAGE_1A, STAGE_1BP, STAGE_SRAM, STAGE_1BD, STAGE_2, BUS_OUT, STAGES };
enum { INGRESS, WMER, READS, SRAM, STAGE2, EGRESS, FIFOS };

enum state { STATE_BUSY, STATE_STALLED, STATE_IDLE };

struct stage;

/* Elements keep their order, so the n-th out is the n-th in: a FIFO has to count only. */
struct fifo {
    struct run *run;
    const char *alias, *name, *elements;
    uint64_t count;
    uint64_t places;      /* up to which whoever asks for room may fill it */
    uint64_t capacity;    /* places, and those kept for elements under way */
    struct stage *taker;  /* waits for an element, or NULL */
    struct stage *pusher; /* waits for room, or NULL */
};

struct stage {
    struct run *run;
    const char *alias, *name;
    bool (*work)(struct stage *); /* all of the pass; false when stuck */
    int phase;                    /* of the clock, in eighths */
    sg_sem_t bell;
    enum state shown;             /* in the trace */
    int64_t free;                 /* first clock in which it may move another element */
    const struct fifo *waits_for; /* NULL: it moves, or sleeps up to a known clock */
    uint64_t room;                /* places it waits for in there; 0: for an element */
};

struct run {
    const struct events_block *blocks;
    struct events_result *out;
    int64_t read_latency, trip_cycles, fetch_latency;
    struct stage stages[STAGES];
    struct fifo fifos[FIFOS];
    double origin;                /* clock 0 of the pass */
    int64_t last_moved;           /* clock */
    unsigned unfinished, waiting; /* stages */
    bool stuck;
    struct paje *paje;
    char *why;
    size_t why_size;
};

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static double pass_time(const struct run *run)
{
    return simgrid_get_clock() - run->origin;
}

/* ---- trace ---- */

static const char *const state_names[] = {"busy", "stalled", "idle"};

/* An engine somebody else has run may stand just before the pass's clock 0. */
static double trace_time(const struct run *run)
{
    return fmax(pass_time(run), 0);
}

static void show_state(struct stage *stage, enum state state)
{
    if (!stage->run->paje || stage->shown == state)
        return;
    stage->shown = state;
    paje_set_state(stage->run->paje, trace_time(stage->run), "state", stage->alias, state_names[state]);
}

static void show_count(const struct fifo *fifo)
{
    if (fifo->run->paje)
        paje_set_variable(fifo->run->paje, trace_time(fifo->run), "occupancy", fifo->alias,
                          (double)fifo->count);
}

static void trace_begin(struct run *run)
{
    struct paje *paje = run->paje;
    paje_container_type(paje, "board_type", "0", "board");
    paje_container_type(paje, "stage_type", "board_type", "stage");
    paje_container_type(paje, "fifo_type", "board_type", "FIFO");
    paje_state_type(paje, "state", "stage_type", "state");
    paje_state_value(paje, "busy", "state", "busy", "0.2 0.7 0.3");
    paje_state_value(paje, "stalled", "state", "stalled", "0.9 0.2 0.2");
    paje_state_value(paje, "idle", "state", "idle", "0.8 0.8 0.8");
    paje_variable_type(paje, "occupancy", "fifo_type", "occupancy");
    paje_create_container(paje, 0, "board", "board_type", "0", "board");
    for (int i = 0; i < STAGES; i++) {
        paje_create_container(paje, 0, run->stages[i].alias, "stage_type", "board", run->stages[i].name);
        paje_set_state(paje, 0, "state", run->stages[i].alias, "idle");
    }
    for (int i = 0; i < FIFOS; i++) {
        paje_create_container(paje, 0, run->fifos[i].alias, "fifo_type", "board", run->fifos[i].name);
        paje_set_variable(paje, 0, "occupancy", run->fifos[i].alias, 0);
    }
}

static void trace_end(struct run *run, double time)
{
    for (int i = 0; i < STAGES; i++)
        paje_destroy_container(run->paje, time, run->stages[i].alias, "stage_type");
    for (int i = 0; i < FIFOS; i++)
        paje_destroy_container(run->paje, time, run->fifos[i].alias, "fifo_type");
    paje_destroy_container(run->paje, time, "board", "board_type");
}

/* ---- clocks ---- */

/* A date that comes out of an engine somebody else has run may not be a whole number of eighths: half of one aside
 * is near enough. */
static int64_t now(const struct stage *stage)
{
    return (int64_t)floor(pass_time(stage->run) + 0.5 / PHASES);
}

/* Sleep up to the stage's phase of a clock; not at all if that is over. */
static void sleep_to(struct stage *stage, int64_t clock)
{
    double time = (double)clock + (double)stage->phase / PHASES;
    if (time <= pass_time(stage->run) + 0.5 / PHASES)
        return;
    sg_actor_sleep_until(stage->run->origin + time);
    stage->run->out->events++;
}

/* The stage's next phase: in this clock or the one after. */
static void sleep_to_phase(struct stage *stage)
{
    int64_t clock = now(stage);
    double in_clock = pass_time(stage->run) - (double)clock;
    sleep_to(stage, in_clock <= (stage->phase + 0.5) / PHASES ? clock : clock + 1);
}

/* ---- waiting ---- */

static void name_wait(const struct stage *stage, char *text, size_t size)
{
    const struct fifo *fifo = stage->waits_for;
    append(text, size, "%s%s waits for ", *text ? "; " : "", stage->name);
    if (stage->room == 0)
        append(text, size, "%s in", fifo->elements);
    else if (stage->room == 1)
        append(text, size, "room in");
    else
        append(text, size, "room for %" PRIu64 " %s in", stage->room, fifo->elements);
    append(text, size, " the %s (holds %" PRIu64, fifo->name, fifo->count);
    if (fifo->capacity != NO_LIMIT)
        append(text, size, " of %" PRIu64, fifo->capacity);
    if (stage->room > 0 && fifo->places != fifo->capacity)
        append(text, size, ", is filled up to %" PRIu64, fifo->places);
    append(text, size, ")");
}

static void ring(struct stage *stage)
{
    stage->waits_for = NULL;
    stage->run->waiting--;
    sg_sem_release(stage->bell);
}

/* Nobody is left who could wake anybody. Say so, those who wait for room first, and let all stages end. */
static void declare_stuck(struct run *run)
{
    run->stuck = true;
    run->why[0] = '\0';
    for (int for_room = 1; for_room >= 0; for_room--)
        for (int i = 0; i < STAGES; i++)
            if (run->stages[i].waits_for && (run->stages[i].room > 0) == for_room)
                name_wait(&run->stages[i], run->why, run->why_size);
    for (int i = 0; i < STAGES; i++)
        if (run->stages[i].waits_for)
            ring(&run->stages[i]);
}

static void check_stuck(struct run *run)
{
    if (!run->stuck && run->unfinished > 0 && run->waiting == run->unfinished)
        declare_stuck(run);
}

static bool fits(const struct fifo *fifo, uint64_t room)
{
    return room == 0 ? fifo->count > 0 : fifo->count + room <= fifo->places;
}

/* Wait until somebody rings; false when nobody ever will. */
static bool block(struct stage *stage, struct fifo *fifo, uint64_t room)
{
    struct run *run = stage->run;
    *(room == 0 ? &fifo->taker : &fifo->pusher) = stage;
    stage->waits_for = fifo;
    stage->room = room;
    run->waiting++;
    check_stuck(run);
    sg_sem_acquire(stage->bell);
    run->out->events++;
    return !run->stuck;
}

/* In the stage's phase: go on at once, or in the first later clock in whose phase there is an element. */
static bool await_element(struct stage *stage, struct fifo *fifo)
{
    if (fits(fifo, 0))
        return true;
    show_state(stage, STATE_IDLE);
    if (!block(stage, fifo, 0))
        return false;
    sleep_to_phase(stage);
    show_state(stage, STATE_BUSY);
    return true;
}

/* The same outside of the phase, for a stage that then knows the clock to sleep to. */
static bool await_entry(struct stage *stage, struct fifo *fifo)
{
    if (fits(fifo, 0))
        return true;
    show_state(stage, STATE_IDLE);
    if (!block(stage, fifo, 0))
        return false;
    show_state(stage, STATE_BUSY);
    return true;
}

/* In the stage's phase: go on at once, or in the first later clock in whose phase there is room. Others may have
 * filled it again by then: reads under way enter the SRAM FIFO between 1bd and 1bp. */
static bool await_room(struct stage *stage, struct fifo *fifo, uint64_t room)
{
    if (room == 0 || fits(fifo, room))
        return true;
    show_state(stage, STATE_STALLED);
    while (!fits(fifo, room)) {
        if (!block(stage, fifo, room))
            return false;
        sleep_to_phase(stage);
    }
    show_state(stage, STATE_BUSY);
    return true;
}

static void put(struct fifo *fifo, uint64_t elements)
{
    if (elements == 0)
        return;
    fifo->count += elements;
    show_count(fifo);
    struct stage *taker = fifo->taker;
    fifo->taker = NULL;
    if (taker)
        ring(taker);
}

static void take(struct fifo *fifo)
{
    fifo->count--;
    show_count(fifo);
    struct stage *pusher = fifo->pusher;
    if (!pusher || !fits(fifo, pusher->room))
        return;
    fifo->pusher = NULL;
    ring(pusher);
}

/* An element has been moved in this clock: the next one in the next at the earliest. */
static int64_t moved(struct stage *stage)
{
    int64_t clock = now(stage);
    stage->free = clock + 1;
    stage->run->last_moved = later(stage->run->last_moved, clock);
    return clock;
}

/* ---- the stages, each a walk over its elements in stream order ---- */

/* Step 6, one word. `bus` is A of the word before plus its w, and becomes A of this one. */
static bool deliver(struct stage *stage, int64_t ready, int64_t *bus, int64_t *delivered)
{
    struct fifo *ingress = &stage->run->fifos[INGRESS];
    show_state(stage, ready > *bus ? STATE_IDLE : STATE_BUSY);
    *bus = later(*bus, ready);
    int64_t due = board_clock_at(*bus);
    sleep_to(stage, later(due, stage->free));
    if (!await_room(stage, ingress, 1))
        return false;
    int64_t clock = now(stage);
    stage->free = clock + 1;
    if (clock > due)
        *bus = clock * BOARD_TICKS_PER_CLOCK;
    *delivered = clock;
    put(ingress, 1);
    return true;
}

static bool work_bus_in(struct stage *stage)
{
    const struct run *run = stage->run;
    int64_t bus = -BOARD_TICKS_PER_CLOCK * 1024; /* no earlier word holds up the first */
    for (size_t b = 0; b < run->out->block_count; b++) {
        const struct bus_share *share = &run->blocks[b].share;
        int64_t supplied = share->supply_first;
        for (size_t w = 0; w < run->blocks[b].tokens->word_count; w++) {
            if (!deliver(stage, later(supplied, share->begin), &bus, &run->out->times[b].word_delivered[w]))
                return false;
            bus += share->word_ticks;
            supplied += share->supply_ticks;
        }
        run->out->bus_free[b] = bus;
    }
    return true;
}

/* Step 5, one word. */
static bool pass_word(struct stage *stage, unsigned seeds, int64_t *taken)
{
    struct fifo *ingress = &stage->run->fifos[INGRESS], *wmer = &stage->run->fifos[WMER];
    sleep_to(stage, stage->free);
    if (!await_element(stage, ingress) || !await_room(stage, wmer, seeds))
        return false;
    *taken = moved(stage);
    take(ingress);
    put(wmer, seeds);
    return true;
}

static bool work_1a(struct stage *stage)
{
    const struct run *run = stage->run;
    for (size_t b = 0; b < run->out->block_count; b++)
        for (size_t w = 0; w < run->blocks[b].tokens->word_count; w++)
            if (!pass_word(stage, run->blocks[b].tokens->words[w], &run->out->times[b].word_taken[w]))
                return false;
    return true;
}

/* Step 4, one seed. */
static bool issue_read(struct stage *stage, int64_t *issued)
{
    struct fifo *wmer = &stage->run->fifos[WMER];
    sleep_to(stage, stage->free);
    if (!await_element(stage, wmer) || !await_room(stage, &stage->run->fifos[SRAM], 1))
        return false;
    *issued = moved(stage);
    take(wmer);
    put(&stage->run->fifos[READS], 1);
    return true;
}

static bool work_1bp(struct stage *stage)
{
    const struct run *run = stage->run;
    for (size_t b = 0; b < run->out->block_count; b++)
        for (size_t s = 0; s < run->blocks[b].tokens->seed_count; s++)
            if (!issue_read(stage, &run->out->times[b].seed_issued[s]))
                return false;
    return true;
}

/* Step 3. */
static bool work_sram(struct stage *stage)
{
    struct run *run = stage->run;
    for (size_t b = 0; b < run->out->block_count; b++)
        for (size_t s = 0; s < run->blocks[b].tokens->seed_count; s++) {
            if (!await_entry(stage, &run->fifos[READS]))
                return false;
            sleep_to(stage, run->out->times[b].seed_issued[s] + run->read_latency);
            take(&run->fifos[READS]);
            put(&run->fifos[SRAM], 1);
        }
    return true;
}

/* Step 2, one group: its trip, and the wait until its matches fit together. */
static bool move_group(struct stage *stage, int64_t trip_cycles, unsigned matches, int64_t *entered)
{
    struct fifo *stage2 = &stage->run->fifos[STAGE2];
    sleep_to(stage, now(stage) + trip_cycles);
    if (!await_room(stage, stage2, matches))
        return false;
    *entered = now(stage);
    put(stage2, matches);
    return true;
}

/* Step 2, one lookup; `group` is the number of its first group. */
static bool serve_lookup(struct stage *stage, const struct tokens *tokens, struct board_times *times,
                         size_t seed, size_t group)
{
    struct run *run = stage->run;
    sleep_to(stage, stage->free);
    if (!await_element(stage, &run->fifos[SRAM]))
        return false;
    int64_t taken = times->seed_taken[seed] = now(stage);
    take(&run->fifos[SRAM]);
    int64_t trip_cycles = tokens->seeds[seed].outcome == LOOKUP_DUPLICATE ? run->trip_cycles : 0;
    for (unsigned g = 0; g < tokens->seeds[seed].groups; g++, group++)
        if (!move_group(stage, trip_cycles, tokens->groups[group].matches, &times->group_entered[group]))
            return false;
    int64_t held_until = moved(stage);
    stage->free = times->seed_done[seed] = later(taken + 1, held_until);
    return true;
}

static bool work_1bd(struct stage *stage)
{
    const struct run *run = stage->run;
    for (size_t b = 0; b < run->out->block_count; b++) {
        const struct tokens *tokens = run->blocks[b].tokens;
        size_t group = 0;
        for (size_t s = 0; s < tokens->seed_count; group += tokens->seeds[s++].groups)
            if (!serve_lookup(stage, tokens, &run->out->times[b], s, group))
                return false;
    }
    return true;
}

/* Step 1, the matches of one block. */
static bool take_matches(struct stage *stage, const struct tokens *tokens, struct board_times *times)
{
    struct fifo *stage2 = &stage->run->fifos[STAGE2], *egress = &stage->run->fifos[EGRESS];
    size_t match = 0;
    for (size_t g = 0; g < tokens->group_count; g++)
        for (unsigned i = 0; i < tokens->groups[g].matches; i++, match++) {
            if (!await_entry(stage, stage2))
                return false;
            sleep_to(stage, later(stage->free, times->group_entered[g] + stage->run->fetch_latency));
            if (!await_room(stage, egress, 1))
                return false;
            times->match_taken[match] = moved(stage);
            take(stage2);
            put(egress, tokens->matches[match] != 0);
        }
    return true;
}

static bool work_2(struct stage *stage)
{
    const struct run *run = stage->run;
    for (size_t b = 0; b < run->out->block_count; b++)
        if (!take_matches(stage, run->blocks[b].tokens, &run->out->times[b]))
            return false;
    return true;
}

/* The records of one block; `left` is E of the record before. */
static bool send_records(struct stage *stage, const struct events_block *block, struct board_times *times,
                         int64_t *left)
{
    struct fifo *egress = &stage->run->fifos[EGRESS];
    size_t record = 0;
    for (size_t m = 0; m < block->tokens->match_count; m++) {
        if (!block->tokens->matches[m])
            continue;
        if (!await_entry(stage, egress))
            return false;
        *left = later(*left + block->share.record_ticks, times->match_taken[m] * BOARD_TICKS_PER_CLOCK);
        times->record_left[record++] = *left;
        int64_t clock = board_clock_at(*left);
        stage->run->last_moved = later(stage->run->last_moved, clock);
        sleep_to(stage, clock);
        take(egress);
    }
    return true;
}

static bool work_bus_out(struct stage *stage)
{
    const struct run *run = stage->run;
    int64_t left = INT64_MIN / 2; /* no earlier record holds up the first */
    for (size_t b = 0; b < run->out->block_count; b++)
        if (!send_records(stage, &run->blocks[b], &run->out->times[b], &left))
            return false;
    return true;
}

/* An actor's code. */
static void stage_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct stage *stage = sg_actor_self_get_data();
    struct run *run = stage->run;
    if (stage->work(stage)) {
        sleep_to(stage, stage->free);
        show_state(stage, STATE_IDLE);
    }
    run->unfinished--;
    check_stuck(run);
}

/* ---- the run ---- */

static void fifo_init(struct run *run, int number, const char *alias, const char *name, const char *elements,
                      uint64_t capacity)
{
    run->fifos[number] = (struct fifo){.run = run,
                                       .alias = alias,
                                       .name = name,
                                       .elements = elements,
                                       .places = capacity,
                                       .capacity = capacity};
}

static void fifos_init(struct run *run, const struct board_rules *rules)
{
    fifo_init(run, INGRESS, "ingress", "ingress FIFO", "words", rules->ingress_words);
    fifo_init(run, WMER, "wmer", "wmer FIFO", "seeds", rules->wmer_seeds);
    fifo_init(run, READS, "reads", "read pipeline", "reads", NO_LIMIT);
    fifo_init(run, SRAM, "sram", "SRAM FIFO", "lookups", rules->sram_lookups);
    run->fifos[SRAM].places =
        rules->sram_lookups > rules->sram_margin ? rules->sram_lookups - rules->sram_margin : 0;
    fifo_init(run, STAGE2, "stage2", "stage-2 FIFO", "matches", rules->stage2_matches);
    fifo_init(run, EGRESS, "egress", "egress FIFO", "records", rules->egress_records);
}

static void stage_init(struct run *run, int number, const char *alias, const char *name, int phase,
                       bool (*work)(struct stage *))
{
    run->stages[number] = (struct stage){
        .run = run, .alias = alias, .name = name, .work = work, .phase = phase, .shown = STATE_IDLE};
}

static void stages_init(struct run *run)
{
    stage_init(run, BUS_IN, "bus_in", "bus in", 6, work_bus_in);
    stage_init(run, STAGE_1A, "stage_1a", "1a", 5, work_1a);
    stage_init(run, STAGE_1BP, "stage_1bp", "1bp", 4, work_1bp);
    stage_init(run, STAGE_SRAM, "stage_sram", "SRAM", 3, work_sram);
    stage_init(run, STAGE_1BD, "stage_1bd", "1bd", 2, work_1bd);
    stage_init(run, STAGE_2, "stage_2", "2", 1, work_2);
    stage_init(run, BUS_OUT, "bus_out", "bus out", 0, work_bus_out);
}

static bool tokens_are_consistent(const struct tokens *tokens)
{
    size_t seeds = 0, groups = 0, matches = 0;
    for (size_t w = 0; w < tokens->word_count; w++)
        seeds += tokens->words[w];
    for (size_t s = 0; s < tokens->seed_count; s++)
        groups += tokens->seeds[s].groups;
    for (size_t g = 0; g < tokens->group_count; g++)
        matches += tokens->groups[g].matches;
    return !tokens->out_of_memory && seeds == tokens->seed_count && groups == tokens->group_count &&
           matches == tokens->match_count;
}

static int64_t *clocks_new(size_t count, bool *failed)
{
    int64_t *clocks = calloc(count + 1, sizeof *clocks); /* an empty one is not NULL */
    *failed |= !clocks;
    return clocks;
}

static bool times_init(struct board_times *times, const struct tokens *tokens)
{
    bool failed = false;
    times->word_room = tokens->word_count;
    times->seed_room = tokens->seed_count;
    times->group_room = tokens->group_count;
    times->match_room = times->record_room = tokens->match_count;
    times->word_delivered = clocks_new(times->word_room, &failed);
    times->word_taken = clocks_new(times->word_room, &failed);
    times->seed_issued = clocks_new(times->seed_room, &failed);
    times->seed_taken = clocks_new(times->seed_room, &failed);
    times->seed_done = clocks_new(times->seed_room, &failed);
    times->group_entered = clocks_new(times->group_room, &failed);
    times->match_taken = clocks_new(times->match_room, &failed);
    times->record_left = clocks_new(times->record_room, &failed);
    return !failed;
}

static bool result_init(struct events_result *out, const struct events_block *blocks, size_t count)
{
    bool failed = false;
    out->bus_free = clocks_new(count, &failed);
    out->times = calloc(count + 1, sizeof *out->times);
    if (failed || !out->times)
        return false;
    out->block_count = count;
    for (size_t b = 0; b < count; b++)
        if (!times_init(&out->times[b], blocks[b].tokens))
            return false;
    return true;
}

/* A platform of one host. It has nothing to compute: its speed means nothing. */
static const char platform[] = "<?xml version='1.0'?>\n"
                               "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                               "<platform version=\"4.1\"><zone id=\"machine\" routing=\"None\">"
                               "<host id=\"fpga\" speed=\"1f\"/></zone></platform>\n";

static bool engine_start(void)
{
    char path[64];
    int file = memfd_create("platform", MFD_CLOEXEC);
    if (file < 0)
        return false;
    bool written = write(file, platform, sizeof platform - 1) == (ssize_t)sizeof platform - 1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (written)
        simgrid_engine_start(path);
    close(file);
    return written;
}

/* The host the actors live on, NULL if there is none. */
static sg_host_t engine_host(bool started_by_others)
{
    static bool started;
    if (!started_by_others && !started && !engine_start())
        return NULL;
    started = true;
    sg_host_t *hosts = sg_host_list();
    sg_host_t host = sg_host_count() > 0 ? hosts[0] : NULL;
    free(hosts);
    return host;
}

static void simulate(struct run *run, sg_host_t host)
{
    run->origin = ceil(simgrid_get_clock() * PHASES) / PHASES;
    run->unfinished = STAGES;
    for (int i = 0; i < STAGES; i++) {
        run->stages[i].bell = sg_sem_init(0);
        simgrid_engine_add_actor(run->stages[i].name, host, stage_main, &run->stages[i]);
    }
    simgrid_run();
    for (int i = 0; i < STAGES; i++)
        sg_sem_destroy(run->stages[i].bell);
    run->out->drained = run->last_moved + 1;
}

static int fail(struct run *run, int code, const char *text)
{
    snprintf(run->why, run->why_size, "%s", text);
    return code;
}

static int fail_trace(struct run *run, const char *file)
{
    snprintf(run->why, run->why_size, "cannot write %s: %s", file, strerror(errno));
    return EVENTS_ETRACE;
}

static int simulate_traced(struct run *run, sg_host_t host, const char *paje_file)
{
    if (paje_file && !(run->paje = paje_open(paje_file)))
        return fail_trace(run, paje_file);
    trace_begin(run);
    simulate(run, host);
    trace_end(run, later((int64_t)ceil(pass_time(run)), run->out->drained));
    if (paje_close(run->paje) != 0 && !run->stuck)
        return fail_trace(run, paje_file);
    return run->stuck ? EVENTS_ESTUCK : EVENTS_DONE;
}

static int prepare_and_simulate(struct run *run, const struct events_options *options)
{
    static const struct events_options none;
    for (size_t b = 0; b < run->out->block_count; b++)
        if (!tokens_are_consistent(run->blocks[b].tokens))
            return fail(run, EVENTS_ETOKENS, "a block's tokens contradict each other");
    if (!options)
        options = &none;
    sg_host_t host = engine_host(options->engine_started);
    if (!host)
        return fail(run, EVENTS_EENGINE, "SimGrid has no host for the stages to live on");
    return simulate_traced(run, host, options->paje_file);
}

int events_run(const struct board_rules *rules, const struct events_block *blocks, size_t count,
               const struct events_options *options, struct events_result *out, char *why, size_t why_size)
{
    struct run run = {.blocks = blocks,
                      .out = out,
                      .read_latency = board_latency(rules->sram_read_cycles),
                      .trip_cycles = rules->sram_trip_cycles,
                      .fetch_latency = board_latency(rules->stage2_fetch_cycles),
                      .last_moved = -1,
                      .why = why,
                      .why_size = why_size};
    fifos_init(&run, rules);
    stages_init(&run);
    *out = (struct events_result){0};
    int status = result_init(out, blocks, count) ? prepare_and_simulate(&run, options)
                                                 : fail(&run, EVENTS_EMEMORY, "out of memory");
    if (status != EVENTS_DONE)
        events_result_destroy(out);
    return status;
}

void events_result_destroy(struct events_result *result)
{
    for (size_t b = 0; b < result->block_count; b++)
        board_times_destroy(&result->times[b]);
    free(result->times);
    free(result->bus_free);
    *result = (struct events_result){0};
}
