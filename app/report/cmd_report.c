#include "app/commands.h"

#include <getopt.h>

#include "base/command.h"
#include "base/file/output.h"
#include "base/why.h"
#include "app/report/line_page.h"
#include "app/report/line_run.h"
#include "app/report/report.h"
#include "app/report/run_files.h"

static const char report_help[] =
    "Usage: mercury report DIR [-o FILE]\n"
    "\n"
    "Writes the page of a run: one HTML file with pictures, which needs no network\n"
    "and no script, and which can be sent and printed. Runs write it themselves\n"
    "(mercury run -o DIR, mercury retime -o DIR); this command writes it again, or\n"
    "for a run that was written with --no-report.\n"
    "\n"
    "  DIR                    the directory of a run\n"
    "  -o, --output FILE      write the page to FILE (default DIR/report.html); - is\n"
    "                         standard output\n"
    "  -h, --help             print this text\n"
    "\n"
    "The page, from top to bottom\n"
    "  The pipeline           read this first: what each stage did with its time, how\n"
    "                         full each queue was, which stage limits the machine\n"
    "  Where the time went    tables, streaming and stage 3 of every pass\n"
    "  How full the queues were\n"
    "                         how often each queue held how many elements, and what\n"
    "                         the models expect\n"
    "  Predicted and simulated\n"
    "                         every model's answer, and what the differences say\n"
    "  From pass to pass      how much passes differ, and rates over time\n"
    "  How long elements take latencies, if they were measured\n"
    "  Where the alignments are\n"
    "                         a dot plot, and the best alignments\n"
    "  What was run, words    inputs, every number of the machine, what words mean\n"
    "\n"
    "mercury plot writes one of these pictures as SVG, PNG or PDF. The page of a\n"
    "sweep is written by mercury sweep report.\n"
    "\n"
    "Examples:\n"
    "  mercury run -q lambda.fa -d coli.fa -o out && xdg-open out/report.html\n"
    "  mercury report out -o lambda.html\n"
    "  for k in 16 64 256; do mercury report out.$k; done\n";

static const char plot_help[] =
    "Usage: mercury plot DIR --what PICTURE -o FILE\n"
    "\n"
    "Writes one picture of a run. FILE ends in .svg, .png or .pdf; PNG and PDF need\n"
    "rsvg-convert (package librsvg2-bin).\n"
    "\n"
    "  DIR                    the directory of a run\n"
    "      --what PICTURE     one of these\n"
#define HELP(name, help) "                         " help
    REPORT_PARTS(HELP) "  -o, --output FILE      - is standard output, as SVG\n"
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
    const char *output; /* NULL if not given */
    enum report_number what;
};

static const struct command_option report_options[] = {
    COMMAND_TEXT("output", 'o', struct arguments, output),
    COMMAND_OPTIONS_END,
};

static const struct command_option plot_options[] = {
    COMMAND_CHOICE("what", 0, struct arguments, what, report_names),
    COMMAND_TEXT("output", 'o', struct arguments, output),
    COMMAND_OPTIONS_END,
};

static int write(const char *directory, enum report_number what, const char *path, struct why *why)
{
    return line_run_is_in(directory) ? line_page_write(directory, what, path, why)
                                     : report_write(directory, what, path, NULL, why);
}

static int run_report(int argc, char **argv, struct why *why)
{
    struct arguments a = {0};
    int status = command_parse("report", report_options, argc, argv, 1, &a, why);
    if (status)
        return status;
    if (optind == argc)
        return why_say(why, COMMAND_REFUSED,
                       "needs the directory of a run, e.g. mercury report out; see mercury help report");
    status = run_files_check(argv[optind], why);
    if (status == 0 && !a.output && output_hold_directory(argv[optind], why) != 0)
        status = COMMAND_REFUSED;
    return status ? status : write(argv[optind], REPORT_PART_COUNT, a.output, why);
}

static int run_plot(int argc, char **argv, struct why *why)
{
    struct arguments a = {.what = REPORT_PART_COUNT};
    int status = command_parse("plot", plot_options, argc, argv, 1, &a, why);
    if (status)
        return status;
    if (optind == argc || a.what == REPORT_PART_COUNT || !a.output)
        return why_say(
            why, COMMAND_REFUSED,
            "needs %s, e.g. mercury plot out --what pipeline -o pipeline.svg; see mercury help plot",
            optind == argc                ? "the directory of a run"
            : a.what != REPORT_PART_COUNT ? "a file to write (-o FILE)"
                                          : "a picture (--what PICTURE)");
    return write(argv[optind], a.what, a.output, why);
}

const struct command command_report = {
    .name = "report",
    .usage = "report DIR",
    .purpose = "write the page of a run, with pictures",
    .help = report_help,
    .options = report_options,
    .call = run_report,
};

const struct command command_plot = {
    .name = "plot",
    .usage = "plot DIR",
    .purpose = "draw one picture of a run",
    .help = plot_help,
    .options = plot_options,
    .call = run_plot,
};
