/* svg.h - pictures as SVG: shapes, text and a palette, written to a FILE.
 *
 * Why own   Debian's C libraries were tried first. cairo, and what draws on it, writes outlines of letters instead of
 *           text, which nobody can select, search or hear read. plplot writes text, but literal colours with every
 *           shape, which cannot follow the reader's light or dark screen. A gnuplot process takes 16 ms of a processor
 *           for one small picture, which is what the seven pictures of a run take together.
 * Colours   are classes, which a style sheet gives meaning: in a page by variables that follow the screen
 *           (svg_write_variables()), in a file of its own by literal light ones, since converters know no variables.
 *           The hues are those of Okabe and Ito (2008), which the colour-blind can tell apart; shapes tell, too.
 *           Class fN fills with colour N, sN strokes with it, and oN is an outline on paper. A ramp of one hue from
 *           light to dark stands for values from low to high (classes hN, kN, mN).
 * Numbers   have at most two decimals and no locale. The same calls write the same bytes.
 * Errors    none: who closes the file finds out about a full disk.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/shown.h"

/** Where axes end, in the order in which they are drawn: pictures that are given each other's ends share them. */
enum { SVG_ENDS = 8 };
struct svg_ends {
    double at[SVG_ENDS];
    unsigned count;
};

struct svg {
    FILE *out;
    bool in_page;          /* part of a page, whose style sheet it uses; otherwise a file of its own */
    const char *title;     /* in a line above the picture; NULL: none */
    struct svg_ends *ends; /* which axes reach at least; receives where they end; NULL: nobody asks */
};

/** Colours by their numbers, in the order of the palette. */
enum svg_colour {
    SVG_PAPER,
    SVG_INK,
    SVG_MUTED,
    SVG_AXIS,
    SVG_GRID,
    SVG_PANEL,
    SVG_BLUE,
    SVG_VERMILION,
    SVG_GREEN,
    SVG_ORANGE,
    SVG_PURPLE,
    SVG_SKY,
    SVG_GREY,
    SVG_COLOURS
};

/** Colours of series that have no meaning of their own. */
enum { SVG_SERIES = 8 };
extern const enum svg_colour svg_series_colours[SVG_SERIES];

/** The class of a shape that a colour fills. */
struct shown svg_fill(enum svg_colour colour);

/** Steps of the ramp. */
enum { SVG_RAMP = 12 };

/** The class of a shape whose value has a share from 0 (low) to 1 (high) of the ramp.
 *
 * @param how  'h': a filled area; 't': text that can be read on it; 'k': a line, 'm': a mark, for both of which low
 *             values are dark on a dark screen
 */
struct shown svg_ramp_class(char how, double share);

/** Where a text stands at its point. */
enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

/** Shapes of marks; an open mark is an outline. */
enum svg_shape {
    SVG_DISC,
    SVG_SQUARE,
    SVG_TRIANGLE,
    SVG_DIAMOND,
    SVG_TRIANGLE_DOWN,
    SVG_PLUS,
    SVG_CROSS,
    SVG_SHAPES
};

enum { SVG_NUMBER_BYTES = 32 };

/** Write a number of a picture: at most two decimals. @return `text` */
const char *svg_number(double value, char text[SVG_NUMBER_BYTES]);

/** Write a text with the characters of XML escaped; control characters become "?". */
void svg_escape(const char *text, FILE *out);

/** Estimate the width of a text, in a font as wide as any that is common. */
double svg_text_width(const char *text, double size);

/** Write the variables of a page's colours, and the rules that pictures need, as CSS. */
void svg_write_variables(FILE *out);

/** @param title  what the picture shows, for readers that do not see it */
void svg_begin(struct svg *svg, double width, double height, const char *title);
void svg_end(struct svg *svg);

/** What belongs together for a style sheet. */
void svg_group(struct svg *svg, const char *class);
void svg_group_end(struct svg *svg);

/* A class may be several, separated by blanks. A tip, which may be NULL, is shown when a pointer rests on the shape. */

void svg_line(struct svg *svg, double x1, double y1, double x2, double y2, const char *class);
void svg_rectangle(struct svg *svg, double x, double y, double width, double height, const char *class,
                   const char *tip);
void svg_mark(struct svg *svg, double x, double y, double radius, enum svg_shape shape,
              enum svg_colour colour, bool open, const char *tip);

/** Text of a size in pixels, with its base line at y. @param class  "" is ink */
void svg_text(struct svg *svg, double x, double y, double size, enum svg_anchor anchor, const char *class,
              const char *text);
/** Text as of printf(). */
void svg_textf(struct svg *svg, double x, double y, double size, enum svg_anchor anchor, const char *class,
               const char *format, ...) __attribute__((format(printf, 7, 8)));
/** Text that reads from below to above, its middle at the point. */
void svg_text_upwards(struct svg *svg, double x, double y, double size, const char *text);

/** A path: begin, moves and lines to points, end. */
void svg_path_begin(struct svg *svg, const char *class);
void svg_move(struct svg *svg, double x, double y);
void svg_to(struct svg *svg, double x, double y);
void svg_path_close(struct svg *svg);
void svg_path_end(struct svg *svg);

/** A path through points. */
void svg_polyline(struct svg *svg, const char *class, const double (*points)[2], size_t count, bool closed);

/** The head of an arrow with its point at (x, y). @param dx, dy  direction: one of them 1 or -1, the other 0 */
void svg_arrow_head(struct svg *svg, double x, double y, double dx, double dy, const char *class);
