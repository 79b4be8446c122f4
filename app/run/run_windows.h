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
 * Reading   only what is streamed, if all files have an index (database_cuts.h); else the whole files.
 * Errors    an enum command_status and one line.
 * Source    Wunderlich et al., "SMARTS", ISCA 2003, and IEEE Micro 26(4), 2006: detailed warm-up, and its bias.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "blast/sequence/database_cuts.h"
#include "blast/sequence/sequence.h"
#include "sim/measure/window_log.h"
#include "sim/pass/pass_sample.h"
#include "app/run/sample_request.h"
#include "app/run/search_options.h"

#define RUN_WINDOWS_ALL SIZE_MAX

struct run_windows {
    struct sequences whole;    /* the whole database: its records, without words unless the files were read */
    struct fasta_index *index; /* NULL if the files were read, and not only windows of them */
    struct sample_windows sizes; /* lengths of windows and warm-ups, and numbers of windows */
    struct query_segment *all;   /* all windows, as if they were passes */
    struct pass_sample *sample;  /* which windows were drawn */
    size_t repeated;             /* number of those that are streamed twice */
    struct database_cut *cuts; /* of the drawn windows, then of the repeated ones, with what is around them */
    uint64_t *begins, *ends;   /* of the window of each cut, in positions of what is streamed */
    uint64_t *marks;           /* the first word, begin and end of each cut's window, and the last word */
    size_t mark_count;
    uint64_t streamed;       /* positions */
    struct window_log *logs; /* of the passes */
    size_t passes, shared_bytes;
};

/** Draw windows, and read them. @param database  out: what the machine streams, for sequences_destroy()
 *  @param windows  out: NULL if all windows are drawn, so that `database` is the whole */
int run_windows_open(const struct sample_request *request, const struct search_options *search,
                     unsigned threads, struct sequences *database, struct run_windows **windows,
                     struct why *why);

/** Make the logs of passes, which their processes share with this one. */
void run_windows_watch(struct run_windows *windows, size_t passes);

void run_windows_close(struct run_windows *windows);

/** Positions of the whole for each position that is streamed. */
double run_windows_scale(const struct run_windows *windows);

/** The drawn window that has a position of what is streamed; SIZE_MAX for warm-ups, run-outs and repetitions. */
size_t run_windows_at(const struct run_windows *windows, uint64_t position);

/** Whether an alignment of what is streamed, or of a repetition, reaches an edge at which the database goes on. */
bool run_windows_cuts(const struct run_windows *windows, uint64_t begin, uint64_t end);

/** What a pass has done in a drawn window, or in RUN_WINDOWS_ALL, all that is streamed. */
struct window_reading run_windows_growth(const struct run_windows *windows, size_t pass, size_t window);

/** What windows have more with half the warm-up, as a fraction; NaN if there is nothing to compare. */
struct warm_up_bias {
    double time, hsps;
};

struct warm_up_bias run_windows_bias(const struct run_windows *windows);
