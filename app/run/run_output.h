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

#include <stdio.h>

#include <jansson.h>

#include "base/file/file_uses.h"
#include "base/why.h"
#include "blast/sequence/sequence_cut.h"
#include "sim/tokens/token_record.h"
#include "sim/measure/machine_energy.h"
#include "sim/run/measuring_cost.h"
#include "sim/run/run_bottleneck.h"
#include "validate/validation.h"
#include "app/run/run_options.h"

/* A run that has been simulated, as people read it: the answer on the terminal, and summary.txt.
 *
 * Answer    at most 18 lines of at most 80 columns, each fact once; of a sample of windows 19 lines. What was compared
 *           and found, the simulated time and its phases, this computer's time, what every stage did, what limits the
 *           run, what theory says, and where the rest is. Of a sample: that it is one, the forecast of the whole run
 *           with its intervals, whether they can be relied on, and how many passes better ones need.
 */

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

/** Its energy, with what is charged for measuring. */
struct machine_energy run_report_energy(const struct run_facts *facts);

/** The summary: inputs, time, stages, queues. @param wall  also what this computer took, which differs every time */
void run_report_write_text(const struct run_facts *facts, bool wall, FILE *out);

/** What the user asked for beside the run: the cost of measuring, how finely the run was drawn, and what is
 *  missing there. */
void run_report_write_asked(const struct run_facts *facts, FILE *out);

/** What theory says of a run. */
struct run_theory {
    struct validation validation; /* without frames if the run's rates are outside every model's domain */
    uint64_t window_words; /* of the windows in which it was asked, too (window_theory.h); 0: it was not */
    double window_error;   /* its largest error there (window_largest_error()) */
};

/** The answer. @param files  what was written, such as "out/  report.html  alignments.tsv"; NULL if there is nothing */
void run_report_write_answer(const struct run_facts *facts, const struct run_theory *theory,
                             const char *files, FILE *out);

/** What theory says in windows, as a sentence without its end. @return whether it was asked */
bool run_report_say_windows(const struct run_theory *theory, char *text, size_t size);

/* --- the files ------------------------------------------------------------------------------------------- */

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
 *  times. */
json_t *run_output_summary(const struct run_facts *facts);
json_t *run_output_run(const struct run_facts *facts);

/** Write all of it. */
int run_output_write(const struct run_facts *facts, struct why *why);
