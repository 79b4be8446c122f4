/* fasta.h - reading FASTA.
 *
 * Input     many records, plain, gzip (any number of members) or bgzip, "-" for standard input; upper and lower case,
 *           CRLF, U as T, X as N, the ambiguity codes of IUPAC.
 * Errors    a negative SEQUENCE_E* code and one line of text that names file and line, what was found, and what was
 *           expected; never prints, never exits.
 */
#pragma once

#include <stddef.h>

#include "base/why.h"
#include "blast/sequence/sequence.h"

/** Read all records of a file. @param out  for sequences_destroy(); untouched on error */
int sequences_read(const char *path, struct sequences *out, struct why *why);

/** Read the records of several files, one after the other, as if they were in one file.
 *
 * @param threads  if above 1, one thread reads and decompresses a plain file ahead of the other; nothing depends on it
 */
int sequences_read_files(unsigned threads, const char *const *paths, size_t count, struct sequences *out,
                         struct why *why);
