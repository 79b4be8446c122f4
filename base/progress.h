/* progress.h - how far a run is, for the person who waits: one line on standard error, rewritten in place.
 *
 * Silent where standard error is no terminal, and for the first second.
 */
#ifndef MERCURY_BASE_PROGRESS_H
#define MERCURY_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *unit; /* plural: Mwmers */
    double total;     /* in units */
    double begin_s;   /* wall clock */
    bool visible, shown;
};

/** Start; `quiet` keeps it silent on a terminal, too. */
void progress_begin(struct progress *progress, const char *unit, double total, bool quiet);

/** Show share, rate and time left. */
void progress_update(struct progress *progress, double done);

/** Wipe the line. */
void progress_end(struct progress *progress);

/** Seconds of wall clock, from an arbitrary point on. */
double progress_wall_s(void);

#endif
