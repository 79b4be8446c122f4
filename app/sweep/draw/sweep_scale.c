#include "app/sweep/draw/sweep_scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/report_part.h"
#include "app/sweep/point/sweep_table.h"

/* A logarithmic axis spans at least this factor; the margins of an axis are this share of it. */
static const double WIDE = 7.9, MARGIN = 0.04;

/* Up to here numbers have no prefixes. */
static const double PLAIN = 1e5;

/* --- titles ---------------------------------------------------------------------------------------------- */

/* Ends of names that are their units. */
static const char *const unit_ends[] = {"_mwmers_per_s", "_ns", "_s", "_bits", "_j"};

static void write_name(const char *column, char *name, size_t size)
{
    size_t length = strlen(column);
    for (unsigned i = 0; i < sizeof unit_ends / sizeof unit_ends[0]; i++) {
        size_t end = strlen(unit_ends[i]);
        if (length > end && strcmp(column + length - end, unit_ends[i]) == 0) {
            length -= end;
            break;
        }
    }
    snprintf(name, size, "%.*s", (int)length, column);
    for (char *at = name; *at; at++)
        *at = *at == '_' ? ' ' : *at;
}

struct sweep_scale sweep_scale_of(size_t column, double most)
{
    struct sweep_scale scale = {.factor = 1, .unit = sweep_table_column_unit(column)};
    const char *name = sweep_table_column_name(column);
    bool is_measure = !strchr(name, '.');
    if (is_measure)
        write_name(name, scale.name, sizeof scale.name);
    else
        snprintf(scale.name, sizeof scale.name, "%s", name);
    if (strcmp(scale.unit, "1") == 0) {
        scale.factor = is_measure ? 100 : 1;
        scale.unit = is_measure ? "%" : "";
    } else if (strcmp(scale.unit, "s") == 0) {
        struct report_unit unit = report_time_unit(most);
        scale.factor = unit.per_s;
        scale.unit = unit.name;
    }
    snprintf(scale.title, sizeof scale.title, *scale.unit ? "%.80s [%.30s]" : "%.80s", scale.name,
             scale.unit);
    return scale;
}

const char *sweep_scale_label(const struct sweep_scale *scale, double value, char *text, size_t size)
{
    char number[CHART_LABEL_BYTES];
    bool plain = fabs(value) < PLAIN && fabs(value) >= 0.001;
    const char *unit = scale->unit;
    snprintf(text, size, "%s%s%s", plain ? chart_plain_label(value, number) : chart_label(value, number),
             *unit && strcmp(unit, "%") != 0 ? " " : "", unit);
    return text;
}

struct chart_axis sweep_scale_axis_to(double most, const char *title)
{
    struct chart_axis axis = chart_axis_to(most, title);
    axis.plain = axis.most < PLAIN && axis.most > 0.1;
    return axis;
}

/* --- axes ------------------------------------------------------------------------------------------------ */

/* Whether the middle value lies nearer to the geometric mean of the ends than to the arithmetic one. */
static bool is_spread_like_powers(const double *values, size_t count)
{
    double least = values[0], most = values[count - 1];
    double middle = (values[(count - 1) / 2] + values[count / 2]) / 2;
    if (!(least > 0) || most / least < WIDE)
        return false;
    if (count == 2)
        return most / least > 2 * WIDE;
    return middle < (sqrt(least * most) + (least + most) / 2) / 2;
}

static bool is_power_of_two(double value)
{
    int exponent;
    return value > 0 && frexp(value, &exponent) <= 0.5;
}

static struct chart_axis logarithmic_axis(const double *values, size_t count)
{
    double least = values[0], most = values[count - 1], margin = pow(most / least, MARGIN);
    size_t powers = 0;
    for (size_t i = 0; i < count; i++)
        powers += is_power_of_two(values[i]);
    return (struct chart_axis){.least = least / margin,
                               .most = most * margin,
                               .logarithmic = true,
                               .by_two = 2 * powers > count,
                               .plain = 2 * powers > count && most < PLAIN};
}

struct chart_axis sweep_scale_axis(const double *values, size_t count, const char *title)
{
    struct chart_axis axis = {.least = 0, .most = 1};
    if (count > 0 && is_spread_like_powers(values, count)) {
        axis = logarithmic_axis(values, count);
    } else if (count > 0) {
        double span = values[count - 1] - values[0];
        double margin = span > 0 ? MARGIN * span : fmax(fabs(values[0]) / 2, 0.5);
        axis.least = values[0] - margin;
        axis.most = values[count - 1] + margin;
        axis.whole = true;
        for (size_t i = 0; i < count; i++)
            axis.whole = axis.whole && !(values[i] < rint(values[i])) && !(values[i] > rint(values[i]));
        axis.plain = axis.most < PLAIN;
    }
    axis.title = title;
    return axis;
}
