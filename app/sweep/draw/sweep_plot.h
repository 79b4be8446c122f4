/* sweep_plot.h - the pictures of the points in a store, as files.
 *
 * Pictures  sweep_picture.h says which. Each is NAME.svg, or NAME.png and NAME.pdf where asked for,
 *           and its points are beside it in NAME.tsv.
 * Errors    an enum command_status and one line. There are all files of a call, each whole, or none of them is new.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_PLOT_H
#define MERCURY_APP_SWEEP_SWEEP_PLOT_H

#include "base/why.h"
#include "app/sweep/draw/sweep_picture.h"
#include "app/sweep/point/sweep_store.h"

/** A picture to be drawn. */
struct sweep_drawing {
    const struct sweep_view *view;
    const struct sweep_picture *picture;
    int *
        status; /* stays as it is, or becomes COMMAND_FAILED, with one line in `why`, if memory is exhausted */
    struct why *why;
};

/** Draws one (picture_draw). @param drawing  struct sweep_drawing */
void sweep_plot_draw(const void *drawing, struct svg *svg);

/** Draw into a directory, which is made if it is missing.
 *  @param name     of the store's file, which is not overwritten
 *  @param formats  of svg, png and pdf, separated by commas; NULL is svg */
int sweep_plot(struct sweep_store *store, const char *name, const char *directory, const char *formats,
               const struct sweep_ask *ask, struct why *why);

#endif
