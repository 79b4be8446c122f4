/* counts_file.h - what the runs of any program did: operations by their names and numbers, and the seconds of each run.
 *
 * Table     tab-separated lines after a header line of the columns name (of an operation), count and seconds (of the
 *           whole run; once for each run is enough), in any order, and perhaps run (its name) and tau (seconds of one
 *           operation of that name). Without the column run, a run ends where a name comes again. `#` begins a note;
 *           NA or nothing stands for what is not given.
 * perf      what `perf stat -x,` (or -x\;) has written, of several runs one after the other, as with --append:
 *           COUNT,UNIT,EVENT,... A run begins with the line "# started on", or where its first event comes again; the
 *           line "# run NAME" names the next one. Its seconds are duration_time (ns), or the first other time, such as
 *           task-clock (msec). Events that are not supported or not counted are left out.
 * Models    every run as a pass of one server, "program", in seconds. Without tau, durations are those that fit the
 *           seconds best (random_sum_fit_durations()); they are constant.
 * Limits    OPERATION_TYPES_MAX operations, 100,000 runs; every run has a count of each operation.
 * Memory    run_operations_free() frees it.
 * Errors    a negative PREDICT_E* code and one line that names file and line.
 */
#pragma once

#include <stdbool.h>

#include "base/why.h"
#include "model/sums/operations_forecast.h"

/** Whether a path, or "-" for standard input, is a file that does not begin as the JSON of a run does. */
bool counts_file_is(const char *path);

/** @param needs_seconds  whether every run must have its seconds, and durations are to be found */
int counts_file_take(const char *path, bool needs_seconds, struct operations *out, struct why *why);
