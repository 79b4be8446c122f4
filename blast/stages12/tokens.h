/* tokens.h - what a block of database words does in stages 1a to 2, without any time in it.
 *
 * The board's timing depends on the data only through these tokens: how many seeds a word has, how each seed's
 * lookup ends, how many trips to the duplicate table it makes, how many matches each trip yields, and which
 * matches pass stage 2. All elements stand in stream order: the groups of a seed follow those of the seed before
 * it, and so do the matches of a group.
 *
 *     words    [2][0][1] ...            seeds in the word, 0 .. 16
 *     seeds    [match][empty][dup x2]   outcome, number of groups
 *     groups   [1]         [5][2]       matches that enter the stage-2 FIFO together
 *     matches  [p]    [f][f][p][f][f] [f][f]     passed stage 2 or filtered
 *
 * A LOOKUP_MATCH has one group (its inline positions), a LOOKUP_DUPLICATE one group per trip, or per probe (of 0
 * matches if it yields none); a false positive that is seen at once has no group.
 */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "blast/stages12/sram_table.h"
#include "blast/stages12/ungapped_window.h"

struct seed_token {
    uint8_t outcome; /* enum lookup_outcome */
    uint16_t groups;
};

struct group_token {
    uint8_t matches; /* number of matches that enter the stage-2 FIFO together */
    uint8_t entries; /* entries that this trip, or probe, reads; 0 for an inline group */
};

struct tokens {
    uint8_t *words;
    struct seed_token *seeds;
    struct group_token *groups;
    uint8_t *matches; /* 1 if the match passed, else 0 */
    struct hsp *hsps; /* the matches that passed */
    size_t word_count, seed_count, group_count, match_count, hsp_count;
    size_t word_room, seed_room, group_room, match_room;
    size_t hsp_room;     /* at least match_room; the HSPs are a long array */
    bool has_positions;  /* the HSPs': those of a scan have some, those of a record of tokens none */
    uint64_t first_word; /* number of the first word in the database, if the HSPs have positions */
};

void tokens_clear(struct tokens *tokens);
void tokens_destroy(struct tokens *tokens);

/** Make room for additional elements of each kind, as the appends below need it. */
void tokens_reserve(struct tokens *tokens, size_t words, size_t seeds, size_t groups, size_t matches);

static inline void tokens_add_word(struct tokens *t, unsigned seeds)
{
    if (t->word_count >= t->word_room)
        tokens_reserve(t, 1, 0, 0, 0);
    t->words[t->word_count++] = (uint8_t)seeds;
}

static inline void tokens_add_seed(struct tokens *t, enum lookup_outcome outcome, unsigned groups)
{
    if (t->seed_count >= t->seed_room)
        tokens_reserve(t, 0, 1, 0, 0);
    t->seeds[t->seed_count++] = (struct seed_token){(uint8_t)outcome, (uint16_t)groups};
}

static inline void tokens_add_group(struct tokens *t, unsigned matches, unsigned entries)
{
    if (t->group_count >= t->group_room)
        tokens_reserve(t, 0, 0, 1, 0);
    t->groups[t->group_count++] = (struct group_token){(uint8_t)matches, (uint8_t)entries};
}

static inline void tokens_add_match(struct tokens *t, bool passed)
{
    if (t->match_count >= t->match_room)
        tokens_reserve(t, 0, 0, 0, 1);
    t->matches[t->match_count++] = passed;
}

/* The HSP's match must have been added before: there is room for one HSP per match. */
static inline void tokens_add_hsp(struct tokens *t, struct hsp hsp)
{
    if (t->hsp_count >= t->hsp_room)
        tokens_reserve(t, 0, 0, 0, 1);
    t->hsps[t->hsp_count++] = hsp;
}

/** Number of SRAM reads of one trip or probe: a read yields two entries (docs/hardware.md: ceil(positions / 2)). */
static inline unsigned group_sram_reads(struct group_token group)
{
    return (group.entries + 1u) / 2;
}

enum { TOKEN_WORDS = 32 }; /* that are looked at together */

/** Which of TOKEN_WORDS words have seeds, in the order of bits. */
static inline uint32_t tokens_words_with_seeds(const uint8_t *words)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < TOKEN_WORDS; i += 8) {
        uint64_t eight;
        memcpy(&eight, words + i, sizeof eight);
        /* No byte is above 16, so that none overflows. The product moves the upper bits side by side. */
        eight = (le64toh(eight) + UINT64_C(0x7f7f7f7f7f7f7f7f)) & UINT64_C(0x8080808080808080);
        mask |= (uint32_t)((eight >> 7) * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return mask;
}
