/* stage3_chunk.h - an HSP's task for the host (stage3_tasks.h), and many of them as bytes, and back.
 *
 * Layout    per HSP a number: the ticks since the HSP before << 2 | whole clocks << 1 | special; whole clocks: the
 *           ticks are counted in clocks; special: a number follows, back << 34 | the cells << 2 | closes << 1 | waits;
 *           back: the HSP comes before the one before it, since that is known to be late and this one is not yet. Then
 *           per stamp the difference to that of the HSP before, with its sign in bit 0. Numbers are LEB128. What is
 *           before the first HSP is 0.
 * Errors    encoding: the buffer's out_of_memory; decoding: false if the bytes make no sense.
 */
#ifndef MERCURY_SIM_TOKENS_STAGE3_CHUNK_H
#define MERCURY_SIM_TOKENS_STAGE3_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/tokens/token_codec.h"

/** An HSP's task. */
struct stage3_hsp {
    int64_t arrived; /* ticks of the board (sim/board/board.h) in which the HSP is in the host's memory */
    uint32_t cells;  /* ungapped columns; 0: the HSP was recognised, and costs only its check */
    bool closes;     /* the HSP shows that the stream has passed the next cluster in order */
    bool waits;      /* the HSP's segment is part of the next cluster after those that are closed by then */
    uint16_t age;    /* clocks from its stamp to its arrival, if stamps are kept so (stage3_tasks.h) */
};

void stage3_chunk_encode(const struct stage3_hsp *hsps, const int64_t *stamps, unsigned stamp_count,
                         size_t count, struct byte_buffer *out);

bool stage3_chunk_decode(const uint8_t *bytes, size_t byte_count, unsigned stamp_count, size_t count,
                         struct stage3_hsp *hsps, int64_t *stamps);

#endif
