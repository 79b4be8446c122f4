/* pass.h - stages 1a, 1b and 2 of one pass: a query segment against any part of the database.
 *
 * Models    what the board computes, in stream order; when it computes it is the business of sim/board.h.
 * Memory    the Bloom filter's answers laid out for the scan (2 MiB), the SRAM tables' answers (1 MiB and 8 bytes a w-mer that
 *           passes), these tables, the segment's codes; while it is loaded, 512 KiB and 20 bytes a base of the segment more.
 * Errors    NULL or false where memory is out.
 */
#ifndef MERCURY_BLAST_STAGES12_PASS_H
#define MERCURY_BLAST_STAGES12_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/stages12/bloom.h"
#include "base/cpu.h"
#include "blast/sequence/segment.h"
#include "blast/sequence/sequence.h"
#include "blast/stages12/sram_table.h"
#include "blast/stages12/tokens.h"
#include "blast/stages12/ungapped.h"

struct pass_rules {
    struct bloom_geometry bloom;
    struct sram_geometry sram;
    struct ungapped_rule stage2;
};

/** What the functional stages saw, in elements. Sums over passes are plain sums. */
struct pass_counts {
    uint64_t words;         /* 8 bytes of database each */
    uint64_t wmers;         /* database positions: one base ends one w-mer, valid or not */
    uint64_t invalid_wmers; /* of these with a non-ACGT base, or across a boundary: never match */
    uint64_t seeds;         /* passed the Bloom filter */
    uint64_t bloom_false;   /* of these not in the query segment (all false positives) */
    uint64_t lookups_empty; /* lookups by outcome: their sum is `seeds` */
    uint64_t lookups_mismatch;
    uint64_t lookups_match;
    uint64_t lookups_duplicate;
    uint64_t duplicate_false; /* trips made for a key that was not in the list */
    uint64_t trips;
    uint64_t sram_reads; /* primary and duplicate */
    uint64_t matches;
    uint64_t hsps; /* matches that passed stage 2 */
};

struct pass;

/** Load the tables for a segment, without the w-mers of masked bases; `query` and `database` must outlive the pass.
 *
 * @param index  of this database and these rules' filter, which makes loading faster, or NULL
 */
struct pass *pass_new(const struct pass_rules *rules, const struct sequences *query,
                      const struct query_segment *segment, const struct sequences *database,
                      const struct bloom_index *index);

/** The same with vector instructions of a level that this processor has: a pass is the same with any. */
struct pass *pass_new_at(enum cpu_level level, const struct pass_rules *rules, const struct sequences *query,
                         const struct query_segment *segment, const struct sequences *database,
                         const struct bloom_index *index);
void pass_destroy(struct pass *pass);

/** Stream database words [first, first + count) through the stages.
 *
 * @param tokens  cleared and filled
 * @param counts  added to
 * @return false when memory is out
 */
bool pass_scan(struct pass *pass, uint64_t first, uint64_t count, struct tokens *tokens,
               struct pass_counts *counts);

struct sram_load pass_sram_load(const struct pass *pass);

#endif
