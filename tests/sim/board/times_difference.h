/* times_difference.h - where the clocks that two engines give a block's elements first differ. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "blast/stages12/tokens.h"
#include "sim/board/board.h"

struct times_difference {
    const char *what;     /* the clocks of which elements; NULL: no difference */
    size_t block, number; /* the block is the caller's to set */
    int64_t one, other;
};

/** Compare `count` clocks, unless a difference was found before. */
void times_compare(struct times_difference *found, const char *what, const int64_t *one, const int64_t *other,
                   size_t count);

/** Compare all clocks of a block. */
void times_compare_block(struct times_difference *found, const struct tokens *tokens,
                         const struct board_times *one, const struct board_times *other);

/** Clocks of all blocks, one after the other, without those of a first block. */
struct board_times times_skip(struct board_times times, const struct tokens *first);

/** How many matches of a block have passed. */
size_t times_records(const struct tokens *tokens);
