/* run_report.h - what a run leaves for people and for the record: the readable summary and run.json. */
#ifndef MERCURY_APP_RUN_RUN_REPORT_H
#define MERCURY_APP_RUN_RUN_REPORT_H

#include <stdio.h>

#include "blast/stage3/alignment.h"
#include "blast/sequence/dust.h"
#include "blast/sequence/sequence.h"
#include "sim/pass/passes.h"
#include "sim/board/hardware.h"
#include "sim/pass/measuring_cost.h"

struct run_facts {
    const char *query_path, *database_path, *platform_path;
    const char *strand, *engine; /* as asked for; NULL: not known */
    const struct sequences *query, *database;
    const struct dust_rule *dust; /* of the query's mask, or NULL */
    bool lower_case_masking;
    const struct hardware *hardware;
    const struct frame *frame;
    const struct machine_clocks *clocks;
    const struct measuring_cost *cost;   /* NULL: measuring was not charged */
    const struct system_timeline *drawn; /* NULL: no timeline */
    size_t passes, alignments;
    unsigned jobs;
    double e_value;
    uint64_t max_subjects, max_alignments; /* of a query record, of one of its subjects; 0: all */
    const struct passes_wall *wall;
    double read_s, simulate_s, wall_s; /* wall clock: reading input, all passes, everything */
    const char *record_path;           /* whose passes were timed again; NULL: the stages were at work */
};

/** The summary: inputs, time, wall clock, stages, queues. */
void run_report_write_text(const struct run_facts *facts, FILE *out);

/** run.json: version, seed, effective configuration, inputs and their digests, wall times.
 *  @return 0, or -1 when it could not be written */
int run_report_write_json(const struct run_facts *facts, FILE *out);

#endif
