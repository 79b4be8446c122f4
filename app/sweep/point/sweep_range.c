#include "app/sweep/point/sweep_range.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "sim/board/hardware.h"

struct parser {
    struct sweep_axis *axis;
    struct hardware scratch;
    const char *name;
    struct why *why;
};

static int refuse_item(struct parser *p, const char *item, const char *what)
{
    return why_say(p->why, SWEEP_ERANGE,
                   "%s=%.60s: %s; a range looks like 2^14..2^20, 16..64, 32..512+32 or 1e6..8e6*2", p->name,
                   item, what);
}

static bool has_value(const struct sweep_axis *axis, const char *text)
{
    for (size_t i = 0; i < axis->count; i++)
        if (strcmp(axis->values[i], text) == 0)
            return true;
    return false;
}

/* Add a value as the parameter writes it, so that 2^6, 64 and 64.0 are the same. */
static int add_value(struct parser *p, const char *text)
{
    char value[64];
    if (hardware_set(&p->scratch, p->name, text, p->why) != 0)
        return SWEEP_ERANGE;
    hardware_parameter_value(&p->scratch, (size_t)p->axis->parameter, value, sizeof value);
    if (has_value(p->axis, value))
        return 0;
    if (p->axis->count == SWEEP_VALUES_MAX)
        return refuse_item(p, text, "more than 10000 values");
    struct sweep_axis *axis = p->axis;
    if (!array_reserve(&axis->values, &axis->room, axis->count, 1, sizeof axis->values[0]))
        return why_no_memory(p->why, SWEEP_EMEMORY);
    snprintf(axis->values[axis->count++], sizeof axis->values[0], "%s", value);
    return 0;
}

static int add_number(struct parser *p, double value)
{
    char text[SWEEP_VALUE_TEXT];
    snprintf(text, sizeof text, "%.15g", value);
    return add_value(p, text);
}

struct range {
    double from, to, step, factor; /* if the step is 0, values are multiplied by the factor */
};

static int add_range(struct parser *p, const struct range *r)
{
    const double most = r->to + 1e-12 * fabs(r->to); /* rounding must not lose the last value */
    int status = 0;
    for (size_t i = 0; status == 0; i++) {
        double value = r->step > 0 ? r->from + (double)i * r->step : r->from * pow(r->factor, (double)i);
        if (!(value <= most))
            break;
        status = add_number(p, value);
    }
    return status;
}

static int parse_range(struct parser *p, const char *item, const char *dots)
{
    const char *unit = hardware_parameter_unit((size_t)p->axis->parameter);
    struct number from, to;
    if (number_read(item, unit, &from) != dots)
        return refuse_item(p, item, "expected a number before the '..'");
    const char *end = number_read(dots + 2, unit, &to);
    if (!end)
        return refuse_item(p, item, "expected a number after the '..'");
    struct range range = {from.value, to.value, from.base > 0 ? 0 : 1, from.base};
    if (*end == '+' || *end == '*') {
        bool factor = *end == '*';
        double by;
        if (number_of(end + 1, factor ? NULL : unit, &by) != 0 || !(by > (factor ? 1 : 0)))
            return refuse_item(p, item, "the step must be above 0, the factor above 1");
        range.step = factor ? 0 : by;
        range.factor = by;
    } else if (*end) {
        return refuse_item(p, item, "unexpected text after the range");
    } else if (from.base != to.base) {
        return refuse_item(p, item,
                           "both ends must be powers of the same base, or both must be plain numbers");
    }
    if (range.from > range.to)
        return refuse_item(p, item, "it begins above its end");
    if (range.step == 0 && range.from <= 0)
        return refuse_item(p, item, "factors need a range above 0");
    double steps = range.step > 0 ? (range.to - range.from) / range.step
                                  : (log(range.to) - log(range.from)) / log(range.factor);
    if (steps > SWEEP_VALUES_MAX) /* that are written alike, too: the loop would have no end */
        return refuse_item(p, item, "more than 10000 values");
    return add_range(p, &range);
}

static int parse_item(struct parser *p, const char *item)
{
    const char *dots = strstr(item, "..");
    if (!*item)
        return refuse_item(p, item, "a value is missing");
    if (dots)
        return parse_range(p, item, dots);
    return add_value(p, item);
}

static int parse_items(struct parser *p, const char *items)
{
    int status = 0;
    for (const char *at = items; at && status == 0;) {
        char item[128];
        size_t length = strcspn(at, ",");
        if (length >= sizeof item)
            return refuse_item(p, at, "the value is too long");
        snprintf(item, sizeof item, "%.*s", (int)length, at);
        status = parse_item(p, item);
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return status;
}

static int find_parameter(const char *text, char *name, size_t name_size, int *parameter, struct why *why)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || (size_t)(equals - text) >= name_size)
        return why_say(why, SWEEP_ERANGE, "'%.60s': expected NAME=RANGE, e.g. table.slots=2^14..2^20", text);
    snprintf(name, name_size, "%.*s", (int)(equals - text), text);
    *parameter = hardware_parameter_find(name);
    if (*parameter >= 0)
        return 0;
    struct hardware scratch = hardware_default();
    hardware_set(&scratch, name, "", why); /* refuses the name, and tells the nearest one */
    return SWEEP_ERANGE;
}

int sweep_axis_parse(const char *text, struct sweep_axis *axis, struct why *why)
{
    char name[64];
    *axis = (struct sweep_axis){0};
    int status = find_parameter(text, name, sizeof name, &axis->parameter, why);
    if (status)
        return status;
    struct parser parser = {.axis = axis, .scratch = hardware_default(), .name = name, .why = why};
    status = parse_items(&parser, strchr(text, '=') + 1);
    if (status)
        sweep_axis_destroy(axis);
    return status;
}

void sweep_axis_destroy(struct sweep_axis *axis)
{
    free(axis->values);
    *axis = (struct sweep_axis){0};
}
