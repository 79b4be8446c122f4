#include "base/command.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#include "base/memory.h"
#include "base/words.h"
#include "base/number.h"

enum { ROWS_MAX = 64, OPTION_HELP = 'h', OPTION_FIRST = 256 };

/* A table without its inner tables, and as getopt_long() takes it. */
struct parser {
    const char *command;
    const struct command_option *rows[ROWS_MAX];
    size_t offsets[ROWS_MAX]; /* each row's struct, in the subcommand's */
    size_t count;
    const struct command_option *spellings[ROWS_MAX];
    size_t spelling_count;
    struct option options[ROWS_MAX + 2]; /* with --help and the end */
    char letters[2 * ROWS_MAX + 3];
};

/* --- values ---------------------------------------------------------------------------------------------- */

int command_number(const char *text, double least, double most, double *number)
{
    return number_of(text, NULL, number) == 0 && *number >= least && *number <= most ? 0 : -1;
}

int command_whole(const char *text, double least, double most, uint64_t *number)
{
    double value;
    if (command_number(text, least, most, &value) != 0 || value != floor(value))
        return -1;
    *number = (uint64_t)value;
    return 0;
}

int command_refuse(const char *option, const char *value, const char *expected, struct why *why)
{
    return why_refuse(why, "%s '%.60s': expected %s", option, value, expected);
}

static int refuse_value(const struct command_option *row, const char *value, const char *expected,
                        struct why *why)
{
    char option[40];
    snprintf(option, sizeof option, "--%s", row->name);
    return command_refuse(option, value, expected, why);
}

static void store(const struct command_option *row, void *field, uint64_t value)
{
    if (row->size == sizeof(bool))
        *(bool *)field = value != 0;
    else if (row->size == sizeof(uint32_t))
        memcpy(field, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
    else
        memcpy(field, &value, sizeof value);
}

static int take_number(const struct command_option *row, const char *value, void *field, struct why *why)
{
    const bool whole = row->value == COMMAND_TAKES_WHOLE;
    double number;
    char range[80];
    snprintf(range, sizeof range, whole ? "a whole number from %.0f to %.0f" : "a number from %g to %g",
             row->least, row->most);
    if (command_number(value, row->least, row->most, &number) != 0 || (whole && number != floor(number)))
        return refuse_value(row, value, row->expected ? row->expected : range, why);
    if (whole)
        store(row, field, (uint64_t)number);
    else
        *(double *)field = row->value == COMMAND_TAKES_PERCENT ? number / 100 : number;
    return COMMAND_OK;
}

static int take_value(const struct command_option *row, const char *value, char *data, struct why *why)
{
    void *field = data + row->offset;
    size_t *count;
    struct why names = {""};
    struct nearest search = {.wanted = value, .length = value ? strlen(value) : 0};
    switch (row->value) {
    case COMMAND_TAKES_NOTHING:
        *(bool *)field = true;
        return COMMAND_OK;
    case COMMAND_MAY_TAKE_TEXT:
        *(const char **)field = value ? value : "";
        return COMMAND_OK;
    case COMMAND_TAKES_TEXT:
        *(const char **)field = value;
        return COMMAND_OK;
    case COMMAND_TAKES_TEXTS:
    case COMMAND_TAKES_SETTINGS:
        count = (size_t *)(void *)(data + row->count_offset);
        if (*count == row->size / sizeof value)
            return why_refuse(why, "too many --%s: expected %zu at most", row->name, *count);
        ((const char **)field)[(*count)++] = value;
        return COMMAND_OK;
    case COMMAND_TAKES_NUMBER:
    case COMMAND_TAKES_PERCENT:
    case COMMAND_TAKES_WHOLE:
        return take_number(row, value, field, why);
    case COMMAND_TAKES_CHOICE:
        for (unsigned i = 0; row->choices[i]; i++) {
            if (strcmp(value, row->choices[i]) == 0) {
                store(row, field, (uint64_t)row->least + i);
                return COMMAND_OK;
            }
            why_append(&names, "%s%s", i == 0 ? "" : row->choices[i + 1] ? ", " : " or ", row->choices[i]);
            nearest_look_at(&search, row->choices[i]);
        }
        refuse_value(row, value, names.line, why);
        nearest_suggest(&search, why);
        return COMMAND_REFUSED;
    case COMMAND_IS_GONE:
        return why_refuse(why, "--%s is gone: %s", row->name, row->expected);
    default:
        return row->take(data, value, why);
    }
}

/* --- options --------------------------------------------------------------------------------------------- */

static bool is_end(const struct command_option *row)
{
    return !row->name && !row->table;
}

static void add_rows(struct parser *p, const struct command_option *options, size_t offset)
{
    for (const struct command_option *row = options; !is_end(row) && p->count < ROWS_MAX; row++) {
        if (row->table) {
            add_rows(p, row->table, offset + row->offset);
            continue;
        }
        if (row->value == COMMAND_IS_ANOTHER) {
            p->spellings[p->spelling_count++] = row;
            continue;
        }
        p->rows[p->count] = row;
        p->offsets[p->count++] = offset;
    }
}

static struct parser parser_of(const char *command, const struct command_option *options)
{
    struct parser p = {.command = command,
                       .letters = ":h"}; /* the colon: getopt tells apart what is missing */
    size_t length = strlen(p.letters);
    add_rows(&p, options, 0);
    for (size_t i = 0; i < p.count; i++) {
        const struct command_option *row = p.rows[i];
        bool has_value = row->value != COMMAND_TAKES_NOTHING;
        const int argument = row->value == COMMAND_MAY_TAKE_TEXT ? optional_argument
                             : has_value                         ? required_argument
                                                                 : no_argument;
        p.options[i] =
            (struct option){row->name, argument, NULL, row->letter ? row->letter : OPTION_FIRST + (int)i};
        if (row->letter)
            p.letters[length++] = row->letter;
        if (row->letter && has_value)
            p.letters[length++] = ':';
    }
    p.options[p.count] = (struct option){"help", no_argument, NULL, OPTION_HELP};
    return p;
}

bool command_has_option(const struct command_option *options, const char *name)
{
    for (; !is_end(options); options++)
        if (options->table ? command_has_option(options->table, name) : strcmp(options->name, name) == 0)
            return true;
    return false;
}

static size_t find_row(const struct parser *p, int option)
{
    size_t i = 0;
    while (i < p->count && p->options[i].val != option)
        i++;
    return i;
}

/* Getopt takes an option's own names only, and not those by which other programs know it. A text that is made here is
 * used as long as the arguments are. */
static int respell(const struct parser *p, int argc, char **argv, struct why *why)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const struct command_option *const *s = p->spellings, *const *end = s + p->spelling_count;
        const size_t length = strcspn(argv[i], "=");
        while (s < end && (strncmp(argv[i], (*s)->name, length) != 0 || (*s)->name[length]))
            s++;
        if (s < end && !(*s)->expected)
            return why_refuse(why, "no such option '%s'; see mercury help %s", (*s)->name, p->command);
        if (s < end) /* getopt moves arguments, and does not change them */
            argv[i] = argv[i][length] ? memory_print("%s%s", (*s)->expected, argv[i] + length)
                                      : (char *)(*s)->expected;
    }
    return COMMAND_OK;
}

/* Append the option whose name is nearest to an argument's, its dashes left out, if there is one, and the command for
 * the help. */
static int advise(const struct parser *p, const char *argument, struct why *why)
{
    const bool is_begin = strncmp(argument, "--", 2) == 0;
    argument += strspn(argument, "-");
    struct nearest search = {.wanted = argument, .length = strcspn(argument, "=")};
    size_t begun = 0; /* with these letters; one alone would have been taken */
    for (size_t i = 0; i <= p->count; i++) {
        nearest_look_at(&search, p->options[i].name);
        if (is_begin && search.length > 0 && strncmp(p->options[i].name, argument, search.length) == 0)
            why_append(why, "%s --%s", begun++ > 0 ? " or" : "; did you mean", p->options[i].name);
    }
    for (size_t i = 0; i < p->spelling_count; i++) { /* "--db", "-num_thread" */
        const struct command_option *s = p->spellings[i];
        if (s->expected)
            nearest_look_at(&search, s->name + 1);
        if (search.name == s->name + 1)
            search.name = s->expected + 2;
    }
    if (begun > 1)
        search.name = NULL;
    if (search.name)
        why_append(why, "; did you mean --%s? see mercury help %s", search.name, p->command);
    else
        why_append(why, "%s see mercury help %s", begun > 1 ? "?" : ";", p->command);
    return COMMAND_REFUSED;
}

static int refuse_option(const struct parser *p, int option, const char *argument, struct why *why)
{
    size_t i = find_row(p, optopt);
    if (option != OPTION_HELP && (i < p->count || optopt == OPTION_HELP))
        return why_refuse(why, "--%s %s; see mercury help %s", p->options[i].name,
                          option == ':' ? "needs a value" : "takes no value", p->command);
    why_refuse(why, "no such option '%.*s'", (int)MIN(strcspn(argument, "="), 60), argument);
    return advise(p, argument, why);
}

int command_refuse_operand(const char *command, const struct command_option *options, const char *operand,
                           struct why *why)
{
    struct parser p = parser_of(command, options);
    why_refuse(why, "unexpected argument '%.60s'", operand);
    return advise(&p, operand, why);
}

/* Whether the letter that getopt has just taken or refused has others after it: getopt stays at their argument then,
 * and else is past it. */
static bool is_in_word(char *const *argv, int before)
{
    const char *last = argv[optind - 1];
    return optind == before || last[0] != '-' || !last[1];
}

/* Whether a letter and its value are rather another program's option, misspelt: "-percidentity", but not "-qquery". */
static bool is_misspelt(const struct parser *p, const char *word)
{
    struct nearest search = {.wanted = word + 1, .length = strlen(word + 1)};
    for (size_t i = 0; i < p->spelling_count; i++)
        if (p->spellings[i]->expected)
            nearest_look_at(&search, p->spellings[i]->name + 1);
    return search.name && search.length >= 5 && search.distance <= 2 &&
           search.distance < nearest_distance(word + 2, search.length - 1, search.name, strlen(search.name));
}

/* --- what is given twice --------------------------------------------------------------------------------- */

/* What has been given so far of each row. */
struct given {
    bool before[ROWS_MAX];
    size_t first[ROWS_MAX]; /* settings: those before were there */
};

static size_t count_of(const struct parser *p, size_t row, const char *data)
{
    return *(const size_t *)(const void *)(data + p->offsets[row] + p->rows[row]->count_offset);
}

static int check_given(const struct parser *p, struct given *given, size_t row, const char *value,
                       const char *data, struct why *why)
{
    const struct command_option *option = p->rows[row];
    const bool is_setting = option->value == COMMAND_TAKES_SETTINGS,
               may_repeat = option->value == COMMAND_TAKES_NOTHING || option->value == COMMAND_TAKES_TEXTS ||
                            is_setting || option->repeats;
    if (given->before[row] && !may_repeat)
        return why_refuse(why, "--%s is given twice: expected it once", option->name);
    given->before[row] = true;
    const char *const *texts = (const void *)(data + p->offsets[row] + option->offset);
    const size_t length = is_setting ? strcspn(value, "=") : 0;
    for (size_t i = given->first[row]; is_setting && value[length] && i < count_of(p, row, data); i++)
        if (strncmp(texts[i], value, length + 1) == 0)
            return why_refuse(why, "--%s %.*s is given twice: expected each name once", option->name,
                              (int)length, value);
    return COMMAND_OK;
}

int command_parse(const char *command, const struct command_option *options, int argc, char **argv,
                  int operands_most, void *data, struct why *why)
{
    struct parser p = parser_of(command, options);
    struct given given = {{false}, {0}};
    for (size_t row = 0; row < p.count; row++)
        if (p.rows[row]->value == COMMAND_TAKES_SETTINGS)
            given.first[row] = count_of(&p, row, data);
    int option, status = respell(&p, argc, argv, why);
    opterr = 0;
    optind = 0; /* glibc's getopt starts afresh */
    for (int before = 1; status == COMMAND_OK; before = optind) {
        if ((option = getopt_long(argc, argv, p.letters, p.options, NULL)) == -1)
            break;
        if (option == OPTION_HELP || option == ':' || option == '?') {
            const bool in_word = is_in_word(argv, before); /* "-html" of another program */
            return option == OPTION_HELP && !in_word
                       ? COMMAND_HELP
                       : refuse_option(&p, option, argv[in_word ? optind : optind - 1], why);
        }
        if (optarg && optarg == argv[optind - 1] + 2 && is_misspelt(&p, argv[optind - 1]))
            return refuse_option(&p, '?', argv[optind - 1], why);
        size_t row = find_row(&p, option);
        status = check_given(&p, &given, row, optarg, data, why);
        if (status == COMMAND_OK)
            status = take_value(p.rows[row], optarg, (char *)data + p.offsets[row], why);
    }
    if (status == COMMAND_OK && argc - optind > operands_most)
        return command_refuse_operand(command, options, argv[optind + operands_most], why);
    return status;
}

int command_status_of(int error)
{
    return error >= 0 ? error : COMMAND_REFUSED;
}
