/* sweep_lines.h - lines of a sweep: measures over a varied number (sweep_picture.h).
 *
 * Lines     Up to SWEEP_LINES_MOST combinations of what else varies are lines of one panel. More of them are told apart
 *           by one number, and by panels, of which the first twelve are drawn; a sentence says if there are more. The
 *           number is that of --by, or a text, or has the most values up to SWEEP_LINES_MOST. All panels have the same
 *           axes.
 * Limit     Throughput has a dashed line where the bus is always busy, if that is the same for all machines.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_LINES_H
#define MERCURY_APP_SWEEP_SWEEP_LINES_H

#include "app/sweep/draw/sweep_picture.h"

/** @return 0, or -1 if memory is exhausted */
int sweep_lines_draw(const struct sweep_view *view, const struct sweep_picture *picture, struct svg *svg,
                     struct why *why);

/** What tells lines of one panel, and what tells panels apart. */
struct sweep_lines_plan {
    struct sweep_set lines, panels;
    bool has_lines; /* whether any two machines differ in x only */
};
int sweep_lines_arrange(const struct sweep_view *view, const struct sweep_picture *picture,
                        struct sweep_lines_plan *plan, struct why *why);

#endif
