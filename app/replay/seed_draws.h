/* seed_draws.h - random seeds with the fractions of a published run, instead of its sequences.
 *
 * Models    Dor's two runs (WUCSE-2010-30, section 4: human chromosome 1 against mouse; vertebrate against mammal
 *           mRNA), whose time on the board depends on these fractions of the data only. Every w-mer, seed and match is
 *           drawn independently of all others:
 *               a word has Binomial(16, p_1a) seeds
 *               a seed goes to the duplicate table with probability `trips`, for one trip with 3, 4 or 5 matches,
 *               equally likely a fraction `no_match` of the other seeds are false positives; `two_positions` of the
 *               rest have two matches, and all others have one
 *               a match passes stage 2 with probability p_2
 * Omits     clumps of seeds and repeats, which real sequences have.
 * Source    p_1a and p_2 are printed (Dor 2010, Figures 11 and 14). `no_match` and `trips` are calibrated: the first so
 *           that P_1b is near the printed 0.877 and 0.765, `trips` of run 2 so that lambda_1a is as printed: 1b serves
 *           a seed in 1 + 59 trips clocks, so 133 M/(1440 M x 0.0346) = 2.669 clocks need trips = 0.0283
 *           (docs/hardware.md, "Why these rules", which also gives the matches per trip and the 2%).
 * Random    GSL's mt19937; the same seed gives the same words.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/why.h"
#include "blast/stages12/pass.h"
#include "blast/stages12/tokens.h"

/** The greatest number of matches that enter the stage-2 FIFO together. */
enum { SEED_DRAWS_LARGEST_GROUP = 5 };

/** Fractions, in [0, 1]. */
struct seed_fractions {
    double p_1a;          /* seeds per w-mer */
    double trips;         /* fraction of seeds that go to the duplicate table */
    double no_match;      /* false positives, as a fraction of the other seeds */
    double two_positions; /* fraction of the remaining seeds with two matches */
    double p_2;           /* HSPs per match */
};

/** Their names, in this order. */
enum { SEED_FRACTIONS = 5 };
extern const char *const seed_fraction_names[SEED_FRACTIONS];

/** What each counts, for an axis. */
extern const char *const seed_fraction_titles[SEED_FRACTIONS];

double *seed_fraction_at(struct seed_fractions *fractions, unsigned which);

/** Find a fraction by its name, which ends at the first = or at the end of the text.
 *  @return its number, or -1 and one line, which begins with `option` */
int seed_fraction_find(const char *option, const char *text, struct why *why);

/** Set a fraction. @param text  a number from 0 to 1; @return 0, or -1 and one line, which begins with `option` */
int seed_fraction_set(const char *option, double *fraction, const char *text, struct why *why);

struct seed_draws;

/** Start drawing.
 *
 * @param seed  1 to 2^32 - 1
 * @return NULL if memory is exhausted
 */
struct seed_draws *seed_draws_new(const struct seed_fractions *fractions, unsigned long seed);
void seed_draws_destroy(struct seed_draws *draws);

/** Draw a block.
 *
 * @param tokens  cleared and filled; HSPs have no positions
 * @param counts  added to
 * @return false if memory is exhausted
 */
bool seed_draws_block(struct seed_draws *draws, uint64_t words, struct tokens *tokens,
                      struct pass_counts *counts);
