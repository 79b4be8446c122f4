/* figure.h - pictures of values: axes with units, lines, bars, marks with tips, legends, labels.
 *
 * Use       A struct figure is one panel. Fill its axes, call figure_open() with the place of its values, then draw;
 *           all values go through the axes. A picture of several panels opens one after the other. A style is a row of
 *           a table that both marks and the legend are drawn from.
 * Rows      Without a y axis (all 0) values of y are pixels: whoever draws rows labels them.
 * Ends      A value outside of an axis is drawn at its end; NaN, and what is not above 0 on a logarithmic axis, is left
 *           out or at the low end, as each function says.
 * Ticks     1, 2 or 5 times a power of ten, as many as have room; powers of two, or whole numbers only, if the axis
 *           asks for them.
 * Labels    beside a point stand where they cover the fewest of the marks and lines that were drawn before them,
 *           with a thin line to the point if that is not beside them, or if another mark is nearer. Later labels keep
 *           off earlier ones. Only a figure with `has_labels` notes what it draws, and is closed by figure_close().
 * Why own   see svg.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/draw/svg.h"

/** The width of pictures, so that their letters have one size. */
#define FIGURE_WIDTH 1000.0

enum { FIGURE_TICKS_MAX = 64 };

struct figure_axis {
    double least, most; /* least < most; both above 0 if logarithmic */
    double from, to;    /* pixels of least and most */
    bool logarithmic;
    const char *title; /* with its unit: "time [ms]"; NULL: none */
    bool bare;         /* without ticks */
    bool by_two;       /* logarithmic, with ticks at powers of two */
    bool whole;        /* linear, with ticks at whole numbers only */
    bool plain;        /* labels without prefixes: 1500 instead of 1.5 k */
    bool times;        /* of seconds, with a unit at each tick */
    bool inset;        /* a mark that lies outside stands a little inside of the end */
};

/** A point on what was drawn. */
struct figure_point {
    double x, y;
    bool is_mark;
};

struct figure {
    struct svg *svg;
    struct figure_axis x, y; /* y.from is below y.to, so that it is the greater number of pixels */
    double last_x, last_y;   /* pixels where a line goes on; NaN: nowhere */
    bool has_labels;
    struct figure_point *drawn; /* with labels */
    size_t drawn_count, drawn_room;
};

/* --- numbers as text ------------------------------------------------------------------------------------- */

struct figure_ticks {
    double at[FIGURE_TICKS_MAX];
    unsigned count;
};

/** Find the ticks of an axis. @param most  number of ticks that have room, at least 2 */
struct figure_ticks figure_find_ticks(const struct figure_axis *axis, unsigned most);

/** A number in a text: three digits and a prefix (1.5 k, 20 M, 3 µ). */
struct shown figure_label(double value);
/** A label at a tick: a power of ten as 10⁶ on a logarithmic axis of a wide range, of two as 2¹⁰ by two. */
struct shown figure_tick_label(const struct figure_axis *axis, double value);
/** A number of at least three digits without a prefix: 0.571, 1656. */
struct shown figure_plain_label(double value);

/** A time with its unit, three digits: "8.31 ms". */
struct shown figure_time(double seconds);

/** The unit in which an axis shows times up to `most_s`, and its factor. */
struct figure_unit {
    const char *name;
    double per_s;
};
struct figure_unit figure_time_unit(double most_s);

/* --- axes ------------------------------------------------------------------------------------------------ */

/** An axis from 0 (or, logarithmic, from a round number at or below `least`) to one at or above `most`. */
struct figure_axis figure_axis_to(double most, const char *title);
struct figure_axis figure_axis_logarithmic(double least, double most, const char *title);

/** Where an axis has to end so that it shows `most`, and what other pictures share with it (svg.h). */
double figure_share_end(const struct svg *svg, double most);

/** An axis along sorted values: logarithmic if they are spread like powers, with ticks at powers of two if that is what
 *  most of them are, and at whole numbers if all are whole. Its ends leave a margin. */
struct figure_axis figure_axis_along(const double *values, size_t count, const char *title);

/** The pixel of a value; that of the nearest end if it lies outside. */
double figure_place(const struct figure_axis *axis, double value);
double figure_x(const struct figure *figure, double value);
double figure_y(const struct figure *figure, double value);

/** Place the values in a rectangle, and draw the grid, the axes, their ticks and titles around it. */
void figure_open(struct figure *figure, double left, double top, double width, double height);
void figure_close(struct figure *figure);

/** Say below the ends of an inset x axis what stands there. */
void figure_say_ends(const struct figure *figure);

/* --- values ---------------------------------------------------------------------------------------------- */

/** How what belongs together looks, in a picture and in its legend. */
struct figure_style {
    const char *text; /* in the legend */
    enum svg_colour colour;
    enum figure_key { FIGURE_AREA, FIGURE_LINE, FIGURE_DASHED, FIGURE_DOTTED, FIGURE_MARK, FIGURE_RING } key;
    enum svg_shape shape; /* of a mark, and of a ring, which is an open mark */
    double ramp; /* share of the ramp in place of the colour; marks are then small squares; 0: none */
};

/** The class of a line of a style. */
struct shown figure_stroke(const struct figure_style *style);

/** Draw a mark of a style. @param tip  as for printf(); NULL: none */
void figure_mark(struct figure *figure, double x, double y, double radius, const struct figure_style *style,
                 const char *tip, ...) __attribute__((format(printf, 6, 7)));

/** Draw a bar along x, at least `least` pixels long, its middle at pixel y.
 *  @param class  of svg.h; tip  as for printf(); NULL: none */
void figure_bar(const struct figure *figure, double from, double to, double y, double height, double least,
                const char *class, const char *tip, ...) __attribute__((format(printf, 8, 9)));

/** Draw an interval likewise; an end that the axis has no room for is an arrow. */
void figure_interval(const struct figure *figure, double low, double high, double y, double height,
                     const char *class, const char *tip);

/** Draw a line across x at a value, `half` pixels to both sides of pixel y. */
void figure_rule(const struct figure *figure, double x, double y, double half, const char *class);

/** Draw a line from point to point; one that is NaN interrupts it. svg_path_end() ends it. */
void figure_path(struct figure *figure, const char *class);
void figure_to(struct figure *figure, double x, double y);
void figure_line(struct figure *figure, const double *x, const double *y, size_t count, const char *class);

/** Add a level stretch to a path, which goes on where it ended: it never goes back in x. Between stretches that do not
 *  touch it is interrupted, or, with a base, falls to that pixel. figure_steps_end() ends the path.
 *  @param base  NaN: none; closed  it returns along the base, as an area */
void figure_step(struct figure *figure, double from, double to, double y, double base);
void figure_steps_end(struct figure *figure, double base, bool closed);

/** Write a label of size 11.5 beside the pixel (x, y). @param class  of the text; "" is ink */
void figure_label_point(struct figure *figure, double x, double y, const char *class, const char *text);

/** Draw a legend from (x, y) on, in lines of at most `width`.
 *  @param svg  NULL: draw nothing; @return the height it takes */
double figure_draw_legend(struct svg *svg, double x, double y, double width,
                          const struct figure_style *styles, size_t count);
