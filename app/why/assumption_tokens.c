#include "app/why/assumption_tokens.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "blast/sequence/sequence.h"
#include "app/why/assumptions.h"

enum { WORDS_A_READ = 1 << 16 };

/* --- the run's tokens ------------------------------------------------------------------------------------ */

static bool make_room(struct assumption_tokens *run, const struct tokens *block)
{
    return run->group_count + block->group_count <= UINT32_MAX &&
           run->match_count + block->match_count <= UINT32_MAX &&
           array_reserve(&run->words, &run->word_room, run->word_count, block->word_count,
                         sizeof *run->words) &&
           array_reserve(&run->lookups, &run->lookup_room, run->lookup_count,
                         block->seed_count + ASSUMPTION_LOOKUPS_AHEAD, sizeof *run->lookups) &&
           array_reserve(&run->groups, &run->group_room, run->group_count, block->group_count,
                         sizeof *run->groups) &&
           array_reserve(&run->matches, &run->match_room, run->match_count, block->match_count,
                         sizeof *run->matches);
}

static void add_lookup(struct assumption_tokens *run, struct seed_token seed,
                       const struct group_token *groups)
{
    struct assumption_lookup *lookup = &run->lookups[run->lookup_count++];
    *lookup = (struct assumption_lookup){(uint32_t)run->group_count, (uint32_t)run->match_count, 1,
                                         seed.groups, seed.outcome};
    for (unsigned i = 0; i < seed.groups; i++) {
        lookup->reads += group_sram_reads(groups[i]);
        run->groups[run->group_count++] = groups[i];
        run->match_count += groups[i].matches;
    }
    run->empty += seed.outcome == LOOKUP_EMPTY;
    run->duplicates += seed.outcome == LOOKUP_DUPLICATE;
    run->trips += seed.outcome == LOOKUP_DUPLICATE ? seed.groups : 0;
    run->reads += lookup->reads;
}

bool assumption_tokens_add(struct assumption_tokens *run, const struct tokens *block)
{
    if (!make_room(run, block))
        return false;
    for (size_t i = 0; i < block->word_count; i++)
        run->words[run->word_count++] = block->words[i];
    for (size_t i = 0; i < block->match_count; i++) {
        run->matches[run->match_count + i] = block->matches[i];
        run->hsps += block->matches[i];
    }
    for (size_t seed = 0, group = 0; seed < block->seed_count; group += block->seeds[seed++].groups)
        add_lookup(run, block->seeds[seed], block->groups + group);
    return true;
}

bool assumption_tokens_end_pass(struct assumption_tokens *run)
{
    if (!array_reserve(&run->pass_ends, &run->pass_room, run->pass_count, 1, sizeof *run->pass_ends))
        return false;
    if (run->lookups)
        memset(run->lookups + run->lookup_count, 0, ASSUMPTION_LOOKUPS_AHEAD * sizeof *run->lookups);
    run->pass_ends[run->pass_count++] = run->word_count;
    return true;
}

static bool read_pass(const struct token_record *record, size_t pass, const struct hardware *hardware,
                      struct assumption_tokens *run, bool *damaged)
{
    struct overdrive overdrive = hardware_overdrive(hardware);
    struct token_reader reader;
    struct stage_source source = token_reader_begin(&reader, record, pass);
    struct pass_counts counts = {0};
    struct tokens block = {0};
    bool taken = true;
    while (taken && reader.words_left > 0) {
        uint64_t words = reader.words_left < WORDS_A_READ ? reader.words_left : WORDS_A_READ;
        *damaged = source.scan(source.data, 0, words, &block, &counts) == 0;
        taken = !*damaged && overdrive_add(&overdrive, &block, &counts) && assumption_tokens_add(run, &block);
    }
    *damaged = *damaged && !block.out_of_memory;
    tokens_destroy(&block);
    tokens_destroy(&overdrive.out);
    token_reader_destroy(&reader);
    return taken && assumption_tokens_end_pass(run);
}

int assumption_tokens_read(const struct token_record *record, const char *path,
                           const struct hardware *hardware, struct assumption_tokens *run, struct why *why)
{
    bool damaged = false, taken = true;
    *run = (struct assumption_tokens){0};
    for (size_t pass = 0; taken && pass < token_record_run(record)->facts.pass_count; pass++)
        taken = read_pass(record, pass, hardware, run, &damaged);
    if (taken && run->lookup_count > 0 && run->match_count > 0)
        return 0;
    assumption_tokens_destroy(run);
    if (damaged)
        return why_say(why, ASSUMPTION_EINPUT,
                       "%.300s: its tokens contradict its counts; record the run again", path);
    return taken ? why_say(why, ASSUMPTION_EINPUT,
                           "%.300s: no seed of the run has a match, so there are no queues to explain", path)
                 : why_no_memory(why, ASSUMPTION_EMEMORY);
}

void assumption_tokens_destroy(struct assumption_tokens *run)
{
    free(run->words);
    free(run->lookups);
    free(run->groups);
    free(run->matches);
    free(run->pass_ends);
    *run = (struct assumption_tokens){0};
}

/* --- dealing --------------------------------------------------------------------------------------------- */

/* Each w-mer without a seed is as likely as any other: a word is drawn, and then one of its w-mers. */
static void deal_words(const struct assumption_tokens *run, gsl_rng *random, uint8_t *words)
{
    memset(words, 0, run->word_count);
    for (size_t left = run->lookup_count; left > 0;) {
        size_t word = (size_t)(gsl_rng_uniform(random) * (double)run->word_count);
        if (gsl_rng_uniform_int(random, BASES_PER_WORD) < words[word])
            continue; /* that w-mer has a seed */
        words[word]++;
        left--;
    }
}

/* Fisher and Yates. */
static void deal_lookups(const struct assumption_tokens *run, gsl_rng *random,
                         struct assumption_lookup *lookups)
{
    memcpy(lookups, run->lookups, run->lookup_count * sizeof *lookups);
    for (size_t i = run->lookup_count - 1; i > 0; i--) {
        size_t other = (size_t)(gsl_rng_uniform(random) * (double)(i + 1));
        struct assumption_lookup lookup = lookups[i];
        lookups[i] = lookups[other];
        lookups[other] = lookup;
    }
}

gsl_rng *assumption_random_new(unsigned long state)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    if (random)
        gsl_rng_set(random, state);
    return random;
}

bool assumption_deal(const struct assumption_tokens *run, bool words, bool lookups, unsigned long seed,
                     uint64_t number, struct assumption_deal *deal)
{
    const uint64_t of = number + 1, state = (seed + 2 * number) * 2654435761u;
    if (words && deal->words_of != of) {
        gsl_rng *random = assumption_random_new(state);
        deal->own_words = deal->own_words ? deal->own_words : malloc(run->word_count);
        deal->words_of = random && deal->own_words ? of : 0;
        if (deal->words_of == of)
            deal_words(run, random, deal->own_words);
        gsl_rng_free(random);
    }
    if (lookups && deal->lookups_of != of) {
        const size_t room = run->lookup_count + ASSUMPTION_LOOKUPS_AHEAD;
        gsl_rng *random = assumption_random_new(state + 2654435761u);
        deal->own_lookups = deal->own_lookups ? deal->own_lookups : calloc(room, sizeof *deal->own_lookups);
        deal->lookups_of = random && deal->own_lookups ? of : 0;
        if (deal->lookups_of == of)
            deal_lookups(run, random, deal->own_lookups);
        gsl_rng_free(random);
    }
    deal->words = words ? deal->own_words : run->words;
    deal->lookups = lookups ? deal->own_lookups : run->lookups;
    return (!words || deal->words_of == of) && (!lookups || deal->lookups_of == of);
}

void assumption_deal_destroy(struct assumption_deal *deal)
{
    free(deal->own_words);
    free(deal->own_lookups);
    *deal = (struct assumption_deal){0};
}
