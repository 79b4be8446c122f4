/* segment_tables.h - all that stages 1a and 1b need of a query segment, computed before the database streams.
 *
 * Models    nothing of its own: the Bloom filter (bloom.h) and the SRAM tables (sram_table.h), whose answers for every
 *           w-mer are laid out for the scan (seed_scan.h) and for looking up (lookup_cache.h).
 * Workload  once per pass, in a process of its own, in which the first access to a page of 2 MiB costs as much as a
 *           million instructions. So all lies in one piece of memory, and what building needs lies where the results
 *           come later: two such pages, and some small ones, hold the tables of a full segment.
 * Memory    lines (2 MiB) and blocks (1 MiB), for the SRAM tables at most 21 bytes per base of the segment, 0.4 bytes
 *           per slot and 4 per displacement, and 8 bytes per w-mer that passes; if building the SRAM tables takes more
 *           than the lines, so much more.
 * Errors    false if memory is exhausted.
 */
#ifndef MERCURY_BLAST_STAGES12_SEGMENT_TABLES_H
#define MERCURY_BLAST_STAGES12_SEGMENT_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "blast/stages12/bloom.h"
#include "blast/stages12/lookup_cache.h"
#include "blast/stages12/seed_scan.h"
#include "blast/stages12/sram_table.h"

/** Start with {0}. */
struct segment_tables {
    struct seed_lines *lines;    /* the filter's answers, for the scan */
    struct sram_table *table;    /* the SRAM tables */
    struct lookup_cache answers; /* the answers of these */
    char *memory;                /* in which they lie */
    size_t bytes;
};

/** Compute the tables. Also after an error, they must be destroyed.
 *
 * @param codes   of the segment, a byte per base; w-mers with others than A, C, G and T are left out
 * @param level   vector instructions to use; the tables are the same with any
 * @param index   of the database, made for the filter's geometry, which makes this faster, or NULL
 */
bool segment_tables_load(struct segment_tables *tables, enum cpu_level level,
                         const struct bloom_geometry *filter, const struct sram_geometry *sram,
                         const uint8_t *codes, uint32_t length, const struct bloom_index *index);
void segment_tables_destroy(struct segment_tables *tables);

/** What the SRAM tables of a segment take, of which nothing is kept. */
bool segment_tables_find_load(const struct sram_geometry *sram, const uint8_t *codes, uint32_t length,
                              struct sram_load *load);

#endif
