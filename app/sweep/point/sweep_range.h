/* sweep_range.h - the values that a parameter takes in a sweep, parsed from text.
 *
 * Text      NAME=ITEM,ITEM,...   An item is a value ("64", "xxh3", "2^14", "133e6") or a range:
 *               2^14..2^20       every power of the base
 *               16..20           every whole number
 *               32..512+32       steps of 32, none beyond 512
 *               1e6..8e6*2       factors of 2
 * Order     as written; a value that is written twice counts once.
 * Errors    a negative SWEEP_E* code and one line: what was found, and what a range looks like.
 */
#pragma once

#include <stddef.h>

#include "base/why.h"

enum sweep_error {
    SWEEP_EMEMORY = -1,
    SWEEP_ERANGE = -2, /* the text is not a range, or the parameter does not allow a value in it */
};

enum { SWEEP_VALUES_MAX = 10000, SWEEP_VALUE_TEXT = 64 };

struct sweep_axis {
    size_t parameter; /* of hardware.h */
    const char *name; /* of that parameter */
    char (*values)[SWEEP_VALUE_TEXT];
    size_t count, room;
};

/** Write a value as whatever it is for writes it. @return 0, or negative and one line if it does not allow the value */
typedef int sweep_value_write(void *data, const char *text, char value[SWEEP_VALUE_TEXT], struct why *why);

/** Parse the values of an axis, whose name and parameter the caller has set.
 *
 * @param items  what stands after the =; NULL: nothing, which is refused
 * @param unit   of the numbers, or NULL
 */
int sweep_axis_fill(struct sweep_axis *axis, const char *items, const char *unit, sweep_value_write *write,
                    void *data, struct why *why);

/** Parse one axis of the machine.
 *
 * @param axis  filled on success, for sweep_axis_destroy(); every value is one that hardware_set() takes
 */
int sweep_axis_parse(const char *text, struct sweep_axis *axis, struct why *why);
void sweep_axis_destroy(struct sweep_axis *axis);
