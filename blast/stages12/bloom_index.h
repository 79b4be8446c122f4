/* bloom_index.h - the w-mers of a database by their bits in a filter's first bank, for the filters of many passes.
 *
 * Workload  made once a run and read by all its passes, in whatever process or thread. A pass then asks its filter about no
 *           w-mer that the database has not, nor about one whose first bit is clear (bloom_tabulate_index()).
 * Memory    4 bytes a w-mer, 16 MiB at most, and 4 a bit of the bank.
 * Errors    NULL where memory is out.
 */
#ifndef MERCURY_BLAST_STAGES12_BLOOM_INDEX_H
#define MERCURY_BLAST_STAGES12_BLOOM_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/stages12/bloom.h"
#include "blast/sequence/sequence.h"

/** Those of bit b are wmers[begins[b]] .. wmers[begins[b + 1] - 1]; behind the last, BLOOM_INDEX_SPARE more can be read. */
struct bloom_index {
    uint32_t *begins;
    uint32_t *wmers;
    size_t bytes; /* of `wmers` */
};

enum { BLOOM_INDEX_SPARE = 8 };

/** Whether so many passes are enough for it to save more time than it takes. */
bool bloom_index_pays(const struct bloom_geometry *geometry, size_t passes);

/** All w-mers of a database, and perhaps others, of a geometry for which it pays; for bloom_index_destroy(). */
struct bloom_index *bloom_index_new(const struct bloom_geometry *geometry, const struct sequences *database);
void bloom_index_destroy(struct bloom_index *index);

#endif
