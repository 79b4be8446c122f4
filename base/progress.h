/* progress.h - the progress of a run on standard error.
 *
 * A terminal has one line that is rewritten in place, five times a second at most. A file or a pipe gets a line
 * whenever another tenth is done, or after half a minute, but nothing in the first five seconds; a terminal has nothing
 * in the first second.
 */
#pragma once

#include <stdbool.h>

struct progress {
    const char *unit; /* plural: Mwmers */
    double total;     /* in units */
    double begin_s;   /* wall clock */
    double shown_s;   /* wall clock, when the line was written last */
    double shown;     /* share that it told */
    double margin_s;  /* half of the interval of the time left; 0: unknown */
    bool visible, terminal, rewrites;
};

/** Begin. @param quiet  show nothing */
void progress_begin(struct progress *progress, const char *unit, double total, bool quiet);

/** Whether progress_update() would show something now: for a margin that takes time to compute. */
bool progress_is_due(const struct progress *progress, double done);

/** Say how well the time left is known: it is shown with its interval. @param margin_s  half of it; 0: unknown */
void progress_expect(struct progress *progress, double margin_s);

/** Show the share that is done, the rate, and the time left. @param done  in units */
void progress_update(struct progress *progress, double done);

/** Write a line that stays, unless the progress is quiet. */
void progress_say(struct progress *progress, const char *line);

/** Remove the line from a terminal. */
void progress_end(struct progress *progress);

/** Seconds of wall clock since an arbitrary point. */
double progress_wall_s(void);
