/* agreement.h - two programs' alignments of the same sequences, judged one by one.
 *
 * Models    every alignment of either program: is enough of it covered by the other's (coverage.h), does one of them
 *           have the same ends, and where Mercury missed it, at which stage (lost_at.h). Alignments above an E-value are
 *           not judged, but may cover others.
 * Memory    the agreement refers to the lists; its own arrays go with agreement_destroy().
 * Errors    0 or AGREEMENT_EMEMORY.
 */
#ifndef MERCURY_BLAST_COMPARE_AGREEMENT_H
#define MERCURY_BLAST_COMPARE_AGREEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "blast/compare/lost_at.h"

enum agreement_error { AGREEMENT_EMEMORY = -1 };

/** One program's alignments and what the other's cover of each. */
struct judged {
    const struct located_hit *list;
    size_t count;
    struct coverage *coverages;
    bool *in_question; /* its E-value is not above the limit */
    size_t in_question_count, covered, same;
};

struct agreement {
    struct judged other, mercury;
    double least_share, e_value;
    struct lost_at *losses; /* one for each of the other's alignments; only those that were missed are set */
    bool traced;
    size_t lost[LOST_AT_STAGES];

    /* Of the other's alignments in question that have the same ends here: */
    size_t counts_differ;          /* other columns, mismatches or gap openings */
    size_t bits_differ;            /* by more than what is printed */
    double greatest_e_value_ratio; /* 1: all equal; of E-values above 1e-170 */
};

/** Judge. */
int agreement_judge(const struct located_hit *other, size_t other_count, const struct located_hit *mercury,
                    size_t mercury_count, double least_share, double e_value, struct agreement *agreement);

/** Find the stages at which Mercury missed what it missed. */
int agreement_trace(struct agreement *agreement, const struct search *search);

/** Share of the other's alignments in question that are covered; 1 if there are none. */
double agreement_share(const struct agreement *agreement);

/** A line for each alignment in question, with a header line. @return 0 or negative */
int agreement_write_tsv(const struct agreement *agreement, int threshold, FILE *file);

/** For people. @return 0 or negative */
int agreement_write_text(const struct agreement *agreement, int threshold, FILE *file);

void agreement_destroy(struct agreement *agreement);

#endif
