/* mask.h - ranges of positions that are masked.
 *
 * Models    soft masking: no w-mer with a masked base is put into the tables, so it starts no alignment; extensions go
 *           through as if there were no mask.
 * Units     positions of a concatenation (sequence.h), half open ranges, ascending, disjoint and not touching.
 * Memory    16 bytes a range; the mask owns its array. An empty mask is all zeros.
 * Errors    0 or MASK_EMEMORY.
 */
#ifndef MERCURY_BLAST_SEQUENCE_MASK_H
#define MERCURY_BLAST_SEQUENCE_MASK_H

#include <stddef.h>
#include <stdint.h>

enum mask_error { MASK_EMEMORY = -1 };

struct mask_range {
    uint64_t begin, end;
};

struct mask {
    struct mask_range *ranges;
    size_t count, capacity;
};

/** Append a range; one that overlaps or touches the last is merged with it.
 *
 * @param begin  not less than that of the range before
 */
int mask_add(struct mask *mask, uint64_t begin, uint64_t end);

/** What either masks. @param out  untouched on error */
int mask_union(const struct mask *a, const struct mask *b, struct mask *out);

/** Sum of the ranges' lengths. */
uint64_t mask_positions(const struct mask *mask);

/** Overwrite the masked ones among `end - begin` codes with a value.
 *
 * @param reversed  codes[0] is position end - 1, not begin
 */
void mask_overwrite(const struct mask *mask, uint64_t begin, uint64_t end, int reversed, uint8_t value,
                    uint8_t *codes);

void mask_destroy(struct mask *mask);

#endif
