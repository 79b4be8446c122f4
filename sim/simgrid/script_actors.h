/* script_actors.h - the program of an estimate (model/estimate/estimate_program.h) executed in SimGrid: an actor for
 * each member that computes and for each flow of a transfer.
 *
 * Models    A member of a CPU goes through the program by itself: it computes piece after piece, as they arrive, and
 *           waits for all of a `send` to it. A flow moves its data piece after piece, each when it is there; flows that
 *           meet at a member of a linkset, or of a nodeset with a bandwidth, share it as SimGrid's CM02 says. A CPU
 *           lets few pieces arrive ahead of what it computes; memory takes everything. `synchronize` is a barrier of
 *           all.
 *           Data with `parallel` are computed by chains, one for each member that may compute them at once, beside the
 *           members, all of which spend their share of that work. The chains of a round are the next ones.
 * Equal     to the arithmetic (model/estimate/estimate_arithmetic.h) where its assumptions hold; those that do not are
 *           named by estimate_differences().
 * Time      the latency of a transfer comes before its first piece.
 * Limits    one call per process, because SimGrid has one engine per process; SCRIPT_ACTORS_MAX actors.
 * Errors    WHY_SAID and one line.
 */
#pragma once

#include "base/why.h"
#include "model/estimate/estimate_program.h"

/** Execute a program that estimate_execution_check() has accepted. @param time_s  out: simulated */
int script_actors_run(const struct estimate_program *program, double *time_s, struct why *why);
