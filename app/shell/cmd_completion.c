/* Words of commands, of their first operands and of options come from their tables (command.h); values where an option
 * has a choice; names of parameters, or of inputs of predict, after --set and --vary, of machines after --platform and
 * --machine; names of files elsewhere. */
#include "app/commands.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "model/predict/predict_inputs.h"
#include "sim/board/hardware.h"
#include "app/run/run_options.h"

/* --- words ----------------------------------------------------------------------------------------------- */

/* What is done with each option of a command, "run", or of its second word, "sweep-export", those of inner tables
 * included. */
typedef void option_user(const char *command, const struct command_option *option, FILE *out);

static void each_option(const char *command, const struct command_option *rows, option_user *use, FILE *out)
{
    for (; rows->name || rows->table; rows++) {
        if (rows->table)
            each_option(command, rows->table, use, out);
        else if (rows->value != COMMAND_IS_ANOTHER && rows->value != COMMAND_IS_GONE)
            use(command, rows, out);
    }
}

static bool is_named(const struct command_option *option, const char *a, const char *b)
{
    return strcmp(option->name, a) == 0 || strcmp(option->name, b) == 0;
}

/* How many names an option sets that are known: those of mercury estimate are of its texts. */
static size_t count_names(const char *command, const struct command_option *option)
{
    return !is_named(option, "set", "vary") || strcmp(command, "estimate") == 0 ? 0
           : strcmp(command, "predict") == 0                                    ? PREDICT_INPUTS
                                                                                : hardware_parameter_count();
}

static bool has_values(const char *command, const struct command_option *option)
{
    return option->value == COMMAND_TAKES_CHOICE || count_names(command, option) > 0 ||
           is_named(option, "platform", "machine");
}

/* The values of an option that has_values(), separated by blanks. */
static void write_values(const char *command, const struct command_option *option, FILE *out)
{
    const bool predicts = strcmp(command, "predict") == 0;
    for (const char *const *name = option->choices; name && *name; name++)
        fprintf(out, "%s%s", name == option->choices ? "" : " ", *name);
    for (size_t i = 0; i < count_names(command, option); i++)
        fprintf(out, "%s%s=", i == 0 ? "" : " ",
                predicts ? predict_input_name((enum predict_input)i) : hardware_parameter_name(i));
    if (is_named(option, "platform", "machine"))
        for (const struct machine_preset *p = machine_presets; p->name; p++)
            fprintf(out, "%s%s", p == machine_presets ? "" : " ", p->name);
}

static void write_option(const char *command, const struct command_option *option, FILE *out)
{
    (void)command;
    fprintf(out, "--%s ", option->name);
}

/* "run:--strand|run:-s) choices='plus minus both' ;;" */
static void write_case(const char *command, const struct command_option *option, FILE *out)
{
    if (!has_values(command, option))
        return;
    fprintf(out, "    %s:--%s", command, option->name);
    if (option->letter)
        fprintf(out, "|%s:-%c", command, option->letter);
    fprintf(out, ") choices='");
    write_values(command, option, out);
    fprintf(out, "' ;;\n");
}

static void write_fish_option(const char *command, const struct command_option *option, FILE *out)
{
    fprintf(out, "complete -c mercury -n '__mercury_is %s' -l %s", command, option->name);
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    if (has_values(command, option)) {
        fprintf(out, " -%ca '", strcmp(option->name, "platform") == 0 ? 'r' : 'x');
        write_values(command, option, out);
        fputc('\'', out);
    } else if (option->value != COMMAND_TAKES_NOTHING && option->value != COMMAND_MAY_TAKE_TEXT) {
        fprintf(out, " -r");
    }
    fputc('\n', out);
}

static void write_options(char letter, const char *command, const struct command_option *options, FILE *out)
{
    if (letter == 'o')
        fprintf(out, "        %s:-*) choices='", command);
    each_option(command, options,
                letter == 'v'   ? write_case
                : letter == 'o' ? write_option
                                : write_fish_option,
                out);
    if (letter == 'o')
        fprintf(out, "--help' ;;\n");
}

/* The words that may be a command's first operand, and the options of each. Fish offers files beside words that have
 * their own options: a scenario may stand in their place. */
static void write_words(char letter, const char *command, const struct command_word *words, FILE *out)
{
    if (letter == 'o')
        fprintf(out, "        %s:*) [ \"$before\" != %s ] || choices='", command, command);
    else if (letter == 'f')
        fprintf(out, "complete -c mercury -n '__mercury_is %s first' -%sa '", command,
                words->options ? "" : "x");
    for (const struct command_word *w = words; w->name && (letter == 'o' || letter == 'f'); w++)
        fprintf(out, "%s%s", w == words ? "" : " ", w->name);
    if (letter == 'o' || letter == 'f')
        fputs(letter == 'o' ? "' ;;\n" : "'\n", out);
    for (; words->name && words->options; words++) {
        char both[64];
        snprintf(both, sizeof both, "%s-%s", command, words->name);
        if (letter == 's')
            fprintf(out, " %s", both);
        else
            write_options(letter, both, words->options, out);
    }
}

/* --- scripts --------------------------------------------------------------------------------------------- */

/* A script, in which % and a letter stand for what is made of the tables. Into `choices` goes what may stand in the
 * present place; nothing for a file. A line end behind the letter is none: parts end their lines. */
static const struct command_word shells[] = {{"bash", NULL}, {"zsh", NULL}, {"fish", NULL}, {NULL, NULL}};
static const char *const scripts[] = {
#include "app/completion.inc"
};

/* Write the commands (%w); those of two words, if the second has its own options (%s); a line for each (%c), for each
 * of their options' values (%v), for all options of each (%o), or for each of their options (%f). */
static void write_part(char letter, FILE *out)
{
    for (const struct command_row *c = commands; c->name; c++) {
        if (letter == 'w')
            fprintf(out, "%s%s", c->name, c[1].name ? " " : " help");
        else if (letter == 'c')
            fprintf(out, "complete -c mercury -n __fish_use_subcommand -xa %s -d \"%s\"\n", c->name,
                    c->purpose);
        if (letter == 'v' || letter == 'o' || letter == 'f')
            write_options(letter, c->name, c->command->options, out);
        if (letter != 'w' && letter != 'c' && c->command->words)
            write_words(letter, c->name, c->command->words, out);
    }
}

/* --- the command ----------------------------------------------------------------------------------------- */

static const struct command_option options[] = {COMMAND_OPTIONS_END};

static int run_command(int argc, char **argv, struct why *why)
{
    int status = command_parse("completion", options, argc, argv, 1, NULL, why);
    if (status)
        return status;
    if (optind == argc)
        return why_refuse(why, "needs a shell: bash, zsh or fish; see mercury help completion");
    for (unsigned i = 0; shells[i].name; i++)
        if (strcmp(argv[optind], shells[i].name) == 0) {
            for (const char *at = scripts[i]; *at; at++) {
                if (*at != '%') {
                    putchar(*at);
                    continue;
                }
                write_part(*++at, stdout);
                at += at[1] == '\n';
            }
            return COMMAND_OK;
        }
    return why_refuse(why, "no such shell '%.60s': expected bash, zsh or fish", argv[optind]);
}

const struct command command_completion = {options, run_command, shells};
