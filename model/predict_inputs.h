/* predict_inputs.h - what a prediction starts from, by name: from assignments, a table, or a run's summary.
 *
 * Models    two kinds of case: `mercury`, the accelerator (lambda_in, P_1a, P_1b, P_2 and the machine's numbers), and
 *           `queue`, one stage (lambda, mu, K, scv, batch_mean, batch_second). Every input has a name, a unit, a
 *           range and a default (predict_inputs_describe()); the names are the papers'.
 * Table     tab-separated, a header line of names, a case a line; `case` is a column of text; an empty field, NA or -
 *           leaves the default; lines that begin with # and empty lines are skipped.
 * Summary   JSON as mercury run writes it (summary.json): the whole run is a case, each of its passes one more on
 *           request.
 * Memory    the list is the caller's, freed with predict_cases_free().
 * Errors    a negative PREDICT_E* code and one line in `why`, which names file and line; nothing is added then.
 * Source    the inputs taken from a summary: as in Dor 2010, sections 4.3.5 and 6.1; M_2 is the SRAM's utilisation
 *           where 1b's back-pressure signal is on in more than half of the clocks, else 1.
 */
#ifndef MERCURY_MODEL_PREDICT_INPUTS_H
#define MERCURY_MODEL_PREDICT_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/why.h"

enum predict_error { PREDICT_EMEMORY = -1, PREDICT_EINPUT = -2 };

enum predict_input {
    /* the accelerator: data */
    PREDICT_LAMBDA_IN,
    PREDICT_P_1A,
    PREDICT_P_1B,
    PREDICT_P_2,
    PREDICT_P_1BP,
    PREDICT_M_1B,
    PREDICT_MU_1B,
    PREDICT_M_2,
    PREDICT_TRIPS,
    PREDICT_DUPLICATES,
    PREDICT_SINGLE_MATCHES,
    /* the accelerator: machine */
    PREDICT_CLOCK,
    PREDICT_MU_PCI,
    PREDICT_WMERS_PER_WORD,
    PREDICT_BYTES_PER_WORD,
    PREDICT_HSP_BYTES,
    PREDICT_K_1A,
    PREDICT_K_1B,
    PREDICT_K_1BP,
    PREDICT_K_1BD,
    PREDICT_K_2,
    PREDICT_MO_PCI,
    PREDICT_MO_1A,
    PREDICT_MO_1B,
    PREDICT_MO_1BD,
    PREDICT_MO_2,
    PREDICT_SUPPLY,
    PREDICT_BUS,
    PREDICT_TRIP_CYCLES,
    PREDICT_FETCH_CYCLES,
    PREDICT_FIFO_INGRESS,
    PREDICT_FIFO_WMER,
    PREDICT_WMER_MARGIN,
    PREDICT_FIFO_SRAM,
    PREDICT_SRAM_MARGIN,
    PREDICT_FIFO_STAGE2,
    PREDICT_STAGE2_MARGIN,
    /* one queue */
    PREDICT_LAMBDA,
    PREDICT_MU,
    PREDICT_K,
    PREDICT_SCV,
    PREDICT_BATCH_MEAN,
    PREDICT_BATCH_SECOND,
    PREDICT_INPUTS
};

enum { PREDICT_NAME_BYTES = 64, PREDICT_MEASURED_DIGITS = 3 };

struct predict_case {
    char name[PREDICT_NAME_BYTES];
    bool measured; /* from a summary: rates and utilisations are the run's own */
    /** As in mercury_model.h; 0 is exact, but stands for PREDICT_MEASURED_DIGITS in a summary. */
    unsigned digits;
    double value[PREDICT_INPUTS]; /* in the unit of its name; NaN: not given, no default */
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

/** Set one input from NAME=VALUE. */
int predict_case_assign(struct predict_case *c, const char *assignment, struct why *why);

/** What must be given is, and nothing contradicts. Fills in M_1b from mu_1b and the trips per seed where they are not
 * given. */
int predict_case_complete(struct predict_case *c, struct why *why);

/** Add a case. @return 0 or PREDICT_EMEMORY */
int predict_cases_add(struct predict_cases *list, const struct predict_case *c);

/** Read a table or a summary, whichever begins there ('{': summary), and add its cases.
 *
 * @param path    of the file; "-" is standard input
 * @param base    the case that every case starts from
 * @param passes  whether to add a summary's passes, too
 */
int predict_cases_read(const char *path, const struct predict_case *base, bool passes,
                       struct predict_cases *list, struct why *why);

void predict_cases_free(struct predict_cases *list);

const char *predict_input_name(enum predict_input input);

/** One line per input: name, unit, default, meaning. */
void predict_inputs_describe(FILE *out);

#endif
