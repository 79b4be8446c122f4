/* work_curve.h - the greatest work of any k consecutive elements of a stream: a point of its work curve.
 *
 * Models    a stream of elements, each of which brings some work: seeds of a word, clocks of a lookup, records of a
 *           match. Counts of elements so give scaling curves, clocks give workload curves.
 * Exact     the greatest sum of all windows of k elements, not a bound of it.
 * Source    Fidler and Schmitt, "On the way to a distributed systems calculus", SIGMETRICS 2006 (scaling); Maxiaguine,
 *           Kuenzli and Thiele, "Workload characterization model for tasks with variable execution demand", DATE 2004.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** @param ends   `count` + 1 sums: the work of all elements before each, and of all; ends[0] is 0
 *  @param k      a window as long as the stream, or longer, is the whole stream */
uint64_t work_curve_greatest(const uint64_t *ends, size_t count, uint64_t k);
