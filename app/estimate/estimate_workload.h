/* estimate_workload.h - the workload of a run of the detailed simulator, as text for an estimate: what an application
 * emulator is in PetaSIM.
 *
 * Counts    are means over the run's passes: bytes of tables, bases, seeds, matches, HSPs and the clocks that a
 *           stage or a core spends on each. The work of clusters that is left when a pass has been streamed is apart,
 *           since no two cores share it; so is the joining of alignments at the end.
 * Passes    differ: up to ESTIMATE_PASSES_MAX of them have factors of these means, so that hosts with few passes have
 *           what the run deals them. Of longer runs only the means are known.
 * Scaled    more segments are more passes; a longer database has more bases, seeds, matches and HSPs in each.
 * Machine   the text expects nodesets disk, host, core and board, as data/machines/mercury-2010 has them.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/why.h"
#include "sim/board/hardware.h"

/** What differs from pass to pass. */
enum estimate_variation { VARIES_LOOKUPS, VARIES_MATCHES, VARIES_HSPS, VARIES_CLUSTERS, ESTIMATE_VARIATIONS };

/** The most passes that are told apart. */
enum { ESTIMATE_PASSES_MAX = 1000 };

struct estimate_workload {
    char path[PATH_MAX];                             /* of summary.json */
    double simulated_s;                              /* time of the run */
    double passes;                                   /* of the run */
    double bases, seeds, matches, hsps, table_bytes; /* of a pass */
    double lookup_clocks;                            /* of stage 1b for a seed */
    bool stage_limits; /* they are those of the duplicate stage, and not of the reads of the SRAM */
    double hsp_bytes;
    double build_clocks; /* of a core, for building the tables of a pass: waited for before the first */
    double cores_clocks; /* of cores for the HSPs of a pass, without clusters */
    /* of one core for what is left of a pass that has been streamed; if no passes are told apart, the last one's is
     * left out here, and is last_clocks, because nothing overlaps it */
    double cluster_clocks, last_clocks;
    double join_clocks;                                       /* of one core, after the last pass */
    unsigned factor_count;                                    /* passes that are told apart, or 0 */
    double factors[ESTIMATE_VARIATIONS][ESTIMATE_PASSES_MAX]; /* of a pass, over the mean */
    bool has_machine;                                         /* run.json was beside it */
    struct hardware
        hardware; /* the machine of the run, or the default one with the numbers of summary.json */
};

/** What the text is to be scaled to; 0: as the run. */
struct estimate_scale {
    double segments, bases;
    bool by_database; /* the database is dealt over all boards; otherwise passes are */
    bool synchronize; /* schedule.overlap = serial: a pass begins when the last one's clusters are done */
};

/** Read a run. @param path  its summary.json, or the directory of both */
int estimate_workload_read(const char *path, struct estimate_workload *workload, struct why *why);

/** Write the text. */
void estimate_workload_write(const struct estimate_workload *workload, const struct estimate_scale *scale,
                             FILE *out);
