/* lookup_cache.h - the answers of the SRAM tables for all w-mers that the Bloom filter passes.
 *
 * Models    nothing of its own: filter and tables do not change during a pass, so that all their answers can be
 *           computed before it (bloom.h, sram_table.h).
 * Workload  65,000 to 130,000 w-mers pass and are looked up 10^5 to 10^9 times, in any order. A lookup takes two steps
 *           that can both be prefetched: the w-mer's block (1 MiB in all) gives its answer's number, and that the
 *           answer.
 * Memory    of the caller, but for the lists.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "blast/stages12/sram_table.h"
#include "blast/stages12/wmer.h"

/** Kinds of answers: two false positives, a match of one position or two, or a list. */
enum answer_kind { ANSWER_EMPTY, ANSWER_MISMATCH, ANSWER_ONE, ANSWER_TWO, ANSWER_LIST };
enum { ANSWER_KIND_BITS = 3, ANSWER_KINDS = 1 << ANSWER_KIND_BITS };

struct answer {
    uint32_t first;  /* the kind in the lowest bits; above it the first position, or the number of the list */
    uint32_t second; /* the second position of a match of two */
};

static inline enum answer_kind answer_kind(struct answer answer)
{
    return (enum answer_kind)(answer.first % ANSWER_KINDS);
}

/** The entries of a match of more than two positions, or of a slot's list. */
struct answer_list {
    uint32_t first;   /* index of the first entry among those of the table */
    uint32_t entries; /* number of entries, for a duplicate those of all keys of the slot */
    uint32_t own;     /* number of entries of the key itself */
    bool duplicate;
};

/** The 64 w-mers that differ in their lowest six bits only. */
struct wmer_block {
    uint64_t passing; /* bit w % 64: whether w-mer w passes the filter */
    uint32_t rank;    /* number of w-mers of earlier blocks that pass */
};

enum { LOOKUP_BLOCKS = WMER_COUNT / 64 };

struct lookup_cache {
    struct wmer_block *blocks; /* LOOKUP_BLOCKS */
    struct answer *of_passing; /* numbered in the order of w-mers */
    struct answer_list *lists;
    uint32_t passing_count, list_count;
    size_t list_room;
};

/** Fill a cache for the w-mers whose bits are set: bit w % 64 of bits[w / 64] (bloom_tabulate).
 *
 * @param cache  its `blocks` and `of_passing` are memory of the caller, which must outlive it; the rest is set
 * @param bits   may be lookup_cache_bits(), and is overwritten then
 */
void lookup_cache_load(struct lookup_cache *cache, const struct sram_table *table, const uint64_t *bits);
void lookup_cache_destroy(struct lookup_cache *cache);

/** The upper half of the blocks: the bits of a block lie there until the block itself is written. */
static inline uint64_t *lookup_cache_bits(const struct lookup_cache *cache)
{
    return (uint64_t *)&cache->blocks[LOOKUP_BLOCKS / 2];
}

/** The number of the answer for a w-mer that passes the filter. */
static inline uint32_t lookup_cache_number(const struct lookup_cache *cache, uint32_t wmer)
{
    const struct wmer_block *block = &cache->blocks[wmer / 64];
    uint64_t below = block->passing & ((UINT64_C(1) << (wmer % 64)) - 1);
    return block->rank + (uint32_t)__builtin_popcountll(below);
}

static inline const struct answer_list *lookup_cache_list(const struct lookup_cache *cache,
                                                          struct answer answer)
{
    return &cache->lists[answer.first >> ANSWER_KIND_BITS];
}
