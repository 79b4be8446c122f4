/* pass.h - stages 1a, 1b and 2 of one pass: a query segment against any part of the database.
 *
 * Models    what the board computes, in stream order; sim/board/board.h models when it computes it.
 * Memory    the tables: lines (2 MiB) and blocks (1 MiB), for the SRAM tables at most 21 bytes per base of the
 *           segment, 0.4 bytes per slot and 4 per displacement, and 8 bytes per w-mer that passes; and the segment's
 *           codes. If building the SRAM tables takes more than the lines, so much more. A scanner has 60 KiB. The
 *           tokens of a part of a block have at most PASS_PART_MATCHES matches and those of 16 seeds more.
 */
#pragma once

#include <stdint.h>

#include "base/cpu.h"
#include "blast/sequence/segment.h"
#include "blast/sequence/sequence.h"
#include "blast/stages12/bloom.h"
#include "blast/stages12/sram_table.h"
#include "blast/stages12/tokens.h"
#include "blast/stages12/ungapped_window.h"

struct pass_rules {
    struct bloom_geometry bloom;
    struct sram_geometry sram;
    struct ungapped_rule stage2;
};

/** Numbers of elements that the functional stages have seen. The counts of several passes can be added. */
struct pass_counts {
    uint64_t words; /* words of the database, of 8 bytes */
    uint64_t wmers; /* w-mers of the database: each base ends one, valid or not */
    /* w-mers with a base that is not A, C, G or T, or across a boundary: they never match. */
    uint64_t invalid_wmers;
    uint64_t seeds;         /* w-mers that passed the Bloom filter */
    uint64_t bloom_false;   /* seeds that are not in the query segment: the filter's false positives */
    uint64_t lookups_empty; /* seeds by the outcome of their lookup */
    uint64_t lookups_mismatch;
    uint64_t lookups_match;
    uint64_t lookups_duplicate;
    uint64_t duplicate_false; /* duplicate lookups for a key that was not in the list */
    uint64_t trips;           /* trips to the duplicate table, or probes (COLLISION_PROBE) */
    uint64_t sram_reads;      /* reads of the primary and of the duplicate table */
    uint64_t matches;
    uint64_t hsps; /* matches that passed stage 2 */
};

/** A block of a database that repeats itself as the query does has billions of matches: it is handed over in parts. A
 * block of a usual database has some thousands. */
enum { PASS_PART_MATCHES = 1 << 18 };

struct pass;

/** Load the tables for a segment, without w-mers that have masked bases; `query` and `database` must outlive the pass.
 *
 * @param index  the index of this database for the filter of these rules, which makes loading faster, or NULL
 */
struct pass *pass_new(const struct pass_rules *rules, const struct sequences *query,
                      const struct query_segment *segment, const struct sequences *database,
                      const struct bloom_index *index);

/** Do the same with vector instructions of a level that this processor has; the pass is the same with any. */
struct pass *pass_new_at(enum cpu_level level, const struct pass_rules *rules, const struct sequences *query,
                         const struct query_segment *segment, const struct sequences *database,
                         const struct bloom_index *index);
void pass_destroy(struct pass *pass);

/** Stream database words [first, first + count) through the stages.
 *
 * @param tokens  is cleared and filled
 * @param counts  is added to
 */
void pass_scan(struct pass *pass, uint64_t first, uint64_t count, struct tokens *tokens,
               struct pass_counts *counts);

/** Scans beside other scanners: a pass's tables are only read, so that each thread may have a scanner of its own. All
 * give the same tokens. */
struct pass_scanner;

/** @param pass  must outlive the scanner */
struct pass_scanner *pass_scanner_new(const struct pass *pass);
void pass_scanner_destroy(struct pass_scanner *scanner);

/** Do what pass_scan() does, but stop at the end of the word at which the tokens have PASS_PART_MATCHES matches or
 * more. A block that is scanned part by part yields the tokens and counts that it yields at once.
 *
 * @param count  > 0
 * @return number of words scanned, > 0
 */
uint64_t pass_scanner_part(struct pass_scanner *scanner, uint64_t first, uint64_t count,
                           struct tokens *tokens, struct pass_counts *counts);

/** Number of matches of words [first, first + count), of which nothing is kept. */
uint64_t pass_scanner_count_matches(struct pass_scanner *scanner, uint64_t first, uint64_t count);

/** Add the counts of other blocks, or of another pass. */
void pass_counts_add(struct pass_counts *sum, const struct pass_counts *more);

struct sram_load pass_sram_load(const struct pass *pass);

/** What the tables of a segment take, without making a pass. */
struct sram_load pass_find_load(const struct pass_rules *rules, const struct sequences *query,
                                const struct query_segment *segment);
