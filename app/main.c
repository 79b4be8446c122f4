/* main.c - dispatches to the subcommands; the only place that prints errors and exits. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/why.h"
#include "app/theory/cmd_synth.h"
#include "app/theory/cmd_predict.h"
#include "app/run/cmd_compare.h"
#include "app/sweep/cmd_advise.h"
#include "app/run/cmd_measure.h"
#include "app/run/cmd_retime.h"
#include "app/run/cmd_run.h"
#include "app/sweep/cmd_sweep.h"
#include "base/command.h"
#include "app/theory/cmd_explain.h"
#include "app/theory/cmd_reproduce.h"
#include "app/theory/cmd_validate.h"
#include "app/theory/cmd_queue.h"
#include "app/theory/cmd_replay.h"

static const char introduction[] =
    "mercury " MERCURY_VERSION " - a discrete-event simulator of the Mercury BLAST accelerator\n"
    "\n"
    "Sends real DNA through a cycle-approximate model of Mercury BLASTN (Washington\n"
    "University). A PCI-X bus feeds an FPGA, which finds seeds with a Bloom filter\n"
    "(stage 1a), checks them in hash tables in SRAM (1b) and extends them without\n"
    "gaps (2); the host extends the rest with gaps (3). Mercury tells what the\n"
    "machine finds, where its time goes, and what queueing theory predicts.\n"
    "\n";

struct command {
    const char *name;
    const char *usage; /* in the general help */
    const char *purpose;
    const char *help; /* NULL: cmd_measure_help() */
    int (*call)(int argc, char **argv, struct why *why);
};

static const struct command commands[] = {
    {"run", "run -q QUERY -d DATABASE", "compare sequences on the simulated machine", cmd_run_help, cmd_run},
    {"retime", "retime RECORD", "time a recorded run on another machine", cmd_retime_help, cmd_retime},
    {"compare", "compare --with TABLE ...", "judge Mercury by another program", cmd_compare_help,
     cmd_compare},
    {"validate", "validate SUMMARY", "compare a run with every model", cmd_validate_help, cmd_validate},
    {"predict", "predict FILE", "ask queueing theory only", cmd_predict_help, cmd_predict},
    {"reproduce", "reproduce dor2010", "compute published predictions again", cmd_reproduce_help,
     cmd_reproduce},
    {"replay", "replay RUN", "simulate a published run again", cmd_replay_help, cmd_replay},
    {"queue", "queue --lambda L --mu M", "simulate plain queues", cmd_queue_help, cmd_queue},
    {"sweep", "sweep --vary NAME=RANGE ...", "run many machines and keep the results", cmd_sweep_help,
     cmd_sweep},
    {"advise", "advise -q QUERY -d DATABASE", "find tables and FIFOs worth building", cmd_advise_help,
     cmd_advise},
    {"measure", "measure --list", "list what can be measured", NULL, cmd_measure},
    {"synth", "synth --length N", "write a synthetic genome", cmd_synth_help, cmd_synth},
    {"explain", "explain METRIC", "say what a reported number means", cmd_explain_help, cmd_explain},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const struct command *find_command(const char *name)
{
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void print_general_help(void)
{
    fputs(introduction, stdout);
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        printf("  mercury %-28s%s\n", commands[i].usage, commands[i].purpose);
    printf("  mercury %-28s%s\n", "help COMMAND", "print the help of a command");
    printf("  mercury %-28s%s\n", "--version", "print the version");
}

static int refuse_help(const char *name, struct why *why)
{
    why_say(why, 0, "no help for '%.40s'; commands:", name);
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        why_append(why, "%s %s", i > 0 ? "," : "", commands[i].name);
    return COMMAND_REFUSED;
}

static void print_help(const struct command *command)
{
    fputs(command->help ? command->help : cmd_measure_help(), stdout);
}

static int help(int argc, char **argv, struct why *why)
{
    if (argc < 2) {
        print_general_help();
        return COMMAND_OK;
    }
    const struct command *command = find_command(argv[1]);
    if (!command)
        return refuse_help(argv[1], why);
    print_help(command);
    return COMMAND_OK;
}

static int dispatch(int argc, char **argv, struct why *why)
{
    const char *name = argc > 1 ? argv[1] : "";
    const struct command *command = find_command(name);
    if (command) {
        int status = command->call(argc - 1, argv + 1, why);
        if (status != COMMAND_HELP)
            return status;
        print_help(command);
        return COMMAND_OK;
    }
    if (strcmp(name, "help") == 0)
        return help(argc - 1, argv + 1, why);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(1, argv, why);
    if (strcmp(name, "--version") == 0) {
        puts("mercury " MERCURY_VERSION);
        return COMMAND_OK;
    }
    if (*name)
        return why_say(why, COMMAND_REFUSED, "no command '%.40s'; see mercury --help", name);
    return why_say(why, COMMAND_REFUSED,
                   "needs a command, e.g. mercury run -q QUERY -d DATABASE; see mercury --help");
}

/* Where a standard stream is closed, the first file that is opened would take its place. Closed output stays an error:
 * what is open for reading only cannot be written to. */
static void occupy_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR) < 0)
            return;
}

/* Names of files and values of options may hold anything; an error is one line. */
static void make_one_line(char *text)
{
    for (; *text; text++)
        if (iscntrl((unsigned char)*text))
            *text = '?';
}

int main(int argc, char **argv)
{
    occupy_standard_streams();
    struct why why = {""};
    int status = dispatch(argc, argv, &why);
    if (status == COMMAND_OK && (fflush(stdout) != 0 || ferror(stdout)))
        status = why_say(&why, COMMAND_REFUSED, "standard output cannot be written");
    make_one_line(why.line);
    if (status != COMMAND_OK)
        fprintf(stderr, "mercury: %s\n", why.line);
    return status;
}
