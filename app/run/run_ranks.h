/* run_ranks.h - the ranks of a run under mpirun: passes that other ranks simulate for rank 0.
 *
 * Models    rank 0 runs as always, and gives passes to the ranks that ask for them (struct passes_others). The others
 *           read the same inputs, simulate passes in their own children, and send what these have left. Only rank 0
 *           writes files, shows progress and tells problems; a problem of another rank comes with the rank's number.
 * Lost      passes of a rank that has fallen silent are given to another one.
 * Memory    at rank 0, what each rank is just sending: of a pass the alignments, 16 bytes per HSP, what is measured and
 *           the tokens.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stdbool.h>

#include "base/why.h"
#include "sim/pass/passes.h"

struct run_ranks;

/** Join the other ranks. @return whether the run can go on; else `status` is what it ends with
 *  @param ranks  out: for run_ranks_close(); NULL without mpirun, as all functions below take it */
bool run_ranks_open(struct run_ranks **ranks, int *status, struct why *why);

/** Whether this process is to run as always. */
bool run_ranks_lead(const struct run_ranks *ranks);

/** Whether there are other ranks. */
bool run_ranks_are_many(const struct run_ranks *ranks);

/** Rank 0: the others, for these passes; NULL if there are none. They are dismissed after the last pass. */
const struct passes_others *run_ranks_others(struct run_ranks *ranks, const struct passes *passes);

/** Another rank: simulate passes for rank 0, until it says stop. */
int run_ranks_serve(struct run_ranks *ranks, const struct passes *passes, struct why *why);

/** Part from the other ranks. @param status  of this rank so far; `why` says more, which another rank tells rank 0
 *  @return the status to end with */
int run_ranks_close(struct run_ranks *ranks, int status, const struct why *why);
