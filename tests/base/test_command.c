/* test_command.c - options into fields, and every message of a parser that refuses. */
#include "base/command.h"

#include <check.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "tests/run_suite.h"

enum { WORDS_MAX = 3 };

struct inner {
    double fraction, share;
};

struct fields {
    bool quiet, events;
    const char *path, *words[WORDS_MAX];
    size_t word_count;
    uint64_t length;
    unsigned jobs;
    unsigned kind; /* 1: plus, 2: minus */
    struct inner inner;
    const char *taken;
    const char *settings[WORDS_MAX], *others[WORDS_MAX];
    size_t setting_count, other_count;
};

static int take_own(void *data, const char *value, struct why *why)
{
    struct fields *f = data;
    f->taken = value;
    return strcmp(value, "bad") != 0 ? 0 : command_refuse("--own", value, "anything else", why);
}

static const char *const engines[] = {"fast", "events", NULL};
static const char *const kinds[] = {"plus", "minus", "both", NULL};

static const struct command_option inner_options[] = {
    COMMAND_NUMBER(0, struct inner, fraction, 0, 1, "fraction", NULL),
    COMMAND_PERCENT(0, struct inner, share, 1, 100, "share", "a percentage from 1 to 100"),
    COMMAND_OPTIONS_END,
};

static const struct command_option options[] = {
    COMMAND_FLAG('y', struct fields, quiet, "quiet"),
    COMMAND_TEXT('p', struct fields, path, "path"),
    COMMAND_TEXTS(0, struct fields, words, word_count, "word"),
    COMMAND_WHOLE('l', struct fields, length, 1, 1e12, "length", NULL),
    COMMAND_WHOLE('j', struct fields, jobs, 1, 1024, "jobs", NULL),
    COMMAND_CHOICE(0, struct fields, events, engines, "engine"),
    COMMAND_CHOICE_FROM(0, struct fields, kind, 1, kinds, "kind"),
    COMMAND_OWN(0, take_own, "own"),
    COMMAND_OWN_REPEATED(take_own, "often"),
    COMMAND_SETTINGS(0, struct fields, settings, setting_count, "set"),
    COMMAND_SETTINGS(0, struct fields, others, other_count, "vary"),
    COMMAND_TABLE(inner_options, struct fields, inner),
    COMMAND_SPELLING("-file", "--path"),
    COMMAND_SPELLING("-pathname", "--path"),
    COMMAND_OPTIONS_END,
};

enum { ARGUMENTS_MAX = 32, OPERANDS_MOST = 2 };

static struct why why;

/* Parse words as the arguments of "mercury test". */
static int parse(struct fields *f, const char *line)
{
    static char text[512];
    char *argv[ARGUMENTS_MAX + 1] = {"test"};
    int argc = 1;
    *f = (struct fields){.jobs = 7};
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word && argc < ARGUMENTS_MAX; word = strtok(NULL, " "))
        argv[argc++] = word;
    return command_parse("test", options, argc, argv, OPERANDS_MOST, f, &why);
}

START_TEST(test_options_fill_their_fields)
{
    struct fields f;
    ck_assert_int_eq(parse(&f,
                           "--quiet --path=a --word b --word c -l 12.5M -j 3 --engine events --kind minus "
                           "--own d --fraction .5 --share 95"),
                     COMMAND_OK);
    ck_assert(f.quiet && f.events);
    ck_assert_str_eq(f.path, "a");
    ck_assert_uint_eq(f.word_count, 2);
    ck_assert_str_eq(f.words[0], "b");
    ck_assert_str_eq(f.words[1], "c");
    ck_assert_uint_eq(f.length, 12500000);
    ck_assert_uint_eq(f.jobs, 3);
    ck_assert_uint_eq(f.kind, 2);
    ck_assert_str_eq(f.taken, "d");
    ck_assert_double_eq(f.inner.fraction, 0.5);
    ck_assert_double_eq(f.inner.share, 95 / 100.0);
}
END_TEST

/* Options of a file are replaced by those of a further call; but each call must not contradict itself. */
START_TEST(test_a_file_gives_way)
{
    char *file[] = {"test", "--jobs=3", "--set=a=1", "--set=b=2"};
    char *arguments[] = {"test", "--jobs", "4",  "--set",  "a=5", "--often", "x", "--often",
                         "y",    "-y",     "-y", "--word", "v",   "--word",  "v"};
    struct fields f = {.jobs = 7};
    ck_assert_int_eq(command_parse("test", options, COUNT_OF(file), file, 0, &f, &why), COMMAND_OK);
    ck_assert_int_eq(command_parse("test", options, COUNT_OF(arguments), arguments, 0, &f, &why), COMMAND_OK);
    ck_assert_uint_eq(f.jobs, 4);
    ck_assert_uint_eq(f.setting_count, 3);
    ck_assert_str_eq(f.settings[2], "a=5");
    char *twice[] = {"test", "--jobs=3", "--jobs=3"}, *again[] = {"test", "--set=c=1", "--set=c=2"};
    ck_assert_int_eq(command_parse("test", options, 3, twice, 0, &f, &why), COMMAND_REFUSED);
    f = (struct fields){.jobs = 7};
    ck_assert_int_eq(command_parse("test", options, 3, again, 0, &f, &why), COMMAND_REFUSED);
    ck_assert_str_eq(why.line, "--set c is given twice: expected each name once");
}
END_TEST

START_TEST(test_what_is_not_given_keeps_its_default)
{
    struct fields f;
    ck_assert_int_eq(parse(&f, ""), COMMAND_OK);
    ck_assert_uint_eq(f.jobs, 7);
    ck_assert(!f.quiet && !f.path);
}
END_TEST

START_TEST(test_operands_may_stand_anywhere)
{
    struct fields f;
    ck_assert_int_eq(parse(&f, "one -y two"), COMMAND_OK);
    ck_assert(f.quiet);
    ck_assert_int_eq(optind, 2);
    ck_assert_int_eq(parse(&f, "one two path"), COMMAND_REFUSED);
    ck_assert_str_eq(why.line, "unexpected argument 'path'; did you mean --path? see mercury help test");
}
END_TEST

START_TEST(test_help_needs_no_row)
{
    struct fields f;
    ck_assert_int_eq(parse(&f, "-h"), COMMAND_HELP);
    ck_assert_int_eq(parse(&f, "--path x --help one two three"), COMMAND_HELP);
    ck_assert_int_eq(parse(&f, "--nonsense --help"), COMMAND_REFUSED);
}
END_TEST

static const struct {
    const char *arguments, *message;
} refusals[] = {
    {"--pathh x", "no such option '--pathh'; did you mean --path? see mercury help test"},
    {"--nonsense=5", "no such option '--nonsense'; see mercury help test"},
    {"-yx", "no such option '-yx'; see mercury help test"},
    {"one -x two", "no such option '-x'; see mercury help test"},
    {"-x -xyz", "no such option '-x'; see mercury help test"},
    {"-p -x -unknown 5", "no such option '-unknown'; see mercury help test"},
    {"one two -kinds=plus", "no such option '-kinds'; did you mean --kind? see mercury help test"},
    {"-files a", "no such option '-files'; did you mean --path? see mercury help test"},
    {"-pathnmae a", "no such option '-pathnmae'; did you mean --path? see mercury help test"},
    {"-p", "--path needs a value; see mercury help test"},
    {"--quiet=1", "--quiet takes no value; see mercury help test"},
    {"--jobs 0", "--jobs '0': expected a whole number from 1 to 1024"},
    {"--jobs 0x10", "--jobs '0x10': expected a whole number from 1 to 1024"},
    {"--jobs 1.5", "--jobs '1.5': expected a whole number from 1 to 1024"},
    {"--fraction nan", "--fraction 'nan': expected a number from 0 to 1"},
    {"--share 0.5", "--share '0.5': expected a percentage from 1 to 100"},
    {"--kind up", "--kind 'up': expected plus, minus or both"},
    {"--engine=", "--engine '': expected fast or events"},
    {"--jobs 3 --jobs 3", "--jobs is given twice: expected it once"},
    {"-p a -y --path=b", "--path is given twice: expected it once"},
    {"--kind plus --kind minus", "--kind is given twice: expected it once"},
    {"--own a --own b", "--own is given twice: expected it once"},
    {"--set a=1 --set ab=2 --set a=3", "--set a is given twice: expected each name once"},
    {"--vary a=1 --vary a=2,3", "--vary a is given twice: expected each name once"},
    {"--own bad", "--own 'bad': expected anything else"},
    {"-html", "no such option '-html'; see mercury help test"},
    {"-y -html -y", "no such option '-html'; see mercury help test"},
    {"--word a --word b --word c --word d", "too many --word: expected 3 at most"},
};

START_TEST(test_refusals_say_what_is_wrong)
{
    struct fields f;
    ck_assert_int_eq(parse(&f, refusals[_i].arguments), COMMAND_REFUSED);
    ck_assert_str_eq(why.line, refusals[_i].message);
}
END_TEST

/* "-file" would else be the option -f with the value "ile". */
START_TEST(test_spellings_of_other_programs)
{
    struct fields f;
    ck_assert_int_eq(parse(&f, "-file a -y"), 0);
    ck_assert_str_eq(f.path, "a");
    ck_assert(f.quiet);
    ck_assert_int_eq(parse(&f, "-ppathname"), 0); /* the letter, and a value that is nearer to the name */
    ck_assert_str_eq(f.path, "pathname");
    ck_assert_int_eq(parse(&f, "--file a"), COMMAND_REFUSED);
    ck_assert_str_eq(why.line, "no such option '--file'; did you mean --path? see mercury help test");
    ck_assert_int_eq(parse(&f, "-y -- -file"), 0);
    ck_assert_ptr_null(f.path);
}
END_TEST

START_TEST(test_whole_numbers)
{
    uint64_t n = 0;
    ck_assert_int_eq(command_whole("1.1M", 1, 1e12, &n), 0);
    ck_assert_uint_eq(n, 1100000);
    ck_assert_int_eq(command_whole("9007199254740992", 1, 9007199254740992.0, &n), 0);
    ck_assert_uint_eq(n, UINT64_C(1) << 53);
    ck_assert_int_eq(command_whole("4503599627370497", 1, 9007199254740992.0, &n), 0);
    ck_assert_uint_eq(n, UINT64_C(4503599627370497));
    const char *const bad[] = {"", "k", "1.0005", "1.0001k", "-1", "1e", "1 k", "1kk", "1e13", "inf"};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(command_whole(bad[i], 1, 1e12, &n) == -1, "'%s'", bad[i]);
}
END_TEST

START_TEST(test_tables_inside_tables_are_searched)
{
    ck_assert(command_has_option(options, "share"));
    ck_assert(!command_has_option(options, "shar"));
    ck_assert(!command_has_option(options, "help"));
}
END_TEST

START_TEST(test_what_failed_is_refused)
{
    ck_assert_int_eq(command_status_of(0), COMMAND_OK);
    ck_assert_int_eq(command_status_of(-2), COMMAND_REFUSED);
    ck_assert_int_eq(command_status_of(COMMAND_HELP), COMMAND_HELP);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("command");
    TCase *tcase = tcase_create("core");
    tcase_add_test(tcase, test_options_fill_their_fields);
    tcase_add_test(tcase, test_a_file_gives_way);
    tcase_add_test(tcase, test_what_is_not_given_keeps_its_default);
    tcase_add_test(tcase, test_operands_may_stand_anywhere);
    tcase_add_test(tcase, test_help_needs_no_row);
    tcase_add_loop_test(tcase, test_refusals_say_what_is_wrong, 0, sizeof refusals / sizeof refusals[0]);
    tcase_add_test(tcase, test_spellings_of_other_programs);
    tcase_add_test(tcase, test_whole_numbers);
    tcase_add_test(tcase, test_tables_inside_tables_are_searched);
    tcase_add_test(tcase, test_what_failed_is_refused);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
