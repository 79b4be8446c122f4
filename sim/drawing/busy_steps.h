/* busy_steps.h - when tracks were busy, in steps of time that become longer until all of the time fits: what a timeline
 * shows of a whole run.
 *
 * Time      whole numbers of any unit, such as clocks or picoseconds, >= 0.
 * Steps     of 2^n units, from time 0 on. Of each step and track it is known for how long the track was busy, so that
 *           sums are exact whatever the step. n begins with 0; steps are joined two by two whenever there are too many
 *           steps or spans. So the result does not depend on what comes first.
 * Spans     may be kept as they are, with what the track was busy with, as long as they last for a step at least.
 *           Shorter ones are added to the steps.
 * Slices    are what is shown: spans, and of each step that has other busy time a slice that lasts for this time. It
 *           begins with the step, or with the end of the span that ends in the step; it is one slice with those of
 *           the steps before it if there is no time between them. Slices of a track do not overlap: since spans last
 *           for a step, the time of a step without spans is in one piece.
 * Memory    8 bytes per step and track, and 32 per span.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The pass of a span in which a core builds tables. */
#define BUSY_BUILDING UINT32_MAX

/** A track was busy from `begin` up to `end`, for a pass. */
struct busy_span {
    int64_t begin, end;
    uint32_t track;
    uint32_t pass; /* from 0 */
    uint32_t hsps; /* number of HSPs that the track was busy with; 0: a cluster, or BUSY_BUILDING */
};

/* One track and steps of 8 units, s for a unit of a span, x for one in which the track was busy with something shorter:
 *
 *     time       0       8       16      24      32
 *     track      .xx..x....ssssssssssss.x...x....
 *     busy       3       0       1       1          without what is the span's
 *     slices     ===.......ssssssssssss=.=.......   the third begins where the span ends, the last with its step
 */
struct busy_steps {
    unsigned step; /* n: a step has 2^n units of time */
    uint32_t tracks;
    uint64_t *busy;           /* [step x tracks + track]: busy time without that of the spans */
    size_t count, room, most; /* number of steps: known, with memory, and allowed */
    struct busy_span *spans;  /* in any order before busy_steps_sort() */
    size_t span_count, span_room, spans_most;
};

/** @param tracks      number of tracks, >= 1
 *  @param most        number of steps that are allowed, >= 1
 *  @param spans_most  number of spans that are allowed, >= 1 if there are any */
void busy_steps_init(struct busy_steps *steps, uint32_t tracks, size_t most, size_t spans_most);
void busy_steps_destroy(struct busy_steps *steps);

/** Make sure that there is a step of a time. */
void busy_steps_reach(struct busy_steps *steps, int64_t time);

/** A track was busy from `begin` up to `end`. Any order will do; no time is told twice. */
void busy_steps_add(struct busy_steps *steps, uint32_t track, int64_t begin, int64_t end);

/** Add a span that is kept as long as it lasts for a step. */
void busy_steps_add_span(struct busy_steps *steps, const struct busy_span *span);

/** Join the steps two by two. */
void busy_steps_join(struct busy_steps *steps);

/** Busy time of a track in a step, without that of the spans. */
static inline uint64_t busy_steps_of(const struct busy_steps *steps, size_t step, uint32_t track)
{
    return steps->busy[step * steps->tracks + track];
}

/** Put the spans in order; they stay so if steps are joined. */
void busy_steps_sort(struct busy_steps *steps);

/** What is shown of a track. */
struct busy_slice {
    int64_t begin, end;
    const struct busy_span *span; /* NULL: busy time of steps */
};

/** Where busy_steps_next() is in a track. */
struct busy_cursor {
    uint32_t track;
    size_t step, span; /* that come next */
    int64_t free;      /* end of the span before */
};

/** Go to the begin of a track, whose spans are in order. */
struct busy_cursor busy_steps_begin(const struct busy_steps *steps, uint32_t track);

/** Find the next slice of a track. @return false if there is none */
bool busy_steps_next(const struct busy_steps *steps, struct busy_cursor *cursor, struct busy_slice *slice);
