/* Words of commands and options come from their tables (command.h); values where an option has a choice; names of
 * parameters after --set and --vary, of machines after --platform and --machine; names of files elsewhere. */
#include "app/commands.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/command.h"
#include "sim/board/hardware.h"
#include "app/run/run_options.h"

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

static const char *const shells[] = {"bash", "zsh", "fish", NULL};
enum shell { BASH, ZSH, FISH };

/* --- words ----------------------------------------------------------------------------------------------- */

/* What is done with each option of a command, those of inner tables included. */
typedef void option_user(const struct command *command, const struct command_option *option, FILE *out);

static void each_option(const struct command *command, const struct command_option *rows, option_user *use,
                        FILE *out)
{
    for (; rows->name || rows->table; rows++) {
        if (rows->table)
            each_option(command, rows->table, use, out);
        else if (rows->value != COMMAND_IS_ANOTHER && rows->value != COMMAND_IS_GONE)
            use(command, rows, out);
    }
}

static bool takes_value(const struct command_option *option)
{
    return option->value != COMMAND_TAKES_NOTHING;
}

static bool is_named(const struct command_option *option, const char *a, const char *b)
{
    return strcmp(option->name, a) == 0 || strcmp(option->name, b) == 0;
}

static bool has_values(const struct command_option *option)
{
    return option->value == COMMAND_TAKES_CHOICE || is_named(option, "set", "vary") ||
           is_named(option, "platform", "machine");
}

/* The values of an option that has_values(), separated by blanks. */
static void write_values(const struct command_option *option, FILE *out)
{
    for (const char *const *name = option->choices; name && *name; name++)
        fprintf(out, "%s%s", name == option->choices ? "" : " ", *name);
    for (size_t i = 0; is_named(option, "set", "vary") && i < hardware_parameter_count(); i++)
        fprintf(out, "%s%s=", i == 0 ? "" : " ", hardware_parameter_name(i));
    if (is_named(option, "platform", "machine"))
        for (const struct machine_preset *p = machine_presets; p->name; p++)
            fprintf(out, "%s%s", p == machine_presets ? "" : " ", p->name);
}

static void write_commands(FILE *out)
{
    for (unsigned i = 0; commands[i]; i++)
        fprintf(out, "%s ", commands[i]->name);
    fprintf(out, "help");
}

static void write_option(const struct command *command, const struct command_option *option, FILE *out)
{
    (void)command;
    fprintf(out, "--%s ", option->name);
}

/* "run:--strand|run:-s) choices='plus minus both' ;;" */
static void write_case(const struct command *command, const struct command_option *option, FILE *out)
{
    if (!has_values(option))
        return;
    fprintf(out, "    %s:--%s", command->name, option->name);
    if (option->letter)
        fprintf(out, "|%s:-%c", command->name, option->letter);
    fprintf(out, ") choices='");
    write_values(option, out);
    fprintf(out, "' ;;\n");
}

/* Into `choices`: what may stand in the present place; empty for a file. */
static void write_choice_of_words(const char *command, const char *before, const char *present, FILE *out)
{
    fprintf(out, "    case \"%s:%s\" in\n", command, before);
    for (unsigned i = 0; commands[i]; i++)
        each_option(commands[i], commands[i]->options, write_case, out);
    fprintf(out, "    help:*) choices='");
    write_commands(out);
    fprintf(out, "' ;;\n    *)\n        case \"%s:%s\" in\n", command, present);
    for (unsigned i = 0; commands[i]; i++) {
        fprintf(out, "        %s:-*) choices='", commands[i]->name);
        each_option(commands[i], commands[i]->options, write_option, out);
        fprintf(out, "--help' ;;\n");
    }
    fprintf(out, "        esac ;;\n    esac\n");
}

/* --- scripts --------------------------------------------------------------------------------------------- */

static void write_bash(FILE *out)
{
    fprintf(out,
            "# mercury for bash; from: mercury completion bash\n"
            "_mercury() {\n"
            "    local present=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} choices=''\n"
            "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
            "        mapfile -t COMPREPLY < <(compgen -W '");
    write_commands(out);
    fprintf(out, " --help --version' -- \"$present\")\n        return\n    fi\n");
    write_choice_of_words("${COMP_WORDS[1]}", "$before", "$present", out);
    fprintf(out, "    if [ -n \"$choices\" ]; then\n"
                 "        mapfile -t COMPREPLY < <(compgen -W \"$choices\" -- \"$present\")\n"
                 "        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null\n"
                 "    fi\n"
                 "    if [ \"${#COMPREPLY[@]}\" -eq 0 ]; then\n"
                 "        compopt -o filenames 2>/dev/null\n"
                 "        mapfile -t COMPREPLY < <(compgen -f -- \"$present\")\n"
                 "    fi\n"
                 "}\n"
                 "complete -F _mercury mercury\n");
}

static void write_zsh(FILE *out)
{
    fprintf(out, "#compdef mercury\n"
                 "# mercury for zsh; from: mercury completion zsh\n"
                 "_mercury() {\n"
                 "    local present=${words[CURRENT]} before=${words[CURRENT-1]} command=${words[2]}\n"
                 "    if (( CURRENT == 2 )); then\n"
                 "        compadd -- ");
    write_commands(out);
    fprintf(out, " --help --version\n        return\n    fi\n    local choices=''\n");
    write_choice_of_words("$command", "$before", "$present", out);
    fprintf(out,
            "    if [[ $choices == *= ]]; then\n"
            "        compadd -S '' -- ${=choices}\n"
            "    elif [[ -n $choices ]]; then\n"
            "        compadd -- ${=choices}\n"
            "    else\n"
            "        _files\n"
            "    fi\n"
            "}\n"
            "if [[ $funcstack[1] == _mercury ]]; then _mercury \"$@\"; else compdef _mercury mercury; fi\n");
}

static void write_fish_option(const struct command *command, const struct command_option *option, FILE *out)
{
    fprintf(out, "complete -c mercury -n '__fish_seen_subcommand_from %s' -l %s", command->name,
            option->name);
    if (option->letter)
        fprintf(out, " -s %c", option->letter);
    if (has_values(option)) {
        fprintf(out, " -%ca '", strcmp(option->name, "platform") == 0 ? 'r' : 'x');
        write_values(option, out);
        fputc('\'', out);
    } else if (takes_value(option)) {
        fprintf(out, " -r");
    }
    fputc('\n', out);
}

static void write_fish(FILE *out)
{
    fprintf(out, "# mercury for fish; from: mercury completion fish\n");
    for (unsigned i = 0; commands[i]; i++)
        fprintf(out, "complete -c mercury -n __fish_use_subcommand -xa %s -d \"%s\"\n", commands[i]->name,
                commands[i]->purpose);
    fprintf(out, "complete -c mercury -n '__fish_seen_subcommand_from help' -xa '");
    write_commands(out);
    fprintf(out, "'\n");
    for (unsigned i = 0; commands[i]; i++)
        each_option(commands[i], commands[i]->options, write_fish_option, out);
}

static void write_script(enum shell shell, FILE *out)
{
    if (shell == BASH)
        write_bash(out);
    else if (shell == ZSH)
        write_zsh(out);
    else
        write_fish(out);
}

/* --- the command ----------------------------------------------------------------------------------------- */

static const struct command_option options[] = {COMMAND_OPTIONS_END};

static int run_command(int argc, char **argv, struct why *why)
{
    int status = command_parse("completion", options, argc, argv, 1, NULL, why);
    if (status)
        return status;
    if (optind == argc)
        return why_say(why, COMMAND_REFUSED, "needs a shell: bash, zsh or fish; see mercury help completion");
    for (unsigned i = 0; shells[i]; i++)
        if (strcmp(argv[optind], shells[i]) == 0) {
            write_script((enum shell)i, stdout);
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
