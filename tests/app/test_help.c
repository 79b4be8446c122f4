/* test_help.c - the help of every command names all of its options and no others, in lines of 80 columns at most. */
#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "app/run/cmd_compare.h"
#include "app/run/cmd_measure.h"
#include "app/run/cmd_retime.h"
#include "app/run/cmd_run.h"
#include "app/sweep/cmd_advise.h"
#include "app/sweep/cmd_sweep.h"
#include "app/theory/cmd_explain.h"
#include "app/theory/cmd_predict.h"
#include "app/theory/cmd_queue.h"
#include "app/theory/cmd_replay.h"
#include "app/theory/cmd_reproduce.h"
#include "app/theory/cmd_synth.h"
#include "app/theory/cmd_validate.h"
#include "tests/run_suite.h"

enum { COLUMNS_MOST = 80 };

static const struct {
    const char *name, *help; /* NULL: cmd_measure_help() */
    const struct command_option *options;
    const char *others; /* further options, of sweep export and sweep plot */
} commands[] = {
    {"run", cmd_run_help, cmd_run_options, ""},
    {"retime", cmd_retime_help, cmd_retime_options, ""},
    {"predict", cmd_predict_help, cmd_predict_options, ""},
    {"validate", cmd_validate_help, cmd_validate_options, ""},
    {"reproduce", cmd_reproduce_help, cmd_reproduce_options, ""},
    {"replay", cmd_replay_help, cmd_replay_options, ""},
    {"queue", cmd_queue_help, cmd_queue_options, ""},
    {"compare", cmd_compare_help, cmd_compare_options, ""},
    {"sweep", cmd_sweep_help, cmd_sweep_options, " columns output "},
    {"advise", cmd_advise_help, cmd_advise_options, ""},
    {"measure", NULL, cmd_measure_options, ""},
    {"synth", cmd_synth_help, cmd_synth_options, ""},
    {"explain", cmd_explain_help, cmd_explain_options, ""},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const char *help_of(int command)
{
    return commands[command].help ? commands[command].help : cmd_measure_help();
}

/* Whether a line of the help begins with "  -x, --name", or "      --name" for an option without a letter. */
static bool is_told(const char *help, const struct command_option *row)
{
    char begin[80], letter[] = "-x,";
    letter[1] = row->letter;
    snprintf(begin, sizeof begin, "\n  %3s --%s", row->letter ? letter : "", row->name);
    const char *at = strstr(help, begin);
    return at && strchr(" \n", at[strlen(begin)]);
}

static void check_told(int command, const struct command_option *options)
{
    for (; options->name || options->table; options++) {
        if (options->table)
            check_told(command, options->table);
        else
            ck_assert_msg(is_told(help_of(command), options), "the help of %s lacks --%s",
                          commands[command].name, options->name);
    }
}

START_TEST(test_help_names_every_option)
{
    check_told(_i, commands[_i].options);
}
END_TEST

/* The option that a line of help describes; false if it describes none. */
static bool read_option(const char *line, char *name, size_t size)
{
    const char *at = line + strspn(line, " ");
    if (at[0] == '-' && isalpha((unsigned char)at[1]) && at[2] == ',')
        at += 4;
    if (at == line || at - line > 6 || strncmp(at, "--", 2) != 0)
        return false;
    snprintf(name, size, "%.*s", (int)strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-"), at + 2);
    return true;
}

START_TEST(test_options_that_help_names_exist)
{
    for (const char *line = help_of(_i); line; line = strchr(line, '\n')) {
        char name[64], other[80];
        line += *line == '\n';
        if (!read_option(line, name, sizeof name) || strcmp(name, "help") == 0)
            continue;
        snprintf(other, sizeof other, " %s ", name);
        ck_assert_msg(command_has_option(commands[_i].options, name) || strstr(commands[_i].others, other),
                      "%s has no --%s", commands[_i].name, name);
    }
}
END_TEST

START_TEST(test_help_has_lines_of_80_columns)
{
    for (const char *line = help_of(_i); *line; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") <= COLUMNS_MOST, "%s: %.100s", commands[_i].name, line);
}
END_TEST

START_TEST(test_help_teaches)
{
    const char *help = help_of(_i);
    char usage[40];
    snprintf(usage, sizeof usage, "Usage: mercury %s ", commands[_i].name);
    ck_assert_msg(strncmp(help, usage, strlen(usage)) == 0, "%.40s", help);
    ck_assert_msg(strstr(help, "\nExamples:\n") != NULL, "%s has no example", commands[_i].name);
    ck_assert_msg(strstr(help, "\n  -h, --help ") != NULL, "%s does not name --help", commands[_i].name);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("help");
    TCase *core = tcase_create("core");
    tcase_add_loop_test(core, test_help_names_every_option, 0, COMMAND_COUNT);
    tcase_add_loop_test(core, test_options_that_help_names_exist, 0, COMMAND_COUNT);
    tcase_add_loop_test(core, test_help_has_lines_of_80_columns, 0, COMMAND_COUNT);
    tcase_add_loop_test(core, test_help_teaches, 0, COMMAND_COUNT);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
