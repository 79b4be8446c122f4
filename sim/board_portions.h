/* board_portions.h - a block's tokens in portions, one after the other through the board and past its taps.
 *
 * Why       the clocks of all of a block's elements push each other out of a processor's caches before the taps have seen
 *           them; a portion's do not. Where one ends changes no clock (board.h).
 * Memory    none: a portion borrows the block's arrays.
 */
#ifndef MERCURY_SIM_BOARD_PORTIONS_H
#define MERCURY_SIM_BOARD_PORTIONS_H

#include <stdbool.h>

#include "blast/tokens.h"
#include "sim/board.h"

struct board_portions {
    size_t words_left;
    struct tokens tokens;   /* the portion's: borrowed; not for tokens_destroy() */
    struct bus_share share; /* what bus and host give it: the block's, from its first word on */
};

/** Before a block's first portion. @param tokens  must stay */
struct board_portions board_portions_begin(const struct tokens *tokens, const struct bus_share *share);

/** Go on to the next portion. @return false behind the last */
bool board_portions_next(struct board_portions *portions);

#endif
