/* leonards2023.h - Leonards' thesis on shared memory, computed again: values of its closed networks, and statements.
 *
 * Models    private centres (cores) and a shared one (DRAM, 9.01 ns a request) with the solver of closed_network.h
 *           and the fit of private_centre.h.
 * Values    The thesis prints its algorithm's results as curves. The expected digits are those of the product form,
 *           summed state by state, for the same networks; a value is admitted if ours rounds to it.
 * Omits     Tables 5.2 and 5.3 (how much slower benchmarks get together): they rest on traces that are not published.
 * Source    J. Leonards, Processor modelling using queueing theory, 2023: Algorithm 1, Figure 4.9, sections 2.2 and
 *           4.3, Table 5.2.
 */
#ifndef MERCURY_VALIDATE_LEONARDS2023_H
#define MERCURY_VALIDATE_LEONARDS2023_H

#include <stdbool.h>
#include <stddef.h>

enum { LEONARDS_VALUES_MAX = 40, LEONARDS_STATEMENTS_MAX = 8 };

struct leonards_value {
    const char *where, *quantity, *unit, *expected;
    double ours;
    bool admitted; /* ours rounds to what is expected */
};

struct leonards_statement {
    const char *text;
    char evidence[100];
    bool holds;
};

struct leonards2023 {
    struct leonards_value values[LEONARDS_VALUES_MAX];
    struct leonards_statement statements[LEONARDS_STATEMENTS_MAX];
    size_t value_count, statement_count;
    size_t not_admitted; /* number of values that are not admitted, and of statements that do not hold */
};

/** Compute all of them. @return 0 or a code of model/model_error.h */
int leonards2023_make(struct leonards2023 *out);

#endif
