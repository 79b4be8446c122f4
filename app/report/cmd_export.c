#include "app/commands.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/file/file_uses.h"
#include "base/file/output.h"
#include "base/why.h"
#include "app/report/jsimg.h"
#include "app/report/run_files.h"

static const char command_help[] =
    "Usage: mercury export DIR --as jsimg -o FILE [options]\n"
    "\n"
    "Writes a run as a model of another program. The model has what was measured on\n"
    "the board: rates, fractions, and the places of its queues.\n"
    "\n"
    "  DIR                    the directory of mercury run -o or mercury retime -o\n"
    "      --as FORMAT        jsimg: a model of JSIMgraph (Java Modelling Tools): a\n"
    "                         source (the bus), four finite queues in tandem with\n"
    "                         blocking (1a, 1bp, 1bd, 2), and sinks\n"
    "      --arrivals FILE    take the times between words from FILE, in seconds, one\n"
    "                         per line (JMT's Replayer), instead of a gamma\n"
    "                         distribution with their measured mean and variance\n"
    "  -o, --output FILE      - is standard output (default)\n"
    "  -h, --help             print this text\n"
    "\n"
    "Examples:\n"
    "  mercury export out --as jsimg -o board.jsimg\n";

enum export_format { EXPORT_NOTHING, EXPORT_JSIMG };

struct arguments {
    const char *output, *arrivals; /* NULL if not given */
    enum export_format format;
};

static const char *const formats[] = {"jsimg", NULL};

static const struct command_option options[] = {
    {COMMAND_FIELD("as", 0, COMMAND_TAKES_CHOICE, struct arguments, format), .least = EXPORT_JSIMG,
     .choices = formats},
    COMMAND_TEXT("arrivals", 0, struct arguments, arrivals),
    COMMAND_TEXT("output", 'o', struct arguments, output),
    COMMAND_OPTIONS_END,
};

/* Name of the model: that of its file. */
static const char *name_of(const char *output)
{
    const char *name = output ? strrchr(output, '/') : NULL;
    name = name ? name + 1 : output;
    return name && strcmp(name, "-") != 0 ? name : "mercury.jsimg";
}

static int write_model(const struct run_files *files, const struct arguments *a, const char *arrivals,
                       struct why *why)
{
    struct output output;
    if (output_open(&output, a->output ? a->output : "-", why) != 0)
        return COMMAND_REFUSED;
    int status = jsimg_write(&files->numbers, name_of(a->output), arrivals, output.file, why);
    if (status) {
        output_discard(&output);
        return status;
    }
    return output_commit(&output, why) != 0 ? COMMAND_REFUSED : 0;
}

/* JMT needs the whole path. */
static int find_arrivals(const char *path, char found[PATH_MAX], struct why *why)
{
    if (!path || realpath(path, found))
        return 0;
    return why_say(why, COMMAND_REFUSED, "--arrivals %.400s: %s", path, strerror(errno));
}

static int check_uses(const char *directory, const struct arguments *a, struct why *why)
{
    struct file_uses uses = {0};
    run_files_note(directory, &uses);
    if (a->arrivals)
        file_uses_read(&uses, "--arrivals", a->arrivals);
    file_uses_write(&uses, "-o", a->output ? a->output : "-");
    int status = command_status_of(file_uses_check(&uses, why));
    file_uses_destroy(&uses);
    return status;
}

static int run_command(int argc, char **argv, struct why *why)
{
    struct arguments a = {0};
    struct run_files files = {0};
    char arrivals[PATH_MAX];
    int status = command_parse("export", options, argc, argv, 1, &a, why);
    if (status)
        return status;
    if (optind == argc || a.format == EXPORT_NOTHING)
        return why_say(why, COMMAND_REFUSED,
                       "needs %s, e.g. mercury export out --as jsimg -o board.jsimg; see mercury help export",
                       optind == argc ? "the directory of a run" : "a format (--as jsimg)");
    status = find_arrivals(a.arrivals, arrivals, why);
    if (status == 0)
        status = check_uses(argv[optind], &a, why);
    if (status == 0)
        status = run_files_open_numbers(argv[optind], &files, why);
    if (status == 0)
        status = write_model(&files, &a, a.arrivals ? arrivals : NULL, why);
    run_files_close(&files);
    return status;
}

const struct command command_export = {
    .name = "export",
    .usage = "export DIR --as FORMAT",
    .purpose = "write a run as another program's model",
    .help = command_help,
    .options = options,
    .call = run_command,
};
