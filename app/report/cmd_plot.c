#include "app/commands.h"

#include <getopt.h>

#include "base/command.h"
#include "base/why.h"
#include "app/report/report.h"

static const char command_help[] =
    "Usage: mercury plot DIR --what PICTURE -o FILE\n"
    "\n"
    "Writes one picture of a run. FILE ends in .svg, .png or .pdf; PNG and PDF need\n"
    "rsvg-convert (package librsvg2-bin).\n"
    "\n"
    "  DIR                    the directory of a run\n"
    "      --what PICTURE     pipeline  stages, queues and back-pressure in one view\n"
    "                         time      tables, streaming and stage 3 of the passes\n"
    "                         queues    how often each queue held how much, and the\n"
    "                                   models\n"
    "                         models    every model's prediction beside the run\n"
    "                         boxes     how much passes differ; rates over time\n"
    "                         latency   how long elements take\n"
    "                         forecast  of a sample: the whole run's totals\n"
    "                         dots      dot plot of the alignments\n"
    "  -o, --output FILE      - is standard output, as SVG\n"
    "  -h, --help             print this text\n"
    "\n"
    "The colours are those of the light page (mercury report), and stay different\n"
    "for the colour-blind.\n"
    "\n"
    "Examples:\n"
    "  mercury plot out --what pipeline -o pipeline.svg\n"
    "  mercury plot out --what dots -o dots.pdf\n"
    "  mercury plot out --what queues -o - > queues.svg\n";

struct arguments {
    const char *what, *output; /* NULL if not given */
};

static const struct command_option options[] = {
    COMMAND_TEXT("what", 0, struct arguments, what),
    COMMAND_TEXT("output", 'o', struct arguments, output),
    COMMAND_OPTIONS_END,
};

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {0};
    int status = command_parse("plot", options, argc, argv, 1, &a, why);
    if (status)
        return status;
    if (optind == argc || !a.what || !a.output)
        return why_say(
            why, COMMAND_REFUSED,
            "needs %s, e.g. mercury plot out --what pipeline -o pipeline.svg; see mercury help plot",
            optind == argc ? "the directory of a run"
            : a.what       ? "a file to write (-o FILE)"
                           : "a picture (--what PICTURE)");
    return report_plot(argv[optind], a.what, a.output, why);
}

const struct command command_plot = {
    .name = "plot",
    .usage = "plot DIR",
    .purpose = "draw one picture of a run",
    .help = command_help,
    .options = options,
    .call = run_command,
};
