/* random_sum.h - the time of a program as a random sum: how many operations it has, times how long each takes.
 *
 *     T = X_1 + X_2 + ... + X_N
 *
 * Models    a program executes N operations, one after the other. Each is of type i with probability p_i, independently
 *           of the others, and then lasts tau_i. So X is a mixture of the durations of `types` types, and K_i of the N
 *           operations are of type i.
 * Needs     The means need no independence of N and X for given counts: E T = sum of E K_i tau_i. The variance (5.3)
 *           needs operations that are independent of each other and of N. The variance of the sum of K_i tau_i over
 *           programs does not; it is that of T by the law of total variance, since durations are constant.
 * Units     those of the durations.
 * Contract  pure functions of finite numbers; a result that is not defined (a share of no operations) is NaN.
 * Normal    A sum of n independent operations is normal but for an error of P(T > t) that is at most C E|X - E X|^3 /
 *           (sigma^3 sqrt(n)) for every t, with C = 0.4748 (Shevtsova, arXiv:1111.6554, 2011): Berry, Transactions of
 *           the AMS 49, 1941; Esseen, Arkiv foer matematik 28A, 1942.
 * Order     Frenkel's v_ij are durations that depend on the operation before. They are inferred here from the
 *           correlation r of neighbours, as those of a Markov chain of two states: r^k for two operations that are k
 *           apart.
 * Durations that nobody knows are fitted to the times of several programs: least squares, weighted by 1 / T.
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

/** E T by Wald (4.2.5): the sum of E K_i tau_i.
 *
 * @param counts  E K_i, or the counts K_i of one program, of which E T is then conditional
 */
double random_sum_by_counts(const double *counts, const double *durations, size_t types);

/** Find p_i = E K_i / E N (4.2.6). @param shares  out: NaN if there are no operations */
void random_sum_shares(const double *counts, size_t types, double *shares);

/** E X and D X of one operation, a mixture of the types. @param shares  p_i, which add up to 1 */
struct random_moments random_sum_operation(const double *shares, const double *durations, size_t types);

/** E T by (4.2.2) and D T = E N D X + D N (E X)^2 by (5.3). @param number  E N and D N */
struct random_moments random_sum_moments(struct random_moments number, struct random_moments operation);

/** By what the variance of N operations is larger than N D X if the durations of neighbours are correlated: 1 + 2 sum
 *  of (1 - k/N) r^k. @param lag1  r, in (-1, 1); NaN gives NaN */
double random_sum_order_factor(double number, double lag1);

/** The most by which the normal distribution is wrong of P(T > t), for any t: at most 1; NaN without variance.
 *  @param number  n, of independent operations */
double random_sum_normal_error(double number, const double *shares, const double *durations, size_t types);

enum { RANDOM_SUM_TYPES_MAX = 16 };

/** Fit the duration of each type to the times of programs. A type whose duration would be below 0 gets 0, the most
 *  negative one first, and the others are fitted again.
 *
 * @param counts     row after row: a row per program, a column per type, of at most RANDOM_SUM_TYPES_MAX
 * @param times      of each program, > 0
 * @param durations  out
 * @return 0, or the number (from 1) of a type whose counts are a sum of those of types before it (in fixed
 *         proportions), so that its duration cannot be told
 */
size_t random_sum_fit_durations(const double *counts, const double *times, size_t programs, size_t types,
                                double *durations);
