#include "base/subcommand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"

int subcommand_parse(const char *name, const struct option *options, int argc, char **argv,
                     int (*take)(void *data, int option, const char *value), void *data, struct why *why)
{
    opterr = 0;
    optind = 0; /* glibc: start afresh */
    int option, status = 0;
    while (status == 0 && (option = getopt_long(argc, argv, ":f:h", options, NULL)) != -1) {
        if (option == ':' || option == '?')
            return why_say(why, SUBCOMMAND_REFUSED, "%.60s: %s; see mercury help %s", argv[optind - 1],
                           option == ':' ? "needs a value" : "no such option", name);
        status = take(data, option, optarg);
    }
    return status;
}

int subcommand_take_format(const char *value, enum subcommand_format *format, struct why *why)
{
    static const char *const names[] = {
        [SUBCOMMAND_TEXT] = "text", [SUBCOMMAND_TSV] = "tsv", [SUBCOMMAND_JSON] = "json"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(value, names[i]) == 0) {
            *format = (enum subcommand_format)i;
            return 0;
        }
    return why_say(why, SUBCOMMAND_REFUSED, "--format %.60s: expected text, tsv or json", value);
}

int subcommand_take_digits(const char *value, unsigned *digits, struct why *why)
{
    enum { DIGITS_MOST = 15 };
    char *end;
    long number = strtol(value, &end, 10);
    if (end == value || *end || number < 1 || number > DIGITS_MOST)
        return why_say(why, SUBCOMMAND_REFUSED, "--digits %.60s: expected a whole number from 1 to %d", value,
                       DIGITS_MOST);
    *digits = (unsigned)number;
    return 0;
}
