/* token_codec.h - tokens and stage-3 cells of a pass as bytes, and back.
 *
 * Workload  10^6 to 10^10 w-mers per pass, 1% to 10% of which are seeds; decoding may cost a few ns per seed. The
 *           code takes about 0.35 bytes per word and 1 byte per seed: 0.05 bytes per w-mer at 2.5% seeds.
 * Layout    a stream is a sequence of chunks. A chunk has three lengths and three pieces. Each piece is read by a
 *           cursor of its own, since stage 3 works long after stage 2. No element is cut by the end of a chunk.
 *
 *     [u32 words bytes][u32 seeds bytes][u32 cells bytes] words... seeds... cells...
 *
 *     words   one byte per word with seeds: (empty words before it, 0 .. 15) << 4 | seeds, 1 .. 14;
 *             low half 15: a byte with the seeds, 15 or 16, follows; byte 0: a number of empty words follows
 *     seeds   one byte per usual seed:
 *               0, 1         false positive: empty, mismatch
 *               2 .. 31      match of n = 1 .. 4 positions: 1 << n | (bit i: match i passed stage 2)
 *               32 .. 150    duplicate of one trip, e = 1 .. 5 entries, m = 0 .. e matches (trip_code())
 *               254          duplicate of several such trips: their number, then a byte 32 .. 150 for each
 *               255          anything else: outcome, number of groups, and per group matches, entries, one bit per
 *               match
 *     cells   numbers whose two lowest bits say what the rest counts: 0 the cells of an HSP, 1 consecutive HSPs that
 *             were recognised, 2 the cells of an HSP whose segment waits for its cluster, 3 the cells of a cluster
 *             that the next HSP, or the end, closes
 *
 *           Numbers are LEB128: 7 bits per byte, lowest first; bit 7 says that more follow. Lengths are little-endian.
 * Lost      the positions of HSPs: they are all zero after decoding. Their number and their cells are kept.
 * Memory    the encoder holds one chunk. The decoder holds nothing: it reads the bytes where they are.
 * Errors    encoder: out_of_memory stays set. Decoder: bytes that make no sense set `damaged`, and nothing but the
 *           stream and the tokens is accessed. Checksums of the file find bytes that were changed.
 */
#ifndef MERCURY_SIM_TOKENS_TOKEN_CODEC_H
#define MERCURY_SIM_TOKENS_TOKEN_CODEC_H

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
    bool out_of_memory; /* an append failed; the buffer is incomplete */
};

void byte_buffer_add(struct byte_buffer *buffer, const void *bytes, size_t count);
void byte_buffer_destroy(struct byte_buffer *buffer);

struct token_encoder {
    struct byte_buffer words, seeds, cells;
    uint64_t empty_words;     /* consecutive empty words that are not written yet */
    uint64_t recognised_hsps; /* consecutive recognised HSPs that are not written yet */
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
 *
 * @param last  true if nothing follows: runs that are still open are also written
 * @return false if memory is or was exhausted
 */
bool token_encoder_take_chunk(struct token_encoder *encoder, bool last, struct byte_buffer *out);

/** A block with more matches is read in parts, so that their tokens and clocks stay in the caches, and few pages. */
enum { TOKEN_PART_MATCHES = 1 << 12 };

/** Reads one of the three kinds of pieces, from chunk to chunk. */
struct token_cursor {
    const uint8_t *at, *end;     /* in the piece */
    const uint8_t *chunk, *stop; /* next chunk; end of the stream */
    unsigned kind;
};

/** What the byte of a seed means. */
struct seed_code {
    uint8_t passed[8]; /* one per match, as in struct tokens; the rest is zero */
    uint8_t outcome, groups, matches, entries;
    uint64_t sums; /* what it adds to the counts of its tokens, in lanes of bits */
};

struct token_decoder {
    struct token_cursor words, seeds, cells;
    uint64_t empty_words;     /* empty words before the next byte of words is read */
    unsigned held_word;       /* seeds of the word that follows them; 0 if there is none */
    uint64_t recognised_hsps; /* recognised HSPs before the next number of cells is read */
    bool damaged;
    const struct sram_geometry *sram; /* token_decoder_init() */
    struct pass_counts found; /* of all tokens so far: seeds, lookups, trips, reads, matches and HSPs */
    struct seed_code codes[256];
};

/** @param sram  the machine's tables: groups that these cannot hold are damage; NULL: groups of any machine are taken
 */
void token_decoder_init(struct token_decoder *decoder, const uint8_t *stream, size_t bytes,
                        const struct sram_geometry *sram);

/** Read the next `count` words and what follows from them, or only the first of them, if these have
 * TOKEN_PART_MATCHES matches or more. The blocks need not be those that were recorded.
 *
 * @param count   > 0
 * @param tokens  cleared and filled
 * @return number of words; 0 if memory is exhausted (tokens->out_of_memory) or the stream is damaged
 */
uint64_t token_decoder_read(struct token_decoder *decoder, uint64_t count, struct tokens *tokens);

/** Read what stage 3 did with the next `count` HSPs.
 *
 * @param work  out: one per HSP
 * @return false if the stream is damaged
 */
bool token_decoder_read_work(struct token_decoder *decoder, size_t count, struct stage3_work *work);

/** Read the cells of the cluster that the end of the stream closes. @return false if the stream is damaged */
bool token_decoder_read_end(struct token_decoder *decoder, uint64_t *cells);

/** Whether the whole stream has been read. */
bool token_decoder_at_end(const struct token_decoder *decoder);

#endif
