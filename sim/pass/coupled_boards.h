/* coupled_boards.h - recorded passes, timed on boards that hinge on each other, in one process.
 *
 * Models    boards that share buses, or that are dealt their next pass while they stream (hardware_couples_boards()).
 *           SimGrid times all of them together (sim/simgrid/system.h): how long a block takes depends on what the other
 *           boards move meanwhile, and which pass a board gets on when the others are free.
 * Limits    one call per process: SimGrid has one engine per process.
 * Memory    of the passes that are on the boards; if they are to be run by events, too, the tokens of all passes.
 * Errors    an enum pass_error and one line.
 */
#ifndef MERCURY_SIM_PASS_COUPLED_BOARDS_H
#define MERCURY_SIM_PASS_COUPLED_BOARDS_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "base/why.h"
#include "sim/pass/pass_set.h"
#include "sim/pass/run_drawings.h"

/** Time all passes of a host.
 *
 * @param host      its number
 * @param drawings  files of the pass that is drawn
 * @param words     counter for a display of progress
 * @param reports   receives the reports of all passes (pass_report_write()); their host's side says when they began
 */
int coupled_boards_run(const struct passes *passes, uint32_t host, const struct run_drawings *drawings,
                       atomic_ullong *words, FILE *reports, struct why *why);

#endif
