/* estimate_arithmetic.h - how long a program takes, by arithmetic on classes of equal members.
 *
 * Model     all members of a nodeset or linkset do the same, so that the work does not depend on their number. Between
 *           two `synchronize` a step lasts as long as the resource on its way with the largest sum of work over the
 *           steps of its group; it begins when its first piece has come through the steps before it, and ends no sooner
 *           than the last piece has. A CPU does its steps in their order, and a link has time for the sum of them.
 *           After `synchronize` nothing begins before all has ended. A disk seeks for each `aggregate`: after the
 *           first, which is part of the way's latency, this takes the time of the flow, of the disk and of its linkset.
 *           If data vary, each node is a class of its own: as if all nodes did what it does. What they do at a
 *           `synchronize` is to wait for each other; the time is that of the last one, and so are the sums of work.
 * Leaves out how flows that meet at a link share it from one moment to the next, and members that have less to do than
 *           the busiest: estimate_differences() names what of this a program has.
 * Source    Wen and Fox, PetaSIM (1998): data parallel mode.
 */
#pragma once

#include "model/estimate/estimate_program.h"

/* The rows of data/words/models.tsv. */
#include "model/models.inc"

struct estimate_result {
    double time_s;
    double resource_s[ESTIMATE_RESOURCES_MAX]; /* work of the busiest member */
    double cpu_s[ESTIMATE_NODESETS_MAX];     /* work of a member, and time for which it waits for a `send` */
    double ended_s[ESTIMATE_STATEMENTS_MAX]; /* by which a step ends later than all before; in all time_s */
};

void estimate_arithmetic(const struct estimate_program *program, struct estimate_result *result);

/** What limits a program. */
struct estimate_limits {
    char busy[96];   /* name of what is busy longest; "-": nothing is */
    double busy_s;   /* its work */
    char serial[96]; /* the step that takes the most of the time in which nothing else ends, with its names */
    double serial_share; /* of the time; 0 if the program takes none */
};

void estimate_limits(const struct estimate_program *program, const struct estimate_result *result,
                     struct estimate_limits *out);

/** Assumptions of the arithmetic that a program does not meet. */
#define ESTIMATE_DIFFERENCE_ID(id, ...) id
enum estimate_difference { ESTIMATE_DIFFERENCE_ROWS(ESTIMATE_DIFFERENCE_ID) ESTIMATE_DIFFERENCES };

/** @return bits of enum estimate_difference */
unsigned estimate_differences(const struct estimate_program *program);

/** A sentence of at most 80 columns. */
const char *estimate_difference_text(enum estimate_difference difference);
