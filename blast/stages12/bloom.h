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
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "blast/sequence/sequence.h"
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

/** A bit of every bank is set for a w-mer that was put in; w-mer w has bit wmer_hash(&hash[b], w) of bank b.
 *
 *               bits:  [ bank 0: bank_words words | bank 1 | ... | bank hashes - 1 ]
 */
struct bloom {
    unsigned hashes;
    uint64_t bank_words;
    struct wmer_hash hash[BLOOM_HASHES_MAX];
    uint64_t bits[]; /* the banks, one after the other */
};

/** Set up the hash function of a bank. */
void bloom_bank_hash(const struct bloom_geometry *geometry, unsigned bank, struct wmer_hash *hash);

/** Make an empty filter. */
struct bloom *bloom_new(const struct bloom_geometry *geometry);
void bloom_destroy(struct bloom *bloom);

void bloom_add_many(struct bloom *bloom, enum cpu_level level, const uint32_t *wmers, size_t count);

/** The w-mers of a database by their bits in the first bank, for the filters of many passes. It is made once per run
 * and read by all its passes, in whatever process or thread: a pass then asks its filter neither about w-mers that the
 * database does not have, nor about those whose first bit is clear. The w-mers of bit b are wmers[begins[b]] ..
 * wmers[begins[b + 1] - 1]; BLOOM_INDEX_SPARE more after the last can be read. At most 16 MiB, and 4 bytes per bit. */
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

/** Ask the filter about every w-mer; the answer for w-mer w is bit w % 64 of bits[w / 64].
 *
 * @param level  vector instructions to use; the answers are the same with any
 * @param bits   WMER_COUNT / 64 words, overwritten
 * @return number of w-mers that pass
 */
uint32_t bloom_tabulate(const struct bloom *bloom, enum cpu_level level, uint64_t *bits);

/** Do the same for the w-mers of an index, made for the filter's geometry; the bits of others are 0. */
uint32_t bloom_tabulate_index(const struct bloom *bloom, enum cpu_level level,
                              const struct bloom_index *index, uint64_t *bits);
