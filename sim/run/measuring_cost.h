/* measuring_cost.h - what TimeTrial costs the machine that it measures (--charge-measurement), and what that changes.
 *
 * Models    section IV.C of Lancaster et al. 2011. At the end of every frame of the board a frame record leaves over
 *           the bus, one for each distinct frame that directives ask for; its bytes follow from what the directives of
 *           that frame ask for (sim/measure/measure_plan.h). Frame records are a flow of their own on the shared link,
 *           so that they take their part from blocks and HSPs. Those of the frames that end in a block leave when the
 *           block is in, as HSPs do, and contend with the next block; those of the pass's last frames leave when the
 *           board is empty. The agent takes measure.agent_share of a core throughout the pass, or a fair share where
 *           all cores are at work and that is less, and stage 3 gets the rest. It keeps an event of measure.event_bytes
 *           for each frame of each measurement in software: TimeTrial kept four for each frame of the board.
 * Impact    against the same run without the charge: its passes are timed again from the same tokens. User time is the
 *           time that the work of cores takes, system time the time that the bus moves data, wall time that of the run.
 * Published the figures of section IV.C, one of each, stand beside the run's, in the text and in summary.json.
 * Leaves out the memory of the agent's own program; stamps that an HSP takes along for spans that end in software;
 *           stitching at the run's end, when nothing is measured; and the board's memory for records that wait, which
 *           is not limited here: the largest backlog is reported.
 * Errors    those of passes_run().
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/why.h"
#include "sim/measure/measuring_charge.h"
#include "sim/pass/passes.h"

struct measuring_cost {
    const struct hardware *hardware;
    struct measuring_charge charge; /* of all passes */
    uint64_t bus_bytes;             /* tables, database, HSPs and the frames' records */
    struct machine_times {
        double user_s, system_s, wall_s;
    } charged, uncharged;
};

/** Time a charged run again without the charge.
 *
 * @param passes   how it was run
 * @param charged  its result
 * @param record   its tokens
 */
int measuring_cost_find(const struct passes *passes, const struct passes_result *charged,
                        const struct token_record *record, struct measuring_cost *cost, struct why *why);

/** The object "measuring" of summary.json. */
json_t *measuring_cost_json(const struct measuring_cost *cost);

/** Write a table for people, beside the paper's figures. */
void measuring_cost_write_text(const struct measuring_cost *cost, FILE *out);
