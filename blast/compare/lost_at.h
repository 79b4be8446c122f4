/* lost_at.h - at which stage an alignment was lost.
 *
 * Models    what the stages did with an alignment that another program found: which w-mers of equal bases lie on its
 *           path, which of them the Bloom filter and the tables passed (all, or it is a bug), which of those reached
 *           stage 2's threshold, what became of them in stage 3, and whether the alignments of stage 3 were culled or
 *           exceeded the E-value. Only the passes of the segments in which the alignment lies are computed again.
 * Errors    0, or -1 if memory is exhausted.
 */
#ifndef MERCURY_BLAST_COMPARE_LOST_AT_H
#define MERCURY_BLAST_COMPARE_LOST_AT_H

#include <stddef.h>
#include <stdint.h>

#include "blast/compare/coverage.h"
#include "blast/stage3/search.h"

enum lost_at_stage {
    LOST_AT_NO_PATH, /* its columns are not known, so nothing can be said */
    LOST_AT_NO_SEED, /* no 11 equal bases in a row */
    LOST_AT_STAGE_1, /* stage 1 did not pass a seed on it, which is impossible */
    LOST_AT_STAGE_2, /* every window scores below the threshold */
    LOST_AT_STAGE_3, /* its HSPs were extended to another alignment, or not kept */
    LOST_AT_CULLED,  /* found, then dropped for a better one that encloses it or shares an end */
    LOST_AT_E_VALUE, /* found, with an E-value above the limit */
    LOST_AT_STAGES,
};

struct lost_at {
    enum lost_at_stage stage;
    uint64_t seeds;   /* number of equal w-mers on its path, in every segment that holds them whole */
    uint64_t matches; /* number of those seeds that stage 1 passed */
    uint64_t hsps;    /* number of those seeds that stage 2 passed */
    int best_window;  /* greatest score of a window on it */
    uint64_t outcomes[STAGE3_OUTCOMES]; /* what became of those HSPs */
    double share;                       /* share of it that stage 3's alignments cover before culling */
};

/** Trace alignments that were missed.
 *
 * @param search       Mercury's search; its `selection` and `watch` are ignored
 * @param least_share  an alignment counts as found if at least this share of it is covered, 0 to 1
 * @param losses       out: `count` elements
 */
int lost_at_trace(const struct search *search, const struct located_hit *missed, size_t count,
                  double least_share, struct lost_at *losses);

/** "no seed", "stage 2", ... */
const char *lost_at_stage_name(enum lost_at_stage stage);

/** What the stages saw of an alignment, for people: "7 seeds, best window 14 of 16". */
void lost_at_describe(const struct lost_at *loss, int threshold, char *text, size_t text_size);

#endif
