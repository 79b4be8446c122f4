#include "sim/tokens/token_codec.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <lz4.h>

#include "base/array.h"

/* The columns of a chunk: those of tokens, then those of stage 3's work. */
enum { WORDS, SEEDS, MANY, GROUPS, MATCHES, TOKEN_COLUMNS, HSPS = TOKEN_COLUMNS, CELLS };

enum { FRAME_TOKENS, FRAME_WORK, FRAMES };

static const unsigned frame_begins[FRAMES + 1] = {WORDS, HSPS, TOKEN_CODEC_COLUMNS};

struct chunk_head {
    uint32_t columns[TOKEN_CODEC_COLUMNS]; /* number of bytes of each */
    uint32_t packed[FRAMES];               /* number of bytes of each frame in the file */
};

/* A seed's byte has its number of groups above its outcome, or GROUPS_MANY: then it is in the column of that name. */
enum { OUTCOME_BITS = 3, GROUPS_SHIFT = 2, GROUPS_MANY = 63 };

/* An HSP's number has its cells above these bits, or CELLS_MANY: then they are in the column of cells. */
enum { HSP_WAITS = 1, HSP_CLOSES = 2, HSP_CELLS_SHIFT = 2, CELLS_MANY = (1 << 30) - 1 };

enum { WORD_SEEDS_MAX = 16 };

/* A chunk is made of columns of some 256 KiB: one that claims so many bytes is damaged. */
enum { COLUMNS_BYTES_MOST = 1 << 30 };

/* --- bytes ----------------------------------------------------------------------------------------------- */

/* Where `more` bytes may be written; NULL if memory is exhausted. */
static uint8_t *make_room(struct byte_buffer *b, size_t more)
{
    b->out_of_memory = b->out_of_memory || !array_reserve(&b->bytes, &b->room, b->count, more, 1);
    return b->out_of_memory ? NULL : b->bytes + b->count;
}

void byte_buffer_add(struct byte_buffer *buffer, const void *bytes, size_t count)
{
    uint8_t *to = count > 0 ? make_room(buffer, count) : NULL;
    if (to) {
        memcpy(to, bytes, count);
        buffer->count += count;
    }
}

void byte_buffer_destroy(struct byte_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct byte_buffer){0};
}

/* --- encoding -------------------------------------------------------------------------------------------- */

void token_encoder_destroy(struct token_encoder *encoder)
{
    for (unsigned i = 0; i < TOKEN_CODEC_COLUMNS; i++)
        byte_buffer_destroy(&encoder->columns[i]);
}

static void add_seeds(struct byte_buffer *seeds, struct byte_buffer *many, const struct tokens *t)
{
    uint8_t *to = make_room(seeds, t->seed_count);
    for (size_t i = 0; to && i < t->seed_count; i++) {
        const struct seed_token seed = t->seeds[i];
        *to++ =
            (uint8_t)(seed.outcome | (seed.groups < GROUPS_MANY ? seed.groups : GROUPS_MANY) << GROUPS_SHIFT);
        if (seed.groups >= GROUPS_MANY)
            byte_buffer_add(many, &seed.groups, sizeof seed.groups);
    }
    seeds->count += to ? t->seed_count : 0;
}

void token_encoder_add(struct token_encoder *encoder, const struct tokens *tokens)
{
    struct byte_buffer *columns = encoder->columns;
    byte_buffer_add(&columns[WORDS], tokens->words, tokens->word_count);
    add_seeds(&columns[SEEDS], &columns[MANY], tokens);
    byte_buffer_add(&columns[GROUPS], tokens->groups, tokens->group_count * sizeof *tokens->groups);
    byte_buffer_add(&columns[MATCHES], tokens->matches, tokens->match_count);
}

void token_encoder_add_cluster(struct token_encoder *encoder, uint64_t cells)
{
    byte_buffer_add(&encoder->columns[CELLS], &cells, sizeof cells);
}

void token_encoder_add_work(struct token_encoder *encoder, const struct stage3_work *work)
{
    const uint32_t cells = work->cells < CELLS_MANY ? (uint32_t)work->cells : CELLS_MANY,
                   number = cells << HSP_CELLS_SHIFT | (work->closes ? HSP_CLOSES : 0) |
                            (work->waits ? HSP_WAITS : 0);
    if (work->closes)
        token_encoder_add_cluster(encoder, work->cluster_cells);
    if (cells == CELLS_MANY)
        byte_buffer_add(&encoder->columns[CELLS], &work->cells, sizeof work->cells);
    byte_buffer_add(&encoder->columns[HSPS], &number, sizeof number);
}

size_t token_encoder_bytes(const struct token_encoder *e)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < TOKEN_CODEC_COLUMNS; i++)
        bytes += e->columns[i].count;
    return bytes;
}

/* Append the columns of a frame, one after the other, compressed. @return number of bytes; 0 if memory is exhausted */
static int pack(struct token_encoder *e, unsigned frame, struct byte_buffer *out)
{
    struct byte_buffer all = {0};
    for (unsigned i = frame_begins[frame]; i < frame_begins[frame + 1]; i++)
        byte_buffer_add(&all, e->columns[i].bytes, e->columns[i].count);
    const bool fits = !all.out_of_memory && all.count <= COLUMNS_BYTES_MOST;
    const int most = fits ? LZ4_compressBound((int)all.count) : 0;
    uint8_t *to = fits ? make_room(out, (size_t)most) : NULL;
    const int packed =
        to ? LZ4_compress_default((const char *)all.bytes, (char *)to, (int)all.count, most) : 0;
    byte_buffer_destroy(&all);
    return packed;
}

bool token_encoder_take_chunk(struct token_encoder *e, struct byte_buffer *out)
{
    struct chunk_head head = {0};
    const size_t head_at = out->count;
    bool whole = true;
    byte_buffer_add(out, &head, sizeof head);
    for (unsigned frame = 0; frame < FRAMES; frame++) {
        const int packed = pack(e, frame, out);
        whole = whole && packed > 0;
        out->count += (size_t)packed;
        head.packed[frame] = (uint32_t)packed;
    }
    for (unsigned i = 0; i < TOKEN_CODEC_COLUMNS; i++) {
        head.columns[i] = (uint32_t)e->columns[i].count;
        whole = whole && !e->columns[i].out_of_memory;
        e->columns[i].count = 0;
    }
    if (whole)
        memcpy(out->bytes + head_at, &head, sizeof head);
    return whole;
}

/* --- frames ---------------------------------------------------------------------------------------------- */

/* Go to the frame of the next chunk. @return false if there is no whole chunk, or memory is exhausted */
static bool enter_chunk(struct token_frame *f)
{
    struct chunk_head head;
    if ((size_t)(f->stop - f->chunk) < sizeof head)
        return false;
    memcpy(&head, f->chunk, sizeof head);
    const uint8_t *packed = f->chunk + sizeof head;
    const uint64_t both = (uint64_t)head.packed[0] + head.packed[1];
    uint64_t bytes = 0;
    for (unsigned i = frame_begins[f->number]; i < frame_begins[f->number + 1]; i++)
        bytes += head.columns[i];
    if (both > (size_t)(f->stop - packed) || bytes > COLUMNS_BYTES_MOST)
        return false;
    f->out_of_memory = !array_reserve(&f->bytes, &f->room, 0, bytes + sizeof(struct group_token), 1);
    if (f->out_of_memory)
        return false;
    f->chunk = packed + both;
    packed += f->number == FRAME_WORK ? head.packed[FRAME_TOKENS] : 0;
    const size_t room = f->room < COLUMNS_BYTES_MOST ? f->room : COLUMNS_BYTES_MOST;
    if (head.packed[f->number] > INT_MAX ||
        LZ4_decompress_safe((const char *)packed, (char *)f->bytes, (int)head.packed[f->number], (int)room) !=
            (int)bytes)
        return false;
    const uint8_t *at = f->bytes;
    for (unsigned i = frame_begins[f->number]; i < frame_begins[f->number + 1]; i++) {
        struct token_column *column = &f->columns[i - frame_begins[f->number]];
        *column = (struct token_column){at, at + head.columns[i]};
        at = column->end;
    }
    return true;
}

static size_t left_in(const struct token_column *column)
{
    return (size_t)(column->end - column->at);
}

static bool is_used_up(const struct token_frame *f)
{
    bool used_up = true;
    for (unsigned i = 0; i < TOKEN_COLUMNS; i++)
        used_up = used_up && left_in(&f->columns[i]) == 0;
    return used_up;
}

/* Find a chunk that is not used up. @return false if there is none */
static bool find_chunk(struct token_frame *f)
{
    while (is_used_up(f))
        if (!enter_chunk(f))
            return false;
    return true;
}

static bool take(struct token_column *column, void *to, size_t bytes)
{
    if (left_in(column) < bytes)
        return false;
    if (bytes > 0)
        memcpy(to, column->at, bytes);
    column->at += bytes;
    return true;
}

static bool is_at_end(struct token_frame *f)
{
    return !find_chunk(f) && is_used_up(f) && f->chunk == f->stop;
}

void token_decoder_init(struct token_decoder *decoder, const uint8_t *stream, size_t bytes,
                        const struct sram_geometry *sram)
{
    *decoder =
        (struct token_decoder){.tokens = {.chunk = stream, .stop = stream + bytes, .number = FRAME_TOKENS},
                               .work = {.chunk = stream, .stop = stream + bytes, .number = FRAME_WORK},
                               .sram = sram};
}

void token_decoder_destroy(struct token_decoder *decoder)
{

    free(decoder->tokens.bytes);
    free(decoder->work.bytes);
}

/* --- tokens ---------------------------------------------------------------------------------------------- */

/* Words that follow each other, until they have as many seeds. */
enum { SEEDS_AT_A_TIME = 256 };

/* @return their number; 0: a word has more seeds than w-mers */
static size_t read_words(struct token_column *column, size_t most, struct tokens *t, size_t *seeds)
{
    const uint8_t *words = column->at;
    size_t count = 0;
    *seeds = 0;
    for (; count < most && *seeds < SEEDS_AT_A_TIME; count++) {
        if (words[count] > WORD_SEEDS_MAX)
            return 0;
        *seeds += words[count];
    }
    take(column, t->words + t->word_count, count);
    t->word_count += count;
    return count;
}

/* What seeds have together. */
struct seed_sums {
    uint64_t outcomes; /* a lane of 16 bits for the number of each */
    size_t groups, matches, reads;
};

/* Take in a group. A match has the positions of its slot; a trip to the duplicate table reads entries, some of which
 * match. Without a branch, as it is not known which of them is next.
 * @return whether the tables can hold it */
static inline bool add_group(struct seed_sums *sums, struct group_token group, unsigned outcome,
                             unsigned positions_most, unsigned entries_most)
{
    const bool of_match = (group.entries == 0) & (group.matches >= 1) & (group.matches <= positions_most),
               of_trip =
                   (group.entries >= 1) & (group.entries <= entries_most) & (group.matches <= group.entries);
    sums->matches += group.matches;
    sums->reads += group_sram_reads(group);
    return outcome == LOOKUP_MATCH ? of_match : of_trip;
}

/* Read seeds and find what they have together. By tokens.h, a lookup that matches has one group, and a false positive
 * has none. The column of groups is not left; there is a group more in memory behind it.
 * @return false if there are too few, or if no stage makes such ones */
static bool read_seeds(struct token_decoder *d, size_t count, struct seed_token *seeds, struct seed_sums *out)
{
    struct token_column *columns = d->tokens.columns;
    const struct group_token none = {0}, *groups = (const struct group_token *)columns[GROUPS].at;
    const uint8_t *bytes = columns[SEEDS].at;
    const size_t groups_most = left_in(&columns[GROUPS]) / sizeof *groups;
    const unsigned positions_most = d->sram ? d->sram->inline_positions : 0,
                   entries_most = d->sram ? sram_entries_per_access(d->sram) : 0;
    const bool any_groups = !d->sram;
    struct seed_sums sums = {0};
    bool made = left_in(&columns[SEEDS]) >= count;
    for (size_t i = 0; i < count && made; i++) {
        struct seed_token seed = {bytes[i] & OUTCOME_BITS, bytes[i] >> GROUPS_SHIFT};
        if (seed.groups == GROUPS_MANY && !take(&columns[MANY], &seed.groups, sizeof seed.groups))
            return false;
        const bool has_group = seed.groups > 0;
        made = (seed.outcome == LOOKUP_DUPLICATE) | (seed.groups == (seed.outcome == LOOKUP_MATCH));
        made &= sums.groups + seed.groups <= groups_most;
        made &= add_group(&sums, has_group ? groups[sums.groups] : none, seed.outcome, positions_most,
                          entries_most) |
                !has_group | any_groups;
        for (size_t next = 1; next < seed.groups && made; next++)
            made = add_group(&sums, groups[sums.groups + next], seed.outcome, positions_most, entries_most) |
                   any_groups;
        sums.outcomes += UINT64_C(1) << 16 * seed.outcome;
        sums.groups += seed.groups;
        seeds[i] = seed;
    }
    columns[SEEDS].at += made ? count : 0;
    *out = sums;
    return made;
}

static void count_seeds(struct pass_counts *found, size_t seeds, const struct seed_sums *sums)
{
    const uint64_t matches = sums->outcomes >> 16 * LOOKUP_MATCH & UINT16_MAX;
    found->seeds += seeds;
    found->lookups_empty += sums->outcomes >> 16 * LOOKUP_EMPTY & UINT16_MAX;
    found->lookups_mismatch += sums->outcomes >> 16 * LOOKUP_MISMATCH & UINT16_MAX;
    found->lookups_match += matches;
    found->lookups_duplicate += sums->outcomes >> 16 * LOOKUP_DUPLICATE & UINT16_MAX;
    found->trips += sums->groups - matches;
    found->sram_reads += seeds + sums->reads;
}

/* Take in the marks of matches. @return whether they are marks */
static bool count_matches(const uint8_t *matches, size_t count, size_t *passed)
{
    uint32_t sum = 0, bits = 0;
    for (size_t i = 0; i < count; i++) {
        sum += matches[i];
        bits |= matches[i];
    }
    *passed = sum;
    return bits <= 1;
}

/* Read some words, at most `most`, and all that follows from them. @return false if the stream is damaged, or memory
 * exhausted */
static bool read_some(struct token_decoder *d, size_t most, struct tokens *t)
{
    struct token_column *columns = d->tokens.columns;
    const size_t left = left_in(&columns[WORDS]);
    struct seed_sums sums = {0};
    size_t seeds, passed;
    if (read_words(&columns[WORDS], most < left ? most : left, t, &seeds) == 0 ||
        !tokens_reserve(t, 0, seeds, 0, 0) || !read_seeds(d, seeds, t->seeds + t->seed_count, &sums) ||
        !tokens_reserve(t, 0, 0, sums.groups, sums.matches) ||
        !take(&columns[GROUPS], t->groups + t->group_count, sums.groups * sizeof *t->groups) ||
        !take(&columns[MATCHES], t->matches + t->match_count, sums.matches) ||
        !count_matches(t->matches + t->match_count, sums.matches, &passed))
        return false;
    count_seeds(&d->found, seeds, &sums);
    t->seed_count += seeds;
    t->group_count += sums.groups;
    t->match_count += sums.matches;
    t->hsp_count += passed;
    return true;
}

uint64_t token_decoder_read(struct token_decoder *d, uint64_t count, struct tokens *t)
{
    tokens_clear(t);
    if (!tokens_reserve(t, count, 0, 0, 0))
        return 0;
    while (!d->damaged && t->word_count < count && t->match_count < TOKEN_PART_MATCHES)
        d->damaged = !find_chunk(&d->tokens) || !read_some(d, count - t->word_count, t);
    t->out_of_memory = t->out_of_memory || d->tokens.out_of_memory;
    d->damaged = d->damaged && !t->out_of_memory;
    if (d->damaged || t->out_of_memory)
        return 0;
    if (t->hsp_count > 0)
        memset(t->hsps, 0, t->hsp_count * sizeof *t->hsps);
    d->found.matches += t->match_count;
    d->found.hsps += t->hsp_count;
    return t->word_count;
}

/* --- stage 3's work -------------------------------------------------------------------------------------- */

static bool take_cells(struct token_frame *f, uint64_t *cells)
{
    return find_chunk(f) && take(&f->columns[CELLS - HSPS], cells, sizeof *cells);
}

static bool read_work(struct token_frame *f, struct stage3_work *work)
{
    uint32_t number;
    if (!find_chunk(f) || !take(&f->columns[0], &number, sizeof number))
        return false;
    *work = (struct stage3_work){.cells = number >> HSP_CELLS_SHIFT,
                                 .closes = (number & HSP_CLOSES) > 0,
                                 .waits = (number & HSP_WAITS) > 0};
    return (work->cells > 0 || !work->waits) && (!work->closes || take_cells(f, &work->cluster_cells)) &&
           (work->cells < CELLS_MANY || take_cells(f, &work->cells));
}

bool token_decoder_read_work(struct token_decoder *d, size_t count, struct stage3_work *work)
{
    bool read = !d->damaged;
    for (size_t i = 0; i < count && read; i++)
        read = read_work(&d->work, &work[i]);
    d->damaged = !read && !d->work.out_of_memory;
    return read;
}

bool token_decoder_read_end(struct token_decoder *d, uint64_t *cells)
{
    d->damaged = d->damaged || !take_cells(&d->work, cells) || !is_at_end(&d->work);
    return !d->damaged;
}

bool token_decoder_at_end(struct token_decoder *d)
{
    return !d->damaged && is_at_end(&d->tokens) && is_at_end(&d->work);
}
