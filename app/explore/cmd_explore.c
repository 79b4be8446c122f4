#include "app/commands.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "base/why.h"
#include "app/explore/explore_machine.h"
#include "app/explore/explore_server.h"
#include "app/rank/rank_link.h"

static const char command_help[] =
    "Usage: mercury explore DIR|RECORD [options]\n"
    "\n"
    "Shows a run as a page in your browser whose machine can be changed: a slider\n"
    "for every number. Each change times the recorded run again and draws the\n"
    "pipeline, its queues, what limits it, and what queueing theory says. A change\n"
    "of what the stages compute (tables, filter, threshold) has query and database\n"
    "read and computed again first. The numbers are those of mercury retime or\n"
    "mercury run with the same --set.\n"
    "\n"
    "  DIR                    directory of a run with its record:\n"
    "                         mercury run ... -o DIR --record DIR/run.tokens\n"
    "  RECORD                 or a record itself\n"
    "\n"
    "The page is served on 127.0.0.1 only. The link that is printed works once, for\n"
    "one browser; nothing else can ask. Ctrl-C ends the server.\n"
    "\n"
    "      --port N           listen on port N (default 0: any that is free)\n"
    "      --for TIME         end by itself after TIME, such as 30s, 10m or 2h\n"
    "      --quiet            print nothing but the link\n"
    "  -h, --help             print this text\n"
    "\n"
    "On the page\n"
    "  Move a slider, or type a number and press Enter. With many passes, the first\n"
    "  picture comes from a sample of them and says so; the exact one follows.\n"
    "  \"Vary\" draws what one slider does. \"Keep this machine\" puts it beside those\n"
    "  that follow; the page's address holds them all. \"What limits next\" frees one\n"
    "  resource at a time, \"Smallest FIFOs\" finds depths that keep 99% of the speed\n"
    "  in the fewest block RAMs. A machine can be saved as a platform file, which\n"
    "  mercury run -p takes, or copied as a command line.\n"
    "  A change of what the stages compute says how long it will take, and waits for\n"
    "  \"Run it\" unless that is under a second; a bar shows how far it is, and it can\n"
    "  be cancelled. query.*, stage2.window, stage2.threshold, stage2.edge_rule,\n"
    "  score.*, bloom.*, table.*, hash.seed and distribution are such numbers. The\n"
    "  query and the database must still be what they were. What is made lies in a\n"
    "  nameless file in TMPDIR, of 2 GiB at most, and goes with the page.\n"
    "  \"Estimate machines that nobody has\" leads to a page of mercury estimate:\n"
    "  texts of data/machines with the workload of this run or one of theirs, whose\n"
    "  numbers have sliders, too. A run needs its DIR for that, with summary.json.\n"
    "\n"
    "Examples:\n"
    "  mercury run -q lambda.fa -d coli.fa -o out --record out/run.tokens\n"
    "  mercury explore out\n"
    "  xdg-open \"$(mercury explore out --quiet --for 1h | head -n 1)\"\n";

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

static const struct command_option options[] = {
    COMMAND_WHOLE("port", 0, struct arguments, port, 0, 65535, NULL),
    COMMAND_OWN("for", 0, take_time),
    COMMAND_FLAG("quiet", 0, struct arguments, quiet),
    COMMAND_OPTIONS_END,
};

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
        return why_say(
            why, COMMAND_REFUSED,
            "needs the directory of a run, or a record, e.g. mercury explore out; see mercury help explore");
    status = explored_run_open(argv[optind], &run, why);
    if (status == 0)
        status = explore_serve(&run, a.port, a.seconds, a.quiet, why);
    explored_run_close(&run);
    return status;
}

const struct command command_explore = {
    .name = "explore",
    .usage = "explore DIR",
    .purpose = "change a run's machine in the browser",
    .help = command_help,
    .options = options,
    .call = run_command,
};
