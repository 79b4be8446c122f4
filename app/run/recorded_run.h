/* recorded_run.h - the token record of a run, if the run is named by its directory; the machine that a record was made
 * on, and which changes of it re-timing takes.
 *
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/why.h"
#include "sim/board/hardware.h"
#include "sim/pass/passes.h"
#include "sim/run/run.h"
#include "sim/tokens/token_record.h"
#include "app/run/run_options.h"

/** Open the platform that is in a record, for platform_close(). @param hardware  out: the recorded machine */
int recorded_machine_open(const struct token_record_facts *facts, struct hardware *hardware,
                          struct platform **platform, struct why *why);

/** The numbers of the platform that is in a record, which `mercury run` had before any --set.
 *  @param hardware  out: not checked */
int recorded_machine_base(const struct token_record_facts *facts, struct hardware *hardware, struct why *why);

/** Whether a parameter has another value than was recorded, and changes what the stages compute. */
bool recorded_machine_differs(const struct token_record_facts *facts, const struct hardware *hardware,
                              size_t parameter);

/** Refuse a machine whose stages would compute something else than what was recorded.
 *  @param named  whether the user named the machine, by -p or --machine */
int recorded_machine_check(const struct token_record_facts *facts, const struct hardware *hardware,
                           const char *record_path, bool named, struct why *why);

/** The recorded machine, or another that the user describes, whose stages compute the same; checked.
 *  @param path  out: of the platform's file, if the user named one */
int recorded_machine_load(const struct run_options *options, const struct token_record_facts *facts,
                          const char *record_path, struct hardware *hardware, char path[PATH_MAX],
                          struct platform **platform, struct why *why);

/** Whether a file begins as a token record does. */
bool recorded_run_is_record(const char *path);

/* The name of a run's record in its directory. */
#define RECORDED_RUN_FILE "run.tokens"

/** Look for the records in the directory of a run, whose summary is of a version that is read, or not there: that of
 *  this name, or else the one *.tokens. @param record  out, if `count` becomes 1 */
int recorded_run_look(const struct run_place *place, char record[PATH_MAX], size_t *count, struct why *why);

/** Find the record of a directory; any other file stands for itself.
 *  @param expected  what the user could give instead, for the message */
int recorded_run_find(const char *path, char record[PATH_MAX], const char *expected, struct why *why);

/** Time all passes of a record again, as `mercury retime` does.
 *
 * @param hardware  is checked
 * @param platform  that is in the record (recorded_machine_open()); it becomes this machine's
 */
int recorded_run_time(const struct token_record *record, struct hardware *hardware, struct platform *platform,
                      struct passes_result *result, struct why *why);

/** Do so, and take the times as a run. @param name  of the record, for messages */
int recorded_run_take(const struct token_record *record, struct hardware *hardware, struct platform *platform,
                      const char *name, struct run *run, struct why *why);
