/* test_help.c - the help of every command names all of its options and no others, in lines of 80 columns at most. */
#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "traces/directive/directive.h"
#include "sim/measure/machine_taps.h"
#include "app/commands.h"
#include "tests/run_suite.h"

enum { COLUMNS_MOST = 80 };

/* Options that only `mercury sweep export`, `plot` and `report` take. */
static const char others[] = " columns output x y by format mark keep ";

/* Whether a line of the help begins with "  -x, --name", or "      --name" for an option without a letter. */
static bool is_told(const char *help, const struct command_option *row)
{
    char begin[80], letter[] = "-x,";
    letter[1] = row->letter;
    snprintf(begin, sizeof begin, "\n  %3s --%s", row->letter ? letter : "", row->name);
    const char *at = strstr(help, begin);
    return at && strchr(" \n[", at[strlen(begin)]);
}

static void check_told(const struct command_row *command, const struct command_option *options)
{
    for (; options->name || options->table; options++) {
        if (options->table)
            check_told(command, options->table);
        else if (options->value == COMMAND_IS_ANOTHER)
            ck_assert_msg(!options->expected ||
                              command_has_option(command->command->options, options->expected + strlen("--")),
                          "%s: %s is no option", command->name, options->expected);
        else if (options->value != COMMAND_IS_GONE)
            ck_assert_msg(is_told(command->help, options), "the help of %s lacks --%s", command->name,
                          options->name);
    }
}

START_TEST(test_help_names_every_option)
{
    check_told(&commands[_i], commands[_i].command->options);
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
    for (const char *line = commands[_i].help; line; line = strchr(line, '\n')) {
        char name[64], other[80];
        line += *line == '\n';
        if (!read_option(line, name, sizeof name) || strcmp(name, "help") == 0)
            continue;
        snprintf(other, sizeof other, " %s ", name);
        ck_assert_msg(command_has_option(commands[_i].command->options, name) ||
                          (commands[_i].command == &command_sweep && strstr(others, other)),
                      "%s has no --%s", commands[_i].name, name);
    }
}
END_TEST

START_TEST(test_help_has_lines_of_80_columns)
{
    for (const char *line = commands[_i].help; *line; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") <= COLUMNS_MOST, "%s: %.100s", commands[_i].name, line);
}
END_TEST

START_TEST(test_help_teaches)
{
    const char *help = commands[_i].help;
    char usage[40];
    snprintf(usage, sizeof usage, "Usage: mercury %s ", commands[_i].name);
    ck_assert_msg(strncmp(help, usage, strlen(usage)) == 0, "%.40s", help);
    ck_assert_msg(strstr(help, "\nExamples:\n") != NULL, "%s has no example", commands[_i].name);
    ck_assert_msg(strstr(help, "\n  -h, --help ") != NULL, "%s does not name --help", commands[_i].name);
}
END_TEST

START_TEST(test_examples_of_directives_parse)
{
    const struct command_row *measure = commands;
    while (strcmp(measure->name, "measure") != 0)
        measure++;
    const char *examples = strchr(strstr(measure->help, "\nExamples:\n") + 1, '\n');
    struct directives list;
    struct why why = {""};
    ck_assert_msg(directives_parse(examples, strlen(examples), "m.tt", &machine_catalogue, &list, &why) == 0,
                  "%s", why.line);
    ck_assert_uint_eq(list.count, 5);
    directives_destroy(&list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("help");
    TCase *core = tcase_create("core");
    int command_count = 0;
    while (commands[command_count].name)
        command_count++;
    tcase_add_loop_test(core, test_help_names_every_option, 0, command_count);
    tcase_add_loop_test(core, test_options_that_help_names_exist, 0, command_count);
    tcase_add_loop_test(core, test_help_has_lines_of_80_columns, 0, command_count);
    tcase_add_loop_test(core, test_help_teaches, 0, command_count);
    tcase_add_test(core, test_examples_of_directives_parse);
    suite_add_tcase(suite, core);
    return run_suite(suite);
}
