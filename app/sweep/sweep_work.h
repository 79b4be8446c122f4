/* sweep_work.h - passes of a sweep's points, each in a process of its own, the cheapest way there is.
 *
 * Models    a job is one pass of one point. Where the tokens of its structure and pass are at hand, it is timed again
 *           (pass_retime()); where those of its search are, Bloom filter and tables are built and stages 1a to 2
 *           computed, and stage 3's work is taken from them (pass_rescan()); else everything is computed
 *           (pass_simulate()). All three give the same bytes, so that no order of jobs and no number of processes
 *           changes a result.
 * Memory    tokens stay in memory while their structure has more points: 0.04 bytes a w-mer of a pass; those that were
 *           not used for longest go first beyond SWEEP_TOKENS_BYTES_MAX.
 * Errors    an enum pass_error and one line.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_WORK_H
#define MERCURY_APP_SWEEP_SWEEP_WORK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"
#include "blast/stage3/alignment.h"
#include "blast/stages12/sram_table.h"
#include "sim/pass/platform.h"
#include "app/sweep/sweep_plan.h"
#include "traces/frame.h"

#define SWEEP_TOKENS_BYTES_MAX (UINT64_C(1) << 30)

struct sweep_job {
    size_t point, pass;
};

/** What a job leaves. */
struct sweep_outcome {
    struct sweep_job job;
    struct frame frame;
    struct sram_load load;
    bool searched;                /* stage 3 was at work: the alignments are there */
    struct alignment *alignments; /* for free() */
    size_t alignment_count;
};

struct sweep_work;

/** @param platform_path  of a platform SimGrid has tried; @param slots  jobs at a time; @return NULL when memory is out */
struct sweep_work *sweep_work_new(const struct sweep_plan *plan, const char *platform_path, unsigned slots);

/** Take notice that the plan has grown; no job may be running.
 *  @return false when memory is out */
bool sweep_work_grow(struct sweep_work *work);

/** Ends all processes. */
void sweep_work_destroy(struct sweep_work *work);

bool sweep_work_has_free_slot(const struct sweep_work *work);

/** Whether the job would only be timed again (2), take stage 3 from tokens (1), or compute everything (0). */
int sweep_work_readiness(const struct sweep_work *work, struct sweep_job job);

/** Start a job in a free slot. */
int sweep_work_start(struct sweep_work *work, struct sweep_job job, struct why *why);

/** Take what a job that has ended leaves.
 *
 * @return 1 and `outcome` filled, 0 where none has ended, or an error code
 */
int sweep_work_collect(struct sweep_work *work, struct sweep_outcome *outcome, struct why *why);

#endif
