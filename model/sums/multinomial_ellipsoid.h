/* multinomial_ellipsoid.h - how well shares are known if every operation is drawn independently.
 *
 *     n (p^ - p)' S^-1 (p^ - p) <= chi2_{r-1},    S = diag(p) - p p'
 *
 * Models    n operations of r types; type i is drawn with probability p_i > 0, and p^_i is its share among those drawn.
 *           The shares add up to 1, so one of them is left out of the vector; which one makes no difference, because
 *           the quadratic form is Pearson's n sum of (p^_i - p_i)^2 / p_i over all r types.
 * Omits     operations that come in clumps, as those of one pass do: hotelling.h, design_effect.h.
 * Domain    n large: n p_i of 5 or more.
 * Contract  pure functions. What is not defined is NaN: fewer than 2 types, a p_i that is not in (0, 1), a level that
 *           is not in (0, 1).
 * Source    Frenkel, section 4 (confidence ellipsoid of p_1 .. p_r); Pearson, Philosophical Magazine 50, 1900.
 */
#ifndef MERCURY_MODEL_MULTINOMIAL_ELLIPSOID_H
#define MERCURY_MODEL_MULTINOMIAL_ELLIPSOID_H

#include <stddef.h>

/** The left side: the distance of shares from p, of which large n have chi2_{r-1} distances.
 *
 * @param shares  p^_i of n operations
 */
double multinomial_distance(const double *shares, const double *p, size_t types, double n);

/** The right side: the distance that is not exceeded with probability `level`. */
double multinomial_limit(size_t types, double level);

/** Half of the ellipsoid's extent along the axis of one type: sqrt(chi2_{r-1} p (1 - p) / n). All r intervals of this
 *  half width hold together with probability `level` or more. */
double multinomial_half_width(double p, size_t types, double n, double level);

/** Number of independent operations after which that half width is `relative` x p. @param relative  > 0 */
double multinomial_operations_needed(double p, size_t types, double relative, double level);

#endif
