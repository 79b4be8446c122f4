/* run_report.h - the summary of a run for people, and run.json. */
#ifndef MERCURY_APP_RUN_RUN_REPORT_H
#define MERCURY_APP_RUN_RUN_REPORT_H

#include <stdio.h>

#include <jansson.h>

#include "blast/sequence/segment.h"
#include "blast/sequence/sequence_cut.h"
#include "sim/board/hardware.h"
#include "sim/tokens/token_record.h"
#include "sim/run/measuring_cost.h"
#include "sim/pass/passes.h"

struct run_forecast;
struct run_limits;

struct run_facts {
    const char *query_path, *database_path, *platform_path;
    const char *command_line;    /* that asked for the run; NULL if it is unknown */
    const char *strand, *engine; /* as the user chose them; NULL if unknown */
    const struct sequences *query, *database;
    const struct query_segment *segments; /* one per pass */
    const struct run_forecast *forecast;  /* the passes are a sample of a run; NULL: they are the run */
    struct token_record_masking masking;  /* of the query */
    struct sequence_range query_loc;      /* what was searched of the query; all zeros: all of it */
    const struct hardware *hardware;
    const struct frame *frame;
    const struct machine_clocks *clocks;
    const struct measuring_cost *cost;    /* NULL if measuring was not charged */
    double longest_cluster_s;             /* of struct host_run_result */
    const struct network_use *network;    /* all zero if there is one host */
    const struct run_limits *run_limits;  /* NULL if it is not known what limits the run */
    const struct drawn *timeline, *waves; /* all zero if they were not asked for */
    struct timeline_grain grain;          /* of the timeline */
    size_t passes, alignments;
    unsigned jobs;
    double e_value;
    struct alignment_limits limits; /* of the alignments that were kept */
    const struct passes_wall *wall;
    double read_s, simulate_s, wall_s; /* wall clock: reading input, all passes, everything */
    const char *record_path;           /* record whose passes were timed again; NULL if the stages computed */
};

/** The number of a pass in the run, from 1, also if the passes are a sample of it. */
size_t run_report_pass_number(const struct run_facts *facts, size_t pass);

/** Say if stage 2 asks for a higher score than the E-value does of some record's alignments: no more than a sentence.
 *  @return whether it does */
bool run_report_tell_threshold(const struct run_facts *facts, char *words, size_t size);

/** The summary: inputs, time, stages, queues. @param wall  also what this computer took, which differs every time */
void run_report_write_text(const struct run_facts *facts, bool wall, FILE *out);

/** What the user asked for beside the run: the cost of measuring, how finely the run was drawn, and what is
 *  missing there. */
void run_report_write_asked(const struct run_facts *facts, FILE *out);

/** run.json: version, seed, effective configuration, inputs and their digests, wall times.
 *  @return 0, or -1 if it could not be written */
int run_report_write_json(const struct run_facts *facts, FILE *out);

/** The object "network" of summary.json, of a run on several hosts; NULL if memory is exhausted. */
json_t *run_report_network_json(const struct run_facts *facts);

#endif
