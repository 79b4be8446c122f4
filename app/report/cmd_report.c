#include "app/commands.h"

#include <getopt.h>

#include "base/file/output.h"
#include "base/why.h"
#include "app/report/line_page.h"
#include "app/report/line_run.h"
#include "app/report/report.h"
#include "app/report/run_files.h"
#include "app/options.inc"

struct arguments {
    const char *output; /* NULL if not given */
    enum report_number what;
    struct dots_choice dots;
};

static const struct command_option report_options[] = COMMAND_OPTIONS(REPORT_OPTIONS);

static const struct command_option plot_options[] = COMMAND_OPTIONS(REPORT_PLOT_OPTIONS);

static int write(const char *path, const struct arguments *a, struct why *why)
{
    struct run_place run;
    if (run_place_find_directory(path, &run, why) != 0 ||
        (!a->output && output_hold_directory(run.directory, why) != 0))
        return COMMAND_REFUSED;
    return run.kind == RUN_OF_PIPELINE ? line_page_write(run.directory, a->what, a->output, why)
                                       : report_write(run.directory, a->what, a->output, &a->dots, NULL, why);
}

static int run_report(int argc, char **argv, struct why *why)
{
    struct arguments a = {.what = REPORT_PART_COUNT};
    int status = command_parse("report", report_options, argc, argv, 1, &a, why);
    if (status == 0 && optind == argc)
        return why_refuse(why,
                          "needs the directory of a run, e.g. mercury report out; see mercury help report");
    return status ? status : write(argv[optind], &a, why);
}

static int run_plot(int argc, char **argv, struct why *why)
{
    struct arguments a = {.what = REPORT_PART_COUNT};
    int status = command_parse("plot", plot_options, argc, argv, 1, &a, why);
    if (status)
        return status;
    if (optind == argc || a.what == REPORT_PART_COUNT || !a.output)
        return why_refuse(
            why, "needs %s, e.g. mercury plot out --what pipeline -o pipeline.svg; see mercury help plot",
            optind == argc                ? "the directory of a run"
            : a.what != REPORT_PART_COUNT ? "a file to write (-o FILE)"
                                          : "a picture (--what PICTURE)");
    if (a.what != REPORT_PART_dots && (a.dots.region || a.dots.least_columns > 0))
        return why_refuse(why, "--region and --min-length choose what --what dots draws");
    return write(argv[optind], &a, why);
}

const struct command command_report = {report_options, run_report};
const struct command command_plot = {plot_options, run_plot};
