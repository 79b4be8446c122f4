#include "sim/board/board_taps.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static unsigned queues_used(const struct board_taps *taps)
{
    return taps->watch_server ? BOARD_QUEUES : BOARD_FIFOS;
}

void board_taps_init(struct board_taps *taps, const struct board_rules *rules)
{
    *taps = (struct board_taps){.rules = rules};
    for (unsigned queue = 0; queue < BOARD_QUEUES; queue++)
        clock_tap_init(&taps->fifos[queue], board_fifo_places(queue, rules),
                       board_fifo_back_pressure_at(queue, rules), board_fifos[queue].signal != SIGNAL_RESERVE,
                       true);
}

void board_taps_destroy(struct board_taps *taps)
{
    for (unsigned port = 0; port < BOARD_PORTS; port++)
        waiting_marks_destroy(&taps->waiting[port]);
    for (unsigned fifo = 0; fifo < BOARD_QUEUES; fifo++)
        clock_tap_destroy(&taps->fifos[fifo]);
}

void board_taps_add_watch(struct board_taps *taps, struct tape_watch *watch)
{
    watch->next = taps->watches;
    taps->watches = watch;
}

/* --- elements on their way to a tape --------------------------------------------------------------------- */

static inline bool has_counts(enum board_marking how)
{
    return how == MARK_BATCH || how == MARK_COUNT;
}

/* Whether the tape of PORT_READ is a copy of that of PORT_ISSUED, later by the time of a read. */
static bool reads_follow(const struct board_taps *taps)
{
    return board_latency(taps->rules->sram_read_cycles) <= BOARD_TAPS_HISTORY;
}

/* Whether a port's own elements are put on tapes. */
static bool is_marked(const struct board_taps *taps, enum board_port port)
{
    return port == PORT_DONE
               ? taps->watch_server
               : board_ports[port].marking != MARK_CARRIED && !(port == PORT_READ && reads_follow(taps));
}

/* The elements of a block at a port, in order. */
struct marks {
    const int64_t *clocks;
    int64_t delay;         /* clocks to be added */
    const uint8_t *counts; /* number of elements at each */
    size_t stride;         /* bytes from one count to the next */
    size_t first, count;
};

/* Addresses at which clock 0 of the tapes would be; no pointers, which must not point that far outside. */
struct tape_origin {
    uintptr_t of_elements, of_counts;
};

static uintptr_t origin_of(const uint16_t *tape, int64_t begin)
{
    return (uintptr_t)tape - (uintptr_t)begin * sizeof *tape;
}

static inline uint16_t *mark_at(uintptr_t origin, int64_t clock)
{
    return (uint16_t *)(origin + (uintptr_t)clock * sizeof(uint16_t)); /* NOLINT(performance-no-int-to-ptr) */
}

/* Sums of the clocks of the marks put on the tapes. */
struct put_sums {
    uint64_t elements, counts;
};

static inline __attribute__((always_inline)) void
put_one(enum board_marking how, int64_t clock, unsigned count, struct tape_origin to, struct put_sums *sums)
{
    uint16_t *mark = mark_at(to.of_elements, clock);
    if (how == MARK_COUNT) {
        *mark = (uint16_t)(*mark + count);
        sums->elements += count * (uint64_t)clock;
        return;
    }
    *mark = how == MARK_AMONG ? (uint16_t)(*mark + 1) : 1;
    sums->elements += (uint64_t)clock;
    if (how == MARK_BATCH) {
        *mark_at(to.of_counts, clock) = (uint16_t)count;
        sums->counts += count * (uint64_t)clock;
    }
}

enum { UNROLLED = 4 };

static inline int64_t clock_of(int64_t time, enum board_marking how)
{
    return how == MARK_AMONG ? board_clock_at(time) : time;
}

/* Put the elements before clock `end` on the tapes. */
static inline __attribute__((always_inline)) struct put_sums
put(struct marks *marks, enum board_marking how, size_t stride, struct tape_origin to, int64_t end)
{
    const struct marks m = *marks;
    const int64_t *clocks = m.clocks;
    static const uint8_t none = 0;
    const uint8_t *counts = has_counts(how) ? m.counts : &none;
    struct put_sums sums = {0};
    size_t i = m.first;
    for (; i + UNROLLED <= m.count && clock_of(clocks[i + UNROLLED - 1], how) < end; i += UNROLLED)
#pragma GCC unroll 4
        for (size_t j = i; j < i + UNROLLED; j++)
            put_one(how, clock_of(clocks[j], how), counts[j * stride], to, &sums);
    for (; i < m.count && clock_of(clocks[i], how) < end; i++)
        put_one(how, clock_of(clocks[i], how), counts[i * stride], to, &sums);
    marks->first = i;
    return sums;
}

/* Put marks, with one loop for each kind of marking. */
static struct put_sums put_marks(struct marks *m, enum board_marking how, struct tape_origin to, int64_t end)
{
    switch (how) {
    case MARK_ONE:
        return put(m, MARK_ONE, 0, to, end);
    case MARK_BATCH:
        return put(m, MARK_BATCH, 1, to, end);
    case MARK_COUNT:
        return m->stride == 1 ? put(m, MARK_COUNT, 1, to, end)
                              : put(m, MARK_COUNT, sizeof(struct group_token), to, end);
    default:
        return put(m, MARK_AMONG, 0, to, end);
    }
}

static bool keep_waiting(struct waiting_marks *w, enum board_marking how, const struct marks *m)
{
    for (size_t i = m->first; i < m->count; i++)
        if (!waiting_marks_add(w, m->clocks[i], has_counts(how) ? m->counts[i * m->stride] : 0))
            return false;
    return true;
}

/* --- the tapes ------------------------------------------------------------------------------------------- */

/* Put elements on the tapes of a port, up to clock `end`. */
static void put_port(struct board_taps *taps, enum board_port port, struct marks *marks, int64_t end)
{
    const enum board_marking how = board_ports[port].marking;
    const int64_t delay = marks->delay, begin = taps->clock - delay;
    struct tape_origin to = {.of_elements = origin_of(taps->tapes[port], begin)};
    if (how == MARK_BATCH)
        to.of_counts = origin_of(taps->tapes[port + 1], begin);
    size_t first = marks->first;
    struct put_sums sums = put_marks(marks, how, to, end - delay);
    taps->clock_sums[port] += sums.elements + (marks->first - first) * (uint64_t)delay;
    if (how == MARK_BATCH)
        taps->clock_sums[port + 1] += sums.counts;
}

/* Out of line: where gcc sees how little there is to clear, it uses a slow string instruction. */
static __attribute__((noinline)) void blank(uint16_t *tape, size_t clocks)
{
    memset(tape, 0, clocks * sizeof *tape);
}

/* Put those that wait on the tapes of a port, up to clock `end`, some at a time. */
static void put_waiting(struct board_taps *taps, enum board_port port, int64_t end)
{
    enum { SOME = 256 };
    int64_t clocks[SOME];
    uint8_t counts[SOME];
    struct waiting_marks *w = &taps->waiting[port];
    const enum board_marking how = board_ports[port].marking;
    struct marks some = {
        .clocks = clocks, .delay = board_port_delay(port, taps->rules), .counts = counts, .stride = 1};
    const struct mark_run *run = waiting_marks_first(w);
    while (run && clock_of(run->time, how) + some.delay < end) {
        counts[some.count] = (uint8_t)run->count;
        clocks[some.count++] = run->time;
        waiting_marks_take(w);
        run = waiting_marks_first(w);
        if (some.count == SOME) {
            put_port(taps, port, &some, end);
            some.first = some.count = 0;
        }
    }
    put_port(taps, port, &some, end);
}

static void fill_tapes(struct board_taps *taps, enum board_port port, struct marks *marks, int64_t end)
{
    size_t clocks = (size_t)(end - taps->clock);
    blank(taps->tapes[port], clocks);
    if (board_ports[port].marking == MARK_BATCH)
        blank(taps->tapes[port + 1], clocks);
    if (waiting_marks_first(&taps->waiting[port]))
        put_waiting(taps, port, end);
    put_port(taps, port, marks, end);
}

/* Out of line for the same reason. */
static __attribute__((noinline)) void copy_marks(uint16_t *to, const uint16_t *from, size_t clocks)
{
    memcpy(to, from, clocks * sizeof *to);
}

/* The reads that 1bp issued come back. */
static void fill_read_tape(struct board_taps *taps, size_t clocks)
{
    const uint16_t *issued = taps->tapes[PORT_ISSUED];
    uint16_t *read = taps->tapes[PORT_READ], *before = taps->issued_before;
    size_t latency = (size_t)board_latency(taps->rules->sram_read_cycles);
    size_t from_before = latency < clocks ? latency : clocks;
    copy_marks(read, before + BOARD_TAPS_HISTORY - latency, from_before);
    copy_marks(read + from_before, issued, clocks - from_before);
    size_t kept = clocks < BOARD_TAPS_HISTORY ? BOARD_TAPS_HISTORY - clocks : 0;
    memmove(before, before + BOARD_TAPS_HISTORY - kept, kept * sizeof *before);
    copy_marks(before + kept, issued + clocks + kept - BOARD_TAPS_HISTORY, BOARD_TAPS_HISTORY - kept);
}

/* Sum of clock x (left - entered) over `clocks` clocks of two tapes. */
static uint64_t moved(const uint16_t *entered, const uint16_t *left, int64_t begin, int64_t clocks)
{
    int32_t elements = 0, products = 0; /* those of a window are small */
    for (int32_t i = 0; i < (int32_t)clocks; i++) {
        elements += left[i] - entered[i];
        products += i * (left[i] - entered[i]);
    }
    return (uint64_t)(begin * elements + products);
}

/* Let the taps of the queues read the tapes up to clock `end`, or rest until then. */
static void read_tapes(struct board_taps *taps, int64_t end)
{
    int64_t clocks = end - taps->clock;
    for (unsigned fifo = 0; taps->is_resting && fifo < queues_used(taps); fifo++)
        clock_tap_rest(&taps->fifos[fifo], (uint64_t)clocks);
    for (unsigned fifo = 0; !taps->is_resting && fifo < queues_used(taps); fifo++) {
        const uint16_t *in = board_taps_tape(taps, board_fifos[fifo].in, taps->clock);
        const uint16_t *out = board_taps_tape(taps, board_fifos[fifo].out, taps->clock);
        clock_tap_clocks(&taps->fifos[fifo], in, out, (size_t)clocks);
        if (taps->cuts)
            taps->moved[fifo] += moved(in, out, taps->clock, clocks);
    }
    taps->clock = end;
}

/* Read the tapes, stopping at every border if there are cuts. */
static void read_tapes_in_pieces(struct board_taps *taps, int64_t end)
{
    const struct board_cuts *cuts = taps->cuts;
    if (!cuts)
        read_tapes(taps, end);
    while (taps->clock < end) {
        int64_t border = cuts->next(cuts->data, taps, taps->clock, end);
        assert(border > taps->clock);
        read_tapes(taps, border < end ? border : end);
        if (border <= end)
            cuts->cut(cuts->data, taps, border);
    }
}

/* The clock of the first element that comes to a tape, or `end` if none comes before. */
static int64_t next_element(struct board_taps *taps, const struct marks *marks, int64_t end)
{
    int64_t next = end;
    for (unsigned port = 0; port < BOARD_PORTS; port++) {
        const struct marks *m = &marks[port];
        if (!is_marked(taps, port))
            continue;
        const enum board_marking how = board_ports[port].marking;
        const int64_t delay = board_port_delay(port, taps->rules);
        const struct mark_run *waiting = waiting_marks_first(&taps->waiting[port]);
        if (waiting)
            next = sooner(next, clock_of(waiting->time, how) + delay);
        if (m->first < m->count)
            next = sooner(next, clock_of(m->clocks[m->first], how) + delay);
    }
    return next;
}

/* Pass over clocks in which nothing comes or goes: a slow bus has millions of them between two words.
 * @return whether there were any */
static bool rest(struct board_taps *taps, int64_t next)
{
    if (!taps->is_quiet || next <= taps->clock)
        return false;
    taps->is_resting = true;
    for (const struct tape_watch *watch = taps->watches; watch; watch = watch->next)
        if (watch->rest)
            watch->rest(watch->data, taps->clock, next);
    read_tapes_in_pieces(taps, next);
    taps->is_resting = false;
    return true;
}

/* Run the tapes up to clock `end`, before which no more elements will come. */
static void run_tapes(struct board_taps *taps, struct marks *marks, int64_t end)
{
    while (taps->clock < end) {
        int64_t next = next_element(taps, marks, end);
        if (rest(taps, next))
            continue;
        int64_t left = end - taps->clock, clocks = left < BOARD_TAPS_WINDOW ? left : BOARD_TAPS_WINDOW;
        taps->is_quiet = clocks >= BOARD_TAPS_HISTORY && next >= taps->clock + clocks;
        taps->window_begin = taps->clock;
        for (unsigned port = 0; port < BOARD_PORTS; port++)
            if (is_marked(taps, port))
                fill_tapes(taps, port, &marks[port], taps->clock + clocks);
        if (reads_follow(taps))
            fill_read_tape(taps, (size_t)clocks);
        for (const struct tape_watch *watch = taps->watches; watch; watch = watch->next)
            watch->tapes(watch->data, taps, taps->clock, taps->clock + clocks);
        read_tapes_in_pieces(taps, taps->clock + clocks);
    }
}

/* --- blocks ---------------------------------------------------------------------------------------------- */

/* Counts in pieces that 8 bits can hold, so that vector instructions count many at once. */
static size_t count_records(const struct tokens *tokens)
{
    size_t records = 0;
    for (size_t begin = 0; begin < tokens->match_count; begin += UINT8_MAX) {
        size_t left = tokens->match_count - begin, end = begin + (left < UINT8_MAX ? left : UINT8_MAX);
        uint8_t piece = 0;
        for (size_t i = begin; i < end; i++)
            piece = (uint8_t)(piece + tokens->matches[i]);
        records += piece;
    }
    return records;
}

static struct marks marks_at(enum board_port port, const struct board_rules *rules, const struct tokens *t,
                             const struct board_times *times, size_t records)
{
    static const uint8_t none = 0;
    const uint8_t *const counts[TOKEN_LEVELS] = {
        [LEVEL_WORD] = t->words,
        [LEVEL_GROUP] = t->groups ? &t->groups->matches : &none,
        [LEVEL_MATCH] = t->matches,
    };
    const enum token_level level = board_ports[port].clocks;
    return (struct marks){
        .clocks = board_port_times(port, times),
        .delay = board_port_delay(port, rules),
        .counts = counts[level],
        .stride = level == LEVEL_GROUP ? sizeof *t->groups : 1,
        .count =
            (const size_t[]){t->word_count, t->seed_count, t->group_count, t->match_count, records}[level],
    };
}

bool board_taps_block(struct board_taps *taps, const struct tokens *t, const struct board_times *times)
{
    if (t->word_count == 0)
        return true;
    board_intervals_block(&taps->intervals, taps->rules, t, times);
    const size_t records = count_records(t);
    struct marks marks[BOARD_PORTS];
    for (unsigned port = 0; port < BOARD_PORTS; port++)
        marks[port] = marks_at(port, taps->rules, t, times, records);
    run_tapes(taps, marks, times->word_delivered[t->word_count - 1] + 1);
    for (unsigned port = 0; port < BOARD_PORTS; port++)
        if (is_marked(taps, port) &&
            !keep_waiting(&taps->waiting[port], board_ports[port].marking, &marks[port]))
            return false;
    return !board_taps_file_failed(taps);
}

bool board_taps_file_failed(const struct board_taps *taps)
{
    bool failed = false;
    for (unsigned port = 0; port < BOARD_PORTS; port++)
        failed = failed || taps->waiting[port].file_failed;
    return failed;
}

/* 1bd may become free only in the clock after the last one: add the clocks of what did not come to its tape. */
static void count_last_done(struct board_taps *taps)
{
    struct waiting_marks *w = &taps->waiting[PORT_DONE];
    for (const struct mark_run *run; (run = waiting_marks_first(w)); waiting_marks_take(w))
        taps->clock_sums[PORT_DONE] += (uint64_t)run->time;
}

void board_taps_close(struct board_taps *taps, int64_t end)
{
    struct marks none[BOARD_PORTS] = {0};
    run_tapes(taps, none, end);
    for (unsigned port = 0; port < PORT_DONE; port++)
        assert(!waiting_marks_first(&taps->waiting[port]));
    count_last_done(taps);
    if (reads_follow(taps))
        taps->clock_sums[PORT_READ] =
            taps->clock_sums[PORT_ISSUED] +
            taps->fifos[FIFO_SRAM].measure.elements * (uint64_t)board_latency(taps->rules->sram_read_cycles);
    for (unsigned queue = 0; queue < queues_used(taps); queue++)
        taps->fifos[queue].measure.sojourn_clocks =
            taps->clock_sums[board_fifos[queue].out] - taps->clock_sums[board_fifos[queue].in];
    for (unsigned queue = 0; queue < BOARD_QUEUES; queue++)
        clock_tap_close(&taps->fifos[queue]);
}

bool board_taps_close_copy(const struct board_taps *taps, int64_t end, struct board_taps *copy)
{
    bool copied = true;
    *copy = *taps;
    for (unsigned port = 0; port < BOARD_PORTS; port++)
        copied = waiting_marks_copy(&copy->waiting[port], &taps->waiting[port]) && copied;
    if (copied)
        board_taps_close(copy, end);
    copied = copied && !board_taps_file_failed(copy);
    for (unsigned port = 0; port < BOARD_PORTS; port++)
        waiting_marks_destroy(&copy->waiting[port]);
    return copied;
}
