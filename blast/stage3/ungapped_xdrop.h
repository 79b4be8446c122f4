/* ungapped_xdrop.h - stage 3's look at a w-mer before any gap: ungapped extension by many columns at a time.
 *
 * Models    NCBI BLAST 2.12, na_ungapped.c: extension to both sides under an X-drop, the pair at which gapped extension
 *           starts, and the score of the whole bytes of the packed database around it.
 * Pairs     query codes are packed as the database is; a handful of instructions finds out from two words in which
 *           columns both have the same base, A, C, G or T.
 * Units     positions are codes of the query's strand and of the database's concatenation; scores are raw.
 */
#pragma once

#include <stdbool.h>

#include "blast/sequence/sequence.h"
#include "blast/stage3/gapped.h"
#include "blast/stage3/scoring.h"

enum { BASE_PAIRS_BITS = 4 }; /* bits per column of base_pairs_differ() */

/* Query and database, ready to be compared. */
struct base_pairs {
    const struct sequences *database;
    const uint8_t *query; /* codes of its strand */
    uint64_t positions;   /* of the query */
};

/** Compare 16 columns. Bit BASE_PAIRS_BITS * i is set if query + i and database + i (with a step of -1: query - i and
 * database - i) differ or are not A, C, G or T. Bits of columns outside of query or database are undefined. */
uint64_t base_pairs_differ(const struct base_pairs *p, uint64_t query, uint64_t database, int step);

/** Bring the bases around a pair to the cache, for stage3_ungapped_extend() and short gapped extensions: those of the
 * database before it are there already, since extensions move along it. */
static inline void base_pairs_expect(const struct base_pairs *p, uint64_t query, uint64_t database)
{
    __builtin_prefetch((const uint8_t *)p->database->words + database / 2 + 32);
    __builtin_prefetch(p->query + query - 31);
    __builtin_prefetch(p->query + query + 32);
}

/** Extend to both sides. A segment has as many query bases as database bases.
 *
 * @param query, database  last pair of the left side; inside the bounds, which lie inside the packed positions
 * @param cells   the number of columns compared is added to it
 */
struct gapped_extent stage3_ungapped_extend(const struct base_pairs *p,
                                            const struct scoring_statistics *statistics,
                                            const struct gapped_bounds *bounds, uint64_t query,
                                            uint64_t database, uint64_t *cells);

/** Column of a segment at which gapped extension starts: its first w-mer of equal bases, the one that BLASTN meets
 * first. */
uint64_t stage3_ungapped_start(const struct base_pairs *p, const struct gapped_extent *segment);

/** BLASTN's first look at a w-mer: whether the score of whole bytes of the database, four bases each, to both sides of
 * the first byte boundary at or after its first pair is at least `score`. Bytes that cannot change the answer are not
 * looked at: the score never falls.
 *
 * @param goes_on  whether another record of the query is before its own, and after it, where BLASTN reads on
 */
bool stage3_ungapped_coarse_reaches(const struct base_pairs *p, const struct scoring_statistics *statistics,
                                    const struct gapped_bounds *bounds, const bool goes_on[2], uint64_t query,
                                    uint64_t database, int score);
