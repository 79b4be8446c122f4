/* sweep_pareto.h - speed over one of the costs: the Pareto front, the knee, and all other machines (sweep_picture.h).
 *
 * Front     is that of all costs together (front.h). A line goes through the greatest speeds for so much of this one;
 *           points of the front below it need less of another.
 * Labels    the points of the front have numbers, under which a list below has what varies, if there is one search.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_PARETO_H
#define MERCURY_APP_SWEEP_SWEEP_PARETO_H

#include "app/sweep/draw/sweep_picture.h"

/** @return 0, or -1 if memory is exhausted */
int sweep_pareto_draw(const struct sweep_view *view, const struct sweep_picture *picture, struct svg *svg,
                      struct why *why);

#endif
