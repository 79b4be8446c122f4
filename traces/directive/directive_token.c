#include "traces/directive/directive_parser.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 40, FOUND_MAX = 40 };

/* --- refusing -------------------------------------------------------------------------------------------- */

bool parser_refuse_at(struct directive_parser *p, const char *where, const char *format, ...)
{
    why_say(p->why, DIRECTIVE_EREFUSED, "%.200s:%u:%zu: ", p->file, p->line, (size_t)(where - p->begin) + 1);
    va_list arguments;
    va_start(arguments, format);
    why_append_list(p->why, format, arguments);
    va_end(arguments);
    return false;
}

/* Write a token as messages show it. */
static const char *shown(const struct token *token, char *text)
{
    unsigned char first = token->length > 0 ? (unsigned char)token->text[0] : 0;
    if (token->kind == TOKEN_END)
        snprintf(text, FOUND_MAX + 16, "the end of the line");
    else if (!isprint(first))
        snprintf(text, FOUND_MAX + 16, "byte 0x%02X", (unsigned)first);
    else
        snprintf(text, FOUND_MAX + 16, "'%.*s'%s",
                 (int)(token->length < FOUND_MAX ? token->length : FOUND_MAX), token->text,
                 token->length > FOUND_MAX ? "..." : "");
    return text;
}

bool parser_refuse(struct directive_parser *p, const struct token *token, const char *expected,
                   const char *nearest)
{
    char found[FOUND_MAX + 16];
    return parser_refuse_at(p, token->text, "found %s, expected %s%s%s%s", shown(token, found), expected,
                            nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* --- tokens ---------------------------------------------------------------------------------------------- */

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t digits_at(const char *text, const char *end)
{
    size_t count = 0;
    while (text + count < end && isdigit((unsigned char)text[count]))
        count++;
    return count;
}

/* "0..130" is a number, a mark and a number; "1es" a number and a word. */
static size_t number_length(const char *text, const char *end)
{
    size_t length = digits_at(text, end), more;
    if (text + length < end && text[length] == '.' && (more = digits_at(text + length + 1, end)) > 0)
        length += 1 + more;
    if (text + length < end && (text[length] == 'e' || text[length] == 'E')) {
        size_t sign = text + length + 1 < end && (text[length + 1] == '+' || text[length + 1] == '-');
        if ((more = digits_at(text + length + 1 + sign, end)) > 0)
            length += 1 + sign + more;
    }
    return length;
}

struct token token_at(const char *text, const char *end)
{
    while (text < end && (*text == ' ' || *text == '\t'))
        text++;
    if (text == end || *text == '#')
        return (struct token){TOKEN_END, text, 0};
    if (isdigit((unsigned char)*text))
        return (struct token){TOKEN_NUMBER, text, number_length(text, end)};
    if (!is_word_byte(*text))
        return (struct token){TOKEN_MARK, text, text + 1 < end && text[0] == '.' && text[1] == '.' ? 2 : 1};
    size_t length = 1;
    while (text + length < end && is_word_byte(text[length]))
        length++;
    return (struct token){TOKEN_WORD, text, length};
}

void parser_advance(struct directive_parser *p)
{
    p->token = token_at(p->token.text + p->token.length, p->end);
}

bool token_is(const struct token *token, const char *text)
{
    return strlen(text) == token->length && memcmp(token->text, text, token->length) == 0;
}

struct token parser_second(const struct directive_parser *p)
{
    return token_at(p->token.text + p->token.length, p->end);
}

bool parser_take(struct directive_parser *p, const char *text)
{
    if (p->token.kind == TOKEN_END || !token_is(&p->token, text))
        return false;
    parser_advance(p);
    return true;
}

bool parser_demand(struct directive_parser *p, const char *text, const char *expected)
{
    return parser_take(p, text) || parser_refuse(p, &p->token, expected, NULL);
}

/* --- numbers --------------------------------------------------------------------------------------------- */

bool parser_take_number(struct directive_parser *p, const char *expected, double *value)
{
    char text[NUMBER_MAX + 1];
    if (p->token.kind != TOKEN_NUMBER || p->token.length > NUMBER_MAX)
        return parser_refuse(p, &p->token, expected, NULL);
    memcpy(text, p->token.text, p->token.length);
    text[p->token.length] = '\0';
    *value = strtod(text, NULL);
    if (!isfinite(*value))
        return parser_refuse(p, &p->token, expected, NULL);
    parser_advance(p);
    return true;
}

bool parser_take_whole(struct directive_parser *p, double least, double most, const char *expected,
                       uint64_t *value)
{
    struct token token = p->token;
    double number = 0;
    if (!parser_take_number(p, expected, &number))
        return false;
    if (number != floor(number) || number < least || number > most)
        return parser_refuse(p, &token, expected, NULL);
    *value = (uint64_t)number;
    return true;
}

/* --- what was expected ----------------------------------------------------------------------------------- */

void expected_begin(struct expected *expected, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(expected->text, EXPECTED_MAX / 2, format, arguments);
    va_end(arguments);
    expected->length = length < EXPECTED_MAX / 2 ? (size_t)length : EXPECTED_MAX / 2 - 1;
    expected->is_full = false;
}

static void expected_append(struct expected *expected, const char *text)
{
    size_t length = strlen(text);
    memcpy(expected->text + expected->length, text, length + 1);
    expected->length += length;
}

void expected_add(struct expected *expected, const char *name)
{
    static const char more[] = ", ...", end[] = ")";
    if (expected->is_full)
        return;
    expected->is_full = expected->length + 2 + strlen(name) + sizeof more + sizeof end > EXPECTED_MAX;
    if (expected->is_full) {
        expected_append(expected, more);
        return;
    }
    expected_append(expected, expected->text[expected->length - 1] == '(' ? "" : ", ");
    expected_append(expected, name);
}

const char *expected_end(struct expected *expected)
{
    expected_append(expected, ")");
    return expected->text;
}
