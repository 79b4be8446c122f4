/* chart.h - charts in SVG: axes with units, linear or logarithmic, ticks at round numbers, lines, steps, box plots and
 * legends.
 *
 * Use       Fill a struct chart with its place and the ranges of its axes, call chart_draw_axes(), then draw values. A
 *           value outside of an axis is drawn at its end; NaN, and what is not above 0 on a logarithmic axis, is left
 *           out or at the low end, as each function says.
 * Ticks     1, 2 or 5 times a power of ten, as many as have room; powers of two, or whole numbers only, if the axis
 *           asks for them.
 * Why own   see svg.h.
 */
#ifndef MERCURY_BASE_CHART_H
#define MERCURY_BASE_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/draw/svg.h"

enum { CHART_TICKS_MAX = 64, CHART_LABEL_BYTES = 40 };

struct chart_axis {
    double least, most; /* least < most; both above 0 if logarithmic */
    double from, to;    /* pixels of least and most */
    bool logarithmic;
    const char *title; /* with its unit: "time [ms]"; NULL: none */
    bool bare;         /* without ticks: whoever draws rows labels them */
    bool by_two;       /* logarithmic, with ticks at powers of two */
    bool whole;        /* linear, with ticks at whole numbers only */
    bool plain;        /* labels without prefixes: 1500 instead of 1.5 k */
};

struct chart {
    struct svg *svg;
    struct chart_axis x, y; /* y.from is below y.to, so that it is the greater number of pixels */
};

struct chart_ticks {
    double at[CHART_TICKS_MAX];
    unsigned count;
};

/** Find the ticks of an axis. @param most  number of ticks that have room, at least 2 */
struct chart_ticks chart_find_ticks(const struct chart_axis *axis, unsigned most);

/** The label of a tick, or a number in a text: three digits and a prefix (1.5 k, 20 M, 3 µ), or a power of ten on a
 *  logarithmic axis. @return `text` */
const char *chart_label(double value, char text[CHART_LABEL_BYTES]);
const char *chart_power_label(double value, char text[CHART_LABEL_BYTES]);
/** A power of two as 2¹⁰, another number as chart_label(). @return `text` */
const char *chart_two_label(double value, char text[CHART_LABEL_BYTES]);
/** A number of at least three digits without a prefix: 0.571, 1656. @return `text` */
const char *chart_plain_label(double value, char text[CHART_LABEL_BYTES]);

/** An axis from 0 (or, logarithmic, from a round number at or below `least`) to one at or above `most`. */
struct chart_axis chart_axis_to(double most, const char *title);
struct chart_axis chart_axis_logarithmic(double least, double most, const char *title);

/** The pixel of a value; that of the nearest end if it lies outside. */
double chart_place(const struct chart_axis *axis, double value);

/** Place a chart's axes around the rectangle that holds its values. */
void chart_put(struct chart *chart, double left, double top, double width, double height);

/** Draw the grid, the axes, their ticks and titles. */
void chart_draw_axes(const struct chart *chart);

/** Draw a line through points; one that is NaN interrupts it. */
void chart_draw_line(const struct chart *chart, const double *x, const double *y, size_t count,
                     const char *class);

/** What a box plot shows. */
struct chart_box {
    double low, lower_quartile, median, upper_quartile, high; /* low and high: ends of the whiskers */
    double least, most;                                       /* of all values */
    size_t count, outliers;
};

/** Sum up values by Tukey's rule: whiskers end at the last value within 1.5 times the distance of the quartiles.
 * @param values  not NaN; they are sorted */
struct chart_box chart_find_box(double *values, size_t count);

/** Draw a box plot that lies along the x axis, its middle at pixel y. */
void chart_draw_box(const struct chart *chart, const struct chart_box *box, double y, double height,
                    enum svg_colour colour, const char *tip);

struct chart_legend_entry {
    const char *text;
    enum svg_colour colour;
    enum chart_key {
        CHART_KEY_AREA,
        CHART_KEY_LINE,
        CHART_KEY_DASHED,
        CHART_KEY_DOTTED,
        CHART_KEY_MARK,
        CHART_KEY_OPEN_MARK
    } key;
    enum svg_shape shape; /* of a mark */
};

/** Draw a legend from (x, y) on, in lines of at most `width`.
 *  @param svg  NULL: draw nothing; @return the height it takes */
double chart_draw_legend(struct svg *svg, double x, double y, double width,
                         const struct chart_legend_entry *entries, size_t count);

#endif
