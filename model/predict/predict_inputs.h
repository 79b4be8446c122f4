/* predict_inputs.h - the inputs of a prediction by their names: from assignments or a table.
 *
 * Models    two kinds of case: `mercury`, the accelerator (lambda_in, P_1a, P_1b, P_2 and the machine's numbers), and
 *           `queue`, one stage (lambda, mu, K, scv, batch_mean, batch_second). Every input has a name, a unit, a
 *           range and a default (predict_inputs_describe()); the names are the papers'.
 * Table     A table is tab-separated: a header line of names, then one line per case; the column `case` has the names
 *           of cases. An empty field, NA or - stands for the default; empty lines and lines that begin with # are
 *           skipped.
 * Memory    A list belongs to the caller, who frees it by predict_cases_free().
 * Errors    a negative PREDICT_E* code and one line in `why`, which names file and line; nothing is added then.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/why.h"
#include "model/mercury_inputs.h"

enum predict_error { PREDICT_EINPUT = -2 };

enum { PREDICT_NAME_BYTES = 64, PREDICT_MEASURED_DIGITS = 3 };

struct predict_case {
    char name[PREDICT_NAME_BYTES];
    bool measured; /* by a summary, so that rates and utilisations are those of a run */
    /** Significant digits of the inputs (mercury_model.h); 0 if they are exact, or for a summary
     *  PREDICT_MEASURED_DIGITS. */
    unsigned digits;
    double value[PREDICT_INPUTS]; /* in the unit of the input; NaN if it is not given and has no default */
    bool given[PREDICT_INPUTS];
};

struct predict_cases {
    struct predict_case *cases;
    size_t count, room;
};

/** A case with every default. */
struct predict_case predict_case_default(const char *name);

/** Whether it is one queue rather than the accelerator. */
bool predict_case_is_queue(const struct predict_case *c);

/** Set one input, which is not given yet, from NAME=VALUE. */
int predict_case_assign(struct predict_case *c, const char *assignment, struct why *why);

/** Check that all necessary inputs are given and none contradicts another. Compute M_1b from mu_1b and M_2, which must
 *  be given with it, and the trips per seed, if they are not given. */
int predict_case_complete(struct predict_case *c, struct why *why);

/** Add a case. */
void predict_cases_add(struct predict_cases *list, const struct predict_case *c);

/** Add the cases of a table.
 *
 * @param name  of its file, for messages
 * @param base  the case that every case starts from
 */
int predict_cases_parse(const char *text, const char *name, const struct predict_case *base,
                        struct predict_cases *list, struct why *why);

void predict_cases_free(struct predict_cases *list);

const char *predict_input_name(enum predict_input input);

/** One line per input: name, unit, default, meaning. */
void predict_inputs_describe(FILE *out);
