#include "app/commands.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "app/shell/completion.h"

static const char command_help[] =
    "Usage: mercury completion SHELL\n"
    "\n"
    "Prints the script by which a shell completes commands, options, their values,\n"
    "parameters after --set and machines after -p. meson install puts the scripts\n"
    "where the shells look for them.\n"
    "\n"
    "  SHELL                  bash, zsh or fish\n"
    "  -h, --help             print this text\n"
    "\n"
    "Examples:\n"
    "  source <(mercury completion bash)\n"
    "  mercury completion zsh > ~/.zfunc/_mercury  # a directory of $fpath\n"
    "  mercury completion fish > ~/.config/fish/completions/mercury.fish\n";

static const struct command_option options[] = {COMMAND_OPTIONS_END};

static int run_command(int argc, char **argv, struct why *why)
{
    int status = command_parse("completion", options, argc, argv, 1, NULL, why);
    if (status)
        return status;
    if (optind == argc)
        return why_say(why, COMMAND_REFUSED, "needs a shell: bash, zsh or fish; see mercury help completion");
    for (unsigned i = 0; completion_shells[i]; i++)
        if (strcmp(argv[optind], completion_shells[i]) == 0) {
            completion_write((enum completion_shell)i, stdout);
            return COMMAND_OK;
        }
    return why_say(why, COMMAND_REFUSED, "no such shell '%.60s': expected bash, zsh or fish", argv[optind]);
}

const struct command command_completion = {
    .name = "completion",
    .usage = "completion SHELL",
    .purpose = "print the script for a shell",
    .help = command_help,
    .options = options,
    .call = run_command,
};
