/* sequence_cut.h - a range of positions of every record, as blastn's -query_loc takes one.
 *
 * Layout    records keep their order, with one separator between two of them (sequence.h). Each says how many of its
 *           bases were cut off (cut_before, cut_after), so that positions can be told as those of the whole record.
 *           A record that ends before the range is left out.
 * Source    BLAST+ 2.12, blastn -query_loc.
 */
#pragma once

#include "blast/sequence/sequence.h"

/** Positions within a record, counted from 1; both belong to the range. All zeros: the whole record. */
struct sequence_range {
    uint64_t first, last;
};

/** Read "FIRST-LAST", with 1 <= FIRST <= LAST. @return whether it is such a range */
bool sequence_range_parse(const char *text, struct sequence_range *range);

/** Keep the bases of the range, of every record that has any. The digest stays that of what was read. Must come before
 * anything is masked.
 *
 * @return 0, or SEQUENCE_EEMPTY if no record reaches the range; the sequences are then as
 *         they were
 */
int sequences_cut(struct sequences *sequences, struct sequence_range range);
