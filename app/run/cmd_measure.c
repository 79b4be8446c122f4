#include "app/run/cmd_measure.h"

#include <stdio.h>
#include <string.h>

#include "base/why.h"
#include "base/command.h"
#include "sim/board/hardware.h"
#include "sim/measure/machine_taps.h"
#include "sim/measure/measure_plan.h"
#include "traces/directive.h"

static const char purpose[] =
    "Usage: mercury measure --list\n"
    "       mercury measure --check FILE\n"
    "\n"
    "Tells what can be measured in the simulated machine, and checks files of directives. A run measures "
    "with\n"
    "mercury run ... -o DIR --measure FILE; mercury retime takes the same. Without --measure it uses\n"
    "data/directives/default.tt, with --measure none it only counts a pass's totals.\n"
    "\n"
    "      --list        every tap with its elements, every metric with its unit (to standard output)\n"
    "      --check FILE  read directives and bind them to the default machine; say how many there are\n"
    "  -h, --help        this text\n"
    "\n"
    "Results in DIR: summary.json (\"measurements\"), frames.tsv, frame_histograms.tsv.\n"
    "\n";

const char *cmd_measure_help(void)
{
    static char text[16384];
    snprintf(text, sizeof text, "%s%s", purpose, directive_help);
    return text;
}

static int check(const char *path, struct why *why)
{
    struct hardware hardware = hardware_default();
    struct directives directives;
    struct measure_plan *plan = NULL;
    int status = hardware_check(&hardware, why);
    if (status == 0)
        status = directives_read(path, &machine_catalogue, &directives, why);
    if (status)
        return COMMAND_REFUSED;
    status = measure_plan_make(&directives, &hardware, path, &plan, why);
    if (status == 0)
        printf("%s: %zu measurements\n", path, directives.count);
    measure_plan_destroy(plan);
    directives_destroy(&directives);
    return status ? COMMAND_REFUSED : COMMAND_OK;
}

static int refuse(const char *argument, const char *what, struct why *why)
{
    return why_say(why, COMMAND_REFUSED, "%.60s%s; see mercury help measure", argument, what);
}

int cmd_measure(int argc, char **argv, struct why *why)
{
    const char *option = argc > 1 ? argv[1] : "";
    const bool checks = strcmp(option, "--check") == 0;
    if (argc < 2)
        return refuse("", "needs --list or --check FILE", why);
    if (argc > (checks ? 3 : 2))
        return refuse(argv[checks ? 3 : 2], ": what is this?", why);
    if (checks)
        return argc == 3 ? check(argv[2], why) : refuse(option, ": needs a value", why);
    if (strcmp(option, "--list") == 0)
        return catalogue_write_text(&machine_catalogue, stdout) == 0
                   ? COMMAND_OK
                   : refuse("", "the list cannot be written", why);
    if (strcmp(option, "--help") != 0 && strcmp(option, "-h") != 0)
        return refuse(option, ": no such option", why);
    fputs(cmd_measure_help(), stdout);
    return COMMAND_OK;
}
