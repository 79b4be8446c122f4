/* command.h - what a subcommand is to main(): arguments in, a status and one line out.
 *
 * A subcommand lives in the folder whose duty it is, prints what it was asked for, and never prints an error: it
 * leaves one line in `why` and returns a COMMAND_* status, and main() prints and exits.
 */
#ifndef MERCURY_BASE_COMMAND_H
#define MERCURY_BASE_COMMAND_H

#include <stddef.h>

enum command_status {
    COMMAND_OK = 0,
    COMMAND_FAILED = 1,  /* a fault of the machine's or of Mercury's */
    COMMAND_REFUSED = 2, /* bad arguments, bad input, or no place for the output */
};

enum { COMMAND_WHY_BYTES = 1024 };

#endif
