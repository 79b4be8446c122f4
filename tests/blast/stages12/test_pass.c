/* test_pass.c - cutting w-mers out of words, and a whole pass, against a naive search with strings. */
#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "blast/stages12/bloom.h"
#include "blast/stages12/database_stretch.h"
#include "blast/stages12/pass.h"
#include "blast/stages12/seed_scan.h"
#include "blast/stages12/sram_table.h"
#include "blast/stages12/ungapped_window.h"
#include "blast/stages12/wmer.h"
#include "tests/blast/stages12/one_wmer.h"
#include "tests/run_suite.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t random_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)((next_random(state) >> 32) * limit >> 32);
}

static uint64_t random_state(int loop_index)
{
    return 88172645463325252u + (uint64_t)loop_index * 7919;
}

/* --- w-mers cut out of words ----------------------------------------------------------------------------- */

static unsigned nibble(uint64_t word, unsigned i)
{
    return (unsigned)(word >> (4 * i)) & 15u;
}

START_TEST(test_squeeze_and_bad_bases_equal_a_loop)
{
    uint64_t state = random_state(_i);
    for (int i = 0; i < 20000; i++) {
        uint64_t word = next_random(&state);
        if (i % 2)
            word &= 0x3333333333333333u | (next_random(&state) & next_random(&state) & next_random(&state));
        uint32_t squeezed = 0, bad = 0;
        for (unsigned base = 0; base < BASES_PER_WORD; base++) {
            squeezed |= (nibble(word, base) & 3u) << (2 * base);
            bad |= (uint32_t)(nibble(word, base) > BASE_T) << base;
        }
        if (wmer_squeeze(word) != squeezed || wmer_bad_bases(word) != bad)
            ck_abort_msg("word %016llx", (unsigned long long)word);
    }
}
END_TEST

/* Mask and count of invalid w-mers of one word, from wmer.h alone. */
static unsigned plain_mask(const struct sequences *s, uint64_t index, const uint64_t *bits, uint64_t *invalid)
{
    struct wmer_window window = wmer_window(index > 0 ? s->words[index - 1] : UINT64_MAX, s->words[index]);
    unsigned mask = 0;
    for (unsigned last = 0; last < BASES_PER_WORD; last++) {
        uint32_t wmer = wmer_ending_at(window, last);
        if (!wmer_is_valid(window, last))
            ++*invalid;
        else if (bits[wmer / 64] >> (wmer % 64) & 1)
            mask |= 1u << last;
    }
    return mask;
}

START_TEST(test_every_vector_level_scans_alike)
{
    enum { WORDS = STRETCH_WORDS + 100 };
    uint64_t state = random_state(_i), words[WORDS], *bits = malloc(WMER_COUNT / 8);
    uint16_t masks[WORDS];
    ck_assert_ptr_nonnull(bits);
    for (int i = 0; i < WMER_COUNT / 64; i++)
        bits[i] = next_random(&state) & next_random(&state);
    for (int i = 0; i < WORDS; i++) {
        words[i] = next_random(&state) & 0x3333333333333333u;
        if (random_below(&state, 10) == 0 && i % 500 < 250)
            words[i] |= UINT64_C(15) << (4 * random_below(&state, 16));
    }
    void *memory = aligned_alloc(SEED_LINES_ALIGNMENT, SEED_LINES_BYTES);
    ck_assert_ptr_nonnull(memory);
    struct seed_lines *lines = seed_lines_make(memory, bits);
    struct sequences s = {.words = words, .word_count = WORDS, .positions = WORDS * 16};
    struct database_stretch *stretch = malloc(sizeof *stretch);
    ck_assert_ptr_nonnull(stretch);
    uint64_t first = (uint64_t)_i; /* the word before the first counts, too */
    uint64_t longest = _i % 2 ? STRETCH_WORDS : 1 + random_below(&state, 20);
    for (enum cpu_level level = CPU_PORTABLE; level <= cpu_best_level(); level++) {
        uint64_t invalid = 0, found = 0;
        for (uint64_t done = first, count; done < WORDS; done += count) {
            count = WORDS - done < longest ? WORDS - done : longest;
            database_stretch_load(stretch, &s, done, count);
            found += seed_scan(stretch, lines, level, masks + done);
        }
        for (uint64_t i = first; i < WORDS; i++)
            ck_assert_msg(masks[i] == plain_mask(&s, i, bits, &invalid), "word %d, level %d", (int)i,
                          (int)level);
        ck_assert_uint_eq(found, invalid);
    }
    free(memory);
    free(stretch);
    free(bits);
}
END_TEST

/* Each word alone, and what lies around a stretch. */
START_TEST(test_a_stretch_tells_its_bases_and_where_others_are)
{
    enum { WORDS = 60 };
    uint64_t state = random_state(_i), words[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = next_random(&state) & 0x3333333333333333u;
    words[random_below(&state, WORDS)] |= UINT64_C(4) << (4 * random_below(&state, 16));
    struct sequences s = {.words = words, .word_count = WORDS, .positions = WORDS * 16};
    struct database_stretch *stretch = malloc(sizeof *stretch);
    ck_assert_ptr_nonnull(stretch);
    for (uint64_t first = 0; first < WORDS; first++) {
        uint64_t count = 1 + random_below(&state, (uint32_t)(WORDS - first));
        database_stretch_load(stretch, &s, first, count);
        for (int64_t i = -STRETCH_BEFORE; i < (int64_t)count + STRETCH_AFTER; i++) {
            uint64_t at = first + (uint64_t)i, word = at < WORDS ? words[at] : UINT64_MAX;
            ck_assert_uint_eq(database_stretch_bases(stretch)[i], wmer_squeeze(word));
        }
        for (int64_t i = 0; i < (int64_t)count; i++) {
            bool others = false;
            for (int64_t near = i - STRETCH_BEFORE; near <= i + STRETCH_BEFORE; near++) {
                uint64_t at = first + (uint64_t)near;
                others = others || at >= WORDS || wmer_bad_bases(words[at]);
            }
            ck_assert(stretch->plain ? !others : stretch->near_others[i] == others);
        }
    }
    free(stretch);
}
END_TEST

START_TEST(test_each_nibble_alone_is_good_up_to_t)
{
    for (unsigned base = 0; base < BASES_PER_WORD; base++)
        for (uint64_t code = 0; code < 16; code++) {
            ck_assert_uint_eq(wmer_bad_bases(code << (4 * base)), code > BASE_T ? 1u << base : 0);
            ck_assert_uint_eq(wmer_squeeze(code << (4 * base)), (uint32_t)(code & 3) << (2 * base));
        }
}
END_TEST

/* Base i of the w-mer is bits 2i and 2i + 1; it ends at base `last` of the second of two words. */
START_TEST(test_wmers_of_two_words_equal_a_loop)
{
    uint64_t state = random_state(_i);
    for (int i = 0; i < 2000; i++) {
        uint64_t words[2] = {next_random(&state) & 0x3333333333333333u,
                             next_random(&state) & 0x3333333333333333u};
        words[i & 1] |= UINT64_C(4) << (4 * random_below(&state, 16)); /* one bad base */
        struct wmer_window window = wmer_window(words[0], words[1]);
        for (unsigned last = 0; last < BASES_PER_WORD; last++) {
            uint32_t wmer = 0;
            bool valid = true;
            for (unsigned base = 0; base < WMER_BASES; base++) {
                unsigned at = BASES_PER_WORD + last - (WMER_BASES - 1) + base;
                unsigned code = nibble(words[at / 16], at % 16);
                wmer |= (code & 3u) << (2 * base);
                valid = valid && code <= BASE_T;
            }
            if (wmer_is_valid(window, last) != valid || wmer_ending_at(window, last) != wmer)
                ck_abort_msg("words %016llx %016llx, last %u", (unsigned long long)words[0],
                             (unsigned long long)words[1], last);
        }
    }
}
END_TEST

/* --- sequences as strings -------------------------------------------------------------------------------- */

static const char letters[] = "ACGTN??????????|";

static struct sequences sequences_of(const char *text)
{
    struct sequences s = {.positions = strlen(text)};
    s.word_count = (s.positions + BASES_PER_WORD - 1) / BASES_PER_WORD;
    s.words = malloc(s.word_count * sizeof *s.words);
    ck_assert_ptr_nonnull(s.words);
    memset(s.words, 0xff, s.word_count * sizeof *s.words);
    for (uint64_t p = 0; p < s.positions; p++)
        s.words[p / 16] ^= (uint64_t)((strchr(letters, text[p]) - letters) ^ 15) << (4 * (p % 16));
    return s;
}

static char *copy_of(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static char *reverse_complement(const char *text)
{
    size_t length = strlen(text);
    char *reversed = copy_of(text, length);
    for (size_t i = 0; i < length; i++)
        reversed[i] = "TGCAN|"[strchr("ACGTN|", text[length - 1 - i]) - "ACGTN|"];
    return reversed;
}

/* Random bases with runs of N, and separators between records. */
static char *random_text(size_t length, uint64_t *state)
{
    char *text = malloc(length + 1);
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < length; i++)
        text[i] = "ACGT"[random_below(state, 4)];
    for (size_t i = 0; i < length / 200; i++) {
        size_t begin = random_below(state, (uint32_t)length), run = 1 + random_below(state, 15);
        memset(text + begin, 'N', begin + run <= length ? run : length - begin);
    }
    for (size_t i = 0; i < length / 300; i++)
        text[1 + random_below(state, (uint32_t)length - 2)] = '|';
    text[length] = '\0';
    return text;
}

/* Copy pieces of `from`, partly changed and some of them again and again, over `text`. */
static void plant(char *text, const char *from, int pieces, uint64_t *state)
{
    size_t length = strlen(text), from_length = strlen(from);
    for (int i = 0; i < pieces; i++) {
        size_t piece = 11 + random_below(state, 80);
        if (piece >= from_length || piece >= length)
            continue;
        size_t source = i % 3 ? random_below(state, (uint32_t)(from_length - piece)) : 0;
        size_t target = random_below(state, (uint32_t)(length - piece));
        memmove(text + target, from + source, piece);
        if (i % 2)
            text[target + random_below(state, (uint32_t)piece)] = "ACGTN"[random_below(state, 5)];
    }
}

/* --- the naive pass -------------------------------------------------------------------------------------- */

struct setting {
    struct pass_rules rules;
    char *query, *database; /* of the plus strand */
    struct query_segment segment;
    bool is_masked; /* the positions of `masked` are */
};

static const struct mask_range masked[] = {{45, 50}, {111, 112}, {130, 151}, {400, 430}, {530, 600}};

/* The pass under test and the parts to judge it by, built from strings. */
struct bench {
    const struct setting *setting;
    struct sequences query, database;
    struct bloom_index *index;       /* in every other bench */
    struct pass *passes[CPU_LEVELS]; /* as many as this processor has */
    char *segment;                   /* letters of the segment, on its strand */
    char *shown;                     /* the same, but N where it is masked: what the tables have */
    uint32_t segment_length;
    uint8_t *codes;
    struct bloom *bloom;
    struct sram_table *table;
};

static bool is_wmer(const char *text)
{
    return strspn(text, "ACGT") >= WMER_BASES;
}

static uint32_t wmer_of(const char *text)
{
    uint32_t wmer = 0;
    for (unsigned i = 0; i < WMER_BASES; i++)
        wmer |= (uint32_t)(strchr(letters, text[i]) - letters) << (2 * i);
    return wmer;
}

static int compare_entries(const void *a, const void *b)
{
    const struct sram_entry *x = a, *y = b;
    if (x->wmer != y->wmer)
        return x->wmer < y->wmer ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

static void build_tables(struct bench *b)
{
    size_t count = 0;
    struct sram_entry *entries = malloc((b->segment_length + 1) * sizeof *entries);
    b->bloom = bloom_new(&b->setting->rules.bloom);
    ck_assert(entries && b->bloom);
    for (uint32_t i = 0; i + WMER_BASES <= b->segment_length; i++) {
        if (!is_wmer(b->shown + i))
            continue;
        entries[count++] = (struct sram_entry){wmer_of(b->shown + i), i + WMER_BASES - 1};
        bloom_add(b->bloom, wmer_of(b->shown + i));
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    b->table = sram_table_new(&b->setting->rules.sram, entries, count);
    ck_assert_ptr_nonnull(b->table);
    free(entries);
}

/* The letters of the segment in a query, on its strand. */
static char *segment_of(const struct setting *setting, const char *query)
{
    char *strand =
        setting->segment.strand == STRAND_MINUS ? reverse_complement(query) : copy_of(query, strlen(query));
    char *segment = copy_of(strand + setting->segment.begin, setting->segment.length);
    free(strand);
    return segment;
}

static void read_segment(struct bench *b, const struct setting *setting)
{
    char *shown = copy_of(setting->query, strlen(setting->query));
    for (int i = 0; setting->is_masked && i < COUNT_OF(masked); i++) {
        mask_add(&b->query.masked, masked[i].begin, masked[i].end);
        memset(shown + masked[i].begin, 'N', masked[i].end - masked[i].begin);
    }
    b->segment = segment_of(setting, setting->query);
    b->shown = segment_of(setting, shown);
    free(shown);
}

/* In place: the pass keeps the addresses of both sequences. */
static void set_up(struct bench *b, const struct setting *setting)
{
    *b = (struct bench){.setting = setting, .segment_length = setting->segment.length};
    b->query = sequences_of(setting->query);
    b->database = sequences_of(setting->database);
    read_segment(b, setting);
    static bool indexed;
    b->index = (indexed = !indexed) ? bloom_index_new(&setting->rules.bloom, &b->database) : NULL;
    for (enum cpu_level level = CPU_PORTABLE; level <= cpu_best_level(); level++) {
        b->passes[level] =
            pass_new_at(level, &setting->rules, &b->query, &setting->segment, &b->database, b->index);
        ck_assert_ptr_nonnull(b->passes[level]);
    }
    b->codes = malloc(b->segment_length);
    ck_assert_ptr_nonnull(b->codes);
    for (uint32_t i = 0; i < b->segment_length; i++)
        b->codes[i] = (uint8_t)(strchr(letters, b->segment[i]) - letters);
    build_tables(b);
}

static void tear_down(struct bench *b)
{
    for (int level = 0; level < CPU_LEVELS; level++)
        pass_destroy(b->passes[level]);
    bloom_index_destroy(b->index);
    sequences_destroy(&b->query);
    sequences_destroy(&b->database);
    bloom_destroy(b->bloom);
    sram_table_destroy(b->table);
    free(b->segment);
    free(b->shown);
    free(b->codes);
}

static void expect_match(const struct bench *b, uint32_t query_position, uint64_t position,
                         struct tokens *expected, struct pass_counts *counts)
{
    struct ungapped_result r = ungapped_extend(&b->setting->rules.stage2, b->codes, b->segment_length,
                                               query_position, &b->database, position);
    tokens_add_match(expected, r.passed);
    counts->matches++;
    counts->hsps += r.passed;
    if (r.passed)
        tokens_add_hsp(expected, (struct hsp){query_position, position});
}

/* Matches of the w-mer: where its letters stand in the segment, in order. */
static uint32_t expect_matches(const struct bench *b, uint64_t position, struct tokens *expected,
                               struct pass_counts *counts)
{
    const char *wmer = b->setting->database + position + 1 - WMER_BASES;
    uint32_t found = 0;
    for (uint32_t i = 0; i + WMER_BASES <= b->segment_length; i++)
        if (strncmp(b->shown + i, wmer, WMER_BASES) == 0) {
            expect_match(b, i + WMER_BASES - 1, position, expected, counts);
            found++;
        }
    return found;
}

/* The trips through a list: entries a trip, and how many of these are the w-mer's own. */
static void expect_trips(const struct bench *b, const struct lookup *list, uint32_t wmer,
                         struct tokens *expected, struct pass_counts *counts)
{
    unsigned a_trip = b->setting->rules.sram.trip_positions, groups = 0;
    for (uint32_t i = 0; i < list->entry_count;) {
        unsigned entries = 0, own = 0;
        for (; entries < a_trip && i < list->entry_count; entries++, i++)
            own += list->entries[i].wmer == wmer;
        tokens_add_group(expected, own, entries);
        counts->sram_reads += entries / 2 + entries % 2;
        groups++;
    }
    tokens_add_seed(expected, LOOKUP_DUPLICATE, groups);
    counts->trips += groups;
    counts->lookups_duplicate++;
}

/* The probes of a chain: a w-mer's positions lie in places of inline_positions each, and reading ends behind those of
 * the wanted w-mer. */
static void expect_probes(const struct bench *b, const struct lookup *list, uint32_t wmer,
                          struct tokens *expected, struct pass_counts *counts)
{
    const struct sram_entry *key = list->entries, *end = key + list->entry_count;
    unsigned places = 0;
    for (bool found = false; key < end && !found;) {
        uint32_t positions = 0, of = key->wmer;
        for (; key < end && key->wmer == of; key++)
            positions++;
        found = of == wmer;
        for (unsigned place; positions > 0; positions -= place, places++) {
            place = positions < b->setting->rules.sram.inline_positions
                        ? positions
                        : b->setting->rules.sram.inline_positions;
            tokens_add_group(expected, found ? place : 0, place);
            counts->sram_reads += place / 2 + place % 2;
        }
    }
    tokens_add_seed(expected, LOOKUP_DUPLICATE, places);
    counts->trips += places;
    counts->lookups_duplicate++;
}

static void expect_seed(const struct bench *b, uint64_t position, struct tokens *expected,
                        struct pass_counts *counts)
{
    uint32_t wmer = wmer_of(b->setting->database + position + 1 - WMER_BASES);
    struct lookup lookup = sram_table_lookup(b->table, wmer);
    uint32_t matches = expect_matches(b, position, expected, counts);
    counts->seeds++;
    counts->sram_reads++;
    counts->bloom_false += matches == 0;
    if (lookup.outcome == LOOKUP_DUPLICATE) {
        if (b->setting->rules.sram.collision == COLLISION_PROBE)
            expect_probes(b, &lookup, wmer, expected, counts);
        else
            expect_trips(b, &lookup, wmer, expected, counts);
        counts->duplicate_false += matches == 0;
        return;
    }
    ck_assert_int_eq(lookup.outcome == LOOKUP_MATCH, matches > 0);
    tokens_add_seed(expected, lookup.outcome, matches > 0);
    if (matches > 0)
        tokens_add_group(expected, matches, 0);
    counts->lookups_match += lookup.outcome == LOOKUP_MATCH;
    counts->lookups_mismatch += lookup.outcome == LOOKUP_MISMATCH;
    counts->lookups_empty += lookup.outcome == LOOKUP_EMPTY;
}

/* Position after position; behind the database's end the last word's filling is invalid. */
static void expect_all(const struct bench *b, struct tokens *expected, struct pass_counts *counts)
{
    const char *text = b->setting->database;
    for (uint64_t word = 0; word < b->database.word_count; word++) {
        uint64_t seeds_before = counts->seeds;
        for (uint64_t p = word * BASES_PER_WORD; p < (word + 1) * BASES_PER_WORD; p++) {
            bool valid =
                p + 1 >= WMER_BASES && p < b->database.positions && is_wmer(text + p + 1 - WMER_BASES);
            counts->wmers++;
            counts->invalid_wmers += !valid;
            if (valid && bloom_may_contain(b->bloom, wmer_of(text + p + 1 - WMER_BASES)))
                expect_seed(b, p, expected, counts);
        }
        counts->words++;
        tokens_add_word(expected, (unsigned)(counts->seeds - seeds_before));
    }
}

/* --- comparing ------------------------------------------------------------------------------------------- */

static void check_tokens_equal(const struct tokens *a, const struct tokens *b)
{
    ck_assert_uint_eq(a->word_count, b->word_count);
    ck_assert_uint_eq(a->seed_count, b->seed_count);
    ck_assert_uint_eq(a->group_count, b->group_count);
    ck_assert_uint_eq(a->match_count, b->match_count);
    ck_assert_uint_eq(a->hsp_count, b->hsp_count);
    for (size_t i = 0; i < a->word_count; i++)
        if (a->words[i] != b->words[i])
            ck_abort_msg("word %zu: %u seeds, expected %u", i, a->words[i], b->words[i]);
    for (size_t i = 0; i < a->seed_count; i++)
        if (a->seeds[i].outcome != b->seeds[i].outcome || a->seeds[i].groups != b->seeds[i].groups)
            ck_abort_msg("seed %zu differs", i);
    for (size_t i = 0; i < a->group_count; i++)
        if (a->groups[i].matches != b->groups[i].matches || a->groups[i].entries != b->groups[i].entries)
            ck_abort_msg("group %zu differs", i);
    for (size_t i = 0; i < a->match_count; i++)
        if (a->matches[i] != b->matches[i])
            ck_abort_msg("match %zu differs", i);
    for (size_t i = 0; i < a->hsp_count; i++)
        if (a->hsps[i].query_position != b->hsps[i].query_position ||
            a->hsps[i].database_position != b->hsps[i].database_position)
            ck_abort_msg("HSP %zu differs", i);
}

static void check_counts_equal(const struct pass_counts *a, const struct pass_counts *b)
{
    ck_assert_uint_eq(a->words, b->words);
    ck_assert_uint_eq(a->wmers, b->wmers);
    ck_assert_uint_eq(a->invalid_wmers, b->invalid_wmers);
    ck_assert_uint_eq(a->seeds, b->seeds);
    ck_assert_uint_eq(a->bloom_false, b->bloom_false);
    ck_assert_uint_eq(a->lookups_empty, b->lookups_empty);
    ck_assert_uint_eq(a->lookups_mismatch, b->lookups_mismatch);
    ck_assert_uint_eq(a->lookups_match, b->lookups_match);
    ck_assert_uint_eq(a->lookups_duplicate, b->lookups_duplicate);
    ck_assert_uint_eq(a->duplicate_false, b->duplicate_false);
    ck_assert_uint_eq(a->trips, b->trips);
    ck_assert_uint_eq(a->sram_reads, b->sram_reads);
    ck_assert_uint_eq(a->matches, b->matches);
    ck_assert_uint_eq(a->hsps, b->hsps);
}

/* What holds whatever the data: each level's sums are the next level's numbers. */
static void check_sums(const struct tokens *t, const struct pass_counts *c)
{
    uint64_t seeds = 0, groups = 0, matches = 0, passed = 0, reads = 0;
    for (size_t i = 0; i < t->word_count; i++)
        seeds += t->words[i];
    for (size_t i = 0; i < t->seed_count; i++)
        groups += t->seeds[i].groups;
    for (size_t i = 0; i < t->group_count; i++) {
        matches += t->groups[i].matches;
        reads += group_sram_reads(t->groups[i]);
    }
    for (size_t i = 0; i < t->match_count; i++)
        passed += t->matches[i];
    ck_assert_uint_eq(seeds, t->seed_count);
    ck_assert_uint_eq(groups, t->group_count);
    ck_assert_uint_eq(matches, t->match_count);
    ck_assert_uint_eq(passed, t->hsp_count);
    ck_assert_uint_eq(c->words, t->word_count);
    ck_assert_uint_eq(c->seeds, seeds);
    ck_assert_uint_eq(c->matches, matches);
    ck_assert_uint_eq(c->hsps, passed);
    ck_assert_uint_eq(c->lookups_empty + c->lookups_mismatch + c->lookups_match + c->lookups_duplicate,
                      seeds);
    ck_assert_uint_eq(c->trips + c->lookups_match, groups);
    ck_assert_uint_eq(c->sram_reads, seeds + reads);
    ck_assert_uint_le(c->invalid_wmers + c->seeds, c->wmers);
}

/* Every HSP is in the word that its seed is counted in. */
static void check_words(const struct tokens *t, uint64_t first_word)
{
    size_t seed = 0, group = 0, match = 0, hsp = 0;
    ck_assert(t->has_positions);
    ck_assert_uint_eq(t->first_word, first_word);
    for (size_t word = 0; word < t->word_count; word++)
        for (const size_t seeds_end = seed + t->words[word]; seed < seeds_end; seed++)
            for (const size_t groups_end = group + t->seeds[seed].groups; group < groups_end; group++)
                for (const size_t end = match + t->groups[group].matches; match < end; match++)
                    if (t->matches[match])
                        ck_assert_uint_eq(t->hsps[hsp++].database_position / BASES_PER_WORD,
                                          first_word + word);
    ck_assert_uint_eq(hsp, t->hsp_count);
}

static void append_tokens(struct tokens *all, const struct tokens *block)
{
    for (size_t i = 0; i < block->word_count; i++)
        tokens_add_word(all, block->words[i]);
    for (size_t i = 0; i < block->seed_count; i++)
        tokens_add_seed(all, (enum lookup_outcome)block->seeds[i].outcome, block->seeds[i].groups);
    for (size_t i = 0; i < block->group_count; i++)
        tokens_add_group(all, block->groups[i].matches, block->groups[i].entries);
    for (size_t i = 0; i < block->match_count; i++)
        tokens_add_match(all, block->matches[i]);
    for (size_t i = 0; i < block->hsp_count; i++)
        tokens_add_hsp(all, block->hsps[i]);
}

/* In blocks of 0 .. 6 words. */
static void check_blockwise_scan(const struct bench *b, struct pass *pass, const struct tokens *whole,
                                 const struct pass_counts *counts, uint64_t *state)
{
    struct tokens all = {0}, block = {0};
    struct pass_counts sums = {0};
    for (uint64_t first = 0; first < b->database.word_count;) {
        uint64_t left = b->database.word_count - first, count = random_below(state, 7);
        count = count < left ? count : left;
        pass_scan(pass, first, count, &block, &sums);
        check_words(&block, first);
        append_tokens(&all, &block);
        first += count;
    }
    check_tokens_equal(&all, whole);
    check_counts_equal(&sums, counts);
    tokens_destroy(&all);
    tokens_destroy(&block);
}

/* Every vector level's pass against the naive one. */
static void check_pass(const struct setting *setting, struct pass_counts *counts, uint64_t *state)
{
    struct bench b;
    set_up(&b, setting);
    struct tokens found = {0}, expected = {0};
    struct pass_counts naive = {0};
    expect_all(&b, &expected, &naive);
    for (enum cpu_level level = CPU_PORTABLE; level <= cpu_best_level(); level++) {
        struct pass *pass = b.passes[level];
        *counts = (struct pass_counts){0};
        pass_scan(pass, 0, b.database.word_count, &found, counts);
        check_tokens_equal(&found, &expected);
        check_counts_equal(counts, &naive);
        check_sums(&found, counts);
        check_words(&found, 0);
        check_blockwise_scan(&b, pass, &found, counts, state);
        struct sram_load load = pass_sram_load(pass), same = sram_table_load(b.table);
        ck_assert_int_eq(memcmp(&load, &same, sizeof load), 0);
    }
    tokens_destroy(&found);
    tokens_destroy(&expected);
    tear_down(&b);
}

/* --- core ------------------------------------------------------------------------------------------------ */

static const struct {
    struct pass_rules rules;
    enum strand strand;
} cases[] = {
    {{{6, 131072, HASH_XXH3, 1}, {131072, HASH_DISPLACED, 2, 5, 32768, 1}, {64, 1, -3, 16, false}},
     STRAND_PLUS},
    {{{2, 4096, HASH_XXH3, 2}, {1024, HASH_XXH3, 2, 5, 0, 2}, {64, 1, -3, 14, true}}, STRAND_MINUS},
    {{{1, 8192, HASH_H3, 3}, {256, HASH_H3, 1, 1, 0, 3}, {32, 1, -2, 12, false}}, STRAND_PLUS},
    {{{3, 1000, HASH_XXH3, 4}, {3000, HASH_DISPLACED, 4, 3, 500, 4}, {100, 5, -4, 80, true}}, STRAND_MINUS},
    {{{2, 2048, HASH_H3, 5}, {20, HASH_XXH3, 2, 255, 0, 5}, {11, 1, -3, 11, false}}, STRAND_PLUS},
    {{{1, 8192, HASH_XXH3, 6}, {1024, HASH_XXH3, 2, 5, 0, 6, COLLISION_PROBE}, {64, 1, -3, 14, true}},
     STRAND_PLUS},
    {{{1, 8192, HASH_H3, 7}, {64, HASH_H3, 3, 5, 0, 7, COLLISION_PROBE}, {32, 1, -2, 12, false}},
     STRAND_MINUS},
    {{{4, 700, HASH_XXH3, 6}, {1, HASH_H3, 2, 7, 0, 6}, {256, 1, -3, 20, false}}, STRAND_MINUS},
    /* Choosing these displacements takes more memory than what comes in its place later. */
    {{{3, 1000, HASH_XXH3, 8}, {3000, HASH_DISPLACED, 1, 3, 500000, 8}, {64, 1, -3, 16, false}}, STRAND_PLUS},
};

/* A query of 600 positions, a segment out of its middle, a database with pieces of that: of 4000 bases, or of more
 * words than are worked on together. In the second half of the tests, parts of the query are masked. */
START_TEST(test_tokens_and_counts_equal_a_naive_search)
{
    const int number = _i % COUNT_OF(cases);
    uint64_t state = random_state(_i);
    struct setting s = {cases[number].rules,
                        random_text(600, &state),
                        random_text((_i % 2 ? 4000 : 40000) + (size_t)_i, &state),
                        {cases[number].strand, 37, 500},
                        .is_masked = _i >= COUNT_OF(cases)};
    plant(s.query, s.query, 15, &state);
    char *strand = s.segment.strand == STRAND_MINUS ? reverse_complement(s.query) : copy_of(s.query, 600);
    plant(s.database, strand + s.segment.begin, 40, &state);
    struct pass_counts counts;
    check_pass(&s, &counts, &state);
    ck_assert_uint_gt(counts.matches, 100); /* else the inputs prove nothing */
    ck_assert_uint_gt(counts.hsps, 10);
    if (!s.is_masked)
        ck_assert_uint_gt(counts.lookups_duplicate, 0);
    ck_assert_uint_gt(counts.invalid_wmers, 100);
    if (number > 0)
        ck_assert_uint_gt(counts.bloom_false, 10);
    free(strand);
    free(s.query);
    free(s.database);
}
END_TEST

/* --- limits and errors ----------------------------------------------------------------------------------- */

static const struct pass_rules defaults = {
    {6, 131072, HASH_XXH3, 1}, {131072, HASH_DISPLACED, 2, 5, 32768, 1}, {64, 1, -3, 16, false}};

static struct pass_counts counts_of(const char *query, const char *database)
{
    uint64_t state = random_state(0);
    struct setting s = {defaults,
                        copy_of(query, strlen(query)),
                        copy_of(database, strlen(database)),
                        {STRAND_PLUS, 0, (uint32_t)strlen(query)}};
    struct pass_counts counts;
    check_pass(&s, &counts, &state);
    free(s.query);
    free(s.database);
    return counts;
}

/* 40 A against 50 A: 40 w-mers end in the database, each at 30 query positions: 1200 matches, 6 trips. */
START_TEST(test_poly_a_against_poly_a)
{
    struct pass_counts c = counts_of("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                                     "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    ck_assert_uint_eq(c.words, 4);
    ck_assert_uint_eq(c.wmers, 64);
    ck_assert_uint_eq(c.invalid_wmers, 24);
    ck_assert_uint_eq(c.seeds, 40);
    ck_assert_uint_eq(c.lookups_duplicate, 40);
    ck_assert_uint_eq(c.matches, 1200);
    ck_assert_uint_eq(c.trips, 240);
    ck_assert_uint_eq(c.sram_reads, 40 + 240 * 3);
}
END_TEST

/* A w-mer across the border of two words, and one in the last position. */
START_TEST(test_wmer_at_every_place_of_a_word)
{
    char database[49];
    for (int begin = 0; begin + WMER_BASES <= 48; begin++) {
        memset(database, 'T', 48);
        database[48] = '\0';
        memcpy(database + begin, "ACGGTACCGCA", WMER_BASES);
        if (begin % 8)
            continue;
        ck_assert_uint_eq(counts_of("ACGGTACCGCA", database).matches, 1);
    }
}
END_TEST

START_TEST(test_scanning_no_words_clears_the_tokens)
{
    struct setting s = {
        defaults, copy_of("ACGTACGTACGT", 12), copy_of("ACGTACGTACGT", 12), {STRAND_PLUS, 0, 12}};
    struct bench b;
    set_up(&b, &s);
    struct tokens tokens = {0};
    struct pass_counts counts = {0};
    pass_scan(b.passes[CPU_PORTABLE], 0, 1, &tokens, &counts);
    ck_assert_uint_eq(tokens.word_count, 1);
    struct pass_counts before = counts;
    pass_scan(b.passes[CPU_PORTABLE], 1, 0, &tokens, &counts);
    ck_assert_uint_eq(tokens.word_count + tokens.seed_count + tokens.group_count + tokens.match_count, 0);
    check_counts_equal(&counts, &before);
    tokens_destroy(&tokens);
    tear_down(&b);
    free(s.query);
    free(s.database);
}
END_TEST

static const char *const hopeless[][2] = {
    {"ACGTACGTAC", "ACGTACGTACGTACGT"},             /* query of 10 bases */
    {"ACGTACGTACGTACGT", "ACGTACGTAC"},             /* database of 10 bases */
    {"NNNNNNNNNNNNNNNN", "NNNNNNNNNNNNNNNN"},       /* N does not match N */
    {"ACGTANCGTACGTANCGTACG", "ACGTANCGTACGTANCG"}, /* an N in every w-mer */
    {"ACGTAC|GTACGTACGT", "ACGTACGTACGTACGT"},      /* the w-mer would cross the query's border */
    {"GGGACCTACGT", "GGGACC|TACGTGGG"},             /* and here the database's */
    {"A", "A"},
};

START_TEST(test_no_match_without_eleven_bases_in_a_row)
{
    struct pass_counts c = counts_of(hopeless[_i][0], hopeless[_i][1]);
    ck_assert_uint_eq(c.matches, 0);
    ck_assert_uint_eq(c.hsps, 0);
}
END_TEST

START_TEST(test_a_sequence_without_a_valid_wmer_is_told)
{
    static const struct {
        const char *text;
        bool has_wmer;
    } texts[] = {
        {"ACGTACGTAC", false},
        {"ACGTACGTACG", true},
        {"ACGTAC|GTACGT", false},
        {"NNNNNNNNNNN", false},
        {"NNNNNNNNACGTACGTACGNNNNN", true},
        {"NNNNNNNNACGTACGTACNNNNNN", false},
    };
    for (int i = 0; i < COUNT_OF(texts); i++) {
        struct sequences s = sequences_of(texts[i].text);
        ck_assert_int_eq(wmer_in_sequences(&s), texts[i].has_wmer);
        sequences_destroy(&s);
    }
}
END_TEST

static Suite *pass_suite(void)
{
    Suite *suite = suite_create("pass");
    TCase *core = tcase_create("core"), *limits = tcase_create("limits"), *errors = tcase_create("errors");
    tcase_set_timeout(core, 30);
    tcase_set_timeout(limits, 30);
    tcase_set_timeout(errors, 30);
    tcase_add_loop_test(core, test_squeeze_and_bad_bases_equal_a_loop, 0, 3);
    tcase_add_test(core, test_each_nibble_alone_is_good_up_to_t);
    tcase_add_loop_test(core, test_every_vector_level_scans_alike, 0, 3);
    tcase_add_loop_test(core, test_a_stretch_tells_its_bases_and_where_others_are, 0, 3);
    tcase_add_loop_test(core, test_wmers_of_two_words_equal_a_loop, 0, 3);
    tcase_add_loop_test(core, test_tokens_and_counts_equal_a_naive_search, 0, 2 * COUNT_OF(cases));
    tcase_add_test(limits, test_poly_a_against_poly_a);
    tcase_add_test(limits, test_wmer_at_every_place_of_a_word);
    tcase_add_test(limits, test_scanning_no_words_clears_the_tokens);
    tcase_add_loop_test(errors, test_no_match_without_eleven_bases_in_a_row, 0, COUNT_OF(hopeless));
    tcase_add_test(errors, test_a_sequence_without_a_valid_wmer_is_told);
    suite_add_tcase(suite, core);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, errors);
    return suite;
}

int main(void)
{
    return run_suite(pass_suite());
}
