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
#pragma once

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
    const struct sweep_view *view;
    const struct sweep_ask *ask;
    enum sweep_picture_kind kind;
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

/** The pictures of fronts by their costs. */
extern const char *const sweep_front_names[FRONT_COSTS];

/** Draw a picture, a picture_draw of base/draw/picture.h. */
void sweep_picture_draw(const void *picture, struct svg *svg);

/** Write its points as TSV: kind, what varies, measures, whether a point is on the front, and the knee. */
void sweep_picture_write_data(const struct sweep_picture *picture, FILE *out);

/** Write what a picture shows: "throughput over table.slots". */
const char *sweep_picture_title(const struct sweep_picture *picture, char *text, size_t size);

/** Write the inputs: "lambda_virus.fa.gz × 3 databases". */
const char *sweep_picture_inputs(const struct sweep_view *view, char *text, size_t size);

/* --- scales ---------------------------------------------------------------------------------------------- */

enum { SWEEP_TITLE_BYTES = 120 };

/** How an axis shows a column. */
struct sweep_scale {
    size_t column;
    bool relative; /* in per cent of the unbounded machine */
    double factor; /* from the column's value to the axis's */
    char title[SWEEP_TITLE_BYTES];
    char name[SWEEP_TITLE_BYTES]; /* the title without its unit: "first access collisions" */
    const char *unit;             /* "" if there is none */
};

/** @param typical  a value by which times have their unit [s] */
struct sweep_scale sweep_scale_of(size_t column, double typical);

/** The scale of a measure for all machines. @param picture  that shows it; NULL: none does */
struct sweep_scale sweep_scale_for(const struct sweep_view *view, const struct sweep_picture *picture,
                                   size_t measure);

/** The value of a point on the axis. */
double sweep_scale_value(const struct sweep_scale *scale, const struct sweep_view *view, size_t row);

/** A value on the scale with its unit: "1656 Mw-mers/s", "50.7%". */
struct shown sweep_scale_label(const struct sweep_scale *scale, double value);

/** What a mark says: "table.slots = 1024: 7.27 ms". */
struct sweep_tip {
    char text[240];
};
struct sweep_tip sweep_scale_tip(const struct sweep_scale *scale, const struct sweep_view *view, size_t row);

/** An axis from 0 to at least `most`; an axis along the values of a varied number. */
struct figure_axis sweep_scale_axis_to(double most, const char *title);
struct figure_axis sweep_scale_axis_along(const struct sweep_picture *picture, size_t varied,
                                          const char *title);

/* --- for those who draw ---------------------------------------------------------------------------------- */

/** The three kinds of pictures. */
void sweep_lines_draw(const struct sweep_picture *picture, struct svg *svg);
void sweep_map_draw(const struct sweep_picture *picture, struct svg *svg);
void sweep_pareto_draw(const struct sweep_picture *picture, struct svg *svg);

/** What tells lines of one panel, and what tells panels apart. */
struct sweep_lines_plan {
    sweep_set lines, panels;
    bool has_lines; /* whether any two machines differ in x only */
};
struct sweep_lines_plan sweep_lines_arrange(const struct sweep_picture *picture);

/** Begin the picture with its title and, below, its inputs, unless a page says both.
 *  @param height  of the rest; @return the pixel where the rest begins */
double sweep_picture_begin(const struct sweep_picture *picture, struct svg *svg, double height);

/** Panels side by side and below each other, one for each group of machines. If several numbers tell groups apart,
 *  they are a grid, whose columns are values of one of them, and whose columns and rows are labelled once. */
enum { SWEEP_PANELS_MOST = 12, SWEEP_PANELS_BESIDE = 4 };
struct sweep_panels {
    const struct sweep_view *view;
    struct sweep_groups groups;      /* for sweep_groups_destroy() */
    size_t group[SWEEP_PANELS_MOST]; /* of each panel that is shown; SIZE_MAX: there are no such machines */
    size_t heads[SWEEP_PANELS_MOST]; /* of a grid: a machine of each panel's row */
    size_t shown, drawn, columns;    /* number of panels, of those with a group, and of those side by side */
    sweep_set set, across;           /* what tells groups apart, and columns of a grid; across 0: no grid */
    double height;                   /* of a panel */
    struct sweep_margins {
        double left, right, top, bottom;
    } around; /* the values of a panel */
};

/** Arrange machines in panels that agree in `set`, at most `beside` of them side by side. */
struct sweep_panels sweep_panels_arrange(const struct sweep_view *view, sweep_set set, size_t beside,
                                         struct sweep_margins around);

/** Height of all panels. */
double sweep_panels_height(const struct sweep_panels *panels);

/** Where the values of a panel lie. */
struct sweep_panel {
    double left, top, width, height;
};
struct sweep_panel sweep_panels_place(const struct sweep_panels *panels, size_t panel, double top);

/** Write above the values of a panel what its machines agree in, or what its column and row of a grid do. */
void sweep_panels_head(const struct sweep_panels *panels, struct svg *svg, size_t panel,
                       struct sweep_panel at, enum sweep_words words);

/** Whether a panel has the title of the x axis: it is in the last row; that of the y axis: in the first column. */
static inline bool sweep_panels_has_title(const struct sweep_panels *panels, size_t panel, bool of_x)
{
    return of_x ? panel + panels->columns >= panels->shown : panel % panels->columns == 0;
}

/** Say in a line how many panels there are if not all are shown. */
void sweep_panels_say_left_out(const struct sweep_panels *panels, struct svg *svg, double top);

/** Draw the point that --mark asks for, with its label. */
void sweep_picture_draw_mark(struct figure *figure, double x, double y, const char *label);

/** The label that --mark gives to a point; NULL if it gives none. */
const char *sweep_picture_mark(const struct sweep_picture *picture, size_t row);

/** Mark and words of a kind of points that are no machines. */
struct figure_style sweep_picture_probe(enum sweep_kind kind);

/** Add the kinds of probes that a store has to a legend. @return the new number of entries */
size_t sweep_picture_add_probes(const struct sweep_view *view, struct figure_style *entries, size_t count);
