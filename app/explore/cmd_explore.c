#include "app/commands.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "base/why.h"
#include "app/explore/explore_machine.h"
#include "app/explore/explore_server.h"
#include "app/rank/rank_link.h"
#include "app/options.inc"

struct arguments {
    uint32_t port;
    double seconds;
    bool quiet;
};

/* A time with its unit, which is s, m or h. */
static int take_time(void *data, const char *argument, struct why *why)
{
    struct arguments *a = data;
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
    size_t length = strlen(argument);
    char number[32];
    for (unsigned i = 0; i < 3; i++) {
        if (length < 2 || length > sizeof number || argument[length - 1] != units[i].letter)
            continue;
        snprintf(number, sizeof number, "%.*s", (int)length - 1, argument);
        if (command_number(number, 0, 1e6, &a->seconds) == 0 && a->seconds > 0) {
            a->seconds *= units[i].seconds;
            return 0;
        }
    }
    return command_refuse("--for", argument, "a time such as 30s, 10m or 2h", why);
}

static const struct command_option options[] = COMMAND_OPTIONS(EXPLORE_OPTIONS);

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {0};
    struct explored_run run;
    int status;
    if (rank_link_refuse("one process serves the page; use no mpirun", &status, why))
        return status;
    status = command_parse("explore", options, argc, argv, 1, &a, why);
    if (status)
        return status;
    if (optind == argc)
        return why_refuse(
            why,
            "needs the directory of a run, or a record, e.g. mercury explore out; see mercury help explore");
    status = explored_run_open(argv[optind], &run, why);
    if (status == 0)
        status = explore_serve(&run, a.port, a.seconds, a.quiet, why);
    explored_run_close(&run);
    return status;
}

const struct command command_explore = {options, run_command};
