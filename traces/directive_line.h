/* directive_line.h - a line of a file of directives as tokens, and refusals that name line and column.
 *
 * Use       directive.c and directive_file.c only; the language is in directive.h.
 * Errors    everything that returns bool leaves one line in `why` when it returns false.
 */
#ifndef MERCURY_TRACES_DIRECTIVE_LINE_H
#define MERCURY_TRACES_DIRECTIVE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"

enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_MARK, TOKEN_END };

struct token {
    enum token_kind kind;
    const char *text; /* not terminated */
    size_t length;
};

struct directive_line {
    const char *file;
    unsigned number; /* from 1 */
    const char *begin, *end;
    struct token token; /* the next one */
    struct why *why;
};

#define WHOLE_MOST 9007199254740992.0 /* 2^53: beyond, a double is not every whole number */

/** The token at or after a place. */
struct token token_at(const char *text, const char *end);
bool token_is(const struct token *token, const char *text);

/** The token after the next one. */
struct token line_second(const struct directive_line *line);

void line_advance(struct directive_line *line);

/** Take the next token if it is this word or mark; leaves nothing in `why`. */
bool line_take(struct directive_line *line, const char *text);

/** Take it, or refuse. */
bool line_demand(struct directive_line *line, const char *text, const char *expected);

bool line_take_number(struct directive_line *line, const char *expected, double *value);
bool line_take_whole(struct directive_line *line, double least, double most, const char *expected,
                     uint64_t *value);

/** Refuse: found this token, expected that; `nearest` may be NULL. Returns false. */
bool line_refuse(struct directive_line *line, const struct token *token, const char *expected,
                 const char *nearest);

/** Refuse at a place, in words of one's own. Returns false. */
__attribute__((format(printf, 3, 4))) bool line_refuse_at(struct directive_line *line, const char *where,
                                                          const char *format, ...);

/** "a, b, c" within brackets, for what was expected; what does not fit becomes "...". */
enum { EXPECTED_MAX = 512 };

struct expected {
    char text[EXPECTED_MAX];
    size_t length;
    bool is_full;
};

__attribute__((format(printf, 2, 3))) void expected_begin(struct expected *expected, const char *format, ...);
void expected_add(struct expected *expected, const char *name);
const char *expected_end(struct expected *expected);

#endif
