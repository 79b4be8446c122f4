/* pass_slots.h - what the passes of a run are, and the processors of this process that simulate them, one by one.
 *
 * Models    nothing. A pass goes to a free slot, where a child simulates it (pass_pool.h); in the end there is a
 *           report. Which passes there are, and in which order, is up to the caller: a run (passes.h), or a process
 *           that simulates some passes of another's run. Passes that are timed again on boards that hinge on each
 *           other (coupled_boards.h) are simulated by one child a host; starting the first of a
 *           host's passes starts all of them.
 * Memory    what all passes share, such as the index of the database, and what `jobs` passes need at a time.
 * Errors    an enum pass_error and one line.
 */
#ifndef MERCURY_SIM_PASS_PASS_SLOTS_H
#define MERCURY_SIM_PASS_PASS_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/why.h"
#include "blast/sequence/sequence.h"
#include "sim/pass/pass_report.h"
#include "sim/pass/pass_set.h"
#include "sim/pass/run_drawings.h"

struct pass_slots;

/** Make `passes->jobs` slots.
 *
 * @param drawings  files of the pass that is drawn
 * @return NULL if memory is exhausted
 */
struct pass_slots *pass_slots_new(const struct passes *passes, const struct run_drawings *drawings);

/** Kill all children that still run, and free everything; NULL is allowed. */
void pass_slots_destroy(struct pass_slots *slots);

/** Index the database, before the first pass starts: all children read the index.
 *  @return seconds of the wall clock that it took; 0 if it does not pay */
double pass_slots_index_database(struct pass_slots *slots);

bool pass_slots_are_full(const struct pass_slots *slots);

/** Start a pass in a free slot. */
int pass_slots_start(struct pass_slots *slots, size_t pass, struct why *why);

/** Take the report of a pass that has ended, as pass_pool_collect(). */
int pass_slots_collect(struct pass_slots *slots, struct pass_report **report, struct why *why);

/** A counter of the words of the database that passes have read. */
atomic_ullong *pass_slots_counter(const struct pass_slots *slots);

/** Number of matches of a block that had very many, as pass_pool_crowd(). */
unsigned long long pass_slots_crowd(const struct pass_slots *slots);

/** The codes of a strand of the query; NULL if no pass is of this strand, or if passes are timed again. */
const uint8_t *pass_slots_query_codes(const struct pass_slots *slots, enum strand strand);

#endif
