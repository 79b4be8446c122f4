/* frame.h - one record of everything that was measured, and what its numbers are called.
 *
 * Models    a TimeTrial frame (Lancaster et al. 2011, section III): one record of reduced values for a stretch of
 *           the run, a pass by default; frames of equal layout add up to the run's.
 * Layout    which counters, ratios and queues there are is the business of whoever measures: a table of names and
 *           units a frame points to. The values are plain numbers, so that a frame can be sent to another process.
 * Kinds     COUNT    a number of things
 *           FLOW     a number of elements; also reported as a rate, in elements a second of the frame
 *           BUSY     a number of clocks; also reported as a utilisation, a fraction of the frame
 *           TIME     picoseconds; reported in seconds
 */
#ifndef MERCURY_TRACES_FRAME_H
#define MERCURY_TRACES_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "traces/batch_means.h"
#include "traces/fifo_measure.h"
#include "traces/interval_moments.h"

enum counter_kind { COUNTER_COUNT, COUNTER_FLOW, COUNTER_BUSY, COUNTER_TIME };

struct counter_spec {
    const char *stage; /* object of the summary */
    const char *name;
    enum counter_kind kind;
};

/** One counter over another, e.g. SRAM reads a seed. */
struct ratio_spec {
    const char *stage;
    const char *name;
    unsigned numerator, denominator; /* indices of counters */
};

struct queue_spec {
    const char *stage; /* the stage that takes from it */
    const char *name;
    const char *element; /* plural: words, seeds */
};

/** What the machine could do at most, for who compares: a rate, a capacity. */
struct gauge_spec {
    const char *stage;
    const char *name;
};

/** Times between arrivals or of services. */
struct interval_spec {
    const char *stage;
    const char *name;
};

/** A quantity with an interval from batches inside the frame. */
struct estimate_spec {
    const char *name;
    const char *unit; /* "1" for a fraction */
};

struct frame_layout {
    const struct counter_spec *counters;
    const struct ratio_spec *ratios;
    const struct queue_spec *queues;
    const struct gauge_spec *gauges;
    const struct interval_spec *intervals;
    const struct estimate_spec *estimates;
    unsigned counter_count, ratio_count, queue_count, gauge_count, interval_count, estimate_count;
};

enum {
    FRAME_COUNTERS_MAX = 64,
    FRAME_QUEUES_MAX = 8,
    FRAME_GAUGES_MAX = 16,
    FRAME_INTERVALS_MAX = 8,
    FRAME_ESTIMATES_MAX = 20
};

struct frame {
    double duration_s; /* of simulated time, everything included */
    double clock_hz;
    uint64_t clocks; /* from the first word on the bus to the last element gone: what rates are divided by */
    uint64_t counters[FRAME_COUNTERS_MAX];
    double gauges[FRAME_GAUGES_MAX]; /* equal in all frames of a run */
    struct fifo_measure queues[FRAME_QUEUES_MAX];
    struct interval_moments intervals[FRAME_INTERVALS_MAX];
    uint64_t batches; /* that the estimates are from; 0: there are none, as in a sum of frames */
    uint64_t blocks_a_batch;
    struct estimate estimates[FRAME_ESTIMATES_MAX]; /* their units are those of the layout */
};

/** What a TIME counter counts. */
static inline uint64_t frame_picoseconds(double s)
{
    return (uint64_t)(s * 1e12 + 0.5);
}

/** Add a frame of the same layout; the sum has no estimates. */
void frame_add(struct frame *sum, const struct frame *frame, const struct frame_layout *layout);

/** Seconds the clocks of the frame take. */
double frame_measured_s(const struct frame *frame);

/** Elements of a FLOW counter a second; 0 for a frame of no length. */
double frame_rate_per_s(const struct frame *frame, unsigned counter);

/** Clocks of a BUSY counter as a fraction of the frame. */
double frame_utilisation(const struct frame *frame, unsigned counter);

/** A ratio's value, NaN where its denominator is 0. */
double frame_ratio(const struct frame *frame, const struct ratio_spec *ratio);

/* Find by name; the index, or -1 where the layout has none of this name. */
int frame_find_counter(const struct frame_layout *layout, const char *stage, const char *name);
int frame_find_queue(const struct frame_layout *layout, const char *name);
int frame_find_gauge(const struct frame_layout *layout, const char *stage, const char *name);

/** Name of the first queue whose measure breaks Little's law or whose histogram's time is not the frame's; NULL
 * where all hold. Such a break is a bug of the simulator's. */
const char *frame_find_inconsistency(const struct frame *frame, const struct frame_layout *layout);

#endif
