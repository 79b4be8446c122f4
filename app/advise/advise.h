/* advise.h - what to build: tables, FIFO depths, the stage to improve next.
 *
 * Given     the machine without what varies is a candidate, too. If it is within the limits, nothing slower is advised.
 * Tables    every candidate is simulated. Of those within the limits, and in the FPGA of fpga.device, the knee of
 *           front.h is chosen: the cheapest that keeps a share of the greatest speed.
 * FIFOs     the depths with the fewest block RAMs that keep the time (fifo_search.h).
 * Machine   these tables with these FIFOs, unless other tables are better in everything with the FIFOs that are best
 *           for them: they are searched as well wherever they could be. No machine that was simulated dominates what
 *           is advised.
 * Stages    the machine is simulated again with one resource made free at a time (machine_freedom.h).
 * Errors    an enum command_status and one line.
 */
#pragma once

#include <stdio.h>

#include "base/why.h"
#include "app/sweep/sweep_setup.h"

/** Simulate what is needed, and write the advice: all of it or nothing.
 *
 * @param setup  with the plan of the candidates, to which points are added
 */
int advise(const struct sweep_options *options, struct sweep_setup *setup, FILE *out, struct why *why);
