/* agreement.h - two programs' alignments of the same sequences, judged one by one.
 *
 * Models    every alignment of either program: is enough of it covered by the other's (coverage.h), does one of them
 *           have the same ends, and if Mercury missed it, at which stage? Alignments above an E-value are not
 *           judged, but may cover others.
 * Tracing   what the stages did with an alignment that was missed: which w-mers of equal bases lie on its path,
 *           which of them the Bloom filter and the tables passed (all, or it is a bug), which of those reached stage
 *           2's threshold, what became of them in stage 3, and whether the alignments of stage 3 were culled or
 *           exceeded the E-value. What is found nevertheless, or lies on a strand without segments, was left out by
 *           options. Only the passes of the segments in which the alignment lies are computed again.
 * Memory    the agreement refers to the lists; agreement_destroy() frees its own arrays.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "blast/compare/coverage.h"
#include "blast/stage3/search.h"

/* The rows of data/words/lost_stages.tsv. */
#include "blast/lost_stages.inc"

#define LOST_STAGE_ID(id, ...) id
enum lost_at_stage { LOST_STAGE_ROWS(LOST_STAGE_ID) LOST_AT_STAGES };

struct lost_at {
    enum lost_at_stage stage;
    uint64_t seeds;   /* number of equal w-mers on its path, in every segment that holds them whole */
    uint64_t matches; /* number of those seeds that stage 1 passed */
    uint64_t hsps;    /* number of those seeds that stage 2 passed */
    int best_window;  /* greatest score of a window on it */
    uint64_t outcomes[STAGE3_OUTCOMES]; /* what became of those HSPs */
    double share;                       /* share of it that stage 3's alignments cover before culling */
};

/** One program's alignments, and how much of each the other program's alignments cover. */
struct judged {
    const struct located_hit *list;
    size_t count;
    struct coverage *coverages;
    bool *is_judged; /* whether the alignment's E-value is not above the limit */
    size_t judged_count, covered_count, same_count;
};

struct agreement {
    struct judged other, mercury;
    double least_share, e_value;
    struct lost_at *losses; /* for each of the other's alignments; set only for those that Mercury missed */
    bool traced;
    size_t lost[LOST_AT_STAGES];

    /* Numbers of the other's judged alignments to which Mercury has one with the same ends: */
    size_t counts_differ; /* number of those with other columns, mismatches or gap openings */
    size_t bits_differ;   /* number of those with a bit score that differs in its printed digits */
    size_t scores_differ; /* number of those with one that differs by more than 1%: of other scores */
    size_t one_is_0;      /* number of those with an E-value that only one program prints as 0 */
    double greatest_e_value_ratio; /* of the others, 1e-170 in place of what is less; 1 if all are equal */
};

/** Judge two lists. */
void agreement_judge(const struct located_hit *other, size_t other_count, const struct located_hit *mercury,
                     size_t mercury_count, double least_share, double e_value, struct agreement *agreement);

/** Find for every missed alignment the stage at which Mercury lost it.
 *
 * @param search  Mercury's search; its `selection` and `watch` are ignored
 */
void agreement_trace(struct agreement *agreement, const struct search *search);

/** Share of the other's judged alignments that are covered; 1 if none is judged. */
double agreement_share(const struct agreement *agreement);

/** Write a header line and one line for each judged alignment. @return 0, or negative if the file cannot be written */
int agreement_write_tsv(const struct agreement *agreement, int threshold, FILE *file);

/** Write a summary for people. @return 0, or negative if the file cannot be written */
int agreement_write_text(const struct agreement *agreement, int threshold, FILE *file);

void agreement_destroy(struct agreement *agreement);
