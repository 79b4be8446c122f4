/* chain_validate.h - a designer's chain, simulated beside every model, with a verdict on each prediction: what
 * `mercury validate` says of a run, for a chain.
 *
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/draw/result_table.h"
#include "base/why.h"
#include "validate/queue_theory.h"
#include "app/chain/chain_file.h"

/** Simulate a line that queue_line_check() has accepted, which is in seconds then, or, if it is NULL, a network that
 *  queue_network_check() has accepted. */
int queue_simulate(struct queue_line *line, struct queue_line_result *result,
                   const struct queue_network *network, struct queue_network_result *network_result,
                   struct why *why);

/** Read a chain and make its line, in units of its fastest service (chain_line_make()).
 *
 * @param input_per_s  NaN: none, beside overdrives
 * @param chain        out, for chain_file_close(), also after an error
 * @param line         what is said of the run is set already
 */
int queue_simulate_open_chain(const char *path, double input_per_s, struct chain *chain,
                              struct queue_line *line, struct why *why);

struct chain_validation {
    const char *path;   /* of the chain's table; "-": standard input */
    double input_per_s; /* beside overdrives; NaN: none */
    double customers;   /* NaN: the default of mercury queue */
    unsigned long seed; /* 0: the default */
    bool blocks;        /* full stages block; else they lose */
    double fail_over;   /* per cent, as of mercury validate; NaN: never */
};

/** Simulate the chain and write the answer to standard output. */
int chain_validate(const struct chain_validation *request, enum result_format format, struct why *why);

/* The layout of its JSON. */
#define CHAIN_VERDICTS_SCHEMA "mercury-chain-validation-2"

/** Write what every model predicts of a line, with a verdict on each prediction; as text, what was simulated comes
 *  first. */
void chain_verdicts_write(const struct queue_judged *judged, enum result_format format, FILE *out);
