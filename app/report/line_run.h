/* line_run.h - the run of a pipeline, as mercury queue -o DIR has left it: stages in their order, what was simulated of
 * each, and what every model says.
 *
 * Rows      of summary.json (data/schemas/queue.schema.json): those of a stage follow each other, a row a quantity.
 * Files     summary.json, run.json, frames.tsv, histograms.tsv and validation.tsv; all are needed.
 * Memory    line_run_close() frees it. All texts belong to it.
 * Errors    COMMAND_REFUSED, and one line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/why.h"
#include "sim/run/run_place.h"

enum {
    LINE_STAGES_MAX = 64,
    LINE_MODELS_MAX = 24,
    LINE_NAME_BYTES = 40,
    LINE_NUMBERS = 512,
    LINE_FRAMES_MAX = 1000
};

/* The layout of summary.json. */
#define LINE_SUMMARY_SCHEMA "mercury-queue-2"

/** What is known batch by batch. */
enum line_series { LINE_THROUGHPUT, LINE_N_G, LINE_SERIES };

struct line_verdict {
    char stage[LINE_NAME_BYTES], model[LINE_NAME_BYTES], word[16],
        why[256];                       /* `why` is "-" without reasons */
    double simulated, predicted, error; /* error: predicted / simulated - 1 */
};

struct line_run {
    json_t *summary, *about; /* summary.json, run.json */
    struct {
        const char *name;
        size_t first, end,
            p_first; /* its rows, and that of P[N = 0], after which those of n = 1 to 100 come */
        double *series[LINE_SERIES];
        double p[LINE_NUMBERS]; /* P[N = n]; the last one is of all numbers from there on */
    } stages[LINE_STAGES_MAX];
    unsigned stage_count;
    const char *models[LINE_MODELS_MAX]; /* names, which are columns of the rows */
    unsigned model_count;
    double frames_begin_s, frame_s; /* when the first batch begins, and how long each one is */
    size_t frame_count;
    struct line_verdict *verdicts; /* on N_Q, by stages */
    size_t verdict_count, verdict_room;
};

/** Whether a directory holds the run of a pipeline, in the layout of any version. */
bool line_run_is_in(const char *directory);

/** Read a file of JSON that must be of a schema. @return NULL after an error */
json_t *line_run_read(const char *directory, const char *name, const char *schema, struct why *why);

/** Read it. @param run  for line_run_close() also after an error */
int line_run_open(const char *directory, struct line_run *run, struct why *why);
void line_run_close(struct line_run *run);

/** A number of a stage; NaN if there is none. @param column  "simulated", "half_width", or a model */
double line_run_number(const struct line_run *run, unsigned stage, const char *parameter, const char *column);

/** P[N = n] of a model, for n from 0 to 100; NaN if it has none. */
double line_run_p(const struct line_run *run, unsigned stage, unsigned n, const char *model);

/** A member of what is said of a stage in summary.json, such as "places"; NULL if there is none. */
const json_t *line_run_rule(const struct line_run *run, unsigned stage, const char *member);

/** What was simulated, as an object by stages and quantities. */
json_t *line_run_measured(const struct line_run *run);
