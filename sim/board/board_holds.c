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

static void group_enters(struct lookup_hold *h, int64_t entered)
{
    h->entered[h->groups++ % BOARD_TRIPS_MAX] = entered + 1;
    h->told = later(h->told, entered);
}

/* Consecutive trips are one span, and after them comes the time in which their matches find no room. */
static void visit_trips(struct lookup_hold *h, const struct board_rules *rules,
                        const struct lookup_visitor *v, const struct group_token *groups, unsigned count,
                        const int64_t *entered, int64_t taken)
{
    int64_t begin = later(taken, h->told), clock = begin;
    unsigned trips = 0;
    for (unsigned i = 0; i < count; i++) {
        trips++;
        int64_t place = h->entered[(h->groups - rules->trips_in_flight) % BOARD_TRIPS_MAX] - 1;
        clock = later(
            clock, board_make_trip(&h->port_free, groups[i], board_trip_cycles(rules), later(taken, place)));
        group_enters(h, entered[i]);
        if (entered[i] == clock)
            continue;
        tell_trips(v, trips, begin, clock);
        tell(v->held, v->data, clock, entered[i]);
        begin = clock = entered[i];
        trips = 0;
    }
    tell_trips(v, trips, begin, clock);
    tell(v->looks_up, v->data, later(taken, clock), taken + 1); /* only if no clock went by */
}

void board_visit_lookups(struct lookup_hold *h, const struct board_rules *rules, const struct tokens *t,
                         const struct board_times *times, const struct lookup_visitor *v)
{
    size_t group = 0;
    for (size_t i = 0; i < t->seed_count; group += t->seeds[i++].groups) {
        const int64_t taken = times->seed_taken[i], *entered = times->group_entered + group;
        if (t->seeds[i].outcome == LOOKUP_DUPLICATE) {
            visit_trips(h, rules, v, t->groups + group, t->seeds[i].groups, entered, taken);
        } else {
            tell(v->looks_up, v->data, later(taken, h->told), taken + 1);
            h->told = later(h->told, taken + 1);
            if (t->seeds[i].groups > 0) {
                tell(v->held, v->data, h->told, *entered);
                group_enters(h, *entered);
            }
        }
        h->told = later(h->told, taken + 1);
    }
}
