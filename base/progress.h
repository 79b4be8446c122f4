/* progress.h - the progress of a run: one line on standard error, rewritten in place.
 *
 * Nothing is shown if standard error is not a terminal, and in the first second; then five times a second at most.
 */
#ifndef MERCURY_BASE_PROGRESS_H
#define MERCURY_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *unit; /* plural: Mwmers */
    double total;     /* in units */
    double begin_s;   /* wall clock */
    double shown_s;   /* wall clock, when the line was written last */
    bool visible, shown;
};

/** Begin. @param quiet  show nothing on a terminal either */
void progress_begin(struct progress *progress, const char *unit, double total, bool quiet);

/** Show the share that is done, the rate, and the time left. @param done  in units */
void progress_update(struct progress *progress, double done);

/** Remove the line. */
void progress_end(struct progress *progress);

/** Seconds of wall clock since an arbitrary point. */
double progress_wall_s(void);

#endif
