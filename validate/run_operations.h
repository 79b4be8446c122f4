/* run_operations.h - what the passes of a run did, counted by types of operations, and how long one of each takes.
 *
 *     server   operations                              measured: the time in which it has one of them
 *     1a       word clock                              stage 1a, in clocks
 *     1bd      primary lookup, trip                    the duplicate stage, in clocks
 *     bus      table byte, database word, HSP record   the PCI-X bus, in microseconds
 *     cores    HSP check, cell                         stage 3's cores, in microseconds
 *
 * Models    every server executes its operations one after the other, so that each is a random sum of its own
 *           (random_sum.h); servers work at the same time. A primary lookup is one that the primary table answers, in
 *           one clock; of those that go on to the duplicate table only the trips are counted, of trip_cycles
 *           each, or if several may be under way, of the clocks by which a trip holds 1bd
 *           (mercury_tandem_trip_share()).
 * Measured  what a server spends on operations and, with one of them in hand, on being held: 1a by a full w-mer FIFO,
 *           1bd by a full stage-2 FIFO, the bus by a board without room. The cores are never held.
 * Durations are those of the machine: one clock; sram.trip_cycles; bytes over the bus's capacity;
 *           stage3.cycles_per_check and cycles_per_cell over host.clock. Where the machine is not known (struct run),
 *           the cores' durations are not, either (NaN).
 * Memory    run_operations_free() frees it, after an error too.
 * Errors    a negative PREDICT_E* code (predict_inputs.h) and one line that names the file and what is missing.
 */
#pragma once

#include <stdbool.h>

#include "base/why.h"
#include "model/sums/operations_forecast.h"
#include "sim/run/run.h"

/* What the runs of any program did: operations by their names and numbers, and the seconds of each run.
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
 */

/** Whether a path, or "-" for standard input, is a file that does not begin as the JSON of a run does. */
bool counts_file_is(const char *path);

/** @param has_durations  whether every run must have its seconds, so that durations are found */
int counts_file_take(const char *path, bool has_durations, struct operations *out, struct why *why);

int run_operations_take(const struct run *run, struct operations *out, struct why *why);

void run_operations_free(struct operations *operations);

/** Clocks for which a trip holds 1bd (mercury_tandem_trip_share()) in a frame. */
double run_trip_share(const struct frame_values *frame);
