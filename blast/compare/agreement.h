/* agreement.h - two programs' alignments of the same sequences, judged one by one.
 *
 * Models    every alignment of either program: is enough of it covered by the other's (coverage.h), does one of them
 *           have the same ends, and if Mercury missed it, at which stage (lost_at.h)? Alignments above an E-value are
 *           not judged, but may cover others.
 * Memory    the agreement refers to the lists; agreement_destroy() frees its own arrays.
 * Errors    0, or -1 if memory is exhausted.
 */
#ifndef MERCURY_BLAST_COMPARE_AGREEMENT_H
#define MERCURY_BLAST_COMPARE_AGREEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "blast/compare/lost_at.h"

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

    /* Of the other's judged alignments to which Mercury has one with the same ends: */
    size_t counts_differ;          /* number of those with other columns, mismatches or gap openings */
    size_t bits_differ;            /* number of those with a bit score that differs in its printed digits */
    double greatest_e_value_ratio; /* of E-values above 1e-170; 1 if all are equal */
};

/** Judge two lists. */
int agreement_judge(const struct located_hit *other, size_t other_count, const struct located_hit *mercury,
                    size_t mercury_count, double least_share, double e_value, struct agreement *agreement);

/** Find for every missed alignment the stage at which Mercury lost it. */
int agreement_trace(struct agreement *agreement, const struct search *search);

/** Share of the other's judged alignments that are covered; 1 if none is judged. */
double agreement_share(const struct agreement *agreement);

/** Write a header line and one line for each judged alignment. @return 0, or negative if the file cannot be written */
int agreement_write_tsv(const struct agreement *agreement, int threshold, FILE *file);

/** Write a summary for people. @return 0, or negative if the file cannot be written */
int agreement_write_text(const struct agreement *agreement, int threshold, FILE *file);

void agreement_destroy(struct agreement *agreement);

#endif
