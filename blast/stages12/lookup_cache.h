/* lookup_cache.h - what the SRAM tables answer for each w-mer that the Bloom filter passes.
 *
 * Models    nothing of its own: filter and tables stand still during a pass, so that all their answers can be known
 *           before it (bloom.h, sram_table.h).
 * Workload  65,000 to 130,000 w-mers pass, and are asked for 10^5 to 10^9 times, in any order. An answer is two steps,
 *           both prefetchable: the w-mer's block (1 MiB in all) tells its number, which is its place in a list.
 * Errors    false where memory is out.
 */
#ifndef MERCURY_BLAST_STAGES12_LOOKUP_CACHE_H
#define MERCURY_BLAST_STAGES12_LOOKUP_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "blast/stages12/sram_table.h"
#include "blast/stages12/wmer.h"

/** How an answer looks: a match of one position or two, or a list. */
enum answer_kind { ANSWER_EMPTY, ANSWER_MISMATCH, ANSWER_ONE, ANSWER_TWO, ANSWER_LIST };
enum { ANSWER_KIND_BITS = 3, ANSWER_KINDS = 1 << ANSWER_KIND_BITS };

struct answer {
    uint32_t first;  /* the kind, in its lowest bits; above them the first position, or the list's number */
    uint32_t second; /* position of a match of two */
};

static inline enum answer_kind answer_kind(struct answer answer)
{
    return (enum answer_kind)(answer.first % ANSWER_KINDS);
}

/** A match of more positions, or a slot's list. */
struct answer_list {
    uint32_t first;   /* index of the first entry in the table's */
    uint32_t entries; /* of the slot's list (duplicate) or of the key (match) */
    uint32_t own;     /* entries of the key itself */
    bool duplicate;
};

/** Sixty-four w-mers, those that differ in nothing but their lowest bits. */
struct wmer_block {
    uint64_t passing; /* bit w % 64: w-mer w passes the filter */
    uint32_t rank;    /* how many pass in the blocks before */
};

struct lookup_cache {
    struct wmer_block *blocks; /* WMER_COUNT / 64 */
    struct answer *of_passing; /* by number: in order of w-mer */
    struct answer_list *lists;
    uint32_t passing_count, list_count, list_room;
};

/** Ask the tables for every w-mer whose bit w % 64 of bits[w / 64] is set (bloom_tabulate); for lookup_cache_destroy(), also where it
 * fails. */
bool lookup_cache_load(struct lookup_cache *answers, const struct sram_table *table, const uint64_t *bits);
void lookup_cache_destroy(struct lookup_cache *answers);

/** The number of the answer for a w-mer that passes. */
static inline uint32_t lookup_cache_number(const struct lookup_cache *answers, uint32_t wmer)
{
    const struct wmer_block *block = &answers->blocks[wmer / 64];
    uint64_t below = block->passing & ((UINT64_C(1) << (wmer % 64)) - 1);
    return block->rank + (uint32_t)__builtin_popcountll(below);
}

static inline const struct answer_list *lookup_cache_list(const struct lookup_cache *answers,
                                                          struct answer answer)
{
    return &answers->lists[answer.first >> ANSWER_KIND_BITS];
}

#endif
