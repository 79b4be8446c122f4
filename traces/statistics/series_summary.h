/* series_summary.h - what the frames of a measurement say together: how they spread, and where the run became steady.
 *
 * Models    five numbers, whiskers and outliers, for box plots as in Lancaster et al. 2011, Figure 6. Quartiles are
 *           interpolated between the two nearest values (Hyndman and Fan's type 7, as in GSL, R and NumPy); a whisker
 *           ends at the last value within 1.5 interquartile ranges of the box (Tukey, 1977).
 *           Warm-up by MSER-5 (White, Simulation 69, 1997; White, Cobb, Spratt, WSC 2000): of the means of 5 frames,
 *           the cut is where the squared standard error of the remaining ones, sum (z - mean)^2 / (k - d)^2, is
 *           smallest. A cut in the second half is no answer: the run was too short to become steady.
 *           How sure the steady frames' mean is: batch_means.h.
 * Frames    whole frames of equal length or equal data; the caller leaves out the last, partial one. A frame in which
 *           nothing could be measured is NaN: it is counted as missing and otherwise left out.
 * Memory    a series keeps at most SERIES_POINTS values. If there are more frames, it keeps the means of 2, 4, 8 ...
 *           frames and says of how many.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERIES_POINTS = 16384 };

/** Values of a measurement, frame after frame. */
struct series {
    double *points;
    size_t count;
    uint64_t frames_per_point; /* 1 until there are more than SERIES_POINTS frames */
    uint64_t frames;           /* number of frames so far, without the missing ones */
    uint64_t missing;
    double pending_sum; /* of the frames of the next point so far */
    uint64_t pending;   /* their number */
    size_t room;
};

/** Add the value of a frame. Start with {0}. */
void series_add(struct series *series, double value);
void series_destroy(struct series *series);

struct five_numbers {
    double least, lower_quartile, median, upper_quartile, most;
    double lower_whisker, upper_whisker;
    size_t outliers; /* number of points beyond the whiskers */
};

struct warm_up {
    bool found;     /* false if there are fewer than 50 points or no steady half; then nothing is dropped */
    size_t dropped; /* number of points, a multiple of 5 */
    double error;   /* standard error of the mean of the remaining points, taken as independent */
};

/** Five numbers of `count` finite values, which are sorted; all are NaN if there are none. */
struct five_numbers five_numbers_of(double *values, size_t count);

struct warm_up warm_up_of(const double *values, size_t count);
