/* tail_index.h - how heavy the tail of a distribution is: P[X > x] falls as x^-alpha.
 *
 * Models    the largest values as those of a Pareto distribution. Below alpha = 2 there is no variance, below 1 no
 *           mean: what a sample gives for them grows with the sample. A light tail has a large alpha.
 * Method    Hill's estimator over the k largest of n values: 1/alpha = mean of ln(x_(i) / x_(k+1)), i = 1 .. k. If only
 *           the largest value and the one that k exceed are known: alpha = (ln k + 0.577) / ln(x_(1) / x_(k+1)),
 *           because ln(x_(1) / x_(k+1)) is about (ln k + a Gumbel number) / alpha.
 * Intervals of 95%, exact for a Pareto tail: k alpha / alpha^ has a gamma distribution of k; Gumbel's for the second.
 * Contract  pure functions; NaN if it is not defined.
 * Source    Hill, Annals of Statistics 3, 1975; Hall, JRSS B 44, 1982 (choice of k); Gumbel, "Statistics of
 *           extremes", 1958.
 */
#ifndef MERCURY_MODEL_TAIL_INDEX_H
#define MERCURY_MODEL_TAIL_INDEX_H

#include <stddef.h>

/** Below this index a variance means nothing. */
#define TAIL_INDEX_OF_VARIANCE 2.0

/** How many of n values tail_index() is asked here: a tenth of them, but 5 or more, and at most half. */
size_t tail_size(size_t n);

struct tail_estimate {
    double index;     /* alpha; INFINITY if the largest values are equal */
    double low, high; /* its 95% interval */
};

/** alpha by Hill.
 *
 * @param values   `count` of them in any order; they are sorted, the largest first
 * @param largest  k, 1 .. count - 1
 * @return NaN if k is out of its range, or one of the k + 1 largest values is not positive
 */
struct tail_estimate tail_index(double *values, size_t count, size_t largest);

/** alpha by the largest value alone.
 *
 * @param largest  k, the number of values above `threshold`; not necessarily whole
 * @return NaN unless k >= 5 and 0 < threshold <= greatest
 */
struct tail_estimate tail_index_of_greatest(double largest, double threshold, double greatest);

#endif
