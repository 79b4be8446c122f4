/* cmd_synth.h - `mercury synth`: write a synthetic genome (blast/synth.h) to standard output.
 *
 * Output    FASTA on standard output. The truth of what was planted goes to a file that is whole or absent: it is
 *           written after the FASTA, under its name with ".partial" appended, and then renamed.
 * Errors    one line in `why`; never prints to standard error, never exits.
 */
#ifndef MERCURY_APP_THEORY_CMD_SYNTH_H
#define MERCURY_APP_THEORY_CMD_SYNTH_H

#include "base/command.h"
#include "base/why.h"

extern const char cmd_synth_help[];
extern const struct command_option cmd_synth_options[];

/** @param argv  argv[0] is "synth"
 * @return 0, 1 if memory is exhausted, or 2 if arguments, input or the place of the output are refused */
int cmd_synth(int argc, char **argv, struct why *why);

#endif
