/* explore_machine.h - the run that is explored: its token record, its machine, and changes of that machine.
 *
 * Where     a run's directory leads to its record: DIR/run.tokens (mercury run -o DIR --record DIR/run.tokens), or, of
 *           a run that was timed again, the record that its run.json names.
 * Changes   are an object of JSON with a value, a text, for each parameter that is not as recorded. Some need other
 *           tokens than the record's (explore_tokens.h).
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
    bool is_nameless;         /* the record was made for a page only (explore_tokens.h) */
    double wall_s; /* that mercury run took on its computer; 0 if no run.json beside the record tells it */
};

/** @param path  of a run's directory or of a record
 *  @param run   out, for explored_run_close() also after an error */
int explored_run_open(const char *path, struct explored_run *run, struct why *why);
void explored_run_close(struct explored_run *run);

/** Make a machine from the recorded one.
 *
 * @param changes   NULL: none
 * @param free      number of the resource that is then made free (app/advise/machine_freedom.h); NULL: none
 * @param hardware  out: checked
 */
int explored_run_change(const struct explored_run *run, const json_t *changes, const json_t *free,
                        struct hardware *hardware, struct why *why);

/** Refuse a machine that needs other tokens than these. */
int explored_run_check(const struct explored_run *run, const struct hardware *hardware, struct why *why);

/** The changes that need other tokens: {name: value, ...}. @return NULL if memory is exhausted */
json_t *explored_run_needs(const struct explored_run *run, const struct hardware *hardware);

/** Number of passes that the inputs make on a machine; 0 if memory is exhausted. */
size_t explored_run_passes(const struct explored_run *run, const struct hardware *hardware);

/** The page's first facts: inputs, passes, what can be made free, and every parameter with its value, unit, range and
 *  meaning.
 *  @return NULL if memory is exhausted */
json_t *explored_run_json(const struct explored_run *run);

/** The command that simulates a machine with these tokens: mercury retime, or mercury run if the record has no name.
 *  @return NULL if memory is exhausted */
json_t *explored_run_command(const struct explored_run *run, const struct hardware *hardware);
