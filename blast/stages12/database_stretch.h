/* database_stretch.h - a stretch of the database in two bits a base, as stages 1 and 2 cut w-mers and windows from it.
 *
 * Layout    base i of the stretch in bits 2 (i % 16) and up of word i / 16; words before and behind it are there, too, so that
 *           no window needs a check. A base that is not A, C, G or T has some two bits, as has what lies outside the database:
 *           the stretch tells near which words there are any.
 */
#ifndef MERCURY_BLAST_STAGES12_DATABASE_STRETCH_H
#define MERCURY_BLAST_STAGES12_DATABASE_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"
#include "blast/sequence/sequence.h"
#include "blast/stages12/wmer.h"

/** The most words of a stretch, and how many more stand before and behind it. */
enum { STRETCH_WORDS = 1024, STRETCH_BEFORE = 3, STRETCH_AFTER = 9 };

struct database_stretch {
    const struct sequences *sequences;
    uint64_t first, count; /* words */
    bool plain;            /* nothing but A, C, G and T in `words` */
    uint8_t near_others
        [STRETCH_WORDS]; /* unless plain: 1 where a word or STRETCH_BEFORE on either side have others */
    uint32_t words[STRETCH_BEFORE + STRETCH_WORDS + STRETCH_AFTER];
};

/** Take words [first, first + count) of a sequence.
 *
 * @param level  vector instructions to use; the stretch is the same
 */
void database_stretch_load(struct database_stretch *stretch, const struct sequences *sequences,
                           uint64_t first, uint64_t count, enum cpu_level level);

/** The word with base 0; STRETCH_BEFORE words before it can be read. */
static inline const uint32_t *database_stretch_bases(const struct database_stretch *stretch)
{
    return stretch->words + STRETCH_BEFORE;
}

/** The w-mer whose last base is so many behind the stretch's first. */
static inline uint32_t database_stretch_wmer(const struct database_stretch *stretch, uint32_t last)
{
    const uint32_t *words = database_stretch_bases(stretch) + last / BASES_PER_WORD;
    struct wmer_window window = {(uint64_t)words[0] << 32 | words[-1], 0};
    return wmer_ending_at(window, last % BASES_PER_WORD);
}

#endif
