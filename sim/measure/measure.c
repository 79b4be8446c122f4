#include "sim/measure/measure.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/file/file_io.h"
#include "base/huge_pages.h"
#include "base/memory.h"
#include "sim/measure/frame_record.h"
#include "sim/measure/channel.h"

/* Event i is that of HSP i. */
static void sort(const struct host_list *list, int64_t *clocks, size_t *hsps)
{
    for (size_t i = 0; i < list->count; i++) {
        size_t at = i;
        for (; at > 0 && clocks[at - 1] > list->clocks[i]; at--) {
            clocks[at] = clocks[at - 1];
            hsps[at] = hsps[at - 1];
        }
        clocks[at] = list->clocks[i];
        hsps[at] = i;
    }
}

void host_order_make(struct host_order *order, struct host_part *part)
{
    for (unsigned i = 0; i < HOST_LISTS; i++) {
        struct host_list *list = &part->lists[i];
        if (list->hsps)
            continue;
        order->clocks[i] = memory_take(list->count * sizeof *order->clocks[i]);
        order->hsps[i] = memory_take(list->count * sizeof *order->hsps[i]);
        sort(list, order->clocks[i], order->hsps[i]);
        *list = (struct host_list){order->clocks[i], order->hsps[i], list->count};
    }
}

void host_order_destroy(struct host_order *order)
{
    for (unsigned i = 0; i < HOST_LISTS; i++) {
        free(order->clocks[i]);
        free(order->hsps[i]);
    }
    *order = (struct host_order){0};
}

/* All events of one kind, taken in frame by frame in the order of their clocks. A part is used up before the next; one
 * whose events are all taken in together may be in any order. */
struct event_list {
    const int64_t *clocks;
    const size_t *elements; /* the element of each event; NULL: that of event i is i */
    size_t count, next;     /* of the present part; next: number of events that have been taken in */
    uint64_t before;        /* number of events in the parts before */
    uint64_t sum;           /* of the clocks that have been taken in */
};

static void begin_part(struct event_list *l, const struct host_list *part)
{
    assert(l->next == l->count);
    l->before += l->count;
    l->clocks = part->clocks;
    l->elements = part->hsps;
    l->count = part->count;
    l->next = 0;
}

/* Take in the events before clock `end`; of a part without elements, all events. */
static void take_events(struct event_list *l, int64_t end)
{
    uint64_t sum = l->sum;
    size_t i = l->next;
    if (l->elements)
        for (; i < l->count && l->clocks[i] < end; i++)
            sum += (uint64_t)l->clocks[i];
    else
        for (; i < l->count; i++)
            sum += (uint64_t)l->clocks[i];
    l->sum = sum;
    l->next = i;
}

/* Clock of the n-th event of all parts, n >= 1, which has not been taken in; INT64_MAX if the part does not have it. */
static int64_t clock_of(const struct event_list *l, uint64_t n)
{
    return n <= l->before + l->count ? l->clocks[n - 1 - l->before] : INT64_MAX;
}

static uint64_t number_taken(const struct event_list *l)
{
    return l->before + l->next;
}

/* What the tap of a queue had seen up to some clock. */
struct queue_seen {
    uint64_t entered, integral, back_pressure_clocks, inside, moved;
};

struct timer_state {
    uint64_t frame;  /* number of frames that have ended */
    int64_t begin;   /* clock in which the open frame began */
    int64_t border;  /* clock before which it ends; INT64_MAX as long as that is unknown */
    int64_t scanned; /* clock up to which the tape of a data frame's tap has been counted */
    uint64_t seen;   /* number of its elements in the clocks before `scanned` */
    uint64_t target; /* number at which the data frame ends */
    struct queue_seen before[MEASURED_QUEUES]; /* at `begin` */
    uint64_t *counts[BOARD_FIFOS];             /* clocks at each occupancy at `begin`; NULL if not wanted */
};

struct channel_state {
    struct samples samples; /* if frames end within the pass: those whose frame is not known yet */
    size_t first;           /* number of the first one not yet taken */
    struct tally tally;
};

struct measure {
    const struct measure_plan *plan;
    enum measure_side side;
    FILE *records;
    int64_t origin; /* clock of the run in clock 0 of the pass's board: for frames of the run */
    const struct board_taps *taps;
    struct board_cuts cuts;
    struct timer_state *timers;
    struct channel_state *channels; /* of the board's side */
    size_t channel_count;
    int64_t *stamps; /* the plan's origins of each record of the block: a long array (base/array.h) */
    size_t stamp_room;
    struct lineage lineage;
    struct bus_frames *bus_frames;    /* of each measurement of the bus */
    struct measured *frames, *passes; /* for each measurement: the open frame, and the pass up to it */
    uint64_t frames_written;          /* of all measurements */
    int status;
    struct why why;

    struct queue_seen host[MEASURED_QUEUES - BOARD_QUEUES]; /* of the host's queues since the pass began */
    const struct host_part *part;                           /* the present one, and the tap that has it */
    struct queue_tap *inbox;                                /* or the host queue */
    struct measure *host_queue;                             /* of the board's side, if it is measured */
    struct event_list events[HOST_LISTS];
    struct span_tally {
        size_t measurement;
        struct aggregate *to;
        struct tally tally;
    } * spans;
    size_t span_count, span_room;         /* span_room: bytes */
    size_t *occupancies, occupancy_count; /* measurements of the inbox's occupancy */
};

static void report_bug(struct measure *m, const char *what, unsigned queue, uint64_t frame)
{
    if (m->status == 0)
        m->status = why_say(&m->why, MEASURE_EBUG, "%s does not hold at tap %s in frame %llu", what,
                            queue < BOARD_QUEUES         ? board_fifos[queue].name
                            : m->side == SIDE_HOST_QUEUE ? "host_queue"
                                                         : "inbox",
                            (unsigned long long)frame);
}

/* --- frames' ends ---------------------------------------------------------------------------------------- */

/* Whether the frames of a measurement are settled at the end of the pass: those of the bus, but for frames of the run,
 * in which records can cross after the board is empty. */
static bool is_settled(const struct measure_plan *plan, size_t index)
{
    const struct measurement *of = &plan->measurements[index];
    return of->source == SOURCE_BUS && !plan->timers[of->timer].spec.of_run;
}

/* Bytes that the bus can carry in a number of clocks. */
static uint64_t bus_carries(const struct measurement *of, uint64_t clocks)
{
    return (uint64_t)((double)clocks / of->factor);
}

/* The frame record of the bus that is written next says what came by the board's clocks. */
static void note_bus_frame(struct measure *m, size_t index, uint64_t clocks)
{
    const struct bus_frame frame = {.can = bus_carries(&m->plan->measurements[index], clocks),
                                    .came = m->frames[index].fraction.part,
                                    .at = ftello(m->records)};
    bus_frames_add(&m->bus_frames[index], &frame);
    if (m->status == 0 && frame.at < 0)
        m->status = MEASURE_EWRITE;
}

/* Correct the frame records of the bus, when it is known for how many bytes it had time in the pass. */
static void settle_bus_frames(struct measure *m, size_t index, uint64_t clocks, uint64_t bus_bytes)
{
    struct bus_frames *frames = &m->bus_frames[index];
    const uint64_t can = bus_carries(&m->plan->measurements[index], clocks);
    m->passes[index].fraction.part = bus_frames_settle(frames, bus_bytes < can ? bus_bytes : can);
    for (size_t i = 0; i < frames->count && m->status == 0; i++) {
        const struct bus_frame *frame = &frames->frames[i];
        if (frame->moved != frame->came && !frame_record_change_part(m->records, frame->at, frame->moved))
            m->status = MEASURE_EWRITE;
    }
}

static void write_frame(struct measure *m, size_t index, int64_t end, bool partial)
{
    const struct timer_state *t = &m->timers[m->plan->measurements[index].timer];
    struct frame_head head;
    memset(&head, 0, sizeof head); /* its padding is written, too */
    head.measurement = (uint32_t)index;
    head.partial = partial;
    head.frame = t->frame + 1;
    head.begin = t->begin;
    head.clocks = (uint64_t)(end - t->begin);
    if (is_settled(m->plan, index))
        note_bus_frame(m, index, head.clocks);
    if (!frame_record_write(m->records, &head, &m->frames[index]) && m->status == 0)
        m->status = MEASURE_EWRITE;
    m->frames_written++;
    measured_add(&m->passes[index], &m->frames[index]);
    measured_clear(&m->frames[index]);
}

static void write_passes(struct measure *m)
{
    for (size_t i = 0; i < m->plan->measurement_count; i++) {
        struct frame_head head;
        if (m->plan->timers[m->plan->measurements[i].timer].side != m->side)
            continue;
        memset(&head, 0, sizeof head);
        head.measurement = (uint32_t)i;
        head.is_pass = true;
        if (!frame_record_write(m->records, &head, &m->passes[i]) && m->status == 0)
            m->status = MEASURE_EWRITE;
    }
}

/* --- samples --------------------------------------------------------------------------------------------- */

/* Put a channel's samples of clocks before `end` into the open frame. */
static void take_samples(struct channel_state *c, int64_t end)
{
    size_t last = c->first;
    while (last < c->samples.count && c->samples.clocks[last] < end)
        last++;
    if (last > c->first)
        tally_values(&c->tally, c->samples.values + c->first, last - c->first);
    c->first = last;
}

static bool has_borders(const struct measure_plan *plan, const struct channel_spec *channel)
{
    return !timer_is_pass(&plan->timers[channel->timer]);
}

/* Whether a channel is sampled stretch by stretch. Samples are kept if frames end within the pass; otherwise they are
 * only counted. */
static bool is_sampled(const struct measure_plan *plan, const struct channel_spec *channel)
{
    return has_borders(plan, channel) || channel->kind == CHANNEL_LATENCY;
}

/* Sample a stretch of elements. */
static void sample_elements(struct measure *m, const struct board_times *times)
{
    const struct board_rules *rules = m->taps->rules;
    for (unsigned i = 0; i < m->plan->origin_count; i++)
        channel_sample_origins(m->stamps + i, m->plan->origin_count, m->plan->origins[i], rules, &m->lineage,
                               times);
    for (unsigned i = 0; i < m->channel_count; i++) {
        const struct channel_spec *channel = &m->plan->channels[i];
        struct channel_state *state = &m->channels[i];
        if (is_sampled(m->plan, channel))
            channel_sample(has_borders(m->plan, channel) ? &state->samples : NULL, &state->tally, channel,
                           rules, &m->lineage, times);
    }
}

void measure_sample(struct measure *m, const struct tokens *tokens, const struct board_times *times)
{
    struct tally *seed_tallies[CHANNEL_KINDS] = {NULL};
    enum token_level deepest = m->plan->origin_count > 0 ? LEVEL_RECORD : LEVEL_WORD;
    bool counts_seeds = false, samples_any = m->plan->origin_count > 0;
    for (unsigned i = 0; i < m->channel_count; i++) {
        const struct channel_spec *channel = &m->plan->channels[i];
        if (is_sampled(m->plan, channel)) {
            samples_any = true;
            deepest = MAX(deepest, channel_depth(channel));
        } else {
            counts_seeds = true;
            seed_tallies[channel->kind] = &m->channels[i].tally;
        }
    }
    if (counts_seeds)
        channels_count_seeds(seed_tallies, tokens);
    if (m->plan->origin_count > 0)
        array_reserve_long(&m->stamps, &m->stamp_room, 0, tokens->hsp_count * m->plan->origin_count,
                           sizeof *m->stamps);
    lineage_begin(&m->lineage, tokens, deepest);
    while (samples_any && lineage_next(&m->lineage))
        sample_elements(m, times);
}

/* Take the samples of all clocks that the taps have read: no more can come there. */
void measure_settle(struct measure *m)
{
    for (unsigned i = 0; i < m->channel_count; i++) {
        struct channel_state *c = &m->channels[i];
        take_samples(c, m->taps->clock);
        samples_drop(&c->samples, c->first);
        c->first = 0;
    }
}

/* --- a frame --------------------------------------------------------------------------------------------- */

static struct queue_seen see_queue(const struct measure *m, unsigned queue)
{
    if (queue >= BOARD_QUEUES)
        return m->host[queue - BOARD_QUEUES];
    const struct clock_tap *tap = &m->taps->fifos[queue];
    if (queue == BOARD_SERVER && !m->taps->watch_server)
        return (struct queue_seen){.integral = board_taps_lookup_busy_clocks(m->taps)};
    return (struct queue_seen){.entered = tap->measure.elements,
                               .integral = tap->measure.integral,
                               .back_pressure_clocks = tap->measure.back_pressure_clocks,
                               .inside = tap->inside,
                               .moved = m->taps->moved[queue]};
}

/* What the queues of the measured side did in a frame. */
struct side_frame {
    uint64_t clocks;
    struct queue_frame {
        uint64_t entered, left, integral, back_pressure_clocks;
    } queues[MEASURED_QUEUES];
};

/* Cores are busy with clusters, too. */
static bool obeys_little(const struct measure *m, unsigned queue)
{
    return queue < BOARD_QUEUES ? m->taps->cuts && (queue != BOARD_SERVER || m->taps->watch_server)
                                : queue == QUEUE_OF_INBOX;
}

static void check_little(struct measure *m, const struct timer_state *t, unsigned queue,
                         const struct queue_seen *now, int64_t end)
{
    const struct queue_seen *before = &t->before[queue];
    if (obeys_little(m, queue) &&
        !board_taps_little_holds(now->integral - before->integral, now->moved - before->moved, before->inside,
                                 t->begin, now->inside, end))
        report_bug(m, "Little's law", queue, t->frame + 1);
}

static struct side_frame cut_queues(struct measure *m, struct timer_state *t, int64_t end)
{
    struct side_frame frame = {.clocks = (uint64_t)(end - t->begin)};
    const bool is_board = m->side == SIDE_BOARD;
    const unsigned first = is_board ? 0 : BOARD_QUEUES, stop = is_board ? BOARD_QUEUES : MEASURED_QUEUES;
    for (unsigned queue = first; queue < stop; queue++) {
        struct queue_seen now = see_queue(m, queue), *before = &t->before[queue];
        check_little(m, t, queue, &now, end);
        frame.queues[queue] = (struct queue_frame){
            .entered = now.entered - before->entered,
            .left = now.entered - before->entered + before->inside - now.inside,
            .integral = now.integral - before->integral,
            .back_pressure_clocks = now.back_pressure_clocks - before->back_pressure_clocks};
        *before = now;
    }
    return frame;
}

/* Give the clocks at each occupancy in the frame to the measurements that asked for them. */
static void reduce_occupancies(struct measure *m, unsigned timer, unsigned queue, uint64_t clocks)
{
    size_t occupancies;
    const uint64_t *now = clock_tap_counts(&m->taps->fifos[queue], &occupancies);
    uint64_t *before = m->timers[timer].counts[queue], sum = 0;
    for (size_t occupancy = 0; occupancy < occupancies; occupancy++) {
        uint64_t weight = now[occupancy] - before[occupancy];
        before[occupancy] = now[occupancy];
        sum += weight;
        for (size_t i = 0; weight > 0 && i < m->plan->measurement_count; i++) {
            const struct measurement *to = &m->plan->measurements[i];
            if (to->timer == timer && to->source == SOURCE_OCCUPANCY && to->queue == queue)
                aggregate_add(&m->frames[i].aggregate, occupancy, weight);
        }
    }
    if (sum != clocks)
        report_bug(m, "the histogram's time", queue, m->timers[timer].frame + 1);
}

static void flush_tallies(struct measure *m, unsigned timer)
{
    for (unsigned i = 0; i < m->channel_count; i++)
        if (m->plan->channels[i].timer == timer)
            tally_flush(&m->channels[i].tally);
    for (size_t i = 0; i < m->span_count; i++)
        if (m->plan->measurements[m->spans[i].measurement].timer == timer)
            tally_flush(&m->spans[i].tally);
}

/* Bytes in and out by the board's clocks; settle_bus_frames() says what of it the bus has moved. */
static uint64_t bytes_of(const struct measure *m, const struct side_frame *f)
{
    return f->queues[FIFO_INGRESS].entered * BYTES_PER_WORD +
           f->queues[FIFO_EGRESS].left * m->plan->hardware->hsp_bytes;
}

static struct fraction fraction_of(const struct measure *m, size_t index, const struct side_frame *f)
{
    const struct measurement *to = &m->plan->measurements[index];
    const struct moments *samples = &m->frames[index].aggregate.moments;
    const struct queue_frame *queue = &f->queues[to->queue];
    const uint64_t clocks = f->clocks;
    switch (to->source) {
    case SOURCE_ENTERED:
        return (struct fraction){queue->entered, clocks};
    case SOURCE_LEFT:
        return (struct fraction){queue->left, clocks};
    case SOURCE_BACK_PRESSURE:
        return (struct fraction){queue->back_pressure_clocks, clocks};
    case SOURCE_INTEGRAL:
        return (struct fraction){queue->integral, clocks};
    case SOURCE_BUS:
        return (struct fraction){bytes_of(m, f), clocks};
    case SOURCE_SRAM:
        return (struct fraction){queue->left + (uint64_t)samples->sum, clocks};
    default:
        return (struct fraction){(uint64_t)samples->sum, queue->left * to->divisor};
    }
}

/* --- borders --------------------------------------------------------------------------------------------- */

static void end_frame(struct measure *m, unsigned timer, int64_t end, bool partial)
{
    const struct measure_plan *plan = m->plan;
    struct timer_state *t = &m->timers[timer];
    const struct side_frame frame = cut_queues(m, t, end);
    for (unsigned queue = 0; queue < BOARD_FIFOS; queue++)
        if (plan->timers[timer].wants[queue])
            reduce_occupancies(m, timer, queue, frame.clocks);
    flush_tallies(m, timer);
    for (size_t i = 0; i < plan->measurement_count; i++)
        if (plan->measurements[i].timer == timer) {
            if (!plan->measurements[i].aggregated)
                m->frames[i].fraction = fraction_of(m, i, &frame);
            write_frame(m, i, end, partial);
        }
    t->begin = end;
    t->frame++;
}

static void set_next_border(const struct measure *m, unsigned timer)
{
    const struct frame_timer *spec = &m->plan->timers[timer];
    struct timer_state *t = &m->timers[timer];
    t->border = timer_border(spec, m->plan->hardware, t->frame + 1);
    if (spec->spec.of_run && t->border < INT64_MAX)
        t->border -= m->origin;
    if (timer_counts_data(spec))
        t->target = timer_target(spec, t->seen);
}

static void end_frames_at(struct measure *m, int64_t border)
{
    for (unsigned i = 0; i < m->plan->timer_count; i++)
        if (m->plan->timers[i].side == m->side && m->timers[i].border == border) {
            end_frame(m, i, border, false);
            set_next_border(m, i);
        }
}

static void end_last_frames(struct measure *m, int64_t end)
{
    for (unsigned i = 0; i < m->plan->timer_count; i++)
        if (m->plan->timers[i].side == m->side && m->timers[i].begin < end)
            end_frame(m, i, end, !timer_is_pass(&m->plan->timers[i]));
}

/* Count elements on the tape up to the border or to `end`. */
static void scan_tape(const struct measure *m, unsigned timer, const struct board_taps *taps, int64_t end)
{
    struct timer_state *t = &m->timers[timer];
    if (t->scanned >= end)
        return;
    if (taps->is_resting) {
        t->scanned = end;
        return;
    }
    const uint16_t *tape = board_taps_tape(taps, m->plan->timers[timer].port, t->scanned);
    for (; t->scanned < end && t->seen < t->target; t->scanned++)
        t->seen += *tape++;
    if (t->seen >= t->target)
        t->border = t->scanned;
}

static int64_t next_border(void *data, const struct board_taps *taps, int64_t from, int64_t end)
{
    struct measure *m = data;
    int64_t next = INT64_MAX;
    (void)from;
    for (unsigned i = 0; i < m->plan->timer_count; i++) {
        const struct frame_timer *spec = &m->plan->timers[i];
        if (spec->side != SIDE_BOARD)
            continue;
        if (timer_counts_data(spec) && m->timers[i].border == INT64_MAX)
            scan_tape(m, i, taps, end);
        next = m->timers[i].border < next ? m->timers[i].border : next;
    }
    return next;
}

/* Samples of the board come before the frames that they belong to end. */
static void cut_at(void *data, const struct board_taps *taps, int64_t border)
{
    struct measure *m = data;
    (void)taps;
    for (unsigned i = 0; i < m->channel_count; i++)
        if (m->timers[m->plan->channels[i].timer].border == border)
            take_samples(&m->channels[i], border);
    end_frames_at(m, border);
}

void measure_end_board(struct measure *m, int64_t end, uint64_t bus_bytes)
{
    measure_settle(m);
    end_last_frames(m, end);
    for (size_t i = 0; i < m->plan->measurement_count && bus_bytes < UINT64_MAX; i++)
        if (is_settled(m->plan, i))
            settle_bus_frames(m, i, (uint64_t)end, bus_bytes);
}

/* --- the host -------------------------------------------------------------------------------------------- */

unsigned measure_stamp_count(const struct measure *m)
{
    return m->plan->origin_count;
}

const int64_t *measure_stamps(const struct measure *m)
{
    return m->stamps;
}

/* A tally costs more than a few values. */
enum { VALUES_AT_A_TIME = 256, FEW_VALUES = 64 };

/* The lengths of a span that ends with `count` events. */
static void list_lengths(const struct measure *m, const struct span_tally *span,
                         const struct event_list *events, size_t first, size_t count, int64_t *lengths)
{
    const struct host_span *spec = &m->plan->measurements[span->measurement].span;
    const int64_t *begins = spec->from_board ? m->part->stamps + spec->stamp : m->part->hsps[spec->from];
    const size_t stride = spec->from_board ? m->part->stamp_count : 1;
    const int64_t *ends = events->clocks + first;
    if (events->elements)
        for (size_t i = 0; i < count; i++)
            lengths[i] = ends[i] - begins[events->elements[first + i] * stride];
    else
        for (size_t i = 0; i < count; i++)
            lengths[i] = ends[i] - begins[(first + i) * stride];
}

/* Take in the lengths of a span that ends with events first .. end - 1. */
static void sample_span(struct measure *m, struct span_tally *span, const struct event_list *events,
                        size_t first, size_t end)
{
    const bool few = end - first < FEW_VALUES;
    for (size_t count; first < end; first += count) {
        int64_t values[VALUES_AT_A_TIME];
        count = MIN(end - first, VALUES_AT_A_TIME);
        list_lengths(m, span, events, first, count, values);
        for (size_t i = 0; few && i < count; i++)
            aggregate_add(span->to, (uint64_t)values[i], 1);
        if (!few)
            tally_values(&span->tally, values, count);
    }
}

static void take_hsps(struct measure *m, enum host_event event, int64_t clock)
{
    struct event_list *events = &m->events[event];
    size_t before = events->next;
    take_events(events, clock);
    for (size_t i = 0; i < m->span_count; i++)
        if (m->plan->measurements[m->spans[i].measurement].span.to == event)
            sample_span(m, &m->spans[i], events, before, events->next);
}

/* Let the time of the inbox run up to a clock. */
static void run_inbox(struct measure *m, int64_t clock)
{
    const struct queue_tap *inbox = m->inbox;
    queue_tap_run(m->inbox, clock);
    for (size_t i = 0; i < m->occupancy_count; i++)
        for (size_t more = 0; more < inbox->count; more++)
            if (inbox->clocks[more] > 0)
                aggregate_add(&m->frames[m->occupancies[i]].aggregate, inbox->least + more,
                              inbox->clocks[more]);
}

/* Let the host's time run up to a clock. Cores have been busy from all begins, and until the ends that are known. */
static void run_host(struct measure *m, int64_t clock)
{
    struct event_list *begun = &m->events[HOST_CLUSTER_BEGUN], *ended = &m->events[HOST_CLUSTER_DONE];
    for (enum host_event event = 0; event < HOST_EVENTS; event++)
        take_hsps(m, event, clock);
    take_events(begun, clock);
    take_events(ended, clock);
    run_inbox(m, clock);
    const struct event_list *arrived = &m->events[HOST_ARRIVED], *taken = &m->events[HOST_TAKEN],
                            *done = &m->events[HOST_DONE];
    const uint64_t in_service = number_taken(taken) - number_taken(done),
                   busy_cores = in_service + number_taken(begun) - number_taken(ended);
    m->host[QUEUE_OF_INBOX - BOARD_QUEUES] =
        (struct queue_seen){.entered = number_taken(arrived),
                            .integral = m->inbox->measure.integral,
                            .back_pressure_clocks = m->inbox->measure.back_pressure_clocks,
                            .inside = number_taken(arrived) - number_taken(taken),
                            .moved = taken->sum - arrived->sum};
    m->host[QUEUE_OF_CORES - BOARD_QUEUES] = (struct queue_seen){
        .entered = number_taken(taken),
        .integral = busy_cores * (uint64_t)clock + done->sum + ended->sum - taken->sum - begun->sum,
        .inside = in_service};
}

/* A data frame ends after the clock of its last HSP, with all that come in this clock. */
static int64_t next_host_border(struct measure *m)
{
    int64_t next = INT64_MAX;
    for (unsigned i = 0; i < m->plan->timer_count; i++) {
        const struct frame_timer *spec = &m->plan->timers[i];
        struct timer_state *t = &m->timers[i];
        if (spec->side != m->side)
            continue;
        if (timer_counts_data(spec) && t->border == INT64_MAX) {
            int64_t last = clock_of(&m->events[spec->event], t->target);
            t->border = last == INT64_MAX ? last : last + 1;
        }
        next = t->border < next ? t->border : next;
    }
    return next;
}

/* Data frames go on from the HSPs that have come by now. */
static void count_hsps(struct measure *m)
{
    for (unsigned i = 0; i < m->plan->timer_count; i++)
        if (m->plan->timers[i].side == m->side && timer_counts_data(&m->plan->timers[i]))
            m->timers[i].seen = number_taken(&m->events[m->plan->timers[i].event]);
}

/* Whether frames of the measured side end within the pass, or the run. */
bool measure_needs_order(const struct measure *m)
{
    bool needs = false;
    for (unsigned i = 0; i < m->plan->timer_count; i++)
        needs |= m->plan->timers[i].side == m->side && !timer_is_pass(&m->plan->timers[i]);
    return needs;
}

void measure_host(struct measure *m, const struct host_part *part, struct queue_tap *inbox)
{
    struct host_part ordered = *part;
    auto_by(host_order_destroy) struct host_order order = {0};
    if (measure_needs_order(m))
        host_order_make(&order, &ordered);
    m->part = &ordered;
    m->inbox = inbox;
    for (unsigned i = 0; i < HOST_LISTS; i++)
        begin_part(&m->events[i], &ordered.lists[i]);
    for (int64_t border; (border = next_host_border(m)) <= part->end;) {
        run_host(m, border);
        count_hsps(m);
        end_frames_at(m, border);
    }
    run_host(m, part->end);
}

void measure_end_host(struct measure *m, int64_t end)
{
    end_last_frames(m, end);
}

/* Blocks come and are taken as HSPs do, and are then done. A slow bus holds the last one for longer than the board
 * works. */
void measure_host_queue(struct measure *m, int64_t *arrivals, int64_t *departures, size_t count, int64_t end)
{
    struct host_part part = {.end = count > 0 ? MAX(end, departures[count - 1] + 1) : end};
    if (!m->host_queue)
        return;
    auto_by(queue_tap_destroy) struct queue_tap tap = {0};
    for (enum host_event event = 0; event < HOST_EVENTS; event++) {
        part.hsps[event] = event == HOST_ARRIVED ? arrivals : departures;
        part.lists[event] = (struct host_list){part.hsps[event], NULL, count};
    }
    queue_tap_init(&tap, m->plan->hardware->host_queue_blocks, true);
    queue_tap_add(&tap, arrivals, count, departures, count);
    measure_host(m->host_queue, &part, &tap);
    measure_end_host(m->host_queue, part.end);
}

/* --- a pass ---------------------------------------------------------------------------------------------- */

static bool wants_samples(const struct measurement *m)
{
    return m->source == SOURCE_SAMPLES || m->source == SOURCE_SAMPLE_SHARE || m->source == SOURCE_SRAM;
}

/* List the aggregates that a channel's samples go to. */
static void list_aggregates(struct measure *m, unsigned channel)
{
    struct tally *tally = &m->channels[channel].tally;
    tally->to = memory_new(m->plan->measurement_count, sizeof(struct aggregate *));
    for (size_t i = 0; i < m->plan->measurement_count; i++)
        if (wants_samples(&m->plan->measurements[i]) && m->plan->measurements[i].channel == channel)
            tally->to[tally->to_count++] = &m->frames[i].aggregate;
}

/* Only those of its side: a histogram and quantiles take some 100 KB to clear. */
static void make_measurements(struct measure *m)
{
    for (unsigned channel = 0; channel < m->channel_count; channel++)
        list_aggregates(m, channel);
    for (size_t i = 0; i < m->plan->measurement_count; i++) {
        const struct measurement *measurement = &m->plan->measurements[i];
        if (m->plan->timers[measurement->timer].side != m->side)
            continue;
        measured_init(&m->frames[i], measurement);
        measured_init(&m->passes[i], measurement);
    }
}

/* List what is asked of the host, since it has many events. */
static void list_host_measurements(struct measure *m)
{
    const struct measure_plan *plan = m->plan;
    size_t spans = 0;
    if (m->side == SIDE_BOARD)
        return;
    for (size_t i = 0; i < plan->measurement_count; i++)
        spans += plan->measurements[i].source == SOURCE_HOST_SPAN;
    m->span_room = (spans + 1) * sizeof *m->spans;
    m->spans = huge_pages_new(m->span_room); /* of which few pages are touched */
    m->occupancies = memory_take(plan->measurement_count * sizeof *m->occupancies);
    for (size_t i = 0; i < plan->measurement_count; i++) {
        const struct measurement *to = &plan->measurements[i];
        struct span_tally *span = &m->spans[m->span_count];
        if (plan->timers[to->timer].side != m->side)
            continue;
        if (to->source == SOURCE_OCCUPANCY)
            m->occupancies[m->occupancy_count++] = i;
        if (to->source != SOURCE_HOST_SPAN)
            continue;
        span->measurement = i;
        span->to = &m->frames[i].aggregate;
        span->tally.to = &span->to;
        span->tally.to_count = 1;
        m->span_count++;
    }
}

struct measure *measure_new(const struct measure_plan *plan, enum measure_side side, FILE *records)
{
    struct measure *m = memory_take(sizeof *m);
    *m = (struct measure){.plan = plan, .side = side, .records = records};
    m->channel_count = side == SIDE_BOARD ? plan->channel_count : 0;
    m->timers = memory_new(plan->timer_count, sizeof *m->timers);
    m->channels = memory_new(m->channel_count, sizeof *m->channels);
    m->frames = memory_new(plan->measurement_count, sizeof *m->frames);
    m->passes = memory_new(plan->measurement_count, sizeof *m->passes);
    m->bus_frames = memory_new(plan->measurement_count, sizeof *m->bus_frames);
    if (side == SIDE_BOARD && measure_plan_has_side(plan, SIDE_HOST_QUEUE))
        m->host_queue = measure_new(plan, SIDE_HOST_QUEUE, records);
    make_measurements(m);
    list_host_measurements(m);
    for (unsigned i = 0; i < plan->timer_count; i++)
        set_next_border(m, i);
    return m;
}

void measure_place(struct measure *m, int64_t origin)
{
    m->origin = origin;
    if (m->host_queue)
        measure_place(m->host_queue, origin);
    for (unsigned i = 0; i < m->plan->timer_count; i++)
        if (m->plan->timers[i].spec.of_run) {
            m->timers[i].frame = timer_frames_before(&m->plan->timers[i], m->plan->hardware, origin);
            set_next_border(m, i);
        }
}

static void count_occupancies(struct measure *m, struct board_taps *taps, unsigned timer)
{
    for (unsigned queue = 0; queue < BOARD_FIFOS; queue++) {
        size_t occupancies;
        if (!m->plan->timers[timer].wants[queue])
            continue;
        clock_tap_count_exactly(&taps->fifos[queue]);
        clock_tap_counts(&taps->fifos[queue], &occupancies);
        m->timers[timer].counts[queue] = memory_new(occupancies, sizeof(uint64_t));
    }
}

void measure_attach(struct measure *m, struct board_taps *taps)
{
    m->taps = taps;
    m->cuts = (struct board_cuts){next_border, cut_at, m};
    taps->watch_server |= m->plan->wants_server;
    if (measure_needs_order(m))
        taps->cuts = &m->cuts;
    for (unsigned i = 0; i < m->plan->timer_count; i++)
        count_occupancies(m, taps, i);
}

uint64_t measure_frames_ended(const struct measure *m, int64_t end, uint64_t *bytes)
{
    uint64_t frames = 0;
    *bytes = 0;
    for (unsigned i = 0; i < m->plan->timer_count; i++) {
        const uint64_t ended = m->timers[i].frame + (m->timers[i].begin < end);
        frames += m->plan->timers[i].side == SIDE_BOARD ? ended : 0;
        *bytes += ended * m->plan->timers[i].record_bytes;
    }
    return frames;
}

uint64_t measure_frames_written(const struct measure *m)
{
    if (m->side != SIDE_BOARD)
        return m->frames_written;
    return m->host_queue ? m->host_queue->frames_written : 0;
}

bool measure_has_records(const struct measure *m)
{
    return measure_plan_has_records(m->plan);
}

int measure_finish(struct measure *m, struct why *why)
{
    write_passes(m);
    if (m->status == 0 && m->host_queue)
        m->status = measure_finish(m->host_queue, &m->why);
    if (m->status == 0 && !file_io_flush(m->records))
        m->status = MEASURE_EWRITE;
    *why = m->why;
    return m->status;
}

void measure_destroy(struct measure *m)
{
    if (!m)
        return;
    measure_destroy(m->host_queue);
    for (size_t i = 0; i < m->plan->measurement_count; i++) {
        measured_destroy(&m->frames[i]);
        measured_destroy(&m->passes[i]);
        bus_frames_destroy(&m->bus_frames[i]);
    }
    for (size_t i = 0; i < m->plan->timer_count; i++)
        for (unsigned queue = 0; queue < BOARD_FIFOS; queue++)
            free(m->timers[i].counts[queue]);
    for (size_t i = 0; i < m->channel_count; i++) {
        free(m->channels[i].tally.to);
        samples_destroy(&m->channels[i].samples);
    }
    lineage_destroy(&m->lineage);
    array_free_long(m->stamps, m->stamp_room, sizeof *m->stamps);
    free(m->bus_frames);
    huge_pages_destroy(m->spans, m->span_room);
    free(m->occupancies);
    free(m->timers);
    free(m->channels);
    free(m->frames);
    free(m->passes);
    free(m);
}
