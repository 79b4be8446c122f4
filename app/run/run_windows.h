/* run_windows.h - a sample of the database: which windows are drawn, what the machine streams of them, and what each
 * pass has done in each.
 *
 * Models    the database, cut into windows of equal numbers of positions, of which some are drawn as passes are
 *           (pass_sample.h): at random without replacement, in strata of records. All passes stream the drawn windows
 *           one after the other, each after a warm-up, the bases before it, and before a run-out of the same length, in
 *           which its alignments end. Neither is counted. An alignment that reaches farther is cut.
 * State     a warm-up begins in the state in which the window before has left the machine, which is a usual one, but
 *           not that of this place. Some windows are streamed twice, the second time at the end and with half the
 *           warm-up. What they differ by is the bias that half the warm-up leaves.
 * Reading   only what is streamed, if all files have an index (fasta_index.h); else the whole files.
 * Errors    an enum command_status and one line.
 * Source    Wunderlich et al., "SMARTS", ISCA 2003, and IEEE Micro 26(4), 2006: detailed warm-up, and its bias.
 */
#ifndef MERCURY_APP_RUN_RUN_WINDOWS_H
#define MERCURY_APP_RUN_RUN_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "blast/sequence/sequence.h"
#include "sim/measure/window_log.h"
#include "sim/pass/pass_sample.h"
#include "app/run/sample_request.h"
#include "app/run/search_options.h"

struct run_windows;

/** Draw windows, and read them.
 *
 * @param threads   that may read
 * @param database  out: what the machine streams, for sequences_destroy()
 * @param windows   out: NULL if all windows are drawn, so that `database` is the whole
 */
int run_windows_open(const struct sample_request *request, const struct search_options *search,
                     unsigned threads, struct sequences *database, struct run_windows **windows,
                     struct why *why);

/** Make the logs of passes, which their processes share with this one. */
int run_windows_watch(struct run_windows *windows, size_t passes, struct why *why);

void run_windows_close(struct run_windows *windows);

/** The whole database: its records, without words unless the files were read. */
const struct sequences *run_windows_whole(const struct run_windows *windows);

/** Which windows were drawn. */
const struct pass_sample *run_windows_sample(const struct run_windows *windows);

/** Lengths of windows and warm-ups, and numbers of windows. */
struct sample_windows run_windows_sizes(const struct run_windows *windows);

/** Number of drawn windows that are streamed twice. */
size_t run_windows_repeated(const struct run_windows *windows);

/** The logs of the passes. */
struct window_log *run_windows_logs(const struct run_windows *windows);

/** Positions of the whole for each position that is streamed. */
double run_windows_scale(const struct run_windows *windows);

/** Whether only windows were read. */
bool run_windows_are_indexed(const struct run_windows *windows);

/** The drawn window that has a position of what is streamed; SIZE_MAX for warm-ups, run-outs and repetitions. */
size_t run_windows_at(const struct run_windows *windows, uint64_t position);

/** Whether an alignment of what is streamed, or of a repetition, reaches an edge at which the database goes on. */
bool run_windows_cuts(const struct run_windows *windows, uint64_t begin, uint64_t end);

/** What a pass has done in a drawn window, or in all that is streamed. */
struct window_reading run_windows_growth(const struct run_windows *windows, size_t pass, size_t window);
struct window_reading run_windows_growth_of_all(const struct run_windows *windows, size_t pass);

/** What windows have more with half the warm-up, as a fraction; NaN if there is nothing to compare. */
struct warm_up_bias {
    double time, hsps;
};

struct warm_up_bias run_windows_bias(const struct run_windows *windows);

#endif
