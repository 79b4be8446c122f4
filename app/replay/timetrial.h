/* timetrial.h - the experiments of TimeTrial's paper, simulated: what it says, and boxes over passes as in Figure 6.
 *
 * Passes    Every segment of the query is a pass of the database. TIMETRIAL_PASSES passes stand for all: their p_1a,
 *           seeds per w-mer, are the middles of as many equal parts of a lognormal distribution. Of each, a stretch
 *           goes through the board's clock rules (replay.h), with the host queue before it, which is empty at first.
 *           Behind it HSPs arrive at the rate of simulated matches x p_2, independently of each other, for as long as
 *           the pass takes, and all cores of the host take them first come, first served, for exponential times.
 * Machine   default, or --machine, with what section IV.B prints, unless --set says otherwise: an xc4vlx100, four
 *           copies of the filter, 8 cores of 2.4 GHz, and 875 MB/s (of 2^20 bytes) from the host.
 * Inferred  The paper prints none of the draws' fractions. Experiment 1 has those of Dor's run 1, but for the median of
 *           p_1a, with which half of the passes stress 1b, and the clocks of a core for a result, with which 20% of the
 *           results find no free core. Experiment 2, which has nearly the data of Dor's run 2, has that run's, and the
 *           clocks that Mercury's own results take. The spread of p_1a is assumed. Rows of the table say what changes
 *           with each.
 * Stressed  is 1b in a pass in which 1bd works in TIMETRIAL_STRESSED of the clocks.
 * Source    Lancaster, Shands, Buhler, Chamberlain, ASAP 2011, sections IV.B and IV.C, Figure 6; R. Dor, WUCSE-2010-30.
 * Errors    an enum command_status and one line.
 */
#pragma once

#include "base/draw/result_table.h"
#include "base/why.h"
#include "app/replay/replay.h"

enum { TIMETRIAL_PASSES = 32 };
#define TIMETRIAL_STRESSED 0.99

/** An experiment. */
struct timetrial_experiment {
    const char *name, *title;
    double query, database;          /* bases, printed */
    double spread;                   /* standard deviation of ln p_1a over passes */
    double clocks_per_result;        /* of a core */
    struct seed_fractions fractions; /* p_1a is the median */
};

/** @return NULL if there is none of this name */
const struct timetrial_experiment *timetrial_find(const char *name);

/** What the machine has of section IV.B, as of --set. */
enum { TIMETRIAL_SETTINGS = 5 };
extern const char *const timetrial_settings[TIMETRIAL_SETTINGS];

/** Simulate an experiment and write the table.
 *
 * @param options  its hardware, seed, clocks of each pass (0: 600,000), and whether it is quiet count
 * @param path     of the table, as in result_table_save()
 * @param plot     picture of boxes over the passes; NULL: none
 */
int timetrial_run(const struct timetrial_experiment *experiment, const struct replay_options *options,
                  enum result_format format, const char *path, const char *plot, struct why *why);
