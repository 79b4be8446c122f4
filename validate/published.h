/* published.h - what a publication prints or says, beside what Mercury makes of it.
 *
 * Models    a list of values, each with the digits that are expected and ours, and statements that hold or not.
 * Judgement A value is admitted if ours rounds to the expected digits (dor2010_number()).
 * Memory    Texts belong to the caller, but a statement's evidence.
 */
#ifndef MERCURY_VALIDATE_PUBLISHED_H
#define MERCURY_VALIDATE_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>

enum { PUBLISHED_VALUES_MAX = 40, PUBLISHED_STATEMENTS_MAX = 8 };

struct published_value {
    const char *where, *quantity, *unit, *expected;
    double ours;
    bool admitted;
};

struct published_statement {
    const char *text;
    char evidence[100];
    bool holds;
};

struct published {
    struct published_value values[PUBLISHED_VALUES_MAX];
    struct published_statement statements[PUBLISHED_STATEMENTS_MAX];
    size_t value_count, statement_count;
    size_t not_admitted; /* number of values that are not admitted, and of statements that do not hold */
};

/** Add a value. @param expected  digits with or without a decimal point */
void published_add_value(struct published *out, const char *where, const char *quantity, const char *unit,
                         const char *expected, double ours);

/** Add a statement. @param evidence  a format: the numbers on which it rests */
void published_add_statement(struct published *out, const char *text, bool holds, const char *evidence, ...)
    __attribute__((format(printf, 4, 5)));

#endif
