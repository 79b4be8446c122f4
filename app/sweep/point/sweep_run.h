/* sweep_run.h - works through the points of a sweep: decides who simulates what, and puts the results together.
 *
 * Models    points are opened in order, a few at a time. Their passes are jobs that go to the processes
 *           of this rank and to those of the other ranks (rank_link.h), preferably to a rank that has the tokens. When
 *           all passes of a point have ended, its measures are computed and handed over at once.
 * Lost      jobs of a rank that has fallen silent are given to another one when there is nothing else to do; an outcome
 *           that comes twice is the same both times.
 * Host      when a pass begins and when its stage 3 ends depends on all passes of the point, so that rank 0 computes
 *           it when the last of them has come.
 * Memory    the frames of the open points and their tasks of stage 3 (16 bytes per HSP), and the alignments of each
 *           search until they are stitched.
 * Errors    an enum command_status and one line: what has no temporary file, a simulated time that is longer than
 *           clocks can be counted, and what `wants` or `take` refuse, is refused; a pass that fails, another rank and a
 *           signal fail.
 */
#pragma once

#include <stdbool.h>

#include "base/why.h"
#include "app/sweep/point/sweep_measure.h"

struct sweep_run {
    const struct sweep_plan *plan;
    struct rank_link *link; /* NULL if there are no other ranks */
    unsigned jobs;          /* number of processes of this rank at a time, >= 1 */
    bool quiet;             /* show no progress */
    const char *kept;       /* what became of finished points, for the last words if a signal ends the work */
    size_t begin;           /* the point to open first; those before it come last */

    /** Called before a point is opened; NULL: all are. @return 1 to simulate it, 0 to skip it; negative: refused */
    int (*wants)(void *data, size_t point, struct why *why);

    /** Called with the measures of a finished point. @return 0; negative: refused */
    int (*take)(void *data, size_t point, const struct sweep_measures *measures, struct why *why);
    void *data;
};

struct sweep_runner;

/** Make the runner of rank 0, or of a sweep without other ranks. While it exists, signals that end a process end the
 * work. */
struct sweep_runner *sweep_runner_new(const struct sweep_run *run);

/** Work through all points of the plan that are not finished. Without other ranks the plan may have grown since the
 * last call; tokens and alignments of its searches are used again. */
int sweep_runner_work(struct sweep_runner *runner, struct why *why);

/** The tokens of a pass of a finished point, as a record of it alone; NULL if this rank does not keep them. */
const struct token_record *sweep_runner_tokens(const struct sweep_runner *runner, size_t point, size_t pass);

/** Dismiss the other ranks, take in what they had sent before, and die of the signal that has ended the work, if any.
 *
 * @return whether a rank is lost: it has not said goodbye (rank_link_close())
 */
bool sweep_runner_destroy(struct sweep_runner *runner);

/** Do the jobs that rank 0 hands out to this rank, until it says stop.
 *
 * @param problem  why this rank cannot work, which rank 0 is told; NULL if it can
 * @return false if a rank is lost (rank_link_close())
 */
bool sweep_run_serve(const struct sweep_run *run, const char *problem);
