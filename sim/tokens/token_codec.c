#include "sim/tokens/token_codec.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <lz4.h>

#include "base/array.h"
#include "base/memory.h"

/* The columns of a chunk: those of tokens, then those of stage 3's work. */
enum { WORDS, SEEDS, MANY, GROUPS, MATCHES, TOKEN_COLUMNS, HSPS = TOKEN_COLUMNS, CELLS };

enum { FRAME_TOKENS, FRAME_WORK, FRAMES };

static const unsigned frame_begins[FRAMES + 1] = {WORDS, HSPS, TOKEN_CODEC_COLUMNS};

struct chunk_head {
    uint32_t columns[TOKEN_CODEC_COLUMNS]; /* number of bytes of each */
    uint32_t packed[FRAMES];               /* number of bytes of each frame in the file */
};

/* A seed's byte has a number above its outcome: of matches of an inline group, else of groups; or NUMBER_MANY: then it
 * is in the column of that name. */
enum { OUTCOME_BITS = 3, NUMBER_SHIFT = 2, NUMBER_MANY = 63 };

/* An HSP's number has its cells above these bits, or CELLS_MANY: then they are in the column of cells. */
enum { HSP_WAITS = 1, HSP_CLOSES = 2, HSP_CELLS_SHIFT = 2, CELLS_MANY = (1 << 14) - 1 };

enum { WORD_SEEDS_MAX = 16, MARKS = 8 /* of a byte */ };

/* A chunk is made of columns of some 256 KiB: one that claims so many bytes is damaged. */
enum { COLUMNS_BYTES_MOST = 1 << 30 };

/* --- bytes ----------------------------------------------------------------------------------------------- */

/* Where `more` bytes may be written. */
static uint8_t *make_room(struct byte_buffer *b, size_t more)
{
    array_reserve(&b->bytes, &b->room, b->count, more, 1);
    return b->bytes + b->count;
}

void byte_buffer_add(struct byte_buffer *buffer, const void *bytes, size_t count)
{
    if (count > 0)
        memcpy(make_room(buffer, count), bytes, count);
    buffer->count += count;
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

static void add_seeds(struct byte_buffer *columns, const struct tokens *t)
{
    const struct group_token *group = t->groups;
    uint8_t *to = make_room(&columns[SEEDS], t->seed_count);
    for (size_t i = 0; i < t->seed_count; group += t->seeds[i++].groups) {
        const struct seed_token seed = t->seeds[i];
        const bool is_inline = seed.outcome == LOOKUP_MATCH;
        const uint16_t number = is_inline ? group->matches : seed.groups;
        *to++ = (uint8_t)(seed.outcome | (number < NUMBER_MANY ? number : NUMBER_MANY) << NUMBER_SHIFT);
        if (number >= NUMBER_MANY)
            byte_buffer_add(&columns[MANY], &number, sizeof number);
        if (!is_inline)
            byte_buffer_add(&columns[GROUPS], group, seed.groups * sizeof *group);
    }
    columns[SEEDS].count += t->seed_count;
}

static void add_marks(struct token_encoder *e, const uint8_t *matches, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        e->marks |= (uint8_t)(matches[i] << e->mark_count++);
        if (e->mark_count < MARKS)
            continue;
        byte_buffer_add(&e->columns[MATCHES], &e->marks, 1);
        e->marks = 0;
        e->mark_count = 0;
    }
}

void token_encoder_add(struct token_encoder *encoder, const struct tokens *tokens)
{
    byte_buffer_add(&encoder->columns[WORDS], tokens->words, tokens->word_count);
    add_seeds(encoder->columns, tokens);
    add_marks(encoder, tokens->matches, tokens->match_count);
}

void token_encoder_add_cluster(struct token_encoder *encoder, uint64_t cells)
{
    byte_buffer_add(&encoder->columns[CELLS], &cells, sizeof cells);
}

void token_encoder_add_work(struct token_encoder *encoder, const struct stage3_work *work)
{
    const unsigned cells = work->cells < CELLS_MANY ? (unsigned)work->cells : CELLS_MANY;
    const uint16_t number = (uint16_t)(cells << HSP_CELLS_SHIFT | (work->closes ? HSP_CLOSES : 0) |
                                       (work->waits ? HSP_WAITS : 0));
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

/* Append the columns of a frame, one after the other, compressed. @return number of bytes; 0 if there are too many */
static int pack(struct token_encoder *e, unsigned frame, struct byte_buffer *out)
{
    auto_by(byte_buffer_destroy) struct byte_buffer all = {0};
    for (unsigned i = frame_begins[frame]; i < frame_begins[frame + 1]; i++)
        byte_buffer_add(&all, e->columns[i].bytes, e->columns[i].count);
    const int most = all.count <= COLUMNS_BYTES_MOST ? LZ4_compressBound((int)all.count) : 0;
    char *to = (char *)make_room(out, (size_t)most);
    return most > 0 ? LZ4_compress_default((const char *)all.bytes, to, (int)all.count, most) : 0;
}

bool token_encoder_take_chunk(struct token_encoder *e, struct byte_buffer *out)
{
    struct chunk_head head = {0};
    const size_t head_at = out->count;
    bool whole = true;
    static const uint8_t unmarked[MARKS];
    add_marks(e, unmarked, (MARKS - e->mark_count) % MARKS);
    byte_buffer_add(out, &head, sizeof head);
    for (unsigned frame = 0; frame < FRAMES; frame++) {
        const int packed = pack(e, frame, out);
        whole = whole && packed > 0;
        out->count += (size_t)packed;
        head.packed[frame] = (uint32_t)packed;
    }
    for (unsigned i = 0; i < TOKEN_CODEC_COLUMNS; i++) {
        head.columns[i] = (uint32_t)e->columns[i].count;
        e->columns[i].count = 0;
    }
    if (whole)
        memcpy(out->bytes + head_at, &head, sizeof head);
    return whole;
}

/* --- frames ---------------------------------------------------------------------------------------------- */

/* Go to the frame of the next chunk. @return false if there is no whole chunk */
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
    array_reserve(&f->bytes, &f->room, 0, bytes + 1, 1);
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
    f->mark = 0;
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
        used_up = used_up && left_in(&f->columns[i]) == (i == MATCHES && f->mark > 0);
    return used_up;
}

/* Find a chunk that is not used up, which mostly its first column says. @return false if there is none */
static inline bool find_chunk(struct token_frame *f)
{
    while (left_in(&f->columns[0]) == 0 && is_used_up(f))
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
    size_t matches, reads, trips;
};

/* Take the groups of a seed that makes trips, and keep room for an inline group of each seed after it.
 * @return false if there are too few, or if the tables cannot hold them */
static bool take_trips(struct token_decoder *d, unsigned trips, size_t seeds_left, struct tokens *t,
                       struct seed_sums *sums)
{
    const unsigned entries_most = d->sram ? sram_entries_per_access(d->sram) : UINT8_MAX,
                   entries_least = d->sram != NULL;
    tokens_reserve(t, 0, 0, trips + seeds_left, 0);
    bool made = take(&d->tokens.columns[GROUPS], t->groups + t->group_count, trips * sizeof *t->groups);
    for (unsigned i = 0; i < trips && made; i++) {
        const struct group_token group = t->groups[t->group_count++];
        made = group.entries >= entries_least && group.entries <= entries_most &&
               (group.matches <= group.entries || !d->sram);
        sums->matches += group.matches;
        sums->reads += group_sram_reads(group);
    }
    sums->trips += trips;
    return made;
}

/* Read those of `most` seeds that come before the next that makes trips, and their groups, for which there is room. By
 * tokens.h, a lookup that matches has one group, and a false positive has none. Which of them is next cannot be
 * predicted, so nothing branches: an inline group is written in any case.
 * @return their number; more than `most` if no stage makes such ones, or numbers are missing */
static size_t read_plain_seeds(struct token_decoder *d, size_t most, struct seed_token *seeds,
                               struct tokens *t, struct seed_sums *out)
{
    struct token_column *columns = d->tokens.columns;
    const uint8_t *const bytes = columns[SEEDS].at;
    const unsigned least = d->sram != NULL, greatest = d->sram ? d->sram->inline_positions : UINT8_MAX;
    struct group_token *group = t->groups + t->group_count;
    struct seed_sums sums = *out;
    bool made = true;
    size_t i = 0;
    for (; i < most; i++) {
        const uint8_t outcome = bytes[i] & OUTCOME_BITS;
        const bool is_inline = outcome == LOOKUP_MATCH;
        uint16_t number = bytes[i] >> NUMBER_SHIFT;
        if (outcome == LOOKUP_DUPLICATE)
            break;
        if (number == NUMBER_MANY && !take(&columns[MANY], &number, sizeof number))
            return most + 1;
        seeds[i] = (struct seed_token){outcome, is_inline};
        *group = (struct group_token){(uint8_t)number, 0};
        group += is_inline;
        made &= is_inline ? (number >= least) & (number <= greatest) : number == 0;
        sums.outcomes += UINT64_C(1) << 16 * outcome;
        sums.matches += number;
    }
    t->group_count = (size_t)(group - t->groups);
    columns[SEEDS].at += i;
    *out = sums;
    return made ? i : most + 1;
}

/* Read seeds and their groups. @return false if there are too few, or if no stage makes such ones */
static bool read_seeds(struct token_decoder *d, size_t count, struct tokens *t, struct seed_sums *sums)
{
    struct token_column *columns = d->tokens.columns;
    struct seed_token *seeds = t->seeds + t->seed_count;
    bool made = true;
    if (left_in(&columns[SEEDS]) < count)
        return false;
    tokens_reserve(t, 0, 0, count, 0);
    for (size_t i = 0; i < count && made; i++) {
        i += read_plain_seeds(d, count - i, seeds + i, t, sums);
        if (i >= count)
            return i == count;
        uint16_t trips = *columns[SEEDS].at++ >> NUMBER_SHIFT;
        made = (trips < NUMBER_MANY || take(&columns[MANY], &trips, sizeof trips)) &&
               take_trips(d, trips, count - i, t, sums);
        seeds[i] = (struct seed_token){LOOKUP_DUPLICATE, trips};
        sums->outcomes += UINT64_C(1) << 16 * LOOKUP_DUPLICATE;
    }
    return made;
}

/* Read the marks of matches. @param passed  out: number of those that are set  @return false if there are too few */
static bool read_marks(struct token_frame *f, size_t count, uint8_t *matches, size_t *passed)
{
    struct token_column *column = &f->columns[MATCHES];
    const size_t end = f->mark + count;
    if (end > MARKS * left_in(column))
        return false;
    *passed = 0;
    for (size_t i = 0; i < count; i += MARKS) {
        const uint8_t *two = column->at + i / MARKS; /* there is a byte more in memory */
        unsigned bits = (two[0] | (unsigned)two[1] << MARKS) >> f->mark & UINT8_MAX;
        bits &= count - i < MARKS ? (1u << (count - i)) - 1 : UINT8_MAX;
        uint64_t eight = bits * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
        eight = (eight + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101);
        *passed += eight * UINT64_C(0x0101010101010101) >> 56; /* the sum of the eight bytes */
        eight = htole64(eight);
        memcpy(matches + i, &eight, sizeof eight);
    }
    column->at += end / MARKS;
    f->mark = end % MARKS;
    return true;
}

static void count_seeds(struct pass_counts *found, size_t seeds, const struct seed_sums *sums)
{
    found->seeds += seeds;
    found->lookups_empty += sums->outcomes >> 16 * LOOKUP_EMPTY & UINT16_MAX;
    found->lookups_mismatch += sums->outcomes >> 16 * LOOKUP_MISMATCH & UINT16_MAX;
    found->lookups_match += sums->outcomes >> 16 * LOOKUP_MATCH & UINT16_MAX;
    found->lookups_duplicate += sums->outcomes >> 16 * LOOKUP_DUPLICATE & UINT16_MAX;
    found->trips += sums->trips;
    found->sram_reads += seeds + sums->reads;
}

/* Read some words, at most `most`, and all that follows from them. @return false if the stream is damaged */
static bool read_some(struct token_decoder *d, size_t most, struct tokens *t)
{
    struct token_column *words = &d->tokens.columns[WORDS];
    const size_t left = left_in(words);
    struct seed_sums sums = {0};
    size_t seeds, passed;
    if (read_words(words, most < left ? most : left, t, &seeds) == 0)
        return false;
    tokens_reserve(t, 0, seeds, 0, 0);
    if (!read_seeds(d, seeds, t, &sums))
        return false;
    tokens_reserve(t, 0, 0, 0, sums.matches + MARKS);
    if (!read_marks(&d->tokens, sums.matches, t->matches + t->match_count, &passed))
        return false;
    count_seeds(&d->found, seeds, &sums);
    t->seed_count += seeds;
    t->match_count += sums.matches;
    t->hsp_count += passed;
    return true;
}

uint64_t token_decoder_read(struct token_decoder *d, uint64_t count, struct tokens *t)
{
    tokens_clear(t);
    tokens_reserve(t, count, 0, 0, 0);
    while (!d->damaged && t->word_count < count && t->match_count < TOKEN_PART_MATCHES)
        d->damaged = !find_chunk(&d->tokens) || !read_some(d, count - t->word_count, t);
    if (d->damaged)
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
    uint16_t number;
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
    d->damaged = !read;
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
