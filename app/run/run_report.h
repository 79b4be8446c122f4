/* run_report.h - a run that has been simulated, as people read it: the answer on the terminal, and summary.txt.
 *
 * Answer    at most 18 lines of at most 80 columns, each fact once; of a sample of windows 19 lines. What was compared
 *           and found, the simulated time and its phases, this computer's time, what every stage did, what limits the
 *           run, what theory says, and where the rest is. Of a sample: that it is one, the forecast of the whole run
 *           with its intervals, whether they can be relied on, and how many passes better ones need.
 */
#pragma once

#include <stdio.h>

#include "blast/sequence/sequence_cut.h"
#include "sim/tokens/token_record.h"
#include "sim/run/measuring_cost.h"
#include "sim/run/run_bottleneck.h"
#include "validate/validation.h"

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

/** The summary: inputs, time, stages, queues. @param wall  also what this computer took, which differs every time */
void run_report_write_text(const struct run_facts *facts, bool wall, FILE *out);

/** What the user asked for beside the run: the cost of measuring, how finely the run was drawn, and what is
 *  missing there. */
void run_report_write_asked(const struct run_facts *facts, FILE *out);

/** What theory says of a run. */
struct run_theory {
    const struct validation *validation; /* NULL if the run's rates are outside every model's domain */
    uint64_t window_words; /* of the windows in which it was asked, too (window_theory.h); 0: it was not */
    double window_error;   /* its largest error there (window_largest_error()) */
};

/** The answer. @param files  what was written, such as "out/  report.html  alignments.tsv"; NULL if there is nothing */
void run_report_write_answer(const struct run_facts *facts, const struct run_theory *theory,
                             const char *files, FILE *out);

/** What theory says in windows, as a sentence without its end. @return whether it was asked */
bool run_report_say_windows(const struct run_theory *theory, char *text, size_t size);
