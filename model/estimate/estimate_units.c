#include "model/estimate/estimate_units.h"

#include <ctype.h>
#include <string.h>

#include "base/number.h"

enum { TEXT_BYTES = 64, UNITS_MOST = 5 };

static const struct {
    const char *expected;
    const char *units[UNITS_MOST]; /* up to the first NULL */
} kinds[] = {
    [ESTIMATE_COUNT] = {"a number, such as 16 or 2.7G", {""}},
    [ESTIMATE_BYTES] = {"bytes, such as 64 KiB", {"B"}},
    [ESTIMATE_BYTES_RATE] = {"bytes per second, such as 895 MB/s", {"B/s", "bit/s"}},
    [ESTIMATE_RATE] = {"operations per second, such as 133 M/s", {"/s", "Hz", "op/s", "flop/s"}},
    [ESTIMATE_TIME] = {"a time, such as 50 us", {"s"}},
};

const char *estimate_units_expected(enum estimate_kind kind)
{
    return kinds[kind].expected;
}

/* Digits are another number: "4 5" is not 45. */
static bool can_be_unit(const char *unit, size_t length)
{
    bool can = true;
    for (size_t i = 0; i < length; i++)
        can = can && (isalpha((unsigned char)unit[i]) || unit[i] == '/');
    return can;
}

bool estimate_units_read(const char *word, size_t length, const char *unit, size_t unit_length,
                         enum estimate_kind kind, double *number)
{
    char text[TEXT_BYTES];
    if (length == 0 || length + unit_length >= sizeof text || !can_be_unit(unit, unit_length))
        return false;
    memcpy(text, word, length);
    if (unit_length > 0)
        memcpy(text + length, unit, unit_length);
    text[length + unit_length] = '\0';
    if (strlen(text) < length + unit_length)
        return false; /* a NUL is among them */
    for (unsigned i = 0; i < UNITS_MOST && kinds[kind].units[i]; i++)
        if (number_of(text, kinds[kind].units[i], number) == 0) {
            size_t end = strlen(text), bits = strlen("bit/s");
            if (end > bits && strcmp(text + end - bits, "bit/s") == 0)
                *number /= 8;
            return true;
        }
    return false;
}
