/* located_hits.h - alignments of any program, placed in the sequences they are of.
 *
 * Models    rows of a table (hit_table.h) with the path between their ends (path.h). A row's names are those of
 *           records, or a part of such a name between '|' (NC_001416.1 is gi|9626243|ref|NC_001416.1|).
 * Memory    paths belong to the list; names belong to the table, or to the sequences if there are any.
 * Errors    a negative LOCATED_HITS_E* code and one line.
 */
#ifndef MERCURY_BLAST_COMPARE_LOCATED_HITS_H
#define MERCURY_BLAST_COMPARE_LOCATED_HITS_H

#include <stddef.h>

#include "base/why.h"
#include "blast/compare/hit_table.h"
#include "blast/stage3/path.h"

enum located_hits_error {
    LOCATED_HITS_EMEMORY = -1,
    LOCATED_HITS_ENAME = -2,  /* no record has the name */
    LOCATED_HITS_ERANGE = -3, /* the alignment ends after its record's end */
};

struct located_hit {
    struct hit hit;
    struct path path;
};

/** The sequences in which alignments are placed. */
struct hit_sources {
    const struct sequences *query, *database;
    const uint8_t *codes[2]; /* of the query's strands, all records */
    const struct scoring_statistics *statistics;
    const char *query_path, *database_path; /* for error messages */
};

/** Place a table's alignments.
 *
 * @param places  NULL if there are no sequences; then no path is known
 * @param name    name of the table's file, for error messages
 * @param list    out: table->count elements, for located_hits_destroy()
 */
int located_hits_new(const struct hit_table *table, const struct hit_sources *places, const char *name,
                     struct located_hit **list, struct why *why);

void located_hits_destroy(struct located_hit *list, size_t count);

#endif
