/* published.h - what a publication prints or says, beside what Mercury makes of it.
 *
 * Models    a list of values, each with the digits that are expected and ours, and statements that hold or not.
 * Judgement A value is admitted if ours rounds to the expected digits (dor2010_number()).
 * Memory    Texts belong to the caller, but a statement's evidence.
 */
#ifndef MERCURY_VALIDATE_PUBLISHED_H
#define MERCURY_VALIDATE_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>

enum { PUBLISHED_VALUES_MAX = 40, PUBLISHED_STATEMENTS_MAX = 8 };

struct published_value {
    const char *where, *quantity, *unit, *expected;
    double ours;
    bool admitted;
};

struct published_statement {
    const char *text;
    char evidence[100];
    bool holds;
};

struct published {
    struct published_value values[PUBLISHED_VALUES_MAX];
    struct published_statement statements[PUBLISHED_STATEMENTS_MAX];
    size_t value_count, statement_count;
    size_t not_admitted; /* number of values that are not admitted, and of statements that do not hold */
};

/** Add a value. @param expected  digits with or without a decimal point */
void published_add_value(struct published *out, const char *where, const char *quantity, const char *unit,
                         const char *expected, double ours);

/** Add a statement. @param evidence  a format: the numbers on which it rests */
void published_add_statement(struct published *out, const char *text, bool holds, const char *evidence, ...)
    __attribute__((format(printf, 4, 5)));

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
void timetrial2011_make(struct published *out);

/** Leonards' thesis on shared memory, computed again: values of its closed networks, and statements.
 *
 * Models    private centres (cores) and a shared one (DRAM, 9.01 ns a request) with the solver of closed_network.h
 *           and the fit of private_centre.h.
 * Values    The thesis prints its algorithm's results as curves. The expected digits are those of the product form,
 *           summed state by state, for the same networks; a value is admitted if ours rounds to it.
 * Omits     Tables 5.2 and 5.3 (how much slower benchmarks get together): they rest on traces that are not published.
 * Source    E. Leonards, Processor modelling using queueing theory, 2023: Algorithm 1, Figure 4.9, sections 2.2 and
 *           4.3, Table 5.2.
 * @return 0 or a code of model/model_error.h
 */
int leonards2023_make(struct published *out);

#endif
