#include "app/replay/seed_draws.h"

#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "base/command.h"
#include "base/nearest.h"
#include "blast/sequence/sequence.h"

const char *const seed_fraction_names[SEED_FRACTIONS] = {"p_1a", "trips", "no_match", "two_positions", "p_2"};
const char *const seed_fraction_titles[SEED_FRACTIONS] = {
    "seeds per w-mer", "trips per seed", "share of other seeds without a match",
    "share of the rest with two matches", "HSPs per match"};

double *seed_fraction_at(struct seed_fractions *f, unsigned which)
{
    return (double *[SEED_FRACTIONS]){&f->p_1a, &f->trips, &f->no_match, &f->two_positions, &f->p_2}[which];
}

int seed_fraction_find(const char *option, const char *text, struct why *why)
{
    struct nearest search = {.wanted = text, .length = strcspn(text, "=")};
    for (unsigned i = 0; i < SEED_FRACTIONS; i++) {
        if (strlen(seed_fraction_names[i]) == search.length &&
            strncmp(seed_fraction_names[i], text, search.length) == 0)
            return (int)i;
        nearest_look_at(&search, seed_fraction_names[i]);
    }
    command_refuse(option, text, "p_1a, trips, no_match, two_positions or p_2, then = and what it is", why);
    nearest_suggest(&search, why);
    return -1;
}

int seed_fraction_set(const char *option, double *fraction, const char *text, struct why *why)
{
    if (command_number(text, 0, 1, fraction) == 0)
        return 0;
    command_refuse(option, text, "a fraction from 0 to 1 after the =", why);
    return -1;
}

enum { LEAST_TRIP_MATCHES = 3 };

/* The ends that a lookup can have; one of them is drawn. */
enum ending { FALSE_POSITIVE, ONE_POSITION, TWO_POSITIONS, TRIP_OF_3, TRIP_OF_4, TRIP_OF_5, ENDINGS };

struct seed_draws {
    gsl_rng *random;
    gsl_ran_discrete_t *seeds_a_word, *ending;
    double p_2;
};

struct seed_draws *seed_draws_new(const struct seed_fractions *f, unsigned long seed)
{
    struct seed_draws *d = calloc(1, sizeof *d);
    double seeds_a_word[BASES_PER_WORD + 1], primary = 1 - f->trips, matching = primary * (1 - f->no_match);
    const double endings[ENDINGS] = {
        [FALSE_POSITIVE] = primary * f->no_match,
        [ONE_POSITION] = matching * (1 - f->two_positions),
        [TWO_POSITIONS] = matching * f->two_positions,
        [TRIP_OF_3] = f->trips / 3,
        [TRIP_OF_4] = f->trips / 3,
        [TRIP_OF_5] = f->trips / 3,
    };
    for (unsigned seeds = 0; seeds <= BASES_PER_WORD; seeds++)
        seeds_a_word[seeds] = gsl_ran_binomial_pdf(seeds, f->p_1a, BASES_PER_WORD);
    if (!d)
        return NULL;
    d->random = gsl_rng_alloc(gsl_rng_mt19937);
    d->seeds_a_word = gsl_ran_discrete_preproc(BASES_PER_WORD + 1, seeds_a_word);
    d->ending = gsl_ran_discrete_preproc(ENDINGS, endings);
    d->p_2 = f->p_2;
    if (d->random && d->seeds_a_word && d->ending) {
        gsl_rng_set(d->random, seed);
        return d;
    }
    seed_draws_destroy(d);
    return NULL;
}

void seed_draws_destroy(struct seed_draws *d)
{
    if (!d)
        return;
    if (d->random)
        gsl_rng_free(d->random);
    if (d->seeds_a_word)
        gsl_ran_discrete_free(d->seeds_a_word);
    if (d->ending)
        gsl_ran_discrete_free(d->ending);
    free(d);
}

static void draw_matches(struct seed_draws *d, unsigned matches, struct tokens *tokens,
                         struct pass_counts *counts)
{
    for (unsigned i = 0; i < matches; i++) {
        bool passes = gsl_rng_uniform(d->random) < d->p_2;
        tokens_add_match(tokens, passes);
        if (!passes)
            continue;
        tokens_add_hsp(tokens, (struct hsp){0});
        counts->hsps++;
    }
    counts->matches += matches;
}

static void draw_seed(struct seed_draws *d, struct tokens *tokens, struct pass_counts *counts)
{
    unsigned ending = (unsigned)gsl_ran_discrete(d->random, d->ending);
    counts->sram_reads++;
    if (ending == FALSE_POSITIVE) {
        tokens_add_seed(tokens, LOOKUP_EMPTY, 0);
        counts->lookups_empty++;
        counts->bloom_false++;
    } else if (ending == ONE_POSITION || ending == TWO_POSITIONS) {
        unsigned matches = ending == ONE_POSITION ? 1 : 2;
        tokens_add_seed(tokens, LOOKUP_MATCH, 1);
        tokens_add_group(tokens, matches, 0);
        counts->lookups_match++;
        draw_matches(d, matches, tokens, counts);
    } else {
        unsigned matches = LEAST_TRIP_MATCHES + ending - TRIP_OF_3;
        tokens_add_seed(tokens, LOOKUP_DUPLICATE, 1);
        tokens_add_group(tokens, matches, matches);
        counts->sram_reads += group_sram_reads((struct group_token){(uint8_t)matches, (uint8_t)matches});
        counts->lookups_duplicate++;
        counts->trips++;
        draw_matches(d, matches, tokens, counts);
    }
}

bool seed_draws_block(struct seed_draws *d, uint64_t words, struct tokens *tokens, struct pass_counts *counts)
{
    uint64_t seeds = counts->seeds;
    tokens_clear(tokens);
    if (!tokens_reserve(tokens, words, 0, 0, 0))
        return false;
    for (uint64_t word = 0; word < words; word++) {
        unsigned in_word = (unsigned)gsl_ran_discrete(d->random, d->seeds_a_word);
        tokens_add_word(tokens, in_word);
        counts->seeds += in_word;
    }
    for (; seeds < counts->seeds; seeds++)
        draw_seed(d, tokens, counts);
    counts->words += words;
    counts->wmers += words * BASES_PER_WORD;
    return !tokens->out_of_memory;
}
