/* chain_validate.h - a designer's chain, simulated beside every model, with a verdict on each prediction: what
 * `mercury validate` says of a run, for a chain.
 *
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stdbool.h>

#include "base/draw/result_table.h"
#include "base/why.h"

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
