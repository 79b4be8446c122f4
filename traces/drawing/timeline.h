/* timeline.h - a timeline for chrome://tracing and ui.perfetto.dev: counters and slices of named tracks, written as
 * they come.
 *
 * Format    Chrome's trace event format, in its JSON object form: metadata (M) for names, counters (C), complete slices
 *           (X), and one global instant (i) where the timeline was cut. "ts" and "dur" are microseconds with six
 *           decimals, so that a picosecond is kept.
 * Processes group tracks; a viewer shows one after the other.
 * Window    what lies outside [begin, end) is left out. A slice that crosses an edge is clipped; a counter begins with
 *           its value at the window's begin and ends with its value at the end. The file says up to where it was drawn:
 *           to the last window's end, or to the end of what is traced, whichever comes first; and "beyond": true if
 *           the window begins after that.
 * Counters  are step functions: a value holds from its time to the next. Of several values at one time the last counts;
 *           a value equal to the one before is not written.
 * Cap       the file never becomes larger than the cap. When the next event does not fit, nothing more is written to
 *           any track; the file says so ("cut": true, from when, how many events are missing), and so does
 *           timeline_close(). It is valid JSON in every case.
 * Order     events of one track must come in order of time; tracks may run ahead of each other.
 * Memory    a few words per track, none per event.
 * Errors    timeline_close() reports a write that has failed.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "traces/drawing/drawing.h"

enum { TIMELINE_TRACKS_MAX = 640, TIMELINE_LABEL_MAX = 200 };

enum { TIMELINE_ARGUMENTS_MAX = 8, TIMELINE_DIGITS = 6 };

/** What a viewer says about a slice that is chosen. */
struct timeline_argument {
    const char *name, *text; /* text NULL: it is a number */
    double number;
};

struct timeline;

/** Start a timeline in `out`, which the caller closes; its window is everything. */
struct timeline *timeline_open(FILE *out, uint64_t bytes_max);

/** Begin a window for the events that follow; the counters so far end at `counters_end_ps`.
 *
 * @param end_ps  UINT64_MAX: to the end
 */
void timeline_begin_window(struct timeline *timeline, uint64_t begin_ps, uint64_t end_ps,
                           uint64_t counters_end_ps);

/** Add a process, whose name is as of printf(). @return its number */
int timeline_add_process(struct timeline *timeline, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Add a track before its first event, at most TIMELINE_TRACKS_MAX of them. Text is cut after TIMELINE_LABEL_MAX bytes,
 *  and bytes that are not UTF-8 become "?".
 *
 * @param unit  of a counter, such as "seeds"; borrowed; NULL: the track has slices
 * @return the track's number
 */
int timeline_add_track(struct timeline *timeline, int process, const char *unit, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Set a counter's value from `at_ps` on; the times of a track must not decrease. Values that are not whole are written
 *  with TIMELINE_DIGITS digits. */
void timeline_count(struct timeline *timeline, int track, uint64_t at_ps, double value);

/** Add something that lasted; slices of a track must not overlap. @param what  text as of the names above */
void timeline_slice(struct timeline *timeline, int track, uint64_t begin_ps, uint64_t end_ps,
                    const char *what);

/** Draw a slice with arguments: at most TIMELINE_ARGUMENTS_MAX. */
void timeline_slice_with(struct timeline *timeline, int track, uint64_t begin_ps, uint64_t end_ps,
                         const char *what, const struct timeline_argument *arguments, unsigned count);

/** Say a number at the end of the file, in its "otherData"; a few are possible. */
void timeline_add_fact(struct timeline *timeline, const char *name, double number);

/** Finish and free the timeline: counters hold up to `end_ps` or the window's end. `report` may be NULL; its `missing`
 *  has events that were left out before. @return an enum drawing_status */
int timeline_close(struct timeline *timeline, uint64_t end_ps, struct drawing_report *report);
