/* pass_slots.h - the processors of this process that simulate passes, one by one.
 *
 * Models    nothing. A pass goes to a free slot, where a child simulates it (pass_pool.h); in the end there is a
 *           report. Passes that are timed again on boards that depend on each other are simulated by one child per
 *           host: starting the first of a host's passes starts all of them, and each report is there as soon as the
 *           child has written it.
 * Memory    what all passes share, such as the index of the database, and what `jobs` passes need at a time.
 * Errors    an enum pass_error and one line.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/why.h"
#include "sim/measure/measure.h"
#include "sim/pass/pass_pool.h"
#include "sim/pass/pass_report.h"
#include "sim/pass/pass_set.h"
#include "sim/pass/run_drawings.h"

struct pass_slots {
    const struct passes *passes;
    const struct run_drawings *drawings; /* written by the process of the pass that is drawn */
    uint8_t *query_codes[2]; /* of each strand that has segments; NULL if passes are timed again */
    /* Those of the database, or of each host's part; NULL if it does not pay, or if memory does not suffice. */
    struct bloom_index *indices[HARDWARE_HOSTS_MAX];
    struct pass_pool *pool;
    struct pass_pool_shared *shared; /* its counter has the words of the database that passes have read */
    bool coupled;                    /* boards depend on each other: a child times all passes of a host */
    size_t hosts_started; /* number of such children that were started, in the order of the hosts */
    struct host_reports {
        FILE *file;   /* of the reports of a host's passes; NULL: its child has not begun, or all are read */
        size_t taken; /* number of reports that have been read */
        bool ended;   /* the child has */
    } hosts[HARDWARE_HOSTS_MAX];
};

/** Make `passes->jobs` slots.
 *
 * @param drawings  files of the pass that is drawn
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

/** Look whether the process of a host has failed, if boards depend on each other. @return its status, or 0 */
int pass_slots_look(struct pass_slots *slots, struct why *why);

/** Take the report of a pass that has ended, as pass_pool_collect(). */
int pass_slots_collect(struct pass_slots *slots, struct pass_report **report, struct why *why);

/** Whether a pass is drawn. */
bool pass_is_drawn(const struct passes *passes, size_t pass);

/** Finish what is measured in a pass, and see that all of it is in its file. */
int pass_finish_measure(struct measure *measure, FILE *records, size_t pass, struct why *why);
