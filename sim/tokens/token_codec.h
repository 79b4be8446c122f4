/* token_codec.h - tokens and stage-3 cells of a pass as bytes, and back.
 *
 * Workload  10^6 to 10^10 w-mers per pass, 1% to 10% of which are seeds; decoding may cost a few ns per seed.
 * Layout    a stream is a sequence of chunks. A chunk has a head and two frames, each a block of LZ4, since stage 3
 *           works long after stage 2. A frame has columns, one after the other, as arrays in the byte order of the
 *           machine. The elements of a word, or of an HSP, are all in its chunk.
 *
 *     head    u32 bytes of each column | u32 bytes of each frame
 *     tokens  words     u8 seeds, 0 .. 16            as in struct tokens, which says how many of the next column's
 *             seeds     u8 number << 2 | outcome     elements are an element's; number: matches of an inline group,
 *                                                    else groups
 *             many      u16 number of each seed that has 63 or more
 *             groups    u8 matches, entries          of trips
 *             matches   a bit: it passed stage 2
 *     work    HSPs      u16 cells << 2 | closes << 1 | waits     (stage3.h)
 *             cells     u64 of each cluster that an HSP closes, then of the HSP if it has 2^14 - 1 or more; and of the
 *                       cluster that the end closes
 *
 * Lost      the positions of HSPs: they are all zero after decoding. Their number and their cells are kept.
 * Memory    the encoder holds one chunk, the decoder one of each frame.
 * Errors    bytes that make no sense set the decoder's `damaged`, and nothing but the stream and the tokens is
 *           accessed. Checksums of the file find bytes that were changed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/stage3/stage3.h"
#include "blast/stages12/pass.h"
#include "blast/stages12/tokens.h"

/** An array of bytes that grows. */
struct byte_buffer {
    uint8_t *bytes;
    size_t count, room;
};

void byte_buffer_add(struct byte_buffer *buffer, const void *bytes, size_t count);
void byte_buffer_destroy(struct byte_buffer *buffer);

enum { TOKEN_CODEC_COLUMNS = 7 };

struct token_encoder {
    struct byte_buffer columns[TOKEN_CODEC_COLUMNS];
    uint8_t marks; /* of matches that do not fill a byte yet */
    unsigned mark_count;
};

void token_encoder_destroy(struct token_encoder *encoder);

/** Add the next block of tokens. A zeroed encoder is an empty one. */
void token_encoder_add(struct token_encoder *encoder, const struct tokens *tokens);

/** Add what stage 3 did with the next HSP. */
void token_encoder_add_work(struct token_encoder *encoder, const struct stage3_work *work);

/** Add the cells of a cluster that the next HSP or the end of the stream closes. */
void token_encoder_add_cluster(struct token_encoder *encoder, uint64_t cells);

/** Number of bytes that a chunk would have now. */
size_t token_encoder_bytes(const struct token_encoder *encoder);

/** Append everything that was added since the last chunk to `out` as a chunk.
 *  @return false if a chunk cannot hold it */
bool token_encoder_take_chunk(struct token_encoder *encoder, struct byte_buffer *out);

/** A block with more matches is read in parts, so that their tokens and clocks stay in the caches, and few pages. */
enum { TOKEN_PART_MATCHES = 1 << 12 };

/** Reads one of the two frames, from chunk to chunk. */
struct token_frame {
    const uint8_t *chunk, *stop; /* next chunk; end of the stream */
    unsigned number;             /* 0: tokens; 1: work */

    uint8_t *bytes; /* of the present chunk's columns */
    size_t room;
    struct token_column {
        const uint8_t *at, *end; /* what is left of it */
    } columns[5];
    size_t mark; /* number of marks that are taken of the next byte of matches */
};

struct token_decoder {
    struct token_frame tokens, work;
    bool damaged;
    const struct sram_geometry *sram; /* token_decoder_init() */
    struct pass_counts found; /* of all tokens so far: seeds, lookups, trips, reads, matches and HSPs */
};

/** @param sram  the machine's tables: groups that these cannot hold are damage; NULL: groups of any machine are taken
 */
void token_decoder_init(struct token_decoder *decoder, const uint8_t *stream, size_t bytes,
                        const struct sram_geometry *sram);
void token_decoder_destroy(struct token_decoder *decoder);

/** Read the next `count` words and what follows from them, or only the first of them, if these have
 * TOKEN_PART_MATCHES matches or more. The blocks need not be those that were recorded.
 *
 * @param count   > 0
 * @param tokens  cleared and filled
 * @return number of words; 0 if the stream is damaged
 */
uint64_t token_decoder_read(struct token_decoder *decoder, uint64_t count, struct tokens *tokens);

/** Read what stage 3 did with the next `count` HSPs.
 *
 * @param work  out: one per HSP
 * @return false if the stream is damaged
 */
bool token_decoder_read_work(struct token_decoder *decoder, size_t count, struct stage3_work *work);

/** Read the cells of the cluster that the end of the stream closes, which is all that is left of the work. @return
 *  false if the stream is damaged */
bool token_decoder_read_end(struct token_decoder *decoder, uint64_t *cells);

/** Whether the whole stream has been read. */
bool token_decoder_at_end(struct token_decoder *decoder);
