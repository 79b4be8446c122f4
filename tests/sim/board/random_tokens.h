/* random_tokens.h - random cases for the board: token streams, legal rules and bus shares, all from one seed.
 *
 * A case is small (at most CASE_BLOCKS blocks, a few thousand elements, some ten thousand clocks) and reaches
 * for the corners: FIFOs as small as the rules allow, latencies of 0, a bus far faster or slower than the
 * board, host and egress that starve or saturate it. Shrinking: what makes a case fail is found by leaving
 * out parts and making numbers smaller as long as it still fails. Memory    case_make fills a case,
 * case_destroy frees it. This is test code: it aborts when memory is out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "blast/stages12/tokens.h"
#include "sim/board/board.h"

enum { CASE_BLOCKS = 5 };

/** SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). */
struct dice {
    uint64_t state;
};

uint64_t dice_next(struct dice *dice);
uint64_t dice_below(struct dice *dice, uint64_t sides);                /* 0 .. sides - 1 */
uint64_t dice_between(struct dice *dice, uint64_t low, uint64_t high); /* both included */
bool dice_chance(struct dice *dice, unsigned percent);

enum stream_kind {
    STREAM_SPARSE,  /* a seed in a few words */
    STREAM_DENSE,   /* words with 0 to 16 seeds, all outcomes */
    STREAM_PACKED,  /* words with 16 seeds, mostly false positives */
    STREAM_FLOOD,   /* duplicates with many trips */
    STREAM_MATCHES, /* every seed matches at once */
    STREAM_HOLLOW,  /* trips that mostly yield nothing */
    STREAM_KINDS
};

enum rules_kind { RULES_SMALLEST, RULES_TIGHT, RULES_DEFAULT, RULES_LARGE, RULES_KINDS };

enum bus_kind {
    BUS_SLOW,    /* w of 1 to 9 clocks */
    BUS_EVEN,    /* w of exactly a clock, v of whole clocks */
    BUS_FAST,    /* w below a clock, down to a tick */
    BUS_REAL,    /* w near the published 1.05 clocks, v 2.1 */
    BUS_STARVED, /* the host supplies more slowly than w */
    BUS_CLOGGED, /* v of many clocks: egress saturates */
    BUS_MIXED,   /* another kind each block */
    BUS_KINDS
};

struct random_case {
    uint64_t seed;
    struct board_rules rules;
    size_t block_count;
    struct tokens tokens[CASE_BLOCKS];
    struct bus_share shares[CASE_BLOCKS];
};

/** docs/hardware.md's defaults. */
struct board_rules rules_default(void);

/** All bounds of sim/board.h hold, for groups of up to `largest_group` matches. */
bool rules_are_legal(const struct board_rules *rules, uint32_t largest_group);

void case_make(struct random_case *made, uint64_t seed, enum stream_kind stream, enum rules_kind rules,
               enum bus_kind bus);
void case_destroy(struct random_case *made);

/** Make a failing case smaller; it still fails afterwards.
 *
 * @param fails     what to keep
 * @param attempts  how often `fails` may be asked
 */
void case_shrink(struct random_case *made, bool (*fails)(const struct random_case *, void *), void *context,
                 unsigned attempts);

/** In tokens.h's notation, a line a block: "2 0 1" words, then each seed's groups, p and f. */
void case_print(FILE *out, const struct random_case *made);
