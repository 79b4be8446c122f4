/* chain_file.h - a designer's own chain of stages, from a table in a text file.
 *
 * Table     tab-separated: a header line with names of columns, then a line per stage in the order of flow. Lines that
 *           begin with # are notes, and so are empty ones. NA or nothing stands for a default. Columns in any order,
 *           by the letters of Dor 2010 (WUCSE-2010-30, Figure 9, section 4.3):
 *               stage      name                                                         needed
 *               C          clock of the stage, Hz                  needed, but of a trace of services
 *               R          operations per clock                                         1
 *               M          operations per element                                       1
 *               S          servers, each with the rate mu = R C / M                     1
 *               F          elements here per element that the stage before passes on    1
 *               P_f        fraction of its elements that are passed on, at random       1
 *               K          places, those at the servers included; 0: no bound           0
 *               overdrive  elements of the stage before that are added, 1/s             0
 *               service    as below (for a simulation)                                  exponential
 *               out        trace:FILE: how many elements of the next stage each one becomes   P_f, and the next F
 *               on         an earlier stage whose server serves this one, too           its own servers
 *               to         NAME:P: a part P of what is served goes back to that stage   nothing
 *               almost_full  the stage before begins nothing while so few places are free     0: it does
 *           Elements are filtered first (P_f), and each of those that are passed on then becomes F at once; where F is
 *           not whole, the next whole number below or above it. F below 1 is 1/n, also written so: n that come one by
 *           one are packed into one element.
 * Numbers   as in base/number.h: 133MHz, 16, 2^17.
 * Outputs   A list of `out` holds a whole number per line. P_f and the next stage's F are its means, which theory and
 *           the checks take; beside it the table must not give them.
 * Trace     If C is NA, a trace gives the services' times; otherwise it only says how they differ from their mean.
 * Memory    chain_file_close() frees it.
 * Errors    a negative CHAIN_FILE_E* code and one line: file, line, column, what was expected.
 */
#pragma once

#include <stddef.h>

#include "base/why.h"
#include "base/words.h"
#include "model/queue/duration.h"
#include "sim/simgrid/queue_network.h"

/* The law of services, or of times between arrivals, as users write it.
 *
 * Texts     exponential (also poisson), deterministic, erlang:K, gamma:SCV, mixture:F:R, or trace:FILE
 * Trace     a time per line, in seconds, as --export-times writes them; lines that begin with # are notes, and so are
 *           empty ones. Plain or gzip. 0 is a time.
 * Memory    duration_file_close() frees the times of a trace.
 */

#define DURATION_EXPECTED                                                                                             \
    "exponential, deterministic, erlang:K (K phases, 1 to 10000), gamma:SCV (1e-4 to 1e4), mixture:F:R (F from 0 to " \
    "1, R from 1 to 1e6), or trace:FILE"

/** Read a law.
 *
 * @param what      the option or the column, for a refusal
 * @param expected  what is expected there: DURATION_EXPECTED, and what the caller knows beside it
 * @param mean_s    out: mean of a trace, > 0; NaN of other laws, which have none of their own
 */
int duration_file_read(struct word text, const char *what, const char *expected, struct duration *d,
                       double *mean_s, struct why *why);

/** Harmless for a law without a trace. */
void duration_file_close(struct duration *d);

enum chain_file_error { CHAIN_FILE_EFORMAT = -3 };

enum { CHAIN_STAGES_MAX = 1000 };

struct chain {
    struct queue_line_stage *stages; /* what is added are the overdrives, that of the first one, too */
    size_t count, room;
};

/** Read a chain. @param path  "-": standard input; or the name of one in data/chains. @param chain  empty after an
 *  error */
int chain_file_read(const char *path, struct chain *chain, struct why *why);
void chain_file_close(struct chain *chain);

/** Elements per second that come to the first stage: `input_per_s` and its overdrive, converted. */
double chain_first_rate_per_s(const struct chain *chain, double input_per_s);
