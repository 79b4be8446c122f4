/* pass_pool.h - processes that simulate passes, up to a number of them at a time.
 *
 * Models    nothing. SimGrid has one engine per process, so that every pass is simulated in a child of its own: it is
 *           forked when its job starts, sees the memory of its parent as it was then, and leaves a report.
 * Order     reports come in the order in which children end. A caller that wants the same bytes for any number
 *           of slots puts them in order.
 * Threads   children that run share the processors of all slots: where fewer children run than there are slots, as at
 *           the end of a run, each may use several threads.
 * Signals   SIGCHLD is blocked while a pool exists, so that pass_pool_sleep() ends when a child does. Children die with
 *           their parent, by SIGKILL at the latest.
 * Memory    a report per child (pass_report.h), shared with it, and a file in memory for its alignments and its tasks
 *           of stage 3. A report belongs to whoever collected it.
 * Words     what a child says on standard error is shown after its end, but not if memory was exhausted: then there is
 *           one line, that of the error (base/process/child_words.h).
 * Errors    an enum pass_error and one line.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "base/why.h"
#include "sim/board/hardware.h"
#include "sim/pass/pass_report.h"

/** Simulates a pass, in the child.
 *
 * @param data    as given to pass_pool_new()
 * @param report  all zero except for its job
 * @return the report's status
 */
typedef int pass_work(const void *data, struct pass_report *report);

struct pass_pool;

/** Make a pool of `slots` >= 1 children that call `work`. */
struct pass_pool *pass_pool_new(unsigned slots, pass_work *work, const void *data);

/** Kill all children that still run, and free the pool. */
void pass_pool_destroy(struct pass_pool *pool);

/** Number of children that run. */
unsigned pass_pool_running(const struct pass_pool *pool);

bool pass_pool_has_free_slot(const struct pass_pool *pool);

/** What the pool shares with its children. */
struct pass_pool_shared {
    atomic_ullong counter; /* for a display of progress */
    atomic_ullong crowd;   /* number of matches of a block that had very many, if a child has found one */
    atomic_uint threads;   /* that each child may use now: slots / children that run, at least 1 */
    /* Number of passes of a host whose reports have been written, by a child that simulates all of them. */
    atomic_size_t written[HARDWARE_HOSTS_MAX];
};

struct pass_pool_shared *pass_pool_shared(const struct pass_pool *pool);

/** Start a job in a free slot. Its files belong to the pool from now on, even after an error. */
int pass_pool_start(struct pass_pool *pool, struct pass_job job, struct why *why);

/** Take the report of a child that has ended. Does not wait.
 *
 * @param report  out, for pass_report_destroy()
 * @return 1 and a report whose status is 0; 0 if no child has ended; an enum pass_error if a child or its pass failed
 */
int pass_pool_collect(struct pass_pool *pool, struct pass_report **report, struct why *why);

/** Sleep until a child ends, but no longer than `seconds`. */
void pass_pool_sleep(double seconds);
