/* queue_simulate.h - simulate plain queues with the program's SimGrid module.
 *
 * Errors    an enum command_status and one line.
 */
#pragma once

#include "base/why.h"
#include "sim/simgrid/queue_network.h"
#include "app/chain/chain_file.h"

/** Simulate a line that queue_line_check() has accepted, or, if it is NULL, a network that queue_network_check() has
 *  accepted. */
int queue_simulate(const struct queue_line *line, struct queue_line_result *result,
                   const struct queue_network *network, struct queue_network_result *network_result,
                   struct why *why);

/** Read a chain and make its line, in units of its fastest service (chain_line_make()).
 *
 * @param input_per_s  NaN: none, beside overdrives
 * @param chain        out, for chain_file_close(), also after an error
 * @param line         what is said of the run is set already
 */
int queue_simulate_open_chain(const char *path, double input_per_s, struct chain *chain,
                              struct queue_line *line, double *scale, struct why *why);
