/* measure_plan.h - directives bound to a machine: what has to be looked at, and when.
 *
 * Models    the loading of TimeTrial's directives into a design (Lancaster et al. 2011, section III): only what some
 *           directive needs is there.
 * Frames    every distinct frame is a timer. Time frames end at round(k P) clocks, k = 1, 2, ..., so they do not
 *           drift. Data frames end after the clock in which the number of elements at their tap reaches the next
 *           multiple of N: elements of one clock stay together. All begin anew with every pass.
 * Sides     the board's taps end with the board, the host's when the last alignment is done. The host's time runs behind
 *           the board's; measurements and their data frames' taps are on the same side. A span that ends in software is
 *           the host's.
 * Channels  streams of samples, one an element, that somebody asked for (latencies, reads a seed); a sample belongs to
 *           the frame in which its element arrives at the channel's end.
 * Errors    MEASURE_PLAN_E* and one line.
 */
#ifndef MERCURY_SIM_MEASURE_MEASURE_PLAN_H
#define MERCURY_SIM_MEASURE_MEASURE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "sim/board/board_taps.h"
#include "sim/board/hardware.h"
#include "traces/aggregate.h"
#include "traces/directive.h"

enum measure_plan_error { MEASURE_PLAN_EMEMORY = -1, MEASURE_PLAN_EREFUSED = -2 };

enum measure_side { SIDE_BOARD, SIDE_HOST };

/** What happens to an HSP in software, in this order: to those of a block together. */
enum host_event {
    HOST_ARRIVED, /* in the inbox */
    HOST_TAKEN,   /* a core begins with them */
    HOST_DONE,    /* and is through */
    HOST_EVENTS
};

struct frame_timer {
    struct frame_spec spec;
    enum measure_side side;
    enum board_port port;    /* data frames of the board: what is counted */
    enum host_event event;   /* those of the host: which HSPs */
    uint64_t element_bytes;  /* frames of bytes; 1: frames of elements */
    bool wants[BOARD_FIFOS]; /* somebody asks for these queues' occupancies */
};

enum channel_kind {
    CHANNEL_LATENCY,
    CHANNEL_FALSE, /* 1 for a seed that is a false positive; at 1a's taking its word */
    CHANNEL_COLLISION, /* 1 for a lookup that needs the duplicate table; this and the next three at 1bd's taking it */
    CHANNEL_READS, /* of the SRAM, of a seed */
    CHANNEL_TRIPS,
    CHANNEL_MATCHES,
    CHANNEL_TRIP_READS, /* of a trip; when its matches enter the stage-2 FIFO */
    CHANNEL_ORIGIN, /* the clock in which a record, or what it came from, passed `from`; for spans that end in software */
    CHANNEL_KINDS
};

struct channel_spec {
    enum channel_kind kind;
    enum board_port from, to; /* CHANNEL_LATENCY; from: CHANNEL_ORIGIN, too */
    bool has_borders;         /* some timer on it ends within the pass */
    unsigned user;            /* else the only one; none of origins */
};

/** A span that ends in software. */
struct host_span {
    bool from_board;      /* it begins there */
    unsigned channel;     /* then: CHANNEL_ORIGIN */
    enum host_event from; /* else */
    enum host_event to;
};

/** Who takes samples of a channel into frames of a timer. */
struct channel_user {
    unsigned channel, timer;
};

enum measure_source {
    SOURCE_OCCUPANCY,    /* of `queue` */
    SOURCE_SAMPLES,      /* of `user` */
    SOURCE_SAMPLE_SHARE, /* the same, sum / (elements out of `queue` x divisor) */
    SOURCE_ENTERED,      /* elements into, or out of `queue`, x factor / clocks */
    SOURCE_LEFT,
    SOURCE_BACK_PRESSURE,  /* clocks / clocks */
    SOURCE_INTEGRAL,       /* occupancies / clocks */
    SOURCE_BUS,            /* bytes both ways / what the bus can carry */
    SOURCE_SRAM,           /* primary reads and those of `user` / clocks */
    SOURCE_HOST_OCCUPANCY, /* of the inbox */
    SOURCE_HOST_SPAN,      /* latencies of `span` */
    SOURCE_HOST_PASSED,    /* HSPs at `event` / clocks */
    SOURCE_HOST_BUSY,      /* clocks of cores / clocks x cores */
};

/** A directive, bound. */
struct measurement {
    const struct directive *directive;
    unsigned timer;
    enum measure_source source;
    unsigned queue, user;
    enum host_event event;
    struct host_span span;
    double factor; /* of a fraction */
    uint64_t divisor;
    bool aggregated; /* has an aggregate of values; else it is a fraction */
    struct aggregate_plan plan;
};

struct measure_plan {
    const struct hardware *hardware;
    struct measurement *measurements; /* as many as directives, in their order */
    struct frame_timer *timers;
    struct channel_spec *channels;
    struct channel_user *users;
    size_t measurement_count, timer_count, channel_count, user_count;
    bool wants_server; /* 1bd's clocks at work, within a pass */
};

/** Bind directives to a machine.
 *
 * @param directives  borrowed, as long as the plan is there
 * @param file        what messages call them
 */
int measure_plan_make(const struct directives *directives, const struct hardware *hardware, const char *file,
                      struct measure_plan **plan, struct why *why);
void measure_plan_destroy(struct measure_plan *plan);

static inline bool timer_is_pass(const struct frame_timer *timer)
{
    return timer->spec.kind == FRAME_PASS;
}

static inline bool timer_counts_data(const struct frame_timer *timer)
{
    return timer->spec.kind == FRAME_ELEMENTS || timer->spec.kind == FRAME_BYTES;
}

/** Clock at which a time frame ends, the k-th, k >= 1; INT64_MAX beyond all time, and for the pass. */
int64_t timer_border(const struct frame_timer *timer, const struct hardware *hardware, uint64_t k);

/** Elements after which a data frame ends, when `seen` have come: the next multiple. */
uint64_t timer_target(const struct frame_timer *timer, uint64_t seen);

#endif
