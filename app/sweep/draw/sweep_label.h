/* sweep_label.h - labels in a picture, where they hide least.
 *
 * Use       Whoever draws says where marks and lines are; a label then stands at the place near its point that covers
 *           the fewest of them, with a thin line to the point if that is not beside it. Later labels keep off earlier
 *           ones.
 * Memory    sweep_obstacles_destroy(). Without memory labels only overlap.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_LABEL_H
#define MERCURY_APP_SWEEP_SWEEP_LABEL_H

#include <stddef.h>

#include "base/draw/svg.h"

struct sweep_obstacles {
    double left, top, right, bottom; /* labels stay within */
    double (*points)[2];
    size_t count, room;
};

void sweep_obstacles_add(struct sweep_obstacles *obstacles, double x, double y);
void sweep_obstacles_add_line(struct sweep_obstacles *obstacles, double x1, double y1, double x2, double y2);
void sweep_obstacles_destroy(struct sweep_obstacles *obstacles);

/** Write a label of size 11.5 for the point (x, y). @param class  of the text; "" is ink */
void sweep_label(struct svg *svg, struct sweep_obstacles *obstacles, double x, double y, const char *class,
                 const char *text);

#endif
