/* tokens.h - what a block of database words does in stages 1a to 2, without any time in it.
 *
 * The board's timing depends on the data only through these: how many seeds a word has, how each seed's lookup ends,
 * how many trips it makes and how many matches each yields, and which matches pass stage 2. Elements stand in stream
 * order; the groups of a seed follow the groups of the seed before it, the matches of a group likewise:
 *
 *     words    [2][0][1] ...            seeds in the word, 0 .. 16
 *     seeds    [match][empty][dup x2]   outcome, number of groups
 *     groups   [1]         [5][2]       matches that enter the stage-2 FIFO together
 *     matches  [p]    [f][f][p][f][f] [f][f]     passed stage 2 or filtered
 *
 * A LOOKUP_MATCH has one group (its inline positions), a LOOKUP_DUPLICATE one group a trip (0 matches where a trip
 * yields none), a false positive seen at once has none.
 */
#ifndef MERCURY_BLAST_TOKENS_H
#define MERCURY_BLAST_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/sram_table.h"

struct seed_token {
    uint8_t outcome; /* enum lookup_outcome */
    uint16_t groups;
};

struct group_token {
    uint8_t matches; /* that enter the stage-2 FIFO together */
    uint8_t entries; /* read from the duplicate table in this trip, two an SRAM read; 0 for an inline group */
};

/** A match that passed stage 2. */
struct hsp {
    uint32_t query_position;    /* of the w-mer's last base in the segment */
    uint64_t database_position; /* of the w-mer's last base in the database */
};

struct tokens {
    uint8_t *words;
    struct seed_token *seeds;
    struct group_token *groups;
    uint8_t *matches; /* 1 where it passed */
    struct hsp *hsps; /* one for each that passed */
    size_t word_count, seed_count, group_count, match_count, hsp_count;
    size_t word_room, seed_room, group_room, match_room, hsp_room;
    bool out_of_memory; /* an append failed; the block is incomplete */
};

void tokens_clear(struct tokens *tokens);
void tokens_destroy(struct tokens *tokens);

/* Append one element; where memory is out, nothing is appended and out_of_memory is set. */
void tokens_add_word(struct tokens *tokens, unsigned seeds);
void tokens_add_seed(struct tokens *tokens, enum lookup_outcome outcome, unsigned groups);
void tokens_add_group(struct tokens *tokens, unsigned matches, unsigned entries);
void tokens_add_match(struct tokens *tokens, bool passed);
void tokens_add_hsp(struct tokens *tokens, struct hsp hsp);

/** SRAM reads of one trip: two entries a read (hardware-model.md: ceil(positions / 2)). */
static inline unsigned group_sram_reads(struct group_token group)
{
    return (group.entries + 1u) / 2;
}

#endif
