/* operations.h - what the passes of a run did, counted by types of operations, and how long one of each takes.
 *
 *     server   operations                              measured: the time in which it has one of them
 *     1a       word clock                              stage 1a, in clocks
 *     1bd      primary lookup, trip                    the duplicate stage, in clocks
 *     bus      table byte, database word, HSP record   the PCI-X bus, in microseconds
 *     cores    HSP check, cell                         stage 3's cores, in microseconds
 *
 * Models    every server executes its operations one after the other, so that each is a random sum of its own
 *           (random_sum.h); servers work at the same time. A primary lookup is one that the primary table answers, in
 *           one clock; of those that go on to the duplicate table only the trips are counted, of trip_cycles
 *           each, or if several may be under way, of the clocks by which a trip holds 1bd
 *           (mercury_tandem_trip_share()).
 * Measured  what a server spends on operations and, with one of them in hand, on being held: 1a by a full wmer FIFO,
 *           1bd by a full stage-2 FIFO, the bus by a board without room. The cores are never held.
 * Durations are those of the machine: one clock; sram.trip_cycles; bytes over the bus's capacity;
 *           stage3.cycles_per_check and cycles_per_cell over host.clock. The last three are in run.json, which
 *           mercury run and retime write beside summary.json. Without it the cores' durations are unknown (NaN).
 * Memory    operations_free() frees it.
 * Errors    a negative PREDICT_E* code (predict_inputs.h) and one line that names the file and what is missing.
 */
#ifndef MERCURY_MODEL_OPERATIONS_H
#define MERCURY_MODEL_OPERATIONS_H

#include <stddef.h>

#include <jansson.h>

#include "base/why.h"
#include "model/sums/random_sum.h"
#include "model/sums/tail_index.h"

enum operation_server_name {
    OPERATIONS_1A,
    OPERATIONS_1BD,
    OPERATIONS_BUS,
    OPERATIONS_CORES,
    OPERATION_SERVERS
};

enum { OPERATION_TYPES_MAX = 3, OPERATION_TAILS_MAX = 8 };

struct operation_server {
    const char *name, *unit; /* of durations and of measured times: clocks or us */
    const char *held_by;     /* what may hold it with an operation in hand; NULL if nothing */
    size_t types;
    const char *type[OPERATION_TYPES_MAX];
    struct random_moments duration[OPERATION_TYPES_MAX]; /* NaN if unknown */
    double *counts;   /* row after row: a row per pass, a column per type */
    double *measured; /* of each pass */
};

/** A time of single elements that the run measured, and the power law that its largest values follow. */
struct operation_tail {
    char name[32];
    double elements;
    struct tail_estimate tail;
};

struct operations {
    char file[320]; /* name of the summary, printable */
    size_t passes;  /* 2 or more */
    struct operation_server server[OPERATION_SERVERS];
    double *clocks; /* of each pass, while the board works */
    struct operation_tail tail[OPERATION_TAILS_MAX];
    size_t tails;
};

/** Read them.
 *
 * @param path  the directory of a run, its summary.json, or "-" for a summary on standard input, which has no run.json
 */
int operations_read(const char *path, struct operations *out, struct why *why);

void operations_free(struct operations *operations);

/** Clocks for which a trip holds 1bd (mercury_tandem_trip_share()), from a summary, or from a frame of one. */
double operations_trip_share(const json_t *frame);

#endif
