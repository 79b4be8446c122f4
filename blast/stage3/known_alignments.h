/* known_alignments.h - the alignments of a pass that its stream may still meet.
 *
 * Models    stage 3's questions to them: is a pair on the path of one, does one enclose a box (extent_set.h)?
 * Order     the caller may sort and swap items after known_alignments_reorder().
 * Memory    an alignment, its path and 100 bytes each.
 * Errors    0, or -1 if memory is exhausted.
 */
#ifndef MERCURY_BLAST_STAGE3_KNOWN_ALIGNMENTS_H
#define MERCURY_BLAST_STAGE3_KNOWN_ALIGNMENTS_H

#include "blast/stage3/alignment.h"
#include "blast/stage3/extent_set.h"
#include "blast/stage3/path.h"

struct known_alignment {
    struct alignment alignment;
    bool hidden; /* while the list is outdated: a better one begins or ends with it, so it encloses nothing */
    struct path path;
};

/* A list of zeros is empty. */
struct known_alignments {
    struct known_alignment *items;
    size_t count, room;
    struct extent_set boxes; /* of the items, with the same numbers, unless outdated */
    bool outdated;           /* items have changed places since known_alignments_prepare() */
    uint64_t first_end;      /* no item ends before this database position */
};

/** Add an alignment. Its path belongs to the list from then on, except on error. */
int known_alignments_append(struct known_alignments *list, const struct known_alignment *item);

/** Drop the alignments that end at or before a database position. */
void known_alignments_retire(struct known_alignments *list, uint64_t database);

/** Remove items [begin, end). */
void known_alignments_remove(struct known_alignments *list, size_t begin, size_t end);

/** Announce that items are about to change places. */
void known_alignments_reorder(struct known_alignments *list);

/** Announce that known_alignments_encloses() is about to be asked. */
int known_alignments_prepare(struct known_alignments *list);

/** Whether an alignment that is not hidden encloses a box of no better score. known_alignments_prepare() must have been
 * called since items last changed places. */
bool known_alignments_encloses(const struct known_alignments *list, const struct gapped_extent *extent);

/** Whether a pair lies on the path of an alignment. */
bool known_alignments_contains(const struct known_alignments *list, uint64_t query, uint64_t database);

void known_alignments_destroy(struct known_alignments *list);

#endif
