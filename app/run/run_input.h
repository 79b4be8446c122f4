/* run_input.h - sequences for a run: read, and found fit for it.
 *
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_RUN_RUN_INPUT_H
#define MERCURY_APP_RUN_RUN_INPUT_H

#include "base/why.h"
#include "blast/sequence/sequence_cut.h"

/** Read the sequences of several files as one, in which at least one w-mer can match.
 *
 * @param name     of all, for the message
 * @param what     for the message: query or database
 * @param threads  that may be used
 */
int run_input_read(const char *const *paths, size_t count, const char *name, const char *what,
                   unsigned threads, struct sequences *out, struct why *why);

/** Keep a range of every sequence of the query. @param name  of the query, for the message */
int run_input_cut(const char *name, struct sequence_range range, struct sequences *query, struct why *why);

#endif
