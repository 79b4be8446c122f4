/* explore_machine.h - the run that is explored: its token record, its machine, and changes of that machine.
 *
 * Where     a run's directory leads to its record: DIR/run.tokens (mercury run -o DIR --record DIR/run.tokens), or, of
 *           a run that was timed again, the record that its run.json names.
 * Changes   are an object of JSON with a value, a text, for each parameter that is not as recorded.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_EXPLORE_EXPLORE_MACHINE_H
#define MERCURY_APP_EXPLORE_EXPLORE_MACHINE_H

#include <limits.h>
#include <stddef.h>

#include <jansson.h>

#include "base/why.h"
#include "sim/board/hardware.h"
#include "sim/pass/platform.h"
#include "sim/tokens/token_record.h"

struct explored_run {
    char record_path[PATH_MAX];
    struct token_record *record;
    const struct token_record_facts *facts;
    struct platform *platform; /* which SimGrid has accepted */
    struct hardware recorded;
};

/** @param path  of a run's directory or of a record
 *  @param run   out, for explored_run_close() also after an error */
int explored_run_open(const char *path, struct explored_run *run, struct why *why);
void explored_run_close(struct explored_run *run);

/** Make a machine from the recorded one.
 *
 * @param changes   NULL: none
 * @param hardware  out: checked; re-timing takes it
 */
int explored_run_change(const struct explored_run *run, const json_t *changes, struct hardware *hardware,
                        struct why *why);

/** The page's first facts: inputs, passes, and every parameter with its value, unit, range and meaning.
 *  @return NULL if memory is exhausted */
json_t *explored_run_json(const struct explored_run *run);

/** The commands that simulate a machine: {"retime": ..., "run": ...}. @return NULL if memory is exhausted */
json_t *explored_run_commands(const struct explored_run *run, const struct hardware *hardware);

#endif
