/* sweep_run.h - working through the points of a sweep: who does what, and what it comes to.
 *
 * Models    points are opened in order, a few at a time; their passes are jobs (sweep_work.h) that go to the processes
 *           of this rank and to those of the others (sweep_link.h), by preference to who has the tokens already. A point
 *           whose passes are all there is measured and handed over at once.
 * Lost      jobs of a rank that says nothing any more are done again when there is nothing else to do; what comes twice
 *           is the same.
 * Memory    frames of the open points, alignments of each search until they are joined.
 * Errors    a negative SWEEP_RUN_E* code and one line.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_RUN_H
#define MERCURY_APP_SWEEP_SWEEP_RUN_H

#include <stdbool.h>

#include "base/why.h"
#include "app/run/run_output.h"
#include "app/sweep/sweep_link.h"
#include "app/sweep/sweep_measure.h"
#include "app/sweep/sweep_plan.h"

enum sweep_run_error {
    SWEEP_RUN_EMEMORY = -1,
    SWEEP_RUN_EPASS = -2, /* a pass's process, or another rank */
    SWEEP_RUN_ESIGNAL = -3,
    SWEEP_RUN_ETAKEN = -4, /* for `wants` and `take` to return */
};

struct sweep_run {
    const struct sweep_plan *plan;
    const char *platform_path;
    struct sweep_link *link; /* NULL: alone */
    unsigned jobs;           /* processes of this rank, >= 1 */
    bool quiet;              /* no progress */
    size_t begin;            /* the point to open first; the others follow, and those before it come last */

    /** Whether a point is still to be done, asked when its turn comes: 1, 0, or SWEEP_RUN_ETAKEN to end the run. */
    int (*wants)(void *data, size_t point, struct why *why);

    /** Takes a finished point: 0, or SWEEP_RUN_ETAKEN to end the run. */
    int (*take)(void *data, size_t point, const struct sweep_measures *measures, struct why *why);
    void *data;
};

struct sweep_runner;

/** Rank 0, or who is alone. Signals that end a process are taken note of while one exists.
 *  @return NULL when memory is out */
struct sweep_runner *sweep_runner_new(const struct sweep_run *run);

/** Work through all points of the plan that have not been. Without other ranks the plan may have grown since the last
 * time; what is kept of its searches is used again. */
int sweep_runner_work(struct sweep_runner *runner, struct why *why);

/** Sends the other ranks away, takes in what they had sent before, and ends by the signal that has ended the work.
 *
 * @return whether a rank is lost: it never said that it has ended (sweep_link_close())
 */
bool sweep_runner_destroy(struct sweep_runner *runner);

/** Rank 0 with nothing to do: sends the others away. @return whether one of them is lost */
bool sweep_run_dismiss(struct sweep_link *link);

/** Another rank: does what it is told, until it is told to stop.
 *
 * @param problem  NULL, or why this rank cannot work: rank 0 is told
 * @return false when a rank is lost (sweep_link_close())
 */
bool sweep_run_serve(const struct sweep_run *run, const char *problem);

#endif
