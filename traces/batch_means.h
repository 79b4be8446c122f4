/* batch_means.h - a confidence interval from one long run, cut into batches.
 *
 * Models    the method of batch means (Law, Simulation Modeling and Analysis, 5th ed., section 9.5.3): successive
 *           stretches of a stationary run, each much longer than what is remembered from one to the next, have nearly
 *           independent, nearly normal sums. What is estimated is a ratio of two long-run means (elements a second,
 *           occupancy x time over time, seconds waited over elements served), by the ratio of the sums; its variance
 *           by that of the residuals part - ratio x whole (Law, section 9.5.3 with Cochran, Sampling Techniques, 3rd ed.,
 *           eq. 6.13), with Student's t for batches - 1 degrees of freedom. Where all wholes are equal that is the mean
 *           of the batches' values.
 * Controls  sums over a batch whose true mean is 0 (what was drawn less what is drawn on average) explain part of its residual;
 *           a regression over the batches takes that part out of the estimate and of the interval (control variates;
 *           Lavenberg and Welch, Management Science 27(3), 1981; Student's t for batches - 1 - controls degrees of freedom).
 * Strata    stretches that need not be alike (passes) have batches of their own. Their estimates together are that of the ratio
 *           over all of them, each stretch with the share it has of the whole: variances add up with squared shares (Cochran,
 *           section 5.4), and Student's t has Satterthwaite's degrees of freedom (Biometrics Bulletin 2(6), 1946). What
 *           stretches differ by does not widen the interval: it is not of stretches that were not run.
 * Events    a single batch unlike all others that makes more than half of the variance is nothing Student's t knows:
 *           `largest` says so.
 * Omits     warm-up: the caller leaves it out. Too short batches make the interval too narrow; their residuals are
 *           then correlated, and `lag1` says so.
 */
#ifndef MERCURY_TRACES_BATCH_MEANS_H
#define MERCURY_TRACES_BATCH_MEANS_H

#include <stdbool.h>
#include <stddef.h>

/** What a batch contributes to an estimate. */
struct batch_term {
    double part, whole;
};

struct estimate {
    double mean;       /* sum of parts / sum of wholes; NaN where the wholes sum up to 0 */
    double half_width; /* of the 95% interval: mean +- half_width; NaN below two batches */
    double lag1;       /* correlation of neighbouring batches' residuals; 0 where they do not vary */
    double largest;    /* share of the batch farthest off in the residuals' squares; 0 likewise */
};

/** @param terms  `count` of them, in the order of the run */
struct estimate batch_means(const struct batch_term *terms, size_t count);

enum { BATCH_CONTROLS = 3 };

/** What was drawn in a batch less what is drawn on average. */
struct batch_controls {
    double of[BATCH_CONTROLS];
};

/** The same with less variance, by controls of true mean 0; one that never varies explains nothing.
 *
 * @param controls  of each batch
 */
struct estimate batch_means_controlled(const struct batch_term *terms, const struct batch_controls *controls,
                                       size_t count);

/** The estimate of a stretch from batches in it. */
struct batch_stratum {
    struct estimate estimate;
    size_t batches; /* 2 or more for a half-width */
    double whole;   /* its terms' sum */
};

/** The estimate of several stretches together; lag1 and largest are of the residuals within them. One without a half-width leaves
 *  the whole without, unless its whole is 0. */
struct estimate batch_means_of_strata(const struct batch_stratum *strata, size_t count);

/** Whether neighbouring batches are so alike that chance hardly explains it (lag 1 above 2.6 standard errors, as one
 *  independent run in 200 has it). @param count  batches */
bool batch_means_are_correlated(const struct estimate *estimate, size_t count);

/** Whether more than half of the variance is of one batch. */
bool batch_means_rest_on_one(const struct estimate *estimate);

#endif
