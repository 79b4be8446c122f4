/* machine_freedom.h - machines with one resource made free, which say what limits a machine.
 *
 * Clock     all that the board does once per clock is made free together, by a clock ten times as fast under which
 *           reads, trips, fetches and the wait for a full burst of records take as long as before.
 */
#pragma once

#include <stdbool.h>

#include "base/why.h"
#include "sim/board/hardware.h"

struct machine_freedom {
    const char *stage, *meaning;
    void (*make)(struct hardware *);
};

enum { MACHINE_FREEDOMS = 8 };

extern const struct machine_freedom machine_freedoms[MACHINE_FREEDOMS];

/** Whether every parameter of a machine is within its range; making a resource free may have left that range.
 *  @param why  if false: which one, and its range */
bool machine_is_allowed(const struct hardware *hardware, struct why *why);
