#include "blast/sequence/segment.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

struct query_segment *segments_cut(uint64_t positions, uint32_t length, uint32_t overlap,
                                   enum strand_choice strands, size_t *count)
{
    assert(positions > 0 && length > overlap);
    uint64_t stride = length - overlap;
    size_t per_strand = positions <= length ? 1 : (size_t)((positions - length + stride - 1) / stride + 1);
    size_t strand_count = strands == STRANDS_BOTH ? 2 : 1;
    struct query_segment *segments = memory_new(per_strand * strand_count, sizeof *segments);
    size_t n = 0;
    for (enum strand strand = STRAND_PLUS; strand <= STRAND_MINUS; strand++) {
        if (!(strands & (strand == STRAND_PLUS ? STRANDS_PLUS : STRANDS_MINUS)))
            continue;
        for (uint64_t i = 0; i < per_strand; i++) {
            uint64_t rest = positions - i * stride;
            segments[n++] =
                (struct query_segment){strand, i * stride, (uint32_t)(rest < length ? rest : length)};
        }
    }
    *count = n;
    return segments;
}

/* A position of the minus strand counts from the other end. */
size_t segment_first_record(const struct query_segment *segment, const struct sequences *query)
{
    uint64_t at = segment->strand == STRAND_PLUS ? segment->begin : query->positions - 1 - segment->begin;
    return sequences_record_at(query, at);
}
