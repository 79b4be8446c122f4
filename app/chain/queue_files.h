/* queue_files.h - the directory of a simulated pipeline, for mercury report, plot, diff and validate.
 *
 * Files     summary.json     what mercury queue -f json writes: the stages, what was simulated, every model
 *           summary.txt, validation.tsv, validation.json   what mercury validate --chain says: verdicts, too
 *           histograms.tsv   the share of the time in which each stage holds n elements
 *           frames.tsv       every quantity of every stage, batch by batch
 *           measured.tsv     what was asked for by --measure; it is gone if nothing was
 *           run.json         version and chain; if it is there, the other files are whole
 *           report.html      the page
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/draw/result_table.h"
#include "base/why.h"
#include "validate/queue_theory.h"

/** Hold a directory until the process ends, and check that no file of its run is `read`. @param read  a path or NULL */
int queue_files_hold(const char *directory, const char *read, struct why *why);

/** The path of the table that answers directives; NULL if nobody asks. @return `path` or NULL */
const char *queue_files_measured(const char *directory, const char *directives, char path[PATH_MAX]);

/** Write all of it. @param chain  path of the chain's table; NULL if there is none
 *  @param measured  measured.tsv is of this run; else one of an older run is removed */
int queue_files_write(const struct queue_judged *judged, const char *chain, const char *directory,
                      bool measured, struct why *why);

/** Write how often each stage of a run held n elements, and what each model expects, to standard output: as text how
 *  far the models are off, by total variation; else every n. */
int queue_files_show_distributions(const char *directory, enum result_format format, struct why *why);

/** Write what a run's models say again, to standard output. */
int queue_files_show_verdicts(const char *directory, enum result_format format, struct why *why);
