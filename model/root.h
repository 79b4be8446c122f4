/* root.h - a root of a function between two bounds, by Brent's method.
 *
 * Threads   only one at a time: GSL's error handler, which is global to the process, is off meanwhile.
 */
#pragma once

/** Find the root.
 *
 * @param function            has different signs at `low` and `high`, or is 0 at one of them
 * @param absolute, relative  width of the interval in which the root is known to be in the end
 * @return 0 or MODEL_ECONVERGE; `root` is untouched on error
 */
int root_find(double (*function)(double x, void *data), void *data, double low, double high, double absolute,
              double relative, double *root);
