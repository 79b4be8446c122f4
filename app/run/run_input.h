/* run_input.h - what a run compares: query and database, read and found fit for it; and what it reads whole.
 *
 * Errors    COMMAND_REFUSED and one line; of a text NULL and errno.
 */
#ifndef MERCURY_APP_RUN_RUN_INPUT_H
#define MERCURY_APP_RUN_RUN_INPUT_H

#include <stddef.h>

#include "base/why.h"
#include "blast/sequence/sequence.h"

/** Read sequences in which at least one w-mer can match.
 *
 * @param what  for the message: query, database
 */
int run_input_read(const char *path, const char *what, struct sequences *out, struct why *why);

/** Text of a file, for free(): all of it, or up to its first NUL and with that. @param bytes  out */
char *run_input_read_text(const char *path, size_t *bytes);

#endif
