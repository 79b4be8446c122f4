/* batch_means.h - how sure the mean of one long run is: batches are collected, estimated from and tested.
 *
 * Models    the method of batch means (Law, Simulation Modeling and Analysis, 5th ed., section 9.5.3). The successive
 *           batches of a stationary run, each much longer than the run's memory, have nearly independent, nearly normal
 *           sums. The estimate is a ratio of two long-run means (elements per second, occupancy x time over time,
 *           seconds waited over elements served), computed as the ratio of the sums. Its variance is that of the
 *           residuals part - ratio x whole (Law, section 9.5.3 with Cochran, Sampling Techniques, 3rd ed., eq. 6.13),
 *           and the 95% interval is Student's with batches - 1 degrees of freedom. If all wholes are equal, this is the
 *           mean of the batches' values.
 * Controls  A batch's sum whose true mean is 0 (what was drawn minus what is drawn on average) explains a part of the
 *           batch's residual. A regression over the batches removes this part from the estimate and from the interval
 *           (control variates; Lavenberg and Welch, Management Science 27(3), 1981; Student's t with batches - 1 -
 *           controls degrees of freedom).
 * Strata    Parts of a run that need not be alike (passes) have batches of their own. The estimates of all strata
 *           together give the ratio over all of them, each stratum with its share of the whole: variances add up with
 *           squared shares (Cochran, section 5.4), and Student's t has Satterthwaite's degrees of freedom (Biometrics
 *           Bulletin 2(6), 1946). Differences between strata do not widen the interval, because it makes no claim about
 *           strata that were not run.
 * Points    The frames of a measurement are points of equal length. The number of their batches is the root of the
 *           number of points, from BATCHES_LEAST to BATCHES_MAX (Schmeiser, Operations Research 30, 1982). Points that
 *           fill no batch are left out at the beginning.
 * Tests     If batches are too short, the interval is too narrow: neighbouring residuals are then correlated
 *           (batch_means_are_correlated()). If one batch makes more than half of the variance, Student's t does not
 *           hold (batch_means_rest_on_one()).
 * Omits     the warm-up, which the caller leaves out.
 * Memory    fixed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BATCHES_LEAST = 10, BATCHES_MAX = 30, BATCH_SUMS_MAX = 20 };

/* --- collecting ------------------------------------------------------------------------------------------ */

/** The batches of a run whose length is not known beforehand. A caller reads the same sums since the run's beginning
 *  again and again; a batch is what they grew by over 2^doublings readings. When there are BATCHES_MAX batches, each
 *  two become one. From BATCHES_MAX / 2 readings on there are BATCHES_MAX / 2 to BATCHES_MAX batches. Start with
 *  {0}. */
struct batches {
    uint64_t readings;
    unsigned doublings; /* a batch has 2^doublings readings */
    size_t count;       /* number of whole batches so far; of all batches after batches_close() */
    uint64_t ends[BATCHES_MAX][BATCH_SUMS_MAX];
};

/** Read the sums.
 *
 * @param sums  BATCH_SUMS_MAX numbers, none smaller than at the reading before
 */
void batches_read(struct batches *batches, const uint64_t *sums);

/** End the run with these sums. What came after the last whole batch becomes a batch if it has at least half as many
 *  readings; otherwise it belongs to the last one. The batches add up to the run. No reading may follow. */
void batches_close(struct batches *batches, const uint64_t *sums);

/** @return the number of readings in a batch */
uint64_t batches_length(const struct batches *batches);

/** @return what a sum grew by in a batch, 0 .. count - 1 */
uint64_t batches_growth(const struct batches *batches, size_t batch, unsigned sum);

/* --- estimating ------------------------------------------------------------------------------------------ */

/** What a batch contributes to an estimate. */
struct batch_term {
    double part, whole;
};

struct estimate {
    double mean;       /* sum of parts / sum of wholes; NaN if the wholes sum up to 0 */
    double half_width; /* of the 95% interval mean +- half_width; NaN with fewer than two batches */
    double lag1;       /* correlation of neighbouring batches' residuals; 0 if they do not vary */
    double largest;    /* share of the largest squared residual in all of them; 0 if they do not vary */
};

/** @param terms  `count` terms in the order of the run */
struct estimate batch_means(const struct batch_term *terms, size_t count);

enum { BATCH_CONTROLS = 3 };

/** What was drawn in a batch minus what is drawn on average. */
struct batch_controls {
    double of[BATCH_CONTROLS];
};

/** Estimate with less variance, by controls whose true mean is 0. A control that never varies explains
 *  nothing; what it varies by rounding would be taken for a cause of everything.
 *
 * @param controls  those of each batch
 * @param size      a batch's sum of what is drawn, of whose rounding a control consists if nothing varies
 */
struct estimate batch_means_controlled(const struct batch_term *terms, const struct batch_controls *controls,
                                       double size, size_t count);

/** The estimate of one stratum from the batches inside it. */
struct batch_stratum {
    struct estimate estimate;
    size_t batches; /* 2 or more, or there is no half-width */
    double whole;   /* sum of the wholes of its terms */
};

/** The estimate of all strata together; lag1 and largest are those of the residuals within the strata. If a stratum has
 *  no half-width, the result has none, unless that stratum's whole is 0. */
struct estimate batch_means_of_strata(const struct batch_stratum *strata, size_t count);

/** An estimate from points of equal weight. */
struct point_estimate {
    struct estimate estimate; /* with too few points only its mean is a number */
    size_t batches;           /* 0 if there are too few points for an interval */
    size_t batch_points;      /* number of points in each batch */
};

/** Batch means of a steady series; an interval needs 2 x BATCHES_LEAST points. */
struct point_estimate batch_means_of_points(const double *points, size_t count);

/** Estimate if each point is the mean of a run of its own, such as a pass; an interval needs BATCHES_LEAST points. */
struct point_estimate batch_means_of_replications(const double *points, size_t count);

/* --- testing --------------------------------------------------------------------------------------------- */

/** Whether neighbouring batches are more alike than chance explains: lag1 is above 2.6 standard errors, which one
 *  independent run in 200 exceeds.
 *
 * @param count  number of batches
 */
bool batch_means_are_correlated(const struct estimate *estimate, size_t count);

/** Whether one batch makes more than half of the variance. */
bool batch_means_rest_on_one(const struct estimate *estimate);
