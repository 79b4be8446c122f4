#include "app/theory/cmd_explain.h"

#include <stdio.h>
#include <string.h>

#include "base/why.h"
#include "traces/explain.h"

const char cmd_explain_help[] =
    "Usage: mercury explain [METRIC...]\n"
    "\n"
    "Says what a number of summary.json, validation.tsv or a file of directives\n"
    "means, its unit, how it is computed, and which paper it comes from. Without\n"
    "METRIC, lists all of them.\n"
    "\n"
    "  METRIC        a name, such as input_utilisation, or a path of summary.json\n"
    "                with '.' or '/' between its parts; if several stages have a\n"
    "                name, it is explained for each of them unless a path says which\n"
    "  -h, --help    print this text\n"
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
