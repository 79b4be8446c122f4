/* completion.h - scripts by which shells complete mercury's commands, options and values.
 *
 * Words     of commands and options from their tables (command.h); values where an option has a choice; names of
 *           parameters after --set and --vary, of machines after --platform and --machine; names of files elsewhere.
 * Shells    bash, zsh and fish, with what they bring along: `complete`, compsys, `complete`.
 */
#ifndef MERCURY_APP_SHELL_COMPLETION_H
#define MERCURY_APP_SHELL_COMPLETION_H

#include <stdio.h>

enum completion_shell { COMPLETION_BASH, COMPLETION_ZSH, COMPLETION_FISH };

/** Names of the shells, then NULL. */
extern const char *const completion_shells[];

/** Write the script of a shell. */
void completion_write(enum completion_shell shell, FILE *out);

#endif
