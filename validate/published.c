#include "validate/published.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "validate/dor2010.h"

void published_add_value(struct published *out, const char *where, const char *quantity, const char *unit,
                         const char *expected, double ours)
{
    assert(out->value_count < PUBLISHED_VALUES_MAX);
    const struct dor2010_number printed = dor2010_number(expected);
    bool admitted = ours >= printed.low && ours <= printed.high;
    out->values[out->value_count++] =
        (struct published_value){where, quantity, unit, expected, ours, admitted};
    out->not_admitted += !admitted;
}

void published_add_statement(struct published *out, const char *text, bool holds, const char *evidence, ...)
{
    assert(out->statement_count < PUBLISHED_STATEMENTS_MAX);
    struct published_statement *s = &out->statements[out->statement_count++];
    va_list arguments;
    *s = (struct published_statement){.text = text, .holds = holds};
    va_start(arguments, evidence);
    vsnprintf(s->evidence, sizeof s->evidence, evidence, arguments);
    va_end(arguments);
    out->not_admitted += !holds;
}
