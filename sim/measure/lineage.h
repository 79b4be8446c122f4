/* lineage.h - which element came from which: a block's elements in stretches of some words and all that came from them.
 *
 * Use       lineage_begin(), then lineage_next() for each stretch of elements, whose numbers
 *           count from the stretch's first.
 * Memory    a few bytes for each element of the longest stretch so far. A stretch stays in a processor's innermost
 *           cache as long as words have few seeds.
 */
#ifndef MERCURY_SIM_MEASURE_LINEAGE_H
#define MERCURY_SIM_MEASURE_LINEAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/stages12/tokens.h"
#include "sim/board/board_fifos.h"

/** Start with {0}. */
struct lineage {
    const struct tokens *tokens;
    enum token_level deepest;
    /* Number in the block of the stretch's first element, down to level `deepest`. */
    size_t first[TOKEN_LEVELS];
    size_t count[TOKEN_LEVELS]; /* number of the stretch's elements */
    /* For each element of the stretch, the one on the level above it came from. */
    uint32_t *parents[TOKEN_LEVELS];
    size_t room[TOKEN_LEVELS];
    bool out_of_memory; /* the stretches ended because memory is exhausted */
};

void lineage_destroy(struct lineage *lineage);

/** Start a block. @param deepest  the deepest level that is asked for */
void lineage_begin(struct lineage *lineage, const struct tokens *tokens, enum token_level deepest);

/** Go to the next stretch of the block's elements. @return false after the last one, and if memory is exhausted */
bool lineage_next(struct lineage *lineage);

/** Hand clocks down from elements of the stretch to those that came from them.
 *
 * @param from     a level above `to`
 * @param clocks   the clocks of the stretch's elements of level `from`
 * @param first    the first of `count` elements of level `to` in the stretch
 * @param written  for each of these, the clock of the element it came from
 */
void lineage_hand_down(const struct lineage *lineage, enum token_level from, const int64_t *clocks,
                       enum token_level to, size_t first, size_t count, int64_t *written);

#endif
