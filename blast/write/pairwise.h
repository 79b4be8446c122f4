/* pairwise.h - alignments as text for people, as BLAST's output format 0 shows them.
 *
 * Models    for every query record a list of its subjects with their best scores, then every alignment: scores,
 *           identities, gaps, strands, and rows of 60 columns with positions of their first and last bases. The blocks
 *           of an alignment are blastn's to the letter. Masked bases of the query are in lower case.
 * Memory    a few bytes per column of the alignment being written.
 * Errors    0 or a WRITE_E* code (aligned.h).
 * Source    BLAST+ 2.12 output.
 */
#ifndef MERCURY_BLAST_WRITE_PAIRWISE_H
#define MERCURY_BLAST_WRITE_PAIRWISE_H

#include "blast/write/aligned.h"

/** Write a finished list. */
int pairwise_write(FILE *file, const struct reported_search *search, const struct alignment_list *list);

/** Per cent as BLASTN rounds identities: 100 only if nothing is missing. */
int pairwise_per_cent(uint64_t part, uint64_t whole);

#endif
