/* timeline.h - a timeline for chrome://tracing and ui.perfetto.dev: counters and slices of named tracks, as they come.
 *
 * Format    Chrome's trace event format, JSON object form: metadata (M) for names, counters (C), complete slices (X), one
 *           global instant (i) where the timeline was cut. "ts" and "dur" are microseconds with six digits behind the
 *           point: a picosecond is kept.
 * Window    what lies outside [begin, end) is left out; a slice that reaches over an edge is clipped, a counter begins with
 *           its value at the window's begin and ends with its value at the end. The file says up to where it was drawn: the
 *           window's end, or the end of what is traced, whichever comes first; and "beyond": true of a window that begins
 *           later than that.
 * Counters  step functions: a value holds from its time to the next. Of several at one time the last counts; what changes
 *           nothing is not written.
 * Cap       the file never gets larger than the cap. When the next event does not fit, nothing more is written to any
 *           track; the file says so ("cut": true, from when, how many events are missing), and so does timeline_close().
 *           It is valid JSON in every case.
 * Order     events of a track come in order of time; tracks may run ahead of each other.
 * Memory    a few words a track, nothing an event.
 * Errors    TIMELINE_E*; what cannot be written is found out at timeline_close() at the latest.
 */
#ifndef MERCURY_TRACES_TIMELINE_H
#define MERCURY_TRACES_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum timeline_status { TIMELINE_WHOLE = 0, TIMELINE_CUT = 1, TIMELINE_EMEMORY = -1, TIMELINE_EWRITE = -2 };

enum { TIMELINE_TRACKS_MAX = 256, TIMELINE_BYTES_LEAST = 4096, TIMELINE_LABEL_MAX = 200 };

struct timeline_options {
    const char *process;       /* what is traced */
    uint64_t begin_ps, end_ps; /* the window; UINT64_MAX: to the end */
    uint64_t bytes_max;        /* >= TIMELINE_BYTES_LEAST */
};

struct timeline_report {
    uint64_t events, missing; /* written; left out because of the cap, not of the window */
    uint64_t bytes;
    uint64_t cut_ps; /* time of the first missing event */
    uint64_t end_ps; /* of what is traced */
    bool is_beyond;  /* the window begins at or after that: the timeline is empty */
};

struct timeline;

/** Start a timeline; `out` stays the caller's.
 *  @return NULL when memory is out */
struct timeline *timeline_open(FILE *out, const struct timeline_options *options);

/** Add a track before its first event; its number, or TIMELINE_EMEMORY. Text of more than TIMELINE_LABEL_MAX bytes is
 * cut, what is no UTF-8 becomes "?". At most TIMELINE_TRACKS_MAX.
 *
 * @param unit  of a counter, such as "seeds"; unused where only slices come
 */
int timeline_add_counter(struct timeline *timeline, const char *name, const char *unit);
int timeline_add_slices(struct timeline *timeline, const char *name);

/** The counter's value from `at_ps` on; times of a track do not decrease. */
void timeline_count(struct timeline *timeline, int track, uint64_t at_ps, uint64_t value);

/** Something that lasted; slices of a track do not overlap. `what` as the names above. */
void timeline_slice(struct timeline *timeline, int track, uint64_t begin_ps, uint64_t end_ps,
                    const char *what);

/** Finish: counters hold up to `end_ps` or the window's end. Frees the timeline; `report` may be NULL.
 *  @return TIMELINE_WHOLE, TIMELINE_CUT or TIMELINE_EWRITE */
int timeline_close(struct timeline *timeline, uint64_t end_ps, struct timeline_report *report);

#endif
