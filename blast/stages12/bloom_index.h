/* bloom_index.h - the w-mers of a database by their bits in a filter's first bank, for the filters of many passes.
 *
 * Workload  made once per run and read by all its passes, in whatever process or thread. A pass then asks its
 *           filter neither about w-mers that the database does not have, nor about those whose first bit is clear
 *           (bloom_tabulate_index()).
 * Memory    4 bytes per w-mer, 16 MiB at most, and 4 bytes per bit of the bank.
 * Errors    NULL if memory is exhausted.
 */
#ifndef MERCURY_BLAST_STAGES12_BLOOM_INDEX_H
#define MERCURY_BLAST_STAGES12_BLOOM_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/sequence/sequence.h"
#include "blast/stages12/bloom.h"

/** The w-mers of bit b are wmers[begins[b]] .. wmers[begins[b + 1] - 1]; BLOOM_INDEX_SPARE more after the last can
 * be read. */
struct bloom_index {
    uint32_t *begins;
    uint32_t *wmers;
    size_t bytes; /* size of `wmers` */
};

enum { BLOOM_INDEX_SPARE = 8 };

/** Whether an index of a database of this number of words saves more time in this number of passes than making it
 * takes: where passes are many, or the database is small. */
bool bloom_index_pays(const struct bloom_geometry *geometry, uint64_t words, size_t passes);

/** Make the index of all w-mers of a database, and perhaps others, for a geometry for which it pays. */
struct bloom_index *bloom_index_new(const struct bloom_geometry *geometry, const struct sequences *database);
void bloom_index_destroy(struct bloom_index *index);

#endif
