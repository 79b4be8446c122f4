/* random_sum.h - the time of a program as a random sum: how many operations it has, times how long each takes.
 *
 *     T = X_1 + X_2 + ... + X_N
 *
 * Models    a program executes N operations, one after the other. Each is of type i with probability p_i, and then
 *           lasts tau_i, independently of the others. So X is a mixture of the durations of `types` types, and K_i of
 *           the N operations are of type i.
 * Needs     The means need no independence of N and X for given counts: E T = sum of E K_i E tau_i holds whenever the
 *           durations do not depend on the counts. The variance (5.3) needs operations that are independent of each
 *           other and of N; random_sum_total_variance() does not.
 * Units     those of the durations.
 * Contract  pure functions of finite numbers; a result that is not defined (a share of no operations) is NaN.
 * Source    Frenkel, sections 4 and 5: (4.2.2) E T = E N E X, where the paper prints the mean of X as the integral of
 *           x G(x) dx for that of x dG(x); (4.2.5) E T = sum of E K_i E tau_i; (4.2.6) p_i = E K_i / E N, a ratio of
 *           means, not the mean of a ratio; (5.2) T = N sum of p_i E tau_i + eps; (5.3) D T. The first two are Wald's
 *           equation (Annals of Mathematical Statistics 15, 1944).
 */
#pragma once

#include <stddef.h>

/** Mean and variance of a random number. */
struct random_moments {
    double mean, variance;
};

/** E T by Wald (4.2.5): the sum of E K_i E tau_i.
 *
 * @param counts  E K_i, or the counts K_i of one program, of which E T is then conditional
 */
double random_sum_by_counts(const double *counts, const struct random_moments *durations, size_t types);

/** Find p_i = E K_i / E N (4.2.6). @param shares  out: NaN if there are no operations */
void random_sum_shares(const double *counts, size_t types, double *shares);

/** E X and D X of one operation, a mixture of the types. @param shares  p_i, which add up to 1 */
struct random_moments random_sum_operation(const double *shares, const struct random_moments *durations,
                                           size_t types);

/** E T by (4.2.2) and D T = E N D X + D N (E X)^2 by (5.3). @param number  E N and D N */
struct random_moments random_sum_moments(struct random_moments number, struct random_moments operation);

/** Var T = E[Var(T | counts)] + Var(E[T | counts]): the law of total variance.
 *
 * @param counts   E K_i
 * @param between  variance, over programs, of the sum of K_i E tau_i
 */
double random_sum_total_variance(const double *counts, const struct random_moments *durations, size_t types,
                                 double between);
