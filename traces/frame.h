/* frame.h - one record of everything that was measured, with the names and the meanings of its numbers.
 *
 * Models    a TimeTrial frame (Lancaster et al. 2011, section III): one record of reduced values for a stretch of the
 *           run, which is one pass by default; frames of equal layout add up to the frame of the run.
 * Layout    whoever measures decides which counters, ratios and queues a frame has, in a table of names, units and
 *           meanings (struct frame_layout). The values are plain numbers, so that a frame can be sent to another
 *           process.
 * Kinds     COUNT    a number of things
 *           FLOW     a number of elements; it is also reported as a rate, in elements per second of the frame
 *           BUSY     a number of clocks; it is also reported as a utilisation, a fraction of the frame's clocks
 *           TIME     picoseconds, of any number of cores and years; reported in seconds
 * Meanings  are sentences for `mercury explain` (explain.h). A source is NULL if no publication defines the number.
 */
#pragma once

#include <stdint.h>

#include "base/wide.h"
#include "traces/statistics/batch_means.h"
#include "traces/fifo_measure.h"
#include "traces/statistics/interval_moments.h"

enum counter_kind { COUNTER_COUNT, COUNTER_FLOW, COUNTER_BUSY, COUNTER_TIME };

struct counter_spec {
    const char *stage; /* object of the summary */
    const char *name;
    enum counter_kind kind;
    const char *unit; /* of the number as it is reported: "clocks" of a BUSY counter, "s" of a TIME counter */
    const char *meaning, *computed, *source;
    const char *utilisation, *utilisation_source; /* meaning of a BUSY counter's fraction, and its source */
};

/** One counter divided by another, such as SRAM reads per seed. */
struct ratio_spec {
    const char *stage;
    const char *name;
    unsigned numerator, denominator; /* indices of counters */
    const char *unit;                /* "1" for a fraction */
    const char *meaning, *source;
};

struct queue_spec {
    const char *stage; /* the stage that takes from it */
    const char *name;
    const char *element; /* plural: words, seeds */
    const char *meaning, *source;
};

/** A limit of the machine that counts are compared with: a rate, a capacity. */
struct gauge_spec {
    const char *stage;
    const char *name;
    const char *unit;
    const char *meaning, *computed, *source;
};

/** Times between arrivals, or times of services. */
struct interval_spec {
    const char *stage;
    const char *name;
    const char *meaning;
};

/** A quantity with a confidence interval from batches inside the frame. */
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
    FRAME_INTERVALS_MAX = 12,
    FRAME_ESTIMATES_MAX = 20
};

struct frame {
    double begin_s;    /* of the pass, since the run began */
    double duration_s; /* simulated time of the whole pass, loading and draining included */
    double clock_hz;
    /* From the pass's first word on the bus until the board is empty: what rates are divided by. */
    uint64_t clocks;
    uint32_t boards; /* of a run: number of those with passes, over which its times are means; of a pass 1 */
    wide_uint counters[FRAME_COUNTERS_MAX]; /* only those of TIME can exceed 64 bits */
    double gauges[FRAME_GAUGES_MAX];        /* equal in all frames of a run */
    struct fifo_measure queues[FRAME_QUEUES_MAX];
    struct interval_moments intervals[FRAME_INTERVALS_MAX];
    /* Number of batches that the estimates are made of; 0 if there are no estimates, as in a sum. */
    uint64_t batches;
    uint64_t blocks_a_batch;
    struct estimate estimates[FRAME_ESTIMATES_MAX]; /* in the units of the layout */
};

/** The picoseconds that a TIME counter counts for `s` seconds. */
static inline wide_uint frame_picoseconds(double s)
{
    return (wide_uint)(s * 1e12 + 0.5);
}

/** A counter's value as a real number. */
static inline double frame_count(const struct frame *frame, unsigned counter)
{
    return (double)frame->counters[counter];
}

/** A TIME counter's value in seconds. */
static inline double frame_seconds(const struct frame *frame, unsigned counter)
{
    return (double)frame->counters[counter] / 1e12;
}

/** What the summary appends to a counter's name: "", "_clocks" or "_s". */
const char *frame_suffix(enum counter_kind kind);

/** Add a frame of the same layout. The sum has no estimates. */
void frame_add(struct frame *sum, const struct frame *frame, const struct frame_layout *layout);

/** Duration of the frame's clocks in seconds. */
double frame_measured_s(const struct frame *frame);

/** Name of the first queue whose measure breaks Little's law, or whose histogram does not add up to the frame's length;
 * NULL if every queue is consistent. An inconsistency is a bug in the simulator. */
const char *frame_find_inconsistency(const struct frame *frame, const struct frame_layout *layout);
