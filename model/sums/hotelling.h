/* hotelling.h - whether passes, each taken as one observation, have given shares: Hotelling's T^2.
 *
 * Models    m passes with counts K_ji of r types, and shares p that they may or may not have. If they have, the vectors
 *           d_j = (K_ji - p_i N_j), i = 1 .. r - 1, have the mean 0, whatever the operations of one pass have in
 *           common. T^2 = m d' S^-1 d, with their mean d and covariance S, is then (r-1)(m-1)/(m-r+1) times an F of
 *           r-1 and m-r+1 degrees of freedom. The type left out makes no difference.
 * Domain    passes that are independent of each other and enough of them for a mean to be near normal; m >= r.
 * Omits     that the given shares may be estimates themselves: they are taken as exact.
 * Counts    row after row, a row per pass, a column per type.
 * Errors    0 or a negative code of model_error.h.
 * Source    Hotelling, Annals of Mathematical Statistics 2, 1931. As a test of a ratio of means it is Fieller's (JRSS B
 *           16, 1954) for two types. It takes the place of the ellipsoid of Frenkel's section 4
 *           (multinomial_ellipsoid.h), whose operations are independent.
 */
#ifndef MERCURY_MODEL_HOTELLING_H
#define MERCURY_MODEL_HOTELLING_H

#include <stddef.h>

enum { HOTELLING_TYPES_MAX = 16 };

/** Find T^2.
 *
 * @param types   2 .. HOTELLING_TYPES_MAX
 * @param shares  p_i
 * @param t2      out; untouched on error
 * @return 0, MODEL_EUNKNOWN with too few passes or types, or MODEL_ENOSOLUTION if some combination of counts does not
 *         vary over the passes, so that nothing can be said of it
 */
int hotelling_t2(const double *counts, size_t passes, size_t types, const double *shares, double *t2);

/** The T^2 that passes of the given shares do not exceed with probability `level`; NaN with too few passes. */
double hotelling_limit(size_t passes, size_t types, double level);

#endif
