/* run_files.h - the files that a run has left in its directory, read for those who draw them.
 *
 * Needed    summary.json, run.json and histograms.tsv. Of what else is there a part of a page is made: passes.tsv,
 *           records.tsv, frames.tsv and the alignments, if they are a table of the twelve standard columns.
 * Models    the validation is made again from summary.json, with every model (validation_make()).
 * Memory    run_files_close() frees it. Of the frames of many passes only sums by stretches of time are kept; a
 *           frames.tsv that is larger than FRAMES_BYTES_MAX is left out, and rates are then those of the passes.
 * Errors    COMMAND_REFUSED, and one line that says what to do.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/file/file_uses.h"
#include "base/why.h"
#include "blast/compare/hit_table.h"
#include "sim/board/board_costs.h"
#include "sim/measure/machine_frame.h"
#include "sim/run/run_limits.h"
#include "sim/pass/passes.h"
#include "sim/run/run.h"
#include "validate/queue_distribution.h"
#include "validate/validation.h"

enum { FRAMES_BYTES_MAX = 1 << 24 };

struct run_queue_state {
    const char *name, *title, *element;         /* wmer_fifo, w-mer FIFO, seeds */
    double places;                              /* NaN if it has no bound */
    double mean, most, back_pressure, elements; /* NaN if it has none */
    double p99;                                 /* from the histogram; NaN without one */
    struct queue_bin *bins;
    size_t bin_count, bin_room;
};

/** The stages, as the evidence of the bottleneck has them. */
struct run_stage {
    char name[16];
    double active, stalled, starved; /* fractions of the time */
    bool limits;
};

enum { RUN_STAGES_MAX = 8, PASS_STAGES = 5, PASS_FIFOS = 5 };

/** A row of passes.tsv. */
struct run_pass {
    double build_wait_s, begin_s, stream_begin_s, board_free_s, end_s;
    double clocks, words, seeds, matches, hsps;
    double busy[PASS_STAGES]; /* bus, 1a, 1bp, 1bd, 2 */
    double fifos[PASS_FIFOS]; /* mean number of elements: ingress to egress */
    double tables_s;          /* for which it loads tables; NaN: unknown */
    unsigned board;           /* from 1 */
    bool minus;
};

/** A rate over a stretch of time. */
struct rate_point {
    double begin_s, end_s, value;
};

enum { RUN_RATES_MAX = 8, RUN_RATE_POINTS = 400 };

/** A rate over the run: that of frames.tsv, frame by frame, and the sum where frames overlap, because boards work side
 *  by side, or HSPs of passes wait together. Of more than twice RUN_RATE_POINTS stretches every two become one. */
struct run_rate {
    char name[48], unit[24];
    struct rate_point *points; /* in order of time; none begins before the one before has ended */
    size_t count, room;
    bool is_sum; /* of stretches that overlapped */
};

/** A record of the query or of the database. */
struct run_record {
    char *name;
    double bases, before; /* before: bases of the records before it */
};

struct run_records {
    struct run_record *items;
    size_t count, room;
};

/** The alignments that a dot plot shows. */
struct dots_choice {
    const char *region;     /* of one record: NAME or NAME:FROM-TO, from 1, as samtools has it; NULL: all */
    uint64_t least_columns; /* of those that are drawn */
};

struct run_files {
    const char *directory;
    struct dots_choice dots;
    json_t *summary, *run;
    struct run numbers; /* of the summary */
    double simulated_s, stream_s, clock_hz;
    struct run_stage stages[RUN_STAGES_MAX];
    size_t stage_count;
    struct run_limits limits; /* of the whole run, if it has_limits */
    bool has_limits;
    char misfit[BOARD_MISFIT_BYTES]; /* of the machine and its tables; "" if the board holds them */
    struct run_queue_state queues[MACHINE_QUEUES]; /* as those of a frame */
    struct run_pass *passes;                       /* `pass_count` of them; NULL if there is no passes.tsv */
    size_t pass_count, pass_room;
    unsigned board_count; /* number of boards that worked on passes */
    struct run_rate rates[RUN_RATES_MAX];
    size_t rate_count;
    struct run_records query, database; /* none if there is no records.tsv */
    struct hit_table hits;
    bool has_hits;               /* the alignments are a table that could be read */
    const char *alignments_name; /* "alignments.tsv"; NULL if there are none */
    struct validation validation;
    bool has_models;
    struct prediction chains; /* of the run's inputs, if it has_chains */
    bool has_chains;
    struct why no_models; /* the reason if they have no answer */
};

/* ROW(what, name, is_measured): the files that a run writes into its directory after the alignments, whose name depends
 * on their format, and before the page; those that are measured only if something is. */
#define RUN_FILES(ROW)                                                                                       \
    ROW(summary, "summary.json", false)                                                                      \
    ROW(histograms, "histograms.tsv", false)                                                                 \
    ROW(frames, "frames.tsv", true)                                                                          \
    ROW(frame_histograms, "frame_histograms.tsv", true)                                                      \
    ROW(passes, "passes.tsv", false)                                                                         \
    ROW(records, "records.tsv", false)                                                                       \
    ROW(validation, "validation.tsv", false)                                                                 \
    ROW(text, "summary.txt", false)                                                                          \
    ROW(run, "run.json", false)

/** Tell of these files, and of alignments in every format. @param note  file_uses_read() or file_uses_write()
 *  @param role  for messages */
void run_files_note(const char *directory, void (*note)(struct file_uses *, const char *, const char *),
                    const char *role, struct file_uses *uses);

/** Read a run.
 *
 * @param directory  that run_place_find_directory() has found, or in which this process has written the run
 * @param summary  what this process has just written as summary.json, since reading it takes longer than all the other
 *                 files; its numbers become those of the file; NULL: the file is read
 * @param files    out, for run_files_close() also after an error
 */
int run_files_open(const char *directory, json_t *summary, struct run_files *files, struct why *why);

/** Read the tables that a run has left in its directory, into files that have their directory, times and queues. */
int run_files_read_tables(struct run_files *files, struct why *why);

/** Read only what was run and measured: `run` and `summary`, the stages and the queues. */
int run_files_open_numbers(const char *directory, struct run_files *files, struct why *why);

/** Take the run of passes that this process has simulated.
 *
 * @param summary, run  of both files; they are released
 * @param facts         of the run, whose passes are those of `result`
 */
int run_files_open_result(json_t *summary, json_t *run, const struct passes_result *result,
                          const struct token_record_facts *facts, struct run_files *files, struct why *why);

/** Complete a run of which there may be nothing but its summary, for pictures of queues and of models: its queues and,
 *  if `directory` has them, histograms.tsv and run.json.
 *
 * @param directory  of the summary; "" if it is unknown
 * @param files      whose numbers and validation the caller has made; the rest is zero
 */
int run_files_complete(const char *directory, struct run_files *files, struct why *why);

void run_files_close(struct run_files *files);

/** Add what was measured in a stretch of time to a rate. */
void run_files_add_rate(struct run_rate *rate, struct rate_point point);

enum { RUN_FILES_TITLE_BYTES = 1024 };

/** The names of both inputs, "lambda.fa × coli.fa"; "A run" if there is no run.json. @return `title` */
const char *run_files_title(const struct run_files *files, char title[RUN_FILES_TITLE_BYTES]);

/** The state of a stage by its name, "1a" or "bus"; NULL if there is none. */
const struct run_stage *run_files_stage(const struct run_files *files, const char *name);
