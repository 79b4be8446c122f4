/* tabular.h - alignments as BLAST's tables, output formats 6 and 7.
 *
 * Models    the twelve standard columns, separated by tabs: query and subject names, per cent identity,
 *           columns, mismatches, gap openings, query range, subject range, E-value, bit score; numbers in
 *           BLASTN's formats. Positions count from 1 within the record. For an alignment of the query's minus
 *           strand the query range ascends on the plus strand and the subject range descends.
 * Leaves out other columns, titles beyond a record's name.
 * Memory    nothing is kept.
 * Errors    0 or TABULAR_EWRITE; a buffered stream may fail only when the caller closes it.
 * Source    BLAST+ 2.12 output; format of numbers: align_format_util.cpp, GetScoreString.
 */
#ifndef MERCURY_BLAST_TABULAR_H
#define MERCURY_BLAST_TABULAR_H

#include <stdio.h>

#include "blast/alignment.h"
#include "blast/sequence.h"

enum tabular_error { TABULAR_EWRITE = -1 };

enum { TABULAR_NUMBER_SIZE = 32 };

struct tabular_search {
    const struct sequences *query;
    const struct sequences *database;
    const char *database_name; /* for the comment lines */
    const char *version;
};

/** Write a finished list without comments (format 6). */
int tabular_write(FILE *file, const struct tabular_search *search, const struct alignment_list *list);

/** Write a finished list with comment lines before every query record's alignments (format 7). */
int tabular_write_commented(FILE *file, const struct tabular_search *search,
                            const struct alignment_list *list);

void tabular_format_e_value(double e_value, char text[static TABULAR_NUMBER_SIZE]);

void tabular_format_bits(double bits, char text[static TABULAR_NUMBER_SIZE]);

#endif
