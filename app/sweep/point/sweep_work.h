/* sweep_work.h - simulates passes of a sweep's points, each in a child process, in the cheapest way there is.
 *
 * Models    a job is one pass of one point. If the tokens of its structure and pass are kept, the pass is timed again
 *           (pass_retime()). If those of another structure of its search are, Bloom filter and tables are built, stages
 *           1a to 2 computed, and stage 3's work is taken from the tokens (pass_rescan()). Otherwise everything is
 *           computed (pass_simulate()). All three ways give the same bytes, so that neither the order of jobs nor the
 *           number of processes changes a result.
 * Boards    that depend on each other (hardware_couples_boards()) cannot be simulated pass by pass: the jobs of such a
 *           point make the tokens only, and then sweep_work_sum_up() times all passes together.
 * Memory    tokens are kept in memory: about 0.04 bytes per w-mer of a pass. Beyond SWEEP_TOKENS_BYTES_MAX those that
 *           have not been used for the longest time are dropped first.
 * Errors    an enum pass_error and one line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"
#include "traces/frame.h"
#include "sim/pass/pass_report.h"
#include "app/rank/rank_link.h"
#include "app/sweep/point/sweep_plan.h"

#define SWEEP_TOKENS_BYTES_MAX (UINT64_C(1) << 30)

struct sweep_work;

/** @param slots  number of jobs at a time; @return NULL if memory is exhausted */
struct sweep_work *sweep_work_new(const struct sweep_plan *plan, unsigned slots);

/** Make room for searches and structures that were added to the plan; no job may be running.
 *  @return false if memory is exhausted */
bool sweep_work_grow(struct sweep_work *work);

/** Kill all children, and free everything. */
void sweep_work_destroy(struct sweep_work *work);

bool sweep_work_has_free_slot(const struct sweep_work *work);

/** The tokens of a job's pass, as a record of it alone; NULL if they are not kept. */
const struct token_record *sweep_work_tokens(const struct sweep_work *work, struct rank_job job);

/** How cheap a job is: 2 if it would only be timed again, 1 if stage 3 is taken from tokens, 0 if all is computed. */
int sweep_work_readiness(const struct sweep_work *work, struct rank_job job);

/** Start a job in a free slot. */
int sweep_work_start(struct sweep_work *work, struct rank_job job, struct why *why);

/** Take the report of a job that has ended, whose tokens are kept here. Does not wait.
 *
 * @param report  out, for pass_report_destroy()
 * @return 1 and a report, 0 if no job has ended, or an error code
 */
int sweep_work_collect(struct sweep_work *work, struct pass_report **report, struct why *why);

/** Complete the frames of a point's passes after its last job: simulate its hosts (joined_hosts.h); or time all its
 * passes together if its boards depend on each other, whose jobs all were this process's.
 *
 * @param passes  what the jobs have left; their tasks are taken
 * @param run     out: the frame of the run, without joining
 */
int sweep_work_sum_up(struct sweep_work *work, size_t point, struct pass_result *passes, struct frame *run,
                      struct why *why);
