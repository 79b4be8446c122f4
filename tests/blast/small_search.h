/* small_search.h - two queries, two subjects and four alignments made by hand, for the tests of output.
 *
 *     q1 plus:   query   3 ACGT-ACGTAGGCA 15        of TTACGTACGTAGGCATT
 *                subject 4 ACGTTACCTNGGCA 17        of s1 GGGACGTTACCTNGGCAGG
 *     q1 plus:   the same once more
 *     q1 plus:   query  16 TT 17, subject 7 TT 8    of s1
 *     q2 minus:  query   3 GG-TTCCACGT 12           of AAGGTTCCACGT
 *                subject 12 GGTTTCC-CGT 3           of s2 CCACGGGAAACCCC
 */
#pragma once

#include <stdio.h>

#include "blast/write/format.h"

struct small_search {
    struct sequences query, database;
    struct scoring_statistics statistics;
    struct reported_search search;
    struct alignment_list list;
};

/** Fails the test where it cannot be made. */
void small_search_create(struct small_search *s);

void small_search_destroy(struct small_search *s);

/** How alignments are written: blast/pairwise.h, blast/sam.h. */
/** What a format makes of it, for free(). */
char *small_search_print(const struct small_search *s, const struct alignment_format *format);

/** Fails the test unless a format reports a full device by this error. */
void small_search_check_full_device(const struct alignment_format *format, int error);

/** Sequences from FASTA text. */
void small_search_read(const char *fasta, struct sequences *out);
