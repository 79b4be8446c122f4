#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

enum { DIGITS_MAX = 60, BEYOND = 9999 }; /* of a number as written; a power of 10 that no double has */

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* Bytes of "-12.5"; the dots of a range, "1..2", do not belong to a number. */
static size_t decimal_length(const char *text)
{
    size_t sign = *text == '-' || *text == '+', whole = digits(text + sign), at = sign + whole;
    size_t fraction = text[at] == '.' ? digits(text + at + 1) : 0;
    if (whole + fraction == 0)
        return 0;
    bool is_range = text[at] == '.' && text[at + 1] == '.';
    return text[at] == '.' && !is_range ? at + 1 + fraction : at;
}

static bool begins(const char *text, const char *with)
{
    return with && *with && strncmp(text, with, strlen(with)) == 0;
}

/* The end of the unit with which a text begins; NULL if it begins with none. */
static const char *skip_unit(const char *text, const char *unit)
{
    if (unit && digits(unit) > 0) /* "1", "0/1": it has none */
        return NULL;
    if (begins(text, unit))
        return text + strlen(unit);
    return unit && strcmp(unit, "bytes") == 0 && *text == 'B' ? text + 1 : NULL;
}

/* What stands between a number and its unit. */
struct prefix {
    const char *text;
    int exponent; /* of 10 */
    double factor;
    bool needs_unit;
};

static const struct prefix prefixes[] = {
    {"Ki", 0, 1024.0, false},
    {"Mi", 0, 1048576.0, false},
    {"Gi", 0, 1073741824.0, false},
    {"Ti", 0, 1099511627776.0, false},
    {"k", 3, 1, false},
    {"K", 3, 1, false},
    {"M", 6, 1, false},
    {"G", 9, 1, false},
    {"T", 12, 1, false},
    {"m", -3, 1, true},
    {"u", -6, 1, true},
    {"n", -9, 1, true},
};

/* The prefix with which a text begins, and the end of it and of its unit; or no prefix. */
static const struct prefix *find_prefix(const char *text, const char *unit, const char **end)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const struct prefix *p = &prefixes[i];
        if (!begins(text, p->text))
            continue;
        const char *after = text + strlen(p->text), *unit_end = skip_unit(after, unit);
        if (p->needs_unit && !unit_end)
            continue;
        *end = unit_end ? unit_end : after;
        return p;
    }
    return NULL;
}

static double decimal(const char *text, size_t length, long exponent)
{
    char copy[DIGITS_MAX + 24];
    snprintf(copy, sizeof copy, "%.*se%ld", (int)length, text, exponent);
    return strtod(copy, NULL);
}

const char *number_read(const char *text, const char *unit, struct number *number)
{
    const size_t length = decimal_length(text);
    const char *e = text + length;
    const size_t sign = *e && (e[1] == '-' || e[1] == '+'),
                 power = *e == 'e' || *e == 'E' ? digits(e + 1 + sign) : 0; /* digits of "e-6" */
    const char *end = power > 0 ? e + 1 + sign + power : e, *unit_end = skip_unit(end, unit);
    if (length == 0 || end - text > DIGITS_MAX)
        return NULL;
    const long exponent = power > 0 ? MAX(-BEYOND, MIN(strtol(e + 1, NULL, 10), BEYOND)) : 0;
    const struct prefix *prefix = unit_end ? NULL : find_prefix(end, unit, &unit_end);
    *number =
        (struct number){.value = prefix ? prefix->factor * decimal(text, length, exponent + prefix->exponent)
                                        : decimal(text, length, exponent)};
    if (*end == '^') {
        const size_t count = digits(end + 1);
        if (count == 0 || count > 4 || !(number->value > 1))
            return NULL;
        number->base = number->value;
        number->value = pow(number->base, decimal(end + 1, count, 0));
        end += 1 + count;
    } else if (unit_end) {
        end = unit_end;
    }
    return isfinite(number->value) ? end : NULL;
}

char *number_put_whole(char *at, uint64_t number)
{
    char digits[NUMBER_DIGITS], *first = digits + NUMBER_DIGITS;
    do
        *--first = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return mempcpy(at, first, (size_t)(digits + NUMBER_DIGITS - first));
}

int number_of(const char *text, const char *unit, double *value)
{
    struct number number;
    const char *end = number_read(text, unit, &number);
    if (!end || *end)
        return -1;
    *value = number.value;
    return 0;
}
