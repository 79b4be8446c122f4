/* passes.h - a run: all passes of a query against a database, each in a process of its own.
 *
 * Models    passes on one machine. On its board nothing of a pass depends on other passes, so each is simulated from
 *           its own time 0 up to where its board is free, up to `jobs` of them at a time (pass_slots.h); jobs that are
 *           left over scan for the passes that run (scan_ahead.h). Other processes may simulate some of them. The
 *           hosts of the run follow them: when passes begin, and when the cores do the tasks of stage 3; the network
 *           that joins hosts comes last (joined_hosts.h).
 *           What passes report is put together in their order, so that the bytes are the same for any number of jobs,
 *           wherever they are.
 * Passes    struct passes, which says what they are, is in pass_set.h.
 * Tokens    may be recorded on the way. Instead of simulating everything, recorded passes can be timed again
 *           (token_record.h). Where boards depend on each other a run is two of these, one that computes the tokens and
 *           one that times them, and goes on beside the first from passes_begin() on:
 *
 *               jobs that compute passes ==> record ==> a child per host that times them ==> reports ==> hosts' cores
 *
 *           A child that times takes a processor from those that compute, unless it waits for the next pass.
 * Memory    a frame per pass, the alignments, what `jobs` passes need at a time, and the tasks of stage 3 of the passes
 *           that overlap on the host, or that have ended before an earlier one: 256 at most.
 * Errors    an enum pass_error and one line.
 */
#pragma once

#include <stdbool.h>

#include "base/why.h"
#include "blast/stage3/alignment.h"
#include "traces/drawing/drawing.h"
#include "traces/frame.h"
#include "sim/measure/machine_clocks.h"
#include "sim/measure/measuring_charge.h"
#include "sim/pass/pass_slots.h"
#include "sim/pass/run_timeline.h"
#include "sim/simgrid/network_actors.h"

/** Processors of other processes that simulate passes of this run, too: the ranks under mpirun (app/run/run_ranks.h).
 * They take the passes that the run gives to them. A pass may be simulated twice: both reports are the same. None of
 * these functions waits, but dismiss(). */
struct passes_others {
    void *data;

    /** Whether one of them waits for a pass. */
    bool (*waits)(void *data);

    /** Give a pass to one that waits. */
    void (*give)(void *data, size_t pass);

    /** Take a report that has come, as pass_pool_collect(). */
    int (*collect)(void *data, struct pass_report **report, struct why *why);

    /** Find a pass that was given to one that has fallen silent since, and take it back. @return whether there is one
     */
    bool (*find_lost)(void *data, size_t *pass);

    /** Every pass has its report, or none is wanted any more. */
    void (*dismiss)(void *data);
};

/** Wall clock of Mercury itself, summed over the passes' processes. */
struct passes_wall {
    double index_s;            /* indexing the database, once */
    double tables_s;           /* that, and building Bloom filters and tables */
    double host_s;             /* simulating the host's cores */
    struct system_wall system; /* passes timed again: stages_s is reading the record, stage3_s is 0 */
};

/** A run that has begun. */
struct running;

struct passes_result {
    struct frame run;                 /* sum over the passes, and stitching */
    struct frame *passes;             /* one per pass */
    struct pass_times *pass_times;    /* one per pass */
    double *processor_s;              /* one per pass: what this computer took for it (pass_report.h) */
    struct stream_windows windows;    /* of all passes, in their order, if they were counted */
    size_t *window_counts;            /* one per pass: number of its windows */
    struct alignment_list alignments; /* of all passes, in their order, stitched, not culled */
    struct stitch_work join;          /* the work of stitching alignments across the borders of segments */
    struct passes_wall wall;
    struct drawn timeline;                    /* that was asked for */
    struct timeline_grain grain;              /* how finely it shows the run */
    struct drawn waves;                       /* likewise */
    struct host_schedule_result host;         /* of all hosts of the run, before stitching */
    struct network_use network;               /* all zero if there is one host */
    double host_begins_s[HARDWARE_HOSTS_MAX]; /* when each host has its part of the query */
    struct run_times times;         /* of the passes of one host, and of the whole run, before stitching */
    struct machine_clocks *clocks;  /* the stamps of all passes, and the map that follows from them */
    struct measuring_charge charge; /* all zero unless measuring was charged */
};

/** Simulate all passes. @param result  filled on success, for passes_result_destroy() */
int passes_run(const struct passes *passes, struct passes_result *result, struct why *why);

/** Begin a run, which passes_end() ends: its first passes are simulated meanwhile, and wait for a record that grows
 * (token_record_follow()).
 *
 * @param passes  borrowed until the run has ended; `recorded` may be replaced by the same record when it is whole
 * @param result  filled by passes_end()
 * @param run     out: left as it is after an error
 */
int passes_begin(const struct passes *passes, struct passes_result *result, struct running **run,
                 struct why *why);

/** Simulate the rest, and free the run. */
int passes_end(struct running *run);

/** Kill what is simulated, and free the run; NULL is allowed. */
void passes_give_up(struct running *run);

void passes_result_destroy(struct passes_result *result);
