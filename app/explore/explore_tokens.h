/* explore_tokens.h - tokens that are made for a page: of the same inputs, with other tables, filter or scores.
 *
 * Made      as `mercury run --record` makes them, without times (run_session_again()), in a process of its own, which
 *           tells its progress in memory that the server reads. What the page draws is timed from them.
 * Inputs    are read again, and refused if one is gone or has changed; no other file is read.
 * Disk      the record has no name, so it ends with the last process that has it, however that ends: a file in TMPDIR,
 *           of TOKENS_BYTES at most.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include "base/why.h"
#include "app/explore/explore_machine.h"

/** Most bytes of a record, and of what a pass leaves until it is taken into the record. */
#define TOKENS_BYTES ((unsigned long long)2 << 30)

struct explore_tokens {
    struct explored_run run; /* its record is NULL until explore_tokens_open() */
    struct hardware machine; /* they are made for */
    struct passes_progress *progress;
    int file;       /* of the record; -1 after explore_tokens_open() */
    unsigned users; /* that have not released it */
};

/** Begin tokens, with one user.
 *
 * @param of       outlives them
 * @param machine  checked
 * @param tokens   out
 */
int explore_tokens_new(const struct explored_run *of, const struct hardware *machine,
                       struct explore_tokens **tokens, struct why *why);

/** Make them, in a process in which `file` is open. */
int explore_tokens_make(const struct explore_tokens *tokens, struct why *why);

/** In the server: open what was made. */
int explore_tokens_open(struct explore_tokens *tokens, struct why *why);

/** Whether they are made, and fit a machine. */
bool explore_tokens_fit(const struct explore_tokens *tokens, const struct hardware *machine);

/** One user less; the last one ends them. @param tokens  NULL: nothing to do */
void explore_tokens_release(struct explore_tokens *tokens);
