/* duration_file.h - the law of services, or of times between arrivals, as users write it.
 *
 * Texts     exponential (also poisson), deterministic, erlang:K, gamma:SCV, mixture:F:R, or trace:FILE
 * Trace     a time per line, in seconds, as --export-times writes them; lines that begin with # are notes, and so are
 *           empty ones. Plain or gzip. 0 is a time.
 * Memory    duration_file_close() frees the times of a trace.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include "base/why.h"
#include "base/words.h"
#include "model/queue/duration.h"

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

/** Read the numbers of outputs that trace:FILE lists, 0 to 10000 a line, one above 0 at least.
 *
 * @param counts  out: for free(), also after an error
 */
int duration_file_read_outputs(struct word text, const char *what, double **counts, size_t *count,
                               struct why *why);

/** Harmless for a law without a trace. */
void duration_file_close(struct duration *d);
