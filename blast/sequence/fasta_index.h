/* fasta_index.h - records of FASTA files that have an index, of which parts can be read: FILE.fai, as samtools faidx
 * writes it, and FILE.gzi beside it if the file is compressed by bgzip.
 *
 * Errors    a negative SEQUENCE_E* code and one line; htslib prints nothing.
 */
#ifndef MERCURY_BLAST_SEQUENCE_FASTA_INDEX_H
#define MERCURY_BLAST_SEQUENCE_FASTA_INDEX_H

#include <stdint.h>

#include "base/why.h"
#include "blast/sequence/sequence.h"

struct fasta_index;

/** Open the indices of several files, whose records follow each other as in sequences_read_files().
 *
 * @param index  out: NULL if a file has no index
 * @return 0, or SEQUENCE_EREAD if an index is older than its file or cannot be used, or SEQUENCE_EMEMORY
 */
int fasta_index_open(const char *const *paths, size_t count, struct fasta_index **index, struct why *why);

/** Close it; NULL is allowed. */
void fasta_index_close(struct fasta_index *index);

/** The records as if the files had been read: names, lengths, positions; without words, titles and digest, and
 * without the number of ambiguous bases.
 *
 * @param out  for sequences_destroy()
 */
int fasta_index_records(const struct fasta_index *index, struct sequences *out, struct why *why);

/** Read letters of a record.
 *
 * @param record  among those of all files
 * @param letters  out: `count` of them and a NUL, for free()
 */
int fasta_index_read(const struct fasta_index *index, size_t record, uint64_t begin, uint64_t count,
                     char **letters, struct why *why);

#endif
