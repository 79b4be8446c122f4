/* segment.h - the query, cut into pieces that fit the FPGA; one piece of one strand is one pass.
 *
 * Models    Dor 2010, section 4: query segments of 65,400 bases (positions fit 16 bits). Segments are cut from the
 *           concatenation of all query records (short mRNAs share one), each strand separately. They overlap, so that
 *           every window of `overlap` bases, hence every w-mer and every stage-2 window, lies whole in one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "blast/sequence/sequence.h"

struct query_segment {
    enum strand strand;
    uint64_t begin;  /* strand position of the first base */
    uint32_t length; /* positions, separators included */
};

enum strand_choice { STRANDS_PLUS = 1, STRANDS_MINUS = 2, STRANDS_BOTH = 3 };

/** Cut a query: all plus segments first, then the minus strand's, each in strand order.
 *
 * @param positions  number of positions of the concatenated query, >= 1
 * @param length     positions per segment, > overlap
 * @param count      receives the number of segments
 * @return an array for free()
 */
struct query_segment *segments_cut(uint64_t positions, uint32_t length, uint32_t overlap,
                                   enum strand_choice strands, size_t *count);

/** The record of the query that a segment begins in: the index among its records. */
size_t segment_first_record(const struct query_segment *segment, const struct sequences *query);
