/* leonards2023.h - Leonards' thesis on shared memory, computed again: values of its closed networks, and statements.
 *
 * Models    private centres (cores) and a shared one (DRAM, 9.01 ns a request) with the solver of closed_network.h
 *           and the fit of private_centre.h.
 * Values    The thesis prints its algorithm's results as curves. The expected digits are those of the product form,
 *           summed state by state, for the same networks; a value is admitted if ours rounds to it.
 * Omits     Tables 5.2 and 5.3 (how much slower benchmarks get together): they rest on traces that are not published.
 * Source    E. Leonards, Processor modelling using queueing theory, 2023: Algorithm 1, Figure 4.9, sections 2.2 and
 *           4.3, Table 5.2.
 */
#ifndef MERCURY_VALIDATE_LEONARDS2023_H
#define MERCURY_VALIDATE_LEONARDS2023_H

#include "validate/published.h"

/** Compute all of them. @return 0 or a code of model/model_error.h */
int leonards2023_make(struct published *out);

#endif
