#include "app/sweep/point/sweep_range.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/words.h"
#include "sim/board/hardware.h"

/* After a fault nothing is added and nothing more is refused. */
struct parser {
    struct sweep_axis *axis;
    const char *unit;
    sweep_value_write *write;
    void *data; /* of `write` */
    int status;
    struct why *why;
};

static void refuse_item(struct parser *p, struct word item, const char *what)
{
    if (p->status == 0)
        p->status = why_say(p->why, SWEEP_ERANGE,
                            "%s=%.*s: %s; a range looks like 2^14..2^20, 16..64, 32..512+32 or 1e6..8e6*2",
                            p->axis->name, (int)fmin(60, (double)item.length), item.text, what);
}

/* Add a value as the parameter writes it, so that 2^6, 64 and 64.0 are the same. */
static void add_value(struct parser *p, const char *text)
{
    char value[SWEEP_VALUE_TEXT];
    struct sweep_axis *axis = p->axis;
    if (p->status == 0 && p->write(p->data, text, value, p->why) != 0)
        p->status = SWEEP_ERANGE;
    if (p->status)
        return;
    for (size_t i = 0; i < axis->count; i++)
        if (strcmp(axis->values[i], value) == 0)
            return;
    if (axis->count == SWEEP_VALUES_MAX)
        refuse_item(p, word_of(text), "more than 10000 values");
    else if (!array_reserve(&axis->values, &axis->room, axis->count, 1, sizeof axis->values[0]))
        p->status = why_no_memory(p->why, SWEEP_EMEMORY);
    else
        snprintf(axis->values[axis->count++], sizeof axis->values[0], "%s", value);
}

/* If the step is 0, values are multiplied by the factor. */
static void add_range(struct parser *p, double from, double to, double step, double factor)
{
    const double most = to + 1e-12 * fabs(to); /* rounding must not lose the last value */
    for (size_t i = 0; p->status == 0; i++) {
        char text[SWEEP_VALUE_TEXT];
        double value = step > 0 ? from + (double)i * step : from * pow(factor, (double)i);
        if (!(value <= most))
            break;
        snprintf(text, sizeof text, "%.15g", value);
        add_value(p, text);
    }
}

static void parse_range(struct parser *p, const char *item, const char *dots)
{
    const char *unit = p->unit;
    const struct word word = word_of(item);
    struct number from = {0}, to = {0};
    double step = 0, factor = 0;
    if (number_read(item, unit, &from) != dots)
        refuse_item(p, word, "expected a number before the '..'");
    const char *end = number_read(dots + 2, unit, &to);
    if (!end)
        refuse_item(p, word, "expected a number after the '..'");
    else if ((*end == '*' && (number_of(end + 1, NULL, &factor) != 0 || !(factor > 1))) ||
             (*end == '+' && (number_of(end + 1, unit, &step) != 0 || !(step > 0))))
        refuse_item(p, word, "the step must be above 0, the factor above 1");
    else if (*end && *end != '*' && *end != '+')
        refuse_item(p, word, "unexpected text after the range");
    else if (!*end && from.base != to.base)
        refuse_item(p, word, "both ends must be powers of the same base, or both must be plain numbers");
    if (end && !*end) {
        factor = from.base;
        step = factor > 0 ? 0 : 1;
    }
    if (from.value > to.value)
        refuse_item(p, word, "it begins above its end");
    if (step == 0 && from.value <= 0)
        refuse_item(p, word, "factors need a range above 0");
    if ((step > 0 ? (to.value - from.value) / step : (log(to.value) - log(from.value)) / log(factor)) >
        SWEEP_VALUES_MAX) /* that are written alike, too: the loop would have no end */
        refuse_item(p, word, "more than 10000 values");
    add_range(p, from.value, to.value, step, factor);
}

static void parse_item(struct parser *p, struct word word)
{
    char item[128];
    const char *dots = strstr(word_copy(word, item, sizeof item), "..");
    if (word.length >= sizeof item)
        refuse_item(p, word, "the value is too long");
    else if (word.length == 0)
        refuse_item(p, word, "a value is missing");
    else if (dots)
        parse_range(p, item, dots);
    else
        add_value(p, item);
}

int sweep_axis_fill(struct sweep_axis *axis, const char *items, const char *unit, sweep_value_write *write,
                    void *data, struct why *why)
{
    struct parser p = {.axis = axis, .unit = unit, .write = write, .data = data, .why = why};
    struct word rest = word_of(items ? items : "");
    while (rest.text && p.status == 0)
        parse_item(&p, word_cut(&rest, ","));
    if (p.status)
        sweep_axis_destroy(axis);
    return p.status;
}

/* A value of a parameter of the machine. */
struct machine_value {
    struct hardware scratch;
    size_t parameter;
};

static int write_machine_value(void *data, const char *text, char value[SWEEP_VALUE_TEXT], struct why *why)
{
    struct machine_value *v = data;
    if (hardware_set(&v->scratch, hardware_parameter_name(v->parameter), text, why) != 0)
        return SWEEP_ERANGE;
    hardware_parameter_value(&v->scratch, v->parameter, value, SWEEP_VALUE_TEXT);
    return 0;
}

int sweep_axis_parse(const char *text, struct sweep_axis *axis, struct why *why)
{
    struct machine_value v = {.scratch = hardware_default()};
    struct word items = word_of(text), word = word_cut(&items, "=");
    char name[64];
    *axis = (struct sweep_axis){0};
    if (!items.text || word.length == 0 || word.length >= sizeof name)
        return why_say(why, SWEEP_ERANGE, "'%.60s': expected NAME=RANGE, e.g. table.slots=2^14..2^20", text);
    int parameter = hardware_parameter_find(word_copy(word, name, sizeof name));
    if (parameter < 0) {
        hardware_set(&v.scratch, name, "", why); /* refuses the name, and tells the nearest one */
        return SWEEP_ERANGE;
    }
    v.parameter = axis->parameter = (size_t)parameter;
    axis->name = hardware_parameter_name(axis->parameter);
    return sweep_axis_fill(axis, items.text, hardware_parameter_unit(axis->parameter), write_machine_value,
                           &v, why);
}

void sweep_axis_destroy(struct sweep_axis *axis)
{
    free(axis->values);
    *axis = (struct sweep_axis){0};
}
