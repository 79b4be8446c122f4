#include "blast/pass.h"

#include <stdlib.h>
#include <string.h>

#include "blast/seed_scan.h"
#include "blast/wmer.h"

enum { OWN_MANY = 255 };

/* What the tables answer for one w-mer that passes the filter. Several positions are in `lists`. */
struct answer {
    uint32_t first;   /* match of one: its position; else index of the first in lists */
    uint16_t entries; /* of the slot's list (duplicate) or of the key (match) */
    uint8_t outcome;  /* enum lookup_outcome */
    uint8_t own;      /* entries of the key itself, OWN_MANY for that many or more */
};

/* A w-mer that passed the filter, and where it ends, counted from the stretch's first base. */
struct seed {
    uint32_t wmer;
    uint32_t offset;
};

struct pass {
    struct pass_rules rules;
    const struct sequences *database;
    enum cpu_level level;
    uint32_t segment_length;
    uint8_t *segment; /* codes, a byte each */
    struct sram_table *table;
    struct ungapped_kernel *stage2;

    /* The filter's answers, and what the tables answer for those that pass, in order of w-mer: the answer of a w-mer
     * is number rank[w / 64] + (bits below it in its word). The three together stay in the level-2 cache. */
    uint64_t *passes_bloom;
    uint32_t *rank;
    struct answer *answers;

    size_t scratch_words; /* scratch of a scan, room for so many words */
    uint16_t *masks;
    struct seed *seeds;
    struct answer *seed_answers;
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

static bool load_bloom(struct pass *p, const struct sram_entry *entries, size_t count)
{
    struct bloom *bloom = bloom_new(&p->rules.bloom);
    p->passes_bloom = malloc(WMER_COUNT / 8);
    bool loaded = bloom && p->passes_bloom;
    if (loaded) {
        for (size_t i = 0; i < count; i++)
            if (i == 0 || entries[i].wmer != entries[i - 1].wmer)
                bloom_add(bloom, entries[i].wmer);
        bloom_tabulate(bloom, p->level, p->passes_bloom);
    }
    bloom_destroy(bloom);
    return loaded;
}

static struct answer answer_of(const struct pass *p, uint32_t wmer)
{
    struct lookup found = sram_table_lookup(p->table, wmer);
    struct answer answer = {.outcome = (uint8_t)found.outcome, .entries = (uint16_t)found.entry_count};
    bool single = found.outcome == LOOKUP_MATCH && found.entry_count == 1;
    if (found.outcome != LOOKUP_EMPTY)
        answer.first = single ? found.entries->position : sram_table_index(p->table, found.entries);
    for (uint32_t i = 0; i < found.entry_count && answer.own < OWN_MANY; i++)
        answer.own += found.entries[i].wmer == wmer;
    return answer;
}

static bool load_answers(struct pass *p)
{
    uint32_t passing = 0;
    p->rank = malloc(WMER_COUNT / 64 * sizeof *p->rank);
    for (uint32_t i = 0; p->rank && i < WMER_COUNT / 64; i++) {
        p->rank[i] = passing;
        passing += (uint32_t)__builtin_popcountll(p->passes_bloom[i]);
    }
    p->answers = malloc((passing + UINT64_C(1)) * sizeof *p->answers);
    if (!p->rank || !p->answers)
        return false;
    struct answer *next = p->answers;
    for (uint32_t i = 0; i < WMER_COUNT / 64; i++)
        for (uint64_t left = p->passes_bloom[i]; left; left &= left - 1)
            *next++ = answer_of(p, i * 64 + (uint32_t)__builtin_ctzll(left));
    return true;
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
    bool loaded = p->table && load_bloom(p, entries, count) && load_answers(p);
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

static void free_scratch(struct pass *p)
{
    free(p->masks);
    free(p->seeds);
    free(p->seed_answers);
}

void pass_destroy(struct pass *p)
{
    if (!p)
        return;
    sram_table_destroy(p->table);
    ungapped_kernel_destroy(p->stage2);
    free(p->segment);
    free(p->passes_bloom);
    free(p->rank);
    free(p->answers);
    free_scratch(p);
    free(p);
}

/* --- stages 1b and 2 ------------------------------------------------------------------------------------- */

/* Where the next tokens go: room was made for all of the stretch, so that nothing is checked and these stay in
 * registers. */
struct sink {
    struct seed_token *seed;
    struct group_token *group;
    uint8_t *match;
    struct hsp *hsp;
};

static inline void extend_match(const struct pass *p, uint32_t query_position, uint64_t database_position,
                                struct sink *to)
{
    bool passed = ungapped_kernel_passes(p->stage2, query_position, database_position);
    *to->match++ = passed;
    *to->hsp = (struct hsp){query_position, database_position};
    to->hsp += passed;
}

/* One group: the entries of `wmer` among so many of a list. */
static inline void take_group(const struct pass *p, const struct sram_entry *entries, uint32_t count,
                              bool trip, uint32_t wmer, uint64_t database_position, struct sink *to)
{
    uint8_t matches = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].wmer != wmer)
            continue;
        extend_match(p, entries[i].position, database_position, to);
        matches++;
    }
    *to->group++ = (struct group_token){matches, trip ? (uint8_t)count : 0};
}

static inline unsigned trips_of(const struct pass *p, struct answer answer)
{
    return (answer.entries + p->rules.sram.trip_positions - 1) / p->rules.sram.trip_positions;
}

static void make_trips(const struct pass *p, struct answer answer, uint32_t wmer, uint64_t database_position,
                       struct sink *to, struct pass_counts *counts)
{
    const struct sram_entry *list = sram_table_entries(p->table) + answer.first;
    unsigned a_trip = p->rules.sram.trip_positions, trips = trips_of(p, answer);
    *to->seed++ = (struct seed_token){LOOKUP_DUPLICATE, (uint16_t)trips};
    for (uint32_t begin = 0; begin < answer.entries; begin += a_trip) {
        uint32_t entries = answer.entries - begin < a_trip ? answer.entries - begin : a_trip;
        take_group(p, list + begin, entries, true, wmer, database_position, to);
        counts->sram_reads += group_sram_reads(to->group[-1]);
    }
    counts->trips += trips;
    counts->lookups_duplicate++;
    counts->duplicate_false += answer.own == 0;
}

static inline void take_match(const struct pass *p, struct answer answer, uint32_t wmer,
                              uint64_t database_position, struct sink *to)
{
    *to->seed++ = (struct seed_token){LOOKUP_MATCH, 1};
    if (answer.entries > 1) {
        take_group(p, sram_table_entries(p->table) + answer.first, answer.entries, false, wmer,
                   database_position, to);
        return;
    }
    extend_match(p, answer.first, database_position, to);
    *to->group++ = (struct group_token){1, 0};
}

static void look_up_seeds(const struct pass *p, size_t count, uint64_t first_position, struct sink *to,
                          struct pass_counts *counts)
{
    uint64_t outcomes[LOOKUP_DUPLICATE + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        struct answer answer = p->seed_answers[i];
        uint64_t database_position = first_position + p->seeds[i].offset;
        outcomes[answer.outcome]++;
        if (answer.outcome == LOOKUP_MATCH)
            take_match(p, answer, p->seeds[i].wmer, database_position, to);
        else if (answer.outcome == LOOKUP_DUPLICATE)
            make_trips(p, answer, p->seeds[i].wmer, database_position, to, counts);
        else
            *to->seed++ = (struct seed_token){answer.outcome, 0};
    }
    counts->lookups_empty += outcomes[LOOKUP_EMPTY];
    counts->lookups_mismatch += outcomes[LOOKUP_MISMATCH];
    counts->lookups_match += outcomes[LOOKUP_MATCH];
}

/* Room for everything the seeds can come to. */
static bool reserve_for_seeds(const struct pass *p, size_t count, struct tokens *tokens)
{
    size_t groups = 0, matches = 0;
    for (size_t i = 0; i < count; i++) {
        struct answer answer = p->seed_answers[i];
        groups += answer.outcome == LOOKUP_DUPLICATE ? trips_of(p, answer) : 1;
        matches += answer.own < OWN_MANY ? answer.own : answer.entries;
    }
    return tokens_reserve(tokens, 0, count, groups, matches + 1); /* an HSP is written before it is kept */
}

static bool run_seeds(const struct pass *p, size_t count, uint64_t first_position, struct tokens *tokens,
                      struct pass_counts *counts)
{
    if (!reserve_for_seeds(p, count, tokens))
        return false;
    struct sink to = {tokens->seeds, tokens->groups, tokens->matches, tokens->hsps};
    look_up_seeds(p, count, first_position, &to, counts);
    tokens->seed_count = (size_t)(to.seed - tokens->seeds);
    tokens->group_count = (size_t)(to.group - tokens->groups);
    tokens->match_count = (size_t)(to.match - tokens->matches);
    tokens->hsp_count = (size_t)(to.hsp - tokens->hsps);
    return true;
}

/* --- stage 1a -------------------------------------------------------------------------------------------- */

static size_t list_seeds(const struct pass *p, uint64_t first, uint64_t count, struct tokens *tokens)
{
    size_t n = 0;
    for (uint64_t i = 0; i < count; i++) {
        unsigned mask = p->masks[i];
        tokens->words[i] = (uint8_t)__builtin_popcount(mask);
        if (!mask)
            continue;
        uint64_t index = first + i;
        uint64_t previous = index > 0 ? p->database->words[index - 1] : UINT64_MAX;
        struct wmer_window window = wmer_window(previous, p->database->words[index]);
        for (; mask; mask &= mask - 1) {
            unsigned last = (unsigned)__builtin_ctz(mask);
            p->seeds[n++] =
                (struct seed){wmer_ending_at(window, last), (uint32_t)(i * BASES_PER_WORD + last)};
        }
    }
    tokens->word_count = count;
    return n;
}

static inline __attribute__((always_inline)) void find_answers_any(struct pass *p, size_t seeds)
{
    for (size_t i = 0; i < seeds; i++) {
        uint32_t wmer = p->seeds[i].wmer;
        uint64_t below = p->passes_bloom[wmer / 64] & ((UINT64_C(1) << (wmer % 64)) - 1);
        p->seed_answers[i] = p->answers[p->rank[wmer / 64] + (uint32_t)__builtin_popcountll(below)];
    }
}

#if CPU_HAS_VECTORS
/* With the instruction that counts bits, which the portable form has to do without. */
CPU_TARGET_AVX2 static void find_answers_avx2(struct pass *p, size_t seeds)
{
    find_answers_any(p, seeds);
}
#endif

/* All of a stretch at once, so that the cache misses of many overlap. */
static void find_answers(struct pass *p, size_t seeds)
{
#if CPU_HAS_VECTORS
    if (p->level >= CPU_AVX2) {
        find_answers_avx2(p, seeds);
        return;
    }
#endif
    find_answers_any(p, seeds);
}

static bool make_scratch(struct pass *p, uint64_t words)
{
    if (words <= p->scratch_words)
        return true;
    free_scratch(p);
    p->masks = malloc(words * sizeof *p->masks);
    p->seeds = malloc(words * BASES_PER_WORD * sizeof *p->seeds);
    p->seed_answers = malloc(words * BASES_PER_WORD * sizeof *p->seed_answers);
    p->scratch_words = p->masks && p->seeds && p->seed_answers ? words : 0;
    return p->scratch_words > 0;
}

/* A stretch short enough for offsets of 32 bits. */
static bool scan_stretch(struct pass *p, uint64_t first, uint64_t count, struct tokens *tokens,
                         struct pass_counts *counts)
{
    if (!make_scratch(p, count) || !tokens_reserve(tokens, count, 0, 0, 0))
        return false;
    counts->invalid_wmers += seed_scan(p->database, first, count, p->passes_bloom, p->level, p->masks);
    size_t seeds = list_seeds(p, first, count, tokens);
    find_answers(p, seeds);
    if (!run_seeds(p, seeds, first * BASES_PER_WORD, tokens, counts))
        return false;
    counts->seeds += seeds;
    counts->sram_reads += seeds;
    return true;
}

bool pass_scan(struct pass *p, uint64_t first, uint64_t count, struct tokens *tokens,
               struct pass_counts *counts)
{
    tokens_clear(tokens);
    if (count > 0 && !scan_stretch(p, first, count, tokens, counts))
        return false;
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
