/* mask.h - masked ranges of positions.
 *
 * Models    soft masking: no w-mer that contains a masked base enters the tables, so none starts an alignment;
 *           extensions run through masked bases as through others.
 * Units     positions of a concatenation (sequence.h). The ranges are half open, ascending, disjoint, and do not touch.
 * Memory    16 bytes per range; the mask owns its array. An empty mask is all zeros.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mask_range {
    uint64_t begin, end;
};

struct mask {
    struct mask_range *ranges;
    size_t count, room;
};

/** Append a range; one that overlaps or touches the last range is merged with it.
 *
 * @param begin  not less than the last range's begin
 */
void mask_add(struct mask *mask, uint64_t begin, uint64_t end);

/** Unite two masks: the result masks what either masks. @param out  untouched on error */
void mask_unite(const struct mask *a, const struct mask *b, struct mask *out);

/** The number of masked positions. */
uint64_t mask_count(const struct mask *mask);

/** Overwrite the masked codes among the `end - begin` codes of positions begin to end - 1 with a value.
 *
 * @param reversed  true if codes[0] is the code at position end - 1, not at begin
 */
void mask_overwrite(const struct mask *mask, uint64_t begin, uint64_t end, bool reversed, uint8_t value,
                    uint8_t *codes);

void mask_destroy(struct mask *mask);
