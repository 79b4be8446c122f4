/* database_stretch.h - a stretch of the database in two bits per base, from which stages 1 and 2 cut w-mers and
 * windows.
 *
 * Layout    base i of the stretch is in bits 2 (i % 16) and up of word i / 16. Some words before and after the
 *           stretch can be read, so that no window needs a check. A base that is not A, C, G or T has any two
 *           bits, and so has a position outside the database: the stretch tells near which words such bases lie.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/cpu.h"
#include "blast/sequence/sequence.h"
#include "blast/stages12/wmer.h"

enum {
    STRETCH_WORDS = 1024, /* largest number of words in a stretch */
    STRETCH_BEFORE = 3,   /* words before it that can be read */
    STRETCH_AFTER = 65    /* words after it that can be read */
};

struct database_stretch {
    const struct sequences *sequences;
    uint64_t first, count; /* words first .. first + count - 1 of the database */
    bool plain;            /* true if all `words` have nothing but A, C, G and T */
    /* Unless plain: 1 for a word if it or one of STRETCH_BEFORE words on either side have others. */
    uint8_t near_others[STRETCH_WORDS];
    uint32_t words[STRETCH_BEFORE + STRETCH_WORDS + STRETCH_AFTER];
};

/** Load words [first, first + count) of the database. */
void database_stretch_load(struct database_stretch *stretch, const struct sequences *sequences,
                           uint64_t first, uint64_t count);

/** The word with base 0; STRETCH_BEFORE words before it can be read. */
static inline const uint32_t *database_stretch_bases(const struct database_stretch *stretch)
{
    return stretch->words + STRETCH_BEFORE;
}

/** The w-mer whose last base is base `last` of the stretch. */
static inline uint32_t database_stretch_wmer(const struct database_stretch *stretch, uint32_t last)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    enum { BASES_PER_BYTE = 4, BEFORE = STRETCH_BEFORE * BASES_PER_WORD };
    const uint32_t first = BEFORE + last - (WMER_BASES - 1);
    uint32_t bases; /* those of the w-mer, and up to 3 before it and 5 after it */
    memcpy(&bases, (const uint8_t *)stretch->words + first / BASES_PER_BYTE, sizeof bases);
    return bases >> 2 * (first % BASES_PER_BYTE) & (WMER_COUNT - 1);
#else
    const uint32_t *words = database_stretch_bases(stretch) + last / BASES_PER_WORD;
    struct wmer_window window = {(uint64_t)words[0] << 32 | words[-1], 0};
    return wmer_ending_at(window, last % BASES_PER_WORD);
#endif
}
