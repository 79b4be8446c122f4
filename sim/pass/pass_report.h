/* pass_report.h - what the process that has simulated a pass leaves, in memory and as bytes.
 *
 * Models    nothing. A report is complete with its results: the alignments, and the tasks of stage 3. Two files without
 *           names belong to it: the tokens, and what was measured.
 * Bytes     native structs, for a process of the same build: a child of this one, or a rank under mpirun.
 * Memory    a report is in memory that a process shares with children that it forks later.
 * Errors    an enum pass_error and one line, or false: the bytes end too early.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/why.h"
#include "traces/drawing/drawing.h"
#include "sim/measure/machine_clocks.h"
#include "sim/measure/measuring_charge.h"
#include "sim/pass/pass_simulation.h"

struct pass_job {
    size_t point, pass; /* what the caller calls the job; messages name the pass, counted from 1 */
    size_t last;        /* of several passes, which one child simulates, the last; 0 if there is one */
    uint32_t host;      /* that has these passes, counted from 1; 0 if there is one host */
    int spool;          /* file for the pass's tokens, -1 if they are not recorded */
    int records;        /* file for what is measured in the pass, -1 if nothing is */
    int hsps;           /* file for HSPs for which the pass's share of memory has no room, or -1 */
    size_t hsps_before; /* of the pass that ended last, about as many as this one has; set by the pool */
};

enum { PASS_NOT_ENDED = 1 };

struct pass_report {
    struct pass_job job; /* its files belong to the report */
    int status; /* 0, or an enum pass_error that `result.why` explains, or PASS_NOT_ENDED; set by the pool */
    struct pass_result result; /* of pass_simulate(), pass_rescan() or pass_retime() */
    struct drawn board_drawn;  /* for the timeline: the outline, and of the pass that is drawn its details */
    struct drawn waves;        /* of the pass that is drawn */
    struct pass_stamps stamps;
    struct measuring_charge charge;
    /* What this computer took: the wall clock of the pass's process, or the time that its threads computed, if that is
     * more. Set by the pool. */
    double processor_s;
    int fault; /* file_io_fault() of the process; set by the pool */
};

/** Make a report of a job that has not ended.
 *
 * @param job  its files belong to the report
 */
struct pass_report *pass_report_new(const struct pass_job *job);

/** Close the files of a report, and free it; NULL is allowed. */
void pass_report_destroy(struct pass_report *report);

/** More HSPs of a pass in memory would not make it faster. */
enum { PASS_HSPS_IN_MEMORY = 1 << 22 };

/** Room for the HSPs of the report's pass, a number of them in memory and the others in the job's file, which stays the
 *  report's. */
struct stage3_tasks pass_report_room(const struct pass_report *report, size_t hsps_in_memory);

/** Write the tasks of stage 3, alignments, their paths, and the outline for a timeline; but not what is in the job's
 *  file of HSPs, unless `with_file`. */
bool pass_report_write_results(const struct pass_result *result, bool with_file, FILE *out);

/** Read what pass_report_write_results() wrote into the result, in which another process has left its pointers.
 *  @param hsps  as stage3_tasks_read() */
bool pass_report_read_results(struct pass_result *result, int *hsps, FILE *in);

/** Drop pointers of another process. */
void pass_report_forget_results(struct pass_result *result);

/** Write all of a report, the bytes of its files included. */
bool pass_report_write(const struct pass_report *report, FILE *out);

/** Read what pass_report_write() wrote; the report's files are new. */
int pass_report_read(FILE *in, struct pass_report **report, struct why *why);
