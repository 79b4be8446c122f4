/* wmer.h - the 11-base word of BLASTN and how to cut it out of 16-base words.
 *
 * A w-mer has 22 bits; its base i is in bits 2i and 2i + 1. The machine names a w-mer by the position of its LAST
 * base: one base of the database ends one w-mer (Dor 2010, section 2.4).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "blast/sequence/sequence.h"

enum { WMER_BASES = 11, WMER_BITS = 2 * WMER_BASES, WMER_COUNT = 1 << WMER_BITS };

/** Two neighbouring words of a sequence, from which the 16 w-mers are cut that end in the second. */
struct wmer_window {
    uint64_t bases; /* 2 bits per base; the 16 bases of the first word are the lowest */
    uint32_t bad;   /* bit i: base i of the 32 is not A, C, G or T */
};

/** Collect bits 0 and 1 of every nibble. */
static inline uint32_t wmer_squeeze(uint64_t word)
{
    word &= 0x3333333333333333u;
    word = (word | word >> 2) & 0x0f0f0f0f0f0f0f0fu;
    word = (word | word >> 4) & 0x00ff00ff00ff00ffu;
    word = (word | word >> 8) & 0x0000ffff0000ffffu;
    return (uint32_t)(word | word >> 16);
}

/** Bit i: nibble i is above BASE_T. */
static inline uint32_t wmer_bad_bases(uint64_t word)
{
    word = (word >> 2 | word >> 3) & 0x1111111111111111u;
    word = (word | word >> 3) & 0x0303030303030303u;
    word = (word | word >> 6) & 0x000f000f000f000fu;
    word = (word | word >> 12) & 0x000000ff000000ffu;
    return (uint32_t)((word | word >> 24) & 0xffffu);
}

static inline struct wmer_window wmer_window(uint64_t previous_word, uint64_t word)
{
    return (struct wmer_window){
        .bases = (uint64_t)wmer_squeeze(word) << 32 | wmer_squeeze(previous_word),
        .bad = wmer_bad_bases(word) << 16 | wmer_bad_bases(previous_word),
    };
}

/** The w-mer that ends at base `last` (0..15) of the second word. */
static inline uint32_t wmer_ending_at(struct wmer_window w, unsigned last)
{
    return (uint32_t)(w.bases >> (2 * (last + BASES_PER_WORD + 1 - WMER_BASES))) & (WMER_COUNT - 1);
}

/** Whether this w-mer has nothing but A, C, G and T. */
static inline bool wmer_is_valid(struct wmer_window w, unsigned last)
{
    return (w.bad >> (last + BASES_PER_WORD + 1 - WMER_BASES) & ((1u << WMER_BASES) - 1)) == 0;
}

/** Whether sequences have any valid w-mer; without one nothing can be found. */
static inline bool wmer_in_sequences(const struct sequences *s)
{
    for (uint64_t i = 0; i < s->word_count; i++) {
        struct wmer_window w = wmer_window(sequences_word(s, i - 1), s->words[i]);
        for (unsigned last = 0; last < BASES_PER_WORD; last++)
            if (wmer_is_valid(w, last))
                return true;
    }
    return false;
}
