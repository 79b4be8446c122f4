/* line_page.h - the page of a pipeline's run, and its single pictures.
 *
 * Pictures  those of report.h that such a run has: pipeline (how busy stages are, how many elements they hold), queues
 *           (P[N = n] beside the nearest models), models (predictions of N_Q), boxes (rates and numbers over time).
 * Errors    an enum command_status and one line. A file is whole or not there.
 */
#pragma once

#include "base/draw/svg.h"
#include "base/why.h"
#include "app/report/report.h"

/** Write the page, or one picture. @param what, path  as of report_write() */
int line_page_write(const char *directory, enum report_number what, const char *path, struct why *why);

enum { LINE_PAGE_MODELS = 3, LINE_PAGE_SHARES_HEIGHT = 250 };

/** How often so many were somewhere, in the simulation and by models. */
struct line_shares {
    const char *name, *what; /* in the heading; what is counted, along x */
    const double *simulated; /* `count` shares of the time; the last one is of all numbers from there on */
    unsigned count, model_count;
    const char *models[LINE_PAGE_MODELS];
    const double *p[LINE_PAGE_MODELS]; /* `count` of each model; NaN where it says nothing */
};

/** Draw them, half of FIGURE_WIDTH wide and LINE_PAGE_SHARES_HEIGHT high. */
void line_page_draw_shares(struct svg *svg, const struct line_shares *shares, double left, double top);
