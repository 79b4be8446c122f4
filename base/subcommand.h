/* subcommand.h - what the subcommands that ask theory share: their statuses, the parsing of options, --format, --digits.
 *
 * Theirs are predict here, validate and reproduce in validate/.
 * Errors    SUBCOMMAND_REFUSED and one line, which main() prints.
 */
#ifndef MERCURY_BASE_SUBCOMMAND_H
#define MERCURY_BASE_SUBCOMMAND_H

#include <getopt.h>
#include <stddef.h>

#include "base/why.h"

enum subcommand_status {
    SUBCOMMAND_OK = 0,
    SUBCOMMAND_FAILED = 1,  /* out of memory, or what the subcommand looks for */
    SUBCOMMAND_REFUSED = 2, /* bad arguments, bad input, or no place for the output */
};

enum subcommand_format { SUBCOMMAND_TEXT, SUBCOMMAND_TSV, SUBCOMMAND_JSON };

/** Take options one by one; getopt's optind is then the first argument that is none.
 *
 * @param name     the subcommand's, for the message
 * @param options  getopt's table; of letters there are -f, with a value, and -h
 * @param take     called with `data`, an option of the table's and its value: a status
 * @return 0, or the first other status
 */
int subcommand_parse(const char *name, const struct option *options, int argc, char **argv,
                     int (*take)(void *data, int option, const char *value), void *data, struct why *why);

/** The value of --format: text, tsv or json. */
int subcommand_take_format(const char *value, enum subcommand_format *format, struct why *why);

/** The value of --digits, to how many significant digits inputs are known: 1 to 15; stays where it is refused. */
int subcommand_take_digits(const char *value, unsigned *digits, struct why *why);

#endif
