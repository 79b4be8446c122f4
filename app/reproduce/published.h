/* published.h - publications computed again, but Dor's (validate/dor2010.h): tables of values, each beside what is
 * expected, and statements that hold or not.
 *
 * Judgement A value is admitted if ours rounds to the expected digits (dor2010_number()).
 * Errors    an enum command_status and one line; COMMAND_FAILED also if a value is not admitted or a statement does not
 *           hold.
 */
#pragma once

#include <stdbool.h>

#include "base/why.h"

/** What TimeTrial's paper prints of its own cost, computed again.
 *
 * Models    sizes and shares from the counts that the paper gives: a histogram beside the raw events, records of the
 *           software's events, records of the board's frames and their share of what crossed the bus, and what
 *           TimeTrial takes of the FPGA (Table I: 5,164 of 98,304, 6,980 of 98,304, 2 of 240, 1 of 96).
 * Units     An MB is 2^20 bytes, since 2.86 and 124 come out so; GB and TB are powers of ten. Mercury reads the paper's
 *           line rate, 875 MB/s, likewise: as 917.5e6 bytes/s (docs/hardware.md).
 * Omits     the impact on user, system and wall time, which rests on counts that are not published: what measuring
 *           costs on the simulated machine is sim/run/measuring_cost.h.
 * Source    Lancaster, Shands, Buhler, Chamberlain: TimeTrial, ASAP 2011, sections III and IV.C, Table I.
 */
int timetrial2011_write(bool tsv, struct why *why);

/** Leonards' thesis on shared memory, computed again: values of its closed networks, and statements.
 *
 * Models    private centres (cores) and a shared one (DRAM, 9.01 ns a request) with the solver of closed_network.h
 *           and the fit of private_centre.h.
 * Values    The thesis prints its algorithm's results as curves. The expected digits are those of the product form,
 *           summed state by state, for the same networks; a value is admitted if ours rounds to it.
 * Omits     Tables 5.2 and 5.3 (how much slower benchmarks get together): they rest on traces that are not published.
 * Source    E. Leonards, Processor modelling using queueing theory, 2023: Algorithm 1, Figure 4.9, sections 2.2 and
 *           4.3, Table 5.2.
 */
int leonards2023_write(bool tsv, struct why *why);

/** Frenkel: the identities of random sums, each by formula and by simulation.
 *
 * Models    the trips of Dor's run 2 as independent draws: a pass looks up N = 1000 seeds, of which a fraction p =
 *           0.0283 makes a trip of 60 clocks, and the others take one clock. N is fixed or has a Poisson
 *           distribution; p is the same for all passes, or 0.0183 in half of them and 0.0383 in the others, which is
 *           where (5.3) fails. Besides there are durations that depend on the one before (a Markov chain), P(T > t)
 *           with Berry and Esseen's bound, confidence regions of shares, Hill's index of a Pareto tail, and no-wait
 *           makespans.
 * Known     values that follow by hand, with the digits to which they are given: E X = 1 + 59 p, D X = 59^2 p (1 -
 *           p), D T = N D X for a fixed N, and N (D X + (E X)^2) for a Poisson N.
 * Intervals of the simulation are of 99.9%, so that of the seventeen cells that have one all hold for 98.3% of seeds.
 *           That of a variance takes the fourth moment of what was drawn.
 * Judgement a cell is admitted if the formula rounds to what is known and the simulation's interval holds the formula.
 * Random    GSL's mt19937; the same seed gives the same numbers.
 * Source    Frenkel, sections 3 to 5; Dor 2010 (WUCSE-2010-30) for the lookups; model/sums/random_sum.h and the headers
 *           that it stands beside.
 * @param seed  1 to 2^32 - 1
 */
int frenkel_write(unsigned long seed, bool tsv, struct why *why);
