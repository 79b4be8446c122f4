/* run_drawings.h - the files into which a run is drawn: the timeline, and the waveforms of a pass as VCD, FST or both;
 * and its list of times between arrivals.
 *
 * Models    nothing. The waveforms are written as VCD (sim/drawing/board_waves.h), by the process that simulates the
 *           pass. FST is made of this by vcd2fst, a program of the package gtkwave: no library that writes FST is
 *           packaged.
 * Events    what the timeline shows of a pass in detail goes into a file without a name first
 *           (sim/drawing/machine_timeline.h), written by the process of the pass that is drawn; the timeline is made
 *           of it at the end.
 * Files     are whole or not there (base/file/output.h), also that which is written for vcd2fst only.
 * Errors    PASS_EFILE, or PASS_EPROCESS if there is no vcd2fst, and one line.
 */
#pragma once

#include "base/file/output.h"
#include "base/why.h"
#include "traces/drawing/drawing.h"
#include "sim/drawing/drawing_request.h"

/** Files that have not been opened have `file` NULL. */
struct run_drawings {
    struct output timeline, vcd, fst, times;
    FILE *board_events;    /* NULL if there is no timeline */
    bool vcd_is_asked_for; /* not only written for vcd2fst */
};

/** Check that vcd2fst can be run, before the work is done. */
int run_drawings_find_vcd2fst(struct why *why);

/** Open the files of a request, which may be NULL. */
int run_drawings_open(struct run_drawings *drawings, const struct drawing_request *request, struct why *why);

/** Finish the files.
 *
 * @param timeline, waves  what was written to them, if they were asked for
 */
int run_drawings_commit(struct run_drawings *drawings, const struct drawn *timeline,
                        const struct drawn *waves, struct why *why);

/** Give the files up; harmless after run_drawings_commit(). */
void run_drawings_discard(struct run_drawings *drawings);
