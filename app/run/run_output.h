/* run_output.h - the output of a run: its directory, alignments, and the summary for people.
 *
 * Samples   say so in the answer's first line, summary.txt, summary.json ("sample"), run.json, passes.tsv, the page and
 *           the first line of alignments, which are in alignments.sample.tsv (.sample.txt, .sample.sam).
 * Directory alignments.tsv (.txt as pairwise text, .sam as SAM; only one of them is left there), summary.json,
 *           histograms.tsv, validation.tsv, passes.tsv, records.tsv, and run.json: if it exists, the others are whole.
 *           Last comes report.html, which is made from them. Only run.json has times of the wall clock; the same run
 *           writes the same bytes to the other files. While a run holds a directory, another one is refused it.
 * Streams   without a directory the alignments go to standard output, but those of a sample only if -a says so. The
 *           summary goes to standard output, or to standard error if the alignments go to standard output.
 * Threads   with more than one job a thread asks the models while files are written that do not need their answers.
 * Errors    COMMAND_REFUSED and one line.
 */
#pragma once


#include <jansson.h>

#include "base/file/file_uses.h"
#include "base/why.h"
#include "app/run/run_options.h"
#include "app/run/run_report.h"

/** The file in the directory of a run that has not ended: the passes that have (sim/pass/pass_store.h), and the command
 *  that asked for the run. It is gone when the run has written everything else. */
#define RUN_OUTPUT_UNFINISHED "unfinished.passes"

/** Check that everything can be written, before the work is done, and that it overwrites neither an input nor another
 * output; hold the directory until the process ends. Alignments of a sample are in files of another name.
 *  @param uses  what else the run reads and writes; it is destroyed */
int run_output_probe(const struct run_options *options, bool of_sample, struct file_uses *uses,
                     struct why *why);

/** The status for what passes_run() returned: a file that cannot be written refuses. */
int run_output_status(int pass_error);

/** Let a signal that ends the run say from now on that nothing was written. */
void run_output_begin(void);

/** Let it say how the run can go on: passes that have ended are kept. @param resumed  text that follows --resume: the
 *  run's directory, and options of a sample */
void run_output_keeps(void *resumed);

/** The objects of summary.json, and of run.json: version, seed, effective configuration, inputs and their digests, wall
 *  times. NULL if memory is exhausted. */
json_t *run_output_summary(const struct run_facts *facts);
json_t *run_output_run(const struct run_facts *facts);

/** Write all of it. */
int run_output_write(const struct run_facts *facts, struct why *why);
