/* replay.h - a published run of the machine, simulated again: random seeds go through the board's clock rules.
 *
 * Runs      the two runs of Dor 2010 (WUCSE-2010-30) that TimeTrial measured, and the cells of its Figures 12, 15 and
 *           17 that have a measurement. Definitions of queues, signals and utilisations: docs/hardware.md, end of "One
 *           clock, in this order"; the frame's names: machine_frame.h.
 * Models    one long pass of a database through the board (board.h). Its seeds are drawn, and it ends
 *           when the confidence interval of every cell is narrow. Bus and host are as in a real pass (system.h): the
 *           host supplies host.supply bytes/s from the first clock on. The transfer of a block begins when its supply
 *           has begun and the bus has moved the block before. Records of earlier blocks that are still on their way
 *           make the transfer longer.
 * Measured  by the taps of a real pass (machine_frame.h), in frames of whole blocks with REPLAY_FRAME_WORDS words or
 *           more. A frame measures its own elements, also those that are still on the board when the next frame
 *           begins: it is the difference of two readings, each taken as if the board drained. The first
 *           REPLAY_WARM_UP_FRAMES frames, which begin with an empty board, are left out; the others are the batches of
 *           batch_means.h.
 * Stop      The replay ends after REPLAY_LEAST_FRAMES frames or more, if the half-width of every cell is at most
 *           `interval` of its mean, or of replay_floor() if the mean is smaller. The rule is applied every
 *           REPLAY_LOOK_FRAMES frames only, since each application makes the intervals a little too narrow.
 * Engines   fast uses recurrences. events moves every element of the same words once more, by SimGrid actors
 *           (sim/pass/pass_simulation.h); it needs memory for all tokens. A clock that differs from that of the
 *           recurrences is a bug and ends the run.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "blast/stages12/pass.h"
#include "blast/stages12/tokens.h"
#include "traces/frame.h"
#include "traces/statistics/batch_means.h"
#include "sim/board/hardware.h"
#include "sim/measure/machine_quantities.h"
#include "app/run/run_options.h"
#include "app/why/window_theory.h"

/* Random seeds with the fractions of a published run, instead of its sequences.
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
 */
struct seed_draws *seed_draws_new(const struct seed_fractions *fractions, unsigned long seed);
void seed_draws_destroy(struct seed_draws *draws);

/** Draw a block.
 *
 * @param tokens  cleared and filled; HSPs have no positions
 * @param counts  added to
 */
void seed_draws_block(struct seed_draws *draws, uint64_t words, struct tokens *tokens,
                      struct pass_counts *counts);

/** A published run. */
struct replay_scenario {
    const char *name;
    const char *title;
    struct seed_fractions fractions; /* p_1a of an experiment is a median */
    /** The published rho_1b is seeds per SRAM read, since 1b is saturated (Dor 2010, section 6.1). */
    bool rho_1b_per_read;
    /* An experiment of TimeTrial, of many passes (cmd_replay.c); of a run of Dor's these are 0. */
    double query, database;   /* bases, printed */
    double spread;            /* standard deviation of ln p_1a over passes */
    double clocks_per_result; /* of a core */
};

/** Find a scenario by name. @return NULL if there is none */
const struct replay_scenario *replay_find(const char *name);

/** The quantities that were measured on the real machine, in their order. */
enum { REPLAY_CELLS = 13 };
extern const enum machine_quantity replay_cells[REPLAY_CELLS];

/** Intervals of smaller means are compared with this: the publication does not tell smaller means apart. */
double replay_floor(enum machine_quantity quantity);

enum {
    REPLAY_FRAME_WORDS = 262144,
    REPLAY_WARM_UP_FRAMES = 1,
    REPLAY_LEAST_FRAMES = 32,
    REPLAY_LOOK_FRAMES = 8,
    REPLAY_WINDOW_WORDS = 4096,
};

/* Clocks that a replay can count. */
#define REPLAY_CLOCKS_MOST 1e11

/** Load the machine of --platform or --machine, with every --set, and check it for what replays need of it.
 *  @return an enum command_status */
int replay_machine_load(const struct run_options *options, struct hardware *hardware, struct why *why);

struct replay_options {
    const struct replay_scenario *scenario;
    const struct hardware *hardware; /* checked */
    unsigned long seed;
    double interval;      /* half-width that is wanted, as a fraction of the mean, > 0 */
    uint64_t clocks;      /* number of clocks to measure; 0 to measure until intervals are narrow */
    uint64_t most_clocks; /* number of clocks after which the replay ends in any case */
    bool events;          /* also move every element by events */
    bool windows;         /* ask theory in windows of the stream, too (window_theory.h) */
    bool quiet;           /* show no progress */
};

/** The service rate of 1b, million seeds per second in which stage 1bd is busy, comes after the quantities. */
enum { REPLAY_MU_1B = MACHINE_QUANTITIES, REPLAY_ESTIMATES };

struct replay_result {
    struct estimate of[REPLAY_ESTIMATES];
    double medians[REPLAY_ESTIMATES]; /* over frames, of what each frame gives; NaN if one gives no number */
    struct frame steady;              /* sum of the measured frames, without histograms */
    size_t frames;                    /* number of measured frames */
    uint64_t warm_up_clocks;
    double host_queue; /* mean number of blocks in it, from the first clock on */
    /* Mean numbers of elements in windows, and in one, if theory was asked. */
    double by_theory[2][WINDOW_FIFOS];
    bool narrow;         /* every interval is as narrow as wanted */
    unsigned correlated; /* number of cells whose frames are too short (batch_means_are_correlated()) */
};

/** Replay a run. @param result  filled on success */
int replay_run(const struct replay_options *options, struct replay_result *result, struct why *why);
