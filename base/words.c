#include "base/words.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <sys/param.h>

#include "base/number.h"
#include "base/printable.h"

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

static int fold(char letter)
{
    return tolower((unsigned char)letter);
}

unsigned nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][NEAREST_NAME_MAX + 1]; /* edits from a's first i, i - 1, i - 2 letters to b's first j */
    a_length = MIN(a_length, NEAREST_NAME_MAX);
    b_length = MIN(b_length, NEAREST_NAME_MAX);
    for (unsigned j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            unsigned differs = fold(a[i - 1]) != fold(b[j - 1]);
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + differs);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]))
                row[j] = least(row[j], second[j - 2] + 1, row[j]);
        }
    }
    return rows[a_length % 3][b_length];
}

void nearest_look_at(struct nearest *search, const char *known)
{
    unsigned enough =
        search->length < 6 ? search->length > 1 : ((unsigned)MIN(search->length, NEAREST_NAME_MAX) + 2) / 3;
    unsigned distance = nearest_distance(search->wanted, search->length, known, strlen(known));
    if (distance > enough || (search->name && distance >= search->distance))
        return;
    search->name = known;
    search->distance = distance;
}

void nearest_suggest(const struct nearest *search, struct why *why)
{
    if (search->name)
        why_append(why, "; did you mean %s?", search->name);
}

enum { SHOWN_MOST = 60, NUMBER_BYTES = 160 };

/* --- lines ----------------------------------------------------------------------------------------------- */

void words_begin(struct words *w, const char *text, size_t bytes)
{
    w->rest = text;
    w->stop = text + bytes;
}

bool words_next_line(struct words *w)
{
    if (w->status || w->rest == w->stop)
        return false;
    const char *end = memchr(w->rest, '\n', (size_t)(w->stop - w->rest)), *line = w->rest;
    w->rest = end ? end + 1 : w->stop;
    if (!end)
        end = w->stop;
    words_set_line(w, line, (size_t)(end - line) - (end > line && end[-1] == '\r'), w->line + 1);
    return true;
}

void words_set_line(struct words *w, const char *line, size_t length, uint64_t number)
{
    w->begin = w->at = line;
    w->end = line + length;
    w->line = number;
}

void words_drop_comment(struct words *w)
{
    const char *comment = memchr(w->at, '#', (size_t)(w->end - w->at));
    w->end = comment ? comment : w->end;
}

/* --- words ----------------------------------------------------------------------------------------------- */

static size_t plain_bytes(const char *at, const char *end)
{
    size_t length = 1;
    while (*at != ',' && at + length < end && !word_is_blank(at[length]) && at[length] != ',')
        length++;
    return length;
}

size_t word_bytes_to_blank(const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end && !word_is_blank(at[length]))
        length++;
    return length;
}

struct word words_peek(const struct words *w)
{
    const char *at = w->at;
    while (at < w->end && word_is_blank(*at))
        at++;
    if (at == w->end)
        return (struct word){NULL, 0};
    return (struct word){at, (w->word_bytes ? w->word_bytes : plain_bytes)(at, w->end)};
}

struct word words_next(struct words *w)
{
    struct word word = words_peek(w);
    w->at = word.text ? word.text + word.length : w->end;
    return word;
}

struct word words_rest(struct words *w)
{
    struct word rest = words_next(w);
    const char *end = w->end;
    while (rest.text && word_is_blank(end[-1]))
        end--;
    w->at = w->end;
    return rest.text ? (struct word){rest.text, (size_t)(end - rest.text)} : rest;
}

bool words_take(struct words *w, const char *text)
{
    return word_is(words_peek(w), text) && words_next(w).text;
}

struct word word_of(const char *text)
{
    return (struct word){text, strlen(text)};
}

bool word_is(struct word word, const char *text)
{
    return word.text && strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

struct word word_cut(struct word *rest, const char *marks)
{
    struct word word = *rest;
    for (size_t i = 0; i < rest->length; i++)
        if (rest->text[i] && strchr(marks, rest->text[i])) {
            word.length = i++;
            *rest = (struct word){rest->text + i, rest->length - i};
            return word;
        }
    *rest = (struct word){NULL, 0};
    return word;
}

char *word_copy(struct word word, char *to, size_t size)
{
    size_t length = word.length < size ? word.length : size - 1;
    if (length > 0)
        memcpy(to, word.text, length);
    to[length] = '\0';
    return to;
}

bool word_name(struct word word, char *to, size_t size)
{
    bool fits = word.length > 0 && word.length < size;
    for (size_t i = 0; i < word.length; i++)
        fits = fits && word.text[i] >= ' ' && word.text[i] <= '~';
    word_copy(word, to, size);
    return fits;
}

bool word_number(struct word word, const char *unit, double *number)
{
    char text[NUMBER_BYTES];
    return word.length > 0 && word.length < sizeof text && !memchr(word.text, '\0', word.length) &&
           number_of(word_copy(word, text, sizeof text), unit, number) == 0;
}

bool word_number_within(struct word word, double least, double most, bool whole, double *number)
{
    double value;
    if (!word_number(word, NULL, &value) || !(value >= least && value <= most) ||
        (whole && value != floor(value)))
        return false;
    *number = value;
    return true;
}

struct word_shown word_show(struct word word)
{
    struct word_shown shown;
    char copy[SHOWN_MOST + 1];
    printable_copy(shown.text, sizeof shown.text, word_copy(word, copy, sizeof copy), SHOWN_MOST);
    return shown;
}

/* --- refusing -------------------------------------------------------------------------------------------- */

int words_refuse(struct words *w, const char *at, const char *format, ...)
{
    if (w->status)
        return w->status;
    w->why->line[0] = '\0';
    if (w->file)
        why_append(w->why, "%.300s:%llu:", w->file, (unsigned long long)w->line);
    if (w->tells_column)
        why_append(w->why, "%zu:", (size_t)((at ? at : w->end) - w->begin) + 1);
    why_append(w->why, "%s", w->file ? " " : "");
    va_list arguments;
    va_start(arguments, format);
    why_append_list(w->why, format, arguments);
    va_end(arguments);
    w->at = w->end;
    return w->status = w->code;
}

/* --- names ----------------------------------------------------------------------------------------------- */

struct names names_listed(const char *const *list)
{
    struct names names = {list, sizeof *list, 0, false};
    while (list[names.count])
        names.count++;
    return names;
}

const char *names_at(struct names names, size_t i)
{
    const char *row = (const char *)names.rows + i * names.row_bytes, *name;
    if (names.inside)
        return row;
    memcpy(&name, row, sizeof name);
    return name;
}

int names_find(struct names names, struct word word)
{
    for (size_t i = 0; i < names.count; i++)
        if (word_is(word, names_at(names, i)))
            return (int)i;
    return -1;
}

const char *names_nearest(struct names names, struct word word)
{
    struct nearest search = {.wanted = word.text ? word.text : "", .length = word.length};
    for (size_t i = 0; i < names.count; i++)
        nearest_look_at(&search, names_at(names, i));
    return search.name;
}

int words_take_name(struct words *w, const char *what, struct names names)
{
    struct word word = words_next(w);
    int found = names_find(names, word);
    if (found < 0)
        words_refuse_name(w, word, what, names);
    return w->status ? -1 : found;
}

int words_refuse_name(struct words *w, struct word word, const char *what, struct names names)
{
    struct why all = {""};
    const char *nearest = names_nearest(names, word);
    for (size_t i = 0; i < names.count; i++)
        why_append(&all, "%s%s", i == 0 ? "" : i + 1 < names.count ? ", " : " or ", names_at(names, i));
    if (names.count == 0)
        why_append(&all, "a line before this one that defines it");
    if (!word.text)
        return words_refuse(w, NULL, "the line ends where %s is expected: %s", what, all.line);
    if (nearest)
        return words_refuse(w, word.text, "%s '%s' is not known; did you mean '%s'?", what,
                            word_show(word).text, nearest);
    return words_refuse(w, word.text, "%s '%s' is not known; expected %s", what, word_show(word).text,
                        all.line);
}
