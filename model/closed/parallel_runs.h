/* parallel_runs.h - how long programs take together, from what each asks of the shared centre alone.
 *
 * Models    programs that begin together and share one centre. At any time each is in one of its groups
 *           (isolated_run.h). A model says how fast each goes on in this combination of groups, compared with alone; so
 *           they go on until the first reaches the end of its group, which gives the next combination. A program that
 *           has ended asks for nothing any more.
 * Answers   MVA: exact mean value analysis of the private centres and the shared one (closed_network.h); Linearizer
 *           instead above PARALLEL_RUNS_STATES_MOST populations. It knows only requests whose program waits, and takes
 *           a program to do nothing else meanwhile.
 *           Fair shares: the shared centre as a bus without any randomness, with all requests. A board asks for a block
 *           while it works on the last one, so that it waits for the bus only if its part of it is too small: alone, it
 *           would use a fraction `in` of the bus to be fed, and `out` for its records. Each direction of each board
 *           gets as much as any other, but no more than it needs; what it leaves is divided among the others: max-min
 *           fair shares. A board that gets less than it needs, in one direction, is slower by as much, and needs less
 *           in the other one. If the bus has room for all, MVA says that boards wait, and fair shares say that none
 *           does; they leave out that two transfers may meet though the bus has room for both on average.
 * Memory    120 bytes for every combination that occurs, during a call.
 * Errors    0 or a negative code of model_error.h
 * Source    Leonards, Processor modelling using queueing theory, 2023, chapter 5; Bertsekas and Gallager, Data
 *           Networks, 1992, section 6.5.2 (max-min fair flow control).
 */
#pragma once

#include "model/closed/closed_network.h"
#include "model/closed/isolated_run.h"

enum parallel_model { PARALLEL_MVA, PARALLEL_FAIR_SHARES, PARALLEL_MODELS };

enum { PARALLEL_RUNS_MAX = CLOSED_CLASSES_MAX };

#define PARALLEL_RUNS_STATES_MOST 20000

struct fair_shares_board {
    double in, out;  /* fractions of the bus that the board uses alone, >= 0 */
    double progress; /* out: its speed beside the others, divided by that alone: above 0, up to 1 */
};

/** Divide the bus. @return the fraction of it that is used, at most 1 */
double fair_shares_divide(struct fair_shares_board *boards, unsigned count);

/** Predict when each program ends.
 *
 * @param runs           programs, which have been fitted; 1 to PARALLEL_RUNS_MAX
 * @param service_s      mean service at the shared centre
 * @param end_s          out: one per program
 * @param is_linearized  out: whether a combination was too large for MVA
 */
int parallel_runs_predict(const struct isolated_run *runs, unsigned count, double service_s,
                          enum parallel_model model, double *end_s, bool *is_linearized);
