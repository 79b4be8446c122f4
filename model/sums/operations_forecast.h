/* operations_forecast.h - what random sums say of the time of a run's passes, or of any program's runs, beside what was
 * measured.
 *
 * Models    a pass is a program: it executes N operations of a server (run_operations.h), K_i of type i. Means and
 *           variances are over passes, with m - 1 in the denominator. Shares p_i are those of all passes together. The
 *           runs of any program (run_operations.h) are passes of one server.
 * Variances by (5.3), if operations are independent of each other and of N; and by the law of total variance, which
 *           takes the counts of each pass as they are. The first is too small where shares vary from pass to pass.
 * Next      The interval of the next pass is that of Student's t over the measured passes, or of E T and the law of
 *           total variance where nothing is measured; it needs passes that are drawn as those before them.
 * P(T > t)  is that of a pass of E N operations that are independent of each other: the normal distribution's, which
 *           is wrong by no more than Berry and Esseen's bound (random_sum.h), beside the passes that took longer.
 * Represent the fewest passes whose operations together have the shares of all: the pass that brings the shares
 *           nearest is taken, one after the other, until they differ by OPERATIONS_ACCURACY or less. The distance of
 *           shares is the part of the operations that would have to be of other types (total variation).
 * Verdicts  independence is violated if passes with the same shares would be as different (Pearson's chi-squared), or N
 *           and the pass's mean operation as correlated, in less than 1% of runs. Variances mean nothing if the
 *           measured times follow a power law (tail_index.h) of an index below 2; they are in doubt if its 95%
 *           interval reaches below 2.
 * Other     With the counts of one comparison and the durations of another (the paper's use), shares and counts are
 *           those of the first. E T by (5.2) is what the other's shares would give for the same number of operations,
 *           and T^2 says whether these shares may be the same. Measured times belong to the counts' own machine:
 *           there are none for a server whose durations differ between both machines.
 * Missing   A number that is not known or not defined is NaN.
 * Errors    a negative PREDICT_E* code (predict_inputs.h) and one line.
 * Source    Frenkel, sections 4 and 5; the modules' headers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/why.h"
#include "base/draw/result_table.h"
#include "model/sums/random_sum.h"
#include "model/sums/tail_index.h"

enum operation_server_name {
    OPERATIONS_1A,
    OPERATIONS_1BD,
    OPERATIONS_BUS,
    OPERATIONS_CORES,
    OPERATION_SERVERS
};

enum {
    OPERATION_TYPES_MAX = 16,
    OPERATION_TAILS_MAX = 8,
    OPERATION_NAME_BYTES = 48,
    REPRESENTATIVES_MAX = 8
};

/** What a server did, pass by pass (validate/run_operations.h fills it). */
struct operation_server {
    const char *name, *unit; /* of durations and of measured times: clocks, us or s */
    const char *held_by;     /* what may hold it with an operation in hand; NULL if nothing */
    size_t types;
    const char *type[OPERATION_TYPES_MAX];
    double duration[OPERATION_TYPES_MAX]; /* NaN if unknown */
    double *counts;                       /* row after row: a row per pass, a column per type */
    double *measured;                     /* of each pass; NaN if unknown */
    double lag1;                          /* correlation of the durations of neighbours; NaN if unknown */
};

/** A time of single elements that the run measured, and the power law that its largest values follow. */
struct operation_tail {
    char name[32];
    double elements;
    struct tail_estimate tail;
};

struct operations {
    char file[320]; /* name of the summary, printable */
    size_t passes;  /* 2 or more */
    size_t servers;
    struct operation_server server[OPERATION_SERVERS];
    double *clocks; /* of each pass, while the board works; NULL of a table */
    char (*names)[OPERATION_NAME_BYTES],
        (*type_names)[OPERATION_NAME_BYTES]; /* of runs and types of a table */
    struct operation_tail tail[OPERATION_TAILS_MAX];
    size_t tails;
};

/** Confidence of all intervals and limits. */
#define OPERATIONS_LEVEL 0.95

/** Relative accuracy of a share that `passes_needed` is about. */
#define OPERATIONS_ACCURACY 0.01

/** A number of each type of operation. */
typedef double of_types[OPERATION_TYPES_MAX];

/** Differences between measured and predicted times of passes: measured - predicted. */
struct pass_residuals {
    double mean, deviation, largest; /* the largest has its sign */
    double pass;                     /* number of the pass that has it, from 1; NaN: none is known */
};

enum tail_verdict { TAIL_TOO_FEW, TAIL_NONE, TAIL_LIGHT, TAIL_DOUBTFUL, TAIL_HEAVY };

struct server_forecast {
    const struct operation_server *counted;
    size_t types;
    of_types count_mean, count_variance; /* K_i over passes */
    of_types duration;                   /* tau_i, in the server's unit */
    of_types share;                      /* p_i */
    of_types independent_half_width;     /* of p_i, by the ellipsoid of independent operations */
    of_types pass_half_width;            /* of p_i, by Hotelling's T^2 over passes */
    of_types design_effect;
    of_types passes_needed;       /* for a half width of OPERATIONS_ACCURACY x p_i over passes */
    of_types given_share;         /* of the comparison whose durations these are; NaN if it is the same one */
    struct random_moments number; /* E N, D N over passes */
    struct random_moments operation; /* E X, D X */
    double expected;                 /* E T by Wald (4.2.5) */
    double expected_given;           /* E T by (5.2) with the given shares; NaN if there are none */
    double variance_independent;     /* D T by (5.3) */
    double variance_total;
    double variance_order; /* by (5.3), with the lag-1 correlation of durations */
    struct random_moments measured;
    double next_low, next_high; /* 95% interval of the next pass */
    double t_low, t_high;       /* normal 95% interval of a pass of E N independent operations */
    double beyond;              /* t: t_high, or what was asked for */
    double p_beyond, p_error;   /* P(T > t) of such a pass, and Berry and Esseen's bound of its error */
    double beyond_share;        /* measured: part of the passes */
    double lag1;
    double measured_excess;          /* of the mean over E T, as a fraction */
    struct pass_residuals by_counts; /* measured - sum of K_i tau_i */
    struct pass_residuals by_number; /* measured - N sum of p_i tau_i: the eps of (5.2) */
    double correlation;              /* of N and the mean operation of the pass */
    double heterogeneity;            /* Pearson's chi-squared of the shares over its expectation */
    bool independence_is_violated;
    struct tail_estimate tail; /* of the measured times */
    enum tail_verdict tail_verdict;
    double largest_share; /* of the longest pass in all measured time */
    double t2, t2_limit;  /* whether the shares may be the given ones */
    size_t representatives[REPRESENTATIVES_MAX], represented_by; /* passes from 0, and their number */
    double representatives_distance;
};

struct operations_forecast {
    const struct operations *counts, *durations; /* the same if no other was asked for */
    struct server_forecast server[OPERATION_SERVERS];
    struct random_moments clocks; /* of a pass, measured while the board works */
};

/** Make it.
 *
 * @param durations  borrowed, as `counts` is; may be the same
 * @param beyond     t of P(T > t), in the unit of each server; NaN: the end of the normal interval
 * @return 0, or PREDICT_EINPUT if a type of operation has counts, but no duration that is needed for another comparison
 */
int operations_forecast_make(const struct operations *counts, const struct operations *durations,
                             double beyond, struct operations_forecast *out, struct why *why);

/** The distance of a pass's shares from those of all. @param pass  from 0 */
double operations_forecast_distance(const struct server_forecast *server, size_t pass);

/** What a server's counts of one pass predict: sum of K_i tau_i. @param pass  from 0 */
double operations_forecast_by_counts(const struct server_forecast *server, size_t pass);

/** Number of operations of one pass, and N sum of p_i tau_i with it. */
double operations_forecast_number(const struct server_forecast *server, size_t pass);
double operations_forecast_by_number(const struct server_forecast *server, size_t pass);

/** Write it for people, for scripts or for programs (operations_write.c).
 *
 * Text      the counts and durations of all types of operations, how well their shares are known, the times of each
 *           server, tails of the run's latencies, and the verdicts in sentences; with `passes`, the residual of each
 *           pass.
 * TSV       a line per number: server, operation, pass, quantity, unit, value; NA where there is none.
 * JSON      the same as a tree; verdicts are values. Names are those that mercury explain knows.
 *
 * @param passes  whether a text has the passes, too; TSV and JSON always have them
 */
void operations_write(const struct operations_forecast *forecast, bool passes, enum result_format format,
                      FILE *out);

/** Name of a tail's verdict. */
const char *tail_verdict_name(enum tail_verdict verdict);
