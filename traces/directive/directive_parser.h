/* directive_parser.h - the parser of a file of directives, for directive*.c only; the language is in directive.h.
 *
 * Parts     directive_token.c splits a line into tokens and refuses them by line and column, directive.c takes a
 *           directive, directive_file.c reads the lines of a file.
 * Errors    every function that returns bool fills `why` before it returns false, unless it says otherwise.
 */
#ifndef MERCURY_TRACES_DIRECTIVE_PARSER_H
#define MERCURY_TRACES_DIRECTIVE_PARSER_H

#include "traces/directive/directive.h"

enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_MARK, TOKEN_END };

struct token {
    enum token_kind kind;
    const char *text; /* not terminated */
    size_t length;
};

struct directive_parser {
    const struct catalogue *catalogue;
    const char *file;        /* the name that messages call it */
    unsigned line;           /* number of the line, from 1 */
    const char *begin, *end; /* the line */
    struct token token;      /* the next token of the line */
    uint64_t bins;           /* of all directives so far */
    struct why *why;
};

#define WHOLE_MOST 9007199254740992.0 /* 2^53; a double cannot represent every larger whole number */

/** Take the directive of a whole line, which begins at the next token. */
bool directive_take(struct directive_parser *parser, struct directive *directive);

/** The first token at or after `text`. */
struct token token_at(const char *text, const char *end);
bool token_is(const struct token *token, const char *text);

/** The token after the next one. */
struct token parser_second(const struct directive_parser *parser);

void parser_advance(struct directive_parser *parser);

/** Take the next token if it is this word or mark; if not, `why` is left alone. */
bool parser_take(struct directive_parser *parser, const char *text);

/** Take the next token if it is this word or mark, else refuse it. */
bool parser_demand(struct directive_parser *parser, const char *text, const char *expected);

bool parser_take_number(struct directive_parser *parser, const char *expected, double *value);
bool parser_take_whole(struct directive_parser *parser, double least, double most, const char *expected,
                       uint64_t *value);

/** Say that `token` was found and something else was expected; `nearest` may be NULL. @return false */
bool parser_refuse(struct directive_parser *parser, const struct token *token, const char *expected,
                   const char *nearest);

/** Say what is wrong at a place of the line. @return false */
bool parser_refuse_at(struct directive_parser *parser, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum { EXPECTED_MAX = 512 };

/** What was expected, as text that ends with a list in brackets: "a tap (a, b, c)". "..." stands for what has no
 * room. */
struct expected {
    char text[EXPECTED_MAX];
    size_t length;
    bool is_full;
};

void expected_begin(struct expected *expected, const char *format, ...) __attribute__((format(printf, 2, 3)));
void expected_add(struct expected *expected, const char *name);
const char *expected_end(struct expected *expected);

#endif
