/* passes.h - a run: all passes of a query against a database, each in a process of its own.
 *
 * Models    passes on one machine. On its board nothing of a pass depends on other passes, so each is simulated from
 *           its own time 0 up to where its board is free, up to `jobs` of them at a time (pass_pool.h); jobs that are
 *           left over scan for the passes that run (scan_ahead.h). Then the host of the run is simulated: when passes
 *           begin, and when its cores do the tasks of stage 3 (run_host.h). What passes report is put together in their
 *           order, so that the bytes are the same for any number of jobs.
 * Tokens    may be recorded on the way. Instead of simulating everything, recorded passes can be timed again
 *           (token_record.h).
 * Memory    a frame per pass, the alignments, and what `jobs` passes need at a time.
 * Errors    an enum pass_error and one line.
 */
#ifndef MERCURY_SIM_PASS_PASSES_H
#define MERCURY_SIM_PASS_PASSES_H

#include <stdbool.h>

#include "base/why.h"
#include "blast/sequence/segment.h"
#include "blast/sequence/sequence.h"
#include "blast/stage3/alignment.h"
#include "traces/frame.h"
#include "sim/board/hardware.h"
#include "sim/tokens/token_record.h"
#include "sim/measure/machine_clocks.h"
#include "sim/measure/measure_plan.h"
#include "sim/measure/measure_report.h"
#include "sim/measure/measuring_charge.h"
#include "sim/pass/pass_simulation.h"

struct passes {
    const struct hardware *hardware;
    const char *platform_file; /* platform_simgrid_file() */
    size_t pass_count;
    unsigned jobs;         /* number of processors to use at a time, >= 1 */
    bool quiet;            /* show no progress */
    bool events;           /* run every board by events, too (event_engine.h) */
    const char *paje_file; /* trace of the first pass's events, or NULL */

    const struct measure_plan *measure; /* what is measured beside the passes' frames, or NULL */
    struct measure_report *measured;    /* receives these measurements */

    bool charge;                             /* charge the machine for measuring (measuring_cost.h) */
    const struct timeline_request *timeline; /* draw one of the passes, or NULL */

    /* NULL, or a record whose passes are timed again; then the members below are ignored. */
    const struct token_record *recorded;

    const struct sequences *query, *database;
    const struct query_segment *segments;
    const struct scoring_statistics *statistics;
    int least_score;                    /* of an alignment that is kept */
    struct token_record_writer *record; /* receives the passes' tokens, or NULL */
};

/** Wall clock of Mercury itself, summed over the passes' processes. */
struct passes_wall {
    double tables_s;           /* building Bloom filters and tables */
    double host_s;             /* simulating the host's cores */
    struct system_wall system; /* passes timed again: stages_s is reading the record, stage3_s is 0 */
};

struct passes_result {
    struct frame run;                 /* sum over the passes, and stitching */
    struct frame *passes;             /* one per pass */
    struct alignment_list alignments; /* of all passes, in their order, stitched, not culled */
    struct stitch_work join;          /* the work of stitching alignments across the borders of segments */
    struct passes_wall wall;
    struct drawn_timeline {
        int status; /* timeline_close() */
        struct timeline_report report;
    } drawn;
    struct host_run_result host;    /* of the whole run, before stitching */
    struct machine_clocks *clocks;  /* the stamps of all passes, and the map that follows from them */
    struct measuring_charge charge; /* all zero unless measuring was charged */
};

/** Simulate all passes. @param result  filled on success, for passes_result_destroy() */
int passes_run(const struct passes *passes, struct passes_result *result, struct why *why);

void passes_result_destroy(struct passes_result *result);

#endif
