/* frenkel.h - the identities of random sums, each by formula and by simulation.
 *
 * Models    the trips of Dor's run 2 as independent draws: a pass looks up N = 1000 seeds, of which a fraction p =
 *           0.0283 makes a trip of 60 clocks, and the others take one clock. N is fixed or has a Poisson
 *           distribution; p is the same for all passes, or 0.0183 in half of them and 0.0383 in the others, which is
 *           where (5.3) fails. Besides, confidence regions of shares, Hill's index of a Pareto tail, and no-wait
 *           makespans.
 * Known     values that follow by hand, with the digits to which they are given: E X = 1 + 59 p, D X = 59^2 p (1 -
 *           p), D T = N D X for a fixed N, and N (D X + (E X)^2) for a Poisson N.
 * Intervals of the simulation are of 99.9%, so that of the fifteen cells that have one all hold for 98.5% of seeds.
 *           That of a variance takes the fourth moment of what was drawn.
 * Judgement a cell is admitted if the formula rounds to what is known and the simulation's interval holds the formula.
 * Random    GSL's mt19937; the same seed gives the same numbers.
 * Source    Frenkel, sections 3 to 5; Dor 2010 (WUCSE-2010-30) for the lookups; model/sums/random_sum.h and the headers
 *           that it stands beside.
 */
#ifndef MERCURY_VALIDATE_FRENKEL_H
#define MERCURY_VALIDATE_FRENKEL_H

#include <stdbool.h>
#include <stddef.h>

enum { FRENKEL_CELLS_MAX = 20 };

struct frenkel_cell {
    const char *equation, *quantity, *unit;
    double known, half_unit; /* NaN if the formula is all that is known */
    double formula;
    double simulated, half_width; /* half_width 0: the simulation is exact; NaN: nothing is simulated */
    bool admitted;
};

struct frenkel {
    struct frenkel_cell cells[FRENKEL_CELLS_MAX];
    size_t count, not_admitted;
    double by_53_where_p_varies; /* D T by (5.3) with the mean p, beside the cell of total variance */
};

/** Compute and simulate all cells.
 *
 * @param seed  1 to 2^32 - 1
 * @return 0, or -1 if memory is exhausted
 */
int frenkel_make(unsigned long seed, struct frenkel *out);

#endif
