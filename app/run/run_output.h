/* run_output.h - what a run leaves behind: the output directory, alignments, the readable summary.
 *
 * Directory alignments.tsv (.txt as pairwise text, .sam as SAM; of these only one is left there), summary.json, histograms.tsv, validation.tsv, then run.json: where it is, the others are
 *           whole. Times of the wall clock stand in run.json only; of the same run the other four are the same bytes.
 * Streams   without a directory the alignments go to standard output; the summary goes to standard output, or to
 *           standard error where the alignments take that.
 * Errors    COMMAND_REFUSED and one line.
 */
#ifndef MERCURY_APP_RUN_RUN_OUTPUT_H
#define MERCURY_APP_RUN_RUN_OUTPUT_H

#include <stdio.h>

#include "base/why.h"
#include "blast/stage3/alignment.h"
#include "sim/pass/passes.h"
#include "sim/measure/measure_report.h"
#include "app/run/run_options.h"
#include "app/run/run_report.h"
#include "traces/frame.h"
#include "validate/validation.h"

struct run_output {
    const struct run_options *options;
    const struct passes_result *result;
    const struct alignment_list *alignments; /* finished */
    const struct measure_report *measured;   /* NULL: nothing but the frames of passes */
    const struct validation *validation;     /* NULL: no model takes the run */
    struct run_facts facts;
};

/** Find out that nothing can be written before the work, not after it. */
int run_output_probe(const struct run_options *options, struct why *why);

/** Remove partial files when a signal ends the run. One that is ignored stays ignored. */
void run_output_watch_signals(void);

/** Write all of it. `output->validation` is made here. */
int run_output_write(struct run_output *output, struct why *why);

#endif
