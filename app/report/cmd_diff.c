#include "app/commands.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "base/draw/result_table.h"
#include "base/why.h"
#include "app/report/run_diff.h"
#include "app/report/run_files.h"

static const char command_help[] =
    "Usage: mercury diff A B [options]\n"
    "\n"
    "Says what changed from run A to run B: inputs, parameters of the machine, what\n"
    "was asked for, and what was measured, each with both values and the change in\n"
    "per cent of A's. The largest changes come first.\n"
    "\n"
    "  A, B                   directories of mercury run -o or mercury retime -o, or\n"
    "                         their summary.json\n"
    "  -f, --format FORMAT    text (default): all parameters, inputs and options that\n"
    "                         changed, then the simulated time and the utilisations,\n"
    "                         queues, alignments and bottlenecks that changed most;\n"
    "                         tsv or json: every number of summary.json that\n"
    "                         differs, also of passes\n"
    "  -h, --help             print this text\n"
    "\n"
    "Inputs are equal if their sequences are, whatever their files are called. Paths,\n"
    "jobs, engines and times of this computer are not compared. A run that was timed\n"
    "again does not know strands, masks and limits, which are then left out.\n"
    "\n"
    "The exit status is 0 if the runs are equal, 1 if they differ, and 2 if one of\n"
    "them cannot be read.\n"
    "\n"
    "Examples:\n"
    "  mercury diff out faster-bus\n"
    "  mercury diff out again && echo 'nothing changed'\n"
    "  mercury diff out faster-bus -f tsv | grep -w latency\n";

struct arguments {
    enum result_format format;
};

static const struct command_option options[] = {
    COMMAND_CHOICE("format", 'f', struct arguments, format, result_format_names),
    COMMAND_OPTIONS_END,
};

/* The directory of a run that is named by itself or by its summary.json. */
static void find_directory(const char *path, char directory[PATH_MAX])
{
    static const char file[] = "summary.json";
    size_t length = strlen(path);
    const char *slash = strrchr(path, '/');
    snprintf(directory, PATH_MAX, "%s", path);
    if (strcmp(slash ? slash + 1 : path, file) == 0 && length < PATH_MAX)
        snprintf(directory, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
}

static int compare(const struct run_files *a, const struct run_files *b, char **names,
                   enum result_format format, struct why *why)
{
    struct run_diff diff;
    int status = run_diff_find(a, b, &diff, why);
    if (status == 0)
        status = run_diff_save(&diff, names[0], names[1], format, why);
    bool differ = diff.count > 0;
    run_diff_free(&diff);
    return status ? status : differ ? COMMAND_FAILED : COMMAND_OK;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {0};
    struct run_files files[2] = {{0}};
    char directories[2][PATH_MAX];
    int status = command_parse("diff", options, argc, argv, 2, &a, why);
    if (status)
        return status;
    if (argc - optind < 2)
        return why_say(
            why, COMMAND_REFUSED,
            "needs the directories of two runs, e.g. mercury diff out again; see mercury help diff");
    for (int i = 0; i < 2 && status == 0; i++) {
        find_directory(argv[optind + i], directories[i]);
        status = run_files_open_numbers(directories[i], &files[i], why);
    }
    if (status == 0)
        status = compare(&files[0], &files[1], argv + optind, a.format, why);
    for (int i = 0; i < 2; i++)
        run_files_close(&files[i]);
    return status;
}

const struct command command_diff = {
    .name = "diff",
    .usage = "diff A B",
    .purpose = "say what changed from one run to another",
    .help = command_help,
    .options = options,
    .call = run_command,
};
