/* main.c - dispatches to the subcommands; the only place that prints errors and exits. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <jansson.h>

#include "base/cpu.h"
#include "base/file/file_io.h"
#include "base/memory.h"
#include "base/words.h"
#include "base/file/output.h"
#include "base/printable.h"
#include "base/shown.h"
#include "base/process/child_words.h"
#include "base/process/signals.h"
#include "app/commands.h"

static const char introduction[] =
    "mercury " MERCURY_VERSION " - a discrete-event simulator of the Mercury BLAST accelerator\n"
    "\n"
    "Sends real DNA through a cycle-approximate model of Mercury BLASTN (Washington\n"
    "University). A PCI-X bus feeds an FPGA, which finds seeds with a Bloom filter\n"
    "(stage 1a), checks them in hash tables in SRAM (1b) and extends them without\n"
    "gaps (2); the host extends the rest with gaps (3). Mercury tells what the\n"
    "machine finds, where its time goes, and what queueing theory predicts.\n"
    "\n";

static const struct command_row *find_command(const char *name)
{
    for (const struct command_row *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

static int print_general_help(void)
{
    fputs(introduction, stdout);
    for (const struct command_row *c = commands; c->name; c++)
        printf("  mercury %-28s%s\n", c->usage, c->purpose);
    printf("  mercury %-28s%s\n", "help COMMAND", "print the help of a command");
    printf("  mercury %-28s%s\n", "--version", "print the versions of it and its libraries");
    fputs("\nExit status: 0 if all is well; 1 if what was to be checked is not so, or the\n"
          "system failed; 2 if arguments or input are refused, or output cannot be\n"
          "written; 128 and its number after a signal.\n",
          stdout);
    return COMMAND_OK;
}

static int print_help(const struct command_row *command)
{
    fputs(command->help, stdout);
    return COMMAND_OK;
}

static int help(int argc, char **argv, struct why *why)
{
    const struct command_row *command = argc > 1 ? find_command(argv[1]) : NULL;
    if (argc < 2)
        return print_general_help();
    if (command)
        return print_help(command);
    why_refuse(why, "no help for '%.40s'; commands:", argv[1]);
    for (const struct command_row *c = commands; c->name; c++)
        why_append(why, "%s %s", c > commands ? "," : "", c->name);
    return COMMAND_REFUSED;
}

static int refuse_command(const char *name, struct why *why)
{
    struct nearest search = {.wanted = name, .length = strlen(name)};
    for (const struct command_row *c = commands; c->name; c++)
        nearest_look_at(&search, c->name);
    if (!*name)
        return why_refuse(why, "needs a command, e.g. mercury run -q QUERY -d DATABASE; see mercury --help");
    why_refuse(why, "no such command '%.40s'", name);
    nearest_suggest(&search, why);
    why_append(why, "%s see mercury --help", search.name ? "" : ";");
    return COMMAND_REFUSED;
}

/* A run has some tens of files open, whatever it does. What fewer are enough for would fail after its work was done. */
static int check_open_files(struct why *why)
{
    enum { LEAST = 64 };
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= LEAST)
        return COMMAND_OK;
    return why_refuse(
        why, "only %llu files may be open at a time, expected at least %d; raise the limit: ulimit -n 1024",
        (unsigned long long)files.rlim_cur, LEAST);
}

static int dispatch(int argc, char **argv, struct why *why)
{
    const char *name = argc > 1 ? argv[1] : "";
    const struct command_row *command = find_command(name);
    if (command) {
        int status = check_open_files(why);
        if (status == COMMAND_OK)
            status = command->command->call(argc - 1, argv + 1, why);
        return status == COMMAND_HELP ? print_help(command) : status;
    }
    if (strcmp(name, "help") == 0)
        return help(argc - 1, argv + 1, why);
    if (argc < 2 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return print_general_help();
    if (strcmp(name, "--version") != 0)
        return refuse_command(name, why);
    static const char *const levels[] = {
        [CPU_PORTABLE] = "none", [CPU_AVX2] = "AVX2", [CPU_AVX512] = "AVX-512"};
    puts("mercury " MERCURY_VERSION);
    shown_print(stdout, "built with " MERCURY_LIBRARIES);
    printf("vectors of this processor that are used: %s\n", levels[cpu_best_level()]);
    return COMMAND_OK;
}

static void say(const struct why *why)
{
    char line[4 * WHY_BYTES] = "mercury: "; /* names of files and values of options may contain anything */
    const size_t begin = strlen(line);
    printable_copy(line + begin, sizeof line - begin - 1, why->line, WHY_BYTES);
    strcat(line, "\n");
    file_io_write_all(STDERR_FILENO, line, strlen(line));
}

static void end_without_memory(void)
{
    struct why why;
    output_remove_partials();
    why_refuse(&why, "%s", why_error(ENOMEM));
    say(&why);
    _exit(COMMAND_REFUSED);
}

/* Where addresses are limited, a stack that cannot grow later would end the process without a word. */
enum { STACK_BYTES = 1 << 18 };

static void grow_stack(void)
{
    volatile char stack[STACK_BYTES];
    for (size_t i = sizeof stack; i > 4096; i -= 4096)
        stack[i - 1] = 0;
}

int main(int argc, char **argv)
{
    /* The first file that is opened would take the place of a standard stream that is closed. Closed output stays an
     * error: a file that is open for reading only cannot be written to. */
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR) < 0)
            break;
    signals_watch();
    memory_set_end(end_without_memory);
    if (child_words_addresses_are_limited()) {
        free(memory_take(2 * STACK_BYTES)); /* tells whether there is room */
        grow_stack();
    }
    json_set_alloc_funcs(memory_take, free);
    FILE *out = file_io_stream(STDOUT_FILENO, "w");
    stdout = out ? out : stdout;
    struct why why = {""};
    int status = dispatch(argc, argv, &why);
    if (status == COMMAND_OK && !file_io_flush(stdout))
        status = why_refuse(&why, "standard output cannot be written: %s", why_error(errno));
    if (status != COMMAND_OK)
        output_remove_partials();
    if (status != COMMAND_OK && *why.line)
        say(&why);
    return status;
}
