/* measuring_cost.h - what TimeTrial costs the machine it measures (--charge-measurement), and how much that changes.
 *
 * Models    section IV.C of Lancaster et al. 2011. At the end of every frame of the board a record of
 *           measure.record_bytes leaves over the bus, one for each distinct frame that directives ask for: a flow of its
 *           own on the shared link, so that it takes its part from blocks and HSPs. Records of a block's frames leave
 *           when the block is in, as HSPs do, and contend with the next block; those of the pass's last frames
 *           leave when the board is empty. The agent takes measure.agent_share of a core all through the pass, and
 *           stage 3 gets the rest; it keeps measure.event_bytes for each event of the host's software: the arrival of a
 *           block's HSPs, a core's beginning with them, its end.
 * Impact    against the same run without the charge: its passes timed again from the same tokens. User time is that of
 *           cores at work, system time that of the bus moving data, wall time the run's.
 * Leaves out the memory of the agent's own program, joining of alignments at the run's end (nothing is measured then), and
 *           the board's memory for records that wait, which has no bound here: the most that waited is told.
 * Errors    those of passes_run().
 */
#ifndef MERCURY_SIM_PASS_MEASURING_COST_H
#define MERCURY_SIM_PASS_MEASURING_COST_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/why.h"
#include "sim/pass/passes.h"
#include "sim/measure/measuring_charge.h"
#include "traces/frame.h"

struct measuring_cost {
    const struct hardware *hardware;
    struct measuring_charge charge;  /* of all passes */
    uint64_t bus_bytes;              /* tables, database, HSPs and the frames' records */
    double user_s, system_s, wall_s; /* with the charge */
    double uncharged_user_s, uncharged_system_s, uncharged_wall_s;
};

/** Time a run that was charged again without.
 *
 * @param passes  how it was run; of this only machine, jobs and quiet are looked at
 * @param charged   what it gave
 * @param record    its tokens
 */
int measuring_cost_find(const struct passes *passes, const struct passes_result *charged,
                        const struct token_record *record, struct measuring_cost *cost, struct why *why);

/** For summary.json: "measuring"; NULL when memory is out. */
json_t *measuring_cost_json(const struct measuring_cost *cost);

/** For people, beside the paper's figures. */
void measuring_cost_write_text(const struct measuring_cost *cost, FILE *out);

#endif
