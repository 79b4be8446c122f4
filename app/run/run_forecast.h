/* run_forecast.h - what a sample of a run's passes says of the whole run.
 *
 * Models    totals over all passes, from those of the drawn ones (model/forecast/sample_forecast.h). The simulated time
 *           has parts: what passes take of the boards, or of the cores if they have more to do; how much later the run
 *           ends (model/forecast/run_end.h); and the joining of alignments at borders between segments
 *           (model/forecast/sampled_jobs.h).
 *           - schedule.overlap = serial: a pass takes its board until stage 3 has finished with it. drain: until its
 *             board is free. tables: for loading or for streaming, whichever is longer.
 *           - An alignment that was joined is known; others like it may be at borders of passes that were not drawn.
 *           - On several boards the end is known to the share of a pass that the other boards have.
 * Alignments before --max-hsps and --max-target-seqs. One that lies in the parts of k passes is found by any of
 *           them, and counts 1/k in each (multiplicity weights).
 * Wall time of this computer, for all passes with as many jobs, without the writing of files: reading, the index, and
 *           what passes and the host's simulation took of the processors, shared by the jobs.
 * Contract  pure functions of what a sample has left. Of what no drawn pass has, nothing is known but the 0.
 * Source    multiplicity: Sirken, JASA 65, 1970.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "model/forecast/sample_forecast.h"
#include "sim/pass/passes.h"
#include "app/run/run_windows.h"

/* The rows of data/words/forecast.tsv. */
#include "app/forecast.inc"

#define FORECAST_ID(id, ...) id
enum forecast_quantity { FORECAST_ROWS(FORECAST_ID) FORECAST_QUANTITIES };

/** Their names in summary.json, titles for people, and units. */
extern const struct forecast_row {
    const char *name, *title, *unit;
} forecast_rows[FORECAST_QUANTITIES];

enum { FORECAST_WIDTHS = 3 }; /* for which a forecast says how many passes they need: 5%, 2%, 1% */

/** A total of the whole run. */
struct forecast_total {
    struct sample_estimate estimate;
    struct sample_largest largest; /* of the drawn passes; share NaN if it is no sum over passes */
    bool is_dominated;             /* by this pass: sample_is_dominated() */
    bool is_skewed;                /* passes or windows are too unequal for so few (crossed_sample.h) */
    bool is_cut;                   /* windows cut alignments, of which it is a number */
    bool is_unaligned; /* what alignments bring is part of it, of which the drawn ones have none */
    bool is_unjoined; /* joining at borders between passes is part of it, of which the drawn ones have none */
    struct sample_estimate apart; /* if the pass is the only one of its kind; all zero unless it dominates */
};

struct run_forecast {
    const struct pass_sample *sample;
    double until; /* width that was asked for; 0 if none was */
    struct forecast_total totals[FORECAST_QUANTITIES];
    size_t needed[FORECAST_WIDTHS];    /* number of passes to draw for these widths of the time's interval */
    size_t needed_until;               /* the same for `until` */
    const struct run_windows *windows; /* NULL: the passes stream the whole database */
    size_t needed_windows[FORECAST_WIDTHS]; /* number of windows to draw for these widths */
    struct warm_up_bias bias;
};

/** A sample of a run, and what it has left. All is borrowed. */
struct sampled_run {
    struct pass_sample *sample;
    struct run_windows *windows;        /* NULL: the passes stream the whole database */
    struct query_segment *run_segments; /* of all passes of the run */
    double *table_bytes;                /* of all passes of the run, which say how long each loads */
    const struct hardware *hardware;
    const struct passes_result *result;
    double *alignments;   /* of each drawn pass and window in which they begin, pass after pass */
    bool cuts_alignments; /* windows cut some of them */
    unsigned jobs;
    double read_s, retime_s; /* wall clock: reading input; timing recorded passes again */
    double until;
};

/** Count the alignments of a sample. @param list  finished, not limited */
void sampled_run_count_alignments(struct sampled_run *in, const struct alignment_list *list);

/** Make it. */
void run_forecast_make(const struct sampled_run *in, struct run_forecast *out);

/** Write how many passes tell the time within 5%, 2% and 1%, and whether --until was reached, as a line. */
void run_forecast_write_needed(const struct run_forecast *forecast, FILE *out);

/** Whether an interval is not to be relied on. That of this computer's time always is what it is. */
bool run_forecast_is_doubtful(const struct run_forecast *forecast, enum forecast_quantity quantity);

/** Whether a quantity is forecast: building is none of a machine that builds tables in no time. */
bool run_forecast_has(const struct run_forecast *forecast, enum forecast_quantity quantity);

/** Whether the drawn passes have none of a quantity, so that its interval says nothing. */
bool run_forecast_is_unseen(const struct run_forecast *forecast, enum forecast_quantity quantity);

/** Whether half the width of the time's interval is that of --until, or no width was asked for. */
bool run_forecast_is_narrow(const struct run_forecast *forecast);

/** A sentence that names the sample: "SAMPLE of 10 of 50 passes ...". @return `text` */
const char *run_forecast_title(const struct run_forecast *forecast, char text[128]);

/** The object "sample" of summary.json. */
json_t *run_forecast_json(const struct run_forecast *forecast);

/** The object "sample" of run.json: how it was drawn, and the forecast of this computer's time. */
json_t *run_forecast_run_json(const struct run_forecast *forecast);
