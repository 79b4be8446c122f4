/* stage3_ungapped.h - stage 3's look at a w-mer before any gap: ungapped extension by 16 columns at a time.
 *
 * Models    NCBI BLAST 2.12, na_ungapped.c: extension to both sides under an X-drop, the pair at which gapped extension
 *           starts, and the score of the whole bytes of the packed database around it.
 * Pairs     the query's part that extensions may reach is packed as the database is; the columns in which both have the
 *           same base, A, C, G or T, come out of two words by a handful of instructions.
 * Units     positions are codes of the query's strand and of the database's concatenation; scores are raw.
 * Memory    half a byte a query position.
 */
#ifndef MERCURY_BLAST_STAGE3_STAGE3_UNGAPPED_H
#define MERCURY_BLAST_STAGE3_STAGE3_UNGAPPED_H

#include "blast/stage3/gapped.h"
#include "blast/stage3/scoring.h"
#include "blast/sequence/sequence.h"

/* Query and database, ready to be compared. */
struct base_pairs {
    const struct sequences *database;
    uint64_t *query; /* 16 codes a word, from query_begin on */
    uint64_t query_begin, query_words;
};

/* Equal lengths of query and database side by side. */
struct ungapped_segment {
    uint64_t query, database, length;
    int score;
};

/** Pack the codes [begin, end) of a query of so many positions, and a few behind them. @return 0, or -1 without memory */
int base_pairs_pack(struct base_pairs *p, const struct sequences *database, const uint8_t *query,
                    uint64_t positions, uint64_t begin, uint64_t end);

void base_pairs_destroy(struct base_pairs *p);

/** Bit 4 i is set where columns (query + i, database + i), or with a step of -1 (query - i, database - i), differ or
 * are no bases; i < 16. Of columns outside of query or database the bits mean nothing. */
uint64_t base_pairs_differ(const struct base_pairs *p, uint64_t query, uint64_t database, int step);

/** Extend to both sides.
 *
 * @param query, database  last pair of the left side; inside the bounds, and these inside what is packed
 * @param cells  columns looked at are added to it
 */
struct ungapped_segment stage3_ungapped_extend(const struct base_pairs *p,
                                               const struct scoring_statistics *statistics,
                                               const struct gapped_bounds *bounds, uint64_t query,
                                               uint64_t database, uint64_t *cells);

/** Where in a segment gapped extension starts, counted from its begin: at its first w-mer of equal bases, the one that
 * BLASTN meets first. */
uint64_t stage3_ungapped_start(const struct base_pairs *p, const struct ungapped_segment *segment);

/** BLASTN's first look at a w-mer: score of whole bytes of the database, four bases each, to either side of the next one
 * that begins at or behind its first pair. */
int stage3_ungapped_coarse_score(const struct base_pairs *p, const struct scoring_statistics *statistics,
                                 const struct gapped_bounds *bounds, uint64_t query, uint64_t database);

#endif
