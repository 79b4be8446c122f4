/* share_range.h - how far the models are off over the whole utilisation of the bus: a picture.
 *
 * Models    the same runs on 15 machines, whose clocks are 0.5% to all of the machine's own. A slow clock makes a board
 *           use little of the bus, and the rest of the machine stays as it is. On the left is drawn how much slower the
 *           runs get, simulated and by each model, on the right the models' differences from the simulation; both are
 *           means over the runs, over the mean part of the bus that a board keeps busy alone.
 * Errors    an enum command_status and one line.
 */
#ifndef MERCURY_APP_THEORY_SHARE_RANGE_H
#define MERCURY_APP_THEORY_SHARE_RANGE_H

#include "app/share/share_theory.h"

/** Write the picture as SVG.
 *
 * @param machine  whose clock is the highest
 * @param path     "-" is standard output
 */
int share_range_write(const struct share_runs *runs, const struct hardware *machine,
                      const struct share_choice *choice, const char *path, struct why *why);

#endif
