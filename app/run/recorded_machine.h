/* recorded_machine.h - the machine that a token record was made on, and which changes of it re-timing takes.
 *
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_RUN_RECORDED_MACHINE_H
#define MERCURY_APP_RUN_RECORDED_MACHINE_H

#include <stdbool.h>

#include "base/why.h"
#include "sim/board/hardware.h"
#include "sim/platform/platform.h"
#include "sim/tokens/token_record.h"

/** Open the platform that is in a record.
 *
 * @param hardware  out: the recorded machine
 * @param platform  out, for platform_close()
 */
int recorded_machine_open(const struct token_record_facts *facts, struct hardware *hardware,
                          struct platform **platform, struct why *why);

/** The numbers of the platform that is in a record, which `mercury run` had before any --set.
 *  @param hardware  out: not checked */
int recorded_machine_base(const struct token_record_facts *facts, struct hardware *hardware, struct why *why);

/** Whether a parameter has another value than was recorded, and changes what the stages compute. */
bool recorded_machine_differs(const struct token_record_facts *facts, const struct hardware *hardware,
                              size_t parameter);

/** Refuse a machine whose stages would compute something else than what was recorded.
 *
 * @param named  whether the user named the machine, by -p or --machine
 */
int recorded_machine_check(const struct token_record_facts *facts, const struct hardware *hardware,
                           const char *record_path, bool named, struct why *why);

#endif
