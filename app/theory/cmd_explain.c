#include "app/theory/cmd_explain.h"

#include <getopt.h>
#include <stdio.h>

#include "base/command.h"
#include "base/why.h"
#include "traces/explain.h"

const char cmd_explain_help[] =
    "Usage: mercury explain [METRIC...]\n"
    "\n"
    "Says what a number of summary.json, validation.tsv or a file of directives\n"
    "means: its unit, how it is computed, and from which paper it comes. Without\n"
    "METRIC it lists all of them.\n"
    "\n"
    "  METRIC                 a name, such as input_utilisation, or a path of\n"
    "                         summary.json with '.' or '/' between its parts. If\n"
    "                         several stages have the name, it is explained for each\n"
    "                         of them, unless a path says which\n"
    "  -h, --help             print this text\n"
    "\n"
    "Examples:\n"
    "  mercury explain stage_1b.trips_per_seed\n"
    "  mercury explain back_pressure_fraction rho_1b batch_means\n";

const struct command_option cmd_explain_options[] = {COMMAND_OPTIONS_END};

static int refuse_metric(const char *name, struct why *why)
{
    const char *nearest = explain_nearest(name);
    return why_say(why, COMMAND_REFUSED, "explain '%.100s': no such metric; %s%s%s", name,
                   nearest ? "did you mean '" : "", nearest ? nearest : "mercury explain lists all",
                   nearest ? "'?" : "");
}

int cmd_explain(int argc, char **argv, struct why *why)
{
    int status = command_parse("explain", cmd_explain_options, argc, argv, argc, NULL, why);
    if (status)
        return status;
    if (optind == argc) {
        explain_write_list(stdout);
        return COMMAND_OK;
    }
    for (int i = optind; i < argc; i++)
        if (!explain_knows(argv[i]))
            return refuse_metric(argv[i], why);
    for (int i = optind; i < argc; i++) {
        if (i > optind)
            putchar('\n');
        explain_write(argv[i], stdout);
    }
    return COMMAND_OK;
}
