#include "blast/stages12/lookup_cache.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

static_assert(sizeof(struct wmer_block) == 2 * sizeof(uint64_t), "the bits take half of the blocks");

/* False positives of one slot have one list, the slot's. @return the number of the list */
static uint32_t add_list(struct lookup_cache *c, const struct sram_table *table, const struct lookup *lookup,
                         uint32_t own)
{
    const bool duplicate = lookup->outcome == LOOKUP_DUPLICATE;
    const uint32_t number = duplicate && own == 0 ? lookup->list : c->list_count++;
    array_reserve(&c->lists, &c->list_room, number, 1, sizeof *c->lists);
    c->lists[number] =
        (struct answer_list){sram_table_index(table, lookup->entries), lookup->entry_count, own, duplicate};
    return number;
}

static struct answer answer_of(enum answer_kind kind, uint32_t first, uint32_t second)
{
    return (struct answer){first << ANSWER_KIND_BITS | kind, second};
}

static struct answer answer_lookup(struct lookup_cache *c, const struct sram_table *table,
                                   const struct lookup *lookup, uint32_t own)
{
    const struct sram_entry *entries = lookup->entries;
    if (lookup->outcome == LOOKUP_EMPTY || lookup->outcome == LOOKUP_MISMATCH)
        return answer_of(lookup->outcome == LOOKUP_EMPTY ? ANSWER_EMPTY : ANSWER_MISMATCH, 0, 0);
    if (lookup->outcome == LOOKUP_MATCH && lookup->entry_count <= 2) {
        bool two = lookup->entry_count == 2;
        return answer_of(two ? ANSWER_TWO : ANSWER_ONE, entries[0].position, two ? entries[1].position : 0);
    }
    return answer_of(ANSWER_LIST, add_list(c, table, lookup, own), 0);
}

enum {
    BATCH = 1024,      /* largest number of w-mers that are answered together */
    USUAL_PASSING = 3, /* w-mers of a block that are listed without a branch that is hard to predict */
};

/* W-mers of a batch, in order, each by its number in the batch. */
struct some {
    uint32_t count;
    uint32_t numbers[BATCH], wmers[BATCH];
    const struct sram_entry *own[BATCH]; /* the w-mer's entries in the table, or the ones after them */
};

/* Answer those w-mers of a batch that have one position and no list; most have. The others are listed. */
static void answer_usual(const struct sram_table *table, const struct sram_entry **next,
                         const uint32_t *wmers, uint32_t count, struct answer *answers, struct some *others)
{
    const struct sram_entry *entries = sram_table_entries(table), *own = *next;
    const uint64_t *in_lists = sram_table_in_lists(table);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        while (own->wmer < wmers[i])
            own++;
        const size_t index = (size_t)(own - entries);
        answers[i] = answer_of(ANSWER_ONE, own->position, 0);
        others->numbers[n] = i;
        others->wmers[n] = wmers[i];
        others->own[n] = own;
        n += (own[0].wmer != wmers[i]) | (own[1].wmer == wmers[i]) | (in_lists[index / 64] >> index % 64 & 1);
    }
    *next = own;
    others->count = n;
}

static void answer_others(struct lookup_cache *c, const struct sram_table *table, const struct some *others,
                          struct answer *answers)
{
    uint32_t slots[BATCH];
    sram_table_find_slots(table, others->wmers, slots, others->count);
    for (uint32_t i = 0; i < others->count; i++) {
        const uint32_t wmer = others->wmers[i];
        uint32_t own_count = 0;
        while (others->own[i][own_count].wmer == wmer)
            own_count++;
        struct lookup lookup = sram_table_read(table, slots[i], others->own[i], own_count);
        answers[others->numbers[i]] = answer_lookup(c, table, &lookup, own_count);
    }
}

/* Answer w-mers in order, going through the entries with them. */
static void answer_batch(struct lookup_cache *c, const struct sram_table *table,
                         const struct sram_entry **next, const uint32_t *wmers, uint32_t count)
{
    struct answer *answers = c->of_passing + c->passing_count;
    struct some others;
    answer_usual(table, next, wmers, count, answers, &others);
    c->passing_count += count;
    answer_others(c, table, &others, answers);
}

/* List the w-mers of a block that pass. @param wmers  has room for a block's  @return number of them */
static inline uint32_t list_passing(uint64_t left, uint32_t first, uint32_t *wmers)
{
    uint32_t count = 0;
    for (int i = 0; i < USUAL_PASSING; i++, left &= left - 1) {
        wmers[count] = first + (uint32_t)__builtin_ctzll(left | UINT64_C(1) << 63);
        count += left != 0;
    }
    for (; left; left &= left - 1)
        wmers[count++] = first + (uint32_t)__builtin_ctzll(left);
    return count;
}

void lookup_cache_load(struct lookup_cache *c, const struct sram_table *table, const uint64_t *bits)
{
    const struct sram_load load = sram_table_load(table);
    *c = (struct lookup_cache){.blocks = c->blocks,
                               .of_passing = c->of_passing,
                               .list_count = load.collided_slots + load.duplicate_slots};
    array_reserve(&c->lists, &c->list_room, 0, c->list_count, sizeof *c->lists);
    const struct sram_entry *next = sram_table_entries(table);
    struct wmer_block *blocks = c->blocks;
    uint32_t wmers[BATCH], count = 0;
    for (uint32_t i = 0; i < LOOKUP_BLOCKS; i++) {
        const uint64_t passing = bits[i]; /* before the block, which may lie over it, is written */
        blocks[i] = (struct wmer_block){passing, c->passing_count + count};
        count += list_passing(passing, i * 64, wmers + count);
        if (count <= BATCH - 64 && i + 1 < LOOKUP_BLOCKS)
            continue;
        answer_batch(c, table, &next, wmers, count);
        count = 0;
    }
}

void lookup_cache_destroy(struct lookup_cache *c)
{
    free(c->lists);
}
