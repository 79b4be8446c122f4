/* front.h - which machines are worth what they cost: the Pareto front, the quickest, and the knee.
 *
 * Ranked    by the time of the run.
 * Costs     of all boards of all hosts: block RAMs, SRAM chips, and the energy of the run. Nothing tells what one of
 *           them is worth in another, so that they are never added. Where one machine must be named, the cheapest has
 *           the least product of all three: a per cent of one counts as much as a per cent of another.
 * Front     a machine is on the front if no other one is as good in time and all costs and better in one of them. One
 *           with fewer block RAMs or chips is as good if its time and energy are greater by at most 0.01%: nobody
 *           builds more for less.
 * Knee      the cheapest machine that keeps a share of the greatest speed (that of the shortest time), by default
 *           FRONT_KEEP. Cores and bandwidths have no price: if none of the machines that keep the share costs less than
 *           the quickest, the knee is the slowest of them.
 * Use       `mercury advise`, the end of a sweep, its pictures and its page all ask here, so that they agree.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define FRONT_KEEP 0.95

enum front_cost { FRONT_RAMB18, FRONT_SRAM_CHIPS, FRONT_ENERGY, FRONT_COSTS };

/** The measures (sweep_measure.h) that a machine is ranked by, and that it costs. */
#define FRONT_TIME "simulated_time_s"
extern const char *const front_cost_measures[FRONT_COSTS];

struct front_point {
    double time_s, costs[FRONT_COSTS];
    bool counts; /* whether the point is a machine to choose from; others are passed over */
};

/** Whether a is as good as b in everything, and better in something, be it by ever so little. */
bool front_dominates(const struct front_point *a, const struct front_point *b);

/** Whether a costs less than b as far as one machine must be named; of equal costs whether it is quicker. */
bool front_is_cheaper(const struct front_point *a, const struct front_point *b);

/** The cheapest machine that is quick enough.
 *
 *  @param keep       share of the greatest speed, from 0 to 1; with 1 it is the quickest point, the cheapest of several
 *  @param slowest_s  no slower one is taken, though the quickest may be; INFINITY if that is no condition
 *  @return SIZE_MAX if there is none */
size_t front_find_cheapest(const struct front_point *points, size_t count, double keep, double slowest_s);

/** @param is_unpriced  out: the knee is the slowest machine that keeps the share, for all that do so have as many
 *                      block RAMs and chips, and none takes less energy than the quickest */
size_t front_find_knee(const struct front_point *points, size_t count, double keep, bool *is_unpriced);

bool front_has(const struct front_point *points, size_t count, size_t point);

/** The point that is next in time, from the quickest on, of those on the front or of all. @param after  the last one,
 *  SIZE_MAX at first; @return SIZE_MAX after the last */
size_t front_next(const struct front_point *points, size_t count, bool on_front, size_t after);
