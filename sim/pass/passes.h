/* passes.h - a run: all passes of a query against a database, one process a pass.
 *
 * Models    passes in sequence on one machine. They share nothing (the host's backlog of stage 3 drains between them,
 *           README.md), so each is simulated from its own time 0 in a process of its own, up to `jobs` of them
 *           at a time, and the run's clock is the sum: the same bytes for any number of jobs. What passes leave is put
 *           together in their order, whichever ends first.
 * Tokens    may be recorded on the way; a passes can also time passes again that a record holds (token_record.h).
 * Memory    a frame a pass, the alignments, and what `jobs` passes need at a time.
 * Errors    an enum pass_error and one line.
 */
#ifndef MERCURY_SIM_PASS_PASSES_H
#define MERCURY_SIM_PASS_PASSES_H

#include <stdbool.h>

#include "base/why.h"
#include "blast/stage3/alignment.h"
#include "blast/sequence/segment.h"
#include "blast/sequence/sequence.h"
#include "sim/measure/measuring_charge.h"
#include "sim/board/hardware.h"
#include "sim/measure/machine_clocks.h"
#include "sim/measure/measure_plan.h"
#include "sim/measure/measure_report.h"
#include "sim/pass/pass_simulation.h"
#include "sim/tokens/token_record.h"
#include "traces/frame.h"

struct passes {
    const struct hardware *hardware;
    const char *platform_file; /* platform_simgrid_file() */
    size_t pass_count;
    unsigned jobs;         /* processes at a time, >= 1 */
    bool quiet;            /* no progress */
    bool events;           /* run every board by events, too (event_engine.h) */
    const char *paje_file; /* trace of the first pass's events, or NULL */

    const struct measure_plan *measure; /* NULL: nothing but the passes' frames */
    struct measure_report *measured;    /* takes in what that gives */

    bool charge;                             /* what that costs (measuring_cost.h) */
    const struct timeline_request *timeline; /* of one of the passes; NULL: none */

    const struct token_record *recorded; /* time its passes again; what follows is not looked at then */

    const struct sequences *query, *database;
    const struct query_segment *segments;
    const struct scoring_statistics *statistics;
    int least_score;                    /* of an alignment worth keeping */
    struct token_record_writer *record; /* append the passes to it, unless NULL */
};

/** Wall clock of Mercury itself, summed over the passes' processes. */
struct passes_wall {
    double tables_s;           /* making Bloom filters and tables */
    struct system_wall system; /* stages, board, stage 3; timing again: reading the record, board, nothing */
};

struct passes_result {
    struct frame run;                 /* sum over the passes, and joining */
    struct frame *passes;             /* pass_count */
    struct alignment_list alignments; /* of all passes, in their order, joined, not culled */
    struct stitch_work join;          /* what joining alignments over segments' borders took */
    struct passes_wall wall;
    struct system_timeline drawn;
    struct machine_clocks *clocks;  /* all passes' stamps, and the map they make */
    struct measuring_charge charge; /* where it was charged */
};

int passes_run(const struct passes *passes, struct passes_result *result, struct why *why);

void passes_result_destroy(struct passes_result *result);

#endif
