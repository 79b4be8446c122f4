/* tabular.h - alignments as BLAST's tables, output formats 6, 7 and 10.
 *
 * Models    columns separated by tabs (columns.h); numbers in BLASTN's formats. Positions count from 1 within the
 *           record. For an alignment of the query's minus strand the query range ascends on the plus strand and the
 *           subject range descends.
 * Coverage  qcovs is the share of the query's bases that lie in any of the list's alignments with the subject.
 * Memory    two bytes per column of the alignment being written, if columns show letters.
 * Errors    0 or a WRITE_E* code (aligned.h).
 * Source    BLAST+ 2.12 output.
 */
#ifndef MERCURY_BLAST_WRITE_TABULAR_H
#define MERCURY_BLAST_WRITE_TABULAR_H

#include "blast/write/aligned.h"
#include "blast/write/columns.h"

/** Write a finished list without comments (format 6). */
int tabular_write(FILE *file, const struct reported_search *search, const struct columns *columns,
                  const struct alignment_list *list);

/** Write it with commas between the columns, which are not quoted (format 10). */
int tabular_write_csv(FILE *file, const struct reported_search *search, const struct columns *columns,
                      const struct alignment_list *list);

/** Write a finished list with comment lines before every query record's alignments (format 7). */
int tabular_write_commented(FILE *file, const struct reported_search *search, const struct columns *columns,
                            const struct alignment_list *list);

#endif
