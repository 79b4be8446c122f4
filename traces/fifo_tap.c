#include "traces/fifo_tap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void fifo_tap_init(struct fifo_tap *tap, uint64_t places, uint64_t alert_at, bool alert_ignores_arrivals)
{
    *tap = (struct fifo_tap){.alert_at = alert_at, .alert_delay = alert_ignores_arrivals};
    tap->measure.places = places;
    tap->measure.bin_width = places ? (places + FIFO_BINS) / FIFO_BINS : 1;
}

void fifo_tap_destroy(struct fifo_tap *tap)
{
    free(tap->departures);
    tap->departures = NULL;
}

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t bin_of(uint64_t occupancy, uint64_t bin_width)
{
    uint64_t bin = occupancy / bin_width;
    return bin < FIFO_BINS ? bin : FIFO_BINS;
}

/* Every occupancy has a bin of its own: the histogram says all, and `most` and `integral` are read off it in the end. */
static bool has_exact_bins(const struct fifo_tap *tap)
{
    return tap->measure.places > 0 && tap->measure.places < FIFO_BINS;
}

/* Occupancy was `occupancy` from the last event up to, not including, `clock`. */
static void hold(struct fifo_tap *tap, uint64_t occupancy, int64_t clock)
{
    uint64_t clocks = (uint64_t)(clock - tap->clock);
    tap->clocks_at[bin_of(occupancy, tap->measure.bin_width)] += clocks;
    tap->measure.integral += clocks * occupancy;
    if (clocks > 0 && occupancy > tap->measure.most)
        tap->measure.most = occupancy;
    tap->clock = clock;
}

/* Room for `count` departures more behind those inside and those before them that the alert looks back to. */
static bool make_room(struct fifo_tap *tap, size_t count)
{
    if (tap->first + tap->inside + count <= tap->room)
        return true;
    size_t kept = tap->alert_at < tap->first ? (size_t)tap->alert_at : tap->first;
    if (kept + tap->inside > 0)
        memmove(tap->departures, tap->departures + tap->first - kept,
                (kept + tap->inside) * sizeof *tap->departures);
    tap->first = kept;
    if (kept + tap->inside + count <= tap->room)
        return true;
    size_t room = 4 * (kept + tap->inside + count) + 64;
    int64_t *moved = realloc(tap->departures, room * sizeof *moved);
    if (!moved)
        return false;
    tap->departures = moved;
    tap->room = room;
    return true;
}

/* What arrivals add to the time of the alert. Number the elements; once element k is there, the alert is on as long as
 * k - alert_at + 1 of them are gone, not more: until that one more goes. So every arrival has an interval of its own,
 * from itself (and from the departure before) to that departure; it is empty where that departure came sooner.
 *
 * @param end  index of the first arrival's departure
 */
static uint64_t alert_clocks(const struct fifo_tap *tap, const int64_t *arrivals, size_t count, size_t end)
{
    if (tap->alert_at == 0 || tap->alert_at > tap->room)
        return 0;
    const size_t back = (size_t)tap->alert_at - 1;
    size_t i = back > end ? back - end : 0; /* the first elements have no such departure to wait for */
    int64_t clocks = 0;
    if (i < count && end + i == back) { /* the very first departure has none before it */
        clocks += later(tap->departures[0] - (arrivals[i] + tap->alert_delay), 0);
        i++;
    }
    const int64_t *ends = tap->departures + end - back;
    for (; i < count; i++)
        clocks += later(ends[i] - later(ends[i - 1], arrivals[i] + tap->alert_delay), 0);
    return (uint64_t)clocks;
}

static uint64_t sojourn_clocks(const int64_t *arrivals, const int64_t *departures, size_t count)
{
    int64_t clocks = 0;
    for (size_t i = 0; i < count; i++)
        clocks += departures[i] - arrivals[i];
    return (uint64_t)clocks;
}

/* The two sequences of a tap on their way to one: departures first where clocks are equal. */
struct merge {
    const int64_t *next; /* departure */
    const int64_t *arrival, *end;
    uint64_t *clocks_at;
    size_t inside;
    int64_t clock;
};

static struct merge merge_begin(struct fifo_tap *tap, const int64_t *arrivals, size_t count)
{
    return (struct merge){
        .next = tap->departures + tap->first,
        .arrival = arrivals,
        .end = arrivals + count,
        .clocks_at = tap->clocks_at,
        .inside = tap->inside,
        .clock = tap->clock,
    };
}

/* One event, without a branch: which sequence it comes from cannot be foretold. */
static inline void merge_step(struct merge *m)
{
    size_t leaves = (m->inside > 0) & (*m->next <= *m->arrival);
    int64_t event = leaves ? *m->next : *m->arrival;
    m->clocks_at[m->inside] += (uint64_t)(event - m->clock);
    m->clock = event;
    m->next += leaves;
    m->arrival += 1 - leaves;
    m->inside += 1 - 2 * leaves;
}

static void merge_end(const struct merge *m, struct fifo_tap *tap)
{
    tap->first = (size_t)(m->next - tap->departures);
    tap->inside = m->inside;
    tap->clock = m->clock;
}

static void merge_exact(struct fifo_tap *tap, const int64_t *arrivals, size_t count)
{
    struct merge m = merge_begin(tap, arrivals, count);
    while (m.arrival < m.end)
        merge_step(&m);
    merge_end(&m, tap);
}

/* Two at a time: each event waits for the one before it, but not for the other tap's. */
static void merge_exact_pair(struct fifo_tap *a, const int64_t *a_arrivals, size_t a_count,
                             struct fifo_tap *b, const int64_t *b_arrivals, size_t b_count)
{
    struct merge m = merge_begin(a, a_arrivals, a_count), n = merge_begin(b, b_arrivals, b_count);
    while (m.arrival < m.end && n.arrival < n.end) {
        merge_step(&m);
        merge_step(&n);
    }
    while (m.arrival < m.end)
        merge_step(&m);
    while (n.arrival < n.end)
        merge_step(&n);
    merge_end(&m, a);
    merge_end(&n, b);
}

static void merge_any(struct fifo_tap *tap, const int64_t *arrivals, size_t count)
{
    for (size_t i = 0; i < count;) {
        bool leaves = tap->inside > 0 && tap->departures[tap->first] <= arrivals[i];
        hold(tap, tap->inside, leaves ? tap->departures[tap->first] : arrivals[i]);
        tap->first += leaves;
        tap->inside += leaves ? SIZE_MAX : 1;
        i += !leaves;
    }
}

/* Take the elements in, but for the histogram. */
static bool take_in(struct fifo_tap *tap, const struct fifo_stay *stay)
{
    if (stay->count == 0)
        return true;
    assert(stay->arrivals[0] >= tap->clock);
    if (!make_room(tap, stay->count))
        return false;
    size_t end = tap->first + tap->inside;
    memcpy(tap->departures + end, stay->departures, stay->count * sizeof *stay->departures);
    tap->measure.elements += stay->count;
    tap->measure.sojourn_clocks += sojourn_clocks(stay->arrivals, stay->departures, stay->count);
    tap->measure.alert_clocks += alert_clocks(tap, stay->arrivals, stay->count, end);
    return true;
}

static void merge(struct fifo_tap *tap, const struct fifo_stay *stay)
{
    if (has_exact_bins(tap))
        merge_exact(tap, stay->arrivals, stay->count);
    else
        merge_any(tap, stay->arrivals, stay->count);
}

bool fifo_tap_elements(struct fifo_tap *tap, const int64_t *arrivals, const int64_t *departures, size_t count)
{
    struct fifo_stay stay = {arrivals, departures, count};
    if (!take_in(tap, &stay))
        return false;
    merge(tap, &stay);
    return true;
}

bool fifo_tap_two(struct fifo_tap *a, struct fifo_stay a_stay, struct fifo_tap *b, struct fifo_stay b_stay)
{
    if (!take_in(a, &a_stay) || !take_in(b, &b_stay))
        return false;
    if (a_stay.count > 0 && b_stay.count > 0 && has_exact_bins(a) && has_exact_bins(b)) {
        merge_exact_pair(a, a_stay.arrivals, a_stay.count, b, b_stay.arrivals, b_stay.count);
    } else {
        merge(a, &a_stay);
        merge(b, &b_stay);
    }
    return true;
}

bool fifo_tap_element(struct fifo_tap *tap, int64_t arrival, int64_t departure)
{
    return fifo_tap_elements(tap, &arrival, &departure, 1);
}

static void depart_until(struct fifo_tap *tap, int64_t clock)
{
    for (; tap->inside > 0 && tap->departures[tap->first] <= clock; tap->first++, tap->inside--)
        hold(tap, tap->inside, tap->departures[tap->first]);
}

bool fifo_tap_is_empty_at(const struct fifo_tap *tap, int64_t clock)
{
    return tap->inside == 0 || tap->departures[tap->first + tap->inside - 1] <= clock;
}

void fifo_tap_unit_run(struct fifo_tap *tap, int64_t first_arrival, int64_t last_arrival, size_t count)
{
    depart_until(tap, first_arrival);
    assert(tap->inside == 0 && count > 0);
    hold(tap, 0, first_arrival);
    uint64_t clocks = (uint64_t)(last_arrival + 1 - first_arrival);
    tap->clocks_at[0] += clocks - count;
    tap->clocks_at[bin_of(1, tap->measure.bin_width)] += count;
    tap->measure.integral += count;
    tap->measure.sojourn_clocks += count;
    tap->measure.elements += count;
    if (tap->measure.most == 0)
        tap->measure.most = 1;
    if (tap->alert_at == 1 && tap->alert_delay == 0)
        tap->measure.alert_clocks += count;
    tap->clock = last_arrival + 1;
    tap->first = 0; /* none of these can end an alert: they are gone before anything else comes */
}

static void read_off_bins(struct fifo_tap *tap)
{
    tap->measure.integral = tap->measure.most = 0;
    for (uint64_t occupancy = 0; occupancy < FIFO_BINS; occupancy++) {
        tap->measure.integral += occupancy * tap->clocks_at[occupancy];
        if (tap->clocks_at[occupancy] > 0)
            tap->measure.most = occupancy;
    }
}

const struct fifo_measure *fifo_tap_close(struct fifo_tap *tap, int64_t end)
{
    depart_until(tap, end);
    hold(tap, tap->inside, end);
    tap->measure.clocks = (uint64_t)end;
    memcpy(tap->measure.bins, tap->clocks_at, sizeof tap->measure.bins);
    tap->measure.overflow = tap->clocks_at[FIFO_BINS];
    if (has_exact_bins(tap))
        read_off_bins(tap);
    if (tap->alert_at == 0)
        tap->measure.alert_clocks = tap->measure.clocks;
    return &tap->measure;
}

void fifo_measure_add(struct fifo_measure *sum, const struct fifo_measure *frame)
{
    assert(sum->clocks == 0 || sum->bin_width == frame->bin_width);
    sum->places = frame->places;
    sum->bin_width = frame->bin_width;
    sum->clocks += frame->clocks;
    sum->elements += frame->elements;
    sum->integral += frame->integral;
    sum->sojourn_clocks += frame->sojourn_clocks;
    sum->alert_clocks += frame->alert_clocks;
    sum->overflow += frame->overflow;
    if (frame->most > sum->most)
        sum->most = frame->most;
    for (unsigned i = 0; i < FIFO_BINS; i++)
        sum->bins[i] += frame->bins[i];
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0.0;
}

double fifo_measure_mean(const struct fifo_measure *m)
{
    return ratio(m->integral, m->clocks);
}

double fifo_measure_mean_sojourn(const struct fifo_measure *m)
{
    return ratio(m->sojourn_clocks, m->elements);
}

double fifo_measure_alert_fraction(const struct fifo_measure *m)
{
    return ratio(m->alert_clocks, m->clocks);
}

bool fifo_measure_is_consistent(const struct fifo_measure *m)
{
    uint64_t clocks = m->overflow;
    for (unsigned i = 0; i < FIFO_BINS; i++)
        clocks += m->bins[i];
    return clocks == m->clocks && m->integral == m->sojourn_clocks;
}
