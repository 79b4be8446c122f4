/* aligned.h - an alignment as people and other programs see it: places in records, and columns of letters.
 *
 * Models    BLASTN's view: positions count from 1 within a record, the query is read forwards on its plus strand, and
 *           an alignment of the query's minus strand runs backwards through the subject.
 * Letters   ACGT, the ambiguity codes of IUPAC, - for a gap. As with blastn, a code is equal to itself.
 * Memory    two bytes per column of a struct aligned, until aligned_destroy().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "blast/sequence/sequence.h"
#include "blast/stage3/alignment.h"
#include "blast/stage3/scoring.h"

enum write_error {
    WRITE_EFILE = -2, /* the file took no more; a buffered one may fail only when the caller closes it */
    WRITE_ENAME = -3, /* the format cannot hold a name or a length */
};

/* The search by which a finished list of alignments was found. */
struct reported_search {
    const struct sequences *query;
    const struct sequences *database;
    const char *database_name;
    const char *version; /* Mercury's */
    const struct scoring_statistics *statistics;
    const char *command_line;      /* by which Mercury was called, for @PG of SAM; NULL if it is not known */
    const char *comment;           /* that SAM's header has; NULL if it has none */
    unsigned mapq_least;           /* SAM, BAM, PAF and BED have only mappings of at least this quality */
    const struct columns *columns; /* of tables (columns.h) */
};

/* Positions within a record, counted from 1; both belong to the range. */
struct aligned_range {
    uint64_t first, last;
};

struct aligned {
    char *query, *subject; /* `columns` letters each */
    uint64_t columns;
};

/** The range of an alignment in its query record; it ascends. */
struct aligned_range aligned_query_range(const struct sequences *query, const struct alignment *a);

/** The range of an alignment in its subject; it descends if the alignment is of the minus strand. */
struct aligned_range aligned_subject_range(const struct sequences *database, const struct alignment *a);

/** The columns of an alignment.
 *
 * @param search  has the bases of query and database
 * @param list    holds the alignment's path
 */
struct aligned aligned_new(const struct reported_search *search, const struct alignment_list *list,
                           const struct alignment *a);

void aligned_destroy(struct aligned *aligned);

/** The complement's letter; - stays. */
char aligned_complement(char letter);

/** Whether a column pairs two equal letters. */
static inline bool aligned_is_match(const struct aligned *aligned, uint64_t column)
{
    return aligned->query[column] == aligned->subject[column];
}

/** Index after the last of the alignments from `begin` on that belong to a query record. */
size_t aligned_query_end(const struct alignment_list *list, size_t begin, size_t query_record);

/** Positions [begin, end). */
struct stretch {
    int64_t begin, end;
};

/** Number of positions that lie in any stretch. Sorts the stretches. */
uint64_t stretches_length(struct stretch *stretches, size_t count);

enum { PRINTED_SCORE_BYTES = 32 };

/** E-values and bit scores as BLAST prints them in tables (BLAST+ 2.12: align_format_util.cpp, GetScoreString). */
void printed_e_value(double e_value, char text[static PRINTED_SCORE_BYTES]);
void printed_bits(double bits, char text[static PRINTED_SCORE_BYTES]);

/** Flush a file to which a report was written. @return 0, or WRITE_EFILE if any write to it has failed */
int aligned_flush(FILE *file);
