#include "blast/pass.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "blast/answers.h"
#include "blast/seed_scan.h"
#include "blast/wmer.h"

/* A w-mer that passed the filter, where it ends, counted from the stretch's first base, and the answer. */
struct seed {
    uint32_t wmer;
    uint32_t offset;
    uint32_t answer;
};

/* Words that are worked on together, and the most seeds they can have. */
enum { STRETCH_WORDS = 1024, STRETCH_SEEDS = STRETCH_WORDS * BASES_PER_WORD };

/* Words whose seeds are listed together, and how many seeds few of these have. */
enum { MASKS_TOGETHER = 4, FEW_SEEDS = 6 };

static_assert(STRETCH_WORDS % MASKS_TOGETHER == 0, "no mask behind a stretch");

struct pass {
    struct pass_rules rules;
    const struct sequences *database;
    enum cpu_level level;
    uint32_t segment_length;
    uint8_t *segment; /* codes, a byte each */
    struct sram_table *table;
    struct ungapped_kernel *stage2;

    struct seed_lines *lines; /* the filter's answers, for the scan */
    struct answers answers;   /* the tables' */

    /* of a stretch */
    uint16_t masks[STRETCH_WORDS];
    uint32_t offsets[STRETCH_SEEDS + FEW_SEEDS];
    struct seed seeds[STRETCH_SEEDS];
    uint32_t listed[STRETCH_SEEDS + 1]; /* numbers of the seeds that are answered with a list */
};

/* --- loading the tables ---------------------------------------------------------------------------------- */

enum { RADIX_BITS = WMER_BITS / 2, RADIX = 1 << RADIX_BITS };

/* Stable counting sort by one half of the w-mer's bits. */
static void sort_by_digit(const struct sram_entry *from, struct sram_entry *to, size_t count, unsigned shift)
{
    uint32_t begins[RADIX + 1] = {0};
    for (size_t i = 0; i < count; i++)
        begins[(from[i].wmer >> shift & (RADIX - 1)) + 1]++;
    for (unsigned digit = 0; digit < RADIX; digit++)
        begins[digit + 1] += begins[digit];
    for (size_t i = 0; i < count; i++)
        to[begins[from[i].wmer >> shift & (RADIX - 1)]++] = from[i];
}

/* Every valid w-mer of `length` codes with its position, sorted; `scratch` is as large as `entries`. */
static size_t list_entries(const uint8_t *codes, uint32_t length, struct sram_entry *entries,
                           struct sram_entry *scratch)
{
    size_t n = 0;
    uint32_t wmer = 0;
    unsigned good = 0;
    for (uint32_t i = 0; i < length; i++) {
        unsigned code = codes[i];
        good = code <= BASE_T ? good + 1 : 0;
        wmer = wmer >> 2 | (code & 3u) << (WMER_BITS - 2);
        if (good >= WMER_BASES)
            entries[n++] = (struct sram_entry){wmer, i};
    }
    sort_by_digit(entries, scratch, n, 0);
    sort_by_digit(scratch, entries, n, RADIX_BITS);
    return n;
}

static void fill_bloom(struct bloom *bloom, enum cpu_level level, const struct sram_entry *entries,
                       size_t count)
{
    enum { SOME = 512 };
    uint32_t wmers[SOME];
    size_t some = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && entries[i].wmer == entries[i - 1].wmer)
            continue;
        wmers[some++] = entries[i].wmer;
        if (some == SOME) {
            bloom_add_many(bloom, level, wmers, some);
            some = 0;
        }
    }
    bloom_add_many(bloom, level, wmers, some);
}

/* The filter's answers, for free(). */
static uint64_t *tabulate_filter(const struct pass *p, const struct sram_entry *entries, size_t count)
{
    struct bloom *bloom = bloom_new(&p->rules.bloom);
    uint64_t *bits = bloom ? malloc(WMER_COUNT / 8) : NULL;
    if (bits) {
        fill_bloom(bloom, p->level, entries, count);
        bloom_tabulate(bloom, p->level, bits);
    }
    bloom_destroy(bloom);
    return bits;
}

/* Everything that is asked during the pass is asked beforehand. */
static bool load_answers(struct pass *p, const struct sram_entry *entries, size_t count)
{
    uint64_t *bits = tabulate_filter(p, entries, count);
    p->lines = bits ? seed_lines_new(bits) : NULL;
    bool loaded = p->lines && answers_load(&p->answers, p->table, bits);
    free(bits);
    return loaded;
}

static bool load_segment(struct pass *p, const struct sequences *query, const struct query_segment *segment)
{
    p->segment_length = segment->length;
    p->segment = malloc(segment->length);
    if (!p->segment)
        return false;
    sequences_unpack(query, segment->strand, segment->begin, segment->length, p->segment);
    p->stage2 = ungapped_kernel_new(&p->rules.stage2, p->segment, p->segment_length, p->database, p->level);
    return p->stage2 != NULL;
}

/* The segment's codes as the tables see them, for free(). */
static uint8_t *unmasked_codes(const struct pass *p, const struct sequences *query,
                               const struct query_segment *segment)
{
    uint8_t *codes = malloc(p->segment_length);
    if (!codes)
        return NULL;
    memcpy(codes, p->segment, p->segment_length);
    sequences_hide_masked(query, segment->strand, segment->begin, segment->length, codes);
    return codes;
}

static bool load_tables(struct pass *p, const uint8_t *codes)
{
    struct sram_entry *entries = malloc(2 * (size_t)p->segment_length * sizeof *entries);
    if (!codes || !entries) {
        free(entries);
        return false;
    }
    size_t count = list_entries(codes, p->segment_length, entries, entries + p->segment_length);
    p->table = sram_table_new(&p->rules.sram, entries, count);
    bool loaded = p->table && load_answers(p, entries, count);
    free(entries);
    return loaded;
}

struct pass *pass_new(const struct pass_rules *rules, const struct sequences *query,
                      const struct query_segment *segment, const struct sequences *database)
{
    struct pass *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->rules = *rules;
    p->database = database;
    p->level = cpu_best_level();
    bool loaded = load_segment(p, query, segment);
    uint8_t *codes = loaded ? unmasked_codes(p, query, segment) : NULL;
    loaded = loaded && load_tables(p, codes);
    free(codes);
    if (loaded)
        return p;
    pass_destroy(p);
    return NULL;
}

void pass_destroy(struct pass *p)
{
    if (!p)
        return;
    sram_table_destroy(p->table);
    ungapped_kernel_destroy(p->stage2);
    free(p->segment);
    seed_lines_destroy(p->lines);
    answers_free(&p->answers);
    free(p);
}

/* --- stages 1b and 2 ------------------------------------------------------------------------------------- */

/* Where the next tokens go: room was made for all of the stretch, so that nothing is checked and these stay in
 * registers. */
struct sink {
    struct seed_token *seed;
    struct group_token *group;
    struct hsp *match; /* stage 2 keeps those that pass */
};

/* One group: the entries of `wmer` among so many of a list. */
static void take_group(const struct sram_entry *entries, uint32_t count, bool trip, uint32_t wmer,
                       uint64_t database_position, struct sink *to)
{
    uint8_t matches = 0;
    for (uint32_t i = 0; i < count; i++) {
        *to->match = (struct hsp){entries[i].position, database_position};
        to->match += entries[i].wmer == wmer;
        matches += entries[i].wmer == wmer;
    }
    *to->group++ = (struct group_token){matches, trip ? (uint8_t)count : 0};
}

static unsigned trips_of(const struct pass *p, const struct answer_list *list)
{
    return (list->entries + p->rules.sram.trip_positions - 1) / p->rules.sram.trip_positions;
}

static void make_trips(const struct pass *p, const struct answer_list *list, uint32_t wmer,
                       uint64_t database_position, struct sink *to, struct pass_counts *counts)
{
    const struct sram_entry *entries = sram_table_entries(p->table) + list->first;
    unsigned a_trip = p->rules.sram.trip_positions, trips = trips_of(p, list);
    *to->seed++ = (struct seed_token){LOOKUP_DUPLICATE, (uint16_t)trips};
    for (uint32_t begin = 0; begin < list->entries; begin += a_trip) {
        uint32_t count = list->entries - begin < a_trip ? list->entries - begin : a_trip;
        take_group(entries + begin, count, true, wmer, database_position, to);
        counts->sram_reads += group_sram_reads(to->group[-1]);
    }
    counts->trips += trips;
    counts->lookups_duplicate++;
    counts->duplicate_false += list->own == 0;
}

static void take_list(const struct pass *p, const struct seed *seed, uint64_t database_position,
                      struct sink *to, struct pass_counts *counts)
{
    const struct answer_list *list = answers_list(&p->answers, seed->answer);
    if (list->duplicate) {
        make_trips(p, list, seed->wmer, database_position, to, counts);
        return;
    }
    *to->seed++ = (struct seed_token){LOOKUP_MATCH, 1};
    take_group(sram_table_entries(p->table) + list->first, list->entries, false, seed->wmer,
               database_position, to);
    counts->lookups_match++;
}

/* Everything but lists goes without a branch: which answer comes next cannot be foretold. */
static void look_up_seeds(const struct pass *p, size_t count, uint64_t first_position, struct sink *to,
                          struct pass_counts *counts)
{
    static const struct seed_token tokens[ANSWER_KINDS] = {
        {LOOKUP_EMPTY, 0}, {LOOKUP_MISMATCH, 0}, {LOOKUP_MATCH, 1}};
    const struct seed *seeds = p->seeds;
    struct sink at = *to;
    uint64_t empty = 0, mismatch = 0, one = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned kind = seeds[i].answer % ANSWER_KINDS;
        uint64_t database_position = first_position + seeds[i].offset;
        if (__builtin_expect(kind == ANSWER_LIST, 0)) {
            take_list(p, &seeds[i], database_position, &at, counts);
            continue;
        }
        *at.seed++ = tokens[kind];
        *at.group = (struct group_token){1, 0};
        *at.match = (struct hsp){seeds[i].answer >> ANSWER_KIND_BITS, database_position};
        at.group += kind == ANSWER_ONE;
        at.match += kind == ANSWER_ONE;
        empty += kind == ANSWER_EMPTY;
        mismatch += kind == ANSWER_MISMATCH;
        one += kind == ANSWER_ONE;
    }
    *to = at;
    counts->lookups_empty += empty;
    counts->lookups_mismatch += mismatch;
    counts->lookups_match += one;
}

/* Room for everything the seeds can come to, and for what is written before it is kept. */
static bool reserve_for_seeds(const struct pass *p, size_t seeds, size_t lists, struct tokens *tokens)
{
    size_t groups = seeds + 1, matches = seeds + p->rules.sram.trip_positions + 1;
    for (size_t i = 0; i < lists; i++) {
        const struct answer_list *list = answers_list(&p->answers, p->seeds[p->listed[i]].answer);
        groups += list->duplicate ? trips_of(p, list) : 1;
        matches += list->own;
    }
    return tokens_reserve(tokens, 0, seeds, groups, matches);
}

static bool run_seeds(const struct pass *p, size_t count, size_t lists, uint64_t first_position,
                      struct tokens *tokens, struct pass_counts *counts)
{
    if (!reserve_for_seeds(p, count, lists, tokens))
        return false;
    struct hsp *matches = tokens->hsps + tokens->hsp_count;
    struct sink to = {tokens->seeds + tokens->seed_count, tokens->groups + tokens->group_count, matches};
    look_up_seeds(p, count, first_position, &to, counts);
    size_t match_count = (size_t)(to.match - matches);
    uint8_t *passed = tokens->matches + tokens->match_count;
    tokens->seed_count = (size_t)(to.seed - tokens->seeds);
    tokens->group_count = (size_t)(to.group - tokens->groups);
    tokens->match_count += match_count;
    tokens->hsp_count += ungapped_kernel_filter(p->stage2, matches, match_count, passed);
    return true;
}

/* --- stage 1a -------------------------------------------------------------------------------------------- */

/* How many bits each mask has; all compilers make vector code of it. */
static inline __attribute__((always_inline)) void count_seeds_any(const uint16_t *masks, uint64_t count,
                                                                  uint8_t *words)
{
    for (uint64_t i = 0; i < count; i++) {
        unsigned pairs = masks[i] - (masks[i] >> 1 & 0x5555u);
        unsigned fours = (pairs & 0x3333u) + (pairs >> 2 & 0x3333u);
        unsigned eights = (fours + (fours >> 4)) & 0x0f0fu;
        words[i] = (uint8_t)(eights + (eights >> 8));
    }
}

/* Where the bits of the masks are, a bit a base; up to three masks behind the last are 0. Most groups of words have few, and
 * how many cannot be foretold: these few are written whether they are there or not. @return their number */
static inline __attribute__((always_inline)) size_t list_offsets_any(const uint16_t *masks, uint64_t count,
                                                                     uint32_t *offsets)
{
    uint32_t *next = offsets;
    for (uint64_t i = 0; i < count; i += MASKS_TOGETHER) {
        uint64_t left = masks[i] | (uint64_t)masks[i + 1] << 16 | (uint64_t)masks[i + 2] << 32 |
                        (uint64_t)masks[i + 3] << 48;
        unsigned seeds = (unsigned)__builtin_popcountll(left);
        uint32_t first = (uint32_t)i * BASES_PER_WORD;
        for (unsigned few = 0; few < FEW_SEEDS; few++, left &= left - 1)
            next[few] = first + (unsigned)__builtin_ctzll(left | UINT64_C(1) << 63);
        for (unsigned many = FEW_SEEDS; many < seeds; many++, left &= left - 1)
            next[many] = first + (unsigned)__builtin_ctzll(left);
        next += seeds;
    }
    return (size_t)(next - offsets);
}

typedef uint32_t squeeze(uint64_t word);

/* The w-mer that ends so many bases behind the first of word `first`. */
static inline __attribute__((always_inline)) uint32_t wmer_at(squeeze *squeezed, const uint64_t *database,
                                                              uint64_t first, uint32_t offset)
{
    uint64_t word = first + offset / BASES_PER_WORD;
    uint64_t previous = word > 0 ? database[word - 1] : UINT64_MAX;
    struct wmer_window window = {(uint64_t)squeezed(database[word]) << 32 | squeezed(previous), 0};
    return wmer_ending_at(window, offset % BASES_PER_WORD);
}

/* Seeds whose answers are looked up together, so that their cache misses overlap. */
enum { BATCH = 64 };

/* The seeds of a stretch with their answers.
 *
 * @return how many of them are answered with a list
 */
static inline __attribute__((always_inline)) size_t find_answers_any(squeeze *squeezed, struct pass *p,
                                                                     uint64_t first, size_t count)
{
    size_t listed = 0;
    for (size_t begin = 0; begin < count; begin += BATCH) {
        size_t end = count - begin < BATCH ? count : begin + BATCH;
        for (size_t i = begin; i < end; i++) {
            uint32_t wmer = wmer_at(squeezed, p->database->words, first, p->offsets[i]);
            p->seeds[i].wmer = wmer;
            p->seeds[i].offset = p->offsets[i];
            __builtin_prefetch(&p->answers.blocks[wmer / 64]);
        }
        for (size_t i = begin; i < end; i++) {
            uint32_t number = answers_number(&p->answers, p->seeds[i].wmer);
            p->seeds[i].answer = number;
            __builtin_prefetch(&p->answers.of_passing[number]);
        }
        for (size_t i = begin; i < end; i++) {
            uint32_t answer = p->answers.of_passing[p->seeds[i].answer];
            p->seeds[i].answer = answer;
            p->listed[listed] = (uint32_t)i;
            listed += answer % ANSWER_KINDS == ANSWER_LIST;
        }
    }
    return listed;
}

#if CPU_HAS_VECTORS
#include <immintrin.h>

CPU_TARGET_AVX2 static void count_seeds_avx2(const uint16_t *masks, uint64_t count, uint8_t *words)
{
    count_seeds_any(masks, count, words);
}

CPU_TARGET_AVX2 static size_t list_offsets_avx2(const uint16_t *masks, uint64_t count, uint32_t *offsets)
{
    return list_offsets_any(masks, count, offsets);
}

CPU_TARGET_AVX2 static inline uint32_t squeeze_avx2(uint64_t word)
{
    return (uint32_t)_pext_u64(word, 0x3333333333333333u);
}

CPU_TARGET_AVX2 static size_t find_answers_avx2(struct pass *p, uint64_t first, size_t count)
{
    return find_answers_any(squeeze_avx2, p, first, count);
}
#endif

/* @return the number of seeds; `lists`: of those answered with a list */
static size_t find_seeds(struct pass *p, uint64_t first, uint64_t count, uint8_t *words, size_t *lists)
{
    size_t seeds;
#if CPU_HAS_VECTORS
    if (p->level >= CPU_AVX2) {
        count_seeds_avx2(p->masks, count, words);
        seeds = list_offsets_avx2(p->masks, count, p->offsets);
        *lists = find_answers_avx2(p, first, seeds);
        return seeds;
    }
#endif
    count_seeds_any(p->masks, count, words);
    seeds = list_offsets_any(p->masks, count, p->offsets);
    *lists = find_answers_any(wmer_squeeze, p, first, seeds);
    return seeds;
}

/* What is written on the way from words to tokens stays in the level-1 or level-2 cache. */
static bool scan_stretch(struct pass *p, uint64_t first, uint64_t count, struct tokens *tokens,
                         struct pass_counts *counts)
{
    counts->invalid_wmers += seed_scan(p->database, first, count, p->lines, p->level, p->masks);
    for (uint64_t behind = count; behind % MASKS_TOGETHER > 0; behind++)
        p->masks[behind] = 0;
    size_t lists, seeds = find_seeds(p, first, count, tokens->words + tokens->word_count, &lists);
    tokens->word_count += count;
    counts->seeds += seeds;
    counts->sram_reads += seeds;
    return run_seeds(p, seeds, lists, first * BASES_PER_WORD, tokens, counts);
}

bool pass_scan(struct pass *p, uint64_t first, uint64_t count, struct tokens *tokens,
               struct pass_counts *counts)
{
    tokens_clear(tokens);
    if (!tokens_reserve(tokens, count, 0, 0, 0))
        return false;
    for (uint64_t done = 0; done < count; done += STRETCH_WORDS) {
        uint64_t left = count - done;
        if (!scan_stretch(p, first + done, left < STRETCH_WORDS ? left : STRETCH_WORDS, tokens, counts))
            return false;
    }
    counts->words += count;
    counts->wmers += count * BASES_PER_WORD;
    counts->matches += tokens->match_count;
    counts->hsps += tokens->hsp_count;
    counts->bloom_false = counts->lookups_empty + counts->lookups_mismatch + counts->duplicate_false;
    return !tokens->out_of_memory;
}

struct sram_load pass_sram_load(const struct pass *p)
{
    return sram_table_load(p->table);
}
