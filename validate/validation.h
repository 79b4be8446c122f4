/* validation.h - a run compared with every model, frame by frame and over all passes, and what that tells about the
 * machine.
 *
 * Simulated Values over all passes are ratios of the sums over the passes.
 * Intervals of 95% are there for the values of the run and of each pass, or a reason why they have none. A pass has
 *           them from the batches inside it ("intervals" of summary.json): they are intervals of this machine's mean
 *           over this input, and take the batches as independent. The run with ROW_PASSES passes or more has Student's
 *           t over the passes as replications (batch_means.h). With fewer passes it has the interval of the batches of
 *           all passes together, each pass with its own mean and its share of the time (batch_means_of_strata()), again
 *           of this machine's mean over this input.
 * Best      The best model of a quantity is the one with the least mean distance (verdict_distance()) over the passes,
 *           of the models that have a number in most passes and are near (VALIDATION_NEAR): by the distance alone one
 *           that is far too low would win. Rates and utilisations are inputs of the chains, and their rows have no
 *           winner; nor has a row in which no such model is near.
 * Findings  are sentences about the machine, each made from numbers of the run that it names; levels as in verdict.h.
 * Memory    validation_destroy() frees it.
 * Errors    a negative VALIDATION_E* code and one line.
 */
#pragma once

#include <stdio.h>

#include "base/draw/result_table.h"
#include "base/why.h"
#include "sim/run/run.h"
#include "validate/run_bounds.h"
#include "validate/verdict.h"

enum validation_error { VALIDATION_EINPUT = -2 };

enum { VALIDATION_FINDINGS_MAX = 12, VALIDATION_FINDING_BYTES = 400 };

/** A prediction is near if it is at most this multiple of the simulated value and at least this part of it (geometric
 *  means over the passes in which one is above 0.1 elements or 0.01; values below count as these). */
#define VALIDATION_NEAR 2.0

/** Why a row has no best model. */
enum { VALIDATION_BEST_UNKNOWN = -1, VALIDATION_BEST_INPUT = -2, VALIDATION_BEST_NONE = -3 };

enum { ROW_PASSES = 10 };

struct row_interval {
    struct estimate estimate; /* half_width NaN: there is no interval */
    const char *none;         /* the reason if there is none, else NULL */
    size_t batches;           /* number of batches, or passes */
};

struct validation_best {
    int model; /* an enum verdict_model, or a VALIDATION_BEST_*: no number at all, an input, no model is near */
    double mean_distance;
    size_t frames; /* number of frames in which it has a number */
};

struct validation {
    struct verdict_frame *frames; /* `count` of them: the run, then its passes */
    size_t count;
    unsigned digits; /* significant digits that the inputs are rounded to */
    bool ranges;     /* whether predictions have ranges */
    struct row_interval (*intervals)[MACHINE_QUANTITIES]; /* of the values of each frame */
    struct validation_best best[MACHINE_QUANTITIES];
    char findings[VALIDATION_FINDINGS_MAX][VALIDATION_FINDING_BYTES];
    unsigned finding_count;
    unsigned explained; /* the queues whose lengths findings explain */
    const char *reason; /* what M/M/1 does not see first of all, in a few words; NULL: nothing is */
    const struct run_bounds *bounds; /* of the run: the caller's; NULL: there are none */
    const char *no_bounds;           /* the caller's reason; NULL: they were not asked for */
};

/** Validate a run. Its passes are the replications of its intervals; the best models are the best over them.
 *
 * @param digits  significant digits that the inputs are known to, 1 to 15
 * @param of_run, of_passes  what the models are asked: the tandem takes most of the time
 */
int validation_make(const struct run *run, unsigned digits, enum verdict_effort of_run,
                    enum verdict_effort of_passes, struct validation *out, struct why *why);

/** Validate a run's frame alone, before it is written to any file. The validation has no frames of passes. */
int validation_of_frame(const struct frame *run, enum verdict_effort effort, struct validation *out,
                        struct why *why);

void validation_destroy(struct validation *validation);

/** The best model's name; "-" for an input, "none" if no model is near, "" if none has a number. */
const char *validation_best_name(const struct validation_best *best);

/** Count the predictions of the run whose verdict is "inside" and that differ from the simulated value by more than
 *  `fraction` and by more than its interval.
 *
 * @param worst_row, worst_model  the prediction that differs most; untouched if the count is 0
 */
unsigned validation_count_over(const struct validation *validation, double fraction, unsigned *worst_row,
                               unsigned *worst_model);

/** The number of predictions of the run that move by more than 5% while the inputs move within their rounding, or have
 *  no number then. */
unsigned validation_ill_conditioned(const struct validation *validation);

/** Whether neighbouring batches are too much alike for the interval (batch_means_are_correlated()). */
bool row_interval_is_too_narrow(const struct row_interval *interval);

/** Write a validation.
 *
 * @param passes  whether a text has the frames of the passes, too; the other formats have them always
 * @param wide    whether a text has one table of a row a quantity, and not one a kind of a row a model
 */
void validation_write(const struct validation *validation, bool passes, bool wide, enum result_format format,
                      FILE *out);

/** Write a part of the text, or a table of HTML (result_table.h): a frame's quantities beside every model, with notes
 *  on their intervals; ranges of ill-conditioned predictions. As HTML of the run: verdicts, and what was measured of
 *  each stage's arrivals and services. */
void validation_write_rows(const struct validation *validation, size_t frame, enum result_format format,
                           FILE *out);
void validation_write_ranges(const struct validation *validation, enum result_format format, FILE *out);
void validation_write_verdicts(const struct validation *validation, FILE *out);
void validation_write_stages(const struct validation *validation, FILE *out);

void validation_write_findings(const struct validation *validation, FILE *out);

/** Write the table of Dor 2010, Figures 12 and 17: the run beside M/M/1, M/M/1/K and M/M/1/K (Dor) in the chain of four
 *  stages.
 *
 * @param format  RESULT_TSV, which is validation.tsv (differences are fractions), or RESULT_TEXT, which is the table
 *                that ends a run (differences in per cent)
 */
void validation_write_four_stages(const struct validation *validation, enum result_format format, FILE *out);
