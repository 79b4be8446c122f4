/* assumption_source.h - where `validate --why` takes a run from: its summary, its tokens and its machine; and the
 * formulas that its last steps are to meet.
 *
 * Record    A run's directory has a summary.json and the record is a file of its own: the one *.tokens in the
 *           directory, or one that is named. The run's machine must be the record's, and so must its counts. A record
 *           may also stand alone: it is then timed again on its own machine, as `mercury retime` does, which makes the
 *           summary.
 * Memory    assumption_source_close() frees it.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_WHY_ASSUMPTION_SOURCE_H
#define MERCURY_APP_WHY_ASSUMPTION_SOURCE_H

#include <limits.h>
#include <stdbool.h>

#include "base/why.h"
#include "sim/board/hardware.h"
#include "sim/tokens/token_record.h"
#include "validate/validation.h"
#include "app/why/assumption_shares.h"

struct assumption_source {
    char path[PATH_MAX]; /* of the record */
    struct token_record *record;
    struct hardware hardware;
    struct assumption_tokens tokens;
};

/** Find the record of a run. @param directory  "" if only `named` can be meant; @param named  or NULL */
int assumption_source_find(const char *directory, const char *named, struct assumption_source *source,
                           struct why *why);

/** Open the record and its machine. */
int assumption_source_open(struct assumption_source *source, struct why *why);

/** Time the record again. @param run  out, for run_close() */
int assumption_source_retime(const struct assumption_source *source, struct run *run, struct why *why);

/** Split the errors of a validated run, which must be the record's.
 *
 * @param name   of its summary
 * @param order  as assumptions_order() made it
 * @param seed   1 to 2^32 - 1
 */
int assumption_source_explain(struct assumption_source *source, const char *name,
                              const struct validation *validation, const enum assumption *order,
                              unsigned long seed, struct assumption_shares *shares, struct why *why);

void assumption_source_close(struct assumption_source *source);

#endif
