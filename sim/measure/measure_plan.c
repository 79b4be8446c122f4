#include "sim/measure/measure_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

static enum board_port port_at(unsigned tap)
{
    if (machine_tap_places[tap].queue >= BOARD_QUEUES) /* the host's queues have none */
        return BOARD_PORTS;
    const struct board_fifo_row *fifo = &board_fifos[machine_tap_places[tap].queue];
    return machine_tap_places[tap].leaves ? fifo->out : fifo->in;
}

static enum measure_side side_of(unsigned tap)
{
    if (tap == TAP_HOST_QUEUE)
        return SIDE_HOST_QUEUE;
    return tap >= TAP_INBOX ? SIDE_HOST : SIDE_BOARD;
}

/* The host of a run is measured as a whole, since HSPs of several passes are in the inbox at a time. */
static enum measure_side side_of_frames(const struct directive *d)
{
    enum measure_side side = side_of(d->to);
    return side == SIDE_HOST && d->frame.of_run ? SIDE_HOST_OF_RUN : side;
}

static uint64_t bytes_at(unsigned tap, const struct hardware *hardware)
{
    bool records = tap == TAP_EGRESS_FIFO || tap == TAP_BUS_OUT;
    return records ? hardware->hsp_bytes : machine_catalogue.taps[tap].element_bytes;
}

/* --- timers ---------------------------------------------------------------------------------------------- */

int64_t timer_border(const struct frame_timer *timer, const struct hardware *hardware, uint64_t k)
{
    double clocks = 0;
    if (timer->spec.kind == FRAME_SECONDS)
        clocks = round((double)k * timer->spec.seconds * hardware->fpga_clock_hz);
    else if (timer->spec.kind == FRAME_CLOCKS)
        clocks = (double)k * (double)timer->spec.amount;
    bool late = timer_is_pass(timer) || timer_counts_data(timer) || clocks > 0x1p53; /* no run has as many */
    return late ? INT64_MAX : (int64_t)clocks;
}

uint64_t timer_frames_before(const struct frame_timer *timer, const struct hardware *hardware, int64_t clock)
{
    double period = timer->spec.kind == FRAME_SECONDS ? timer->spec.seconds * hardware->fpga_clock_hz
                                                      : (double)timer->spec.amount;
    uint64_t frames = (uint64_t)((double)clock / period); /* wrong by one at most */
    if (frames > 0)
        frames--;
    while (timer_border(timer, hardware, frames + 1) <= clock)
        frames++;
    return frames;
}

uint64_t timer_target(const struct frame_timer *timer, uint64_t seen)
{
    wide_uint frames = (wide_uint)seen * timer->element_bytes / timer->spec.amount + 1;
    wide_uint elements = (frames * timer->spec.amount + timer->element_bytes - 1) / timer->element_bytes;
    return elements > UINT64_MAX ? UINT64_MAX : (uint64_t)elements;
}

void frame_spec_text(const struct frame_spec *spec, char *text, size_t size)
{
    const char *tap = machine_catalogue.taps[spec->tap].name, *of_run = spec->of_run ? " of run" : "";
    switch (spec->kind) {
    case FRAME_PASS:
        snprintf(text, size, "pass");
        break;
    case FRAME_SECONDS:
        snprintf(text, size, "%.9g s%s", spec->seconds, of_run);
        break;
    case FRAME_CLOCKS:
        snprintf(text, size, "%" PRIu64 " clocks%s", spec->amount, of_run);
        break;
    case FRAME_ELEMENTS:
        snprintf(text, size, "%" PRIu64 " %s at %s", spec->amount, machine_catalogue.taps[spec->tap].element,
                 tap);
        break;
    case FRAME_BYTES:
        snprintf(text, size, "%" PRIu64 " bytes at %s", spec->amount, tap);
    }
}

static bool same_frame(const struct frame_spec *a, const struct frame_spec *b)
{
    return a->kind == b->kind && a->of_run == b->of_run &&
           (a->kind == FRAME_PASS || (a->kind == FRAME_SECONDS && a->seconds == b->seconds) ||
            (a->kind == FRAME_CLOCKS && a->amount == b->amount) ||
            (a->kind >= FRAME_ELEMENTS && a->amount == b->amount && a->tap == b->tap));
}

static unsigned find_timer(struct measure_plan *plan, const struct frame_spec *spec, enum measure_side side)
{
    unsigned i = 0;
    while (i < plan->timer_count &&
           !(plan->timers[i].side == side && same_frame(&plan->timers[i].spec, spec)))
        i++;
    if (i == plan->timer_count) {
        struct frame_timer *timer = &plan->timers[plan->timer_count++];
        *timer = (struct frame_timer){.spec = *spec, .side = side, .element_bytes = 1};
        if (timer_counts_data(timer))
            timer->port = port_at(spec->tap);
        timer->event = machine_tap_places[spec->tap].event;
        if (spec->kind == FRAME_BYTES)
            timer->element_bytes = bytes_at(spec->tap, plan->hardware);
    }
    return i;
}

/* --- channels -------------------------------------------------------------------------------------------- */

static unsigned find_channel(struct measure_plan *plan, struct channel_spec spec)
{
    unsigned i = 0;
    while (i < plan->channel_count &&
           !(plan->channels[i].kind == spec.kind && plan->channels[i].from == spec.from &&
             plan->channels[i].to == spec.to && plan->channels[i].timer == spec.timer))
        i++;
    if (i == plan->channel_count)
        plan->channels[plan->channel_count++] = spec;
    return i;
}

static unsigned find_origin(struct measure_plan *plan, enum board_port port)
{
    unsigned i = 0;
    while (i < plan->origin_count && plan->origins[i] != port)
        i++;
    if (i == plan->origin_count)
        plan->origins[plan->origin_count++] = port;
    return i;
}

/* --- measurements ---------------------------------------------------------------------------------------- */

static void bind_samples(struct measure_plan *plan, struct measurement *m, enum channel_kind kind)
{
    m->source = SOURCE_SAMPLES;
    m->channel = find_channel(plan, (struct channel_spec){.kind = kind, .timer = m->timer});
}

/* The metrics of seeds: samples of a channel or, with a divisor, the share that their sum is. */
static const struct {
    enum channel_kind kind;
    uint64_t divisor;
} seed_metrics[MACHINE_METRICS] = {
    [METRIC_FALSE_POSITIVES] = {CHANNEL_FALSE, BASES_PER_WORD},
    [METRIC_COLLISIONS] = {CHANNEL_COLLISION, 1},
    [METRIC_READS_PER_SEED] = {CHANNEL_READS, 0},
    [METRIC_TRIPS_PER_SEED] = {CHANNEL_TRIPS, 0},
    [METRIC_MATCHES_PER_SEED] = {CHANNEL_MATCHES, 0},
};

static void bind_utilisation(struct measure_plan *plan, struct measurement *m)
{
    const struct hardware *h = plan->hardware;
    m->source = SOURCE_LEFT;
    switch (m->directive->tap) {
    case TAP_BUS_IN:
        m->source = SOURCE_BUS;
        m->factor = h->fpga_clock_hz / hardware_bus_bytes_per_s(h);
        break;
    case TAP_SRAM:
        bind_samples(plan, m, CHANNEL_TRIP_READS);
        m->source = SOURCE_SRAM;
        m->queue = FIFO_WMER;
        break;
    case TAP_STAGE_1BD:
        m->source = SOURCE_INTEGRAL;
        m->queue = BOARD_SERVER;
        plan->wants_server |= !timer_is_pass(&plan->timers[m->timer]);
        break;
    case TAP_STAGE_3:
        m->source = SOURCE_INTEGRAL;
        m->factor = 1.0 / h->host_cores;
    }
}

/* Without a second tap, the span ends with the HSP's next event. */
static void bind_host_span(struct measure_plan *plan, struct measurement *m)
{
    const struct directive *d = m->directive;
    m->source = SOURCE_HOST_SPAN;
    m->span.from_board = side_of(d->tap) == SIDE_BOARD;
    m->span.from = machine_tap_places[d->tap].event;
    m->span.to = d->to != d->tap ? machine_tap_places[d->to].event : HOST_TAKEN;
    if (m->span.from_board)
        m->span.stamp = find_origin(plan, port_at(d->tap));
}

static void bind_latency(struct measure_plan *plan, struct measurement *m)
{
    const struct directive *d = m->directive;
    bool span = d->to != d->tap;
    if (side_of(d->to) != SIDE_BOARD) {
        bind_host_span(plan, m);
        return;
    }
    struct channel_spec spec = {.kind = CHANNEL_LATENCY, .from = port_at(d->tap), .timer = m->timer};
    spec.to = span ? port_at(d->to) : board_fifos[m->queue].out;
    m->source = SOURCE_SAMPLES;
    m->channel = find_channel(plan, spec);
}

static void bind_metric(struct measure_plan *plan, struct measurement *m)
{
    const unsigned tap = m->directive->tap, metric = m->directive->metric;
    switch (metric) {
    case METRIC_RATE:
    case METRIC_BYTE_RATE:
        m->source = machine_tap_places[tap].leaves ? SOURCE_LEFT : SOURCE_ENTERED;
        m->factor = plan->hardware->fpga_clock_hz;
        m->factor *= metric == METRIC_RATE ? 1 : (double)bytes_at(tap, plan->hardware);
        break;
    case METRIC_UTILISATION:
        bind_utilisation(plan, m);
        break;
    case METRIC_OCCUPANCY:
        m->source = SOURCE_OCCUPANCY;
        if (m->queue < BOARD_FIFOS)
            plan->timers[m->timer].wants[m->queue] = true;
        break;
    case METRIC_BACK_PRESSURE:
        m->source = SOURCE_BACK_PRESSURE;
        break;
    case METRIC_LATENCY:
        bind_latency(plan, m);
        break;
    default:
        bind_samples(plan, m, seed_metrics[metric].kind);
        m->divisor = seed_metrics[metric].divisor;
        m->source = m->divisor > 0 ? SOURCE_SAMPLE_SHARE : SOURCE_SAMPLES;
    }
}

/* --- what is refused ------------------------------------------------------------------------------------- */

struct binding {
    const char *file;
    struct why *why;
};

static int refuse(const struct binding *b, const struct directive *d, const char *what)
{
    return why_say(b->why, MEASURE_PLAN_EREFUSED, "%.300s:%u: %.90s: %s", b->file, d->line, d->name, what);
}

static const char *const counted_elsewhere[] = {
    [SIDE_BOARD] =
        "it is measured on the board: its frames cannot be counted at host_queue, inbox, job or stage_3",
    [SIDE_HOST] =
        "it ends in software: its frames must be counted at inbox, job or stage_3, or be frames of time",
    [SIDE_HOST_QUEUE] = "its frames must be counted at host_queue, or be frames of time",
};

static int check_frame(const struct binding *b, const struct directive *d, const struct hardware *hardware)
{
    bool data = d->frame.kind == FRAME_ELEMENTS || d->frame.kind == FRAME_BYTES;
    if (d->frame.kind == FRAME_SECONDS && d->frame.seconds * hardware->fpga_clock_hz < 1) {
        char what[120];
        snprintf(what, sizeof what, "its frames are shorter than a clock of the board, which takes %.4g ns",
                 1e9 / hardware->fpga_clock_hz);
        return refuse(b, d, what);
    }
    if (data && d->frame.tap == TAP_SRAM)
        return refuse(b, d,
                      "reads are not counted one by one; use frames of elements at wmer_fifo or sram_fifo");
    if (data && side_of(d->frame.tap) != side_of(d->to))
        return refuse(b, d, counted_elsewhere[side_of(d->to)]);
    return 0;
}

/* --- frame records --------------------------------------------------------------------------------------- */

static uint64_t values_of_aggregate(const struct measurement *m)
{
    const unsigned asked = m->directive->aggregates;
    uint64_t values = m->source == SOURCE_OCCUPANCY ? 1 : 2;
    values += (asked & AGGREGATE_MIN) > 0;
    values += (asked & AGGREGATE_MAX) > 0;
    values += (asked & AGGREGATE_DEVIATION) > 0;
    values += m->plan.bins + (m->plan.bins > 0 && m->plan.low > 0);
    return values + (m->plan.quantiles ? quantile_buckets(m->plan.bits) : 0);
}

uint64_t measurement_record_values(const struct measurement *m)
{
    if (m->aggregated)
        return values_of_aggregate(m);
    return m->source == SOURCE_SAMPLE_SHARE ? 2 : 1;
}

static void size_records(struct measure_plan *plan)
{
    for (size_t i = 0; i < plan->timer_count; i++)
        if (plan->timers[i].side == SIDE_BOARD)
            plan->timers[i].record_bytes = plan->hardware->measure_header_bytes;
    for (size_t i = 0; i < plan->measurement_count; i++) {
        struct frame_timer *timer = &plan->timers[plan->measurements[i].timer];
        if (timer->side == SIDE_BOARD)
            timer->record_bytes +=
                measurement_record_values(&plan->measurements[i]) * plan->hardware->measure_value_bytes;
    }
}

const struct directive *measure_plan_find_run_frames(const struct measure_plan *plan)
{
    for (size_t i = 0; i < plan->measurement_count; i++)
        if (plan->measurements[i].directive->frame.of_run)
            return plan->measurements[i].directive;
    return NULL;
}

bool measure_plan_has_side(const struct measure_plan *plan, enum measure_side side)
{
    for (size_t i = 0; i < plan->timer_count; i++)
        if (plan->timers[i].side == side)
            return true;
    return false;
}

bool measure_plan_has_records(const struct measure_plan *plan)
{
    for (size_t i = 0; i < plan->timer_count; i++)
        if (plan->timers[i].record_bytes > 0)
            return true;
    return false;
}

/* --- the plan -------------------------------------------------------------------------------------------- */

/* Places of a tap's queue; 0 if it has no bound. */
static uint32_t places_of(unsigned tap, const struct hardware *hardware)
{
    const unsigned queue = machine_tap_places[tap].queue;
    if (tap == TAP_HOST_QUEUE)
        return hardware->host_queue_blocks;
    return queue < BOARD_FIFOS ? board_fifo_places(queue, &hardware->board) : 0;
}

static void bind_directive(struct measure_plan *plan, const struct directive *d)
{
    struct measurement *m = &plan->measurements[plan->measurement_count++];
    *m = (struct measurement){.directive = d, .queue = machine_tap_places[d->tap].queue, .factor = 1};
    m->timer = find_timer(plan, &d->frame, side_of_frames(d));
    bind_metric(plan, m);
    m->aggregated =
        m->source == SOURCE_OCCUPANCY || m->source == SOURCE_SAMPLES || m->source == SOURCE_HOST_SPAN;
    if (m->aggregated)
        m->plan = aggregate_plan_of(d, m->source == SOURCE_OCCUPANCY ? places_of(d->tap, plan->hardware) : 0);
}

int measure_plan_make(const struct directives *directives, const struct hardware *hardware, const char *file,
                      struct measure_plan **out, struct why *why)
{
    const struct binding binding = {file, why};
    const size_t count = directives->count;
    struct measure_plan *plan = memory_take(sizeof *plan);
    int status = 0;
    *plan = (struct measure_plan){.hardware = hardware,
                                  .measurements = memory_new(count, sizeof *plan->measurements),
                                  .timers = memory_new(count, sizeof *plan->timers),
                                  .channels = memory_new(count, sizeof *plan->channels),
                                  .origins = memory_new(count, sizeof *plan->origins)};
    for (size_t i = 0; i < count && status == 0; i++) {
        status = check_frame(&binding, &directives->items[i], hardware);
        if (status == 0)
            bind_directive(plan, &directives->items[i]);
    }
    if (status == 0)
        size_records(plan);
    if (status) {
        measure_plan_destroy(plan);
        plan = NULL;
    }
    *out = plan;
    return status;
}

void measure_plan_destroy(struct measure_plan *plan)
{
    if (!plan)
        return;
    free(plan->measurements);
    free(plan->timers);
    free(plan->channels);
    free(plan->origins);
    free(plan);
}
