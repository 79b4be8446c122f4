/* range.h - numbers that a user gives, each with the range in which it makes sense. */
#ifndef MERCURY_BASE_RANGE_H
#define MERCURY_BASE_RANGE_H

#include <stddef.h>

#include "base/why.h"

struct range {
    const char *name;
    double value, least, most;
    const char *expected; /* the range in words: "1 to 16" */
};

/** Check that every value lies in its range. @return 0, or `code` and a line that names the first that does not */
int range_check(const struct range *ranges, size_t count, struct why *why, int code);

#endif
