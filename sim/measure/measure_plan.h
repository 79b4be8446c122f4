/* measure_plan.h - directives bound to a machine: what has to be looked at, and when.
 *
 * Models    the loading of TimeTrial's directives into a design (Lancaster et al. 2011, section III): only what some
 *           directive needs exists.
 * Frames    every distinct frame is a timer. Time frames end at round(k P) clocks, k = 1, 2, ..., so they do not
 *           drift. Data frames end after the clock in which the number of elements at their tap reaches the next
 *           multiple of N: elements of one clock stay together. All begin anew with every pass, but for time frames
 *           of the run (frame_record.h).
 * Sides     the taps of the board end with the board, those of the host with the last alignment. The host's time runs
 *           after the board's; measurements and the taps of their data frames are on the same side. A span that ends
 *           in software belongs to the host. The host queue is a side of its own, which ends with the board.
 * Channels  streams of samples that some directive asks for (latencies, reads per seed), one sample per element, in
 *           frames of one timer. A sample belongs to the frame in which its element arrives at the channel's end.
 * Records   a frame of the board leaves over the bus as one frame record. It has a header of measure.header_bytes
 *           (which frames, number, begin, length), and measure.value_bytes for every value of its measurements:
 *             fraction of the frame's clocks   1: its count, because the header has the length
 *             fraction of elements             2: both counts
 *             mean of an occupancy             1: its sum over the clocks
 *             mean of samples                  2: their sum and their number
 *             min, max, deviation              1 each; of the deviation, the sum of the squares
 *             histogram                        1 for each bin, also for empty ones, and 1 for what lies below the first
 *                                              bin, unless that begins at 0; what lies above the last is the rest
 *             quantiles                        1 for each bucket of the sketch from which they are computed
 *           frames.tsv has the mean of every measurement, so a record has it, too, whatever the directive asks for.
 *           The host's frames never cross the bus.
 * Errors    MEASURE_PLAN_E* and one line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "traces/directive/aggregate.h"
#include "traces/directive/directive.h"
#include "sim/board/board_taps.h"
#include "sim/board/hardware.h"
#include "sim/measure/machine_taps.h"

enum measure_plan_error { MEASURE_PLAN_EREFUSED = -2 };

enum measure_side {
    SIDE_BOARD,
    SIDE_HOST,
    SIDE_HOST_OF_RUN, /* the host under frames of the run: all passes together */
    SIDE_HOST_QUEUE,  /* blocks of the database on their way to the board */
};

struct frame_timer {
    struct frame_spec spec;
    enum measure_side side;
    enum board_port port;    /* of data frames of the board: where elements are counted */
    enum host_event event;   /* of data frames of the host: which HSPs are counted */
    uint64_t element_bytes;  /* of frames of bytes; 1 of frames of elements */
    bool wants[BOARD_FIFOS]; /* the occupancies of these FIFOs are asked for */
    uint64_t record_bytes;   /* of a frame record on the bus; 0 if the frame is the host's */
};

enum channel_kind {
    CHANNEL_LATENCY,
    CHANNEL_FALSE,     /* 1 for a seed that is a false positive, in the clock in which 1a takes its word */
    CHANNEL_COLLISION, /* 1 for a lookup that needs the duplicate table, in the clock in which 1bd takes it */
    CHANNEL_READS,     /* SRAM reads of a seed, in the same clock */
    CHANNEL_TRIPS,     /* trips of a seed, in the same clock */
    CHANNEL_MATCHES,   /* matches of a seed, in the same clock */
    CHANNEL_TRIP_READS, /* SRAM reads of a trip, in the clock in which its matches enter the stage-2 FIFO */
    CHANNEL_KINDS
};

struct channel_spec {
    enum channel_kind kind;
    enum board_port from, to; /* of CHANNEL_LATENCY */
    unsigned timer;           /* into whose frames its samples are taken */
};

/** A span that ends in software. */
struct host_span {
    bool from_board;      /* the span begins on the board */
    unsigned stamp;       /* if so, number of the origin that each record takes along */
    enum host_event from; /* if not, the event with which it begins */
    enum host_event to;
};

enum measure_source {
    SOURCE_OCCUPANCY,     /* occupancy of `queue` */
    SOURCE_SAMPLES,       /* samples of `channel` */
    SOURCE_SAMPLE_SHARE,  /* sum of the samples of `channel` / (elements out of `queue` x divisor) */
    SOURCE_ENTERED,       /* elements into `queue` x factor / clocks */
    SOURCE_LEFT,          /* elements out of `queue` x factor / clocks */
    SOURCE_BACK_PRESSURE, /* clocks with back-pressure / clocks */
    SOURCE_INTEGRAL,      /* sum of the occupancy x factor / clocks */
    SOURCE_BUS,           /* bytes both ways / what the bus can carry */
    SOURCE_SRAM,          /* primary reads plus the samples of `channel` / clocks */
    SOURCE_HOST_SPAN,     /* latencies of `span` */
};

/** A directive, bound to the machine. */
struct measurement {
    const struct directive *directive;
    unsigned timer;
    enum measure_source source;
    unsigned queue, channel;
    struct host_span span;
    double factor; /* factor of a fraction */
    uint64_t divisor;
    bool aggregated; /* it has an aggregate of values; otherwise it is a fraction */
    struct aggregate_plan plan;
};

struct measure_plan {
    const struct hardware *hardware;
    struct measurement *measurements; /* one for each directive, in their order */
    struct frame_timer *timers;
    struct channel_spec *channels;
    enum board_port *origins; /* ports at which spans begin that end in software */
    size_t measurement_count, timer_count, channel_count;
    unsigned origin_count;
    bool wants_server; /* the clocks of 1bd at work are asked for in frames within a pass */
};

/** Bind directives to a machine.
 *
 * @param directives  borrowed until the plan is destroyed
 * @param file        the name of their file, for messages
 */
int measure_plan_make(const struct directives *directives, const struct hardware *hardware, const char *file,
                      struct measure_plan **plan, struct why *why);
void measure_plan_destroy(struct measure_plan *plan);

/** The first directive with frames of the run; NULL if there is none. */
const struct directive *measure_plan_find_run_frames(const struct measure_plan *plan);

/** Whether anything is measured on a side. */
bool measure_plan_has_side(const struct measure_plan *plan, enum measure_side side);

/** Number of values that a measurement of the board has in a frame record. */
uint64_t measurement_record_values(const struct measurement *measurement);

/** Whether frames of the board are asked for, whose records have bytes. */
bool measure_plan_has_records(const struct measure_plan *plan);

static inline bool timer_is_pass(const struct frame_timer *timer)
{
    return timer->spec.kind == FRAME_PASS;
}

static inline bool timer_counts_data(const struct frame_timer *timer)
{
    return timer->spec.kind == FRAME_ELEMENTS || timer->spec.kind == FRAME_BYTES;
}

/** Clock at which the k-th time frame ends, k >= 1; INT64_MAX for the pass, for data frames, and beyond all time. */
int64_t timer_border(const struct frame_timer *timer, const struct hardware *hardware, uint64_t k);

/** Number of time frames that end at or before a clock >= 0. */
uint64_t timer_frames_before(const struct frame_timer *timer, const struct hardware *hardware, int64_t clock);

/** Number of elements after which a data frame ends, if `seen` have come so far: the next multiple. */
uint64_t timer_target(const struct frame_timer *timer, uint64_t seen);

/** Write a frame as it is reported: pass, 0.001 s, 0.1 s of run, 5 clocks, 1000 words at bus_in. */
void frame_spec_text(const struct frame_spec *spec, char *text, size_t size);
