#include "blast/pass.h"

#include <stdlib.h>
#include <string.h>

#include "blast/wmer.h"

struct pass {
    struct pass_rules rules;
    const struct sequences *database;
    uint8_t *segment; /* codes, a byte each */
    uint32_t segment_length;
    uint64_t *passes_bloom; /* a bit a w-mer */
    struct sram_table *table;
};

static int compare_entries(const void *a, const void *b)
{
    const struct sram_entry *x = a, *y = b;
    if (x->wmer != y->wmer)
        return x->wmer < y->wmer ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

/* Every valid w-mer of the segment with its position, sorted. */
static size_t list_entries(const struct pass *p, struct sram_entry *entries)
{
    size_t n = 0;
    uint32_t wmer = 0;
    unsigned good = 0;
    for (uint32_t i = 0; i < p->segment_length; i++) {
        unsigned code = p->segment[i];
        good = code <= BASE_T ? good + 1 : 0;
        wmer = wmer >> 2 | (code & 3u) << (WMER_BITS - 2);
        if (good >= WMER_BASES)
            entries[n++] = (struct sram_entry){wmer, i};
    }
    qsort(entries, n, sizeof *entries, compare_entries);
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
        bloom_tabulate(bloom, cpu_best_level(), p->passes_bloom);
    }
    bloom_destroy(bloom);
    return loaded;
}

struct pass *pass_new(const struct pass_rules *rules, const struct sequences *query,
                      const struct query_segment *segment, const struct sequences *database)
{
    struct sram_entry *entries = malloc((size_t)segment->length * sizeof *entries);
    struct pass *p = calloc(1, sizeof *p);
    if (!p || !entries)
        goto fail;
    p->rules = *rules;
    p->database = database;
    p->segment_length = segment->length;
    p->segment = malloc(segment->length);
    if (!p->segment)
        goto fail;
    sequences_unpack(query, segment->strand, segment->begin, segment->length, p->segment);
    size_t count = list_entries(p, entries);
    p->table = sram_table_new(&rules->sram, entries, count);
    if (!p->table || !load_bloom(p, entries, count))
        goto fail;
    free(entries);
    return p;
fail:
    free(entries);
    pass_destroy(p);
    return NULL;
}

void pass_destroy(struct pass *p)
{
    if (!p)
        return;
    sram_table_destroy(p->table);
    free(p->passes_bloom);
    free(p->segment);
    free(p);
}

static void extend_match(const struct pass *p, uint32_t query_position, uint64_t database_position,
                         struct tokens *tokens, struct pass_counts *counts)
{
    struct ungapped_result extension = ungapped_extend(&p->rules.stage2, p->segment, p->segment_length,
                                                       query_position, p->database, database_position);
    tokens_add_match(tokens, extension.passed);
    counts->matches++;
    if (!extension.passed)
        return;
    tokens_add_hsp(tokens, (struct hsp){query_position, database_position});
    counts->hsps++;
}

/* One group: the entries of `wmer` among [begin, end) of a lookup's list. */
static unsigned take_group(const struct pass *p, const struct lookup *found, uint32_t begin, uint32_t end,
                           uint32_t wmer, uint64_t database_position, struct tokens *tokens,
                           struct pass_counts *counts)
{
    unsigned matches = 0;
    for (uint32_t i = begin; i < end; i++) {
        if (found->entries[i].wmer != wmer)
            continue;
        extend_match(p, found->entries[i].position, database_position, tokens, counts);
        matches++;
    }
    return matches;
}

static void make_trips(const struct pass *p, const struct lookup *found, uint32_t wmer,
                       uint64_t database_position, struct tokens *tokens, struct pass_counts *counts)
{
    unsigned a_trip = p->rules.sram.trip_positions;
    unsigned trips = (found->entry_count + a_trip - 1) / a_trip;
    tokens_add_seed(tokens, LOOKUP_DUPLICATE, trips);
    uint64_t matches_before = counts->matches;
    for (uint32_t begin = 0; begin < found->entry_count; begin += a_trip) {
        uint32_t end = begin + a_trip < found->entry_count ? begin + a_trip : found->entry_count;
        unsigned matches = take_group(p, found, begin, end, wmer, database_position, tokens, counts);
        tokens_add_group(tokens, matches, end - begin);
        counts->sram_reads += group_sram_reads((struct group_token){.entries = (uint8_t)(end - begin)});
    }
    counts->trips += trips;
    counts->lookups_duplicate++;
    counts->duplicate_false += counts->matches == matches_before;
}

static void look_up_seed(const struct pass *p, uint32_t wmer, uint64_t database_position,
                         struct tokens *tokens, struct pass_counts *counts)
{
    struct lookup found = sram_table_lookup(p->table, wmer);
    counts->seeds++;
    counts->sram_reads++;
    switch (found.outcome) {
    case LOOKUP_EMPTY:
        counts->lookups_empty++;
        tokens_add_seed(tokens, LOOKUP_EMPTY, 0);
        break;
    case LOOKUP_MISMATCH:
        counts->lookups_mismatch++;
        tokens_add_seed(tokens, LOOKUP_MISMATCH, 0);
        break;
    case LOOKUP_MATCH:
        counts->lookups_match++;
        tokens_add_seed(tokens, LOOKUP_MATCH, 1);
        tokens_add_group(
            tokens, take_group(p, &found, 0, found.entry_count, wmer, database_position, tokens, counts), 0);
        break;
    case LOOKUP_DUPLICATE:
        make_trips(p, &found, wmer, database_position, tokens, counts);
        break;
    }
}

static void scan_word(const struct pass *p, uint64_t index, struct tokens *tokens, struct pass_counts *counts)
{
    uint64_t previous = index > 0 ? p->database->words[index - 1] : UINT64_MAX;
    struct wmer_window window = wmer_window(previous, p->database->words[index]);
    unsigned seeds = 0;
    for (unsigned last = 0; last < BASES_PER_WORD; last++) {
        uint32_t wmer = wmer_ending_at(window, last);
        if (window.bad && !wmer_is_valid(window, last)) {
            counts->invalid_wmers++;
            continue;
        }
        if (!(p->passes_bloom[wmer / 64] >> (wmer % 64) & 1))
            continue;
        look_up_seed(p, wmer, index * BASES_PER_WORD + last, tokens, counts);
        seeds++;
    }
    tokens_add_word(tokens, seeds);
}

bool pass_scan(struct pass *p, uint64_t first, uint64_t count, struct tokens *tokens,
               struct pass_counts *counts)
{
    tokens_clear(tokens);
    for (uint64_t i = first; i < first + count; i++)
        scan_word(p, i, tokens, counts);
    counts->words += count;
    counts->wmers += count * BASES_PER_WORD;
    counts->bloom_false = counts->lookups_empty + counts->lookups_mismatch + counts->duplicate_false;
    return !tokens->out_of_memory;
}

struct sram_load pass_sram_load(const struct pass *p)
{
    return sram_table_load(p->table);
}
