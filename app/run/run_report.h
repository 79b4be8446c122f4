/* run_report.h - a run that has been simulated: the summary for people, its passes and records as tables, run.json. */
#ifndef MERCURY_APP_RUN_RUN_REPORT_H
#define MERCURY_APP_RUN_RUN_REPORT_H

#include <stdio.h>

#include <jansson.h>

#include "blast/sequence/sequence_cut.h"
#include "sim/measure/measure_report.h"
#include "sim/tokens/token_record.h"
#include "sim/run/measuring_cost.h"
#include "sim/run/run_bottleneck.h"
#include "sim/pass/passes.h"
#include "app/run/run_options.h"

struct run_forecast;

/** A run that has been simulated, and what is said of it. Everything is borrowed. */
struct run_facts {
    const struct run_options *options; /* which files, formats and columns */
    struct token_record_facts of;      /* what was compared, on which machine; `platform` may be missing */
    const char *command_line;          /* that asked for the run; NULL if it is unknown */
    const char *strand, *engine;       /* as the user chose them; NULL if unknown */
    struct sequence_range query_loc;   /* what was searched of the query; all zeros: all of it */
    const char *record_path;           /* record whose passes were timed again; NULL if the stages computed */
    const struct passes_result *result;
    const struct alignment_list *alignments; /* finished */
    const struct run_forecast *forecast;     /* the passes are a sample of a run; NULL: they are the run */
    const struct run_limits *run_limits;     /* NULL if it is not known what limits the run */
    const struct measuring_cost *cost;       /* NULL if measuring was not charged */
    const struct measure_report *measured;   /* NULL if only the frames of passes are measured */
    unsigned jobs;
    double read_s, simulate_s, wall_s; /* wall clock: reading input, all passes, everything */
};

/** What the run's time goes to. */
struct run_bottleneck run_report_bottleneck(const struct run_facts *facts);

/** Say if stage 2 asks for a higher score than the E-value does of some record's alignments: no more than a sentence.
 *  @return whether it does */
bool run_report_tell_threshold(const struct run_facts *facts, char *words, size_t size);

/** The summary: inputs, time, stages, queues. @param wall  also what this computer took, which differs every time */
void run_report_write_text(const struct run_facts *facts, bool wall, FILE *out);

/** What the user asked for beside the run: the cost of measuring, how finely the run was drawn, and what is
 *  missing there. */
void run_report_write_asked(const struct run_facts *facts, FILE *out);

/** passes.tsv and records.tsv. @return 0, or -1 if it could not be written */
int run_report_write_passes(const struct run_facts *facts, FILE *out);
int run_report_write_records(const struct run_facts *facts, FILE *out);

/** The object of run.json; NULL if memory is exhausted. */
json_t *run_report_json(const struct run_facts *facts);

/** run.json: version, seed, effective configuration, inputs and their digests, wall times. */
int run_report_write_json(const struct run_facts *facts, FILE *out);

/** The object "network" of summary.json, of a run on several hosts; NULL if memory is exhausted. */
json_t *run_report_network_json(const struct run_facts *facts);

#endif
