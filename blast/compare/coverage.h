/* coverage.h - how much of one program's alignments another program's alignments cover.
 *
 * Models    the covered share of an alignment: of its pairs of aligned positions (columns without a gap), those
 *           that some alignment of the other list pairs, too: the same query and subject, the same strand, the same
 *           two positions. Several alignments may cover it together.
 *           If the path is not known, on either side, positions take its place: alignments on the same records and
 *           strand whose diagonals meet (a gap of n bases moves by n) cover the positions that both have; the share
 *           is that of the query's or of the subject's positions, whichever is less.
 * Places    rows of a table (hit_table.h) are placed in the sequences they are of, with the path between their ends
 *           (path.h). A row's names are those of records, or a part of such a name between '|' (NC_001416.1 is
 *           gi|9626243|ref|NC_001416.1|).
 * Memory    paths belong to the list; names belong to the table, or to the sequences if there are any.
 * Errors    0, or WHY_SAID and one line: no record has a name, or an alignment ends after its record's end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"
#include "blast/compare/hit_table.h"
#include "blast/stage3/path.h"
#include "blast/stage3/stage3.h"

struct located_hit {
    struct hit hit;
    struct path path;
};

/** The sequences in which alignments are placed. */
struct hit_sources {
    const struct stage3_query *searched; /* with the codes of both strands; what is least is not looked at */
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

/** What covers an alignment. */
struct coverage {
    double share; /* 0 to 1 */
    long best; /* index of the alignment that covers most, preferably with the same ends; -1 if none does */
    double best_share;
    bool same; /* the best one has the same ends */
};

/** Measure every alignment of one list against another.
 *
 * @param coverages  out: of_count elements
 */
void coverage_measure(const struct located_hit *of, size_t of_count, const struct located_hit *by,
                      size_t by_count, struct coverage *coverages);
