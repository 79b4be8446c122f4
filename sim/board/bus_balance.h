/* bus_balance.h - when the bus is full: the balancing point of a machine, and the number of boards.
 *
 * Models    a board that takes words as fast as its clock and its host allow, and sends a record for each HSP. Words
 *           and records cross the same bus, which is full if both together have as many bytes as it carries. So there
 *           is a share of w-mers from which on one board fills the bus if they become HSPs (the balancing point), and a
 *           number of boards that fill it, if each uses as much of it as those of a run.
 * Omits     tables: both numbers are of boards that stream.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sim/board/hardware.h"

struct bus_balance {
    /* HSPs per w-mer from which on one board fills the bus; 0 if the database alone does; above 1 if no share does */
    double balance;
    double hsps;   /* HSPs per w-mer of the run; NaN if it has no w-mer */
    double boards; /* number of boards like those of the run that fill one bus; NaN if they do not use it */
    bool beside;   /* those of the run share a bus, and are as slow as that makes them */
};

/** The balancing point, HSPs per w-mer. */
double bus_balance_point(const struct hardware *hardware);

/** @param hsps, wmers  of the run
 *  @param busy         fraction of the stream's time in which the run's buses are busy */
struct bus_balance bus_balance_find(const struct hardware *hardware, double hsps, double wmers, double busy);

/** Write it as a sentence without an end, such as "full with 2.5 such boards that stream; one that nothing else
 *  holds fills it from 1% of w-mers on that become HSPs (here 0.3%)". Nothing is written if the bus is not used.
 *
 * @param line  out
 * @return whether there is something to say
 */
bool bus_balance_say(const struct bus_balance *b, char *line, size_t size);

/** Write the sentence as text that begins with "  bus: ". */
void bus_balance_write_text(const struct bus_balance *b, FILE *out);
