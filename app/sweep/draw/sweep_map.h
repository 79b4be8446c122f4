/* sweep_map.h - a measure in colours over two varied numbers (sweep_picture.h).
 *
 * Cells     one for each pair of values, with the measure in it if there is room; pairs without a machine stay blank.
 *           If most pairs have none, as in a sample, machines are marks on axes instead.
 * Scale     from the least to the greatest value, but at least the last 5% of the greatest, so that small differences
 *           look small.
 */
#ifndef MERCURY_APP_SWEEP_SWEEP_MAP_H
#define MERCURY_APP_SWEEP_SWEEP_MAP_H

#include "app/sweep/draw/sweep_picture.h"

/** @return 0, or -1 if memory is exhausted */
int sweep_map_draw(const struct sweep_view *view, const struct sweep_picture *picture, struct svg *svg,
                   struct why *why);

#endif
