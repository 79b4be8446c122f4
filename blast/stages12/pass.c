#include "blast/stages12/pass.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"
#include "base/memory.h"
#include "blast/stages12/database_stretch.h"
#include "blast/stages12/lookup_cache.h"
#include "blast/stages12/seed_scan.h"
#include "blast/stages12/wmer.h"

enum {
    STRETCH_SEEDS = STRETCH_WORDS * BASES_PER_WORD, /* largest number of seeds in a stretch */
    BATCH = 256,                       /* seeds looked up together, so that cache misses overlap */
    MATCHES = 2048,                    /* matches collected before stage 2 runs */
    MATCHES_ROOM = MATCHES + 2 * BATCH /* a batch of seeds with at most two matches each still has room */
};

static_assert(sizeof(struct pass_counts) % sizeof(uint64_t) == 0, "counts are uint64_t");
static_assert(STRETCH_SEEDS <= UINT16_MAX, "a seed's offset fits 16 bits");

/* What is computed of the present stretch. */
struct pass_scanner {
    const struct pass *pass;
    struct database_stretch stretch;
    uint16_t masks[STRETCH_WORDS];       /* of the seeds that end in each word */
    uint16_t offsets[STRETCH_SEEDS + 8]; /* of the seeds; eight are written at a time */
    struct match matches[MATCHES_ROOM];
};

/* All that stages 1a and 1b need of the segment, computed before the database streams: the Bloom filter and the SRAM
 * tables, whose answers for every w-mer are laid out for the scan (seed_scan.h) and for looking up (lookup_cache.h).
 *
 * This is done once per pass, in a process of its own, in which the first access to a page of 2 MiB costs as much as a
 * million instructions. So all lies in one piece of memory, and what building needs lies where the results come
 * later: two such pages, and some small ones, hold the tables of a full segment.
 *
 *     while building  [ entries | what building the SRAM tables needs | blocks | SRAM tables | answers | lists ]
 *     afterwards      [ lines, 2 MiB                                  | blocks | SRAM tables | answers | lists ] */
struct segment_tables {
    struct seed_lines *lines;    /* the filter's answers, for the scan */
    struct sram_table *table;    /* the SRAM tables */
    struct lookup_cache answers; /* the answers of these */
    char *memory;                /* in which they lie */
    size_t bytes;
};

/* Once it is loaded, scanning changes nothing but `scanner`. */
struct pass {
    struct pass_rules rules;
    const struct sequences *database;
    enum cpu_level level;
    uint32_t segment_length;
    uint8_t *segment; /* codes, a byte each */
    struct segment_tables tables;
    struct ungapped_kernel *stage2;
    struct pass_scanner scanner; /* of pass_scan() */
};

/* --- tables of a segment ---------------------------------------------------------------------------------- */

/* List every valid w-mer of `length` codes with its position. @return the number of entries */
static size_t list_entries(const uint8_t *codes, uint32_t length, struct sram_entry *entries)
{
    size_t n = 0;
    uint32_t wmer = 0;
    unsigned bases = 0; /* number of bases since the last code that is not A, C, G or T */
    for (uint32_t i = 0; i < length; i++) {
        unsigned code = codes[i];
        bases = code <= BASE_T ? bases + 1 : 0;
        wmer = wmer >> 2 | (code & 3u) << (WMER_BITS - 2);
        if (bases >= WMER_BASES)
            entries[n++] = (struct sram_entry){wmer, i};
    }
    return n;
}

/* Where in the memory these begin; entries and lines begin at 0. */
struct layout {
    size_t building, blocks, kept, answers, lists;
    size_t bytes;
};

static size_t whole_lines(size_t bytes)
{
    return (bytes + SEED_LINES_ALIGNMENT - 1) / SEED_LINES_ALIGNMENT * SEED_LINES_ALIGNMENT;
}

/* There is room for all answers that are possible; pages that are never written take no memory. */
static struct layout lay_out(const struct sram_geometry *sram, uint32_t length)
{
    const struct sram_memory_bytes table = sram_memory_bytes(sram, length);
    struct layout at = {.building = whole_lines(length * sizeof(struct sram_entry))};
    const size_t before = at.building + whole_lines(table.building);
    at.blocks = before > SEED_LINES_BYTES ? before : SEED_LINES_BYTES;
    at.kept = at.blocks + LOOKUP_BLOCKS * sizeof(struct wmer_block);
    at.answers = at.kept + whole_lines(table.kept);
    at.lists = at.answers + WMER_COUNT * sizeof(struct answer);
    at.bytes = at.lists + table.lists;
    return at;
}

static void build_sram_table(struct segment_tables *t, const struct layout *at,
                             const struct sram_geometry *geometry, const uint8_t *codes, uint32_t length)
{
    const struct sram_memory memory = {
        .kept = t->memory + at->kept, .building = t->memory + at->building, .lists = t->memory + at->lists};
    struct sram_entry *entries = (struct sram_entry *)t->memory;
    t->table = sram_table_new_in(&memory, geometry, entries, list_entries(codes, length, entries));
}

/* List the w-mers of a table, each once. @param wmers  room for one per entry, and one more  @return their number */
static size_t list_wmers(const struct sram_table *table, uint32_t *wmers)
{
    size_t count = 0;
    for (const struct sram_entry *entry = sram_table_entries(table); entry->wmer < WMER_COUNT; entry++) {
        wmers[count] = entry->wmer;
        count += entry[1].wmer != entry->wmer;
    }
    return count;
}

/* Fill the filter with the w-mers of the SRAM table, and ask it about all.
 *
 * @return number of w-mers that pass
 */
static uint32_t tabulate_filter(const struct segment_tables *t, const struct layout *at, enum cpu_level level,
                                const struct bloom_geometry *geometry, const struct bloom_index *index)
{
    uint32_t *wmers = (uint32_t *)(t->memory + at->building);
    uint64_t *bits = lookup_cache_bits(&t->answers);
    struct bloom *bloom = bloom_new(geometry);
    bloom_add_many(bloom, level, wmers, list_wmers(t->table, wmers));
    const uint32_t passing =
        index ? bloom_tabulate_index(bloom, level, index, bits) : bloom_tabulate(bloom, level, bits);
    bloom_destroy(bloom);
    return passing;
}

static void segment_tables_load(struct segment_tables *t, enum cpu_level level,
                                const struct bloom_geometry *filter, const struct sram_geometry *sram,
                                const uint8_t *codes, uint32_t length, const struct bloom_index *index)
{
    const struct layout at = lay_out(sram, length);
    t->bytes = at.bytes;
    t->memory = huge_pages_new(at.bytes);
    huge_pages_expect(t->memory, at.bytes, at.answers);
    t->answers.blocks = (struct wmer_block *)(t->memory + at.blocks);
    t->answers.of_passing = (struct answer *)(t->memory + at.answers);
    build_sram_table(t, &at, sram, codes, length);
    const uint32_t passing = tabulate_filter(t, &at, level, filter, index);
    huge_pages_expect(t->memory, at.bytes, at.answers + passing * sizeof(struct answer));
    t->lines = seed_lines_make(t->memory, lookup_cache_bits(&t->answers));
    lookup_cache_load(&t->answers, t->table, lookup_cache_bits(&t->answers));
}

/* --- loading the tables ---------------------------------------------------------------------------------- */

static void load_segment(struct pass *p, const struct sequences *query, const struct query_segment *segment)
{
    p->segment_length = segment->length;
    p->segment = memory_take(segment->length);
    sequences_unpack(query, segment->strand, segment->begin, segment->length, p->segment);
    p->stage2 = ungapped_kernel_new(&p->rules.stage2, p->segment, p->segment_length, p->level);
}

static void load_tables(struct pass *p, const struct sequences *query, const struct query_segment *segment,
                        const struct bloom_index *index)
{
    const bool has_masked = mask_count(&query->masked) > 0;
    uint8_t *codes = has_masked ? memory_take(segment->length) : p->segment;
    if (has_masked) {
        memcpy(codes, p->segment, segment->length);
        sequences_hide_masked(query, segment->strand, segment->begin, segment->length, codes);
    }
    segment_tables_load(&p->tables, p->level, &p->rules.bloom, &p->rules.sram, codes, segment->length, index);
    if (has_masked)
        free(codes);
}

struct pass *pass_new_at(enum cpu_level level, const struct pass_rules *rules, const struct sequences *query,
                         const struct query_segment *segment, const struct sequences *database,
                         const struct bloom_index *index)
{
    struct pass *p = memory_new(1, sizeof *p);
    p->rules = *rules;
    p->database = database;
    p->level = level;
    p->scanner.pass = p;
    load_segment(p, query, segment);
    load_tables(p, query, segment, index);
    return p;
}

struct pass *pass_new(const struct pass_rules *rules, const struct sequences *query,
                      const struct query_segment *segment, const struct sequences *database,
                      const struct bloom_index *index)
{
    return pass_new_at(cpu_best_level(), rules, query, segment, database, index);
}

void pass_destroy(struct pass *p)
{
    if (!p)
        return;
    sram_table_destroy(p->tables.table);
    lookup_cache_destroy(&p->tables.answers);
    huge_pages_destroy(p->tables.memory, p->tables.bytes);
    ungapped_kernel_destroy(p->stage2);
    free(p->segment);
    free(p);
}

/* --- stages 1b and 2 ------------------------------------------------------------------------------------- */

/* The places of the next tokens; room is made beforehand, so that nothing is checked. */
struct sink {
    struct seed_token *seed;
    struct group_token *group;
    struct match *match; /* collected for stage 2 */
};

/* What writes the tokens of a stretch. */
struct writer {
    const struct pass *pass;
    struct pass_scanner *scanner;
    struct tokens *tokens;
    struct pass_counts *counts;
    size_t seeds_left;     /* seeds of the stretch that are not looked up yet; each may have a group */
    uint64_t most_matches; /* number of matches after which looking up stops */
    bool stopped;
};

static struct sink sink_of(const struct writer *w)
{
    const struct tokens *t = w->tokens;
    return (struct sink){t->seeds + t->seed_count, t->groups + t->group_count, w->scanner->matches};
}

/* Pass the collected matches through stage 2. */
static void run_stage2(const struct writer *w, struct sink *to)
{
    struct tokens *t = w->tokens;
    const struct match *matches = w->scanner->matches;
    size_t count = (size_t)(to->match - matches);
    tokens_reserve(t, 0, 0, 0, count);
    t->hsp_count += ungapped_kernel_filter(w->pass->stage2, &w->scanner->stretch, matches, count,
                                           t->matches + t->match_count, t->hsps + t->hsp_count);
    t->match_count += count;
    to->match = w->scanner->matches;
}

static void note_written(const struct writer *w, const struct sink *to)
{
    w->tokens->seed_count = (size_t)(to->seed - w->tokens->seeds);
    w->tokens->group_count = (size_t)(to->group - w->tokens->groups);
}

/* Make room for `groups` groups, besides one for each of the seeds that are left. */
static void make_room(const struct writer *w, size_t groups, struct sink *to)
{
    note_written(w, to);
    tokens_reserve(w->tokens, 0, 0, groups + w->seeds_left + 1, 0);
    to->group = sink_of(w).group;
}

/* Append a group: those of `count` entries that are of `wmer`. */
static void take_group(const struct writer *w, const struct sram_entry *entries, uint32_t count, bool trip,
                       uint32_t wmer, uint32_t offset, struct sink *to)
{
    uint8_t matches = 0;
    if (to->match - w->scanner->matches + (ptrdiff_t)count > MATCHES)
        run_stage2(w, to);
    for (uint32_t i = 0; i < count; i++) {
        *to->match = (struct match){entries[i].position, offset};
        to->match += entries[i].wmer == wmer;
        matches += entries[i].wmer == wmer;
    }
    *to->group++ = (struct group_token){matches, trip ? (uint8_t)count : 0};
}

/* A chain is read up to the last place of the key, which has one key in every place. */
static uint32_t entries_read(const struct writer *w, const struct answer_list *list, uint32_t wmer)
{
    const struct sram_entry *entries = sram_table_entries(w->pass->tables.table) + list->first;
    uint32_t read = list->entries;
    if (w->pass->rules.sram.collision == COLLISION_PROBE && list->own > 0)
        while (entries[read - 1].wmer != wmer)
            read--;
    return read;
}

static void make_trips(const struct writer *w, const struct answer_list *list, uint32_t wmer, uint32_t offset,
                       struct sink *to)
{
    const struct sram_geometry *sram = &w->pass->rules.sram;
    const struct sram_entry *entries = sram_table_entries(w->pass->tables.table) + list->first;
    uint32_t left = entries_read(w, list, wmer), trips = 0;
    struct seed_token *seed = to->seed++;
    make_room(w, left, to);
    for (uint32_t count; left > 0; left -= count, entries += count, trips++) {
        count = sram_access_entries(sram, entries, left);
        take_group(w, entries, count, true, wmer, offset, to);
        w->counts->sram_reads += group_sram_reads(to->group[-1]);
    }
    *seed = (struct seed_token){LOOKUP_DUPLICATE, (uint16_t)trips};
    w->counts->trips += trips;
    w->counts->lookups_duplicate++;
    w->counts->duplicate_false += list->own == 0;
}

static void take_list(const struct writer *w, struct answer answer, uint32_t offset, struct sink *to)
{
    const struct answer_list *list = lookup_cache_list(&w->pass->tables.answers, answer);
    uint32_t wmer = database_stretch_wmer(&w->scanner->stretch, offset);
    if (list->duplicate) {
        make_trips(w, list, wmer, offset, to);
        return;
    }
    *to->seed++ = (struct seed_token){LOOKUP_MATCH, 1};
    w->counts->lookups_match++;
    take_group(w, sram_table_entries(w->pass->tables.table) + list->first, list->entries, false, wmer, offset,
               to);
}

/* Each kind is counted in a part of a word. */
enum { COUNT_BITS = 16 };

/* What becomes of a seed, by the kind of its answer. Only lists take a branch, since the processor cannot predict
 * which kind comes next. */
struct inline_answer {
    struct seed_token seed;
    struct group_token group;
    uint8_t groups, matches; /* numbers of them */
    uint64_t count;          /* what the kind adds to the counts of all kinds */
};
static const struct inline_answer inline_answers[ANSWER_KINDS] = {
    [ANSWER_EMPTY] = {{LOOKUP_EMPTY, 0}, {0, 0}, 0, 0, 1},
    [ANSWER_MISMATCH] = {{LOOKUP_MISMATCH, 0}, {0, 0}, 0, 0, UINT64_C(1) << COUNT_BITS},
    [ANSWER_ONE] = {{LOOKUP_MATCH, 1}, {1, 0}, 1, 1, UINT64_C(1) << 2 * COUNT_BITS},
    [ANSWER_TWO] = {{LOOKUP_MATCH, 1}, {2, 0}, 1, 2, UINT64_C(1) << 2 * COUNT_BITS},
};

static inline void count_kinds(uint64_t kinds, struct pass_counts *counts)
{
    const uint64_t mask = (UINT64_C(1) << COUNT_BITS) - 1;
    counts->lookups_empty += kinds & mask;
    counts->lookups_mismatch += kinds >> COUNT_BITS & mask;
    counts->lookups_match += kinds >> 2 * COUNT_BITS & mask;
}

/* Take the answers, by their numbers, of seeds up to the first that has a list. The sink stays in registers here.
 *
 * @return number of seeds taken */
static inline __attribute__((always_inline)) size_t take_inline(const struct answer *answers,
                                                                const uint16_t *offsets,
                                                                const uint32_t *numbers, size_t count,
                                                                struct sink *to, uint64_t *kinds)
{
    struct sink at = *to;
    uint64_t kinds_seen = 0;
    size_t i = 0;
    for (; i < count; i++) {
        struct answer answer = answers[numbers[i]];
        const struct inline_answer *becomes = &inline_answers[answer_kind(answer)];
        if (__builtin_expect(answer_kind(answer) == ANSWER_LIST, 0))
            break;
        *at.seed++ = becomes->seed;
        *at.group = becomes->group;
        at.match[0] = (struct match){answer.first >> ANSWER_KIND_BITS, offsets[i]};
        at.match[1] = (struct match){answer.second, offsets[i]};
        at.group += becomes->groups;
        at.match += becomes->matches;
        kinds_seen += becomes->count;
    }
    *to = at;
    *kinds += kinds_seen;
    return i;
}

/* Take the answers of the seeds of at most a batch. Only long lists, which take long anyway, can bring so many matches
 * that the batch is left unfinished.
 *
 * @return number of seeds taken */
static inline __attribute__((always_inline)) size_t take_answers(struct writer *w, const uint16_t *offsets,
                                                                 const uint32_t *numbers, size_t count,
                                                                 struct sink *to)
{
    const struct answer *answers = w->pass->tables.answers.of_passing;
    uint64_t kinds = 0;
    size_t taken = 0;
    while (!w->stopped) {
        taken += take_inline(answers, offsets + taken, numbers + taken, count - taken, to, &kinds);
        if (taken == count)
            break;
        take_list(w, answers[numbers[taken]], offsets[taken], to);
        w->stopped = w->tokens->match_count + (uint64_t)(to->match - w->scanner->matches) >= w->most_matches;
        taken++;
    }
    count_kinds(kinds, w->counts);
    return taken;
}

static inline __attribute__((always_inline)) size_t look_up_batch(struct writer *w, const uint16_t *offsets,
                                                                  size_t count, struct sink *to)
{
    const struct pass *p = w->pass;
    uint32_t numbers[BATCH];
    for (size_t i = 0; i < count; i++) {
        numbers[i] = database_stretch_wmer(&w->scanner->stretch, offsets[i]);
        cpu_prefetch(&p->tables.answers.blocks[numbers[i] / 64]);
    }
    for (size_t i = 0; i < count; i++) {
        numbers[i] = lookup_cache_number(&p->tables.answers, numbers[i]);
        cpu_prefetch(&p->tables.answers.of_passing[numbers[i]]);
    }
    return take_answers(w, offsets, numbers, count, to);
}

/* Look up the seeds from `offsets` on, until none is left or there are enough matches. */
static inline __attribute__((always_inline)) void look_up_any(struct writer *w, const uint16_t *offsets)
{
    struct sink to = sink_of(w);
    while (w->seeds_left > 0 && !w->stopped) {
        size_t count = w->seeds_left < BATCH ? w->seeds_left : BATCH;
        if (to.match - w->scanner->matches > MATCHES - 2 * BATCH)
            run_stage2(w, &to);
        size_t taken = look_up_batch(w, offsets, count, &to);
        offsets += taken;
        w->seeds_left -= taken;
    }
    note_written(w, &to);
    run_stage2(w, &to);
}

#if CPU_HAS_VECTORS
CPU_TARGET_AVX2 static void look_up_avx2(struct writer *w, const uint16_t *offsets)
{
    look_up_any(w, offsets);
}
#endif

static void look_up_seeds(struct writer *w, const uint16_t *offsets)
{
    tokens_reserve(w->tokens, 0, w->seeds_left, w->seeds_left + 1, 0);
#if CPU_HAS_VECTORS
    if (w->pass->level >= CPU_AVX2)
        look_up_avx2(w, offsets);
    else
#endif
        look_up_any(w, offsets);
}

/* --- stage 1a -------------------------------------------------------------------------------------------- */

/* Count the bits of each mask; all compilers make vector code of this loop. */
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

/* List the offsets of the bits set in the masks, which have a bit per base. @return the number of offsets */
static size_t list_offsets(const uint16_t *masks, uint64_t count, uint16_t *offsets)
{
    uint16_t *next = offsets;
    for (uint64_t i = 0; i < count; i++)
        for (unsigned left = masks[i]; left; left &= left - 1)
            *next++ = (uint16_t)(i * BASES_PER_WORD + (unsigned)__builtin_ctz(left));
    return (size_t)(next - offsets);
}

#if CPU_HAS_VECTORS
CPU_TARGET_AVX2 static void count_seeds_avx2(const uint16_t *masks, uint64_t count, uint8_t *words)
{
    count_seeds_any(masks, count, words);
}
#endif

/* @return the number of seeds */
static size_t list_seeds(struct pass_scanner *s, uint64_t count, uint8_t *words)
{
#if CPU_HAS_VECTORS
    if (s->pass->level >= CPU_AVX2)
        count_seeds_avx2(s->masks, count, words);
    else
#endif
        count_seeds_any(s->masks, count, words);
    return list_offsets(s->masks, count, s->offsets);
}

/* Load a stretch and list its seeds. @return their number */
static size_t begin_stretch(struct pass_scanner *s, uint64_t first, uint64_t count, uint8_t *words,
                            uint64_t *invalid_wmers)
{
    const struct pass *p = s->pass;
    database_stretch_load(&s->stretch, p->database, first, count);
    *invalid_wmers = seed_scan(&s->stretch, p->tables.lines, p->level, s->masks);
    return list_seeds(s, count, words);
}

/* Looking up has stopped: finish the word whose seeds are half looked up, and forget those after it.
 * @return number of words of the stretch that are left */
static uint64_t end_word(struct writer *w, uint64_t first, size_t *seeds, uint64_t *invalid_wmers)
{
    uint8_t *words = w->tokens->words + w->tokens->word_count;
    size_t looked_up = *seeds - w->seeds_left, end = 0, count = 0;
    while (end < looked_up)
        end += words[count++];
    w->seeds_left = end - looked_up;
    w->stopped = false;
    w->most_matches = UINT64_MAX;
    look_up_seeds(w, w->scanner->offsets + looked_up);
    *seeds = begin_stretch(w->scanner, first, count, words, invalid_wmers);
    return count;
}

/* Scan a stretch; it is so short that what is written between words and tokens stays in the level-1 or level-2
 * cache. @return number of words scanned */
static uint64_t scan_stretch(struct pass_scanner *s, uint64_t first, uint64_t count, uint64_t most_matches,
                             struct tokens *tokens, struct pass_counts *counts)
{
    uint64_t invalid_wmers;
    size_t seeds = begin_stretch(s, first, count, tokens->words + tokens->word_count, &invalid_wmers);
    struct writer writer = {s->pass, s, tokens, counts, seeds, most_matches, false};
    look_up_seeds(&writer, s->offsets);
    if (writer.stopped)
        count = end_word(&writer, first, &seeds, &invalid_wmers);
    tokens->word_count += count;
    counts->invalid_wmers += invalid_wmers;
    counts->seeds += seeds;
    counts->sram_reads += seeds;
    return count;
}

/* Scan words until there are enough matches. @return number of words */
static uint64_t scan_words(struct pass_scanner *s, uint64_t first, uint64_t count, uint64_t most_matches,
                           struct tokens *tokens, struct pass_counts *counts)
{
    uint64_t done = 0;
    tokens_clear(tokens);
    tokens->has_positions = true;
    tokens->first_word = first;
    tokens_reserve(tokens, count, 0, 0, 0);
    while (done < count && (done == 0 || tokens->match_count < most_matches)) {
        uint64_t rest = count - done, words = rest < STRETCH_WORDS ? rest : STRETCH_WORDS;
        done += scan_stretch(s, first + done, words, most_matches, tokens, counts);
    }
    counts->words += done;
    counts->wmers += done * BASES_PER_WORD;
    counts->matches += tokens->match_count;
    counts->hsps += tokens->hsp_count;
    counts->bloom_false = counts->lookups_empty + counts->lookups_mismatch + counts->duplicate_false;
    return done;
}

uint64_t pass_scanner_part(struct pass_scanner *s, uint64_t first, uint64_t count, struct tokens *tokens,
                           struct pass_counts *counts)
{
    return scan_words(s, first, count, PASS_PART_MATCHES, tokens, counts);
}

void pass_scan(struct pass *p, uint64_t first, uint64_t count, struct tokens *tokens,
               struct pass_counts *counts)
{
    scan_words(&p->scanner, first, count, UINT64_MAX, tokens, counts);
}

static uint64_t matches_of_seed(const struct pass *p, uint32_t wmer)
{
    struct answer answer = p->tables.answers.of_passing[lookup_cache_number(&p->tables.answers, wmer)];
    unsigned kind = answer_kind(answer);
    return kind == ANSWER_LIST ? lookup_cache_list(&p->tables.answers, answer)->own
                               : inline_answers[kind].matches;
}

uint64_t pass_scanner_count_matches(struct pass_scanner *s, uint64_t first, uint64_t count)
{
    uint8_t words[STRETCH_WORDS];
    uint64_t matches = 0;
    for (uint64_t done = 0; done < count; done += STRETCH_WORDS) {
        uint64_t rest = count - done, invalid_wmers;
        size_t seeds = begin_stretch(s, first + done, rest < STRETCH_WORDS ? rest : STRETCH_WORDS, words,
                                     &invalid_wmers);
        for (size_t i = 0; i < seeds; i++)
            matches += matches_of_seed(s->pass, database_stretch_wmer(&s->stretch, s->offsets[i]));
    }
    return matches;
}

struct pass_scanner *pass_scanner_new(const struct pass *pass)
{
    struct pass_scanner *scanner = memory_take(sizeof *scanner);
    scanner->pass = pass;
    return scanner;
}

void pass_scanner_destroy(struct pass_scanner *scanner)
{
    free(scanner);
}

void pass_counts_add(struct pass_counts *sum, const struct pass_counts *more)
{
    uint64_t *sums = (uint64_t *)sum;
    const uint64_t *terms = (const uint64_t *)more;
    for (size_t i = 0; i < sizeof *sum / sizeof *sums; i++)
        sums[i] += terms[i];
}

struct sram_load pass_sram_load(const struct pass *p)
{
    return sram_table_load(p->tables.table);
}

struct sram_load pass_find_load(const struct pass_rules *rules, const struct sequences *query,
                                const struct query_segment *segment)
{
    auto_free uint8_t *codes = memory_take(segment->length);
    auto_free struct sram_entry *entries = memory_take((segment->length + UINT64_C(1)) * sizeof *entries);
    sequences_unpack(query, segment->strand, segment->begin, segment->length, codes);
    sequences_hide_masked(query, segment->strand, segment->begin, segment->length, codes);
    struct sram_table *table =
        sram_table_new(&rules->sram, entries, list_entries(codes, segment->length, entries));
    struct sram_load load = sram_table_load(table);
    sram_table_destroy(table);
    return load;
}
