/* sweep_picture.h - which pictures the points of a sweep make, and what they have in common.
 *
 * Lines     measures over a varied number. A line joins machines that differ in that number only; what else varies
 *           tells lines or panels apart. If no two machines differ in one number only, there are marks without lines.
 * Map       a measure in colours over two varied numbers: cells with values, or marks where most pairs are missing.
 * Front     the speed of the run, in per cent of the quickest, over each cost that varies: always the same Pareto front
 *           and knee (front.h), one panel per search.
 * Honest    y begins at 0. Throughput over depths of FIFOs is in % of the unbounded machine, if the store has it.
 * Titles    of axes are the columns' names without their units, which follow in brackets; shares are in per cent, times
 *           in the unit that fits. Numbers of the machine keep the names that --vary has.
 *           Probes (sweep_view.h) have open marks and a row in the legend, and are on no line and no front.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_PICTURE_H
#define MERCURY_APP_SWEEP_SWEEP_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/draw/figure.h"
#include "base/draw/svg.h"
#include "base/why.h"
#include "app/sweep/draw/sweep_view.h"

enum { SWEEP_PICTURES_MAX = 40, SWEEP_MEASURES_SHOWN = 2, SWEEP_MARKED_MAX = 8, SWEEP_LINES_MOST = 6 };

/** What the user asked for. */
struct sweep_ask {
    const char *x, *y, *by;               /* names, NULL if not given */
    const char *marked[SWEEP_MARKED_MAX]; /* "NAME=VALUE,NAME=VALUE:LABEL" */
    size_t marked_count;
    double keep; /* share of the greatest speed that the knee keeps */
};

enum sweep_picture_kind { SWEEP_LINES, SWEEP_MAP, SWEEP_FRONT };

struct sweep_picture {
    enum sweep_picture_kind kind;
    const struct sweep_ask *ask;
    char name[80];                         /* of its file */
    size_t x, y, by;                       /* varied numbers; y of a map; SIZE_MAX: none */
    size_t measures[SWEEP_MEASURES_SHOWN]; /* columns, from above; one of a map */
    unsigned measure_count;
    enum front_cost cost; /* of a front: on its x axis */
};

/** List the pictures that are asked for: one with --x or --y, otherwise all that fit what varies.
 *  @return 0, or COMMAND_REFUSED and one line */
int sweep_pictures_choose(const struct sweep_view *view, const struct sweep_ask *ask,
                          struct sweep_picture pictures[SWEEP_PICTURES_MAX], size_t *count, struct why *why);

/** Write its points as TSV: kind, what varies, measures, whether a point is on the front, and the knee. */
int sweep_picture_write_data(const struct sweep_view *view, const struct sweep_picture *picture, FILE *out,
                             struct why *why);

/* --- scales ---------------------------------------------------------------------------------------------- */

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
struct figure_axis sweep_scale_axis_to(double most, const char *title);

/* --- drawing --------------------------------------------------------------------------------------------- */

/** Draw a picture of a kind, with svg_begin() and svg_end(). @return 0, or -1 if memory is exhausted */
typedef int sweep_picture_draw(const struct sweep_view *view, const struct sweep_picture *picture,
                               struct svg *svg, struct why *why);
sweep_picture_draw sweep_lines_draw, sweep_map_draw, sweep_pareto_draw;

/** What tells lines of one panel, and what tells panels apart. */
struct sweep_lines_plan {
    struct sweep_set lines, panels;
    bool has_lines; /* whether any two machines differ in x only */
};
int sweep_lines_arrange(const struct sweep_view *view, const struct sweep_picture *picture,
                        struct sweep_lines_plan *plan, struct why *why);

/* --- for those who draw ---------------------------------------------------------------------------------- */

/** Write what a picture shows: "throughput over table.slots". */
const char *sweep_picture_title(const struct sweep_view *view, const struct sweep_picture *picture,
                                char *text, size_t size);

/** Write the inputs: "lambda_virus.fa.gz × 3 databases". */
const char *sweep_picture_inputs(const struct sweep_view *view, char *text, size_t size);

/** Begin the picture with its title and, below, its inputs, unless a page says both.
 *  @param height  of the rest; @return the pixel where the rest begins */
double sweep_picture_begin(const struct sweep_view *view, const struct sweep_picture *picture,
                           struct svg *svg, double height);

/** Where a panel lies, of panels in `columns` side by side below `top`, each so high. */
struct sweep_panel {
    double left, top, width, height;
};
struct sweep_panel sweep_picture_place(size_t panel, size_t columns, double top, double height);

/** Draw the point that --mark asks for, with its label. */
void sweep_picture_draw_mark(struct figure *figure, double x, double y, const char *label);

/** Say in a line how many panels there are if not all are shown. */
void sweep_picture_say_left_out(struct svg *svg, double top, size_t shown, size_t all);

/** Whether a measure is shown in per cent of the unbounded machine. */
bool sweep_picture_is_relative(const struct sweep_view *view, const struct sweep_picture *picture,
                               size_t measure);

/** The value of a point on an axis, and the axis's scale. */
double sweep_picture_value(const struct sweep_view *view, bool relative, const struct sweep_scale *scale,
                           size_t measure, size_t row);
struct sweep_scale sweep_picture_scale(const struct sweep_view *view, bool relative, size_t measure);

/** The label that --mark gives to a point; NULL if it gives none. */
const char *sweep_picture_mark(const struct sweep_view *view, const struct sweep_ask *ask, size_t row);

/** Mark and words of a kind of points that are no machines. */
struct figure_style sweep_picture_probe(enum sweep_kind kind);

/** Add the kinds of probes that a store has to a legend. @return the new number of entries */
size_t sweep_picture_add_probes(const struct sweep_view *view, struct figure_style *entries, size_t count);

#endif
