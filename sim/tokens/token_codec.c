#include "sim/tokens/token_codec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
    CODE_EMPTY = 0,
    CODE_MISMATCH = 1,
    CODE_MATCH_LIMIT = 32, /* first code after those of a match */
    CODE_TRIP_LIMIT = 151, /* first code after those of one trip; all codes below are usual */
    CODE_TRIPS = 254,
    CODE_ANYTHING = 255,
    MATCHES_MAX = 4, /* positions of a match that one byte can say */
    ENTRIES_MAX = 5, /* entries of a trip that one byte can say */
};

/* A match of one position, which has not passed; if it has, the lowest bit is set. SINGLES bytes are read together. */
enum { CODE_SINGLE = 1 << 1, SINGLES = 8 };

enum { WORD_SEEDS_MAX = 16, WORD_ESCAPE = 15, WORD_RUN_MAX = 15 };

enum { KIND_WORDS, KIND_SEEDS, KIND_CELLS, KINDS };

/* What a number in a piece of cells counts: its lowest bits. */
enum cells_kind { CELLS_HSP, CELLS_RECOGNISED, CELLS_WAITING, CELLS_CLUSTER };
enum { CELLS_KIND_BITS = 2 };

enum { CHUNK_HEAD_BYTES = KINDS * sizeof(uint32_t) };

static unsigned match_code(unsigned matches, unsigned passed)
{
    return 1u << matches | passed;
}

/* Codes of trips are ordered by entries, then by matches. A trip of k entries has 2^(k+1) - 1 codes, of which 2^m - 1
 * are for fewer than m matches. */
static unsigned trip_code(unsigned entries, unsigned matches, unsigned passed)
{
    unsigned of_fewer_entries = (1u << (entries + 1)) - 4 - (entries - 1);
    return CODE_MATCH_LIMIT + of_fewer_entries + (1u << matches) - 1 + passed;
}

/* --- bytes ----------------------------------------------------------------------------------------------- */

static bool make_room(struct byte_buffer *b, size_t more)
{
    if (b->room - b->count >= more)
        return true;
    b->out_of_memory = b->out_of_memory || !array_reserve(&b->bytes, &b->room, b->count, more, 1);
    return !b->out_of_memory;
}

void byte_buffer_add(struct byte_buffer *buffer, const void *bytes, size_t count)
{
    if (count > 0 && make_room(buffer, count)) {
        memcpy(buffer->bytes + buffer->count, bytes, count);
        buffer->count += count;
    }
}

static void add_byte(struct byte_buffer *buffer, unsigned byte)
{
    if (make_room(buffer, 1))
        buffer->bytes[buffer->count++] = (uint8_t)byte;
}

static void add_number(struct byte_buffer *buffer, uint64_t number)
{
    for (; number >= 128; number >>= 7)
        add_byte(buffer, (unsigned)(number & 127) | 128u);
    add_byte(buffer, (unsigned)number);
}

void byte_buffer_destroy(struct byte_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct byte_buffer){0};
}

/* --- encoding -------------------------------------------------------------------------------------------- */

void token_encoder_destroy(struct token_encoder *encoder)
{
    byte_buffer_destroy(&encoder->words);
    byte_buffer_destroy(&encoder->seeds);
    byte_buffer_destroy(&encoder->cells);
}

static void flush_empty_words(struct token_encoder *e)
{
    add_byte(&e->words, 0);
    add_number(&e->words, e->empty_words);
    e->empty_words = 0;
}

static void encode_word(struct token_encoder *e, unsigned seeds)
{
    if (seeds == 0) {
        e->empty_words++;
        return;
    }
    if (e->empty_words > WORD_RUN_MAX)
        flush_empty_words(e);
    unsigned run = (unsigned)e->empty_words << 4;
    e->empty_words = 0;
    add_byte(&e->words, run | (seeds < WORD_ESCAPE ? seeds : WORD_ESCAPE));
    if (seeds >= WORD_ESCAPE)
        add_byte(&e->words, seeds);
}

/* Bit i says whether match i passed. */
static unsigned passed_bits(const uint8_t *matches, unsigned count)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < count; i++)
        bits |= (unsigned)(matches[i] != 0) << i;
    return bits;
}

static bool is_usual_trip(struct group_token group)
{
    return group.entries >= 1 && group.entries <= ENTRIES_MAX && group.matches <= group.entries;
}

static void encode_trip(struct byte_buffer *out, struct group_token group, const uint8_t *matches)
{
    add_byte(out, trip_code(group.entries, group.matches, passed_bits(matches, group.matches)));
}

static void encode_trips(struct byte_buffer *out, const struct group_token *groups, unsigned count,
                         const uint8_t *matches)
{
    if (count > 1) {
        add_byte(out, CODE_TRIPS);
        add_number(out, count);
    }
    for (unsigned i = 0; i < count; i++) {
        encode_trip(out, groups[i], matches);
        matches += groups[i].matches;
    }
}

static void encode_anything(struct byte_buffer *out, struct seed_token seed, const struct group_token *groups,
                            const uint8_t *matches)
{
    add_byte(out, CODE_ANYTHING);
    add_byte(out, seed.outcome);
    add_number(out, seed.groups);
    for (unsigned i = 0; i < seed.groups; i++) {
        add_byte(out, groups[i].matches);
        add_byte(out, groups[i].entries);
        for (unsigned left = groups[i].matches; left > 0;) {
            unsigned eight = left < 8 ? left : 8;
            add_byte(out, passed_bits(matches, eight));
            matches += eight;
            left -= eight;
        }
    }
}

static bool are_usual_trips(struct seed_token seed, const struct group_token *groups)
{
    bool usual = seed.outcome == LOOKUP_DUPLICATE && seed.groups > 0;
    for (unsigned i = 0; usual && i < seed.groups; i++)
        usual = is_usual_trip(groups[i]);
    return usual;
}

static void encode_seed(struct byte_buffer *out, struct seed_token seed, const struct group_token *groups,
                        const uint8_t *matches)
{
    bool single = seed.groups == 1 && groups->entries == 0;
    if (seed.outcome <= LOOKUP_MISMATCH && seed.groups == 0)
        add_byte(out, seed.outcome == LOOKUP_EMPTY ? CODE_EMPTY : CODE_MISMATCH);
    else if (seed.outcome == LOOKUP_MATCH && single && groups->matches >= 1 && groups->matches <= MATCHES_MAX)
        add_byte(out, match_code(groups->matches, passed_bits(matches, groups->matches)));
    else if (are_usual_trips(seed, groups))
        encode_trips(out, groups, seed.groups, matches);
    else
        encode_anything(out, seed, groups, matches);
}

void token_encoder_add(struct token_encoder *encoder, const struct tokens *tokens)
{
    const struct group_token *groups = tokens->groups;
    const uint8_t *matches = tokens->matches;
    for (size_t i = 0; i < tokens->word_count; i++)
        encode_word(encoder, tokens->words[i]);
    for (size_t i = 0; i < tokens->seed_count; i++) {
        encode_seed(&encoder->seeds, tokens->seeds[i], groups, matches);
        for (unsigned left = tokens->seeds[i].groups; left > 0; left--)
            matches += groups++->matches;
    }
}

static void add_cells(struct token_encoder *e, enum cells_kind kind, uint64_t number)
{
    add_number(&e->cells, number << CELLS_KIND_BITS | kind);
}

static void flush_recognised(struct token_encoder *e)
{
    if (e->recognised_hsps > 0)
        add_cells(e, CELLS_RECOGNISED, e->recognised_hsps);
    e->recognised_hsps = 0;
}

void token_encoder_add_cluster(struct token_encoder *encoder, uint64_t cells)
{
    flush_recognised(encoder);
    add_cells(encoder, CELLS_CLUSTER, cells);
}

void token_encoder_add_work(struct token_encoder *encoder, const struct stage3_work *work)
{
    if (work->closes)
        token_encoder_add_cluster(encoder, work->cluster_cells);
    if (work->cells == 0) {
        encoder->recognised_hsps++;
        return;
    }
    flush_recognised(encoder);
    add_cells(encoder, work->waits ? CELLS_WAITING : CELLS_HSP, work->cells);
}

size_t token_encoder_bytes(const struct token_encoder *e)
{
    return CHUNK_HEAD_BYTES + e->words.count + e->seeds.count + e->cells.count;
}

bool token_encoder_take_chunk(struct token_encoder *e, bool last, struct byte_buffer *out)
{
    if (last && e->empty_words > 0)
        flush_empty_words(e);
    if (last)
        flush_recognised(e);
    struct byte_buffer *pieces[KINDS] = {&e->words, &e->seeds, &e->cells};
    bool whole = true;
    for (unsigned i = 0; i < KINDS; i++) {
        uint32_t bytes = (uint32_t)pieces[i]->count;
        whole = whole && !pieces[i]->out_of_memory && bytes == pieces[i]->count;
        byte_buffer_add(out, &bytes, sizeof bytes);
    }
    for (unsigned i = 0; i < KINDS; i++) {
        byte_buffer_add(out, pieces[i]->bytes, pieces[i]->count);
        pieces[i]->count = 0;
    }
    return whole && !out->out_of_memory;
}

/* --- cursors --------------------------------------------------------------------------------------------- */

/* Go to the cursor's piece of the next chunk. @return false if there is no whole chunk */
static bool enter_chunk(struct token_cursor *c)
{
    uint32_t bytes[KINDS];
    if ((size_t)(c->stop - c->chunk) < CHUNK_HEAD_BYTES)
        return false;
    memcpy(bytes, c->chunk, sizeof bytes);
    const uint8_t *piece = c->chunk + CHUNK_HEAD_BYTES;
    uint64_t whole = (uint64_t)bytes[0] + bytes[1] + bytes[2];
    if (whole > (size_t)(c->stop - piece))
        return false;
    c->chunk = piece + whole;
    for (unsigned i = 0; i < c->kind; i++)
        piece += bytes[i];
    c->at = piece;
    c->end = piece + bytes[c->kind];
    return true;
}

/* Whether there is a byte at c->at; goes on to the next chunk that has one. */
static bool has_byte(struct token_cursor *c)
{
    while (c->at == c->end)
        if (!enter_chunk(c))
            return false;
    return true;
}

static bool read_byte(struct token_cursor *c, unsigned *byte)
{
    if (!has_byte(c))
        return false;
    *byte = *c->at++;
    return true;
}

static bool read_number(struct token_cursor *c, uint64_t *number)
{
    unsigned byte = 128;
    *number = 0;
    for (unsigned shift = 0; byte & 128; shift += 7) {
        if (shift > 63 || !read_byte(c, &byte))
            return false;
        *number |= (uint64_t)(byte & 127) << shift;
    }
    return true;
}

static bool is_at_end(struct token_cursor cursor)
{
    return !has_byte(&cursor) && cursor.chunk == cursor.stop;
}

/* --- decoding words -------------------------------------------------------------------------------------- */

/* Seeds after which words are read on only when these have been read. */
enum { SEEDS_AT_A_TIME = 256 };

/* Words of a block: the first of them that is not read yet, and the seeds of those read last. */
struct word_front {
    uint8_t *words;
    size_t next, count, seeds;
};

/* Read the bytes that need no special care, up to the end of the piece or of the block, or until there are seeds. */
static void read_usual_words(struct token_cursor *c, struct word_front *front)
{
    const uint8_t *at = c->at, *end = c->end;
    struct word_front f = *front;
    for (; at < end && f.seeds < SEEDS_AT_A_TIME; at++) {
        unsigned run = *at >> 4, word = *at & 15u;
        if (word == 0 || word == WORD_ESCAPE || f.next + run >= f.count)
            break;
        f.next += run;
        f.words[f.next++] = (uint8_t)word;
        f.seeds += word;
    }
    c->at = at;
    *front = f;
}

/* Read any byte of words; the empty words and the word that it announces are kept for read_words(). */
static bool read_word(struct token_decoder *d)
{
    unsigned byte;
    if (!read_byte(&d->words, &byte))
        return false;
    if (byte == 0)
        return read_number(&d->words, &d->empty_words) && d->empty_words > 0;
    d->empty_words = byte >> 4;
    d->held_word = byte & 15u;
    if (d->held_word == WORD_ESCAPE && !read_byte(&d->words, &d->held_word))
        return false;
    return d->held_word > 0 && d->held_word <= WORD_SEEDS_MAX;
}

static void pass_empty_words(struct token_decoder *d, struct word_front *f)
{
    uint64_t left = f->count - f->next, empty = d->empty_words < left ? d->empty_words : left;
    f->next += empty;
    d->empty_words -= empty;
}

static void take_held_word(struct token_decoder *d, struct word_front *f)
{
    f->words[f->next++] = (uint8_t)d->held_word;
    f->seeds += d->held_word;
    d->held_word = 0;
}

/* Read words, which are zero before, up to the end of the block or until there are seeds to be read.
 * @return false if the stream is damaged */
static bool read_words(struct token_decoder *d, struct word_front *f)
{
    f->seeds = 0;
    while (f->next < f->count && f->seeds < SEEDS_AT_A_TIME) {
        if (d->empty_words > 0) {
            pass_empty_words(d, f);
        } else if (d->held_word > 0) {
            take_held_word(d, f);
        } else {
            read_usual_words(&d->words, f);
            if (f->next < f->count && f->seeds < SEEDS_AT_A_TIME && !read_word(d))
                return false;
        }
    }
    return true;
}

/* --- decoding seeds -------------------------------------------------------------------------------------- */

/* Counts of up to PORTION usual seeds, in lanes: their HSPs, mismatches, matches, reads of the duplicate table, and the
 * seeds that the tables cannot hold. */
enum { PORTION = 1024 };
enum { SUM_HSPS = 0, SUM_MISMATCHES = 16, SUM_MATCHES = 28, SUM_READS = 40, SUM_REFUSED = 52, SUM_BITS = 12 };
static_assert(ENTRIES_MAX * PORTION < 1 << SUM_MISMATCHES, "all matches may pass");
static_assert((ENTRIES_MAX + 1) / 2 * PORTION < 1 << SUM_BITS, "a read yields two entries");

static unsigned sum_in(uint64_t sums, unsigned lane)
{
    return (unsigned)(sums >> lane) & ((1u << (lane == SUM_HSPS ? (unsigned)SUM_MISMATCHES : SUM_BITS)) - 1);
}

/* A match has the positions of its slot; a trip to the duplicate table reads entries, some of which match. */
static bool group_agrees(const struct sram_geometry *sram, unsigned outcome, struct group_token group)
{
    return !sram || (outcome == LOOKUP_MATCH
                         ? group.entries == 0 && group.matches >= 1 && group.matches <= sram->inline_positions
                         : group.entries >= 1 && group.entries <= sram_entries_per_access(sram) &&
                               group.matches <= group.entries);
}

static void make_code(struct token_decoder *d, unsigned number, enum lookup_outcome outcome,
                      struct group_token group, unsigned passed)
{
    struct seed_code *code = &d->codes[number];
    const bool has_group = outcome > LOOKUP_MISMATCH;
    const uint64_t refused = has_group && !group_agrees(d->sram, outcome, group);
    *code =
        (struct seed_code){.outcome = (uint8_t)outcome,
                           .groups = has_group,
                           .matches = group.matches,
                           .entries = group.entries,
                           .sums = (uint64_t)__builtin_popcount(passed) |
                                   (uint64_t)(outcome == LOOKUP_MISMATCH) << SUM_MISMATCHES |
                                   (uint64_t)(outcome == LOOKUP_MATCH) << SUM_MATCHES |
                                   (uint64_t)group_sram_reads(group) << SUM_READS | refused << SUM_REFUSED};
    for (unsigned i = 0; i < group.matches; i++)
        code->passed[i] = passed >> i & 1;
}

static void make_codes(struct token_decoder *d)
{
    const struct group_token none = {0};
    make_code(d, CODE_EMPTY, LOOKUP_EMPTY, none, 0);
    make_code(d, CODE_MISMATCH, LOOKUP_MISMATCH, none, 0);
    for (unsigned matches = 1; matches <= MATCHES_MAX; matches++)
        for (unsigned passed = 0; passed < 1u << matches; passed++)
            make_code(d, match_code(matches, passed), LOOKUP_MATCH,
                      (struct group_token){.matches = (uint8_t)matches}, passed);
    for (unsigned entries = 1; entries <= ENTRIES_MAX; entries++)
        for (unsigned matches = 0; matches <= entries; matches++)
            for (unsigned passed = 0; passed < 1u << matches; passed++)
                make_code(d, trip_code(entries, matches, passed), LOOKUP_DUPLICATE,
                          (struct group_token){(uint8_t)matches, (uint8_t)entries}, passed);
}

/* Where the next seed, group and match go. */
struct token_ends {
    struct seed_token *seed;
    struct group_token *group;
    uint8_t *match;
    uint64_t sums;
};

/* Store a seed whose byte is usual. Everything is stored, and the ends advance by what the seed has. */
static inline void store_seed(const struct seed_code *code, struct token_ends *e)
{
    *e->seed++ = (struct seed_token){code->outcome, code->groups};
    *e->group = (struct group_token){code->matches, code->entries};
    e->group += code->groups;
    memcpy(e->match, code->passed, sizeof code->passed);
    e->match += code->matches;
    e->sums += code->sums;
}

static const struct seed_token single_seeds[SINGLES] = {
    {LOOKUP_MATCH, 1}, {LOOKUP_MATCH, 1}, {LOOKUP_MATCH, 1}, {LOOKUP_MATCH, 1},
    {LOOKUP_MATCH, 1}, {LOOKUP_MATCH, 1}, {LOOKUP_MATCH, 1}, {LOOKUP_MATCH, 1}};
static const struct group_token single_groups[SINGLES] = {{1, 0}, {1, 0}, {1, 0}, {1, 0},
                                                          {1, 0}, {1, 0}, {1, 0}, {1, 0}};

/* Store those of the next SINGLES seeds that come before the first which is no match of one position.
 * @param sums  of one that has not passed
 * @return their number */
static inline size_t store_singles(const uint8_t *at, uint64_t sums, struct token_ends *e)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t bytes, passed;
    memcpy(&bytes, at, sizeof bytes);
    memcpy(e->seed, single_seeds, sizeof single_seeds);
    memcpy(e->group, single_groups, sizeof single_groups);
    passed = bytes & ones;
    memcpy(e->match, &passed, sizeof passed);
    bytes = le64toh(bytes);
    const uint64_t others = (bytes ^ ones * CODE_SINGLE) & ~ones;
    const size_t count = others ? (size_t)__builtin_ctzll(others) / 8 : SINGLES;
    const uint64_t first = count < SINGLES ? (UINT64_C(1) << 8 * count) - 1 : ~UINT64_C(0);
    e->seed += count;
    e->group += count;
    e->match += count;
    e->sums += count * sums + ((bytes & ones & first) * ones >> 56 << SUM_HSPS);
    return count;
}

/* Take in the counts of usual seeds. @return whether the tables can hold them */
static bool count_usual(struct token_decoder *d, size_t seeds, size_t groups, uint64_t sums)
{
    const unsigned mismatches = sum_in(sums, SUM_MISMATCHES), matches = sum_in(sums, SUM_MATCHES);
    struct pass_counts *found = &d->found;
    found->seeds += seeds;
    found->lookups_empty += seeds - groups - mismatches;
    found->lookups_mismatch += mismatches;
    found->lookups_match += matches;
    found->lookups_duplicate += groups - matches;
    found->trips += groups - matches;
    found->sram_reads += seeds + sum_in(sums, SUM_READS);
    return sum_in(sums, SUM_REFUSED) == 0;
}

/* Read seeds without a branch on what a seed is. Most are matches of one position: they are read together up to the
 * next other seed. The tokens have room for `count` seeds of one group and 5 matches each, and for SINGLES more of
 * each kind.
 * @param left  number of seeds to read, at most PORTION; out: of those left, if the piece ends or a byte needs special
 *              care
 * @return false if the tables cannot hold them */
static bool read_usual_seeds(struct token_decoder *d, size_t *left, struct tokens *t)
{
    const uint64_t sums_of_single = d->codes[CODE_SINGLE].sums;
    const size_t count = *left;
    struct token_cursor *c = &d->seeds;
    const uint8_t *at = c->at;
    size_t left_in_piece = (size_t)(c->end - at);
    const uint8_t *end = at + (count < left_in_piece ? count : left_in_piece);
    struct token_ends e = {t->seeds + t->seed_count, t->groups + t->group_count, t->matches + t->match_count,
                           0};
    while (end - at > SINGLES) {
        at += store_singles(at, sums_of_single, &e);
        if (*at >= CODE_TRIP_LIMIT)
            break;
        store_seed(&d->codes[*at++], &e);
    }
    for (; at < end && *at < CODE_TRIP_LIMIT; at++)
        store_seed(&d->codes[*at], &e);
    const size_t taken = (size_t)(at - c->at), groups = (size_t)(e.group - t->groups) - t->group_count;
    c->at = at;
    t->seed_count = (size_t)(e.seed - t->seeds);
    t->group_count = (size_t)(e.group - t->groups);
    t->match_count = (size_t)(e.match - t->matches);
    t->hsp_count += sum_in(e.sums, SUM_HSPS);
    *left = count - taken;
    return count_usual(d, taken, groups, e.sums);
}

static void count_seed(struct token_decoder *d, enum lookup_outcome outcome, uint64_t groups)
{
    struct pass_counts *found = &d->found;
    uint64_t *const lookups[] = {[LOOKUP_EMPTY] = &found->lookups_empty,
                                 [LOOKUP_MISMATCH] = &found->lookups_mismatch,
                                 [LOOKUP_MATCH] = &found->lookups_match,
                                 [LOOKUP_DUPLICATE] = &found->lookups_duplicate};
    found->seeds++;
    found->sram_reads++;
    found->trips += outcome == LOOKUP_DUPLICATE ? groups : 0;
    ++*lookups[outcome];
}

/* @return whether the tables can hold it */
static bool add_group(struct token_decoder *d, enum lookup_outcome outcome, struct group_token group,
                      struct tokens *t)
{
    tokens_add_group(t, group.matches, group.entries);
    d->found.sram_reads += group_sram_reads(group);
    return group_agrees(d->sram, outcome, group);
}

static bool read_trips(struct token_decoder *d, struct tokens *t)
{
    uint64_t trips;
    if (!read_number(&d->seeds, &trips) || trips < 2 || trips > UINT16_MAX)
        return false;
    tokens_add_seed(t, LOOKUP_DUPLICATE, (unsigned)trips);
    count_seed(d, LOOKUP_DUPLICATE, trips);
    for (; trips > 0; trips--) {
        unsigned byte;
        if (!read_byte(&d->seeds, &byte) || byte < CODE_MATCH_LIMIT || byte >= CODE_TRIP_LIMIT)
            return false;
        const struct seed_code *code = &d->codes[byte];
        if (!add_group(d, LOOKUP_DUPLICATE, (struct group_token){code->matches, code->entries}, t))
            return false;
        for (unsigned i = 0; i < code->matches; i++)
            tokens_add_match(t, code->passed[i]);
        t->hsp_count += sum_in(code->sums, SUM_HSPS);
    }
    return true;
}

static bool read_matches(struct token_decoder *d, unsigned count, struct tokens *t)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < count; i++, bits >>= 1) {
        if (i % 8 == 0 && !read_byte(&d->seeds, &bits))
            return false;
        tokens_add_match(t, bits & 1);
        t->hsp_count += bits & 1;
    }
    return true;
}

/* By tokens.h, a lookup that matches has one group, and a false positive has none. */
static bool has_groups_of(unsigned outcome, uint64_t groups)
{
    return outcome == LOOKUP_DUPLICATE ? groups <= UINT16_MAX
                                       : outcome < LOOKUP_DUPLICATE && groups == (outcome == LOOKUP_MATCH);
}

static bool read_anything(struct token_decoder *d, struct tokens *t)
{
    unsigned outcome;
    uint64_t groups;
    if (!read_byte(&d->seeds, &outcome) || !read_number(&d->seeds, &groups) ||
        !has_groups_of(outcome, groups))
        return false;
    tokens_add_seed(t, (enum lookup_outcome)outcome, (unsigned)groups);
    count_seed(d, (enum lookup_outcome)outcome, groups);
    for (; groups > 0; groups--) {
        unsigned matches, entries;
        if (!read_byte(&d->seeds, &matches) || !read_byte(&d->seeds, &entries))
            return false;
        const struct group_token group = {(uint8_t)matches, (uint8_t)entries};
        if (!add_group(d, (enum lookup_outcome)outcome, group, t) || !read_matches(d, matches, t))
            return false;
    }
    return true;
}

static bool read_unusual_seed(struct token_decoder *d, struct tokens *t)
{
    unsigned byte;
    if (!read_byte(&d->seeds, &byte))
        return false;
    if (byte == CODE_TRIPS)
        return read_trips(d, t);
    return byte == CODE_ANYTHING && read_anything(d, t);
}

/* Read in portions, so that room is reserved for what a seed usually has and not for the most it might have. */
static bool read_seeds(struct token_decoder *d, size_t count, struct tokens *t)
{
    while (count > 0) {
        size_t portion = count < PORTION ? count : PORTION;
        if (!has_byte(&d->seeds) || !tokens_reserve(t, 0, portion + SINGLES, portion + SINGLES,
                                                    ENTRIES_MAX * portion + sizeof d->codes[0].passed))
            return false;
        size_t left = portion;
        if (!read_usual_seeds(d, &left, t))
            return false;
        count -= portion - left;
        if (left > 0 && d->seeds.at < d->seeds.end) {
            if (!read_unusual_seed(d, t) || t->out_of_memory)
                return false;
            count--;
        }
    }
    return true;
}

/* --- decoding -------------------------------------------------------------------------------------------- */

void token_decoder_init(struct token_decoder *decoder, const uint8_t *stream, size_t bytes,
                        const struct sram_geometry *sram)
{
    *decoder = (struct token_decoder){.sram = sram};
    struct token_cursor *cursors[KINDS] = {&decoder->words, &decoder->seeds, &decoder->cells};
    for (unsigned kind = 0; kind < KINDS; kind++)
        *cursors[kind] = (struct token_cursor){stream, stream, stream, stream + bytes, kind};
    make_codes(decoder);
}

/* Read words and their seeds, some at a time, until there are enough matches. @return number of words; 0 if the stream
 * is damaged or memory is exhausted */
static uint64_t read_part(struct token_decoder *d, uint64_t count, struct tokens *t)
{
    struct word_front front = {.words = t->words, .count = count};
    memset(t->words, 0, count);
    while (front.next < count && t->match_count < TOKEN_PART_MATCHES)
        if (!read_words(d, &front) || !read_seeds(d, front.seeds, t))
            return 0;
    return front.next;
}

uint64_t token_decoder_read(struct token_decoder *d, uint64_t count, struct tokens *tokens)
{
    tokens_clear(tokens);
    if (!tokens_reserve(tokens, count, 0, 0, 0))
        return 0;
    uint64_t words = tokens->word_count = d->damaged ? 0 : read_part(d, count, tokens);
    if (words > 0 && tokens->hsp_count > 0)
        memset(tokens->hsps, 0, tokens->hsp_count * sizeof *tokens->hsps);
    d->damaged = d->damaged || (words == 0 && !tokens->out_of_memory);
    d->found.matches += tokens->match_count;
    d->found.hsps += tokens->hsp_count;
    return words;
}

static bool read_cells(struct token_decoder *d, enum cells_kind *kind, uint64_t *number)
{
    if (!read_number(&d->cells, number))
        return false;
    *kind = (enum cells_kind)(*number & ((1u << CELLS_KIND_BITS) - 1));
    *number >>= CELLS_KIND_BITS;
    return *number > 0 || *kind == CELLS_CLUSTER;
}

/* Read up to the HSP's own number. */
static bool read_work(struct token_decoder *d, struct stage3_work *work)
{
    enum cells_kind kind = CELLS_RECOGNISED;
    uint64_t number;
    *work = (struct stage3_work){0};
    while (d->recognised_hsps == 0) {
        if (!read_cells(d, &kind, &number) || (kind == CELLS_CLUSTER && work->closes))
            return false;
        if (kind == CELLS_RECOGNISED) {
            d->recognised_hsps = number;
        } else if (kind == CELLS_CLUSTER) {
            work->closes = true;
            work->cluster_cells = number;
        } else {
            work->cells = number;
            work->waits = kind == CELLS_WAITING;
            return true;
        }
    }
    d->recognised_hsps--;
    return true;
}

bool token_decoder_read_work(struct token_decoder *d, size_t count, struct stage3_work *work)
{
    for (size_t i = 0; i < count && !d->damaged; i++)
        d->damaged = !read_work(d, &work[i]);
    return !d->damaged;
}

bool token_decoder_read_end(struct token_decoder *d, uint64_t *cells)
{
    enum cells_kind kind;
    d->damaged =
        d->damaged || d->recognised_hsps > 0 || !read_cells(d, &kind, cells) || kind != CELLS_CLUSTER;
    return !d->damaged;
}

bool token_decoder_at_end(const struct token_decoder *d)
{
    return !d->damaged && d->empty_words == 0 && d->held_word == 0 && is_at_end(d->words) &&
           is_at_end(d->seeds) && d->recognised_hsps == 0 && is_at_end(d->cells);
}
