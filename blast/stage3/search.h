/* search.h - stages 1a to 3 of a whole query, without a clock: what the machine finds, not when.
 *
 * Models    every pass of every segment (pass.h, stage3.h), joined at the end (stitch.h): the alignments that
 *           mercury run finds, before they are culled. A selection of the segments can be searched alone.
 * Memory    the strands' codes (a byte a base) and what `jobs` passes need at a time; alignments go to the caller.
 * Order     the same list for any number of jobs.
 * Errors    0 or SEARCH_EMEMORY.
 */
#ifndef MERCURY_BLAST_STAGE3_SEARCH_H
#define MERCURY_BLAST_STAGE3_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/stage3/alignment.h"
#include "blast/stages12/pass.h"
#include "blast/stage3/scoring.h"
#include "blast/sequence/segment.h"
#include "blast/sequence/sequence.h"
#include "blast/stage3/stage3.h"

enum search_error { SEARCH_EMEMORY = -1 };

/** Told of every HSP of every pass, in the order of its stream; passes run at the same time.
 *
 * @param query_position  of the last base of its w-mer, in the strand
 */
typedef void search_watcher(void *data, const struct query_segment *segment, uint64_t query_position,
                            uint64_t database_position, enum stage3_outcome outcome);

struct search {
    const struct pass_rules *rules;
    const struct scoring_statistics *statistics;
    const struct sequences *query, *database;
    const uint8_t *codes[2]; /* the query's, by strand; one that no segment is of may be missing */
    const struct query_segment *segments;
    size_t segment_count;
    const bool *wanted;    /* which segments to search; NULL: all */
    int least_score;       /* of an alignment worth keeping */
    unsigned jobs;         /* threads, >= 1 */
    search_watcher *watch; /* NULL: nobody watches */
    void *watch_data;
};

struct search_counts {
    struct pass_counts pass;
    struct stage3_counts stage3;
    uint64_t cells; /* of stage 3, joining included */
};

/** Search.
 *
 * @param out     alignments are appended: joined, not culled, bits and E-values unset
 * @param counts  out: sums over the passes
 */
int search_run(const struct search *search, struct alignment_list *out, struct search_counts *counts);

/** Least score that any query record's search space lets pass an E-value. */
int search_least_score(const struct scoring_statistics *statistics, const struct sequences *query,
                       const struct sequences *database, double e_value);

/** The stage-3 context of a segment's pass: its borders are the segment's and STAGE3_MARGIN around them. */
struct stage3_pass search_stage3_pass(const struct search *search, const struct query_segment *segment);

#endif
