/* timeline.h - a timeline for chrome://tracing and ui.perfetto.dev: counters and slices of named tracks, written as
 * they come.
 *
 * Format    Chrome's trace event format, in its JSON object form: metadata (M) for names, counters (C), complete slices
 *           (X), and one global instant (i) where the timeline was cut. "ts" and "dur" are microseconds with six
 *           decimals, so that a picosecond is kept.
 * Window    what lies outside [begin, end) is left out. A slice that crosses an edge is clipped; a counter begins with
 *           its value at the window's begin and ends with its value at the end. The file says up to where it was drawn:
 *           to the window's end, or to the end of what is traced, whichever comes first; and "beyond": true if the
 *           window begins after that.
 * Counters  are step functions: a value holds from its time to the next. Of several values at one time the last counts;
 *           a value equal to the one before is not written.
 * Cap       the file never becomes larger than the cap. When the next event does not fit, nothing more is written to
 *           any track; the file says so ("cut": true, from when, how many events are missing), and so does
 *           timeline_close(). It is valid JSON in every case.
 * Order     events of one track must come in order of time; tracks may run ahead of each other.
 * Parts     two processes can write one after the other: the first suspends the timeline, the second resumes it.
 * Memory    a few words per track, none per event.
 * Errors    DRAWING_E*; a write that fails is reported by timeline_close() at the latest.
 */
#ifndef MERCURY_TRACES_TIMELINE_H
#define MERCURY_TRACES_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "traces/drawing.h"

enum { TIMELINE_TRACKS_MAX = 256, TIMELINE_LABEL_MAX = 200 };

struct timeline_options {
    const char *process;       /* name of what is traced */
    uint64_t begin_ps, end_ps; /* the window; end UINT64_MAX: to the end */
    uint64_t bytes_max;        /* >= DRAWING_BYTES_LEAST */
};

/** A timeline that is suspended. */
struct timeline_state {
    struct drawing_report report;
    bool is_cut, is_first;
    int count; /* number of tracks */
    struct timeline_track {
        uint64_t at_ps, value;        /* of a counter: the value not yet written */
        uint64_t written, written_ps; /* of a counter: the value in the file, and since when */
        bool is_pending, is_begun;
    } tracks[TIMELINE_TRACKS_MAX];
};

struct timeline;

/** Start a timeline in `out`, which the caller closes. @return NULL if memory is exhausted */
struct timeline *timeline_open(FILE *out, const struct timeline_options *options);

/** Suspend a timeline: what it has written is in the file, and it is freed. */
void timeline_suspend(struct timeline *timeline, struct timeline_state *state);

/** Resume a timeline. Its tracks must then be added again, in the same order.
 *
 * @param out  the same file, at its end
 * @return NULL if memory is exhausted
 */
struct timeline *timeline_resume(FILE *out, const struct timeline_options *options,
                                 const struct timeline_state *state);

/** Add a track before its first event, at most TIMELINE_TRACKS_MAX of them. Text is cut after TIMELINE_LABEL_MAX bytes,
 *  and bytes that are not UTF-8 become "?".
 *
 * @param unit  of a counter, such as "seeds"
 * @return the track's number, or DRAWING_EMEMORY
 */
int timeline_add_counter(struct timeline *timeline, const char *name, const char *unit);
int timeline_add_slices(struct timeline *timeline, const char *name);

/** Set a counter's value from `at_ps` on; the times of a track must not decrease. */
void timeline_count(struct timeline *timeline, int track, uint64_t at_ps, uint64_t value);

/** Add something that lasted; slices of a track must not overlap. @param what  text as of the names above */
void timeline_slice(struct timeline *timeline, int track, uint64_t begin_ps, uint64_t end_ps,
                    const char *what);

/** Finish and free the timeline: counters hold up to `end_ps` or the window's end. `report` may be NULL.
 *  @return DRAWING_WHOLE, DRAWING_CUT or DRAWING_EWRITE */
int timeline_close(struct timeline *timeline, uint64_t end_ps, struct drawing_report *report);

#endif
