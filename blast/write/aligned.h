/* aligned.h - an alignment as people and other programs see it: places in records, and columns of letters.
 *
 * Models    BLASTN's view: positions count from 1 within a record, the query is read forwards on its plus strand, and
 *           an alignment of the query's minus strand runs backwards through the subject.
 * Letters   ACGT, N for any ambiguous base, - for a gap.
 * Memory    two bytes a column; whoever created an aligned destroys it.
 * Errors    0 or ALIGNED_EMEMORY.
 */
#ifndef MERCURY_BLAST_WRITE_ALIGNED_H
#define MERCURY_BLAST_WRITE_ALIGNED_H

#include <stdint.h>

#include "blast/stage3/alignment.h"
#include "blast/stage3/scoring.h"
#include "blast/sequence/sequence.h"

enum aligned_error { ALIGNED_EMEMORY = -1 };

/* What a list of finished alignments belongs to. */
struct reported_search {
    const struct sequences *query;
    const struct sequences *database;
    const char *database_name;
    const char *version; /* of Mercury */
    const struct scoring_statistics *statistics;
};

/* Positions of a record, counted from 1, both included. */
struct aligned_range {
    uint64_t first, last;
};

struct aligned {
    char *query, *subject; /* `columns` letters each */
    uint64_t columns;
};

/** Where in its record an alignment lies; the query's ascends. */
struct aligned_range aligned_query_range(const struct sequences *query, const struct alignment *a);

/** The subject's descends for an alignment of the minus strand. */
struct aligned_range aligned_subject_range(const struct sequences *database, const struct alignment *a);

/** The columns of an alignment.
 *
 * @param search  with the bases of both
 * @param list    that holds its path
 */
int aligned_create(const struct reported_search *search, const struct alignment_list *list,
                   const struct alignment *a, struct aligned *out);

void aligned_destroy(struct aligned *aligned);

/** Whether a column pairs two equal bases; ambiguous ones are never equal. */
static inline int aligned_is_match(const struct aligned *aligned, uint64_t column)
{
    char letter = aligned->query[column];

    return letter == aligned->subject[column] && letter != 'N';
}

/** The letter of a code. */
static inline char aligned_letter(unsigned code)
{
    return "ACGTN"[code < BASE_AMBIGUOUS ? code : BASE_AMBIGUOUS];
}

/** Per cent as BLASTN rounds identities: 100 only where nothing is missing. */
int aligned_per_cent(uint64_t part, uint64_t whole);

#endif
