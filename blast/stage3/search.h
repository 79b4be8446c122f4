/* search.h - stages 1a to 3 of a whole query, without a clock: what the machine finds, not when.
 *
 * Models    every pass of every segment (pass.h, stage3.h), stitched at the end (stitch.h): the alignments that
 *           mercury run finds, before they are culled. A selection of the segments can be searched alone.
 * Memory    the strands' codes (one byte per base) and what `jobs` passes need at a time; alignments go to the caller.
 * Order     the same list for any number of jobs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/sequence/segment.h"
#include "blast/sequence/sequence.h"
#include "blast/stage3/alignment.h"
#include "blast/stage3/scoring.h"
#include "blast/stage3/stage3.h"
#include "blast/stages12/pass.h"

/** Is told what became of every HSP of every pass, in the order of its stream; passes run at the same time.
 *
 * @param query_position  position of the last base of its w-mer, in the strand
 */
typedef void search_watcher(void *data, const struct query_segment *segment, uint64_t query_position,
                            uint64_t database_position, enum stage3_outcome outcome);

struct search {
    const struct pass_rules *rules;
    struct stage3_query searched;
    const struct query_segment *segments;
    size_t segment_count;
    const bool *selection; /* for each segment, whether to search it; NULL: all are searched */
    unsigned jobs;         /* number of threads, >= 1 */
    bool quiet;            /* show no progress */
    search_watcher *watch; /* NULL if nobody watches */
    void *watch_data;
};

struct search_counts {
    struct pass_counts pass;
    struct stage3_counts stage3;
    uint64_t cells; /* of stage 3 and of stitching */
};

/** Search.
 *
 * @param out     alignments are appended to it: stitched, not culled; their bits and E-values are not set
 * @param counts  out: sums over the passes
 */
void search_run(const struct search *search, struct alignment_list *out, struct search_counts *counts);

/** For each query record, the least score with which an alignment of it has an E-value of at most e_value.
 * @return for free() */
int *search_least_scores(const struct scoring_statistics *statistics, const struct sequences *query,
                         const struct sequences *database, double e_value);
