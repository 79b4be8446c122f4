/* run_diff.h - what differs between two runs, A and B: what was asked for, and every number that was measured.
 *
 * Compared  from run.json the inputs (by their digests; names of equal inputs do not count), the parameters of the
 *           machine and what was asked for, such as the E-value; from summary.json everything, pass by pass. Not
 *           compared is what changes nothing simulated: paths, jobs, the engine, times of this computer. Strands, masks
 *           and limits, which a run that was timed again does not know, are compared only if both runs know them.
 * Change    of a number from A to B: 100 (B - A) / |A| per cent; infinite from 0, NaN if one is no number.
 * Order     by kind, parameters first, then the largest change first; an infinite change, or none in per cent, is the
 *           largest.
 * Names     as in run.json and summary.json, with dots between the parts; an item of an array has the name of its
 *           "stage", or its number from 1.
 * Memory    run_diff_free() frees it; values are borrowed from both runs.
 */
#ifndef MERCURY_APP_REPORT_RUN_DIFF_H
#define MERCURY_APP_REPORT_RUN_DIFF_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "base/draw/result_table.h"
#include "base/why.h"
#include "app/report/run_files.h"

enum run_difference_kind {
    DIFFERENCE_OF_PARAMETER,
    DIFFERENCE_OF_INPUT,
    DIFFERENCE_OF_OPTION,
    DIFFERENCE_OF_RUN,  /* a number of the whole run */
    DIFFERENCE_OF_PASS, /* a number of one pass */
};

struct run_difference {
    enum run_difference_kind kind;
    char *name;
    const json_t *a, *b; /* NULL: that run has no such value */
    double change;       /* per cent */
    size_t index;        /* in the order in which differences were found */
};

struct run_diff {
    struct run_difference *items;
    size_t count, room;
};

/** Compare two runs that run_files_open_numbers() read.
 *
 * @param diff  out, for run_diff_free() also after an error
 * @return 0, or COMMAND_REFUSED and one line if memory is exhausted
 */
int run_diff_find(const struct run_files *a, const struct run_files *b, struct run_diff *diff,
                  struct why *why);

void run_diff_free(struct run_diff *diff);

/** Write the differences to standard output.
 *
 * As text, in 80 columns: all that was asked for, the parameters first, then the simulated time, and those of the
 * utilisations, queues, alignments and bottlenecks that changed most, in 15 lines or eight rows. As TSV and JSON, all
 * of them.
 *
 * @param a, b  names of the runs
 * @return an enum command_status, and one line
 */
int run_diff_save(const struct run_diff *diff, const char *a, const char *b, enum result_format format,
                  struct why *why);

#endif
