/* words.h - the words of a line: what the small languages that users write have in common.
 *
 * Languages directives, estimates, chains of stages, closed networks, tables of cases, scenarios, lines of a platform.
 *           Each says which words it takes in which order; what a word is, where it stands, and how it is refused is
 *           said here.
 * Words     end at a blank or at a comma, which is a word of its own, or where the language says.
 * Failing   the first fault is kept: the line has ended with it, so that what is taken afterwards is missing, and
 *           nothing more is refused. A reader takes one thing after the other and looks at `status` once.
 * Memory    words point into the caller's text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"

/* The known name closest to a misspelt one, for "did you mean".
 *
 * Distance  optimal string alignment: insertions, deletions, substitutions and swaps of neighbours, each 1 (Damerau,
 *           CACM 7, 1964; a part of a name is edited once at most). Upper and lower case are the same.
 */

enum { NEAREST_NAME_MAX = 64 };

/** Number of edits between two names; only the first NEAREST_NAME_MAX bytes of a name count. */
unsigned nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length);

/** A search for the name nearest to `wanted`; begin with {.wanted = ..., .length = ...}. */
struct nearest {
    const char *wanted;
    size_t length;
    /* The nearest known name so far, the first of equally near ones; NULL if none is near enough. */
    const char *name;
    unsigned distance;
};

/** Look at one more known name. It is near enough if a third of the wanted name's length, or one edit, suffices;
 *  a third is rounded up from six letters on. */
void nearest_look_at(struct nearest *search, const char *known);

/** Append "; did you mean NAME?" to a line, if there is a nearest name. */
void nearest_suggest(const struct nearest *search, struct why *why);

/** A piece of a text; `text` is NULL if there is none. */
struct word {
    const char *text; /* not terminated */
    size_t length;
};

/** A line, and how far it is taken. Start with file, code and why, and words_begin() or words_set_line(). */
struct words {
    const char *file;  /* its name in messages, "FILE:LINE: "; NULL: they have no place */
    bool tells_column; /* "FILE:LINE:COLUMN: " */
    int code;          /* what `status` is after a fault */
    struct why *why;   /* then has the line that says it */
    size_t (*word_bytes)(const char *at,
                         const char *end); /* of the word that begins at `at`; NULL: as above */
    int status;                            /* 0, or `code` after a fault */
    uint64_t line;                         /* number of the line, from 1 */
    const char *begin, *at, *end;          /* the line; the next word is looked for at `at` */
    const char *rest, *stop;               /* the lines after it */
};

/* --- lines ----------------------------------------------------------------------------------------------- */

/** Begin with a text of several lines: words_next_line() goes to the first. */
void words_begin(struct words *words, const char *text, size_t bytes);

/** Go to the next line, without its line end. @return false at the end, and after a fault */
bool words_next_line(struct words *words);

/** Take a line that the caller has read. */
void words_set_line(struct words *words, const char *line, size_t length, uint64_t number);

/** Let the line end where a comment begins. */
void words_drop_comment(struct words *words);

/* --- words ----------------------------------------------------------------------------------------------- */

struct word words_peek(const struct words *words);
struct word words_next(struct words *words);

/** The rest of the line, without blanks around it; missing if it has nothing else. */
struct word words_rest(struct words *words);

/** Take the next word if it is this one. */
bool words_take(struct words *words, const char *text);

/** For languages in which only blanks end a word. */
size_t word_bytes_to_blank(const char *at, const char *end);

/** Whether a character separates words. */
static inline bool word_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

struct word word_of(const char *text);
bool word_is(struct word word, const char *text);

/** Cut off what comes before the first of some marks. @param rest  becomes what comes after it; missing without one */
struct word word_cut(struct word *rest, const char *marks);

/** Copy a word, or what has room of it. @return `to` */
char *word_copy(struct word word, char *to, size_t size);

/** Copy what has room of a word. @return whether it is a name: 1 to `size` - 1 printable ASCII characters */
bool word_name(struct word word, char *to, size_t size);

/** Whether a word is a number (number.h). */
bool word_number(struct word word, const char *unit, double *number);

/** Whether a word is a number from `least` to `most`, and a whole one if it shall be; if not, *number stays. */
bool word_number_within(struct word word, double least, double most, bool whole, double *number);

/** A word as messages show it: printable, and not long. */
struct word_shown {
    char text[256];
};
struct word_shown word_show(struct word word);

/* --- refusing -------------------------------------------------------------------------------------------- */

/** Refuse the line at a place of it, by a text as of printf().
 *
 * @param at  for the column; NULL: the end of the line
 * @return the status
 */
int words_refuse(struct words *words, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* --- names ----------------------------------------------------------------------------------------------- */

/** Names in a table, the first member of each row: a pointer to a name, or an array with the name inside. */
struct names {
    const void *rows;
    size_t row_bytes, count;
    bool inside;
};

/** Names in a list that ends with NULL. */
struct names names_listed(const char *const *list);
const char *names_at(struct names names, size_t i);

/** @return the index of a name, or -1 */
int names_find(struct names names, struct word word);

/** The name that is nearest to a word, or NULL. */
const char *names_nearest(struct names names, struct word word);

/** Take a name. @param what  for messages: a word that says what is named; @return its index, or -1: it is refused */
int words_take_name(struct words *words, const char *what, struct names names);

/** Refuse a word that is none of some names: by the nearest one, or by all of them. @return the status */
int words_refuse_name(struct words *words, struct word word, const char *what, struct names names);
