/* bloom.h - stage 1a: the Bloom filter over the w-mers of one query segment. Its false positives are counted in pass.c
 * (pass_counts.bloom_false), because only the SRAM tables after it tell which seeds are false.
 *
 * Models    one bank of block RAM per hash function, as the hardware has (docs/hardware.md: k = 6 banks of 131,072 bits
 *           explain both published false-positive rates, (1 - e^(-n/131072))^6 for n distinct w-mers). That formula
 *           holds for xxh3. A linear h3 map spreads the 4^11 w-mers evenly, 4^11 / m on every bit, so that fewer
 *           false positives come out (11% fewer for n = 53,100: drawn without replacement).
 * Promise   no false negative, ever.
 * Workload  65,000 insertions, then 10^6 to 10^10 questions: bloom_tabulate() answers all 4^11 at once.
 */
#ifndef MERCURY_BLAST_STAGES12_BLOOM_H
#define MERCURY_BLAST_STAGES12_BLOOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "blast/stages12/hash.h"

enum { BLOOM_HASHES_MAX = 16 };

struct bloom_geometry {
    unsigned hashes;    /* k: number of hash functions and banks, 1 .. BLOOM_HASHES_MAX */
    uint32_t bank_bits; /* m: bits per bank */
    enum hash_family family;
    uint64_t seed;
};

/** Bytes that the filter's bits take on the bus. */
static inline uint64_t bloom_bytes(const struct bloom_geometry *geometry)
{
    return (uint64_t)geometry->hashes * ((geometry->bank_bits + UINT64_C(7)) / 8);
}

struct bloom;
struct bloom_index;

/** Set up the hash function of a bank. */
void bloom_bank_hash(const struct bloom_geometry *geometry, unsigned bank, struct wmer_hash *hash);

/** Make an empty filter. @return NULL if memory is exhausted */
struct bloom *bloom_new(const struct bloom_geometry *geometry);
void bloom_destroy(struct bloom *bloom);

void bloom_add(struct bloom *bloom, uint32_t wmer);
void bloom_add_many(struct bloom *bloom, enum cpu_level level, const uint32_t *wmers, size_t count);
bool bloom_may_contain(const struct bloom *bloom, uint32_t wmer);

/** Ask the filter about every w-mer; the answer for w-mer w is bit w % 64 of bits[w / 64].
 *
 * @param level  vector instructions to use; the answers are the same with any
 * @param bits   WMER_COUNT / 64 words, overwritten
 * @return number of w-mers that pass
 */
uint32_t bloom_tabulate(const struct bloom *bloom, enum cpu_level level, uint64_t *bits);

/** Do the same for the w-mers of an index (bloom_index.h), made for the filter's geometry; the bits of others are 0. */
uint32_t bloom_tabulate_index(const struct bloom *bloom, enum cpu_level level,
                              const struct bloom_index *index, uint64_t *bits);

/** The fraction of a bank's bits that are set. */
double bloom_bank_load(const struct bloom *bloom, unsigned bank);

#endif
