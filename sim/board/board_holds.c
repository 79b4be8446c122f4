#include "sim/board/board_holds.h"

/* --- the bus --------------------------------------------------------------------------------------------- */

struct bus_hold bus_hold_none(void)
{
    return (struct bus_hold){.bus = WORD_BUS_IDLE, .delivered = -1};
}

void board_hold_words(struct bus_hold *hold, const struct tokens *tokens, const struct board_times *times,
                      const struct bus_share *share, board_span_visitor *held, void *data)
{
    if (tokens->word_count > 0)
        hold->bus = word_bus_begin(hold->bus, share);
    for (size_t i = 0; i < tokens->word_count; i++) {
        int64_t supplied = share->supply_first + (int64_t)i * share->supply_ticks;
        int64_t due = later(hold->bus.free, supplied), clock = times->word_delivered[i],
                first = board_clock_at(due);
        int64_t begin = later(first, hold->delivered + 1);
        if (clock > begin)
            held(data, begin, clock);
        hold->bus =
            word_bus_carry(hold->bus, clock > first ? clock * BOARD_TICKS_PER_CLOCK : due, share->word_ticks);
        hold->delivered = clock;
    }
}

/* --- 1bd ------------------------------------------------------------------------------------------------- */

static void tell(board_span_visitor *visit, void *data, int64_t begin, int64_t end)
{
    if (visit && end > begin)
        visit(data, begin, end);
}

static void tell_trips(const struct lookup_visitor *v, unsigned count, int64_t begin, int64_t end)
{
    if (v->trips && end > begin)
        v->trips(v->data, count, begin, end);
}

/* Consecutive trips are one span, and after them comes the time in which their matches find no room. */
static void visit_duplicate(const struct lookup_visitor *v, unsigned groups, int64_t taken, int64_t done,
                            const int64_t *entered, int64_t trip)
{
    int64_t begin = taken, clock = taken;
    unsigned trips = 0;
    for (unsigned i = 0; i < groups; i++) {
        trips++;
        clock += trip;
        if (entered[i] == clock)
            continue;
        tell_trips(v, trips, begin, clock);
        tell(v->held, v->data, clock, entered[i]);
        begin = clock = entered[i];
        trips = 0;
    }
    tell_trips(v, trips, begin, clock);
    tell(v->looks_up, v->data, clock, done); /* only if no clock went by */
}

void board_visit_lookups(const struct tokens *t, const struct board_times *times, uint32_t trip_cycles,
                         const struct lookup_visitor *v)
{
    size_t group = 0;
    for (size_t i = 0; i < t->seed_count; group += t->seeds[i++].groups) {
        int64_t taken = times->seed_taken[i], done = times->seed_done[i];
        if (t->seeds[i].outcome == LOOKUP_DUPLICATE) {
            visit_duplicate(v, t->seeds[i].groups, taken, done, times->group_entered + group, trip_cycles);
        } else {
            tell(v->looks_up, v->data, taken, taken + 1);
            tell(v->held, v->data, taken + 1, done);
        }
    }
}
