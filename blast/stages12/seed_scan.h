/* seed_scan.h - stage 1a at full speed: which w-mers of a stretch of the database pass the Bloom filter.
 *
 * Workload  10^6 to 10^10 w-mers per pass, one to ten in a hundred of which pass. What costs time is loading the
 *           filter's answers, 4^11 bits, which do not fit into the level-1 cache; they are stored four times (2
 *           MiB), so that one line of the cache answers for four successive w-mers.
 * Memory    of the caller.
 */
#pragma once

#include <stdint.h>

#include "base/cpu.h"
#include "blast/stages12/database_stretch.h"
#include "blast/stages12/wmer.h"

/** A filter's answers, laid out for the scan. */
struct seed_lines;

enum { SEED_LINES_BYTES = 4 * WMER_COUNT / 8, SEED_LINES_ALIGNMENT = 64 };

/** Lay out a filter's answers.
 *
 * @param memory  SEED_LINES_BYTES, aligned to SEED_LINES_ALIGNMENT; overwritten, and it becomes the lines
 * @param bits    bit w % 64 of bits[w / 64] tells whether w-mer w passes (bloom_tabulate)
 */
struct seed_lines *seed_lines_make(void *memory, const uint64_t *bits);

/** Test the w-mers that end in a stretch of the database.
 *
 * @param masks  receives a mask per word: bit i is set if the w-mer that ends at base i is valid and passes
 * @param level  vector instructions to use; the answers are the same with any
 * @return number of w-mers that are not valid: they have a base that is not A, C, G or T, or cross a boundary
 */
uint64_t seed_scan(const struct database_stretch *stretch, const struct seed_lines *lines,
                   enum cpu_level level, uint16_t *masks);
