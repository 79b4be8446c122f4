/* seed_scan.h - stage 1a at full speed: which w-mers of a stretch of words the Bloom filter passes.
 *
 * Workload  10^6 to 10^10 w-mers a pass, one to ten in a hundred of which pass. What costs time is to load the
 *           filter's answers, 4^11 bits that do not fit the level-1 cache; they are stored four times over (2 MiB), so
 *           that one line of the cache answers for four successive w-mers.
 * Errors    NULL where memory is out.
 */
#ifndef MERCURY_BLAST_STAGES12_SEED_SCAN_H
#define MERCURY_BLAST_STAGES12_SEED_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "blast/stages12/database_stretch.h"

/** A filter's answers, laid out for the scan. */
struct seed_lines;

/** @param bits  bit w % 64 of bits[w / 64]: w-mer w passes (bloom_tabulate) */
struct seed_lines *seed_lines_new(const uint64_t *bits);
void seed_lines_destroy(struct seed_lines *lines);

/** Test the w-mers that end in a stretch of the database.
 *
 * @param masks  out, one a word: bit i is set where the w-mer that ends at its base i is valid and passes
 * @param level  vector instructions to use; the answers are the same
 * @return w-mers that are not valid: a base that is not A, C, G or T, or across a boundary
 */
uint64_t seed_scan(const struct database_stretch *stretch, const struct seed_lines *lines,
                   enum cpu_level level, uint16_t *masks);

#endif
