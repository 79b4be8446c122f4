/* test_token_record.c - tokens as bytes and back, records as files; what is damaged is refused.
 *
 * Random tokens come from random_tokens.h. Its groups of inline matches carry entries, which real ones do not,
 * and which make_tokens() clears.
 */
#include "sim/tokens/token_record.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/why.h"
#include "sim/tokens/token_record_format.h"
#include "tests/run_suite.h"
#include "tests/sim/board/random_tokens.h"

enum { USUAL_CODES = 151 };

static struct why why;

/* --- tokens ---------------------------------------------------------------------------------------------- */

static void append_tokens(struct tokens *to, const struct tokens *more)
{
    const uint8_t *match = more->matches;
    const struct group_token *group = more->groups;
    for (size_t i = 0; i < more->word_count; i++)
        tokens_add_word(to, more->words[i]);
    for (size_t i = 0; i < more->seed_count; i++)
        tokens_add_seed(to, more->seeds[i].outcome, more->seeds[i].groups);
    for (size_t i = 0; i < more->group_count; i++, group++) {
        tokens_add_group(to, group->matches, group->entries);
        for (unsigned m = 0; m < group->matches; m++)
            tokens_add_match(to, *match++);
    }
    for (size_t i = 0; i < more->hsp_count; i++)
        tokens_add_hsp(to, more->hsps[i]);
}

static void clear_inline_entries(struct tokens *t)
{
    size_t group = 0;
    for (size_t i = 0; i < t->seed_count; group += t->seeds[i++].groups)
        if (t->seeds[i].outcome == LOOKUP_MATCH)
            t->groups[group].entries = 0;
}

/* A pass: the blocks of a random case one after the other. */
static struct tokens make_tokens(uint64_t seed)
{
    struct random_case made;
    struct tokens tokens = {0};
    case_make(&made, seed, (enum stream_kind)(seed % STREAM_KINDS), RULES_DEFAULT, BUS_REAL);
    for (size_t i = 0; i < made.block_count; i++)
        append_tokens(&tokens, &made.tokens[i]);
    clear_inline_entries(&tokens);
    tokens_add_word(&tokens, 0); /* at least one word */
    case_destroy(&made);
    return tokens;
}

/* Words [first, first + count) of a pass and what follows from them. */
static void cut_tokens(const struct tokens *all, size_t first, size_t count, struct tokens *out)
{
    size_t seed = 0, group = 0, match = 0, hsp = 0;
    tokens_clear(out);
    for (size_t w = 0; w < first + count; w++) {
        bool taken = w >= first;
        if (taken)
            tokens_add_word(out, all->words[w]);
        for (unsigned s = 0; s < all->words[w]; s++, seed++) {
            if (taken)
                tokens_add_seed(out, all->seeds[seed].outcome, all->seeds[seed].groups);
            for (unsigned g = 0; g < all->seeds[seed].groups; g++, group++) {
                if (taken)
                    tokens_add_group(out, all->groups[group].matches, all->groups[group].entries);
                for (unsigned m = 0; m < all->groups[group].matches; m++, match++) {
                    if (taken)
                        tokens_add_match(out, all->matches[match]);
                    if (all->matches[match] && taken)
                        tokens_add_hsp(out, all->hsps[hsp]);
                    hsp += all->matches[match];
                }
            }
        }
    }
}

static void assert_same_tokens(const struct tokens *a, const struct tokens *b)
{
    ck_assert_uint_eq(a->word_count, b->word_count);
    ck_assert_uint_eq(a->seed_count, b->seed_count);
    ck_assert_uint_eq(a->group_count, b->group_count);
    ck_assert_uint_eq(a->match_count, b->match_count);
    ck_assert_uint_eq(a->hsp_count, b->hsp_count);
    for (size_t i = 0; i < a->word_count; i++)
        ck_assert_uint_eq(a->words[i], b->words[i]);
    for (size_t i = 0; i < a->seed_count; i++) {
        ck_assert_uint_eq(a->seeds[i].outcome, b->seeds[i].outcome);
        ck_assert_uint_eq(a->seeds[i].groups, b->seeds[i].groups);
    }
    for (size_t i = 0; i < a->group_count; i++) {
        ck_assert_uint_eq(a->groups[i].matches, b->groups[i].matches);
        ck_assert_uint_eq(a->groups[i].entries, b->groups[i].entries);
    }
    for (size_t i = 0; i < a->match_count; i++)
        ck_assert_uint_eq(a->matches[i], b->matches[i]);
}

/* --- the codec ------------------------------------------------------------------------------------------- */

/* Blocks and chunks of random sizes. */
static struct byte_buffer encode(const struct tokens *tokens, struct dice *dice)
{
    struct token_encoder encoder = {0};
    struct byte_buffer stream = {0};
    struct tokens block = {0};
    uint64_t limit = dice_between(dice, 12, 2000);
    for (size_t first = 0, count; first < tokens->word_count; first += count) {
        count = dice_between(dice, 1, tokens->word_count - first);
        cut_tokens(tokens, first, count, &block);
        token_encoder_add(&encoder, &block);
        if (token_encoder_bytes(&encoder) >= limit)
            ck_assert(token_encoder_take_chunk(&encoder, &stream));
    }
    ck_assert(token_encoder_take_chunk(&encoder, &stream));
    token_encoder_destroy(&encoder);
    tokens_destroy(&block);
    return stream;
}

/* Count the tokens one by one. */
static void assert_counts(const struct pass_counts *found, const struct tokens *t)
{
    uint64_t outcomes[4] = {0}, trips = 0, reads = t->seed_count;
    for (size_t i = 0; i < t->seed_count; i++) {
        outcomes[t->seeds[i].outcome]++;
        trips += t->seeds[i].outcome == LOOKUP_DUPLICATE ? t->seeds[i].groups : 0;
    }
    for (size_t i = 0; i < t->group_count; i++)
        reads += group_sram_reads(t->groups[i]);
    ck_assert_uint_eq(found->seeds, t->seed_count);
    ck_assert_uint_eq(found->lookups_empty, outcomes[LOOKUP_EMPTY]);
    ck_assert_uint_eq(found->lookups_mismatch, outcomes[LOOKUP_MISMATCH]);
    ck_assert_uint_eq(found->lookups_match, outcomes[LOOKUP_MATCH]);
    ck_assert_uint_eq(found->lookups_duplicate, outcomes[LOOKUP_DUPLICATE]);
    ck_assert_uint_eq(found->trips, trips);
    ck_assert_uint_eq(found->sram_reads, reads);
    ck_assert_uint_eq(found->matches, t->match_count);
    ck_assert_uint_eq(found->hsps, t->hsp_count);
}

static void assert_decodes(const struct byte_buffer *stream, const struct tokens *tokens, struct dice *dice)
{
    struct token_decoder decoder;
    struct tokens block = {0}, all = {0};
    token_decoder_init(&decoder, stream->bytes, stream->count, NULL);
    for (size_t first = 0, count; first < tokens->word_count; first += count) {
        ck_assert(!token_decoder_at_end(&decoder));
        count = dice_between(dice, 1, dice_between(dice, 1, tokens->word_count - first));
        count = token_decoder_read(&decoder, count, &block);
        ck_assert_uint_gt(count, 0);
        append_tokens(&all, &block);
    }
    assert_same_tokens(&all, tokens);
    assert_counts(&decoder.found, tokens);
    ck_assert(token_decoder_at_end(&decoder));
    ck_assert(!token_decoder_read(&decoder, 1, &block));
    ck_assert(decoder.damaged);
    token_decoder_destroy(&decoder);
    tokens_destroy(&block);
    tokens_destroy(&all);
}

START_TEST(test_tokens_come_back_however_they_are_cut)
{
    struct dice dice = {(uint64_t)_i};
    struct tokens tokens = make_tokens((uint64_t)_i);
    struct byte_buffer stream = encode(&tokens, &dice);
    assert_decodes(&stream, &tokens, &dice);
    assert_decodes(&stream, &tokens, &dice);
    byte_buffer_destroy(&stream);
    tokens_destroy(&tokens);
}
END_TEST

static void add_seed(struct tokens *t, enum lookup_outcome outcome, unsigned entries, unsigned matches,
                     unsigned passed)
{
    tokens_add_seed(t, outcome, outcome > LOOKUP_MISMATCH);
    if (outcome > LOOKUP_MISMATCH)
        tokens_add_group(t, matches, entries);
    for (unsigned i = 0; i < matches; i++) {
        const bool passes = i < 32 && passed >> i & 1;
        tokens_add_match(t, passes);
        if (passes)
            tokens_add_hsp(t, (struct hsp){0});
    }
}

/* 2 false positives; 2^m matches of each m = 1 .. 4; trips of e = 1 .. 5 entries and m <= e matches: 2 + 30 + 119. */
static struct tokens usual_seeds(void)
{
    struct tokens t = {0};
    add_seed(&t, LOOKUP_EMPTY, 0, 0, 0);
    add_seed(&t, LOOKUP_MISMATCH, 0, 0, 0);
    for (unsigned m = 1; m <= 4; m++)
        for (unsigned passed = 0; passed < 1u << m; passed++)
            add_seed(&t, LOOKUP_MATCH, 0, m, passed);
    for (unsigned e = 1; e <= 5; e++)
        for (unsigned m = 0; m <= e; m++)
            for (unsigned passed = 0; passed < 1u << m; passed++)
                add_seed(&t, LOOKUP_DUPLICATE, e, m, passed);
    ck_assert_uint_eq(t.seed_count, USUAL_CODES);
    for (size_t left = t.seed_count; left > 0; left -= left < 16 ? left : 16)
        tokens_add_word(&t, left < 16 ? (unsigned)left : 16);
    return t;
}

START_TEST(test_every_usual_seed_comes_back)
{
    struct dice dice = {1};
    struct tokens tokens = usual_seeds();
    struct byte_buffer stream = encode(&tokens, &dice);
    assert_decodes(&stream, &tokens, &dice);
    byte_buffer_destroy(&stream);
    tokens_destroy(&tokens);
}
END_TEST

/* Matches of one position, and between them one other seed after 0, 1, 2 ... of them. */
START_TEST(test_block_of_many_matches_comes_in_parts)
{
    struct dice dice = {5};
    struct tokens tokens = {0}, part = {0};
    struct token_decoder decoder;
    size_t parts = 0;
    for (unsigned run = 0; tokens.match_count < 5 * TOKEN_PART_MATCHES; run = (run + 1) % 40) {
        for (unsigned i = 0; i < run; i++)
            add_seed(&tokens, LOOKUP_MATCH, 0, 1, dice_chance(&dice, 30));
        add_seed(&tokens, LOOKUP_DUPLICATE, run % 6, run % 3, 1);
    }
    for (size_t left = tokens.seed_count, seeds; left > 0; left -= seeds)
        tokens_add_word(&tokens, (unsigned)(seeds = left < 3 ? left : 3));
    struct byte_buffer stream = encode(&tokens, &dice);
    token_decoder_init(&decoder, stream.bytes, stream.count, NULL);
    for (size_t first = 0; first < tokens.word_count; first += part.word_count, parts++) {
        ck_assert_uint_gt(token_decoder_read(&decoder, tokens.word_count - first, &part), 0);
        ck_assert_uint_lt(part.match_count, TOKEN_PART_MATCHES + 600);
    }
    ck_assert_uint_ge(parts, 4);
    token_decoder_destroy(&decoder);
    assert_decodes(&stream, &tokens, &dice);
    byte_buffer_destroy(&stream);
    tokens_destroy(&tokens);
    tokens_destroy(&part);
}
END_TEST

START_TEST(test_empty_words_cost_little)
{
    struct dice dice = {2};
    struct tokens tokens = {0};
    static const unsigned runs[] = {0, 1, 14, 15, 16, 17, 127, 128, 40000};
    for (unsigned i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        for (unsigned word = 0; word < runs[i]; word++)
            tokens_add_word(&tokens, 0);
        tokens_add_word(&tokens, 1);
        add_seed(&tokens, LOOKUP_EMPTY, 0, 0, 0);
    }
    for (unsigned word = 0; word < 1000000; word++)
        tokens_add_word(&tokens, 0);
    struct token_encoder encoder = {0};
    struct byte_buffer stream = {0};
    token_encoder_add(&encoder, &tokens);
    ck_assert(token_encoder_take_chunk(&encoder, &stream));
    ck_assert_uint_lt(stream.count, tokens.word_count / 200);
    assert_decodes(&stream, &tokens, &dice);
    token_encoder_destroy(&encoder);
    byte_buffer_destroy(&stream);
    tokens_destroy(&tokens);
}
END_TEST

START_TEST(test_largest_seed_comes_back)
{
    struct dice dice = {3};
    struct tokens tokens = {0};
    tokens_add_word(&tokens, 2);
    tokens_add_seed(&tokens, LOOKUP_DUPLICATE, UINT16_MAX);
    for (unsigned g = 0; g < UINT16_MAX; g++) {
        unsigned matches = g % 256 == 255 ? 255 : g % 4;
        tokens_add_group(&tokens, matches, 255);
        for (unsigned m = 0; m < matches; m++)
            tokens_add_match(&tokens, false);
    }
    tokens_add_seed(&tokens, LOOKUP_DUPLICATE, 0);
    struct byte_buffer stream = encode(&tokens, &dice);
    assert_decodes(&stream, &tokens, &dice);
    byte_buffer_destroy(&stream);
    tokens_destroy(&tokens);
}
END_TEST

/* Engines count on a lookup that matches having one group, and a false positive none (tokens.h). */
START_TEST(test_groups_that_no_stage_makes_are_damage)
{
    static const struct {
        enum lookup_outcome outcome;
        unsigned groups;
    } seeds[] = {{LOOKUP_EMPTY, 1}, {LOOKUP_EMPTY, 63}, {LOOKUP_MISMATCH, 1}};
    struct token_encoder encoder = {0};
    struct byte_buffer stream = {0};
    struct token_decoder decoder;
    struct tokens tokens = {0}, block = {0};
    tokens_add_word(&tokens, 1);
    tokens_add_seed(&tokens, seeds[_i].outcome, seeds[_i].groups);
    for (unsigned g = 0; g < seeds[_i].groups; g++)
        tokens_add_group(&tokens, 0, 0);
    token_encoder_add(&encoder, &tokens);
    ck_assert(token_encoder_take_chunk(&encoder, &stream));
    token_decoder_init(&decoder, stream.bytes, stream.count, NULL);
    ck_assert(!token_decoder_read(&decoder, 1, &block));
    ck_assert(decoder.damaged);
    token_decoder_destroy(&decoder);
    token_encoder_destroy(&encoder);
    byte_buffer_destroy(&stream);
    tokens_destroy(&tokens);
    tokens_destroy(&block);
}
END_TEST

/* Work of an HSP, of every kind that stage 3 knows. */
static struct stage3_work make_work(struct dice *dice, unsigned recognised_percent)
{
    struct stage3_work work = {.closes = dice_chance(dice, 20)};
    if (work.closes)
        work.cluster_cells = dice_below(dice, 2) * dice_below(dice, UINT64_C(1) << dice_below(dice, 50));
    if (!dice_chance(dice, recognised_percent)) {
        work.cells = dice_between(dice, 1, UINT64_C(1) << dice_below(dice, 50));
        work.waits = dice_chance(dice, 30);
    }
    return work;
}

static void assert_same_work(const struct stage3_work *got, const struct stage3_work *expected, uint64_t hsp)
{
    ck_assert_msg(got->cells == expected->cells && got->waits == expected->waits &&
                      got->closes == expected->closes && got->cluster_cells == expected->cluster_cells,
                  "HSP %lu: %lu cells, waits %d, closes %d, %lu cells of the cluster", hsp, got->cells,
                  got->waits, got->closes, got->cluster_cells);
}

START_TEST(test_work_comes_back_however_it_is_cut)
{
    enum { HSPS = 3000 };
    static struct stage3_work work[HSPS], got[HSPS];
    struct dice dice = {(uint64_t)_i + 100};
    struct token_encoder encoder = {0};
    struct byte_buffer stream = {0};
    unsigned recognised_percent = (unsigned)dice_below(&dice, 101);
    uint64_t last_cells = dice_below(&dice, 2) * 4711, cells = 0;
    for (unsigned i = 0; i < HSPS; i++) {
        work[i] = make_work(&dice, recognised_percent);
        token_encoder_add_work(&encoder, &work[i]);
        if (dice_below(&dice, 100) == 0)
            ck_assert(token_encoder_take_chunk(&encoder, &stream));
    }
    token_encoder_add_cluster(&encoder, last_cells);
    ck_assert(token_encoder_take_chunk(&encoder, &stream));
    struct token_decoder decoder;
    token_decoder_init(&decoder, stream.bytes, stream.count, NULL);
    for (uint64_t first = 0, count; first < HSPS; first += count) {
        count = dice_between(&dice, 1, dice_between(&dice, 1, HSPS - first));
        ck_assert(token_decoder_read_work(&decoder, count, got));
        for (uint64_t i = 0; i < count; i++)
            assert_same_work(&got[i], &work[first + i], first + i);
        ck_assert(!token_decoder_at_end(&decoder));
    }
    ck_assert(token_decoder_read_end(&decoder, &cells));
    ck_assert_uint_eq(cells, last_cells);
    ck_assert(token_decoder_at_end(&decoder));
    ck_assert(!token_decoder_read_work(&decoder, 1, got));
    token_decoder_destroy(&decoder);
    token_encoder_destroy(&encoder);
    byte_buffer_destroy(&stream);
}
END_TEST

/* The end of a stream is not where HSPs are left, nor can an HSP be read there. */
START_TEST(test_end_and_hsps_are_told_apart)
{
    static const struct stage3_work work[] = {{.cells = 0}, {.cells = 7, .waits = true}};
    struct token_encoder encoder = {0};
    struct byte_buffer stream = {0};
    struct token_decoder decoder;
    struct stage3_work got[3];
    uint64_t cells;
    token_encoder_add_work(&encoder, &work[0]);
    token_encoder_add_work(&encoder, &work[1]);
    token_encoder_add_cluster(&encoder, 5);
    ck_assert(token_encoder_take_chunk(&encoder, &stream));
    token_decoder_init(&decoder, stream.bytes, stream.count, NULL);
    if (_i == 0) /* HSPs are left */
        ck_assert(!token_decoder_read_end(&decoder, &cells));
    else if (_i == 1) /* one is left */
        ck_assert(token_decoder_read_work(&decoder, 1, got) && !token_decoder_read_end(&decoder, &cells));
    else /* none is left */
        ck_assert(!token_decoder_read_work(&decoder, 3, got));
    ck_assert(decoder.damaged);
    token_decoder_destroy(&decoder);
    token_encoder_destroy(&encoder);
    byte_buffer_destroy(&stream);
}
END_TEST

/* For AddressSanitizer: bytes of a heap block of just their size, changed at random. */
static void decode_garbage(const struct byte_buffer *stream, size_t bytes, size_t words, struct dice *dice)
{
    uint8_t *garbage = malloc(bytes + 1);
    memcpy(garbage, stream->bytes, bytes);
    for (uint64_t n = bytes > 0 ? dice_below(dice, 4) : 0; n > 0; n--)
        garbage[dice_below(dice, bytes)] = (uint8_t)dice_next(dice);
    garbage = realloc(garbage, bytes > 0 ? bytes : 1);
    struct token_decoder decoder;
    struct tokens block = {0};
    struct stage3_work work[1000];
    uint64_t cells;
    token_decoder_init(&decoder, garbage, bytes, NULL);
    for (size_t i = 0; i < words && token_decoder_read(&decoder, 7, &block); i += 7)
        continue;
    token_decoder_read_work(&decoder, dice_between(dice, 0, 1000), work);
    token_decoder_read_end(&decoder, &cells);
    token_decoder_destroy(&decoder);
    tokens_destroy(&block);
    free(garbage);
}

START_TEST(test_garbage_reaches_no_foreign_memory)
{
    struct dice dice = {(uint64_t)_i + 500};
    struct tokens tokens = make_tokens((uint64_t)_i);
    struct byte_buffer stream = encode(&tokens, &dice);
    for (unsigned trial = 0; trial < 100; trial++)
        decode_garbage(&stream, dice_between(&dice, 0, stream.count), tokens.word_count + 100, &dice);
    byte_buffer_destroy(&stream);
    tokens_destroy(&tokens);
}
END_TEST

/* --- files ----------------------------------------------------------------------------------------------- */

enum { PASSES = 3 };

/* What a pass's stages would do, from made-up tokens. */
struct made_pass {
    struct tokens tokens;
    struct dice dice;
    struct pass_counts counts;
};

static char folder[64], path[96];
static struct made_pass passes[PASSES];
static struct hardware hardware;
static struct query_segment segments[PASSES] = {
    {STRAND_PLUS, 0, 300}, {STRAND_PLUS, 236, 200}, {STRAND_MINUS, 0, 300}};
static struct sequence_record query_records[] = {{"q1", 0, 200}, {"q2", 201, 235}};
static struct sequence_record database_records[] = {{"d", 0, 5000}};
static struct sequences query = {.records = query_records,
                                 .record_count = 2,
                                 .positions = 436,
                                 .bases = 435,
                                 .ambiguous = 3,
                                 .digest = 77};
static struct sequences database = {
    .records = database_records, .record_count = 1, .positions = 5000, .bases = 5000, .digest = 99};
/* 45 pairs of q2's positions 5 to 49; on the minus strand, where q2 ends at 235, 20 pairs and 2 gaps of the database.
 * */
static struct alignment alignments[2] = {{.query_begin = 206,
                                          .query_end = 251,
                                          .database_begin = 10,
                                          .database_end = 55,
                                          .columns = 45,
                                          .identities = 45,
                                          .query_record = 1,
                                          .score = 45,
                                          .bits = 77.5},
                                         {.query_begin = 7,
                                          .query_end = 27,
                                          .database_begin = 100,
                                          .database_end = 122,
                                          .columns = 22,
                                          .identities = 19,
                                          .mismatches = 1,
                                          .gaps = 2,
                                          .gap_openings = 1,
                                          .query_record = 1,
                                          .score = 10,
                                          .strand = STRAND_MINUS,
                                          .e_value = 1e-30}};

enum { DATABASE_WORDS = 313 }; /* of 5000 bases */

/* Seeds as the tables of the default machine have them: 2 positions in a slot, 5 entries a trip. */
static struct tokens make_pass(uint64_t seed)
{
    struct tokens t = {0};
    struct dice dice = {seed};
    for (unsigned word = 0; word < DATABASE_WORDS; word++) {
        unsigned seeds = (unsigned)dice_below(&dice, 4);
        tokens_add_word(&t, seeds);
        for (; seeds > 0; seeds--) {
            enum lookup_outcome outcome = (enum lookup_outcome)dice_below(&dice, 4);
            unsigned entries = outcome == LOOKUP_DUPLICATE ? (unsigned)dice_between(&dice, 1, 5) : 0;
            unsigned matches = outcome == LOOKUP_MATCH ? (unsigned)dice_between(&dice, 1, 2)
                                                       : (unsigned)dice_below(&dice, entries + 1);
            add_seed(&t, outcome, entries, matches, (unsigned)dice_below(&dice, 1u << matches));
        }
    }
    return t;
}

/* Bytes of tables with some entries of the duplicate table. */
static uint64_t table_bytes(unsigned pass)
{
    return 8 * (uint64_t)hardware.pass.sram.slots + bloom_bytes(&hardware.pass.bloom) + 8 * (uint64_t)pass;
}

/* Operations of building them. */
static uint64_t build_operations(unsigned pass)
{
    return hardware.pass.sram.slots + UINT64_C(1000) * pass;
}

static uint64_t made_scan(void *data, uint64_t first, uint64_t count, struct tokens *tokens,
                          struct pass_counts *counts)
{
    struct made_pass *pass = data;
    cut_tokens(&pass->tokens, first, count, tokens);
    counts->words += count;
    counts->wmers += count * BASES_PER_WORD;
    counts->invalid_wmers += first == 0;
    counts->seeds += tokens->seed_count;
    for (size_t i = 0; i < tokens->seed_count; i++) {
        const struct seed_token seed = tokens->seeds[i];
        counts->lookups_empty += seed.outcome == LOOKUP_EMPTY;
        counts->lookups_mismatch += seed.outcome == LOOKUP_MISMATCH;
        counts->lookups_match += seed.outcome == LOOKUP_MATCH;
        counts->lookups_duplicate += seed.outcome == LOOKUP_DUPLICATE;
        counts->trips += seed.outcome == LOOKUP_DUPLICATE ? seed.groups : 0;
    }
    counts->bloom_false = counts->lookups_empty + counts->lookups_mismatch;
    counts->sram_reads += tokens->seed_count;
    for (size_t i = 0; i < tokens->group_count; i++)
        counts->sram_reads += group_sram_reads(tokens->groups[i]);
    counts->matches += tokens->match_count;
    counts->hsps += tokens->hsp_count;
    return count;
}

/* The work of an HSP depends on its number alone. */
static bool made_extend(void *data, const struct hsp *hsps, size_t count, struct stage3_work *work)
{
    struct made_pass *pass = data;
    (void)hsps;
    for (size_t i = 0; i < count; i++) {
        work[i] = make_work(&pass->dice, 50);
        work[i].cells =
            work[i].cells > 0 ? work[i].cells % 200 + 1 : 0; /* segments have 200 bases at least */
    }
    return true;
}

static bool made_finish(void *data, uint64_t *cells)
{
    *cells = dice_below(&((struct made_pass *)data)->dice, 100000);
    return true;
}

static void set_up(void)
{
    strcpy(folder, "/tmp/mercury-record-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/tokens", folder);
    hardware = hardware_default();
    ck_assert_int_eq(hardware_set_assignment(&hardware, "fifo.wmer=99", &why), 0);
    ck_assert_int_eq(hardware_set_assignment(&hardware, "query.segment=300", &why), 0);
    ck_assert_int_eq(hardware_set_assignment(&hardware, "query.overlap=64", &why), 0);
    database.word_count = DATABASE_WORDS;
    for (unsigned i = 0; i < PASSES; i++)
        passes[i] = (struct made_pass){.tokens = make_pass(8 + i), .dice = {i}};
}

static void tear_down(void)
{
    for (unsigned i = 0; i < PASSES; i++)
        tokens_destroy(&passes[i].tokens);
    unlink(path);
    ck_assert_msg(rmdir(folder) == 0, "something is left in %s", folder);
}

enum { HSPS_MAX = 10000 };

/* What stage 3 did in a pass. */
struct worked {
    struct stage3_work work[HSPS_MAX];
    size_t hsps;
    uint64_t last_cells;
};

static void extend_some(const struct stage_source *source, size_t hsps, struct worked *worked)
{
    static const struct hsp none[HSPS_MAX];
    ck_assert_uint_le(worked->hsps + hsps, HSPS_MAX);
    ck_assert(source->extend(source->data, none, hsps, worked->work + worked->hsps));
    worked->hsps += hsps;
}

/* Drive a source as system_run() does: stage 3 lags behind. @return whether stage 3 could end */
static bool drive(const struct stage_source *source, struct dice *dice, struct tokens *all,
                  struct pass_counts *counts, struct worked *worked)
{
    struct tokens block = {0};
    worked->hsps = 0;
    for (uint64_t first = 0, count; first < source->database_words; first += count) {
        count = dice_between(dice, 1, source->database_words - first);
        ck_assert(source->scan(source->data, first, count, &block, counts));
        append_tokens(all, &block);
        extend_some(source, dice_between(dice, 0, all->hsp_count - worked->hsps), worked);
    }
    extend_some(source, all->hsp_count - worked->hsps, worked);
    tokens_destroy(&block);
    return source->finish(source->data, &worked->last_cells);
}

static void record_pass(struct token_record_writer *writer, struct made_pass *pass, unsigned seed,
                        struct worked *worked)
{
    struct stage_source stages = {.data = pass,
                                  .database_words = database.word_count,
                                  .table_bytes = table_bytes(seed),
                                  .build_operations = build_operations(seed),
                                  .scan = made_scan,
                                  .extend = made_extend,
                                  .finish = made_finish};
    struct token_recorder recorder;
    struct tokens all = {0};
    struct dice dice = {seed};
    int spool = token_record_spool(writer, &why);
    ck_assert_msg(spool >= 0, "%s", why.line);
    struct stage_source source = token_recorder_begin(&recorder, &stages, spool);
    pass->counts = (struct pass_counts){0};
    ck_assert(drive(&source, &dice, &all, &pass->counts, worked));
    ck_assert(token_recorder_end(&recorder));
    assert_same_tokens(&all, &pass->tokens);
    ck_assert_int_eq(token_record_append(writer, spool, &why), 0);
    close(spool);
    tokens_destroy(&all);
}

static struct token_record_facts made_facts(void)
{
    return (struct token_record_facts){
        .e_value = 1e-7,
        .platform_path = "a/platform.xml",
        .platform = "<platform/>",
        .platform_bytes = 11,
        .hardware = hardware,
        .query_path = "q.fa",
        .database_path = "d.fa.gz",
        .query = &query,
        .database = &database,
        .segments = segments,
        .pass_count = PASSES,
        .masking = {.dust = true, .lower_case = true, .rule = {20, 64, 1}, .bases = 12345},
    };
}

static uint64_t join_cells[] = {1234567, 89};
static const struct stitch_work joined = {.cells = join_cells, .count = 2};

static struct worked recorded[PASSES];

static void write_record(void)
{
    struct token_record_writer *writer;
    struct token_record_facts facts = made_facts();
    struct alignment_list list = {.items = alignments, .count = 2};
    ck_assert_int_eq(token_record_create(path, &writer, &why), 0);
    ck_assert_int_eq(token_record_write_facts(writer, &facts, &why), 0);
    for (unsigned i = 0; i < PASSES; i++)
        record_pass(writer, &passes[i], i, &recorded[i]);
    ck_assert_int_eq(access(path, F_OK), -1);
    ck_assert_msg(token_record_commit(writer, &list, &joined, &why) == 0, "%s", why.line);
}

START_TEST(test_facts_come_back)
{
    struct token_record *record;
    write_record();
    ck_assert_msg(token_record_open(path, &record, &why) == 0, "%s", why.line);
    const struct token_record_facts *f = &token_record_run(record)->facts;
    ck_assert_double_eq(f->e_value, 1e-7);
    ck_assert_str_eq(f->platform_path, "a/platform.xml");
    ck_assert_uint_eq(f->platform_bytes, 11);
    ck_assert_mem_eq(f->platform, "<platform/>", 11);
    ck_assert_uint_eq(f->hardware.board.wmer_seeds, 99);
    ck_assert_str_eq(f->query_path, "q.fa");
    ck_assert_str_eq(f->database_path, "d.fa.gz");
    ck_assert_uint_eq(f->query->record_count, 2);
    ck_assert_str_eq(f->query->records[1].name, "q2");
    ck_assert_uint_eq(f->query->records[1].begin, 201);
    ck_assert_uint_eq(f->query->positions, 436);
    ck_assert_uint_eq(f->query->ambiguous, 3);
    ck_assert_uint_eq(f->database->digest, 99);
    ck_assert_uint_eq(f->database->word_count, database.word_count);
    ck_assert_uint_eq(f->pass_count, PASSES);
    ck_assert_int_eq(f->segments[2].strand, STRAND_MINUS);
    ck_assert_uint_eq(f->segments[1].begin, 236);
    ck_assert_int_eq(token_record_strands(f), STRANDS_BOTH);
    ck_assert(f->masking.dust && f->masking.lower_case);
    ck_assert_uint_eq(f->masking.rule.window, 64);
    ck_assert_uint_eq(f->masking.bases, 12345);
    const struct alignment_list *list = &token_record_run(record)->alignments;
    const struct stitch_work *join = &token_record_run(record)->join;
    ck_assert_uint_eq(join->count, joined.count);
    ck_assert_mem_eq(join->cells, joined.cells, sizeof join_cells);
    ck_assert_uint_eq(list->count, 2);
    ck_assert_mem_eq(list->items, alignments, sizeof alignments);
    token_record_close(record);
}
END_TEST

static void assert_comes_back(const struct token_record *record, unsigned pass)
{
    struct token_reader replay;
    struct stage_source source = token_reader_begin(&replay, record, pass);
    struct tokens all = {0};
    struct dice dice = {1000 + pass};
    struct pass_counts counts = {0};
    static struct worked found;
    ck_assert_uint_eq(source.database_words, database.word_count);
    ck_assert_uint_eq(source.table_bytes, table_bytes(pass));
    ck_assert_uint_eq(source.build_operations, build_operations(pass));
    ck_assert(!token_reader_is_whole(&replay));
    ck_assert(drive(&source, &dice, &all, &counts, &found));
    ck_assert(token_reader_is_whole(&replay));
    assert_same_tokens(&all, &passes[pass].tokens);
    ck_assert_mem_eq(&counts, &passes[pass].counts, sizeof counts);
    ck_assert_uint_eq(found.hsps, recorded[pass].hsps);
    for (size_t hsp = 0; hsp < found.hsps; hsp++)
        assert_same_work(&found.work[hsp], &recorded[pass].work[hsp], hsp);
    ck_assert_uint_eq(found.last_cells, recorded[pass].last_cells);
    token_reader_destroy(&replay);
    tokens_destroy(&all);
}

START_TEST(test_passes_come_back)
{
    struct token_record *record;
    write_record();
    ck_assert_msg(token_record_open(path, &record, &why) == 0, "%s", why.line);
    for (unsigned i = 0; i < PASSES; i++) {
        ck_assert(token_record_await(record, i));
        assert_comes_back(record, i);
    }
    token_record_close(record);
}
END_TEST

/* Wait until a number of readers are at work; a minute at most. */
static void await_readers(const struct token_record_writer *writer, unsigned busy)
{
    for (unsigned i = 0; token_record_busy_readers(writer) != busy; i++) {
        ck_assert_uint_lt(i, 60000);
        usleep(1000);
    }
}

/* Another process reads the passes, in an order of its own, while they are written: what comes back is what was
 * recorded, and the writer sees that it waits. Its passes are recorded once before, so that it knows what to expect. */
START_TEST(test_growing_record_is_read)
{
    const unsigned order[PASSES] = {0, 2, 1};
    struct token_record_writer *writer;
    struct token_record *record;
    const struct token_record_facts facts = made_facts();
    int status;
    write_record();
    for (unsigned i = 0; i < PASSES; i++)
        passes[i].dice = (struct dice){i};
    ck_assert_int_eq(token_record_create(path, &writer, &why), 0);
    ck_assert_int_eq(token_record_write_facts(writer, &facts, &why), 0);
    ck_assert_uint_eq(token_record_busy_readers(writer), 0);
    ck_assert_msg(token_record_follow(writer, &facts, &record, &why) == 0, "%s", why.line);
    pid_t reader = fork();
    if (reader == 0) {
        for (unsigned i = 0; i < PASSES; i++) {
            token_record_count_reader(record, true);
            if (!token_record_await(record, order[i]))
                _exit(2);
            assert_comes_back(record, order[i]);
            while (i == 0 && token_record_busy_readers(writer) == 1)
                usleep(1000); /* until this test has seen that the reader works */
            token_record_count_reader(record, false);
        }
        _exit(0);
    }
    usleep(2000);
    await_readers(writer, 0); /* it waits for the first pass */
    record_pass(writer, &passes[0], 0, &recorded[0]);
    await_readers(writer, 1);
    token_record_count_reader(record, true);
    for (unsigned i = 1; i < PASSES; i++)
        record_pass(writer, &passes[i], i, &recorded[i]);
    ck_assert_int_eq(waitpid(reader, &status, 0), reader);
    ck_assert_int_eq(status, 0);
    await_readers(writer, 1);
    token_record_close(record);
    token_record_discard(writer);
}
END_TEST

START_TEST(test_discarded_record_is_not_there)
{
    struct token_record_writer *writer;
    ck_assert_int_eq(token_record_create(path, &writer, &why), 0);
    record_pass(writer, &passes[0], 0, &recorded[0]);
    token_record_discard(writer);
    token_record_discard(NULL);
    ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

START_TEST(test_missing_folder_is_refused)
{
    struct token_record_writer *writer;
    ck_assert_int_eq(token_record_create("/tmp/no/such/folder/tokens", &writer, &why), TOKEN_RECORD_EFILE);
    ck_assert_ptr_nonnull(strstr(why.line, "/tmp/no/such/folder/tokens"));
}
END_TEST

/* --- damage ---------------------------------------------------------------------------------------------- */

static uint8_t *read_file(size_t *bytes)
{
    struct stat status;
    ck_assert_int_eq(stat(path, &status), 0);
    *bytes = (size_t)status.st_size;
    uint8_t *content = malloc(*bytes + 1);
    FILE *file = fopen(path, "r");
    ck_assert_uint_eq(fread(content, 1, *bytes, file), *bytes);
    fclose(file);
    return content;
}

static void write_file(const void *content, size_t bytes)
{
    FILE *file = fopen(path, "w");
    ck_assert_uint_eq(fwrite(content, 1, bytes, file), bytes);
    ck_assert_int_eq(fclose(file), 0);
}

static int open_status(void)
{
    struct token_record *record = NULL;
    why.line[0] = '\0';
    int status = token_record_open(path, &record, &why);
    if (status == 0)
        token_record_close(record);
    else
        ck_assert_msg(strstr(why.line, path) && !strchr(why.line, '\n'), "not one line with the name: %s",
                      why.line);
    return status;
}

/* Every byte, or every fifth where tests are few. */
static size_t bytes_apart(void)
{
    return tests_are_few() ? 5 : 1;
}

START_TEST(test_every_flipped_byte_is_noticed)
{
    size_t bytes;
    write_record();
    uint8_t *content = read_file(&bytes);
    FILE *file = fopen(path, "r+");
    for (size_t i = 0; i < bytes; i += bytes_apart()) {
        uint8_t flipped = content[i] ^ (uint8_t)(1u << i % 8);
        fseek(file, (long)i, SEEK_SET);
        fwrite(&flipped, 1, 1, file);
        fflush(file);
        int status = open_status();
        ck_assert_msg(status < 0, "byte %zu of %zu is flipped, and nobody noticed", i, bytes);
        ck_assert_int_eq(status, i < 16 ? TOKEN_RECORD_EFORMAT : TOKEN_RECORD_EDAMAGED);
        fseek(file, (long)i, SEEK_SET);
        fwrite(&content[i], 1, 1, file);
        fflush(file);
    }
    fclose(file);
    ck_assert_int_eq(open_status(), 0);
    free(content);
}
END_TEST

START_TEST(test_every_truncation_is_noticed)
{
    size_t bytes;
    write_record();
    uint8_t *content = read_file(&bytes);
    content[bytes] = 0;
    for (size_t left = bytes; left > 0;) {
        left -= left < bytes_apart() ? left : bytes_apart();
        ck_assert_int_eq(truncate(path, (off_t)left), 0);
        ck_assert_int_eq(open_status(), left < 16 ? TOKEN_RECORD_EFORMAT : TOKEN_RECORD_EDAMAGED);
    }
    write_file(content, bytes + 1);
    ck_assert_int_eq(open_status(), TOKEN_RECORD_EDAMAGED);
    free(content);
}
END_TEST

START_TEST(test_other_version_is_named)
{
    size_t bytes;
    write_record();
    uint8_t *content = read_file(&bytes);
    content[8] = 42;
    write_file(content, bytes);
    ck_assert_int_eq(open_status(), TOKEN_RECORD_EFORMAT);
    ck_assert_ptr_nonnull(strstr(why.line, "version 42"));
    free(content);
}
END_TEST

START_TEST(test_what_is_no_record_is_refused)
{
    static const char fasta[] = ">a sequence, and longer than what a record begins with\nACGTACGTACGT\n";
    struct token_record *record;
    write_file("", 0);
    ck_assert_int_eq(open_status(), TOKEN_RECORD_EFORMAT);
    write_file(fasta, strlen(fasta));
    ck_assert_int_eq(open_status(), TOKEN_RECORD_EFORMAT);
    unlink(path);
    ck_assert_int_eq(open_status(), TOKEN_RECORD_EFILE);
    ck_assert_int_eq(token_record_open(folder, &record, &why), TOKEN_RECORD_EFORMAT);
    ck_assert_int_eq(token_record_open("/dev/null", &record, &why), TOKEN_RECORD_EFORMAT);
}
END_TEST

/* What a run cannot leave, written with right checksums: a record that says so is refused when it is opened. */
static void forge(int index)
{
    struct alignment *a = &alignments[0], *minus = &alignments[1];
    switch (index) {
    case 0:
        query.bases++;
        break;
    case 1:
        query_records[1].begin++;
        break;
    case 2:
        query_records[1].name = "q\t2";
        break;
    case 3:
        database.positions++;
        break;
    case 4:
        database_records[0].bases = UINT64_MAX;
        break;
    case 5:
        segments[1].begin = 200;
        break;
    case 6:
        segments[1].length = 201;
        break;
    case 7:
        segments[2].begin = UINT64_MAX;
        break;
    case 8:
        segments[2].strand = (enum strand)7;
        break;
    case 9:
        a->query_begin = a->query_end;
        break;
    case 10:
        a->query_record = 0;
        break;
    case 11:
        a->database_end = 5001;
        break;
    case 12:
        a->identities++;
        break;
    case 13:
        a->columns = 44, a->identities = 44;
        break;
    case 14:
        a->gap_openings = 1;
        break;
    case 15:
        a->bits = NAN;
        break;
    case 16:
        a->e_value = 1;
        break; /* above the record's */
    case 17:
        minus->strand = 2;
        break;
    case 18:
        minus->query_begin = 230, minus->query_end = 250;
        break; /* across q2's end */
    default:
        a->score = 0;
        break;
    }
}

enum { FORGERIES = 20 };

START_TEST(test_contradictions_are_refused)
{
    forge(_i);
    write_record();
    ck_assert_int_eq(open_status(), TOKEN_RECORD_EDAMAGED);
}
END_TEST

/* What is said of a pass, as the tail of its section: one of its numbers is wrong. */
START_TEST(test_contradictions_of_a_pass_are_refused)
{
    struct token_record_facts facts = made_facts();
    struct pass_counts counts = {.words = DATABASE_WORDS, .wmers = DATABASE_WORDS * BASES_PER_WORD};
    struct pass_tail tail = {table_bytes(0), build_operations(0), DATABASE_WORDS, 0, counts};
    uint64_t *numbers = (uint64_t *)&tail;
    ck_assert(token_record_pass_agrees(&facts, 0, &tail));
    for (size_t i = 0; i < sizeof tail / sizeof *numbers; i++) {
        bool is_free = &numbers[i] == &tail.counts.trips || &numbers[i] == &tail.counts.sram_reads ||
                       &numbers[i] == &tail.counts.matches || &numbers[i] == &tail.counts.lookups_match ||
                       &numbers[i] == &tail.counts.lookups_duplicate || &numbers[i] == &tail.counts.seeds;
        uint64_t right = numbers[i];
        numbers[i] = UINT64_C(1) << 40;
        ck_assert_msg(token_record_pass_agrees(&facts, 0, &tail) ==
                          (is_free && &numbers[i] != &tail.counts.seeds),
                      "number %zu of a pass", i);
        numbers[i] = right;
    }
}
END_TEST

/* The tokens tell what the counts must be; one of these is wrong. */
START_TEST(test_counts_that_tokens_contradict_are_noticed)
{
    static struct worked worked;
    struct token_record_writer *writer;
    struct token_record_facts facts = made_facts();
    struct token_record *record;
    struct token_reader replay;
    struct tokens all = {0};
    struct dice dice = {5};
    struct pass_counts counts = {0};
    facts.pass_count = 1;
    ck_assert_int_eq(token_record_create(path, &writer, &why), 0);
    ck_assert_int_eq(token_record_write_facts(writer, &facts, &why), 0);
    int spool = token_record_spool(writer, &why);
    struct stage_source stages = {.data = &passes[0],
                                  .database_words = database.word_count,
                                  .table_bytes = table_bytes(0),
                                  .build_operations = build_operations(0),
                                  .scan = made_scan,
                                  .extend = made_extend,
                                  .finish = made_finish};
    struct token_recorder recorder;
    struct stage_source source = token_recorder_begin(&recorder, &stages, spool);
    uint64_t *const wrong[] = {&recorder.counts.lookups_match, &recorder.counts.lookups_duplicate,
                               &recorder.counts.trips, &recorder.counts.sram_reads, &recorder.counts.matches};
    *wrong[_i] = 1; /* one too many */
    ck_assert(drive(&source, &dice, &all, &counts, &worked));
    ck_assert(token_recorder_end(&recorder));
    ck_assert_int_eq(token_record_append(writer, spool, &why), 0);
    close(spool);
    struct alignment_list none = {0};
    ck_assert_int_eq(token_record_commit(writer, &none, &joined, &why), 0);

    ck_assert_msg(token_record_open(path, &record, &why) == 0, "%s", why.line);
    source = token_reader_begin(&replay, record, 0);
    tokens_clear(&all);
    ck_assert(drive(&source, &dice, &all, &counts, &worked));
    ck_assert(!token_reader_is_whole(&replay));
    token_reader_destroy(&replay);
    token_record_close(record);
    tokens_destroy(&all);
}
END_TEST

/* Whether tokens are read for a machine whose trips yield a number of positions. */
static bool agree(const struct tokens *t, unsigned positions)
{
    struct dice dice = {1};
    struct tokens block = {0};
    struct token_decoder decoder;
    struct sram_geometry sram = hardware.pass.sram;
    struct byte_buffer stream = encode(t, &dice);
    sram.trip_positions = positions;
    token_decoder_init(&decoder, stream.bytes, stream.count, &sram);
    const bool is_read = token_decoder_read(&decoder, 1, &block) == 1;
    ck_assert(decoder.damaged == !is_read);
    token_decoder_destroy(&decoder);
    byte_buffer_destroy(&stream);
    tokens_destroy(&block);
    return is_read;
}

/* Groups with more than the machine's tables hold, which its FIFO would have no room for. */
START_TEST(test_groups_beyond_the_tables_are_damage)
{
    static const struct {
        enum lookup_outcome outcome;
        unsigned entries, matches;
        bool agrees;
    } groups[] = {
        {LOOKUP_MATCH, 0, 2, true},      {LOOKUP_MATCH, 0, 3, false},     {LOOKUP_MATCH, 0, 0, false},
        {LOOKUP_MATCH, 0, 63, false},    {LOOKUP_DUPLICATE, 5, 5, true},  {LOOKUP_DUPLICATE, 6, 1, false},
        {LOOKUP_DUPLICATE, 2, 3, false}, {LOOKUP_DUPLICATE, 0, 0, false}, {LOOKUP_DUPLICATE, 1, 0, true}};
    for (int i = 0; i < COUNT_OF(groups); i++)
        for (unsigned trips = 1; trips <= (groups[i].outcome == LOOKUP_DUPLICATE ? 2 : 1); trips++)
            for (unsigned positions = 2; positions <= 5; positions += 3) {
                const bool agrees = groups[i].agrees && groups[i].entries <= positions;
                struct tokens t = {0};
                tokens_add_word(&t, 1);
                add_seed(&t, groups[i].outcome, groups[i].entries, groups[i].matches, 0);
                t.seeds[0].groups = (uint16_t)trips;
                if (trips == 2)
                    tokens_add_group(&t, 0, 1); /* which agrees */
                ck_assert_msg(agree(&t, positions) == agrees, "group %d", i);
                tokens_destroy(&t);
            }
    ck_assert(token_record_work_agrees(&(struct stage3_work){.cells = 600}, 300));
    ck_assert(!token_record_work_agrees(&(struct stage3_work){.cells = 601}, 300));
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("token_record");
    TCase *codec = tcase_create("codec");
    tcase_set_timeout(codec, 60);
    tcase_add_loop_test(codec, test_tokens_come_back_however_they_are_cut, 0, tests_some(200));
    tcase_add_test(codec, test_every_usual_seed_comes_back);
    tcase_add_test(codec, test_empty_words_cost_little);
    tcase_add_test(codec, test_block_of_many_matches_comes_in_parts);
    tcase_add_test(codec, test_largest_seed_comes_back);
    tcase_add_loop_test(codec, test_groups_that_no_stage_makes_are_damage, 0, 3);
    tcase_add_loop_test(codec, test_work_comes_back_however_it_is_cut, 0, 20);
    tcase_add_loop_test(codec, test_end_and_hsps_are_told_apart, 0, 3);
    tcase_add_loop_test(codec, test_garbage_reaches_no_foreign_memory, 0, 30);
    suite_add_tcase(suite, codec);
    TCase *core = tcase_create("core");
    tcase_add_checked_fixture(core, set_up, tear_down);
    tcase_add_test(core, test_facts_come_back);
    tcase_add_test(core, test_passes_come_back);
    tcase_add_test(core, test_growing_record_is_read);
    tcase_add_test(core, test_discarded_record_is_not_there);
    suite_add_tcase(suite, core);
    TCase *errors = tcase_create("errors");
    tcase_set_timeout(errors, 120);
    tcase_add_checked_fixture(errors, set_up, tear_down);
    tcase_add_test(errors, test_missing_folder_is_refused);
    tcase_add_test(errors, test_every_flipped_byte_is_noticed);
    tcase_add_test(errors, test_every_truncation_is_noticed);
    tcase_add_test(errors, test_other_version_is_named);
    tcase_add_test(errors, test_what_is_no_record_is_refused);
    tcase_add_loop_test(errors, test_contradictions_are_refused, 0, FORGERIES);
    tcase_add_test(errors, test_contradictions_of_a_pass_are_refused);
    tcase_add_loop_test(errors, test_counts_that_tokens_contradict_are_noticed, 0, 5);
    tcase_add_test(errors, test_groups_beyond_the_tables_are_damage);
    suite_add_tcase(suite, errors);
    return suite;
}

int main(void)
{
    return run_suite(make_suite());
}
