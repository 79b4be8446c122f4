/* run_end.h - when a run ends whose passes follow each other on boards and share a host, from a sample of its passes.
 *
 * Models    A pass goes to the board that is free first, loads its tables, and streams. With `tables` it loads while
 *           the pass before it on this board streams. Then the board is free; with `serial` only when stage 3 has
 *           ended, too. The work of stage 3 comes while the pass streams, evenly, and the cores take it from one
 *           queue as a fluid: what is left of it when the board is free is the backlog. A pass ends when the backlog
 *           has gone and, after that, its own rest, which is longer than 0 where one core has long work, as a long
 *           alignment. The run ends when the last pass ends, whichever that is: a few of the last ones decide if the
 *           boards have more to do, and all of them, by their sum, if the cores do.
 * Building  A pass begins when its tables are built, and not before the pass before it. A core builds them, once
 *           pass i - `build_ahead` has begun and, of several, the tables of as many passes before as there are cores
 *           are built. By how much a drawn pass began later than that, as cores were at other work, is taken for its
 *           own.
 * Rests     A pass's own rest is what the backlog does not explain of the rest it had when the drawn passes were
 *           simulated (less than 0 if its work came early). So the recurrence gives for the drawn passes alone when
 *           they ended, but of passes before the last ones: cores that are free build tables first, and what they built
 *           of later passes before a pass ended is no part of its rest. With `serial` there is no backlog: all is the
 *           pass's own.
 * Estimate  The passes take of the boards, or of the cores if that is longer, a time that is a sum over passes, of
 *           which sample_total() knows the total and its error. The end of the run differs from this sum. That
 *           difference is taken from replicas of the run: its mean, and as its error what the ends
 *           of replicas vary more than their sums do.
 * Replicas  of a run of N passes in strata, of which n were drawn (sample_forecast.h). A replica of it has the drawn
 *           passes where they are, and in place of each other pass a drawn one of its stratum, taken from Polya's
 *           urn: the urn begins with a weight for each drawn pass, and each pass that is taken adds one of its kind.
 *           So replicas differ by which passes the others are, and by how well the drawn ones stand for them.
 * Weights   the weight of a stratum's drawn passes is such that the sum of values over a replica's passes has the
 *           variance N (N - n) s^2 / n, as the total in sample_forecast.h: with M = N - n passes not drawn and the
 *           weight a of each drawn one, the variance of that sum is s^2 (n - 1)/n M (M + n a)/(n a + 1), so that n a
 *           = (n - 1)(M - 1)/(M + 1) - 1. With a = 1, as in the source, it would be (n - 1)/(n + 1) of that. If two
 *           passes were drawn, a is 0: all others are one of the two.
 * Freedom   one less than the number of drawn passes, as it is the drawn ones' rests and their differences that count.
 * Fails     where the end is decided by the longest of many rests, none of which is longer than those of the drawn
 *           passes (Bickel and Freedman, Annals of Statistics 9, 1981: a bootstrap of maxima). With two
 *           boards, and rests of up to four passes' time in 4 passes of 10, the interval of 10 drawn passes of 40
 *           holds the end in 88% of samples instead of 95%.
 * Contract  pure functions of finite numbers. The same seed gives the same numbers.
 * Errors    0 or a negative code of model_error.h.
 * Source    Lindley, "The theory of queues with a single server", 1952 (the recurrence); Kleinrock, "Queueing
 *           systems", vol. 2, Wiley 1976, section 2.7 (work as a fluid); Lo, "A Bayesian bootstrap for a finite
 *           population", Annals of Statistics 16, 1988 (the urn); Ghosh and Meeden, "Bayesian methods for finite
 *           population sampling", Chapman & Hall 1997, chapter 2 (its variance).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gsl/gsl_rng.h>

#include "model/forecast/sample_forecast.h"

struct run_pass {
    double load_s;   /* of tables */
    double stream_s; /* until the board is free, without loading */
    double work_s;   /* of stage 3, summed over the cores */
    double rest_s;   /* from when the board is free to the end of the pass, if nothing else is left to do */
    double build_s;  /* of a core, for its tables: also in `work_s` */
    double wait_s;   /* of the board, for its tables to be built */
    double held_s;   /* by which it begins later than the recurrence says: run_end_find_rests() */
};

enum run_overlap { RUN_SERIAL, RUN_DRAIN, RUN_TABLES };

struct run_machine {
    unsigned boards, cores; /* 1 or more; boards at most RUN_BOARDS_MAX */
    enum run_overlap overlap;
    unsigned build_ahead; /* passes, at most RUN_AHEAD_MAX; 0: tables are built in no time */
};

enum { RUN_BOARDS_MAX = 64, RUN_AHEAD_MAX = 1024 };

/** Time for which a pass keeps its board. @return that of the longer one of loading and streaming if tables are loaded
 *  meanwhile */
double run_pass_board_s(const struct run_machine *machine, const struct run_pass *pass);

/** Make the passes' rests their own, and find `held_s`.
 *
 * @param passes  of a run that has just these passes: `rest_s` is the whole rest, and becomes the own one
 */
void run_end_find_rests(const struct run_machine *machine, struct run_pass *passes, size_t count);

struct run_end {
    bool is_of_cores; /* the cores have more to do than the boards */

    /* What the end is later than the sum over passes: of run_pass_board_s() over the number of boards, or of work_s
     * over that of cores. It may be negative. */
    struct sample_estimate after;

    /* For which a board waits for tables to be built. */
    struct sample_estimate build;

    /* What it is later than that and the boards' share of loading and streaming, of streaming only with RUN_TABLES. */
    struct sample_estimate rest;
};

/** Estimate the end of a run.
 *
 * @param strata   of the run
 * @param numbers  of the drawn passes in the run, from 0, in the order of the strata, rising
 * @param passes   the drawn ones, with their own rests
 */
void run_end_estimate(const struct run_machine *machine, const struct sample_stratum *strata, size_t count,
                      const size_t *numbers, const struct run_pass *passes, uint64_t seed,
                      struct run_end *out);

/** Make a replica of the run.
 *
 * @param numbers  as above
 * @param taken    room for as many numbers as the run has passes
 * @param replica  out: of each of the run's passes, which drawn pass it is: an index of `numbers`
 */
void run_end_replica(const struct sample_stratum *strata, size_t count, const size_t *numbers,
                     gsl_rng *random, size_t *taken, size_t *replica);
