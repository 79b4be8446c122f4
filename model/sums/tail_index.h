/* tail_index.h - how heavy the tail of a distribution is: P[X > x] falls as x^-alpha.
 *
 * Models    the largest values as those of a Pareto distribution. Below alpha = 2 there is no variance, below 1 no
 *           mean: what a sample gives for them grows with the sample.
 * Method    Hill's estimator over the k largest of n values: 1/alpha = mean of ln(x_(i) / x_(k+1)), i = 1 .. k. It is
 *           the mean of the spacings e_i = i ln(x_(i) / x_(i+1)). Of a power law these are independent and of one
 *           exponential distribution (Renyi), so that Hill's estimates over k have a plateau; of an exponential, a
 *           Weibull or a lognormal distribution they grow with i. The plateau is that of the largest k of n/2, n/4 ...
 *           at which the e_i have no slope over ln i (95%), and the estimates of k/2, k/4 ... 64 are those of
 *           k (99% each). There is no index without a plateau, and none from fewer values than can tell the two kinds
 *           apart: k is 1500 at least, and n/250 if that is not above 32,768.
 * Interval  of 95%, exact for independent values of a Pareto tail: k alpha / alpha^ has a gamma distribution of k.
 * Contract  pure functions.
 * Source    Hill, Annals of Statistics 3, 1975; Renyi, Acta Mathematica Hungarica 4, 1953; Hall, JRSS B 44, 1982 (that
 *           k has to be chosen).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** Below this index a variance means nothing. */
#define TAIL_INDEX_OF_VARIANCE 2.0

/** No more of the largest values are looked at, and no power law is seen in fewer values than TAIL_VALUES_LEAST. */
enum { TAIL_LARGEST_MOST = 65536, TAIL_VALUES_LEAST = 3000 };

struct tail_estimate {
    double index;     /* alpha; NaN if no power law is seen */
    double low, high; /* its 95% interval */
    size_t largest;   /* k; 0 if no power law is seen */
};

/** Find the plateau.
 *
 * @param largest  the `count` largest of `all` values, in falling order; more than TAIL_LARGEST_MOST + 1 are not read
 */
struct tail_estimate tail_index(const double *largest, size_t count, uint64_t all);

/** Put values into the order that tail_index() needs. */
void tail_sort(double *values, size_t count);
