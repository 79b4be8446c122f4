/* token_codec.h - tokens and stage-3 cells of a pass as bytes, and back.
 *
 * Workload  10^6 to 10^10 w-mers a pass, one to ten in a hundred of which are seeds; decoding has to cost a few ns a seed.
 *           About 0.35 bytes a word and 1 byte a seed: 0.05 bytes a w-mer at 2.5% seeds.
 * Layout    a stream is chunks; a chunk is three lengths and three pieces, each read by a cursor of its own, since stage 3
 *           works long after stage 2. No element is cut by a chunk's end.
 *
 *     [u32 words bytes][u32 seeds bytes][u32 cells bytes] words... seeds... cells...
 *
 *     words   a byte for a word with seeds: (empty words before it, 0 .. 15) << 4 | seeds, 1 .. 14;
 *             low half 15: a byte with the seeds, 15 or 16, follows; byte 0: a number of empty words follows
 *     seeds   a byte a usual seed:
 *               0, 1         false positive: empty, mismatch
 *               2 .. 31      match of n = 1 .. 4 positions: 1 << n | (bit i: match i passed stage 2)
 *               32 .. 150    duplicate of one trip, e = 1 .. 5 entries, m = 0 .. e matches (trip_code())
 *               254          duplicate of several such trips: their number, then a byte 32 .. 150 each
 *               255          anything else: outcome, number of groups, and for each matches, entries, a bit a match
 *     cells   per HSP a number: 2 x cells, or for n HSPs in a row that were contained 2 n + 1
 *
 *           Numbers are LEB128: 7 bits a byte, lowest first, bit 7 says that more follow; lengths are little-endian.
 * Lost      where an HSP is: decoded ones are all zero. Their number and what stage 3 did with them is kept.
 * Memory    the encoder holds one chunk, the decoder nothing: it reads where the bytes are.
 * Errors    encoder: out_of_memory stays set. Decoder: bytes that make no sense leave `damaged` set and reach no memory
 *           but the stream's and the tokens'; that they are the bytes that were written is for the file's checksums.
 */
#ifndef MERCURY_SIM_TOKENS_TOKEN_CODEC_H
#define MERCURY_SIM_TOKENS_TOKEN_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blast/stages12/tokens.h"

/** Bytes that are appended to. */
struct byte_buffer {
    uint8_t *bytes;
    size_t count, room;
    bool out_of_memory; /* an append failed; the buffer is incomplete */
};

void byte_buffer_add(struct byte_buffer *buffer, const void *bytes, size_t count);
void byte_buffer_destroy(struct byte_buffer *buffer);

struct token_encoder {
    struct byte_buffer words, seeds, cells;
    uint64_t empty_words;    /* not written yet */
    uint64_t contained_hsps; /* in a row, not written yet */
};

void token_encoder_destroy(struct token_encoder *encoder);

/** A block of tokens, in stream order. A zeroed encoder is an empty one. */
void token_encoder_add(struct token_encoder *encoder, const struct tokens *tokens);

/** What stage 3 did with the next HSP: DP cells, 0 where it was contained. */
void token_encoder_add_cells(struct token_encoder *encoder, uint64_t cells);

/** Bytes a chunk would have now. */
size_t token_encoder_bytes(const struct token_encoder *encoder);

/** Append what there is to `out` as a chunk, and go on with an empty one.
 *
 * @param last  nothing follows: write runs that are still open, too
 * @return false when memory is or was out
 */
bool token_encoder_take_chunk(struct token_encoder *encoder, bool last, struct byte_buffer *out);

/** One of the three kinds of pieces, read from chunk to chunk. */
struct token_cursor {
    const uint8_t *at, *end;     /* in the piece */
    const uint8_t *chunk, *stop; /* next chunk; end of the stream */
    unsigned kind;
};

/* What a seed's byte means. */
struct seed_code {
    uint8_t passed[8]; /* one a match, as struct tokens has them; zeros behind */
    uint8_t outcome, groups, matches, entries, hsps;
};

struct token_decoder {
    struct token_cursor words, seeds, cells;
    uint64_t empty_words;    /* before the next byte of words is read */
    unsigned held_word;      /* seeds of the word after them, 0 for none */
    uint64_t contained_hsps; /* before the next number of cells is read */
    bool damaged;
    struct seed_code codes[256];
};

void token_decoder_init(struct token_decoder *decoder, const uint8_t *stream, size_t bytes);

/** The next `count` words and what follows from them, however they were cut into blocks when they were recorded.
 *
 * @param tokens  cleared and filled
 * @return false when memory is out (tokens->out_of_memory) or the stream is damaged
 */
bool token_decoder_read(struct token_decoder *decoder, uint64_t count, struct tokens *tokens);

/** What stage 3 did with the next HSPs; for speed it is summed.
 *
 * @param contained, cells  added to
 * @return false when the stream is damaged
 */
bool token_decoder_read_cells(struct token_decoder *decoder, uint64_t hsps, uint64_t *contained,
                              uint64_t *cells);

/** Whether everything has been read. */
bool token_decoder_at_end(const struct token_decoder *decoder);

#endif
