/* main.c - dispatches to the subcommands; the only place that prints errors and exits. */
#include <stdio.h>
#include <string.h>

#include "sim/cmd_run.h"
#include "sim/command.h"
#include "validate/comparison.h"

static const char general_help[] =
    "mercury " MERCURY_VERSION " - a discrete-event simulator of the Mercury BLAST accelerator\n"
    "\n"
    "Real DNA through a cycle-approximate model of Mercury BLASTN (Washington University): a PCI-X bus feeds "
    "an FPGA\n"
    "that finds seeds with a Bloom filter (1a), checks them in SRAM hash tables (1b) and extends them "
    "without gaps (2);\n"
    "the host extends what is left with gaps (3). Mercury tells what was found, where the time went, and "
    "what queueing\n"
    "theory would have said.\n"
    "\n"
    "  mercury run -q QUERY -d DATABASE    compare sequences on the simulated machine\n"
    "  mercury help [COMMAND]              this text, or that of a command\n"
    "  mercury --version\n";

/* run_validator: theory beside a run's measurements. */
static int validate_run(const struct frame *frame, const struct frame_layout *layout, FILE *tsv, FILE *text)
{
    struct comparison comparison;
    int status = comparison_make(frame, layout, &comparison);
    if (status == 0 && tsv)
        status = comparison_write_tsv(&comparison, tsv);
    if (status == 0 && text)
        status = comparison_write_text(&comparison, text);
    return status;
}

static int help(int argc, char **argv, char *why, size_t why_size)
{
    if (argc < 2) {
        fputs(general_help, stdout);
        return COMMAND_OK;
    }
    if (strcmp(argv[1], "run") == 0) {
        fputs(cmd_run_help, stdout);
        return COMMAND_OK;
    }
    snprintf(why, why_size, "no help for '%.40s'; commands: run", argv[1]);
    return COMMAND_REFUSED;
}

static int dispatch(int argc, char **argv, char *why, size_t why_size)
{
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "run") == 0)
        return cmd_run(argc - 1, argv + 1, validate_run, why, why_size);
    if (strcmp(command, "help") == 0)
        return help(argc - 1, argv + 1, why, why_size);
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0)
        return help(1, argv, why, why_size);
    if (strcmp(command, "--version") == 0) {
        puts("mercury " MERCURY_VERSION);
        return COMMAND_OK;
    }
    if (*command)
        snprintf(why, why_size, "no command '%.40s'; see mercury --help", command);
    else
        snprintf(why, why_size, "needs a command, e.g. mercury run -q QUERY -d DATABASE; see mercury --help");
    return COMMAND_REFUSED;
}

int main(int argc, char **argv)
{
    char why[COMMAND_WHY_BYTES] = "";
    int status = dispatch(argc, argv, why, sizeof why);
    if (status == COMMAND_OK && (fflush(stdout) != 0 || ferror(stdout))) {
        snprintf(why, sizeof why, "standard output cannot be written");
        status = COMMAND_REFUSED;
    }
    if (status != COMMAND_OK)
        fprintf(stderr, "mercury: %s\n", why);
    return status;
}
