/* stage3_found.h - the alignments of a pass that its stream may still meet.
 *
 * Models    stage 3's questions to them: is a pair on one's path, does one enclose a box (extent_set.h)?
 * Order     the caller may sort and swap items, when it has said so.
 * Memory    an alignment, its path and 100 bytes each.
 * Errors    0 or STAGE3_FOUND_EMEMORY.
 */
#ifndef MERCURY_BLAST_STAGE3_STAGE3_FOUND_H
#define MERCURY_BLAST_STAGE3_STAGE3_FOUND_H

#include "blast/stage3/extent_set.h"
#include "blast/stage3/path.h"

enum stage3_found_error { STAGE3_FOUND_EMEMORY = -1 };

struct found {
    struct alignment alignment;
    int hidden; /* a better one begins or ends with it: it encloses nothing; unless the set knows */
    struct path path;
};

/* All zero: empty. */
struct found_list {
    struct found *items;
    size_t count, capacity;
    struct extent_set boxes; /* of the items by their numbers, where it is up to date */
    int outdated;
    uint64_t first_end; /* no item ends before it in the database */
};

struct gapped_extent found_extent(const struct found *found);

/** Add one, whose path belongs to the list from then on, unless there is no memory. */
int found_list_append(struct found_list *list, const struct found *found);

/** Forget those that end at or before a database position. */
void found_list_retire(struct found_list *list, uint64_t database);

/** Remove items [begin, end). */
void found_list_remove(struct found_list *list, size_t begin, size_t end);

/** Items are about to change places. */
void found_list_reorder(struct found_list *list);

/** Many questions are about to be asked. */
int found_list_prepare(struct found_list *list);

/** Whether one that is not hidden encloses a box of no better score; found_list_prepare() must have been called since
 * items last changed places. */
int found_list_encloses(const struct found_list *list, const struct gapped_extent *extent);

/** Whether a pair lies on the path of one. */
int found_list_contains(const struct found_list *list, uint64_t query, uint64_t database);

void found_list_destroy(struct found_list *list);

#endif
