/* database_cuts.h - parts of a database, one after the other, as a database of their own.
 *
 * Index     a part of a FASTA file can be read alone if the file has an index: FILE.fai, of samtools faidx, and with it
 *           FILE.gzi if it is compressed by bgzip. Htslib reads them, and prints nothing here.
 * Layout    a cut is a range of positions of the whole, which may begin and end in records and reach over several. What
 *           it has of a record is a record of the new database, of the same name. So there is a separator between two
 *           cuts, and inside a cut every separator is where it was: positions of a cut differ from those of the whole
 *           by one number.
 * Memory    the bases of the cuts. If the files have an index, nothing else is read.
 * Errors    a negative SEQUENCE_E* code and one line.
 */
#pragma once

#include <stdint.h>

#include "base/why.h"
#include "blast/sequence/sequence.h"

struct fasta_index;

/** Open the indices of several files, whose records follow each other as in sequences_read_files().
 *
 * @param index  out: NULL if a file has no index
 * @return 0, or SEQUENCE_EREAD if an index is older than its file or cannot be used
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

struct database_cut {
    uint64_t begin, end; /* positions of the whole; of one base at least */
    uint64_t there;      /* out: position of `begin` in the new database, unless a separator begins it */
};

/** Read the cuts.
 *
 * @param whole  its records, and its words unless there is an index
 * @param index  of its files, or NULL
 * @param out    for sequences_destroy()
 */
int database_cuts_read(const struct sequences *whole, const struct fasta_index *index,
                       struct database_cut *cuts, size_t count, struct sequences *out, struct why *why);
