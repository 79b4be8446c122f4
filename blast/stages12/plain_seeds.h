/* plain_seeds.h - what consecutive seeds of a block became, as bits.
 *
 * Models    A seed is plain if it makes no trip, reads the primary table only, and matches at most twice, as almost all
 *           do. Which of them match, and which matches pass stage 2, cannot be predicted: as bits and numbers, this is
 *           found for many seeds at once, without a branch.
 * Forms     plain C, and AVX2 (base/cpu.h).
 */
#ifndef MERCURY_BLAST_STAGES12_PLAIN_SEEDS_H
#define MERCURY_BLAST_STAGES12_PLAIN_SEEDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "blast/stages12/tokens.h"

enum { PLAIN_SEEDS_MOST = 32 };

/** The first elements of their kinds in a block that have not been looked at. */
struct token_place {
    size_t seed, group, match;
};

struct plain_seeds {
    unsigned count;          /* number of seeds, the first of which is number 0 */
    unsigned grouped, twice; /* number of seeds with a group, and of those that match twice */
    unsigned matches;        /* number of matches of all these seeds */
    /* Bits 2 i and 2 i + 1 of `passed`: whether the first and the second match of seed i passed stage 2; bit i of
     * `passed_matches`: whether match i of all these seeds did. */
    uint64_t passed, passed_matches;
};

/** The plain seeds from a place on, up to the first that is not plain; at most PLAIN_SEEDS_MOST, and none from number
 *  `end` on. */
struct plain_seeds plain_seeds_at(enum cpu_level level, const struct tokens *tokens, struct token_place place,
                                  size_t end);

/** The place after plain seeds. */
static inline struct token_place plain_seeds_after(struct token_place place, const struct plain_seeds *plain)
{
    return (struct token_place){place.seed + plain->count, place.group + plain->grouped,
                                place.match + plain->matches};
}

#endif
