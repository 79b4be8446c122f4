#include "app/commands.h"

#include <getopt.h>

#include "base/command.h"
#include "base/file/output.h"
#include "base/why.h"
#include "app/report/report.h"
#include "app/report/run_files.h"

static const char command_help[] =
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

struct arguments {
    const char *output; /* NULL if not given */
};

static const struct command_option options[] = {
    COMMAND_TEXT("output", 'o', struct arguments, output),
    COMMAND_OPTIONS_END,
};

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {0};
    int status = command_parse("report", options, argc, argv, 1, &a, why);
    if (status)
        return status;
    if (optind == argc)
        return why_say(why, COMMAND_REFUSED,
                       "needs the directory of a run, e.g. mercury report out; see mercury help report");
    status = run_files_check(argv[optind], why);
    if (status == 0 && !a.output && output_hold_directory(argv[optind], why) != 0)
        status = COMMAND_REFUSED;
    return status ? status : report_write(argv[optind], a.output, NULL, why);
}

const struct command command_report = {
    .name = "report",
    .usage = "report DIR",
    .purpose = "write the page of a run, with pictures",
    .help = command_help,
    .options = options,
    .call = run_command,
};
