/* command.h - what a subcommand is, how its arguments are parsed, and with which status it ends.
 *
 * A subcommand prints what it was asked for and never an error: it leaves one line in `why` and returns a status.
 * main() prints that line, or the help, and exits. Where the answer itself says that something is not so, as that of
 * mercury diff, COMMAND_FAILED has no line.
 * Options   a table with one row per option, in data/words/options.tsv. A row says what values it takes and which field
 *           of the subcommand's own struct receives the value; only options with a grammar of their own need a
 *           function. Every subcommand has --help (-h) without a row. An option that takes one value is given once.
 *           Options may be abbreviated and may stand between operands, as with getopt_long(). A row may also be the
 *           whole argument by which other programs know an option.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"

enum command_status {
    COMMAND_OK = 0,
    COMMAND_FAILED = 1,  /* the system or Mercury failed, or what the user wanted to be checked is not so */
    COMMAND_REFUSED = 2, /* bad arguments, bad input, no memory, or no place for the output */
    COMMAND_HELP = 3,    /* the user asked for the help; main() prints it and exits with COMMAND_OK */
};

/** What a row's option takes, and thereby the type of its field; the macros below fill rows. */
enum command_value {
    COMMAND_TAKES_NOTHING,  /* bool: set to true */
    COMMAND_TAKES_TEXT,     /* const char *: the argument itself */
    COMMAND_MAY_TAKE_TEXT,  /* const char *: the argument behind =, or "" without one */
    COMMAND_TAKES_TEXTS,    /* const char *[]: one more of them */
    COMMAND_TAKES_SETTINGS, /* the same, NAME=VALUE, each name once */
    COMMAND_TAKES_NUMBER,   /* double */
    COMMAND_TAKES_PERCENT,  /* double: a hundredth of the number */
    COMMAND_TAKES_WHOLE,    /* an unsigned integer of 4 or 8 bytes */
    COMMAND_TAKES_CHOICE,   /* bool or enum: `least`, 0 by default, plus the index of the name */
    COMMAND_TAKES_OWN,      /* what `take` fills */
    COMMAND_TAKES_TABLE,    /* no option, but all rows of `table` */
    /* Another spelling of the argument `expected`, alone or before =: "-db" is --database; NULL: of an option that is
     * lacked, whose first letter or whose name would be taken for another one. */
    COMMAND_IS_ANOTHER,
    COMMAND_IS_GONE, /* an option of an earlier version, with a value; `expected` says what replaces it */
};

struct command_option {
    const char *name;           /* without its dashes */
    bool repeats;               /* one that takes its own: it may be given again */
    char letter;                /* 0 if the option has none */
    enum command_value value;   /* what the option takes */
    size_t offset, size;        /* place of the field in its struct, and its bytes */
    size_t count_offset;        /* of texts: place of their number, a size_t */
    double least, most;         /* range of numbers */
    const char *expected;       /* for the message; NULL if range or choices say it */
    const char *const *choices; /* names, then NULL */
    int (*take)(void *data, const char *value, struct why *why); /* returns an enum command_status */
    const struct command_option *table;
};

/** Refuse what the user gave, with a line as why_say() has it. @return COMMAND_REFUSED */
#define why_refuse(why, ...) why_say(why, COMMAND_REFUSED, __VA_ARGS__)

/** A word that may be a command's first operand. */
struct command_word {
    const char *name;
    const struct command_option *options; /* if it has its own; NULL: those of the command */
};

struct command {
    const struct command_option *options;                /* of the command without a second word */
    int (*call)(int argc, char **argv, struct why *why); /* returns an enum command_status */
    const struct command_word *words;                    /* the last has no name; NULL: there are none */
};

/* clang-format off */
#define COMMAND_FIELD(option, short_name, kind, type, member) \
    .name = (option), .letter = (short_name), .value = (kind), \
    .offset = offsetof(type, member), .size = sizeof((type *)0)->member
#define COMMAND_RANGE(short_name, kind, type, member, from, to, option, text) \
    {COMMAND_FIELD(option, short_name, kind, type, member), .least = (from), .most = (to), .expected = (text)}

#define COMMAND_FLAG(short_name, type, member, option) \
    {COMMAND_FIELD(option, short_name, COMMAND_TAKES_NOTHING, type, member)}
#define COMMAND_TEXT(short_name, type, member, option) \
    {COMMAND_FIELD(option, short_name, COMMAND_TAKES_TEXT, type, member)}
#define COMMAND_MAYBE_TEXT(type, member, option) {COMMAND_FIELD(option, 0, COMMAND_MAY_TAKE_TEXT, type, member)}
#define COMMAND_TEXTS(short_name, type, member, count, option) \
    {COMMAND_FIELD(option, short_name, COMMAND_TAKES_TEXTS, type, member), .count_offset = offsetof(type, count)}
#define COMMAND_SETTINGS(short_name, type, member, count, option) \
    {COMMAND_FIELD(option, short_name, COMMAND_TAKES_SETTINGS, type, member), .count_offset = offsetof(type, count)}
#define COMMAND_NUMBER(short_name, type, member, from, to, option, text) \
    COMMAND_RANGE(short_name, COMMAND_TAKES_NUMBER, type, member, from, to, option, text)
#define COMMAND_PERCENT(short_name, type, member, from, to, option, text) \
    COMMAND_RANGE(short_name, COMMAND_TAKES_PERCENT, type, member, from, to, option, text)
#define COMMAND_WHOLE(short_name, type, member, from, to, option, text) \
    COMMAND_RANGE(short_name, COMMAND_TAKES_WHOLE, type, member, from, to, option, text)
#define COMMAND_CHOICE(short_name, type, member, names, option) \
    COMMAND_CHOICE_FROM(short_name, type, member, 0, names, option)
#define COMMAND_CHOICE_FROM(short_name, type, member, first, names, option) \
    {COMMAND_FIELD(option, short_name, COMMAND_TAKES_CHOICE, type, member), .least = (first), .choices = (names)}
#define COMMAND_OWN(short_name, function, option) \
    {.name = (option), .letter = (short_name), .value = COMMAND_TAKES_OWN, .take = (function)}
#define COMMAND_OWN_REPEATED(function, option) \
    {.name = (option), .value = COMMAND_TAKES_OWN, .take = (function), .repeats = true}
#define COMMAND_SPELLING(argument, option) \
    {.name = (argument), .value = COMMAND_IS_ANOTHER, .expected = (option)}
#define COMMAND_GONE(option, replacement) \
    {.name = (option), .value = COMMAND_IS_GONE, .expected = (replacement)}
#define COMMAND_TABLE(rows, type, member) \
    {.value = COMMAND_TAKES_TABLE, .offset = offsetof(type, member), .table = (rows)}
#define COMMAND_OPTIONS_END {.name = NULL}
/* A row of data/words/options.tsv, and a table that is there. */
#define COMMAND_ROW(KIND, ...) COMMAND_##KIND(__VA_ARGS__)
#define COMMAND_OPTIONS(ROWS) {ROWS(COMMAND_ROW) COMMAND_OPTIONS_END}
/* clang-format on */

/** Fill the subcommand's struct from its options; getopt's optind is then the index of the first operand. What an
 *  earlier call has filled, such as that for a file of options, is replaced; texts are added.
 *
 * @param command        its name, for "see mercury help ..."
 * @param operands_most  number of arguments without dashes that it takes at most
 * @param data           the struct that the rows' fields are in, with its defaults
 * @return COMMAND_OK, COMMAND_HELP, or another status and one line; optind - 1 is then the argument at fault
 */
int command_parse(const char *command, const struct command_option *options, int argc, char **argv,
                  int operands_most, void *data, struct why *why);

/** Say that a subcommand does not take this operand. @return COMMAND_REFUSED */
int command_refuse_operand(const char *command, const struct command_option *options, const char *operand,
                           struct why *why);

/** Say what an option expected instead of its value. @param option  with its dashes. @return COMMAND_REFUSED */
int command_refuse(const char *option, const char *value, const char *expected, struct why *why);

/** Whether a table, or one that it includes, has an option of this name. */
bool command_has_option(const struct command_option *options, const char *name);

/** A number (number.h) that is the whole text. @return 0, or -1 if it is none or out of range */
int command_number(const char *text, double least, double most, double *number);

/** A whole number (number.h) that is the whole text, up to 2^53: 4096, 2^12, 12.5M. @return 0 or -1 */
int command_whole(const char *text, double least, double most, uint64_t *number);

/** The status for what a module returned: its negative codes refuse the input. What is not negative is returned as it
 *  is. */
int command_status_of(int error);
