#include "app/theory/cmd_explain.h"

#include <stdio.h>
#include <string.h>

#include "base/why.h"
#include "traces/explain.h"

const char cmd_explain_help[] =
    "Usage: mercury explain [METRIC...]\n"
    "\n"
    "Says what a number of summary.json, validation.tsv or a file of directives means, its unit, how it is "
    "computed, and\n"
    "from which paper it comes. Without METRIC, lists all of them.\n"
    "\n"
    "  METRIC        a name, such as input_utilisation, or a path of summary.json with '.' or '/' between "
    "its parts; a "
    "name\n"
    "                that several stages have is explained for each, unless a path says which\n"
    "  -h, --help    this text\n"
    "\n"
    "Examples:\n"
    "  mercury explain stage_1b.trips_per_seed\n"
    "  mercury explain back_pressure_fraction rho_1b batch_means\n";

enum status { STATUS_OK = 0, STATUS_REFUSED = 2 };

static int refuse_metric(const char *name, struct why *why)
{
    const char *nearest = explain_nearest(name);
    return why_say(why, STATUS_REFUSED, "explain '%.100s': no such metric; %s%s%s", name,
                   nearest ? "did you mean '" : "", nearest ? nearest : "mercury explain lists all",
                   nearest ? "'?" : "");
}

int cmd_explain(int argc, char **argv, struct why *why)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            fputs(cmd_explain_help, stdout);
            return STATUS_OK;
        }
        if (argv[i][0] == '-')
            return why_say(why, STATUS_REFUSED, "%.60s: no such option; see mercury help explain", argv[i]);
    }
    if (argc == 1) {
        explain_write_list(stdout);
        return STATUS_OK;
    }
    for (int i = 1; i < argc; i++)
        if (!explain_knows(argv[i]))
            return refuse_metric(argv[i], why);
    for (int i = 1; i < argc; i++) {
        if (i > 1)
            putchar('\n');
        explain_write(argv[i], stdout);
    }
    return STATUS_OK;
}
