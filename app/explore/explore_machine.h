/* explore_machine.h - the run that is explored: its token record, its machine, and changes of that machine.
 *
 * Where     a run's directory leads to its record: DIR/run.tokens (mercury run -o DIR --record DIR/run.tokens), or the
 *           one *.tokens of DIR, or, of a run that was timed again, the record that its run.json names.
 * Changes   are an object of JSON with a value, a text, for each parameter that is not as recorded. Some need other
 *           tokens than the record's.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <limits.h>
#include <stddef.h>

#include <jansson.h>

#include "base/why.h"
#include "sim/board/hardware.h"
#include "sim/platform/platform.h"
#include "sim/tokens/token_record.h"

struct explored_run {
    char record_path[PATH_MAX];
    char directory[PATH_MAX]; /* of the run, if it was given and has a summary.json; otherwise empty */
    struct token_record *record;
    const struct token_record_facts *facts;
    struct platform *platform; /* which SimGrid has accepted */
    struct hardware recorded;
    struct hardware base;     /* the platform's numbers, from which --set departs */
    bool has_default_machine; /* its platform is that of a run without -p */
    bool is_nameless;         /* the record was made for a page only */
    double wall_s; /* that mercury run took on its computer; 0 if no run.json beside the record tells it */
};

/** @param path  of a run's directory or of a record
 *  @param run   out, for explored_run_close() also after an error */
int explored_run_open(const char *path, struct explored_run *run, struct why *why);
void explored_run_close(struct explored_run *run);

/** Make a machine from the recorded one.
 *
 * @param changes   NULL: none
 * @param hardware  out: checked
 */
int explored_run_change(const struct explored_run *run, const json_t *changes, struct hardware *hardware,
                        struct why *why);

/** Refuse a machine that needs other tokens than these. */
int explored_run_check(const struct explored_run *run, const struct hardware *hardware, struct why *why);

/** The changes that need other tokens: {name: value, ...}. */
json_t *explored_run_needs(const struct explored_run *run, const struct hardware *hardware);

/** Number of passes that the inputs make on a machine. */
size_t explored_run_passes(const struct explored_run *run, const struct hardware *hardware);

/** The page's first facts: inputs, passes, what can be made free, and every parameter with its value, unit, range and
 *  meaning. */
json_t *explored_run_json(const struct explored_run *run);

/** The command that simulates a machine with these tokens: mercury retime, or mercury run if the record has no name. */
json_t *explored_run_command(const struct explored_run *run, const struct hardware *hardware);

/* Tokens that are made for a page: of the same inputs, with other tables, filter or scores.
 *
 * Made      as `mercury run --record` makes them, without times (run_session_again()), in a process of its own, which
 *           tells its progress in memory that the server reads. What the page draws is timed from them.
 * Inputs    are read again, and refused if one is gone or has changed; no other file is read.
 * Disk      the record has no name, so it ends with the last process that has it, however that ends: a file in TMPDIR,
 *           of TOKENS_BYTES at most.
 */

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
