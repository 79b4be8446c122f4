#include "sim/board_taps.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Which ports a FIFO lies between. */
static const struct {
    enum board_port in, out;
} ports[BOARD_QUEUES] = {
    [FIFO_INGRESS] = {PORT_DELIVERED, PORT_TAKEN}, [FIFO_WMER] = {PORT_PUSHED, PORT_ISSUED},
    [FIFO_SRAM] = {PORT_READ, PORT_LOOKUP},        [FIFO_STAGE2] = {PORT_ENTERED, PORT_MATCH},
    [FIFO_EGRESS] = {PORT_RECORD, PORT_LEFT},      [BOARD_SERVER] = {PORT_LOOKUP, PORT_DONE},
};

enum board_port board_fifo_in(unsigned fifo)
{
    return ports[fifo].in;
}

enum board_port board_fifo_out(unsigned fifo)
{
    return ports[fifo].out;
}

static unsigned ports_used(const struct board_taps *taps)
{
    return taps->watch_server ? BOARD_PORTS : PORT_DONE;
}

static unsigned queues_used(const struct board_taps *taps)
{
    return taps->watch_server ? BOARD_QUEUES : BOARD_FIFOS;
}

/* Occupancy at which fewer than `margin` places are free. */
static uint64_t almost_full(uint32_t places, uint32_t margin)
{
    return places >= margin ? (uint64_t)places + 1 - margin : 0;
}

void board_taps_init(struct board_taps *taps, const struct board_rules *r)
{
    struct clock_tap *fifos = taps->fifos;
    *taps = (struct board_taps){.rules = r};
    clock_tap_init(&fifos[FIFO_INGRESS], r->ingress_words, r->ingress_words, true, true);
    clock_tap_init(&fifos[FIFO_WMER], r->wmer_seeds, almost_full(r->wmer_seeds, r->wmer_margin), true, true);
    clock_tap_init(&fifos[FIFO_SRAM], r->sram_lookups, r->sram_lookups - r->sram_margin, false, true);
    clock_tap_init(&fifos[FIFO_STAGE2], r->stage2_matches, almost_full(r->stage2_matches, r->stage2_margin),
                   true, true);
    clock_tap_init(&fifos[FIFO_EGRESS], r->egress_records, r->egress_records, true, true);
    clock_tap_init(&fifos[BOARD_SERVER], 1, UINT64_MAX, true, true);
}

void board_taps_destroy(struct board_taps *taps)
{
    for (unsigned port = 0; port < BOARD_PORTS; port++) {
        free(taps->waiting[port].clocks);
        free(taps->waiting[port].counts);
    }
    for (unsigned fifo = 0; fifo < BOARD_QUEUES; fifo++)
        clock_tap_destroy(&taps->fifos[fifo]);
    free(taps->left_clocks);
}

/* --- elements on their way to a tape --------------------------------------------------------------------- */

/* Elements of a block at a port, in order. */
struct marks {
    const int64_t *clocks;
    int64_t delay;         /* clocks later than these */
    const uint8_t *counts; /* elements at each; NULL: one */
    size_t stride;         /* of the counts, bytes */
    size_t first, count;
};

static uint8_t count_at(const struct marks *m, size_t i)
{
    return m->counts ? m->counts[i * m->stride] : 1;
}

enum { UNROLLED = 8 };

/* Put an element, or those of a word or group, on a tape. @return sum of the elements' clocks */
static inline __attribute__((always_inline)) uint64_t
put_one(const struct marks *m, size_t i, bool alone, const uint8_t *counts, uint16_t *tape, int64_t begin)
{
    int64_t clock = m->clocks[i] + m->delay;
    uint16_t elements = counts ? counts[i * m->stride] : 1, *mark = &tape[clock - begin];
    *mark = (uint16_t)((alone ? 0 : *mark) + elements);
    return elements * (uint64_t)clock;
}

/* Put those before clock `end` on a tape that begins at clock `begin`.
 *
 * @param alone   no others share their clock; the tape is blank
 * @param counts  of the marks
 * @return sum of the elements' clocks
 */
static inline __attribute__((always_inline)) uint64_t
put(struct marks *marks, bool alone, const uint8_t *counts, uint16_t *tape, int64_t begin, int64_t end)
{
    const struct marks m = *marks;
    const int64_t before = end - m.delay;
    uint64_t sum = 0;
    size_t i = m.first;
    for (; i + UNROLLED <= m.count && m.clocks[i + UNROLLED - 1] < before; i += UNROLLED)
#pragma GCC unroll 8
        for (size_t j = 0; j < UNROLLED; j++)
            sum += put_one(&m, i + j, alone, counts, tape, begin);
    for (; i < m.count && m.clocks[i] < before; i++)
        sum += put_one(&m, i, alone, counts, tape, begin);
    marks->first = i;
    return sum;
}

/* The same, one loop a kind. */
static uint64_t put_marks(struct marks *m, bool alone, uint16_t *tape, int64_t begin, int64_t end)
{
    if (m->counts)
        return alone ? put(m, true, m->counts, tape, begin, end) : put(m, false, m->counts, tape, begin, end);
    return alone ? put(m, true, NULL, tape, begin, end) : put(m, false, NULL, tape, begin, end);
}

static struct marks waiting_marks(const struct waiting *w)
{
    return (struct marks){
        .clocks = w->clocks, .counts = w->counts, .stride = 1, .first = w->first, .count = w->count};
}

static bool make_room(struct waiting *w, size_t more)
{
    if (w->first > 0) {
        w->count -= w->first;
        memmove(w->clocks, w->clocks + w->first, w->count * sizeof *w->clocks);
        memmove(w->counts, w->counts + w->first, w->count * sizeof *w->counts);
        w->first = 0;
    }
    if (w->count + more <= w->room)
        return true;
    size_t room = 2 * (w->count + more) + 64;
    int64_t *clocks = realloc(w->clocks, room * sizeof *clocks);
    if (clocks)
        w->clocks = clocks;
    uint8_t *counts = realloc(w->counts, room * sizeof *counts);
    if (counts)
        w->counts = counts;
    if (clocks && counts)
        w->room = room;
    return clocks && counts;
}

static bool keep_waiting(struct waiting *w, const struct marks *m)
{
    if (m->first == m->count)
        return true;
    if (!make_room(w, m->count - m->first))
        return false;
    for (size_t i = m->first; i < m->count; i++, w->count++) {
        w->clocks[w->count] = m->clocks[i] + m->delay;
        w->counts[w->count] = count_at(m, i);
    }
    return true;
}

/* --- the tapes ------------------------------------------------------------------------------------------- */

/* Ports through which elements, or those of one word, go in a clock of their own. Trips of no clocks and a quick bus know
 * no such rule. */
static bool has_rule_of_one(enum board_port port)
{
    return port != PORT_ENTERED && port != PORT_LEFT;
}

static void fill_tape(struct board_taps *taps, enum board_port port, struct marks *marks, int64_t end)
{
    uint16_t *tape = taps->tapes[port];
    bool alone = has_rule_of_one(port);
    struct waiting *waiting = &taps->waiting[port];
    memset(tape, 0, (size_t)(end - taps->clock) * sizeof *tape);
    if (waiting->first < waiting->count) {
        struct marks before = waiting_marks(waiting);
        taps->clock_sums[port] += put_marks(&before, alone, tape, taps->clock, end);
        waiting->first = before.first;
    }
    taps->clock_sums[port] += put_marks(marks, alone, tape, taps->clock, end);
}

/* Sum over a stretch of the tapes of clock x (left - entered). */
static uint64_t moved(const uint16_t *entered, const uint16_t *left, int64_t begin, int64_t clocks)
{
    int32_t elements = 0, products = 0; /* a window's are small */
    for (int32_t i = 0; i < (int32_t)clocks; i++) {
        elements += left[i] - entered[i];
        products += i * (left[i] - entered[i]);
    }
    return (uint64_t)(begin * elements + products);
}

/* Let the queues' taps read the tapes up to clock `end`. */
static void read_tapes(struct board_taps *taps, int64_t end)
{
    int64_t clocks = end - taps->clock;
    for (unsigned fifo = 0; fifo < queues_used(taps); fifo++) {
        const uint16_t *in = board_taps_tape(taps, ports[fifo].in, taps->clock);
        const uint16_t *out = board_taps_tape(taps, ports[fifo].out, taps->clock);
        clock_tap_clocks(&taps->fifos[fifo], in, out, (size_t)clocks);
        if (taps->cuts)
            taps->moved[fifo] += moved(in, out, taps->clock, clocks);
    }
    taps->clock = end;
}

/* The same, stopping at every border. */
static void read_tapes_in_pieces(struct board_taps *taps, int64_t end)
{
    const struct board_cuts *cuts = taps->cuts;
    while (taps->clock < end) {
        int64_t border = cuts->next(cuts->data, taps, taps->clock, end);
        assert(border > taps->clock);
        read_tapes(taps, border < end ? border : end);
        if (border <= end)
            cuts->cut(cuts->data, taps, border);
    }
}

/* Let the tapes run up to clock `end`, before which nothing more will come. */
static void run_tapes(struct board_taps *taps, struct marks *marks, int64_t end)
{
    while (taps->clock < end) {
        int64_t left = end - taps->clock, clocks = left < BOARD_TAPS_WINDOW ? left : BOARD_TAPS_WINDOW;
        taps->window_begin = taps->clock;
        for (unsigned port = 0; port < ports_used(taps); port++)
            fill_tape(taps, port, &marks[port], taps->clock + clocks);
        if (taps->watch)
            taps->watch->tapes(taps->watch->data, taps, taps->clock, taps->clock + clocks);
        if (taps->cuts)
            read_tapes_in_pieces(taps, taps->clock + clocks);
        else
            read_tapes(taps, taps->clock + clocks);
    }
}

/* --- blocks ---------------------------------------------------------------------------------------------- */

static bool find_left_clocks(struct board_taps *taps, const int64_t *ticks, size_t count)
{
    if (count > taps->left_room) {
        free(taps->left_clocks);
        taps->left_clocks = malloc(2 * count * sizeof *taps->left_clocks);
        taps->left_room = taps->left_clocks ? 2 * count : 0;
    }
    if (count > taps->left_room)
        return false;
    for (size_t i = 0; i < count; i++)
        taps->left_clocks[i] = board_clock_at(ticks[i]);
    return true;
}

static size_t count_records(const struct tokens *tokens)
{
    size_t records = 0;
    for (size_t i = 0; i < tokens->match_count; i++)
        records += tokens->matches[i];
    return records;
}

bool board_taps_block(struct board_taps *taps, const struct tokens *t, const struct board_times *times)
{
    if (t->word_count == 0)
        return true;
    size_t records = count_records(t);
    if (!find_left_clocks(taps, times->record_left, records))
        return false;
    board_intervals_block(&taps->intervals, taps->rules, t, times);
    struct marks marks[BOARD_PORTS] = {
        [PORT_DELIVERED] = {.clocks = times->word_delivered, .count = t->word_count},
        [PORT_TAKEN] = {.clocks = times->word_taken, .count = t->word_count},
        [PORT_PUSHED] = {.clocks = times->word_taken, .counts = t->words, 1, .count = t->word_count},
        [PORT_ISSUED] = {.clocks = times->seed_issued, .count = t->seed_count},
        [PORT_READ] = {times->seed_issued, board_latency(taps->rules->sram_read_cycles),
                       .count = t->seed_count},
        [PORT_LOOKUP] = {.clocks = times->seed_taken, .count = t->seed_count},
        [PORT_ENTERED] = {.clocks = times->group_entered,
                          .counts = t->groups ? &t->groups->matches : NULL,
                          sizeof *t->groups,
                          .count = t->group_count},
        [PORT_MATCH] = {.clocks = times->match_taken, .count = t->match_count},
        [PORT_RECORD] = {.clocks = times->match_taken, .counts = t->matches, 1, .count = t->match_count},
        [PORT_LEFT] = {.clocks = taps->left_clocks, .count = records},
        [PORT_DONE] = {.clocks = times->seed_done, .count = t->seed_count},
    };
    taps->lookup_busy_clocks = (uint64_t)taps->intervals.taps[SERVICES_1BD].moments.sum;
    run_tapes(taps, marks, times->word_delivered[t->word_count - 1] + 1);
    for (unsigned port = 0; port < ports_used(taps); port++)
        if (!keep_waiting(&taps->waiting[port], &marks[port]))
            return false;
    return true;
}

/* Clocks of all elements that have gone through a port, were it after the end. */
static uint64_t sum_of_clocks(const struct board_taps *taps, enum board_port port)
{
    const struct waiting *w = &taps->waiting[port];
    uint64_t sum = taps->clock_sums[port];
    for (size_t i = w->first; i < w->count; i++)
        sum += w->counts[i] * (uint64_t)w->clocks[i];
    return sum;
}

void board_taps_close(struct board_taps *taps, int64_t end)
{
    struct marks none[BOARD_PORTS] = {0};
    run_tapes(taps, none, end);
    for (unsigned port = 0; port < PORT_DONE; port++) /* 1bd may be free only in the clock after the last */
        assert(taps->waiting[port].first == taps->waiting[port].count);
    for (unsigned queue = 0; queue < queues_used(taps); queue++)
        clock_tap_stays(&taps->fifos[queue],
                        sum_of_clocks(taps, ports[queue].out) - sum_of_clocks(taps, ports[queue].in));
    for (unsigned queue = 0; queue < BOARD_QUEUES; queue++)
        clock_tap_close(&taps->fifos[queue]);
}

const struct fifo_measure *board_taps_measure(const struct board_taps *taps, enum board_fifo fifo)
{
    return &taps->fifos[fifo].measure;
}
