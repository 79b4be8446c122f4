/* assumption_machine.h - a run simulated again from its tokens, with any set of the models' assumptions made true.
 *
 * Models    Until ASSUME_POISSON: the board of sim/board/board.h, with the same rules written once more as plain
 *           recurrences in which every assumption is a switch; without any it has the same clocks. Every pass begins
 *           with an empty board. From ASSUME_POISSON on: each queue by itself (Lindley's recurrence), with the run's
 *           numbers of elements per clock.
 * Clocks    ASSUME_CLOCKS makes times real. A service then ends where it ends, what it has made is in the next queue
 *           in that moment, and may be taken in that moment; on the board each takes until the next clock.
 * Bus       steady_bus.h.
 * Measured  the quantities of Dor's tables (machine_quantities.h). rho is the fraction of time in which the server of
 *           1a or 2 serves, and of 1b SRAM reads per clock, or its server's from ASSUME_JOINED on. N_Q_1b and P_BP_1b
 *           are of the joined queue then. With ASSUME_SIGNAL, P_BP is the fraction of time with K elements in stage.
 * Interval  ASSUMPTION_BATCHES batches with equal numbers of elements (batch_means.h). What is dealt or drawn is drawn
 *           again until the run has `least_words` words. A queue by itself serves at most that many elements,
 *           and leaves its first batch out, which begins with an empty queue.
 * Random    GSL's mt19937; the same seed gives the same numbers.
 */
#pragma once

#include "traces/statistics/batch_means.h"
#include "sim/measure/machine_quantities.h"
#include "app/why/assumption_board.h"

enum { ASSUMPTION_BATCHES = 30 };

/** Simulate the run with a set of assumptions.
 *
 * @param set     of 1 << enum assumption; ASSUME_LOSS is assumption_machine_lose()
 * @param values  MACHINE_QUANTITIES estimates; 95% intervals
 */
void assumption_machine_run(const struct assumption_machine *machine, unsigned set, struct estimate *values);

/** A queue that loses who finds none of the stage's places. */
struct assumption_loss_queue {
    double offered_per_s, mu_per_s;
};

/** Simulate M/M/1/K (Dor) for the quantities of a stage.
 *
 * @param values  MACHINE_QUANTITIES estimates; those of the stage are overwritten
 */
void assumption_machine_lose(const struct assumption_machine *machine, enum quantity_stage stage,
                             const struct assumption_loss_queue *queue, struct estimate *values);
