/* counts_file.h - what the runs of any program did: operations by their names and numbers, and the seconds of each run.
 *
 * Table     tab-separated lines after the header name, count, seconds (of the whole run; once for each run is enough,
 *           NA or nothing otherwise), or run (its name), name, count, seconds. Without run, a run ends where its first
 *           name comes again. `#` begins a note.
 * perf      what `perf stat -x,` (or -x\;) has written, of several runs one after the other, as with --append:
 *           COUNT,UNIT,EVENT,... A run ends likewise, or at the line "# started on"; the line "# run NAME" names the
 *           next one. Its seconds are duration_time (ns), or else another time, such as task-clock (msec). Events that
 *           are not supported or not counted are left out.
 * Models    every run as a pass of one server, "program", in seconds. Durations are constant, and those that fit the
 *           seconds best (random_sum_fit_durations()).
 * Limits    OPERATION_TYPES_MAX operations; every run has a count of each.
 * Memory    run_operations_free() frees it, after an error too.
 * Errors    a negative PREDICT_E* code and one line that names file and line.
 */
#pragma once

#include <stdbool.h>

#include "base/why.h"
#include "model/sums/operations_forecast.h"

/** Whether a path, or "-" for standard input, is a file that does not begin as the JSON of a run does. */
bool counts_file_is(const char *path);

/** @param has_durations  whether every run must have its seconds, so that durations are found */
int counts_file_take(const char *path, bool has_durations, struct operations *out, struct why *why);
