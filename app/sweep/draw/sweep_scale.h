/* sweep_scale.h - columns of a sweep on axes: titles with units, factors, and which scale fits the values.
 *
 * Titles    are the columns' names without their units, which follow in brackets; shares are in per cent, times in the
 *           unit that fits. Numbers of the machine keep the names that --vary has.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_SCALE_H
#define MERCURY_APP_SWEEP_SWEEP_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/draw/chart.h"

enum { SWEEP_TITLE_BYTES = 120 };

struct sweep_scale {
    double factor; /* from the column's value to the axis's */
    char title[SWEEP_TITLE_BYTES];
    char name[SWEEP_TITLE_BYTES]; /* the title without its unit: "first access collisions" */
    const char *unit;             /* "" if there is none */
};

/** @param most  the greatest value of the column */
struct sweep_scale sweep_scale_of(size_t column, double most);

/** A value on the scale with its unit: "1656 Mw-mers/s", "50.7%". @return `text` */
const char *sweep_scale_label(const struct sweep_scale *scale, double value, char *text, size_t size);

/** An axis from 0 to at least `most`. */
struct chart_axis sweep_scale_axis_to(double most, const char *title);

/** An axis along sorted values: logarithmic if they are spread like powers, with ticks at powers of two if that is what
 *  most of them are, and at whole numbers if all are whole. Its ends leave a margin.
 *  @param title  must outlive the axis */
struct chart_axis sweep_scale_axis(const double *values, size_t count, const char *title);

#endif
