/* series_summary.h - what the frames of a measurement say together: their spread, where the run became steady, and how sure its
 * mean is.
 *
 * Models    five numbers, whiskers and outliers: box plots as in Lancaster et al. 2011, Figure 6; quartiles
 *           interpolated between the two nearest values (Hyndman and Fan's type 7, as GSL, R and NumPy do), whiskers
 *           at the last value within 1.5 interquartile ranges of the box (Tukey, 1977).
 *           Warm-up: MSER-5 (White, Simulation 69, 1997; White, Cobb, Spratt, WSC 2000): means of 5 frames, cut where
 *           the squared standard error of what is left, sum (z - mean)^2 / (k - d)^2, is least. A cut in the second half is no
 *           answer: the run was too short to become steady.
 *           Confidence: batch means. The number of batches is the root of the number of frames, at least 10 and at most 30
 *           (Schmeiser, Operations Research 30, 1982); frames that fill no batch are left out at the beginning. The
 *           interval is Student's; it trusts batches to be independent, so their lag-1 autocorrelation stands beside it.
 * Frames    full ones of equal length or equal data; the last, partial one is the caller's to leave out. A frame in which
 *           nothing was to be measured is NaN: counted as missing and otherwise left out.
 * Memory    a series keeps SERIES_POINTS values at most: beyond, it keeps the means of 2, 4, 8 ... frames, and says of
 *           how many.
 */
#ifndef MERCURY_TRACES_SERIES_SUMMARY_H
#define MERCURY_TRACES_SERIES_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERIES_POINTS = 16384 };

/** Values of a measurement, frame after frame. */
struct series {
    double *points;
    size_t count;
    uint64_t frames_per_point; /* 1 as long as there are no more than SERIES_POINTS */
    uint64_t frames;           /* taken in, missing ones not counted */
    uint64_t missing;
    double pending_sum; /* of the next point */
    uint64_t pending;   /* frames in it */
    size_t room;
};

/** Start with {0}; take in a frame's value.
 *  @return false when memory is out */
bool series_add(struct series *series, double value);
void series_destroy(struct series *series);

struct five_numbers {
    double least, lower_quartile, median, upper_quartile, most;
    double lower_whisker, upper_whisker;
    size_t outliers; /* points beyond the whiskers */
};

struct warm_up {
    bool found;     /* else the points are too few (< 50) or nowhere steady, and nothing is dropped */
    size_t dropped; /* points, a multiple of 5 */
    double error;   /* standard error of the mean of what is left, points taken for independent */
};

struct batch_means {
    bool enough; /* else there are fewer than 20 points, and only the mean means something */
    double mean, half_width, level;
    size_t batches, batch_points, left_out;
    double lag1;      /* autocorrelation of the batches' means */
    bool independent; /* |lag1| < 2 / sqrt(batches): within chance */
};

/** The same interval where each value is the mean of a run of its own, such as a pass; enough from
 *  REPLICATIONS_LEAST on. */
enum { REPLICATIONS_LEAST = 10 };
struct batch_means replications_of(const double *means, size_t count, double level);

struct series_summary {
    uint64_t frames, missing, frames_per_point;
    size_t points;
    struct five_numbers spread; /* of all points */
    struct warm_up warm_up;
    struct batch_means steady; /* of what the warm-up leaves */
};

/** Five numbers of `count` values, finite; all NaN of none.
 *  @return false when memory is out */
bool five_numbers_of(const double *values, size_t count, struct five_numbers *spread);

/** Whether a value lies beyond the whiskers. */
bool five_numbers_is_outlier(const struct five_numbers *spread, double value);

struct warm_up warm_up_of(const double *values, size_t count);

/** @param level  of confidence, in (0, 1), such as 0.95 */
struct batch_means batch_means_of(const double *values, size_t count, double level);

/** All of it.
 *  @return false when memory is out */
bool series_summary_of(const struct series *series, double level, struct series_summary *across);

#endif
