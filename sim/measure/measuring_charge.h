/* measuring_charge.h - what measuring has cost in a pass, or a run (measuring_cost.h). */
#ifndef MERCURY_SIM_MEASURE_MEASURING_CHARGE_H
#define MERCURY_SIM_MEASURE_MEASURING_CHARGE_H

#include <stdint.h>

struct measuring_charge {
    uint64_t frames;       /* of the board, that ended */
    uint64_t bus_bytes;    /* their records, on the way to the host */
    uint64_t most_waiting; /* bytes of records on the board, at most at one time */
    uint64_t events;       /* of the host's software */
    uint64_t agent_ps;     /* of a core, that the agent had */
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

#endif
