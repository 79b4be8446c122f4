/* design_effect.h - how much less a sample of whole passes knows of a share than as many independent operations would.
 *
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
#ifndef MERCURY_MODEL_DESIGN_EFFECT_H
#define MERCURY_MODEL_DESIGN_EFFECT_H

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

#endif
