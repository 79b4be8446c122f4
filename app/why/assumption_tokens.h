/* assumption_tokens.h - the tokens of a whole run, as they were recorded or dealt at random.
 *
 * Models    what stages 1a to 2 did in all passes of a run (blast/stages12/tokens.h), in stream order. Dealing keeps
 *           every count of the run: seeds are dealt over w-mers, at most BASES_PER_WORD to a word, each w-mer alike;
 *           what a lookup does, with its trips and matches, is dealt over the seeds of all passes.
 * Memory    1 byte per word, 16 per seed, 2 per group and 1 per match, and once more for words and seeds that are
 *           dealt. assumption_tokens_destroy() frees it.
 * Random    GSL's mt19937.
 * Errors    ASSUMPTION_EMEMORY or ASSUMPTION_EINPUT (assumptions.h) and one line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gsl/gsl_rng.h>

#include "base/why.h"
#include "blast/stages12/tokens.h"
#include "sim/board/hardware.h"
#include "sim/tokens/token_record.h"

/** A seed's lookup, and where its groups and their matches begin. */
struct assumption_lookup {
    uint32_t group, match;
    uint32_t reads; /* SRAM reads: one, and those of its trips */
    uint16_t groups;
    uint8_t outcome; /* enum lookup_outcome */
};

struct assumption_tokens {
    uint8_t *words; /* seeds of each word */
    struct assumption_lookup *lookups;
    struct group_token *groups;
    uint8_t *matches;  /* 1 if the match passed, else 0 */
    size_t *pass_ends; /* number of words before each pass ends */
    size_t word_count, lookup_count, group_count, match_count, pass_count;
    size_t word_room, lookup_room, group_room, match_room, pass_room;
    /* Numbers of the whole run: */
    uint64_t empty, reads, trips, duplicates, hsps;
};

/** Append the tokens of a block to the last pass; assumption_tokens_end_pass() ends that pass.
 *  @return false if memory is exhausted, or the run has more than 2^32 groups or matches */
bool assumption_tokens_add(struct assumption_tokens *run, const struct tokens *block);
bool assumption_tokens_end_pass(struct assumption_tokens *run);

/** Read all passes of a record, with the machine's overdrive. */
int assumption_tokens_read(const struct token_record *record, const char *path,
                           const struct hardware *hardware, struct assumption_tokens *run, struct why *why);
void assumption_tokens_destroy(struct assumption_tokens *run);

/** Number of lookups after a deal's last that may be read: they have no groups. */
enum { ASSUMPTION_LOOKUPS_AHEAD = 8 };

/** Words and lookups of the run in one order: the recorded arrays, or dealt copies. A zeroed one is empty. */
struct assumption_deal {
    const uint8_t *words;
    const struct assumption_lookup *lookups;
    uint8_t *own_words; /* NULL until they are dealt */
    struct assumption_lookup *own_lookups;
    uint64_t words_of, lookups_of; /* 1 + number of the deal that they are of; 0 if of none */
};

/** Deal. What is not to be random is in the recorded order.
 *
 * @param seed    1 to 2^32 - 1
 * @param number  of the deal: the same seed and number give the same deal
 * @return false if memory is exhausted
 */
bool assumption_deal(const struct assumption_tokens *run, bool words, bool lookups, unsigned long seed,
                     uint64_t number, struct assumption_deal *deal);
void assumption_deal_destroy(struct assumption_deal *deal);

/** @return NULL if memory is exhausted */
gsl_rng *assumption_random_new(unsigned long state);
