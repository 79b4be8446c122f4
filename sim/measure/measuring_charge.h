/* measuring_charge.h - what measuring has cost in a pass or in a run (sim/run/measuring_cost.h). */
#pragma once

#include <stdint.h>

#include "base/wide.h"

struct measuring_charge {
    uint64_t frames;       /* number of frames of the board that ended */
    uint64_t bus_bytes;    /* bytes of their frame records on the bus */
    uint64_t most_waiting; /* most bytes of frame records on the board at one time */
    uint64_t events;       /* frames of the measurements in software */
    wide_uint agent_ps;    /* time of a core that the agent took */
    double agent_share;    /* of a core, that it had on average; of a run */
};

static inline void measuring_charge_add(struct measuring_charge *sum, const struct measuring_charge *pass)
{
    sum->frames += pass->frames;
    sum->bus_bytes += pass->bus_bytes;
    if (pass->most_waiting > sum->most_waiting)
        sum->most_waiting = pass->most_waiting;
    sum->events += pass->events;
    sum->agent_ps += pass->agent_ps;
}
