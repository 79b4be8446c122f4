/* share_regions.h - how well shares of operations are known: from whole passes, and if every operation is drawn
 * independently.
 *
 * Clusters  say how much less a sample of whole passes knows of a share than as many independent operations would.
 * Models    `clusters` passes (programs) with counts K_ji of operations of type i. The share p^_i = sum_j K_ji /
 *           sum_j N_j is a ratio of means; over independent passes its variance is
 *               sum_j (K_ji - p^_i N_j)^2 / (m (m - 1) (mean N)^2),     m passes,
 *           whatever the operations of one pass have in common. If all operations were drawn independently, it would be
 *           p (1 - p) / (m mean N). The ratio of both is the design effect: 1 if passes are alike but for chance, n
 *           times that if n operations at a time do the same.
 * Counts    row after row, a row per pass, a column per type.
 * Contract  pure functions; NaN with fewer than 2 passes or without operations.
 * Source    Kish, "Survey sampling", Wiley 1965, sections 6.3 and 8.2; linearised ratio: Cochran, "Sampling
 *           techniques", Wiley 1977, section 6.4. Homogeneity: Pearson's chi-squared, e.g. Rao and Scott, JASA 76,
 *           1981.
 */
#pragma once

#include <stddef.h>

/** Variance of the share of one type over passes.
 *
 * @param share  p^_i of all passes together
 */
double cluster_variance(const double *counts, size_t clusters, size_t types, size_t type, double share);

/** cluster_variance() over that of independent operations; NaN if the share is 0 or 1, too. */
double design_effect(const double *counts, size_t clusters, size_t types, size_t type, double share);

/** Whether all passes have the same shares: Pearson's chi-squared of their counts against `shares`, which are those of
 *  all passes together.
 *
 * @param freedom  out: (passes that have operations - 1) (types that occur - 1)
 * @return about `freedom` if every operation is drawn with the same shares
 */
double shares_heterogeneity(const double *counts, size_t clusters, size_t types, const double *shares,
                            double *freedom);

/* Whether passes, each taken as one observation, have given shares: Hotelling's T^2.
 *
 * Models    m passes with counts K_ji of r types, and shares p that they may or may not have. If they have, the vectors
 *           d_j = (K_ji - p_i N_j), i = 1 .. r - 1, have the mean 0, whatever the operations of one pass have in
 *           common. T^2 = m d' S^-1 d, with their mean d and covariance S, is then (r-1)(m-1)/(m-r+1) times an F of
 *           r-1 and m-r+1 degrees of freedom. The type left out makes no difference.
 * Domain    passes that are independent of each other and enough of them for a mean to be near normal; m >= r.
 * Omits     that the given shares may be estimates themselves: they are taken as exact.
 * Errors    0 or a negative code of model_error.h.
 * Source    Hotelling, Annals of Mathematical Statistics 2, 1931. As a test of a ratio of means it is Fieller's (JRSS B
 *           16, 1954) for two types. It takes the place of the ellipsoid of Frenkel's section 4
 *           (below), whose operations are independent.
 */

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

/* How well shares are known if every operation is drawn independently.
 *
 *     n (p^ - p)' S^-1 (p^ - p) <= chi2_{r-1},    S = diag(p) - p p'
 *
 * Models    n operations of r types; type i is drawn with probability p_i > 0, and p^_i is its share among those drawn.
 *           The shares add up to 1, so one of them is left out of the vector; which one makes no difference, because
 *           the quadratic form is Pearson's n sum of (p^_i - p_i)^2 / p_i over all r types.
 * Omits     operations that come in clumps, as those of one pass do: above.
 * Domain    n large: n p_i of 5 or more.
 * Contract  pure functions. What is not defined is NaN: fewer than 2 types, a p_i that is not in (0, 1), a level that
 *           is not in (0, 1).
 * Source    Frenkel, section 4 (confidence ellipsoid of p_1 .. p_r); Pearson, Philosophical Magazine 50, 1900.
 */

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
