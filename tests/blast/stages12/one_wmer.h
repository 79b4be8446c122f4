/* one_wmer.h - the filter and the tables, asked about one w-mer at a time. */
#pragma once

#include "blast/stages12/bloom.h"
#include "blast/stages12/sram_table.h"

static inline void bloom_add(struct bloom *b, uint32_t wmer)
{
    bloom_add_many(b, CPU_PORTABLE, &wmer, 1);
}

static inline bool bloom_may_contain(const struct bloom *b, uint32_t wmer)
{
    for (unsigned bank = 0; bank < b->hashes; bank++) {
        uint32_t bit = wmer_hash(&b->hash[bank], wmer);
        if (!(b->bits[bank * b->bank_words + bit / 64] >> (bit % 64) & 1))
            return false;
    }
    return true;
}

/* The fraction of a bank's bits that are set. */
static inline double bloom_bank_load(const struct bloom *b, unsigned bank)
{
    uint64_t set = 0;
    for (uint64_t i = 0; i < b->bank_words; i++)
        set += (uint64_t)__builtin_popcountll(b->bits[bank * b->bank_words + i]);
    return (double)set / b->hash[bank].range;
}

static inline struct lookup sram_table_lookup(const struct sram_table *t, uint32_t wmer)
{
    const struct sram_entry *own = sram_table_entries(t);
    uint32_t slot, count = 0;
    while (own->wmer < wmer)
        own++;
    while (own[count].wmer == wmer)
        count++;
    sram_table_find_slots(t, &wmer, &slot, 1);
    return sram_table_read(t, slot, own, count);
}
