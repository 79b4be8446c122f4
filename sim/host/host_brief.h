/* host_brief.h - the tasks of a run in brief: how long the run takes if boards or cores work in other times.
 *
 * Models    the host of a run (host_schedule.h) by its recurrences (host_times.h), with some hundred tasks per pass in
 *           the place of all. A task is as much work as many HSPs in a row ask for, and comes when the last of them
 *           does. A cluster that is not small is a task of its own, which comes when the stream has passed it; that it
 *           waits for its own HSPs is left out. Who asks for a time compares it with that of the run as it was, in
 *           brief, too.
 * Memory    16 bytes per task, BRIEF_PIECES + BRIEF_CLUSTERS tasks per pass at most.
 * Errors    an enum host_error.
 */
#pragma once

#include <stddef.h>

#include "sim/board/machine_part.h"
#include "sim/host/host_schedule.h"

enum { BRIEF_PIECES = 128, BRIEF_CLUSTERS = 256 };

struct host_brief;

/** @param hardware  borrowed */
struct host_brief *host_brief_new(const struct hardware *hardware, size_t pass_count);
void host_brief_destroy(struct host_brief *brief);

/** Add the run's next pass, whose tasks stay the caller's. @return 0 or HOST_EFILE */
int host_brief_add(struct host_brief *brief, const struct host_pass *pass);

/** How long boards take for a pass, as it was or otherwise, in seconds. */
struct brief_pass {
    double load_s;   /* until the database streams */
    double stream_s; /* from then until the board is free */
};

/** What a pass that was added took. @param pass  its number in the run */
struct brief_pass host_brief_pass(const struct host_brief *brief, size_t pass);

/** How long the run takes, from its begin to the end of its last task, without joining, and without sending results.
 *
 * @param part      of the host that is free: PART_CORES, _ALIGNMENT, _BUILD or _TABLES; others have no effect
 * @param passes    what boards take for each pass: tasks of a pass come as much sooner as its stream is shorter
 * @param begins_s  when each host begins, once it has its part of the query
 */
int host_brief_time(const struct host_brief *brief, enum machine_part part, const struct brief_pass *passes,
                    const double *begins_s, double *run_s);
