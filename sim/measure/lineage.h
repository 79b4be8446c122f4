/* lineage.h - what came of what: a block's elements in stretches, some words each with all that came of them.
 *
 * Levels    a word has seeds, a seed groups, a group matches; a match that passes stage 2 becomes a record
 *           (blast/tokens.h).
 * Use       lineage_begin(), then every stretch by lineage_next(); numbers of a stretch's elements count from its first.
 * Memory    a few bytes for each element of the longest stretch so far; a stretch is small enough to stay in a
 *           processor's innermost cache as long as words have few seeds.
 */
#ifndef MERCURY_SIM_MEASURE_LINEAGE_H
#define MERCURY_SIM_MEASURE_LINEAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/stages12/tokens.h"

enum lineage_level { LEVEL_WORD, LEVEL_SEED, LEVEL_GROUP, LEVEL_MATCH, LEVEL_RECORD, LINEAGE_LEVELS };

/** Start with {0}. */
struct lineage {
    const struct tokens *tokens;
    enum lineage_level deepest;
    size_t first[LINEAGE_LEVELS],
        count[LINEAGE_LEVELS]; /* the stretch's elements in the block, down to `deepest` */
    uint32_t
        *parents[LINEAGE_LEVELS]; /* the element on the level above that each of the stretch's came from */
    size_t room[LINEAGE_LEVELS];
    bool out_of_memory; /* no stretch came for want of memory */
};

void lineage_destroy(struct lineage *lineage);

/** Start on a block. @param deepest  nobody asks for levels below */
void lineage_begin(struct lineage *lineage, const struct tokens *tokens, enum lineage_level deepest);

/** Go to the next stretch. @return false behind the last, and when memory is out */
bool lineage_next(struct lineage *lineage);

/** Hand clocks down to elements of the stretch.
 *
 * @param from     above `to`
 * @param clocks   of the stretch's elements of level `from`
 * @param first    of the stretch's elements of level `to`, and `count` of them
 * @param written  the clock of what each came from
 */
void lineage_hand_down(const struct lineage *lineage, enum lineage_level from, const int64_t *clocks,
                       enum lineage_level to, size_t first, size_t count, int64_t *written);

#endif
